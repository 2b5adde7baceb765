/* SPDX-License-Identifier: MIT */
/*
 * gen_binary_dict.c - prints fuzz/binary.dict: magic numbers, the types of records and the bits of
 * sample_type in both byte orders, for the harnesses that take recordings or parts of them.
 */
#include "gen.h"

#include <perfdata/constants.h>
#include <perfdata/names.h>

static void put_number(FILE *out, uint64_t value, unsigned width, int big)
{
    fputc('"', out);
    for (unsigned i = 0; i < width; i++)
        fprintf(out, "\\x%02x", (unsigned)(value >> 8 * (big ? width - 1 - i : i)) & 0xff);
    fputs("\"\n", out);
}

static void put_set(FILE *out, const struct pd_set *set, unsigned width)
{
    fprintf(out, "# %s\n", set->id);
    for (size_t i = 0; i < set->n; i++) {
        put_number(out, set->names[i].value, width, 0);
        put_number(out, set->names[i].value, width, 1);
    }
}

int gen_binary_dict(FILE *out)
{
    fputs("# Numbers of recordings: fuzz_file -dict=fuzz/binary.dict\n"
          "# Generated from src/schema by `perfdata_gen binary-dict`; do not edit.\n"
          "\"PERFILE2\"\n\"2ELIFREP\"\n\"PERFFILE\"\n"
          "# the size of a stream's header\n"
          "\"\\x10\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"\n\"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x10\"\n"
          "# a zstd frame\n"
          "\"\\x28\\xb5\\x2f\\xfd\"\n",
          out);
    put_set(out, &pd_set_record_type, 4);
    put_set(out, &pd_set_sample_type, 8);
    put_set(out, &pd_set_branch_sample_type, 8);
    put_set(out, &pd_set_read_format, 8);
    return 0;
}
