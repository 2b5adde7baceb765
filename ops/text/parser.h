/* SPDX-License-Identifier: MIT */
/* parser.h - the inside of a parser: its memory, and words that it has looked up before. */
#ifndef PERFDATA_PARSER_H
#define PERFDATA_PARSER_H

#include <perfdata/ops/parse.h>
#include <stddef.h>
#include <stdint.h>

struct pi_parser_chunk; /* see parser_memory.c */
struct pd_set;
struct json_t;

enum { PI_PARSER_WORDS = 16, PI_PARSER_WORD = 40 };

/* A text of a set, and its value. */
struct pi_parser_word {
    const struct pd_set *set; /* NULL: none */
    size_t n;
    uint64_t value;
    char text[PI_PARSER_WORD];
};

struct pd_parser {
    const struct pd_allocator *allocator;
    struct pi_parser_chunk *chunks;
    uint8_t *at;
    size_t left;
    struct json_t *text; /* what the text-taking functions parsed */
    bool no_memory;
    struct pd_parse_error error;
    struct pi_parser_word words[PI_PARSER_WORDS];
};

/* n bytes until the next pi_parser_start(), aligned to 8 and not zeroed; NULL: no_memory is set. */
void *pi_parser_take(struct pd_parser *p, size_t n);
/* Drops what was parsed before. */
void pi_parser_start(struct pd_parser *p);
void pi_parser_release(struct pd_parser *p);

#endif
