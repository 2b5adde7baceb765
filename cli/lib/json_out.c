/* SPDX-License-Identifier: MIT */
/* json_out.c - JSON objects and arrays over several calls. */
#include "json_out.h"
#include <string.h>

static void begin_value(struct cli_json *j, const char *key)
{
    if (j->comma)
        pd_out_str(j->out, ",");
    j->comma = true;
    if (key) {
        pd_out_json_text(j->out, key, strlen(key));
        pd_out_str(j->out, ":");
    }
}

void cli_json_open(struct cli_json *j, const char *key, char bracket)
{
    begin_value(j, key);
    pd_out_bytes(j->out, &bracket, 1);
    j->comma = false;
}

void cli_json_close(struct cli_json *j, char bracket)
{
    pd_out_bytes(j->out, &bracket, 1);
    j->comma = true;
}

void cli_json_key(struct cli_json *j, const char *key)
{
    begin_value(j, key);
}

void cli_json_count(struct cli_json *j, const char *key, uint64_t n)
{
    begin_value(j, key);
    pd_out_dec(j->out, n);
}

void cli_json_bool(struct cli_json *j, const char *key, bool b)
{
    begin_value(j, key);
    pd_out_str(j->out, b ? "true" : "false");
}

void cli_json_str(struct cli_json *j, const char *key, const char *s)
{
    begin_value(j, key);
    if (s)
        pd_out_json_text(j->out, s, strlen(s));
    else
        pd_out_str(j->out, "null");
}

void cli_json_dec(struct cli_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    pd_out_str(j->out, "\"");
    pd_out_dec(j->out, value);
    pd_out_str(j->out, "\"");
}

void cli_json_hex(struct cli_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    pd_out_str(j->out, "\"");
    pd_out_hex(j->out, value);
    pd_out_str(j->out, "\"");
}
