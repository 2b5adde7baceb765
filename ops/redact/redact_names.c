/* SPDX-License-Identifier: MIT */
/* redact_names.c - the table of replacements, and values derived from the key with BLAKE2b of libsodium. */
#include "redact_names.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <sodium.h>
#include <xxhash.h>

#define CHUNK ((size_t)1 << 16)
#define ROUNDS 10 /* of the Feistel network */

static uint64_t hash_of(const struct pi_redact_names *names, enum pi_redact_space space, const void *bytes,
                        size_t n)
{
    return XXH3_64bits_withSeed(bytes, n, names->places.before ^ (uint64_t)space);
}

void pi_names_close(struct pi_redact_names *names)
{
    for (size_t i = 0; i < names->n_chunks; i++)
        pi_release(names->allocator, names->chunks[i]);
    pi_release(names->allocator, names->chunks);
    pi_release(names->allocator, names->entries);
    pi_release(names->allocator, names->slots);
    sodium_memzero(names->key, sizeof names->key);
}

static size_t slot_of(const struct pi_redact_names *names, uint64_t hash, enum pi_redact_space space,
                      const void *bytes, size_t n)
{
    size_t i = (size_t)hash & (names->n_slots - 1);
    for (; names->slots[i]; i = (i + 1) & (names->n_slots - 1)) {
        const struct pi_replaced *e = &names->entries[names->slots[i] - 1];
        if (e->hash == hash && e->space == space && e->n == n && memcmp(e->bytes, bytes, n) == 0)
            break;
    }
    return i;
}

const struct pi_replaced *pi_names_find(const struct pi_redact_names *names, enum pi_redact_space space,
                                        const void *bytes, size_t n)
{
    if (names->n_slots == 0)
        return NULL;
    const size_t i = slot_of(names, hash_of(names, space, bytes, n), space, bytes, n);
    return names->slots[i] ? &names->entries[names->slots[i] - 1] : NULL;
}

static bool grow_slots(struct pi_redact_names *names)
{
    const size_t size = names->n_slots ? names->n_slots * 2 : 256;
    uint32_t *slots = pi_array(names->allocator, NULL, size, sizeof *slots);
    if (slots == NULL || names->n >= UINT32_MAX - 1) {
        pi_release(names->allocator, slots);
        return false;
    }
    memset(slots, 0, size * sizeof *slots);
    for (size_t k = 0; k < names->n; k++) {
        size_t i = (size_t)names->entries[k].hash & (size - 1);
        while (slots[i])
            i = (i + 1) & (size - 1);
        slots[i] = (uint32_t)k + 1;
    }
    pi_release(names->allocator, names->slots);
    names->slots = slots;
    names->n_slots = size;
    return true;
}

/* Takes memory whose address stays valid. */
static uint8_t *take_room(struct pi_redact_names *names, size_t n)
{
    if (n > names->left) {
        const size_t size = n < CHUNK ? CHUNK : n;
        if (!pi_grow(names->allocator, (void **)&names->chunks, names->n_chunks, &names->chunks_cap,
                     sizeof *names->chunks))
            return NULL;
        uint8_t *chunk = pi_resize(names->allocator, NULL, size);
        if (chunk == NULL)
            return NULL;
        names->chunks[names->n_chunks++] = chunk;
        names->left = size;
    }
    /* The free room is at the begin of the newest chunk, which is filled from its end. */
    uint8_t *chunk = names->chunks[names->n_chunks - 1];
    uint8_t *p = chunk + names->left - n;
    names->left -= n;
    return p;
}

const struct pi_replaced *pi_names_add(struct pi_redact_names *names, enum pi_redact_space space,
                                       const void *bytes, size_t n, const void *replacement, size_t n_new)
{
    if (names->n_slots == 0)
        names->places = pi_key_draw();
    if (names->n >= names->n_slots / 2 && !grow_slots(names))
        return NULL;
    uint8_t *p = take_room(names, n + n_new + 1);
    if (p == NULL ||
        !pi_grow(names->allocator, (void **)&names->entries, names->n, &names->cap, sizeof *names->entries))
        return NULL;
    memcpy(p, bytes, n);
    memcpy(p + n, replacement, n_new);
    p[n + n_new] = 0;
    const uint64_t hash = hash_of(names, space, bytes, n);
    names->slots[slot_of(names, hash, space, bytes, n)] = (uint32_t)names->n + 1;
    names->entries[names->n] = (struct pi_replaced){p, (uint32_t)n, (uint32_t)n_new, hash, (uint8_t)space};
    return &names->entries[names->n++];
}

/* ---- The key */

bool pi_names_take_key(struct pi_redact_names *names, const void *bytes, size_t n)
{
    names->keyed = true;
    return sodium_init() >= 0 && crypto_generichash(names->key, sizeof names->key, bytes, n, NULL, 0) == 0;
}

void pi_names_hash(const struct pi_redact_names *names, enum pi_redact_space space, const void *bytes,
                   size_t n, uint8_t *out, size_t out_n)
{
    crypto_generichash_state state;
    uint8_t digest[32];
    const uint8_t label = (uint8_t)space;
    crypto_generichash_init(&state, names->key, sizeof names->key, sizeof digest);
    crypto_generichash_update(&state, &label, 1);
    crypto_generichash_update(&state, bytes, n);
    crypto_generichash_final(&state, digest, sizeof digest);
    memcpy(out, digest, out_n < sizeof digest ? out_n : sizeof digest);
}

/* A Feistel network, whose rounds are the keyed hash: one-to-one for any hash. */
uint64_t pi_names_permute(const struct pi_redact_names *names, enum pi_redact_space space, unsigned bits,
                          uint64_t value)
{
    const unsigned half = bits / 2;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t left = value >> half, right = value & mask;
    for (uint8_t round = 0; round < ROUNDS; round++) {
        uint8_t in[16] = {'p', 'e', 'r', 'm', round, (uint8_t)bits}, out[8];
        pi_store64(in + 8, right, PD_LITTLE);
        pi_names_hash(names, space, in, sizeof in, out, sizeof out);
        const uint64_t next = left ^ (pi_load64(out, PD_LITTLE) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t pi_names_shift(const struct pi_redact_names *names)
{
    uint8_t out[8];
    pi_names_hash(names, PI_N_SPACES, "time", 4, out, sizeof out);
    return pi_load64(out, PD_LITTLE) & ((UINT64_C(1) << 58) - 1);
}
