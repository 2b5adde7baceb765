/* SPDX-License-Identifier: MIT */
/*
 * difference.c - the differences between two recordings. Records are compared as they come
 * (differ_records.c); attrs, features and build ids when both are read to their ends, as a stream brings them
 * with its records.
 */
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/session/content.h"
#include "differ.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include <perfdata/session/compare.h>
#include <stdio.h>

#define PIECE ((size_t)4096)

static const struct pd_file_info *info_of(const struct pi_differ *d, int s)
{
    return pd_reader_info(d->side[s].r);
}

static void begin(struct pi_differ *d, enum pd_difference_kind kind, uint64_t number, bool in_a, bool in_b)
{
    d->now = (struct pd_difference){.kind = kind, .number = number, .there = {in_a, in_b}};
}

/* ---- The container */

static const char *name_of(enum pd_container container)
{
    return container == PD_CONTAINER_FILE ? "file" : container == PD_CONTAINER_PIPE ? "pipe" : "directory";
}

/* Whether records were compressed is known behind them. */
static void compare_compression(struct pi_differ *d)
{
    const char *const is[] = {"no", "yes"};
    begin(d, PD_DIFFERENCE_CONTAINER, 0, true, true);
    if (!(d->ignore & PD_IGNORE_CONTAINER))
        pi_differ_text(d, "compressed", is[d->side[0].compressed], is[d->side[1].compressed]);
}

static void compare_event_types(struct pi_differ *d)
{
    const size_t na = pd_reader_n_event_types(d->side[0].r), nb = pd_reader_n_event_types(d->side[1].r);
    struct pd_event_type a, b;
    struct pd_fields fa, fb;
    if (!pi_differ_number(d, "event_types", &pd_set_DEC, 8, na, nb)) /* bytes that are no whole name */
        pi_differ_number(d, "header.event_types.size", &pd_set_DEC, 8, info_of(d, 0)->header.event_types.size,
                         info_of(d, 1)->header.event_types.size);
    for (size_t i = 0; i < na && i < nb && !d->stopped; i++)
        if (pd_reader_event_type(d->side[0].r, i, &a, NULL) == PD_OK &&
            pd_reader_event_type(d->side[1].r, i, &b, NULL) == PD_OK &&
            pd_fields_of_struct(&fa, "event_type", &a) && pd_fields_of_struct(&fb, "event_type", &b))
            pi_differ_fields(d, &fa, &fb);
}

static void compare_container(struct pi_differ *d)
{
    const struct pd_file_info *a = info_of(d, 0), *b = info_of(d, 1);
    const char *const order[] = {"little", "big"};
    begin(d, PD_DIFFERENCE_CONTAINER, 0, true, true);
    pi_differ_text(d, "container", name_of(a->container), name_of(b->container));
    pi_differ_text(d, "byte_order", order[a->order == PD_BIG], order[b->order == PD_BIG]);
    pi_differ_number(d, "version", &pd_set_DEC, 4, a->version, b->version);
    if (d->content)
        return;
    pi_differ_number(d, "header.size", &pd_set_DEC, 8, a->header.size, b->header.size);
    pi_differ_number(d, "header.attr_size", &pd_set_DEC, 8, a->header.attr_size, b->header.attr_size);
    pi_differ_text(d, "unfinished", a->unfinished ? "yes" : "no", b->unfinished ? "yes" : "no");
    compare_event_types(d);
}

/* ---- Places: the sequence of parts, and the bytes between */

static bool is_gap(const struct pd_extent *e)
{
    return e->kind == PD_EXTENT_GAP;
}

/* The parts of a file, to be looked for: one has ids for each of tens of thousands of attrs. */
struct parts {
    const struct pd_extent *all; /* from the next one on */
    size_t left;
    uint64_t *keys; /* of all, sorted */
    size_t n;
};

static uint64_t key_of(const struct pd_extent *e)
{
    return (uint64_t)e->kind << 32 | e->index;
}

