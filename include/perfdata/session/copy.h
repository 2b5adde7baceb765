/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/copy.h - records that outlive their reader: in queues, for other threads, or beside the
 * next record.
 */
#ifndef PERFDATA_SESSION_COPY_H
#define PERFDATA_SESSION_COPY_H

#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A copy of a record with all that it points to: its raw bytes, what the views of its payload, id and rest
 * show (elements of lists included), its plan and its attr. Decoded or not, from a reader or made by a
 * program. The payload that follows a record outside of its size does not come along. *copy is one block of
 * memory of the allocator (NULL: malloc), which pd_record_free() frees. PD_ENOMEM.
 */
PD_EXPERIMENTAL enum pd_code pd_record_copy(struct pd_record **copy, const struct pd_record *rec,
                                            const struct pd_allocator *allocator, struct pd_error *error);
/* The allocator is that of the copy. NULL is allowed. */
PD_EXPERIMENTAL void pd_record_free(struct pd_record *copy, const struct pd_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
