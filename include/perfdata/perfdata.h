/* SPDX-License-Identifier: MIT */
/*
 * perfdata - reads and writes Linux perf.data files, byte for byte.
 *
 * This header includes the stable core; the comments of the headers are the manual. From the bottom up:
 *
 *   base.h       views of bytes, strings, vectors and lists; the allocator
 *   version.h    the version of headers and library
 *   error.h      errors as values, with position and field
 *   names.h      a name for every value of every enumeration and flag word, both ways
 *   constants.h  those sets and the PD_* constants             (generated from the schema)
 *   records.h    a struct for every layout                     (generated from the schema)
 *   attr.h       perf_event_attr of any size
 *   codec.h      one record in memory: decode, encode
 *   visitor.h    a callback for each record type               (generated from the schema)
 *   feature.h    feature sections: data about the machine and the recording
 *   reader.h     a recording, record by record
 *   writer.h     new recordings
 *
 * The following headers are experimental (PD_EXPERIMENTAL in base.h), and included separately. In the same
 * library, perfdata/session/:
 *
 *   event.h         event names
 *   regs.h          register names
 *   fields.h        the fields of a record by name
 *   text.h          records as text and JSON
 *   compare.h       the first difference of two records; copies that outlive their reader
 *   sample.h        registers by name, weights, sources of data, times of other clocks
 *   columns.h       numbers of samples as arrays
 *   complete.h      counts and sizes that follow from the rest
 *   large_record.h  simpleperf's records of more than 65535 bytes
 *   tracepoint.h    the fields in the raw bytes of tracepoints
 *   metadata.h      data about the recording, wherever it is stored
 *   sorter.h        a recording in the order of time
 *   tasks.h         the names of tasks over time
 *   session.h       tasks, and what is mapped where, at any moment
 *   mappings.h      the mappings alone
 *   visit.h         visitors that can stop
 *   part.h          a recording read by several threads
 *   push.h          bytes in as they come, records out
 *   ring.h          the ring buffers of perf_event_open, and a table of events
 *   sink.h          an open descriptor or FILE for a writer
 *
 * and operations on whole recordings, perfdata/ops/:
 *
 *   rewrite.h    a recording again, byte for byte
 *   convert.h    other containers, byte orders and compression
 *   transform.h  its records through a callback
 *   filter.h     selected samples, with the records that they need
 *   split.h      a recording in pieces
 *   sort.h       its records in order of time
 *   merge.h      several recordings as one
 *   repair.h     the intact part of a damaged recording
 *   redact.h     a recording that can be shown to others
 *   report.h     sums by task, file, cpu, cgroup and time
 *   export.h     its samples in the formats of other programs
 *   difference.h the differences between two recordings
 *   hash.h       a hash of the content, whatever the container
 *   index.h      where which times are, to leave out the rest
 *   gen.h        synthetic recordings
 *   parse.h      records, attrs and features from JSON
 *   expression.h conditions on fields, as text
 *   symbol.h     functions by address, from whoever knows symbols
 *
 * Rules that hold everywhere. Handles are opaque and independent: two threads may use two handles, one handle
 * serves one thread at a time. There is no global state. base.h describes options. Views point into the
 * buffer they were decoded from and are valid as long as it is. All memory comes from the allocator given at
 * opening; nothing is allocated per record. Functions that can fail return PD_OK or a code, and give details
 * in the struct pd_error of the caller.
 */
#ifndef PERFDATA_PERFDATA_H
#define PERFDATA_PERFDATA_H

#include <perfdata/attr.h>
#include <perfdata/base.h>
#include <perfdata/codec.h>
#include <perfdata/constants.h>
#include <perfdata/error.h>
#include <perfdata/feature.h>
#include <perfdata/names.h>
#include <perfdata/reader.h>
#include <perfdata/records.h>
#include <perfdata/version.h>
#include <perfdata/visitor.h>
#include <perfdata/writer.h>

#endif
