/* SPDX-License-Identifier: MIT */
/* cmp_files.c - files of directories that hold no records (kcore_dir and the like), for `perfdata cmp`. */
#include "cmp.h"
#include "src/support/limits.h"
#include "cli/lib/files/convert_dir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <perfdata/ops/difference.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Paths below the directory, in order: files, links and other entries that are not directories. */
struct names {
    char **names;
    size_t n, cap;
};

static void free_names(struct names *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->names[i]);
    free(l->names);
}

/* Takes ownership of `name`. */
static bool add_name(struct names *l, char *name)
{
    if (l->n == l->cap) {
        const size_t cap = l->cap ? 2 * l->cap : 16;
        char **names = realloc(l->names, cap * sizeof *names);
        if (names == NULL) {
            free(name);
            return false;
        }
        l->names = names;
        l->cap = cap;
    }
    l->names[l->n++] = name;
    return true;
}

static int list_names(struct names *l, const char *root, const char *below, const struct cli_input *in,
                      int depth);

static int list_entry(struct names *l, const char *root, char *name, int depth)
{
    struct stat st;
    char *path = cli_format("%s/%s", root, name);
    int error = path == NULL ? ENOMEM : lstat(path, &st) < 0 ? errno : 0;
    free(path);
    if (!error && S_ISDIR(st.st_mode) && depth < PI_LIMIT_CMP_DEPTH)
        error = list_names(l, root, name, NULL, depth + 1);
    else if (!error)
        return add_name(l, name) ? 0 : ENOMEM;
    free(name);
    return error;
}

/* `below` is "" for the directory itself; there the members of the recording `in` are left out. */
static int list_names(struct names *l, const char *root, const char *below, const struct cli_input *in,
                      int depth)
{
    char *path = cli_format("%s/%s", root, below);
    DIR *dir = path ? opendir(path) : NULL;
    int error = dir ? 0 : errno;
    const struct dirent *entry;
    while (dir && !error && (entry = readdir(dir))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (in && cli_is_member(in, name)))
            continue;
        char *whole = cli_format("%s%s%s", below, *below ? "/" : "", name);
        error = whole ? list_entry(l, root, whole, depth) : ENOMEM;
    }
    if (dir)
        closedir(dir);
    free(path);
    return error;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool take_names(struct cmp *c, int side, struct names *l)
{
    const char *path = c->cli->inputs[side];
    const int error = S_ISDIR(c->in[side].st.st_mode) ? list_names(l, path, "", &c->in[side], 0) : 0;
    if (error)
        cli_fail(c->cli, cli_open_status(error), "%s: %s", path, strerror(error));
    else if (l->n)
        qsort(l->names, l->n, sizeof *l->names, by_name);
    return error == 0;
}

/* ---- Lines */

/* A value: a number, or a text if there is one. */
struct value {
    uint64_t number;
    const char *text;
};

static void put_value(struct pd_out *out, const struct value *v)
{
    if (v->text)
        pd_out_json_text(out, v->text, strlen(v->text));
    else
        pd_out_dec(out, v->number);
}

static void print_json(struct cmp *c, const char *name, const bool *there, const char *field,
                       const struct value *values)
{
    struct pd_out *out = &c->cli->out;
    struct cli_json j = {.out = out};
    cli_json_open(&j, NULL, '{');
    cli_json_str(&j, "kind", "file");
    cli_json_key(&j, "file");
    pd_out_json_text(out, name, strlen(name));
    if (field)
        cli_json_str(&j, "field", field);
    for (int s = 0; s < 2; s++) {
        if (!there[s])
            continue;
        cli_json_open(&j, s ? "b" : "a", '{');
        if (field) {
            cli_json_key(&j, "value");
            put_value(out, &values[s]);
        }
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, '}');
}

/* "file NAME: only in FILE", or "file NAME: FIELD: VALUE | VALUE". */
static void print_text(struct cmp *c, const char *name, const bool *there, const char *field,
                       const struct value *values)
{
    struct pd_out *out = &c->cli->out;
    pd_out_str(out, "file ");
    pd_out_plain(out, name, strlen(name));
    pd_out_str(out, ": ");
    if (field == NULL) {
        cmp_put_only(c, there[0] ? 0 : 1);
        return;
    }
    cli_color(c->cli, BOLD);
    pd_out_str(out, field);
    for (int s = 0; s < 2; s++) {
        cli_color(c->cli, 0);
        pd_out_str(out, s ? " | " : ": ");
        cli_color(c->cli, s ? GREEN : RED);
        put_value(out, &values[s]);
    }
    cli_color(c->cli, 0);
}

static bool tell_values(struct cmp *c, const char *name, const char *field, struct value a, struct value b)
{
    const bool both[2] = {true, true};
    const struct value values[2] = {a, b};
    (c->cli->json ? print_json : print_text)(c, name, both, field, values);
    pd_out_str(&c->cli->out, "\n");
    return cmp_count(c);
}

