/* SPDX-License-Identifier: MIT */
/* memory.h - allocation as in the C library, but a failure is remembered. */
#ifndef PERFDATA_CLI_MEMORY_H
#define PERFDATA_CLI_MEMORY_H

#include <perfdata/reader.h>
#include <stddef.h>

void *cli_malloc(size_t n);
void *cli_calloc(size_t n, size_t size);
void *cli_realloc(void *old, size_t n);
void *cli_reallocarray(void *old, size_t n, size_t size);
char *cli_strdup(const char *text);
char *cli_strndup(const char *text, size_t n);
__attribute__((format(printf, 1, 2))) char *cli_format(const char *format, ...); /* like asprintf() */
extern const struct pd_allocator cli_allocator;

/* True if any of these has failed. See cli_no_memory(). */
bool cli_ran_out(void);

#endif
