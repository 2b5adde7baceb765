#!/usr/bin/env python3
"""All recordings at hand, decoded by perfdata and by second_decoder.py, compared record by record, field by
field.

The two share no line and no table: second_decoder.py was written from the format's documentation alone.
Compared are the file header, attrs with ids, the feature table, and of every record offset, type, misc, size,
all fields, the trailer and the bytes that belong to no field. A field that only one side has is a difference.

Files: those of corpus/, those of PERFDATA_CORPUS where it is set, recordings made here, and files made by
hand in both byte orders, which also must decode to the same values in either.
"""

import concurrent.futures
import os
import pathlib
import shutil
import struct
import subprocess
import sys

import handmade
import oracle
import second_decoder
import second_decoder_names as names

# Where the two spell a field of a record differently: {type: {second_decoder.py: perfdata}}
RENAMED = {8: {"read": "values"}, 16: {"entries": "namespaces"}, 20: {"old": "old_bytes", "new": "new_bytes"}}
# Fields of second_decoder.py that are the bytes behind the fields in perfdata. 66: the blob that old
# simpleperf put inside.
BEHIND = {20: ["pad"], 66: ["data", "pad"], 83: ["pad"]}


def same_tree(kind, where, path, ours, theirs, report):
    """Both sides must have the same fields with the same values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in ours.keys() | theirs.keys():
            if name not in ours or name not in theirs:
                report.differ(
                    where,
                    f"{path}.{name}",
                    "only in " + ("perfdata" if name in ours else "second_decoder.py"),
                )
            else:
                same_tree(kind, where, f"{path}.{name}", ours[name], theirs[name], report)
    elif isinstance(ours, list) and isinstance(theirs, list) and ours and isinstance(ours[0], dict):
        report.same(kind, where, f"{path}: length", len(ours), len(theirs))
        for i, (one, other) in enumerate(zip(ours, theirs)):
            same_tree(kind, where, f"{path}[{i}]", one, other, report)
    elif report.same(kind, where, path, ours, theirs) and isinstance(ours, list):
        report.counts[kind] += len(ours)


def values_of(fields):
    """Fields of second_decoder.py with bytes for hex, string slots as bytes, negative numbers as their
    bits."""
    result = {}
    for name, value in fields.items():
        if isinstance(value, dict) and value.keys() == {"text", "slot"}:
            value = bytes.fromhex(value["slot"])
        elif isinstance(value, dict):
            value = values_of(value)
        elif isinstance(value, str):
            value = bytes.fromhex(value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            value = [values_of(one) for one in value]
        elif isinstance(value, int) and value < 0:
            value &= oracle.U32
        result["res" if name == "cpu_res" else name] = value
    return result


def compare_record(where, ours, theirs, payload, order, report):
    report.counts["records"] += 1
    for name in ("offset", "type", "misc", "size"):
        report.same("headers", where, name, getattr(ours, name), theirs[name])
    kind = oracle.TYPE_NAMES.get(ours.type, "unknown types") + " fields"
    if ours.payload is None and theirs.get("old_feature"):  # compare_feature_record() looks into it
        report.same("untyped payloads", where, "rest", ours.rest, payload)
        return
    if "error" in theirs or ours.raw is not None:
        report.same(
            "undecoded records",
            where,
            f"undecoded ({theirs.get('error')})",
            ours.raw is not None,
            "error" in theirs,
        )
        report.same("undecoded records", where, "raw", ours.raw, payload)
        return
    rest = bytes.fromhex(theirs.get("rest", ""))
    if ours.type in names.RECORDS:
        if ours.tool is None:
            report.differ(where, ours.name, "perfdata did not decode it")
            return
        shaped, behind = names.RECORDS[ours.type](theirs["fields"])
        names.same(kind, where, ours.payload, ours.tool, shaped, report, field=ours.payload)
        report.same("rests", where, "rest", ours.rest, bytes.fromhex(behind) + rest)
        same_tree("trailer fields", where, "sample_id", ours.id, values_of(theirs.get("trailer", {})), report)
        return
    fields = values_of(theirs["fields"])
    for name, other in RENAMED.get(ours.type, {}).items():
        if name in fields:
            fields[other] = fields.pop(name)
    behind = b""
    for name in BEHIND.get(ours.type, []):
        value = fields.pop(name, b"")
        behind += (
            struct.pack(("<" if order == "little" else ">") + "I", value) if isinstance(value, int) else value
        )
    rest = behind + rest
    if ours.fields.get("branch_stack", {}).get("counters") == []:
        del ours.fields["branch_stack"]["counters"]  # of no branches
    if "weight_struct" in fields:  # perfdata has the three parts; second_decoder.py also the whole word
        part = fields["weight_struct"]
        report.same(
            kind,
            where,
            "weight",
            part["var1_dw"] | part["var2_w"] << 32 | part["var3_w"] << 48,
            fields.pop("weight"),
        )
    same_tree(kind, where, ours.name, ours.fields, fields, report)
    if ours.offcpu is not None or "offcpu" in theirs:
        theirs_too = values_of(theirs["offcpu"]) if "offcpu" in theirs else None
        same_tree("off-cpu samples", where, "offcpu", ours.offcpu, theirs_too, report)
    report.same("rests", where, "rest", ours.rest, rest)
    same_tree("trailer fields", where, "sample_id", ours.id, values_of(theirs.get("trailer", {})), report)


def compare_attrs(where, info, file, report):
    lines = list(file.describe())
    attrs = [line for line in lines if "attr" in line]
    report.same("attrs", where, "number of attrs", len(info["events"]), len(attrs))
    for index, (event, line) in enumerate(zip(info["events"], attrs)):
        ours = oracle.plain("attr", event["attr"])
        theirs = names.attr_values(line["attr"])
        same_tree("attr fields", f"{where}: attr {index}", "attr", ours, theirs, report)
        report.same("ids", where, f"ids of attr {index}", [int(one) for one in event["ids"]], line["ids"])
    header = lines[0]["header"]
    for name, ours, theirs in (
        ("container", info["container"], header["container"]),
        ("order", info["order"], header["byte_order"]),
        ("header_size", info["header_size"], header["size"]),
        ("version", info["version"], 1 if header["magic"] == "PERFFILE" else 2),
    ):
        report.same("file headers", where, name, ours, theirs)
    if header["container"] == "file":
        report.same("file headers", where, "attr_size", info["attr_size"], header["attr_size"])
        report.same("file headers", where, "data offset", info["data"]["offset"], header["data"]["offset"])
        # perfdata calls a file unfinished when its data size is 0 and there are records, or no features where
        # its bits announce some; truncated also when its feature table is not all there
        start, size = header["data"]["offset"], header["data"]["size"]
        unfinished = size == 0 and (
            len(file.data) > start or (len(file.data) == start and bool(header["features"]))
        )
        table_end = start + size + (0 if unfinished else 16 * len(header["features"]))
        if header.get("bitmap_word_bits") and header["features"]:
            report.same(
                "file headers", where, "feature_word", info["feature_word"] * 8, header["bitmap_word_bits"]
            )
        features = [(line["feature"], line["offset"], line["size"]) for line in lines if "feature" in line]
        if start < header["size"]:
            report.note(
                "file whose data section begins inside the header: what follows from that is not compared"
            )
        else:
            report.same("file headers", where, "unfinished", info["unfinished"], unfinished)
            report.same("file headers", where, "truncated", info["truncated"], table_end > len(file.data))
            report.same(
                "features",
                where,
                "feature table",
                [(one["feature"], one["offset"], one["size"]) for one in info["sections"]],
                features,
            )


def table_is_cut(file):
    data = file.header.get("data")
    end = data and data["offset"] + data["size"]
    return bool(data) and data["size"] > 0 and end >= len(file.data) and bool(file.header["features"])


def compare_compressed(where, inner, file, report):
    """The records inside COMPRESSED ones: second_decoder.py gets what the zstd command makes of the
    chunks."""
    if not shutil.which("zstd"):
        report.skip(f"{where}: there is no zstd to look into COMPRESSED records with")
        return
    chunks = [file.decode(record)["fields"]["data"] for record in file.records if record.type in (81, 83)]
    # perf does not end the frame when it stops: zstd complains, and has written all there is.
    data = subprocess.run(
        ["zstd", "-dcq"],
        input=bytes.fromhex("".join(chunks)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout
    file.data = data  # other records of the same attrs
    file.records = []
    file.frame_records(0, len(data))
    report.same("records inside COMPRESSED", where, "how many", len(inner), len(file.records))
    for ours, record in zip(inner, file.records):
        theirs = file.decode(record)
        report.same("records inside COMPRESSED", where, "inner_offset", ours.inner, record.offset)
        theirs["offset"] = ours.offset
        at = f"{where}: {ours.name} inside {ours.offset} at {record.offset}"
        compare_record(at, ours, theirs, data[record.offset + 8 : record.end], file.order, report)


def compare_feature_record(name, file, record, ours, context, report):
    """The feature inside HEADER_FEATURE. dump knows of the others the NRCPUS that came before: it is in the
    context."""
    where = f"{name}: offset {ours.offset:#x}"
    if record.size < 16 and not record.old_feature:
        report.same("undecoded features", where, "feature", ours.feature, None)
        return
    cursor = file.cursor(record.offset + 8, record.end)
    bit = record.type - 66 if record.old_feature else cursor.u64()
    raw = bytes(file.data[cursor.pos : record.end])
    if bit == second_decoder.NRCPUS and len(raw) >= 4:
        context["nr_cpus_avail"] = int.from_bytes(raw[:4], file.order)
    theirs = second_decoder.decode_feature(bit, cursor, context)
    names.same_feature(
        f"{where}: {names.FEATURE_NAMES.get(bit, bit)}", bit, raw, file.order, ours.feature, theirs, report
    )


def tracing_data(file):
    """The tracing data that records have: behind them, inside, or simpleperf's, in parts when it is large."""
    whole = b""
    for record in file.records:
        payload = bytes(file.data[record.offset + 8 : record.end])
        if record.type == 66 and record.payload_size is not None:
            yield bytes(file.data[record.end : record.end + record.payload_size])
            continue
        if record.type == 32772:
            whole += payload
        elif record.type == 32773:
            if int.from_bytes(whole[:4], file.order) == 32777:
                yield whole[12 : 12 + int.from_bytes(whole[8:12], file.order)]
            whole = b""
        elif record.type in (66, 32777) and len(payload) >= 4:
            size = int.from_bytes(payload[:4], file.order)
            yield payload[4 : 4 + size]


