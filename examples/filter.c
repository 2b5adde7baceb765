/* filter INPUT OUTPUT COMM: the samples of one program, with the side-band that perf needs to show them. */
#include <inttypes.h>
#include <perfdata/ops/filter.h>
#include <perfdata/perfdata.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *const comms[] = {argv[3]};
    const struct pd_filter_options options = {.size = sizeof options, .keep = {.comms = comms, .n_comms = 1}};
    struct pd_filter_stats stats = {0};
    struct pd_reader *r = NULL;
    struct pd_sink sink = {0};
    struct pd_error error;
    char text[300];
    bool ok = pd_reader_open(&r, argv[1], NULL, &error) == PD_OK &&
              pd_sink_open(&sink, argv[2], NULL, &error) == PD_OK &&
              pd_filter(r, &sink, &options, &stats, &error) == PD_OK && pd_sink_close(&sink, &error) == PD_OK;
    if (ok)
        printf("%" PRIu64 " of %" PRIu64 " samples\n", stats.kept_samples, stats.samples);
    else if (pd_error_text(&error, text, sizeof text))
        fprintf(stderr, "%s\n", text);
    pd_sink_close(&sink, NULL);
    pd_reader_close(r);
    return !ok;
}
