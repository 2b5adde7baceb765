/* SPDX-License-Identifier: MIT */
/* gen.h - declarations shared by the parts of perfdata_gen, which prints the generated files. */
#ifndef PERFDATA_GEN_H
#define PERFDATA_GEN_H

#include <stdio.h>

/*
 * Each prints one generated file and returns 0, or prints the error of the schema on stderr and returns 1.
 * All but gen_constants() are weak: a build without their source can still make the constants.
 */
int gen_constants(FILE *out);
__attribute__((weak)) int gen_records(FILE *out);
__attribute__((weak)) int gen_visitor(FILE *out);
__attribute__((weak)) int gen_python(FILE *out);
__attribute__((weak)) int gen_format_doc(FILE *out);
__attribute__((weak)) int gen_format_man(FILE *out);
__attribute__((weak)) int gen_text_dict(FILE *out);
__attribute__((weak)) int gen_binary_dict(FILE *out);
__attribute__((weak)) int gen_limits(FILE *out);

#endif
