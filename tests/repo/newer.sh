#!/usr/bin/env bash
# tools/newer.sh finds nothing in the kernel headers of this system, and in doctored copies what was put in,
# and no more.
set -euo pipefail
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
newer=$PERFDATA_SOURCE/tools/newer.sh
header=/usr/include/linux/perf_event.h
[ -e $header ] || { echo "no $header"; exit 77; }

"$newer" $header >out || fail "the schema lacks $(cat out)"
[ ! -s out ] || fail "$(cat out)"

# lists COPY LINE...: exit status 1, and just these lines.
lists() {
    local copy=$1 status=0
    shift
    "$newer" "$copy" >out || status=$?
    [ $status = 1 ] || fail "$copy: exit status $status"
    printf "$copy: %s\n" "$@" | diff - out || fail "$copy: other lines"
}
sed -e 's/^#define PERF_ATTR_SIZE_VER0.*/&\n#define PERF_ATTR_SIZE_VER42 1000/' \
    -e 's/^\s*PERF_RECORD_MAX\b.*/PERF_RECORD_INVENTED = 60,\n&/' \
    -e 's/^\s*PERF_SAMPLE_MAX\b.*/PERF_SAMPLE_INVENTED = 1U << 31,\n&/' \
    -e 's/^\s*PERF_COUNT_SW_MAX\b.*/PERF_COUNT_SW_INVENTED,\n&/' \
    -e 's/^\s*PERF_TXN_MAX\b.*/PERF_TXN_INVENTED = (1 << 13),\n&/' \
    -e 's/^\(\s*\)__u64\s*sig_data;/&\n\1__u64 invented_field;/' \
    -e 's/^\(\s*\*\s*u64\s*\)aux_size;/&\n\1invented_member;/' \
    -e 's/__reserved_1\s*: [0-9]*/invented_bit : 1, __reserved_1 : 2/' \
    -e 's/^enum perf_callchain_context/enum perf_invented { PERF_INVENTED_A = 5 };\n&/' $header >new.h
"$newer" new.h >out && fail 'nothing is found'
grep -v invented_bit out | sort >found
sort >want <<'END'
new.h: PERF_ATTR_SIZE_VER42 = 0x3e8: not in attr_size
new.h: PERF_RECORD_INVENTED = 0x3c: not in record_type
new.h: PERF_SAMPLE_INVENTED = 0x80000000: not in sample_type
new.h: PERF_COUNT_SW_INVENTED = 0xc: not in software_id
new.h: PERF_TXN_INVENTED = 0x2000: not in transaction
new.h: PERF_INVENTED_A = 0x5: enum perf_invented is of no set
new.h: perf_event_attr.invented_field: no field of attr
new.h: PERF_RECORD_AUX.invented_member: no field of aux
END
diff want found || fail 'other lines than what was put in'
grep -q 'perf_event_attr.invented_bit: bit [0-9]*, width 1: not in attr_flags' out || fail 'no bit'

# perf's own, by hand: a record and a feature that are known, and one each that is not.
cat >event.h <<'END'
enum perf_user_event_type { /* above any possible kernel type */
	PERF_RECORD_USER_TYPE_START = 64,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_INVENTED = 99,
	PERF_RECORD_HEADER_MAX
};
struct perf_record_header_attr {
	struct perf_event_header header;
	__u64 id[];
};
struct perf_record_stat_round {
	struct perf_event_header header;
	__u64 type; /* of the schema */
	__u16 time, invented[4];
};
struct perf_record_invented {
	struct perf_event_header header;
	__u64 what;
};
END
lists event.h 'PERF_RECORD_INVENTED = 0x63: not in record_type' \
    'struct perf_record_invented: no layout of that name' \
    'PERF_RECORD_STAT_ROUND.invented: no field of stat_round'
cat >header.h <<'END'
enum {
	HEADER_RESERVED = 0, /* always cleared */
	HEADER_FIRST_FEATURE = 1,
	HEADER_TRACING_DATA = 1,
	HEADER_BUILD_ID,
	HEADER_INVENTED = 200,
	HEADER_LAST_FEATURE,
	HEADER_FEAT_BITS = 256,
};
END
lists header.h 'HEADER_INVENTED = 0xc8: not in feature'

# What it cannot judge it says.
sed "s/struct {/struct of {/" $header >told.h
lists told.h 'the fields of records are not told as they were: look at them by hand'
echo 'int x;' >other.h
status=0
"$newer" other.h 2>err || status=$?
[ $status = 2 ] && grep -q 'nothing in it is known' err || fail "other.h: $status"
"$newer" missing.h 2>err && fail 'a header that is not there'
grep -q 'missing.h: No such file' err || fail "$(cat err)"
