/* SPDX-License-Identifier: MIT */
/* demangle.h - names of C++ and Rust as their sources have them. */
#ifndef PERFDATA_CLI_DEMANGLE_H
#define PERFDATA_CLI_DEMANGLE_H

#include <stddef.h>

/* Writes the name, without the types of arguments, to `to`, of `cap` bytes, and returns it; or `name`. */
const char *cli_demangle(const char *name, char *to, size_t cap);

#endif
