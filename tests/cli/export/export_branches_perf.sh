#!/usr/bin/env bash
# perfdata export --to bolt against perf: the branches of recordings that others made, of user space and with
# the kernel, are those that perf script 6.1 prints, in the mappings that it prints
# (export_branches_read.py). Exports of pieces add up to that of the whole.
. "$(dirname "$0")/../frame_lib.sh"
command -v perf >/dev/null || skip 'perf is not installed'
command -v python3 >/dev/null || skip 'python3 is not installed'
[ -n "${PERFDATA_CORPUS:-}" ] || skip 'PERFDATA_CORPUS is not set'
read=$(dirname "$0")/export_branches_read.py
case $read in /*) ;; *) read=$OLDPWD/$read ;; esac

compared=0
for file in "$PERFDATA_CORPUS"/*{branch,lbr}*; do
    ! { ! full && [ "$(stat -Lc %s "$file")" -ge 700000 ]; } || continue
    for kernel in '' kernel; do
        rm -rf all
        python3 "$read" want "$file" $kernel >want 2>/dev/null
        [ -s want ] || continue # perf does not read it, or it has only branches of the kernel
        "$PERFDATA" export --to bolt ${kernel:+--kernel} -q -o all "$file" || fail "$file"
        python3 "$read" got all >got
        same want got
        compared=$((compared + 1))
    done
    rm -rf pieces exports
    mkdir pieces exports
    "$PERFDATA" split -q --chunks 3 -o pieces/%d "$file" || continue # without a sample
    for piece in pieces/*; do
        "$PERFDATA" export --to bolt --kernel -q -o exports/"${piece##*/}" "$piece" || fail "$piece"
    done
    rm -rf all
    "$PERFDATA" export --to bolt --kernel -q -o all "$file"
    python3 "$read" got all >want
    python3 "$read" got exports/* >got
    same want got
    for format in profgen autofdo; do # files of which tools read one alone: from all pieces at once
        rm -rf all exports
        "$PERFDATA" export --to $format --kernel -q -o all "$file"
        "$PERFDATA" export --to $format --kernel -q -o exports pieces/*
        for made in all exports; do # members are numbered as their files come
            (cd $made && for member in [!i]*; do sed "s/^/${member#*-} /" "$member"; done | sort) >$made.txt
        done
        same all.txt exports.txt
    done
done
[ $compared -ge 8 ] || fail "only $compared recordings compared"