static int by_key(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

static bool find_parts(struct pi_differ *d, int s, struct parts *p)
{
    p->all = pd_reader_extents(d->side[s].r, &p->n);
    p->left = p->n;
    p->keys = pi_array(d->allocator, NULL, p->n, sizeof *p->keys);
    for (size_t i = 0; p->keys && i < p->n; i++)
        p->keys[i] = key_of(&p->all[i]);
    if (p->keys && p->n)
        qsort(p->keys, p->n, sizeof *p->keys, by_key);
    return p->keys != NULL;
}

/* The next one that is a part of both files. */
static const struct pd_extent *next_shared(struct parts *p, const struct parts *other)
{
    for (; p->left; p->all++, p->left--) {
        const uint64_t key = key_of(p->all);
        if (!is_gap(p->all) && other->n && bsearch(&key, other->keys, other->n, sizeof key, by_key)) {
            p->left--;
            return p->all++;
        }
    }
    return NULL;
}

static const char *extent_name(const struct pd_extent *e, char buf[48])
{
    static const char *const names[] = {"header",        "ids of attr", "attrs", "event types", "data",
                                        "feature table", "feature",     "gap",   "overlap"};
    const bool counts = e->kind == PD_EXTENT_IDS;
    const char *feature = e->kind == PD_EXTENT_FEATURE ? pd_feature_name(e->index) : NULL;
    if (counts || (e->kind == PD_EXTENT_FEATURE && !feature))
        snprintf(buf, 48, "%s %u", names[e->kind], e->index);
    else
        snprintf(buf, 48, "%s", feature ? feature : names[e->kind]);
    return buf;
}

static enum pd_code compare_sequence(struct pi_differ *d)
{
    struct parts a = {0}, b = {0};
    const struct pd_extent *ea, *eb;
    char name_a[48], name_b[48];
    const bool ok = find_parts(d, 0, &a) && find_parts(d, 1, &b);
    while (ok && (ea = next_shared(&a, &b)) && (eb = next_shared(&b, &a)))
        if (ea->kind != eb->kind || ea->index != eb->index) {
            pi_differ_text(d, "sequence", extent_name(ea, name_a), extent_name(eb, name_b));
            break;
        }
    pi_release(d->allocator, a.keys);
    pi_release(d->allocator, b.keys);
    return ok ? PD_OK
              : pi_fail(d->error, PD_ENOMEM, PD_NOWHERE, "comparison", 0, (a.n + b.n) * sizeof *a.keys);
}

static const struct pd_extent *next_gap(const struct pd_extent **all, size_t *n)
{
    for (; *n; ++*all, --*n)
        if (is_gap(*all)) {
            --*n;
            return (*all)++;
        }
    return NULL;
}

/* The bytes of two gaps of one size. */
static enum pd_code compare_gap(struct pi_differ *d, const struct pd_extent *a, const struct pd_extent *b)
{
    uint8_t pa[PIECE], pb[PIECE];
    struct pd_error what;
    for (uint64_t at = 0; at < a->size; at += PIECE) {
        const size_t n = a->size - at < PIECE ? (size_t)(a->size - at) : PIECE;
        const struct pd_bytes ba = {pa, n}, bb = {pb, n};
        if (pd_reader_read(d->side[0].r, a->offset + at, pa, n, &what))
            return pi_differ_damage(d, 0, &what);
        if (pd_reader_read(d->side[1].r, b->offset + at, pb, n, &what))
            return pi_differ_damage(d, 1, &what);
        if (pi_differ_bytes(d, "gap.bytes", &ba, &bb))
            break;
    }
    return PD_OK;
}

static enum pd_code compare_places(struct pi_differ *d)
{
    size_t na, nb;
    const struct pd_extent *a = pd_reader_extents(d->side[0].r, &na),
                           *b = pd_reader_extents(d->side[1].r, &nb), *ga, *gb;
    begin(d, PD_DIFFERENCE_CONTAINER, 0, true, true);
    enum pd_code code = compare_sequence(d);
    while (!code && !d->stopped && (na || nb)) {
        ga = next_gap(&a, &na);
        gb = next_gap(&b, &nb);
        pi_differ_number(d, "gap.size", &pd_set_DEC, 8, ga ? ga->size : 0, gb ? gb->size : 0);
        if (ga && gb && ga->size == gb->size)
            code = compare_gap(d, ga, gb);
    }
    return code;
}

/* ---- Attrs */

static void compare_ids(struct pi_differ *d, const struct pd_event_attr *a, const struct pd_event_attr *b)
{
    pi_differ_number(d, "n_ids", &pd_set_DEC, 8, a->n_ids, b->n_ids);
    for (size_t i = 0; i < a->n_ids && i < b->n_ids; i++) {
        char name[32];
        snprintf(name, sizeof name, "ids[%zu]", i);
        if (pi_differ_number(d, name, &pd_set_HEX, 8, a->ids[i], b->ids[i]))
            break;
    }
}

/*
 * The size of an attr belongs to the container: fields that it does not cover read as 0, and zeros behind the
 * known fields have no meaning.
 */
static struct pd_attr grown(const struct pd_attr *attr, uint32_t size)
{
    struct pd_attr out = *attr;
    out.size = size;
    out.tail.n = attr->size > PD_ATTR_SIZE && out.tail.n > attr->size - PD_ATTR_SIZE
                     ? attr->size - PD_ATTR_SIZE
                     : out.tail.n;
    out.tail.n = attr->size > PD_ATTR_SIZE ? out.tail.n : 0;
    while (out.tail.n && out.tail.ptr[out.tail.n - 1] == 0)
        out.tail.n--;
    return out;
}

static void compare_attr(struct pi_differ *d, const struct pd_event_attr *a, const struct pd_event_attr *b)
{
    struct pd_attr va = a->attr, vb = b->attr;
    struct pd_fields fa, fb;
    if (d->content) {
        const uint32_t size = va.size > vb.size ? va.size : vb.size;
        va = grown(&va, size);
        vb = grown(&vb, size);
    }
    pd_fields_of_attr(&fa, &va);
    pd_fields_of_attr(&fb, &vb);
    pi_differ_fields(d, &fa, &fb);
    compare_ids(d, a, b);
}

static void compare_attrs(struct pi_differ *d)
{
    const size_t na = pd_reader_n_attrs(d->side[0].r), nb = pd_reader_n_attrs(d->side[1].r);
    for (size_t i = 0; (i < na || i < nb) && !d->stopped; i++) {
        begin(d, PD_DIFFERENCE_ATTR, i, i < na, i < nb);
        if (i < na && i < nb)
            compare_attr(d, pd_reader_attr(d->side[0].r, i), pd_reader_attr(d->side[1].r, i));
        else
            pi_differ_tell(d, NULL, NULL);
    }
}

/* ---- Features */

static bool counts(const struct pi_differ *d, const struct pd_feature *f)
{
    if (f->id == PD_FEAT_BUILD_ID && f->layout)
        return false; /* one by one */
    if (d->content && f->raw.n == 0 && !pi_may_be_empty(f->id))
        return false;
    if (f->id == PD_FEAT_AUXTRACE && d->loose)
        return false; /* offsets */
    return !pi_is_of_container(f->id) || !d->content;
}

/* The next feature that counts; NULL: no more. */
static const struct pd_feature *next_feature(const struct pi_differ *d, int s, size_t *i)
{
    const struct pd_metadata *m = d->side[s].meta;
    for (; *i < pd_metadata_n_features(m); ++*i)
        if (counts(d, pd_metadata_feature_at(m, *i)))
            return pd_metadata_feature_at(m, (*i)++);
    return NULL;
}

/* Without the zeros that a stream pads tracing data with. */
static struct pd_bytes trimmed(const struct pd_feature *f)
{
    struct pd_bytes b = f->raw;
    while (f->id == PD_FEAT_TRACING_DATA && b.n && b.ptr[b.n - 1] == 0)
        b.n--;
    return b;
}

static enum pd_code hash_of(struct pi_differ *d, int s, const struct pd_feature *f, struct pd_hash *hash)
{
    const enum pd_code code = pi_canon_feature(&d->canon, f, info_of(d, s)->order, d->error);
    *hash = pi_canon_end(&d->canon);
    return code;
}

static enum pd_code compare_feature(struct pi_differ *d, const struct pd_feature *a,
                                    const struct pd_feature *b)
{
    const struct pd_bytes ba = trimmed(a), bb = trimmed(b);
    struct pd_hash ha, hb;
    struct pd_fields fa, fb;
    const uint64_t n = d->n;
    enum pd_code code;
    if (a->id == PD_FEAT_TRACING_DATA) {
        pi_differ_bytes(d, "data", &ba, &bb);
        return PD_OK;
    }
    if ((code = hash_of(d, 0, a, &ha)) || (code = hash_of(d, 1, b, &hb)))
        return code;
    const bool same = memcmp(&ha, &hb, sizeof ha) == 0;
    if (same && (d->loose || pd_feature_equal(a, b, NULL)))
        return PD_OK;
    pd_fields_of_feature(&fa, a);
    pd_fields_of_feature(&fb, b);
    pi_differ_fields(d, &fa, &fb);
    if (d->n == n)
        pi_differ_bytes(d, "bytes", &ba, &bb);
    return PD_OK;
}

static enum pd_code compare_features(struct pi_differ *d)
{
    size_t ia = 0, ib = 0;
    const struct pd_feature *a = next_feature(d, 0, &ia), *b = next_feature(d, 1, &ib);
    enum pd_code code = PD_OK;
    while ((a || b) && !code && !d->stopped) {
        const bool in_a = a && (!b || a->id <= b->id), in_b = b && (!a || b->id <= a->id);
        begin(d, PD_DIFFERENCE_FEATURE, in_a ? a->id : b->id, in_a, in_b);
        if (in_a && in_b)
            code = compare_feature(d, a, b);
        else
            pi_differ_tell(d, NULL, NULL);
        if (in_a)
            a = next_feature(d, 0, &ia);
        if (in_b)
            b = next_feature(d, 1, &ib);
    }
    return code;
}

/* ---- Build ids: sorted by file, as neither their order nor their place counts */

struct build_id {
    char *name;
    struct pd_build_id file; /* its views are those of the metadata */
    uint8_t id[20];          /* n bytes, then zeros */
    size_t n;
    size_t place;
};

struct build_ids {
    const struct pd_allocator *allocator;
    struct build_id *all;
    size_t n, cap;
    bool no_memory;
};

static void take_build_id(void *user, const struct pd_build_id *file, const uint8_t *id, size_t n)
{
    struct build_ids *ids = user;
    const struct pd_str *name = &file->filename;
    char *copy = pi_resize(ids->allocator, NULL, name->len + 1);
    if (!copy || !pi_grow(ids->allocator, (void **)&ids->all, ids->n, &ids->cap, sizeof *ids->all)) {
        pi_release(ids->allocator, copy);
        ids->no_memory = true;
        return;
    }
    memcpy(copy, name->ptr, name->len);
    copy[name->len] = '\0';
    struct build_id *b = &ids->all[ids->n];
    *b = (struct build_id){.name = copy, .file = *file, .place = ids->n++};
    b->n = n < sizeof b->id ? n : sizeof b->id;
    memcpy(b->id, id, b->n);
}

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_file(const struct build_id *a, const struct build_id *b)
{
    const int names = strcmp(a->name, b->name);
    return names ? names : by_number(a->file.pid, b->file.pid);
}

/* Those of one file: by their bytes, so that equal ones meet. */
static int by_file_and_id(const void *va, const void *vb)
{
    const struct build_id *a = va, *b = vb;
    const int files = by_file(a, b), ids = memcmp(a->id, b->id, sizeof a->id), sizes = by_number(a->n, b->n),
              forms = by_number(a->file.misc, b->file.misc);
    return files ? files : ids ? ids : sizes ? sizes : forms ? forms : by_number(a->place, b->place);
}

/* The fields of the file; the pid is there even if the recording lacks it. */
static void list_fields(struct pd_fields *it, const struct pd_build_id *file)
{
    pd_fields_of_struct(it, "build_id", file);
    it->shape.given = it->shape.misc = (uint16_t)file->misc;
}

/* Two of one file. */
static void compare_build_id(struct pi_differ *d, const struct build_id *a, const struct build_id *b)
{
    const struct pd_bytes ba = {a->id, a->n}, bb = {b->id, b->n};
    struct pd_build_id other = b->file;
    struct pd_fields fa, fb;
    pi_differ_number(d, "misc", &pd_set_misc_build_id, 2, a->file.misc, b->file.misc);
    if (pi_differ_bytes(d, "build_id", &ba, &bb))
        memcpy(other.build_id, a->file.build_id, sizeof other.build_id); /* it has been told */
    list_fields(&fa, &a->file);
    list_fields(&fb, &other);
    pi_differ_fields(d, &fa, &fb);
}

static void compare_sorted(struct pi_differ *d, const struct build_ids *a, const struct build_ids *b)
{
    for (size_t i = 0, j = 0; (i < a->n || j < b->n) && !d->stopped;) {
        const int order = i == a->n ? 1 : j == b->n ? -1 : by_file(&a->all[i], &b->all[j]);
        const struct build_id *x = order <= 0 ? &a->all[i++] : NULL, *y = order >= 0 ? &b->all[j++] : NULL;
        begin(d, PD_DIFFERENCE_BUILD_ID, 0, x, y);
        if (x || y)
            d->now.name = x ? x->name : y->name;
        if (x && y)
            compare_build_id(d, x, y);
        else
            pi_differ_tell(d, NULL, NULL);
    }
}

/* The bytes behind the last entry of each section. */
static void compare_ends(struct pi_differ *d)
{
    struct pd_bytes end[2] = {{NULL, 0}, {NULL, 0}};
    for (int s = 0; s < 2; s++) {
        const struct pd_feature *f = pd_metadata_feature(d->side[s].meta, PD_FEAT_BUILD_ID);
        if (f && f->layout)
            end[s] = f->rest;
    }
    begin(d, PD_DIFFERENCE_FEATURE, PD_FEAT_BUILD_ID, true, true);
    pi_differ_bytes(d, "rest", &end[0], &end[1]);
}

static enum pd_code compare_build_ids(struct pi_differ *d)
{
    struct build_ids ids[2] = {{.allocator = d->allocator}, {.allocator = d->allocator}};
    bool no_memory = false;
    for (int s = 0; s < 2; s++) {
        pd_metadata_each_build_id(d->side[s].meta, take_build_id, &ids[s]);
        no_memory |= ids[s].no_memory;
        if (ids[s].n)
            qsort(ids[s].all, ids[s].n, sizeof *ids[s].all, by_file_and_id);
    }
    if (!no_memory)
        compare_sorted(d, &ids[0], &ids[1]), compare_ends(d);
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < ids[s].n; i++)
            pi_release(d->allocator, ids[s].all[i].name);
        pi_release(d->allocator, ids[s].all);
    }
    return no_memory ? pi_fail(d->error, PD_ENOMEM, PD_NOWHERE, "comparison", 0, 0) : PD_OK;
}

