/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/push.h - a reader that is given bytes as they come, whole records or not, and never waits:
 * for programs with a loop of events of their own.
 *
 *     pd_push_open(&push, NULL, &error);
 *     while ((n = read(fd, buf, sizeof buf)) > 0) {          // or recv(), or what a callback brings
 *         if (pd_push_bytes(push, buf, (size_t)n, &error)) …
 *         while ((code = pd_push_next(push, &rec, &error)) == PD_OK)
 *             if (pd_reader_decode(pd_push_reader(push), &rec, &error) == PD_OK) …
 *     }                                                      // code is PD_AGAIN: give more
 *     pd_push_end(push);                                     // then take what is left, up to PD_END
 *     pd_push_close(push);
 */
#ifndef PERFDATA_SESSION_PUSH_H
#define PERFDATA_SESSION_PUSH_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_push;

/* Options are those of a reader; `live` is set. PD_ENOMEM. */
PD_EXPERIMENTAL enum pd_code pd_push_open(struct pd_push **push, const struct pd_reader_options *options,
                                          struct pd_error *error);
/* NULL is allowed. */
PD_EXPERIMENTAL void pd_push_close(struct pd_push *push);

/*
 * Takes the next n bytes of a stream or file, which are copied. They wait until pd_push_next() needs them:
 * take all records there are before giving more, and no more than twice a piece is held. PD_ELIMIT: more than
 * max_held bytes would wait. PD_EARG: pd_push_end() was called.
 */
PD_EXPERIMENTAL enum pd_code pd_push_bytes(struct pd_push *push, const void *bytes, size_t n,
                                           struct pd_error *error);
/* No more bytes will come. */
PD_EXPERIMENTAL void pd_push_end(struct pd_push *push);

/*
 * The next record, as from pd_reader_next(); valid until the next call for this push. PD_AGAIN: it is not all
 * there yet. PD_END: there is none, and pd_push_end() was called. Errors of pd_reader_open_source() come from
 * here, once the header is there; then the push can only be closed.
 */
PD_EXPERIMENTAL enum pd_code pd_push_next(struct pd_push *push, struct pd_record *rec,
                                          struct pd_error *error);

/*
 * The reader, for attrs, decoding, payloads (PD_AGAIN: give more), metadata and a session; NULL before the
 * header is there. It belongs to the push.
 */
PD_EXPERIMENTAL struct pd_reader *pd_push_reader(struct pd_push *push);

#ifdef __cplusplus
}
#endif
#endif
