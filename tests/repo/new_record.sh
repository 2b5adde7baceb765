#!/usr/bin/env bash
# A new record is a block of the schema: new_record/invented.patch adds a record of the kernel and one of
# perf's own by lines of src/schema and a golden test each; their fields have names that say nothing. Then all
# verbs know them.
# Without its line in roles.def it does not build; without those in identity.def, or without the golden test,
# tests name what is missing. The steps are those of CONTRIBUTING.md.
set -euo pipefail
# shellcheck source=tests/cli/frame_lib.sh
. "${PERFDATA_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}/tests/cli/frame_lib.sh"

git -C "$PERFDATA_SOURCE" rev-parse >/dev/null 2>&1 || skip "not a checkout"
! grep -qs -e '^CMAKE_C_FLAGS:.*-fsanitize' "${PERFDATA_BUILD:-}/CMakeCache.txt" ||
    skip "it builds the same whatever the flags"
patch=$PERFDATA_SOURCE/tests/repo/new_record/invented.patch
touched=$(grep -c '^+++ b/src/schema/.*\.def$' "$patch") # and the golden test
has "$patch" '^+++ b/tests/golden/'
[ "$(grep -c '^+++ ' "$patch")" = $((touched + 1)) ] || fail "more than lines of the schema and a test"

# ---- The tree with the record, of the files that are in the repository

mkdir tree
git -C "$PERFDATA_SOURCE" ls-files -- . ':!corpus' ':!fuzz/regressions' ':!fuzz/open' ':!fuzz/seeds' |
    while read -r file; do [ ! -f "$PERFDATA_SOURCE/$file" ] || echo "$file"; done >files
tar cf - -C "$PERFDATA_SOURCE" -T "$PWD/files" | tar xf - -C tree
(cd tree && patch -p1 --quiet --no-backup-if-mismatch <"$patch") || fail "the patch does not apply"

build() { cmake --build build --target "$@"; }
cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="-O0 -g0 -w" \
    -DCMAKE_C_FLAGS_DEBUG= >log 2>&1 || fail "cmake: $(tail log)"
build regen >log 2>&1 || fail "regen: $(tail log)"
build perfdata_cli test_golden_records test_redact >log 2>&1 || fail "build: $(grep -A3 error log | head -20)"
expect 0 ./build/tests/test_golden_records
expect 0 ./build/tests/test_redact
golden() { PERFDATA_SOURCE=$PWD/tree "$PERFDATA_SOURCE/tests/repo/golden.py"; }
expect 0 golden
PERFDATA=$PWD/build/perfdata

# ---- It is read, printed, written and converted

# recording NAME TASK ID VALUE: a sample of task 5 and one of task 7, and an invented record of TASK.
recording() {
    local task id=$3
    {
        echo '{"header":{"container":"file","order":"little"}}'
        echo '{"attr":{"type":"HARDWARE","config":"0x'"$4"'","sample_type":"IP|TID|TIME|ID",' \
            '"flags":"sample_id_all|comm"},"ids":["'"$id"'"]}'
        for task in 5 7; do
            echo '{"record":{"type":"COMM","attr":0,"comm":{"pid":'$task',"tid":'$task',"comm":"name"},' \
                '"sample_id":{"pid":'$task',"tid":'$task',"time":"10'$task'","id":"'"$id"'"}}}'
            echo '{"record":{"type":"SAMPLE","misc":"cpumode=USER","attr":0,"sample":{"ip":"0x1000",' \
                '"pid":'$task',"tid":'$task',"time":"20'$task'","id":"'"$id"'"}}}'
        done
        echo '{"record":{"type":"INVENTED","attr":0,"invented":' \
            '{"owner":'"$2"',"worker":'"$2"',"origin":"'"$id"'",' \
            '"value":"'"$4"'","secret":"nobodys business"},' \
            '"sample_id":{"pid":'"$2"',"tid":'"$2"',"time":"300","id":"'"$id"'"}}}'
        echo '{"record":{"type":"INVENTED_TOOL","invented_tool":{"amount":"7"},' \
            '"sample_id":{"pid":'"$2"',"tid":'"$2"',"time":"301","id":"'"$id"'"}}}'
    } >"$1.json"
    expect 0 "$PERFDATA" encode -o "$1" "$1.json"
}
recording seven.data 7 1 11
recording five.data 5 1 22
# Where there is no sample_id, the fields alone name the task.
sed 's/, *"sample_id":{[^}]*}//; s/sample_id_all|//' seven.data.json >fields.json
expect 0 "$PERFDATA" encode -o fields.data fields.json
# One that is too long is noted.
"$PERFDATA" encode -o long.data - <<'JSON'
{"header":{"container":"pipe","order":"little"}}
{"record":{"type":"INVENTED_TOOL","invented_tool":{"amount":"7"},"rest":"0102030405060708090a0b0c0d0e0f10"}}
JSON
expect 1 "$PERFDATA" check --strict long.data
has out INVENTED_TOOL
# invented FILE: what there is of it.
invented() { "$PERFDATA" decode --short "$1" | grep -c '"type":"INVENTED"' || true; }

