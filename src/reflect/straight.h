/* SPDX-License-Identifier: MIT */
/* straight.h - numbers of the schema as constants, for straight-line code that writes or reads their text. */
#ifndef PERFDATA_STRAIGHT_H
#define PERFDATA_STRAIGHT_H

#include "src/schema/schema.h"

/* How numbers of a set are written. */
#define SET(id_, kind_, prefix_, bits_, doc_) enum { KIND_##id_ = PD_SET_##kind_ };
#define VALUE(name_, value_, doc_)
#define FIELD(name_, lo_, width_, set_, doc_)
#define END(id_)
#include "src/schema/names.def"
#undef SET
#undef VALUE
#undef FIELD
#undef END

/* Numbers that need their sign. */
#define STRAIGHT_U8(set_, value_) \
    ((int)KIND_##set_ == PD_SET_SDEC ? (uint64_t)(int64_t)(int8_t)(value_) : (value_))
#define STRAIGHT_U16(set_, value_) \
    ((int)KIND_##set_ == PD_SET_SDEC ? (uint64_t)(int64_t)(int16_t)(value_) : (value_))
#define STRAIGHT_U32(set_, value_) \
    ((int)KIND_##set_ == PD_SET_SDEC ? (uint64_t)(int64_t)(int32_t)(value_) : (value_))

#endif
