/* SPDX-License-Identifier: MIT */
/*
 * options.c - every struct of options, given to every public function that takes it: in the size of an older
 * library, with unreadable memory behind it; and in that of a newer one. The headers are searched for
 * functions that the table lacks.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "guard.h"
#include "src/schema/options.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/difference.h>
#include <perfdata/ops/export.h>
#include <perfdata/ops/filter.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/hash.h>
#include <perfdata/ops/index.h>
#include <perfdata/ops/merge.h>
#include <perfdata/ops/redact.h>
#include <perfdata/ops/repair.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/ops/report.h>
#include <perfdata/ops/sort.h>
#include <perfdata/ops/split.h>
#include <perfdata/ops/transform.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/session.h>
#include <perfdata/session/part.h>
#include <perfdata/session/push.h>
#include <perfdata/session/text.h>
#include <perfdata/session/visit.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEHIND 24 /* bytes of a newer struct that this library does not know */

static struct {
    uint8_t bytes[1 << 16];
    size_t n, cap;
} recording;

/* ---- Outputs */

static const struct pd_sink nowhere = {nothing_put, nothing_patch, NULL};

static int keep(void *user, const void *bytes, size_t n)
{
    (void)user;
    if (n > sizeof recording.bytes - recording.n)
        return -1;
    memcpy(recording.bytes + recording.n, bytes, n);
    recording.n += n;
    return 0;
}

static int keep_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    (void)user;
    memcpy(recording.bytes + offset, bytes, n);
    return 0;
}

static struct pd_reader *open_recording(void)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, recording.bytes, recording.n, NULL, NULL), PD_OK);
    return r;
}

/* ---- Each function: returns its result, and leaves nothing open. */

static enum pd_code closed(struct pd_reader **r, enum pd_code code)
{
    if (!code)
        pd_reader_close(*r);
    return code;
}

static enum pd_code reader_open(const void *o, struct pd_error *e)
{
    struct pd_reader *r;
    return closed(&r, pd_reader_open(&r, "/dev/null", o, e));
}

static enum pd_code reader_open_fd(const void *o, struct pd_error *e)
{
    struct pd_reader *r;
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(fwrite(recording.bytes, 1, recording.n, f), recording.n);
    rewind(f);
    const enum pd_code code = closed(&r, pd_reader_open_fd(&r, fileno(f), o, e));
    fclose(f);
    return code;
}

static enum pd_code reader_open_memory(const void *o, struct pd_error *e)
{
    struct pd_reader *r;
    return closed(&r, pd_reader_open_memory(&r, recording.bytes, recording.n, o, e));
}

static int64_t read_nothing(void *user, uint64_t offset, void *buf, size_t n)
{
    (void)user, (void)offset, (void)buf, (void)n;
    return 0;
}

static enum pd_code reader_open_source(const void *o, struct pd_error *e)
{
    struct pd_reader *r;
    const struct pd_source source = {.read_at = read_nothing, .size = PD_NOWHERE};
    return closed(&r, pd_reader_open_source(&r, &source, o, e));
}

static enum pd_code reader_open_part(const void *o, struct pd_error *e)
{
    struct pd_reader *whole = open_recording(), *r;
    const enum pd_code code = closed(&r, pd_reader_open_part(&r, whole, o, e));
    pd_reader_close(whole);
    return code;
}

static enum pd_code reader_open_member(const void *o, struct pd_error *e)
{
    struct pd_reader *whole, *r;
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus/conformance/container-dir.data", getenv("PERFDATA_SOURCE"));
    assert_int_equal(pd_reader_open(&whole, path, NULL, NULL), PD_OK);
    const enum pd_code code = closed(&r, pd_reader_open_member(&r, whole, 0, o, e));
    pd_reader_close(whole);
    return code;
}

static enum pd_code writer_open(const void *o, struct pd_error *e)
{
    struct pd_writer *w;
    const enum pd_code code = pd_writer_open(&w, &nowhere, o, e);
    if (!code)
        pd_writer_close(w);
    return code;
}

static enum pd_code writer_create(const void *o, struct pd_error *e)
{
    struct pd_writer *w;
    const enum pd_code code = pd_writer_create(&w, "/dev/null", o, e);
    if (!code)
        pd_writer_close(w);
    return code;
}

static enum pd_code gen_open(const void *o, struct pd_error *e)
{
    struct pd_gen *g;
    const enum pd_code code = pd_gen_open(&g, &nowhere, o, e);
    if (!code)
        pd_gen_close(g);
    return code;
}

static enum pd_code push_open(const void *o, struct pd_error *e)
{
    struct pd_push *p;
    const enum pd_code code = pd_push_open(&p, o, e);
    if (!code)
        pd_push_close(p);
    return code;
}

