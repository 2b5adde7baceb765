/* SPDX-License-Identifier: MIT */
/* parser_memory.c - memory of a parser, used again for each line; when it is full, a chunk is added. */
#include "parser.h"
#include "src/support/memory.h"

struct pi_parser_chunk {
    struct pi_parser_chunk *next;
    size_t size;
};
#define CHUNK_BYTES ((size_t)64 << 10)
#define CHUNK_HEAD ((sizeof(struct pi_parser_chunk) + 15) & ~(size_t)15)

static bool add_chunk(struct pd_parser *p, size_t n)
{
    const size_t size = n > CHUNK_BYTES ? n : CHUNK_BYTES;
    struct pi_parser_chunk *c =
        size < SIZE_MAX - CHUNK_HEAD ? pi_resize(p->allocator, NULL, CHUNK_HEAD + size) : NULL;
    if (c == NULL) {
        p->no_memory = true;
        return false;
    }
    *c = (struct pi_parser_chunk){p->chunks, size};
    p->chunks = c;
    p->at = (uint8_t *)c + CHUNK_HEAD;
    p->left = size;
    return true;
}

void *pi_parser_take(struct pd_parser *p, size_t n)
{
    n = n < SIZE_MAX - 7 ? (n + 7) & ~(size_t)7 : n;
    if ((n > p->left || p->at == NULL) && !add_chunk(p, n))
        return NULL;
    void *bytes = p->at;
    p->at += n;
    p->left -= n;
    return bytes;
}

/* Of several chunks the newest stays, which is the largest of those that one run asked for. */
void pi_parser_start(struct pd_parser *p)
{
    struct pi_parser_chunk *c = p->chunks;
    for (struct pi_parser_chunk *old = c ? c->next : NULL, *next; old; old = next) {
        next = old->next;
        pi_release(p->allocator, old);
    }
    if (c) {
        c->next = NULL;
        p->at = (uint8_t *)c + CHUNK_HEAD;
        p->left = c->size;
    }
    p->no_memory = false;
    p->error = (struct pd_parse_error){0};
}

void pi_parser_release(struct pd_parser *p)
{
    for (struct pi_parser_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        pi_release(p->allocator, c);
    }
}
