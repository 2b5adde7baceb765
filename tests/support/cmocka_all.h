/* SPDX-License-Identifier: MIT */
/* cmocka_all.h - cmocka with the headers that it requires. */
#ifndef PERFDATA_TESTS_CMOCKA_ALL_H
#define PERFDATA_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
