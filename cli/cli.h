/* SPDX-License-Identifier: MIT */
/*
 * cli.h - what the verbs of the `perfdata` command share. A verb is a function cmd_NAME() in a file of its
 * own and a line of the table in main.c:
 *
 *     static const struct cli_option options[] = {{"limit", 'l', "N", "stop after N records"}, {0}};
 *     static const struct cli_spec spec = {.usage = "[OPTION]... [FILE]", .options = options, …};
 *     int key;
 *     cli->spec = &spec;
 *     while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
 *         if (key == 'l') … cli->arg …
 *         else return cli->status; // wrong usage or --help
 *
 * It returns its exit status, which is cli->status: the highest that any part of it set.
 */
#ifndef PERFDATA_CLI_H
#define PERFDATA_CLI_H

#include <perfdata/convert.h>
#include <perfdata/metadata.h>
#include <perfdata/reader.h>
#include <perfdata/text.h>
#include <perfdata/writer.h>
#include <stdio.h>
#include <sys/stat.h>

/* Exit status. */
enum {
    CLI_OK = 0,
    CLI_FINDINGS = 1, /* done, with findings or differences */
    CLI_USAGE = 2,    /* wrong usage, an input that is not there included */
    CLI_DAMAGED = 3,  /* the input is damaged; what is intact was processed */
    CLI_OUTPUT = 4,   /* writing failed */
};

/* ---- Options (help.c) */

/* Keys of options that have no letter begin here. */
#define CLI_LONG 256
#define CLI_MOST_THREADS 16
enum { CLI_END = -1, CLI_STOP = -2 };

/* The options that verbs have in common; -q, -v, -j and --help are always there. */
enum {
    CLI_IN = 1,       /* -i FILE */
    CLI_OUT = 2,      /* -o FILE, -f */
    CLI_JSON = 4,     /* --json */
    CLI_OPERANDS = 8, /* any number of input files as operands, else one */
    CLI_COLOR = 16,   /* --color; then cli->color */
    CLI_STDIN = 32,   /* -i FILE, by default standard input: the usual perf.data is what the output is called */
};

struct cli_option {
    const char *name; /* without the dashes; NULL: only a letter */
    int key;          /* the letter, or CLI_LONG and up */
    const char *arg;  /* what its argument is called; NULL: none; "[=NAME]": may be missing, for options without letter */
    const char *help;
};

struct cli_spec {
    const char *usage;                /* behind "perfdata VERB " */
    const char *about;                /* paragraphs for --help */
    const struct cli_option *options; /* the verb's own, ended by {0}; they come before the common ones */
    unsigned common;
    const char *examples; /* lines "  perfdata VERB …" with a word on each */
};

/* ---- A run of the command */

/* How lines of standard output are coloured, when cli->color; a verb that prints JSON chooses none. */
enum cli_paint {
    CLI_PAINT_NONE,
    CLI_PAINT_KEYS,     /* the first word of each line */
    CLI_PAINT_HEADINGS, /* lines that are not indented, and the first word of the others */
};

struct cli_output;

struct cli {
    const char *verb;
    const struct cli_spec *spec;
    const char *arg; /* of the option that cli_next_option() gave */
    /* the common options */
    const char *
        *inputs; /* -i and operands, in order; never empty after the options: "perf.data" is the default */
    size_t n_inputs;
    const char *output; /* -o; NULL: none */
    bool force, quiet, json;
    bool list_options; /* --help prints a table for the completion of shells instead */
    bool color; /* results go to a terminal, or --color=always: after the options */
    int verbose;
    unsigned threads; /* that -j asks for; CLI_MOST_THREADS are used at most */
    /* state */
    int status;                   /* exit status so far, see cli_fail() */
    struct pd_out out;            /* standard output, buffered: write with pd_out_*(), cli_print() */
    int out_error;                /* errno of a failed write */
    bool terminal;                /* standard output is one */
    enum cli_paint paint;         /* what of standard output is coloured */
    unsigned brush;               /* private: where in a line it is */
    struct cli_output *recording; /* flushed along with `out` */
    struct cli_identities {
        struct cli_identity {
            dev_t dev;
            ino_t ino;
        } *id;
        size_t n, cap;
    } named; /* files that options name and that were read */
    struct cli_progress {
        bool off;
        int shown; /* columns that the bar takes; 0: there is none */
        uint64_t started, next; /* milliseconds; 0: not yet */
        uint64_t last;          /* bytes */
    } progress;
};

