/* SPDX-License-Identifier: MIT */
/*
 * identified.h - all fields of a recording with what they identify, as the lines of schema/identity.def say:
 * those of records, of features in sections and in records, and of event types.
 */
#ifndef PERFDATA_TESTS_IDENTIFIED_H
#define PERFDATA_TESTS_IDENTIFIED_H

#include "../../../fuzz/harness.h"
#include "ops/edit/identity.h"
#include "src/codec/carried.h"
#include "src/codec/parts.h"
#include "src/codec/record_role.h"
#include "src/container/feature_probe.h"
#include "src/reflect/reflect.h"
#include <perfdata/feature.h>
#include <perfdata/reader.h>
#include <perfdata/session/fields.h>

/* A field, of a layout; bytes that no field covers are OPAQUE. */
typedef void identified_take(void *user, enum pi_identity kind, const struct pd_field *f,
                             const struct pd_op *layout);

struct identified {
    const struct pi_identities *ids;
    identified_take *take;
    void *user;
};

static inline unsigned identified_kind(const struct identified *id, const struct pd_op *layout,
                                       const struct pd_op *op)
{
    for (size_t k = 1; layout && layout[k].kind != PI_OP_END; k++)
        if (&layout[k] == op)
            return pi_identities_of(id->ids, layout)->kinds[k];
    return op->kind == PI_OP_REST ? PI_ID_OPAQUE : PI_ID_NONE; /* of a record or feature as a whole */
}

static inline void identified_fields(const struct identified *id, struct pd_fields *it,
                                     const struct pd_op *layout, unsigned around)
{
    struct pd_fields within;
    struct pd_field f;
    while (pd_fields_next(it, &f)) {
        const unsigned said = identified_kind(id, layout, f.op), kind = said == PI_ID_AROUND ? around : said;
        const struct pd_op *const part = f.op->sub ? f.op->sub() : pi_layout_attr();
        const unsigned below = said > PI_ID_AROUND ? said : around;
        if (f.kind == PD_FIELD_PART) {
            pd_fields_enter(&within, it, &f);
            identified_fields(id, &within, part, below);
        } else if (f.kind == PD_FIELD_LIST) {
            for (size_t i = 0; i < f.n && pd_fields_element(&within, it, &f, i); i++)
                identified_fields(id, &within, part, below);
        } else {
            id->take(id->user, (enum pi_identity)kind, &f, layout);
        }
    }
}

static inline void identified_feature(const struct identified *id, enum pd_order order, uint32_t number,
                                      uint32_t cpus, struct pd_bytes data)
{
    struct pd_feature f;
    struct pd_fields it;
    if (pd_feature_decode(order, number, cpus, data.ptr, data.n, &f, NULL) != PD_OK || f.layout == NULL)
        return;
    pd_fields_of_feature(&it, &f);
    identified_fields(id, &it, f.layout, PI_ID_NONE);
}

/* The bytes behind the last record; to be freed. */
static inline struct pd_bytes identified_payload(struct pd_reader *r)
{
    uint8_t *all = NULL;
    const uint8_t *piece;
    size_t n = 0, more;
    while (pd_reader_payload(r, &piece, &more, NULL) == PD_OK && more) {
        all = realloc(all, n + more);
        CHECK(all);
        memcpy(all + n, piece, more);
        n += more;
    }
    return (struct pd_bytes){all, n};
}

/* The last record of the reader, which need not be decoded. */
static inline void identified_record(const struct identified *id, struct pd_reader *r, struct pd_record *rec)
{
    const enum pd_order order = pd_reader_info(r)->order;
    struct pd_bytes data;
    struct pd_fields it;
    uint64_t number;
    if (pi_is_wrapper(rec)) /* the records in it come by themselves */
        return;
    const bool decoded = pd_reader_decode(r, rec, NULL) == PD_OK;
    if (pi_record_feature(rec, order, &number, &data)) {
        identified_feature(id, order, number > UINT16_MAX ? UINT16_MAX : (uint32_t)number, rec->nr_cpus_avail,
                           data);
    } else if (rec->type == PD_RECORD_HEADER_TRACING_DATA) {
        data = identified_payload(r);
        identified_feature(id, order, PD_FEAT_TRACING_DATA, 0, data);
        free((void *)(uintptr_t)data.ptr);
    } else if (decoded && rec->layout) {
        pd_fields_of_record(&it, rec);
        identified_fields(id, &it, pi_view_of(rec).layout, PI_ID_NONE);
    }
}

/* A section of the file. */
static inline void identified_section(const struct identified *id, struct pd_reader *r,
                                      const struct pd_feature_section *s)
{
    const size_t n = (size_t)s->section.size;
    uint8_t *const bytes = malloc(n ? n : 1);
    CHECK(bytes);
    if (n == 0 || pd_reader_read(r, s->section.offset, bytes, n, NULL) == PD_OK)
        identified_feature(id, pd_reader_info(r)->order, s->feature, pi_nr_cpus_avail(r),
                           (struct pd_bytes){bytes, n});
    free(bytes);
}

/* What is not in records. */
static inline void identified_head(const struct identified *id, struct pd_reader *r)
{
    struct pd_event_type type;
    struct pd_fields it;
    for (size_t i = 0; i < pd_reader_n_features(r); i++)
        identified_section(id, r, pd_reader_feature(r, i));
    for (size_t i = 0; i < pd_reader_n_event_types(r); i++)
        if (pd_reader_event_type(r, i, &type, NULL) == PD_OK && pd_fields_of_struct(&it, "event_type", &type))
            identified_fields(id, &it, pi_layout_event_type(), PI_ID_NONE);
}

#endif
