/* SPDX-License-Identifier: MIT */
/* info.c - `perfdata info`: a summary of each recording. */
#include "info.h"
#include "src/support/wrap.h"
#include <inttypes.h>
#include <string.h>
#include <perfdata/ops/report.h>
#include <perfdata/session/event.h>

enum { KEY_HEADER_ONLY = CLI_LONG, KEY_STATS, KEY_TASKS, KEY_MMAPS };

static const struct cli_option options[] = {
    {"show-info", 'I', NULL, "what perf report --header-only -I tells, in its words: every feature"},
    {"header-only", KEY_HEADER_ONLY, NULL,
     "header, events and features only, with -I just those lines; the records are not read"},
    {"stats", KEY_STATS, NULL, "record counts as perf report --stats has them"},
    {"tasks", KEY_TASKS, NULL,
     "the tasks: pid, tid, parent's pid, last name (memory grows with their number)"},
    {"mmaps", KEY_MMAPS, NULL, "the mappings, in file order"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [FILE]...",
    .about = "Prints what a recording is and holds: container, byte order, events, record counts by type,\n"
             "time range, losses, number of tasks, features. Of several files each gets its own summary.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON | CLI_OPERANDS | CLI_COLOR,
    .examples = "  perfdata info                    summary of ./perf.data\n"
                "  perfdata info --stats x.data     counts only, to compare with perf report --stats\n"
                "  perfdata info --json *.data      one JSON object a line\n"
                "  perf record -o - true | perfdata info -\n",
};

/* ---- Text */

static void print_key(struct info *info, const char *key)
{
    cli_print(info->cli, "%-12s ", key);
}

static void print_container(struct info *info)
{
    const struct pd_file_info *f = pd_reader_info(info->in->reader);
    struct cli *cli = info->cli;
    print_key(info, "file");
    pd_out_plain(&cli->out, info->in->name, strlen(info->in->name));
    pd_out_str(&cli->out, "\n");
    print_key(info, "container");
    if (f->container == PD_CONTAINER_PIPE)
        pd_out_str(&cli->out, "pipe stream");
    else
        cli_print(cli, "%s, header of %" PRIu64 " bytes, attrs of %" PRIu64,
                  f->container == PD_CONTAINER_DIRECTORY ? "directory" : "file", f->header.size,
                  f->header.attr_size >= 16 ? f->header.attr_size - 16 : 0);
    cli_print(cli, ", version %u, %s-endian\n", f->version, f->order == PD_BIG ? "big" : "little");
    for (size_t i = 0; i < pd_reader_n_members(info->in->reader); i++) {
        const struct pd_member *m = pd_reader_member(info->in->reader, i);
        print_key(info, "member");
        pd_out_plain(&cli->out, m->name, strlen(m->name));
        cli_print(cli, ", %" PRIu64 " bytes\n", m->size);
    }
    if (f->file_size != PD_NOWHERE) {
        print_key(info, "size");
        cli_print(cli, "%" PRIu64 " bytes\n", f->file_size);
    }
    if (f->data_end != PD_NOWHERE) {
        print_key(info, "data");
        cli_print(cli, "%" PRIu64 " bytes at offset %" PRIu64 "\n", f->data_end - f->data_offset,
                  f->data_offset);
    }
}

static void print_index(struct info *info)
{
    struct pd_index_stats stats;
    if (!info->indexed)
        return;
    pd_index_get_stats(cli_index_of(info->in), &stats);
    print_key(info, "index");
    cli_print(info->cli, "%" PRIu64 " blocks, %" PRIu64 " bytes\n", stats.blocks, stats.size);
}

/* A line of one or two features that are texts. */
static void print_text(struct info *info, const char *key, const struct pd_str *a, const struct pd_str *b)
{
    struct pd_out *out = &info->cli->out;
    if (a == NULL && b == NULL)
        return;
    print_key(info, key);
    if (a)
        pd_out_plain(out, a->ptr, a->len);
    pd_out_str(out, a && b ? ", " : "");
    if (b)
        pd_out_plain(out, b->ptr, b->len);
    pd_out_str(out, "\n");
}

/* Where, with what and how it was recorded. */
static void print_origin(struct info *info)
{
    const struct pd_metadata *meta = info->in->meta;
    struct pd_out *out = &info->cli->out;
    print_text(info, "host", pd_metadata_text(meta, PD_FEAT_HOSTNAME), pd_metadata_text(meta, PD_FEAT_ARCH));
    print_text(info, "kernel", pd_metadata_text(meta, PD_FEAT_OSRELEASE), NULL);
    print_text(info, "perf", pd_metadata_text(meta, PD_FEAT_VERSION), NULL);
    const struct pd_feature *f = pd_metadata_feature(meta, PD_FEAT_CMDLINE);
    struct pd_string word;
    if (f == NULL || f->layout == NULL || f->u.cmdline.args.n == 0)
        return;
    print_key(info, "command");
    for (struct pd_list l = f->u.cmdline.args; pd_string_next(&l, &word);) {
        pd_out_plain(out, word.text.ptr, word.text.len);
        pd_out_str(out, l.n ? " " : "");
    }
    pd_out_str(out, "\n");
}

static void print_seconds(struct info *info, uint64_t ns)
{
    cli_print(info->cli, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void print_times(struct info *info)
{
    const bool samples = info->sample_time.n != 0;
    const struct info_times *t = samples ? &info->sample_time : &info->time;
    if (t->n == 0)
        return;
    print_key(info, "time");
    print_seconds(info, t->first);
    pd_out_str(&info->cli->out, " to ");
    print_seconds(info, t->last);
    pd_out_str(&info->cli->out, ", ");
    print_seconds(info, t->last - t->first);
    cli_print(info->cli, " s%s", samples ? "" : ", without samples");
    if (samples && t->last > t->first)
        cli_print(info->cli, ", %.0f samples a second", (double)t->n * 1e9 / (double)(t->last - t->first));
    pd_out_str(&info->cli->out, "\n");
}

static void print_losses(struct info *info)
{
    print_key(info, "lost");
    if (info->lost_records == 0 && info->lost_samples_records == 0)
        pd_out_str(&info->cli->out, "nothing");
    if (info->lost_records)
        cli_print(info->cli, "%" PRIu64 " records (%" PRIu64 " LOST)", info->lost, info->lost_records);
    if (info->lost_samples_records)
        cli_print(info->cli, "%s%" PRIu64 " samples (%" PRIu64 " LOST_SAMPLES)",
                  info->lost_records ? ", " : "", info->lost_samples, info->lost_samples_records);
    pd_out_str(&info->cli->out, "\n");
}

static void print_totals(struct info *info)
{
    print_key(info, "records");
    cli_print(info->cli, "%" PRIu64 ", %" PRIu64 " bytes", info->records, info->bytes);
    if (info->payload)
        cli_print(info->cli, ", %" PRIu64 " bytes behind them", info->payload);
    pd_out_str(&info->cli->out, "\n");
    if (info->compressed) {
        print_key(info, "compressed");
        cli_print(info->cli, "%" PRIu64 " bytes hold %" PRIu64 "\n", info->compressed, info->inflated);
    }
    print_times(info);
    print_losses(info);
    print_key(info, "tasks");
    cli_print(info->cli, "%" PRIu64 "\n", info->tids->n);
}

static void print_set(struct info *info, const char *name, const struct pd_set *set, uint64_t value)
{
    if (value == 0)
        return;
    cli_print(info->cli, "    %s ", name);
    pd_out_value(&info->cli->out, set, value);
    pd_out_str(&info->cli->out, "\n");
}

static void print_event(struct info *info, size_t i)
{
    const struct pd_event_attr *event = pd_reader_attr(info->in->reader, i);
    const struct pd_attr *a = &event->attr;
    char name[256];
    cli_event_name(info->in, (uint32_t)i, name, sizeof name);
    cli_print(info->cli, "  %zu ", i);
    pd_out_plain(&info->cli->out, name, strlen(name));
    cli_print(info->cli, ": %s %" PRIu64 ", %zu id%s", pd_attr_flag(a, PD_ATTR_FREQ) ? "freq" : "period",
              a->sample_period, event->n_ids, event->n_ids == 1 ? "" : "s");
    if (event->n_ids) {
        cli_print(info->cli, " (%" PRIu64 "%s", event->ids[0], event->n_ids > 2 ? ", …" : "");
        if (event->n_ids > 1)
            cli_print(info->cli, ", %" PRIu64, event->ids[event->n_ids - 1]);
        pd_out_str(&info->cli->out, ")");
    }
    if (!info->header_only)
        cli_print(info->cli, ", %" PRIu64 " samples", i < info->n_events ? info->events[i].samples : 0);
    pd_out_str(&info->cli->out, "\n");
    print_set(info, "sample_type", &pd_set_sample_type, a->sample_type);
    print_set(info, "read_format", &pd_set_read_format, a->read_format);
    print_set(info, "branch_sample_type", &pd_set_branch_sample_type, a->branch_sample_type);
    print_set(info, "flags", &pd_set_attr_flags, a->flags);
    if (info->cli->verbose)
        pd_attr_print(a, NULL, &info->cli->out, NULL);
}

static void print_feature(struct info *info, uint32_t id, uint64_t size)
{
    const char *const name = pd_set_name(&pd_set_feature, id);
    const struct pd_feature *const f = pd_metadata_feature(info->in->meta, id);
    cli_print(info->cli, "  %3" PRIu32 " %-16s %8" PRIu64 " bytes", id, name ? name : "(unknown)", size);
    if (f && f->layout == NULL && f->raw.n && name)
        pd_out_str(&info->cli->out, ", damaged");
}

static void print_fields(struct info *info, uint32_t id)
{
    const struct pd_feature *const f = pd_metadata_feature(info->in->meta, id);
    pd_out_str(&info->cli->out, "\n");
    if (info->cli->verbose && f)
        pd_feature_print(f, NULL, 6, &info->cli->out, NULL);
}

/* The sections of a file, then what came in records. */
static void print_features(struct info *info)
{
    const size_t sections = pd_reader_n_features(info->in->reader),
                 all = pd_metadata_n_features(info->in->meta);
    if (sections || all)
        pd_out_str(&info->cli->out, "features\n");
    for (size_t i = 0; i < sections; i++) {
        const struct pd_feature_section *const s = pd_reader_feature(info->in->reader, i);
        print_feature(info, s->feature, s->section.size);
        cli_print(info->cli, " at offset %" PRIu64 "%s", s->section.offset,
                  s->intact ? "" : ", beyond the end of the file");
        print_fields(info, s->feature);
    }
    for (size_t i = 0; i < all; i++) {
        const struct pd_feature *const f = pd_metadata_feature_at(info->in->meta, i);
        if (f->id <= UINT16_MAX && pd_reader_find_feature(info->in->reader, (uint16_t)f->id))
            continue;
        print_feature(info, f->id, f->raw.n);
        pd_out_str(&info->cli->out, " in a record");
        print_fields(info, f->id);
    }
}

static void print_type(struct info *info, const struct info_type *t, const char *name)
{
    char number[32];
    if (name == NULL) {
        snprintf(number, sizeof number, "type %" PRIu32, t->type);
        name = number;
    }
    cli_print(info->cli, "  %-20s %10" PRIu64 "  %5.1f%%  %12" PRIu64 " bytes\n", name, t->n,
              100.0 * (double)t->n / (double)info->records, t->bytes);
}

static void print_types(struct info *info)
{
    if (info->n_types)
        pd_out_str(&info->cli->out, "types\n");
    for (size_t i = 0; i < info->n_types; i++)
        print_type(info, &info->types[i], pd_set_name(&pd_set_record_type, info->types[i].type));
    if (info->other.n)
        print_type(info, &info->other, "(further types)");
}

static void print_note(void *user, const struct cli_note *note)
{
    struct info *info = user;
    cli_print(info->cli, "note: at offset %" PRIu64 ": %s\n", note->offset, note->text);
}

static void print_notes(struct info *info)
{
    cli_file_notes(info->in, print_note, info);
    if (info->unknown.n)
        cli_print(info->cli,
                  "note: at offset %" PRIu64 ": %" PRIu64
                  " records of unknown types, the first of type %" PRIu32 "\n",
                  info->unknown_offset, info->unknown.n, info->unknown.type);
    if (info->unowned)
        cli_print(info->cli, "note: %" PRIu64 " samples belong to no known event\n", info->unowned);
}

static void print_summary(struct info *info)
{
    print_container(info);
    print_index(info);
    print_origin(info);
    if (!info->header_only)
        print_totals(info);
    pd_out_str(&info->cli->out, "events\n");
    for (size_t i = 0; i < pd_reader_n_attrs(info->in->reader); i++)
        print_event(info, i);
    if (!info->header_only)
        print_types(info);
    print_features(info);
    print_notes(info);
}

/* perf's names have no "HEADER_". */
static const char *stats_name(uint32_t type)
{
    static const char prefix[] = "HEADER_";
    const char *name = pd_set_name(&pd_set_record_type, type);
    const size_t n = sizeof prefix - 1;
    return name && strncmp(name, prefix, n) == 0 ? name + n : name;
}

/*
 * perf also counts the members of sampled groups, each with what it counted since the last sample: a question
 * of the order of samples, for which a file is read again.
 */
static void count_members(struct info *info)
{
    static const enum pd_report_key key = PD_KEY_EVENT;
    const struct pd_report_options how = {.size = sizeof how, .keys = &key, .n_keys = 1};
    struct pd_report *report;
    bool groups = false;
    for (size_t i = 0; i < pd_reader_n_attrs(info->in->reader); i++) {
        const struct pd_attr *a = &pd_reader_attr(info->in->reader, i)->attr;
        groups |= a->sample_type & PD_SAMPLE_READ && a->read_format & PD_FORMAT_GROUP;
    }
    if (groups && !info->in->seekable)
        cli_say(info->cli, "samples of the members of groups are not counted in an input that cannot seek");
    if (!groups || !info->in->seekable || pd_report_new(&report, info->in->reader, &how, NULL))
        return; /* what is damaged was told when it was read first */
    for (size_t i = 0; i < pd_report_n_events(report); i++) {
        const struct pd_report_event *e = pd_report_get_event(report, i);
        if (e->attr_index < info->n_events)
            info->events[e->attr_index].samples = e->samples;
    }
    pd_report_free(report);
}

/* As perf report --stats prints it. */
static void print_stats(struct info *info)
{
    count_members(info);
    const double total = (double)info->records;
    pd_out_str(&info->cli->out, "Aggregated stats:\n");
    cli_print(info->cli, "%20s events: %10" PRIu64 "\n", "TOTAL", info->records);
    for (size_t i = 0; i <= info->n_types; i++) {
        const struct info_type *t = i < info->n_types ? &info->types[i] : &info->other;
        const char *name = i < info->n_types ? stats_name(t->type) : "OTHER";
        char number[16];
        snprintf(number, sizeof number, "%" PRIu32, t->type);
        if (t->n)
            cli_print(info->cli, "%20s events: %10" PRIu64 "  (%4.1f%%)\n", name ? name : number, t->n,
                      100.0 * (double)t->n / total);
    }
    for (size_t i = 0; i < info->n_events; i++) {
        const struct info_event *e = &info->events[i];
        char name[256];
        if (e->samples == 0 && e->lost == 0)
            continue;
        cli_event_name(info->in, (uint32_t)i, name, sizeof name);
        pd_out_plain(&info->cli->out, name, strlen(name));
        pd_out_str(&info->cli->out, " stats:\n");
        if (e->samples)
            cli_print(info->cli, "%20s events: %10" PRIu64 "\n", "SAMPLE", e->samples);
        if (e->lost)
            cli_print(info->cli, "%20s events: %10" PRIu64 "\n", "LOST_SAMPLES", e->lost);
    }
}

static void print_tasks(struct info *info)
{
    cli_print(info->cli, "# %8s %8s %8s  comm\n", "pid", "tid", "ppid");
    size_t n;
    const struct pi_task_last *last = pi_tasks_last(info->tasks, &n);
    for (size_t i = 0; i < n; i++) {
        const struct pi_task_last *t = &last[i];
        const char *name = pd_tasks_comm(info->tasks, t->comm);
        cli_print(info->cli, "  %8" PRId32 " %8" PRId32 " %8" PRId32 "  ", (int32_t)t->pid, (int32_t)t->tid,
                  (int32_t)t->ppid);
        pd_out_plain(&info->cli->out, name, strlen(name));
        pd_out_str(&info->cli->out, "\n");
    }
}

/* The end wraps where the file says so. */
PI_WRAPS static void print_mmap(struct info *info, const struct pd_record *rec)
{
    struct info_mmap m;
    info_take_mmap(rec, &m);
    cli_print(info->cli, "%7" PRId32 "/%-7" PRId32 " %" PRIx64 "-%" PRIx64 " %s %08" PRIx64 " ",
              (int32_t)m.pid, (int32_t)m.tid, m.addr, m.addr + m.len, m.prot, m.pgoff);
    if (m.build_id_size) {
        pd_out_hex_bytes(&info->cli->out, m.mmap2->build_id, m.build_id_size);
        pd_out_str(&info->cli->out, " ");
    } else if (m.mmap2) {
        cli_print(info->cli, "%02" PRIx32 ":%02" PRIx32 " %" PRIu64 " ", m.mmap2->maj, m.mmap2->min,
                  m.mmap2->ino);
    }
    pd_out_plain(&info->cli->out, m.name.ptr, m.name.len);
    pd_out_str(&info->cli->out, "\n");
}

int info_text(struct info *info)
{
    if (info->mmaps)
        info->on_mmap = print_mmap;
    info_scan(info);
    if (info->stats)
        print_stats(info);
    if (info->show_tasks)
        print_tasks(info);
    if (!info->stats && !info->show_tasks && !info->mmaps && !(info->show_info && info->header_only))
        print_summary(info);
    if (info->show_info)
        info_show(info);
    return info->cli->status;
}

/* ---- The verb */

static bool open_tasks(struct info *info)
{
    struct pd_error error;
    if (pi_tasks_ask(&info->tasks, info->show_tasks ? PI_TASKS_LAST : PI_TASKS_COUNT, NULL, &error)) {
        cli_input_error(info->in, &error);
        return false;
    }
    info->tids = pi_tasks_met(info->tasks);
    return true;
}

static void info_file(struct cli *cli, const struct info *wanted, const char *path)
{
    struct cli_input in;
    struct info info = *wanted;
    if (!cli_input_open(cli, &in, path, CLI_META))
        return;
    info.cli = cli;
    info.in = &in;
    if (in.meta && open_tasks(&info))
        (cli->json ? info_json : info_text)(&info);
    info_free(&info);
    cli_input_close(&in);
}

int cmd_info(struct cli *cli, int argc, char **argv)
{
    struct info wanted = {0};
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
        switch (key) {
        case 'I': wanted.show_info = true; break;
        case KEY_HEADER_ONLY: wanted.header_only = true; break;
        case KEY_STATS: wanted.stats = true; break;
        case KEY_TASKS: wanted.show_tasks = true; break;
        case KEY_MMAPS: wanted.mmaps = true; break;
        default: return cli->status;
        }
    if (wanted.header_only && (wanted.stats || wanted.show_tasks || wanted.mmaps))
        return cli_fail(
            cli, CLI_USAGE,
            "--header-only reads no records, so --stats, --tasks and --mmaps have nothing to show");
    cli->paint = cli->json ? CLI_PAINT_NONE : CLI_PAINT_KEYS;
    for (size_t i = 0; i < cli->n_inputs && !cli->out_error; i++) {
        if (i && !cli->json)
            pd_out_str(&cli->out, "\n");
        info_file(cli, &wanted, cli->inputs[i]);
    }
    return cli->status;
}
