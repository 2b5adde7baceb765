/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.c - see debuginfod.h. Loads the client on demand, since it brings a library for networks along:
 * where no server is configured, it is not touched. The declarations are those of elfutils/debuginfod.h.
 */
#include "debuginfod.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client;

static struct {
    bool absent; /* a server is configured, but not the library installed */
    void *library;
    struct client *client;
    struct client *(*begin)(void);
    int (*find)(struct client *client, const unsigned char *build_id, int length, char **path);
} known;

static int look_up(void *function, const char *name)
{
    void *found = dlsym(known.library, name);
    memcpy(function, &found, sizeof found); /* a function, in POSIX */
    return found != NULL;
}

static int open_client(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    if (known.client || known.library || known.absent || urls == NULL || *urls == 0)
        return known.client != NULL;
    known.library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    known.absent = known.library == NULL;
    if (known.library && look_up(&known.begin, "debuginfod_begin") &&
        look_up(&known.find, "debuginfod_find_debuginfo"))
        known.client = known.begin();
    return known.client != NULL;
}

bool cli_debuginfod_is_absent(void)
{
    return known.absent;
}

char *cli_debuginfod_find(const char *build_id)
{
    char *path = NULL;
    /* Length 0: digits, with a NUL behind them. */
    const int fd = open_client() ? known.find(known.client, (const unsigned char *)build_id, 0, &path) : -1;
    if (fd < 0)
        return NULL;
    close(fd);
    return path;
}
