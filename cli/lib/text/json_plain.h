/* SPDX-License-Identifier: MIT */
/*
 * json_plain.h - reads the plain JSON that `perfdata decode` writes: no space, no escape, no character
 * outside of ASCII, only whole numbers. jansson's reader makes two calls for each character, which is half of
 * the time of encoding text.
 */
#ifndef PERFDATA_CLI_JSON_PLAIN_H
#define PERFDATA_CLI_JSON_PLAIN_H

#include <jansson.h>

/*
 * An object, as json_loadb() with JSON_REJECT_DUPLICATES gives it; NULL: it is not plain JSON, but may be an
 * object.
 */
json_t *json_plain(const char *text, size_t n);

#endif
