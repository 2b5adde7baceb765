/* A recording from nothing: sizes, offsets, padding, trailers and tables are computed. */
#include <perfdata/perfdata.h>

int main(int argc, char **argv)
{
    struct pd_writer *w;
    struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                           .size = PD_ATTR_SIZE_VER7,
                           .config = PD_SW_CPU_CLOCK,
                           .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME,
                           .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_feature host = {.id = PD_FEAT_HOSTNAME, .u.hostname.text = PD_STR("box")};
    struct pd_record comm = {.type = PD_RECORD_COMM, .u.comm = {.pid = 7, .tid = 7, .comm = PD_STR("hello")}};
    struct pd_record sample = {.type = PD_RECORD_SAMPLE,
                               .misc = PD_CPUMODE_USER,
                               .u.sample = {.ip = 0x401000, .pid = 7, .tid = 7, .time = 1000}};
    if (pd_writer_create(&w, argc > 1 ? argv[1] : "new.data", NULL, NULL) != PD_OK)
        return 1;
    const bool failed = pd_writer_attr(w, &attr, NULL, 0, NULL) || pd_writer_put_feature(w, &host, NULL) ||
                        pd_writer_record(w, &comm, NULL) || pd_writer_record(w, &sample, NULL) ||
                        pd_writer_finish(w, NULL);
    pd_writer_close(w);
    return failed;
}
