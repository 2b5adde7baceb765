/* SPDX-License-Identifier: MIT */
/*
 * fold_yardstick.c - the possible speed of `export --to folded --count`, for a program written by hand for
 * one event, with call chains or without: it takes records as they come, not in order of time, so that a
 * name or mapping may be that of a moment later; takes two hashes of 128 bits for two stacks; and does not
 * sort the lines.
 *
 *     bench_fold_yardstick FILE
 *
 * Sample types with IP and TID whose fields up to the call chain have one size, little-endian.
 */
#include "yardstick.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define TASKS 65536 /* by pid or tid */
#define SLOTS ((size_t)1 << 19)
#define PLACES ((size_t)1 << 14)
#define FILES 4096
#define MAPS 64
#define KERNEL 0
#define CONTEXT UINT64_C(0xfffffffffffff000)

struct map {
    uint64_t first, last, by; /* an address and `by` are an offset */
    uint32_t file;
};

/* Its maps: the newest first. */
struct task {
    char name[16];
    uint32_t changes, n;
    struct map maps[MAPS];
};

struct frame {
    uint64_t offset, file;
};

struct place {
    uint64_t ip, who;
    struct frame frame;
};

struct slot {
    XXH128_hash_t hash;
    uint64_t *count; /* NULL: free */
    uint64_t unused; /* two slots are one line of the processor's cache */
};

/* A stack: its count, the numbers of its name and frames, and these, the outermost first. */
struct stack {
    uint64_t count;
    uint32_t name, n;
    struct frame frames[];
};

static struct task *tasks[TASKS];
static struct map kernel[FILES];
static size_t n_kernel, n_files = 1, n_names;
static const char *files[FILES] = {"[unknown]"};
static char names[TASKS][16];
static size_t lengths[FILES] = {9};
static struct place places[PLACES];
static struct slot samples[PLACES], stacks[SLOTS];
static char out[WINDOW + 262144];
static size_t n_out, chain_at; /* 0: there are none */
static struct frame frames[8192];

static void *room(size_t n)
{
    static uint8_t *block;
    static size_t left;
    void *at;
    n = (n + 7) & ~(size_t)7;
    if (n > left)
        block = malloc(left = n + ((size_t)1 << 20));
    at = block;
    block += n;
    left -= n;
    return at;
}

static struct task *task_of(uint32_t id)
{
    struct task **t = &tasks[id % TASKS];
    if (*t == NULL && (*t = calloc(1, sizeof **t)) == NULL)
        exit(2);
    return *t;
}

static uint32_t number_file(const char *name)
{
    size_t i = 0;
    while (i < n_files && strcmp(files[i], name) != 0)
        i++;
    if (i == n_files && n_files < FILES) {
        lengths[i] = strlen(name);
        files[n_files++] = strdup(name);
    }
    return (uint32_t)(i % FILES);
}

static uint32_t number_name(const char *name)
{
    static uint32_t last;
    if (strcmp(names[last], name) == 0)
        return last;
    for (last = 0; last < n_names && strcmp(names[last], name) != 0;)
        last++;
    if (last == n_names)
        strcpy(names[n_names++], name);
    return last;
}

static void take_map(const uint8_t *p, const struct header *h)
{
    uint32_t pid;
    uint64_t addr, size, from;
    const char *name = (const char *)p + (h->type == 1 ? 40 : 72);
    memcpy(&pid, p + 8, 4);
    memcpy(&addr, p + 16, 8);
    memcpy(&size, p + 24, 8);
    memcpy(&from, p + 32, 8);
    const bool of_kernel = (h->misc & 7) == 1;
    const bool whole = strncmp(name, "[kernel", 7) == 0;
    const struct map map = {addr, addr + size - 1, whole ? 0 : from - addr,
                            number_file(whole ? "[kernel.kallsyms]" : name)};
    if (of_kernel) {
        kernel[n_kernel++ % FILES] = map;
        return;
    }
    struct task *t = task_of(pid);
    if (t->n == MAPS)
        t->n--;
    memmove(t->maps + 1, t->maps, t->n++ * sizeof map);
    t->maps[0] = map;
    t->changes++;
}

static void take_name(const uint8_t *p, const struct header *h)
{
    uint32_t ids[2];
    memcpy(ids, p + 8, sizeof ids);
    struct task *t = task_of(ids[1]);
    snprintf(t->name, sizeof t->name, "%s", (const char *)p + 16);
    if (h->misc & 0x2000) {
        t->n = 0;
        t->changes++;
    }
}

static void take_fork(const uint8_t *p)
{
    uint32_t ids[4]; /* pid, ppid, tid, ptid */
    memcpy(ids, p + 8, sizeof ids);
    struct task *t = task_of(ids[2]);
    const struct task *parent = task_of(ids[3]), *process = task_of(ids[1]);
    memcpy(t->name, parent->name, sizeof t->name);
    t->changes++;
    if (ids[0] != ids[1]) {
        t->n = process->n;
        memcpy(t->maps, process->maps, t->n * sizeof *t->maps);
    }
}

