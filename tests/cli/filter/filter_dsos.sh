#!/usr/bin/env bash
# perfdata filter --dsos: the map of a sample's address at its time, on a recording written by hand:
# maps that come behind their samples in the file, over others, with a fork, of the kernel, of code made at
# run time. Against perf: filter_dsos_perf.sh.
. "$(dirname "$0")/../frame_lib.sh"

map() { # MISC PID ADDR LEN TIME NAME
    unfold <<END
{"record":{"type":"MMAP2","misc":"$1","mmap2":{"pid":$2,"tid":$2,"addr":"$3","len":"$4","filename":"$6"},
    "sample_id":{"pid":$2,"tid":$2,"time":"$5"}}}
END
}
sample() { # MISC PID IP TIME
    cat <<END
{"record":{"type":"SAMPLE","misc":"$1","sample":{"ip":"$3","pid":$2,"tid":$2,"time":"$4"}}}
END
}
fork() { # MISC PID PPID TIME
    unfold <<END
{"record":{"type":"FORK","misc":"$1","fork":{"pid":$2,"ppid":$3,"tid":$2,"ptid":$3,"time":"$4"},
    "sample_id":{"pid":$3,"tid":$3,"time":"$4"}}}
END
}
symbol() { # FLAGS ADDR LEN TIME NAME
    unfold <<END
{"record":{"type":"KSYMBOL",
    "ksymbol":{"addr":"$2","len":$3,"ksym_type":"BPF","flags":"$1","name":"$5"},
    "sample_id":{"pid":0,"tid":0,"time":"$4"}}}
END
}
text() {
    unfold <<'END'
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"IP|TID|TIME",
    "flags":"sample_id_all|mmap|mmap2|comm|task"}}
