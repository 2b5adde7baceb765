# SPDX-License-Identifier: MIT
# bash completion of perfdata. Verbs and options are asked of the command itself, so they are always those
# that it has.

# _perfdata_words WORD...: those that begin with $cur.
_perfdata_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# Completes $cur as the argument called $1: words with | between them are the choice; else it may be a file.
_perfdata_argument() {
    case $1 in
    VERB) _perfdata_words "$("$command" --list-options 2>/dev/null | cut -f 1)" ;;
    *'|'*) _perfdata_words "$(tr '|' ' ' <<<"${1//[\[\]=]/}")" ;;
    *) COMPREPLY=() ;; # -o default: files
    esac
}

_perfdata() {
    local command=$1 cur=${COMP_WORDS[COMP_CWORD]} option='' table word argument
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _perfdata_words "$("$command" --list-options 2>/dev/null | cut -f 1) --help --version"
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        ((COMP_CWORD > 2)) || _perfdata_argument VERB
        return
    fi
    table=$("$command" --list-options "${COMP_WORDS[1]}" 2>/dev/null) || return 0
    local assigned=''
    # bash takes "--to=pipe" for three words.
    if [[ $cur == '=' ]]; then
        cur='' option=${COMP_WORDS[COMP_CWORD - 1]} assigned=1
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]} assigned=1
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    while [[ $option ]] && IFS=$'\t' read -r word _ argument; do
        [[ $word == "$option" && $argument ]] || continue
        [[ $argument != '['* || $assigned ]] || continue
        _perfdata_argument "$argument"
        return
    done <<<"$table"
    [[ $cur != -* ]] || _perfdata_words "$(cut -f 1 <<<"$table")"
}

complete -o default -F _perfdata perfdata
