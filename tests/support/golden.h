/* SPDX-License-Identifier: MIT */
/*
 * golden.h - records whose bytes were derived by hand from the format's documentation, and their decoded
 * values.
 *
 * A case's text states both byte orders at once. It is a list of tokens, most significant digit first, as in
 * a big-endian stream; the little-endian stream has the bytes of each number reversed:
 *
 *     00000f55      a number of 4 bytes; the digits say how wide it is
 *     c0/03         a bitfield word: what stands in a big-endian stream, and in a little-endian one
 *     =2f6269       bytes, never swapped
 *     '/bin/ls'     the same as text
 *     =00*12        twelve times the byte
 */
#ifndef PERFDATA_TESTS_GOLDEN_H
#define PERFDATA_TESTS_GOLDEN_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <perfdata/feature.h>

/* Builder-style values in a case's expected record. */
#define WORDS(...) PD_VEC64(((uint64_t[]){__VA_ARGS__}), sizeof((uint64_t[]){__VA_ARGS__}) / 8)
#define LIST_OF(type_, ...) \
    PD_LIST(((struct type_[]){__VA_ARGS__}), sizeof((struct type_[]){__VA_ARGS__}) / sizeof(struct type_))
#define RAW(s_)                               \
    {                                         \
        (const uint8_t *)(s_), sizeof(s_) - 1 \
    }
/* A slot given in full: NUL, padding and all. */
#define SLOT_OF(s_, len_)            \
    {                                \
        (s_), (len_), sizeof(s_) - 1 \
    }
/* The same in braces, as elements of lists need them: a string that the encoder pads, integers, a list in a
 * list. */
#define TEXT_OF(s_)                   \
    {                                 \
        (s_), sizeof(s_) - 1, PD_AUTO \
    }
#define VEC_OF(type_, ...)                                                                     \
    {                                                                                          \
        (type_[]){__VA_ARGS__}, sizeof((type_[]){__VA_ARGS__}) / sizeof(type_), sizeof(type_), \
            PD_FORM_STRUCT                                                                     \
    }
#define WORDS_OF(...) VEC_OF(uint64_t, __VA_ARGS__)
#define LIST_IN(type_, ...)                                                                                \
    {                                                                                                      \
        .ptr = (struct type_[]){__VA_ARGS__},                                                              \
        .n = sizeof((struct type_[]){__VA_ARGS__}) / sizeof(struct type_), .stride = sizeof(struct type_), \
        .form = PD_FORM_STRUCT, .when = UINT32_MAX                                                         \
    }
#define ID(...) .has_id = true, .id = {__VA_ARGS__}

struct golden {
    const char *name;
    struct pd_attr attr; /* of the event the record belongs to */
    const char *text;    /* the record's bytes, header included */
    const char *seen;    /* the same in hex from a real file, little-endian; may be NULL */
    struct pd_record
        rec; /* expected, and as a program would build it: size 0, PD_AUTO strings, arrays of structs */
};

/* The same for a feature section. */
struct golden_feature {
    const char *name;
    const char *text;
    struct pd_feature f; /* expected, and as a program would build it: without raw and layout */
};

/* Writes the bytes of a text in the given order and returns their number; more than cap fail the test. */
size_t golden_bytes(const char *text, enum pd_order order, void *out, size_t cap);

/* Fails unless the decoder, the encoder and their reference interpreters agree with the case, in both byte
 * orders. */
void golden_check(const struct golden *g);

/* Fails unless decoder and encoder agree with the case, in both byte orders. */
void golden_check_feature(const struct golden_feature *g);

/* Runs the cases, each a cmocka test, and then the other tests. Returns cmocka's result. */
struct CMUnitTest;
int golden_run(const char *group, struct golden *cases, size_t n, const struct CMUnitTest *others,
               size_t n_others);

/* The same for feature sections. */
int golden_run_features(const char *group, struct golden_feature *cases, size_t n,
                        const struct CMUnitTest *others, size_t n_others);

/*
 * READ values of a read_format: the two lines "value, [enabled], [running], [id], [lost]" and "nr, [enabled],
 * [running], nr times {value, [id], [lost]}". Appends the text and fills the decoded values; n is the size of
 * a group (at most 3). Returns the number of words.
 */
size_t golden_read_values(uint64_t read_format, size_t n, char text[300], struct pd_read_values *values);

#define GOLDEN_MAX 4096 /* bytes of a case */

#endif
