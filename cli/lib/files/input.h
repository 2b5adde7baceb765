/* SPDX-License-Identifier: MIT */
/* input.h - recordings that are read. */
#ifndef PERFDATA_CLI_INPUT_H
#define PERFDATA_CLI_INPUT_H

#include "src/support/limits.h"
#include "cli/lib/command.h"
#include <perfdata/reader.h>
#include <perfdata/session/metadata.h>
#include <string.h>

enum {
    CLI_SEEK = 1,        /* the verb reads the input several times: a stream is kept in a temporary file */
    CLI_NO_FINDINGS = 2, /* the verb itself reports pd_reader_finding() */
    CLI_FLOW = 4,        /* with CLI_SEEK: but a pipe stream that cannot seek is read as it arrives */
    CLI_META = 8,        /* the verb needs metadata; cli_next_record() adds that of the records */
    CLI_BEGIN = 16,      /* cli_input_start() alone */
    CLI_STOPS = 32,      /* the first Ctrl-C ends a stream, as if its writer had ended it */
};

/* Must stay where it is while it is open. */
struct cli_input {
    struct pd_reader *reader;
    struct pd_metadata *meta; /* with CLI_META */
    const char *name;         /* for messages */
    struct stat st;           /* of the file; see cli_output_open() */
    int fd;                   /* readable with pread() from offset 0 if `seekable` */
    bool seekable;
    bool stops;                                     /* CLI_STOPS, of a stream */
    struct pd_error damage[PI_LIMIT_DAMAGE_LISTED]; /* damage that cli_next_record() found; the first ones */
    size_t n_damage;                                /* of all */
    /*
     * private: a stream's first bytes, read to recognise it; a TRACING_DATA record; findings that were
     * reported
     */
    struct cli *cli;
    uint8_t head[16], kept[16];
    size_t n_head, n_told, n_meta_told;
    uint8_t *begin; /* of a stream: all bytes read since CLI_BEGIN */
    size_t n_begin, begin_cap;
    bool keeping;
    void (*settle)(
        void *user); /* called before something is reported, or learned from a record; may be NULL */
    void *settle_user;
    struct cli_input *next; /* that is open, too */
    uint64_t *told_once;    /* hashes of errors: cli_told() */
    size_t n_told_once, cap_told;
    struct cli_index *index; /* see indexed.h; NULL: none is open */
    void (*close_index)(struct cli_input *in);
    bool index_asked; /* whether there is one */
};

/* What stands behind the last slash of a path. */
static inline const char *cli_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * Opens a recording, "-" being standard input, and reports damage in its header and sections. False:
 * the message is printed and cli->status set.
 */
bool cli_input_open(struct cli *cli, struct cli_input *in, const char *path, unsigned flags);
void cli_input_close(struct cli_input *in);
/*
 * Opens all inputs of the command, cli->n_inputs, to add up what they hold. One whose header is damaged is
 * told and left out, with reader NULL, where there are others. NULL: none is open; or one cannot be had at
 * all, as a file that does not exist. The message is printed then.
 */
struct cli_input *cli_inputs_open(struct cli *cli, unsigned flags);
/* Reports what was found since, and closes all. NULL: nothing. */
void cli_inputs_close(struct cli *cli, struct cli_input *in);

/*
 * ---- The same in steps, for verbs whose input may be any file. They print failures unless they say
 * otherwise.
 */

/* Opens a file, a stream or a directory, as bytes. */
bool cli_input_open_bytes(struct cli *cli, struct cli_input *in, const char *path);
/* The same for a recording: with CLI_SEEK, a stream is copied to a temporary file. */
bool cli_input_open_file(struct cli *cli, struct cli_input *in, const char *path, unsigned flags);
/* Copies the rest of a stream to a temporary file, which replaces it. */
bool cli_input_spool(struct cli_input *in);
/*
 * Starts the reader; prints nothing. With CLI_BEGIN, in->begin receives the bytes that this reads of a
 * stream.
 */
enum pd_code cli_input_start(struct cli_input *in, const char *path, const struct pd_reader_options *how,
                             unsigned flags, struct pd_error *error);

/*
 * The next record, framed as by pd_reader_next(). Reports damage, continues behind it if possible, and shows
 * the progress. False: there are no more records.
 */
