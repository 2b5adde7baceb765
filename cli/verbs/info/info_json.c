/* SPDX-License-Identifier: MIT */
/*
 * info_json.c - `perfdata info --json`: all facts about a file as one JSON object. Counts, sizes
 * and offsets are numbers; words of the file are as in pd_record_json(): 64 bits as strings.
 */
#include "info.h"
#include "src/support/limits.h"
#include <inttypes.h>

static void json_container(struct info *info, struct cli_json *j)
{
    const struct pd_file_info *f = pd_reader_info(info->in->reader);
    const bool file = f->container != PD_CONTAINER_PIPE;
    static const char *const containers[] = {
        [PD_CONTAINER_FILE] = "file", [PD_CONTAINER_PIPE] = "pipe", [PD_CONTAINER_DIRECTORY] = "directory"};
    cli_json_str(j, "container", containers[f->container]);
    cli_json_count(j, "version", f->version);
    cli_json_str(j, "order", f->order == PD_BIG ? "big" : "little");
    if (f->file_size != PD_NOWHERE)
        cli_json_count(j, "size", f->file_size);
    cli_json_count(j, "header_size", f->header.size);
    if (file) {
        cli_json_count(j, "attr_size", f->header.attr_size);
        cli_json_count(j, "feature_word", f->feature_word);
    }
    cli_json_open(j, "data", '{');
    cli_json_count(j, "offset", f->data_offset);
    if (f->data_end != PD_NOWHERE)
        cli_json_count(j, "size", f->data_end - f->data_offset);
    cli_json_close(j, '}');
    cli_json_bool(j, "unfinished", f->unfinished);
    cli_json_bool(j, "truncated", f->truncated);
    cli_json_open(j, "members", '[');
    for (size_t i = 0; i < pd_reader_n_members(info->in->reader); i++) {
        const struct pd_member *m = pd_reader_member(info->in->reader, i);
        cli_json_open(j, NULL, '{');
        cli_json_str(j, "name", m->name);
        cli_json_count(j, "size", m->size);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_index(struct info *info, struct cli_json *j)
{
    struct pd_index_stats stats;
    if (!info->indexed)
        return;
    pd_index_get_stats(cli_index_of(info->in), &stats);
    cli_json_open(j, "index", '{');
    cli_json_count(j, "blocks", stats.blocks);
    cli_json_count(j, "size", stats.size);
    cli_json_close(j, '}');
}

static void json_events(struct info *info, struct cli_json *j)
{
    char name[256];
    cli_json_open(j, "events", '[');
    for (size_t i = 0; i < pd_reader_n_attrs(info->in->reader); i++) {
        const struct pd_event_attr *event = pd_reader_attr(info->in->reader, i);
        cli_event_name(info->in, (uint32_t)i, name, sizeof name);
        cli_json_open(j, NULL, '{');
        cli_json_str(j, "name", name);
        cli_json_count(j, "offset", event->offset);
        if (!info->header_only)
            cli_json_count(j, "samples", i < info->n_events ? info->events[i].samples : 0);
        cli_json_key(j, "attr");
        pd_attr_json(&event->attr, j->out);
        cli_json_open(j, "ids", '[');
        for (size_t k = 0; k < event->n_ids; k++)
            cli_json_dec(j, NULL, event->ids[k]);
        cli_json_close(j, ']');
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_sections(struct info *info, struct cli_json *j)
{
    cli_json_open(j, "sections", '[');
    for (size_t i = 0; i < pd_reader_n_features(info->in->reader); i++) {
        const struct pd_feature_section *f = pd_reader_feature(info->in->reader, i);
        cli_json_open(j, NULL, '{');
        cli_json_count(j, "feature", f->feature);
        cli_json_str(j, "name", pd_set_name(&pd_set_feature, f->feature));
        cli_json_count(j, "offset", f->section.offset);
        cli_json_count(j, "size", f->section.size);
        cli_json_bool(j, "intact", f->intact);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

/* The fields of each feature by its name, or number; the bytes of unknown or damaged ones. */
static void json_features(struct info *info, struct cli_json *j)
{
    cli_json_open(j, "features", '{');
    for (size_t i = 0; i < pd_metadata_n_features(info->in->meta); i++) {
        const struct pd_feature *const f = pd_metadata_feature_at(info->in->meta, i);
        const char *const name = pd_feature_name(f->id);
        char number[16];
        snprintf(number, sizeof number, "%" PRIu32, f->id);
        cli_json_key(j, name ? name : number);
        if (f->layout || (name && f->raw.n == 0)) { /* nothing was recorded, or nothing is to be */
            pd_feature_json(f, j->out);
            continue;
        }
        pd_out_str(j->out, "{\"raw\":\"");
        pd_out_hex_bytes(j->out, f->raw.ptr, f->raw.n);
        pd_out_str(j->out, "\"}");
    }
    cli_json_close(j, '}');
}

static void json_type(struct cli_json *j, const struct info_type *t, const char *name, bool numbered)
{
    cli_json_open(j, NULL, '{');
    if (numbered)
        cli_json_count(j, "type", t->type);
    cli_json_str(j, "name", name);
    cli_json_count(j, "count", t->n);
    cli_json_count(j, "bytes", t->bytes);
    cli_json_close(j, '}');
}

static void json_times(struct cli_json *j, const char *key, const struct info_times *t)
{
    cli_json_open(j, key, '{');
    cli_json_count(j, "count", t->n);
    if (t->n) {
        cli_json_dec(j, "first", t->first);
        cli_json_dec(j, "last", t->last);
        cli_json_dec(j, "duration", t->last - t->first);
    }
    cli_json_close(j, '}');
}

static void json_losses(struct info *info, struct cli_json *j)
{
    cli_json_open(j, "lost", '{');
    cli_json_dec(j, "records", info->lost);
    cli_json_count(j, "LOST", info->lost_records);
    cli_json_dec(j, "samples", info->lost_samples);
    cli_json_count(j, "LOST_SAMPLES", info->lost_samples_records);
    cli_json_close(j, '}');
}

static void json_records(struct info *info, struct cli_json *j)
{
    cli_json_open(j, "records", '{');
    cli_json_count(j, "count", info->records);
    cli_json_count(j, "bytes", info->bytes);
    cli_json_count(j, "payload", info->payload);
    cli_json_count(j, "compressed", info->compressed);
    cli_json_count(j, "inflated", info->inflated);
    cli_json_count(j, "unowned_samples", info->unowned);
    cli_json_open(j, "types", '[');
    for (size_t i = 0; i < info->n_types; i++)
        json_type(j, &info->types[i], pd_set_name(&pd_set_record_type, info->types[i].type), true);
    if (info->other.n)
        json_type(j, &info->other, "OTHER", false);
    cli_json_close(j, ']');
    cli_json_close(j, '}');
    json_times(j, "sample_time", &info->sample_time);
    json_times(j, "time", &info->time);
    json_losses(info, j);
    cli_json_count(j, "n_tasks", info->tids->n);
}

static void json_tasks(struct info *info, struct cli_json *j)
{
    size_t n;
    const struct pi_task_last *last = pi_tasks_last(info->tasks, &n);
    cli_json_open(j, "tasks", '[');
    for (size_t i = 0; i < n; i++) {
        const struct pi_task_last *t = &last[i];
        cli_json_open(j, NULL, '{');
        cli_json_count(j, "pid", t->pid);
        cli_json_count(j, "tid", t->tid);
        if (t->ppid != UINT32_MAX)
            cli_json_count(j, "ppid", t->ppid);
        cli_json_str(j, "comm", pd_tasks_comm(info->tasks, t->comm));
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

/* Mappings are printed as they come, so none is kept. */
static void json_mmap(struct info *info, const struct pd_record *rec)
{
    struct cli_json *j = info->user;
    struct info_mmap m;
    info_take_mmap(rec, &m);
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "offset", rec->offset);
    cli_json_count(j, "pid", m.pid);
    cli_json_count(j, "tid", m.tid);
    cli_json_hex(j, "addr", m.addr);
    cli_json_hex(j, "len", m.len);
    cli_json_hex(j, "pgoff", m.pgoff);
    cli_json_str(j, "prot", m.prot);
    if (m.build_id_size) {
        cli_json_key(j, "build_id");
        pd_out_str(j->out, "\"");
        pd_out_hex_bytes(j->out, m.mmap2->build_id, m.build_id_size);
        pd_out_str(j->out, "\"");
    } else if (m.mmap2) {
        cli_json_count(j, "maj", m.mmap2->maj);
        cli_json_count(j, "min", m.mmap2->min);
        cli_json_dec(j, "ino", m.mmap2->ino);
    }
    cli_json_key(j, "filename");
    pd_out_json_text(j->out, m.name.ptr, m.name.len);
    cli_json_close(j, '}');
}

static void json_error(struct cli_json *j, const struct pd_error *error)
{
    char text[512];
    pd_error_text(error, text, sizeof text);
    cli_json_open(j, NULL, '{');
    cli_json_str(j, "code", pd_code_name(error->code));
    if (error->offset != PD_NOWHERE)
        cli_json_count(j, "offset", error->offset);
    cli_json_str(j, "text", text);
    cli_json_close(j, '}');
}

static void json_damage(struct info *info, struct cli_json *j)
{
    const struct cli_input *in = info->in;
    cli_json_open(j, "damage", '[');
    for (size_t i = 0; i < pd_reader_n_findings(in->reader); i++)
        json_error(j, pd_reader_finding(in->reader, i));
    for (size_t i = 0; i < pd_metadata_n_findings(info->in->meta); i++)
        json_error(j, pd_metadata_finding(info->in->meta, i));
    for (size_t i = 0; i < in->n_damage && i < PI_LIMIT_DAMAGE_LISTED; i++)
        json_error(j, &in->damage[i]);
    cli_json_close(j, ']');
}

static void json_note(void *user, const struct cli_note *note)
{
    struct cli_json *j = user;
    cli_json_open(j, NULL, '{');
    cli_json_str(j, "kind", note->kind);
    cli_json_count(j, "offset", note->offset);
    cli_json_str(j, "text", note->text);
    cli_json_close(j, '}');
}

static void json_notes(struct info *info, struct cli_json *j)
{
    cli_json_open(j, "notes", '[');
    cli_file_notes(info->in, json_note, j);
    if (info->unknown.n)
        json_note(j, &(struct cli_note){"unknown-records", info->unknown_offset, "records of unknown types"});
    cli_json_close(j, ']');
}

static void json_scan(struct info *info, struct cli_json *j)
{
    info->user = j;
    if (info->mmaps) {
        info->on_mmap = json_mmap;
        cli_json_open(j, "mmaps", '[');
    }
    info_scan(info);
    if (info->mmaps)
        cli_json_close(j, ']');
    if (info->show_tasks)
        json_tasks(info, j);
}

int info_json(struct info *info)
{
    struct cli_json j = {.out = &info->cli->out};
    cli_json_open(&j, NULL, '{');
    cli_json_str(&j, "file", info->in->name);
    json_scan(info, &j);
    json_container(info, &j); /* some of it is known at the end of a stream only */
    json_index(info, &j);
    if (!info->header_only)
        json_records(info, &j);
    json_events(info, &j);
    json_sections(info, &j);
    json_features(info, &j);
    json_damage(info, &j);
    json_notes(info, &j);
    cli_json_close(&j, '}');
    pd_out_str(j.out, "\n");
    return info->cli->status;
}
