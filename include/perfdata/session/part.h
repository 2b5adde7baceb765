/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/part.h - one file read by several threads.
 */
#ifndef PERFDATA_SESSION_PART_H
#define PERFDATA_SESSION_PART_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A file in parts, so that several threads can share it. Each thread opens a reader for parts, with the attrs
 * of `reader`, which must live longer and must not be used while they read. Any of the threads calls the
 * read_at() of a pd_source.
 *
 * pd_reader_take_part() has it give the records that begin in [from, to), of which the last may reach beyond;
 * `to` is at most the end of the data. A part at the start of the data begins with the first record. The file
 * does not tell where other records begin: any other part begins where several records in a row make sense,
 * or at `to` if there is no such place near `from`. pd_reader_info() of it tells: data_offset is where it
 * begins, data_end is `to`. An index counts from there.
 *
 * So a part is a guess, as data may look like records, until the previous part is known to end where it
 * begins. Records that depend on other parts need a single thread: pd_reader_next() gives PD_EUNSUP for a
 * HEADER_FEATURE. A recording with the COMPRESSED feature is cut where zstd frames begin (see `frame` of
 * pd_writer_options): a part begins with the first frame of [from, to) and ends where its last frame does,
 * which may be behind `to`; inner_offset counts from there. One frame for all is one part.
 *
 *     uint64_t at = pd_reader_info(r)->data_offset, records = 0; // up to there, all is certain
 *     for (i = 0; i < n; i++) {                                  // when the threads are through
 *         if (part[i].begin == at && part[i].code == PD_END)     // all its records were read
 *             at = part[i].end, records += part[i].records;      // end: pd_reader_offset() at last
 *         else if (at < part[i].to)                              // else AUX data of a part before covers it
 *             break;
 *     }
 *     pd_reader_seek(r, at, records, &error);                    // one thread goes on, if it is not the end
 *
 * PD_EUNSUP: a stream, or a directory, whose files pd_reader_open_member() reads side by side. PD_EARG:
 * `from` is not in the data, or behind `to`.
 */
PD_EXPERIMENTAL enum pd_code pd_reader_open_part(struct pd_reader **part, const struct pd_reader *reader,
                                                 const struct pd_reader_options *options,
                                                 struct pd_error *error);
PD_EXPERIMENTAL enum pd_code pd_reader_take_part(struct pd_reader *part, uint64_t from, uint64_t to,
                                                 struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
