/* SPDX-License-Identifier: MIT */
/*
 * perfdata - reads and writes Linux perf.data files, byte for byte.
 *
 * This header includes all others; their comments are the manual. From the bottom up:
 *
 *   base.h       views of bytes, strings, vectors and lists; the allocator
 *   error.h      errors as values, with position and field
 *   names.h      a name for every value of every enumeration and flag word, both ways
 *   constants.h  those sets and the PD_* constants             (generated from the schema)
 *   records.h    a struct for every layout                     (generated from the schema)
 *   attr.h       perf_event_attr of any size
 *   event.h      event names
 *   regs.h       register names
 *   codec.h      one record in memory: decode, encode
 *   fields.h     the fields of a record by name
 *   visitor.h    a callback for each record type              (generated from the schema)
 *   text.h       records as text and JSON
 *   feature.h    feature sections: what a file says of the machine and itself
 *   split.h      simpleperf's records of more than 65535 bytes
 *   tracepoint.h the fields in the raw bytes of tracepoints
 *   parse.h      records, attrs and features from JSON
 *   compare.h    the first difference of two records
 *   reader.h     a recording, record by record
 *   metadata.h   what a recording says of itself, wherever it says it
 *   writer.h     new recordings, and old ones again
 *   order.h      a recording in the order of time
 *   tasks.h      which program a task was at which time
 *   filter.h     the samples one wants, with the records that they need
 *   difference.h what two recordings say differently
 *   sort.h       the same as a new recording
 *   merge.h      several recordings as one
 *   hash.h       a hash of the content, whatever the container
 *   gen.h        synthetic recordings
 *   convert.h    other containers, byte orders and compression
 *
 * Rules that hold everywhere. Handles are opaque and independent: two threads may use two handles, one handle serves
 * one thread at a time. There is no global state. Structs of options start with their own size; zeros mean the usual.
 * Views point into the buffer they were decoded from and live as long as that. All memory comes from the allocator
 * given at opening; nothing is allocated per record. Functions that can fail return PD_OK or a code, and say more in
 * the struct pd_error they are given.
 */
#ifndef PERFDATA_PERFDATA_H
#define PERFDATA_PERFDATA_H

#include <perfdata/attr.h>
#include <perfdata/base.h>
#include <perfdata/codec.h>
#include <perfdata/compare.h>
#include <perfdata/constants.h>
#include <perfdata/convert.h>
#include <perfdata/difference.h>
#include <perfdata/error.h>
#include <perfdata/event.h>
#include <perfdata/feature.h>
#include <perfdata/fields.h>
#include <perfdata/filter.h>
#include <perfdata/gen.h>
#include <perfdata/hash.h>
#include <perfdata/merge.h>
#include <perfdata/metadata.h>
#include <perfdata/names.h>
#include <perfdata/order.h>
#include <perfdata/parse.h>
#include <perfdata/pieces.h>
#include <perfdata/reader.h>
#include <perfdata/redact.h>
#include <perfdata/records.h>
#include <perfdata/regs.h>
#include <perfdata/repair.h>
#include <perfdata/sort.h>
#include <perfdata/split.h>
#include <perfdata/tasks.h>
#include <perfdata/text.h>
#include <perfdata/tracepoint.h>
#include <perfdata/visitor.h>
#include <perfdata/writer.h>

#endif
