/* SPDX-License-Identifier: MIT */
/*
 * json_form.h - the lines of samples that are numbers alone, from their bytes: a form is the line of a sample
 * without its numbers, made once for an event of what the writer of lines prints. Then a line is constant
 * texts and digits, and neither is the sample decoded nor its line put together key by key: 460 instructions
 * for five fields, where decoding, writing and encoding it for a check are 2,000. For the command; not in an
 * installed header.
 */
#ifndef PERFDATA_JSON_FORM_H
#define PERFDATA_JSON_FORM_H

#include <perfdata/session/text.h>

/* A number of a sample, and the text between it and the one before. */
struct pi_json_number {
    char before[48];
    uint8_t n_before;
    uint8_t kind; /* see json_form.c */
    uint16_t at;  /* from the record's first byte */
};

enum { PI_JSON_NUMBERS = 24, PI_JSON_HEADS = 16, PI_JSON_HEAD = 120 };

struct pi_json_form {
    const struct pd_plan *plan; /* of the samples */
    uint16_t size;              /* of each; 0: none has this form */
    uint8_t n_numbers, n_end, n_head[PI_JSON_HEADS];
    char head[PI_JSON_HEADS][PI_JSON_HEAD]; /* up to the offset, by misc; of no bytes: others have none */
    struct pi_json_number number[PI_JSON_NUMBERS];
    char end[16];
};

/* Prints a decoded record by pd_record_json(), which it may put constant text around. */
typedef void pi_json_line(const struct pd_record *rec, unsigned flags, struct pd_out *out);

/*
 * The form of the lines, with offset and attr, of a decoded sample and of all others of its event and size.
 * Their bytes are those of their numbers, so that a line gives these if the fields are encoded where they
 * were decoded from. False, and a form of none: it has fields of other kinds.
 */
bool pi_json_form_of(struct pi_json_form *form, const struct pd_record *rec, pi_json_line *line);

/* The line of a record, which need not be decoded; false: it is of another form, and nothing is printed. */
bool pi_json_form_put(const struct pi_json_form *form, const struct pd_record *rec, struct pd_out *out);

#endif
