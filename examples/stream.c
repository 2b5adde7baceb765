/* stream TID <IN >OUT: drops the samples of other threads, of a recording that comes and goes through pipes.
 */
#include <perfdata/ops/transform.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/sink.h>
#include <stdio.h>
#include <stdlib.h>

static enum pd_transform_verdict choose(void *user, struct pd_transform_run *run, struct pd_record *rec,
                                        struct pd_error *error)
{
    const uint32_t *tid = user;
    if (rec->type != PD_RECORD_SAMPLE)
        return PD_TRANSFORM_KEEP;
    if (pd_transform_decode(run, rec, error))
        return PD_TRANSFORM_FAIL;
    return rec->u.sample.tid == *tid ? PD_TRANSFORM_KEEP : PD_TRANSFORM_DROP;
}

int main(int argc, char **argv)
{
    uint32_t tid = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
    const struct pd_transform_options options = {.size = sizeof options, .record = choose, .user = &tid};
    struct pd_reader *r = NULL;
    struct pd_sink sink = pd_sink_fd(1);
    struct pd_error error;
    char text[300];
    enum pd_code code = pd_reader_open_fd(&r, 0, NULL, &error);
    if (!code)
        code = pd_transform(r, &sink, &options, NULL, &error);
    if (code && pd_error_text(&error, text, sizeof text))
        fprintf(stderr, "%s\n", text);
    pd_reader_close(r);
    return code != PD_OK;
}
