/* SPDX-License-Identifier: MIT */
/*
 * info_bpf.c - the BPF programs of a recording, for `perfdata info -I`: addresses and names of their
 * functions.
 */
#include "info.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <stdlib.h>
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

/* ---- Type data: the name of a function */

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

/* The type data of an id. */
struct types {
    uint32_t id, place; /* place among all, from 0 */
    struct blob btf;
    bool indexed;
    uint32_t *at, n; /* once it is: where the types are; the first has number 1 */
};

struct bpf {
    struct info *info;
    enum pd_order order;
    struct types *types; /* by id, those of one in the order of the file */
    size_t n_types;
};

static int by_id(const void *pa, const void *pb)
{
    const struct types *a = pa, *b = pb;
    const int order = (a->id > b->id) - (a->id < b->id);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* If memory for them runs out there are no names, which the exit status reports. */
static void list_types(struct bpf *bpf)
{
    const struct pd_feature *const f = pd_metadata_feature(bpf->info->in->meta, PD_FEAT_BPF_BTF);
    struct pd_list l = f && f->layout ? f->u.bpf_btf.entries : (struct pd_list){0}, counted = l;
    struct pd_bpf_btf b;
    size_t n = 0;
    while (pd_bpf_btf_next(&counted, &b))
        n++;
    if (n == 0 || (bpf->types = cli_calloc(n, sizeof *bpf->types)) == NULL)
        return;
    for (; bpf->n_types < n && pd_bpf_btf_next(&l, &b); bpf->n_types++)
        bpf->types[bpf->n_types] =
            (struct types){.id = b.id, .place = (uint32_t)bpf->n_types, .btf = {b.data, PD_LITTLE}};
    qsort(bpf->types, bpf->n_types, sizeof *bpf->types, by_id);
}

static void free_types(struct bpf *bpf)
{
    for (size_t i = 0; i < bpf->n_types; i++)
        free(bpf->types[i].at);
    free(bpf->types);
}

static void index_types(struct types *t)
{
    const struct blob *const btf = &t->btf;
    uint64_t at = load(btf, 4, 4) + load(btf, 8, 4), end = at + load(btf, 12, 4);
    end = end < btf->bytes.n ? end : btf->bytes.n;
    t->indexed = true;
    if (at + BTF_TYPE > end || (t->at = cli_malloc((size_t)(end - at) / BTF_TYPE * sizeof *t->at)) == NULL)
        return;
    while (at + BTF_TYPE <= end) {
        const uint64_t word = load(btf, at + 4, 4), kind = word >> 24 & 31;
        t->at[t->n++] = (uint32_t)at;
        at += BTF_TYPE + btf_kinds[kind].fixed + (word & 0xffff) * btf_kinds[kind].each;
    }
}

/* The first of an id; NULL: there is none, or it is damaged. */
static struct types *find_types(struct bpf *bpf, uint32_t id)
{
    size_t low = 0, high = bpf->n_types;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bpf->types[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    struct types *const t = id && low < bpf->n_types && bpf->types[low].id == id ? &bpf->types[low] : NULL;
    if (t && load(&t->btf, 0, 2) != BTF_MAGIC) /* which tells the byte order */
        t->btf.order = PD_BIG;
    if (t == NULL || t->btf.bytes.n < BTF_HEADER || load(&t->btf, 0, 2) != BTF_MAGIC)
        return NULL;
    if (!t->indexed)
        index_types(t);
    return t;
}

/* The name of a type; empty when there is none. */
static struct pd_str type_name(const struct types *t, uint32_t number)
{
    const struct blob *const btf = &t->btf;
    if (number == 0 || number > t->n)
        return (struct pd_str){"", 0, 0};
    const uint64_t name = load(btf, 4, 4) + load(btf, 16, 4) + load(btf, t->at[number - 1], 4);
    if (name >= btf->bytes.n)
        return (struct pd_str){"", 0, 0};
    const char *const s = (const char *)btf->bytes.ptr + name;
    const size_t longest = (size_t)(btf->bytes.n - name);
    return (struct pd_str){s, strnlen(s, longest < PI_LIMIT_BPF_NAME + 1 ? longest : PI_LIMIT_BPF_NAME + 1),
                           0};
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
    const struct types *const types = find_types(bpf, d->btf_id);
    if (types)
        name = type_name(types,
                         (uint32_t)load(&data, d->func_info + (uint64_t)i * d->func_info_rec_size + 4, 4));
    else if (d->nr_jited_ksyms == 1)
        name = (struct pd_str){(const char *)d->name, strnlen((const char *)d->name, sizeof d->name), 0};
    pd_out_str(out, "bpf_prog_");
    if (tag <= p->data.n && p->data.n - tag >= 8)
        pd_out_hex_bytes(out, p->data.ptr + tag, 8);
    if (name.len)
        pd_out_str(out, "_");
    pd_out_plain(out, name.ptr, name.len < PI_LIMIT_BPF_NAME ? name.len : PI_LIMIT_BPF_NAME);
    if (name.len > PI_LIMIT_BPF_NAME)
        pd_out_str(out, "...");
    cli_print(bpf->info->cli, " addr 0x%" PRIx64 " size %" PRIu64 "\n",
              load(&data, d->jited_ksyms + 8 * (uint64_t)i, 8),
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
    struct bpf bpf = {.info = info, .order = pd_reader_info(info->in->reader)->order};
    struct pd_list l = f->u.bpf_prog_info.programs;
    struct pd_bpf_prog p;
    if (l.n == 0)
        cli_print(info->cli, "# bpf_prog_info empty\n");
    list_types(&bpf);
    while (pd_bpf_prog_next(&l, &p))
        show_program(&bpf, &p);
    free_types(&bpf);
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
