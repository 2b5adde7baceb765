/* SPDX-License-Identifier: MIT */
/*
 * retouch.h - changes fields of decoded values by their meaning (identity.h), and adjusts counts and sizes,
 * so that the value can be encoded again. Callbacks decide the new values.
 */
#ifndef PERFDATA_RETOUCH_H
#define PERFDATA_RETOUCH_H

#include "src/schema/schema.h"
#include "identity.h"
#include "src/schema/schema.h"
#include <perfdata/attr.h>
#include <perfdata/codec.h>

#define PI_RETOUCH_SCRATCH ((size_t)256 << 10)

/* A field that the callbacks may change. */
struct pi_retouch_step {
    const struct pd_op *op;
    uint8_t kind;  /* of a field that is no part */
    uint8_t below; /* the kind around the fields of a part */
};

enum { PI_RETOUCH_STEPS = 16, PI_RETOUCH_WALKS = 16 };

/* The steps through a layout under a shape, which decides alone what is present. */
struct pi_retouch_walk {
    const struct pd_op *head; /* NULL: not filled */
    uint64_t sample_type, read_format, branch_sample_type;
    uint16_t misc;
    uint8_t variant, around;
    bool usable; /* there are not too many, and no field decides */
    uint8_t n;
    struct pi_retouch_step steps[PI_RETOUCH_STEPS];
};

struct pi_retouch {
    const struct pd_allocator *allocator;
    struct pi_identities ids;
    uint64_t touched; /* kinds that the callbacks want to see */
    bool clean;       /* no bytes remain behind the text in the slot of a string */
    /*
     * Each may leave the value unchanged. The data of a string or bytes must stay valid until the end of the
     * record or section.
     */
    void *user;
    enum pd_code (*number)(void *user, enum pi_identity kind, unsigned width, uint64_t *value,
                           struct pd_error *error);
    /* `most`: bytes that have room, SIZE_MAX where any have. */
    enum pd_code (*string)(void *user, enum pi_identity kind, struct pd_bytes *text, size_t most,
                           struct pd_error *error);
    enum pd_code (*bytes)(void *user, enum pi_identity kind, struct pd_bytes *bytes, struct pd_error *error);
    enum pd_code (*attr)(void *user, struct pd_attr *attr, struct pd_error *error);
    /* Before the fields of a layout that has a build id: the path in it, of 0 bytes if it has none; may be
     * NULL.
     */
    void (*file)(void *user, const struct pd_bytes *path);
    /* private: memory of the value at hand */
    uint8_t *scratch;
    size_t used;
    void **blocks;
    size_t n_blocks, blocks_cap;
    struct pd_error *error;
    struct pi_retouch_walk walks[PI_RETOUCH_WALKS]; /* those that came last */
};

/* `t` is zeroed except for allocator, touched, clean and callbacks. PD_ENOMEM. Must be closed in any case. */
enum pd_code pi_retouch_open(struct pi_retouch *t, struct pd_error *error);
void pi_retouch_close(struct pi_retouch *t);

/*
 * Changes the fields of a value of a layout. The memory of earlier changes is used again, unless `more` is
 * set. Views of the value then point into the retouch or the callbacks' memory.
 */
enum pd_code pi_retouch_value(struct pi_retouch *t, const struct pd_op *layout, const struct pd_shape *shape,
                              void *value, bool more, struct pd_error *error);

/*
 * The kind by which the callbacks may change a field of a layout; PI_ID_NONE: nothing in it changes, whatever
 * it holds. Of a field with parts: PI_ID_AROUND, if anything in it may.
 */
unsigned pi_retouch_kind(const struct pi_retouch *t, const struct pd_op *head, const struct pd_op *op);

/* Memory for the value at hand; NULL: there is none. */
void *pi_retouch_memory(struct pi_retouch *t, size_t n);

#endif