/* A line of the table for the completion of shells: WORD, DESCRIPTION and what its argument is called, with tabs between. */
void cli_list_word(struct cli *cli, const char *word, const char *description, const char *argument);

/*
 * The next option of the verb: its key, with cli->arg; common ones are taken care of. CLI_END: no more,
 * inputs are set. CLI_STOP: wrong usage (the message is printed, cli->status set) or --help (printed).
 */
int cli_next_option(struct cli *cli, int argc, char **argv);

/* ---- Messages and numbers (common.c) */

/* Prints "perfdata VERB: MESSAGE" on stderr, raises cli->status to `status`, and returns cli->status. */
__attribute__((format(printf, 3, 4))) int cli_fail(struct cli *cli, int status, const char *format, ...);
/* Talk: the same without a status, unless -q. */
__attribute__((format(printf, 2, 3))) void cli_say(struct cli *cli, const char *format, ...);
/* Raises cli->status to `status`. */
void cli_raise(struct cli *cli, int status);
/* Reports an error of the library about the file `name`, with the status its code stands for. */
int cli_error(struct cli *cli, const char *name, const struct pd_error *error);
/* That status; CLI_OK for what is only a note. */
int cli_status_of(const struct pd_error *error);

/* A number of an option: decimal or 0x…. False: not one (nothing is printed). */
bool cli_number(const char *text, uint64_t *value);
/* A number of bytes that is not 0, maybe with K, M, G or T behind it: powers of 1024. */
bool cli_size(const char *text, uint64_t *value);

#define CLI_MOST_LEVEL 22

/*
 * -zN and --compression-level=N, as perf has them, have an argument that may be missing: it is taken out of the word, and
 * *level receives it, or 0. To be called with cli->spec before cli_next_option(). False: no such level; that is printed.
 */
bool cli_take_level(struct cli *cli, int argc, char **argv, int *level);
/* The keys of --compressed2 and --decompress; that of --compression-level is 'z'. */
enum { CLI_COMPRESSED2 = CLI_LONG + 2000, CLI_DECOMPRESS };
/* The options of verbs that keep the compression of their input; `otherwise_` says how, in a help text. */
#define CLI_COMPRESSION(otherwise_)                                                                                   \
    {"compression-level", 'z', NULL,                                                                                  \
     "compress the records, as perf record -z; -zN: level N, 1 (default) to 22. Without this,\n" otherwise_},         \
        {"compressed2", CLI_COMPRESSED2, NULL, "the same, in the records of perf 6.16 and later"},                    \
        {"decompress", CLI_DECOMPRESS, NULL, "no compressed records"}
/* What one of these keys asks for. False: it contradicts one before, which is printed; or it is another key. */
bool cli_take_compression(struct cli *cli, int key, enum pd_convert_zip *zip);
/* --memory SIZE. False: that is none; this is printed. */
bool cli_take_memory(struct cli *cli, size_t *memory);

/* Shows on a terminal how far a long run is; call it for every record. `total` may be PD_NOWHERE. */
void cli_progress(struct cli *cli, uint64_t done, uint64_t total);
void cli_progress_end(struct cli *cli);

/* ---- Input (common.c) */

enum {
    CLI_SEEK = 1,        /* the verb reads the input several times: a stream is kept in a temporary file */
    CLI_NO_FINDINGS = 2, /* the verb itself reports pd_reader_findings() */
    CLI_FLOW = 4,        /* with CLI_SEEK: but a pipe stream that cannot seek is read as it comes */
    CLI_META = 8,        /* the verb wants metadata; what the records say of it, cli_next_record() adds */
};

#define CLI_MOST_DAMAGE 64

/* Must stay where it is while it is open. */
struct cli_place;
struct cli_input {
    struct pd_reader *reader;
    struct pd_metadata *meta; /* with CLI_META */
    const char *name;         /* for messages */
    struct stat st;   /* of the file; see cli_output_open() */
    int fd;           /* readable with pread() from offset 0 if `seekable` */
    bool seekable;
    struct pd_error damage[CLI_MOST_DAMAGE]; /* what cli_next_record() met; the first ones */
    size_t n_damage;                         /* of all */
    /* private: a stream's first bytes, read to recognise it; a TRACING_DATA record; findings that were reported */
    struct cli *cli;
    uint8_t head[16], kept[16];
    size_t n_head, n_told, n_meta_told;
    void (*settle)(void *user); /* called before something is reported, or learned from a record; may be NULL */
    void *settle_user;
    struct cli_place *places; /* where the damage of a directory is */
    size_t n_places;
    bool searched;
};

