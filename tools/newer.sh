#!/usr/bin/env bash
# tools/newer.sh HEADER... - what newer headers have that the schema lacks: enumerators, flags, bits and
# fields of perf_event_attr, its sizes, records and their fields. A HEADER is the kernel's
# include/uapi/linux/perf_event.h, or perf's lib/perf/include/perf/event.h and util/header.h (and
# util/auxtrace.h), by path. A line for each thing that is lacking; exit status 1 if there is one, 2 if a
# header cannot be read or has nothing that is known here. CONTRIBUTING.md says what to do then.
set -euo pipefail
[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,6p' >&2; exit 2; }
schema=$(cd "$(dirname "$0")/../src/schema" && pwd)
exec python3 - "$schema" "$@" <<'END'
import re
import sys

# Which set of names.def an enum is, by its tag, or by how its enumerators begin; None: it is not of files.
TAGS = {
    "perf_type_id": "attr_type",
    "perf_hw_id": "hardware_id",
    "perf_hw_cache_id": "cache_id",
    "perf_hw_cache_op_id": "cache_op",
    "perf_hw_cache_op_result_id": "cache_result",
    "perf_sw_ids": "software_id",
    "perf_event_sample_format": "sample_type",
    "perf_branch_sample_type_shift": None,
    "perf_branch_sample_type": "branch_sample_type",
    "perf_event_read_format": "read_format",
    "perf_event_ioc_flags": None,
    "perf_event_type": "record_type",
    "perf_user_event_type": "record_type",
    "perf_callchain_context": "callchain_context",
    "perf_record_ksymbol_type": "ksym_type",
    "perf_bpf_event_type": "bpf_event_type",
    "perf_header_version": None,
    "perf_dir_version": None,
}
PREFIXES = [
    ("PERF_RECORD_MISC_CPUMODE_MASK", None),
    ("PERF_RECORD_MISC_", "cpumode misc_*"),
    ("PERF_RECORD_KSYMBOL_FLAGS_", "ksym_flags"),
    ("PERF_RECORD_COMPRESSED_INIT", None),
    ("PERF_SAMPLE_REGS_ABI_", "regs_abi"),
    ("PERF_ATTR_SIZE_", "attr_size"),
    ("PERF_BR_PRIV_", "branch_priv"),
    ("PERF_BR_SPEC_", "branch_spec"),
    ("PERF_BR_NON_SPEC_", "branch_spec"),
    ("PERF_BR_NEW_", "branch_new_type"),
    ("PERF_BR_ARM64_", None),
    ("PERF_BR_FAULT_", "branch_new_type"),
    ("PERF_BR_", "branch_type"),
    ("PERF_TXN_", "transaction"),
    ("PERF_AUX_FLAG_", "aux_flags"),
    ("PERF_MEM_OP_", "mem_op"),
    ("PERF_MEM_LVLNUM_", "mem_lvl_num"),
    ("PERF_MEM_LVL_", "mem_lvl"),
    ("PERF_MEM_SNOOPX_", "mem_snoopx"),
    ("PERF_MEM_SNOOP_", "mem_snoop"),
    ("PERF_MEM_LOCK_", "mem_lock"),
    ("PERF_MEM_TLB_", "mem_dtlb"),
    ("PERF_MEM_BLK_", "mem_blk"),
    ("PERF_MEM_HOPS_", "mem_hops"),
    ("PERF_MEM_REGION_", "mem_region"),
    ("PERF_MEM_REMOTE_", None),
    ("PERF_MEM_S", None),
    ("PERF_CPU_MAP__", "cpu_map_type"),
    ("PERF_STAT_CONFIG_TERM__", "stat_config_tag"),
    ("PERF_STAT_ROUND_TYPE__", "stat_round_type"),
    ("PERF_EVENT_UPDATE__", "event_update_type"),
    ("PERF_COMP_", "comp_type"),
    ("PERF_AUXTRACE_ERROR_", "auxtrace_error_type"),
    ("PERF_AUXTRACE_", "auxtrace_type"),
    ("HEADER_", "feature"),
    ("PERF_FLAG_", None),
    ("PERF_PMU_TYPE_SHIFT", None),
    ("PERF_HW_EVENT_MASK", None),
    ("PERF_EVENT_IOC_", None),
    ("PERF_BRANCH_ENTRY_INFO_", None),
    ("PERF_SYNTH_", None),
]
# Ends of lists, masks and shifts of fields, and names for other names.
NO_VALUE = re.compile(
    r".*(_MAX|_SHIFT|_MASK|_START|_LAST_FEATURE|_FEAT_BITS)$|HEADER_(RESERVED|FIRST_FEATURE)$"
)
NAMESPACES = re.compile(r"(NET|UTS|IPC|PID|USER|MNT|CGROUP|TIME)_NS_INDEX$")
WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def value_of(text, known):
    """An integer constant expression of C, with the names that came before; None: it is another."""
    text = re.sub(r"\(__u?(64|32|16|8)\)|\(u64\)|sizeof\([^)]*\)", "", text)
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b", r"\1", text)
    text = re.sub(r"\b_?BIT(?:_ULL)?\((\w+)\)", r"(1 << \1)", text)
    names = WORD.findall(re.sub(r"0[xX][0-9a-fA-F]+", "", text))
    if not text.strip() or any(n not in known for n in names) or re.search(r"[^\w\s()<>|&~+\-*]", text):
        return None
    try:
        return eval(text, {"__builtins__": {}}, known) & (1 << 64) - 1
    except (SyntaxError, TypeError, ValueError):
        return None


class Schema:
    def __init__(self, folder):
        self.sets, self.fields, self.layouts, self.parts, self.records = {}, {}, {}, {}, {}
        name = None
        for line in open(f"{folder}/names.def"):
            if m := re.match(r"SET\((\w+), *(\w+),", line):
                name = m[1]
                self.sets[name], self.fields[name] = set(), {}
            elif m := re.match(r"\s*VALUE\(\w+, *([^,]+),", line):
                self.sets[name].add(value_of(m[1], {}))
            elif m := re.match(r"\s*FIELD\((\w+), *(\d+), *(\d+),", line):
                if not m[1].startswith("reserved"):
                    self.fields[name][m[1]] = (int(m[2]), int(m[3]))
        for file in ("records", "rare_records", "tool_records", "file"):
            for line in open(f"{folder}/{file}.def"):
                if m := re.match(r"(?:LAYOUT|RECORD)\((\w+),", line):
                    name = m[1]
                    self.layouts[name], self.parts[name] = set(), set()
                    if m := re.match(r"RECORD\(\w+, *(\w+),", line):
                        self.records[m[1]] = name
                elif m := re.match(r"\s*\w+ *\((\w+),([^\"]*)", line):
                    if name in self.layouts:
                        self.layouts[name].add(m[1])
                        self.parts[name] |= set(WORD.findall(m[2]))

    def fields_of(self, layout):
        """Its fields, and those of the layouts that are in it."""
        inner = [self.fields_of(part) for part in self.parts[layout] & set(self.layouts)]
        return self.layouts[layout].union(*inner)

    def has(self, patterns, value):
        for pattern in patterns.split():
            for name in self.sets:
                if name == pattern or pattern.endswith("*") and name.startswith(pattern[:-1]):
                    bits = any(value >> lo & (1 << width) - 1 for lo, width in self.fields[name].values())
                    if value in self.sets[name] or value == 0 or bits:
                        return True
        return False


def constants(text):
    """(name, value or None, tag) of all enumerators and macros."""
    known = {}
    define = r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.+)$"
    for m in re.finditer(define + r"|\benum\s*(\w*)\s*\{([^}]*)\}", text, re.M):
        if m[1]:
            known[m[1]] = value_of(m[2], known)
            if known[m[1]] is None:
                del known[m[1]]
            yield m[1], known.get(m[1]), ""
            continue
        following = 0
        for part in re.sub(r"^\s*#.*$", "", m[4], flags=re.M).split(","):
            name, _, given = (x.strip() for x in part.partition("="))
            if not WORD.fullmatch(name):
                continue
            value = value_of(given, known) if given else following
            following = value + 1 if value is not None else None
            if value is not None:
                known[name] = value
            yield name, value, m[3]


