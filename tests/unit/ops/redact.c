/* SPDX-License-Identifier: MIT */
/*
 * redact.c - every field has a kind; in random recordings, of every type of record and
 * feature, nothing of such a field remains after a redaction; replacements are one-to-one.
 */
#define _GNU_SOURCE
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "heap.h"
#include "ops/edit/identity.h"
#include "seeded.h"
#include "src/schema/schema.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/redact.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/fields.h>
#include <perfdata/session/metadata.h>
#include <stdio.h>
#include <string.h>

/* ---- Completeness */

/* Without a default, so that the compiler reports a new kind of line. */
static bool needs_line(const struct pd_op *op)
{
    switch ((enum pi_op_kind)op->kind) {
    case PI_OP_ARR:
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT:
    case PI_OP_BYTES:
    case PI_OP_REST:
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS:
    case PI_OP_VARINT:
    case PI_OP_U8:
    case PI_OP_U16:
    case PI_OP_U32:
    case PI_OP_U64:
    case PI_OP_S32:
    case PI_OP_OPT64: return true;
    case PI_OP_B32: /* bits with names */
    case PI_OP_B64: return false;
    case PI_OP_SUB: /* the part's own lines count */
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE:
    case PI_OP_SIZED:
    case PI_OP_ATTR: return false;
    case PI_OP_HEAD: /* not in the stream, or derived from it */
    case PI_OP_GIVEN:
    case PI_OP_ROOM:
    case PI_OP_ROOMN:
    case PI_OP_ODD64:
    case PI_OP_TEXT:
    case PI_OP_SINCE:
    case PI_OP_UNITS:
    case PI_OP_LOW:
    case PI_OP_LESS:
    case PI_OP_OTHER:
    case PI_OP_ONES:
    case PI_OP_PASS:
    case PI_OP_LITTLE:
    case PI_OP_ORDER:
    case PI_OP_ALIAS:
    case PI_OP_WHEN:
    case PI_OP_UNLESS:
    case PI_OP_IS:
    case PI_OP_FROM:
    case PI_OP_HAS:
    case PI_OP_LACKS:
    case PI_OP_DONE:
    case PI_OP_END: return false;
    }
    fail_msg("%s is of no kind", op->name);
    return false;
}

static void every_field_says_what_it_tells(void **state)
{
    struct pi_identities ids;
    size_t fields = 0, missing = 0;
    (void)state;
    assert_true(pi_identities_open(&ids, NULL));
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        const uint8_t *kinds = pi_identities_of(&ids, head)->kinds;
        for (size_t k = 1; head[k].kind != PI_OP_END; k++) {
            if (!needs_line(&head[k]))
                continue;
            fields++;
            if (kinds[k] != PI_ID_UNSAID)
                continue;
            missing++;
            print_error("%s.%s has no line in identity.def\n", head->name, head[k].name);
        }
    }
    pi_identities_close(&ids);
    assert_int_equal(missing, 0);
    assert_true(fields > 550);
}

/*
 * Fields that may stay, since they identify nobody. A field with a line in identity.def
 * (every_field_says_what_it_tells) that is not here must go, for any kind.
 */
