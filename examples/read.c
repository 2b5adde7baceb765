#include <inttypes.h>
#include <perfdata/perfdata.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    if (pd_reader_open(&r, argc > 1 ? argv[1] : "perf.data", NULL, NULL) != PD_OK)
        return 1;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (pd_reader_decode(r, &rec, NULL) == PD_OK && rec.type == PD_RECORD_SAMPLE)
            printf("%" PRIu32 " %" PRIu64 " %" PRIx64 "\n", rec.u.sample.tid, rec.u.sample.time,
                   rec.u.sample.ip);
    pd_reader_close(r);
}
