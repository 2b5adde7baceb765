/* SPDX-License-Identifier: MIT */
/*
 * step.c - runs a program step by step and writes, as text for `perfdata encode`, the recording that a
 * processor with branch records would have made of it: its mappings, and samples with the last branches.
 *
 *     step EVERY COMMAND [ARGUMENT]...    a sample each EVERY branches
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH 32
#define PID 4242

static struct branch {
    uint64_t from, to;
    bool wrong;
} last[DEPTH];
static uint64_t n_branches, now = 1000;
static struct {
    uint64_t start, end;
} known[256];
static size_t n_known;

/* Can the instruction go elsewhere than to the next one? *length: of a conditional one, else 0. */
static bool is_branch(const uint8_t *code, uint64_t *length)
{
    size_t n = 0;
    while (n < 6 && (strchr("\x66\x67\x2e\x3e\xf2\xf3", code[n]) || (code[n] & 0xf0) == 0x40) && code[n])
        n++;
    const uint8_t op = code[n], next = code[n + 1];
    *length = 0;
    if ((op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0)
        *length = n + 2;
    else if (op == 0x0f && (next & 0xf0) == 0x80)
        *length = n + 6;
    else
        return op == 0xe8 || op == 0xe9 || op == 0xeb || op == 0xc2 || op == 0xc3 ||
               (op == 0xff && ((next >> 3 & 7) == 2 || (next >> 3 & 7) == 4));
    return true;
}

/* Writes the mappings that are new, if the address is in none that is known. */
static void learn(pid_t pid, uint64_t ip)
{
    char line[4096], path[64], file[4096], prot[8];
    uint64_t start, end, offset;
    for (size_t i = 0; i < n_known; i++)
        if (ip >= known[i].start && ip < known[i].end)
            return;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps)) {
        *file = 0;
        sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095s", &start, &end, prot, &offset,
               file);
        if (prot[2] != 'x' || ip < start || ip >= end || n_known == 256)
            continue;
        known[n_known].start = start;
        known[n_known++].end = end;
        printf("{\"record\":{\"type\":\"MMAP2\",\"attr\":0,\"misc\":\"cpumode=USER\",\"mmap2\":{\"pid\":%d,"
               "\"tid\":%d,\"addr\":\"0x%" PRIx64 "\",\"len\":\"0x%" PRIx64 "\",\"pgoff\":\"0x%" PRIx64
               "\",\"maj\":8,\"min\":1,\"ino\":\"%zu\",\"ino_generation\":\"0\",\"prot\":5,\"flags\":2,"
               "\"filename\":\"%s\"},\"sample_id\":{\"pid\":%d,\"tid\":%d,\"time\":\"%" PRIu64
               "\",\"identifier\":\"71\"}}}\n",
               PID, PID, start, end - start, offset, n_known, *file ? file : "//anon", PID, PID, now++);
    }
    if (maps)
        fclose(maps);
}

static void write_sample(uint64_t ip)
{
    printf("{\"record\":{\"type\":\"SAMPLE\",\"attr\":0,\"misc\":\"cpumode=USER\",\"sample\":{"
           "\"identifier\":\"71\",\"ip\":\"0x%" PRIx64 "\",\"pid\":%d,\"tid\":%d,\"time\":\"%" PRIu64
           "\",\"period\":\"1009\",\"branch_stack\":{\"entries\":[",
           ip, PID, PID, now++);
    for (uint64_t i = 0; i < DEPTH && i < n_branches; i++) {
        const struct branch *b = &last[(n_branches - 1 - i) % DEPTH];
        printf("%s{\"from\":\"0x%" PRIx64 "\",\"to\":\"0x%" PRIx64 "\",\"flags\":\"%s\"}", i ? "," : "",
               b->from, b->to, b->wrong ? "mispred" : "predicted");
    }
    printf("]}}}}\n");
}

static void step(pid_t pid, uint64_t every)
{
    struct user_regs_struct regs;
    uint64_t from = 0, length = 0;
    bool branch = false;
    for (int status; !ptrace(PTRACE_GETREGS, pid, NULL, &regs);) {
        uint8_t code[16] = {0};
        if (branch && regs.rip != from + length) {
            last[n_branches++ % DEPTH] = (struct branch){from, regs.rip, n_branches % 7 == 0};
            learn(pid, from);
            learn(pid, regs.rip);
            if (n_branches % every == 0)
                write_sample(regs.rip);
        }
        const struct iovec to = {code, 15}, at = {(void *)regs.rip, 15}; /* NOLINT */
        process_vm_readv(pid, &to, 1, &at, 1, 0);
        from = regs.rip;
        branch = is_branch(code, &length);
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) < 0 || WIFEXITED(status))
            return;
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        if (!freopen("/dev/null", "w", stdout))
            return 1;
        execv(argv[2], argv + 2);
        _exit(127);
    }
    printf("{\"header\":{\"container\":\"file\"}}\n"
           "{\"attr\":{\"type\":\"HARDWARE\",\"config\":0,\"sample_type\":\"IDENTIFIER|IP|TID|TIME|PERIOD|"
           "BRANCH_STACK\",\"branch_sample_type\":\"USER|ANY\",\"sample_period\":\"1009\","
           "\"flags\":\"sample_id_all|exclude_kernel|mmap|mmap2|comm\"},\"ids\":[\"71\"]}\n"
           "{\"record\":{\"type\":\"COMM\",\"attr\":0,\"misc\":\"comm_exec\",\"comm\":{\"pid\":%d,\"tid\":%d,"
           "\"comm\":\"stepped\"},\"sample_id\":{\"pid\":%d,\"tid\":%d,\"time\":\"1\",\"identifier\":\"71\"}}"
           "}\n",
           PID, PID, PID, PID);
    waitpid(pid, NULL, 0);
    step(pid, strtoull(argv[1], NULL, 10));
    fprintf(stderr, "%" PRIu64 " branches\n", n_branches);
    return 0;
}
