/* SPDX-License-Identifier: MIT */
/*
 * fuzz_ops.c - sort, merge, split, redact, repair, cmp, hash, edit, gen, filter and convert to a directory of
 * one to three recordings, directories among them, damaged or not, with options of the input: what
 * operations.h says of each holds. Checks R1, R3, R5, R10, R12.
 *
 * Input: eight bytes of options, the first of which chooses; u32 little-endian, the size of the first
 * recording, and of the second; then these, one after another, the third being the rest. A size that does not
 * fit is the rest. A directory is an archive (archive.h).
 */
#define _GNU_SOURCE /* memmem() */
#include "mutator.h"
#include "tests/support/operations.h"
#include <unistd.h>

#define FRONT (OPERATION_OPTIONS + 8)
#define MOST 60000

int LLVMFuzzerInitialize(int *argc, char ***argv);

struct parts {
    size_t at[3], n[3], count;
};

static struct parts take_apart(const uint8_t *data, size_t size)
{
    struct parts p = {.count = 0};
    size_t at = FRONT;
    for (size_t i = 0; i < 3 && at < size; i++) {
        const uint64_t said = i < 2 ? pi_load32(data + OPERATION_OPTIONS + 4 * i, PD_LITTLE) : size;
        p.at[i] = at;
        p.n[i] = said && said < size - at ? (size_t)said : size - at;
        at += p.n[i];
        p.count++;
    }
    return p;
}

/* Temporary files are small and many. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return access("/dev/shm", W_OK) == 0 ? setenv("TMPDIR", "/dev/shm", 0) : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image in[3];
    size_t n = 0;
    if (size < FRONT || size > MOST)
        return 0;
    const struct parts p = take_apart(data, size);
    for (; n < p.count; n++)
        in[n] = (struct image){.b = (uint8_t *)(uintptr_t)(data + p.at[n]), .n = p.n[n]};
    check_operation(data, in, n, turns_of(data, size));
    return 0;
}

/* One file of a directory: `data` as a recording, another as records. */
static size_t mutate_archive(struct mutation *m)
{
    struct archived f = {.next = 0}, next = {.next = 0};
    for (uint64_t skip = mutation_random(m, 4); archive_next(m->data, m->size, &next); skip--) {
        f = next;
        if (skip == 0)
            break;
    }
    if (f.next == 0 || mutation_random(m, 8) == 0)
        return mutate_blindly(m->data, m->size, m->max);
    const size_t behind = m->size - f.next, room = m->max - (m->size - f.n);
    struct mutation file = {
        .data = malloc(room), .size = f.n, .max = room, .less = m->less, .state = m->state};
    CHECK(file.data);
    memcpy(file.data, m->data + f.at, f.n);
    if (strcmp(f.name, "data") == 0)
        mutate_file(&file);
    else
        mutate_all_records(&file);
    memmove(m->data + f.at + file.size, m->data + f.next, behind);
    memcpy(m->data + f.at, file.data, file.size);
    pi_store32(m->data + f.size_at, (uint32_t)file.size, PD_LITTLE);
    m->size = f.at + file.size + behind;
    free(file.data);
    return m->size;
}

/* One of the recordings, with those behind it moved. */
static size_t mutate_part(uint8_t *data, size_t size, size_t max, struct mutation *m)
{
    const struct parts p = take_apart(data, size);
    const size_t i = (size_t)mutation_random(m, p.count), behind = p.at[i] + p.n[i], left = size - behind;
    const size_t room = max - (size - p.n[i]);
    uint8_t *part = malloc(room);
    CHECK(part && p.n[i] <= room);
    memcpy(part, data + p.at[i], p.n[i]);
    m->data = part;
    m->size = p.n[i];
    m->max = room;
    const size_t now = is_archive(part, m->size) ? mutate_archive(m) : mutate_file(m);
    memmove(data + p.at[i] + now, data + behind, left);
    memcpy(data + p.at[i], part, now);
    for (size_t j = 0; j < 2 && j < p.count; j++)
        pi_store32(data + OPERATION_OPTIONS + 4 * j, (uint32_t)(j == i ? now : p.n[j]), PD_LITTLE);
    free(part);
    return p.at[i] + now + left;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = mutation_of(data, size, max, seed);
    if (size <= FRONT)
        return mutate_blindly(data, size, max);
    if (m.less || mutation_random(&m, 4))
        return mutate_part(data, size, m.max, &m);
    mutate_in_place(&m, 0, OPERATION_OPTIONS);
    return size;
}
