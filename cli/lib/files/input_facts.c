/* SPDX-License-Identifier: MIT */
/* input_facts.c - facts about an open recording: times, names of its events, its machine, unusual data. */
#include "input.h"
#include "indexed.h"
#include "cli/lib/messages/messages.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/ops/filter.h>
#include <perfdata/session/event.h>
#include <stdarg.h>
#include <string.h>

bool cli_time_span(struct cli_input *in, uint64_t *first, uint64_t *last)
{
    struct pd_error error;
    struct pd_index *index = cli_index_find(in) ? cli_index_of(in) : NULL;
    enum pd_code code = index ? pd_index_select(index, NULL, 0, &error) : PD_OK;
    if (!code)
        code = pd_time_span(in->reader, first, last, &error);
    if (!code && index)
        code = pd_index_select_all(index, &error);
    if (code == PD_EUNSUP) /* there is no time, which is no damage */
        cli_fail(in->cli, CLI_USAGE, "%s: %s", in->name, error.field);
    else if (code)
        cli_input_error(in, &error);
    return code == PD_OK;
}

enum pd_arch cli_arch(const struct cli_input *in)
{
    const struct pd_str *arch = in->meta ? pd_metadata_text(in->meta, PD_FEAT_ARCH) : NULL;
    char name[64];
    if (!arch)
        return PD_ARCH_UNKNOWN;
    snprintf(name, sizeof name, "%.*s", arch->len < sizeof name ? (int)arch->len : (int)sizeof name - 1,
             arch->ptr);
    return pd_arch_from_name(name);
}

/* ---- Events */

/* The name made from the attr alone. */
static size_t attr_name(const struct pd_attr *attr, char *buf, size_t cap)
{
    size_t n =
        pd_event_format(attr->type, attr->config, attr->bp_addr, attr->bp_type, attr->bp_len, buf, cap);
    char modifiers[16], *m = modifiers;
    const bool user = !pd_attr_flag(attr, PD_ATTR_EXCLUDE_USER),
               kernel = !pd_attr_flag(attr, PD_ATTR_EXCLUDE_KERNEL),
               hv = !pd_attr_flag(attr, PD_ATTR_EXCLUDE_HV);
    if (attr->type == PD_TYPE_TRACEPOINT)
        return n;
    if (n == 0 || n >= cap || buf[n - 1] != '/')
        *m++ = ':';
    const char *const first = m;
    if (!user || !kernel || !hv) {
        *m = 'k', m += kernel;
        *m = 'u', m += user;
        *m = 'h', m += hv;
    }
    for (unsigned i = 0; i < pd_attr_flag(attr, PD_ATTR_PRECISE_IP); i++)
        *m++ = 'p';
    if (pd_attr_flag(attr, PD_ATTR_EXCLUDE_HOST))
        *m++ = 'G';
    if (m == first)
        return n;
    *m = 0;
    for (m = modifiers; *m; m++, n++)
        if (n + 1 < cap)
            buf[n] = *m, buf[n + 1] = 0;
    return n;
}

size_t cli_event_name(struct cli_input *in, uint32_t attr, char *buf, size_t cap)
{
    const char *said = in->meta ? pd_metadata_event_name(in->meta, in->reader, attr) : NULL;
    if (said) {
        const size_t n = strlen(said), room = cap ? cap - 1 : 0;
        memcpy(buf, said, n < room ? n : room);
        if (cap)
            buf[n < room ? n : room] = 0;
        if (n > room && room >= 3)
            memcpy(buf + room - 3, "...", 3);
        return n;
    }
    return attr_name(&pd_reader_attr(in->reader, attr)->attr, buf, cap);
}

/* ---- Notes */

struct notes {
    void (*take)(void *user, const struct cli_note *note);
    void *user;
};

__attribute__((format(printf, 4, 5))) static void take_note(const struct notes *n, const char *kind,
                                                            uint64_t offset, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct cli_note note = {kind, offset, text};
    n->take(n->user, &note);
}

/* The bits of a word without a name. */
static uint64_t unknown_bits(const struct pd_set *set, uint64_t word)
{
    for (size_t i = 0; i < set->n; i++)
        word &= ~set->names[i].value;
    return word;
}

static void attr_notes(const struct notes *n, const struct pd_event_attr *event, size_t i)
{
    const struct pd_attr *a = &event->attr;
    const struct {
        const char *field;
        uint64_t bits;
    } words[] = {
        {"sample_type", unknown_bits(&pd_set_sample_type, a->sample_type)},
        {"read_format", unknown_bits(&pd_set_read_format, a->read_format)},
        {"branch_sample_type", unknown_bits(&pd_set_branch_sample_type, a->branch_sample_type)},
        {"flags", a->flags & PD_ATTR_RESERVED_1},
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (words[w].bits)
            take_note(n, "unknown-bits", event->offset, "attr %zu has unknown bits 0x%" PRIx64 " in %s", i,
                      words[w].bits, words[w].field);
    if (!a->size && !a->type && !a->config && !a->sample_type && !a->flags)
        take_note(n, "zero-attr", event->offset,
                  "attr %zu is all zeros, which does not tell what its samples have", i);
}

static void trailing_note(const struct notes *n, const struct cli_input *in)
{
    size_t extents;
    const struct pd_extent *e = pd_reader_extents(in->reader, &extents);
    if (extents && e[extents - 1].kind == PD_EXTENT_GAP)
        take_note(n, "trailing-bytes", e[extents - 1].offset, "%" PRIu64 " bytes follow the last section",
                  e[extents - 1].size);
}

void cli_file_notes(const struct cli_input *in, void (*take)(void *user, const struct cli_note *note),
                    void *user)
{
    const struct notes n = {take, user};
    const struct pd_file_info *info = pd_reader_info(in->reader);
    if (info->unfinished)
        take_note(&n, "unfinished", 40,
                  "the recording was not finished: data size 0, its records run to the end of the file");
    for (size_t i = 0; i < pd_reader_n_attrs(in->reader); i++)
        attr_notes(&n, pd_reader_attr(in->reader, i), i);
    for (size_t i = 0; i < pd_reader_n_features(in->reader); i++) {
        const struct pd_feature_section *f = pd_reader_feature(in->reader, i);
        if (pd_set_name(&pd_set_feature, f->feature) == NULL)
            take_note(&n, "unknown-feature", f->section.offset,
                      "feature %u, of %" PRIu64 " bytes, is not known", f->feature, f->section.size);
    }
    if (info->container == PD_CONTAINER_PIPE && info->stray)
        take_note(&n, "trailing-bytes", pd_reader_offset(in->reader),
                  "%" PRIu64 " bytes follow the last record", info->stray);
    if (!info->truncated && info->container != PD_CONTAINER_PIPE)
        trailing_note(&n, in);
}
