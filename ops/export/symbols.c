/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - the functions at the addresses that a recording uses, for machines that do not have its files.
 * The key of an address is the number of the file and the offset, each with the highest byte first.
 */
#include "labels.h"
#include "src/support/wire.h"
#include "formats/text_out.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- Counting */

enum pd_code pi_export_address(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    uint8_t key[12];
    struct pi_stack *at;
    const struct pi_export_frame frame = pi_export_find(x, pid, ip, cpumode);
    if (x->failed || frame.dso == 0)
        return x->failed;
    pi_store32(key, frame.dso, PD_BIG);
    pi_store64(key + 4, frame.offset, PD_BIG);
    return pi_stacks_add(&x->all->stacks, key, sizeof key, 1, &at, x->error);
}

enum pd_code pi_export_addresses(struct pi_exporting *x, uint32_t pid, const struct pd_vec *ips)
{
    struct pd_frames frames;
    enum pd_code code = PD_OK;
    unsigned cpumode;
    uint64_t ip;
    pd_frames_begin(&frames, ips);
    while (!code && pd_frames_next(&frames, &ip, &cpumode))
        code = pi_export_address(x, pid, ip, cpumode);
    return code;
}

/* ---- Writing */

struct writing {
    struct pd_export *all;
    struct pi_text_out text;
    uint32_t dso; /* of the last line written; 0: none */
};

static void put_number(struct pd_out *out, uint64_t value)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%" PRIx64, value);
    pd_out_str(out, digits);
}

static void put_name(struct pd_out *out, const char *name)
{
    pd_out_str(out, "\t");
    pd_out_plain(out, name, strlen(name));
}

static void put_file(struct writing *w, const char *id, const char *name)
{
    struct pd_out *out = &w->text.out;
    pd_out_str(out, "file\t");
    pd_out_str(out, *id ? id : "-");
    put_name(out, name);
    pd_out_str(out, "\n");
}

static enum pd_code put_address(void *user, const uint8_t *key, size_t n, uint64_t sum,
                                struct pd_error *error)
{
    struct writing *w = user;
    struct pd_out *out = &w->text.out;
    const struct pd_export_options *o = &w->all->options;
    const uint32_t dso = pi_load32(key, PD_BIG);
    const uint64_t offset = pi_load64(key + 4, PD_BIG);
    struct pd_symbol symbol = {0};
    char id[41];
    const char *file = pi_export_dso_parts(w->all, dso, id);
    (void)n;
    (void)sum;
    if (!o->symbol(o->user, file, id, offset, &symbol))
        return PD_OK;
    if (w->dso != dso)
        put_file(w, id, file);
    w->dso = dso;
    put_number(out, offset);
    pd_out_str(out, "\t");
    put_number(out, symbol.offset);
    put_name(out, symbol.name);
    for (size_t i = 0; i < symbol.n_inlined; i++)
        put_name(out, symbol.inlined[i]);
    pd_out_str(out, "\n");
    return pi_text_out_code(&w->text, error);
}

enum pd_code pi_export_symbols(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error)
{
    struct writing w = {.all = all};
    pi_text_out_open(&w.text, sink);
    pd_out_str(&w.text.out, "perfdata-symbols 1\n");
    const enum pd_code code = pi_stacks_each(&all->stacks, put_address, &w, error);
    return code ? code : pi_text_out_end(&w.text, error);
}
