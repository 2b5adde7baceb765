/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/regs.h - the names of sampled registers.
 *
 * Bit n of sample_regs_user and sample_regs_intr stands for a register that depends on the architecture of
 * the machine that recorded, which the features ARCH (a name) and E_MACHINE (a number) tell.
 */
#ifndef PERFDATA_SESSION_REGS_H
#define PERFDATA_SESSION_REGS_H

#include <perfdata/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_arch {
    PD_ARCH_UNKNOWN, /* registers have no names */
    PD_ARCH_X86,     /* 32-bit and 64-bit */
    PD_ARCH_ARM,
    PD_ARCH_ARM64,
    PD_ARCH_RISCV,
    PD_ARCH_POWERPC,
    PD_ARCH_S390,
    PD_ARCH_MIPS,
    PD_ARCH_LOONGARCH,
    PD_ARCH_CSKY,
    PD_ARCH_MAX
};

/* By the machine name of uname ("x86_64", "armv7l", "ppc64le", …), or by a name that pd_arch_name() gives. */
PD_EXPERIMENTAL enum pd_arch pd_arch_from_name(const char *name);

/* By the e_machine number of an ELF file. */
PD_EXPERIMENTAL enum pd_arch pd_arch_from_machine(uint32_t e_machine);

/* "x86", "arm", …; NULL for PD_ARCH_UNKNOWN. */
PD_EXPERIMENTAL const char *pd_arch_name(enum pd_arch arch);

/* "SP"; NULL: the bit stands for no register. */
PD_EXPERIMENTAL const char *pd_reg_name(enum pd_arch arch, unsigned bit);

/*
 * The same for the abi of a sample: with PD_REGS_SIMD in it, some bits stand for other registers
 * ("R16" in place of "XMM0").
 */
PD_EXPERIMENTAL const char *pd_reg_name_of_abi(enum pd_arch arch, uint64_t abi, unsigned bit);

/*
 * The bit of a register, whose name compares without case; -1 when there is none of the name. Of any abi: no
 * two registers share one.
 */
PD_EXPERIMENTAL int pd_reg_from_name(enum pd_arch arch, const char *name);

#ifdef __cplusplus
}
#endif
#endif
