/* SPDX-License-Identifier: MIT */
/* payload.c - the one loop over what follows a record. */
#include "payload.h"

enum pd_code pd_copy_payload(struct pd_reader *reader, struct pd_sorter *sorter, pd_take_piece *take,
                             void *user, struct pd_error *error)
{
    for (;;) {
        const uint8_t *bytes;
        size_t n;
        enum pd_code code = sorter ? pd_sorter_payload(sorter, &bytes, &n, error)
                                   : pd_reader_payload(reader, &bytes, &n, error);
        if (code || n == 0 || (code = take(user, bytes, n)))
            return code;
    }
}
