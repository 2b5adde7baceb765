/* SPDX-License-Identifier: MIT */
/* decode.c - the straight-line decoder with the contracts of its layouts, for WP. */
#include "tests/proof/layouts.h"
#include "src/codec/decode.c"