static const struct {
    const char *layout, *fields;
} harmless[] = {
    /* numbers of events, masks and counts */
    {"event_type", "event_id"},
    {"attr", "config bp_len sample_regs_user sample_regs_intr config3 config4"},
    {"read_values", "time_enabled time_running"},
    {"tracepoint_common", "common_flags"},
    {"branch_stack", "hw_idx counters"},
    {"aux_output_hw_id", "hw_id"},
    {"bpf_event", "flags"},
    {"stat", "cpu thread ena run"},
    {"stat_round", "time"}, /* how long the run took until then */
    {"header_attr", "ids"},
    {"header_event_type", "event_id"},
    {"event_desc", "ids"},
    {"schedstat_cpu", "rq_cpu_time run_delay"},
    {"bpf_prog_info", "run_time_ns"},
    {"feature_clockid", "resolution"},
    /* sizes, and places in the recording or in a program */
    {"aux", "aux_offset aux_size"},
    {"auxtrace", "offset cpu"},
    {"simpleperf_dso", "min_vaddr"},
    {"simpleperf_symbol", "len"},
    {"simpleperf_unwinding_result", "used_time reg_mask"},
    {"simpleperf_file_symbol", "len"},
    {"simpleperf_file", "dex_offsets file_offset_of_min_vaddr memory_offset_of_min_vaddr"},
    {"feature_mem_topology", "block_size_bytes"},
    /* cpus, their clocks and set-up */
    {"id_index_entry", "cpu"},
    {"intel_pt_info",
     "time_shift time_mult cap_user_time_zero tsc_bit noretcomp_bit mtc_bit mtc_freq_bits cyc_bit"},
    {"intel_bts_info", "time_shift time_mult cap_user_time_zero"},
    {"cs_etm_old_cpu",
     "etmcr etmtraceidr etmccer etmidr trcconfigr trctraceidr trcidr0 trcidr1 trcidr2 trcidr8 trcauthstatus"},
    {"cpu_map_cpus", "cpu"},
    {"cpu_map_mask", "mask32 mask64"},
    {"auxtrace_error", "cpu vcpu"},
    {"time_conv", "time_shift time_mult time_mask cap_user_time_zero cap_user_time_short"},
    {"cpu_topology_cpu", "core_id socket_id"},
    {"memory_node", "bitmap"},
    {"feature_cpu_topology", "die_ids"},
    {"feature_e_machine", "e_flags"},
    /* values of the format itself */
    {"file_header", "magic adds_features"},
    {"feature_tracing_data", "magic name header_page_name header_event_name"},
    {"varint", "value"},
    /* protobuf: keys, sizes, and numbers of other messages */
    {"simpleperf_unwind_file_field", "key size data_size"},
    {"simpleperf_unwind_field", "key data_size"},
    {"simpleperf_symbol_field", "key len data_size"},
    {"simpleperf_dex_field", "key dex_file_offset data_size"},
    {"simpleperf_elf_field", "key file_offset_of_min_vaddr data_size"},
    {"simpleperf_module_field", "key memory_offset_of_min_vaddr data_size"},
    {"simpleperf_file_field", "key type data_size"},
    {"simpleperf_etm_branch_field", "key branch_bytes branch_size count data_size"},
    {"simpleperf_etm_address_field", "key data_size"},
    {"simpleperf_kernel_info_field", "key data_size"},
    {"offcpu", "period"},
    {"simpleperf_etm_binary_field", "key type data_size"},
    {"simpleperf_lbr_branch_field", "key from_binary_id to_binary_id data_size"},
    {"simpleperf_lbr_sample_field", "key binary_id data_size"},
    {"simpleperf_lbr_binary_field", "key data_size"},
    {"simpleperf_lbr_field", "key data_size"},
    {"simpleperf_branch_list_field", "key data_size"},
};

static bool is_harmless(const char *layout, const char *field)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        for (const char *p = harmless[i].fields; strcmp(layout, harmless[i].layout) == 0 && *p;
             p += strspn(p, " ")) {
            const size_t n = strcspn(p, " ");
            if (strlen(field) == n && memcmp(p, field, n) == 0)
                return true;
            p += n;
        }
    return false;
}

static void only_what_is_harmless_stays(void **state)
{
    struct pi_identities ids;
    size_t wrong = 0;
    (void)state;
    assert_true(pi_identities_open(&ids, NULL));
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        const uint8_t *kinds = pi_identities_of(&ids, head)->kinds;
        for (size_t k = 1; head[k].kind != PI_OP_END; k++) {
            if (head[k].kind >= PI_OP_ALIAS || kinds[k] <= PI_ID_NUMBER ||
                (kinds[k] == PI_ID_NONE) == is_harmless(head->name, head[k].name))
                continue;
            wrong++;
            print_error("%s.%s %s\n", head->name, head[k].name,
                        kinds[k] == PI_ID_NONE ? "stays" : "is changed");
        }
    }
    pi_identities_close(&ids);
    assert_int_equal(wrong, 0);
}

