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

# doctored LINE... <<SED: a copy of the kernel's header with these changes, and just these lines about it.
doctored() {
    sed -f - $header >copy.h
    ! cmp -s $header copy.h || fail 'nothing was changed'
    lists copy.h "$@"
}
# A field of samples, in the comment alone.
doctored 'PERF_RECORD_SAMPLE.invented: no field of sample' <<'END'
s/^\(\s*\*\s*\){ u64\s*phys_addr;}.*/&\n\1{ u64 invented;} \&\& PERF_SAMPLE_PHYS_ADDR/
END
doctored 'PERF_RECORD_SAMPLE.invented: no field of sample' <<'END'
/^\s*\*\s*u64\s*dyn_size; } &&/s/^\(\s*\*\s*\)u64/\1u32 invented[2];\n&/
END
# Bits of words: a new field, a wider one, one at another place.
doctored 'perf_mem_data_src.mem_invented: bit 46, width 2: not in data_src' <<'END'
s/mem_rsvd:18;$/mem_invented:2, mem_rsvd:16;/
END
doctored 'perf_mem_data_src.mem_lvl_num: bit 33, width 5: not in data_src' \
    'perf_mem_data_src.mem_remote: bit 38, width 1: not in data_src' \
    'perf_mem_data_src.mem_snoopx: bit 39, width 2: not in data_src' \
    'perf_mem_data_src.mem_blk: bit 41, width 3: not in data_src' \
    'perf_mem_data_src.mem_hops: bit 44, width 3: not in data_src' <<'END'
s/mem_lvl_num:4,/mem_lvl_num:5,/
END
doctored 'perf_branch_entry.invented: bit 33, width 1: not in branch_flags' <<'END'
s/^\(\s*\)reserved:31;/\1invented:1, reserved:30;/
END
doctored 'perf_branch_entry.invented: no field of branch_entry' <<'END'
/^struct perf_branch_entry {/s/$/\n\t__u64 invented;/
END
# A bit of misc with the number of a known one, and one of its own.
doctored 'PERF_RECORD_MISC_INVENTED = 0x4000: not in misc_*' <<'END'
s/^#define PERF_RECORD_MISC_EXACT_IP.*/&\n#define PERF_RECORD_MISC_INVENTED (1 << 14)/
END
doctored 'PERF_RECORD_MISC_GUEST_INVENTED = 0x6: not in misc_*' \
    'PERF_RECORD_MISC_INVENTED = 0x800: not in misc_*' <<'END'
s/^#define PERF_RECORD_MISC_EXACT_IP.*/&\n#define PERF_RECORD_MISC_INVENTED (1 << 11)/
s/^#define PERF_RECORD_MISC_GUEST_USER.*/&\n#define PERF_RECORD_MISC_GUEST_INVENTED (6 << 0)/
END
# Names that begin as none that is known, as macros and without a tag.
doctored 'PERF_INVENTED_FLAG = 0x10: it is of no set' 'PERF_STRANGE_A = 0x0: it is of no set' <<'END'
s/^#define PERF_RECORD_MISC_EXACT_IP.*/&\n#define PERF_INVENTED_FLAG 0x10\nenum { PERF_STRANGE_A };/
END
# Members of records in the comments, of any type.
doctored 'PERF_RECORD_CGROUP.invented: no field of cgroup' <<'END'
/struct {/,/PERF_RECORD_CGROUP/s/^\(\s*\*\s*\)char\(\s*\)path\[\];/\1struct thing invented[3];\n&/
END

# Of perf: packed structs, members of other types, parts of records, versions and the file's header.
cat >event.h <<'END'
struct __packed perf_record_invented {
	struct perf_event_header header;
};
struct perf_record_stat_round {
	struct perf_event_header header;
	__u64 type, time;
	unsigned long long more;
	struct thing *things[4];
	union {
		pid_t either;
		struct { double or; };
	};
	unsigned char reserved[6];
} __packed;
struct id_index_entry {
	__u64 id, idx, cpu, tid, invented;
};
struct perf_record_thread_map_entry {
	__u64 pid;
	char comm[16];
	char invented[8];
};
struct __attribute__((packed)) perf_record_range_cpu_map {
	__u8 any_cpu, __pad;
	__u16 start_cpu, end_cpu, step;
};
enum perf_user_event_type {
	PERF_RECORD_HEADER_ATTR = 64,
};
END
lists event.h 'struct perf_record_invented: no layout of that name' \
    'id_index_entry.invented: no field of id_index' \
    'perf_record_thread_map_entry.invented: no field of thread_map' \
    'perf_record_range_cpu_map.step: no field of cpu_map_data' \
    'PERF_RECORD_STAT_ROUND.more: no field of stat_round' \
    'PERF_RECORD_STAT_ROUND.things: no field of stat_round' \
    'PERF_RECORD_STAT_ROUND.either: no field of stat_round' \
    'PERF_RECORD_STAT_ROUND.or: no field of stat_round'
cat >header.h <<'END'
enum perf_header_version {
	PERF_HEADER_VERSION_1,
	PERF_HEADER_VERSION_2,
	PERF_HEADER_VERSION_3,
};
enum perf_dir_version {
	PERF_DIR_SINGLE_FILE = 0,
	PERF_DIR_VERSION = 2,
};
struct perf_file_section {
	u64 offset, size, flags;
};
struct perf_file_header {
	u64 magic, size, attr_size;
	struct perf_file_section attrs, data, event_types;
	DECLARE_BITMAP(adds_features, HEADER_FEAT_BITS);
	DECLARE_BITMAP(more_features, HEADER_FEAT_BITS);
	struct perf_file_section invented;
};
END
lists header.h 'PERF_HEADER_VERSION_3 = 0x2: no version that is known' \
    'PERF_DIR_VERSION = 0x2: no version that is known' 'perf_file_section.flags: no field of file_section' \
    'perf_file_header.more_features: no field of file_header' \
    'perf_file_header.invented: no field of file_header'

# What it cannot judge it says.
sed "s/struct {/struct of {/" $header >told.h
lists told.h 'the fields of records are not told as they were: look at them by hand'
echo 'int x;' >other.h
status=0
"$newer" other.h 2>err || status=$?
[ $status = 2 ] && grep -q 'nothing in it is known' err || fail "other.h: $status"
"$newer" missing.h 2>err && fail 'a header that is not there'
grep -q 'missing.h: No such file' err || fail "$(cat err)"