def feature_payloads(file):
    """[(bit, bytes)] of all features, from the sections of a file or the records of a pipe."""
    found = []
    for bit, offset, size in file.features:
        if offset + size <= len(file.data):
            found.append((bit, bytes(file.data[offset : offset + size])))
    found += [(1, data) for data in tracing_data(file)]
    for record in file.records if file.pipe else []:
        if record.old_feature:
            found.append((record.type - 66, bytes(file.data[record.offset + 8 : record.end])))
        elif record.type == second_decoder.FEATURE_RECORD and record.size > 16:
            found.append(
                (
                    file.cursor(record.offset + 8, record.end).u64(),
                    bytes(file.data[record.offset + 16 : record.end]),
                )
            )
    return found


def compare_features(name, file, info, report):
    """The features as `perfdata info` decodes them. Is one damaged?"""
    if "data" in file.header and file.header["data"]["offset"] < file.header["size"]:
        return False  # see compare_attrs()
    decoded = names.features_of(info)
    payloads = feature_payloads(file)
    bits = [bit for bit, _ in payloads]
    report.same("features", name, "which features there are", sorted(decoded), sorted(set(bits)))
    damaged = False
    for bit, raw in payloads:
        ours = decoded.get(bit)
        where = f"{name}: info: {names.FEATURE_NAMES.get(bit, bit)}"
        theirs = second_decoder.decode_feature(
            bit, second_decoder.Cursor(raw, 0, len(raw), file.order), file.context
        )
        undecoded = theirs is None or "error" in theirs
        if bits.count(bit) > 1:  # which of them perfdata shows is left open
            damaged |= undecoded and theirs is not None
        elif not raw and undecoded:  # not damage; of a feature with a name the bytes are no part of JSON
            report.same(
                "undecoded features",
                where,
                "empty section",
                ours,
                {} if bit in names.FEATURE_NAMES else {"raw": ""},
            )
        elif undecoded and ours == {"raw": raw.hex()}:
            report.same("undecoded features", where, "bytes", ours, {"raw": raw.hex()})
            damaged |= theirs is not None
        else:
            names.same_feature(where, bit, raw, file.order, ours, theirs, report)
    return damaged


