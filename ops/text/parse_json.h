/* SPDX-License-Identifier: MIT */
/*
 * parse_json.h - records, attrs and features from values of libjansson, which must outlive what is made of
 * them. For the command: perfdata/ops/parse.h takes text, so that no type of libjansson is part of the
 * library's interface.
 */
#pragma once
#include <perfdata/ops/parse.h>

struct json_t;

/* As pd_record_parse(), pd_attr_parse() and pd_feature_parse_json(). */
enum pd_code pi_record_from(struct pd_parser *parser, const struct pd_plan *plan, const struct json_t *json,
                            struct pd_record *rec);
/*
 * The same from the line of n bytes, {"record":…}, as `perfdata decode` prints it: with offset, and attr
 * where there is one. Its texts stay views of the line. `plan_of`: the plan of an attr, UINT32_MAX for none;
 * NULL: the attr is unknown. False: the line is of another form, or makes no record; pi_record_from() can
 * tell.
 */
bool pi_record_from_line(struct pd_parser *parser, const char *line, size_t n,
                         const struct pd_plan *(*plan_of)(const void *user, uint32_t attr), const void *user,
                         struct pd_record *rec);
enum pd_code pi_attr_from(struct pd_parser *parser, const struct json_t *json, struct pd_attr *attr);
enum pd_code pi_feature_from(struct pd_parser *parser, const struct json_t *json, struct pd_feature *f);
/*
 * Another structure, by its layout's name: ("file_header", a pd_file_header). PD_EARG: there is no such
 * layout.
 */
enum pd_code pi_struct_from(struct pd_parser *parser, const char *layout, const struct json_t *json,
                            void *out);

/*
 * The bytes of such a structure, which must be of numbers alone. PD_ESPACE: cap is too small; *size is set
 * also then.
 */
enum pd_code pi_struct_encode(const char *layout, enum pd_order order, const void *value, void *out,
                              size_t cap, size_t *size, struct pd_error *error);

/* A number of `width` bytes, or bytes in hex, by the same rules; `path` is for the error. */
enum pd_code pi_number_from(struct pd_parser *parser, const char *path, const struct json_t *json,
                            const struct pd_set *set, unsigned width, uint64_t *value);
enum pd_code pi_bytes_from(struct pd_parser *parser, const char *path, const struct json_t *json,
                           struct pd_bytes *bytes);
