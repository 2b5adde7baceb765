/* frames FILE: the place of each sample, its call chain or address, as files and offsets in them. */
#include <inttypes.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/event.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/session.h>
#include <perfdata/session/sorter.h>
#include <stdio.h>

static void print_frame(struct pd_session *session, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    const struct pd_mapping *map = pd_session_find_mapping(session, pid, ip, cpumode);
    char dso[4096] = "[unknown]";
    if (map)
        pd_mapping_dso(map, dso, sizeof dso);
    printf("\t%" PRIx64 " (%s", ip, dso);
    if (map)
        printf("+0x%" PRIx64, pd_mapping_offset(map, ip));
    puts(")");
}

static void print_sample(struct pd_session *session, struct pd_record *rec)
{
    struct pd_sample *s = &rec->u.sample;
    struct pd_offcpu offcpu;
    const bool is_offcpu = pd_offcpu_of(rec, &offcpu);
    if (is_offcpu) {
        pd_offcpu_apply(&offcpu, s);
        pd_record_changed(rec);
    }
    const struct pd_session_task *task = pd_session_find_task(session, s->tid);
    struct pd_frames frames;
    unsigned cpumode;
    uint64_t ip;
    if (task && *task->comm)
        printf("%s", task->comm);
    else
        printf(":%d", (int)s->tid);
    printf(" %d/%d %" PRIu64 ".%09" PRIu64 ":\n", (int)s->pid, (int)s->tid, s->time / 1000000000,
           s->time % 1000000000);
    if (!is_offcpu && !(rec->attr->sample_type & PD_SAMPLE_CALLCHAIN)) {
        print_frame(session, s->pid, s->ip, rec->misc & PD_MISC_CPUMODE);
        return;
    }
    pd_frames_begin(&frames, &s->callchain.ips);
    while (pd_frames_next(&frames, &ip, &cpumode))
        print_frame(session, s->pid, ip, cpumode);
}

int main(int argc, char **argv)
{
    const struct pd_sorter_options order = {.size = sizeof order, .kind = PD_SORT_TIME};
    struct pd_reader *reader = NULL;
    struct pd_sorter *sorter = NULL;
    struct pd_session *session = NULL;
    struct pd_metadata *names = NULL;
    struct pd_record rec = {0};
    struct pd_error error;
    char text[300];
    enum pd_code code = argc == 2 ? pd_reader_open(&reader, argv[1], NULL, &error) : PD_EARG;
    if (argc != 2)
        return 2;
    if (!code) /* the names of events tell which samples are off-cpu */
        code = pd_metadata_open(&names, reader, NULL, &error);
    if (!code && (code = pd_sorter_open(&sorter, reader, &order, &error)) == PD_OK)
        code = pd_session_new(&session, NULL, &error);
    while (!code && (code = pd_sorter_next(sorter, &rec, &error)) == PD_OK) {
        code = pd_session_record(session, &rec, &error);
        if (code || rec.type != PD_RECORD_SAMPLE)
            continue;
        if ((code = pd_reader_decode(reader, &rec, &error)) == PD_OK)
            print_sample(session, &rec);
    }
    if (code != PD_END && pd_error_text(&error, text, sizeof text))
        fprintf(stderr, "%s\n", text);
    pd_session_free(session);
    pd_metadata_close(names);
    pd_sorter_close(sorter);
    pd_reader_close(reader);
    return code != PD_END;
}
