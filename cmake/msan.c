/* SPDX-License-Identifier: MIT */
/*
 * msan.c - what the libraries read and write, told to MemorySanitizer: they are not compiled with it. Linked
 * into every program of a build with -fsanitize=memory, where it takes the calls of the functions that are
 * WRAPPED here (ld --wrap; CMakeLists.txt finds them by that word). What they are given must be written; what
 * they give is.
 */
#define _GNU_SOURCE /* nftw() */
#include <ftw.h>
#include <jansson.h>
#include <sanitizer/msan_interface.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <xxhash.h>
#include <zstd.h>
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#endif

#define WRAPPED(type_, name_, ...)     \
    type_ __real_##name_(__VA_ARGS__); \
    type_ __wrap_##name_(__VA_ARGS__); \
    type_ __wrap_##name_(__VA_ARGS__)

#define must_be_written __msan_check_mem_is_initialized
#define is_written __msan_unpoison

/*
 * ---- libjansson: all that it holds; but memcpy(), with which it copies our strings, takes the marks along.
 */

static json_malloc_t allocate = malloc;

static void *allocate_written(size_t n)
{
    is_written(&n, sizeof n); /* the argument, too, is the library's */
    void *p = allocate(n);
    if (p)
        is_written(p, n);
    return p;
}

WRAPPED(void, json_set_alloc_funcs, json_malloc_t take, json_free_t drop)
{
    allocate = take;
    __real_json_set_alloc_funcs(allocate_written, drop);
}

__attribute__((constructor)) static void start(void)
{
    __real_json_set_alloc_funcs(allocate_written, free);
}

/*
 * What the library compares on its own stack bears the marks of our functions that were there before: it goes
 * unchecked.
 */
WRAPPED(json_t *, json_loadb, const char *text, size_t n, size_t flags, json_error_t *error)
{
    must_be_written(text, n);
    __msan_scoped_disable_interceptor_checks();
    json_t *json = __real_json_loadb(text, n, flags, error);
    __msan_scoped_enable_interceptor_checks();
    if (error)
        is_written(error, sizeof *error);
    return json;
}

WRAPPED(size_t, json_dumpb, const json_t *json, char *text, size_t cap, size_t flags)
{
    __msan_scoped_disable_interceptor_checks();
    const size_t n = __real_json_dumpb(json, text, cap, flags);
    __msan_scoped_enable_interceptor_checks();
    is_written(text, n < cap ? n : cap);
    return n;
}

WRAPPED(char *, json_dumps, const json_t *json, size_t flags)
{
    __msan_scoped_disable_interceptor_checks();
    char *text = __real_json_dumps(json, flags);
    __msan_scoped_enable_interceptor_checks();
    if (text)
        __msan_unpoison_string(text);
    return text;
}

/* ---- libc: nftw(), so called with large files, hands out what it has on its own stack. */

static __thread __nftw64_func_t visit;

static int visit_written(const char *path, const struct stat64 *st, int kind, struct FTW *where)
{
    is_written(&path, sizeof path);
    is_written(&st, sizeof st);
    is_written(&kind, sizeof kind);
    is_written(&where, sizeof where);
    __msan_unpoison_string(path);
    is_written(st, sizeof *st);
    is_written(where, sizeof *where);
    return visit(path, st, kind, where);
}

WRAPPED(int, nftw64, const char *path, __nftw64_func_t function, int fds, int flags)
{
    visit = function;
    return __real_nftw64(path, visit_written, fds, flags);
}

/* ---- libzstd */

WRAPPED(size_t, ZSTD_getFrameHeader, ZSTD_frameHeader *header, const void *bytes, size_t n)
{
    must_be_written(bytes, n);
    const size_t result = __real_ZSTD_getFrameHeader(header, bytes, n);
    is_written(header, sizeof *header);
    return result;
}

WRAPPED(size_t, ZSTD_decompressStream, ZSTD_DStream *z, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    const size_t from = out->pos;
    must_be_written((const char *)in->src + in->pos, in->size - in->pos);
    const size_t result = __real_ZSTD_decompressStream(z, out, in);
    is_written((char *)out->dst + from, out->pos - from);
    return result;
}

WRAPPED(size_t, ZSTD_compressCCtx, ZSTD_CCtx *z, void *out, size_t cap, const void *in, size_t n, int level)
{
    must_be_written(in, n);
    const size_t result = __real_ZSTD_compressCCtx(z, out, cap, in, n, level);
    is_written(out, ZSTD_isError(result) ? 0 : result);
    return result;
}

WRAPPED(size_t, ZSTD_compressStream2, ZSTD_CCtx *z, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
        ZSTD_EndDirective end)
{
    const size_t from = out->pos;
    must_be_written((const char *)in->src + in->pos, in->size - in->pos);
    const size_t result = __real_ZSTD_compressStream2(z, out, in, end);
    is_written((char *)out->dst + from, out->pos - from);
    return result;
}

