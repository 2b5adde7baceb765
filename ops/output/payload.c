/* SPDX-License-Identifier: MIT */
/* payload.c - the one loop over a record's payload. */
#include "payload.h"

enum pd_code pi_copy_payload(struct pd_reader *reader, struct pd_sorter *sorter, pi_take_piece *take,
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

bool pi_payload_is_cut(const struct pd_reader *reader, const struct pd_record *rec)
{
    const uint64_t end =
        rec->member ? pd_reader_member(reader, rec->member)->size : pd_reader_info(reader)->data_end;
    return rec->payload_size && rec->payload_size > end - rec->offset - rec->size;
}
