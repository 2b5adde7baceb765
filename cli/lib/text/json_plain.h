/* SPDX-License-Identifier: MIT */
/*
 * json_plain.h - reads the plain JSON that `perfdata decode` writes: no space, no escape, no character
 * outside of ASCII, only whole numbers. jansson's own reader goes through two calls a character, which is
 * half of the time that encoding text takes.
 */
#ifndef PERFDATA_CLI_JSON_PLAIN_H
#define PERFDATA_CLI_JSON_PLAIN_H

#include <jansson.h>

/*
 * An object, as json_loadb() with JSON_REJECT_DUPLICATES gives it; NULL: it may be one, but not a plain one.
 */
json_t *json_plain(const char *text, size_t n);

#endif
