/* SPDX-License-Identifier: MIT */
/* guard.h - memory that ends at an inaccessible page: reading or writing past the end stops the test. */
#ifndef PERFDATA_TESTS_GUARD_H
#define PERFDATA_TESTS_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define GUARD_SLOTS 4
#define GUARD_SIZE ((size_t)1 << 17) /* bytes of a slot at most */

/* n bytes that end at the guard page of the slot, filled with 0xa5. The slot's earlier content is gone. */
uint8_t *guard_room(unsigned slot, size_t n);

/* The same holding a copy of `bytes`. */
uint8_t *guard_copy(unsigned slot, const void *bytes, size_t n);

#endif
