/* branches FILE: how many branches the samples have, how many were mispredicted, and cycles between them. */
#include <inttypes.h>
#include <perfdata/perfdata.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const struct pd_name *mispred = pd_set_field(&pd_set_branch_flags, "mispred"),
                         *cycles = pd_set_field(&pd_set_branch_flags, "cycles");
    uint64_t n = 0, wrong = 0, sum = 0, timed = 0;
    struct pd_record rec = {0};
    struct pd_reader *r;
    if (pd_reader_open(&r, argc > 1 ? argv[1] : "perf.data", NULL, NULL) != PD_OK)
        return 1;
    while (pd_reader_next_decoded(r, &rec, NULL) == PD_OK) {
        struct pd_list branches = rec.u.sample.branch_stack.entries;
        struct pd_branch_entry b;
        if (rec.type != PD_RECORD_SAMPLE || !rec.decoded)
            continue;
        while (pd_branch_entry_next(&branches, &b)) {
            n++;
            wrong += pd_bits_get(mispred, b.flags);
            sum += pd_bits_get(cycles, b.flags);
            timed += pd_bits_get(cycles, b.flags) != 0;
        }
    }
    pd_reader_close(r);
    printf("%" PRIu64 " branches, %" PRIu64 " mispredicted, %" PRIu64 " cycles in %" PRIu64 "\n", n, wrong,
           sum, timed);
}
