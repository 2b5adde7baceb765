"""How perfdata writes tool records and features, for the comparison with second_decoder.py.

dump() reads `perfdata dump --json`. Of the records of perf itself and of simpleperf what JSON has stays as it
is (record.tool), because their fields are too many for the tables of oracle.py. expected() puts what
second_decoder.py found into the same shape under perfdata's names; same() compares the two. Names of values
are from the format's documentation, not from the project's schema.

Not executable, so that it is not a test itself.
"""

import re
import struct
import subprocess

import oracle
import second_decoder
from oracle import U32, U64, enum, flags

FEATURES = (
    enum(
        """
    TRACING_DATA BUILD_ID HOSTNAME OSRELEASE VERSION ARCH NRCPUS CPUDESC CPUID TOTAL_MEM CMDLINE EVENT_DESC
    CPU_TOPOLOGY NUMA_TOPOLOGY BRANCH_STACK PMU_MAPPINGS GROUP_DESC AUXTRACE STAT CACHE SAMPLE_TIME
    MEM_TOPOLOGY CLOCKID DIR_FORMAT BPF_PROG_INFO BPF_BTF COMPRESSED CPU_PMU_CAPS CLOCK_DATA HYBRID_TOPOLOGY
    PMU_CAPS CPU_DOMAIN_INFO E_MACHINE CLN_SIZE""",
        1,
    )
    | enum(
        """
    SIMPLEPERF_FILE SIMPLEPERF_META_INFO SIMPLEPERF_DEBUG_UNWIND SIMPLEPERF_DEBUG_UNWIND_FILE SIMPLEPERF_FILE2
    SIMPLEPERF_ETM_BRANCH_LIST SIMPLEPERF_INIT_MAP""",
        128,
    )
)
FEATURE_NAMES = {bit: name for name, bit in FEATURES.items()}
CPU_MAP_TYPE = enum("CPUS MASK RANGE_CPUS")
FILE_TYPE = enum("KERNEL KERNEL_MODULE ELF_FILE DEX_FILE SYMBOL_MAP_FILE UNKNOWN_FILE")
# Values that may be written by name: (part, field); the part is the key of the object around, of a list too.
WORDS = {
    ("header_feature", "feat_id"): FEATURES,
    ("auxtrace_info", "type"): enum("UNKNOWN INTEL_PT INTEL_BTS CS_ETM ARM_SPE S390_CPUMSF HISI_PTT VPA_DTL"),
    ("auxtrace_error", "type"): enum("ITRACE", 1),
    ("map", "type"): CPU_MAP_TYPE,
    ("cpus", "type"): CPU_MAP_TYPE,
    ("entries", "tag"): enum("AGGR_MODE INTERVAL SCALE AGGR_LEVEL"),
    ("event_update", "type"): enum("UNIT SCALE NAME CPUS"),
    ("cpus", "magic"): {
        "ETMV3": 0x3030303030303030,
        "ETMV4": 0x4040404040404040,
        "ETE": 0x5050505050505050,
        "CPU": 0x1010101010101010,
    },
    ("simpleperf_dso", "dso_type"): FILE_TYPE,
    ("simpleperf_callchain", "chain_type"): enum(
        "ORIGINAL_OFFLINE ORIGINAL_REMOTE JOINED_OFFLINE JOINED_REMOTE"
    ),
    ("simpleperf_unwinding_result", "abi"): oracle.REGS_ABI,
    ("compressed", "type"): enum("NONE ZSTD"),
    ("clock_data", "clockid"): oracle.CLOCKID,
    ("programs", "arrays"): oracle.Word(
        flags(
            "JITED_INSNS XLATED_INSNS MAP_IDS JITED_KSYMS JITED_FUNC_LENS FUNC_INFO LINE_INFO "
            "JITED_LINE_INFO PROG_TAGS"
        )
    ),
    ("info", "bits"): oracle.Word(flags("gpl_compatible") | {"unused": (1, 31, None)}),
    ("entries", "misc"): oracle.Word(oracle.MISC["HEADER_BUILD_ID"]),
    ("file", "type"): FILE_TYPE,
    ("fields", "type"): FILE_TYPE,
    ("etm_data", "type"): enum("ELF_FILE KERNEL KERNEL_MODULE"),
    ("cs_etm", "cpus_and_pmu"): oracle.Word({"nr_cpus": (0, 32, None), "pmu_type": (32, 32, None)}),
}
WORDS[("old_cpus", "magic")] = WORDS[("cpus", "magic")]

