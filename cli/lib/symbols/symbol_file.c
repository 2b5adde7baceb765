/* SPDX-License-Identifier: MIT */
/* symbol_file.c - see symbol_file.h. */
#define _GNU_SOURCE
#include "symbol_file.h"
#include "cli/lib/files/output.h"
#include "cli/lib/memory.h"
#include "src/support/limits.h"
#include "src/support/text_scan.h"
#include "cli/lib/selection/selection.h"
#include "cli/lib/messages/messages.h"
#include "ops/filter/build_id.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct cli_symbol_text {
    char *bytes;
    size_t n;
};

struct cli_known_symbol {
    uint64_t offset, inside;
    const char *name;
    size_t inlined, n_inlined; /* indices in the list */
};

struct cli_symbol_part {
    const char *file, *build_id; /* "": none */
    size_t first, n;             /* symbols, in order of their offsets */
};

struct parsing {
    struct cli_symbol_file *s;
    const char *path;
    size_t line, n_bad;
    bool in_part;
    bool in_bad_part; /* the symbols that follow are of a file that is not known */
    bool no_memory;
};

/* ---- Parsing: functions return why a line is damaged, or NULL. Such a line is left out. */

static void tell_damage(struct parsing *p, const char *why)
{
    struct cli *cli = p->s->cli;
    if (p->n_bad++ < PI_LIMIT_FINDINGS_TOLD)
        cli_fail(cli, CLI_DAMAGED, "%s: line %zu: %s", p->path, p->line, why);
}

/* Adds an item, or notes that there is no memory. */
#define ADD(p, list, n, item) ((p)->no_memory |= !CLI_ADD((p)->s->cli, (list), (n), (item)))

/* Cuts the text at the next tab; NULL: there is none. */
static char *cut(char *text)
{
    char *tab = strchr(text, '\t');
    if (tab)
        *tab++ = 0;
    return tab;
}

static bool take_hex(const char *text, uint64_t *value)
{
    *value = 0;
    if (!*text || strlen(text) > 16)
        return false;
    for (; *text; text++) {
        if (pi_lower_digit(*text) > 15)
            return false;
        *value = *value << 4 | pi_lower_digit(*text);
    }
    return true;
}

/* The byte that \xNN stands for, which is not 0; 0: there is none. */
static unsigned escaped_byte(const char *text)
{
    if (text[0] != '\\' || text[1] != 'x' || pi_lower_digit(text[2]) > 15 || pi_lower_digit(text[3]) > 15)
        return 0;
    return pi_lower_digit(text[2]) << 4 | pi_lower_digit(text[3]);
}

/* Unescapes in place: \xNN is a byte, and two backslashes are one. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        const unsigned byte = escaped_byte(text);
        if (text[0] == '\\' && text[1] == '\\') {
            *to++ = *text++;
        } else if (byte) {
            *to++ = (char)byte;
            text += 3;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
}

/* perfdata symbols writes names of any length. */
static void take_name(char *name)
{
    unescape(name);
    if (strlen(name) > PI_LIMIT_SYMBOLS_NAME)
        name[PI_LIMIT_SYMBOLS_NAME] = 0;
}

static void cut_id(char *id)
{
    id[pi_build_id_length(id, strlen(id))] = 0;
}

static const char *take_file(struct parsing *p, char *id)
{
    struct cli_symbol_file *s = p->s;
    char *name = cut(id);
    p->in_part = false;
    p->in_bad_part = true;
    if (!name || !*name || cut(name))
        return "not \"file\", a build id and a name";
    if (strcmp(id, "-") != 0 && (strspn(id, "0123456789abcdef") != strlen(id) || strlen(id) > 40))
        return "not a build id";
    unescape(name);
    cut_id(id);
    const struct cli_symbol_part part = {
        .file = name, .build_id = *id == '-' ? id + 1 : id, .first = s->n_all};
    p->in_part = true;
    p->in_bad_part = false;
    ADD(p, s->parts, s->n_parts, part);
    return NULL;
}