/* Fields that must go although neither their name nor their form says so. */
static const struct {
    const char *layout, *field;
    enum pi_identity kind;
} besides[] = {
    {"mmap2", "maj", PI_ID_INODE},
    {"mmap2", "min", PI_ID_INODE},
    {"cgroup", "id", PI_ID_INODE},
    {"cpu_map_range", "pad", PI_ID_ZERO},
    {"feature_cmdline", "args", PI_ID_CMDLINE},
    {"feature_cpu_topology", "sockets", PI_ID_CPUS},
    {"feature_cpu_topology", "cores", PI_ID_CPUS},
    {"feature_cpu_topology", "dies", PI_ID_CPUS},
};

static const struct pd_op *find_layout(const char *name)
{
    for (size_t i = 0; i < pi_n_layouts; i++)
        if (strcmp(pi_layouts[i]()->name, name) == 0)
            return pi_layouts[i]();
    fail_msg("there is no %s", name);
    return NULL;
}

static void others_must_go_too(void **state)
{
    struct pi_identities ids;
    (void)state;
    assert_true(pi_identities_open(&ids, NULL));
    for (size_t i = 0; i < sizeof besides / sizeof *besides; i++) {
        const struct pd_op *head = find_layout(besides[i].layout);
        size_t k = 1;
        while (head[k].kind != PI_OP_END && (!head[k].name || strcmp(head[k].name, besides[i].field) != 0))
            k++;
        if (pi_identities_of(&ids, head)->kinds[k] != besides[i].kind)
            fail_msg("%s.%s", besides[i].layout, besides[i].field);
    }
    pi_identities_close(&ids);
}

/* Records and features that go as a whole. */
static const struct {
    const char *layout;
    enum pi_identity kind;
} whole[] = {
    {"comm", PI_ID_COMM},
    {"aux", PI_ID_AUX},
    {"itrace_start", PI_ID_AUX},
    {"aux_output_hw_id", PI_ID_AUX},
    {"auxtrace", PI_ID_AUX},
    {"auxtrace_info", PI_ID_AUX},
    {"auxtrace_error", PI_ID_AUX},
    {"feature_auxtrace", PI_ID_AUX},
    {"callchain_deferred", PI_ID_CHAIN},
    {"simpleperf_callchain", PI_ID_CHAIN},
    {"header_build_id", PI_ID_BUILD_ID},
    {"feature_build_id", PI_ID_BUILD_ID},
    {"feature_hostname", PI_ID_HOST},
    {"feature_cmdline", PI_ID_CMDLINE},
    {"feature_branch_stack", PI_ID_BRANCHES},
    {"header_tracing_data", PI_ID_PAYLOAD},
    {"feature_tracing_data", PI_ID_PAYLOAD},
    {"feature_bpf_prog_info", PI_ID_PAYLOAD},
    {"feature_bpf_btf", PI_ID_PAYLOAD},
    {"feature_simpleperf_etm_branch_list", PI_ID_PAYLOAD},
};

static enum pi_identity whole_kind(const char *layout)
{
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(layout, whole[i].layout) == 0)
            return whole[i].kind;
    return PI_ID_UNSAID;
}

/* Unused bytes, which may have any content. */
static bool is_reserved(const struct pd_op *op)
{
    return op->name && (strncmp(op->name, "reserved", 8) == 0 || strcmp(op->name, "res") == 0);
}

