/* dump FILE: every record as text, and what is wrong with those that cannot be decoded. */
#include <perfdata/perfdata.h>
#include <perfdata/session/text.h>
#include <stdio.h>

static bool flush(struct pd_out *out, size_t want)
{
    (void)want;
    const bool ok = fwrite(out->buf, 1, out->n, stdout) == out->n;
    out->n = 0;
    return ok;
}

int main(int argc, char **argv)
{
    static char buf[65536];
    char text[300];
    struct pd_out out = {.buf = buf, .cap = sizeof buf, .more = flush};
    struct pd_record rec = {0};
    struct pd_reader *r = NULL;
    struct pd_error error;
    enum pd_code code = pd_reader_open(&r, argc > 1 ? argv[1] : "perf.data", NULL, &error);
    while (!code && (code = pd_reader_next(r, &rec, &error)) == PD_OK) {
        if (pd_reader_decode(r, &rec, &error) && pd_error_text(&error, text, sizeof text))
            fprintf(stderr, "%s\n", text);
        pd_record_print(&rec, NULL, &out, NULL);
    }
    if (code != PD_END && pd_error_text(&error, text, sizeof text))
        fprintf(stderr, "%s\n", text);
    flush(&out, 0);
    pd_reader_close(r);
    return code != PD_END;
}
