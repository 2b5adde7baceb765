/* SPDX-License-Identifier: MIT */
/* told.c - remembers reported damage of an input, since several readers find the same damage. */
#include "cli/lib/cli.h"
#include "src/support/limits.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The place and kind of an error, without the number of the record, which depends on the reader. */
static uint64_t hash_of(const struct pd_error *error)
{
    const char *const texts[] = {error->field, error->section};
    const uint64_t numbers[] = {error->member,        error->code,  error->offset,  error->record_type,
                                error->record_offset, error->found, error->expected};
    uint64_t hash = XXH3_64bits_withSeed(numbers, sizeof numbers, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i] ? texts[i] : "";
        hash = XXH3_64bits_withSeed(text, strlen(text) + 1,
                                    hash); /* its NUL ends it, so that texts do not run together */
    }
    return hash ? hash : 1;
}

/* The place of a hash among `cap` ones, a power of two; what is there is it, or 0. */
static uint64_t *place_of(uint64_t *hashes, size_t cap, uint64_t hash)
{
    size_t i = (size_t)hash & (cap - 1);
    while (hashes[i] && hashes[i] != hash)
        i = (i + 1) & (cap - 1);
    return &hashes[i];
}

/* Doubles the table; without memory for that, later repetitions are reported again. */
static bool remember_more(struct cli_input *in)
{
    const size_t cap = in->cap_told ? 2 * in->cap_told : 64;
    uint64_t *hashes = in->n_told_once < in->cap_told / 2 ? NULL : calloc(cap, sizeof *hashes);
    if (hashes == NULL)
        return in->n_told_once < in->cap_told / 2;
    for (size_t i = 0; i < in->cap_told; i++)
        if (in->told_once[i])
            *place_of(hashes, cap, in->told_once[i]) = in->told_once[i];
    free(in->told_once);
    in->told_once = hashes;
    in->cap_told = cap;
    return true;
}

bool cli_told(struct cli_input *in, const struct pd_error *error)
{
    const uint64_t hash = hash_of(error);
    const bool full = in->n_told_once == PI_LIMIT_TOLD_ONCE;
    if (!full && !remember_more(in))
        return false;
    uint64_t *place = place_of(in->told_once, in->cap_told, hash);
    const bool told = *place != 0;
    if (!told && !full) {
        in->n_told_once++;
        *place = hash;
    }
    return told;
}
