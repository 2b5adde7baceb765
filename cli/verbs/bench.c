/* SPDX-License-Identifier: MIT */
/*
 * bench.c - `perfdata bench`: the cost of reading, decoding, encoding and the verbs on a recording, compared
 * with limits of the machine. Each case runs in a separate process, so that its memory can be measured.
 */
#define _GNU_SOURCE
#include "src/codec/record_role.h"
#include "src/support/limits.h"
#include "cli/lib/cli.h"
#include "cli/lib/measure.h"
#include "cli/lib/threads/parts.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#define WINDOW ((size_t)256 << 10)
#define DEFAULT_REPEAT 3

enum { KEY_ONLY = CLI_LONG, KEY_REPEAT, KEY_COMMAND };

static const struct cli_option options[] = {
    {"only", KEY_ONLY, "CASE,…", "these cases (default: all)"},
    {"repeat", KEY_REPEAT, "N", "run each case N times, the fastest counts (default: 3)"},
    {"command", KEY_COMMAND, "CASE=COMMAND", "measure a shell command too; {in} and {out} stand for files"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [FILE]",
    .about =
        "Measures on this machine what a recording costs to read, decode, encode, check, filter, convert "
        "and\n"
        "turn to text and back. The first cases are limits: bytes only read, copied or hopped over.\n"
        "Times are those on a cpu, the system's part included, and last the nanoseconds a record of the "
        "clock,\n"
        "which count with -j: then frame and the cases behind it use several threads. Counters\n"
        "that the machine does not have are shown as n/a. Outputs are written to $TMPDIR and removed.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON,
    .examples = "  perfdata bench x.data                                  all cases\n"
                "  perfdata bench --only read,decode,encode --json x.data\n"
                "  perfdata bench --command 'perf=perf report --stats -i {in}' x.data\n",
};

/* The results of a case, in memory shared with its process. */
struct result {
    struct measured m;
    uint64_t records, bytes;
    bool done;
    int status; /* of a failure */
    char error[512];
};

struct bench {
    struct cli *cli;
    const char *path, *only;
    uint64_t size, records, data_offset, data_size;
    bool compressed; /* some records are inside of COMPRESSED ones */
    char dir[256];   /* of outputs; "" until there is one */
    char in[4096], out[4096], text[4096];
    const char *commands[PI_LIMIT_BENCH_COMMANDS];
    size_t n_commands;
    uint64_t repeat;
    struct cli_json *json;
    struct result *shared;
};

/* ---- Cases inside of this process */

static volatile uint64_t sink; /* uses the bytes read, or compilers would leave out the loop */

static void fail(struct bench *b, const char *what)
{
    snprintf(b->shared->error, sizeof b->shared->error, "%s", what);
}

static void fail_error(struct bench *b, const struct pd_error *error)
{
    pd_error_text(error, b->shared->error, sizeof b->shared->error);
    b->shared->status = cli_status_of(error);
}

static ssize_t fill(int fd, uint8_t *buf, size_t n)
{
    ssize_t got;
    while ((got = read(fd, buf, n)) < 0 && errno == EINTR)
        ;
    return got;
}

/* The bytes of the file, read into one buffer. */
static void case_read(struct bench *b)
{
    uint8_t *buf = cli_malloc(WINDOW);
    const int fd = open(b->path, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    if (buf == NULL || fd < 0)
        fail(b, strerror(errno));
    else
        while ((got = fill(fd, buf, WINDOW)) > 0)
            b->shared->bytes += (uint64_t)got;
    free(buf);
    close(fd);
}

/* The same, and each window copied. */
static void case_memcpy(struct bench *b)
{
    uint8_t *buf = cli_malloc(WINDOW), *copy = cli_malloc(WINDOW);
    if (buf == NULL || copy == NULL) {
        fail(b, strerror(ENOMEM));
    } else {
        memset(buf, 1, WINDOW);
        for (; b->shared->bytes < b->size; b->shared->bytes += WINDOW) {
            memcpy(copy, buf, WINDOW);
            __asm__ volatile("" ::"r"(copy) : "memory");
        }
    }
    free(buf);
    free(copy);
}

/* Only from header to header, through windows that hold whole records: the lower limit of framing. */
static void case_hops(struct bench *b)
{
    struct pd_reader *r;
    struct pd_error error;
    uint8_t *buf = cli_malloc(WINDOW);
    const int fd = open(b->path, O_RDONLY | O_CLOEXEC);
    size_t left = 0;
    ssize_t got;
    if (buf == NULL || fd < 0 || pd_reader_open(&r, b->path, NULL, &error)) {
        fail(b, "cannot be read");
        free(buf);
        return;
    }
    const bool swap = pd_reader_info(r)->order != PD_HOST_ORDER;
    pd_reader_close(r);
    lseek(fd, (off_t)b->data_offset, SEEK_SET);
    while (b->shared->bytes < b->data_size && (got = fill(fd, buf + left, WINDOW - left)) > 0) {
        const uint64_t more = b->data_size - b->shared->bytes;
        size_t end = left + (size_t)got, at = 0;
        end = end < more ? end : (size_t)more;
        while (end - at >= 8) {
            uint16_t size;
            memcpy(&size, buf + at + 6, 2);
            size = swap ? __builtin_bswap16(size) : size;
            if (size < 8 || size > end - at)
                break;
            at += size;
            b->shared->records++;
        }
        b->shared->bytes += at;
        left = end - at;
        memmove(buf, buf + at, left);
        if (left == WINDOW) /* nothing that fits: no record */
            break;
    }
    if (b->shared->bytes < b->data_size)
        fail(b, "headers alone do not lead through the data: there is AUX data, or damage");
    free(buf);
    close(fd);
}

/* One chunk of compressed data, into a buffer that nobody reads. */
static bool inflate_chunk(struct bench *b, ZSTD_DCtx *ctx, const struct pd_bytes *chunk, uint8_t *buf)
{
    ZSTD_inBuffer in = {chunk->ptr, chunk->n, 0};
    ZSTD_outBuffer out;
    do {
        out = (ZSTD_outBuffer){buf, WINDOW, 0};
        const size_t left = ZSTD_decompressStream(ctx, &out, &in);
        if (ZSTD_isError(left)) {
            fail(b, ZSTD_getErrorName(left));
            return false;
        }
    } while (in.pos < in.size || out.pos == out.size);
    return true;
}

/* Reads and decompresses the compressed data with libzstd alone, without looking at the records inside. */
static void case_inflate(struct bench *b)
{
    const struct pd_reader_options whole = {.size = sizeof whole, .keep_compressed = true};
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_error error;
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    uint8_t *buf = cli_malloc(WINDOW);
    if (ctx == NULL || buf == NULL) {
        fail(b, strerror(ENOMEM));
    } else if (pd_reader_open(&r, b->path, &whole, &error)) {
        fail_error(b, &error);
    } else {
        bool good = true;
        while (good && pd_reader_next(r, &rec, NULL) == PD_OK) {
            if (!pi_is_wrapper(&rec))
                continue;
            if (pd_reader_decode(r, &rec, NULL) == PD_OK)
                good = inflate_chunk(
                    b, ctx,
                    rec.type == PD_RECORD_COMPRESSED ? &rec.u.compressed.data : &rec.u.compressed2.data, buf);
        }
        pd_reader_close(r);
    }
    ZSTD_freeDCtx(ctx);
    free(buf);
}

enum depth { FRAME, PLAN, DECODE, ENCODE };

/* A word of the sample at the place that the plan tells. */
static uint64_t word_at(const struct pd_record *rec, uint16_t at)
{
    uint64_t word = 0;
    if (at && at + sizeof word <= rec->size)
        memcpy(&word, rec->raw + at, sizeof word);
    return rec->plan->order == PD_HOST_ORDER ? word : __builtin_bswap64(word);
}

static uint64_t planned(const struct pd_record *rec)
{
    const struct pd_plan *plan = rec->plan;
    return plan ? word_at(rec, plan->ip) ^ word_at(rec, plan->pid) ^ word_at(rec, plan->time) : 0;
}

/* All remaining records of the reader. */
static enum pd_code go_through(struct pd_reader *r, enum depth depth, uint64_t *records,
                               struct pd_error *error)
{
    uint8_t out[UINT16_MAX];
    struct pd_record rec = {0};
    size_t size;
    enum pd_code code;
    uint64_t mixed = 0;
    while ((code = depth < DECODE ? pd_reader_next(r, &rec, error)
                                  : pd_reader_next_decoded(r, &rec, error)) == PD_OK) {
        ++*records;
        if (depth == PLAN && rec.type == PD_RECORD_SAMPLE)
            mixed ^= planned(&rec);
        if (depth == ENCODE && rec.decoded &&
            (code = pd_record_encode(rec.plan, &rec, out, UINT16_MAX, &size, error)))
            break;
    }
    __atomic_store_n(&sink, mixed, __ATOMIC_RELAXED);
    return code;
}

struct through {
    struct bench *b;
    enum depth depth;
};

static bool go_through_part(void *user, void *memory, struct pd_reader *part, struct pd_rewrite_stats *stats)
{
    const struct through *t = user;
    struct pd_error error;
    (void)memory;
    return go_through(part, t->depth, &stats->records, &error) == PD_END;
}

static void take_part(void *user, const struct pd_rewrite_stats *stats)
{
    const struct through *t = user;
    t->b->shared->records += stats->records;
}

static void through(struct bench *b, enum depth depth)
{
    struct through t = {b, depth};
    const struct cli_parts_job job = {go_through_part, take_part, &t, 0};
    struct pd_reader *r;
    struct pd_error error;
    enum pd_code code = pd_reader_open(&r, b->path, NULL, &error);
    if (!code) {
        const struct cli_proven done = cli_parts_run(b->cli, r, &job);
        cli_progress_end(b->cli);
        if (done.records)
            code = pd_reader_seek(r, done.end, done.records, &error);
        if (!code)
            code = go_through(r, depth, &b->shared->records, &error);
        pd_reader_close(r);
    }
    if (code != PD_END)
        fail_error(b, &error);
    else if (b->shared->records != b->records)
        fail(b, "there are fewer or more records than before");
}

static void case_frame(struct bench *b)
{
    through(b, FRAME);
}
static void case_plan(struct bench *b)
{
    through(b, PLAN);
}
static void case_decode(struct bench *b)
{
    through(b, DECODE);
}
static void case_encode(struct bench *b)
{
    through(b, ENCODE);
}

/* ---- Cases that are commands: {self}, {j}, {in}, {out}, {text} are put in. */

static const struct bench_case {
    const char *name, *does;
    void (*run)(struct bench *b);
    const char *command;
} cases[] = {
    {"read", "limit: read() into one buffer", case_read, NULL},
    {"hops", "limit: read(), and from header to header", case_hops, NULL},
    {"memcpy", "limit: as many bytes copied in memory", case_memcpy, NULL},
    {"cp", "limit: cp", NULL, "cp {in} {out}"},
    {"inflate", "limit: libzstd alone, of what is compressed", case_inflate, NULL},
    {"frame", "records framed", case_frame, NULL},
    {"plan", "and ip, pid and time of samples taken", case_plan, NULL},
    {"decode", "every field decoded", case_decode, NULL},
    {"encode", "decoded and encoded again", case_encode, NULL},
    {"check", "perfdata check", NULL, "{self} check -q {j} {in}"},
    {"info", "perfdata info --stats", NULL, "{self} info --stats {j} {in} > /dev/null"},
    {"filter", "filter to a file, keeping everything", NULL,
     "{self} filter -q {j} --time 0, -i {in} -o {out}"},
    {"reencode", "convert --reencode", NULL, "{self} convert -q {j} --reencode -i {in} -o {out}"},
    {"pipe", "convert to a pipe stream", NULL, "{self} convert -q {j} --to pipe -i {in} -o {out}"},
    {"sort", "sort", NULL, "{self} sort -q {j} -i {in} -o {out}"},
    {"dump", "dump", NULL, "{self} dump {j} {in} > {out}"},
    {"fields", "dump -F comm,pid,tid,cpu,time,event", NULL,
     "{self} dump -F comm,pid,tid,cpu,time,event {j} {in} > {out}"},
    {"text-out", "decode to lines of JSON", NULL, "{self} decode {j} {in} > {out}"},
    {"text-in", "encode from them", NULL, "{self} encode -q {j} -f -o {out} {text}"},
};
#define N_CASES (sizeof cases / sizeof *cases)

/* A text quoted as one word of the shell. */
static bool quote(char *out, size_t cap, const char *text)
{
    size_t n = 0;
    for (out[n++] = '\''; *text; text++) {
        const char *piece = *text == '\'' ? "'\\''" : (char[]){*text, 0};
        if (n + strlen(piece) + 2 > cap)
            return false;
        n += strlen(strcpy(out + n, piece));
    }
    strcpy(out + n, "'");
    return true;
}

/* The command with {in}, {out}, … replaced. */
static bool put_in(const struct bench *b, const char *command, char *out, size_t cap)
{
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char quoted[4 * 4096 + 3], threads[16];
    snprintf(threads, sizeof threads, "-j%u", b->cli->threads);
    const struct {
        const char *name, *text;
    } words[] = {{"{self}", self}, {"{j}", threads}, {"{in}", b->in}, {"{out}", b->out}, {"{text}", b->text}};
    size_t n = 0;
    while (*command) {
        const char *piece = (char[]){*command, 0};
        size_t taken = 1;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncmp(command, words[i].name, strlen(words[i].name)) == 0) {
                taken = strlen(words[i].name);
                if (!quote(quoted, sizeof quoted, words[i].text))
                    return false;
                piece = quoted;
            }
        if (n + strlen(piece) + 1 > cap)
            return false;
        n += strlen(strcpy(out + n, piece));
        command += taken;
    }
    return true;
}

static void run_command(struct bench *b, const char *command)
{
    char line[PI_LIMIT_BENCH_COMMAND];
    if (!put_in(b, command, line, sizeof line)) {
        fail(b, "the command is too long");
        return;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        fail(b, "the command failed");
}

/* ---- Running */

static void remove_dir(struct bench *b)
{
    if (b->dir[0] == 0)
        return;
    unlink(b->out);
    unlink(b->text);
    rmdir(b->dir);
}

static struct bench *running;
static volatile sig_atomic_t child;

/* Ends the case, and leaves no outputs. */
static void on_signal(int number)
{
    if (child > 0)
        kill(-(pid_t)child, SIGKILL);
    remove_dir(running);
    signal(number, SIG_DFL);
    raise(number);
}

/* A case has a group of processes of its own. */
static pid_t fork_case(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        setpgid(0, 0);
    else if (pid > 0)
        setpgid(pid, pid);
    child = (sig_atomic_t)pid;
    return pid;
}

/* One run, in a process of its own. */
static bool run_once(struct bench *b, const struct bench_case *c)
{
    memset(b->shared, 0, sizeof *b->shared);
    unlink(b->out);
    const pid_t pid = fork_case();
    if (pid == 0) {
        struct measure m;
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        measure_open(&m);
        measure_begin(&m);
        if (c->run)
            c->run(b);
        else
            run_command(b, c->command);
        measure_end(&m, &b->shared->m);
        b->shared->done = true;
        _exit(0);
    }
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    if (pid < 0 || !b->shared->done || b->shared->error[0]) {
        cli_fail(b->cli, b->shared->status > CLI_FINDINGS ? b->shared->status : CLI_FINDINGS, "%s: %s",
                 c->name, b->shared->error[0] ? b->shared->error : "it did not finish");
        return false;
    }
    if (c->command == NULL || b->shared->records == 0)
        b->shared->records = b->records;
    b->shared->bytes = b->size;
    return true;
}

static double per(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void print_counter(struct bench *b, const struct result *r, enum measure_what what)
{
    if (r->m.known[what])
        cli_print(b->cli, " %9.1f", per((double)r->m.count[what], (double)r->records));
    else
        cli_print(b->cli, " %9s", "n/a");
}

static void show(struct bench *b, const char *name, const struct result *r)
{
    const double ns = (double)r->m.count[MEASURE_TASK_CLOCK];
    if (b->json == NULL) {
        cli_print(b->cli, "%-12s %9.1f %7.2f %9.2f %7.1f", name, per(ns, (double)r->records),
                  per((double)r->bytes, ns), per((double)r->records * 1e3, ns),
                  (double)r->m.peak_rss / (1 << 20));
        for (int i = MEASURE_CYCLES; i < MEASURE_KINDS; i++)
            print_counter(b, r, (enum measure_what)i);
        cli_print(b->cli, " %9.1f\n", per((double)r->m.wall, (double)r->records));
        return;
    }
    cli_json_open(b->json, NULL, '{');
    cli_json_str(b->json, "case", name);
    cli_json_count(b->json, "records", r->records);
    cli_json_count(b->json, "bytes", r->bytes);
    cli_json_count(b->json, "wall_ns", r->m.wall);
    cli_json_count(b->json, "peak_rss", r->m.peak_rss);
    for (int i = 0; i < MEASURE_KINDS; i++) {
        if (r->m.known[i]) {
            cli_json_count(b->json, measure_names[i], r->m.count[i]);
        } else {
            cli_json_key(b->json, measure_names[i]);
            pd_out_str(b->json->out, "null");
        }
    }
    cli_json_close(b->json, '}');
}

/* With several threads, their total cpu time is no measure. */
static uint64_t time_of(const struct bench *b, const struct result *r)
{
    return b->cli->threads > 1 ? r->m.wall : r->m.count[MEASURE_TASK_CLOCK];
}

static void run_case(struct bench *b, const struct bench_case *c)
{
    struct result best = {0};
    for (uint64_t i = 0; i < b->repeat; i++) {
        if (!run_once(b, c))
            return;
        if (i == 0 || time_of(b, b->shared) < time_of(b, &best))
            best = *b->shared;
    }
    show(b, c->name, &best);
    cli_flush(b->cli);
}

static bool is_wanted(const struct bench *b, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = b->only; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == n && strncmp(at, name, n) == 0)
            return true;
    return b->only == NULL;
}

static bool only_is_known(struct bench *b)
{
    for (const char *at = b->only; at && *at; at += strcspn(at, ","), at += *at == ',') {
        const size_t n = strcspn(at, ",");
        if (CLI_FIND_WORD(b->cli, "--only", at, n, cases) < 0)
            return false;
    }
    return true;
}

/* A directory for outputs, and the text that text-in reads. */
static bool make_dir(struct bench *b)
{
    if (snprintf(b->dir, sizeof b->dir, "%s/perfdata-bench-XXXXXX", cli_temporary_dir()) >=
            (int)sizeof b->dir ||
        mkdtemp(b->dir) == NULL) {
        cli_fail(b->cli, CLI_OUTPUT, "%s: %s", b->dir, strerror(errno));
        b->dir[0] = 0;
        return false;
    }
    snprintf(b->out, sizeof b->out, "%s/out", b->dir);
    snprintf(b->text, sizeof b->text, "%s/text", b->dir);
    return true;
}

static void run_cases(struct bench *b)
{
    for (size_t i = 0; i < N_CASES && !b->cli->out_error; i++) {
        if (!is_wanted(b, cases[i].name) || (cases[i].run == case_inflate && !b->compressed))
            continue;
        const bool from_text = cases[i].command && strstr(cases[i].command, "{text}");
        if (from_text) {
            memset(b->shared, 0, sizeof *b->shared);
            run_command(b, "{self} decode {in} > {text}");
        }
        if (from_text && b->shared->error[0]) {
            cli_fail(b->cli, CLI_FINDINGS, "%s: %s", cases[i].name, b->shared->error);
            continue;
        }
        run_case(b, &cases[i]);
    }
    for (size_t i = 0; i < b->n_commands; i++) {
        char name[64];
        const char *command = strchr(b->commands[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(command - b->commands[i]), b->commands[i]);
        run_case(b, &(struct bench_case){.name = name, .command = command + 1});
    }
}

/*
 * The amount of work; this also brings the file into the page cache. Damage is reported, and the readable
 * part measured.
 */
static bool count_all(struct bench *b)
{
    struct cli_input in;
    struct pd_record rec = {0};
    if (!cli_input_open(b->cli, &in, b->path, 0))
        return false;
    const struct pd_file_info *info = pd_reader_info(in.reader);
    while (cli_next_decoded(&in, &rec)) {
        b->compressed |= rec.depth != 0;
        b->records++;
    }
    b->size = info->file_size;
    b->data_offset = info->data_offset;
    b->data_size = pd_reader_offset(in.reader) - b->data_offset;
    cli_input_close(&in);
    return b->cli->status < CLI_OUTPUT;
}

static void bench_file(struct bench *b)
{
    struct cli_json json = {.out = &b->cli->out};
    if (realpath(b->path, b->in) == NULL) {
        cli_fail(b->cli, cli_open_status(errno), "%s: %s", b->path, strerror(errno));
        return;
    }
    struct stat st;
    if (stat(b->in, &st) < 0 || !S_ISREG(st.st_mode)) {
        cli_fail(b->cli, CLI_USAGE, "%s: no regular file: it is to be read again and again, and copied",
                 b->path);
        return;
    }
    if (!count_all(b) || !make_dir(b))
        return;
    if (b->cli->json) {
        b->json = &json;
        cli_json_open(&json, NULL, '{');
        cli_json_str(&json, "file", b->path);
        cli_json_count(&json, "repeat", b->repeat);
        cli_json_count(&json, "threads", b->cli->threads);
        cli_json_open(&json, "cases", '[');
    } else {
        cli_print(b->cli, "%-12s %9s %7s %9s %7s", "case", "ns/record", "GB/s", "M rec/s", "MiB");
        for (int i = MEASURE_CYCLES; i < MEASURE_KINDS; i++)
            cli_print(b->cli, " %9.9s", measure_names[i]);
        cli_print(b->cli, " %9s\n", "clock ns");
    }
    cli_flush(b->cli);
    run_cases(b);
    if (b->json) {
        cli_json_close(&json, ']');
        cli_json_close(&json, '}');
        pd_out_str(json.out, "\n");
        b->json = NULL;
    }
}

static bool take_option(struct bench *b, int key)
{
    struct cli *cli = b->cli;
    switch (key) {
    case KEY_ONLY: b->only = cli->arg; return only_is_known(b);
    case KEY_REPEAT:
        if (cli_number(cli->arg, &b->repeat) && b->repeat >= 1 && b->repeat <= PI_LIMIT_BENCH_REPEAT)
            return true;
        cli_fail(cli, CLI_USAGE, "--repeat: \"%s\" is no number from 1 to %d", cli->arg,
                 PI_LIMIT_BENCH_REPEAT);
        return false;
    case KEY_COMMAND:
        if (strchr(cli->arg, '=') && b->n_commands < PI_LIMIT_BENCH_COMMANDS) {
            b->commands[b->n_commands++] = cli->arg;
            return true;
        }
        if (b->n_commands == PI_LIMIT_BENCH_COMMANDS)
            cli_fail(cli, CLI_USAGE, "--command: more than %d", PI_LIMIT_BENCH_COMMANDS);
        else
            cli_fail(cli, CLI_USAGE, "--command: \"%s\" is not of the form CASE=COMMAND", cli->arg);
        return false;
    default: return false;
    }
}

int cmd_bench(struct cli *cli, int argc, char **argv)
{
    struct bench b = {.cli = cli, .repeat = DEFAULT_REPEAT};
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
        if (key == CLI_STOP || !take_option(&b, key))
            return cli->status;
    b.path = cli->inputs[0];
    if (strcmp(b.path, "-") == 0)
        return cli_fail(cli, CLI_USAGE, "standard input can be read once only: name a file");
    b.shared = mmap(NULL, sizeof *b.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b.shared == MAP_FAILED)
        return cli_fail(cli, CLI_OUTPUT, "no memory");
    running = &b;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGHUP, on_signal);
    bench_file(&b);
    remove_dir(&b);
    munmap(b.shared, sizeof *b.shared);
    return cli->status;
}