/* ---- All together */

static enum pd_code open_side(struct pi_differ *d, int s, struct pd_reader *r)
{
    const struct pd_metadata_options o = {.size = sizeof o, .allocator = d->allocator};
    struct pi_side *side = &d->side[s];
    side->r = r;
    side->stream = pd_reader_info(r)->container == PD_CONTAINER_PIPE;
    pi_progress_expect(&d->progress, pi_record_bytes(r), 1);
    return pd_metadata_open(&side->meta, r, &o, d->error);
}

/* Features that the metadata could not read or hold are not compared, which is reported. */
static enum pd_code finish_side(struct pi_differ *d, int s)
{
    struct pi_side *side = &d->side[s];
    const enum pd_code code = pd_metadata_finish(side->meta, side->r, d->error);
    for (size_t i = 0; !code && i < pd_metadata_n_findings(side->meta); i++)
        pi_differ_finding(d, s, pd_metadata_finding(side->meta, i));
    return code;
}

static enum pd_code compare_parts(struct pi_differ *d)
{
    enum pd_code code;
    if (!(d->ignore & PD_IGNORE_CONTAINER))
        compare_container(d);
    code = pi_differ_records(d);
    for (int s = 0; !code && s < 2; s++)
        code = finish_side(d, s);
    if (code)
        return code;
    compare_compression(d);
    if (!d->loose && !(d->ignore & PD_IGNORE_OFFSET) && !d->side[0].stream)
        code = compare_places(d);
    if (code)
        return code;
    compare_attrs(d);
    code = compare_features(d);
    return code ? code : compare_build_ids(d);
}

