/* SPDX-License-Identifier: MIT */
/* gen_format_doc.c - prints docs/FORMAT.md: every layout and every set of names of the schema, as tables. */
#include "gen.h"
#include "src/schema/schema.h"
#include <perfdata/constants.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* A place in a layout, as long as it does not depend on anything. */
struct place {
    size_t at;
    bool known;
};

/* The conditions around a line. */
struct conditions {
    const struct pd_op *op[8];
    size_t n;
};

struct doc {
    FILE *out;
    struct place place;
    struct conditions when;
};

static const char head[] =
    "# The perf.data format\n"
    "\n"
    "Generated from `src/schema/` by `perfdata_gen format-doc`; do not edit. What is written here is\n"
    "what the library reads and writes, as both come from the same description.\n"
    "\n"
    "## How to read the tables\n"
    "\n"
    "Integers are stored in the byte order of the machine that recorded, without alignment beyond\n"
    "what the tables show. Offsets count from the first byte of the record or structure; `…` is a\n"
    "place that depends on what comes before it. Every record begins with\n"
    "\n"
    "| offset | type | name | meaning |\n"
    "| ---: | --- | --- | --- |\n"
    "| 0 | u32 | type | [record_type](#set-record_type) |\n"
    "| 4 | u16 | misc | bits; the set is named with each record |\n"
    "| 6 | u16 | size | bytes of the record, these 8 included |\n"
    "\n"
    "and ends, where that is said, with a [sample_id](#part-sample_id) if the event's attr has the\n"
    "flag `sample_id_all`. Bytes between the last field and the sample_id come from newer writers and\n"
    "are kept (`rest`). Records of types that are not listed are kept as they are.\n"
    "\n"
    "| type | is |\n"
    "| --- | --- |\n"
    "| u8 u16 u32 u64 s32 | an integer |\n"
    "| bits32 bits64 | an integer made of bitfields; big-endian machines allocate them from the top bit |\n"
    "| bytes[n] | n bytes, never swapped |\n"
    "| bytes | all bytes that are left |\n"
    "| string | text, a NUL, and padding up to the end of the record's own fields |\n"
    "| string[n] | text, NUL padded to n bytes; `string[≤n]`: or to the end when that comes first |\n"
    "| string of n | text and padding in n + 1 bytes, rounded up to 8; nothing when n is 0 |\n"
    "| cstr | text and a NUL |\n"
    "| str64 | u32 size, then text and NUL padding in so many bytes; perf rounds them up to 64 |\n"
    "| strv | a varint, then so many bytes of text |\n"
    "| varint | a protobuf integer in its shortest form |\n"
    "| u64[n] | n integers; `u64[]`: as many as fit |\n"
    "| *part*[n] | n of the part, one after another; `[]`: up to the end |\n"
    "| *part*[] message | a varint, then the part up to the end of so many bytes |\n"
    "\n"
    "`when` says which fields are present: by a bit of `sample_type`, `read_format` or\n"
    "`branch_sample_type` of the attr, by a bit of the record's `misc`, or by a *variant*, which only\n"
    "the size of the record tells:\n"
    "\n"
    "* NO_HW_IDX: an empty branch stack is written without `hw_idx`, though the attr asks for it;\n"
    "* BRANCH_COUNTERS: counters follow the branches, which the attr alone does not decide;\n"
    "* NO_PID: build ids of perf before 2.6.35 have no pid;\n"
    "* EARLY_MMAP2: the record is of the first form of MMAP2 (Linux 3.12-rc, RHEL 7.0).\n";

static const char features[] = "\n## Feature sections\n"
                               "\n"
                               "The bytes of a feature, in its section of a file or in a HEADER_FEATURE "
                               "record of a pipe. Nothing is aligned; bytes\n"
                               "behind the last field are kept.\n";

/* Text in a cell. */
static void put_cell(FILE *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '|')
            fputc('\\', out);
        fputc(*s, out);
    }
}

