/* SPDX-License-Identifier: MIT */
/* skim.h - skips samples without building a record of each; for the command, not in an installed header. */
#pragma once
#include <perfdata/reader.h>

/*
 * For callers that count: skips samples that could be decoded, belong to the only event, and have a time
 * other than 0 and a tid whose bit is set; adds them up, and widens first and last, which must be set. It may
 * stop anywhere, before the first, too: pd_reader_next() gives the sample that it stopped at. Takes a third
 * of the time of reading each.
 */
struct pi_skim {
    const uint64_t *tids; /* tid n is bit n % 64 of tids[n / 64]; NULL: all are set */
    uint64_t n_tids;      /* bits */
    uint64_t first, last; /* time */
    uint64_t samples, bytes;
    uint64_t inflated; /* of the bytes, those inside COMPRESSED records */
};
void pi_reader_skim(struct pd_reader *reader, struct pi_skim *skim);

/*
 * For callers that batch samples: skips samples that follow the last one of pd_reader_next(), of the same
 * event, `most` at most and no more than `room` bytes of them. They differ from *rec only in the fields of
 * pd_record_frame() and in offset and index, which continue without a gap. Returns their number; their *bytes
 * bytes begin at rec->raw + rec->size and are valid as long as the record. It may stop anywhere, before the
 * first, too.
 */
size_t pi_reader_pass(struct pd_reader *reader, const struct pd_record *rec, size_t most, size_t room,
                      size_t *bytes);
