#!/usr/bin/env bash
# perfdata filter --with-children, --cgroup and names with * and ?: a recording by hand, whose samples stand
# before the forks and names that they need. A sample's address is its time.
. "$(dirname "$0")/../frame_lib.sh"

{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","size":128,"sample_type":"IP|TID|TIME|CGROUP",' \
        '"flags":"comm|task|sample_id_all|cgroup"},"ids":[]}'
    sample() { # TIME TID CGROUP
        echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x'"$1"'","pid":'"$2"',' \
            '"tid":'"$2"',"time":"'"$1"'","cgroup":"'"$3"'"}}}'
    }
    trailer() { echo '"sample_id":{"pid":'"$2"',"tid":'"$2"',"time":"'"$1"'"}}}'; }
    comm() { # TIME TID NAME
        printf '%s' '{"record":{"type":"COMM","attr":0,"comm":{"pid":'"$2"',"tid":'"$2"',"comm":"'"$3"'"},'
        trailer "$1" "$2"
    }
    fork() { # TIME TID PARENT
        printf '%s' '{"record":{"type":"FORK","attr":0,"fork":{"pid":'"$2"',"ppid":'"$3"',"tid":'"$2"','
        printf '%s' '"ptid":'"$3"',"time":"'"$1"'"},'
        trailer "$1" "$3"
    }
    cgroup() { # TIME ID PATH
        printf '%s' '{"record":{"type":"CGROUP","attr":0,"cgroup":{"id":"'"$2"'","path":"'"$3"'"},'
        trailer "$1" 1
    }
    sample 410 20 8 # of the next task with this number
    sample 310 30 9
    sample 260 40 9 # its parent was no longer make
    sample 245 10 7 # renamed
    sample 220 20 8
    sample 190 20 7 # not forked yet
    sample 160 99 0
    sample 150 10 5 # in a cgroup that nothing names
    cgroup 50 7 /
    cgroup 50 8 /web.slice/a
    cgroup 50 9 /web.slice/b
    comm 100 10 make
    fork 200 20 10
    comm 210 20 cc1
    comm 240 10 sh
    fork 250 40 10
    fork 300 30 20
    fork 400 20 99
} >x.json
expect 0 "$PERFDATA" encode -f -o x.data x.json
# The times of the samples that stay, in order.
times() {
    filters "$@" -i x.data -o y.data
    "$PERFDATA" dump -F ip y.data | tr -d ' ' | sort | tr '\n' ' '
}
want() { # TIMES OPTION...
    local want=$1
    shift
    got=$(times "$@")
    [ "$got" = "$want" ] || fail "filter $*: $got, not $want"
    expect 0 "$PERFDATA" check -q y.data
}
all='150 160 190 220 245 260 310 410 '
want '150 ' --comms make
want '150 220 310 ' --comms make --with-children
want '160 190 245 260 410 ' --exclude-comms make --with-children
want '150 220 245 260 310 ' --pid 10 --with-children
want '150 220 310 ' --tid 10 --comms make --with-children
want '190 220 310 410 ' --tid 20 --with-children
want '150 160 245 260 ' --exclude-tid 20 --with-children
want '160 410 ' --pid 99 --with-children
want '220 310 ' --comms make --with-children --time 0.00000022,0.00000031
want '220 245 ' --time +70ns,+95ns
want '150 160 190 220 ' --time ,+0.07us
want '260 310 410 ' --time '250ns,'
want '150 ' --comms 'm*e'
want '150 220 310 ' --comms 'm??e' --with-children
want '160 190 220 245 260 310 410 ' --exclude-comms 'ma*'
want '160 190 410 ' --comms ':*'
want '220 410 ' --cgroup /web.slice/a
want '220 260 310 410 ' --cgroup '/web.slice/*'
want '190 220 245 260 310 410 ' --cgroup '*'
want '190 245 ' --cgroup /
want '150 160 190 245 ' --exclude-cgroup '/web.slice/?'
want '310 ' --cgroup '/web*' --comms make --with-children --exclude-cgroup /web.slice/a
want '' --cgroup /web.slice
want "$all" --exclude-cgroup /web.slice

# A stream, which is read twice; from a pipe, too.
expect 0 "$PERFDATA" convert -q --to pipe -i x.data -o p.data
for options in '--comms make --with-children' '--cgroup /web*' '--comms m*e'; do
    read -ra words <<<"$options"
    want_times=$(times "${words[@]}")
    for from in p.data -; do
        "$PERFDATA" filter -q -f "${words[@]}" -i "$from" -o q.data <p.data
        got=$("$PERFDATA" dump -F ip q.data | tr -d ' ' | sort | tr '\n' ' ')
        [ "$got" = "$want_times" ] || fail "stream $from, $options: $got, not $want_times"
    done
done

# Without cgroups in the samples, none can be selected.
sed 's/|CGROUP"/"/; s/,"cgroup":"[0-9]*"}}}/}}}/' x.json >z.json
expect 0 "$PERFDATA" encode -f -o z.data z.json
expect 2 "$PERFDATA" filter -q -f --cgroup / -i z.data -o y.data
grep -q 'do not tell their cgroup' err || fail "$(cat err)"
# Events that are not selected need none: another one beside those that have them.
{
    sed -n 1p x.json
    grep '^{"attr"' x.json
    grep '^{"attr"' x.json | head -n 1 | sed 's/|CGROUP"/"/; s/"SOFTWARE",/"SOFTWARE","config":"0x3",/'
    sed 1d x.json | grep -v '^{"attr"'
} >other.json
expect 0 "$PERFDATA" encode -f -o other.data other.json
expect 2 "$PERFDATA" filter -q -f --cgroup / -i other.data -o y.data
grep -q 'do not tell their cgroup' err || fail "$(cat err)"
expect 0 "$PERFDATA" filter -q -f --cgroup / --exclude-event context-switches -i other.data -o y.data

# report selects alike.
share() { "$PERFDATA" report -q --json -s tid "$@" x.data | grep -o '"samples":[0-9]*' | head -n 1; }
[ "$(share --comms make --with-children)" = '"samples":3' ] || fail "$(share --comms make --with-children)"
[ "$(share --cgroup '/web*')" = '"samples":4' ] || fail 'cgroups of report'