WRAPPED(size_t, ZSTD_compress, void *out, size_t cap, const void *bytes, size_t n, int level)
{
    must_be_written(bytes, n);
    const size_t result = __real_ZSTD_compress(out, cap, bytes, n, level);
    if (!ZSTD_isError(result))
        is_written(out, result);
    return result;
}

WRAPPED(ZSTD_compressionParameters, ZSTD_getCParams, int level, unsigned long long size, size_t dictionary)
{
    ZSTD_compressionParameters own = __real_ZSTD_getCParams(level, size, dictionary);
    is_written(&own, sizeof own);
    return own;
}

/* ---- libxxhash */

WRAPPED(XXH64_hash_t, XXH3_64bits_withSeed, const void *bytes, size_t n, XXH64_hash_t seed)
{
    must_be_written(bytes, n);
    return __real_XXH3_64bits_withSeed(bytes, n, seed);
}

WRAPPED(XXH128_hash_t, XXH3_128bits, const void *bytes, size_t n)
{
    must_be_written(bytes, n);
    return __real_XXH3_128bits(bytes, n);
}

WRAPPED(XXH_errorcode, XXH3_128bits_update, XXH3_state_t *state, const void *bytes, size_t n)
{
    must_be_written(bytes, n);
    return __real_XXH3_128bits_update(state, bytes, n);
}

WRAPPED(void, XXH128_canonicalFromHash, XXH128_canonical_t *bytes, XXH128_hash_t hash)
{
    __real_XXH128_canonicalFromHash(bytes, hash);
    is_written(bytes, sizeof *bytes);
}

/* ---- libsodium */

WRAPPED(int, crypto_generichash, unsigned char *out, size_t cap, const unsigned char *bytes,
        unsigned long long n, const unsigned char *key, size_t key_n)
{
    must_be_written(bytes, n);
    must_be_written(key, key_n);
    const int result = __real_crypto_generichash(out, cap, bytes, n, key, key_n);
    is_written(out, cap);
    return result;
}

WRAPPED(int, crypto_generichash_update, crypto_generichash_state *state, const unsigned char *bytes,
        unsigned long long n)
{
    must_be_written(bytes, n);
    return __real_crypto_generichash_update(state, bytes, n);
}

WRAPPED(int, crypto_generichash_final, crypto_generichash_state *state, unsigned char *out, size_t cap)
{
    const int result = __real_crypto_generichash_final(state, out, cap);
    is_written(out, cap);
    return result;
}

/* ---- libdebuginfod: the command loads it while it runs, so its own function around it is taken. */

char *__real_cli_debuginfod_find(const char *build_id) __attribute__((weak));

WRAPPED(char *, cli_debuginfod_find, const char *build_id)
{
    must_be_written(build_id, strlen(build_id) + 1);
    __msan_scoped_disable_interceptor_checks();
    char *path = __real_cli_debuginfod_find(build_id);
    __msan_scoped_enable_interceptor_checks();
    if (path)
        __msan_unpoison_string(path);
    return path;
}

/* ---- libiberty: it hands the parts of a name to a function of ours, which may jump out of the library. */

#ifdef DEMANGLE_H
static __thread demangle_callbackref take_part;

static void part_written(const char *text, size_t n, void *user)
{
    is_written(&text, sizeof text);
    is_written(&n, sizeof n);
    is_written(&user, sizeof user);
    is_written(text, n);
    __msan_scoped_enable_interceptor_checks();
    take_part(text, n, user);
    __msan_scoped_disable_interceptor_checks();
}

static int demangle(int (*by)(const char *, int, demangle_callbackref, void *), const char *name, int options,
                    demangle_callbackref function, void *user)
{
    must_be_written(name, strlen(name) + 1);
    take_part = function;
    __msan_scoped_disable_interceptor_checks();
    const int result = by(name, options, part_written, user);
    __msan_scoped_enable_interceptor_checks();
    return result;
}

WRAPPED(int, rust_demangle_callback, const char *name, int options, demangle_callbackref function, void *user)
{
    return demangle(__real_rust_demangle_callback, name, options, function, user);
}

WRAPPED(int, cplus_demangle_v3_callback, const char *name, int options, demangle_callbackref function,
        void *user)
{
    return demangle(__real_cplus_demangle_v3_callback, name, options, function, user);
}
#endif

/* ---- libc: functions since glibc 2.33, which the sanitizer of clang 14 does not know. */

static int told(int result, struct stat *st)
{
    if (result == 0)
        is_written(st, sizeof *st);
    return result;
}

WRAPPED(int, stat64, const char *path, struct stat *st)
{
    return told(__real_stat64(path, st), st);
}

WRAPPED(int, lstat64, const char *path, struct stat *st)
{
    return told(__real_lstat64(path, st), st);
}

WRAPPED(int, fstat64, int fd, struct stat *st)
{
    return told(__real_fstat64(fd, st), st);
}

WRAPPED(int, fstatat64, int dir, const char *path, struct stat *st, int flags)
{
    return told(__real_fstatat64(dir, path, st, flags), st);
}
