/* SPDX-License-Identifier: MIT */
/* labels.h - the parts of a key of a stack as text, and the different frames of all stacks as numbers. */
#ifndef PERFDATA_EXPORT_LABELS_H
#define PERFDATA_EXPORT_LABELS_H

#include "export.h"
#include <perfdata/session/text.h>

/* The name of a file, without the kind and build id that `dsos` has before it. */
const char *pi_export_dso_name(const struct pd_export *all, uint64_t dso);
/* The same, and its build id in hexadecimal digits, "" if it has none. */
const char *pi_export_dso_parts(const struct pd_export *all, uint64_t dso, char id[41]);
/* True if the recordings have several events, with samples or not: then each stack names its own. */
bool pi_export_has_several(const struct pd_export *all);
/* Writes a name: control characters and bytes that are not UTF-8 as \xNN, and, if asked for, `;` as `:`. */
void pi_export_put_name(struct pd_out *out, const char *name, bool no_semicolon);
/*
 * Writes the keys that stand before the frames, with `between` between them (NULL: writes nothing). *at moves
 * behind them. True: there were any.
 */
bool pi_export_put_head(const struct pd_export *all, struct pd_out *out, const uint8_t **at,
                        const char *between);
/* FILE+0xOFFSET, or the name of the function. */
void pi_export_put_frame(const struct pd_export *all, struct pd_out *out, uint64_t dso, uint64_t offset,
                         bool no_semicolon);
/* Writes a text of this library, which is UTF-8, as a JSON string. */
void pi_export_put_json(struct pd_out *out, const struct pd_out *text);

/* ---- Frames by number */

struct pi_export_table {
    const struct pd_export *all;
    struct pi_export_frame *frames;
    size_t n, cap;
    struct pi_ids places;
    struct pi_key key;
};

void pi_export_table_open(struct pi_export_table *t, const struct pd_export *all);
void pi_export_table_close(struct pi_export_table *t);
/* The number of the frame at *at, which moves behind it; *end: there are none left. PD_ENOMEM; PD_ELIMIT. */
enum pd_code pi_export_table_next(struct pi_export_table *t, const uint8_t **at, uint32_t *number, bool *end,
                                  struct pd_error *error);

#endif
