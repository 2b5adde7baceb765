/* SPDX-License-Identifier: MIT */
/* labels.h - the parts of a key of a stack as text, and the different frames of all stacks as numbers. */
#ifndef PERFDATA_EXPORT_LABELS_H
#define PERFDATA_EXPORT_LABELS_H

#include "export.h"
#include <perfdata/session/text.h>

/* The name of a file, without what stands before it in `dsos`. */
const char *pd_export_dso_name(const struct pd_export *all, uint64_t dso);
/* A name of which control characters and bytes that are not UTF-8 are \xNN, and a `;` becomes `:` if asked.
 */
void pd_export_put_name(struct pd_out *out, const char *name, bool no_semicolon);
/*
 * What stands before the frames, with `between` between; *at moves behind it. True: there was something.
 * `between` NULL: nothing is written.
 */
bool pd_export_put_head(const struct pd_export *all, struct pd_out *out, const uint8_t **at,
                        const char *between);
/* FILE+0xOFFSET, or the name of the function. */
void pd_export_put_frame(const struct pd_export *all, struct pd_out *out, uint64_t dso, uint64_t offset,
                         bool no_semicolon);
/* A JSON string of a text of this library, which is UTF-8. */
void pd_export_put_json(struct pd_out *out, const struct pd_out *text);

/* ---- Frames by number */

struct pd_export_table {
    const struct pd_export *all;
    struct pd_export_frame *frames;
    size_t n, cap;
    struct pd_ids places;
    struct pd_key key;
};

void pd_export_table_open(struct pd_export_table *t, const struct pd_export *all);
void pd_export_table_close(struct pd_export_table *t);
/* The number of the frame at *at, which moves behind it; *end: there are no more. PD_ENOMEM; PD_ELIMIT. */
enum pd_code pd_export_table_next(struct pd_export_table *t, const uint8_t **at, uint32_t *number, bool *end,
                                  struct pd_error *error);

#endif
