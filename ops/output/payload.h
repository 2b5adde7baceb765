/* SPDX-License-Identifier: MIT */
/* payload.h - what follows a record outside of its size: AUX data, tracing data. */
#ifndef PERFDATA_PAYLOAD_H
#define PERFDATA_PAYLOAD_H

#include <perfdata/session/sorter.h>

/* Takes n bytes, which are not none. What it returns, unless PD_OK, ends the reading; of a failure it tells
 * itself. */
typedef enum pd_code pd_take_piece(void *user, const uint8_t *bytes, size_t n);

/*
 * Reads what follows the record that the sorter gave last, or, if that is NULL, the reader, and has it taken
 * a piece at a time. *error is of reading alone.
 */
enum pd_code pd_copy_payload(struct pd_reader *reader, struct pd_sorter *sorter, pd_take_piece *take,
                             void *user, struct pd_error *error);

/*
 * Does the input end within what follows the record? Then the reader tells of it next. Of an input whose end
 * is not known, false.
 */
bool pd_payload_is_cut(const struct pd_reader *reader, const struct pd_record *rec);

#endif
