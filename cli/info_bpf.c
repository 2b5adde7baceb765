/* SPDX-License-Identifier: MIT */
/* info_bpf.c - the BPF programs of a recording, for `perfdata info -I`: where their functions are, and their names. */
#include "info.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <string.h>

/* ---- Numbers and texts in bytes; outside of them 0 */

struct blob {
    struct pd_bytes bytes;
    enum pd_order order;
};

static uint64_t load(const struct blob *b, uint64_t at, uint8_t width)
{
    if (at > b->bytes.n || width > b->bytes.n - at)
        return 0;
    return pd_vec_at(&(struct pd_vec){b->bytes.ptr + at, 1, width, (uint8_t)b->order}, 0);
}

/* ---- Type data: what a function is called */

enum { BTF_MAGIC = 0xeb9f, BTF_FUNC = 12, BTF_HEADER = 24, BTF_TYPE = 12 };

/* Bytes behind an entry of the type data, by its kind: fixed ones, and those for each of its members. */
static const struct {
    uint8_t fixed, each;
} btf_kinds[32] = {
    [1] = {4, 0},   /* INT */
    [3] = {12, 0},  /* ARRAY */
    [4] = {0, 12},  /* STRUCT */
    [5] = {0, 12},  /* UNION */
    [6] = {0, 8},   /* ENUM */
    [13] = {0, 8},  /* FUNC_PROTO */
    [14] = {4, 0},  /* VAR */
    [15] = {0, 12}, /* DATASEC */
    [17] = {4, 0},  /* DECL_TAG */
    [19] = {0, 12}, /* ENUM64 */
};

struct bpf {
    struct info *info;
    enum pd_order order;
    uint64_t steps; /* entries of type data that were passed: what is hostile must come to an end */
};

#define MOST_STEPS 100000000

/* The name of type `id`, which counts from 1; empty when there is none. */
static struct pd_str btf_name(struct bpf *bpf, const struct blob *btf, uint32_t id)
{
    const uint64_t base = load(btf, 4, 4);
    uint64_t at = base + load(btf, 8, 4), end = at + load(btf, 12, 4), name = base + load(btf, 16, 4);
    end = end < btf->bytes.n ? end : btf->bytes.n;
    for (uint32_t i = 1; at + BTF_TYPE <= end && bpf->steps++ < MOST_STEPS; i++) {
        const uint64_t word = load(btf, at + 4, 4), kind = word >> 24 & 31;
        if (i == id) {
            name += load(btf, at, 4);
            if (name >= btf->bytes.n)
                break;
            const char *const s = (const char *)btf->bytes.ptr + name;
            return (struct pd_str){s, strnlen(s, (size_t)(btf->bytes.n - name)), 0};
        }
        at += BTF_TYPE + btf_kinds[kind].fixed + (word & 0xffff) * btf_kinds[kind].each;
    }
    return (struct pd_str){"", 0, 0};
}

static bool find_btf(struct bpf *bpf, uint32_t id, struct blob *btf)
{
    const struct pd_feature *const f = pd_metadata_feature(bpf->info->in->meta, PD_FEAT_BPF_BTF);
    struct pd_list l = f && f->layout ? f->u.bpf_btf.entries : (struct pd_list){0};
    struct pd_bpf_btf b;
    while (id && bpf->steps++ < MOST_STEPS && pd_bpf_btf_next(&l, &b))
        if (b.id == id) {
            *btf = (struct blob){b.data, PD_LITTLE}; /* its magic tells the byte order */
            if (b.data.n >= BTF_HEADER && load(btf, 0, 2) != BTF_MAGIC)
                btf->order = PD_BIG;
            return b.data.n >= BTF_HEADER && load(btf, 0, 2) == BTF_MAGIC;
        }
    return false;
}

/* ---- Programs */

/* bpf_prog_TAG_NAME at its address, as the kernel lists it among its symbols. */
static void show_function(struct bpf *bpf, const struct pd_bpf_prog *p, uint32_t i)
{
    const struct pd_bpf_prog_info *const d = &p->info;
    const struct blob data = {p->data, bpf->order};
    const uint64_t tag = d->prog_tags + 8 * (uint64_t)i;
    struct pd_out *const out = &bpf->info->cli->out;
    struct pd_str name = {"F", 1, 0};
    struct blob btf;
    if (find_btf(bpf, d->btf_id, &btf))
        name = btf_name(bpf, &btf, (uint32_t)load(&data, d->func_info + (uint64_t)i * d->func_info_rec_size + 4, 4));
    else if (d->nr_jited_ksyms == 1)
        name = (struct pd_str){(const char *)d->name, strnlen((const char *)d->name, sizeof d->name), 0};
    pd_out_str(out, "bpf_prog_");
    if (tag <= p->data.n && p->data.n - tag >= 8)
        pd_out_hex_bytes(out, p->data.ptr + tag, 8);
    if (name.len)
        pd_out_str(out, "_");
    pd_out_plain(out, name.ptr, name.len);
    cli_print(bpf->info->cli, " addr 0x%" PRIx64 " size %" PRIu64 "\n", load(&data, d->jited_ksyms + 8 * (uint64_t)i, 8),
              load(&data, d->jited_func_lens + 4 * (uint64_t)i, 4));
}

/* Counts that disagree make perf leave a program out. */
static void show_program(struct bpf *bpf, const struct pd_bpf_prog *p)
{
    const struct pd_bpf_prog_info *const d = &p->info;
    const uint32_t n = d->nr_jited_ksyms;
    if (n != d->nr_prog_tags || n != d->nr_jited_func_lens)
        return;
    cli_print(bpf->info->cli, "# bpf_prog_info %" PRIu32 ":%s", d->id, n == 1 ? " " : "\n");
    for (uint32_t i = 0; i < n && (i == 0 || i < p->data.n / 8); i++) {
        if (n > 1)
            cli_print(bpf->info->cli, "# \tsub_prog %" PRIu32 ": ", i);
        show_function(bpf, p, i);
    }
}

void info_bpf_programs(struct info *info, const struct pd_feature *f)
{
    struct bpf bpf = {info, pd_reader_info(info->in->reader)->order, 0};
    struct pd_list l = f->u.bpf_prog_info.programs;
    struct pd_bpf_prog p;
    if (l.n == 0)
        cli_print(info->cli, "# bpf_prog_info empty\n");
    while (pd_bpf_prog_next(&l, &p))
        show_program(&bpf, &p);
}

void info_bpf_types(struct info *info, const struct pd_feature *f)
{
    struct pd_list l = f->u.bpf_btf.entries;
    struct pd_bpf_btf b;
    if (l.n == 0)
        cli_print(info->cli, "# btf info empty\n");
    while (pd_bpf_btf_next(&l, &b))
        cli_print(info->cli, "# btf info of id %" PRIu32 "\n", b.id);
}
