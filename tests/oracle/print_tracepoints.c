/* SPDX-License-Identifier: MIT */
/*
 * print_tracepoints.c - for tracepoints.py: the samples of tracepoints in a recording, a JSON object a line,
 * with all fields that its tracing data gives them.
 *
 *     print_tracepoints FILE
 */
#include <perfdata/session/metadata.h>
#include <perfdata/session/tasks.h>
#include <perfdata/session/tracepoint.h>
#include <stdio.h>
#include <stdlib.h>

static bool write_out(struct pd_out *out, size_t want)
{
    (void)want;
    const bool ok = fwrite(out->buf, 1, out->n, stdout) == out->n;
    out->n = 0;
    return ok;
}

static int complain(const char *what, const struct pd_error *error)
{
    char text[512];
    pd_error_text(error, text, sizeof text);
    fprintf(stderr, "%s: %s\n", what, text);
    return EXIT_FAILURE;
}

static void put_sample(const struct pd_tracepoint *tp, const struct pd_record *rec, struct pd_out *out)
{
    const struct pd_bytes *raw = &rec->u.sample.raw.data;
    uint64_t time = 0;
    uint32_t cpu = 0;
    pd_record_time(rec, &time);
    pd_record_cpu(rec, &cpu);
    pd_out_str(out, "{\"event\":\"");
    pd_out_bytes(out, tp->system.ptr, tp->system.len);
    pd_out_str(out, ":");
    pd_out_bytes(out, tp->name.ptr, tp->name.len);
    pd_out_str(out, "\",\"time\":");
    pd_out_dec(out, time);
    pd_out_str(out, ",\"cpu\":");
    pd_out_dec(out, cpu);
    pd_out_str(out, ",\"fields\":");
    pd_tracepoint_json(tp, rec->plan->order, raw->ptr, raw->n, PD_TRACEPOINT_COMMON, out);
    pd_out_str(out, "}\n");
}

/* NULL: the record is not a sample of a tracepoint, or the tracing data does not have it. */
static const struct pd_tracepoint *tracepoint_of(struct pd_metadata *m, const struct pd_record *rec)
{
    const bool is_one = rec->type == PD_RECORD_SAMPLE && rec->attr && rec->attr->type == PD_TYPE_TRACEPOINT;
    const struct pd_tracepoints *all = is_one ? pd_metadata_tracepoints(m) : NULL;
    return all ? pd_tracepoints_by_id(all, rec->attr->config) : NULL;
}

static enum pd_code put_samples(struct pd_reader *reader, struct pd_metadata *m, struct pd_out *out,
                                struct pd_error *error)
{
    static struct pd_record rec;
    enum pd_code code;
    while ((code = pd_reader_next(reader, &rec, error)) == PD_OK) {
        if ((code = pd_metadata_add(m, reader, &rec, error)))
            return code;
        const struct pd_tracepoint *tp = tracepoint_of(m, &rec);
        if (tp == NULL)
            continue;
        if ((code = pd_record_decode_framed(rec.plan, &rec, error)))
            return code;
        put_sample(tp, &rec, out);
    }
    return code == PD_END ? PD_OK : code;
}

int main(int argc, char **argv)
{
    static char buf[1 << 16];
    struct pd_out out = {.buf = buf, .cap = sizeof buf, .more = write_out};
    struct pd_error error;
    struct pd_reader *reader;
    struct pd_metadata *m;
    if (argc != 2)
        return EXIT_FAILURE;
    if (pd_reader_open(&reader, argv[1], NULL, &error))
        return complain(argv[1], &error);
    enum pd_code code = pd_metadata_open(&m, reader, NULL, &error);
    if (code == PD_OK) {
        code = put_samples(reader, m, &out, &error);
        pd_metadata_close(m);
    }
    pd_reader_close(reader);
    if (code)
        return complain(argv[1], &error);
    return write_out(&out, 0) && fflush(stdout) == 0 && out.lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
