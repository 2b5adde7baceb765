/* SPDX-License-Identifier: MIT */
/*
 * fuzz_text.c - the verbs decode and encode. Any bytes: decode and encode give the same bytes; and if nothing
 * is damaged or left out, encode accepts the output of decode --short, which settles to a stable text. Bytes
 * that begin with a brace are also used as a text: decode and encode reproduce the result of encode; a
 * refused text leaves no output. Checks R1, R9.
 */
#define _GNU_SOURCE
#include "cli/lib/cli.h"
#include "harness.h"
#include "mutator.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <jansson.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

#define MOST 100000

static FILE *talk; /* what the verbs say */
static char *place;

/*
 * ---- Memory of libjansson, of which an input takes tens of thousands of small blocks: from the front of one
 * large block, anew for each verb. What nobody holds is marked for AddressSanitizer, and nothing that was
 * freed is given again within a verb.
 */

#define ROOM ((size_t)32 << 20)
#define BETWEEN 16 /* bytes in front of a block, which are nobody's */

static uint8_t *room;
static size_t taken, blocks;

/* The size of a block is in front of it. */
__attribute__((no_sanitize("address"))) static size_t *size_of(uint8_t *block)
{
    return (size_t *)(void *)(block - BETWEEN);
}

__attribute__((no_sanitize("address"))) static void *take_block(size_t size)
{
    const size_t most = (size + 15) / 16 * 16;
    if (size > ROOM || taken + BETWEEN + most > ROOM)
        return malloc(size);
    uint8_t *block = room + taken + BETWEEN;
    taken += BETWEEN + most;
    blocks++;
    *size_of(block) = size;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
}

__attribute__((no_sanitize("address"))) static void give_block(void *p)
{
    uint8_t *const block = p;
    if (block < room || block >= room + ROOM) {
        free(block);
        return;
    }
    ASAN_POISON_MEMORY_REGION(block, *size_of(block));
    blocks--;
}

/* ---- Files, all in a directory that is the current one. */

struct bytes {
    uint8_t *p;
    size_t n;
};

static struct bytes load(const char *path)
{
    struct bytes b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    b.n = (size_t)ftell(f);
    b.p = malloc(b.n + 1);
    rewind(f);
    CHECK(b.p && fread(b.p, 1, b.n, f) == b.n);
    fclose(f);
    return b;
}

static void save(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
}

static bool same(const char *path, const void *p, size_t n)
{
    const struct bytes b = load(path);
    const bool equal = b.n == n && (n == 0 || memcmp(b.p, p, n) == 0);
    free(b.p);
    return equal;
}

static int open_up(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)where;
    return kind == FTW_D || kind == FTW_DNR ? chmod(path, 0700) : 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    return where->level ? remove(path) : 0;
}

