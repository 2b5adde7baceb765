/* SPDX-License-Identifier: MIT */
/* feature.c - decoding feature sections through the schema's tables. */
#include "carried.h"
#include "interpret.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"
#include <perfdata/feature.h>
#include <perfdata/session/fields.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum pd_code decode_as(struct pd_feature *f, enum pd_order order, uint8_t variant,
                              struct pd_error *error)
{
    const struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = variant};
    f->variant = variant;
    return pi_interpret_section(f->layout, &shape, order, f->raw.ptr, f->raw.n, &f->u, &f->rest, error);
}

/* Build ids of perf before 2.6.35 have no pid: read with one, the name of the kernel begins 4 bytes late. */
static bool lacks_pid(const struct pd_feature *f)
{
    static const char late[] = "nel.kallsyms]";
    struct pd_list l = f->u.build_id.entries;
    struct pd_build_id_entry e;
    //@ loop assigns l, e;
    while (pd_build_id_entry_next(&l, &e))
        if (e.file.filename.len >= sizeof late - 1 && memcmp(e.file.filename.ptr, late, sizeof late - 1) == 0)
            return true;
    return false;
}

enum pd_code pd_feature_decode(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail, const void *bytes,
                               size_t n, struct pd_feature *f, struct pd_error *error)
{
    const struct pd_op *layout = n ? pi_layout_of_feature(id) : NULL;
    f->id = id;
    f->variant = 0;
    f->nr_cpus_avail = nr_cpus_avail;
    f->raw = f->rest =
        (struct pd_bytes){bytes ? bytes : "", n}; /* a feature that a program makes has no raw.ptr */
    f->layout = NULL;
    if (n > UINT32_MAX)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "section", n, UINT32_MAX);
    if (!layout)
        return PD_OK;
    f->layout = layout;
    enum pd_code code = decode_as(f, order, 0, error);
    if (id == PD_FEAT_BUILD_ID && code == PD_OK && lacks_pid(f) &&
        decode_as(f, order, PD_VARIANT_NO_PID, NULL))
        code = decode_as(f, order, 0, error);
    if (code) {
        f->layout = NULL;
        f->rest = f->raw;
    }
    if (code && error)
        error->section = pd_feature_name(id);
    return code;
}

bool pi_record_feature(const struct pd_record *rec, enum pd_order order, uint64_t *id, struct pd_bytes *data)
{
    const size_t begin = rec->old_feature ? PI_CARRIED_HEAD_OLD : PI_CARRIED_HEAD;
    if (rec->size < begin || (rec->type != PD_RECORD_HEADER_FEATURE && !rec->old_feature))
        return false;
    *id = rec->old_feature ? rec->type - PI_OLD_FEATURE
                           : pi_load64(rec->raw + sizeof(struct pi_record_header), order);
    *data = (struct pd_bytes){rec->raw + begin, rec->size - begin};
    return true;
}

bool pd_feature_of_record(const struct pd_record *rec, struct pd_feature *f)
{
    const struct pd_header_feature *h = &rec->u.header_feature;
    uint64_t id;
    struct pd_bytes data;
    if (!rec->plan)
        return false;
    if (rec->old_feature) {
        if (!pi_record_feature(rec, rec->plan->order, &id, &data))
            return false;
    } else {
        if (rec->type != PD_RECORD_HEADER_FEATURE || !rec->decoded || !rec->layout || h->feat_id > UINT16_MAX)
            return false;
        id = h->feat_id;
        data = h->data;
    }
    return pd_feature_decode(rec->plan->order, (uint32_t)id, rec->nr_cpus_avail, data.ptr, data.n, f, NULL) ==
               PD_OK &&
           f->layout;
}

const char *pd_feature_name(uint32_t id)
{
    const struct pd_op *layout = pi_layout_of_feature(id);
    return layout ? layout->name + strlen("feature_") : NULL;
}

bool pd_feature_parse(const char *text, uint32_t *id)
{
    char *end;
    for (size_t i = 0; i < pd_set_feature.n; i++) {
        *id = (uint32_t)pd_set_feature.names[i].value;
        if (strcasecmp(text, pd_set_feature.names[i].name) == 0)
            return true;
    }
    if (*text < '0' || *text > '9')
        return false;
    const unsigned long n = strtoul(text, &end, 0);
    *id = (uint32_t)n;
    return *end == '\0' && n < 256;
}