static void some_go_as_a_whole_and_what_is_reserved_becomes_zeros(void **state)
{
    struct pi_identities ids;
    size_t reserved = 0;
    (void)state;
    assert_true(pi_identities_open(&ids, NULL));
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        const uint8_t *kinds = pi_identities_of(&ids, head)->kinds;
        if (kinds[0] != whole_kind(head->name))
            fail_msg("%s as a whole is of kind %d", head->name, kinds[0]);
        for (size_t k = 1; head[k].kind != PI_OP_END; k++) {
            if (!is_reserved(&head[k]))
                continue;
            reserved++;
            if (kinds[k] != PI_ID_ZERO)
                fail_msg("%s.%s is of kind %d", head->name, head[k].name, kinds[k]);
        }
    }
    pi_identities_close(&ids);
    assert_true(reserved >= 10);
}

/* ---- Recordings in memory */

static void make(struct image *out, uint64_t seed, enum pd_container container, enum pd_order order)
{
    const struct pd_sink sink = image_sink(out);
    static struct pd_gen_weight weights[128];
    size_t n = 0;
    for (uint32_t type = 1; type < 90; type++)
        if (pi_layout_of(type) && type != PD_RECORD_COMPRESSED && type != PD_RECORD_COMPRESSED2)
            weights[n++] = (struct pd_gen_weight){type, 1};
    for (uint32_t type = 32769; type < 32790; type++)
        if (pi_layout_of(type))
            weights[n++] = (struct pd_gen_weight){type, 1};
    const struct pd_gen_options options = {.size = sizeof options,
                                           .seed = seed,
                                           .count = 400,
                                           .container = container,
                                           .order = order,
                                           .weights = weights,
                                           .n_weights = n,
                                           .any = true,
                                           .features = PD_GEN_FEATURES_ALL};
    struct pd_gen *gen;
    struct pd_error error;
    assert_int_equal(pd_gen_open(&gen, &sink, &options, &error), PD_OK);
    assert_int_equal(pd_gen_run(gen, &error), PD_OK);
    pd_gen_close(gen);
}

static void redact_within(const struct image *in, struct image *out, struct pd_redaction *redaction,
                          const struct pd_allocator *allocator)
{
    const struct pd_sink sink = image_sink(out);
    const struct pd_convert_options options = {
        .size = sizeof options, .allocator = allocator, .redaction = redaction};
    struct pd_reader *r;
    struct pd_error error;
    char text[256] = "";
    assert_int_equal(pd_reader_open_memory(&r, in->b, in->n, NULL, &error), PD_OK);
    if (pd_convert(r, &sink, &options, NULL, &error))
        pd_error_text(&error, text, sizeof text);
    assert_string_equal(text, "");
    pd_reader_close(r);
}

static void redact(const struct image *in, struct image *out, struct pd_redaction *redaction)
{
    redact_within(in, out, redaction, NULL);
}

/* Behind the first sample are others of so much raw data that two fill the memory for what has changed. */
static void raw_data_becomes_zeros(void **state)
{
    (void)state;
    enum { RAW = 60004 };
    static const struct pd_redact_options o = {
        .size = sizeof o, .addrs = PD_REDACT_KEEP, .payloads = PD_REDACT_HASH};
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    struct image in, out = {0};
    struct pd_redaction *redaction;
    struct pd_record rec = {0};
    struct pd_reader *r;
    const uint16_t one = 1;
    size_t n = 0;
    image_start(&in, *(const uint8_t *)&one == 0, 104, 128 + 16); /* of this machine's byte order */
    image_section(&in, IMAGE_ATTRS, in.n, 128 + 16);
    image_attr(&in, 128, 128, ST_IP | ST_TID | ST_TIME | ST_RAW, false);
    image_ids(&in, 0, 0);
    const size_t data = in.n;
    for (uint64_t i = 0; i < 4; i++) {
        const size_t at = image_record(&in, PD_RECORD_SAMPLE, 2);
        image_u64(&in, 0x400000 + i);
        image_zeros(&in, 8); /* task 0 */
        image_u64(&in, 1 + i);
        image_u32(&in, RAW);
        image_pattern(&in, RAW);
        image_end(&in, at);
    }
    image_section(&in, IMAGE_DATA, data, in.n - data);
    assert_int_equal(pd_redaction_open(&redaction, &o, NULL), PD_OK);
    redact_within(&in, &out, redaction, &allocator);
    pd_redaction_close(redaction);
    assert_int_equal(heap.blocks, 0);
    assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, NULL), PD_OK);
    while (pd_reader_next_decoded(r, &rec, NULL) == PD_OK) {
        assert_int_equal(rec.u.sample.ip, 0x400000 + n++);
        assert_int_equal(rec.u.sample.raw.data.n, RAW);
        for (size_t i = 0; i < RAW; i++)
            assert_int_equal(rec.u.sample.raw.data.ptr[i], 0);
    }
    assert_int_equal(n, 4);
    pd_reader_close(r);
    image_free(&in);
    image_free(&out);
}

