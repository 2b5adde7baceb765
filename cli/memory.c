/* SPDX-License-Identifier: MIT */
/* memory.c - allocation that cannot fail unnoticed: whoever makes do without the memory, the exit status tells of it. */
#define _GNU_SOURCE
#include "cli.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ran_out;

static void *noted(void *p)
{
    if (p == NULL)
        ran_out = true;
    return p;
}

void *cli_malloc(size_t n)
{
    return noted(malloc(n ? n : 1));
}

void *cli_calloc(size_t n, size_t size)
{
    return noted(calloc(n ? n : 1, size));
}

void *cli_realloc(void *old, size_t n)
{
    return noted(realloc(old, n ? n : 1));
}

void *cli_reallocarray(void *old, size_t n, size_t size)
{
    return noted(reallocarray(old, n ? n : 1, size));
}

char *cli_strndup(const char *text, size_t n)
{
    return noted(strndup(text, n));
}

char *cli_strdup(const char *text)
{
    return noted(strdup(text));
}

char *cli_format(const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    return noted(n < 0 ? NULL : text);
}

static void *resize(void *user, void *old, size_t size)
{
    (void)user;
    return cli_realloc(old, size);
}

static void release(void *user, void *old)
{
    (void)user;
    free(old);
}

const struct pd_allocator cli_allocator = {resize, release, NULL};

void *cli_malloc_or_exit(size_t n)
{
    static const char text[] = "perfdata: no memory\n";
    void *p = malloc(n ? n : 1);
    if (p)
        return p;
    cli_remove_temporaries();
    (void)cli_write_all(STDERR_FILENO, text, sizeof text - 1);
    _exit(CLI_OUTPUT);
}

bool cli_no_memory(struct cli *cli)
{
    if (ran_out && cli->status < CLI_OUTPUT)
        cli_fail(cli, CLI_OUTPUT, "no memory");
    return ran_out;
}
