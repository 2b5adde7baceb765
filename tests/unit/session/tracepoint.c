/* SPDX-License-Identifier: MIT */
/* tracepoint.c - format files, and the raw bytes they describe: both byte orders, damaged texts, short bytes.
 */
#include "cmocka_all.h"
#include "guard.h"
#include "heap.h"
#include "seeded.h"
#include <perfdata/feature.h>
#include <perfdata/session/tracepoint.h>
#include <stdio.h>
#include <string.h>

#define COMMON                                                             \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define LINE(decl_, offset_, size_, signed_) \
    "\tfield:" decl_ ";\toffset:" #offset_ ";\tsize:" #size_ ";\tsigned:" #signed_ ";\n"

/* A field of every kind; the numbers in `put_sample` follow this layout. */
static const char every_text[] = "name: every\nID: 317\nformat:\n" COMMON /**/
    LINE("char comm[16]", 8, 16, 0)                                       /**/
    LINE("pid_t pid", 24, 4, 1)                                           /**/
    LINE("short little", 28, 2, 1)                                        /**/
    LINE("u8 flags", 30, 1, 0)                                            /**/
    LINE("bool on", 31, 1, 0)                                             /**/
    LINE("s64 delta", 32, 8, 1)                                           /**/
    LINE("u64 bytes", 40, 8, 0)                                           /**/
    LINE("unsigned long addr", 48, 8, 0)                                  /**/
    LINE("const void * ptr", 56, 8, 0)                                    /**/
    LINE("__data_loc char[] filename", 64, 4, 0)                          /**/
    LINE("__rel_loc char[] name", 68, 4, 0)                               /**/
    LINE("__data_loc unsigned int[] values", 72, 4, 0)                    /**/
    LINE("__u8 ip[4]", 76, 4, 0)                                          /**/
    LINE("s16 pair[PAIR]", 80, 4, 1)                                      /**/
    LINE("struct timespec64 ts", 84, 8, 0)                                /**/
    LINE("__rel_loc cpumask_t cpus", 92, 4, 0)                            /**/
    "\nprint fmt: \"%s\", \" field:int no;\toffset:0;\tsize:4;\tsigned:0;\n\tfield:int "
    "no;\toffset:0;\tsize:4;\n";

enum { SAMPLE_SIZE = 122 };

static uint8_t *put_number(uint8_t *p, uint64_t value, unsigned width, enum pd_order order)
{
    for (unsigned i = 0; i < width; i++)
        p[i] = (uint8_t)(value >> 8 * (order == PD_BIG ? width - 1 - i : i));
    return p + width;
}

static void put_sample(uint8_t *raw, enum pd_order order)
{
    uint8_t *p = raw;
    memset(raw, 0, SAMPLE_SIZE);
    p = put_number(p, 317, 2, order) + 2;
    p = put_number(p, 1234, 4, order);
    memcpy(p, "swapper/1\0dirty.", 16);
    p = put_number(p + 16, (uint32_t)-5, 4, order);
    p = put_number(p, (uint16_t)-300, 2, order);
    p = put_number(p, 200, 1, order);
    p = put_number(p, 1, 1, order);
    p = put_number(p, (uint64_t)-2, 8, order);
    p = put_number(p, UINT64_C(18000000000000000000), 8, order);
    p = put_number(p, UINT64_C(0xffffffff81000000), 8, order);
    p = put_number(p, 0x7f00, 8, order);
    p = put_number(p, 8 << 16 | 96, 4, order);         /* filename: 96…103 */
    p = put_number(p, 4 << 16 | (104 - 72), 4, order); /* name: 104…107, 68 + 4 + 32 */
    p = put_number(p, 12 << 16 | 108, 4, order);       /* values: 108…119 */
    p = put_number(put_number(put_number(put_number(p, 127, 1, order), 0, 1, order), 0, 1, order), 1, 1,
                   order);
    p = put_number(put_number(p, (uint16_t)-1, 2, order), 7, 2, order);
    memcpy(p, "\1\2\3\4\5\6\7\10", 8);
    p = put_number(p + 8, 2 << 16 | (120 - 96), 4, order); /* cpus: 120, 121 */
    memcpy(p, "/bin/ls\0name", 12);
    p = put_number(put_number(put_number(p + 12, 1, 4, order), UINT32_MAX, 4, order), 3, 4, order);
    memcpy(p, "\x0f\xf0", 2);
    assert_ptr_equal(p + 2, raw + SAMPLE_SIZE);
}

static struct pd_tracepoints *one_format(const char *system, const char *text, size_t n)
{
    struct pd_tracepoints *t;
    struct pd_error error;
    assert_int_equal(pd_tracepoints_new(&t, NULL, NULL, &error), PD_OK);
    assert_int_equal(pd_tracepoints_add(t, system, text, n, 8, &error), PD_OK);
    return t;
}

static const struct pd_tracepoint_field *field_of(const struct pd_tracepoint *e, const char *name)
{
    const struct pd_tracepoint_field *f = pd_tracepoint_find(e, name, strlen(name));
    assert_non_null(f);
    return f;
}

static void check_str(struct pd_str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.ptr, expected, s.len);
}

static void check_text(const struct pd_tracepoint *e, enum pd_order order, const void *raw, size_t n,
                       unsigned flags, const char *print, const char *json)
{
    char buf[2048];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    pd_tracepoint_print(e, order, raw, n, flags, &out);
    check_str((struct pd_str){buf, out.n, PD_AUTO}, print);
    out.n = 0;
    pd_tracepoint_json(e, order, raw, n, flags, &out);
    check_str((struct pd_str){buf, out.n, PD_AUTO}, json);
}

