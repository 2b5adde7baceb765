/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/text.h - records and attrs as text: for people, and as lossless JSON.
 *
 *     char buf[65536];
 *     struct pd_out out = {.buf = buf, .cap = sizeof buf, .more = write_it};
 *     pd_record_json(&rec, 0, &out);
 *
 * Text goes to a buffer of the caller; nothing here allocates, except pd_out_grow() if it is chosen.
 */
#ifndef PERFDATA_SESSION_TEXT_H
#define PERFDATA_SESSION_TEXT_H

#include <perfdata/codec.h>
#include <perfdata/session/fields.h>
#include <perfdata/session/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where text goes: buf[0…n), of cap bytes, without a NUL at its end.
 *
 * When `want` more bytes do not fit, `more` is called to make room: it either writes buf out and sets n to 0,
 * or makes buf larger; any amount of room is enough. When it returns false, or is NULL, the buffer is filled
 * to its end, all further text is dropped and counted in `lost`, and cap becomes n. So lost == 0 means that
 * the text is complete.
 */
struct pd_out {
    char *buf;
    size_t cap;
    size_t n;
    bool (*more)(struct pd_out *out, size_t want);
    void *user; /* of `more` */
    uint64_t lost;
};

/*
 * A `more` that enlarges buf, which may be NULL at first, by the struct pd_allocator that `user` points to
 * (NULL: realloc). The caller releases buf the same way.
 */
PD_EXPERIMENTAL bool pd_out_grow(struct pd_out *out, size_t want);

PD_EXPERIMENTAL void pd_out_bytes(struct pd_out *out, const void *bytes, size_t n);
PD_EXPERIMENTAL void pd_out_str(struct pd_out *out, const char *s);
/* A number in decimal; a signed number; a number as 0x… . */
PD_EXPERIMENTAL void pd_out_dec(struct pd_out *out, uint64_t value);
PD_EXPERIMENTAL void pd_out_sdec(struct pd_out *out, int64_t value);
PD_EXPERIMENTAL void pd_out_hex(struct pd_out *out, uint64_t value);
/* A number as its set writes it, like pd_set_format(). */
PD_EXPERIMENTAL void pd_out_value(struct pd_out *out, const struct pd_set *set, uint64_t value);
/* Bytes as lower-case hex digits, without spaces or quotes. */
PD_EXPERIMENTAL void pd_out_hex_bytes(struct pd_out *out, const void *bytes, size_t n);
/*
 * Text for people: control characters and bytes that are not UTF-8 become \xNN, a backslash becomes \\. Here
 * and in all texts below, marks and overrides of direction (Bidi_Control of Unicode) and the separators of
 * lines (U+2028, U+2029) count as control characters.
 */
PD_EXPERIMENTAL void pd_out_plain(struct pd_out *out, const char *text, size_t n);
/* The same, but a backslash stays one, as in names printed by perf: printable text is the same as perf's. */
PD_EXPERIMENTAL void pd_out_visible(struct pd_out *out, const char *text, size_t n);
/*
 * A JSON value: a string with its quotes where the text is UTF-8, else {"hex":"…"}. Control characters are
 * \uNNNN.
 */
PD_EXPERIMENTAL void pd_out_json_text(struct pd_out *out, const char *text, size_t n);
/* A JSON value: a number of `width` bytes by the rules of pd_record_json(). */
PD_EXPERIMENTAL void pd_out_json_value(struct pd_out *out, const struct pd_set *set, uint64_t value,
                                       unsigned width);

struct pd_print_options {
    size_t size;       /* sizeof this struct */
    enum pd_arch arch; /* names the registers; they are numbered if this, or the record's attr, is unknown */
    size_t max_bytes;  /* number of opaque bytes shown; 0: 64 */
};

/*
 * Functions with these options return PD_OK, or PD_EARG, and print nothing, for options that this library
 * does not know: `error`, which may be NULL, names their struct.
 *
 * A record for people: a line "OFFSET [SIZE]: TYPE MISC", offset and size in hexadecimal, the offset of a
 * record from inside a compressed one as OFFSET+INNER, then indented lines "name: value" in stream order,
 * times in nanoseconds, an element of a vector or list a line. A record that is not decoded is shown as
 * bytes. NULL options: defaults.
 */