static struct frame find(const struct map *maps, size_t n, uint64_t ip)
{
    for (size_t i = 0; i < n; i++)
        if (maps[i].first <= ip && ip <= maps[i].last)
            return (struct frame){ip + maps[i].by, maps[i].file};
    return (struct frame){ip, 0};
}

static size_t resolve(uint32_t pid, bool in_kernel, const uint8_t *chain, size_t n)
{
    const struct task *t = task_of(pid);
    const uint64_t user = (uint64_t)t->changes << 32 | pid;
    size_t at = 8192;
    for (size_t i = 0; i < n; i++) {
        uint64_t ip;
        memcpy(&ip, chain + 8 * i, 8);
        if (ip >= CONTEXT) {
            in_kernel = ip == (uint64_t)-128;
            continue;
        }
        const uint64_t who = in_kernel ? UINT64_MAX : user;
        struct place *p = &places[(ip ^ who << 40 ^ who) * UINT64_C(0x9e3779b97f4a7c15) >> 50];
        if (p->ip != ip || p->who != who)
            *p = (struct place){ip, who, in_kernel ? find(kernel, n_kernel, ip) : find(t->maps, t->n, ip)};
        frames[--at] = p->frame;
    }
    return at;
}

static struct slot *slot_of(XXH128_hash_t hash)
{
    size_t i = hash.low64 % SLOTS;
    while (stacks[i].count && !XXH128_isEqual(stacks[i].hash, hash))
        i = (i + 1) % SLOTS;
    stacks[i].hash = hash;
    return &stacks[i];
}

static void take_sample(const uint8_t *p, const struct header *h)
{
    uint32_t ids[2];
    uint64_t n = 1;
    const uint8_t *chain = p + 8; /* the address */
    memcpy(ids, p + 16, sizeof ids);
    if (chain_at) {
        memcpy(&n, p + chain_at, 8);
        chain = p + chain_at + 8;
    }
    const struct task *t = task_of(ids[1]);
    const uint64_t who = (uint64_t)task_of(ids[0])->changes << 32 ^ ids[1];
    const XXH128_hash_t hash = XXH3_128bits_withSeed(chain, 8 * (size_t)n, who);
    struct slot *s = &samples[hash.low64 % PLACES];
    if (s->count == NULL || !XXH128_isEqual(s->hash, hash)) {
        const uint32_t name = number_name(t->name);
        const size_t at = resolve(ids[0], (h->misc & 7) == 1, chain, (size_t)n),
                     bytes = (8192 - at) * sizeof *frames;
        struct slot *stack = slot_of(XXH3_128bits_withSeed(frames + at, bytes, name));
        if (stack->count == NULL) {
            struct stack *new = room(sizeof *new + bytes);
            *new = (struct stack){0, name, (uint32_t)(8192 - at)};
            memcpy(new->frames, frames + at, bytes);
            stack->count = &new->count;
        }
        *s = (struct slot){hash, stack->count, 0};
    }
    ++*s->count;
}

static void flush(void)
{
    if (n_out && write(STDOUT_FILENO, out, n_out) != (ssize_t)n_out)
        exit(2);
    n_out = 0;
}

static char *put_hex(char *p, uint64_t value)
{
    const int n = value ? (67 - __builtin_clzll(value)) / 4 : 1;
    for (int i = n - 1; i >= 0; i--, value >>= 4)
        p[i] = "0123456789abcdef"[value & 15];
    return p + n;
}

static void print(const struct stack *s)
{
    char *p = stpcpy(out + n_out, names[s->name]);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct frame *f = &s->frames[i];
        *p++ = ';';
        memcpy(p, files[f->file], lengths[f->file]);
        p = put_hex((char *)memcpy(p + lengths[f->file], "+0x", 3) + 3, f->offset);
    }
    p += sprintf(p, " %llu\n", (unsigned long long)s->count);
    n_out = (size_t)(p - out);
    if (n_out > WINDOW)
        flush();
}

static void take(const uint8_t *p, const struct header *h)
{
    if (h->type == 9)
        take_sample(p, h);
    else if (h->type == 1 || h->type == 10)
        take_map(p, h);
    else if (h->type == 3)
        take_name(p, h);
    else if (h->type == 7)
        take_fork(p);
}

int main(int argc, char **argv)
{
    enum { WANTED = 1 | 2, CHAIN = 32, BEFORE = 1 | 2 | 4 | 8 | 64 | 128 | 256 | 512, NOT = 16 | 65536 };
    struct recording r;
    if (!open_recording(argc == 2 ? argv[1] : NULL, &r))
        return 2;
    if ((r.sample_type & WANTED) != WANTED || r.sample_type & NOT) {
        fprintf(stderr, "bench_fold_yardstick: not for sample_type 0x%llx\n",
                (unsigned long long)r.sample_type);
        return 1;
    }
    if (r.sample_type & CHAIN)
        chain_at = 8 + 8 * (size_t)__builtin_popcountll(r.sample_type & BEFORE);
    each_record(r.fd, r.size, take);
    for (size_t i = 0; i < SLOTS; i++)
        if (stacks[i].count)
            print((const struct stack *)(const void *)stacks[i].count);
    flush();
    return 0;
}