/*
 * Opens a recording, "-" being standard input, and reports what is damaged in its header and sections. False:
 * the message is printed and cli->status set.
 */
bool cli_input_open(struct cli *cli, struct cli_input *in, const char *path, unsigned flags);
void cli_input_close(struct cli_input *in);

/*
 * The next record, framed as by pd_reader_next(). Reports damage, goes on behind it where that is possible,
 * and shows the progress. False: there are no more records.
 */
bool cli_next_record(struct cli_input *in, struct pd_record *rec);
/* Of a decoded sample there is nothing to do, but for the progress. */
static inline bool cli_is_plain(const struct cli_input *in, const struct pd_record *rec, enum pd_code code)
{
    return code == PD_OK && rec->type == PD_RECORD_SAMPLE && rec->decoded && in->cli->progress.off;
}
/* The same, and decodes it and reports damage there. rec->decoded is false in case of that. */
bool cli_next_decoded_as(struct cli_input *in, struct pd_record *rec, enum pd_code code, struct pd_error *error);
static inline bool cli_next_decoded(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_next_decoded(in->reader, rec, &error);
    return cli_is_plain(in, rec, code) || cli_next_decoded_as(in, rec, code, &error);
}
/* cli_next_record(), and decodes what can be decoded at once; damage there is left to cli_decode(). */
bool cli_next_try_as(struct cli_input *in, struct pd_record *rec, enum pd_code code, struct pd_error *error);
static inline bool cli_next_try(struct cli_input *in, struct pd_record *rec)
{
    struct pd_error error;
    const enum pd_code code = pd_reader_next_decoded(in->reader, rec, &error);
    return cli_is_plain(in, rec, code) || cli_next_try_as(in, rec, code, &error);
}
/* Decodes it if it is not, and reports damage. False: it is not decoded, because of damage or because its layout is not
 * known. */
bool cli_decode_now(struct cli_input *in, struct pd_record *rec);
static inline bool cli_decode(struct cli_input *in, struct pd_record *rec)
{
    return rec->decoded ? rec->layout != NULL : cli_decode_now(in, rec);
}

/* Reports what is damaged in header, sections and features and was not reported yet; cli_next_record() does at the end. */
void cli_tell_findings(struct cli_input *in);
/*
 * Like cli_error() with the name of the input; in a directory with that of the file in it that the error is in. The first
 * error in a directory makes it read all its files, to find out which.
 */
int cli_input_error(struct cli_input *in, const struct pd_error *error);
/* The same for the first CLI_MOST_FINDINGS of a run, which *n counts; of the others there is only the status. */
#define CLI_MOST_FINDINGS 10
void cli_finding(struct cli_input *in, size_t *n, const struct pd_error *error);
/* The times of the first and the last sample, for shares of the time. False: it has been told why not. */
bool cli_time_span(struct cli_input *in, uint64_t *first, uint64_t *last);
/* Adds what a record says to the metadata; for verbs that read records without cli_next_record(). */
void cli_learn(struct cli_input *in, const struct pd_record *rec);

/*
 * Reads all records of a pipe stream, whose attrs and features come with them. False: reading failed, or memory ran out, which is
 * printed; damage is not.
 */
bool cli_learn_stream(struct cli_input *in);
/*
 * Reads all records for what they say of events, if some tracepoint of a file has no name yet: simpleperf has its tracing data
 * among the records. Goes back to the first one. False: that failed, which is printed.
 */
bool cli_learn_names(struct cli_input *in);

/*
 * The name of the event of an attr as perf writes it, modifiers included ("cycles:u", "sched:sched_switch"): what the
 * recording says, else what the attr does. Returns the whole length, like snprintf.
 */
size_t cli_event_name(struct cli_input *in, uint32_t attr, char *buf, size_t cap);

/* The architecture of the machine that recorded, as far as its metadata says so by now. */
enum pd_arch cli_arch(const struct cli_input *in);

/* Something remarkable that is no damage. */
struct cli_note {
    const char *kind; /* "unfinished", "trailing-bytes", "unknown-feature", "unknown-bits", … */
    uint64_t offset;
    const char *text;
};

/* Calls `take` for each note on the file's header, attrs and sections; note and text are only lent. */
void cli_file_notes(const struct cli_input *in, void (*take)(void *user, const struct cli_note *note),
                    void *user);