/* A doc as the beginning of a sentence, unless it begins with an identifier. */
static void put_sentence(FILE *out, const char *doc)
{
    const size_t n = strcspn(doc, " ");
    const bool word = !memchr(doc, '_', n) && !memchr(doc, '.', n);
    fprintf(out, "%c%s", word ? toupper((unsigned char)doc[0]) : doc[0], doc + 1);
}

/* ---- Sizes. */

static unsigned width_of(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_U8: return 1;
    case PI_OP_U16: return 2;
    case PI_OP_U32:
    case PI_OP_S32:
    case PI_OP_B32: return 4;
    case PI_OP_U64:
    case PI_OP_B64: return 8;
    case PI_OP_ARR: return (unsigned)op->arg;
    default: return 0;
    }
}

static void skip(struct place *p, size_t n)
{
    p->at += n;
}

static void skip_layout(struct place *p, const struct pd_op *layout);

/* Moves behind a field. Behind one of variable size the place is unknown. */
static void skip_field(struct place *p, const struct pd_op *op)
{
    if (op->kind == PI_OP_SUB)
        skip_layout(p, op->sub());
    else if (width_of(op))
        skip(p, width_of(op));
    else if (op->kind < PI_OP_GIVEN)
        p->known = false;
}

static void skip_layout(struct place *p, const struct pd_op *layout)
{
    for (const struct pd_op *op = layout + 1; op->kind != PI_OP_END; op++)
        skip_field(p, op);
}

/* ---- One line of a layout. */

static void put_sized(FILE *out, const struct pd_op *op)
{
    fprintf(out, "[%s](#part-%s) in %s", op->sub()->name, op->sub()->name, op->ref);
    if (op->arg)
        fprintf(out, " - %" PRIu64, op->arg);
    fputs(" bytes", out);
}

/* A member that is not in the stream. */
static void put_derived(FILE *out, const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_ROOM: fprintf(out, "are %" PRIu64 " bytes left?", op->arg); break;
    case PI_OP_ROOMN: fprintf(out, "are %" PRIu64 " * %s bytes left?", op->arg, op->ref); break;
    case PI_OP_TEXT: fputs("are 8 bytes left, or would the u64 here end in a printable byte?", out); break;
    case PI_OP_SINCE:
        fprintf(out, "%s as a number ≥ %" PRIu64 ".%" PRIu64, op->ref, op->arg / 10, op->arg % 10);
        break;
    case PI_OP_ODD64: fputs("are the u64s left odd in number?", out); break;
    case PI_OP_UNITS: fprintf(out, "%s / %" PRIu64 ", rounded up", op->ref, op->arg); break;
    case PI_OP_LESS: fprintf(out, "%s - %" PRIu64, op->ref, op->arg); break;
    case PI_OP_LOW: fprintf(out, "%s & %" PRIu64, op->ref, op->arg); break;
    case PI_OP_OTHER: fprintf(out, "%s & 7, or 8 when a line below names %s", op->ref, op->ref); break;
    case PI_OP_ONES: fprintf(out, "bits set in %s", op->ref); break;
    default: fputs("from around", out); break;
    }
}

