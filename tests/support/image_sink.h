/* SPDX-License-Identifier: MIT */
/* image_sink.h - a sink that appends to an image, and patches what it has. */
#ifndef PERFDATA_TESTS_IMAGE_SINK_H
#define PERFDATA_TESTS_IMAGE_SINK_H

#include "../../fuzz/image.h"
#include "cmocka_all.h"
#include <perfdata/writer.h>

static inline int image_append(void *user, const void *bytes, size_t n)
{
    image_bytes(user, bytes, n);
    return 0;
}

static inline int image_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct image *im = user;
    assert_true(offset <= im->n && n <= im->n - offset);
    memcpy(im->b + offset, bytes, n);
    return 0;
}

static inline struct pd_sink image_sink(struct image *im)
{
    return (struct pd_sink){.write = image_append, .patch = image_patch, .user = im};
}

#endif
