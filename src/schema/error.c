/* SPDX-License-Identifier: MIT */
/* error.c - errors as values, and as one sentence. */
#include "fail.h"
#include <perfdata/constants.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum pd_code(pi_fail)(struct pd_error *error, enum pd_code code, uint64_t offset, const char *field,
                      uint64_t found, uint64_t expected)
{
    if (error)
        *error = (struct pd_error){.code = code,
                                   .offset = offset,
                                   .record_index = PD_NOWHERE,
                                   .field = field,
                                   .found = found,
                                   .expected = expected};
    return code;
}

enum pd_code(pi_fail_record)(struct pd_error *error, enum pd_code code, const struct pd_record *rec,
                             size_t at, const char *field, uint64_t found, uint64_t expected)
{
    pi_fail(error, code, PD_NOWHERE, field, found, expected);
    if (error && rec) {
        error->offset = rec->offset;
        error->record_index = rec->index;
        error->record_offset = (uint32_t)at;
        error->record_type = rec->type;
        error->member = rec->member;
    }
    return code;
}

static const struct {
    const char *name;
    const char *text; /* with %1 for found and %2 for expected */
} codes[] = {
    [PD_OK] = {"ok", "no error"},
    [PD_END] = {"end", "no more records"},
    [PD_ESHORT] = {"short", "only %1 bytes are left, %2 are needed"},
    [PD_ECOUNT] = {"count", "found %1, expected %2"},
    [PD_EVALUE] = {"value", "found %1, expected %2"},
    [PD_ESIZE] = {"size", "found %1, expected at least %2"},
    [PD_ETRUNC] = {"truncated", "the input ends after %1 of %2 bytes"},
    [PD_EMAGIC] = {"magic", "found %x, so this is no perf.data"},
    [PD_ERANGE] = {"range", "ends at %1, beyond the end of the file at %2"},
    [PD_EZSTD] = {"zstd", "the compressed data is damaged"},
    [PD_ELIMIT] = {"limit", "found %1, the limit is %2"},
    [PD_EUNKNOWN] = {"unknown", "the layout is not known (%x), only the raw bytes are kept"},
    [PD_EUNSUP] = {"unsupported", "this form is not handled here"},
    [PD_ENOMEM] = {"memory", "no memory for %2 bytes"},
    [PD_EIO] = {"input", "reading failed: %e"},
    [PD_EOUT] = {"output", "writing failed: %e"},
    [PD_ESPACE] = {"space", "the buffer has %1 bytes, %2 are needed"},
    [PD_EDIFFERENT] = {"different", "encoding gives byte %1, the input has %2"},
    [PD_EARG] = {"argument", "the argument is wrong"},
    [PD_EMISSING] = {"missing", "it is not there, or no file: %e"},
    [PD_ETEMP] = {"temporary", "a temporary file could not be written or read: %e"},
    [PD_EATTRS] = {"attrs", "the %1 attrs are not those of the samples"},
    [PD_ETIME] = {"time", "the time %1 is moved out of range"},
    [PD_EINSIDE] = {"inside", "found %1, expected %2"},
    [PD_AGAIN] = {"again", "there are no more bytes yet"},
    [PD_EOPAQUE] = {"opaque", "what this holds is not known (%1), so it must not pass"},
};

const char *pd_code_name(enum pd_code code)
{
    return (size_t)code < sizeof codes / sizeof *codes ? codes[code].name : "unknown";
}

struct text {
    char *buf;
    size_t cap, n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t room = t->n < t->cap ? t->cap - t->n : 0;
    const int n = vsnprintf(room ? t->buf + t->n : NULL, room, format, args);
    va_end(args);
    t->n += n > 0 ? (size_t)n : 0;
}

static void add_where(struct text *t, const struct pd_error *e)
{
    if (e->offset != PD_NOWHERE)
        add(t, "at offset %" PRIu64 " (0x%" PRIx64 "), ", e->offset, e->offset);
    if (e->record_index != PD_NOWHERE) {
        const char *type = pd_set_name(&pd_set_record_type, e->record_type);
        add(t, "record %" PRIu64 " of type %" PRIu32 " (%s), byte %" PRIu32 ", ", e->record_index,
            e->record_type, type ? type : "unknown", e->record_offset);
    }
    if (e->section)
        add(t, "feature %s, ", e->section);
    if (e->field)
        add(t, "%s: ", *e->path ? e->path : e->field);
}

size_t pd_error_text(const struct pd_error *e, char *buf, size_t cap)
{
    struct text t = {buf, cap, 0};
    if (cap)
        *buf = 0;
    add_where(&t, e);
    const char *s = (size_t)e->code < sizeof codes / sizeof *codes ? codes[e->code].text : "unknown error";
    for (; *s; s++) {
        if (*s != '%')
            add(&t, "%c", *s);
        else if (*++s == '1')
            add(&t, "%" PRIu64, e->found);
        else if (*s == '2')
            add(&t, "%" PRIu64, e->expected);
        else if (*s == 'x')
            add(&t, "0x%" PRIx64, e->found);
        else
            add(&t, "%s", strerror((int)e->found));
    }
    return t.n;
}
