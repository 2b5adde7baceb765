/* SPDX-License-Identifier: MIT */
/* json_out.h - a JSON object or array over several calls. */
#ifndef PERFDATA_CLI_JSON_OUT_H
#define PERFDATA_CLI_JSON_OUT_H

#include <perfdata/session/text.h>

struct cli_json {
    struct pd_out *out;
    bool comma;
};

void cli_json_open(struct cli_json *j, const char *key, char bracket); /* '{' or '['; key NULL: an element */
void cli_json_close(struct cli_json *j, char bracket);
void cli_json_key(struct cli_json *j, const char *key); /* the value follows by pd_out_*() */
void cli_json_count(struct cli_json *j, const char *key, uint64_t n);
void cli_json_bool(struct cli_json *j, const char *key, bool b);
void cli_json_str(struct cli_json *j, const char *key, const char *s);
void cli_json_dec(struct cli_json *j, const char *key, uint64_t value); /* 64 bits of the file's: a string */
void cli_json_hex(struct cli_json *j, const char *key, uint64_t value); /* the same as "0x…" */

#endif
