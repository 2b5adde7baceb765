/* SPDX-License-Identifier: MIT */
/*
 * differ.h - the parts of pd_differences(): difference.c compares header, attrs and features, differ_fields.c
 * values field by field, differ_records.c records. */
#ifndef PERFDATA_DIFFER_H
#define PERFDATA_DIFFER_H

#include "canonical.h"
#include "ops/output/progress.h"
#include "src/session/order/order_queue.h"
#include <perfdata/ops/difference.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/sorter.h>

/* One of the two recordings. */
struct pi_side {
    struct pd_reader *r;
    struct pd_sorter *sorter; /* NULL: the order of the file */
    struct pd_metadata *meta;
    bool stream;             /* transport records have the content of sections */
    bool compressed;         /* there was a COMPRESSED record */
    uint8_t raw[UINT16_MAX]; /* of a record whose payload was read */
};

struct pi_differ {
    const struct pd_allocator *allocator;
    const struct pd_differences_options *options;
    struct pd_error *error;
    struct pi_side side[2];
    struct pi_canon canon;
    unsigned ignore;
    bool content; /* the containers do not count, or differ: transport records are not compared */
    bool loose;   /* nor does padding */
    bool stopped; /* the caller needs no more differences */
    uint64_t n;
    struct pi_progress progress; /* of both */
    struct pd_difference now;    /* the subject of the compared fields */
    char path[512];
    size_t path_n;
};

/* Reports d->now: the whole of it, or the field at d->path. */
void pi_differ_tell(struct pi_differ *d, const struct pd_field *a, const struct pd_field *b);
/* Reports the field `name`, a number; false: they are equal. */
bool pi_differ_number(struct pi_differ *d, const char *name, const struct pd_set *set, unsigned width,
                      uint64_t a, uint64_t b);
bool pi_differ_text(struct pi_differ *d, const char *name, const char *a, const char *b);
bool pi_differ_bytes(struct pi_differ *d, const char *name, const struct pd_bytes *a,
                     const struct pd_bytes *b);
/* Reports all fields that differ; of vectors and lists the first few elements. */
void pi_differ_fields(struct pi_differ *d, struct pd_fields *a, struct pd_fields *b);
/* The same of a part of that name. */
void pi_differ_part(struct pi_differ *d, const char *name, struct pd_fields *a, struct pd_fields *b);

void pi_differ_finding(const struct pi_differ *d, int side, const struct pd_error *what);

/*
 * Reports an error of a recording if it is damage; a failure becomes that of the comparison, and is returned.
 */
enum pd_code pi_differ_damage(struct pi_differ *d, int side, const struct pd_error *what);

/* Compares all records, and lets the metadata learn from them. PD_ENOMEM, PD_ETEMP, PD_EIO. */
enum pd_code pi_differ_records(struct pi_differ *d);

#endif