def compare_decoded(file, name, records, info, damaged, report):
    """What perfdata found in a recording, records, info and whether it is damaged, with what
    second_decoder.py finds."""
    data, bad, cut = file.data, False, table_is_cut(file)
    if file.header:
        compare_attrs(name, info, file, report)
        bad = compare_features(name, file, info, report)
    outer = [record for record in records if record.inner is None]
    report.same("record counts", name, "number of records", len(outer), len(file.records))
    context = {}
    for ours, record in zip(outer, file.records):
        theirs = file.decode(record)
        theirs["old_feature"] = record.old_feature
        compare_record(
            f"{name}: offset {ours.offset:#x} {ours.name}",
            ours,
            theirs,
            data[record.offset + 8 : record.end],
            file.order,
            report,
        )
        bad |= "error" in theirs
        if record.type == second_decoder.FEATURE_RECORD or record.old_feature:
            compare_feature_record(name, file, record, ours, context, report)
    inner = [record for record in records if record.inner is not None]
    noted = file.pipe and file.problems
    is_compressed = inner or any(record.type in (81, 83) for record in file.records)
    if is_compressed:
        compare_compressed(name, inner, file, report)
    if is_compressed and not shutil.which("zstd"):
        pass  # what is inside may be damaged
    elif noted:
        report.note("bytes that are no record behind the last one of a pipe: damage or a note")
    else:
        report.same(
            "damage",
            name,
            f"damaged (second_decoder.py: {file.problems[:2]})",
            damaged,
            bool(file.problems) or bad or cut,
        )


