/* together A B: the records of two recordings of one machine, in order of time: time, file, type, task. */
#include <inttypes.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/sorter.h>
#include <perfdata/session/tasks.h>
#include <stdio.h>

struct side {
    struct pd_reader *reader;
    struct pd_sorter *sorter;
    struct pd_record rec;
    struct pd_record_words words; /* of rec; those of a record without a time come at once */
    bool over;
};

static void advance(struct side *s)
{
    s->over = pd_sorter_next(s->sorter, &s->rec, NULL) != PD_OK;
    if (!s->over)
        pd_record_common(&s->rec, &s->words);
}

static bool open_side(struct side *s, const char *path)
{
    const struct pd_sorter_options order = {.size = sizeof order, .kind = PD_SORT_TIME};
    if (pd_reader_open(&s->reader, path, NULL, NULL) || pd_sorter_open(&s->sorter, s->reader, &order, NULL))
        return false;
    advance(s);
    return true;
}

int main(int argc, char **argv)
{
    struct side sides[2] = {0};
    if (argc != 3 || !open_side(&sides[0], argv[1]) || !open_side(&sides[1], argv[2]))
        return 1;
    while (!sides[0].over || !sides[1].over) {
        const struct side *a = &sides[0], *b = &sides[1];
        struct side *s = &sides[a->over || (!b->over && b->words.time < a->words.time)];
        const char *type = pd_set_name(&pd_set_record_type, s->rec.type);
        printf("%" PRIu64 " %c %s %d\n", s->words.time, s == sides ? 'A' : 'B', type ? type : "unknown",
               (int)s->words.tid);
        advance(s);
    }
    for (int i = 0; i < 2; i++) {
        pd_sorter_close(sides[i].sorter);
        pd_reader_close(sides[i].reader);
    }
}
