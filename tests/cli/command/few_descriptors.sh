#!/usr/bin/env bash
# A directory of more files than may be open: each verb processes all of it, or fails with status 4 and leaves
# no output.
. "$(dirname "$0")/../frame_lib.sh"
"$PERFDATA" gen -q -c 8000 -o x.data
"$PERFDATA" convert -q --to dir -o one.d x.data
mkdir many.d
cp one.d/data many.d/data
python3 - <<'END'
import random, struct
random.seed(1) # what is not in order waits, some of it in temporary files
records, at = [], 0
b = open('one.d/data.0', 'rb').read()
while at < len(b):
    size = struct.unpack_from('<H', b, at + 6)[0]
    records.append(b[at:at + size])
    at += size
random.shuffle(records)
for i in range(60):
    open(f'many.d/data.{i}', 'wb').write(b''.join(records[i::60]))
END
want=$(hash_of many.d)
refused=0
for most in 12 24 400; do
    for verb in hash 'sort -o out.data' 'sort -m 1 -o out.data' 'sort -m 1 --to file -o out.data' \
        'convert --to file -o out.data' 'convert --to pipe -o out.data' 'convert --endian big -o out.data' \
        'filter --to file -o out.data' 'merge -o out.data' 'repair -o out.data'; do
        rm -rf out.data
        status=0
        # shellcheck disable=SC2086
        (ulimit -n $most && exec "$PERFDATA" $verb many.d) >out 2>err </dev/null || status=$?
        if [ $status = 4 ]; then
            [ ! -e out.data ] || fail "$most files, $verb: an output with status 4"
            has err 'Too many open files'
            [ $most != 400 ] || fail "$verb: $(cat err)"
            refused=$((refused + 1))
        else
            [ $status = 0 ] || fail "$most files, $verb: status $status: $(cat err)"
            [ "$verb" = hash ] || hash_of out.data >out
            [ "$(cut -d' ' -f1 out)" = "$want" ] || fail "$most files, $verb: the content is another"
        fi
        [ -z "$(find . -maxdepth 1 -name '.perfdata-*')" ] ||
            fail "$most files, $verb: a temporary file is left"
    done
done
[ $refused != 0 ] || fail 'no limit was reached'
