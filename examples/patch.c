/* patch IN OUT FIELD VALUE: sets a field of all records that have it, "sample.period" or "comm.pid". */
#include <perfdata/ops/transform.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/fields.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct change {
    const char *type, *field;
    uint64_t value;
};

static enum pd_transform_verdict change(void *user, struct pd_transform_run *run, struct pd_record *rec,
                                        struct pd_error *error)
{
    const struct change *c = user;
    const char *type = pd_set_name(&pd_set_record_type, rec->type);
    uint64_t old;
    if (type == NULL || strncasecmp(type, c->type, (size_t)(c->field - c->type - 1)) != 0 ||
        pd_transform_decode(run, rec, error) || !pd_record_get(rec, c->field, &old))
        return PD_TRANSFORM_KEEP;
    return pd_record_set(rec, c->field, c->value, error) ? PD_TRANSFORM_FAIL : PD_TRANSFORM_ENCODE;
}

int main(int argc, char **argv)
{
    const char *dot = argc == 5 ? strchr(argv[3], '.') : NULL;
    if (dot == NULL)
        return 2;
    struct change c = {argv[3], dot + 1, strtoull(argv[4], NULL, 0)};
    const struct pd_transform_options options = {.size = sizeof options, .record = change, .user = &c};
    struct pd_transform_stats stats = {0};
    struct pd_reader *r = NULL;
    struct pd_sink sink = {0};
    struct pd_error error;
    char text[300];
    const bool ok = !pd_reader_open(&r, argv[1], NULL, &error) &&
                    !pd_sink_open(&sink, argv[2], NULL, &error) &&
                    !pd_transform(r, &sink, &options, &stats, &error) && !pd_sink_close(&sink, &error);
    if (!ok && pd_error_text(&error, text, sizeof text))
        fprintf(stderr, "%s\n", text);
    printf("%llu records\n", (unsigned long long)stats.encoded);
    pd_sink_close(&sink, NULL);
    pd_reader_close(r);
    return !ok;
}