def compare_file(path, name):
    report = oracle.Report()
    report.counts["files"] += 1
    try:
        records, status = names.dump(path)
        info = oracle.info(path)
        file = second_decoder.PerfFile(pathlib.Path(path).read_bytes())
        if file.header and not file.pipe and not any(tracing_data(file)):  # which only the records have
            report.same(
                "header only",
                name,
                "features",
                oracle.info(path, "--header-only")["features"],
                info["features"],
            )
        compare_decoded(file, name, records, info, status == 3, report)
    except oracle.Bad as error:
        report.differ(name, "perfdata", str(error))
    except subprocess.SubprocessError as error:
        report.differ(name, "perfdata", repr(error))
    return report


def numbers_of(tree):
    """The fields without bytes that belong to none, since numbers may be among these."""
    if isinstance(tree, dict):
        return {name: numbers_of(value) for name, value in tree.items() if name not in ("rest", "tail")}
    return [numbers_of(one) for one in tree] if isinstance(tree, list) else tree


def compare_orders(little, big, report):
    """A file made by hand in both byte orders: the same values (of features: of those that are a part of
    JSON)."""
    ours, _ = names.dump(little)
    theirs, _ = names.dump(big)
    where = f"{little.name} and {big.name}"
    report.same("both byte orders", where, "number of records", len(ours), len(theirs))
    for one, other in zip(ours, theirs):
        at = f"{where}: offset {one.offset:#x} {one.name}"
        for name in ("type", "misc", "size", "offset", "attr", "variant"):
            report.same("both byte orders", at, name, getattr(one, name), getattr(other, name))
        report.same("both byte orders", at, "undecoded", one.raw is None, other.raw is None)
        if one.type in names.RECORDS:
            if one.type not in (second_decoder.FEATURE_RECORD, 32772):  # they show bytes
                report.same("both byte orders", at, one.name, one.tool, other.tool)
                report.same("both byte orders", at, "rest", one.rest, other.rest)
            else:
                report.same(
                    "both byte orders", at, "feature", numbers_of(one.feature), numbers_of(other.feature)
                )
        elif one.payload is not None:  # the bytes of the others differ
            same_tree("both byte orders", at, one.name, one.fields, other.fields, report)
            report.same("both byte orders", at, "rest", one.rest, other.rest)
        same_tree("both byte orders", at, "sample_id", one.id, other.id, report)
    for first, second in zip(oracle.info(little)["events"], oracle.info(big)["events"]):
        same_tree("both byte orders", where, "attr", first, second, report)