/* ---- Content of a text */

static void check_field(const struct pd_tracepoint *e, const char *name, const char *type,
                        struct pd_tracepoint_field expected)
{
    const struct pd_tracepoint_field *f = field_of(e, name);
    check_str(f->name, name);
    check_str(f->type, type);
    assert_int_equal(f->offset, expected.offset);
    assert_int_equal(f->size, expected.size);
    assert_int_equal(f->length, expected.length);
    assert_int_equal(f->kind, expected.kind);
    assert_int_equal(f->place, expected.place);
    assert_int_equal(f->width, expected.width);
    assert_int_equal(f->is_signed, expected.is_signed);
    assert_int_equal(f->is_array, expected.is_array);
    assert_int_equal(f->is_hex, expected.is_hex);
    assert_int_equal(f->is_common, expected.is_common);
}

#define FIELD(e_, name_, type_, offset_, size_, kind_, ...) \
    check_field(e_, name_, type_,                           \
                (struct pd_tracepoint_field){               \
                    .offset = (offset_), .size = (size_), .kind = PD_TRACEPOINT_##kind_, __VA_ARGS__})

static void test_fields(void **state)
{
    (void)state;
    struct pd_tracepoints *t = one_format("test", every_text, strlen(every_text));
    const struct pd_tracepoint *e = pd_tracepoints_by_id(t, 317);
    assert_non_null(e);
    check_str(e->system, "test");
    check_str(e->name, "every");
    assert_int_equal(e->n_bad, 0);
    assert_int_equal(e->n_fields, 3 + 16); /* the fields of print fmt are not counted */
    FIELD(e, "common_type", "unsigned short", 0, 2, NUMBER, .width = 2, .is_common = true);
    FIELD(e, "common_pid", "int", 4, 4, NUMBER, .width = 4, .is_signed = true, .is_common = true);
    FIELD(e, "comm", "char", 8, 16, STRING, .width = 1, .length = 16, .is_array = true);
    FIELD(e, "pid", "pid_t", 24, 4, NUMBER, .width = 4, .is_signed = true);
    FIELD(e, "addr", "unsigned long", 48, 8, NUMBER, .width = 8, .is_hex = true);
    FIELD(e, "ptr", "const void *", 56, 8, POINTER, .width = 8, .is_hex = true);
    FIELD(e, "filename", "__data_loc char[]", 64, 4, STRING, .width = 1, .is_array = true,
          .place = PD_TRACEPOINT_DATA_LOC);
    FIELD(e, "name", "__rel_loc char[]", 68, 4, STRING, .width = 1, .is_array = true,
          .place = PD_TRACEPOINT_REL_LOC);
    FIELD(e, "values", "__data_loc unsigned int[]", 72, 4, ARRAY, .width = 4, .is_array = true,
          .place = PD_TRACEPOINT_DATA_LOC);
    FIELD(e, "ip", "__u8", 76, 4, ARRAY, .width = 1, .length = 4, .is_array = true);
    FIELD(e, "pair", "s16", 80, 4, ARRAY, .width = 2, .length = 2, .is_array = true, .is_signed = true);
    FIELD(e, "ts", "struct timespec64", 84, 8, BYTES, .width = 0);
    FIELD(e, "cpus", "__rel_loc cpumask_t", 92, 4, BYTES, .is_array = true, .place = PD_TRACEPOINT_REL_LOC);
    assert_null(pd_tracepoint_find(e, "no", 2));
    assert_null(pd_tracepoint_find(e, "pi", 2));
    pd_tracepoints_free(t);
}

/* Forms of other kernels, and of types whose words count. */
static void test_types(void **state)
{
    (void)state;
    static const char text[] =
        "name: forms\nID: 1\nformat:\n"
        "\tfield special:char comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\n" /* Linux 2.6.30, without signed */
        "\tfield:long state;\toffset:24;\tsize:4;\n"
        "\tfield:unsigned int u;\toffset:24;\tsize:4;\n"
        "\r\n"                                            /* ends the common fields: there may be none */
        LINE("short int si[2]", 0, 4, 1)                  /**/
        LINE("short int ss[N]", 0, 4, 1)                  /**/
        LINE("unsigned long long ull", 0, 8, 0)           /**/
        LINE("unsigned long ul[N]", 0, 16, 0)             /**/
        LINE("unsigned char mac[6]", 0, 6, 0)             /**/
        LINE("signed char c", 0, 1, 1)                    /**/
        LINE("char flexible[]", 16, 0, 0)                 /**/
        LINE("u32 words[]", 16, 0, 0)                     /**/
        LINE("u8 plane[2][4]", 0, 8, 0)                   /**/
        LINE("char names[2][4]", 0, 8, 0)                 /**/
        LINE("char *argv[2]", 0, 16, 0)                   /**/
        LINE("enum mode mode", 0, 4, 0)                   /**/
        LINE("int fd", 0, 8, 0)                           /**/
        LINE("u32 odd[3]", 0, 13, 0)                      /**/
        LINE("foo_t foos[N]", 0, 12, 0)                   /**/
        LINE("foo_t foos3[3]", 0, 12, 0)                  /**/
        LINE("unsigned alone[N]", 0, 12, 0)               /**/
        LINE("int three", 0, 3, 0)                        /**/
        LINE("__data_loc char[] eight", 0, 8, 0)          /**/
        LINE("__data_loc unsigned long[] stack", 0, 4, 0) /**/
        LINE("__data_loc struct foo[] parts", 0, 4, 0)    /**/
        LINE("int common_late", 0, 4, 1);
    struct pd_tracepoints *t = one_format("s", text, strlen(text));
    const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
    assert_int_equal(e->n_bad, 0);
    FIELD(e, "comm", "char", 8, 16, STRING, .width = 1, .length = 16, .is_array = true);
    FIELD(e, "state", "long", 24, 4, NUMBER, .width = 4, .is_signed = true);
    FIELD(e, "u", "unsigned int", 24, 4, NUMBER, .width = 4);
    FIELD(e, "si", "short int", 0, 4, ARRAY, .width = 2, .length = 2, .is_array = true, .is_signed = true);
    FIELD(e, "ss", "short int", 0, 4, ARRAY, .width = 2, .length = 2, .is_array = true, .is_signed = true);
    FIELD(e, "ull", "unsigned long long", 0, 8, NUMBER, .width = 8);
    FIELD(e, "ul", "unsigned long", 0, 16, ARRAY, .width = 8, .length = 2, .is_array = true, .is_hex = true);
    FIELD(e, "mac", "unsigned char", 0, 6, ARRAY, .width = 1, .length = 6, .is_array = true);
    FIELD(e, "c", "signed char", 0, 1, NUMBER, .width = 1, .is_signed = true);
    FIELD(e, "flexible", "char", 16, 0, STRING, .width = 1, .is_array = true);
    FIELD(e, "words", "u32", 16, 0, ARRAY, .width = 4, .is_array = true);
    FIELD(e, "plane", "u8", 0, 8, ARRAY, .width = 1, .length = 8, .is_array = true);
    FIELD(e, "names", "char", 0, 8, ARRAY, .width = 1, .length = 8, .is_array = true);
    FIELD(e, "argv", "char *", 0, 16, ARRAY, .width = 8, .length = 2, .is_array = true, .is_hex = true);
    FIELD(e, "mode", "enum mode", 0, 4, NUMBER, .width = 4);
    FIELD(e, "fd", "int", 0, 8, NUMBER, .width = 8);
    FIELD(e, "odd", "u32", 0, 13, BYTES, .is_array = true);
    FIELD(e, "foos", "foo_t", 0, 12, BYTES, .is_array = true);
    FIELD(e, "foos3", "foo_t", 0, 12, ARRAY, .width = 4, .length = 3, .is_array = true);
    FIELD(e, "alone", "unsigned", 0, 12, ARRAY, .width = 4, .length = 3, .is_array = true);
    FIELD(e, "three", "int", 0, 3, BYTES, .width = 0);
    FIELD(e, "eight", "__data_loc char[]", 0, 8, BYTES, .width = 0);
    FIELD(e, "stack", "__data_loc unsigned long[]", 0, 4, ARRAY, .width = 8, .is_array = true, .is_hex = true,
          .place = PD_TRACEPOINT_DATA_LOC);
    FIELD(e, "parts", "__data_loc struct foo[]", 0, 4, BYTES, .is_array = true,
          .place = PD_TRACEPOINT_DATA_LOC);
    FIELD(e, "common_late", "int", 0, 4, NUMBER, .width = 4, .is_signed = true);
    pd_tracepoints_free(t);
}

static void test_long_size(void **state)
{
    (void)state;
    static const char text[] = "name: a\nID: 1\n" LINE("__data_loc unsigned long[] stack", 0, 4, 0);
    struct pd_tracepoints *t;
    assert_int_equal(pd_tracepoints_new(&t, NULL, NULL, NULL), PD_OK);
    assert_int_equal(pd_tracepoints_add(t, "s", text, strlen(text), 4, NULL), PD_OK);
    assert_int_equal(pd_tracepoints_add(t, "s", text, strlen(text), 200, NULL), PD_OK); /* invalid: 8 */
    assert_int_equal(pd_tracepoints_at(t, 0)->fields[0].width, 4);
    assert_int_equal(pd_tracepoints_at(t, 1)->fields[0].width, 8);
    pd_tracepoints_free(t);
}

/* ---- Values */

static void test_text(void **state)
{
    (void)state;
    struct pd_tracepoints *t = one_format("test", every_text, strlen(every_text));
    const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
    uint8_t raw[SAMPLE_SIZE];
    for (unsigned order = PD_LITTLE; order <= PD_BIG; order++) {
        put_sample(raw, order);
        check_text(
            e, order, raw, sizeof raw, 0,
            "comm=swapper/1 pid=-5 little=-300 flags=200 on=1 delta=-2 bytes=18000000000000000000 "
            "addr=0xffffffff81000000 ptr=0x7f00 filename=/bin/ls name=name values=[1,4294967295,3] "
            "ip=[127,0,0,1] pair=[-1,7] ts=0102030405060708 cpus=0ff0",
            "{\"comm\":\"swapper/1\",\"pid\":-5,\"little\":-300,\"flags\":200,\"on\":1,\"delta\":\"-2\","
            "\"bytes\":\"18000000000000000000\",\"addr\":\"0xffffffff81000000\",\"ptr\":\"0x7f00\","
            "\"filename\":\"/bin/ls\",\"name\":\"name\",\"values\":[1,4294967295,3],\"ip\":[127,0,0,1],"
            "\"pair\":[-1,7],\"ts\":\"0102030405060708\",\"cpus\":\"0ff0\"}");
    }
    pd_tracepoints_free(t);
}

static void test_common_and_flexible(void **state)
{
    (void)state;
    static const char text[] =
        "name: print\nID: 5\nformat:\n" COMMON LINE("char buf[]", 8, 0, 0) LINE("u16 w[]", 8, 0, 0);
    static const uint8_t raw[] = {5, 0, 3, 9, 1, 0, 0, 0, 'h', '\n', '\\', 0xff, 0};
    struct pd_tracepoints *t = one_format("ftrace", text, strlen(text));
    const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
    check_text(e, PD_LITTLE, raw, sizeof raw, PD_TRACEPOINT_COMMON,
               "common_type=5 common_flags=3 common_pid=1 buf=h\\x0a\\\\\\xff w=[2664,65372]",
               "{\"common_type\":5,\"common_flags\":3,\"common_pid\":1,\"buf\":{\"hex\":\"680a5cff\"},\"w\":["
               "2664,65372]}");
    check_text(e, PD_LITTLE, raw, 8, 0, "buf= w=[]", "{\"buf\":\"\",\"w\":[]}");
    check_text(e, PD_LITTLE, raw, 7, PD_TRACEPOINT_COMMON,
               "common_type=5 common_flags=3 common_pid=? buf=? w=?",
               "{\"common_type\":5,\"common_flags\":3,\"common_pid\":null,\"buf\":null,\"w\":null}");
    check_text(e, PD_LITTLE, NULL, 0, 0, "buf=? w=?", "{\"buf\":null,\"w\":null}");
    pd_tracepoints_free(t);
}

/* Of 100 raw bytes 4096 + 1600 are shown: 54 times 100 with a name of four letters and "=", and the 6 of z.
 */
static void test_overlapping(void **state)
{
    (void)state;
    enum { FIELDS = 60, SHOWN = 54 };
    static const uint8_t raw[100];
    char text[8192], print[1024], json[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "name: a\nID: 1\n"), p = 0, j = 1;
    strcpy(json, "{");
    for (unsigned i = 0; i < FIELDS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "field:char a%03u[100];offset:0;size:100;\n", i);
    n += (size_t)snprintf(text + n, sizeof text - n, "field:int z;offset:0;size:4;\n");
    for (unsigned i = 0; i < SHOWN; i++) {
        p += (size_t)snprintf(print + p, sizeof print - p, "a%03u= ", i);
        j += (size_t)snprintf(json + j, sizeof json - j, "\"a%03u\":\"\",", i);
    }
    snprintf(print + p, sizeof print - p, "z=0 ...=6");
    snprintf(json + j, sizeof json - j, "\"z\":0,\"...\":6}");
    struct pd_tracepoints *t = one_format("s", text, n);
    check_text(pd_tracepoints_at(t, 0), PD_LITTLE, raw, sizeof raw, 0, print, json);
    pd_tracepoints_free(t);

    n = (size_t)snprintf(text, sizeof text, "name: a\nID: 1\nfield:int %0*d;offset:0;size:4;\n", 5000, 0);
    memset(strstr(text, "int ") + 4, 'n', 5000);
    t = one_format("s", text, n);
    check_text(pd_tracepoints_at(t, 0), PD_LITTLE, raw, 50, 0, "...=1", "{\"...\":1}");
    check_text(pd_tracepoints_at(t, 0), PD_LITTLE, NULL, 0, 0, "...=1", "{\"...\":1}");
    pd_tracepoints_free(t);
}

static void test_values(void **state)
{
    (void)state;
    struct pd_tracepoints *t = one_format("test", every_text, strlen(every_text));
    const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
    uint8_t raw[SAMPLE_SIZE];
    struct pd_tracepoint_data d;
    for (unsigned order = PD_LITTLE; order <= PD_BIG; order++) {
        put_sample(raw, order);
        assert_true(pd_tracepoint_value(field_of(e, "little"), order, raw, sizeof raw, &d));
        assert_int_equal((int64_t)d.number, -300);
        assert_int_equal(d.n, 1);
        assert_ptr_equal(d.bytes.ptr, raw + 28);
        assert_int_equal(d.bytes.n, 2);
        assert_true(pd_tracepoint_value(field_of(e, "comm"), order, raw, sizeof raw, &d));
        check_str(d.text, "swapper/1");
        assert_int_equal(d.text.size, 16);
        assert_true(pd_tracepoint_value(field_of(e, "name"), order, raw, sizeof raw, &d));
        check_str(d.text, "name"); /* the slot has no NUL */
        assert_ptr_equal(d.text.ptr, raw + 104);
        assert_true(pd_tracepoint_value(field_of(e, "pair"), order, raw, sizeof raw, &d));
        assert_int_equal(d.n, 2);
        assert_int_equal((int64_t)pd_tracepoint_element(&d, 0), -1);
        assert_int_equal(pd_tracepoint_element(&d, 1), 7);
    }
    pd_tracepoints_free(t);
}

/* Every field exists exactly if all its bytes do. */
static void test_short(void **state)
{
    (void)state;
    struct pd_tracepoints *t = one_format("test", every_text, strlen(every_text));
    const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
    uint8_t raw[SAMPLE_SIZE];
    struct pd_tracepoint_data d;
    put_sample(raw, PD_LITTLE);
    for (size_t i = 0; i < e->n_fields; i++) {
        const struct pd_tracepoint_field *f = &e->fields[i];
        assert_true(pd_tracepoint_value(f, PD_LITTLE, raw, sizeof raw, &d));
        const size_t end = (size_t)(d.bytes.ptr - raw) + d.bytes.n;
        for (size_t n = 0; n <= sizeof raw; n++)
            assert_int_equal(pd_tracepoint_value(f, PD_LITTLE, guard_copy(0, raw, n), n, &d), n >= end);
    }
    pd_tracepoints_free(t);
}

static void check_loc(bool relative, uint32_t word, size_t n, bool there, const char *expected)
{
    static const char data[] = LINE("__data_loc char[] s", 4, 4, 0),
                      rel[] = LINE("__rel_loc char[] s", 4, 4, 0);
    char text[256];
    struct pd_tracepoint_data d;
    uint8_t raw[] = "AAAA....abcdefgh";
    snprintf(text, sizeof text, "name: a\nID: 1\n%s", relative ? rel : data);
    for (unsigned order = PD_LITTLE; order <= PD_BIG; order++) {
        struct pd_tracepoints *t = one_format("s", text, strlen(text));
        put_number(raw + 4, word, 4, order);
        const uint8_t *p = guard_copy(0, raw, n);
        assert_int_equal(pd_tracepoint_value(pd_tracepoints_at(t, 0)->fields, order, p, n, &d), there);
        if (there)
            check_str(d.text, expected);
        pd_tracepoints_free(t);
    }
}

static void test_locations(void **state)
{
    (void)state;
    check_loc(false, 3 << 16 | 8, 16, true, "abc");
    check_loc(false, 8 << 16 | 8, 16, true, "abcdefgh");
    check_loc(false, 4 << 16 | 0, 16, true, "AAAA");
    check_loc(false, 9 << 16 | 8, 16, false, "");
    check_loc(false, 8 << 16 | 8, 15, false, "");
    check_loc(false, 1 << 16 | 16, 16, false, "");
    check_loc(false, 0xffffffff, 16, false, "");
    check_loc(false, 0 << 16 | 0xffff, 16, true, ""); /* empty, at any place */
    check_loc(false, 0, 7, false, "");                /* too short for the word */
    check_loc(true, 3 << 16 | 0, 16, true, "abc");
    check_loc(true, 3 << 16 | 5, 16, true, "fgh");
    check_loc(true, 4 << 16 | 5, 16, false, "");
    check_loc(true, 0xffffffff, 16, false, "");
    check_loc(true, 0 << 16 | 0xffff, 8, true, "");
}

/* ---- All events of a recording */

#define SMALL(name_, id_, field_) "name: " name_ "\nID: " id_ "\nformat:\n" LINE("int " field_, 8, 4, 1)

struct blob {
    uint8_t bytes[4096];
    size_t n;
    enum pd_order order;
};

static void blob_number(struct blob *b, uint64_t value, unsigned width)
{
    put_number(b->bytes + b->n, value, width, b->order);
    b->n += width;
}

static void blob_bytes(struct blob *b, const void *bytes, size_t n)
{
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
}

static void blob_file(struct blob *b, const char *text)
{
    blob_number(b, strlen(text), 8);
    blob_bytes(b, text, strlen(text));
}

/* Two formats of ftrace, then systems a (three, one of them without an ID), b (none) and c (one). */
static void make_blob(struct blob *b, enum pd_order order)
{
    *b = (struct blob){.order = order};
    blob_bytes(b, "\x17\x08\x44tracing0.6", 14); /* with the NUL */
    blob_number(b, order == PD_BIG, 1);
    blob_number(b, 4, 1);
    blob_number(b, 4096, 4);
    blob_bytes(b, "header_page", 12);
    blob_file(b, "page");
    blob_bytes(b, "header_event", 13);
    blob_file(b, "event");
    blob_number(b, 2, 4);
    blob_file(b, SMALL("function", "1", "ip"));
    blob_file(b, SMALL("print", "5", "buf"));
    blob_number(b, 3, 4);
    blob_bytes(b, "a", 2);
    blob_number(b, 3, 4);
    blob_file(b, SMALL("two", "300", "x"));
    blob_file(b, "name: none\nformat:\n");
    blob_file(b, "name: one\nID: 200\n" LINE("__data_loc long[] y", 8, 4, 1));
    blob_bytes(b, "b", 2);
    blob_number(b, 0, 4);
    blob_bytes(b, "c", 2);
    blob_number(b, 1, 4);
    blob_file(b, SMALL("two", "300", "z")); /* the id of a:two */
    blob_number(b, 0, 4);
    blob_number(b, 0, 4);
    blob_number(b, 0, 8);
}

static const struct pd_tracepoint *named(const struct pd_tracepoints *t, const char *name)
{
    return pd_tracepoints_by_name(t, name, strlen(name));
}

static void check_events(const struct pd_tracepoints *t)
{
    assert_int_equal(pd_tracepoints_n(t), 5);
    assert_int_equal(pd_tracepoints_left_out(t), 1);
    assert_null(pd_tracepoints_at(t, 5));
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(pd_tracepoints_at(t, i)->index, i);
    check_str(pd_tracepoints_by_id(t, 300)->system, "a"); /* the first wins */
    check_str(pd_tracepoints_by_id(t, 5)->name, "print");
    assert_null(pd_tracepoints_by_id(t, 2));
    assert_null(pd_tracepoints_by_id(t, UINT64_C(0x1000001f4)));
    assert_int_equal(named(t, "ftrace:function")->id, 1);
    assert_int_equal(named(t, "a:one")->fields[0].width, 4); /* the blob's long */
    check_str(named(t, "c:two")->fields[0].name, "z");
    assert_null(named(t, "c:one"));
    assert_null(named(t, "a:on"));
    assert_null(named(t, "two"));
    assert_null(named(t, ""));
    assert_null(named(t, ":"));
}

static void test_recording(void **state)
{
    (void)state;
    struct blob b;
    struct pd_feature f;
    struct pd_error error;
    for (unsigned order = PD_LITTLE; order <= PD_BIG; order++) {
        struct pd_tracepoints *t;
        make_blob(&b, order);
        assert_int_equal(pd_feature_decode(PD_LITTLE, PD_FEAT_TRACING_DATA, 0, b.bytes, b.n, &f, &error),
                         PD_OK);
        assert_non_null(f.layout);
        assert_int_equal(pd_tracepoints_new(&t, &f.u.tracing_data, NULL, &error), PD_OK);
        check_events(t);
        pd_tracepoints_free(t);
    }
}

/* One by one, unsorted; then in one piece, as a program's own structs. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    static char texts[MANY][64];
    static struct pd_format_file files[MANY];
    struct pd_event_system system = {.name = PD_STR("s"), .nr_events = MANY};
    struct pd_tracepoints *one, *all;
    assert_int_equal(pd_tracepoints_new(&one, NULL, NULL, NULL), PD_OK);
    for (unsigned i = 0; i < MANY; i++) {
        const unsigned id = i * 389 % (MANY / 2); /* each twice */
        const int n = snprintf(texts[i], sizeof texts[i], "name: e%u\nID: %u\nformat:\n", id, id);
        assert_int_equal(pd_tracepoints_add(one, "s", texts[i], (size_t)n, 8, NULL), PD_OK);
        files[i] = (struct pd_format_file){(uint64_t)n, {(const uint8_t *)texts[i], (size_t)n}};
    }
    system.events = PD_LIST(files, MANY);
    const struct pd_feature_tracing_data data = {
        .long_size = 8, .ftrace = PD_LIST(files, 0), .systems = PD_LIST(&system, 1)};
    assert_int_equal(pd_tracepoints_new(&all, &data, NULL, NULL), PD_OK);
    assert_int_equal(pd_tracepoints_n(all), MANY);
    for (unsigned i = 0; i < MANY / 2; i++) {
        char name[32];
        const unsigned id = i * 389 % (MANY / 2);
        const size_t len = (size_t)snprintf(name, sizeof name, "s:e%u", id);
        assert_ptr_equal(pd_tracepoints_by_id(one, id), pd_tracepoints_at(one, i));
        assert_ptr_equal(pd_tracepoints_by_id(all, id), pd_tracepoints_at(all, i));
        assert_ptr_equal(pd_tracepoints_by_name(one, name, len), pd_tracepoints_at(one, i));
        assert_ptr_equal(pd_tracepoints_by_name(all, name, len), pd_tracepoints_at(all, i));
    }
    pd_tracepoints_free(one);
    pd_tracepoints_free(all);
}

