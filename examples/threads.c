/* threads FILE [N]: counts the samples of a file with N threads, each of which reads a part. */
#include <inttypes.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/part.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64

struct part {
    const struct pd_reader *whole;
    uint64_t from, to, begin, end, records, samples;
    enum pd_code code;
    pthread_t thread;
};

static void *read_part(void *user)
{
    struct part *p = user;
    struct pd_reader *r = NULL;
    struct pd_record rec = {0};
    p->code = pd_reader_open_part(&r, p->whole, NULL, NULL);
    if (!p->code && (p->code = pd_reader_take_part(r, p->from, p->to, NULL)) == PD_OK) {
        p->begin = pd_reader_info(r)->data_offset;
        while ((p->code = pd_reader_next(r, &rec, NULL)) == PD_OK) {
            p->records++;
            p->samples += rec.type == PD_RECORD_SAMPLE;
        }
        p->end = pd_reader_offset(r);
    }
    pd_reader_close(r);
    return NULL;
}

int main(int argc, char **argv)
{
    struct part parts[MOST] = {0};
    struct pd_record rec = {0};
    struct pd_reader *r;
    uint64_t samples = 0, records = 0;
    const int asked = argc > 2 ? atoi(argv[2]) : 4, n = asked < 1 ? 1 : asked > MOST ? MOST : asked;
    if (argc < 2 || pd_reader_open(&r, argv[1], NULL, NULL) != PD_OK)
        return 1;
    const struct pd_file_info *info = pd_reader_info(r);
    const uint64_t size = info->data_end - info->data_offset;
    for (int i = 0; i < n; i++) {
        parts[i].whole = r;
        parts[i].from = info->data_offset + size / (uint64_t)n * (uint64_t)i;
        parts[i].to =
            i + 1 == n ? info->data_end : info->data_offset + size / (uint64_t)n * (uint64_t)(i + 1);
        if (pthread_create(&parts[i].thread, NULL, read_part, &parts[i]) != 0)
            return 1;
    }
    uint64_t at = info->data_offset; /* all before it was counted */
    bool good = true;
    for (int i = 0; i < n; i++) {
        pthread_join(parts[i].thread, NULL);
        if (good && parts[i].begin == at && parts[i].code == PD_END) {
            at = parts[i].end;
            samples += parts[i].samples;
            records += parts[i].records;
        } else {
            good &= at >= parts[i].to; /* a record of an earlier part covers it */
        }
    }
    if (at < info->data_end && pd_reader_seek(r, at, records, NULL) == PD_OK) /* what the parts got wrong */
        while (pd_reader_next(r, &rec, NULL) == PD_OK)
            samples += rec.type == PD_RECORD_SAMPLE;
    printf("%" PRIu64 " samples\n", samples);
    pd_reader_close(r);
}
