/*
 * recorder OUTPUT: a perf record of itself. It samples its own time on the cpu, decodes the kernel's ring
 * buffer while it runs, and writes a file for perf report. Exits with 77 if the kernel does not allow it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <perfdata/perfdata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_PAGES 4 /* a power of two */

struct recorder {
    struct pd_attr attr;
    struct pd_plan plan;
    struct pd_writer *w;
    struct pd_error error;
    struct perf_event_mmap_page *control;
    const uint8_t *ring;
    size_t ring_size;
    uint64_t samples, lost, others;
    int fd;
};

static void fail(const struct pd_error *error)
{
    char text[300];
    pd_error_text(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void put_record(struct recorder *r, const struct pd_record *rec)
{
    if (pd_writer_record(r->w, rec, &r->error) != PD_OK)
        fail(&r->error);
}

/* The kernel takes the attr as the bytes that a file has, too. */
static void open_event(struct recorder *r)
{
    uint8_t bytes[PD_ATTR_SIZE_VER5];
    r->attr = (struct pd_attr){
        .type = PD_TYPE_SOFTWARE,
        .size = sizeof bytes,
        .config = PD_SW_CPU_CLOCK,
        .sample_period = 500000, /* ns; a frequency may be above what the kernel allows at the moment */
        .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_PERIOD,
        .flags = PD_ATTR_DISABLED | PD_ATTR_EXCLUDE_KERNEL | PD_ATTR_EXCLUDE_HV | PD_ATTR_MMAP |
                 PD_ATTR_MMAP2 | PD_ATTR_COMM | PD_ATTR_SAMPLE_ID_ALL};
    if (pd_attr_encode(PD_HOST_ORDER, &r->attr, bytes, sizeof bytes, &r->error) != PD_OK)
        fail(&r->error);
    r->fd = (int)syscall(SYS_perf_event_open, bytes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (r->fd < 0) {
        perror("perf_event_open");
        exit(errno == EACCES || errno == EPERM || errno == ENOSYS || errno == ENOENT ? 77 : 1);
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *map = mmap(NULL, (1 + RING_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (map == MAP_FAILED) {
        perror("mmap");
        exit(errno == EPERM ? 77 : 1);
    }
    r->control = map;
    r->ring = (const uint8_t *)map + page;
    r->ring_size = RING_PAGES * page;
    pd_plan_init(&r->plan, &r->attr, PD_HOST_ORDER);
}

/* Records of the state before the event: the name and the code of this process. */
static void put_self(struct recorder *r)
{
    const uint32_t pid = (uint32_t)getpid();
    char line[4400], perms[5], name[4096];
    struct pd_record comm = {.type = PD_RECORD_COMM, .u.comm = {.pid = pid, .tid = pid}};
    comm.u.comm.comm = PD_STR(program_invocation_short_name);
    put_record(r, &comm);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        struct pd_mmap2 m = {.pid = pid, .tid = pid, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE};
        uint64_t end;
        const int n =
            sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %4095s",
                   &m.addr, &end, perms, &m.pgoff, &m.maj, &m.min, &m.ino, name);
        if (n != 8 || perms[2] != 'x')
            continue;
        m.len = end - m.addr;
        m.filename = PD_STR(name);
        put_record(r, &(struct pd_record){.type = PD_RECORD_MMAP2, .misc = PD_CPUMODE_USER, .u.mmap2 = m});
    }
    if (maps)
        fclose(maps);
}

/* A record as consecutive bytes: where the ring wraps around, in `buf`. */
static const uint8_t *record_at(const struct recorder *r, uint64_t at, size_t n, uint8_t *buf)
{
    const size_t begin = (size_t)(at & (r->ring_size - 1)), left = r->ring_size - begin;
    if (n <= left)
        return r->ring + begin;
    memcpy(buf, r->ring + begin, left);
    memcpy(buf + left, r->ring, n - left);
    return buf;
}

/* Takes all records that are in the ring buffer. */
static void drain(struct recorder *r)
{
    static uint8_t buf[UINT16_MAX + 1];
    struct pd_record rec = {0};
    const uint64_t head = __atomic_load_n(&r->control->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = r->control->data_tail;
    for (; tail < head; tail += rec.size) {
        const size_t most = head - tail < sizeof buf ? (size_t)(head - tail) : sizeof buf;
        const uint8_t *bytes = record_at(r, tail, most, buf);
        if (pd_record_decode(&r->plan, bytes, most, &rec, &r->error) != PD_OK)
            fail(&r->error);
        r->samples += rec.type == PD_RECORD_SAMPLE;
        r->lost += rec.type == PD_RECORD_LOST ? rec.u.lost.lost : 0;
        r->others += rec.type != PD_RECORD_SAMPLE;
        put_record(r, &rec);
    }
    __atomic_store_n(&r->control->data_tail, tail, __ATOMIC_RELEASE);
}

__attribute__((noinline)) static uint64_t busy(uint64_t seed)
{
    for (int i = 0; i < 1000000; i++)
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed;
}

int main(int argc, char **argv)
{
    struct recorder r = {0};
    volatile uint64_t result = 1;
    open_event(&r);
    if (pd_writer_create(&r.w, argc > 1 ? argv[1] : "recorded.data", NULL, &r.error) != PD_OK ||
        pd_writer_attr(r.w, &r.attr, NULL, 0, &r.error) != PD_OK)
        fail(&r.error);
    put_self(&r);
    ioctl(r.fd, PERF_EVENT_IOC_ENABLE, 0);
    for (const clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end; drain(&r))
        result = busy(result);
    ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
    drain(&r);
    if (pd_writer_finish(r.w, &r.error) != PD_OK)
        fail(&r.error);
    pd_writer_close(r.w);
    printf("%" PRIu64 " samples, %" PRIu64 " other records, %" PRIu64 " samples lost\n", r.samples, r.others,
           r.lost);
}
