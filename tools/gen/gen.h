/* SPDX-License-Identifier: MIT */
/* gen.h - what the parts of perfdata_gen, which prints the generated files, share. */
#ifndef PERFDATA_GEN_H
#define PERFDATA_GEN_H

#include <stdio.h>

/*
 * Each prints one generated file and returns 0, or says on stderr what is wrong with the schema and
 * returns 1. Those other than gen_constants() are weak: a build without their source still makes the
 * constants.
 */
int gen_constants(FILE *out);
__attribute__((weak)) int gen_records(FILE *out);
__attribute__((weak)) int gen_visitor(FILE *out);
__attribute__((weak)) int gen_format_doc(FILE *out);
__attribute__((weak)) int gen_format_man(FILE *out);
__attribute__((weak)) int gen_text_dict(FILE *out);
__attribute__((weak)) int gen_binary_dict(FILE *out);
__attribute__((weak)) int gen_limits(FILE *out);

#endif
