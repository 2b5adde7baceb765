#!/usr/bin/env bash
# Names of tasks, files and cgroups that a recording does not have: told with the nearest that it has,
# whatever the verb; exit status 1.
. "$(dirname "$0")/../filter_lib.sh"

{
    echo '{"header":{"container":"file","order":"little"}}'
    echo '{"attr":{"type":"SOFTWARE","config":"0x0","size":128,"sample_type":"IP|TID|TIME|CGROUP",' \
        '"flags":"comm|mmap|sample_id_all"},"ids":["1"]}'
    for task in 5,worker 6,walker; do
        echo '{"record":{"type":"COMM","attr":0,"comm":{"pid":'${task%,*}',"tid":'${task%,*}',"comm":' \
            '"'${task#*,}'"},"sample_id":{"pid":'${task%,*}',"tid":'${task%,*}',"time":"1"}}}'
    done
    echo '{"record":{"type":"MMAP","misc":2,"attr":0,"mmap":{"pid":5,"tid":5,"addr":"0x1000",' \
        '"len":"0x1000","pgoff":"0x0","filename":"/usr/lib/libcold.so"},' \
        '"sample_id":{"pid":5,"tid":5,"time":"2"}}}'
    echo '{"record":{"type":"CGROUP","attr":0,"cgroup":{"id":"9","path":"/a.slice/b.service"},' \
        '"sample_id":{"pid":5,"tid":5,"time":"2"}}}'
    echo '{"record":{"type":"SAMPLE","misc":2,"attr":0,"sample":{"ip":"0x1010","pid":5,"tid":5,"time":"3",' \
        '"cgroup":"9"}}}'
} >x.json
expect 0 "$PERFDATA" encode -i x.json -o x.data
expect 0 "$PERFDATA" convert --to pipe -i x.data -o x.pipe

# tells STATUS "MESSAGE" OPTION...: of all verbs that select.
tells() {
    local status=$1 message=$2 verb
    shift 2
    for verb in "filter -f -o y.data" report "export --to folded"; do
        expect "$status" "$PERFDATA" $verb -i x.data "$@"
        [ -z "$message" ] || has err "$message"
        [ "$status" = 1 ] || ! grep -q 'is called' err || fail "$verb $*: $(cat err)"
    done
}

tells 0 '' -c worker
tells 0 '' -c 'w*'
tells 0 '' -c ':5,walker' # a task without samples; the name of one without a name
tells 1 'no task is called "wroker"; did you mean "worker"' -c wroker
tells 1 'no task is called "worked"; did you mean "worker"' -c worked,worker
tells 1 'no task is called "x[*]"' -c 'w*,x*'
tells 1 'no task is called "walkers"; did you mean "walker"' --exclude-comms walkers
tells 1 'no task is called "wolker"; did you mean "walker"' --with-children -c wolker # as near as worker
tells 0 '' -d libcold.so,/usr/lib/libcold.so
tells 1 'no file is called "libcold"; did you mean "libcold.so"' -d libcold
tells 1 'no file is called "zzz"' --exclude-dsos zzz
tells 0 '' --cgroup /a.slice/b.service,/a*
tells 1 'no cgroup is called "/a.slice/c.service"; did you mean "/a.slice/b.service"' \
    --cgroup /a.slice/c.service

# Nothing is called so in none of the inputs; a stream; the output is made all the same.
expect 0 "$PERFDATA" filter -f -i x.data -o other.data -c walker
expect 0 "$PERFDATA" export --to folded -c worker other.data x.data
status=0
cat x.pipe | "$PERFDATA" filter -q -i - -o y.pipe -c wroker,worker 2>err || status=$?
[ $status = 1 ] || fail "of a stream: exit status $status"
has err 'no task is called "wroker"'
cat x.pipe | "$PERFDATA" filter -q -f -i - -o y.pipe -c worker || fail 'of a stream'
expect 1 "$PERFDATA" filter -f -c wroker,worker -i x.data -o z.data
expect 0 "$PERFDATA" filter -f -c worker -i x.data -o y.data
cmp y.data z.data || fail 'another name changes what is kept'

# Conditions alone select in all verbs, too.
expect 0 "$PERFDATA" report -i x.data --ip 0x2000-0x3000
has err 'no samples'
expect 0 "$PERFDATA" report -i x.data --ip 0x1000-0x2000
has out '100.00% .* worker'
expect 0 "$PERFDATA" export --to folded -i x.data --ip 0x2000-0x3000
empty out
expect 0 "$PERFDATA" export --to folded -i x.data --filter 'ip == 0x1010'
has out '^worker;'

# perf's word for addresses of no file is no such name: it is there whichever samples are.
tells 0 '' --exclude-dsos '[unknown]'
