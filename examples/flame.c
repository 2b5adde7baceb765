/* flame FILE: a line for each sample, "comm;file+offset;...;file+offset 1", as flamegraph.pl takes them. */
#include <inttypes.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/session.h>
#include <perfdata/session/sorter.h>
#include <stdio.h>

static void print_frame(struct pd_session *session, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    const struct pd_mapping *map = pd_session_find_mapping(session, pid, ip, cpumode);
    char dso[4096] = "[unknown]";
    if (map)
        pd_mapping_dso(map, dso, sizeof dso);
    printf(";%s+0x%" PRIx64, dso, map ? pd_mapping_offset(map, ip) : ip);
}

static void print_stack(struct pd_session *session, const struct pd_record *rec)
{
    const struct pd_sample *s = &rec->u.sample;
    const struct pd_session_task *task = pd_session_find_task(session, s->tid);
    struct pd_frames frames;
    uint64_t ips[1024] = {s->ip};
    unsigned modes[1024] = {rec->misc & PD_MISC_CPUMODE}, n = 0;
    pd_frames_begin(&frames, &s->callchain.ips);
    while (n < 1024 && pd_frames_next(&frames, &ips[n], &modes[n]))
        n++;
    printf("%s", task && *task->comm ? task->comm : "unknown");
    for (n += n == 0; n--;) /* the leaf comes last */
        print_frame(session, s->pid, ips[n], modes[n]);
    puts(" 1");
}

int main(int argc, char **argv)
{
    const struct pd_sorter_options order = {.size = sizeof order, .kind = PD_SORT_TIME};
    struct pd_reader *r = NULL;
    struct pd_sorter *sorter = NULL;
    struct pd_session *session = NULL;
    struct pd_record rec = {0};
    enum pd_code code = pd_reader_open(&r, argc > 1 ? argv[1] : "perf.data", NULL, NULL);
    if (!code && (code = pd_sorter_open(&sorter, r, &order, NULL)) == PD_OK)
        code = pd_session_new(&session, NULL, NULL);
    while (!code && (code = pd_sorter_next(sorter, &rec, NULL)) == PD_OK) {
        code = pd_session_record(session, &rec, NULL);
        if (!code && rec.type == PD_RECORD_SAMPLE && pd_reader_decode(r, &rec, NULL) == PD_OK)
            print_stack(session, &rec);
    }
    pd_session_free(session);
    pd_sorter_close(sorter);
    pd_reader_close(r);
    return code != PD_END;
}
