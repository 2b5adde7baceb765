/* SPDX-License-Identifier: MIT */
/* regs.c - register names. Numbers and names written by hand; those of x86 are compared with the kernel's
 * header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <elf.h>
#if defined(__x86_64__) || defined(__i386__)
#include <asm/perf_regs.h>
#endif

#include <cmocka.h>

#include <perfdata/constants.h>
#include <perfdata/session/regs.h>

static const struct {
    enum pd_arch arch;
    const char *regs[64];
} expected[] = {
    {PD_ARCH_X86,
     {"AX",    "BX",         "CX",    "DX",         "SI",    "DI",         "BP",    "SP",
      "IP",    "FLAGS",      "CS",    "SS",         "DS",    "ES",         "FS",    "GS",
      "R8",    "R9",         "R10",   "R11",        "R12",   "R13",        "R14",   "R15",
      NULL,    NULL,         NULL,    NULL,         NULL,    NULL,         NULL,    NULL,
      "XMM0",  "XMM0_HIGH",  "XMM1",  "XMM1_HIGH",  "XMM2",  "XMM2_HIGH",  "XMM3",  "XMM3_HIGH",
      "XMM4",  "XMM4_HIGH",  "XMM5",  "XMM5_HIGH",  "XMM6",  "XMM6_HIGH",  "XMM7",  "XMM7_HIGH",
      "XMM8",  "XMM8_HIGH",  "XMM9",  "XMM9_HIGH",  "XMM10", "XMM10_HIGH", "XMM11", "XMM11_HIGH",
      "XMM12", "XMM12_HIGH", "XMM13", "XMM13_HIGH", "XMM14", "XMM14_HIGH", "XMM15", "XMM15_HIGH"}},
    {PD_ARCH_ARM,
     {"R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "FP", "IP", "SP", "LR", "PC"}},
    {PD_ARCH_ARM64, {"X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",  "X8",  "X9",       "X10", "X11",
                     "X12", "X13", "X14", "X15", "X16", "X17", "X18", "X19", "X20", "X21",      "X22", "X23",
                     "X24", "X25", "X26", "X27", "X28", "X29", "LR",  "SP",  "PC",  [46] = "VG"}},
    {PD_ARCH_RISCV,
     {"PC", "RA", "SP", "GP", "TP", "T0", "T1", "T2", "S0", "S1", "A0",  "A1",  "A2", "A3", "A4", "A5",
      "A6", "A7", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "T3", "T4", "T5", "T6"}},
    {PD_ARCH_POWERPC,
     {"R0",    "R1",   "R2",    "R3",   "R4",      "R5",    "R6",    "R7",    "R8",    "R9",
      "R10",   "R11",  "R12",   "R13",  "R14",     "R15",   "R16",   "R17",   "R18",   "R19",
      "R20",   "R21",  "R22",   "R23",  "R24",     "R25",   "R26",   "R27",   "R28",   "R29",
      "R30",   "R31",  "NIP",   "MSR",  "ORIG_R3", "CTR",   "LINK",  "XER",   "CCR",   "SOFTE",
      "TRAP",  "DAR",  "DSISR", "SIER", "MMCRA",   "MMCR0", "MMCR1", "MMCR2", "MMCR3", "SIER2",
      "SIER3", "PMC1", "PMC2",  "PMC3", "PMC4",    "PMC5",  "PMC6",  "SDAR",  "SIAR"}},
    {PD_ARCH_S390, {"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
                    "R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
                    "FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC"}},
    {PD_ARCH_MIPS, {"PC",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",  "R7",  "R8",  "R9",  "R10",
                    "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20", "R21",
                    "R22", "R23", "R24", "R25", "R26", "R27", "R28", "R29", "R30", "R31"}},
    {PD_ARCH_LOONGARCH, {"PC",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",  "R7",  "R8",  "R9",  "R10",
                         "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20", "R21",
                         "R22", "R23", "R24", "R25", "R26", "R27", "R28", "R29", "R30", "R31"}},
    {PD_ARCH_CSKY,
     {"TLS",      "LR",       "PC",       "SR",      "SP",      "ORIG_A0", "A0",       "A1",
      "A2",       "A3",       "REGS0",    "REGS1",   "REGS2",   "REGS3",   "REGS4",    "REGS5",
      "REGS6",    "REGS7",    "REGS8",    "REGS9",   "EXREGS0", "EXREGS1", "EXREGS2",  "EXREGS3",
      "EXREGS4",  "EXREGS5",  "EXREGS6",  "EXREGS7", "EXREGS8", "EXREGS9", "EXREGS10", "EXREGS11",
      "EXREGS12", "EXREGS13", "EXREGS14", "HI",      "LO",      "DCSR"}},
};

static void registers_have_their_names(void **state)
{
    (void)state;
    assert_int_equal(sizeof expected / sizeof *expected, PD_ARCH_MAX - 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const enum pd_arch arch = expected[i].arch;
        for (unsigned bit = 0; bit < 64; bit++) {
            const char *name = expected[i].regs[bit];
            if (!name) {
                assert_null(pd_reg_name(arch, bit));
                continue;
            }
            assert_non_null(pd_reg_name(arch, bit));
            assert_string_equal(pd_reg_name(arch, bit), name);
            assert_int_equal(pd_reg_from_name(arch, name), bit);
        }
        assert_null(pd_reg_name(arch, 64));
        assert_null(pd_reg_name(arch, UINT32_MAX));
    }
}

/*
 * An abi with SIMD has extended general registers, and the shadow stack, in place of XMM registers:
 * asm/perf_regs.h of 2026.
 */
