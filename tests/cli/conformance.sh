#!/usr/bin/env bash
# corpus/conformance: its files and what they should decode to come out of its texts again, byte for byte; all come back from
# their text form, the hash of what says the same is the same, and its README lists them all.
. "$(dirname "$0")/frame_lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
set=${PERFDATA_SOURCE:-$(dirname "$0")/../..}/corpus/conformance
hash_of() {
    "$PERFDATA" hash -q "$1" 2>/dev/null | cut -d ' ' -f 1
}

# ---- Made again
mkdir made
python3 "$set/make" made || fail "make: $?"
diff -r -x make -x '*.jsonl' "$set" made >differences || fail "made again: $(head -n 20 differences)"

# ---- Each file
n=0
for file in "$set"/*.data; do
    name=$(basename "$file" .data)
    expected=$set/$name.json
    [ -e "$expected" ] || expected=$set/${name%.be}.json
    want=$(sed -n 's/^ "status": \([0-9]\),$/\1/p' "$expected")
    expect "$want" "$PERFDATA" check "$file"
    got=0
    "$PERFDATA" decode "$file" >text 2>err || got=$?
    # Of the stream that decode does not look into only check knows that it is cut.
    [ "$got" = "$want" ] || [ "${name%.be}" = trap-zstd-cut ] || fail "decode $name: $got: $(cat err)"
    rm -rf back
    "$PERFDATA" encode -o back text || fail "encode $name: $?"
    diff -r "$file" back || fail "$name does not come back from its text"
    grep -qF "| \`${name%.be}\` |" "$set/README.md" || fail "$name is not in README.md"
    n=$((n + 1))
done
[ $n -gt 400 ] || fail "only $n files"

# ---- What says the same. Bytes that nobody swaps are not the same in the other byte order: those of a damaged record.
for file in "$set"/*.be.data; do
    other=${file%.be.data}.data
    case $(basename "$other") in
    trap-callchain-nr.data) continue ;;
    esac
    [ ! -e "$other" ] || [ "$(hash_of "$file")" = "$(hash_of "$other")" ] || fail "the hashes of $other and of its big-endian twin"
done
content=$(hash_of "$set/container-file.data")
for variant in container-{pipe,zstd,zstd2,zstd-pipe,dir,bitmap-32.be} trap-zstd-{open,frames}; do
    [ "$(hash_of "$set/$variant.data")" = "$content" ] || fail "the hash of $variant"
done
