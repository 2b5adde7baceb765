/* SPDX-License-Identifier: MIT */
/*
 * each.h - one pass over the whole schema. A pass defines LAYOUT, RECORD, END and the field macros it cares for, then
 * includes this; the field macros it left out expand to nothing. All field macros are undefined afterwards.
 */

#ifndef U8
#define U8(f_, set_, doc_)
#endif
#ifndef U16
#define U16(f_, set_, doc_)
#endif
#ifndef U32
#define U32(f_, set_, doc_)
#endif
#ifndef U64
#define U64(f_, set_, doc_)
#endif
#ifndef S32
#define S32(f_, set_, doc_)
#endif
#ifndef B32
#define B32(f_, set_, doc_)
#endif
#ifndef B64
#define B64(f_, set_, doc_)
#endif
#ifndef ALIAS
#define ALIAS(f_, of_, doc_)
#endif
#ifndef ARR
#define ARR(f_, n_, doc_)
#endif
#ifndef STR
#define STR(f_, doc_)
#endif
#ifndef VEC64
#define VEC64(f_, n_, set_, doc_)
#endif
#ifndef VECR64
#define VECR64(f_, set_, doc_)
#endif
#ifndef REGS
#define REGS(f_, abi_, which_, doc_)
#endif
#ifndef BYTES
#define BYTES(f_, n_, doc_)
#endif
#ifndef OPT64
#define OPT64(f_, n_, set_, doc_)
#endif
#ifndef SUB
#define SUB(f_, layout_, doc_)
#endif
#ifndef LIST
#define LIST(f_, n_, layout_, doc_)
#endif
#ifndef REST
#define REST(f_, doc_)
#endif
#ifndef WHEN
#define WHEN(src_, bit_)
#endif
#ifndef UNLESS
#define UNLESS(src_, bit_)
#endif
#ifndef DONE
#define DONE
#endif

#include "file.def"
#include "records.def"
#include "tool_records.def"

#undef U8
#undef U16
#undef U32
#undef U64
#undef S32
#undef B32
#undef B64
#undef ALIAS
#undef ARR
#undef STR
#undef VEC64
#undef VECR64
#undef REGS
#undef BYTES
#undef OPT64
#undef SUB
#undef LIST
#undef REST
#undef WHEN
#undef UNLESS
#undef DONE
