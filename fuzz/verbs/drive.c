/* SPDX-License-Identifier: MIT */
/*
 * drive.c - runs the command on changed copies of recordings, each verb with many of its options:
 *
 *     drive PERFDATA LINES FOLDER FROM RUNS FINDINGS
 *
 * A run is known by its number, from which follow the recording of FOLDER, its changes and the line of LINES,
 * a verb with its options: IN is the changed recording, OTHER one that is as it was, SEED the number of the
 * run, OUT and DIR what is written. Behind a semicolon stands what follows if that goes well, or with damage.
 * Runs FROM to FROM + RUNS - 1 take place in the current directory, which has nothing else. Of each must hold
 * that it ends in time, by itself and with a known status; that an error is told; that nothing is left
 * half-written: with a status of 2 or more but that of damage the file behind -o is not there, and no
 * temporary file is; and that behind what went well nothing is damaged, or differs from what it was made of.
 * What does not hold is printed, and FINDINGS receives the recording and the words of the command. Exit
 * status 1 if there was such a run.
 */
#define _GNU_SOURCE
#include "../mutator.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_INPUTS 1000
#define MOST_LINES 500
#define MOST_WORDS 40
#define ROOM ((size_t)1 << 20)
#define SECONDS 30
#define MEMORY ((rlim_t)4 << 30)
#define CHECK(condition_)                                                     \
    do {                                                                      \
        if (!(condition_)) {                                                  \
            fprintf(stderr, "drive: %s: %s\n", #condition_, strerror(errno)); \
            exit(2);                                                          \
        }                                                                     \
    } while (0)

static struct input {
    char *path;
    uint8_t *data;
    size_t size;
} inputs[MOST_INPUTS];
static size_t n_inputs;
static char *lines[MOST_LINES];
static size_t n_lines;

/* ---- What is read once */

static void read_input(const char *folder, const char *name)
{
    struct input *in = &inputs[n_inputs];
    CHECK(n_inputs < MOST_INPUTS && asprintf(&in->path, "%s/%s", folder, name) > 0);
    FILE *f = fopen(in->path, "rb");
    CHECK(f && (in->data = malloc(ROOM)) != NULL);
    in->size = fread(in->data, 1, ROOM / 2, f);
    fclose(f);
    n_inputs += in->size > 16;
}

static void read_inputs(const char *folder)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    CHECK(n > 0);
    for (int i = 0; i < n; i++)
        if (entries[i]->d_name[0] != '.')
            read_input(folder, entries[i]->d_name);
    CHECK(n_inputs);
}

static void read_lines(const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    CHECK(f);
    while (getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (*line && *line != '#')
            CHECK(n_lines < MOST_LINES && (lines[n_lines++] = strdup(line)) != NULL);
    }
    CHECK(n_lines);
    fclose(f);
}

/* ---- Changes */

static size_t below(struct mutation *m, size_t n)
{
    return n ? (size_t)mutation_random(m, n) : 0;
}

static struct mutation *current; /* for what mutator.h asks */

/* A bit, a byte, a word from elsewhere, a large number. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    struct mutation *m = current;
    (void)max;
    if (size < 8)
        return size;
    const size_t at = below(m, size - 7);
    switch (below(m, 5)) {
    case 0: data[at] ^= (uint8_t)(1u << below(m, 8)); break;
    case 1: data[at] = (uint8_t)below(m, 256); break;
    case 2: memmove(data + at, data + below(m, size - 7), 8); break;
    case 3: memset(data + at, below(m, 2) ? 0xff : 0, 1 + below(m, 8)); break;
    default: pi_store64(data + at, plausible_count(m), m->order); break;
    }
    return size;
}

/* One to eight changes, or none: what is intact must go well. */
static void write_changed(struct mutation *m, const struct input *in)
{
    static uint8_t room[ROOM];
    size_t times = below(m, 8);
    memcpy(room, in->data, in->size);
    m->data = room;
    m->size = in->size;
    m->max = ROOM;
    current = m;
    while (times--)
        mutate_file(m);
    FILE *f = fopen("IN", "wb");
    CHECK(f && fwrite(room, 1, m->size, f) == m->size && fclose(f) == 0);
}

/* ---- One run */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind;
    return where->level ? remove(path) : 0;
}

static void take_words(char *line, const char *other, char *seed, char **words)
{
    size_t n = 0;
    char *rest = line;
    for (char *word = strtok_r(rest, " ", &rest); word && n < MOST_WORDS - 1;
         word = strtok_r(NULL, " ", &rest))
        words[n++] = strcmp(word, "OTHER") == 0  ? (char *)(uintptr_t)other
                     : strcmp(word, "SEED") == 0 ? seed
                                                 : word;
    words[n] = NULL;
}

