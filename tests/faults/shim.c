/* SPDX-License-Identifier: MIT */
/*
 * shim.c - preloaded into a program, it makes calls of the C library fail, come short, be interrupted or be
 * the last. The environment tells which:
 *   FAULT_CALL    malloc, read, write, print (write to standard output), open (to write), input (open to
 *                 read), place (link, rename, …), or any of these: the kind that is counted
 *   FAULT_FROM    the first call that is hit, counted from 1; none when unset
 *   FAULT_HITS    how many calls from there on are hit (default 1), 0: all
 *   FAULT_DO      an errno as a number; "short": at most 7 bytes; "kill": SIGKILL before the call; "cut": the
 *                 file of FAULT_FILE becomes half as long before the call
 *   FAULT_REPORT  a file that receives "CALLS HITS BLOCKS" at exit: calls of that kind, those hit,
 *                 allocations not given back
 * What the program writes to standard error is never hit, so that its messages can be read.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* each function by its own name */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t n);
void __libc_free(void *p);

static const char *which;
static unsigned long from, most = 1;
static _Atomic unsigned long calls, hits; /* of any thread */
static _Atomic long blocks;
static int error;
static bool armed, cut_short, kills, cuts;

__attribute__((constructor)) static void arm(void)
{
    const char *s, *act = getenv("FAULT_DO");
    which = getenv("FAULT_CALL");
    if (which == NULL)
        return;
    from = (s = getenv("FAULT_FROM")) ? strtoul(s, NULL, 10) : 0;
    most = (s = getenv("FAULT_HITS")) ? strtoul(s, NULL, 10) : 1;
    error = act ? atoi(act) : 0;
    cut_short = act && strcmp(act, "short") == 0;
    kills = act && strcmp(act, "kill") == 0;
    cuts = act && strcmp(act, "cut") == 0;
    armed = true;
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("FAULT_REPORT");
    char text[80];
    armed = false;
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0)
        return;
    const int n =
        snprintf(text, sizeof text, "%lu %lu %ld\n", (unsigned long)calls, (unsigned long)hits, (long)blocks);
    if (write(fd, text, (size_t)n) != n)
        abort();
    close(fd);
}

static void cut_file(void)
{
    struct stat st = {0};
    const char *path = getenv("FAULT_FILE");
    if (path == NULL || stat(path, &st) < 0 || truncate(path, st.st_size / 2) < 0)
        abort();
    cuts = false;
}

/* Counts a call. True: it fails, errno being set; or, where *n is given, *n may have become less. */
static bool hit(const char *kind, size_t *n)
{
    if (!armed || (strcmp(which, kind) != 0 && strcmp(which, "any") != 0))
        return false;
    const unsigned long call = ++calls;
    if (from == 0 || call < from || (most && call - from >= most))
        return false;
    hits++;
    if (kills)
        kill(getpid(), SIGKILL);
    if (cuts)
        cut_file();
    if (cut_short && n && *n > 7)
        *n = 7;
    if (error)
        errno = error;
    return error != 0;
}

/* ---- Memory */

/* The block is counted when it is made. */
static void *made(void *p)
{
    blocks += armed && p != NULL;
    return p;
}

void *malloc(size_t n)
{
    return hit("malloc", NULL) ? NULL : made(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
    return hit("malloc", NULL) ? NULL : made(__libc_calloc(n, size));
}

void *realloc(void *old, size_t n)
{
    if (hit("malloc", NULL))
        return NULL;
    void *p = __libc_realloc(old, n);
    return old ? p : made(p);
}

void *reallocarray(void *old, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

void free(void *p)
{
    blocks -= armed && p != NULL;
    __libc_free(p);
}

/* ---- Files */

#define REAL(name)                         \
    static __typeof__(&name) real;         \
    if (real == NULL) {                    \
        void *p = dlsym(RTLD_NEXT, #name); \
        memcpy(&real, &p, sizeof real);    \
    }

ssize_t read(int fd, void *buf, size_t n)
{
    REAL(read)
    return hit("read", &n) ? -1 : real(fd, buf, n);
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    REAL(pread)
    return hit("read", &n) ? -1 : real(fd, buf, n, at);
}

ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
    REAL(pread64)
    return hit("read", &n) ? -1 : real(fd, buf, n, at);
}

ssize_t write(int fd, const void *buf, size_t n)
{
    REAL(write)
    return fd != STDERR_FILENO && hit(fd == STDOUT_FILENO ? "print" : "write", &n) ? -1 : real(fd, buf, n);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    REAL(pwrite)
    return hit("write", &n) ? -1 : real(fd, buf, n, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    REAL(pwrite64)
    return hit("write", &n) ? -1 : real(fd, buf, n, at);
}

int open64(const char *path, int flags, ...)
{
    REAL(open64)
    __builtin_va_list args;
    __builtin_va_start(args, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? __builtin_va_arg(args, mode_t) : 0;
    __builtin_va_end(args);
    return hit((flags & O_ACCMODE) == O_RDONLY ? "input" : "open", NULL) ? -1 : real(path, flags, mode);
}

/* What the C library opens for itself does not come by open(). */
FILE *fopen64(const char *path, const char *mode)
{
    REAL(fopen64)
    return hit(*mode == 'r' ? "input" : "open", NULL) ? NULL : real(path, mode);
}

DIR *opendir(const char *path)
{
    REAL(opendir)
    return hit("input", NULL) ? NULL : real(path);
}

int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **))
{
    REAL(scandir64)
    return hit("input", NULL) ? -1 : real(path, list, filter, order);
}

struct dirent64 *readdir64(DIR *dir)
{
    REAL(readdir64)
    return hit("input", NULL) ? NULL : real(dir);
}

int mkostemp64(char *path, int flags)
{
    REAL(mkostemp64)
    return hit("open", NULL) ? -1 : real(path, flags);
}

char *mkdtemp(char *path)
{
    REAL(mkdtemp)
    return hit("open", NULL) ? NULL : real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir)
    return hit("open", NULL) ? -1 : real(path, mode);
}

int link(const char *a, const char *b)
{
    REAL(link)
    return hit("place", NULL) ? -1 : real(a, b);
}

int rename(const char *a, const char *b)
{
    REAL(rename)
    return hit("place", NULL) ? -1 : real(a, b);
}

int renameat2(int at, const char *a, int bt, const char *b, unsigned flags)
{
    REAL(renameat2)
    return hit("place", NULL) ? -1 : real(at, a, bt, b, flags);
}

int unlink(const char *path)
{
    REAL(unlink) /* what cleans up must not fail, but may be the last thing that is done */
    return kills && hit("place", NULL) ? -1 : real(path);
}

int fchmod(int fd, mode_t mode)
{
    REAL(fchmod)
    return hit("place", NULL) ? -1 : real(fd, mode);
}

int close(int fd)
{
    REAL(close) /* the descriptor is closed even when that fails */
    const bool fails = kills ? hit("place", NULL) : fd > STDERR_FILENO && hit("close", NULL);
    const int result = real(fd);
    return fails ? -1 : result;
}
