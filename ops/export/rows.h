/* SPDX-License-Identifier: MIT */
/*
 * rows.h - the rows of PD_EXPORT_PARQUET, one a sample. A row that waits for the rest of its call chain is
 * bytes: for each value, 1 + the number of its column and the value in 7 bits a byte, of a text its length
 * and its bytes; then 0.
 */
#ifndef PERFDATA_EXPORT_ROWS_H
#define PERFDATA_EXPORT_ROWS_H

#include "export.h"

struct pd_rows;

/* What a sample says besides its own words. */
struct pd_row {
    const struct pd_export_sample *sample;
    bool has_comm, has_place;
    uint32_t comm;
    uint64_t period;
    struct pd_export_place place; /* of its address */
};

/*
 * The table, whose requested columns get the types of their fields in this recording (NULL: there is none).
 * PD_EARG; PD_ENOMEM; PD_EOUT.
 */
enum pd_code pd_rows_open(struct pd_rows **out, struct pd_export *all, struct pd_reader *reader,
                          struct pd_error *error);
void pd_rows_free(struct pd_rows *rows);
/* A field that was asked for and that no row has; NULL: none. */
const char *pd_rows_unfound(const struct pd_rows *rows);
/* Makes the bytes of a row, without its call chain. */
enum pd_code pd_rows_make(struct pd_exporting *x, const struct pd_row *row);
/* Appends a row of these bytes and the addresses of its call chain. */
enum pd_code pd_rows_put(struct pd_rows *rows, const struct pd_out *row, const struct pd_export_frames *chain,
                         struct pd_error *error);
/* Writes the last rows and the end of the file. */
enum pd_code pd_rows_end(struct pd_rows *rows, struct pd_error *error);

#endif
