/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/mappings.h - a mapping of a process or the kernel, and the frames of a call chain, which
 * are in mappings. The mappings at a moment come from perfdata/session/session.h.
 */
#ifndef PERFDATA_SESSION_MAPPINGS_H
#define PERFDATA_SESSION_MAPPINGS_H

#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_mapping_kind {
    PD_MAPPING_FILE,   /* of a file */
    PD_MAPPING_VDSO,   /* code that the kernel gives each process: [vdso], [vsyscall], … */
    PD_MAPPING_ANON,   /* memory without a file: [heap], [stack], //anon, /dev/zero, huge pages, /SYSV… */
    PD_MAPPING_JIT,    /* the same, executable; or a file that perf inject --jit wrote */
    PD_MAPPING_KERNEL, /* the kernel itself */
    PD_MAPPING_MODULE, /* of the kernel; also its trampolines, if they have a mapping of their own */
    PD_MAPPING_SYMBOL, /* code that the kernel made (KSYMBOL): `file` is the symbol */
};

/*
 * The content of an MMAP, MMAP2 or KSYMBOL record. New fields may follow in a later version: never allocate
 * one.
 */
struct pd_mapping {
    enum pd_mapping_kind kind;
    uint32_t pid;     /* process in the record; UINT32_MAX: the kernel */
    uint64_t start;   /* first address; a later mapping may have replaced a part */
    uint64_t size;    /* bytes; 0 with KERNEL: up to the last address */
    uint64_t pgoff;   /* byte of the file at `start`; KERNEL: the address of the symbol in `file`'s name */
    const char *file; /* as recorded, with a NUL */
    uint32_t file_len;
    uint32_t maj, min; /* device, of MMAP2 without a build id; else 0 */
    uint32_t prot;     /* PD_PROT_…; of MMAP2, else 0 */
    uint32_t flags;    /* PD_MAP_…; of MMAP2, else 0 */
    uint64_t ino, ino_generation;
    uint8_t build_id_size; /* bytes in build_id; 0: the record had none */
    uint8_t build_id[20];
    uint32_t number; /* small, and different from that of any other current mapping */
    uint32_t tag;    /* the result of pd_session_options.tag */
};

/*
 * The offset in the file of an address of the mapping. For the kernel, symbols and memory without a file it
 * is the address itself, by which symbols are looked up.
 */
PD_EXPERIMENTAL uint64_t pd_mapping_offset(const struct pd_mapping *mapping, uint64_t address);

/*
 * perf's name of a mapping: "[kernel.kallsyms]", a module's as "[xfs]", "/tmp/perf-PID.map" for memory
 * without a file, else `file`. Writes at most cap bytes with the NUL, and returns the whole length.
 */
PD_EXPERIMENTAL size_t pd_mapping_dso(const struct pd_mapping *mapping, char *buf, size_t cap);

/*
 * perf report's name of a mapping: the last part of pd_mapping_dso()'s, or "[JIT] tid PID" for
 * /tmp/perf-PID.map. Writes as that.
 */
PD_EXPERIMENTAL size_t pd_mapping_short_name(const struct pd_mapping *mapping, char *buf, size_t cap);

/* ---- Call chains */

/*
 * The frames of a call chain, leaf first, without the markers (PD_CONTEXT_…) that tell their mode. None if a
 * marker is unknown: perf takes such a chain for a damaged one, and discards all of it.
 */
struct pd_frames {
    struct pd_vec ips;
    size_t next;
    unsigned cpumode; /* of the next frames: enum cpumode */
};

/* Frames before the first marker are the user's, as in perf. */
PD_EXPERIMENTAL_INLINE void pd_frames_begin(struct pd_frames *frames, const struct pd_vec *ips)
{
    frames->ips = *ips;
    frames->next = 0;
    frames->cpumode = 2; /* PD_CPUMODE_USER */
}

/* The next frame and its mode (enum cpumode). False: there is none. */
PD_EXPERIMENTAL bool pd_frames_next(struct pd_frames *frames, uint64_t *ip, unsigned *cpumode);

#ifdef __cplusplus
}
#endif
#endif
