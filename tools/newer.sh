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
    "perf_header_version": "version",
    "perf_dir_version": "version",
}
PREFIXES = [
    ("PERF_RECORD_MISC_CPUMODE_MASK", None),
    ("PERF_RECORD_MISC_EXT_RESERVED", None),
    ("PERF_RECORD_MISC_", "misc"),
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
# Versions of the header and of directories.
VERSIONS = {"PERF_HEADER_VERSION_1": 0, "PERF_HEADER_VERSION_2": 1}
VERSIONS |= {"PERF_DIR_SINGLE_FILE": 0, "PERF_DIR_VERSION": 1}
# Names that begin as those of files do, and are none: of the system call, of the ring buffer, of perf alone.
ELSEWHERE = re.compile(
    r"PERF_(TYPE_|COUNT_|SAMPLE_|FORMAT_|CONTEXT_|NS_|ATTR_SIZE_|RECORD_)|PERF_(\w+_)?MAX(_|$)"
)
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

    def has(self, name, value):
        bits = any(value >> lo & (1 << width) - 1 for lo, width in self.fields[name].values())
        return value in self.sets[name] or value == 0 or bits

    def has_misc(self, name, value):
        """A bit of misc has several meanings, so that its name counts, too."""
        name = name.removeprefix("PERF_RECORD_MISC_").lower()
        places = {
            (field, ((1 << width) - 1) << lo)
            for of in self.fields
            if of.startswith("misc_")
            for field, (lo, width) in self.fields[of].items()
        }
        if value < 8:
            return value in self.sets["cpumode"]
        return (name, value) in places


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
            if not begins and (not name.startswith("PERF_") or value is None or ELSEWHERE.match(name)):
                continue
            where = begins[0] if begins else "?"
        if where is None:
            continue
        looked += 1
        if value is None:
            yield f"{name}: its value is not understood"
        elif where == "?":
            yield f"{name} = {value:#x}: {f'enum {tag}' if tag else 'it'} is of no set"
        elif where == "version":
            if VERSIONS.get(name) != value:
                yield f"{name} = {value:#x}: no version that is known"
        elif where == "misc":
            if not schema.has_misc(name, value):
                yield f"{name} = {value:#x}: not in misc_*"
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
    for name, _ in structs_of(text, r"perf_record_(\w+)"):
        names = {name, name.replace("header_", ""), "header_" + name}
        names |= {name.removesuffix("_event"), name + "_entry"}
        if not names & set(schema.layouts) and name not in STRUCTS:
            yield f"struct perf_record_{name}: no layout of that name"


def structs_of(text, name):
    """(name, body) of the structs and unions of that name, whatever attributes they have."""
    packed = r"(?:(?:__\w+|__attribute__\s*\(\(.*?\)\))\s+)*"
    body = r"\s*(?:__\w+\s*)?\{(.*?)^\}[^;\n]*;"
    for m in re.finditer(r"\b(?:struct|union)\s+" + packed + name + body, text, re.S | re.M):
        yield m[1], m[2]


TYPE = re.compile(
    r"\s*(?:(?:const|unsigned|signed|long|struct|union|enum|volatile)\s+)*\w+[\s*]+(?=\w)"
)


def members_of(body):
    """(name, bits or None) of all members, those of inner structs and unions included."""
    body = re.sub(r"/\*.*?\*/|//[^\n]*", " ", body, flags=re.S)
    body = re.sub(r"^[ \t]*#.*$", " ", body, flags=re.M)
    body = re.sub(r"\bDECLARE_BITMAP\s*\(\s*(\w+)[^)]*\)", r"u64 \1[]", body)
    body = re.sub(r"\b(?:struct|union)\s*(?:\w+\s*)?\{", " ", body)
    for declared in re.split(r"[;{}]", body):
        # A type, which may have several words, and what it declares; behind an inner struct only that.
        m = TYPE.match(declared)
        for one in declared[m.end() :].split(",") if m else []:
            if m := re.match(r"[\s*]*(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*(\d+))?", one):
                if m[1] not in ("__packed", "__attribute__"):
                    yield m[1], m[2] and int(m[2])


# Words of bits, by the struct or union that has them: the little-endian one comes first.
WORDS = {"perf_mem_data_src": "data_src", "perf_branch_entry": "branch_flags"}


def lacking_bits(schema, text):
    for name, field in WORDS.items():
        at = 0
        for _, body in list(structs_of(text, f"({name})"))[:1]:
            for member, bits in members_of(body):
                if bits is None:
                    continue
                unused = "rsvd" in member or "reserved" in member
                if not unused and schema.fields[field].get(member) != (at, bits):
                    yield f"{name}.{member}: bit {at}, width {bits}: not in {field}"
                at += bits


# Structs that stand by themselves, and the layouts that have their members.
OTHERS = {
    "id_index_entry": "id_index",
    "id_index_entry_2": "id_index",
    "perf_record_thread_map_entry": "thread_map",
    "perf_record_stat_config_entry": "stat_config",
    "perf_record_cpu_map_data": "cpu_map_data",
    "perf_record_range_cpu_map": "cpu_map_data",
    "perf_record_mask_cpu_map32": "cpu_map_data",
    "perf_record_mask_cpu_map64": "cpu_map_data",
    "perf_record_bpf_metadata_entry": "bpf_metadata_entry",
    "perf_event_header": "",
    "perf_branch_entry": "branch_entry",
    "perf_file_section": "file_section",
    "perf_file_header": "file_header",
    "perf_pipe_file_header": "file_header",
}


def lacking_in_others(schema, text):
    for name, layout in OTHERS.items():
        known = schema.fields_of(layout) if layout else {"type", "misc", "size"}
        for _, body in list(structs_of(text, f"({name})"))[:1]:
            for member, bits in members_of(body):
                if bits is None and member not in known and f"{name}.{member}" not in MEMBERS:
                    if "reserved" not in member and not member.startswith("__pad"):
                        yield f"{name}.{member}: no field of {layout or 'a header'}"


# Fields of samples in the header's comment that the schema has under other names.
OF_SAMPLE = {"values", "lbr", "full", "var1_dw", "var2_w", "var3_w", "data", "regs", "ips"}


def lacking_in_sample(schema, text):
    """What the comment before PERF_RECORD_SAMPLE has: fields, and the bits that they depend on."""
    told = re.search(r"/\*((?:(?!\*/).)*)\*/\s*PERF_RECORD_SAMPLE\s*=", text, re.S)
    if not told:
        return
    lines = [re.sub(r"#.*", "", line) for line in re.sub(r"^\s*\*", "", told[1], flags=re.M).split("\n")]
    known = schema.fields_of("sample") | OF_SAMPLE
    for line in lines:
        for declared in re.findall(r"\b(?:_*[us](?:8|16|32|64)|char)\s+([^;{}&]+)", line):
            for member in re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:,|$)", declared.strip()):
                if member not in known and not re.fullmatch(r"[us]\d+", member):
                    yield f"PERF_RECORD_SAMPLE.{member}: no field of sample"


