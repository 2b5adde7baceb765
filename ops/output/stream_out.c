/* SPDX-License-Identifier: MIT */
/*
 * stream_out.c - writes the kept records to a file, a stream, or the files of a directory. Compressed records
 * are compressed again, unless the options say all or none.
 */
#include "src/container/dir.h"
#include "src/container/file.h"
#include "src/session/content.h"
#include "output.h"
#include "payload.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <inttypes.h>
#include <stdio.h>

static enum pd_order order_of(const struct pi_output *o)
{
    return pd_reader_info(o->sections.reader)->order;
}

static struct pd_writer *writer_of(const struct pi_output *o)
{
    return o->at ? o->member : o->sections.writer;
}

/* ---- Compression */

static bool keeps(const struct pi_output *o)
{
    return o->options.zip == PD_ZIP_KEEP;
}

/* Without an option, the compression of a stream is decided when its first compressed record comes. */
static enum pd_code decide_compression(struct pi_output *o)
{
    const struct pi_output_options *options = &o->options;
    bool zstd = false;
    int level = 0;
    const enum pd_code code =
        o->pipe ? PD_OK : pi_reader_said_zstd(o->sections.reader, &zstd, &level, o->sections.error);
    o->z = (struct pi_compression){.reader = o->sections.reader,
                                   .again = keeps(o),
                                   .pipe = o->pipe,
                                   .zip = pi_zip_type(options->zip, zstd),
                                   .level = options->level ? options->level : level};
    o->sections.own_zstd = zstd || o->z.zip;
    return code;
}

static enum pd_code start(struct pi_output *o, struct pd_writer *w)
{
    w->plain |= w->deflate.ctx == NULL;
    return pi_compression_start(&o->z, w, o->sections.error);
}

/* ---- Files of a directory */

static enum pd_code open_member(struct pi_output *o, uint32_t i, struct pi_member_file *file)
{
    const struct pd_member *m = pd_reader_member(o->sections.reader, i);
    const bool renumber = o->options.renumber && pi_dir_is_numbered(m->name);
    char number[32];
    if (renumber) /* the first file is the one without a number */
        snprintf(number, sizeof number, "data.%" PRIu32, i - 1);
    return pi_member_open(&o->options.members, renumber ? number : m->name, m->mode, file, o->sections.error);
}

static enum pd_code close_member(struct pi_output *o, struct pi_member_file *file, enum pd_code code)
{
    return pi_member_close(&o->options.members, file, code, o->sections.error);
}

static enum pd_code open_stream(struct pi_output *o, const struct pd_sink *sink, struct pd_writer **w)
{
    const struct pd_writer_options options = {.size = sizeof options,
                                              .allocator = o->options.allocator,
                                              .order = order_of(o),
                                              .version = pd_reader_info(o->sections.reader)->version,
                                              .container = PD_CONTAINER_DIRECTORY,
                                              .frame = o->options.frame,
                                              .workers = o->sections.reader->workers};
    const enum pd_code code = pd_writer_open(w, sink, &options, o->sections.error);
    return !code && o->z.zip ? start(o, *w) : code;
}

static enum pd_code end_member(struct pi_output *o)
{
    struct pd_writer *data = o->sections.writer;
    enum pd_code code = PD_OK;
    if (o->member && (code = pd_writer_finish(o->member, o->sections.error)) == PD_OK) {
        o->bytes += pd_writer_data_size(o->member);
        data->deflate.taken += o->member->deflate.taken; /* for the ratio in the COMPRESSED feature */
        data->deflate.made += o->member->deflate.made;
    }
    pd_writer_close(o->member);
    o->member = NULL;
    return code ? code : close_member(o, &o->member_file, code);
}

/* Goes on to a member; members between stay empty. */
static enum pd_code advance(struct pi_output *o, uint32_t to)
{
    enum pd_code code = PD_OK;
    while (!code && o->at < to) {
        if ((code = end_member(o)) == PD_OK)
            code = open_member(o, ++o->at, &o->member_file);
        if (!code)
            code = open_stream(o, &o->member_file.sink, &o->member);
    }
    return code;
}

/* ---- The output */

static enum pd_code begin_stream(struct pi_output *o)
{
    const enum pd_code code = open_stream(o, o->sink, &o->sections.writer);
    return code ? code : pi_pipe_header(o->sections.writer, o->sections.error);
}

static enum pd_code begin_file(struct pi_output *o)
{
    struct pi_sections *s = &o->sections;
    const struct pd_event_attr *first = pd_reader_attr(s->reader, 0);
    s->dir = o->dir;
    const struct pd_writer_options options = {.size = sizeof options,
                                              .allocator = o->options.allocator,
                                              .order = order_of(o),
                                              .version = pd_reader_info(s->reader)->version,
                                              .feature_word = pd_reader_info(s->reader)->feature_word,
                                              .attr_size = first ? first->room : 0,
                                              .compression = o->z.zip,
                                              .level = o->z.level,
                                              .frame = o->options.frame,
                                              .workers = o->sections.reader->workers};
    return pi_sections_begin(s, o->dir ? &o->data_file.sink : o->sink, &options);
}

enum pd_code pi_output_begin(struct pi_output *o)
{
    const enum pd_container from = pd_reader_info(o->sections.reader)->container;
    enum pd_code code = PD_OK;
    o->pipe = from == PD_CONTAINER_PIPE;
    o->dir = from == PD_CONTAINER_DIRECTORY && o->options.members.open;
    if ((code = decide_compression(o)))
        return code;
    if (o->pipe)
        return begin_stream(o);
    if (o->dir && (code = open_member(o, 0, &o->data_file)))
        return code;
    return begin_file(o);
}

