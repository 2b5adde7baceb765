/* SPDX-License-Identifier: MIT */
/*
 * ahead.h - COMPRESSED records decompressed by other threads before the reader comes to them: frames side by
 * side, the chunks of one frame one after another. Each is decompressed as the reader would, errors included.
 */
#ifndef PERFDATA_AHEAD_H
#define PERFDATA_AHEAD_H

#include "reader_internal.h"

/*
 * Gives r->inflate the chunk of the record, decompressed if that is possible: the reader has threads, its
 * input can seek, and the frame began after the last reset.
 */
enum pd_code pi_ahead_chunk(struct pd_reader *r, const struct pd_record *rec, const struct pd_bytes *chunk,
                            struct pd_error *error);
/* Waits for the threads, and drops what they did: the reader goes to another place. NULL is allowed. */
void pi_ahead_reset(struct pi_ahead *a);
void pi_ahead_free(struct pi_ahead *a);

/* The chunk of a COMPRESSED or COMPRESSED2 record. False: its layout is wrong. */
bool pi_compressed_chunk(const struct pd_record *rec, const struct pd_plan *none, struct pd_bytes *chunk,
                         uint64_t *said);

#endif
