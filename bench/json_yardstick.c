/* SPDX-License-Identifier: MIT */
/*
 * json_yardstick.c - the possible speed of `decode`, for a program written by hand for samples of this one
 * kind: it prints the same lines of them, and none of other records; it does not try whether `encode` makes
 * the same bytes of a line.
 *
 *     bench_json_yardstick FILE
 *
 * The sample types: IP|TID|TIME|CPU|PERIOD with or without CALLCHAIN, of one event, little-endian.
 */
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>

#define LINE ((size_t)256 << 10) /* 8,192 frames of 23 bytes at most, and the rest */

struct sample {
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, res;
    uint64_t period, nr;
};

static uint8_t window[WINDOW];
static char out[WINDOW + LINE];

#define PUT(p_, literal_) memcpy(p_, literal_, sizeof(literal_)), p_ += sizeof(literal_) - 1

static char *put_decimal(char *p, uint64_t value)
{
    char digits[20], *at = digits + sizeof digits;
    for (; value >= 100; value /= 100)
        memcpy(at -= 2, pairs[value % 100], 2);
    if (value >= 10)
        memcpy(at -= 2, pairs[value], 2);
    else
        *--at = (char)('0' + value);
    const size_t n = (size_t)(digits + sizeof digits - at);
    memcpy(p, at, n);
    return p + n;
}

static char *put_address(char *p, uint64_t value)
{
    const unsigned n = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;
    PUT(p, "\"0x");
    for (unsigned i = n; i > 0; i--)
        *p++ = "0123456789abcdef"[value >> 4 * (i - 1) & 15];
    *p++ = '"';
    return p;
}

static char *put_frame(char *p, uint64_t ip)
{
    if (ip < UINT64_C(-4095))
        return put_address(p, ip);
    if (ip == UINT64_C(-512))
        PUT(p, "\"USER\"");
    else if (ip == UINT64_C(-128))
        PUT(p, "\"KERNEL\"");
    return p;
}

static char *put_sample(char *p, const struct header *h, uint64_t offset, const uint8_t *body, int chain)
{
    struct sample s = {0};
    memcpy(&s, body, chain ? sizeof s : sizeof s - 8);
    PUT(p, "{\"record\":{\"type\":\"SAMPLE\",\"misc\":\"cpumode=");
    if ((h->misc & 7) == 1)
        PUT(p, "KERNEL\",\"size\":");
    else
        PUT(p, "USER\",\"size\":");
    p = put_decimal(p, h->size);
    PUT(p, ",\"offset\":\"");
    p = put_decimal(p, offset);
    PUT(p, "\",\"attr\":0,\"sample\":{\"ip\":");
    p = put_address(p, s.ip);
    PUT(p, ",\"pid\":");
    p = put_decimal(p, s.pid);
    PUT(p, ",\"tid\":");
    p = put_decimal(p, s.tid);
    PUT(p, ",\"time\":\"");
    p = put_decimal(p, s.time);
    PUT(p, "\",\"cpu\":");
    p = put_decimal(p, s.cpu);
    PUT(p, ",\"res\":");
    p = put_decimal(p, s.res);
    PUT(p, ",\"period\":\"");
    p = put_decimal(p, s.period);
    *p++ = '"';
    if (chain) {
        PUT(p, ",\"callchain\":{\"nr\":\"");
        p = put_decimal(p, s.nr);
        PUT(p, "\",\"ips\":[");
        for (uint64_t i = 0, ip; i < s.nr && i < (h->size - sizeof *h - sizeof s) / 8; i++) {
            memcpy(&ip, body + sizeof s + 8 * i, sizeof ip);
            p = put_frame(p, ip);
            *p++ = ',';
        }
        p -= s.nr != 0;
        PUT(p, "]}");
    }
    PUT(p, "}}}\n");
    return p;
}

static void write_all(size_t n)
{
    if (n && write(STDOUT_FILENO, out, n) != (ssize_t)n)
        exit(2);
}

static void print_samples(int fd, uint64_t at, uint64_t left, int chain)
{
    const size_t least = sizeof(struct header) + sizeof(struct sample) - (chain ? 0 : 8);
    size_t kept = 0;
    char *p = out;
    while (left) {
        const uint64_t want = left < WINDOW ? left : WINDOW;
        const ssize_t got = pread(fd, window + kept, (size_t)want - kept, (off_t)(at + kept));
        const uint8_t *r = window, *const end = window + kept + (got > 0 ? got : 0);
        struct header h;
        for (; (size_t)(end - r) >= sizeof h; r += h.size) {
            memcpy(&h, r, sizeof h);
            if (h.size < sizeof h || h.size > end - r)
                break;
            if (h.type == 9 && h.size >= least)
                p = put_sample(p, &h, at + (uint64_t)(r - window), r + sizeof h, chain);
            if ((size_t)(p - out) > WINDOW)
                write_all((size_t)(p - out)), p = out;
        }
        if (r == window)
            break;
        kept = (size_t)(end - r);
        left -= (uint64_t)(r - window);
        at += (uint64_t)(r - window);
        memmove(window, r, kept);
    }
    write_all((size_t)(p - out));
}

int main(int argc, char **argv)
{
    enum { WANTED = 1 | 2 | 4 | 128 | 256, CHAIN = 32 };
    struct recording r;
    if (!open_recording(argc == 2 ? argv[1] : NULL, &r))
        return 2;
    if ((r.sample_type & ~(uint64_t)CHAIN) != WANTED) {
        fprintf(stderr, "bench_json_yardstick: not for sample_type 0x%llx\n",
                (unsigned long long)r.sample_type);
        return 1;
    }
    make_pairs();
    print_samples(r.fd, r.at, r.size, (r.sample_type & CHAIN) != 0);
    return 0;
}
