/*
 * live [PID]: samples as they happen. With a PID, of that process, from the kernel's ring buffer; without, of
 * the stream on standard input: perf record -o - PROGRAM | live. Exits with 77 if the kernel does not allow
 * it.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/push.h>
#include <perfdata/session/ring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES 16 /* a power of two */

static int fail(const struct pd_error *error)
{
    char text[300];
    pd_error_text(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

static int fail_system(const char *what)
{
    const int e = errno;
    perror(what);
    return e == EACCES || e == EPERM || e == ENOSYS || e == ENOENT ? 77 : 1;
}

static void print_sample(const struct pd_record *rec)
{
    const struct pd_sample *s = &rec->u.sample;
    if (rec->type != PD_RECORD_SAMPLE)
        return;
    printf("%" PRIu32 " %" PRIu64 " %" PRIx64 "\n", s->tid, s->time, s->ip);
    fflush(stdout);
}

/* The kernel hangs up when the process ends; what it wrote before is still in the ring. */
static int follow_ring(int fd, struct pd_ring *ring, const struct pd_attr_table *table)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    for (;;) {
        while ((code = pd_ring_next(ring, &rec, &error)) == PD_OK)
            if (pd_attr_table_decode(table, &rec, &error) == PD_OK)
                print_sample(&rec);
        if (code != PD_AGAIN)
            return fail(&error);
        if (ready.revents & POLLHUP)
            return 0;
        poll(&ready, 1, 100);
    }
}

static int follow_process(int pid)
{
    struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                           .size = PD_ATTR_SIZE_VER5,
                           .config = PD_SW_CPU_CLOCK,
                           .sample_freq = 1000,
                           .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME,
                           .wakeup_events = 1,
                           .flags = PD_ATTR_FREQ | PD_ATTR_EXCLUDE_KERNEL | PD_ATTR_EXCLUDE_HV};
    uint8_t bytes[PD_ATTR_SIZE_VER5];
    struct pd_attr_table *table = NULL;
    struct pd_ring_memory memory;
    struct pd_ring *ring = NULL;
    struct pd_error error;
    const size_t mapped = (1 + RING_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (pd_attr_encode(PD_HOST_ORDER, &attr, bytes, sizeof bytes, &error))
        return fail(&error);
    const int fd = (int)syscall(SYS_perf_event_open, bytes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return fail_system("perf_event_open");
    if (pd_attr_table_new(&table, PD_HOST_ORDER, NULL, &error) ||
        pd_attr_table_add(table, &attr, NULL, 0, &error) || pd_ring_memory_of(&memory, map, mapped, &error) ||
        pd_ring_open(&ring, &memory, table, NULL, &error))
        return fail(&error);
    const int status = follow_ring(fd, ring, table);
    pd_ring_close(ring);
    pd_attr_table_free(table);
    return status;
}

static int follow_stream(void)
{
    struct pd_push *push = NULL;
    struct pd_record rec = {0};
    struct pd_error error;
    char buf[65536];
    ssize_t n = 1;
    enum pd_code code = pd_push_open(&push, NULL, &error);
    while (!code && n > 0) {
        if ((n = read(STDIN_FILENO, buf, sizeof buf)) < 0)
            return fail_system("standard input");
        if (n == 0)
            pd_push_end(push);
        code = pd_push_bytes(push, buf, (size_t)n, &error);
        while (!code && (code = pd_push_next(push, &rec, &error)) == PD_OK)
            if (pd_reader_decode(pd_push_reader(push), &rec, NULL) == PD_OK)
                print_sample(&rec);
        code = code == PD_AGAIN ? PD_OK : code;
    }
    pd_push_close(push);
    return code == PD_END ? 0 : fail(&error);
}

int main(int argc, char **argv)
{
    const int pid = argc > 1 ? atoi(argv[1]) : 0;
    if (argc > 1 && pid < 1) {
        fprintf(stderr, "%s is no PID\n", argv[1]);
        return 2;
    }
    return argc > 1 ? follow_process(pid) : follow_stream();
}
