/* SPDX-License-Identifier: MIT */
/* roles.c - schema/roles.def and the pids of schema/identity.def as a table by type. */
#include "roles.h"
#include "schema.h"
#include <perfdata/records.h>
#include <assert.h>

#define FIRST_TOOL PD_RECORD_HEADER_ATTR

enum {
#define LAYOUT(name_, doc_) NUMBER_OF_##name_,
#define RECORD(name_, type_, misc_, trailer_, doc_) NUMBER_OF_##name_,
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    N_LAYOUTS
};

/* The index of each layout in the table: the kernel's records by type, then the others. */
enum {
#define LAYOUT(name_, doc_) AT_##name_ = FIRST_TOOL + NUMBER_OF_##name_,
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    AT_##name_ = PD_RECORD_##type_ < FIRST_TOOL ? (int)PD_RECORD_##type_ : FIRST_TOOL + NUMBER_OF_##name_,
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
};

/* The type of each record; other layouts have none. */
enum {
#define LAYOUT(name_, doc_) TYPE_OF_##name_ = 0,
#define RECORD(name_, type_, misc_, trailer_, doc_) TYPE_OF_##name_ = PD_RECORD_##type_,
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
};

/* The compiler's message for a forgotten record says what to do: these names are then undeclared. */
enum {
#define ROLE(record_, role_, tells_, copies_, serves_) add_a_ROLE_to_roles_def_of_##record_ = PI_ROLE_##role_,
#include "roles.def"
#undef ROLE
};

/* Names and chains are taken from the fields of these two. */
#define ROLE(record_, role_, tells_, copies_, serves_)                                            \
    static_assert(PI_TELLS_##tells_ != PI_TELLS_NAME || (int)TYPE_OF_##record_ == PD_RECORD_COMM, \
                  #record_ " tells a name: only COMM can");                                       \
    static_assert(PI_ROLE_##role_ != PI_ROLE_CHAIN ||                                             \
                      (int)TYPE_OF_##record_ == PD_RECORD_CALLCHAIN_DEFERRED,                     \
                  #record_ " has the role CHAIN: only CALLCHAIN_DEFERRED can");
#include "roles.def"
#undef ROLE

/*
 * ENTRY_thread(layout, field) and so on are what becomes of a field of such a kind, ENTRY_none, of all other
 * kinds, nothing: a kind that is not among these gives one argument less, so that none is the second.
 */
#define KIND_PROCESS ~, process
#define KIND_THREAD ~, thread
#define KIND_PARENT_PROCESS ~, parent_process
#define KIND_PARENT_THREAD ~, parent_thread
#define KIND_EVENT_ID ~, event_id
#define KIND_TIME ~, time
#define SECOND(first_, second_, ...) second_
#define PICK(...) SECOND(__VA_ARGS__)
#define PASTE(a_, b_) a_##b_
#define ENTRY(member_, layout_, field_) PASTE(ENTRY_, member_)(layout_, field_)
#define PLACE(member_, layout_, field_) \
    [AT_##layout_].member_ = (uint8_t)(offsetof(struct pd_##layout_, field_) + 1),
#define ENTRY_process(layout_, field_) PLACE(process, layout_, field_)
#define ENTRY_thread(layout_, field_) PLACE(thread, layout_, field_)
#define ENTRY_parent_process(layout_, field_) PLACE(parent_process, layout_, field_)
#define ENTRY_parent_thread(layout_, field_) PLACE(parent_thread, layout_, field_)
#define ENTRY_event_id(layout_, field_)
#define ENTRY_time(layout_, field_)
#define ENTRY_none(layout_, field_)
#define IDENTIFIES(layout_, field_, kind_) ENTRY(PICK(KIND_##kind_, none, ~), layout_, field_)

const struct pi_traits pi_kernel_traits[FIRST_TOOL + N_LAYOUTS] = {
#define ROLE(record_, role_, tells_, copies_, serves_)                                     \
    [AT_##record_].tells = PI_TELLS_##tells_, [AT_##record_].copies = PI_COPIES_##copies_, \
    [AT_##record_].serves = PI_SERVES_##serves_,
#include "roles.def"
#undef ROLE
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) [AT_##name_].role = add_a_ROLE_to_roles_def_of_##name_,
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#define WHOLE(layout_, kind_)
#include "identity.def"
};

#undef PLACE
/* A pid of the kernel's records has 4 bytes, within the first ones of the struct. */
#define PLACE(member_, layout_, field_)                                                \
    static_assert((int)AT_##layout_ >= (int)FIRST_TOOL ||                              \
                      (sizeof((struct pd_##layout_ *)0)->field_ == sizeof(uint32_t) && \
                       offsetof(struct pd_##layout_, field_) < UINT8_MAX),             \
                  #layout_ "." #field_ " is not a pid of 4 bytes");
#include "identity.def"

#undef IDENTIFIES

#undef ENTRY_process
#undef ENTRY_thread
#undef ENTRY_parent_process
#undef ENTRY_parent_thread
#undef ENTRY_event_id
#define ENTRY_process ENTRY_none
#define ENTRY_thread ENTRY_none
#define ENTRY_parent_process ENTRY_none
#define ENTRY_parent_thread ENTRY_none
#define FIRST_OF(layout_, field_)                                                   \
    if ((int)TYPE_OF_##layout_ != 0 && type == TYPE_OF_##layout_) {                 \
        static_assert(sizeof((struct pd_##layout_ *)0)->field_ == sizeof(uint64_t), \
                      "an event id, or a time, has 8 bytes");                       \
        return offsetof(struct pd_##layout_, field_) + 1;                           \
    }
#define ENTRY_event_id FIRST_OF
#define IDENTIFIES(layout_, field_, kind_) ENTRY(PICK(KIND_##kind_, none, ~), layout_, field_)

size_t pi_payload_event_id(uint32_t type)
{
#include "identity.def"
    return 0;
}

#undef ENTRY_event_id
#undef ENTRY_time
#define ENTRY_event_id ENTRY_none
#define ENTRY_time FIRST_OF

size_t pi_payload_time(uint32_t type)
{
#include "identity.def"
    return 0;
}

#undef IDENTIFIES
#undef WHOLE

const struct pi_traits *pi_tool_traits(uint32_t type)
{
    static const struct pi_traits unknown = {.role = PI_ROLE_TOOL, .copies = PI_COPIES_ONCE};
    switch (type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        return &pi_kernel_traits[AT_##name_];
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return &unknown;
    }
}

bool pi_tool_has_beyond(uint32_t type, const void *decoded)
{
#define LAYOUT(name_, doc_) RECORD_OF(name_, 0)
#define RECORD(name_, type_, misc_, trailer_, doc_) RECORD_OF(name_, PD_RECORD_##type_)
#define RECORD_OF(name_, type_)                 \
    {                                           \
        const struct pd_##name_ *own = decoded; \
        const bool is = type == (type_);        \
        (void)own, (void)is;
#define MOST(f_, value_)          \
    if (is && own->f_ > (value_)) \
        return true;
#define END(name_) }
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    return false;
}