# Members that every record may have.
GENERAL = {"header", "sample_id"}
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
    "NAMESPACES.link_info",
    "SWITCH.next_prev_pid",
    "SWITCH.next_prev_tid",
    "CPU_MAP.data",
    "HEADER_EVENT_TYPE.event_type",
    "STAT_CONFIG.data",
    "perf_record_cpu_map_data.cpus_data",
    "perf_record_cpu_map_data.mask32_data",
    "perf_record_cpu_map_data.mask64_data",
    "perf_record_cpu_map_data.range_cpu_data",
    "perf_record_mask_cpu_map32.mask",
    "perf_record_mask_cpu_map64.mask",
    *(f"SCHEDSTAT_{of}.v{version}" for of in ("CPU", "DOMAIN") for version in (15, 16, 17)),
}


def lacking_members(schema, text):
    """Fields of records: of the kernel's, which the header has in the comments before their types, and of
    perf's, which are structs."""
    comments = r"/\*((?:(?!\*/).)*?\bstruct\s*\{(?:(?!\*/).)*)\*/\s*PERF_RECORD_(\w+)\s*="
    kernels = [(m[2], m[1]) for m in re.finditer(comments, text, re.S)]
    perfs = structs_of(text, r"perf_record_(\w+)")
    for name, members in kernels + [(name.removesuffix("_event").upper(), told) for name, told in perfs]:
        layout = schema.records.get(name)
        if not layout or name == "SAMPLE":
            continue
        if name in [kernel for kernel, _ in kernels]:
            members = re.sub(r"^\s*\*", " ", re.sub(r"[#].*", " ", members), flags=re.M)
            members = members[members.index("{") + 1 :]
            members = re.sub(r"\}\s*&&[^;{}\n]*", "}", members)
        for member, _ in members_of(members):
            known = member.strip("_") in schema.fields_of(layout) or f"{name}.{member}" in MEMBERS
            if not known and member not in GENERAL and not re.search("reserved|^_*pad", member):
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
    *(f"schedstat_{of}_v{version}" for of in ("cpu", "domain") for version in (15, 16, 17)),
}


def chain(schema, text, members):
    yield from lacking_constants(schema, text)
    yield from lacking_fields(schema, text)
    yield from lacking_bits(schema, text)
    yield from lacking_in_others(schema, text)
    yield from members


def main():
    schema, status = Schema(sys.argv[1]), 0
    for path in sys.argv[2:]:
        try:
            text = open(path, encoding="utf-8", errors="replace").read()
        except OSError as error:
            sys.exit(print(f"{path}: {error.strerror}", file=sys.stderr) or 2)
        members = [*lacking_members(schema, text), *lacking_in_sample(schema, text)]
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S).replace("\\\n", " ")
        for line in chain(schema, text, members):
            if line is None:
                sys.exit(print(f"{path}: nothing in it is known here", file=sys.stderr) or 2)
            print(f"{path}: {line}")
            status = 1
    return status


sys.exit(main())
END