PD_EXPERIMENTAL enum pd_code pd_record_print(const struct pd_record *rec,
                                             const struct pd_print_options *options, struct pd_out *out,
                                             struct pd_error *error);

/* An attr for people: a line "attr: EVENT", then the fields that are not 0. */
PD_EXPERIMENTAL enum pd_code pd_attr_print(const struct pd_attr *attr, const struct pd_print_options *options,
                                           struct pd_out *out, struct pd_error *error);

/* The remaining fields of `it`, one a line, behind `indent` spaces. */
PD_EXPERIMENTAL enum pd_code pd_fields_print(struct pd_fields *it, const struct pd_print_options *options,
                                             unsigned indent, struct pd_out *out, struct pd_error *error);

enum pd_json_flags {
    PD_JSON_OFFSET = 1, /* with "offset", and for records from inside a compressed one with "inner_offset" */
    PD_JSON_ATTR = 2,   /* with "attr", the number of the record's attr, when that is known */
    PD_JSON_PLAIN = 4,  /* without values that follow from others: the record's size, counts and sizes of its
                           fields, and bytes that are also decoded */
};

/*
 * A record as one JSON object without line end, from which the same bytes can be made again given the same
 * plan:
 *
 *   {"type":"MMAP2","misc":"cpumode=USER|mmap_build_id","size":112,"mmap2":{"pid":21775,…},"sample_id":{…}}
 *
 * Keys, in this order: type, misc, size; offset and attr by `flags`; variant (a number, enum pd_variant) when
 * it is not the usual one; the payload, named like its struct; rest, when not empty; sample_id, when there is
 * one. A record that is not decoded has "raw", its bytes from 8 on, in place of payload, rest and sample_id.
 *
 * Numbers of 64 bits are strings, in decimal or (sets HEX, FLAGS, BITS, ENUM) as 0x…; smaller ones are
 * numbers. The value of an enumeration is its name where it has one. A flag word or packed word is a string
 * as pd_set_format() writes it if all its bits have names and it is not 0, else a number. Bytes are a string
 * of lower-case hex digits. A string slot is its text up to the NUL, or {"hex":"…"} where that is not UTF-8;
 * where what follows is not NULs to the next multiple of 8, NAME_pad has it as hex (empty: the slot ends
 * without a NUL). Vectors are arrays of numbers, lists are arrays of objects. Of values with several names
 * the first is used.
 */
PD_EXPERIMENTAL void pd_record_json(const struct pd_record *rec, unsigned flags, struct pd_out *out);

struct pd_tracepoint;
/*
 * The same, and "offcpu": what pd_offcpu_decode() found in the raw data, which PD_JSON_PLAIN then leaves out.
 */
PD_EXPERIMENTAL void pd_record_json_offcpu(const struct pd_record *rec, unsigned flags,
                                           const struct pd_offcpu *offcpu, struct pd_out *out);
/* The same, and for the sample of a tracepoint (NULL: of none) "trace": the fields in its raw bytes. */
PD_EXPERIMENTAL void pd_record_json_trace(const struct pd_record *rec, unsigned flags,
                                          const struct pd_tracepoint *tracepoint, struct pd_out *out);

/* An attr as one JSON object: the fields that its size covers or that are not 0, and a tail. */
PD_EXPERIMENTAL void pd_attr_json(const struct pd_attr *attr, struct pd_out *out);

/* The remaining fields of `it` as one JSON object, by the same rules. */
PD_EXPERIMENTAL void pd_fields_json(struct pd_fields *it, struct pd_out *out);

struct pd_feature; /* see perfdata/feature.h */
/* The fields of a feature as lines of text, as pd_fields_print(). */
PD_EXPERIMENTAL enum pd_code pd_feature_print(const struct pd_feature *f,
                                              const struct pd_print_options *options, unsigned indent,
                                              struct pd_out *out, struct pd_error *error);
/* A feature as {"field":…}: all fields, and "rest" when there is any. */
PD_EXPERIMENTAL void pd_feature_json(const struct pd_feature *f, struct pd_out *out);

#ifdef __cplusplus
}
#endif
#endif
