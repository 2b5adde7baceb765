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
    PD_ID_UNSAID, /* no line */
    PD_ID_NUMBER,
    PD_ID_NONE,
    PD_ID_AROUND,
    PD_ID_ZERO,
    PD_ID_HOST,
    PD_ID_CMDLINE,
    PD_ID_COMM,
    PD_ID_PROCESS, /* pids: pi_identity_is_pid() */
    PD_ID_THREAD,
    PD_ID_PARENT_PROCESS,
    PD_ID_PARENT_THREAD,
    PD_ID_PID,
    PD_ID_GUEST,
    PD_ID_EVENT_ID,
    PD_ID_PATH,
    PD_ID_CGROUP,
    PD_ID_SYMBOL,
    PD_ID_INODE,
    PD_ID_ADDR,
    PD_ID_EXTENT,
    PD_ID_OFFSET,
    PD_ID_TIME,
    PD_ID_CLOCK,
    PD_ID_WALL,
    PD_ID_BUILD_ID,
    PD_ID_PAYLOAD,
    PD_ID_RAW,
    PD_ID_LISTING,
    PD_ID_EVENT,
    PD_ID_SYSTEM,
    PD_ID_FORMAT,
    PD_ID_PAGE,
    PD_ID_MACHINE,
    PD_ID_CPUS,
    PD_ID_WORD,
    PD_ID_OPAQUE,
    PD_ID_AUX,
    PD_ID_BRANCHES,
    PD_ID_CHAIN,
    PD_N_IDENTITIES
};

#define PD_ID_BIT(kind_) (UINT64_C(1) << (kind_))
/* All kinds that are numbers of tasks. */
#define PD_ID_PIDS (PD_ID_BIT(PD_ID_GUEST + 1) - PD_ID_BIT(PD_ID_PROCESS))
/* In the mask of a layout: it has a string, whose slot has room behind the text. */
#define PD_ID_SLOT_BIT (UINT64_C(1) << 63)

/* True if the field is a struct pd_str. */
static inline bool pi_op_is_string(const struct pd_op *op)
{
    switch (op->kind) {
    case PD_OP_STR:
    case PD_OP_CSTR:
    case PD_OP_STR64:
    case PD_OP_STRV:
    case PD_OP_STRN:
    case PD_OP_STRMAX:
    case PD_OP_SLOT: return true;
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
    return kind >= PD_ID_PROCESS && kind <= PD_ID_GUEST;
}

/* False: no memory. Must be freed in any case. */
bool pi_identities_open(struct pi_identities *ids, const struct pd_allocator *allocator);
void pi_identities_close(struct pi_identities *ids);

/* The first place of a layout in the table. No file can choose addresses. */
PD_WRAPS static inline size_t pi_identities_place(const struct pi_identities *ids, const struct pd_op *head)
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
