/* SPDX-License-Identifier: MIT */
/* decode_stubbed.c - the straight-line decoder, with what its proof says of the tables'. */
#include "stubs.h"
#include "src/codec/decode.c"
