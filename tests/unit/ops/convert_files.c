/* SPDX-License-Identifier: MIT */
/* convert_files.c - pd_convert() of a directory with kcore_dir: its files come along, or are noted. */
#include "fuzz/image_sink.h"
#include "cmocka_all.h"
#include <perfdata/ops/convert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct seen {
    char names[200];
    struct image data, other;
    struct image *now;
    uint64_t noted;
    const char *why;
};

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct seen *s = user;
    strcat(strcat(s->names, name), " ");
    assert_int_equal(mode & 0777, strcmp(name, "data") ? 0640 : 0600);
    *sink = image_sink(strcmp(name, "data") ? &s->other : &s->data);
    return 0;
}

static int close_member(void *user, struct pd_sink *sink)
{
    (void)user, (void)sink;
    return 0;
}

static void on_note(void *user, const struct pd_convert_note *note)
{
    struct seen *s = user;
    assert_int_equal(note->what, PD_NOTED_FILES);
    s->noted += note->count;
    s->why = note->why;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0640), 0);
}

/* In the working directory: d/data, d/kcore_dir/kallsyms and a link. */
static void make_directory(void)
{
    const struct pd_record rec = {.type = PD_RECORD_FINISHED_ROUND, .attr_index = UINT32_MAX};
    struct pd_writer *w = NULL;
    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(mkdir("d/kcore_dir", 0700), 0);
    write_text("d/kcore_dir/kallsyms", "ffffffff81000000 T _text\n");
    assert_int_equal(symlink("kallsyms", "d/kcore_dir/link"), 0);
    assert_int_equal(pd_writer_create(&w, "d/data", NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

static void convert(struct seen *s, enum pd_convert_to to, bool files)
{
    const struct pd_convert_options options = {.size = sizeof options,
                                               .to = to,
                                               .open_member = open_member,
                                               .close_member = close_member,
                                               .note = on_note,
                                               .user = s,
                                               .files = files};
    const struct pd_sink sink = image_sink(&s->data);
    struct pd_reader *r = NULL;
    *s = (struct seen){0};
    assert_int_equal(pd_reader_open(&r, "d", NULL, NULL), PD_OK);
    assert_int_equal(pd_convert(r, &sink, &options, NULL, NULL), PD_OK);
    pd_reader_close(r);
}

static void files_beside_the_records(void **state)
{
    char dir[] = "/tmp/perfdata-files-XXXXXX";
    struct seen s;
    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    make_directory();
    convert(&s, PD_CONVERT_DIRECTORY, true);
    assert_string_equal(s.names, "data kcore_dir/kallsyms ");
    assert_int_equal(s.other.n, 25);
    assert_memory_equal(s.other.b, "ffffffff81000000 T _text\n", 25);
    assert_int_equal(s.noted, 1); /* the link */
    image_free(&s.data);
    image_free(&s.other);
    convert(&s, PD_CONVERT_DIRECTORY, false);
    assert_string_equal(s.names, "data ");
    assert_int_equal(s.noted, 2);
    image_free(&s.data);
    convert(&s, PD_CONVERT_FILE, true);
    assert_int_equal(s.noted, 2);
    assert_string_equal(s.why, "only a directory can hold them");
    image_free(&s.data);
    assert_int_equal(unlink("d/kcore_dir/link") | unlink("d/kcore_dir/kallsyms") | rmdir("d/kcore_dir") |
                         unlink("d/data") | rmdir("d") | rmdir(dir),
                     0);
}

/* Eight folders inside each other are followed; the ninth counts as one that does not come along. */
static void folders_inside_each_other(void **state)
{
    char dir[] = "/tmp/perfdata-files-XXXXXX", path[100] = "d/kcore_dir/kallsyms";
    struct seen s;
    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    make_directory();
    assert_int_equal(unlink("d/kcore_dir/link") | unlink(path), 0);
    path[strlen("d/kcore_dir")] = 0;
    for (char name = '2'; name <= '9'; name++) {
        const size_t n = strlen(path);
        snprintf(path + n, sizeof path - n, "/%c", name);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path + n + 2, sizeof path - n - 2, "/f");
        write_text(path, "");
        path[n + 2] = 0;
    }
    convert(&s, PD_CONVERT_DIRECTORY, true);
    assert_non_null(strstr(s.names, "kcore_dir/2/3/4/5/6/7/8/f"));
    assert_null(strstr(s.names, "/9"));
    assert_int_equal(s.noted, 1);
    image_free(&s.data);
    image_free(&s.other);
    for (size_t n = strlen(path); n > strlen("d/kcore_dir"); n -= 2) {
        snprintf(path + n, sizeof path - n, "/f");
        assert_int_equal(unlink(path), 0);
        path[n] = 0;
        assert_int_equal(rmdir(path), 0);
        path[n - 2] = 0;
    }
    assert_int_equal(rmdir("d/kcore_dir") | unlink("d/data") | rmdir("d") | rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_beside_the_records),
                                       cmocka_unit_test(folders_inside_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