static void become_command(const char *perfdata, char **words)
{
    const struct rlimit memory = {MEMORY, MEMORY}, core = {0, 0}, file = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    const int null = open("/dev/null", O_RDWR), told = open("told", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char *argv[MOST_WORDS + 1] = {(char *)(uintptr_t)perfdata};
    memcpy(argv + 1, words, MOST_WORDS * sizeof *words);
    if (getenv("DRIVE_SANITIZED") == NULL)
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    setrlimit(RLIMIT_FSIZE, &file);
    dup2(null, 0);
    dup2(told, 1);
    dup2(told, 2);
    alarm(SECONDS);
    execv(perfdata, argv);
    _exit(127);
}

/* A temporary file that is left, or an output of a run that failed. */
static const char *what_is_left(int status, char **words)
{
    struct dirent **entries;
    const char *what = NULL;
    const int n = scandir(".", &entries, NULL, NULL);
    for (int i = 0; i < n; i++) {
        if (strncmp(entries[i]->d_name, ".perfdata-", 10) == 0)
            what = "a temporary file is left";
        free(entries[i]);
    }
    free(entries);
    for (; *words; words++)
        if ((status == 2 || status > 3) && strcmp(*words, "-o") == 0 && words[1] &&
            access(words[1], F_OK) == 0)
            what = "an output is left";
    return what;
}

/* Behind a semicolon, these compare what is the same in two forms, or an index with its recording. */
static bool must_agree(char **words)
{
    return strcmp(words[0], "cmp") == 0 ||
           (strcmp(words[0], "index") == 0 && strcmp(words[1], "--check") == 0);
}

/* `before`: the worst status of those that led to what is read now. */
static const char *judge_end(int ended, int before, char **words)
{
    struct stat st;
    if (WIFSIGNALED(ended))
        return WTERMSIG(ended) == SIGALRM ? "it does not end" : strsignal(WTERMSIG(ended));
    const int status = WEXITSTATUS(ended);
    if (status > 4)
        return "an unknown status";
    if (status > 1 && (stat("told", &st) || st.st_size == 0))
        return "nothing is told";
    if (status == 3 && before == 0 && strcmp(*words, "check") == 0)
        return "what is written is damaged";
    if (status == 1 && before == 0 && must_agree(words))
        return "what should be the same is not";
    return what_is_left(status, words);
}

static void keep_finding(uint64_t number, const char *wrong, const struct input *in, const char *line,
                         const char *findings)
{
    char *command;
    printf("run %llu: %s: %s: %s\n", (unsigned long long)number, wrong, in->path, line);
    fflush(stdout);
    CHECK(asprintf(&command, "cp IN '%s/%llu' && cp told '%s/%llu.told'", findings,
                   (unsigned long long)number, findings, (unsigned long long)number) > 0);
    CHECK(system(command) == 0);
    free(command);
}

static bool goes_on(int status)
{
    return status < 2 || status == 3;
}

static bool try_run(const char *perfdata, uint64_t number, const char *findings)
{
    struct mutation m = {.state = number * UINT64_C(0x9e3779b97f4a7c15)};
    const struct input *in = &inputs[below(&m, n_inputs)], *other = &inputs[below(&m, n_inputs)];
    const char *const all = lines[below(&m, n_lines)], *wrong = NULL;
    char *words[MOST_WORDS], *const line = strdup(all), *rest = line, *part;
    int ended = 0, worst = strstr(all, "corrupt ") ? 3 : 0;
    char seed[24];
    bool first = true;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)number);
    CHECK(nftw(".", remove_one, 8, FTW_PHYS | FTW_DEPTH) == 0 && mkdir("DIR", 0700) == 0);
    write_changed(&m, in);
    while (!wrong && goes_on(WEXITSTATUS(ended)) && (part = strsep(&rest, ";")) != NULL) {
        take_words(part, other->path, seed, words);
        const pid_t child = fork();
        if (child == 0)
            become_command(perfdata, words);
        CHECK(child > 0 && waitpid(child, &ended, 0) == child);
        wrong = judge_end(ended, first ? 3 : worst, words);
        worst = WEXITSTATUS(ended) > worst ? WEXITSTATUS(ended) : worst;
        first = false;
    }
    if (wrong)
        keep_finding(number, wrong, in, all, findings);
    free(line);
    return wrong == NULL;
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    const uint64_t from = strtoull(argv[4], NULL, 10), runs = strtoull(argv[5], NULL, 10);
    uint64_t bad = 0;
    read_lines(argv[2]);
    read_inputs(argv[3]);
    for (uint64_t i = from; i < from + runs; i++)
        bad += !try_run(argv[1], i, argv[6]);
    printf("%llu runs, %llu findings, %zu recordings, %zu ways\n", (unsigned long long)runs,
           (unsigned long long)bad, n_inputs, n_lines);
    return bad != 0;
}
