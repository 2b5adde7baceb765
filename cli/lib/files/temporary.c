/* SPDX-License-Identifier: MIT */
/*
 * temporary.c - temporary files and directories, which are removed when a signal ends the command: the only
 * state that is not in struct cli.
 */
#define _GNU_SOURCE
#include "temporary.h"
#include "cli/lib/command.h"
#include "cli/lib/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cli_write_all(int fd, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t wrote = write(fd, (const char *)bytes + done, n - done);
        if (wrote < 0 && errno != EINTR)
            return errno;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

/* ---- Signals */

#define SLOTS (PI_LIMIT_DIRECTORY_FILES + 4) /* the files of a directory, and a few */
static char slot_path[SLOTS][PATH_MAX];
static volatile sig_atomic_t slot_used[SLOTS];
static const int slot_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
#define N_SIGNALS (sizeof slot_signals / sizeof *slot_signals)

/* The files of a directory: the last is removed first, so that the directory is then empty. */
static char **made;
static volatile sig_atomic_t n_made;
static size_t made_cap;

void cli_remove_made(void)
{
    for (int i = (int)n_made - 1; i >= 0; i--)
        if (unlink(made[i]) != 0)
            rmdir(made[i]);
}

/* Files that are removed after a signal and when memory runs out. */
static void remove_all(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (slot_used[i])
            unlink(slot_path[i]);
    cli_remove_made();
}

static void on_signal(int signal)
{
    remove_all();
    raise(signal); /* SA_RESETHAND: now with the usual effect */
}

void cli_catch_signals(void)
{
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (sigaction(slot_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(slot_signals[i], &ours, NULL);
}

/* ---- The first Ctrl-C */

#define QUIET_MS 300    /* without a byte: no more are to come */
#define GOES_ON_MS 2000 /* a writer that just goes on */

static int wake[2] = {-1, -1}; /* so that no signal is missed between a look and a wait */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    const int e = errno;
    if (!interrupted) {
        interrupted = 1;
        if (write(wake[1], "", 1) == 1)
            errno = e;
        return;
    }
    remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

void cli_end_on_interrupt(void)
{
    struct sigaction ours = {.sa_handler = on_interrupt}, old;
    sigemptyset(&ours.sa_mask);
    if (wake[0] < 0 && sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN &&
        pipe2(wake, O_CLOEXEC | O_NONBLOCK) == 0)
        sigaction(SIGINT, &ours, NULL);
}

bool cli_interrupted(void)
{
    return interrupted;
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool cli_wait_input(int fd)
{
    static int64_t end;
    struct pollfd ready[] = {{.fd = fd, .events = POLLIN}, {.fd = wake[0], .events = POLLIN}};
    while (!interrupted)
        if (poll(ready, 2, -1) > 0 && ready[0].revents)
            return true;
    if (end == 0)
        end = milliseconds() + GOES_ON_MS;
    return milliseconds() < end && poll(ready, 1, QUIET_MS) > 0;
}

sigset_t cli_block_signals(void)
{
    sigset_t set, old;
    sigemptyset(&set);
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaddset(&set, slot_signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    return old;
}

bool cli_remember_made(const char *path)
{
    const sigset_t old = cli_block_signals();
    bool ok = false;
    char *copy = cli_strdup(path);
    if (copy && (size_t)n_made == made_cap) {
        const size_t more = made_cap ? made_cap * 2 : 16;
        char **p = cli_realloc(made, more * sizeof *p);
        if (p)
            made = p, made_cap = more;
    }
    if (copy && (size_t)n_made < made_cap) {
        made[n_made++] = copy;
        ok = true;
    } else {
        free(copy);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

void cli_forget_made(void)
{
    const sigset_t old = cli_block_signals();
    while (n_made)
        free(made[--n_made]);
    free(made);
    made = NULL;
    made_cap = 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- Files */

int cli_temporary_beside(char *path, int *slot_of)
{
    int fd = -1, slot = 0;
    while (slot < SLOTS && slot_used[slot])
        slot++;
    if (slot == SLOTS || strlen(path) >= PATH_MAX) {
        errno = slot == SLOTS ? EMFILE : ENAMETOOLONG;
        return -1;
    }
    cli_catch_signals();
    const sigset_t old = cli_block_signals();
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        strcpy(slot_path[slot], path);
        slot_used[slot] = 1;
        *slot_of = slot;
    }
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return fd;
}

void cli_temporary_release(int slot)
{
    slot_used[slot] = 0;
}

const char *cli_temporary_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

int cli_temporary(void)
{
    const char *dir = cli_temporary_dir();
    char path[PATH_MAX];
    int fd = open(dir, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if (snprintf(path, sizeof path, "%s/perfdata-XXXXXX", dir) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const sigset_t old = cli_block_signals();
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return fd;
}

void *cli_malloc_or_exit(size_t n)
{
    static const char text[] = "perfdata: no memory\n";
    void *p = malloc(n ? n : 1);
    if (p)
        return p;
    remove_all();
    (void)cli_write_all(STDERR_FILENO, text, sizeof text - 1);
    _exit(CLI_OUTPUT);
}