/* ---- Memory (memory.c): as in the C library, but a failure is remembered */

void *cli_malloc(size_t n);
void *cli_calloc(size_t n, size_t size);
void *cli_realloc(void *old, size_t n);
void *cli_reallocarray(void *old, size_t n, size_t size);
char *cli_strdup(const char *text);
char *cli_strndup(const char *text, size_t n);
__attribute__((format(printf, 1, 2))) char *cli_format(const char *format, ...); /* like asprintf() */
extern const struct pd_allocator cli_allocator;

/*
 * For jansson, whose parser (2.14) frees what it never allocated when an allocation fails: the command ends with CLI_OUTPUT,
 * its temporary files removed.
 */
void *cli_malloc_or_exit(size_t n);
void cli_remove_temporaries(void); /* output.c */

/*
 * Has any of these failed? That is told, with CLI_OUTPUT, unless an error was. Asked before an output is put in its
 * place and at the end, so that what could not be held is not left out in silence.
 */
bool cli_no_memory(struct cli *cli);

/* ---- JSON (common.c): an object or array over several calls */

struct cli_json {
    struct pd_out *out;
    bool comma;
};

void cli_json_open(struct cli_json *j, const char *key, char bracket); /* '{' or '['; key NULL: an element */
void cli_json_close(struct cli_json *j, char bracket);
void cli_json_key(struct cli_json *j, const char *key); /* the value follows by pd_out_*() */
void cli_json_count(struct cli_json *j, const char *key, uint64_t n);
void cli_json_bool(struct cli_json *j, const char *key, bool b);
void cli_json_str(struct cli_json *j, const char *key, const char *s);
void cli_json_dec(struct cli_json *j, const char *key, uint64_t value); /* 64 bits of the file's: a string */
void cli_json_hex(struct cli_json *j, const char *key, uint64_t value); /* the same as "0x…" */

/* ---- Output (output.c) */

void cli_out_init(struct cli *cli);
__attribute__((format(printf, 2, 3))) void cli_print(struct cli *cli, const char *format, ...);
/* The same into any buffer. */
__attribute__((format(printf, 2, 3))) void cli_print_to(struct pd_out *out, const char *format, ...);
/*
 * Much text at once, which is not copied to the buffer before it is written. False: writing failed. Another thread than the one that
 * reads may do it, in its turn, unless cli->terminal: then the progress is there, too.
 */
bool cli_print_much(struct cli *cli, const char *text, size_t n);
/* From here on standard output is in that colour, the n of ESC[nm, if results are coloured; 0: as usual. */
void cli_color(struct cli *cli, unsigned color);
/* Writes out what is buffered, of standard output and of the recording being written. */
void cli_flush(struct cli *cli);
/* At the end: flushes standard output and reports whether all of it could be written. */
void cli_out_end(struct cli *cli);

enum {
    CLI_PATCH = 1, /* the writer patches, so what cannot seek is written through a temporary file */
    CLI_TEXT = 2,  /* the output is text: may go to a terminal */
    CLI_SPOOL = 4, /* what is written in place is kept in a temporary file first: cli_output_source() */
};

/* The file of -o. */
struct cli_output {
    struct pd_sink sink; /* what a verb writes to */
    struct cli *cli;
    const char *name;        /* for messages */
    int fd;                  /* what is written: the target, or a temporary file */
    int target;              /* where a spooled output goes to at the end, else -1 */
    uint64_t base;           /* offset of the output's first byte in the target */
    uint64_t written;        /* bytes so far, those in buf included */
    int error;               /* errno of the first failure */
    mode_t mode;             /* of a new file */
    char *final, *temporary; /* paths; NULL: written in place */
    char *spool;             /* how messages call a temporary file that is copied to the target at the end */
    const char *target_name;
    int slot;                /* of the temporary file, for signals */
    uint8_t *buf;
    size_t n;
};

/*
 * Opens the output cli->output ("-": standard output). It must not be one of the inputs, nor be there
 * already, unless -f, if it is a regular file; a temporary file beside it is written, which becomes the
 * output with cli_output_commit(). False: the message is printed and cli->status set.
 */
bool cli_output_open(struct cli *cli, struct cli_output *out, const struct cli_input *inputs, size_t n,
                     unsigned flags);
/*
 * Appends n bytes of a file from an offset without bringing them here. Returns how many; where that does not work, or fails,
 * 0 or fewer than n, and the others are to be given to the sink, which tells why.
 */
