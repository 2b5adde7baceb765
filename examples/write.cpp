// examples/write.c as C++17: members are set by name, since designated initialisers come with C++20.
#include <perfdata/perfdata.h>

int main(int argc, char **argv)
{
    pd_attr attr = {};
    attr.type = PD_TYPE_SOFTWARE;
    attr.size = PD_ATTR_SIZE_VER7;
    attr.config = PD_SW_CPU_CLOCK;
    attr.sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME;
    attr.flags = PD_ATTR_SAMPLE_ID_ALL;
    pd_feature host = {};
    host.id = PD_FEAT_HOSTNAME;
    host.u.hostname.text = PD_STR("box");
    pd_record comm = {}, sample = {};
    comm.type = PD_RECORD_COMM;
    comm.u.comm.pid = comm.u.comm.tid = 7;
    comm.u.comm.comm = PD_STR("hello");
    sample.type = PD_RECORD_SAMPLE;
    sample.misc = PD_CPUMODE_USER;
    sample.u.sample.ip = 0x401000;
    sample.u.sample.pid = sample.u.sample.tid = 7;
    sample.u.sample.time = 1000;

    pd_writer *w;
    if (pd_writer_create(&w, argc > 1 ? argv[1] : "new.data", nullptr, nullptr) != PD_OK)
        return 1;
    const bool failed = pd_writer_attr(w, &attr, nullptr, 0, nullptr) ||
                        pd_writer_put_feature(w, &host, nullptr) || pd_writer_record(w, &comm, nullptr) ||
                        pd_writer_record(w, &sample, nullptr) || pd_writer_finish(w, nullptr);
    pd_writer_close(w);
    return failed;
}