static void put_type(FILE *out, const struct pd_op *op)
{
    if (op->kind >= PI_OP_GIVEN && op->kind < PI_OP_ALIAS) {
        put_derived(out, op);
        return;
    }
    switch (op->kind) {
    case PI_OP_U8: fputs("u8", out); break;
    case PI_OP_U16: fputs("u16", out); break;
    case PI_OP_U32: fputs("u32", out); break;
    case PI_OP_S32: fputs("s32", out); break;
    case PI_OP_B32: fputs("bits32", out); break;
    case PI_OP_B64: fputs("bits64", out); break;
    case PI_OP_U64:
    case PI_OP_OPT64: fputs("u64", out); break;
    case PI_OP_ARR: fprintf(out, "bytes[%" PRIu64 "]", op->arg); break;
    case PI_OP_BYTES: fprintf(out, "bytes[%s]", op->ref); break;
    case PI_OP_VEC64: fprintf(out, "u64[%s]", op->ref); break;
    case PI_OP_VECR64: fputs("u64[]", out); break;
    case PI_OP_GRID64: fprintf(out, "u64[%s]", op->ref); break;
    case PI_OP_REGS: fprintf(out, "u64[bits of attr.sample_regs_%s]", op->src ? "intr" : "user"); break;
    case PI_OP_STR: fputs("string", out); break;
    case PI_OP_REST: fputs("bytes", out); break;
    case PI_OP_SUB: fprintf(out, "[%s](#part-%s)", op->sub()->name, op->sub()->name); break;
    case PI_OP_CSTR: fputs("cstr", out); break;
    case PI_OP_STR64: fputs("str64", out); break;
    case PI_OP_STRV: fputs("strv", out); break;
    case PI_OP_STRN: fprintf(out, "string[%" PRIu64 "]", op->arg); break;
    case PI_OP_STRMAX: fprintf(out, "string[≤%" PRIu64 "]", op->arg); break;
    case PI_OP_SLOT: fprintf(out, "string of %s", op->ref); break;
    case PI_OP_VEC16: fprintf(out, "u16[%s]", op->ref); break;
    case PI_OP_VEC32: fprintf(out, "u32[%s]", op->ref); break;
    case PI_OP_VARINT: fputs("varint", out); break;
    case PI_OP_ITEMSR: fprintf(out, "[%s](#part-%s)[]", op->sub()->name, op->sub()->name); break;
    case PI_OP_MESSAGE: fprintf(out, "[%s](#part-%s)[] message", op->sub()->name, op->sub()->name); break;
    case PI_OP_SIZED: put_sized(out, op); break;
    case PI_OP_ATTR: fputs("[attr](#part-attr)", out); break;
    case PI_OP_ITEMS:
    case PI_OP_LIST: fprintf(out, "[%s](#part-%s)[%s]", op->sub()->name, op->sub()->name, op->ref); break;
    default: break;
    }
}

static void put_set(FILE *out, const struct pd_set *set)
{
    if (set->n)
        fprintf(out, "[%s](#set-%s)", set->id, set->id);
    else if (set->kind == PD_SET_HEX)
        fputs("hex", out);
    else if (set->kind == PD_SET_SDEC)
        fputs("signed", out);
    else if (set == &pd_set_TIME)
        fputs("ns", out);
}

static void put_condition(FILE *out, const struct pd_op *op)
{
    static const char *const verbs[] = {
        [PI_OP_IS] = "is", [PI_OP_FROM] = "is at least", [PI_OP_HAS] = "has", [PI_OP_LACKS] = "lacks"};
    if (op->kind >= PI_OP_IS) {
        fprintf(out, "%s %s %s", op->ref, verbs[op->kind], op->name);
        return;
    }
    const bool variant = strcmp(op->ref, "variant") == 0;
    if (variant)
        fprintf(out, "%s %s", op->kind == PI_OP_WHEN ? "variant" : "not variant", op->name);
    else
        fprintf(out, "%s %s %s", op->ref, op->kind == PI_OP_WHEN ? "has" : "lacks", op->name);
}

static void put_when(const struct doc *d, const struct pd_op *op)
{
    const char *separator = "";
    for (size_t i = 0; i < d->when.n; i++, separator = ", ") {
        fputs(separator, d->out);
        put_condition(d->out, d->when.op[i]);
    }
    if (op->kind == PI_OP_OPT64 || op->kind == PI_OP_REGS)
        fprintf(d->out, "%s%s is not 0", separator, op->ref);
}