/* ---- Leaks */

struct leaks {
    const struct image *out;
    struct pi_identities ids;
    uint64_t seed;
    size_t looked;
};

/* Bytes that may occur by chance prove nothing, nor do names that every kernel has. */
static bool is_telling(const uint8_t *p, size_t n)
{
    static const char kernel[] = "[kernel.kallsyms]";
    size_t distinct = 0;
    bool seen[256] = {false};
    if (n == sizeof kernel - 1 && memcmp(p, kernel, n) == 0)
        return false;
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
    if (memmem(l->out->b, l->out->n, p, n))
        fail_msg("seed %llu: %s of %s (\"%.*s\") is in the output", (unsigned long long)l->seed, what,
                 f->name, (int)n, (const char *)p);
}

static unsigned kind_of(const struct leaks *l, const struct pd_op *op)
{
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        for (size_t k = 1; head[k].kind != PI_OP_END; k++)
            if (&head[k] == op)
                return pi_identities_of(&l->ids, head)->kinds[k];
    }
    return PI_ID_OPAQUE; /* `rest` */
}

static void search_fields(struct leaks *l, struct pd_fields *it)
{
    struct pd_field f;
    while (pd_fields_next(it, &f)) {
        const unsigned kind = kind_of(l, f.op);
        struct pd_fields part;
        switch (f.kind) {
        case PD_FIELD_STRING:
            if (kind != PI_ID_NONE)
                must_be_gone(l, &f, "the text", f.u.str->ptr, f.u.str->len);
            if (f.u.str->size != PD_AUTO && f.u.str->size > f.u.str->len)
                must_be_gone(l, &f, "the padding", f.u.str->ptr + f.u.str->len, f.u.str->size - f.u.str->len);
            break;
        case PD_FIELD_BYTES:
            if (kind != PI_ID_NONE)
                must_be_gone(l, &f, "bytes", f.u.bytes->ptr, f.u.bytes->n);
            break;
        case PD_FIELD_ARRAY:
            if (kind != PI_ID_NONE)
                must_be_gone(l, &f, "bytes", f.u.array, f.n);
            break;
        case PD_FIELD_PART:
            pd_fields_enter(&part, it, &f);
            search_fields(l, &part);
            break;
        case PD_FIELD_LIST:
            for (size_t i = 0; i < f.n && pd_fields_element(&part, it, &f, i); i++)
                search_fields(l, &part);
            break;
        default: break;
        }
    }
}

static void look_at_all(struct leaks *l, const struct image *in)
{
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_record rec = {0};
    struct pd_fields it;
    struct pd_feature f;
    struct pd_error error;
    assert_int_equal(pd_reader_open_memory(&r, in->b, in->n, NULL, &error), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, &error), PD_OK);
    for (size_t i = 0; i < pd_metadata_n_features(m); i++) {
        pd_fields_of_feature(&it, pd_metadata_feature_at(m, i));
        search_fields(l, &it);
    }
    assert_int_equal(pd_reader_rewind(r, &error), PD_OK);
    while (pd_reader_next(r, &rec, &error) == PD_OK) {
        if (pd_reader_decode(r, &rec, &error))
            continue;
        if (pd_feature_of_record(&rec, &f)) {
            pd_fields_of_feature(&it, &f);
            search_fields(l, &it);
            continue;
        }
        pd_fields_of_record(&it, &rec);
        search_fields(l, &it);
    }
    pd_metadata_close(m);
    pd_reader_close(r);
}