static void take_inlined(struct parsing *p, struct cli_known_symbol *symbol, char *name)
{
    struct cli_symbol_file *s = p->s;
    symbol->inlined = s->n_inlined;
    while (name) {
        char *next = cut(name);
        const char *text = name;
        take_name(name);
        ADD(p, s->inlined, s->n_inlined, text);
        symbol->n_inlined++;
        name = next;
    }
}

static const char *take_symbol(struct parsing *p, char *line)
{
    struct cli_symbol_file *s = p->s;
    struct cli_known_symbol symbol = {0};
    char *inside = cut(line), *name = inside ? cut(inside) : NULL, *inlined = name ? cut(name) : NULL;
    if (!p->in_part)
        return p->in_bad_part ? "a symbol of the file before" : "a symbol of no file";
    if (!name || !take_hex(line, &symbol.offset) || !take_hex(inside, &symbol.inside))
        return "not an offset, the offset in the function, and a name";
    struct cli_symbol_part *part = &s->parts[s->n_parts - 1];
    if (part->n && s->all[s->n_all - 1].offset >= symbol.offset)
        return "offsets are not in order";
    take_name(name);
    symbol.name = name;
    take_inlined(p, &symbol, inlined);
    if (p->no_memory)
        return NULL;
    ADD(p, s->all, s->n_all, symbol);
    part->n += !p->no_memory;
    return NULL;
}

/* Cuts the next line off; NULL: the last one has no end. */
static char *take_line(struct parsing *p, char *at, char *end)
{
    char *stop = memchr(at, '\n', (size_t)(end - at));
    const char *why = NULL;
    p->line++;
    if (stop)
        *stop = 0;
    if (stop == NULL || strlen(at) < (size_t)(stop - at))
        why = stop ? "a NUL" : "no end";
    else if (strncmp(at, "file\t", 5) == 0)
        why = take_file(p, at + 5);
    else
        why = take_symbol(p, at);
    if (why)
        tell_damage(p, why);
    return stop ? stop + 1 : NULL;
}

static bool parse(struct cli_symbol_file *s, const char *path, const struct cli_symbol_text *text)
{
    static const char head[] = "perfdata-symbols 1\n";
    const size_t n = sizeof head - 1;
    struct parsing p = {.s = s, .path = path, .line = 1};
    char *const end = text->bytes + text->n;
    if (text->n < n || memcmp(text->bytes, head, n) != 0) {
        cli_fail(s->cli, CLI_USAGE, "%s: not a file of symbols, which begins with \"perfdata-symbols 1\"",
                 path);
        return false;
    }
    for (char *at = text->bytes + n; at && at < end && !p.no_memory;)
        at = take_line(&p, at, end);
    if (p.n_bad > PI_LIMIT_FINDINGS_TOLD)
        cli_say(s->cli, "%s: %zu lines could not be read", path, p.n_bad);
    return !p.no_memory;
}

/* ---- Reading */

static int compare_names(const void *a, const void *b, void *parts)
{
    const struct cli_symbol_part *x = (struct cli_symbol_part *)parts + *(const size_t *)a,
                                 *y = (struct cli_symbol_part *)parts + *(const size_t *)b;
    return strcmp(x->file, y->file);
}

static int compare_ids(const void *a, const void *b, void *parts)
{
    const struct cli_symbol_part *x = (struct cli_symbol_part *)parts + *(const size_t *)a,
                                 *y = (struct cli_symbol_part *)parts + *(const size_t *)b;
    return strcmp(x->build_id, y->build_id);
}

/* Sorts the indices of all parts. */
static bool sort_parts(const struct cli_symbol_file *s, size_t **places,
                       int (*compare)(const void *, const void *, void *))
{
    size_t *sorted = cli_reallocarray(*places, s->n_parts + 1, sizeof *sorted);
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < s->n_parts; i++)
        sorted[i] = i;
    qsort_r(sorted, s->n_parts, sizeof *sorted, compare, s->parts);
    *places = sorted;
    return true;
}