expect 0 "$PERFDATA" check --strict seven.data
expect 0 "$PERFDATA" dump seven.data
has out '^0x[0-9a-f]* \[0x[0-9a-f]*\]: INVENTED$'
has out '^  value: 11$'
has out '^  secret: nobodys business$'
grep -A20 ': INVENTED_TOOL$' out >tool
has tool '^  amount: 7$'
has tool '^    time: 301 *$'
! grep -q rest: tool || fail "the sample_id of perf's own record is not known"
"$PERFDATA" decode seven.data | "$PERFDATA" encode -o same.data
cmp same.data seven.data || fail "decode | encode"
expect 0 "$PERFDATA" convert --endian big -o big.data seven.data
expect 0 "$PERFDATA" dump big.data
has out '^  value: 11$'
expect 0 "$PERFDATA" convert --endian little -o back.data big.data
cmp back.data seven.data || fail "convert to the other byte order and back"

# ---- Its task, ids and text are known

for file in seven.data fields.data; do
    expect 0 "$PERFDATA" filter -f --pid 5 -o other.data $file
    [ "$(invented other.data)" = 0 ] || fail "filter --pid 5 keeps the record of 7"
    expect 0 "$PERFDATA" filter -f --pid 7 -o own.data $file
    [ "$(invented own.data)" = 1 ] || fail "filter --pid 7 drops the record of 7"
    expect 0 "$PERFDATA" split -f --by pid -o 'piece-%d.data' $file
    [ "$(invented piece-5.data) $(invented piece-7.data)" = '0 1' ] ||
        fail "split by pid misplaces the record"
done
expect 0 "$PERFDATA" merge -o merged.data seven.data five.data
"$PERFDATA" decode --short merged.data | grep '"type":"INVENTED"' >records
has records '"origin":"1","value":"11".*"id":"1"}'
has records '"origin":"2","value":"22".*"id":"2"}'
expect 0 "$PERFDATA" redact --paths hash -o redacted.data seven.data
[ "$(invented redacted.data)" = 1 ] || fail "redact drops the record"
! grep -q nobody redacted.data || fail "redact leaves the text"

# ---- Its role decides

# count FILE N: so many invented records are in it.
count() { [ "$(invented "$1")" = "$2" ] || fail "$1 has $(invented "$1") invented records, not $2"; }
expect 0 "$PERFDATA" merge -o both.data seven.data seven.data
count both.data 2
sed -i.kept '/^ROLE(invented,/s/WITH_TASK, NOTHING, EVENT/OF_TASK, TASK, STATE/' tree/src/schema/roles.def
build perfdata_cli >log 2>&1 || fail "build: $(grep -A3 error log | head)"
expect 0 "$PERFDATA" filter -f --pid 5 -o other.data seven.data
count other.data 0
expect 0 "$PERFDATA" filter -f --pid 7 -o own.data seven.data
count own.data 1
expect 0 "$PERFDATA" merge -f -o both.data seven.data seven.data
count both.data 1
mv tree/src/schema/roles.def.kept tree/src/schema/roles.def

# ---- What is left out is missed

sed -i.kept '/^ROLE(invented,/d' tree/src/schema/roles.def
! build perfdata_cli >log 2>&1 || fail "a record without a role builds"
has log 'add_a_ROLE_to_roles_def_of_invented'
mv tree/src/schema/roles.def.kept tree/src/schema/roles.def
for field in owner worker origin value secret; do
    sed -i.kept "/^IDENTIFIES(invented, *$field,/d" tree/src/schema/identity.def
    build test_redact >log 2>&1 || fail "build: $(grep -A3 error log | head)"
    ! ./build/tests/test_redact >out 2>err || fail "no test misses the line of $field"
    has err "invented\\.$field has no line in identity\\.def"
    mv tree/src/schema/identity.def.kept tree/src/schema/identity.def
done
sed -i '/^    {"INVENTED",$/,/^$/d' tree/tests/golden/golden_records.c
! golden >out 2>err || fail "nobody misses the golden test"
has err 'INVENTED'
