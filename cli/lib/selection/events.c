/* SPDX-License-Identifier: MIT */
/* events.c - which events of an input the names of a selection mean. */
#include "selection.h"
#include "cli/lib/cli.h"
#include <fnmatch.h>
#include <perfdata/constants.h>
#include <perfdata/session/event.h>
#include <stdio.h>
#include <string.h>

/* ---- Events */

/* Splits "cycles:uk" or "pmu4/config=1/p" into name and modifiers. */
static size_t split_modifiers(const char *text, const char **modifiers)
{
    const size_t n = strlen(text);
    size_t name = n;
    while (name && strchr("ukhGHpPSDWIeb", text[name - 1]))
        name--;
    *modifiers = text + n;
    if (name == n || name == 0 || (text[name - 1] != ':' && text[name - 1] != '/'))
        return n;
    *modifiers = text + name;
    return text[name - 1] == ':' ? name - 1 : name;
}

/* True if the modifiers agree with the attr. Modifiers that do not concern the counted events are ignored. */
static bool modifiers_agree(const char *m, const struct pd_attr *attr)
{
    const bool user = strchr(m, 'u'), kernel = strchr(m, 'k'), hv = strchr(m, 'h');
    const bool guest = strchr(m, 'G'), host = strchr(m, 'H');
    unsigned precise = 0;
    for (const char *p = m; *p; p++)
        precise += *p == 'p';
    if ((user || kernel || hv) && (user == pd_attr_flag(attr, PD_ATTR_EXCLUDE_USER) ||
                                   kernel == pd_attr_flag(attr, PD_ATTR_EXCLUDE_KERNEL) ||
                                   hv == pd_attr_flag(attr, PD_ATTR_EXCLUDE_HV)))
        return false;
    if (guest != host && (guest == pd_attr_flag(attr, PD_ATTR_EXCLUDE_GUEST) ||
                          host == pd_attr_flag(attr, PD_ATTR_EXCLUDE_HOST)))
        return false;
    return precise == 0 || precise == pd_attr_flag(attr, PD_ATTR_PRECISE_IP);
}

/* On hybrid machines a plain name stands for the event on any PMU. */
static bool same_event(const struct pd_event *wanted, const struct pd_event *event)
{
    struct pd_typed_event a, b;
    pd_event_classify(wanted, &a);
    pd_event_classify(event, &b);
    if (a.kind == PD_EVENT_HARDWARE && b.kind == a.kind && a.u.hardware.pmu_type == 0)
        b.u.hardware.pmu_type = 0;
    if (a.kind == PD_EVENT_CACHE && b.kind == a.kind && a.u.cache.pmu_type == 0)
        b.u.cache.pmu_type = 0;
    struct pd_event x, y;
    pd_event_build(&a, &x);
    pd_event_build(&b, &y);
    return x.type == y.type && x.config == y.config && x.bp_addr == y.bp_addr && x.bp_type == y.bp_type &&
           x.bp_len == y.bp_len;
}

static bool is_event(struct cli_input *in, const char *text, uint32_t i)
{
    const struct pd_attr *attr = &pd_reader_attr(in->reader, i)->attr;
    const struct pd_event event = {attr->type, attr->config, attr->bp_addr, attr->bp_type, attr->bp_len};
    struct pd_event wanted;
    const char *modifiers;
    char shown[256];
    const char *name = in->meta ? pd_metadata_event_name(in->meta, in->reader, i) : NULL;
    if (name == NULL) {
        cli_event_name(in, i, shown, sizeof shown);
        name = shown;
    }
    if (strcmp(text, name) == 0 || (strpbrk(text, "*?[") && fnmatch(text, name, 0) == 0))
        return true;
    if (pd_event_parse(text, strlen(text), &wanted))
        return same_event(&wanted, &event);
    const size_t n = split_modifiers(text, &modifiers);
    return *modifiers && pd_event_parse(text, n, &wanted) && same_event(&wanted, &event) &&
           modifiers_agree(modifiers, attr);
}

static bool no_such_event(struct cli_input *in, const char *text)
{
    char all[512] = "", name[256];
    const size_t n = pd_reader_n_attrs(in->reader);
    for (size_t i = 0; i < n; i++) {
        cli_event_name(in, (uint32_t)i, name, sizeof name);
        if (strlen(all) + strlen(name) + 8 > sizeof all) {
            strcat(all, ", …");
            break;
        }
        strcat(all, i ? ", " : "");
        strcat(all, name);
    }
    cli_fail(in->cli, CLI_USAGE, "%s: there is no event \"%s\", but %s", in->name, text,
             n ? all : "none at all");
    return false;
}

/* ---- Groups */

static bool samples_group(const struct pd_attr *attr)
{
    return attr->sample_type & PD_SAMPLE_READ && attr->read_format & PD_FORMAT_GROUP;
}

/* The event whose samples have the counts of event i; UINT32_MAX: none but its own. */
static uint32_t leader_of(struct cli_input *in, uint32_t i)
{
    const struct pd_feature *f = in->meta ? pd_metadata_feature(in->meta, PD_FEAT_GROUP_DESC) : NULL;
    struct pd_list groups = f && f->layout ? f->u.group_desc.groups : (struct pd_list){0};
    struct pd_group_desc g;
    while (pd_group_desc_next(&groups, &g))
        if (i > g.leader_idx && i - g.leader_idx < g.nr_members &&
            g.leader_idx < pd_reader_n_attrs(in->reader) &&
            samples_group(&pd_reader_attr(in->reader, g.leader_idx)->attr))
            return g.leader_idx;
    return UINT32_MAX;
}

static bool add_leaders(struct cli_selection *s, struct cli_input *in, struct cli_wanted *l)
{
    const size_t n = l->n_events;
    for (size_t i = 0; i < n; i++) {
        const uint32_t leader = leader_of(in, l->events[i]);
        if (leader != UINT32_MAX && !CLI_ADD(s->cli, l->events, l->n_events, leader))
            return false;
    }
    return true;
}

bool cli_find_events(struct cli_selection *s, struct cli_input *in, struct cli_wanted *l)
{
    for (size_t i = 0; i < l->n_event_names; i++) {
        struct cli_event_name *name = &l->event_names[i];
        const size_t before = l->n_events;
        for (uint32_t k = 0; k < pd_reader_n_attrs(in->reader); k++)
            if (is_event(in, name->text, k) && !CLI_ADD(s->cli, l->events, l->n_events, k))
                return false;
        name->found |= l->n_events > before;
        if (l->n_events == before && !s->several)
            return no_such_event(in, name->text);
    }
    return !s->with_leaders || l == &s->drop || add_leaders(s, in, l);
}
