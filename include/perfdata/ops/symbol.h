/* SPDX-License-Identifier: MIT */
/* perfdata/ops/symbol.h - the function that an address is in, as whoever knows symbols tells it. */
#ifndef PERFDATA_OPS_SYMBOL_H
#define PERFDATA_OPS_SYMBOL_H

#include <perfdata/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is pointed to must stay until the next call, or until the library returns. */
struct pd_symbol {
    const char *name;
    uint64_t offset;            /* of the address in it, in bytes */
    const char *const *inlined; /* functions that are inlined there, the outermost first */
    size_t n_inlined;
};

/*
 * Tells the function at `offset` in a file, of which `file` is perf's name ("" for a mapping without one) and
 * build_id hexadecimal digits or "". Without a file, and in the kernel, the offset is the address itself; see
 * pd_mapping_offset(). False: none is known.
 */
typedef bool pd_symbol_finder(void *user, const char *file, const char *build_id, uint64_t offset,
                              struct pd_symbol *symbol);

#ifdef __cplusplus
}
#endif
#endif
