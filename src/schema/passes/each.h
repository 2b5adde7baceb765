/* SPDX-License-Identifier: MIT */
/*
 * each.h - one pass over the whole schema. A pass defines LAYOUT, RECORD, END and the field macros it cares
 * for, then includes this; the field macros it left out expand to nothing. All field macros are undefined
 * afterwards. With PI_EACH_FAST, which is undefined afterwards too, the layouts that only the tables know are
 * left out.
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
#ifndef GRID64
#define GRID64(f_, rows_, columns_, set_, doc_)
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
#ifndef LATE
#define LATE(f_, abi_, bit_, layout_, doc_)
#endif
#ifndef DONE
#define DONE
#endif
#ifndef PI_EACH_FAST
#ifndef CSTR
#define CSTR(f_, doc_)
#endif
#ifndef STR64
#define STR64(f_, doc_)
#endif
#ifndef MAGIC
#define MAGIC(f_, n_, bytes_, doc_)
#endif
#ifndef WORD
#define WORD(f_, text_, doc_)
#endif
#ifndef STRV
#define STRV(f_, doc_)
#endif
#ifndef STRN
#define STRN(f_, n_, doc_)
#endif
#ifndef SLOT
#define SLOT(f_, len_, doc_)
#endif
#ifndef VEC16
#define VEC16(f_, n_, set_, doc_)
#endif
#ifndef VEC32
#define VEC32(f_, n_, set_, doc_)
#endif
#ifndef VARINT
#define VARINT(f_, set_, doc_)
#endif
#ifndef ITEMS
#define ITEMS(f_, n_, layout_, doc_)
#endif
#ifndef ITEMSR
#define ITEMSR(f_, layout_, doc_)
#endif
#ifndef WHOLE
#define WHOLE(f_, size_, less_, layout_, doc_)
#endif
#ifndef MESSAGE
#define MESSAGE(f_, layout_, doc_)
#endif
#ifndef SIZED
#define SIZED(f_, size_, less_, layout_, doc_)
#endif
#ifndef ATTR
#define ATTR(f_, doc_)
#endif
#ifndef GIVEN
#define GIVEN(f_, doc_)
#endif
#ifndef ROOM
#define ROOM(f_, n_, doc_)
#endif
#ifndef ROOMN
#define ROOMN(f_, count_, n_, doc_)
#endif
#ifndef ODD64
#define ODD64(f_, doc_)
#endif
#ifndef UNITS
#define UNITS(f_, of_, n_, doc_)
#endif
#ifndef LOW
#define LOW(f_, of_, mask_, doc_)
#endif
#ifndef LESS
#define LESS(f_, of_, n_, doc_)
#endif
#ifndef OTHER
#define OTHER(f_, key_, doc_)
#endif
#ifndef ONES
#define ONES(f_, of_, doc_)
#endif
#ifndef STRMAX
#define STRMAX(f_, n_, doc_)
#endif
#ifndef TEXT
#define TEXT(f_, doc_)
#endif
#ifndef SINCE
#define SINCE(f_, of_, tenths_, doc_)
#endif
#ifndef LITTLE
#define LITTLE
#endif
#ifndef PASS
#define PASS(f_)
#endif
#ifndef ORDER
#define ORDER(f_)
#endif
#ifndef IS
#define IS(f_, value_)
#endif
#ifndef FROM
#define FROM(f_, value_)
#endif
#ifndef HAS
#define HAS(f_, mask_)
#endif
#ifndef LACKS
#define LACKS(f_, mask_)
#endif
#ifndef MOST
#define MOST(f_, value_)
#endif
#ifndef FEATURE
#define FEATURE(name_, id_, doc_) LAYOUT(feature_##name_, doc_)
#endif
#endif

#include "src/schema/file.def"
#include "src/schema/records.def"
#include "src/schema/tool_records.def"
#ifndef PI_EACH_FAST
#include "src/schema/rare_records.def"
#include "src/schema/features.def"
#endif

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
#undef GRID64
#undef REGS
#undef BYTES
#undef OPT64
#undef SUB
#undef LIST
#undef REST
#undef WHEN
#undef UNLESS
#undef LATE
#undef DONE

#ifndef PI_EACH_FAST
#undef CSTR
#undef STR64
#undef MAGIC
#undef WORD
#undef STRV
#undef STRN
#undef SLOT
#undef VEC16
#undef VEC32
#undef VARINT
#undef ITEMS
#undef ITEMSR
#undef WHOLE
#undef MESSAGE
#undef SIZED
#undef ATTR
#undef GIVEN
#undef ROOM
#undef ROOMN
#undef ODD64
#undef UNITS
#undef LOW
#undef LESS
#undef OTHER
#undef ONES
#undef STRMAX
#undef TEXT
#undef SINCE
#undef LITTLE
#undef PASS
#undef ORDER
#undef IS
#undef FROM
#undef HAS
#undef LACKS
#undef MOST
#undef FEATURE
#endif
#undef PI_EACH_FAST