static void no_leaks(enum pd_redact_how how, const char *key, enum pd_container container)
{
    struct pd_redact_options o = {.size = sizeof o,
                                  .pids = how,
                                  .addrs = how,
                                  .times = how,
                                  .drop_unknown = true,
                                  .hostname = how,
                                  .cmdline = how,
                                  .paths = how,
                                  .comms = how,
                                  .build_ids = how,
                                  .payloads = how,
                                  .events = how,
                                  .machine = how,
                                  .key = key,
                                  .key_n = key ? strlen(key) : 0};
    struct leaks l = {0};
    assert_true(pi_identities_open(&l.ids, NULL));
    for (uint64_t i = 0; i < random_iterations(12); i++) {
        struct image in = {0}, out = {0};
        struct pd_redaction *redaction;
        l.seed = random_seed() + i;
        l.out = &out;
        assert_int_equal(pd_redaction_open(&redaction, &o, NULL), PD_OK);
        make(&in, l.seed, container, i % 2 ? PD_BIG : PD_LITTLE);
        redact(&in, &out, redaction);
        look_at_all(&l, &in);
        pd_redaction_close(redaction);
        image_free(&in);
        image_free(&out);
    }
    pi_identities_close(&l.ids);
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

/* ---- One to one */

struct seen {
    char (*text)[24];
    size_t n;
};

static void note(void *user, const struct pd_redacted *what)
{
    struct seen *s = user;
    if (strcmp(what->kind, "pid") == 0 && s->n < 20000)
        snprintf(s->text[s->n++], sizeof *s->text, "%s", what->replacement);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Pids of all sizes: with a key, those below 2^31 stay below, so that perf takes none for -1. */
static void pids_are_replaced_one_to_one(void **state)
{
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE, .size = PD_ATTR_SIZE_VER7};
    struct pd_redact_options o = {.size = sizeof o, .pids = PD_REDACT_HASH, .key_n = 16};
    struct image in = {0}, out = {0};
    struct seen seen = {.text = calloc(40000, sizeof *seen.text)};
    struct pd_redaction *redaction;
    struct pd_writer *w;
    const struct pd_sink sink = image_sink(&in);
    (void)state;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (uint32_t k = 0; k < 40000; k++) { /* each of 20,000 again when the table has grown */
        const uint32_t i = k % 20000;
        const uint32_t pid = i < 10000   ? i
                             : i < 15000 ? i * UINT32_C(100000) % INT32_MAX
                                         : UINT32_MAX - (i - 15000);
        const struct pd_record rec = {.type = PD_RECORD_ITRACE_START,
                                      .u.itrace_start = {.pid = pid, .tid = pid}};
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    for (int keyed = 0; keyed < 2; keyed++) {
        o.key = keyed ? "sixteen bytes at least" : NULL;
        seen.n = 0;
        out.n = 0;
        assert_int_equal(pd_redaction_open(&redaction, &o, NULL), PD_OK);
        redact(&in, &out, redaction);
        pd_redaction_map(redaction, note, &seen);
        pd_redaction_close(redaction);
        assert_int_equal(seen.n, 19998); /* 0 and -1 stay */
        qsort(seen.text, seen.n, sizeof *seen.text, by_text);
        for (size_t i = 0; i < seen.n; i++) {
            assert_string_not_equal(seen.text[i], "0");
            assert_string_not_equal(seen.text[i], "4294967295");
            if (i)
                assert_string_not_equal(seen.text[i], seen.text[i - 1]);
        }
    }
    free(seen.text);
    image_free(&in);
    image_free(&out);
}

/* ---- The proof */

struct found {
    size_t n, strings; /* bits */
    uint32_t type;     /* of the last record */
    const char *section;
    uint64_t offset;
};

static void on_leak(void *user, const struct pd_leak *leak)
{
    struct found *f = user;
    f->n++;
    f->strings |= (size_t)1 << leak->string;
    f->type = leak->rec ? leak->rec->type : 0;
    f->section = leak->section;
    f->offset = leak->offset;
}

/*
 * A string in a record, behind one, across two pieces of what is behind one, in a section, across two pieces
 * of a section and in its last one; none.
 */
static void strings_are_found_wherever_they_are(void **state)
{
    (void)state;
    enum { BEHIND = 200000 };
    struct image im;
    struct pd_reader *r;
    struct pd_error e;
    image_start(&im, false, 104, 128 + 16);
    image_section(&im, IMAGE_ATTRS, im.n, 128 + 16);
    image_attr(&im, 128, 128, IMAGE_ST0, true);
    image_ids(&im, 0, 0);
    const size_t data = im.n;
    image_comm(&im, "in-it\0\0", 0, true, 0);
    image_auxtrace(&im, BEHIND);
    const size_t behind = im.n - BEHIND;
    memset(im.b + behind, 'x', BEHIND);
    memcpy(im.b + behind + 65536 - 3, "across", 6); /* the pieces of a proof have 65,536 bytes */
    memcpy(im.b + behind + BEHIND - 4, "tail", 4);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    image_feature(&im, 3, 8);
    image_feature(&im, 200, 8);
    image_zeros(&im, 32);
    image_feature_string(&im, im.n - 32, "the-host", 64);
    const size_t section = im.n, table = section - 68 - 32;
    image_zeros(&im, BEHIND);
    memcpy(im.b + section + 65536 - 3, "middle", 6);
    memcpy(im.b + section + BEHIND - 4, "last", 4);
    image_section(&im, table + 16, section, BEHIND);
    static const struct {
        const char *text;
        uint32_t type;
        const char *section;
    } cases[] = {{"in-it", PD_RECORD_COMM, NULL},
                 {"across", PD_RECORD_AUXTRACE, NULL},
                 {"xtail", PD_RECORD_AUXTRACE, NULL},
                 {"the-host", 0, "hostname"},
                 {"middle", 0, "feature"},
                 {"last", 0, "feature"},
                 {"PERFILE2", 0, "header"},
                 {"nowhere", 0, NULL}};
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* The first of them is nowhere, so that the second is meant by its number. */
        const struct pd_bytes strings[] = {{(const uint8_t *)"tail-of", 7},
                                           {(const uint8_t *)cases[i].text, strlen(cases[i].text)}};
        struct found f = {0};
        assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
        assert_int_equal(pd_redact_prove(r, strings, 2, on_leak, &f, &e), PD_OK);
        const bool there = cases[i].type || cases[i].section;
        assert_int_equal(f.n, there);
        assert_int_equal(f.strings, there ? 2 : 0);
        assert_int_equal(f.type, cases[i].type);
        if (cases[i].section) {
            assert_string_equal(f.section, cases[i].section);
            assert_memory_equal(im.b + f.offset, cases[i].text, strlen(cases[i].text));
        }
    }
    const struct pd_bytes empty = {(const uint8_t *)"", 0};
    assert_int_equal(pd_redact_prove(r, &empty, 1, on_leak, NULL, &e), PD_EARG);
    assert_string_equal(e.field, "empty string");
    pd_reader_close(r);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pids_are_replaced_one_to_one),
        cmocka_unit_test(every_field_says_what_it_tells),
        cmocka_unit_test(only_what_is_harmless_stays),
        cmocka_unit_test(others_must_go_too),
        cmocka_unit_test(some_go_as_a_whole_and_what_is_reserved_becomes_zeros),
        cmocka_unit_test(raw_data_becomes_zeros),
        cmocka_unit_test(nothing_leaks_when_dropped),
        cmocka_unit_test(nothing_leaks_when_numbered),
        cmocka_unit_test(nothing_leaks_with_a_key),
        cmocka_unit_test(strings_are_found_wherever_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
