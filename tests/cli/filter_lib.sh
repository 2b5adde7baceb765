# Sourced by the tests of filter: something worth recording, and comparing with what perf shows.
# shellcheck shell=bash disable=SC2034
. "$(dirname "${BASH_SOURCE[0]}")/frame_lib.sh"

# Processes that fork, exec and die young; threads that rename themselves; a renamed process that forks.
tasks() {
    local i
    python3 - <<'END' &
import os, threading, time
def name(s):
    with open("/proc/self/task/%d/comm" % threading.get_native_id(), "w") as f:
        f.write(s)
def spin(n):
    while n:
        n -= 1
def thread(k):
    for i in range(4):
        name("thread-%d.%d" % (k, i))
        spin(80000)
for round in range(2):
    threads = [threading.Thread(target=thread, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    if os.fork() == 0:
        name("renamed child")
        spin(200000)
        if os.fork() == 0:
            spin(100000)
            os.execl("/bin/sh", "sh", "-c", "for i in 1 2 3 4 5 6; do ls / >/dev/null; done")
        os.wait()
        os._exit(0)
    for t in threads:
        t.join()
    os.wait()
END
    for ((i = 0; i < 15; i++)); do
        (ls /usr/bin | sort | wc -l) >/dev/null
    done
    wait
}
export -f tasks

# perf script without what depends on the machine's state, such as a terminal's width.
script() {
    perf script "$@" 2>script.err </dev/null
}

# shown FILE FILTERED OPTION...: what perf script shows of the filtered file; of tasks that do not descend
# from this test without call chains and symbols. A recording of this test's processes alone has no line of
# their descent: all of it counts.
shown() {
    local file=$1 filtered=$2 own
    own=own.${file//\//_} # here, not beside the file
    shift 2
    [ -e "$own" ] || own_tasks "$file" >"$own"
    script -i "$filtered" "$@" | awk -v of="$own" '
        BEGIN { while ((getline tid <of) > 0) { own[tid] = 1; some = 1 } }
        /^$/ || /^\t/ { if (mine || !NF) print; next }
        match($0, / [0-9]+ +\[[0-9]+\] +[0-9.]+: +([0-9]+ +)?[^ ]+: /) {
            split(substr($0, RSTART), word, " ")
            mine = own[word[1]] || !some
            print mine ? $0 : substr($0, 1, RSTART + RLENGTH)
            next
        }
        { mine = 1; print }'
}

# agrees FILE OPTION...: perf shows of the filtered file what it shows of the file with the same options.
agrees() {
    local file=$1
    shift
    rm -rf filtered.data # a directory does not give way to a file
    filters -i "$file" -o filtered.data "$@"
    shown "$file" "$file" "$@" >wanted || fail "perf script -i $file $*: $(head -n 3 script.err)"
    shown "$file" filtered.data >got || fail "perf script after filter $*: $(head -n 3 script.err)"
    cmp -s wanted got || fail "$file $*: perf shows something else: $(diff wanted got | head -n 10)"
    compared=$((${compared:-0} + 1))
}

# The most frequent of a field of perf script -F, but for names that perf made of a pid, first those with most
# samples: most FILE FIELD N.
most() {
    script -i "$1" -G -F "$2" | sed 's/^ *//; s/ *$//; /^:/d' | sort | uniq -c | sort -k1,1nr -k2 |
        sed "s/^ *[0-9]* //; $(($3 + 1)),\$d" # not head, which would stop the sort
}

# times FILE: the times of its samples, one a line.
times() {
    script -i "$1" -G -F time --ns | sed -n 's/^ *\([0-9.]*\):.*/\1/p' | sort -n
}

nth() { # nth FILE PERMILLE: a line of a file
    sed -n "$(($(wc -l <"$1") * $2 / 1000 + 1))p" "$1"
}

# some FILE: a few selections of each kind.
some() {
    local pid
    most "$1" comm 40 | grep -v , >names || true
    agrees "$1" --comms "$(sed -n 2p names)"
    agrees "$1" --comms "$(paste -sd, names)"
    pid=$(most "$1" pid 2 | tail -n 1)
    agrees "$1" --pid "$pid"
    times "$1" >t
    [ ! -s t ] || agrees "$1" --time "$(nth t 300),$(nth t 700)" --comms "$(head -n 3 names | paste -sd,)"
}

# of_event FILE NAME OPTION...: perf shows only that event's samples, all of them.
of_event() {
    local file=$1 name=$2
    shift 2
    rm -rf filtered.data # a directory does not give way to a file
    expect 0 "$PERFDATA" filter -q -f -i "$file" -o filtered.data "$@"
    shown "$file" "$file" >all
    awk -v RS= -v ORS='\n\n' -v event=" $name:" '
        index(substr($0, 1, index($0 "\n", "\n")), event)' all >wanted
    shown "$file" filtered.data | awk -v RS= -v ORS='\n\n' 1 >got
    same wanted got
}
