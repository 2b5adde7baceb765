// visitor FILE [SAMPLES]: counts names of tasks, mappings of both kinds and samples, up to so many samples.
#include <cstdio>
#include <cstdlib>
#include <perfdata/perfdata.h>
#include <perfdata/session/visit.h>

struct counts {
    unsigned long comms = 0, maps = 0, samples = 0, most = 0;
    bool stop = false;
};

int main(int argc, char **argv)
{
    counts c;
    pd_reader *r = nullptr;
    pd_visitor visitor = {};
    pd_visit_options options = {};
    visitor.comm = [](void *user, const pd_record *, const pd_comm *) {
        static_cast<counts *>(user)->comms++;
    };
    visitor.mmap2 = [](void *user, const pd_record *, const pd_mmap2 *) {
        static_cast<counts *>(user)->maps++;
    };
    visitor.sample = [](void *user, const pd_record *, const pd_sample *) {
        auto &c = *static_cast<counts *>(user);
        c.stop = ++c.samples == c.most;
    };
    c.most = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    options.size = sizeof options;
    options.stop = &c.stop;
    options.mmap_as_mmap2 = true;
    if (argc < 2 || pd_reader_open(&r, argv[1], nullptr, nullptr) != PD_OK)
        return 1;
    const bool ok = pd_reader_visit(r, &visitor, &c, &options, nullptr) == PD_OK;
    pd_reader_close(r);
    std::printf("%lu names, %lu mappings, %lu samples\n", c.comms, c.maps, c.samples);
    return !ok;
}
