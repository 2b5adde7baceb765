/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - files with symbols and DWARF from the servers of $DEBUGINFOD_URLS, or from the cache of
 * earlier answers, by elfutils' client if it is installed.
 */
#ifndef PERFDATA_CLI_DEBUGINFOD_H
#define PERFDATA_CLI_DEBUGINFOD_H

#include <stdbool.h>

/* True if the client would have been asked and is not installed. */
bool cli_debuginfod_is_absent(void);

/* The path of the file for a build id of hexadecimal digits, to be freed. NULL: there is none. */
char *cli_debuginfod_find(const char *build_id);

#endif