/* ---- Invalid texts */

static enum pd_code add_text(const char *text, struct pd_error *error)
{
    struct pd_tracepoints *t;
    assert_int_equal(pd_tracepoints_new(&t, NULL, NULL, error), PD_OK);
    const enum pd_code code =
        pd_tracepoints_add(t, "s", (const char *)guard_copy(1, text, strlen(text)), strlen(text), 8, error);
    assert_int_equal(pd_tracepoints_n(t), code == PD_OK);
    assert_int_equal(pd_tracepoints_by_id(t, 1) != NULL, code == PD_OK);
    pd_tracepoints_free(t);
    return code;
}

static void test_no_event(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
    } bad[] = {
        {"", "name"},
        {"\n\n\n", "name"},
        {"ID: 1\n", "name"},
        {"name:\nID: 1\n", "name"},
        {"name: a\n", "ID"},
        {"name: a\nID:", "ID"},
        {"name: a\nID: -1\n", "ID"},
        {"name: a\nID: 1x\n", "ID"},
        {"name: a\nID: 4294967296\n", "ID"},
        {"name: a\nID: 99999999999999999999999999999999\n", "ID"},
        {"name: a\nprint fmt: \"\"\nID: 1\n", "ID"},
    };
    struct pd_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(add_text(bad[i].text, &error), PD_EVALUE);
        assert_int_equal(error.code, PD_EVALUE);
        assert_string_equal(error.field, bad[i].field);
    }
    assert_int_equal(add_text("name: a\nID: 1", &error), PD_OK);
    assert_int_equal(add_text("ID:1\r\nname:a", &error), PD_OK);
}