END
    map cpumode=KERNEL -1 0x1000000 0x1000000 0 '[kernel.kallsyms]_text'
    map cpumode=KERNEL -1 0x2000000 0x1000 0 '/lib/modules/6.1/kernel/net/nf-tables.ko.xz'
    map cpumode=USER 7 0x400000 0x1000 0 /usr/bin/seven
    map cpumode=USER 7 0x500000 0x3000 0 /usr/lib/libc.so.6
    sample cpumode=USER 7 0x400fff 100 # seven
    sample cpumode=USER 7 0x401000 101 # nothing
    sample cpumode=USER 7 0x600010 150 # plug.so, whose map comes behind it
    sample cpumode=KERNEL 7 0x1000010 160 # the kernel
    sample cpumode=KERNEL 7 0x2000fff 161 # the module
    map cpumode=USER 7 0x600000 0x1000 140 /opt/plug.so
    # A child has the maps of its parent as they were then; one that perf synthesizes has its own alone.
    fork 0 8 7 200
    fork fork_exec 9 7 200
    map cpumode=USER 7 0x501000 0x1000 210 /opt/inside.so
    sample cpumode=USER 8 0x501800 220 # libc
    sample cpumode=USER 7 0x501800 221 # inside
    sample cpumode=USER 7 0x5017ff 205 # libc, then
    sample cpumode=USER 7 0x500fff 222 # libc, before it
    sample cpumode=USER 7 0x502000 223 # libc, behind it
    sample cpumode=USER 9 0x501800 224 # nothing
    sample cpumode=KERNEL 9 0x400000 225 # nothing: an address of the kernel
    # Code that is made: the program's is in perf's own file.
    map cpumode=USER 7 0x700000 0x1000 230 //anon
    sample cpumode=USER 7 0x700001 231
    symbol 0 0x3000000 64 240 bpf_prog_1
    sample cpumode=KERNEL 7 0x300003f 241
    symbol UNREGISTER 0x3000000 64 250 bpf_prog_1
    sample cpumode=KERNEL 7 0x300003f 251 # nothing
    symbol UNREGISTER 0x1000000 64 260 _text
    sample cpumode=KERNEL 7 0x1000010 261 # the kernel stays
}
for order in little big; do
    { echo '{"header":{"container":"file","order":"'$order'"}}' && text; } |
        "$PERFDATA" encode -q -f -o x.data 2>err || fail "encode: $(cat err)"
    expect 0 "$PERFDATA" check x.data
    picks() { # "TIMES" OPTION...
        local want=$1 got
        shift
        filters -i x.data -o y.data "$@"
        got=$("$PERFDATA" dump --json y.data | sed -n 's/.*"SAMPLE".*"time":"\([0-9]*\)".*/\1/p' |
            paste -sd' ')
        [ "$got" = "$want" ] || fail "$order, filter $*: samples at \"$got\", expected \"$want\""
    }
    picks '100' -d seven
    picks '100' --dsos /usr/bin/seven
    picks '' -d bin/seven
    picks '150' -d plug.so
    picks '160 261' -d '[kernel.kallsyms]'
    picks '160 261' -d '[kernel.vmlinux]'
    picks '161' -d '[nf_tables]'
    picks '161' -d /lib/modules/6.1/kernel/net/nf-tables.ko.xz
    picks '220 205 222 223' -d libc.so.6
    picks '221' -d inside.so
    picks '231' -d //anon
    picks '231' -d perf-7.map
    picks '231' -d /tmp/perf-7.map
    picks '241' -d bpf_prog_1
    picks '101 224 225 251' -d '[unknown]'
    picks '100 150 221' -d seven,inside.so -d no-such,plug.so
    printf 'seven\n[unknown]\n' >names
    picks '100 101 224 225 251' -d file://names
    picks '' -d no-such
    # With others: all must be met; and its opposite.
    picks '222 223' -d libc.so.6 --pid 7 --time 0.000000221,
    picks '100 101 150 160 161 221 224 225 231 241 251 261' --exclude-dsos libc.so.6
    picks '205 222 223' -d libc.so.6 --exclude-pid 8
    picks '100 101 150 160 161' --exclude-dsos /usr/lib/libc.so.6,inside.so,//anon,bpf_prog_1 \
        --time ,0.000000200
    picks '222' -d libc.so.6 --pid 7 --every 2 --limit 2 --time 0.000000206,
    # The records around are those that such a choice of samples needs: none of the children.
    expect 0 "$PERFDATA" filter -f -i x.data -o y.data -d inside.so
    has err 'kept 1 of 16 samples and 10 of 12 other records'
    expect 0 "$PERFDATA" check y.data

    # In other containers, and where the input cannot be read twice.
    for to in pipe dir; do
        rm -rf other
        "$PERFDATA" convert -q --to $to -i x.data -o other
        expect 0 "$PERFDATA" filter -q -f --to file -d libc.so.6 -i other -o z.data
        expect 0 "$PERFDATA" filter -q -f -d libc.so.6 -i x.data -o y.data
        [ "$(hash_of z.data)" = "$(hash_of y.data)" ] ||
            fail "$to: another content"
    done
    "$PERFDATA" convert -q -f -z -i x.data -o z.data
    expect 0 "$PERFDATA" filter -q -f --decompress -d libc.so.6 -i z.data -o z2.data
    "$PERFDATA" cmp -q --ignore offset z2.data y.data || fail 'compressed: another content'
    "$PERFDATA" convert -q -f --to pipe -i x.data -o x.pipe
    n=$(cat x.pipe | "$PERFDATA" filter -q -d libc.so.6 -i - -o - | "$PERFDATA" dump - | grep -c 'SAMPLE' ||
        true)
    [ "$n" = 4 ] || fail "a stream: $n samples"
done

# Samples that do not tell their address are as if they were in what is to be kept, and never in what is not.
echo '{"header":{"container":"file","order":"little"}}
{"attr":{"type":"SOFTWARE","config":"0x0","sample_type":"TID|TIME"}}
{"record":{"type":"SAMPLE","sample":{"pid":1,"tid":1,"time":"10"}}}' | "$PERFDATA" encode -q -o no.data
for option in -d --exclude-dsos; do
    expect 1 "$PERFDATA" filter -f $option libc.so.6 -i no.data -o y.data # it has no such file, either
    has err 'kept 1 of 1 samples'
done
