/* SPDX-License-Identifier: MIT */
/* command_text.h - text that only the command makes; not in an installed header. */
#pragma once
#include <perfdata/feature.h>
#include <perfdata/session/text.h>

/*
 * For lines of many numbers: a number in decimal at p, of at least `width` columns, the first of them `fill`.
 * Returns its end. 24 bytes, and as many as `width`, must be there, which may be written to.
 */
char *pi_put_columns(char *p, uint64_t value, unsigned width, char fill);

/* A feature as by pd_feature_json(), without counts and sizes that follow from other fields. */
void pi_feature_json_plain(const struct pd_feature *f, struct pd_out *out);
