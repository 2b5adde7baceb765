/* SPDX-License-Identifier: MIT */
/* aux_index.h - the AUXTRACE records of an output, and the feature that lists their places. */
#ifndef PERFDATA_AUX_INDEX_H
#define PERFDATA_AUX_INDEX_H

#include "encode/container/writer.h"

struct pi_aux_index {
    struct pi_aux_place {
        uint64_t from, to; /* offsets in the input and the output */
        uint16_t size;     /* of the record, without its data */
    } * places;            /* sorted by `to`; for one input that keeps its order, by `from`, too */
    size_t n, cap;
};

/* If the writer's last record is an AUXTRACE one, notes its place. */
enum pd_code pi_aux_index_note(struct pi_aux_index *x, const struct pd_writer *w, const struct pd_record *rec,
                               struct pd_error *error);
/*
 * Gives the writer, as its current feature, the index of the input with the new places; an offset without a
 * record stays.
 */
enum pd_code pi_aux_index_move(const struct pi_aux_index *x, struct pd_writer *w, struct pd_reader *reader,
                               const struct pd_file_section *section, struct pd_error *error);
/* Gives it a new index of all noted records. */
enum pd_code pi_aux_index_make(const struct pi_aux_index *x, struct pd_writer *w, struct pd_error *error);
void pi_aux_index_free(struct pi_aux_index *x, const struct pd_allocator *allocator);

#endif
