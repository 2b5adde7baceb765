/* SPDX-License-Identifier: MIT */
/* glibc.c - the functions of glibc that Debian's static libzstd and libxxhash call, and musl lacks. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    return n <= room ? memcpy(to, from, n) : NULL;
}

int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
    va_list args;
    (void)flag;
    va_start(args, format);
    const int n = vfprintf(f, format, args);
    va_end(args);
    return n;
}