/* Lines that are left out, and counted. */
static void test_bad_lines(void **state)
{
    (void)state;
    static const char text[] =
        "name: a\nID: 1\nname: b\nID: 2\n"                                    /* the first count */
        "\tfield:\n\tfield:;\n\tfield:int;\toffset:0;\tsize:4;\n"             /* nothing; no type */
        "\tfield:int x\n\tfield:int x;\toffset:0;\n\tfield:int x;\tsize:4;\n" /* no place, no size */
        LINE("int x", -1, 4, 0) LINE("int x", 4294967296, 4, 0) LINE("int x", 0, 99999999999999999999, 0) /**/
        LINE("int x", 0x10, 4, 0) LINE("int", 0, 4, 0) LINE("int 9x", 0, 4, 0) LINE("int x]", 0, 4, 0)    /**/
        LINE("int (*x)(void)", 0, 8, 0) LINE("[4]", 0, 4, 0) LINE("int \x80", 0, 4, 0)                    /**/
        "\tfield:int x;\toffset:0;\tsize:4;\tsigned:1" /* good, though the text ends */
        "\n" LINE("long x", 8, 8, 1);                  /* again */
    struct pd_tracepoints *t = one_format("s", text, strlen(text));
    const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
    check_str(e->name, "a");
    assert_int_equal(e->id, 1);
    assert_int_equal(e->n_fields, 1);
    assert_int_equal(e->n_bad, 17);
    FIELD(e, "x", "int", 0, 4, NUMBER, .width = 4, .is_signed = true);
    pd_tracepoints_free(t);
}

