/* SPDX-License-Identifier: MIT */
/* foreign.h - what libraries write that were not compiled with MemorySanitizer, told to it. */
#ifndef PERFDATA_FOREIGN_H
#define PERFDATA_FOREIGN_H

#include <stddef.h>

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define pd_foreign(p_, n_) __msan_unpoison((p_), (n_))
#endif
#endif
#ifndef pd_foreign
#define pd_foreign(p_, n_) ((void)(p_), (void)(n_))
#endif

#endif