static void put_field(struct doc *d, const struct pd_op *op)
{
    const bool stored = op->kind < PI_OP_GIVEN;
    if (op->kind >= PI_OP_PASS && op->kind < PI_OP_ALIAS)
        return;
    fputs("| ", d->out);
    if (op->kind != PI_OP_ALIAS && !stored)
        fputs("–", d->out);
    else if (op->kind == PI_OP_ALIAS)
        fputs("same", d->out);
    else if (d->place.known)
        fprintf(d->out, "%zu", d->place.at);
    else
        fputs("…", d->out);
    fputs(" | ", d->out);
    put_type(d->out, op);
    fprintf(d->out, " | %s | ", op->name);
    if (op->set)
        put_set(d->out, op->set);
    fputs(" | ", d->out);
    put_when(d, op);
    fputs(" | ", d->out);
    put_cell(d->out, op->doc);
    fputs(" |\n", d->out);
    skip_field(&d->place, op);
}

/* ---- Layouts. */

static const struct pd_op *put_lines(struct doc *d, const struct pd_op *op);

/* Prints the lines up to DONE; afterwards the place is behind them. */
static const struct pd_op *put_condition_block(struct doc *d, const struct pd_op *op)
{
    d->when.op[d->when.n++] = op;
    op = put_lines(d, op + 1);
    d->when.n--;
    return op;
}

/* Behind a condition the place is known only if the opposite condition follows and takes the same size. */
static const struct pd_op *put_branches(struct doc *d, const struct pd_op *op)
{
    const struct place before = d->place;
    const struct pd_op *next = put_condition_block(d, op);
    const struct place one = d->place;
    if ((next->kind == PI_OP_WHEN || next->kind == PI_OP_UNLESS) && op->kind <= PI_OP_UNLESS &&
        next->kind != op->kind && next->src == op->src && next->arg == op->arg) {
        d->place = before;
        next = put_condition_block(d, next);
        d->place.known = d->place.known && one.known && d->place.at == one.at;
    } else {
        d->place.known = false;
    }
    return next;
}

/* Prints lines up to the DONE or END that closes them, and returns the line behind it. */
static const struct pd_op *put_lines(struct doc *d, const struct pd_op *op)
{
    while (op->kind != PI_OP_END && op->kind != PI_OP_DONE) {
        if (op->kind >= PI_OP_WHEN && op->kind <= PI_OP_LACKS)
            op = put_branches(d, op);
        else
            put_field(d, op++);
    }
    return op->kind == PI_OP_DONE ? op + 1 : op;
}

static bool has_fields(const struct pd_op *layout)
{
    return layout[1].kind != PI_OP_END;
}

static void put_table(FILE *out, const struct pd_op *layout)
{
    struct doc d = {.out = out, .place = {layout->arg ? 8 : 0, true}};
    fputs("| offset | type | name | values | when | meaning |\n| ---: | --- | --- | --- | --- | --- |\n",
          out);
    put_lines(&d, layout + 1);
}

static void put_record(FILE *out, const struct pd_op *layout)
{
    fprintf(out, "\n### %" PRIu64 " %s\n\n", layout->arg, pd_set_name(&pd_set_record_type, layout->arg));
    put_sentence(out, layout->doc);
    fprintf(out, ". misc: [%s](#set-%s). ", layout->set->id, layout->set->id);
    fprintf(out, "%s sample_id follows. C type `struct pd_%s`.\n\n", layout->src ? "A" : "No", layout->name);
    if (has_fields(layout))
        put_table(out, layout);
    else
        fputs("It has no fields of its own.\n", out);
}

static void put_part(FILE *out, const struct pd_op *layout)
{
    fprintf(out, "\n### Part %s\n\n", layout->name);
    put_sentence(out, layout->doc);
    fprintf(out, ". C type `struct pd_%s`.\n\n", layout->name);
    put_table(out, layout);
}

static void put_feature(FILE *out, const struct pd_op *layout)
{
    fprintf(out, "\n### %u %s\n\n", layout->count_offset, pd_set_name(&pd_set_feature, layout->count_offset));
    put_sentence(out, layout->doc);
    fprintf(out, ". C type `struct pd_%s`.\n\n", layout->name);
    if (has_fields(layout))
        put_table(out, layout);
}