static size_t count_files(void)
{
    DIR *dir = opendir(".");
    size_t n = 0;
    CHECK(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static bool is_ours(const char *name)
{
    static const char *const names[] = {"in", "text", "back", "short", "made", "once", "twice", "again"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= strcmp(name, names[i]) == 0;
    return found;
}

/* The verbs leave nothing but what they were told to make. */
static void remove_all(void)
{
    DIR *dir = opendir(".");
    bool folders = false;
    CHECK(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            CHECK(is_ours(entry->d_name));
            folders |= unlink(entry->d_name) != 0;
        }
    closedir(dir);
    if (folders) {
        nftw(".", open_up, 8, FTW_PHYS);
        CHECK(nftw(".", remove_one, 8, FTW_PHYS | FTW_DEPTH) == 0);
    }
}

static void remove_place(void)
{
    rmdir(place);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char memory[] = "/dev/shm/fuzz-text-XXXXXX", disk[] = "/tmp/fuzz-text-XXXXXX";
    (void)argc;
    (void)argv;
    talk = fopen("/dev/null", "w");
    room = malloc(ROOM);
    CHECK(room);
    ASAN_POISON_MEMORY_REGION(room, ROOM);
    json_set_alloc_funcs(take_block, give_block);
    place = mkdtemp(memory);
    place = place ? place : mkdtemp(disk);
    CHECK(talk && place && setenv("TMPDIR", place, 1) == 0 && atexit(remove_place) == 0);
    return 0;
}

/* ---- The verbs. */

static int run_verb(int (*verb)(struct cli *, int, char **), const char *in, const char *out,
                    const char *option)
{
    const char *words[] = {"verb", "-f", "-o", out, in, option, NULL};
    char *argv[sizeof words / sizeof *words];
    struct cli cli = {.threads = 1, .verb = "verb"};
    FILE *const usual = stderr;
    int argc = 0;
    for (size_t i = 0; words[i]; i++)
        argv[argc++] = strdup(words[i]);
    argv[argc] = NULL;
    optind = 0; /* from the start */
    stderr = talk;
    const int status = verb(&cli, argc, argv);
    stderr = usual;
    CHECK(blocks == 0);
    taken = 0;
    free(cli.inputs);
    while (argc)
        free(argv[--argc]);
    return status;
}

/* ---- What must hold. */

static void check_short(void)
{
    if (run_verb(cmd_decode, "in", "short", "--short"))
        return;
    CHECK(run_verb(cmd_encode, "short", "made", NULL) == CLI_OK);
    CHECK(run_verb(cmd_decode, "made", "once", "--short") ==
          CLI_OK); /* attrs that say more than they have are whole now */
    CHECK(run_verb(cmd_encode, "once", "made", NULL) == CLI_OK);
    CHECK(run_verb(cmd_decode, "made", "twice", "--short") == CLI_OK);
    const struct bytes text = load("once");
    CHECK(same("twice", text.p, text.n));
    free(text.p);
}

static void check_identity(const uint8_t *data, size_t size)
{
    save("in", data, size);
    const int status = run_verb(cmd_decode, "in", "text", NULL);
    const unsigned turns = turns_of(data, size);
    CHECK(status == CLI_OK || status == CLI_DAMAGED);
    if (turns & 0x03) { /* decode itself reads each line again */
        CHECK(run_verb(cmd_encode, "text", "back", NULL) == CLI_OK);
        CHECK(same("back", data, size));
    }
    if (status == CLI_OK && turns & 0x11)
        check_short();
}

static void check_directory(void)
{
    const int status = run_verb(cmd_decode, "made", "text", NULL);
    CHECK(status == CLI_OK || status == CLI_DAMAGED);
    CHECK(run_verb(cmd_encode, "text", "back", NULL) == CLI_OK);
    CHECK(run_verb(cmd_decode, "back", "again", NULL) == status);
    const struct bytes text = load("text");
    CHECK(same("again", text.p, text.n));
    free(text.p);
}

static void check_text(const uint8_t *data, size_t size, unsigned turns)
{
    struct stat st;
    save("text", data, size);
    const int status = run_verb(cmd_encode, "text", "made", NULL);
    if (status) {
        CHECK(status == CLI_DAMAGED || status == CLI_USAGE || status == CLI_OUTPUT);
        CHECK(count_files() == 1);
        return;
    }
    CHECK(lstat("made", &st) == 0);
    if (S_ISDIR(st.st_mode)) {
        check_directory();
        return;
    }
    if (turns & 0x50) {
        const struct bytes made = load("made");
        check_identity(made.p, made.n);
        free(made.p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* paths that are given on the command line must stay right: the directory is entered for each input */
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (size > MOST)
        size = MOST;
    CHECK(here >= 0 && chdir(place) == 0);
    const bool text = size && data[0] == '{';
    const unsigned turns = turns_of(data, size);
    if (!text || turns & 0x01) {
        check_identity(data, size);
        remove_all();
    }
    if (text) {
        check_text(data, size, turns);
        remove_all();
    }
    CHECK(fchdir(here) == 0);
    close(here);
    return 0;
}

/* ---- Changes: of lines, or of a recording. Most large inputs are cut, as small ones say as much sooner. */

#define LARGE 1024

/* A line is taken away, or comes twice. */
static void mutate_lines(struct mutation *m)
{
    const size_t at = (size_t)mutation_random(m, m->size);
    const uint8_t *const before = memrchr(m->data, '\n', at), *const end =
                                                                  memchr(m->data + at, '\n', m->size - at);
    const size_t from = before ? (size_t)(before + 1 - m->data) : 0,
                 to = end ? (size_t)(end + 1 - m->data) : m->size, n = to - from;
    const bool twice = !m->less && mutation_random(m, 2) && m->size + n <= m->max;
    memmove(m->data + (twice ? to : from), m->data + (twice ? from : to), m->size - (twice ? from : to));
    m->size = twice ? m->size + n : m->size - n;
}

static void cut(struct mutation *m)
{
    m->size = LARGE / 2 + (size_t)mutation_random(m, m->size - LARGE / 2);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = mutation_of(data, size, max, seed);
    const bool text = size && data[0] == '{';
    if (size > LARGE && mutation_random(&m, 4))
        cut(&m);
    if (!text)
        return mutate_file(&m);
    if (m.less || mutation_random(&m, 4) == 0) {
        mutate_lines(&m);
        return m.size;
    }
    return mutate_blindly(data, m.size, m.max);
}
