/* SPDX-License-Identifier: MIT */
/* gen_text_dict.c - prints fuzz/text.dict: the words of the text form, for fuzz_text. */
#include "gen.h"
#include "src/schema/schema.h"

#include <ctype.h>
#include <perfdata/constants.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 4096

/* Words of encode's lines that no layout has, and the text between words. */
static const char *const others[] = {
    "attrs",    "big",       "container",    "content",     "directory",  "feature",  "file",
    "header",   "hex",       "ids",          "link",        "little",     "member",   "mode",
    "of",       "offset",    "order",        "payload",     "pipe",       "raw",      "record",
    "rest",     "room",      "sample_id",    "table",       "variant",    "comm_pad", "count",
    "text_pad", "value_pad", "filename_pad", "ids_section", "known_attr",
};
static const char tail[] =
    "\"{\"\n\"}\"\n\"[\"\n\"]\"\n\":\"\n\",\"\n\"\\x0a\"\n\"null\"\n\"true\"\n\"\\\"0x0\\\"\"\n"
    "\"18446744073709551615\"\n\"-1\"\n\"4294967296\"\n\"65536\"\n\"1e9\"\n\"\\\\u0000\"\n"
    "\"{\\\"header\\\":{}}\\x0a\"\n";

struct words {
    const char *word[MOST_WORDS];
    size_t n;
};

static void add(struct words *w, const char *word)
{
    if (word && w->n < MOST_WORDS)
        w->word[w->n++] = word;
}

static void add_set(struct words *w, const struct pd_set *set)
{
    for (size_t i = 0; set && i < set->n; i++)
        add(w, set->names[i].name);
}

static void add_layout(struct words *w, const struct pd_op *op)
{
    add(w, op->name);
    add_set(w, op->set);
    for (op++; op->kind != PI_OP_END; op++)
        if (op->kind < PI_OP_PASS || op->kind == PI_OP_ALIAS) {
            add(w, op->name);
            add_set(w, op->set);
        }
}

/* Adds the features, named in lower case. */
static void add_features(struct words *w)
{
    static char lower[64][40];
    for (size_t i = 0; i < pd_set_feature.n && i < 64; i++) {
        for (size_t k = 0; pd_set_feature.names[i].name[k] && k < sizeof lower[i] - 1; k++)
            lower[i][k] = (char)tolower((unsigned char)pd_set_feature.names[i].name[k]);
        add(w, lower[i]);
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int gen_text_dict(FILE *out)
{
    static struct words w;
    for (size_t i = 0; i < pi_n_layouts; i++)
        add_layout(&w, pi_layouts[i]());
    add_features(&w);
    add_set(&w, &pd_set_record_type);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add(&w, others[i]);
    if (w.n == MOST_WORDS) {
        fputs("gen_text_dict.c: too many words\n", stderr);
        return 1;
    }
    qsort(w.word, w.n, sizeof *w.word, compare);
    fputs("# Words of the text form: fuzz_text -dict=fuzz/text.dict\n"
          "# Generated from src/schema by `perfdata_gen text-dict`; do not edit.\n",
          out);
    for (size_t i = 0; i < w.n; i++)
        if (i == 0 || strcmp(w.word[i], w.word[i - 1]) != 0)
            fprintf(out, "\"\\\"%s\\\"\"\n", w.word[i]);
    fputs(tail, out);
    return 0;
}
