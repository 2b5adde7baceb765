/* SPDX-License-Identifier: MIT */
/*
 * identity.h - the fields that identify the owner of a recording: the lines of schema/identity.def, found by
 * layout and field.
 */
#ifndef PERFDATA_IDENTITY_H
#define PERFDATA_IDENTITY_H

#include "src/schema/schema.h"
#include "src/support/wrap.h"

enum pi_identity {
    PI_ID_UNSAID, /* no line */
    PI_ID_NUMBER,
    PI_ID_NONE,
    PI_ID_AROUND,
    PI_ID_ZERO,
    PI_ID_HOST,
    PI_ID_CMDLINE,
    PI_ID_COMM,
    PI_ID_PROCESS, /* pids: pi_identity_is_pid() */
    PI_ID_THREAD,
    PI_ID_PARENT_PROCESS,
    PI_ID_PARENT_THREAD,
    PI_ID_PID,
    PI_ID_GUEST,
    PI_ID_EVENT_ID,
    PI_ID_PATH,
    PI_ID_CGROUP,
    PI_ID_SYMBOL,
    PI_ID_INODE,
    PI_ID_ADDR,
    PI_ID_EXTENT,
    PI_ID_OFFSET,
    PI_ID_TIME,
    PI_ID_CLOCK,
    PI_ID_WALL,
    PI_ID_BUILD_ID,
    PI_ID_PAYLOAD,
    PI_ID_RAW,
    PI_ID_LISTING,
    PI_ID_EVENT,
    PI_ID_SYSTEM,
    PI_ID_FORMAT,
    PI_ID_PAGE,
    PI_ID_MACHINE,
    PI_ID_CPUS,
    PI_ID_WORD,
    PI_ID_OPAQUE,
    PI_ID_AUX,
    PI_ID_BRANCHES,
    PI_ID_CHAIN,
    PI_N_IDENTITIES
};

#define PI_ID_BIT(kind_) (UINT64_C(1) << (kind_))
/* All kinds that are numbers of tasks. */
#define PI_ID_PIDS (PI_ID_BIT(PI_ID_GUEST + 1) - PI_ID_BIT(PI_ID_PROCESS))
/* In the mask of a layout: it has a string, whose slot has room behind the text. */
#define PI_ID_SLOT_BIT (UINT64_C(1) << 63)

/* True if the field is a struct pd_str. */
static inline bool pi_op_is_string(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return true;
    default: return false;
    }
}

/* One layout: the kind of each of its lines; kinds[0], of the HEAD, is that of WHOLE. */
struct pi_identity_layout {
    const struct pd_op *head;
    const uint8_t *kinds;
    uint64_t mask; /* of all kinds in it and its parts */
};

/* All layouts. Made at run time, since the schema's tables do not have room for it. */
struct pi_identities {
    const struct pd_allocator *allocator;
    struct pi_identity_layout *slots; /* by the address of the head; a power of two */
    size_t n_slots;
    uint8_t *kinds;
};

static inline bool pi_identity_is_pid(unsigned kind)
{
    return kind >= PI_ID_PROCESS && kind <= PI_ID_GUEST;
}

/* False: no memory. Must be freed in any case. */
bool pi_identities_open(struct pi_identities *ids, const struct pd_allocator *allocator);
void pi_identities_close(struct pi_identities *ids);

/* The first place of a layout in the table. No file can choose addresses. */
PI_WRAPS static inline size_t pi_identities_place(const struct pi_identities *ids, const struct pd_op *head)
{
    return (size_t)(((uintptr_t)head >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (ids->n_slots - 1);
}

static inline const struct pi_identity_layout *pi_identities_of(const struct pi_identities *ids,
                                                                const struct pd_op *head)
{
    size_t i = pi_identities_place(ids, head);
    for (; ids->slots[i].head != head; i = (i + 1) & (ids->n_slots - 1))
        ;
    return &ids->slots[i];
}

#endif
