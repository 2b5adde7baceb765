// examples/read.c as C++: it only differs in how the record is cleared.
#include <cinttypes>
#include <perfdata/perfdata.h>
#include <cstdio>

int main(int argc, char **argv)
{
    pd_reader *r;
    pd_record rec = {};
    if (pd_reader_open(&r, argc > 1 ? argv[1] : "perf.data", nullptr, nullptr) != PD_OK)
        return 1;
    while (pd_reader_next(r, &rec, nullptr) == PD_OK)
        if (pd_reader_decode(r, &rec, nullptr) == PD_OK && rec.type == PD_RECORD_SAMPLE)
            std::printf("%" PRIu32 " %" PRIu64 " %" PRIx64 "\n", rec.u.sample.tid, rec.u.sample.time,
                        rec.u.sample.ip);
    pd_reader_close(r);
}