uint64_t cli_output_copy(struct cli_output *out, int fd, uint64_t offset, uint64_t n);
/* To read what was written before it takes its place. False: it cannot be written, which is printed. */
bool cli_output_source(struct cli_output *out, struct pd_source *source);
/* False: an error that leaves no output has happened. */
bool cli_may_commit(struct cli *cli);
/* Writes out what is left, and puts the file in its place. */
bool cli_output_commit(struct cli_output *out);
/* Drops the output and its temporary file. After a commit, or on a struct that is all 0, it does nothing. */
void cli_output_discard(struct cli_output *out);

/* A file that an option names, for reading: it is an input, too, and never overwritten. NULL with errno set. */
FILE *cli_open_named(struct cli *cli, const char *path);
/* The same of a recording that is open. False: no memory. */
bool cli_name_input(struct cli *cli, const struct cli_input *in);

/*
 * Why the file must not be written, because it is one of the inputs, or part of one that is a directory, or in such a
 * one, or a directory that contains an input; NULL: it may be. All are compared by device and inode. `path`, without symbolic
 * links at its end, is NULL for a descriptor, `st` where nothing is there yet.
 */
const char *cli_overwrites(const struct cli *cli, const char *path, const struct stat *st, const struct cli_input *inputs, size_t n);

/* An unlinked temporary file in $TMPDIR; -1 with errno set. */
int cli_temporary(void);
/* Where that is, for messages. */
const char *cli_temporary_dir(void);
/* Writes all n bytes; returns 0 or an errno. */
int cli_write_all(int fd, const void *bytes, size_t n);

/* ---- A recording that is written to a temporary file first, and from there in another form (spool.c) */

struct cli_spool {
    FILE *file;
    struct pd_sink sink; /* what it is written to */
};

/* Errors are PD_EOUT with the field "temporary file". */
enum pd_code cli_spool_open(struct cli_spool *spool, struct pd_error *error);
/* `code` is what writing to the spool gave; if that is PD_OK, converts it to the sink. Closes the spool. */
enum pd_code cli_spool_convert(struct cli_spool *spool, enum pd_code code, const struct pd_convert_options *how,
                               const struct pd_sink *sink, struct pd_error *error);
/* ---- Recordings in the input's container, or another (spool.c) */

/* --to file, pipe or dir. False: it is none of these; that is printed. */
bool cli_take_to(struct cli *cli, enum pd_convert_to *to);
/* The container to write: what was asked for, a stream to standard output, else that of the input. */
enum pd_convert_to cli_container(const struct cli *cli, const struct pd_reader *reader, enum pd_convert_to asked);
/* Does a verb that keeps the container give that one? Of a directory it gives a file, too. */
bool cli_is_direct(const struct pd_reader *reader, enum pd_convert_to to);
/*
 * Has write() write a file to a temporary one, and converts that; what does not come along is told. `how` has container,
 * compression and, for a directory, its functions.
 */
enum pd_code cli_write_through(struct cli *cli, const struct pd_convert_options *how, const struct pd_sink *sink,
                               enum pd_code (*write)(void *user, const struct pd_sink *sink, struct pd_error *error),
                               void *user, struct pd_error *error);

/* ---- Verbs */

int cmd_info(struct cli *cli, int argc, char **argv);
int cmd_dump(struct cli *cli, int argc, char **argv);
int cmd_decode(struct cli *cli, int argc, char **argv);
int cmd_encode(struct cli *cli, int argc, char **argv);
int cmd_check(struct cli *cli, int argc, char **argv);
int cmd_filter(struct cli *cli, int argc, char **argv);
int cmd_convert(struct cli *cli, int argc, char **argv);
int cmd_edit(struct cli *cli, int argc, char **argv);
int cmd_redact(struct cli *cli, int argc, char **argv);
int cmd_gen(struct cli *cli, int argc, char **argv);
int cmd_extract(struct cli *cli, int argc, char **argv);
int cmd_hash(struct cli *cli, int argc, char **argv);
int cmd_corrupt(struct cli *cli, int argc, char **argv);
int cmd_cmp(struct cli *cli, int argc, char **argv);
int cmd_split(struct cli *cli, int argc, char **argv);
int cmd_repair(struct cli *cli, int argc, char **argv);
int cmd_sort(struct cli *cli, int argc, char **argv);
int cmd_merge(struct cli *cli, int argc, char **argv);
int cmd_bench(struct cli *cli, int argc, char **argv);

#endif
