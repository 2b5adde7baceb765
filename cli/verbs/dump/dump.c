/* SPDX-License-Identifier: MIT */
/* dump.c - `perfdata dump`: every record as text or JSON, in file order. */
#include "dump.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/session/event.h>
#include <perfdata/session/tracepoint.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_TIME = CLI_LONG, KEY_LIMIT, KEY_OFFSET };

static const struct cli_option options[] = {
    {"fields", 'F', "FIELDS",
     "a line for each SAMPLE, with these fields as perf script -F prints them:\n"
     "comm,tid,pid,time,cpu,event,trace,ip,addr,period,misc,data_src,weight,ins_lat,\n"
     "cgroup,phys_addr,data_page_size,code_page_size,iregs,uregs,brstack; id,stream_id;\n"
     "or +FIELD,-FIELD: besides, or without, the usual ones"},
    {"time", KEY_TIME, "START,STOP",
     "only records with a time in this range, as perf script --time has it: seconds,\n"
     "either may be missing; several ranges separated by spaces; or 10%/2, 0%-10%"},
    {"limit", KEY_LIMIT, "N", "stop after N records"},
    {"offset", KEY_OFFSET, "OFF", "begin with the record that holds the byte at this offset of the file"},
    {"hex", 'x', NULL, "also the bytes of each record"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [FILE]",
    .about =
        "Prints every record in the order of the file, with its offset (as in perf report -D), type, misc\n"
        "and fields. Symbols are not resolved: perf does that.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON | CLI_COLOR,
    .examples = "  perfdata dump x.data                               all records\n"
                "  perfdata dump --offset 0x1a8 --limit 1 -x x.data   one record, with its bytes\n"
                "  perfdata dump -F comm,tid,time,event,ip x.data     like perf script -F, in file order\n"
                "  perfdata dump --json x.data | jq 'select(.type == \"COMM\") | .comm.comm'\n",
};

static void print_hex(struct pd_out *out, const struct pd_record *rec)
{
    for (size_t at = 0; at < rec->size; at += 16) {
        cli_print_to(out, ".  %04zx: ", at);
        for (size_t i = at; i < at + 16; i++)
            if (i < rec->size)
                cli_print_to(out, " %02x", rec->raw[i]);
            else
                pd_out_str(out, "   ");
        pd_out_str(out, "  ");
        for (size_t i = at; i < at + 16 && i < rec->size; i++)
            cli_print_to(out, "%c", rec->raw[i] >= ' ' && rec->raw[i] < 0x7f ? rec->raw[i] : '.');
        pd_out_str(out, "\n");
    }
}

/* After the last part of a large record: the whole. */
static void print_large(struct dump *d, const struct pd_record *rec)
{
    const struct pd_print_options how = {.size = sizeof how};
    struct pd_large_record large;
    struct pd_error error;
    struct pd_fields it;
    if (pd_large_parts_add(&d->split, pd_reader_info(d->in.reader)->order, rec, &large, &error))
        cli_input_error(&d->in, &error);
    if (large.type == 0)
        return;
    const char *name = pd_set_name(&pd_set_record_type, large.type);
    cli_print(d->cli, "  together: %s, %" PRIu32 " bytes\n", name ? name : "unknown", large.size);
    pd_fields_of_large_record(&it, &large);
    pd_fields_print(&it, &how, 4, &d->cli->out, NULL);
}

static void print_record(struct dump *d, const struct pd_record *rec, struct pd_out *out)
{
    const struct pd_print_options how = {.size = sizeof how, .arch = d->arch};
    const bool is_traced = rec->attr && rec->attr->type == PD_TYPE_TRACEPOINT;
    const struct pd_tracepoint *tp = is_traced ? dump_tracepoint_of(d, rec) : NULL;
    struct pd_offcpu offcpu;
    const bool is_offcpu = rec->decoded && rec->plan && rec->plan->offcpu && pd_offcpu_of(rec, &offcpu);
    if (d->cli->json && is_offcpu) {
        pd_record_json_offcpu(rec, PD_JSON_OFFSET | PD_JSON_ATTR, &offcpu, out);
        pd_out_str(out, "\n");
        return;
    }
    if (d->cli->json) {
        pd_record_json_trace(rec, PD_JSON_OFFSET | PD_JSON_ATTR, tp, out);
        pd_out_str(out, "\n");
        return;
    }
    pd_record_print(rec, &how, out, NULL);
    if (rec->type == PD_RECORD_SAMPLE && rec->attr && pd_reader_n_attrs(d->in.reader) > 1) {
        char name[256];
        cli_event_name(&d->in, rec->attr_index, name, sizeof name);
        pd_out_str(out, "  event: ");
        pd_out_visible(out, name, strlen(name));
        pd_out_str(out, "\n");
    }
    if (tp) {
        pd_out_str(out, "  trace: ");
        pd_tracepoint_print(tp, (enum pd_order)tp->order, rec->u.sample.raw.data.ptr,
                            rec->u.sample.raw.data.n, 0, out);
        pd_out_str(out, "\n");
    }
    if (is_offcpu) {
        struct pd_fields it;
        pd_fields_of_offcpu(&it, &offcpu);
        pd_out_str(out, "  offcpu:\n");
        pd_fields_print(&it, &how, 4, out, NULL);
    }
    if (rec->type == PD_RECORD_SIMPLEPERF_SPLIT || rec->type == PD_RECORD_SIMPLEPERF_SPLIT_END)
        print_large(d, rec);
    if (rec->payload_size)
        cli_print_to(out, "  followed by: %" PRIu64 " bytes\n", rec->payload_size);
    if (d->hex)
        print_hex(out, rec);
}

static bool selected(const struct dump *d, const struct pd_record *rec)
{
    uint64_t time;
    if (d->fields && rec->type != PD_RECORD_SAMPLE)
        return false;
    if (rec->depth == 0 && rec->offset + rec->size <= d->offset)
        return false;
    return d->n_times == 0 ||
           (pd_record_time(rec, &time) && time && pd_time_match(d->times, d->n_times, time));
}

/* A stream says its machine somewhere before the first sample. */
static void find_arch(struct dump *d, const struct pd_record *rec)
{
    if (d->arch == PD_ARCH_UNKNOWN && rec->type == PD_RECORD_SAMPLE && !d->arch_asked) {
        cli_crew_finish(d->crew);
        d->arch = cli_arch(&d->in);
        d->arch_asked = true;
    }
}

/* A record of another file than the one before. */
static void print_member(struct dump *d, const struct pd_record *rec)
{
    if (d->cli->json || d->fields || rec->member == d->member)
        return;
    cli_crew_finish(d->crew);
    cli_print(d->cli, "# %s\n", pd_reader_member(d->in.reader, rec->member)->name);
    d->member = rec->member;
}

/* A record that was selected. */
static void dump_record(struct dump *d, struct pd_record *rec, const struct pd_moment *when)
{
    const bool decoded = cli_decode(&d->in, rec);
    if (!d->fields)
        print_record(d, rec, &d->cli->out);
    else if (decoded)
        dump_fields_print(d, d->lines, rec, when, &d->cli->out);
    else
        d->left_out++;
}

/* ---- With -j: any thread prints records that need no others */

static bool work(void *user, void *lines, struct pd_record *rec, const struct pd_moment *when,
                 struct pd_out *out)
{
    struct dump *d = user;
    struct pd_error error;
    const enum pd_code code = pd_reader_decode(d->in.reader, rec, &error);
    if ((code && code != PD_EUNKNOWN) || (d->fields && (code || !rec->layout)))
        return false; /* to be reported in its place */
    if (d->fields)
        dump_fields_print(d, lines, rec, when, out);
    else
        print_record(d, rec, out);
    return true;
}

static void own(void *user, struct pd_record *rec, const struct pd_moment *when)
{
    dump_record(user, rec, when);
}

static bool write_text(void *user, const char *text, size_t n)
{
    return cli_print_much(((struct dump *)user)->cli, text, n);
}

static void stamp(void *user, const struct pd_record *rec, struct pd_moment *when)
{
    dump_fields_stamp(user, rec, when);
}

static void settle(void *user)
{
    struct dump *d = user;
    cli_crew_finish(d->crew);
    d->ready = 0; /* names of events may have changed */
}

/*
 * The attrs of a stream come with its records, so its text depends on earlier records, as the differences of
 * counters do.
 */
static void start_crew(struct dump *d)
{
    const struct cli_crew_job job = {.work = work,
                                     .own = own,
                                     .write = write_text,
                                     .anywhere = !d->cli->terminal,
                                     .stamp = d->tasks ? stamp : NULL,
                                     .user = d,
                                     .memory = d->fields ? dump_lines_size : 0};
    const bool streamed = pd_reader_info(d->in.reader)->container == PD_CONTAINER_PIPE;
    d->counting = d->fields && (streamed || pi_counts_are_read(d->in.reader, 0));
    if (!streamed && !d->ordered.session && !d->counting)
        d->crew = cli_crew_new(d->cli->threads, &job);
    d->in.settle = settle;
    d->in.settle_user = d;
}

/*
 * Makes data now that is usually made on demand, since the threads only read. False: that failed, which is
 * printed.
 */
static bool make_ready(struct dump *d, const struct pd_record *rec)
{
    if (d->fields && !dump_fields_ready(d, rec))
        return false;
    if (!d->crew || rec->attr_index == UINT32_MAX || !d->in.meta ||
        (rec->attr_index < 64 && d->ready >> rec->attr_index & 1))
        return true;
    d->ready |= rec->attr_index < 64 ? UINT64_C(1) << rec->attr_index : 0;
    pd_metadata_event_name(d->in.meta, d->in.reader, rec->attr_index);
    if (rec->attr->type == PD_TYPE_TRACEPOINT)
        pd_metadata_tracepoints(d->in.meta);
    return true;
}

/*
 * Other records than samples and the kernel's may be parts of a larger one, or change the metadata. False:
 * writing failed.
 */
static bool give_or_dump(struct dump *d, struct pd_record *rec, const struct pd_moment *when)
{
    if (d->counting && dump_has_counters(rec)) {
        dump_fields_count(d, rec, when, true);
        return d->cli->out_error == 0;
    }
    if (d->crew && (rec->type < PD_RECORD_HEADER_ATTR || rec->type == PD_RECORD_FINISHED_ROUND))
        return cli_crew_give(d->crew, rec, d->fields ? when : NULL);
    if (d->crew)
        cli_crew_finish(d->crew);
    dump_record(d, rec, when);
    return d->cli->out_error == 0;
}

/* Following records that are available and printed like this one; returns their number. */
static size_t give_following(struct dump *d, struct pd_record *rec, uint64_t most)
{
    size_t bytes;
    const bool may = d->crew && rec->type == PD_RECORD_SAMPLE && !d->n_times;
    return may ? cli_crew_give_following(d->crew, d->in.reader, rec, most, &bytes) : 0;
}

static bool next_record(struct dump *d, struct pd_record *rec)
{
    if (d->ordered.session)
        return cli_ordered_next(&d->ordered, rec);
    return d->crew ? cli_next_record(&d->in, rec) : cli_next_try(&d->in, rec);
}

static void dump_records(struct dump *d)
{
    struct pd_record rec = {0};
    uint64_t printed = 0;
    bool going = true;
    start_crew(d);
    while (going && printed < d->limit && next_record(d, &rec)) {
        struct pd_moment when = {0};
        if (d->fields)
            dump_fields_stamp(d, &rec, &when);
        if (d->fields && rec.type != PD_RECORD_SAMPLE)
            cli_decode(&d->in, &rec); /* tells of damage */
        if (!selected(d, &rec)) {
            if (d->counting && dump_has_counters(&rec))
                dump_fields_count(d, &rec, &when, false);
            continue;
        }
        printed++;
        find_arch(d, &rec);
        if (!make_ready(d, &rec))
            break;
        print_member(d, &rec);
        going = give_or_dump(d, &rec, &when);
        printed += give_following(d, &rec, d->limit - printed);
    }
    cli_crew_free(d->crew);
    d->crew = NULL;
    cli_progress_end(d->cli);
    if (d->offset && printed == 0 && d->limit && d->cli->status == CLI_OK)
        cli_say(d->cli, "%s: no record from offset %" PRIu64 " on", d->in.name, d->offset);
    if (d->left_out)
        cli_say(d->cli, "%s: %" PRIu64 " samples could not be decoded and are left out", d->in.name,
                d->left_out);
}

static bool find_times(struct dump *d)
{
    uint64_t first = 0, last = 0;
    if (d->time == NULL)
        return true;
    if (pd_time_is_relative(d->time) && !cli_time_span(&d->in, &first, &last))
        return false;
    d->times = cli_calloc(pd_time_count(d->time) + 1, sizeof *d->times);
    if (d->times && pd_time_parse(d->time, first, last, d->times, &d->n_times))
        return true;
    cli_fail(d->cli, CLI_USAGE,
             "--time: \"%s\" is neither START,STOP, ascending, as 2.5,3 or +200ms,+2s, nor like 10%%/2 or "
             "0%%-10%%",
             d->time);
    return false;
}

/* False: that failed, which is printed. */
static bool use_index(struct dump *d)
{
    return d->n_times == 0 || cli_index_select(&d->in, d->times, d->n_times);
}

static void dump_file(struct dump *d, const char *path)
{
    const bool twice = (d->fields && dump_fields_seek(d)) || (d->time && pd_time_is_relative(d->time));
    if (!cli_input_open(d->cli, &d->in, path, CLI_META | CLI_SEEK | (twice ? 0 : CLI_FLOW)))
        return;
    if (cli_learn_names(&d->in) && find_times(d) && use_index(d) && (!d->fields || dump_fields_start(d)))
        dump_records(d);
    dump_fields_free(d);
    pd_large_parts_free(&d->split);
    free(d->times);
    cli_input_close(&d->in);
}

static bool take_option(struct dump *d, int key)
{
    struct cli *cli = d->cli;
    switch (key) {
    case 'F': d->fields = cli->arg; return dump_fields_parse(d);
    case 'x': d->hex = true; return true;
    case KEY_TIME: d->time = cli->arg; return true;
    case KEY_LIMIT:
        if (cli_count(cli->arg, &d->limit))
            return true;
        cli_fail(cli, CLI_USAGE, "--limit: \"%s\" is no number", cli->arg);
        return false;
    case KEY_OFFSET:
        if (cli_number(cli->arg, &d->offset))
            return true;
        cli_fail(cli, CLI_USAGE, "--offset: \"%s\" is no offset; decimal or 0x…", cli->arg);
        return false;
    default: return false;
    }
}

int cmd_dump(struct cli *cli, int argc, char **argv)
{
    struct dump d = {.cli = cli, .limit = UINT64_MAX};
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
        if (!take_option(&d, key))
            return cli->status;
    if (cli->json && (d.fields || d.hex))
        return cli_fail(cli, CLI_USAGE, "--json prints whole records, so it goes with neither -F nor -x");
    if (d.fields && d.hex)
        return cli_fail(cli, CLI_USAGE, "-F prints lines of fields, so it does not go with -x");
    cli->paint = cli->json || d.fields ? CLI_PAINT_NONE : CLI_PAINT_HEADINGS;
    dump_file(&d, cli->inputs[0]);
    return cli->status;
}
