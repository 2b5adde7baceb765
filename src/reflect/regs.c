/* SPDX-License-Identifier: MIT */
/* regs.c - the tables of src/schema/regs.def. */
#include <perfdata/constants.h>
#include <perfdata/session/regs.h>

#include "src/support/text_scan.h"

#define MAX_REGS 64 /* bits of a mask */

struct arch {
    const char *name;
    const char *const *regs; /* by bit */
    const char *const *simd; /* by bit, where an abi with SIMD has others */
};

#define UNAME(id_, prefix_)
#define MACHINE(id_, number_, doc_)

/* clang-format off */

/* The registers of each architecture. */
#define ARCH(id_, name_, doc_) static const char *const regs_##id_[MAX_REGS] = {
#define REG(bit_, name_) [bit_] = #name_,
#define SIMD_REG(bit_, name_)
#define END(id_) };
#include "src/schema/regs.def"
#undef ARCH
#undef REG
#undef SIMD_REG
#undef END

/* Those of an abi with SIMD. */
#define ARCH(id_, name_, doc_) static const char *const simd_##id_[MAX_REGS] = {
#define REG(bit_, name_)
#define SIMD_REG(bit_, name_) [bit_] = #name_,
#define END(id_) };
#include "src/schema/regs.def"
#undef ARCH
#undef SIMD_REG
#undef END
#define SIMD_REG(bit_, name_)

/* clang-format on */

/* The architectures. */
#define ARCH(id_, name_, doc_) [PD_ARCH_##id_] = {name_, regs_##id_, simd_##id_},
#define END(id_)
static const struct arch arches[PD_ARCH_MAX] = {
#include "src/schema/regs.def"
};
#undef ARCH
#undef UNAME
#define ARCH(id_, name_, doc_)

/* Their other names. */
#define UNAME(id_, prefix_) {prefix_, PD_ARCH_##id_},
static const struct uname {
    const char *prefix;
    enum pd_arch arch;
} unames[] = {
#include "src/schema/regs.def"
};
#undef UNAME
#undef MACHINE
#define UNAME(id_, prefix_)

/* Their numbers. */
#define MACHINE(id_, number_, doc_) {number_, PD_ARCH_##id_},
static const struct machine {
    uint32_t number;
    enum pd_arch arch;
} machines[] = {
#include "src/schema/regs.def"
};
#undef ARCH
#undef UNAME
#undef MACHINE
#undef REG
#undef SIMD_REG
#undef END

enum pd_arch pd_arch_from_name(const char *name)
{
    for (size_t i = 0; i < sizeof unames / sizeof *unames; i++) {
        if (strncmp(name, unames[i].prefix, strlen(unames[i].prefix)) == 0)
            return unames[i].arch;
    }
    return PD_ARCH_UNKNOWN;
}

enum pd_arch pd_arch_from_machine(uint32_t e_machine)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (machines[i].number == e_machine)
            return machines[i].arch;
    }
    return PD_ARCH_UNKNOWN;
}

/* An enum may hold a number that is none of its names. */
static const struct arch *get_arch(enum pd_arch arch)
{
    return (unsigned)arch < PD_ARCH_MAX && arches[arch].name ? &arches[arch] : NULL;
}

const char *pd_arch_name(enum pd_arch arch)
{
    const struct arch *a = get_arch(arch);

    return a ? a->name : NULL;
}

const char *pd_reg_name(enum pd_arch arch, unsigned bit)
{
    const struct arch *a = get_arch(arch);

    return a && bit < MAX_REGS ? a->regs[bit] : NULL;
}

/* With SIMD registers, all bits from the first of these on are theirs; where none is, there is no name. */
const char *pd_reg_name_of_abi(enum pd_arch arch, uint64_t abi, unsigned bit)
{
    const struct arch *a = get_arch(arch);

    if (!a || bit >= MAX_REGS || !(abi & PD_REGS_SIMD))
        return pd_reg_name(arch, bit);
    for (unsigned before = 0; before <= bit; before++)
        if (a->simd[before])
            return a->simd[bit];
    return a->regs[bit];
}

int pd_reg_from_name(enum pd_arch arch, const char *name)
{
    const struct pi_slice text = {name, strlen(name)};

    for (unsigned bit = 0; bit < MAX_REGS; bit++) {
        const char *reg = pd_reg_name(arch, bit), *simd = pd_reg_name_of_abi(arch, PD_REGS_SIMD, bit);
        if ((reg && pi_slice_is(text, reg)) || (simd && pi_slice_is(text, simd)))
            return (int)bit;
    }
    return -1;
}