enum chapter { PARTS, RECORDS, FEATURES };

static void put_layouts(FILE *out, enum chapter chapter)
{
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *layout = pi_layouts[i]();
        const bool feature = PI_HEAD_IS_FEATURE(layout);
        if (chapter == RECORDS && layout->arg)
            put_record(out, layout);
        if (chapter == PARTS && !layout->arg && !feature)
            put_part(out, layout);
        if (chapter == FEATURES && feature)
            put_feature(out, layout);
    }
}

/* ---- Sets. */

static void put_value(FILE *out, const struct pd_set *set, const struct pd_name *n)
{
    if (set->kind == PD_SET_BITS && n->width == 1)
        fprintf(out, "%u", n->lo);
    else if (set->kind == PD_SET_BITS)
        fprintf(out, "%u–%u", n->lo, n->lo + n->width - 1);
    else if (set->kind == PD_SET_FLAGS || n->value > UINT32_MAX)
        fprintf(out, "0x%" PRIx64, n->value);
    else
        fprintf(out, "%" PRIu64, n->value);
}

static void put_set_section(FILE *out, const struct pd_set *set)
{
    static const char *const kinds[] = {
        [PD_SET_ENUM] = "one of", [PD_SET_FLAGS] = "any of", [PD_SET_BITS] = "made of"};
    const bool bits = set->kind == PD_SET_BITS;
    fprintf(out, "\n### Set %s\n\n", set->id);
    put_sentence(out, set->doc);
    fprintf(out, "; %u bits, %s\n\n", set->bits, kinds[set->kind]);
    fprintf(out, "| %s | name |%s meaning |\n| ---: | --- |%s --- |\n", bits ? "bits" : "value",
            bits ? " values |" : "", bits ? " --- |" : "");
    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *n = &set->names[i];
        fputs("| ", out);
        put_value(out, set, n);
        fprintf(out, " | %s | ", n->name);
        if (bits) {
            put_set(out, n->set);
            fputs(" | ", out);
        }
        put_cell(out, n->doc);
        fputs(" |\n", out);
    }
}

/* ---- Registers. */

/* Returns the separator before the first register. */
static const char *begin_registers(FILE *out, const char *arch, const char *doc)
{
    fprintf(out, "\n### Registers of %s\n\n%s%s", arch, doc, *doc ? ".\n\n" : "");
    return "";
}

