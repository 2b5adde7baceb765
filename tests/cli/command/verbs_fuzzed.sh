#!/usr/bin/env bash
# fuzz/verbs/lines, the ways of the campaign over recordings, has each verb of the command and no other, and
# each option of each verb, but those that many verbs share.
. "$(dirname "$0")/../frame_lib.sh"
lines=${PERFDATA_SOURCE:-$(dirname "$0")/../../..}/fuzz/verbs/lines
ways=$(grep -v '^#' "$lines" | sed 's/ ; /\n/g')
verbs=$("$PERFDATA" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vxE 'perfdata|help|version' | sort)
[ "$(wc -l <<<"$verbs")" -gt 10 ] || fail "few verbs: $verbs"
diff <(cut -d' ' -f1 <<<"$ways" | sort -u) - <<<"$verbs" || fail "the verbs of fuzz/verbs/lines (<)"

n=0
for verb in $verbs; do
    mapfile -t of_verb < <(grep "^$verb " <<<"$ways")
    while read -r names; do
        case $names in
        *--help | *--verbose | *--quiet | *--force | *--input | *--threads | *--color) continue ;;
        esac
        n=$((n + 1))
        # a letter may have its value behind it
        grep -qE -- " (${names/, /[^ -]*|}) " < <(printf '%s \n' "${of_verb[@]}") ||
            fail "$verb $names: in no line of fuzz/verbs/lines"
    done < <("$PERFDATA" "$verb" --help | sed -n '/^Options:/,/^Examples:/p' |
        sed -nE 's/^  (-[A-Za-z0-9](, --[a-z0-9-]+)?|    --[a-z0-9-]+).*/\1/p')
done
[ $n -gt 100 ] || fail "few options: $n"