bool cli_next_record(struct cli_input *in, struct pd_record *rec);
/* A decoded sample needs nothing but the progress. */
static inline bool cli_is_plain(const struct cli_input *in, const struct pd_record *rec, enum pd_code code)
{
    return code == PD_OK && rec->type == PD_RECORD_SAMPLE && rec->decoded && in->cli->progress.off;
}
/* The same, and decodes it and reports damage in it; rec->decoded is then false. */
bool cli_next_decoded_as(struct cli_input *in, struct pd_record *rec, enum pd_code code,
                         struct pd_error *error);
static inline bool cli_next_decoded(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_next_decoded(in->reader, rec, &error);
    return cli_is_plain(in, rec, code) || cli_next_decoded_as(in, rec, code, &error);
}
/* cli_next_record(), and decodes records that can be decoded at once; cli_decode() reports damage in them. */
bool cli_next_try_as(struct cli_input *in, struct pd_record *rec, enum pd_code code, struct pd_error *error);
static inline bool cli_next_try(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_next_decoded(in->reader, rec, &error);
    return cli_is_plain(in, rec, code) || cli_next_try_as(in, rec, code, &error);
}
/*
 * Decodes it if necessary, and reports damage. False: it is not decoded, because of damage or an unknown
 * layout. */
bool cli_decode_now(struct cli_input *in, struct pd_record *rec);
static inline bool cli_decode(struct cli_input *in, struct pd_record *rec)
{
    return rec->decoded ? rec->layout != NULL : cli_decode_now(in, rec);
}

/*
 * Reports damage in header, sections and features that was not reported yet; cli_next_record() calls it at
 * the end.
 */
void cli_tell_findings(struct cli_input *in);
/*
 * For an input that was not opened by cli_input_open(): no output replaces its target once reading the input
 * has failed.
 */
void cli_watch(struct cli_input *in);
/*
 * Reports a failure of reading that was not reported yet: output made from the input must not replace its
 * target.
 */
void cli_tell_failure(struct cli_input *in);
/* Like cli_error() with the name of the input, or in a directory with that of the file that has the error. */
int cli_input_error(struct cli_input *in, const struct pd_error *error);
/* True if an equal error was passed before. Several readers find the same damage. (told.c) */
bool cli_told(struct cli_input *in, const struct pd_error *error);
/* The same for the first PI_LIMIT_FINDINGS_TOLD of a run, which *n counts; the others only set the status. */
void cli_finding(struct cli_input *in, size_t *n, const struct pd_error *error);

/* Adds the metadata of a record; for verbs that read records without cli_next_record(). */
void cli_learn(struct cli_input *in, const struct pd_record *rec);

/*
 * Reads all records of a pipe stream, whose attrs and features come with them. False: reading failed, or
 * memory ran out, which is printed; damage is not.
 */
bool cli_learn_stream(struct cli_input *in);
/*
 * Reads the metadata of all records if some tracepoint of a file has no name yet: simpleperf has its tracing
 * data among the records. Goes back to the first one. False: that failed, which is printed.
 */
bool cli_learn_names(struct cli_input *in);

/* ---- Facts about it (input_facts.c) */

/* The times of the first and the last sample, for shares of the time. False: the reason has been printed. */
bool cli_time_span(struct cli_input *in, uint64_t *first, uint64_t *last);

/*
 * The name of the event of an attr as perf writes it, modifiers included ("cycles:u", "sched:sched_switch"):
 * from the recording, else from the attr. Returns the whole length, like snprintf; a name that does not fit
 * ends in "...".
 */
size_t cli_event_name(struct cli_input *in, uint32_t attr, char *buf, size_t cap);

/* The architecture of the machine that recorded, as far as its metadata says so by now. */
enum pd_arch cli_arch(const struct cli_input *in);

/* An unusual fact that is not damage. */
struct cli_note {
    const char *kind; /* "unfinished", "trailing-bytes", "unknown-feature", "unknown-bits", … */
    uint64_t offset;
    const char *text;
};

/*
 * Calls `take` for each note on the file's header, attrs and sections; note and text are valid during the
 * call.
 */
void cli_file_notes(const struct cli_input *in, void (*take)(void *user, const struct cli_note *note),
                    void *user);

#endif
