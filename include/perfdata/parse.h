/* SPDX-License-Identifier: MIT */
/*
 * perfdata/parse.h - the reverse of pd_record_json(), pd_attr_json() and pd_feature_json(): records, attrs and features
 * from JSON. The form is described in docs/TEXT.md.
 *
 *     struct pd_parser *p;
 *     struct pd_record rec;
 *     pd_parser_open(&p, NULL, NULL);
 *     if (pd_record_parse(p, &plan, "{\"type\":\"COMM\",\"comm\":{\"pid\":7,\"tid\":7,\"comm\":\"ls\"}}", 53, &rec) == PD_OK)
 *         pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, &error);
 *
 * What is not in the JSON is 0, but what follows from the rest (counts, sizes of parts) is computed. A key that has no
 * place where it stands, a value of the wrong kind or out of range is PD_EVALUE, and pd_parser_error() says which.
 */
#ifndef PERFDATA_PARSE_H
#define PERFDATA_PARSE_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <perfdata/feature.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_parser; /* memory that what was parsed points to */
struct json_t;    /* a value of libjansson, which must outlive what is made of it */

/* Where in the JSON, what stands there, and what was expected. */
struct pd_parse_error {
    char path[160];     /* "sample.callchain.ips[2]" */
    char found[80];     /* the value as JSON, shortened */
    char expected[160];
};

PD_API enum pd_code pd_parser_open(struct pd_parser **parser, const struct pd_allocator *allocator, struct pd_error *error);
PD_API void pd_parser_close(struct pd_parser *parser);
/* What was wrong, after PD_EVALUE. */
PD_API const struct pd_parse_error *pd_parser_error(const struct pd_parser *parser);

/*
 * A record of pd_record_json(), for pd_record_encode() with this plan; what it points to is valid until the parser is used
 * again. rec->nr_cpus_avail is taken from *rec. A record with "raw" has no values but rec->raw and rec->size: its bytes.
 * rec->offset is PD_NOWHERE, attr_index UINT32_MAX and size 0 when the JSON does not say them.
 */
PD_API enum pd_code pd_record_parse(struct pd_parser *parser, const struct pd_plan *plan, const char *text, size_t n,
                                    struct pd_record *rec);
/* An attr of pd_attr_json(). Without "size" it is one of PD_ATTR_SIZE_VER7, or larger where its fields ask for that. */
PD_API enum pd_code pd_attr_parse(struct pd_parser *parser, const char *text, size_t n, struct pd_attr *attr);
/*
 * A feature of pd_feature_json(); id, variant and nr_cpus_avail are taken from *f. {} is a section without bytes. Where
 * the number of cpus is 0, CPU_TOPOLOGY takes it from its array of cpus.
 */
PD_API enum pd_code pd_feature_parse_json(struct pd_parser *parser, const char *text, size_t n, struct pd_feature *f);

/* The same from a value that is parsed already. */
PD_API enum pd_code pd_record_from(struct pd_parser *parser, const struct pd_plan *plan, const struct json_t *json,
                                   struct pd_record *rec);
PD_API enum pd_code pd_attr_from(struct pd_parser *parser, const struct json_t *json, struct pd_attr *attr);
PD_API enum pd_code pd_feature_from(struct pd_parser *parser, const struct json_t *json, struct pd_feature *f);
/* Another structure, by its layout's name: ("file_header", a pd_file_header). PD_EARG: there is no such layout. */
PD_API enum pd_code pd_struct_from(struct pd_parser *parser, const char *layout, const struct json_t *json, void *out);

/* The bytes of such a structure, which must be of numbers alone. PD_ESPACE: cap is too small; *size is set also then. */
PD_API enum pd_code pd_struct_encode(const char *layout, enum pd_order order, const void *value, void *out, size_t cap,
                                     size_t *size, struct pd_error *error);

/* A number of `width` bytes, or bytes in hex, by the same rules; `path` is for the error. */
PD_API enum pd_code pd_number_from(struct pd_parser *parser, const char *path, const struct json_t *json,
                                   const struct pd_set *set, unsigned width, uint64_t *value);
PD_API enum pd_code pd_bytes_from(struct pd_parser *parser, const char *path, const struct json_t *json,
                                  struct pd_bytes *bytes);

#ifdef __cplusplus
}
#endif
#endif
