/* SPDX-License-Identifier: MIT */
/*
 * driver.c - runs a libFuzzer harness without libFuzzer: once on the empty input, then on every file named,
 * directories being searched through in order of name. Arguments that begin with '-' are libFuzzer's options
 * and are ignored.
 *
 * Each input is named before it runs, so that the last name printed is the one that crashed.
 * Exit status: 0 when every file was read and run, 1 when one could not be read.
 */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static size_t inputs, bytes, unreadable;

static void complain(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    unreadable++;
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
        if (argv[i][0] != '-')
            run_path(argv[i]);

    printf("%zu files run, %zu bytes, %zu unreadable\n", inputs, bytes, unreadable);
    return unreadable != 0;
}
