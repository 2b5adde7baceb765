/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/parse.h - the reverse of pd_record_json(), pd_attr_json() and pd_feature_json(): records,
 * attrs and features from JSON. The form is described in docs/TEXT.md.
 *
 *     struct pd_parser *p;
 *     struct pd_record rec;
 *     pd_parser_open(&p, NULL, NULL);
 *     if (pd_record_parse(p, &plan, "{\"type\":\"COMM\",\"comm\":{\"pid\":7,\"tid\":7,\"comm\":\"ls\"}}", 52,
 *                         &rec) == PD_OK)
 *         pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, &error);
 *
 * Fields that are not in the JSON are 0, except values that follow from others (counts, sizes of parts),
 * which are computed. A misplaced key, or a value of the wrong kind or out of range, is PD_EVALUE, and
 * pd_parser_error() has the details.
 */
#ifndef PERFDATA_OPS_PARSE_H
#define PERFDATA_OPS_PARSE_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <perfdata/feature.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_parser; /* memory that the parsed values point to */

/* The place in the JSON, the value found there, and the expected one. */
struct pd_parse_error {
    char path[160]; /* "sample.callchain.ips[2]" */
    char found[80]; /* the value as JSON, shortened */
    char expected[160];
};

PD_EXPERIMENTAL enum pd_code pd_parser_open(struct pd_parser **parser, const struct pd_allocator *allocator,
                                            struct pd_error *error);
PD_EXPERIMENTAL void pd_parser_close(struct pd_parser *parser);
/* The error, after PD_EVALUE. */
PD_EXPERIMENTAL const struct pd_parse_error *pd_parser_error(const struct pd_parser *parser);

/*
 * A record in the form of pd_record_json(), for pd_record_encode() with this plan; its data is valid until
 * the parser is used again. rec->nr_cpus_avail is taken from *rec. A record with "raw" has only rec->raw and
 * rec->size: its bytes. rec->offset is PD_NOWHERE, attr_index UINT32_MAX and size 0 if the JSON does not have
 * them.
 */
PD_EXPERIMENTAL enum pd_code pd_record_parse(struct pd_parser *parser, const struct pd_plan *plan,
                                             const char *text, size_t n, struct pd_record *rec);
/*
 * An attr in the form of pd_attr_json(). Without "size" its size is PD_ATTR_SIZE_VER7, or larger if its
 * fields need that.
 */
PD_EXPERIMENTAL enum pd_code pd_attr_parse(struct pd_parser *parser, const char *text, size_t n,
                                           struct pd_attr *attr);
/*
 * A feature in the form of pd_feature_json(); id, variant and nr_cpus_avail are taken from *f. {} is a
 * section without bytes. If the number of cpus is 0, CPU_TOPOLOGY takes it from its array of cpus.
 */
PD_EXPERIMENTAL enum pd_code pd_feature_parse_json(struct pd_parser *parser, const char *text, size_t n,
                                                   struct pd_feature *f);

#ifdef __cplusplus
}
#endif
#endif
