/* SPDX-License-Identifier: MIT */
/*
 * rows.h - the rows of PD_EXPORT_PARQUET, one a sample. A row is bytes until it is put into the table, as it
 * may have to wait for the rest of its call chain.
 */
#ifndef PERFDATA_EXPORT_ROWS_H
#define PERFDATA_EXPORT_ROWS_H

#include "export.h"

struct pi_rows;

/* What a sample says besides its own words. */
struct pi_row {
    const struct pi_export_sample *sample;
    bool has_comm, has_place;
    uint32_t comm;
    uint64_t period;
    struct pi_export_place place; /* of its address */
};

/*
 * The table, whose requested columns get the types of their fields in this recording (NULL: there is none).
 * PD_EARG; PD_ENOMEM; PD_EOUT.
 */
enum pd_code pi_rows_open(struct pi_rows **out, struct pd_export *all, struct pd_reader *reader,
                          struct pd_error *error);
void pi_rows_free(struct pi_rows *rows);
/* A field that was asked for and that no row has; NULL: none. */
const char *pi_rows_unfound(const struct pi_rows *rows);
/* Makes the bytes of a row, without its call chain. */
enum pd_code pi_rows_make(struct pi_exporting *x, const struct pi_row *row);
/* Appends a row of these bytes and the addresses of its call chain. */
enum pd_code pi_rows_put(struct pi_rows *rows, const struct pd_out *row, const struct pi_export_frames *chain,
                         struct pd_error *error);
/* Writes the last rows and the end of the file. */
enum pd_code pi_rows_end(struct pi_rows *rows, struct pd_error *error);

#endif
