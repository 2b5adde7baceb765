/* SPDX-License-Identifier: MIT */
/*
 * text.h - the text form of a recording (docs/TEXT.md), a line at a time: `encode` reads each line with it,
 * and `decode` tries each line with it before printing, so that `encode` makes the same bytes from its
 * output.
 */
#ifndef PERFDATA_CLI_TEXT_H
#define PERFDATA_CLI_TEXT_H

#include "cli/lib/cli.h"
#include <jansson.h>
#include <perfdata/ops/parse.h>

/* No raw piece has more bytes. */
#define TEXT_PIECE ((size_t)64 << 10)

struct payload; /* see text.c */

enum text_form {
    TEXT_UNKNOWN, /* before the header line */
    TEXT_EXACT,   /* each line is bytes */
    TEXT_SHORT,   /* a writer computes the layout */
};

/* An event as the lines so far have it. */
struct text_attr {
    struct pd_attr attr; /* without the tail */
    struct pd_plan plan;
    uint64_t id; /* the first */
    bool known;
};

struct text {
    /* where bytes go to; NULL before the callback `open` */
    const struct pd_sink *sink;
    /*
     * Set by callers that write files: called at the first line that makes bytes (`name` NULL), at each file
     * of a directory, and for other entries: `target` is that of a symbolic link, S_ISDIR(mode) a directory.
     * False: text->error is set.
     */
    bool (*open)(struct text *t, const char *name, mode_t mode, const char *target);
    void *user;
    int endian; /* wanted by --endian: enum pd_order, -1: as the header says */
    /* state */
    enum text_form form;
    enum pd_container container;
    enum pd_order order;
    bool turned;     /* the order is not the header's */
    bool has_header; /* a header line was there */
    bool any;        /* any line was */
    bool directory;
    bool in_data;    /* the lines are those of its file `data` */
    bool has_member; /* there was one of any name */
    uint64_t line;   /* its number, set by the caller */
    uint64_t room;   /* short: the header's attr_size; 0: none was given */
    bool given[256]; /* short: features */
    uint64_t at;     /* bytes of the file so far */
    struct text_attr *attrs;
    size_t n_attrs, cap;
    struct pd_plan none; /* of records without attr */
    uint64_t changes;    /* of the form, the order and attrs, which decide what the line of a record means */
    uint32_t nr_cpus_avail;
    struct pd_parser *parser;
    struct pd_writer *writer;
    uint64_t payload_due;  /* short: bytes that are to follow the last record */
    uint64_t payload_line; /* and which line that was */
    json_t *waiting;       /* short: the line of a record whose payload's size is to be computed */
    const struct payload *waiting_for; /* and which number that is */
    uint8_t *payload;                  /* and its payload so far */
    size_t n_payload;
    bool bare;       /* short: in no file of a directory, or in one of arbitrary bytes */
    bool dir_format; /* short: the feature of directories was given */
    int status;      /* of the failure */
    char error[640];
};

bool text_open(struct text *t);
void text_close(struct text *t);
/* One line. False: t->error says why, t->status is the exit status. */
bool text_line(struct text *t, const char *line, size_t n);
/*
 * The record of a line as `decode` prints it, and its bytes: for text_records(). In any thread, with a parser
 * of its own, while no line is read. False: text_line() must read it, as it tells the text something, or is
 * of another form.
 */
bool text_make_record(const struct text *t, struct pd_parser *parser, const char *line, size_t n,
                      struct pd_record *rec, uint8_t bytes[UINT16_MAX], size_t *size);
/* False: it makes none, as its header line was not there or has no offsets. */
bool text_makes_records(const struct text *t);
/*
 * Instead of text_line(): writes records that were made of lines, of which the first is at t->at and each
 * behind the one before, while t->changes was what it is now.
 */
bool text_records(struct text *t, const uint8_t *bytes, size_t n);
/*
 * The same as text_line() for the line that pd_record_json() makes of a decoded sample, with offset and attr,
 * without reading it: tests/property/json_samples.c checks that its numbers come back. Also for the end of a
 * round, which has none. False: it does not give these bytes, or it is unknown; nothing has changed.
 */
bool text_sample(struct text *t, const struct pd_record *rec);
/*
 * The same check without changes, as if the text were at the record: several threads may call it as long as
 * no line with an attr is read.
 */
bool text_would_sample(const struct text *t, const struct pd_record *rec);
/* Such lines for all bytes before the offset have been written. */
void text_pass(struct text *t, uint64_t offset);
/* After the last line. */
bool text_finish(struct text *t);

/* An octal mode. False: it is none. */
bool text_mode(const char *text, mode_t *mode);

#endif
