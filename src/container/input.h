/* SPDX-License-Identifier: MIT */
/*
 * input.h - "at least n contiguous bytes at this offset", from a path, descriptor, memory or callback,
 * through one buffer that slides forward. read() into a small reused buffer beats first-touch mmap by about
 * five here.
 */
#ifndef PERFDATA_INPUT_H
#define PERFDATA_INPUT_H

#include <perfdata/reader.h>

/* Bytes of an input that cannot seek, kept because they are needed again. */
struct pi_pin {
    uint64_t offset;
    uint8_t *bytes;
    size_t n;
};

struct pi_input {
    struct pd_source source;
    const struct pd_allocator *allocator;
    const uint8_t *memory; /* whole input, when it is in memory */
    uint8_t *buf;
    size_t cap;
    const uint8_t *seen; /* the bytes that are visible now: the buffer, or the whole memory */
    uint64_t base;       /* offset of the first of them */
    size_t fill;         /* how many there are */
    const uint8_t *next,
        *stop;       /* of these, the part that the reader may take without a call; invalid when they move */
    uint64_t enough; /* offset up to which it is read ahead; 0: as far as there is room */
    bool seekable;
    bool at_end; /* the source said so, base + fill is the input's size */
    int fd;      /* for sources made of a descriptor */
    bool own_fd;
    struct pi_pin pins[2]; /* what is before the data, and what is behind it */
    unsigned n_pins;
    struct pi_pin growing;   /* one that PD_AGAIN interrupted; no bytes: none */
    bool live;               /* a source without bytes now is not an error: PD_AGAIN */
    bool begun;              /* what opening needs was read: until then a live descriptor is waited for */
    char *path;              /* of a file that is open only while it is read; allocated */
    uint64_t device, inode;  /* which file that is */
    struct pd_error failure; /* why reading failed: it is not tried again, since a caller that did not check
                                continued with less */
    struct pi_input *parent; /* which learns of that; may be NULL */
};

enum pd_code pi_input_open_path(struct pi_input *in, const char *path, struct pd_error *error);
/* Why a file cannot be opened: PD_EMISSING if it does not exist, PD_EIO if the system refuses. */
enum pd_code pi_open_code(int e);
/*
 * A regular file that takes no descriptor between reads, so that any number can be open. It owns the path in
 * any case.
 */
enum pd_code pi_input_open_file(struct pi_input *in, char *path, struct pd_error *error);
enum pd_code pi_input_open_fd(struct pi_input *in, int fd, struct pd_error *error);
void pi_input_open_memory(struct pi_input *in, const void *bytes, size_t n);
/*
 * Reads the input of `of`, which can seek and must live longer, through a separate window: other threads may
 * do so, too.
 */
void pi_input_share(struct pi_input *in, const struct pi_input *of);
enum pd_code pi_input_start(struct pi_input *in, size_t window, struct pd_error *error);
/* Lets at least n bytes be visible at a time. Visible bytes may move. False: no memory, all is as it was. */
bool pi_input_widen(struct pi_input *in, size_t n);
void pi_input_close(struct pi_input *in);

/* From here on the reader takes nothing without a call. */
static inline void pi_input_no_next(struct pi_input *in)
{
    in->next = in->stop = NULL;
}

/* Remembers that reading fails, as the input does by itself, and returns PD_EIO. */
enum pd_code pi_input_fail(struct pi_input *in, uint64_t offset, const char *field, int e,
                           struct pd_error *error);

/* Size of the input, PD_NOWHERE when not known yet. */
uint64_t pi_input_size(const struct pi_input *in);

/*
 * Makes bytes at `offset` visible: *p points to *got of them, at least n unless the input ends before (then
 * *got < n). n must not exceed the window. An input that cannot seek only goes forward; PD_EUNSUP for bytes
 * that have passed. PD_AGAIN, of a live input: they are not there yet; the same call goes on later.
 */
enum pd_code pi_input_at(struct pi_input *in, uint64_t offset, size_t n, const uint8_t **p, size_t *got,
                         struct pd_error *error);
/* The same of n bytes that are visible already; false: they are not. */
static inline bool pi_input_sees(const struct pi_input *in, uint64_t offset, size_t n, const uint8_t **p,
                                 size_t *got)
{
    if (offset < in->base || offset - in->base > in->fill || in->fill - (size_t)(offset - in->base) < n)
        return false;
    *p = in->seen + (offset - in->base);
    *got = in->fill - (size_t)(offset - in->base);
    return true;
}

/*
 * Keeps bytes [offset, offset + n) of an input that cannot seek, so that they can be read in any order; fewer
 * when it ends before. PD_ELIMIT: more than `limit` bytes would be kept.
 */
enum pd_code pi_input_pin(struct pi_input *in, uint64_t offset, uint64_t n, uint64_t limit,
                          struct pd_error *error);

#endif
