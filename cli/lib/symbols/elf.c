/* SPDX-License-Identifier: MIT */
/* elf.c - see elf.h. ELF of 32 or 64 bits, in either byte order; nothing in it is believed. */
#include "elf_reading.h"
#include "cli/lib/memory.h"
#include "src/support/limits.h"
#include "src/support/text_scan.h"
#include "src/support/wrap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PT_LOAD = 1, PT_NOTE = 4, PF_X = 1, NT_BUILD_ID = 3, HEADER = 64 };

bool cli_elf_read_at(const struct cli_elf_reading *r, void *to, size_t n, uint64_t offset)
{
    uint8_t *at = to;
    while (n) {
        const ssize_t got = offset <= INT64_MAX ? pread(r->fd, at, n, (off_t)offset) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

/* Looks for the build id in a segment of notes. */
static void find_build_id(const struct cli_elf_reading *r, struct cli_elf *elf, uint64_t offset,
                          uint64_t size)
{
    const size_t n = size < PI_LIMIT_ELF_NOTES ? (size_t)size : PI_LIMIT_ELF_NOTES;
    uint8_t *notes = cli_malloc(n ? n : 1);
    if (notes && cli_elf_read_at(r, notes, n, offset)) {
        for (size_t at = 0; n - at >= 16;) {
            const uint64_t name = pi_load32(notes + at, r->order), desc = pi_load32(notes + at + 4, r->order);
            const uint64_t from = 12 + ((name + 3) & ~UINT64_C(3)), end = from + ((desc + 3) & ~UINT64_C(3));
            if (end > n - at)
                break;
            if (pi_load32(notes + at + 8, r->order) == NT_BUILD_ID && name == 4 && desc <= 20 &&
                memcmp(notes + at + 12, "GNU", 4) == 0) {
                pi_put_hex_bytes(elf->build_id, notes + at + from, (size_t)desc);
                break;
            }
            at += (size_t)end;
        }
    }
    free(notes);
}

static const char *take_headers(const struct cli_elf_reading *r, struct cli_elf *elf, const uint8_t *header)
{
    const uint64_t offset = cli_elf_load(r, header, 32, 28);
    const size_t each = pi_load16(header + (r->wide ? 54 : 42), r->order),
                 n = pi_load16(header + (r->wide ? 56 : 44), r->order), least = r->wide ? 56 : 32;
    if (each < least || n == 0)
        return "no program headers";
    elf->segments = cli_calloc(n, sizeof *elf->segments);
    if (elf->segments == NULL)
        return "no memory";
    for (size_t i = 0; i < n; i++) {
        uint8_t p[56];
        if (!cli_elf_read_at(r, p, least, offset + i * each))
            return "it ends inside its program headers";
        const uint32_t type = pi_load32(p, r->order);
        const struct pd_export_segment s = {.offset = cli_elf_load(r, p, 8, 4),
                                            .size = cli_elf_load(r, p, 32, 16),
                                            .vaddr = cli_elf_load(r, p, 16, 8),
                                            .executable = pi_load32(p + (r->wide ? 4 : 24), r->order) & PF_X};
        if (type == PT_LOAD)
            elf->segments[elf->n++] = s;
        else if (type == PT_NOTE && !*elf->build_id)
            find_build_id(r, elf, s.offset, s.size);
    }
    return NULL;
}

static const char *read_header(struct cli_elf_reading *r)
{
    if (!cli_elf_read_at(r, r->header, 52, 0) || memcmp(r->header, "\177ELF", 4) != 0)
        return "not an ELF file";
    r->wide = r->header[4] == 2;
    r->order = r->header[5] == 2 ? PD_BIG : PD_LITTLE;
    return r->wide && !cli_elf_read_at(r, r->header, HEADER, 0) ? "it ends inside its header" : NULL;
}

const char *cli_elf_open(struct cli_elf_reading *r, const char *path)
{
    struct stat st;
    *r = (struct cli_elf_reading){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (r->fd < 0)
        return "it cannot be opened";
    const char *why = fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode) ? read_header(r) : "not a plain file";
    if (why)
        close(r->fd);
    return why;
}

const char *cli_elf_read(struct cli_elf *elf, const char *path)
{
    struct cli_elf_reading r;
    *elf = (struct cli_elf){0};
    const char *why = cli_elf_open(&r, path);
    if (why)
        return why;
    why = take_headers(&r, elf, r.header);
    close(r.fd);
    if (why)
        cli_elf_free(elf);
    return why;
}

PI_WRAPS bool cli_elf_address(const struct cli_elf *elf, uint64_t offset, uint64_t *address)
{
    for (size_t i = 0; i < elf->n; i++) {
        const struct pd_export_segment *s = &elf->segments[i];
        if (offset >= s->offset && offset - s->offset < s->size) {
            *address = offset - s->offset + s->vaddr;
            return true;
        }
    }
    return false;
}

void cli_elf_free(struct cli_elf *elf)
{
    free(elf->segments);
    *elf = (struct cli_elf){0};
}
