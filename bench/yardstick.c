/* SPDX-License-Identifier: MIT */
/*
 * yardstick.c - the possible speed of a decoder written by hand for one sample_type: it reads a recording
 * through one buffer, takes every field of every sample, knows nothing else, and checks only what prevents a
 * crash.
 *
 *     bench_yardstick FILE      prints the number of samples
 *
 * The sample types: IP|TID|TIME|PERIOD with any of IDENTIFIER, CPU, CALLCHAIN and RAW, little-endian.
 */
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>

struct sample {
    uint64_t identifier, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, res;
    uint64_t period, nr;
    const uint8_t *ips;
    uint32_t raw_size;
    const uint8_t *raw;
};

/* A program would use the decoded sample here; the compiler must not see that this one does not. */
__attribute__((noinline)) static void use(const struct sample *s)
{
    __asm__ volatile("" ::"r"(s) : "memory");
}

#define TAKE(field_) memcpy(&(field_), p, sizeof(field_)), p += sizeof(field_)

static inline int decode(const uint8_t *p, const uint8_t *end, int identifier, int cpu, int chain, int raw,
                         struct sample *s)
{
    const size_t fixed = 32 + 8 * (size_t)(identifier + cpu + chain) + 4 * (size_t)raw;
    size_t slack = (size_t)(end - p) - fixed;
    if ((size_t)(end - p) < fixed)
        return 0;
    if (identifier)
        TAKE(s->identifier);
    TAKE(s->ip);
    TAKE(s->pid);
    TAKE(s->tid);
    TAKE(s->time);
    if (cpu) {
        TAKE(s->cpu);
        TAKE(s->res);
    }
    TAKE(s->period);
    if (chain) {
        TAKE(s->nr);
        if (s->nr > slack / 8)
            return 0;
        s->ips = p;
        p += 8 * (size_t)s->nr;
        slack -= 8 * (size_t)s->nr;
    }
    if (raw) {
        TAKE(s->raw_size);
        if (s->raw_size > slack)
            return 0;
        s->raw = p;
    }
    return 1;
}

static inline uint64_t each(int fd, uint8_t *buf, uint64_t left, int identifier, int cpu, int chain, int raw)
{
    struct sample s = {0};
    uint64_t samples = 0;
    size_t kept = 0;
    ssize_t got;
    while (left && (got = read(fd, buf + kept, WINDOW - kept)) > 0) {
        const size_t all = kept + (size_t)got, n = all < left ? all : (size_t)left;
        const uint8_t *p = buf, *end = buf + n;
        struct header h;
        while ((size_t)(end - p) >= sizeof h) {
            memcpy(&h, p, sizeof h);
            if (h.size < sizeof h || h.size > (size_t)(end - p))
                break;
            if (h.type == 9 && decode(p + sizeof h, p + h.size, identifier, cpu, chain, raw, &s)) {
                use(&s);
                samples++;
            }
            p += h.size;
        }
        if (p == buf)
            break;
        kept = (size_t)(end - p);
        left -= (uint64_t)(p - buf);
        memmove(buf, p, kept);
    }
    return samples;
}

int main(int argc, char **argv)
{
    enum {
        IDENTIFIER = 1 << 16,
        IP = 1,
        TID = 2,
        TIME = 4,
        CALLCHAIN = 32,
        CPU = 128,
        PERIOD = 256,
        RAW = 1024
    };
    struct recording r;
    uint8_t *buf = malloc(WINDOW);
    uint64_t n = 0;
    if (buf == NULL || !open_recording(argc == 2 ? argv[1] : NULL, &r))
        return 2;
    switch (r.sample_type & ~(uint64_t)(IP | TID | TIME | PERIOD)) {
#define CASE(identifier_, cpu_, chain_, raw_)                                     \
    case (identifier_)*IDENTIFIER + (cpu_)*CPU + (chain_)*CALLCHAIN + (raw_)*RAW: \
        n = each(r.fd, buf, r.size, identifier_, cpu_, chain_, raw_);             \
        break;
#define CASES(chain_, raw_) \
    CASE(0, 0, chain_, raw_) CASE(0, 1, chain_, raw_) CASE(1, 0, chain_, raw_) CASE(1, 1, chain_, raw_)
        CASES(0, 0)
        CASES(0, 1)
        CASES(1, 0)
        CASES(1, 1)
    default:
        fprintf(stderr, "bench_yardstick: not for sample_type 0x%llx\n", (unsigned long long)r.sample_type);
        return 1;
    }
    printf("%llu samples\n", (unsigned long long)n);
    free(buf);
    return 0;
}
