/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/hash.h - the XXH3-128 of a recording's content: equal for recordings with the same content,
 * whatever their container, compression, byte order and order of records on disk. docs/HASH.md has the exact
 * definition.
 *
 *     struct pd_hash hash;
 *     char text[PD_HASH_TEXT];
 *     if (pd_hash_recording(reader, NULL, &hash, &error) == PD_OK)
 *         puts(pd_hash_text(&hash, text));
 */
#ifndef PERFDATA_OPS_HASH_H
#define PERFDATA_OPS_HASH_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* XXH3-128 in its canonical form: the most significant byte first. */
struct pd_hash {
    uint8_t bytes[16];
};

#define PD_HASH_TEXT 33 /* bytes of the text, with its NUL */

/* Writes 32 lower-case hexadecimal digits and a NUL to `text`, which it returns. */
PD_EXPERIMENTAL char *pd_hash_text(const struct pd_hash *hash, char text[PD_HASH_TEXT]);

enum pd_hash_kind {
    PD_HASH_ATTRS = 1, /* attrs with their ids */
    PD_HASH_FEATURE =
        2, /* all instances of one feature, wherever they are; 256: all features from that number on */
    PD_HASH_RECORDS = 3, /* the records */
};

/* A part of the content. The hash of all is that of its parts. */
struct pd_hash_part {
    enum pd_hash_kind kind;
    uint64_t feature; /* FEATURE: PD_FEAT_* or unknown, else 0 */
    uint64_t count;   /* number of attrs, records, or instances of the feature (BUILD_ID: entries) */
    struct pd_hash hash;
};

struct pd_hash_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    size_t memory;      /* memory for hashes of records that wait to be sorted, in bytes; more go to temporary
                           files. 0: 16 MiB */
    const char *tmpdir; /* for these; NULL: $TMPDIR, or else /tmp */
    uint64_t
        max_feature; /* most bytes of a feature that is read at once; 0: 256 MiB. A larger one is a finding
                        (PD_ELIMIT) and is left out, except TRACING_DATA, which may have any size */
    /* All may be NULL. */
    void (*part)(void *user, const struct pd_hash_part *part);   /* each part, in the order of the hash */
    void (*finding)(void *user, const struct pd_error *what);    /* damage; the rest is hashed all the same */
    void (*progress)(void *user, uint64_t done, uint64_t total); /* bytes; total PD_NOWHERE: not known */
    void *user;
};

/*
 * Hashes the recording of `reader`, which must be new or rewound, to its end. Damage is reported through
 * `finding`: *hash then covers the intact part. PD_ENOMEM; PD_ETEMP; PD_EIO: the input could not be read. On
 * error *hash is all 0.
 */
PD_EXPERIMENTAL enum pd_code pd_hash_recording(struct pd_reader *reader,
                                               const struct pd_hash_options *options, struct pd_hash *hash,
                                               struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
