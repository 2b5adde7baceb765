/* SPDX-License-Identifier: MIT */
/*
 * headless.h - recordings whose header or attrs are gone; for the command, which no installed header tells
 * of.
 */
#pragma once
#include <perfdata/reader.h>

/* Do the attrs explain the samples? */
struct pd_attrs_fit {
    uint64_t good; /* samples that are as the attr of their event says */
    uint64_t bad;  /* samples that end before or behind that; records of an event that there is not */
    bool fits;     /* not, when most samples of an event, or of all, are bad: the attrs are damaged */
    bool damaged;  /* the reader found damage of the attrs or of their ids themselves */
};

/* Looks at the first samples. Afterwards the reader, which must be able to seek, is at the first record. */
enum pd_code pd_attrs_judge(struct pd_reader *reader, struct pd_attrs_fit *fit, struct pd_error *error);

/*
 * Opens a file whose header or attrs are gone, with those of a recording of the same events: as if what
 * stands before the data in `like` stood before the whole file. Offsets are then larger than those in the
 * file by *shift. Where the header is there and both have their data at the same place, the attrs alone are
 * taken from `like`, and *shift is 0. Event ids are taken from the file's own ID_INDEX, where it has one with
 * as many, else from `like`. The first records may be far behind the start: pd_repair() looks for them. Until
 * the reader is closed, fd must stay open; `like` is not needed any more. PD_EUNSUP: `like` is no file whose
 * attrs stand before its data.
 */
enum pd_code pd_reader_open_headless(struct pd_reader **reader, int fd, struct pd_reader *like,
                                     uint64_t *shift, struct pd_error *error);
