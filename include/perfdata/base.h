/* SPDX-License-Identifier: MIT */
/*
 * perfdata/base.h - the small types that everything else is made of.
 *
 * Options. Every struct pd_*_options starts with its own size:
 * `struct pd_sort_options o = {.size = sizeof o, ...}`. Zeros select the defaults, and so does NULL for the
 * whole struct. A program that was compiled with an older, shorter struct gets the defaults of later fields.
 * A program that was compiled with a newer, longer struct works if it leaves fields that this library does
 * not know at 0. PD_EARG, with the name of the struct as `field` and its size as `found`: such a field is not
 * 0, or the size is impossible (0 included). The struct is copied: it need not live longer than the call,
 * unless a function requires that of data it points to.
 *
 * Views ("pd_str", "pd_bytes", "pd_vec", "pd_list") never own memory: they point into the record, section or
 * user buffer they were made from and are valid as long as it is.
 */
#ifndef PERFDATA_BASE_H
#define PERFDATA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PD_API __attribute__((visibility("default")))
#else
#define PD_API
#endif

/*
 * Declarations with PD_API are the stable core: from 1.0.0 on they change only with a new SONAME.
 * Declarations with PD_EXPERIMENTAL, in perfdata/session/ and perfdata/ops/, and their structs may change or
 * be removed in any minor version.
 */
#define PD_EXPERIMENTAL PD_API
/* The same for inline functions, which are not exported. */
#define PD_EXPERIMENTAL_INLINE static inline

/* Byte order of a stream. PD_HOST_ORDER is that of this machine. */
enum pd_order { PD_LITTLE = 0, PD_BIG = 1 };
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PD_HOST_ORDER PD_BIG
#else
#define PD_HOST_ORDER PD_LITTLE
#endif

/* Uninterpreted bytes. */
struct pd_bytes {
    const uint8_t *ptr;
    size_t n;
};

/*
 * A string in a slot. `len` counts the bytes before the first NUL, `size` the bytes of the whole slot:
 * terminator and padding included, all of them readable at `ptr`. The slot is kept because real files have
 * left-over bytes behind the NUL. With size == PD_AUTO only `len` bytes are readable and the encoder makes
 * the slot: NUL, then zero bytes up to the next multiple of 8.
 */
#define PD_AUTO SIZE_MAX
struct pd_str {
    const char *ptr;
    size_t len;
    size_t size;
};

/* How the elements of a vector or list are stored at `ptr`. */
enum pd_form {
    PD_FORM_LITTLE = PD_LITTLE, /* as in a little-endian stream, unaligned */
    PD_FORM_BIG = PD_BIG,       /* as in a big-endian stream, unaligned */
    PD_FORM_STRUCT = 2,         /* an array of the element's C type, in host order (what a program builds) */
};

/* `n` integers of `width` bytes (2, 4 or 8), read with pd_vec_at(). */
struct pd_vec {
    const void *ptr;
    size_t n;
    uint8_t width;
    uint8_t form; /* enum pd_form */
};

/*
 * `n` elements of one layout. Read elements of fixed size with the pd_<layout>_at() functions, and any
 * elements one after another with pd_<layout>_next(), which removes the first from the list: use a copy to
 * keep the list.
 */
struct pd_list {
    const void *ptr;
    size_t n;
    uint32_t stride; /* bytes from one element to the next; for elements of varying size the bytes of all */
    uint8_t form;    /* enum pd_form */
    uint32_t when;   /* passed on by the enclosing layout, read_format for READ values: it decides which
                        fields are present */
    uint8_t variant; /* enum pd_variant, the same */
    bool varying;    /* elements differ in size */
};

/*
 * Views of the caller's own values, which must outlive them: a string, whose slot the encoder pads; an array
 * of uint64_t; an array of n C structs of a layout.
 */
#ifdef __cplusplus
#define PD_VIEW(type_, ...) (type_{__VA_ARGS__})
#else
#define PD_VIEW(type_, ...) ((struct type_){__VA_ARGS__})
#endif
#define PD_STR(s_) PD_VIEW(pd_str, (s_), __builtin_strlen(s_), PD_AUTO)
#define PD_VEC64(p_, n_) PD_VIEW(pd_vec, (p_), (size_t)(n_), 8, PD_FORM_STRUCT)
#define PD_LIST(p_, n_) \
    PD_VIEW(pd_list, (p_), (size_t)(n_), sizeof *(p_), PD_FORM_STRUCT, UINT32_MAX, 0, false)

/* Element `i` (which must be < v->n) as a number in host order. */
PD_API uint64_t pd_vec_at(const struct pd_vec *v, size_t i);
/* Copies elements first..first+n-1, which must exist, as numbers in host order. */
PD_API void pd_vec_copy(const struct pd_vec *v, size_t first, size_t n, uint64_t *out);

/*
 * The library takes all memory from one of these. `resize` follows realloc's rules for old == NULL
 * and never sees size 0; a NULL result becomes PD_ENOMEM. A NULL allocator pointer means malloc, realloc and
 * free.
 */
struct pd_allocator {
    void *(*resize)(void *user, void *old, size_t size);
    void (*release)(void *user, void *old);
    void *user;
};

/*
 * Other threads, for readers and writers that are given some: the library starts none itself. Results are the
 * same without.
 */
struct pd_job {
    void (*work)(struct pd_job *job);
    struct pd_job *next; /* next and state are the workers'; zeros at first */
    int state;
};
struct pd_workers {
    unsigned n; /* threads, the caller's not counted; at least 1 */
    /*
     * Calls job->work() once, in any thread, which may be the caller's, within wait(). The job must live
     * until wait() has returned; it belongs to the thread that started it. Work may begin in any order, and
     * starts no job itself.
     */
    void (*start)(void *user, struct pd_job *job);
    /* Returns when the job is done; at once if it was not started. It may be started again then. */
    void (*wait)(void *user, struct pd_job *job);
    void *user;
};

#ifdef __cplusplus
}
#endif
#endif