static enum pd_code reader_visit(const void *o, struct pd_error *e)
{
    static const struct pd_visitor none;
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, recording.bytes, recording.n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_reader_visit(r, &none, NULL, o, e);
    pd_reader_close(r);
    return code;
}

static enum pd_code session_new(const void *o, struct pd_error *e)
{
    struct pd_session *s;
    const enum pd_code code = pd_session_new(&s, o, e);
    if (!code)
        pd_session_free(s);
    return code;
}

static enum pd_code export_new(const void *o, struct pd_error *e)
{
    struct pd_export *export;
    const enum pd_code code = pd_export_new(&export, o, e);
    if (!code)
        pd_export_free(export);
    return code;
}

static enum pd_code redaction_open(const void *o, struct pd_error *e)
{
    struct pd_redaction *redaction;
    const enum pd_code code = pd_redaction_open(&redaction, o, e);
    if (!code)
        pd_redaction_close(redaction);
    return code;
}

/* With the reader `r` of the recording. */
#define WITH_READER(name_, call_)                                \
    static enum pd_code name_(const void *o, struct pd_error *e) \
    {                                                            \
        struct pd_reader *const r = open_recording();            \
        const enum pd_code code = (call_);                       \
        pd_reader_close(r);                                      \
        return code;                                             \
    }

static enum pd_code sorter_of(struct pd_reader *r, const void *o, struct pd_error *e)
{
    struct pd_sorter *s;
    const enum pd_code code = pd_sorter_open(&s, r, o, e);
    if (!code)
        pd_sorter_close(s);
    return code;
}

static enum pd_code metadata_of(struct pd_reader *r, const void *o, struct pd_error *e)
{
    struct pd_metadata *m;
    const enum pd_code code = pd_metadata_open(&m, r, o, e);
    if (!code)
        pd_metadata_close(m);
    return code;
}

static enum pd_code differences_to_itself(struct pd_reader *r, const void *o, struct pd_error *e)
{
    uint64_t n;
    struct pd_reader *again = open_recording();
    const enum pd_code code = pd_differences(r, again, o, &n, e);
    pd_reader_close(again);
    return code;
}

static enum pd_code reported(struct pd_reader *r, const void *o, struct pd_error *e)
{
    struct pd_report *report = NULL;
    const enum pd_code code = pd_report_new(&report, r, o, e);
    pd_report_free(report);
    return code;
}

static enum pd_code merged(struct pd_reader *r, const void *o, struct pd_error *e)
{
    struct pd_reader *const readers[] = {r};
    return pd_merge(readers, 1, &nowhere, o, NULL, NULL, e);
}

static enum pd_code exported(struct pd_reader *r, const void *o, struct pd_error *e)
{
    struct pd_export *export;
    assert_int_equal(pd_export_new(&export, NULL, NULL), PD_OK);
    const enum pd_code code = pd_export_add(export, r, o, e);
    pd_export_free(export);
    return code;
}

static enum pd_code edited(struct pd_reader *r, const void *o, struct pd_error *e)
{
    const struct pd_convert_options options = {.size = sizeof options, .edit = o};
    return pd_convert(r, &nowhere, &options, NULL, e);
}

/* Options are looked at before the index, which is none. */
static enum pd_code indexed(struct pd_reader *r, const void *o, struct pd_error *e)
{
    const struct pd_source empty = {.read_at = read_nothing};
    struct pd_index *x;
    const enum pd_code code = pd_index_open(&x, r, &empty, o, e);
    assert_null(x);
    assert_int_not_equal(code, PD_OK);
    return code;
}

static struct pd_hash hash;
static struct pd_sort_stats sort_stats;

WITH_READER(sorter_open, sorter_of(r, o, e))
WITH_READER(metadata_open, metadata_of(r, o, e))
WITH_READER(differences, differences_to_itself(r, o, e))
WITH_READER(merge, merged(r, o, e))
WITH_READER(edit, edited(r, o, e))
WITH_READER(convert, pd_convert(r, &nowhere, o, NULL, e))
WITH_READER(rewrite, pd_rewrite(r, &nowhere, o, NULL, e))
WITH_READER(filter, pd_filter(r, &nowhere, o, NULL, e))
WITH_READER(report_new, reported(r, o, e))
WITH_READER(transform, pd_transform(r, &nowhere, o, NULL, e))
WITH_READER(sort, pd_sort(r, &nowhere, o, NULL, e))
WITH_READER(sort_check, pd_sort_check(r, o, &sort_stats, e))
WITH_READER(pieces, pd_pieces(r, o, NULL, e))
WITH_READER(repair, pd_repair(r, &nowhere, o, NULL, e))
WITH_READER(export_add, exported(r, o, e))
WITH_READER(index_build, pd_index_build(r, &nowhere, o, NULL, e))
WITH_READER(index_open, indexed(r, o, e))
WITH_READER(hash_recording, pd_hash_recording(r, o, &hash, e))

