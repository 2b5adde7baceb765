#!/usr/bin/env bash
# Attrs that contradict their size, in a file and in a stream: every verb that reads them ends with status 3,
# as check does, and the output of repair is intact.
. "$(dirname "$0")/../frame_lib.sh"

verbs() { # INPUT
    local in=$1 verb
    for verb in info dump decode hash; do
        expect 3 "$PERFDATA" "$verb" -q "$in"
    done
    expect 3 "$PERFDATA" check -q "$in"
    while read -r verb; do
        rm -rf made
        # shellcheck disable=SC2086
        expect 3 "$PERFDATA" $verb -q -i "$in" -o made
    done <<'VERBS'
convert --to file
convert --to pipe
convert --to dir
convert --endian big
convert -z --to file
filter --every 1
sort
edit --set-feature hostname=x
redact
VERBS
    expect 3 "$PERFDATA" merge -q -f -o made "$in"
    rm -f made
    expect 3 "$PERFDATA" repair -q -i "$in" -o made
    expect 0 "$PERFDATA" check -q made
}

"$PERFDATA" gen -o whole.file -c 50 --seed 1
"$PERFDATA" gen -o whole.pipe --to pipe -c 50 --seed 1
attrs=$(od -An -t u8 -j 24 -N 8 whole.file | tr -d ' ')
for size in 01000000 04000000 3f000000 00000040; do
    expect 0 "$PERFDATA" corrupt -f --set "$(printf '0x%x' $((attrs + 4)))=$size" -o bad.file whole.file
    expect 0 "$PERFDATA" corrupt -f --set "0x1c=$size" -o bad.pipe whole.pipe
    verbs bad.file
    verbs bad.pipe
done
