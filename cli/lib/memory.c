/* SPDX-License-Identifier: MIT */
/*
 * memory.c - allocation that cannot fail unnoticed: even if the caller continues without the memory, the exit
 * status reports it.
 */
#define _GNU_SOURCE
#include "memory.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool ran_out; /* several threads may allocate */

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

bool cli_ran_out(void)
{
    return ran_out;
}