# Records with fields that oracle.py does not know.
TOOL_TYPES = {
    name
    for name, number in oracle.RECORD_TYPES.items()
    if number in (64, 65, 67, 69, 70, 72, 73, 74, 75, 78, 79, 80, 84, 85, 86) or number > 32768
}


class Record(oracle.Record):
    """
    `tool`: the payload of a record of perf itself as JSON has it. `feature`: likewise what HEADER_FEATURE
    holds. `trace`: the fields of a tracepoint. `offcpu`: those in the raw data of an off-cpu sample.
    """

    __slots__ = ("tool", "feature", "trace", "offcpu")

    def __init__(self, line):
        value = oracle.parse(line)
        self.feature, self.trace = value.pop("feature", None), value.pop("trace", None)
        offcpu = value.pop("offcpu", None)
        self.offcpu = oracle.plain("offcpu", offcpu) if offcpu is not None else None
        tool = None
        if value["type"] in TOOL_TYPES:
            names = [name for name in value if name not in self.KEYS]
            tool = value.pop(names[0]) if names else None
        super().__init__(value)
        self.tool = tool
        if tool is not None:
            self.payload = names[0]


def dump(path):
    """(records, exit status) of a file."""
    run = subprocess.run(
        [oracle.PERFDATA, "dump", "--json", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if run.returncode not in (0, 3):
        raise oracle.Bad(
            f"{path}: perfdata dump --json: exit {run.returncode}: {run.stderr.decode(errors='replace')}"
        )
    return [Record(line) for line in run.stdout.splitlines()], run.returncode


# ----------------------------------------------------------------------------------------------------
# Comparing
# ----------------------------------------------------------------------------------------------------


def number(part, field, value):
    if isinstance(value, int):
        return value
    if not isinstance(value, str):
        raise oracle.Bad(f"{part}.{field}: {value!r} is not a number")
    if re.fullmatch(r"-?\d+|0x[0-9a-f]+", value):
        return int(value, 0)
    word = WORDS.get((part, field))
    if isinstance(word, dict) and value in word:
        return word[value]
    if isinstance(word, oracle.Word):
        return word.parse(value)
    raise oracle.Bad(f"{part}.{field}: {value!r} is not a number nor a known name")


def same_text(kind, where, path, ours, pad, theirs, report):
    """A string: what follows its first NUL is padding, which is shown unless it is what perfdata would
    write."""
    text = bytes.fromhex(ours["hex"]) if isinstance(ours, dict) else ours.encode()
    slot = bytes.fromhex(theirs["slot"])
    report.same(kind, where, path, text, slot.split(b"\0")[0])
    if pad is not None:
        report.same(kind, where, path + ": slot", text + bytes.fromhex(pad), slot)
    else:
        sizes = {
            len(text),
            len(text) + 1,
            16,
            64,
            256,
            512,
            len(text) // 8 * 8 + 8,
            len(text) // 64 * 64 + 64,
        }
        report.same(
            kind, where, path + ": slot", (slot[len(text) :].strip(b"\0"), len(slot) in sizes), (b"", True)
        )


def same(kind, where, path, ours, theirs, report, part=None, field=None):
    """perfdata's JSON and the fields in its shape: see expected()."""
    if isinstance(theirs, Attr):
        theirs.compare(kind, where, path, ours, report)
    elif isinstance(theirs, dict):
        if not isinstance(ours, dict):
            report.differ(where, path, f"perfdata has no object here but {oracle.show(ours)}")
            return
        names = {
            name
            for name in ours
            if not (name.endswith("_pad") and name[:-4] in theirs and is_text(theirs[name[:-4]]))
        }
        for name in sorted(names | theirs.keys()):
            if name not in names or name not in theirs:
                report.differ(
                    where,
                    f"{path}.{name}",
                    "only in " + ("perfdata" if name in names else "second_decoder.py"),
                )
            elif is_text(theirs[name]):
                same_text(
                    kind, where, f"{path}.{name}", ours[name], ours.get(name + "_pad"), theirs[name], report
                )
            else:
                same(kind, where, f"{path}.{name}", ours[name], theirs[name], report, field or part, name)
    elif isinstance(theirs, list):
        if not isinstance(ours, list):
            report.differ(where, path, f"perfdata has no list here but {oracle.show(ours)}")
        elif report.same(kind, where, f"{path}: length", len(ours), len(theirs)):
            for i, (one, other) in enumerate(zip(ours, theirs)):
                same(kind, where, f"{path}[{i}]", one, other, report, part, field)
    elif isinstance(theirs, str):
        report.same(kind, where, path, ours, theirs)
    else:
        value = number(part, field, ours)
        if value < 0 <= theirs:  # written as a signed number
            value &= U32 if theirs <= U32 and value >= -1 << 31 else U64
        report.same(kind, where, path, value, theirs)


def is_text(value):
    return isinstance(value, dict) and value.keys() == {"text", "slot"}


class Attr:
    """A perf_event_attr of second_decoder.py, which oracle.py compares."""

    def __init__(self, fields):
        self.fields = fields

    def compare(self, kind, where, path, ours, report):
        theirs = attr_values(self.fields)
        mine = oracle.plain("attr", ours)
        report.same(kind, where, f"{path}: fields", sorted(mine), sorted(theirs))
        for name in mine.keys() & theirs.keys():
            report.same(kind, where, f"{path}.{name}", mine[name], theirs[name])


def attr_values(fields):
    """An attr of second_decoder.py as oracle.plain() has perfdata's."""
    result = {
        name: value & U32 if isinstance(value, int) and value < 0 else value for name, value in fields.items()
    }
    del result["flag_word"]  # its parts are in flags
    result["flags"] = dict(result["flags"])
    result["flags"]["reserved_1"] = result["flags"].pop("reserved")
    if "aux_action" in result:
        result["aux_action"] = result.pop("aux_action_flags")
    result["tail"] = bytes.fromhex(result["tail"])
    if not result["tail"]:
        del result["tail"]
    return result


# ----------------------------------------------------------------------------------------------------
# Fields of second_decoder.py in perfdata's shape
# ----------------------------------------------------------------------------------------------------


def build_id(fields):
    if "pid" not in fields:  # the form before there was a pid
        fields = dict(fields, build_id=fields["build_id"][:40], build_id_pad=fields["build_id"][40:])
    return {"file": fields}, ""


def cpu_map(fields):
    fields = dict(fields)
    behind = fields.pop("pad", "")
    result = {"type": fields.pop("type")}
    if result["type"] == 1:
        if "mask" in fields:
            fields[f"mask{8 * fields['long_size']}"] = fields.pop("mask")
        if "mask_pad" in fields:
            fields["pad"] = fields.pop("mask_pad")
    elif result["type"] == 2:
        fields["pad"] = fields.pop("range_pad")
    if fields:
        result[{0: "cpus", 1: "mask", 2: "range"}[result["type"]]] = fields
    return result, behind


def event_update(fields):
    fields = dict(fields)
    behind = fields.pop("pad", "")
    if "scale" in fields:
        fields["scale"] = Scale(fields.pop("scale_bits"))
    if "cpus" in fields:
        fields["cpus"], behind = cpu_map(fields["cpus"])
    return fields, behind


class Scale(Attr):
    """A double: its bits."""

    def compare(self, kind, where, path, ours, report):
        if isinstance(ours, float) or isinstance(ours, str) and not ours.startswith("0x"):
            ours = struct.unpack("<Q", struct.pack("<d", float(ours)))[0]
        report.same(kind, where, path, ours if isinstance(ours, int) else int(ours, 0), self.fields)


def id_index(fields):
    fields = dict(fields)
    if "machine_entries" in fields:
        fields["machines"] = fields.pop("machine_entries")
    return fields, ""


def auxtrace_info(fields):
    fields = dict(fields)
    kind, info = fields["type"], fields.pop("info", None)
    if kind == 3:
        info = dict(info, cpus_and_pmu=info["pmu_type"] << 32 | info["nr_cpus"])
        del info["pmu_type"], info["nr_cpus"]
        if info["header_version"] == 0:
            info["old_cpus"] = [
                {name.lower(): value for name, value in one.items()} for one in info.pop("cpus")
            ]
    elif kind == 4 and "cpus" in info:
        info = dict(info, pmu=info["pmu_type"])
        del info["pmu_type"]
    if info is not None:
        fields[
            {1: "intel_pt", 2: "intel_bts", 3: "cs_etm", 4: "arm_spe", 6: "hisi_ptt", 7: "vpa_dtl"}[kind]
        ] = info
    if "filter_str_len" in (info or {}):
        info.setdefault("filter", {"text": "", "slot": ""})
    return fields, ""


def auxtrace_error(fields):
    fields = dict(fields)
    if fields["fmt"] == 0:
        fields["text"] = fields.pop("msg")
    return fields, ""


def header_feature(fields):
    return {name: value for name, value in fields.items() if name == "feat_id" or value}, ""


def schedstat_domain(fields):
    fields = dict(fields)
    behind = fields.pop("pad", "")
    if "busy" in fields:
        blocks = {name: fields.pop(name) for name in ("idle", "busy", "newidle")}
        blocks["active"] = {
            f"{group}_{name}": value
            for group in ("alb", "sbe", "sbf", "ttwu")
            for name, value in fields.pop(group).items()
        }
        fields[f"v{fields['version']}"] = blocks
    return fields, behind


def renamed(**names):
    """Fields under other names; the field `pad` is behind the last field there."""

    def change(fields):
        result = {names.get(name, name): value for name, value in fields.items() if name != "pad"}
        return result, fields.get("pad", "")

    return change


def header_attr(fields):
    return {"attr": Attr(fields["attr"]), "ids": fields["ids"]}, ""


def unwinding(fields):
    fields = dict(fields)
    if "n" in fields:
        fields["nr"] = fields.pop("n")
    if "stack_size" in fields:
        fields.setdefault("stack", "")
    return fields, ""


def split(fields):
    data = fields["chunk"]["slot"]
    return {"data": data} if data else {}, ""


RECORDS = {
    64: header_attr,
    65: renamed(),
    67: build_id,
    69: id_index,
    70: auxtrace_info,
    72: auxtrace_error,
    73: renamed(),
    74: lambda fields: (lambda pair: ({"map": pair[0]}, pair[1]))(cpu_map(fields)),
    75: renamed(),
    78: event_update,
    79: renamed(),
    80: header_feature,
    84: renamed(),
    85: lambda fields: (fields, ""),
    86: schedstat_domain,
    32769: renamed(data="kallsyms"),
    32770: renamed(),
    32771: renamed(),
    32772: split,
    32773: renamed(),
    32774: renamed(),
    32775: renamed(),
    32776: unwinding,
    32777: renamed(),
    32778: renamed(),
}


# ----------------------------------------------------------------------------------------------------
# Features
# ----------------------------------------------------------------------------------------------------


def texts(fields, *names):
    """Lists of strings are lists of objects in perfdata."""
    return dict(fields, **{name: [{"text": one} for one in fields[name]] for name in names if name in fields})


def sized(data, name="text"):
    return {"size": len(data) // 2, name: data}


def tracing_data(fields, raw):
    result = {"magic": "170844", "name": b"tracing".hex()}
    result.update({name: fields[name] for name in ("version", "bigendian", "long_size", "page_size")})
    for name in ("header_page", "header_event"):
        result[name + "_name"] = {"text": name, "slot": name.encode().hex() + "00"}
        result[name + "_size"], result[name] = len(fields[name]) // 2, fields[name]
    result["nr_ftrace"] = len(fields["ftrace_formats"])
    result["ftrace"] = [sized(one) for one in fields["ftrace_formats"]]
    result["nr_systems"] = len(fields["systems"])
    result["systems"] = [
        {
            "name": one["name"],
            "nr_events": len(one["formats"]),
            "events": [sized(text) for text in one["formats"]],
        }
        for one in fields["systems"]
    ]
    for name, other in (
        ("kallsyms", "kallsyms"),
        ("printk_formats", "printk"),
        ("saved_cmdlines", "cmdlines"),
    ):
        if name in fields:
            result[other + "_size"], result[other] = len(fields[name]) // 2, fields[name]
    return result


def feature_build_id(fields, raw):
    return {
        "entries": [
            dict({name: one[name] for name in ("type", "misc", "size")}, **build_id(one["fields"])[0])
            for one in fields["entries"]
        ]
    }


def event_desc(fields, raw):
    return {
        "nr_events": fields["nr"],
        "attr_size": fields["attr_size"],
        "events": [dict(one, attr=Attr(one["attr"])) for one in fields["events"]],
    }


def cpu_topology(fields, raw):
    fields = texts(fields, "sockets", "cores", "dies")
    if "die_id" in fields:
        fields["die_ids"] = fields.pop("die_id")
    return fields


def feature_auxtrace(fields, raw):
    return fields if "nr" in fields else {"all_entries": fields["entries"]}


def mem_topology(fields, raw):
    return dict(
        fields,
        nodes=[
            {"bitmap" if name == "words" else name: value for name, value in one.items()}
            for one in fields["nodes"]
        ],
    )


def bpf_prog_info(fields, raw):
    programs = []
    for program in fields["programs"]:
        program = dict(program)
        del program["array_contents"]
        info = dict(program["info"])
        if "name" in info:
            info["name"] = info["name"]["slot"]
        if "gpl_compatible" in info:
            info["bits"] = info.pop("gpl_compatible") | info.pop("gpl_pad") << 1
        tail = info.pop("pad", None)
        if tail is not None:
            info["tail"] = struct.pack(raw.order + "I", tail).hex() + info.get("tail", "")
        programs.append(dict(program, info=info))
    return {"count": fields["count"], "programs": programs}


def pmu_caps(fields, raw):
    return {"nr_pmus": fields["nr_pmu"], "pmus": fields["pmus"]}


def same_named(**names):
    return lambda fields, raw: {names.get(name, name): value for name, value in fields.items()}


def simpleperf_file(fields, raw):
    names = {"dex_count": "nr_dex_offsets", "dex_file_offset": "dex_offsets"}
    return {
        "files": [
            {
                "size": one["size"],
                "file": {names.get(name, name): value for name, value in one.items() if name != "size"},
            }
            for one in fields["files"]
        ]
    }


def keys_of(layout):
    """Names of keys in perfdata's JSON."""
    names = {}
    for number, (name, kind) in layout.items():
        names[name.rstrip("*").upper()] = number << 3 | (0 if kind == "u" else 2)
        if kind == "u" and name.endswith("*"):
            names["PACKED_" + name.rstrip("*").upper()] = number << 3 | 2
    return names


def message_fields(raw, layout, part="fields"):
    """A protobuf message as perfdata has it: its fields one after another, those without a name by their wire
    type."""
    WORDS.setdefault((part, "key"), {}).update(keys_of(layout))
    result = []
    for number, wire, value in second_decoder.protobuf(raw):
        name, kind = layout.get(number, ("", None))
        repeated, name = name.endswith("*"), name.rstrip("*")
        one = {"key": number << 3 | wire}
        if kind == "u" and wire == 0:
            one[name] = value
        elif kind == "u" and wire == 2 and repeated:
            one[name + "s"] = [{"value": number} for number in second_decoder.packed(value)]
        elif kind == "str" and wire == 2:
            one[name] = {"text": value.decode("latin-1"), "slot": value.hex()}
        elif kind == "bytes" and wire == 2:
            one.update({name + "_bytes": len(value), name: value.hex()})
        elif isinstance(kind, dict) and wire == 2:
            one[name] = message_fields(value, kind, name)
        elif wire == 2:
            one.update(data_size=len(value), data=value.hex())
        elif value is not None:
            one[{0: "value", 1: "value64", 5: "value32"}[wire]] = value
        result.append(one)
    return result


def protobuf(layout):
    return lambda fields, raw: {"fields": message_fields(bytes(raw), layout)}


def simpleperf_file2(fields, raw):
    files, at = [], 0
    for one in fields["files"]:
        message = bytes(raw)[at + 4 : at + 4 + one["size"]]
        files.append(
            {"size": one["size"], "message": {"fields": message_fields(message, second_decoder.FILE_FEATURE)}}
        )
        at += 4 + one["size"]
    return {"files": files}


def rest_data(fields, raw):
    return {name: value for name, value in fields.items() if value}


FEATURE_SHAPES = {
    1: tracing_data,
    2: feature_build_id,
    7: same_named(nr_avail="nr_cpus_avail", nr_online="nr_cpus_online"),
    10: same_named(kb="total_mem"),
    11: lambda fields, raw: texts(fields, "args"),
    12: event_desc,
    13: cpu_topology,
    18: feature_auxtrace,
    21: same_named(first_ns="first", last_ns="last"),
    22: mem_topology,
    25: bpf_prog_info,
    29: same_named(clockid_ns="clockid_time_ns"),
    31: pmu_caps,
    34: same_named(size="cln_size"),
    128: simpleperf_file,
    130: protobuf(second_decoder.DEBUG_UNWIND),
    131: rest_data,
    132: simpleperf_file2,
    133: protobuf(second_decoder.BRANCH_LIST),
    134: rest_data,
}
for bit in (3, 4, 5, 6, 8, 9):
    FEATURE_SHAPES[bit] = same_named(value="text")


class Raw(bytes):
    """The bytes of a feature, and their byte order for the struct module."""

    order = "<"


def features_of(info):
    """{bit: JSON of the feature} of `perfdata info --json`."""
    bits = {name.lower(): bit for name, bit in FEATURES.items()}
    return {bits[key] if key in bits else int(key): fields for key, fields in info["features"].items()}


def same_feature(where, bit, raw, order, ours, theirs, report):
    """A feature: perfdata's JSON of it, and what second_decoder.py makes of the same bytes."""
    kind = FEATURE_NAMES.get(bit, "unknown") + " feature"
    if theirs is None or "error" in theirs:
        report.same("undecoded features", where, f"undecoded ({theirs})", ours, None)
        return
    if ours is None:
        report.differ(where, kind, f"perfdata did not decode it: {oracle.show(theirs)}")
        return
    raw = Raw(raw)
    raw.order = "<" if order == "little" else ">"
    ours = dict(ours)
    report.same("rests", where, "rest", ours.pop("rest", ""), theirs.get("rest", ""))
    name = FEATURE_NAMES[bit].lower()
    same(
        kind,
        where,
        name,
        ours,
        FEATURE_SHAPES.get(bit, lambda fields, raw: fields)(theirs["fields"], raw),
        report,
        field=name,
    )
