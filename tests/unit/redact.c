/* SPDX-License-Identifier: MIT */
/*
 * redact.c - every field that holds names or bytes says what it tells; of random recordings, of every type of record and
 * feature, nothing of such a field comes through a redaction; what is replaced is replaced one to one.
 */
#define _GNU_SOURCE
#include "cmocka_all.h"
#include "identity.h"
#include "seeded.h"
#include <perfdata/perfdata.h>
#include <stdio.h>
#include <string.h>

/* ---- Completeness */

static void every_field_says_what_it_tells(void **state)
{
    struct pd_identities ids;
    size_t fields = 0;
    (void)state;
    assert_true(pd_identities_open(&ids, NULL));
    for (size_t i = 0; i < pd_n_layouts; i++) {
        const struct pd_op *head = pd_layouts[i]();
        const uint8_t *kinds = pd_identities_of(&ids, head)->kinds;
        for (size_t k = 1; head[k].kind != PD_OP_END; k++) {
            switch (head[k].kind) {
            case PD_OP_ARR:
            case PD_OP_STR:
            case PD_OP_CSTR:
            case PD_OP_STR64:
            case PD_OP_STRN:
            case PD_OP_STRMAX:
            case PD_OP_SLOT:
            case PD_OP_BYTES:
            case PD_OP_REST:
            case PD_OP_VEC16:
            case PD_OP_VEC32:
            case PD_OP_VEC64:
            case PD_OP_VECR64:
            case PD_OP_REGS:
            case PD_OP_VARINT: break;
            default: continue;
            }
            fields++;
            if (kinds[k] == PD_ID_UNSAID)
                fail_msg("%s.%s has no line in identity.def", head->name, head[k].name);
        }
    }
    pd_identities_close(&ids);
    assert_true(fields > 90);
}

/* ---- Recordings in memory */

struct buffer {
    uint8_t *p;
    size_t n, cap;
};

static int put(void *user, const void *bytes, size_t n)
{
    struct buffer *b = user;
    if (b->cap - b->n < n) {
        b->cap = 2 * b->cap + n;
        b->p = realloc(b->p, b->cap);
    }
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

static int patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    memcpy(((struct buffer *)user)->p + offset, bytes, n);
    return 0;
}

static void make(struct buffer *out, uint64_t seed, enum pd_container container, enum pd_order order)
{
    const struct pd_sink sink = {put, patch, out};
    static struct pd_gen_weight weights[128];
    size_t n = 0;
    for (uint32_t type = 1; type < 90; type++)
        if (pd_layout_of(type) && type != PD_RECORD_COMPRESSED && type != PD_RECORD_COMPRESSED2)
            weights[n++] = (struct pd_gen_weight){type, 1};
    for (uint32_t type = 32769; type < 32790; type++)
        if (pd_layout_of(type))
            weights[n++] = (struct pd_gen_weight){type, 1};
    const struct pd_gen_options options = {.size = sizeof options, .seed = seed, .count = 400, .container = container,
                                           .order = order, .weights = weights, .n_weights = n, .any = true,
                                           .features = PD_GEN_FEATURES_ALL};
    struct pd_gen *gen;
    struct pd_error error;
    assert_int_equal(pd_gen_open(&gen, &sink, &options, &error), PD_OK);
    assert_int_equal(pd_gen_run(gen, &error), PD_OK);
    pd_gen_close(gen);
}

static void redact(const struct buffer *in, struct buffer *out, struct pd_redaction *redaction)
{
    const struct pd_sink sink = {put, patch, out};
    const struct pd_convert_options options = {.size = sizeof options, .redaction = redaction};
    struct pd_reader *r;
    struct pd_error error;
    char text[256] = "";
    assert_int_equal(pd_reader_open_memory(&r, in->p, in->n, NULL, &error), PD_OK);
    if (pd_convert(r, &sink, &options, NULL, &error))
        pd_error_text(&error, text, sizeof text);
    assert_string_equal(text, "");
    pd_reader_close(r);
}

/* ---- Leaks */

struct leaks {
    const struct buffer *out;
    struct pd_identities ids;
    uint64_t seed;
    size_t looked;
};

/* Bytes that come up by themselves prove nothing. */
static bool is_telling(const uint8_t *p, size_t n)
{
    size_t distinct = 0;
    bool seen[256] = {false};
    for (size_t i = 0; i < n; i++) {
        distinct += !seen[p[i]];
        seen[p[i]] = true;
    }
    return distinct >= 6;
}

static void must_be_gone(struct leaks *l, const struct pd_field *f, const char *what, const void *p, size_t n)
{
    if (n < 6 || !is_telling(p, n))
        return;
    l->looked++;
    if (memmem(l->out->p, l->out->n, p, n))
        fail_msg("seed %llu: %s of %s (\"%.*s\") is in the output", (unsigned long long)l->seed, what, f->name, (int)n,
                 (const char *)p);
}