static void test_absurd_places(void **state)
{
    (void)state;
    static const char text[] = "name: a\nID: 1\n" LINE("int far", 4294967295, 4, 1)
        LINE("char huge[]", 4, 4294967295, 0) LINE("char both[4294967295]", 4294967295, 4294967295, 0)
            LINE("__rel_loc char[] r", 4294967295, 4, 0) LINE("char none[16]", 2, 0, 0)
                LINE("u64 w[]", 4294967295, 0, 0);
    static const uint8_t raw[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct pd_tracepoints *t = one_format("s", text, strlen(text));
    assert_int_equal(pd_tracepoints_at(t, 0)->n_fields, 6);
    check_text(pd_tracepoints_at(t, 0), PD_LITTLE, raw, sizeof raw, 0,
               "far=? huge=? both=? r=? none=030405060708 w=?",
               "{\"far\":null,\"huge\":null,\"both\":null,\"r\":null,\"none\":\"030405060708\",\"w\":null}");
    pd_tracepoints_free(t);
}

/* A line of megabytes, and more fields than an event has: repeated searches would take too long. */
static void test_huge(void **state)
{
    (void)state;
    enum { HUGE = 8 << 20, FIELDS = 100000 };
    static const char head[] = "name: a\nID: 1\n\tfield:", *const fill[] = {" ",  "[",  "]", "[1]", "*",
                                                                            "x ", "\t", "a", ";",   "_"};
    char *text = malloc(HUGE);
    assert_non_null(text);
    for (size_t k = 0; k < sizeof fill / sizeof *fill; k++) {
        memcpy(text, head, sizeof head - 1);
        for (size_t i = sizeof head - 1; i < HUGE; i++)
            text[i] = fill[k][(i - sizeof head + 1) % strlen(fill[k])];
        struct pd_tracepoints *t = one_format("s", text, HUGE);
        assert_int_equal(pd_tracepoints_at(t, 0)->n_fields, 0);
        assert_int_equal(pd_tracepoints_at(t, 0)->n_bad, 1);
        pd_tracepoints_free(t);
    }
    size_t n = (size_t)snprintf(text, HUGE, "name: a\nID: 1\n");
    for (unsigned i = 0; i < FIELDS; i++)
        n += (size_t)snprintf(text + n, HUGE - n, "field:int f%u;offset:0;size:4;\n", i);
    struct pd_tracepoints *t = one_format("s", text, n);
    assert_int_equal(pd_tracepoints_at(t, 0)->n_fields, 1024);
    assert_int_equal(pd_tracepoints_at(t, 0)->n_bad, FIELDS - 1024);
    pd_tracepoints_free(t);
    free(text);
}

/* A sample with these bytes, as JSON with what is in them: by hand. */
static void test_sample_json(void **state)
{
    uint8_t bytes[16], *p = put_number(bytes, PD_RECORD_SAMPLE, 4, PD_HOST_ORDER);
    static const struct pd_attr attr = {
        .type = PD_TYPE_TRACEPOINT, .config = 1, .sample_type = PD_SAMPLE_RAW};
    static const char format[] = "name: a\nID: 1\nfield:int number;offset:0;size:4;signed:1;\n";
    struct pd_tracepoints *t = one_format("s", format, sizeof format - 1);
    struct pd_plan plan;
    struct pd_record rec = {0};
    char buf[512];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    (void)state;
    p = put_number(put_number(p, 0, 2, PD_HOST_ORDER), sizeof bytes, 2, PD_HOST_ORDER);
    put_number(put_number(p, 4, 4, PD_HOST_ORDER), 0x07070707, 4, PD_HOST_ORDER);
    pd_plan_init(&plan, &attr, PD_HOST_ORDER);
    assert_int_equal(pd_record_decode(&plan, bytes, sizeof bytes, &rec, NULL), PD_OK);
    pd_record_json_trace(&rec, 0, pd_tracepoints_at(t, 0), &out);
    check_str(
        (struct pd_str){buf, out.n, PD_AUTO},
        "{\"type\":\"SAMPLE\",\"misc\":0,\"size\":16,\"sample\":{\"raw\":{\"size\":4,\"data\":\"07070707\"}},"
        "\"trace\":{\"number\":117901063}}");
    pd_tracepoints_free(t);
}

/* Damaged texts and damaged samples: all results are inside the bytes, and both can be printed. */
static void check_damaged(const char *text, size_t n, const uint8_t *raw, size_t raw_n, enum pd_order order)
{
    struct pd_tracepoints *t;
    struct pd_tracepoint_data d;
    char buf[256];
    assert_int_equal(pd_tracepoints_new(&t, NULL, NULL, NULL), PD_OK);
    if (pd_tracepoints_add(t, "s", text, n, 8, NULL) == PD_OK) {
        const struct pd_tracepoint *e = pd_tracepoints_at(t, 0);
        struct pd_out out = {.buf = buf, .cap = sizeof buf};
        for (size_t i = 0; i < e->n_fields; i++) {
            if (!pd_tracepoint_value(&e->fields[i], order, raw, raw_n, &d) || d.bytes.n == 0)
                continue;
            const size_t at = (size_t)(d.bytes.ptr - raw);
            assert_true(at <= raw_n && d.bytes.n <= raw_n - at);
            assert_true(d.text.len <= d.bytes.n);
        }
        pd_tracepoint_print(e, order, raw, raw_n, PD_TRACEPOINT_COMMON, &out);
        pd_tracepoint_json(e, order, raw, raw_n, PD_TRACEPOINT_COMMON, &out);
    }
    pd_tracepoints_free(t);
}

static void damage(struct pi_rng *rng, uint8_t *bytes, size_t n, const char *alphabet)
{
    for (uint64_t k = pi_rng_below(rng, 8); k && n; k--) {
        const uint64_t any = pi_rng_next(rng);
        bytes[pi_rng_below(rng, n)] = (uint8_t)(any & 256 ? any : (uint64_t)alphabet[any % strlen(alphabet)]);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    struct pi_rng rng = {random_seed()};
    uint8_t raw[SAMPLE_SIZE];
    for (uint64_t k = random_iterations(hurried() ? 700 : 3000); k; k--) {
        const enum pd_order order = pi_rng_one_in(&rng, 2) ? PD_BIG : PD_LITTLE;
        const size_t text_n =
            pi_rng_one_in(&rng, 4) ? pi_rng_size(&rng, sizeof every_text) : sizeof every_text - 1;
        const size_t raw_n = pi_rng_one_in(&rng, 2) ? pi_rng_size(&rng, sizeof raw) : sizeof raw;
        uint8_t *text = guard_copy(1, every_text, text_n);
        put_sample(raw, order);
        damage(&rng, text, text_n, "0123456789;:[]\n\t *_");
        damage(&rng, raw, sizeof raw, "0123456789");
        check_damaged((const char *)text, text_n, guard_copy(0, raw, raw_n), raw_n, order);
    }
}

/* ---- Memory */

static enum pd_code take_all(struct heap *h, const struct pd_feature_tracing_data *data,
                             struct pd_error *error)
{
    const struct pd_allocator allocator = {heap_resize, heap_release, h};
    struct pd_tracepoints *t;
    enum pd_code code = pd_tracepoints_new(&t, data, &allocator, error);
    if (code == PD_OK) {
        const size_t n = pd_tracepoints_n(t);
        code = pd_tracepoints_add(t, "s", every_text, sizeof every_text - 1, 8, error);
        assert_int_equal(pd_tracepoints_n(t), n + (code == PD_OK));
        assert_int_equal(pd_tracepoints_by_id(t, 317) != NULL, code == PD_OK);
        assert_int_equal(pd_tracepoints_by_id(t, 300) != NULL, n != 0);
    }
    pd_tracepoints_free(t);
    assert_int_equal(h->blocks, 0);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    struct blob b;
    struct pd_feature f;
    struct pd_error error;
    make_blob(&b, PD_LITTLE);
    assert_int_equal(pd_feature_decode(PD_LITTLE, PD_FEAT_TRACING_DATA, 0, b.bytes, b.n, &f, &error), PD_OK);
    struct heap heap = {.fail_at = 0};
    assert_int_equal(take_all(&heap, &f.u.tracing_data, &error), PD_OK);
    const size_t calls = heap.calls;
    assert_true(calls > 8);
    for (size_t i = 1; i <= calls; i++) {
        heap = (struct heap){.fail_at = i, .once = true};
        error.code = PD_OK;
        assert_int_equal(take_all(&heap, &f.u.tracing_data, &error), PD_ENOMEM);
        assert_int_equal(error.code, PD_ENOMEM);
    }
    pd_tracepoints_free(NULL);
}

/* The smallest possible events and fields, compared with the bound in the header. */
static void check_bound(unsigned n_fields)
{
    enum { EVENTS = 1000, SIZE = 40000 };
    static char text[SIZE];
    static struct pd_format_file files[EVENTS];
    const struct pd_feature_tracing_data data = {.long_size = 8,
                                                 .ftrace = PD_LIST(files, EVENTS),
                                                 .systems = PD_LIST((struct pd_event_system *)NULL, 0)};
    struct heap heap = {.fail_at = 0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    struct pd_tracepoints *t;
    size_t n = (size_t)snprintf(text, SIZE, "ID:1\nname:a");
    for (unsigned i = 0; i < n_fields; i++)
        n += (size_t)snprintf(text + n, SIZE - n, "\nfield:u _%u;size:0;offset:0", i);
    for (unsigned i = 0; i < EVENTS; i++)
        files[i] = (struct pd_format_file){n, {(const uint8_t *)text, n}};
    assert_int_equal(pd_tracepoints_new(&t, &data, &allocator, NULL), PD_OK);
    assert_int_equal(pd_tracepoints_n(t), EVENTS);
    assert_int_equal(pd_tracepoints_at(t, 0)->n_fields, n_fields);
    assert_true(heap.asked <= EVENTS * (n + 8) * 8); /* a size of 8 bytes stands before each */
    pd_tracepoints_free(t);
}

static void test_bound(void **state)
{
    (void)state;
    check_bound(0);
    check_bound(1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_long_size),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_common_and_flexible),
        cmocka_unit_test(test_overlapping),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_no_event),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_absurd_places),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_sample_json),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