static enum pd_code record_print(const void *o, struct pd_error *e)
{
    char buf[256];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    const uint8_t raw[8] = {[6] = 8};
    const struct pd_record rec = {.type = PD_RECORD_LOST, .size = 8, .raw = raw};
    const enum pd_code code = pd_record_print(&rec, o, &out, e);
    assert_int_equal(out.n == 0, code == PD_EARG);
    return code;
}

static enum pd_code attr_print(const void *o, struct pd_error *e)
{
    char buf[256];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    const enum pd_code code = pd_attr_print(&(struct pd_attr){0}, o, &out, e);
    assert_int_equal(out.n == 0, code == PD_EARG);
    return code;
}

static enum pd_code fields_print(const void *o, struct pd_error *e)
{
    char buf[256];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    struct pd_fields it;
    pd_fields_of_attr(&it, &(struct pd_attr){0});
    return pd_fields_print(&it, o, 0, &out, e);
}

static enum pd_code feature_print(const void *o, struct pd_error *e)
{
    char buf[256];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    return pd_feature_print(&(struct pd_feature){0}, o, 0, &out, e);
}

static const struct {
    const char *function, *name; /* of the struct */
    size_t size;
    enum pd_code (*call)(const void *options, struct pd_error *error);
} table[] = {
#define ROW(function_, struct_)                                       \
    {                                                                 \
        "pd_" #function_, #struct_, sizeof(struct struct_), function_ \
    }
    ROW(reader_open, pd_reader_options),
    ROW(reader_open_fd, pd_reader_options),
    ROW(reader_open_memory, pd_reader_options),
    ROW(reader_open_source, pd_reader_options),
    ROW(reader_open_part, pd_reader_options),
    ROW(reader_open_member, pd_reader_options),
    ROW(writer_open, pd_writer_options),
    ROW(writer_create, pd_writer_options),
    ROW(rewrite, pd_rewrite_options),
    ROW(metadata_open, pd_metadata_options),
    ROW(sorter_open, pd_sorter_options),
    ROW(push_open, pd_reader_options),
    ROW(reader_visit, pd_visit_options),
    ROW(session_new, pd_session_options),
    ROW(sort_check, pd_sort_options),
    ROW(sort, pd_sort_options),
    ROW(transform, pd_transform_options),
    ROW(convert, pd_convert_options),
    ROW(edit, pd_edit_options), /* no function, but what pd_convert_options points to */
    ROW(export_new, pd_export_options),
    ROW(redaction_open, pd_redact_options),
    ROW(filter, pd_filter_options),
    ROW(report_new, pd_report_options),
    ROW(export_add, pd_filter_options),
    ROW(pieces, pd_pieces_options),
    ROW(merge, pd_merge_options),
    ROW(repair, pd_repair_options),
    ROW(differences, pd_differences_options),
    ROW(hash_recording, pd_hash_options),
    ROW(index_build, pd_index_options),
    ROW(index_open, pd_index_options),
    ROW(gen_open, pd_gen_options),
    ROW(record_print, pd_print_options),
    ROW(attr_print, pd_print_options),
    ROW(fields_print, pd_print_options),
    ROW(feature_print, pd_print_options),
};

#define N (sizeof table / sizeof *table)

/* ---- The tests */

/*
 * True if a struct of this size, whose bytes are 0 except its size and, if `set`, one byte, is refused with
 * its name.
 */
static bool is_refused(size_t i, size_t size, size_t set)
{
    struct pd_error error = {0};
    uint8_t *p = guard_room(0, size < sizeof size ? sizeof size : size);
    memset(p, 0, size);
    memcpy(p, &size, sizeof size);
    if (set)
        p[set] = 1;
    const enum pd_code code = table[i].call(p, &error);
    const bool refused = code == PD_EARG && error.field && strcmp(error.field, table[i].name) == 0;
    assert_int_equal(memcmp(p, &size, sizeof size), 0);
    return refused;
}

static void test_older(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (size_t size = sizeof size; size <= table[i].size; size++)
            if (is_refused(i, size, 0))
                fail_msg("%s refuses %s of %zu bytes", table[i].function, table[i].name, size);
}

