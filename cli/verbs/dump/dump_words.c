/* SPDX-License-Identifier: MIT */
/* dump_words.c - values of samples in perf script's words: data_src, branches, fields of tracepoints. */
#include "dump.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/session/sample.h>
#include <string.h>

static void put_word(struct pd_out *out, const char *word)
{
    pd_out_bytes(out, word, strlen(word));
}

/* ---- Where data came from */

/* The words of the bits that are set, from the first on; false: none is. */
static bool put_bits(struct pd_out *out, unsigned bits, const char *const *words, size_t n,
                     const char *between)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!(bits >> i & 1) || words[i] == NULL)
            continue;
        put_word(out, any ? between : "");
        put_word(out, words[i]);
        any = true;
    }
    return any;
}

#define PUT_BITS(out_, bits_, words_, between_) \
    put_bits((out_), (bits_), (words_), sizeof(words_) / sizeof *(words_), (between_))

static void put_hit(struct pd_out *out, bool hit, bool miss)
{
    put_word(out, hit ? " hit" : "");
    put_word(out, miss ? " miss" : "");
}

static void put_numbered_level(struct pd_out *out, unsigned level)
{
    static const char *const words[] = {
        [PD_MEM_LVLNUM_CXL] = "CXL",     [PD_MEM_LVLNUM_IO] = "I/O",  [PD_MEM_LVLNUM_ANY_CACHE] = "Any cache",
        [PD_MEM_LVLNUM_LFB] = "LFB/MAB", [PD_MEM_LVLNUM_RAM] = "RAM", [PD_MEM_LVLNUM_PMEM] = "PMEM",
        [PD_MEM_LVLNUM_NA] = "N/A"};
    if (level < sizeof words / sizeof *words && words[level])
        put_word(out, words[level]);
    else
        cli_print_to(out, "L%u", level);
}

static void put_level(struct pd_out *out, const struct pd_data_src *d)
{
    static const char *const levels[] = {"N/A",
                                         [3] = "L1",
                                         "LFB/MAB",
                                         "L2",
                                         "L3",
                                         "Local RAM",
                                         "Remote RAM (1 hop)",
                                         "Remote RAM (2 hops)",
                                         "Remote Cache (1 hop)",
                                         "Remote Cache (2 hops)",
                                         "I/O",
                                         "Uncached"};
    static const char *const hops[] = {[PD_MEM_HOPS_0] = "core, same node ",
                                       [PD_MEM_HOPS_1] = "node, same socket ",
                                       [PD_MEM_HOPS_2] = "socket, same board ",
                                       [PD_MEM_HOPS_3] = "board "};
    const bool far = d->hops || d->remote;
    put_word(out, d->remote ? "Remote " : "");
    if (d->hops && d->hops < sizeof hops / sizeof *hops)
        put_word(out, hops[d->hops]);
    else if (d->hops)
        cli_print_to(out, "%u hops ", d->hops);
    const bool named = PUT_BITS(out, d->lvl, levels, " or ");
    put_word(out, named && d->lvl_num ? " or " : "");
    if (d->lvl_num)
        put_numbered_level(out, d->lvl_num);
    else if (!named && !far)
        put_word(out, "N/A");
    put_hit(out, d->lvl & PD_MEM_LVL_HIT, d->lvl & PD_MEM_LVL_MISS);
}

static void put_tlb(struct pd_out *out, unsigned bits)
{
    static const char *const words[] = {"N/A", [3] = "L1", "L2", "Walker", "Fault"};
    if (!PUT_BITS(out, bits, words, " or "))
        put_word(out, "N/A");
    put_hit(out, bits & PD_MEM_TLB_HIT, bits & PD_MEM_TLB_MISS);
}

void dump_put_data_src(const struct pd_record *rec, struct pd_out *out)
{
    static const char *const ops[] = {[1] = "LOAD", "STORE", "PFETCH", "EXEC"};
    static const char *const snoops[] = {"N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer"};
    static const char *const blocks[] = {[1] = " Data", " Addr"};
    struct pd_data_src d = {0};
    pd_sample_data_src(rec, &d);
    cli_print_to(out, "%16" PRIx64 " |OP ", rec->u.sample.data_src);
    const unsigned op = d.op ? 1u << __builtin_ctz(d.op) : 0; /* the first */
    if (!PUT_BITS(out, op, ops, ""))
        put_word(out, d.op ? "N/A" : "No");
    put_word(out, "|LVL ");
    put_level(out, &d);
    put_word(out, "|SNP ");
    if (!PUT_BITS(out, d.snoop | (unsigned)d.snoopx << 5, snoops, " or "))
        put_word(out, "N/A");
    put_word(out, "|TLB ");
    put_tlb(out, d.dtlb);
    put_word(out, d.lock & PD_MEM_LOCK_NA       ? "|LCK N/A"
                  : d.lock & PD_MEM_LOCK_LOCKED ? "|LCK Yes"
                                                : "|LCK No");
    put_word(out, "|BLK ");
    if (d.blk & PD_MEM_BLK_NA || !PUT_BITS(out, d.blk, blocks, ""))
        put_word(out, " N/A");
}

/* ---- Branches */

static const char *type_of_branch(uint64_t flags)
{
    const unsigned type = (flags & PD_BRANCH_TYPE) >> PD_BRANCH_TYPE_SHIFT;
    const unsigned more = (flags & PD_BRANCH_NEW_TYPE) >> PD_BRANCH_NEW_TYPE_SHIFT;
    const char *name = type == PD_BR_EXTEND_ABI ? pd_set_name(&pd_set_branch_new_type, more)
                       : type                   ? pd_set_name(&pd_set_branch_type, type)
                                                : "";
    return name ? name : "unknown";
}

void dump_put_branches(const struct pd_sample *s, struct pd_out *out)
{
    struct pd_list entries = s->branch_stack.entries;
    struct pd_branch_entry e;
    while (pd_branch_entry_next(&entries, &e))
        cli_print_to(out, " 0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%u/%s ", e.from, e.to,
                     e.flags & PD_BRANCH_PREDICTED ? 'P'
                     : e.flags & PD_BRANCH_MISPRED ? 'M'
                                                   : '-',
                     e.flags & PD_BRANCH_IN_TX ? 'X' : '-', e.flags & PD_BRANCH_ABORT ? 'A' : '-',
                     (unsigned)((e.flags & PD_BRANCH_CYCLES) >> PD_BRANCH_CYCLES_SHIFT),
                     type_of_branch(e.flags));
}

/* ---- Tracepoints */

const struct pd_tracepoint *dump_tracepoint_of(const struct dump *d, const struct pd_record *rec)
{
    const struct pd_attr *attr = rec->attr;
    if (rec->type != PD_RECORD_SAMPLE || !rec->decoded || !d->in.meta || !attr ||
        attr->type != PD_TYPE_TRACEPOINT || !(attr->sample_type & PD_SAMPLE_RAW))
        return NULL;
    const struct pd_tracepoints *all = pd_metadata_tracepoints(d->in.meta);
    return all ? pd_tracepoints_by_id(all, attr->config) : NULL;
}
