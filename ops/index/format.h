/* SPDX-License-Identifier: MIT */
/* format.h - the parts of an index as structs, made of index.def, and their bytes. */
#ifndef PERFDATA_INDEX_FORMAT_H
#define PERFDATA_INDEX_FORMAT_H

#include "src/codec/record_role.h"
#include "src/support/wire.h"
#include <perfdata/reader.h>

#define PI_INDEX_MAGIC UINT64_C(0x0058454449445044) /* "PDINDEX" */
#define PI_INDEX_VERSION 1
#define PI_INDEX_WORD ((size_t)8)
/* The places of the recording that tell it from another one. */
#define PI_INDEX_PLACES 64
#define PI_INDEX_PLACE ((uint64_t)4096)

#define FIELD(name_, meaning_) uint64_t name_;
struct pi_index_header {
#define INDEX_HEADER
#include "index.def"
#undef INDEX_HEADER
};

#define FIELD(name_, meaning_) uint64_t name_;
struct pi_index_block {
#define INDEX_BLOCK
#include "index.def"
#undef INDEX_BLOCK
};

#define FIELD(name_, meaning_) uint64_t name_;
struct pi_index_event {
#define INDEX_EVENT
#include "index.def"
#undef INDEX_EVENT
};

#define FIELD(name_, meaning_) uint64_t name_;
struct pi_index_type {
#define INDEX_TYPE
#include "index.def"
#undef INDEX_TYPE
};

#define FIELD(name_, meaning_) uint64_t name_;
struct pi_index_given {
#define INDEX_GIVEN
#include "index.def"
#undef INDEX_GIVEN
};

/* All members are numbers of 64 bits: in their order they are the bytes of the part. */
static inline void pi_index_store(const void *part, size_t size, uint8_t *bytes)
{
    uint64_t word;
    for (size_t at = 0; at < size; at += PI_INDEX_WORD) {
        memcpy(&word, (const uint8_t *)part + at, sizeof word);
        pi_store64(bytes + at, word, PD_LITTLE);
    }
}

static inline void pi_index_load(void *part, size_t size, const uint8_t *bytes)
{
    for (size_t at = 0; at < size; at += PI_INDEX_WORD) {
        const uint64_t word = pi_load64(bytes + at, PD_LITTLE);
        memcpy((uint8_t *)part + at, &word, sizeof word);
    }
}

/* Outside of COMPRESSED records, a block has records of the kernel, ends of rounds and COMPRESSED ones. */
static inline bool pi_index_may_hold(uint32_t type)
{
    return type < PD_RECORD_HEADER_ATTR || type == PD_RECORD_FINISHED_ROUND || pi_is_wrapper_type(type);
}

/* Bytes of what stands before the records that a block gives. */
static inline uint64_t pi_index_numbers(const struct pi_index_block *b)
{
    return b->events * sizeof(struct pi_index_event) + b->types * sizeof(struct pi_index_type);
}

/* ---- identity.c: what tells the recording from another one */

/* The hashes of the bytes around the data, and of places in it. */
enum pd_code pi_index_identify(struct pd_reader *r, struct pi_index_header *h, struct pd_error *error);
/* XXH3 of the bytes of the recording. */
enum pd_code pi_index_hash(struct pd_reader *r, uint64_t from, uint64_t to, uint64_t *hash,
                           struct pd_error *error);

#endif
