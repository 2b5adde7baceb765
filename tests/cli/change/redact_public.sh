#!/usr/bin/env bash
# perfdata redact --keep-paths and --addrs shift: what is public stays and resolves, the rest does not leak.
# perf shows the same symbols before and after.
. "$(dirname "$0")/../frame_lib.sh"
command -v python3 >/dev/null || skip 'python3 is not installed'
work() { for i in 1 2 3 4; do find /usr/include /usr/share/doc 2>/dev/null | sort | md5sum; done; }
export -f work
record x.data --buildid-mmap -e cpu-clock -F 1999 -g -- bash -c work

shares() { # FILE KEYS OPTION...: as perf report shows them
    perf report --stdio --no-children -g none -s "$2" -i "$1" "${@:3}" 2>/dev/null | grep -v '^#' | grep .
}

# ---- Public files, by patterns in which * includes slashes, keep their path and build id everywhere.
printf '/usr/lib/*\n/usr/bin/sort\n' >public
for list in '/usr/lib/*,/usr/bin/sort' file://public @public; do
    expect 0 "$PERFDATA" redact -f -i x.data -o y.data --keep-paths "$list"
    expect 0 "$PERFDATA" check -q y.data
    shares x.data dso | grep -E 'libc|ld-linux|sort' | sort >want
    [ -s want ] || fail 'no sample in a public file'
    shares y.data dso | grep -E 'libc|ld-linux|sort' | sort >got
    same want got
    "$PERFDATA" extract --build-ids x.data | grep -E ' /usr/lib/| /usr/bin/sort$' | sort >want
    "$PERFDATA" extract --build-ids y.data | grep -E ' /usr/lib/| /usr/bin/sort$' | sort >got
    same want got
    "$PERFDATA" extract --build-ids y.data | grep -Ev ' /usr/lib/| /usr/bin/sort$' >others
    "$PERFDATA" extract --build-ids x.data | cut -d' ' -f1 >ids
    ! cut -d' ' -f1 others | grep -qFf ids || fail "a build id of another file stays: $(cat others)"
    ! grep -qE '/find|/md5sum|/bash' others || fail "a path of another file stays: $(cat others)"
done
for how in drop hash; do # also where the others go
    expect 0 "$PERFDATA" redact -f -i x.data -o y.data --paths=$how --build-ids=$how --keep-paths '*/libc.so*'
    "$PERFDATA" extract --build-ids x.data | grep '/libc.so' >want
    "$PERFDATA" extract --build-ids y.data | grep '/libc.so' >got || true
    [ $how = drop ] || same want got
    "$PERFDATA" dump y.data | grep -c 'libc[.]so' >n || fail "--paths=$how: libc is gone"
done

# ---- Mappings move, and with them all addresses: symbols resolve as before, no base stays.
for how in shift hash; do
    expect 0 "$PERFDATA" redact -f -i x.data -o y.data --addrs $how --paths keep --build-ids keep --comms keep
    expect 0 "$PERFDATA" check -q y.data
    for keys in sym dso,sym; do
        shares x.data "$keys" >want
        [ "$(wc -l <want)" -ge 20 ] || fail "perf report shows only $(cat want)"
        shares y.data "$keys" >got
        same want got
    done
    python3 - <<'END' || fail "--addrs $how: a base of a mapping stays"
import json, struct, subprocess, os
tool = os.environ["PERFDATA"]
bases = set()
text = subprocess.run([tool, "decode", "x.data"], capture_output=True, text=True, check=True).stdout
for line in text.splitlines():
    for map in (json.loads(line).get("record", {}).get(k) for k in ("mmap", "mmap2")):
        if map and int(map["addr"], 16) > 0xFFFF:
            bases.add(int(map["addr"], 16))
assert len(bases) >= 10, bases
content = open("y.data", "rb").read()
kept = [hex(b) for b in bases if struct.pack("<Q", b) in content]
assert not kept, kept
END
done

# As many samples stay in their files on the recordings of others; with names, so that they can be told.
n=0
for file in "$PERFDATA_SOURCE"/corpus/*.data ${PERFDATA_CORPUS:+"$PERFDATA_CORPUS"/*.data}; do
    [ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 300000 ] || continue
    alive "$PERFDATA" redact -q -f --addrs shift --paths keep --build-ids keep --comms keep -o y.data \
        "$file" 2>/dev/null ||
        continue # damaged, or with something unknown
    alive "$PERFDATA" report -s dso "$file" >want 2>/dev/null || continue
    "$PERFDATA" report -s dso y.data >got 2>/dev/null || fail "report of $file: $?"
    cmp -s want got || fail "$file: samples moved to other files: $(diff want got | head -n 5)"
    n=$((n + 1))
done
[ "$n" -ge 3 ] || fail "only $n recordings"