static bool tell_only(struct cmp *c, const char *name, int side)
{
    const bool there[2] = {side == 0, side == 1};
    (c->cli->json ? print_json : print_text)(c, name, there, NULL, NULL);
    pd_out_str(&c->cli->out, "\n");
    return cmp_count(c);
}

/* ---- Content */

static size_t read_some(int fd, uint8_t *bytes, size_t cap, int *error)
{
    size_t n = 0;
    while (n < cap) {
        const ssize_t got = read(fd, bytes + n, cap - n);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR) {
            *error = errno;
            break;
        }
        n += got > 0 ? (size_t)got : 0;
    }
    return n;
}

/* Prints the first byte that differs, or the sizes if one file is the beginning of the other. */
static bool compare_bytes(struct cmp *c, const char *name, const int *fd, const struct stat *st, int *error)
{
    static uint8_t bytes[2][65536];
    for (uint64_t at = 0;;) {
        const size_t n = read_some(fd[0], bytes[0], sizeof bytes[0], error);
        const size_t m = read_some(fd[1], bytes[1], sizeof bytes[1], error), both = n < m ? n : m;
        if (*error)
            return true;
        for (size_t i = 0; i < both; i++)
            if (bytes[0][i] != bytes[1][i]) {
                char field[32];
                snprintf(field, sizeof field, "byte %" PRIu64, at + i);
                return tell_values(c, name, field, (struct value){bytes[0][i], NULL},
                                   (struct value){bytes[1][i], NULL});
            }
        if (n != m)
            return tell_values(c, name, "size", (struct value){(uint64_t)st[0].st_size, NULL},
                               (struct value){(uint64_t)st[1].st_size, NULL});
        if (n < sizeof bytes[0])
            return true;
        at += n;
    }
}

static bool compare_links(struct cmp *c, const char *name, char *const *path, int *error)
{
    char target[2][4097];
    for (int s = 0; s < 2; s++) {
        const ssize_t n = readlink(path[s], target[s], sizeof target[s] - 1);
        if (n < 0) {
            *error = errno;
            return true;
        }
        target[s][n] = '\0';
    }
    return strcmp(target[0], target[1]) == 0 ||
           tell_values(c, name, "target", (struct value){0, target[0]}, (struct value){0, target[1]});
}

static const char *kind_of(const struct stat *st)
{
    return S_ISREG(st->st_mode)   ? "file"
           : S_ISLNK(st->st_mode) ? "link"
           : S_ISDIR(st->st_mode) ? "directory"
                                  : "special";
}

static bool compare_files(struct cmp *c, const char *name, char *const *path, const struct stat *st,
                          int *error)
{
    const int fd[2] = {open(path[0], O_RDONLY | O_CLOEXEC), open(path[1], O_RDONLY | O_CLOEXEC)};
    *error = fd[0] < 0 || fd[1] < 0 ? errno : 0;
    const bool on = *error || compare_bytes(c, name, fd, st, error);
    for (int s = 0; s < 2; s++)
        if (fd[s] >= 0)
            close(fd[s]);
    return on;
}

/* A file that both have; false: the limit is reached. */
static bool compare(struct cmp *c, const char *name)
{
    struct stat st[2];
    char *path[2] = {cli_format("%s/%s", c->cli->inputs[0], name),
                     cli_format("%s/%s", c->cli->inputs[1], name)};
    int error = path[0] == NULL || path[1] == NULL                         ? ENOMEM
                : lstat(path[0], &st[0]) < 0 || lstat(path[1], &st[1]) < 0 ? errno
                                                                           : 0;
    bool on = true;
    if (!error && strcmp(kind_of(&st[0]), kind_of(&st[1])) != 0)
        on = tell_values(c, name, "kind", (struct value){0, kind_of(&st[0])},
                         (struct value){0, kind_of(&st[1])});
    else if (!error && S_ISREG(st[0].st_mode))
        on = compare_files(c, name, path, st, &error);
    else if (!error && S_ISLNK(st[0].st_mode))
        on = compare_links(c, name, path, &error);
    if (error)
        cli_fail(c->cli, cli_open_status(error), "%s, in one of the two: %s", name, strerror(error));
    free(path[0]);
    free(path[1]);
    return on;
}

static void compare_lists(struct cmp *c, const struct names *a, const struct names *b)
{
    bool on = true;
    for (size_t i = 0, k = 0; on && (i < a->n || k < b->n);) {
        const int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->names[i], b->names[k]);
        if (order == 0)
            on = compare(c, a->names[i]);
        else
            on = tell_only(c, order < 0 ? a->names[i] : b->names[k], order < 0 ? 0 : 1);
        i += order <= 0;
        k += order >= 0;
    }
}

void cmp_other_files(struct cmp *c)
{
    const bool both = S_ISDIR(c->in[0].st.st_mode) && S_ISDIR(c->in[1].st.st_mode);
    struct names names[2] = {{0}};
    if (!both && (c->ignore & PD_IGNORE_CONTAINER))
        return; /* no other container can have any */
    if (take_names(c, 0, &names[0]) && take_names(c, 1, &names[1]))
        compare_lists(c, &names[0], &names[1]);
    free_names(&names[0]);
    free_names(&names[1]);
}
