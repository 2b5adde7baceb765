/* SPDX-License-Identifier: MIT */
/* decode_contracts.c - the straight-line decoder with the contracts of its layouts, for WP. */
#include "layouts.h"
#include "src/codec/decode.c"
