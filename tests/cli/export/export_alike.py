#!/usr/bin/env python3
"""export_alike.py SEED RECORDS OUT.jsonl WANT: a random recording for `encode`, and its folded stacks.

Few tasks, few stacks, and names and mappings that change all the time, also at the very time of a sample:
so most samples are like an earlier one, and may or may not have its stack. The lines of WANT come from a
model that takes the records one by one in order of time.
"""
import collections
import json
import random
import sys

seed, records, out, want = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
rng = random.Random(seed)
PIDS, TIDS = [10, 20, 30], [10, 11, 20, 21, 30]
PLACES = [0x1000, 0x2000, 0x3000]  # of mappings of 0x1000 bytes
MODULE = 0xFFFFFFFFC0000000
FIXED = 1000 if seed % 3 == 0 else 0  # the event's period, and samples have none
CHAINED = rng.random() < 0.6
KEYS = rng.choice([["comm"], ["comm", "cpu"], ["pid", "tid"], []])


def user_ip():
    return rng.choice(PLACES) + rng.choice([0x10, 0x20])


def sample():
    pid = rng.choice(PIDS)
    tid = rng.choice([t for t in TIDS if t // 10 == pid // 10])
    kernel = rng.random() < 0.3
    ip = MODULE + rng.choice([0x10, 0x20]) if kernel else user_ip()
    chain = []
    if CHAINED:
        chain = ["KERNEL", ip] if kernel else []
        chain += ["USER", *(user_ip() for _ in range(rng.randrange(3)))]
        if rng.random() < 0.1:
            chain = rng.choice([["USER"], []])
    return dict(kind="SAMPLE", pid=pid, tid=tid, ip=ip, kernel=kernel, chain=chain, period=rng.randrange(9))


def change():
    kind = rng.choice(["COMM", "COMM", "MMAP", "MMAP", "EXEC", "FORK", "THREAD", "MODULE", "KSYMBOL"])
    pid = rng.choice(PIDS)
    tid = rng.choice([t for t in TIDS if t // 10 == pid // 10])
    return dict(kind=kind, pid=pid, tid=tid, ppid=rng.choice(PIDS), name=f"n{rng.randrange(4)}",
                place=rng.choice(PLACES), file=f"/f{rng.randrange(3)}", gone=rng.random() < 0.5)


def make():
    """Records of rounds, each of some ring buffers, each in order of time."""
    time, made = 1000, []
    often = rng.choice([0.01, 0.05, 0.3])
    for _ in range(max(1, records // 300)):
        buffers = [[] for _ in range(rng.randrange(1, 5))]
        for _ in range(rng.randrange(1, 600)):
            time += rng.choice([0, 1, 1, 2, 7])
            record = change() if rng.random() < often else sample()
            record["time"] = time
            record["cpu"] = rng.randrange(len(buffers))
            buffers[record["cpu"]].append(record)
        made += [r for b in buffers for r in b] + [dict(kind="FINISHED_ROUND")]
    return made


def encoded(r):
    ident = {"pid": r.get("pid", 0), "tid": r.get("tid", 0), "time": str(r.get("time", 0)),
             "cpu": r.get("cpu", 0), "identifier": "71"}
    line = {"attr": 0, "misc": "cpumode=USER", "sample_id": ident}
    kind = r["kind"]
    if kind == "FINISHED_ROUND":
        return {"type": kind}
    if kind == "SAMPLE":
        del line["sample_id"]
        line["misc"] = "cpumode=" + ("KERNEL" if r["kernel"] else "USER")
        body = {"identifier": "71", "ip": hex(r["ip"]), "pid": r["pid"], "tid": r["tid"],
                "time": str(r["time"]), "cpu": r["cpu"]}
        if not FIXED:
            body["period"] = str(r["period"])
        if CHAINED:
            body["callchain"] = {"ips": [hex(i) if isinstance(i, int) else i for i in r["chain"]]}
    elif kind in ("COMM", "EXEC"):
        line["misc"] = "cpumode=USER|COMM_EXEC" if kind == "EXEC" else "cpumode=USER"
        body = {"pid": r["pid"], "tid": r["tid"], "comm": r["name"]}
    elif kind == "FORK":
        body = {"pid": r["pid"], "tid": r["pid"], "ppid": r["ppid"], "ptid": r["ppid"],
                "time": str(r["time"])}
    elif kind == "THREAD":
        body = {"pid": r["pid"], "tid": r["tid"], "ppid": r["pid"], "ptid": r["pid"], "time": str(r["time"])}
    elif kind == "KSYMBOL":
        body = {"addr": hex(MODULE), "len": "0x1000", "ksym_type": "BPF",
                "flags": "UNREGISTER" if r["gone"] else "0", "name": r["name"]}
    elif kind == "MODULE":
        line["misc"] = "cpumode=KERNEL"
        body = {"pid": 4294967295, "tid": 0, "addr": hex(MODULE), "len": "0x1000", "pgoff": "0",
                "filename": "/m/" + r["name"] + ".ko"}
    else:
        body = {"pid": r["pid"], "tid": r["tid"], "addr": hex(r["place"]), "len": "0x1000", "pgoff": "0",
                "filename": r["file"]}
    name = {"EXEC": "COMM", "THREAD": "FORK", "MODULE": "MMAP"}.get(kind, kind)
    return {"type": name, **line, name.lower(): body}


comms, maps, module = {}, collections.defaultdict(dict), [None]


def take(r):
    """What a record changes."""
    kind, pid = r["kind"], r["pid"]
    if kind in ("COMM", "EXEC"):
        comms[r["tid"]] = r["name"]
        if kind == "EXEC":
            maps[pid].clear()
    elif kind in ("FORK", "THREAD"):
        child = pid if kind == "FORK" else r["tid"]
        parent = r["ppid"] if kind == "FORK" else pid
        name = comms.get(parent)
        if kind == "FORK" and parent != pid:
            maps[pid] = dict(maps[parent])
        comms.pop(child, None)
        if name is not None:
            comms[child] = name
    elif kind == "MODULE":
        module[0] = ("[" + r["name"] + "]", False)
    elif kind == "KSYMBOL":
        if r["gone"]:
            module[0] = None
        elif module[0] is None:
            module[0] = (r["name"], True)
    elif kind == "MMAP":
        maps[pid][r["place"]] = r["file"]


def frame(pid, ip, kernel):
    if kernel:
        name, by_address = module[0] or (None, True)
        start = MODULE
    else:
        start, by_address = ip & ~0xFFF, False
        name = maps[pid].get(start)
    if name is None:
        return f"[unknown]+{ip:#x}"
    return f"{name}+{ip if by_address else ip - start:#x}"


def stack(r):
    frames, kernel = [], False
    for word in r["chain"]:
        if isinstance(word, str):
            kernel = word == "KERNEL"
        else:
            frames.append(frame(r["pid"], word, kernel))
    frames = frames or [frame(r["pid"], r["ip"], r["kernel"])]
    names = {"comm": comms.get(r["tid"], f":{r['tid']}"), "pid": f"pid {r['pid']}", "tid": f"tid {r['tid']}",
             "cpu": f"cpu {r['cpu']}"}
    return ";".join([names[k] for k in KEYS] + frames[::-1])


made = make()
sample_type = "IDENTIFIER|IP|TID|TIME|CPU" + ("" if FIXED else "|PERIOD") + ("|CALLCHAIN" if CHAINED else "")
attr = {"type": "HARDWARE", "config": 0, "sample_period": str(FIXED), "sample_type": sample_type,
        "flags": "sample_id_all"}
with open(out, "w") as f:
    print(json.dumps({"header": {"container": "file"}}), file=f)
    print(json.dumps({"attr": attr, "ids": ["71"]}), file=f)
    for r in made:
        print(json.dumps({"record": encoded(r)}), file=f)
sums = collections.Counter()
for r in sorted((r for r in made if "time" in r), key=lambda r: r["time"]):  # equal times as in the file
    if r["kind"] == "SAMPLE":
        sums[stack(r)] += FIXED or r["period"]
    else:
        take(r)
with open(want, "w") as f:
    f.writelines(f"{s} {n}\n" for s, n in sums.items())
print(",".join(KEYS) or "none")