def injected(perf, folder, source, report):
    """What `perf inject -b` makes of a recording and of a pipe without tracing data: BUILD_ID records in file
    and pipe."""
    pipe = folder / f"{perf.name}-plain-pipe.data"
    with open(pipe, "wb") as out:
        perf.run(
            "record",
            "-q",
            "-B",
            "-o",
            "-",
            "-e",
            "cpu-clock",
            "--",
            "sh",
            "-c",
            oracle.BUSY,
            stdout=out,
            timeout=60,
        )
    made = []
    for stdin, to_pipe in ((source, False), (pipe, True), (pipe, False)):
        if stdin == pipe and not to_pipe and perf.newest:
            continue  # 7.3 writes the ids over the features
        path = folder / f"{perf.name}-injected-{len(made)}.data"
        with open(pipe, "rb") as data, open(path if to_pipe else os.devnull, "wb") as out:
            run = perf.run(
                "inject",
                "-b",
                "-f",
                "-i",
                "-" if stdin == pipe else str(source),
                "-o",
                "-" if to_pipe else str(path),
                stdin=data,
                stdout=out,
            )
        if run.returncode:
            report.skip(
                f"{perf.name} inject -b of {stdin.name}: {run.stderr.decode(errors='replace').strip()[:200]}"
            )
        else:
            made.append(path)
    return made


def make_by_hand(folder, report):
    paths = []
    seed = oracle.seed()
    for kind, make in (
        ("tools", lambda order: [handmade.make_tools(order, seed, False)]),
        ("tools-pipe", lambda order: [handmade.make_tools(order, seed, True)]),
        ("features", lambda order: handmade.make_features(order, seed)),
        ("damaged", lambda order: handmade.make_damaged(order, seed)),
    ):
        for n, pair in enumerate(zip(make("<"), make(">"))):
            pair = [
                (folder / f"hand-{letters}-{kind}-{n}.data", data)
                for letters, data in zip(("le", "be"), pair)
            ]
            for path, data in pair:
                path.write_bytes(data)
                paths.append(path)
            if kind != "damaged":
                compare_orders(*[path for path, _ in pair], report)
    for kind, make in [
        ("8", lambda order: handmade.make(order)),
        ("4", lambda order: handmade.make(order, 4)),
        ("pipe", lambda order: handmade.make(order, pipe=True)),
        ("counters", handmade.make_counters),
    ] + [
        (f"attr{size}", lambda order, size=size: handmade.make(order, size=size))
        for size in (104, 112, 120, 136, 144, 152)
    ]:
        pair = []
        for order, letters in (("<", "le"), (">", "be")):
            path = folder / f"hand-{letters}-{kind}.data"
            path.write_bytes(make(order))
            pair.append(path)
        compare_orders(*pair, report)
        paths += pair
    return paths


