/* SPDX-License-Identifier: MIT */
/* headless.h - recordings whose header or attrs are lost; for the command, not in an installed header. */
#pragma once
#include <perfdata/reader.h>

/* Whether the attrs explain the samples. */
struct pi_attrs_fit {
    uint64_t good; /* samples that match the attr of their event */
    uint64_t bad;  /* samples that are shorter or longer; records of an event that does not exist */
    bool fits;     /* false if most samples of an event, or of all, are bad: the attrs are damaged */
    bool damaged;  /* the reader found damage of the attrs or of their ids themselves */
};

/* The same while records are read one by one. */
#define PI_ATTRS_APART 64 /* events that are told apart */
struct pi_attrs_count {
    struct pi_attrs_fit fit;
    uint64_t orphans; /* among the bad ones, that are not samples: their ids may be damaged */
    unsigned good[PI_ATTRS_APART], bad[PI_ATTRS_APART];
};

/* Counts a record; if it is a sample, pd_reader_decode() said `code` of it. False: enough are counted. */
bool pi_attrs_count(struct pi_attrs_count *count, const struct pd_reader *reader, const struct pd_record *rec,
                    enum pd_code code);
/* Sets fit.fits by the counts. */
void pi_attrs_conclude(struct pi_attrs_count *count);

/* Looks at the first samples, up to damage. Afterwards the reader, which must be able to seek, is at the
 * first record. */
enum pd_code pi_attrs_judge(struct pd_reader *reader, struct pi_attrs_fit *fit, struct pd_error *error);

/*
 * Opens a file whose header or attrs are lost, with those of a recording of the same events: as if the parts
 * before the data of `like` came before the whole file. Offsets are then larger than those in the file by
 * *shift. If the header is present and both have their data at the same place, only the attrs are taken from
 * `like`, and *shift is 0. Event ids are taken from the file's own ID_INDEX, if it has one with as many, else
 * from `like`. The first records may be far behind the start: pd_repair() searches for them. fd must stay
 * open until the reader is closed; `like` is not needed after the call. PD_EUNSUP: `like` is not a file whose
 * attrs come before its data.
 */
enum pd_code pi_reader_open_headless(struct pd_reader **reader, int fd, struct pd_reader *like,
                                     uint64_t *shift, struct pd_error *error);