static void simd_has_others(void **state)
{
    static const uint64_t abis[] = {PD_REGS_SIMD, PD_REGS_ABI_32_SIMD, PD_REGS_ABI_64_SIMD};
    char name[8];
    (void)state;
    for (size_t i = 0; i < sizeof abis / sizeof *abis; i++) {
        for (unsigned bit = 0; bit < 24; bit++)
            assert_ptr_equal(pd_reg_name_of_abi(PD_ARCH_X86, abis[i], bit), pd_reg_name(PD_ARCH_X86, bit));
        for (unsigned bit = 24; bit < 40; bit++) {
            snprintf(name, sizeof name, "R%u", bit - 8);
            assert_string_equal(pd_reg_name_of_abi(PD_ARCH_X86, abis[i], bit), name);
            assert_int_equal(pd_reg_from_name(PD_ARCH_X86, name), bit);
        }
        assert_string_equal(pd_reg_name_of_abi(PD_ARCH_X86, abis[i], 40), "SSP");
        assert_int_equal(pd_reg_from_name(PD_ARCH_X86, "ssp"), 40);
        for (unsigned bit = 41; bit < 66; bit++)
            assert_null(pd_reg_name_of_abi(PD_ARCH_X86, abis[i], bit));
        assert_string_equal(pd_reg_name_of_abi(PD_ARCH_ARM64, abis[i], 46), "VG");
        assert_null(pd_reg_name_of_abi(PD_ARCH_UNKNOWN, abis[i], 0));
    }
    assert_string_equal(pd_reg_name_of_abi(PD_ARCH_X86, PD_REGS_ABI_64, 40), "XMM4");
    assert_null(pd_reg_name_of_abi(PD_ARCH_X86, PD_REGS_ABI_64, 24));
    assert_string_equal(pd_reg_name_of_abi(PD_ARCH_X86, 0, 32), "XMM0");
}

static void names_compare_without_case(void **state)
{
    (void)state;
    assert_int_equal(pd_reg_from_name(PD_ARCH_X86, "flags"), 9);
    assert_int_equal(pd_reg_from_name(PD_ARCH_ARM64, "x29"), 29);
    assert_int_equal(pd_reg_from_name(PD_ARCH_POWERPC, "orig_r3"), 34);
    assert_int_equal(pd_reg_from_name(PD_ARCH_POWERPC, "Siar"), 58);
}

static void unknown_names_have_no_bit(void **state)
{
    (void)state;
    assert_int_equal(pd_reg_from_name(PD_ARCH_X86, ""), -1);
    assert_int_equal(pd_reg_from_name(PD_ARCH_X86, "A"), -1);
    assert_int_equal(pd_reg_from_name(PD_ARCH_X86, "AXX"), -1);
    assert_int_equal(pd_reg_from_name(PD_ARCH_X86, "R32"), -1);
    assert_int_equal(pd_reg_from_name(PD_ARCH_MIPS, "R0"), -1);
    assert_int_equal(pd_reg_from_name(PD_ARCH_UNKNOWN, "PC"), -1);
    assert_int_equal(pd_reg_from_name(PD_ARCH_MAX, "PC"), -1);
    assert_null(pd_reg_name(PD_ARCH_UNKNOWN, 0));
    assert_null(pd_reg_name(PD_ARCH_MAX, 0));
    assert_null(pd_reg_name((enum pd_arch)1000, 0));
}

#if defined(__x86_64__) || defined(__i386__)
#define SAME(bit_, name_) assert_string_equal(pd_reg_name(PD_ARCH_X86, PERF_REG_X86_##bit_), name_)

static void x86_is_the_kernels(void **state)
{
    (void)state;
    SAME(AX, "AX");
    SAME(BX, "BX");
    SAME(CX, "CX");
    SAME(DX, "DX");
    SAME(SI, "SI");
    SAME(DI, "DI");
    SAME(BP, "BP");
    SAME(SP, "SP");
    SAME(IP, "IP");
    SAME(FLAGS, "FLAGS");
    SAME(CS, "CS");
    SAME(SS, "SS");
    SAME(DS, "DS");
    SAME(ES, "ES");
    SAME(FS, "FS");
    SAME(GS, "GS");
    SAME(R8, "R8");
    SAME(R15, "R15");
    SAME(XMM0, "XMM0");
    SAME(XMM7, "XMM7");
    SAME(XMM15, "XMM15");
    assert_int_equal(pd_reg_from_name(PD_ARCH_X86, "XMM15_HIGH"), PERF_REG_X86_XMM15 + 1);
}
#endif