MINIMUM = {
    "files": 20,
    "records": 2000,
    "headers": 8000,
    "attr fields": 500,
    "ids": 20,
    "SAMPLE fields": 20000,
    "trailer fields": 2000,
    "rests": 2000,
    "both byte orders": 12000,
    "MMAP fields": 100,
    "MMAP2 fields": 500,
    "COMM fields": 200,
    "FORK fields": 200,
    "EXIT fields": 100,
    "LOST fields": 50,
    "LOST_SAMPLES fields": 20,
    "THROTTLE fields": 50,
    "UNTHROTTLE fields": 50,
    "READ fields": 50,
    "AUX fields": 50,
    "ITRACE_START fields": 50,
    "SWITCH_CPU_WIDE fields": 50,
    "NAMESPACES fields": 200,
    "KSYMBOL fields": 100,
    "BPF_EVENT fields": 100,
    "HEADER_ATTR fields": 500,
    "HEADER_EVENT_TYPE fields": 160,
    "HEADER_BUILD_ID fields": 460,
    "ID_INDEX fields": 520,
    "AUXTRACE_INFO fields": 7100,
    "AUXTRACE fields": 50,
    "AUXTRACE_ERROR fields": 1800,
    "THREAD_MAP fields": 170,
    "CPU_MAP fields": 500,
    "STAT_CONFIG fields": 62,
    "STAT fields": 140,
    "STAT_ROUND fields": 46,
    "EVENT_UPDATE fields": 890,
    "TIME_CONV fields": 88,
    "HEADER_FEATURE fields": 620,
    "BPF_METADATA fields": 160,
    "SCHEDSTAT_CPU fields": 290,
    "SCHEDSTAT_DOMAIN fields": 810,
    "SIMPLEPERF_KERNEL_SYMBOL fields": 42,
    "SIMPLEPERF_DSO fields": 450,
    "SIMPLEPERF_SYMBOL fields": 43,
    "SIMPLEPERF_SPLIT fields": 17,
    "SIMPLEPERF_EVENT_ID fields": 57,
    "SIMPLEPERF_CALLCHAIN fields": 150,
    "SIMPLEPERF_UNWINDING_RESULT fields": 410,
    "SIMPLEPERF_TRACING_DATA fields": 58,
    "SIMPLEPERF_DEBUG fields": 26,
    "TRACING_DATA feature": 810,
    "BUILD_ID feature": 710,
    "HOSTNAME feature": 79,
    "OSRELEASE feature": 57,
    "VERSION feature": 74,
    "ARCH feature": 82,
    "NRCPUS feature": 85,
    "CPUDESC feature": 55,
    "CPUID feature": 65,
    "TOTAL_MEM feature": 33,
    "CMDLINE feature": 330,
    "EVENT_DESC feature": 1900,
    "CPU_TOPOLOGY feature": 620,
    "NUMA_TOPOLOGY feature": 280,
    "PMU_MAPPINGS feature": 270,
    "GROUP_DESC feature": 120,
    "AUXTRACE feature": 170,
    "CACHE feature": 830,
    "SAMPLE_TIME feature": 66,
    "MEM_TOPOLOGY feature": 290,
    "CLOCKID feature": 18,
    "DIR_FORMAT feature": 21,
    "BPF_PROG_INFO feature": 1500,
    "BPF_BTF feature": 120,
    "COMPRESSED feature": 120,
    "CPU_PMU_CAPS feature": 160,
    "CLOCK_DATA feature": 96,
    "HYBRID_TOPOLOGY feature": 130,
    "PMU_CAPS feature": 250,
    "CPU_DOMAIN_INFO feature": 350,
    "E_MACHINE feature": 55,
    "CLN_SIZE feature": 27,
    "SIMPLEPERF_FILE feature": 520,
    "SIMPLEPERF_META_INFO feature": 220,
    "SIMPLEPERF_DEBUG_UNWIND feature": 210,
    "SIMPLEPERF_DEBUG_UNWIND_FILE feature": 23,
    "SIMPLEPERF_FILE2 feature": 270,
    "SIMPLEPERF_ETM_BRANCH_LIST feature": 260,
    "SIMPLEPERF_INIT_MAP feature": 25,
    "CGROUP fields": 50,
    "TEXT_POKE fields": 50,
    "AUX_OUTPUT_HW_ID fields": 20,
    "CALLCHAIN_DEFERRED fields": 50,
    "attrs": 36,
    "damage": 36,
    "features": 65,
    "file headers": 270,
    "header only": 24,
    "undecoded features": 210,
    "undecoded records": 960,
}


def main():
    report = oracle.Report()
    recordings = oracle.Recordings()
    jobs = [(path, path.name) for path in make_by_hand(recordings.dir, report)]
    files = oracle.corpus()
    print(f"{len(files)} files of the corpora", flush=True)
    if not os.environ.get("PERFDATA_CORPUS"):
        report.skip("PERFDATA_CORPUS is not set: only the files of corpus/ and those made here are compared")
    if not files:
        report.differ("corpus/", "files", "there are none")
    jobs += [(path, path.name) for path in files]
    if shutil.which("perf"):
        perf = oracle.system_perf()
        for name, path in recordings.make_all(
            perf,
            [
                "group",
                "group-times",
                "memory",
                "pages",
                "switch-task",
                "namespaces",
                "mixed",
                "regs-some",
                "threads",
                "throttle",
                "bpf",
                "compressed",
            ],
            report,
        ):
            jobs.append((path, path.name))
        for judge in (perf, oracle.latest_perf(report)):
            if judge:
                made = [recordings.pipe(judge), recordings.stat(judge)]
                made += [path for _, path in recordings.make_all(judge, ["callchain"], report)]
                made += injected(judge, recordings.dir, made[-1], report)
                jobs += [(path, path.name) for path in made]
    else:
        report.skip("there is no perf: no recordings are made here")
    jobs.sort(key=lambda job: -job[0].stat().st_size)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for result in pool.map(compare_file, *zip(*[(str(path), name) for path, name in jobs])):
            report.add(result)
    report.need(MINIMUM)
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except oracle.Bad as error:
        oracle.fail(str(error))