def lacking_constants(schema, text):
    looked = 0
    for name, value, tag in constants(text):
        if NO_VALUE.match(name) or tag and TAGS.get(tag, "") is None:
            continue
        where = "namespace" if NAMESPACES.match(name) else TAGS.get(tag, "")
        if not where:
            begins = [where for prefix, where in PREFIXES if name.startswith(prefix)]
            if not begins and not (tag.startswith("perf_") and name.startswith("PERF_")):
                continue
            where = begins[0] if begins else "?"
        if where is None:
            continue
        looked += 1
        if value is None:
            yield f"{name}: its value is not understood"
        elif where == "?":
            yield f"{name} = {value:#x}: enum {tag} is of no set"
        elif not schema.has(where, value):
            yield f"{name} = {value:#x}: not in {where}"
    if not looked and not re.search(r"\bstruct\s+perf_(event_attr|record_)", text):
        yield None


def lacking_fields(schema, text):
    attr = re.search(r"\bstruct\s+perf_event_attr\s*\{(.*?)^\};", text, re.S | re.M)
    at = 0
    for m in re.finditer(r"\b__[us]\d+\s+([^;{}]+);", attr[1] if attr else ""):
        for name, bits in re.findall(r"(\w+)\s*(?::\s*(\d+))?(?=\s*,|\s*$)", m[1]):
            if not bits and name not in schema.layouts["attr"] and not name.startswith("__reserved"):
                yield f"perf_event_attr.{name}: no field of attr"
            elif bits:
                have = schema.fields["attr_flags"].get(name)
                if have != (at, int(bits)) and not name.startswith("__reserved"):
                    yield f"perf_event_attr.{name}: bit {at}, width {bits}: not in attr_flags"
                at += int(bits)
    for name in re.findall(r"\bstruct\s+perf_record_(\w+)\s*\{", text):
        names = {name, name.replace("header_", ""), "header_" + name}
        names |= {name.removesuffix("_event"), name + "_entry"}
        if not names & set(schema.layouts) and name not in STRUCTS:
            yield f"struct perf_record_{name}: no layout of that name"