static void test_usual(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        struct pd_error error = {0};
        const enum pd_code code = table[i].call(NULL, &error);
        if (code == PD_EARG && error.field && strcmp(error.field, table[i].name) == 0)
            fail_msg("%s refuses to do the usual", table[i].function);
    }
}

static void test_newer(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        const size_t size = table[i].size;
        if (is_refused(i, size + BEHIND, 0))
            fail_msg("%s refuses a longer %s that asks for nothing", table[i].function, table[i].name);
        for (size_t at = size; at < size + BEHIND; at++)
            if (!is_refused(i, size + BEHIND, at))
                fail_msg("%s takes %s with byte %zu of %zu set", table[i].function, table[i].name, at, size);
    }
}

static void test_no_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (size_t size = 0; size < sizeof size; size++)
            if (!is_refused(i, size, 0))
                fail_msg("%s takes %s of %zu bytes", table[i].function, table[i].name, size);
}

static void test_copy(void **state)
{
    (void)state;
    struct pd_gen_options own;
    for (size_t size = sizeof size; size < sizeof own + BEHIND; size++) {
        const size_t n = size < sizeof own ? size : sizeof own;
        uint8_t *p = guard_room(0, size), *end = (uint8_t *)&own + sizeof own;
        memset(p, 0, size);
        memset(p, 0x5a, n);
        memcpy(p, &size, sizeof size);
        memset(&own, 0xa5, sizeof own);
        assert_int_equal(PI_TAKE_OPTIONS(pd_gen_options, &own, (const void *)p, NULL), PD_OK);
        assert_int_equal(own.size, sizeof own);
        assert_memory_equal((uint8_t *)&own + sizeof size, p + sizeof size, n - sizeof size);
        for (uint8_t *rest = (uint8_t *)&own + n; rest < end; rest++)
            assert_int_equal(*rest, 0);
    }
}

static bool is_in_table(const char *name, size_t n)
{
    for (size_t i = 0; i < N; i++)
        if ((strlen(table[i].function) == n && memcmp(table[i].function, name, n) == 0) ||
            (strlen(table[i].name) == n && memcmp(table[i].name, name, n) == 0))
            return true;
    return false;
}

/* All matches of the expression in the text are in the table, by the part in parentheses of that number. */
static unsigned find_all(const char *text, const char *expression, size_t name)
{
    regex_t re;
    regmatch_t m[3];
    unsigned found = 0;
    assert_int_equal(regcomp(&re, expression, REG_EXTENDED), 0);
    for (; regexec(&re, text, 3, m, 0) == 0; text += m[0].rm_eo, found++)
        if (!is_in_table(text + m[name].rm_so, (size_t)(m[name].rm_eo - m[name].rm_so)))
            fail_msg("not in the table: %.*s", (int)(m[name].rm_eo - m[name].rm_so), text + m[name].rm_so);
    regfree(&re);
    return found;
}

static void test_headers(void **state)
{
    (void)state;
    static char text[1 << 21];
    char command[4096];
    snprintf(command, sizeof command, "find '%s/include/perfdata' -name '*.h' -exec cat {} +",
             getenv("PERFDATA_SOURCE"));
    FILE *f = popen(command, "r");
    assert_non_null(f);
    const size_t n = fread(text, 1, sizeof text - 1, f);
    assert_int_equal(pclose(f), 0);
    assert_in_range(n, 1 << 16, sizeof text - 2);
    text[n] = 0;
    /* What is called options, what a parameter of that name points to, and what starts with its size. */
    assert_in_range(find_all(text, "struct (pd_[a-z0-9_]*_options) [{]", 1), 17, 100);
    assert_in_range(find_all(text, "struct (pd_[a-z0-9_]+) [*](options|opts|settings|how)", 1), 17, 100);
    assert_in_range(find_all(text, "struct (pd_[a-z0-9_]+) [{]\n    size_t size;", 1), 17, 100);
    assert_in_range(find_all(text, "PD_(API|EXPERIMENTAL) [^;({]*[ *](pd_[a-z0-9_]+)[(][^;]*_options [*]", 2),
                    N - 1, 100);
}

static int make_recording(void **state)
{
    (void)state;
    const struct pd_sink sink = {keep, keep_patch, NULL};
    const struct pd_gen_options options = {.size = sizeof options, .count = 20};
    struct pd_gen *g;
    assert_int_equal(pd_gen_open(&g, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_gen_run(g, NULL), PD_OK);
    pd_gen_close(g);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older),   cmocka_unit_test(test_usual),   cmocka_unit_test(test_newer),
        cmocka_unit_test(test_no_size), cmocka_unit_test(test_headers), cmocka_unit_test(test_copy),
    };
    return cmocka_run_group_tests(tests, make_recording, NULL);
}
