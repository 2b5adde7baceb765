#!/usr/bin/env bash
# corpus/conformance: its texts give its files and their expected values again, byte for byte; all come back
# from their text form, files with the same content have the same hash, and its README lists them all.
. "$(dirname "$0")/../frame_lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
set=${PERFDATA_SOURCE:-$(dirname "$0")/../../..}/corpus/conformance
# ---- Made again
mkdir made
python3 "$set/make" made || fail "make: $?"
diff -r -x make -x run -x adapters -x '*.jsonl' "$set" made >differences ||
    fail "made again: $(head -n 20 differences)"

# ---- Each file
declare -A status=() wanted=()
while IFS=: read -r file _ want; do
    status[${file%.json}]=${want//[!0-9]/}
done < <(cd "$set" && grep '^ "status":' -- *.json)
readme=$(<"$set/README.md")
all=() intact=() damaged=() n=0
for file in "$set"/*.data; do
    name=${file##*/} name=${name%.data}
    [ -e "$set/$name.json" ] || status[$name]=${status[${name%.be}]}
    wanted[$name]=${status[$name]}
    if [ "${wanted[$name]}" = 0 ]; then intact+=("$file"); else damaged+=("$file"); fi
    all+=("$file")
    [[ $readme == *"| \`${name%.be}\` |"* ]] || fail "$name is not in README.md"
done
[ ${#all[@]} -gt 400 ] || fail "only ${#all[@]} files"
expect 0 "$PERFDATA" check "${intact[@]}"
expect 3 "$PERFDATA" check "${damaged[@]}"
for file in "${damaged[@]}"; do
    grep -qF "$file: damage" out || [ "${wanted[$(basename "$file" .data)]}" != 3 ] ||
        fail "check finds nothing in $file"
    ! grep -qF "$file: ok" out || fail "check finds nothing in $file"
done
# Through the text, with sanitizers some: each costs two processes, and each library job has them all in
# property/every_fault.
for file in "${all[@]}"; do
    name=${file##*/} name=${name%.data}
    ! sanitized || full || [ $((n++ % 12)) = 0 ] || continue
    got=0
    "$PERFDATA" decode "$file" >text 2>err || got=$?
    # Of the stream that decode does not look into only check knows that it is cut.
    [ "$got" = "${wanted[$name]}" ] || [ "${name%.be}" = trap-zstd-cut ] ||
        fail "decode $name: $got: $(cat err)"
    [ ! -d back ] || rm -r back
    [ ! -d "$file" ] || rm -f back
    "$PERFDATA" encode -f -o back text || fail "encode $name: $?"
    if [ -d "$file" ]; then diff -r "$file" back; else cmp "$file" back; fi ||
        fail "$name does not come back from its text"
done

# ---- What says the same. Bytes that nobody swaps are not the same in the other byte order: those of a
# damaged record.
declare -A hashes=()
while read -r hash file; do
    hashes[$file]=$hash
done < <("$PERFDATA" hash -q "${all[@]}" 2>/dev/null)
for file in "$set"/*.be.data; do
    other=${file%.be.data}.data
    case $(basename "$other") in
    trap-callchain-nr.data) continue ;;
    esac
    [ ! -e "$other" ] || [ "${hashes[$file]}" = "${hashes[$other]}" ] ||
        fail "the hashes of $other and of its big-endian twin"
done
content=${hashes[$set/container-file.data]}
for variant in container-{pipe,zstd,zstd2,zstd-pipe,dir,bitmap-32.be} trap-zstd-{open,frames}; do
    [ "${hashes[$set/$variant.data]}" = "$content" ] || fail "the hash of $variant"
done
