/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/tracepoint.h - the fields in the raw bytes of a tracepoint's samples, as the format files
 * of the recording's tracing data describe them.
 *
 *     struct pd_tracepoints *formats;
 *     pd_tracepoints_new(&formats, &feature.u.tracing_data, NULL, &error);
 *     const struct pd_tracepoint *tp = pd_tracepoints_by_id(formats, rec.attr->config);
 *     const struct pd_tracepoint_field *f = tp ? pd_tracepoint_find(tp, "prev_pid", 8) : NULL;
 *     struct pd_tracepoint_data data;
 *     const struct pd_bytes *raw = &rec.u.sample.raw.data;
 *     if (f && pd_tracepoint_value(f, tp->order, raw->ptr, raw->n, &data))
 *         printf("%lld\n", (long long)data.number);
 *
 * Only the lines name, ID and field of a format file are read, which give all positions; print fmt, which is
 * C code, is ignored. libtraceevent, which interprets print fmt, is not used: it was made for the format
 * files of the machine it runs on, not for untrusted files, and field lines are only a few columns of
 * numbers. Here any bytes give fields or none, and every value is checked against the available raw bytes.
 */
#ifndef PERFDATA_SESSION_TRACEPOINT_H
#define PERFDATA_SESSION_TRACEPOINT_H

#include <perfdata/codec.h>
#include <perfdata/session/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a field holds. */
enum pd_tracepoint_kind {
    PD_TRACEPOINT_NUMBER,  /* of `width` bytes */
    PD_TRACEPOINT_POINTER, /* the same, an address */
    PD_TRACEPOINT_STRING,  /* of char: text up to the first NUL */
    PD_TRACEPOINT_ARRAY,   /* of numbers of `width` bytes each */
    PD_TRACEPOINT_BYTES,   /* a structure, or of a type that is not known */
};

/* Where it is. */
enum pd_tracepoint_place {
    PD_TRACEPOINT_FIXED,    /* at `offset`; with size 0 an array reaches to the end of the raw bytes */
    PD_TRACEPOINT_DATA_LOC, /* at `offset` is a word: length << 16 | offset in the raw bytes */
    PD_TRACEPOINT_REL_LOC,  /* the same, but the offset counts from the end of the word */
};

/* A field line. Texts are views of the format file. */
struct pd_tracepoint_field {
    struct pd_str name; /* an identifier of C, never empty */
    struct pd_str type; /* as written, without the name and the text behind it: "char", "__data_loc char[]" */
    uint32_t offset;    /* bytes, in the raw bytes */
    uint32_t size;      /* bytes there */
    uint32_t length;    /* FIXED: elements of the array; 0: none, or as many as there is room for */
    uint8_t kind;       /* enum pd_tracepoint_kind */
    uint8_t place;      /* enum pd_tracepoint_place */
    uint8_t width;      /* bytes of a number: 1, 2, 4 or 8; of a STRING 1, of BYTES 0 */
    bool is_signed;     /* numbers; from the line, or else from the type */
    bool is_array;      /* has [], or is elsewhere */
    bool is_hex;        /* POINTER, an array of them, and unsigned long: printed as 0x… */
    bool is_common;     /* common_type, common_pid, …: all events have them */
};

/* An event. */
struct pd_tracepoint {
    struct pd_str system, name; /* views of the format file and its system's name */
    uint32_t id;                /* config of the event's attr, and common_type of its samples */
    uint32_t index;             /* its place among the events, from 0 */
    uint32_t n_fields;
    uint32_t n_bad; /* field lines left out: not understood, a repeated name, or more than 1024 */
    const struct pd_tracepoint_field *fields; /* in the order of the file, the common ones first */
    uint8_t order; /* enum pd_order of the raw bytes, as the tracing data says (one that was added: of this
                      machine). A recording that was converted to the other byte order keeps its raw bytes as
                      they are */
};

/*
 * The events of a recording. Takes at most about eight times the size of the format files, and time in
 * proportion to it, apart from sorting the events.
 */
struct pd_tracepoints;

/*
 * Takes all events of tracing data, of which the texts must outlive them; NULL: begins without any. Those of
 * the ftrace list get the system "ftrace". Format files without a name, or with an ID that is not a number of
 * 32 bits, are left out and counted. allocator NULL: malloc; else it must outlive the events. PD_ENOMEM;
 * PD_ELIMIT: more than 2^32 - 1 events.
 */
PD_EXPERIMENTAL enum pd_code pd_tracepoints_new(struct pd_tracepoints **tracepoints,
                                                const struct pd_feature_tracing_data *data,
                                                const struct pd_allocator *allocator, struct pd_error *error);