static unsigned kind_of(const struct leaks *l, const struct pd_op *op)
{
    for (size_t i = 0; i < pd_n_layouts; i++) {
        const struct pd_op *head = pd_layouts[i]();
        for (size_t k = 1; head[k].kind != PD_OP_END; k++)
            if (&head[k] == op)
                return pd_identities_of(&l->ids, head)->kinds[k];
    }
    return PD_ID_OPAQUE; /* `rest` */
}

static void look(struct leaks *l, struct pd_fields *it)
{
    struct pd_field f;
    while (pd_fields_next(it, &f)) {
        const unsigned kind = kind_of(l, f.op);
        struct pd_fields part;
        switch (f.kind) {
        case PD_FIELD_STRING:
            if (kind != PD_ID_NONE)
                must_be_gone(l, &f, "the text", f.u.str->ptr, f.u.str->len);
            if (f.u.str->size != PD_AUTO && f.u.str->size > f.u.str->len)
                must_be_gone(l, &f, "the padding", f.u.str->ptr + f.u.str->len, f.u.str->size - f.u.str->len);
            break;
        case PD_FIELD_BYTES:
            if (kind != PD_ID_NONE)
                must_be_gone(l, &f, "bytes", f.u.bytes->ptr, f.u.bytes->n);
            break;
        case PD_FIELD_ARRAY:
            if (kind != PD_ID_NONE)
                must_be_gone(l, &f, "bytes", f.u.array, f.n);
            break;
        case PD_FIELD_PART:
            pd_fields_enter(&part, it, &f);
            look(l, &part);
            break;
        case PD_FIELD_LIST:
            for (size_t i = 0; i < f.n && pd_fields_element(&part, it, &f, i); i++)
                look(l, &part);
            break;
        default: break;
        }
    }
}

static void look_at_all(struct leaks *l, const struct buffer *in)
{
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_record rec = {0};
    struct pd_fields it;
    struct pd_feature f;
    struct pd_error error;
    assert_int_equal(pd_reader_open_memory(&r, in->p, in->n, NULL, &error), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, &error), PD_OK);
    for (size_t i = 0; i < pd_metadata_n_features(m); i++) {
        pd_fields_of_feature(&it, pd_metadata_feature_at(m, i));
        look(l, &it);
    }
    assert_int_equal(pd_reader_rewind(r, &error), PD_OK);
    while (pd_reader_next(r, &rec, &error) == PD_OK) {
        if (pd_reader_decode(r, &rec, &error))
            continue;
        if (pd_feature_of_record(&rec, &f)) {
            pd_fields_of_feature(&it, &f);
            look(l, &it);
            continue;
        }
        pd_fields_of_record(&it, &rec);
        look(l, &it);
    }
    pd_metadata_close(m);
    pd_reader_close(r);
}

static void no_leaks(enum pd_redact_how how, const char *key, enum pd_container container)
{
    struct pd_redact_options o = {.size = sizeof o, .pids = how, .addrs = how, .times = how, .drop_unknown = true,
                                  .hostname = how, .cmdline = how, .paths = how, .comms = how, .build_ids = how,
                                  .payloads = how, .events = how, .machine = how, .key = key, .key_n = key ? strlen(key) : 0};
    struct leaks l = {0};
    assert_true(pd_identities_open(&l.ids, NULL));
    for (uint64_t i = 0; i < random_iterations(12); i++) {
        struct buffer in = {0}, out = {0};
        struct pd_redaction *redaction;
        l.seed = random_seed() + i;
        l.out = &out;
        assert_int_equal(pd_redaction_open(&redaction, &o, NULL), PD_OK);
        make(&in, l.seed, container, i % 2 ? PD_BIG : PD_LITTLE);
        redact(&in, &out, redaction);
        look_at_all(&l, &in);
        pd_redaction_close(redaction);
        free(in.p);
        free(out.p);
    }
    pd_identities_close(&l.ids);
    assert_true(l.looked > 500);
}

static void nothing_leaks_when_dropped(void **state)
{
    (void)state;
    no_leaks(PD_REDACT_DROP, NULL, PD_CONTAINER_FILE);
}

static void nothing_leaks_when_numbered(void **state)
{
    (void)state;
    no_leaks(PD_REDACT_HASH, NULL, PD_CONTAINER_FILE);
    no_leaks(PD_REDACT_HASH, NULL, PD_CONTAINER_PIPE);
}

static void nothing_leaks_with_a_key(void **state)
{
    (void)state;
    no_leaks(PD_REDACT_HASH, "sixteen bytes at least", PD_CONTAINER_PIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_says_what_it_tells),
        cmocka_unit_test(nothing_leaks_when_dropped),
        cmocka_unit_test(nothing_leaks_when_numbered),
        cmocka_unit_test(nothing_leaks_with_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
