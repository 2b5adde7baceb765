#!/usr/bin/env bash
# perfdata filter --dsos against perf: of each dso that perf script names, the samples that it shows, byte for
# byte.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'

show() {
    perf script -F pid,tid,time,ip,sym,dso -i "$1" 2>/dev/null </dev/null
}
record x.data -e cpu-clock -F 1999 -- bash \
    -c 'for i in 1 2 3; do find /usr/share | sort | md5sum; ls -l /usr/lib; done >/dev/null'
show x.data >all
sed -n 's/.* (\([[/][^()]*\))$/\1/p' all | sort | uniq -c | sort -rn |
    awk '{ $1 = ""; print substr($0, 2) }' | grep -v , | head -n 10 >names
[ "$(wc -l <names)" -ge 5 ] || fail "too few dsos: $(cat names)"
grep -qxF '[kernel.kallsyms]' names || grep -qxF '[kernel.vmlinux]' names || fail 'no kernel'
while read -r name; do
    expect 0 "$PERFDATA" filter -q -f -d "$name" -i x.data -o y.data
    grep -F " ($name)" all >want
    show y.data >got
    same want got
    expect 0 "$PERFDATA" filter -q -f --exclude-dsos "$name" -i x.data -o y.data
    grep -vF " ($name)" all >want
    show y.data >got
    same want got
done <names
# By the last part of the path, as perf report -d has it.
rows() { # FILE OPTION...: of its report; a tip at its end may have a percentage, too
    perf report --stdio --no-children --sort pid,sym -i "$@" 2>/dev/null </dev/null |
        sed -nE 's/^ *[0-9.]+% *//p' | sort
}
path=$(grep '^/' names | head -n 1)
expect 0 "$PERFDATA" filter -q -f -d "${path##*/}" -i x.data -o y.data
rows x.data -d "${path##*/}" >want
[ -s want ] || fail "perf report -d ${path##*/}: no rows"
rows y.data >got
same want got