bool pd_bpf_prog_array(const struct pd_bpf_prog *prog, uint64_t array, struct pd_bytes *bytes, uint32_t *each)
{
    const struct pd_bpf_prog_info *i = &prog->info;
    const struct {
        uint64_t array, at;
        uint32_t n, each;
    } arrays[] = {
        {PD_BPIL_JITED_INSNS, i->jited_prog_insns, i->jited_prog_len, 1},
        {PD_BPIL_XLATED_INSNS, i->xlated_prog_insns, i->xlated_prog_len, 1},
        {PD_BPIL_MAP_IDS, i->map_ids, i->nr_map_ids, 4},
        {PD_BPIL_JITED_KSYMS, i->jited_ksyms, i->nr_jited_ksyms, 8},
        {PD_BPIL_JITED_FUNC_LENS, i->jited_func_lens, i->nr_jited_func_lens, 4},
        {PD_BPIL_FUNC_INFO, i->func_info, i->nr_func_info, i->func_info_rec_size},
        {PD_BPIL_LINE_INFO, i->line_info, i->nr_line_info, i->line_info_rec_size},
        {PD_BPIL_JITED_LINE_INFO, i->jited_line_info, i->nr_jited_line_info, i->jited_line_info_rec_size},
        {PD_BPIL_PROG_TAGS, i->prog_tags, i->nr_prog_tags, 8},
    };
    //@ loop assigns k;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        const uint64_t n = (uint64_t)arrays[k].n * arrays[k].each;
        if (arrays[k].array != array || !(prog->arrays & array))
            continue;
        if (arrays[k].at > prog->data.n || n > prog->data.n - arrays[k].at)
            return false;
        *bytes = (struct pd_bytes){prog->data.ptr + arrays[k].at, (size_t)n};
        *each = arrays[k].each;
        return true;
    }
    return false;
}

/*
 * Bytes of the numbers that an array consists of, of elements of `each` bytes; 1: it is code, tags or of an
 * odd form.
 */
static unsigned width_of(uint64_t array, uint32_t each)
{
    switch (array) {
    case PD_BPIL_MAP_IDS:
    case PD_BPIL_JITED_FUNC_LENS: return 4;
    case PD_BPIL_JITED_KSYMS: return 8;
    case PD_BPIL_JITED_LINE_INFO: return each % 8 == 0 ? 8 : 1;
    case PD_BPIL_FUNC_INFO:
    case PD_BPIL_LINE_INFO: return each % 4 == 0 ? 4 : 1;
    default: return 1;
    }
}

/* Arrays that share bytes have no definite numbers. */
static bool overlaps(const struct pd_bpf_prog *p, uint64_t array, const struct pd_bytes *b)
{
    for (size_t i = 0; i < pd_set_bpf_arrays.n; i++) {
        struct pd_bytes other;
        uint32_t each;
        const uint64_t bit = pd_set_bpf_arrays.names[i].value;
        if (bit != array && pd_bpf_prog_array(p, bit, &other, &each) && other.n &&
            other.ptr < b->ptr + b->n && b->ptr < other.ptr + other.n)
            return true;
    }
    return false;
}

void pi_bpf_swap_arrays(const struct pd_bpf_prog *p, uint8_t *data)
{
    //@ loop assigns i, data[0 .. p->data.n - 1];
    for (size_t i = 0; i < pd_set_bpf_arrays.n; i++) {
        struct pd_bytes b;
        uint32_t each;
        const uint64_t array = pd_set_bpf_arrays.names[i].value;
        if (!pd_bpf_prog_array(p, array, &b, &each) || overlaps(p, array, &b))
            continue;
        uint8_t *to = data + (b.ptr - p->data.ptr);
        const unsigned width = width_of(array, each);
        /*@ loop invariant at <= b.n;
          @ loop assigns at, to[0 .. b.n - 1];
          @ loop variant b.n - at;
          @*/
        for (size_t at = 0; width > 1 && at + width <= b.n; at += width)
            pi_store(to + at, pi_load(to + at, width, PD_LITTLE), width, PD_BIG);
    }
}

uint64_t pi_payload_said(const struct pd_record *rec, enum pd_order order)
{
    const bool aux = rec->type == PD_RECORD_AUXTRACE;
    struct pd_record copy = *rec;
    struct pd_plan plan;
    pd_plan_init(&plan, NULL, order);
    if (pd_record_decode_framed(&plan, &copy, NULL))
        return 0;
    return aux ? copy.u.auxtrace.size : copy.u.header_tracing_data.data_size;
}