static void machines_have_an_architecture(void **state)
{
    static const struct {
        const char *name;
        enum pd_arch arch;
    } names[] = {
        {"x86_64", PD_ARCH_X86},      {"i386", PD_ARCH_X86},
        {"i486", PD_ARCH_X86},        {"i586", PD_ARCH_X86},
        {"i686", PD_ARCH_X86},        {"aarch64", PD_ARCH_ARM64},
        {"arm64", PD_ARCH_ARM64},     {"aarch64_be", PD_ARCH_ARM64},
        {"armv7l", PD_ARCH_ARM},      {"armv6l", PD_ARCH_ARM},
        {"armv5tejl", PD_ARCH_ARM},   {"armv8l", PD_ARCH_ARM},
        {"ppc", PD_ARCH_POWERPC},     {"ppc64", PD_ARCH_POWERPC},
        {"ppc64le", PD_ARCH_POWERPC}, {"s390", PD_ARCH_S390},
        {"s390x", PD_ARCH_S390},      {"riscv32", PD_ARCH_RISCV},
        {"riscv64", PD_ARCH_RISCV},   {"mips", PD_ARCH_MIPS},
        {"mips64", PD_ARCH_MIPS},     {"loongarch64", PD_ARCH_LOONGARCH},
        {"csky", PD_ARCH_CSKY},       {"", PD_ARCH_UNKNOWN},
        {"sparc64", PD_ARCH_UNKNOWN}, {"alpha", PD_ARCH_UNKNOWN},
        {"ar", PD_ARCH_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(pd_arch_from_name(names[i].name), names[i].arch);
}

static void elf_numbers_have_an_architecture(void **state)
{
    (void)state;
    assert_int_equal(pd_arch_from_machine(EM_386), PD_ARCH_X86);
    assert_int_equal(pd_arch_from_machine(EM_X86_64), PD_ARCH_X86);
    assert_int_equal(pd_arch_from_machine(EM_ARM), PD_ARCH_ARM);
    assert_int_equal(pd_arch_from_machine(EM_AARCH64), PD_ARCH_ARM64);
    assert_int_equal(pd_arch_from_machine(EM_RISCV), PD_ARCH_RISCV);
    assert_int_equal(pd_arch_from_machine(EM_PPC), PD_ARCH_POWERPC);
    assert_int_equal(pd_arch_from_machine(EM_PPC64), PD_ARCH_POWERPC);
    assert_int_equal(pd_arch_from_machine(EM_S390), PD_ARCH_S390);
    assert_int_equal(pd_arch_from_machine(EM_MIPS), PD_ARCH_MIPS);
    assert_int_equal(pd_arch_from_machine(EM_MIPS_RS3_LE), PD_ARCH_MIPS);
    assert_int_equal(pd_arch_from_machine(258), PD_ARCH_LOONGARCH); /* newer than some elf.h */
    assert_int_equal(pd_arch_from_machine(EM_CSKY), PD_ARCH_CSKY);
    assert_int_equal(pd_arch_from_machine(EM_NONE), PD_ARCH_UNKNOWN);
    assert_int_equal(pd_arch_from_machine(EM_SPARC), PD_ARCH_UNKNOWN);
    assert_int_equal(pd_arch_from_machine(UINT32_MAX), PD_ARCH_UNKNOWN);
}

static void architectures_have_names(void **state)
{
    (void)state;
    assert_string_equal(pd_arch_name(PD_ARCH_X86), "x86");
    assert_string_equal(pd_arch_name(PD_ARCH_LOONGARCH), "loongarch");
    assert_null(pd_arch_name(PD_ARCH_UNKNOWN));
    assert_null(pd_arch_name(PD_ARCH_MAX));
    for (int arch = PD_ARCH_UNKNOWN + 1; arch < PD_ARCH_MAX; arch++)
        assert_int_equal(pd_arch_from_name(pd_arch_name((enum pd_arch)arch)), arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_their_names),
        cmocka_unit_test(simd_has_others),
        cmocka_unit_test(names_compare_without_case),
        cmocka_unit_test(unknown_names_have_no_bit),
#if defined(__x86_64__) || defined(__i386__)
        cmocka_unit_test(x86_is_the_kernels),
#endif
        cmocka_unit_test(machines_have_an_architecture),
        cmocka_unit_test(elf_numbers_have_an_architecture),
        cmocka_unit_test(architectures_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
