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
struct pd_side {
    struct pd_reader *r;
    struct pd_sorter *sorter; /* NULL: the order of the file */
    struct pd_metadata *meta;
    bool stream;             /* transport records have the content of sections */
    bool compressed;         /* there was a COMPRESSED record */
    uint8_t raw[UINT16_MAX]; /* of a record whose payload was read */
};

struct pd_differ {
    const struct pd_allocator *allocator;
    const struct pd_differences_options *options;
    struct pd_error *error;
    struct pd_side side[2];
    struct pd_canon canon;
    unsigned ignore;
    bool content; /* the containers do not count, or differ: transport records are not compared */
    bool loose;   /* nor does padding */
    bool stopped; /* the caller needs no more differences */
    uint64_t n;
    struct pd_progress progress; /* of both */
    struct pd_difference now;    /* the subject of the compared fields */
    char path[512];
    size_t path_n;
};

/* Reports d->now: the whole of it, or the field at d->path. */
void pd_differ_tell(struct pd_differ *d, const struct pd_field *a, const struct pd_field *b);
/* Reports the field `name`, a number; false: they are equal. */
bool pd_differ_number(struct pd_differ *d, const char *name, const struct pd_set *set, unsigned width,
                      uint64_t a, uint64_t b);
bool pd_differ_text(struct pd_differ *d, const char *name, const char *a, const char *b);
bool pd_differ_bytes(struct pd_differ *d, const char *name, const struct pd_bytes *a,
                     const struct pd_bytes *b);
/* Reports all fields that differ; of vectors and lists the first few elements. Returns their number. */
uint64_t pd_differ_fields(struct pd_differ *d, struct pd_fields *a, struct pd_fields *b);
/* The same of a part of that name. */
void pd_differ_part(struct pd_differ *d, const char *name, struct pd_fields *a, struct pd_fields *b);

void pd_differ_finding(const struct pd_differ *d, int side, const struct pd_error *what);

/*
 * Reports an error of a recording if it is damage; a failure becomes that of the comparison, and is returned.
 */
enum pd_code pd_differ_damage(struct pd_differ *d, int side, const struct pd_error *what);

/* Compares all records, and lets the metadata learn from them. PD_ENOMEM, PD_ETEMP, PD_EIO. */
enum pd_code pd_differ_records(struct pd_differ *d);

#endif
