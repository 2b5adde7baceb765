/* SPDX-License-Identifier: MIT */
/*
 * roles.h - the role of each record in selections (schema/roles.def), and the positions of its pids
 * (schema/identity.def), as a table by type.
 */
#ifndef PERFDATA_ROLES_H
#define PERFDATA_ROLES_H

#include <perfdata/constants.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The treatment of a record when samples are selected. */
enum pi_role {
    PI_ROLE_KERNEL,    /* stays, unless only samples are selected */
    PI_ROLE_SAMPLE,    /* is selected */
    PI_ROLE_WITH_TASK, /* goes with the samples of its task */
    PI_ROLE_OF_TASK,   /* names or maps of a task: stays when the task is needed */
    PI_ROLE_CHAIN,     /* stays with the samples whose call chains it completes */
    PI_ROLE_TOOL,      /* stays */
    PI_ROLE_WRAPPER,   /* goes: its content is written instead */
};

/* The information about its task. */
enum pi_tells {
    PI_TELLS_NOTHING,
    PI_TELLS_TASK,
    PI_TELLS_MAP,
    PI_TELLS_NAME,
    PI_TELLS_BIRTH,
    PI_TELLS_END,
};

/* The meaning of copies of it. */
enum pi_copies {
    PI_COPIES_EVENT,
    PI_COPIES_STATE,
    PI_COPIES_ONCE,
};

/* The part of the container that it serves. */
enum pi_serves {
    PI_SERVES_CONTENT, /* none: it is content */
    PI_SERVES_ORDER,
    PI_SERVES_COMPRESSION,
    /* What brings the rest is in the header and in the sections of a file. */
    PI_SERVES_ATTR,
    PI_SERVES_EVENT_TYPE,
    PI_SERVES_FEATURE,
};

struct pi_traits {
    _Alignas(8) uint8_t role; /* samples ask for it */
    uint8_t tells, copies, serves;
    /* Offsets, plus 1, of the pids in the decoded record; 0: it has none. */
    uint8_t process, thread, parent_process, parent_thread;
};

/* Of the kernel's records, by type; those that the schema does not have are KERNEL, and tell nothing. */
extern const struct pi_traits pi_kernel_traits[];
/* Of perf's; those that the schema does not have are TOOL. */
const struct pi_traits *pi_tool_traits(uint32_t type);

/* Offset, plus 1, of the first event id, or time, in a decoded record of this type; 0: it has none. */
size_t pi_payload_event_id(uint32_t type);
size_t pi_payload_time(uint32_t type);
/*
 * True if a decoded record of perf has a greater number in a field than any perf writes (MOST in
 * rare_records.def).
 */
bool pi_tool_has_beyond(uint32_t type, const void *decoded);

static inline const struct pi_traits *pi_traits_of(uint32_t type)
{
    return type < PD_RECORD_HEADER_ATTR ? &pi_kernel_traits[type] : pi_tool_traits(type);
}

#endif