/* NULL is fine. */
PD_EXPERIMENTAL void pd_tracepoints_free(struct pd_tracepoints *tracepoints);

/*
 * Adds one event by its format file, such as a program read from tracefs; n bytes, a NUL is not needed.
 * `system` and `text` must outlive the events. long_size: bytes of a long, 4 or 8; it gives the width of
 * dynamic arrays of them. Takes time in proportion to the number of events, too. PD_EVALUE: there is no name
 * or ID; PD_ENOMEM; PD_ELIMIT.
 */
PD_EXPERIMENTAL enum pd_code pd_tracepoints_add(struct pd_tracepoints *tracepoints, const char *system,
                                                const char *text, size_t n, unsigned long_size,
                                                struct pd_error *error);

/* How many there are, and event i < that, in the order of the tracing data. Valid until
 * pd_tracepoints_free(). */
PD_EXPERIMENTAL size_t pd_tracepoints_n(const struct pd_tracepoints *tracepoints);
PD_EXPERIMENTAL const struct pd_tracepoint *pd_tracepoints_at(const struct pd_tracepoints *tracepoints,
                                                              size_t i);
/* Format files that gave no event. */
PD_EXPERIMENTAL size_t pd_tracepoints_left_out(const struct pd_tracepoints *tracepoints);

/* The first event with that id, or with that name, "system:name", of len bytes. NULL: there is none. */
PD_EXPERIMENTAL const struct pd_tracepoint *pd_tracepoints_by_id(const struct pd_tracepoints *tracepoints,
                                                                 uint64_t id);
PD_EXPERIMENTAL const struct pd_tracepoint *pd_tracepoints_by_name(const struct pd_tracepoints *tracepoints,
                                                                   const char *name, size_t len);

/* The first field with that name of len bytes. NULL: there is none. */
PD_EXPERIMENTAL const struct pd_tracepoint_field *pd_tracepoint_find(const struct pd_tracepoint *tracepoint,
                                                                     const char *name, size_t len);

/* A field's value. It points into the raw bytes. */
struct pd_tracepoint_data {
    const struct pd_tracepoint_field *field;
    uint64_t number;       /* NUMBER, POINTER; sign-extended if it is signed. Others: 0 */
    struct pd_bytes bytes; /* all its bytes; for data that is elsewhere, the bytes there */
    struct pd_str text;    /* STRING; the slot is `bytes`, not always with a NUL. Others: empty */
    size_t n;              /* ARRAY: elements; STRING, BYTES: bytes; else 1 */
    uint8_t order;         /* enum pd_order of the numbers */
};

/*
 * Takes a field out of the n raw bytes of a sample of its event, whose numbers have the byte order
 * tracepoint->order. False: the raw bytes are too short, or the data that the field points to is not inside
 * them.
 */
PD_EXPERIMENTAL bool pd_tracepoint_value(const struct pd_tracepoint_field *field, enum pd_order order,
                                         const void *raw, size_t n, struct pd_tracepoint_data *data);
/* Element i < data->n of an ARRAY, as `number`. */
PD_EXPERIMENTAL uint64_t pd_tracepoint_element(const struct pd_tracepoint_data *data, size_t i);

enum pd_tracepoint_flags {
    PD_TRACEPOINT_COMMON = 1, /* the common fields, too */
};

/*
 * The fields in one line for people, without line end: "prev_comm=swapper/1 prev_pid=0 …". Numbers are
 * decimal, or 0x… if is_hex; arrays [1,2,3], bytes as hex digits; strings as pd_out_plain() writes them; a
 * field that the raw bytes lack is "?". flags: enum pd_tracepoint_flags.
 *
 * Names and bytes of the shown fields take 4096 + 16 * n bytes at most. Further fields, as when many claim
 * the same bytes, are left out, and their number is at the end: "...=3".
 */
PD_EXPERIMENTAL void pd_tracepoint_print(const struct pd_tracepoint *tracepoint, enum pd_order order,
                                         const void *raw, size_t n, unsigned flags, struct pd_out *out);
/*
 * The same as one JSON object, by the rules of pd_record_json():
 * {"prev_comm":"swapper/1","prev_pid":0,"prev_state":"1"}. A field that the raw bytes lack is null; the
 * number of fields left out is a last member "...".
 */
PD_EXPERIMENTAL void pd_tracepoint_json(const struct pd_tracepoint *tracepoint, enum pd_order order,
                                        const void *raw, size_t n, unsigned flags, struct pd_out *out);

#ifdef __cplusplus
}
#endif
#endif