static bool read_text(FILE *f, struct cli_symbol_text *text)
{
    size_t cap = 65536;
    for (text->bytes = cli_malloc(cap); text->bytes; cap *= 2) {
        text->n += fread(text->bytes + text->n, 1, cap - text->n, f);
        if (text->n < cap || cap > PI_LIMIT_SYMBOLS_TEXT)
            return text->n <= PI_LIMIT_SYMBOLS_TEXT && !ferror(f);
        char *larger = cli_realloc(text->bytes, 2 * cap);
        if (larger == NULL)
            return false;
        text->bytes = larger;
    }
    return false;
}

bool cli_symbols_read(struct cli_symbol_file *s, struct cli *cli, const char *path)
{
    struct cli_symbol_text text = {0};
    FILE *f = cli_open_named(cli, path);
    s->cli = cli;
    if (f == NULL) {
        cli_fail(cli, cli_open_status(errno), "%s: %s", path, strerror(errno));
        return false;
    }
    const bool read = read_text(f, &text);
    fclose(f);
    if (!read && text.n > PI_LIMIT_SYMBOLS_TEXT)
        cli_fail(cli, CLI_USAGE, "%s: more than %d MiB", path, PI_LIMIT_SYMBOLS_TEXT >> 20);
    else if (!read)
        cli_fail(cli, CLI_OUTPUT, "%s: it cannot be read", path);
    if (!read || !CLI_ADD(cli, s->texts, s->n_texts, text)) {
        free(text.bytes);
        return false;
    }
    if (!parse(s, path, &text))
        return false;
    return (sort_parts(s, &s->by_name, compare_names) && sort_parts(s, &s->by_id, compare_ids)) ||
           cli_no_list(cli);
}

void cli_symbols_free(struct cli_symbol_file *s)
{
    for (size_t i = 0; i < s->n_texts; i++)
        free(s->texts[i].bytes);
    free(s->texts);
    free(s->parts);
    free(s->by_name);
    free(s->by_id);
    free(s->all);
    free(s->inlined);
    *s = (struct cli_symbol_file){0};
}

/* ---- Finding */

/* The first of the places whose part has this key, or one behind it. */
static size_t find_place(const struct cli_symbol_file *s, const size_t *places, const char *key, bool is_id)
{
    size_t low = 0, high = s->n_parts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct cli_symbol_part *part = &s->parts[places[middle]];
        if (strcmp(is_id ? part->build_id : part->file, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool find_in(const struct cli_symbol_file *s, const struct cli_symbol_part *part, uint64_t offset,
                    struct pd_symbol *symbol)
{
    size_t low = part->first, high = part->first + part->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->all[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == part->first + part->n || s->all[low].offset != offset)
        return false;
    const struct cli_known_symbol *known = &s->all[low];
    *symbol = (struct pd_symbol){.name = known->name,
                                 .offset = known->inside,
                                 .inlined = known->n_inlined ? s->inlined + known->inlined : NULL,
                                 .n_inlined = known->n_inlined};
    return true;
}

/* Compares build ids, or names if one of the two has no build id. */
bool cli_symbols_find(void *user, const char *file, const char *build_id, uint64_t offset,
                      struct pd_symbol *symbol)
{
    const struct cli_symbol_file *s = user;
    const struct cli_symbol_part *part;
    char id[41];
    snprintf(id, sizeof id, "%s", build_id);
    cut_id(id);
    for (size_t i = *id ? find_place(s, s->by_id, id, true) : s->n_parts; i < s->n_parts; i++) {
        part = &s->parts[s->by_id[i]];
        if (strcmp(part->build_id, id) != 0)
            break;
        if (find_in(s, part, offset, symbol))
            return true;
    }
    for (size_t i = find_place(s, s->by_name, file, false); i < s->n_parts; i++) {
        part = &s->parts[s->by_name[i]];
        if (strcmp(part->file, file) != 0)
            break;
        if ((!*id || !*part->build_id) && find_in(s, part, offset, symbol))
            return true;
    }
    return false;
}
