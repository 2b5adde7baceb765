/* SPDX-License-Identifier: MIT */
/* text.c - the reader of lines of text, with what its proof takes of others, for WP. */
#include "ops/text/parser.h"
#include "src/schema/schema.h"
#include <stdbool.h>

/*@ requires \valid(p);
  @ allocates \result;
  @ assigns p->at, p->left, p->chunks, p->no_memory, \result;
  @ ensures \result != \null ==> \valid((uint8_t *)\result + (0 .. n - 1)) && \fresh{Pre, Post}(\result, n);
  @*/
void *pi_parser_take(struct pd_parser *p, size_t n);

/*@ requires n == 0 || \valid_read(text + (0 .. n - 1));
  @ requires \valid(value);
  @ assigns *value;
  @*/
bool pd_set_parse(const struct pd_set *set, const char *text, size_t n, uint64_t *value);

#include "ops/text/read_line.c"
