/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/difference.h - the differences between two recordings, by record and field. Values are
 * compared, so byte order and storage form do not matter.
 *
 *     struct pd_differences_options o = {.size = sizeof o, .ignore = PD_IGNORE_OFFSET,
 *                                        .difference = print_it};
 *     uint64_t n;
 *     if (pd_differences(a, b, &o, &n, &error) == PD_OK && n == 0)
 *         puts("they say the same");
 */
#ifndef PERFDATA_OPS_DIFFERENCE_H
#define PERFDATA_OPS_DIFFERENCE_H

#include <perfdata/reader.h>
#include <perfdata/session/fields.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Differences that are not reported. */
enum pd_ignore {
    /*
     * The order of sections, bytes between them, padding of strings. Positions that follow from the sizes of
     * earlier parts never count. */
    PD_IGNORE_OFFSET = 1,
    /*
     * The order of records, which are then compared as a multiset, and the records that serve it:
     * FINISHED_ROUND and so on.
     */
    PD_IGNORE_ORDER = 2,
    /*
     * File, pipe stream or directory, compression, byte order, the header, sizes of attrs, the features
     * AUXTRACE, DIR_FORMAT
       and COMPRESSED, and the records of types 64 to 69 and 80 to 83, except for their content. Includes
       PD_IGNORE_OFFSET if the containers differ. */
    PD_IGNORE_CONTAINER = 4,
};

enum pd_difference_kind {
    PD_DIFFERENCE_CONTAINER = 1, /* kind of container, byte order, version, header, places */
    PD_DIFFERENCE_ATTR = 2,      /* number: of the attr; its ids are the field "ids" */
    PD_DIFFERENCE_FEATURE = 3,   /* number: PD_FEAT_* */
    PD_DIFFERENCE_BUILD_ID = 4,  /* name: the file's; features and HEADER_BUILD_ID records alike */
    PD_DIFFERENCE_RECORD = 5,
};

/* A difference; all pointers are valid during the call. */
struct pd_difference {
    enum pd_difference_kind kind;
    uint64_t number;
    const char *name; /* of BUILD_ID: the file; else NULL */
    const char *path; /* of the field, as for pd_fields_find(); NULL: only one recording has the item */
    bool there[2];    /* whether the item is present, in the first and in the second recording */
    const struct pd_field *field[2];   /* its values; NULL: there is no such field in that recording */
    const struct pd_record *record[2]; /* RECORD: decoded as far as possible; NULL: only the other has it */
};

struct pd_differences_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    unsigned ignore;                      /* enum pd_ignore */
    size_t memory;      /* memory for waiting records when their order is ignored, in bytes; more go to
                           temporary files. 0: 16 MiB. In addition up to 256 MiB of features of each recording
                           are held, and up to 4 MiB of records ahead in each */
    const char *tmpdir; /* for these; NULL: $TMPDIR, or else /tmp */
    /* All may be NULL. */
    bool (*difference)(void *user, const struct pd_difference *what); /* false: that is enough */
    void (*finding)(void *user, int side,
                    const struct pd_error *what); /* damage; side 0 or 1. The rest is compared */
    void (*progress)(void *user, uint64_t done, uint64_t total); /* bytes; total PD_NOWHERE: not known */
    void *user;
};

/*
 * Compares the recordings of both readers, which must be new or rewound, to their ends; *n receives the
 * number of reported differences, which for a vector or list are the first 8 elements that differ. To find
 * records that only one recording has, it looks ahead for records that both have, up to 4096 records or 4
 * MiB. Members of a directory are merged by time if the other recording is not a directory. PD_ENOMEM;
 * PD_ETEMP; PD_EIO: an input could not be read.
 */
PD_EXPERIMENTAL enum pd_code pd_differences(struct pd_reader *a, struct pd_reader *b,
                                            const struct pd_differences_options *options, uint64_t *n,
                                            struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