enum pd_code pi_output_wrapper(struct pi_output *o, const struct pd_record *rec)
{
    if (!keeps(o))
        return PD_OK;
    enum pd_code code = pi_output_flush(o);
    o->z.zip = rec->type;
    o->sections.own_zstd = true;
    if (!code)
        code = o->dir ? advance(o, rec->member) : PD_OK;
    if (!code)
        code = start(o, o->sections.writer); /* the `data` of a directory has the feature, too */
    if (!code && o->at)
        code = start(o, o->member);
    return code ? code : pi_compression_end(&o->z, o->sections.writer, o->sections.error);
}

enum pd_code pi_output_flush(struct pi_output *o)
{
    const size_t n = o->run_n;
    o->run_n = 0;
    return n ? pd_writer_raw(o->sections.writer, o->run, n, o->sections.error) : PD_OK;
}

/*
 * True if the record joins the run: in a file without compression, neighbours in the window are written at
 * once, since a write for each record took 15 ns.
 */
static bool extends_run(struct pi_output *o, const struct pd_record *rec, const uint8_t *bytes)
{
    if (!o->runs || o->pipe || o->dir || o->sections.writer->deflate.ctx || bytes != rec->raw ||
        bytes != o->run + o->run_n)
        return false;
    o->run_n += rec->size;
    return true;
}

enum pd_code pi_output_bytes(struct pi_output *o, const uint8_t *bytes, size_t n)
{
    return pi_writer_emit(o->sections.writer, bytes, n, o->sections.error);
}

enum pd_code pi_output_record(struct pi_output *o, const struct pd_record *rec, const uint8_t *bytes)
{
    bool taken = false;
    if (pi_output_is_direct(o))
        return pi_writer_emit(o->sections.writer, bytes, rec->size, o->sections.error);
    if (o->run_n && extends_run(o, rec, bytes))
        return PD_OK;
    enum pd_code code = pi_output_flush(o);
    o->run = bytes;
    if (code || extends_run(o, rec, bytes))
        return code;
    code = o->dir ? advance(o, rec->member) : PD_OK;
    if (!code && o->pipe)
        code = pi_compression_announce(&o->z, o->sections.writer, rec, &taken, o->sections.error);
    if (code || taken)
        return code;
    struct pd_writer *w = writer_of(o);
    if (keeps(o))
        w->plain = rec->depth == 0;
    else if (w->plain && !pi_is_early(rec))
        w->plain = false;
    if (rec->old_feature) /* its type has another meaning */
        return pi_writer_emit(w, bytes, rec->size, o->sections.error);
    return pd_writer_raw(w, bytes, rec->size, o->sections.error);
}

enum pd_code pi_output_samples(struct pi_output *o, const struct pd_record *first, size_t n)
{
    const uint8_t *rest = first->raw + first->size;
    const enum pd_code code = pi_output_record(o, first, first->raw);
    n -= first->size;
    if (code || n == 0)
        return code;
    if (o->run_n == 0)
        return pd_writer_raw(writer_of(o), rest, n, o->sections.error);
    o->run_n += n;
    return PD_OK;
}

enum pd_code pi_output_payload(struct pi_output *o, const uint8_t *bytes, size_t n)
{
    const enum pd_code code = pi_output_flush(o);
    return code ? code : pd_writer_raw(writer_of(o), bytes, n, o->sections.error);
}

enum pd_code pi_output_note_aux(struct pi_output *o, const struct pd_record *rec)
{
    struct pi_sections *s = &o->sections;
    if (rec->type != PD_RECORD_AUXTRACE || rec->old_feature || o->pipe || rec->member)
        return PD_OK;
    const enum pd_code code = pi_output_flush(o);
    return code ? code : pi_aux_index_note(&s->aux, s->writer, rec, s->error);
}

static enum pd_code put_piece(void *user, const uint8_t *bytes, size_t n)
{
    struct pi_output *o = user;
    return o ? pi_output_payload(o, bytes, n) : PD_OK;
}

enum pd_code pi_output_copy_payload(struct pi_output *o, struct pd_reader *reader, struct pd_sorter *sorter,
                                    struct pd_error *error)
{
    const enum pd_code code = o ? pi_output_flush(o) : PD_OK;
    return code ? code : pi_copy_payload(reader, sorter, put_piece, o, error);
}

enum pd_code pi_output_end(struct pi_output *o)
{
    struct pd_writer *w = o->sections.writer;
    enum pd_code code = pi_output_flush(o);
    if (!code && o->dir &&
        (code = advance(o, (uint32_t)pd_reader_n_members(o->sections.reader) - 1)) == PD_OK)
        code = end_member(o);
    if (!code)
        code = pi_compression_end(&o->z, w, o->sections.error);
    if (!code)
        code = o->pipe ? pd_writer_finish(w, o->sections.error) : pi_sections_end(&o->sections);
    if (!code)
        o->bytes += pd_writer_data_size(w) - (o->pipe ? PI_PIPE_HEADER_BYTES : 0);
    return code ? code : close_member(o, &o->data_file, code);
}

void pi_output_close(struct pi_output *o)
{
    const struct pi_members *members = &o->options.members;
    pi_member_close(members, &o->member_file, PD_OK, NULL); /* the first failure has been reported */
    pi_member_close(members, &o->data_file, PD_OK, NULL);
    pd_writer_close(o->member);
    pi_sections_close(&o->sections);
}
