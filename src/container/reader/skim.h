/* SPDX-License-Identifier: MIT */
/*
 * skim.h - samples passed over without a record of each; for the command, which no installed header tells of.
 */
#pragma once
#include <perfdata/reader.h>

/*
 * For callers that count: passes over samples that could be decoded, belong to the only event, and have a
 * time other than 0 and a tid whose bit is set; adds up what they are, and widens first and last, which must
 * be set. It may stop anywhere, before the first, too: pd_reader_next() gives the sample that it stopped at.
 * A third of the work of looking at each.
 */
struct pd_skim {
    const uint64_t *tids; /* tid n is bit n % 64 of tids[n / 64]; NULL: all are set */
    uint64_t n_tids;      /* bits */
    uint64_t first, last; /* time */
    uint64_t samples, bytes;
    uint64_t inflated; /* of the bytes, those inside COMPRESSED records */
};
void pd_reader_skim(struct pd_reader *reader, struct pd_skim *skim);

/*
 * For callers that batch samples: passes over samples that follow the one that pd_reader_next() has just
 * given, of the same event, `most` at most and no more than `room` bytes of them. They differ from *rec in
 * what pd_record_frame() says and in offset and index, which go on without a gap. Returns how many; their
 * *bytes bytes begin at rec->raw + rec->size and are valid as long as the record. It may stop anywhere,
 * before the first, too.
 */
size_t pd_reader_pass(struct pd_reader *reader, const struct pd_record *rec, size_t most, size_t room,
                      size_t *bytes);