static void put_registers(FILE *out)
{
    const char *separator = "";
    bool simd = false;
    fputs("\n## Registers\n\nBits of sample_regs_user and sample_regs_intr, by architecture.\n", out);
#define ARCH(id_, name_, doc_) separator = begin_registers(out, name_, doc_);
#define REG(bit_, name_)                                     \
    fprintf(out, "%s%d %s", separator, (int)(bit_), #name_); \
    separator = ", ";
#define SIMD_REG(bit_, name_) \
    fprintf(out, "%s%d %s", simd ? ", " : "; where the abi has SIMD: ", (int)(bit_), #name_), simd = true;
#define UNAME(id_, prefix_)
#define MACHINE(id_, number_, doc_)
#define END(id_) fputs("\n", out), simd = false;
#include "src/schema/regs.def"
#undef ARCH
#undef REG
#undef SIMD_REG
#undef UNAME
#undef MACHINE
#undef END
}

/* Facts beyond layouts. */
static const char notes[] = "\n## Registers that came later\n"
                            "\n"
                            "`abi` of sampled registers is a bitmap: 1 of a 32-bit task, 2 of a 64-bit one, "
                            "4 with SIMD registers. With bit 4, and only\n"
                            "then, [simd_regs](#part-simd_regs) follows the registers, its numbers of 16 "
                            "bits in the byte order of the file; the mask then stands for\n"
                            "other registers from bit 24 on (of x86: R16 to R31 and SSP, no XMM). An abi "
                            "with other bits is not known. What follows it\n"
                            "cannot be told: it is the record's `rest`, kept as bytes in either byte order "
                            "(variants UNKNOWN_USER_REGS, UNKNOWN_INTR_REGS), and the\n"
                            "fields that the sample's event has behind these registers are absent. Then no "
                            "end "
                            "of the record tells whether an empty\n"
                            "branch stack before them lacks `hw_idx` (NO_HW_IDX), or a stack has counters: "
                            "the "
                            "form is the first, beginning with the one that\n"
                            "the attr asks for, in which the abi is likely, that is below 65536 with 1 or 2 "
                            "in its "
                            "two lowest bits, and else the attr's.\n"
                            "\n"
                            "Where that is from: the postings \"Support SIMD/eGPRs/SSP registers sampling "
                            "for perf\" for Linux, v2 to v5 (2025), in which the\n"
                            "sample's layout is the same; v6 (2026-02-09) for the numbers of R16 to SSP. Of "
                            "what was merged later (kernel, 2026-08-24, and the\n"
                            "copy of `perf_event.h` for perf, 2026-09-14) only the beginnings could be read: "
                            "that `abi` has a bit more, that attrs have fields more,\n"
                            "that SSP is in the mask where XMM was. Not known is whether v8 (2026-05-29), "
                            "which \"refined the sample data layout\", changed it, and\n"
                            "where the fields of the attr are (sample_simd_regs_enabled, "
                            "sample_simd_pred_reg_qwords, _intr and _user, sample_simd_vec_reg_qwords,\n"
                            "_intr and _user): they were at 136 in v2 to v5, where config4 is now, and moved "
                            "since. So attrs have no such fields here, and keep what is\n"
                            "behind config4 as `tail`; and which vectors were sampled is not told by name.\n"
                            "\n"
                            "## Off-cpu samples\n"
                            "\n"
                            "`perf record --off-cpu` of perf 6.15 and later writes samples of an event of "
                            "type SOFTWARE and config BPF_OUTPUT that is called\n"
                            "`offcpu-time` (EVENT_DESC, EVENT_UPDATE). What they are about is in their raw "
                            "data, as [offcpu](#part-offcpu): perf takes pid, tid, period\n"
                            "and call chain from there, and as ip the entry behind the marker. The raw data "
                            "is padded so that with its size it is a multiple of 8 bytes.\n"
                            "It is in the byte order of the machine that recorded: perf gives raw data back "
                            "the bytes that it had in the file before it looks into it, and\n"
                            "reads these in the order of its own machine, so that it refuses them in a "
                            "recording of the other byte order. `perfdata convert --endian`\n"
                            "turns it (docs/CONVERSIONS.md); where another tool left it in the other "
                            "order, nr is the number of entries in that order alone.\n"
                            "Samples that a BPF program writes at once "
                            "have thread and process in one u64, the process in its upper\n"
                            "half, which perf reads as two numbers of 32 bits, process first; those that "
                            "perf writes at the end have them the other way. perf before 6.15\n"
                            "wrote ordinary samples with a call chain. Where a stream names its event later, "
                            "or never, raw data of this form whose first entry is\n"
                            "a marker (from -4095 up) is taken for such a sample. From: the patches \"perf "
                            "record "
                            "--off-cpu: Dump off-cpu samples directly\" (to v15, 2025; `off_cpu.bpf.c`,\n"
                            "`bpf_off_cpu.c`, `evsel.c`).\n";

int gen_format_doc(FILE *out)
{
    fputs(head, out);
    fputs("\n## Parts\n", out);
    put_layouts(out, PARTS);
    fputs("\n## Records\n", out);
    put_layouts(out, RECORDS);
    fputs(features, out);
    put_layouts(out, FEATURES);
    fputs("\n## Names of values\n\nBits are numbered from the lowest, whatever the byte order.\n", out);
    for (size_t i = 0; i < pd_n_sets; i++)
        if (pd_sets[i]->n)
            put_set_section(out, pd_sets[i]);
    put_registers(out);
    fputs(notes, out);
    return 0;
}
