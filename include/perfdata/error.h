/* SPDX-License-Identifier: MIT */
/*
 * perfdata/error.h - what went wrong and where.
 *
 * Functions that can fail return an enum pd_code (PD_OK is 0) and fill the struct pd_error of the caller,
 * which may be NULL. No function stores an error globally.
 */
#ifndef PERFDATA_ERROR_H
#define PERFDATA_ERROR_H

#include <perfdata/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_code {
    PD_OK = 0,
    PD_END,    /* no more records; not an error */
    PD_ESHORT, /* a field does not fit in the bytes that are left: found = bytes left, expected = bytes needed
                */
    PD_ECOUNT, /* a count, length or size disagrees with what it counts: found and expected */
    PD_EVALUE, /* a value is impossible in this place: found */
    PD_ESIZE,  /* a record header's size is impossible: found */
    PD_ETRUNC, /* the input ends inside something: found = bytes there, expected = bytes announced */
    PD_EMAGIC, /* not a perf.data file */
    PD_ERANGE, /* a section lies outside the file: found = its end, expected = the file's size */
    PD_EZSTD,  /* compressed data is damaged; `field` is the message of libzstd */
    PD_ELIMIT, /* a stated limit was exceeded: found, expected = the limit */
    PD_EUNKNOWN,   /* the type or attr is not known, so only the raw bytes are available */
    PD_EUNSUP,     /* this form is recognised but not handled here; `field` says what */
    PD_ENOMEM,     /* the allocator gave no memory: expected = bytes asked for */
    PD_EIO,        /* reading or opening the input failed, whatever its content: found = errno. A reader does
                      not try again: it gives no more records, and pd_reader_failure() tells it */
    PD_EOUT,       /* writing failed: found = errno */
    PD_ESPACE,     /* the output buffer is too small: found = its size, expected = bytes needed */
    PD_EDIFFERENT, /* encoding gave another byte than was decoded: found, expected */
    PD_EARG,       /* the caller's argument is wrong; `field` names it */
    PD_EOPAQUE,    /* a redaction does not know this data: found = type or number of the feature */
    PD_EMISSING,   /* the input, or a file that belongs to it, does not exist or is not a file: found = errno,
                      or 0
                      */
    PD_ETEMP,      /* a temporary file could not be made, written or read: found = errno */
    PD_EATTRS,  /* the attrs are not those of the samples, or there are none: found = attrs that are there */
    PD_ETIME,   /* a moved time would be below 1, or would not fit in 64 bits: found = the time */
    PD_EINSIDE, /* a record's size includes records that follow: found = the size, expected = where they
                   begin */
    PD_AGAIN,   /* there is nothing yet, call again later; not an error. Only functions that say so give it */
};

/*
 * True if the machine failed, rather than the input being damaged. After such an error the input was not read
 * completely, so output made from it is not a valid result. All other errors concern damage, and the intact
 * part of the input was read.
 */
static inline bool pd_is_failure(enum pd_code code)
{
    return code == PD_EIO || code == PD_ENOMEM || code == PD_EOUT || code == PD_ETEMP;
}

#define PD_NOWHERE 0xffffffffffffffffull

struct pd_error {
    enum pd_code code;
    uint64_t offset; /* of the record in the input, outside of records of the wrong data; PD_NOWHERE: there is
                        none */
    uint64_t record_index;  /* counted from 0 in file order, PD_NOWHERE outside of records */
    uint32_t record_offset; /* of the field, from the first byte of the record */
    uint32_t record_type;   /* 0 outside of records */
    const char *field;      /* static text: field or section; NULL when there is none */
    uint64_t found;
    uint64_t expected;
    const char *section; /* static text: name of the feature that contains the field; NULL if none does */
    uint32_t member;     /* of a directory: the number of the file, as in struct pd_record */
    char path[84];       /* of a value that cannot be encoded: `field` and the parts that it is in, as
                            "events[1].attr.size"; else empty */
};

/* A short name of the code ("short", "count", …), static. */
PD_API const char *pd_code_name(enum pd_code code);

/*
 * Writes the error as one sentence with position, field, found and expected; at most cap bytes with the NUL.
 * Returns the length of the whole sentence.
 */
PD_API size_t pd_error_text(const struct pd_error *error, char *buf, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