# Members of records that the schema has under other names, or in parts.
MEMBERS = {
    "MMAP.start",
    "MMAP2.start",
    "NAMESPACES.nr_namespaces",
    "TEXT_POKE.bytes",
    "READ.value",
    "HEADER_ATTR.id",
    "HEADER_TRACING_DATA.size",
    "HEADER_BUILD_ID.data",
    "AUXTRACE_INFO.priv",
    "STAT.values",
    "EVENT_UPDATE.data",
}


def lacking_members(schema, text):
    """Fields of records: of the kernel's, which the header has in the comments before their types, and of
    perf's, which are structs."""
    comments = r"/\*((?:(?!\*/).)*?\bstruct\s*\{(?:(?!\*/).)*)\*/\s*PERF_RECORD_(\w+)\s*="
    kernels = [(m[2], m[1]) for m in re.finditer(comments, text, re.S)]
    perfs = re.findall(r"\bstruct\s+perf_record_(\w+)\s*\{(.*?)^\};", text, re.S | re.M)
    for name, members in kernels + [(name.removesuffix("_event").upper(), told) for name, told in perfs]:
        layout = schema.records.get(name)
        if not layout or name == "SAMPLE":
            continue
        members = re.sub(r"/\*.*?\*/|//[^\n]*", " ", members, flags=re.S)
        for declared in re.findall(r"\b(?:_*[us](?:8|16|32|64)|char)\s+([^;{}]+);", members):
            for member in re.findall(r"(\w+)\s*(?:\[\w*\])?\s*(?:,|$)", declared):
                known = member.strip("_") in schema.fields_of(layout) or f"{name}.{member}" in MEMBERS
                if not known and not member.strip("_").startswith("reserved"):
                    yield f"PERF_RECORD_{name}.{member}: no field of {layout}"
    if "PERF_RECORD_MMAP2" in text and not kernels:
        yield "the fields of records are not told as they were: look at them by hand"


# Structs that are parts of others, which the schema has under other names or in place.
STRUCTS = {
    "switch",
    "cpu_map_data",
    "range_cpu_map",
    "mask_cpu_map32",
    "mask_cpu_map64",
    "event_update_cpus",
    "event_update_scale",
    "thread_map_entry",
    "stat_config_entry",
}


def main():
    schema, status = Schema(sys.argv[1]), 0
    for path in sys.argv[2:]:
        try:
            text = open(path, encoding="utf-8", errors="replace").read()
        except OSError as error:
            sys.exit(print(f"{path}: {error.strerror}", file=sys.stderr) or 2)
        members = lacking_members(schema, text)
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S).replace("\\\n", " ")
        for line in [*lacking_constants(schema, text), *lacking_fields(schema, text), *members]:
            if line is None:
                sys.exit(print(f"{path}: nothing in it is known here", file=sys.stderr) or 2)
            print(f"{path}: {line}")
            status = 1
    return status


sys.exit(main())
END
