# SPDX-License-Identifier: MIT
# fish completion of perfdata. Verbs and options are asked of the command itself, so they are always those
# that it has.

function __perfdata_verbs
    perfdata --list-options 2>/dev/null | string replace -r '\t[^\t]*$' ''
end

function __perfdata_options
    set -l words (commandline -opc)
    perfdata --list-options $words[2] 2>/dev/null | string replace -r '\t[^\t]*$' ''
end

# What the option before the cursor can be given: words with | between them.
function __perfdata_arguments
    set -l words (commandline -opc)
    for line in (perfdata --list-options $words[2] 2>/dev/null)
        set -l columns (string split \t -- $line)
        if test "$columns[1]" = "$words[-1]"
            string match -q '*|*' -- $columns[3]; and string split '|' -- $columns[3]
        end
    end
end

complete -c perfdata -n __fish_use_subcommand -f -a '(__perfdata_verbs)'
complete -c perfdata -n '__fish_seen_subcommand_from help' -f -a '(__perfdata_verbs)'
complete -c perfdata -n 'not __fish_use_subcommand' -a '(__perfdata_options)'
complete -c perfdata -n 'not __fish_use_subcommand' -a '(__perfdata_arguments)'
