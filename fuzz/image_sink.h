/* SPDX-License-Identifier: MIT */
/* image_sink.h - a sink that appends to an image, and patches what it has. */
#ifndef PERFDATA_FUZZ_IMAGE_SINK_H
#define PERFDATA_FUZZ_IMAGE_SINK_H

#include "image.h"
#include <perfdata/writer.h>

static inline int image_append(void *user, const void *bytes, size_t n)
{
    image_bytes(user, bytes, n);
    return 0;
}

static inline int image_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct image *im = user;
    if (offset > im->n || n > im->n - offset)
        abort();
    memcpy(im->b + offset, bytes, n);
    return 0;
}

static inline struct pd_sink image_sink(struct image *im)
{
    return (struct pd_sink){.write = image_append, .patch = image_patch, .user = im};
}

#endif
