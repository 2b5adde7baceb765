/* SPDX-License-Identifier: MIT */
/* aux_index.h - AUXTRACE records that were written, and the feature that says where they are. */
#ifndef PERFDATA_AUX_INDEX_H
#define PERFDATA_AUX_INDEX_H

#include "encode/container/writer.h"

struct pd_aux_index {
    struct pd_aux_place {
        uint64_t from, to; /* offsets in the input and the output */
        uint16_t size;     /* of the record, without its data */
    } * places;            /* by `to`; of one input that keeps its order, by `from`, too */
    size_t n, cap;
};

/* If the record that the writer was given last is an AUXTRACE one, takes note of where it stands. */
enum pd_code pd_aux_index_note(struct pd_aux_index *x, const struct pd_writer *w, const struct pd_record *rec,
                               struct pd_error *error);
/* Gives the writer, as its current feature, the index of the input with the new places; an offset of no
 * record stays. */
enum pd_code pd_aux_index_move(const struct pd_aux_index *x, struct pd_writer *w, struct pd_reader *reader,
                               const struct pd_file_section *section, struct pd_error *error);
/* The same as a new index of all that were noted. */
enum pd_code pd_aux_index_make(const struct pd_aux_index *x, struct pd_writer *w, struct pd_error *error);
void pd_aux_index_free(struct pd_aux_index *x, const struct pd_allocator *allocator);

#endif
