/* SPDX-License-Identifier: MIT */
/* payload.h - the payload: bytes that follow a record outside of its size, as AUX data and tracing data. */
#ifndef PERFDATA_PAYLOAD_H
#define PERFDATA_PAYLOAD_H

#include <perfdata/session/sorter.h>

/*
 * Takes n bytes, at least 1. A result other than PD_OK ends the reading; the callback reports its own
 * failures.
 */
typedef enum pd_code pi_take_piece(void *user, const uint8_t *bytes, size_t n);

/*
 * Reads the payload of the sorter's last record, or, if that is NULL, of the reader's, and passes it on in
 * pieces. *error is only set by reading.
 */
enum pd_code pi_copy_payload(struct pd_reader *reader, struct pd_sorter *sorter, pi_take_piece *take,
                             void *user, struct pd_error *error);

/*
 * True if the input ends within the payload; the reader reports it next. False if the end of the input is
 * unknown.
 */
bool pi_payload_is_cut(const struct pd_reader *reader, const struct pd_record *rec);

#endif
