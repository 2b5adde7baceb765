/* SPDX-License-Identifier: MIT */
/* threads.c - readers and writers in parallel threads do not disturb each other: there is no common state. */
#include "digest.h"
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <perfdata/ops/rewrite.h>
#include <perfdata/writer.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 8
#define ROUNDS 20

struct job {
    struct image im;
    struct digest want, got;
    uint64_t hash_of_writing; /* of the bytes written again */
    bool failed;
};

static void make_job(struct job *j, unsigned i)
{
    *j = (struct job){0};
    image_recording(&j->im, i % 2);
    j->im.n = j->im.table;
    for (uint64_t k = 0; k < 300 + 10 * i; k++)
        image_sample0(&j->im, 11, k * i, k);
    if (i % 3 == 0) /* errors, too, are each thread's own */
        image_set(&j->im, j->im.n - 88 * 100 + 6, i, 2);
    image_section(&j->im, IMAGE_DATA, j->im.data, j->im.n - j->im.data);
    image_features(&j->im);
}

static int hash_write(void *user, const void *bytes, size_t n)
{
    digest_bytes(user, bytes, n);
    return 0;
}

static void run_job(struct job *j)
{
    const struct pd_rewrite_options options = {.size = sizeof options, .reencode = true};
    struct digest written = {0};
    const struct pd_sink sink = {.write = hash_write, .user = &written};
    struct pd_reader *r;
    j->failed |= pd_reader_open_memory(&r, j->im.b, j->im.n, NULL, NULL) != PD_OK;
    if (j->failed)
        return;
    j->got = digest_reader(r);
    j->failed |= pd_rewrite(r, &sink, &options, NULL, NULL) != PD_OK;
    j->hash_of_writing = written.hash;
    pd_reader_close(r);
}

static void *run_rounds(void *user)
{
    struct job *j = user;
    const uint64_t hash = j->hash_of_writing;
    for (unsigned i = 0; i < ROUNDS; i++) {
        run_job(j);
        j->failed |=
            j->got.hash != j->want.hash || j->got.records != j->want.records || j->got.code != j->want.code;
        j->failed |= j->got.error.offset != j->want.error.offset || j->hash_of_writing != hash;
    }
    return NULL;
}

static void parallel_readers(void **state)
{
    static struct job jobs[THREADS];
    pthread_t threads[THREADS];
    struct digest plain;
    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        make_job(&jobs[i], i);
        run_job(&jobs[i]); /* alone */
        assert_false(jobs[i].failed);
        jobs[i].want = jobs[i].got;
        assert_int_equal(jobs[i].want.code, i % 3 ? PD_END : PD_ESIZE);
        plain = (struct digest){0};
        digest_bytes(&plain, jobs[i].im.b, jobs[i].im.n);
        assert_true(plain.hash == jobs[i].hash_of_writing);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_rounds, &jobs[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_false(jobs[i].failed);
        image_free(&jobs[i].im);
    }
}

/* One reader, passed from thread to thread. */
struct relay {
    struct pd_reader *r;
    struct pd_record rec;
    uint64_t records;
};

static void *read_some(void *user)
{
    struct relay *relay = user;
    for (unsigned i = 0; i < 50 && pd_reader_next(relay->r, &relay->rec, NULL) == PD_OK; i++)
        relay->records += pd_reader_decode(relay->r, &relay->rec, NULL) == PD_OK;
    return NULL;
}

static void a_reader_may_move(void **state)
{
    struct job j;
    struct relay relay = {0};
    (void)state;
    make_job(&j, 1);
    run_job(&j);
    assert_int_equal(pd_reader_open_memory(&relay.r, j.im.b, j.im.n, NULL, NULL), PD_OK);
    for (unsigned i = 0; i < 10; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, read_some, &relay), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(relay.records, j.got.decoded);
    pd_reader_close(relay.r);
    image_free(&j.im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_readers),
        cmocka_unit_test(a_reader_may_move),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
