#!/usr/bin/env bash
# The completions offer exactly what the command has: bash's is loaded and asked as bash does; zsh's and
# fish's where these are installed.
. "$(dirname "$0")/../frame_lib.sh"
source=${PERFDATA_SOURCE:-$(dirname "$0")/../../..}
ln -s "$PERFDATA" perfdata
PATH=$PWD:$PATH
. "$source/completions/perfdata.bash"
complete -p perfdata | grep -q -- '-F _perfdata' || fail "not registered"

# offers WORD...: what bash offers for the last word, sorted, in a line.
offers() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _perfdata "$1" "${@: -1}" "${@: -2:1}"
    printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort | xargs
}
is() { # WANT WORD...
    local want=$1
    shift
    [ "$(offers "$@")" = "$want" ] || fail "$*: $(offers "$@"), expected $want"
}

verbs=$(perfdata help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v '^perfdata$' | sort)
[ "$(wc -l <<<"$verbs")" -gt 10 ] || fail "few verbs: $verbs"
is "$(printf '%s\n' --help --version $verbs | sort | xargs)" perfdata ''
is 'dump' perfdata du
is "$(xargs <<<"$verbs")" perfdata help ''
is '' perfdata help dump ''
is '' perfdata no-such-verb -
for verb in $verbs; do
    case $verb in help | version) continue ;; esac
    # Of the help's lines of options, the letters and names.
    want=$(perfdata "$verb" --help | sed -n '/^Options:/,/^Examples:/p' |
        grep -oE '^  (-[A-Za-z0-9](, --[a-z0-9-]+)?|    --[a-z0-9-]+)' |
        grep -oE -- '--?[A-Za-z0-9][a-z0-9-]*' | sort | xargs)
    is "$want" perfdata "$verb" -
done
is '' perfdata dump ''             # files
is '' perfdata dump -i ''          # a file
is '' perfdata dump --limit ''     # a number
is '--limit' perfdata dump --li
is 'dir file pipe' perfdata convert --to ''
is 'pipe' perfdata convert --to p
is 'pipe' perfdata convert --to = p
is 'dir file pipe' perfdata convert --to =
is 'always auto never' perfdata dump --color =
is '--color' perfdata dump --color
[ "$(offers perfdata dump --color -x)" = -x ] || fail "an argument that may be missing is behind the ="

if command -v zsh >/dev/null; then
    zsh -n "$source/completions/_perfdata" || fail "zsh"
    zsh -f -c 'autoload -U compinit; compinit -u -D
        _describe() { local i; for i in ${(P)${@[-1]}}; do print -r -- ${i%%:*}; done; }
        compadd() { shift; print -l -- "$@"; }; _files() { print files; }
        words=('"$PWD"'/perfdata convert --to ""); CURRENT=4; . '"$source"'/completions/_perfdata
        words=(perfdata ""); CURRENT=2; _perfdata; words=(perfdata dump -); CURRENT=3; _perfdata
        words=(perfdata dump -i ""); CURRENT=4; _perfdata' >out 2>err || fail "zsh: $(cat err)"
    for word in pipe filter --limit files; do
        has out "^$word$"
    done
fi
if command -v fish >/dev/null; then
    fish -n "$source/completions/perfdata.fish" || fail "fish"
    ask() {
        HOME=$PWD fish --no-config -c "source $source/completions/perfdata.fish; complete -C '$1'" >out \
            2>err || fail "fish: $(cat err)"
    }
    ask 'perfdata '
    [ "$(cut -f 1 out | sort | xargs)" = "$(xargs <<<"$verbs")" ] || fail "fish: $(cat out)"
    ask 'perfdata dump --li'
    has out '^--limit	'
    ask 'perfdata convert --to '
    has out '^pipe'
fi
