/* SPDX-License-Identifier: MIT */
/* yardstick.h - what the programs for nothing else share: how they open a recording, and digits. */
#ifndef PERFDATA_BENCH_YARDSTICK_H
#define PERFDATA_BENCH_YARDSTICK_H

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define WINDOW ((size_t)256 << 10)

struct header {
    uint32_t type;
    uint16_t misc, size;
};

/* Where a recording's data is, and the sample_type of its first event. */
struct recording {
    int fd;
    uint64_t at, size, sample_type;
};

/* False: it cannot be read. A file of this machine's byte order. */
static inline int open_recording(const char *path, struct recording *r)
{
    /*
     * magic, size, attr_size, attrs {offset, size}, data {offset, size}, …; sample_type is the fourth word of
     * an attr
     */
    uint64_t head[13] = {0};
    r->fd = path ? open(path, O_RDONLY) : -1;
    if (r->fd < 0 || read(r->fd, head, sizeof head) != sizeof head ||
        pread(r->fd, &r->sample_type, 8, (off_t)head[3] + 24) != 8)
        return 0;
    r->at = head[5];
    r->size = head[6];
    return lseek(r->fd, (off_t)r->at, SEEK_SET) >= 0;
}

/* Gives the records of the data, of so many bytes, one after the other. */
static inline __attribute__((always_inline)) void
each_record(int fd, uint64_t left, void (*take)(const uint8_t *record, const struct header *h))
{
    static uint8_t window[WINDOW];
    size_t kept = 0;
    ssize_t got;
    while (left && (got = read(fd, window + kept, WINDOW - kept)) > 0) {
        const size_t all = kept + (size_t)got, n = all < left ? all : (size_t)left;
        const uint8_t *p = window, *end = window + n;
        struct header h;
        while ((size_t)(end - p) >= sizeof h) {
            memcpy(&h, p, sizeof h);
            if (h.size < sizeof h || h.size > (size_t)(end - p))
                break;
            take(p, &h);
            p += h.size;
        }
        if (p == window)
            break;
        kept = (size_t)(end - p);
        left -= (uint64_t)(p - window);
        memmove(window, p, kept);
    }
}

/* "00" to "99" */
static char pairs[100][2] __attribute__((unused));

static inline void make_pairs(void)
{
    for (int i = 0; i < 100; i++)
        pairs[i][0] = (char)('0' + i / 10), pairs[i][1] = (char)('0' + i % 10);
}

#endif
