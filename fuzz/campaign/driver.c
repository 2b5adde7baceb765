/* SPDX-License-Identifier: MIT */
/*
 * driver.c - runs a libFuzzer harness without libFuzzer: once on the empty input, then on every file named,
 * directories being searched through in order of name. Arguments that begin with '-' are libFuzzer's options.
 * All are ignored but -max_total_time=SECONDS, which makes it change these inputs blindly, for so long; then
 * -seed=N seeds it, and an input that crashes is written to what -artifact_prefix=PATH begins.
 *
 * Each file is named before it runs, so that the last name printed is the one that crashed.
 * Exit status: 0 when every file was read and run, 1 when one could not be read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define LARGEST ((size_t)16384) /* bytes of an input that is changed */

static size_t inputs, bytes, unreadable;
static struct kept {
    uint8_t *data;
    size_t size;
} * kept; /* to be changed */
static size_t n_kept;
static unsigned long seconds;
static unsigned long long state = 1;
static char artifact[4096];

static void complain(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    unreadable++;
}

static void keep_input(uint8_t *data, size_t size)
{
    if ((n_kept & (n_kept - 1)) == 0)
        kept = realloc(kept, (n_kept ? 2 * n_kept : 1) * sizeof *kept);
    if (!kept)
        abort();
    kept[n_kept++] = (struct kept){data, size};
}

static void run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        complain(path, strerror(errno));
        return;
    }
    uint8_t *data = malloc(size); /* of exactly this size: the sanitizers see the first byte read past it */
    if (!data && size) {
        complain(path, "out of memory");
    } else if (fread(data, 1, size, file) != size) {
        complain(path, "short read");
    } else {
        printf("%s: %zu bytes\n", path, size);
        LLVMFuzzerTestOneInput(data, size);
        inputs++;
        bytes += size;
        if (seconds && size <= LARGEST) {
            keep_input(data, size);
            data = NULL;
        }
    }
    free(data);
    fclose(file);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st)) {
        complain(path, strerror(errno));
    } else if (S_ISREG(st.st_mode)) {
        run_file(path, (size_t)st.st_size);
    } else if (S_ISDIR(st.st_mode)) {
        struct dirent **entries;
        int n = scandir(path, &entries, not_hidden, alphasort);
        if (n < 0) {
            complain(path, strerror(errno));
            return;
        }
        for (int i = 0; i < n; i++) {
            size_t length = strlen(path) + 1 + strlen(entries[i]->d_name) + 1;
            char *child = malloc(length);
            if (child) {
                snprintf(child, length, "%s/%s", path, entries[i]->d_name);
                run_path(child);
            } else {
                complain(path, "out of memory");
            }
            free(child);
            free(entries[i]);
        }
        free(entries);
    } else {
        complain(path, "neither a file nor a directory");
    }
}

/* ---- Blind changes */

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

/* A bit, a byte, a piece from elsewhere; a byte more or less. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    const size_t at = below(size), from = below(size), most = size - (at > from ? at : from);
    switch (size ? below(5) : 4) {
    case 0: data[at] ^= (uint8_t)(1u << below(8)); break;
    case 1: data[at] = (uint8_t)below(256); break;
    case 2: memmove(data + at, data + from, below(most < 16 ? most : 16)); break;
    case 3: memmove(data + at, data + at + 1, size - at - 1); return size > 1 ? size - 1 : size;
    default:
        if (size == max)
            break;
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)below(256);
        return size + 1;
    }
    return size;
}

static struct kept tried;

static void on_crash(int number)
{
    const int fd = open(artifact, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, tried.data, tried.size) < 0)
        _exit(2);
    signal(number, SIG_DFL);
    raise(number);
}

static void change_inputs(void)
{
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    const time_t end = time(NULL) + (time_t)seconds;
    static uint8_t room[LARGEST];
    size_t n = 0;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        signal(crashes[i], on_crash);
    for (; n_kept && time(NULL) < end; n++) {
        const struct kept *from = &kept[below(n_kept)];
        size_t size = from->size, times = 1 + below(4);
        memcpy(room, from->data, size);
        while (times--)
            size = LLVMFuzzerCustomMutator
                       ? LLVMFuzzerCustomMutator(room, size, LARGEST, (unsigned)below(1u << 31))
                       : LLVMFuzzerMutate(room, size, LARGEST);
        tried = (struct kept){malloc(size), size}; /* of exactly this size */
        if (!tried.data && size)
            abort();
        memcpy(tried.data, room, size);
        alarm(60);
        LLVMFuzzerTestOneInput(tried.data, size);
        free(tried.data);
    }
    alarm(0);
    printf("stat::number_of_executed_units: %zu\n", n);
}

static void take_option(const char *option)
{
    if (strncmp(option, "-max_total_time=", 16) == 0)
        seconds = strtoul(option + 16, NULL, 10);
    else if (strncmp(option, "-seed=", 6) == 0)
        state = strtoull(option + 6, NULL, 10) | 1;
    else if (strncmp(option, "-artifact_prefix=", 17) == 0)
        snprintf(artifact, sizeof artifact, "%scrash-blind", option + 17);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);

    uint8_t *nothing = malloc(0);
    puts("(empty input)");
    LLVMFuzzerTestOneInput(nothing, 0);
    free(nothing);

    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            take_option(argv[i]);
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-')
            run_path(argv[i]);
    if (seconds)
        change_inputs();

    printf("%zu files run, %zu bytes, %zu unreadable\n", inputs, bytes, unreadable);
    return unreadable != 0;
}
