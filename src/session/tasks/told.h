/* SPDX-License-Identifier: MIT */
/*
 * told.h - the information about a task in a record, by roles.def and identity.def: the input of all code
 * that follows tasks.
 */
#ifndef PERFDATA_TOLD_H
#define PERFDATA_TOLD_H

#include "src/codec/record_role.h"

struct pd_told {
    enum pd_tells tells;
    bool of_kernel; /* a mapping of the kernel's own: it belongs to no task */
    bool has_parent;
    uint32_t pid, tid;
    uint32_t ppid, ptid; /* if it has one */
};

/* Decodes the record. PD_EUNKNOWN, too, if its event is not known or it names no task; else the error of
 * decoding it. */
enum pd_code pd_told_of(struct pd_record *rec, struct pd_told *told, struct pd_error *error);
/*
 * True if it is a mapping of a process, or namespaces, which show that a task exists. Decodes records that
 * may be one.
 */
bool pd_told_map(struct pd_record *rec, struct pd_told *told);

#endif