enum pd_code pd_differences(struct pd_reader *a, struct pd_reader *b,
                            const struct pd_differences_options *given, uint64_t *n, struct pd_error *error)
{
    struct pd_differences_options options;
    struct pd_error own_error;
    *n = 0;
    enum pd_code code = PI_TAKE_OPTIONS(pd_differences_options, &options, given, error);
    if (code)
        return code;
    struct pi_differ *d = pi_resize(options.allocator, NULL, sizeof *d);
    if (d == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "comparison", 0, sizeof *d);
    memset(d, 0, sizeof *d);
    d->allocator = options.allocator;
    d->options = &options;
    d->progress = (struct pi_progress){.callback = options.progress, .user = options.user};
    d->error = error ? error : &own_error;
    d->ignore = options.ignore;
    code = open_side(d, 0, a);
    if (!code)
        code = open_side(d, 1, b);
    if (!code)
        code = pi_canon_init(&d->canon, d->allocator, d->error);
    if (!code) {
        const struct pd_file_info *ia = info_of(d, 0), *ib = info_of(d, 1);
        d->content =
            (d->ignore & PD_IGNORE_CONTAINER) || ia->container != ib->container || ia->order != ib->order;
        d->loose = d->content || (d->ignore & PD_IGNORE_OFFSET);
        code = compare_parts(d);
    }
    *n = d->n;
    pi_canon_free(&d->canon);
    pd_metadata_close(d->side[0].meta);
    pd_metadata_close(d->side[1].meta);
    pi_release(options.allocator, d);
    return code;
}
