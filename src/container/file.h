/* SPDX-License-Identifier: MIT */
/* file.h - the file container: header, feature bitmap, feature table, and the map of what is where. */
#ifndef PERFDATA_FILE_H
#define PERFDATA_FILE_H

#include "input.h"
#include "attrs.h"
#include "inflate.h"
#include "feature_probe.h"

struct pd_reader;
/* pd_reader_next_decoded(), or what it does for some samples */
typedef enum pd_code pd_next_decoded(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

struct pd_reader {
    struct pd_input in;
    const struct pd_allocator *allocator;
    struct pd_file_info info;
    struct pd_attrs attrs;
    struct pd_feature_section *features;
    size_t n_features, features_cap;
    struct pd_error *findings;
    size_t n_findings, findings_cap;
    size_t overlaps, overlaps_end; /* the findings that pd_file_map() made */
    struct pd_extent *extents;
    size_t n_extents, extents_cap;
    char *dir; /* path of a directory recording */
    struct pd_member *members;
    size_t n_members, members_cap;
    struct pd_input member_in; /* of the member being read, when that is not `data` */
    bool borrowed;             /* attrs belong to another reader */
    struct pd_input *src;      /* where the records come from now */
    uint64_t end;              /* where they end in it; PD_NOWHERE when not known */
    const struct pd_reader
        *whole;  /* of a part, whose records begin before info.data_end: the file's reader; else NULL */
    uint64_t at; /* where the next record, or the rest of this one's payload, starts */
    uint64_t payload_left;   /* bytes of the last record's payload that were not asked for */
    struct pd_error payload; /* where that record is; `expected` is the size of the payload */
    uint64_t index;          /* of the next record */
    struct pd_inflate inflate;
    struct pd_probe probe;
    struct pd_error pending; /* what was lost of the compressed data; told after the record that showed it */
    struct pd_error passed; /* the first COMPRESSED record that was passed over because of damage before it */
    size_t window;
    uint64_t max_held;
    uint64_t ids_bytes;     /* of all ids sections */
    uint64_t feature_bytes; /* of all features that are intact */
    uint64_t attrs_end;     /* attrs of HEADER_ATTR records before this offset are known */
    bool bad_attrs;         /* a finding tells of damage of the file's attrs or of their ids */
    bool begun;             /* the stream has given records that are, or may be, of an event */
    bool late_attrs;        /* attrs came behind such records */
    uint32_t nr_cpus_avail; /* as NRCPUS in the stream said */
    uint32_t member;   /* which member src is; both as in struct pd_record, so that they are copied as one */
    uint32_t number;   /* of a reader of one member alone: which it is; otherwise 0 */
    bool old_features; /* feature sections under types 69 to 80 come before the first attr */
    bool keep_compressed;
    bool nested;   /* a COMPRESSED record inside another one was told of and is given next */
    bool inside;   /* records of a COMPRESSED one are being given */
    bool stopped;  /* at damage or at the end */
    bool headless; /* where the records begin is yet to be found: see pd_reader_open_headless() */
    bool mended;   /* pd_find_data() has been here */
    pd_next_decoded *next_decoded;      /* of the samples that come now */
    pd_next_decoded *const (*usual)[2]; /* the ones to choose from: pd_next_decoded_usual */
};

pd_next_decoded pd_next_decoded_any;
/*
 * By number of the usual sample type, for the only event and for one of several: pd_next_decoded_any and
 * others.
 */
extern pd_next_decoded *const pd_next_decoded_usual[][2];

/* Reads header, attrs, ids and feature table. Damage becomes findings as long as anything can be read. */
enum pd_code pd_file_open(struct pd_reader *r, struct pd_error *error);
/* Bytes of the table of features; 0: it has none. */
uint64_t pd_file_table_bytes(const struct pd_reader *r);
/* Could the table of features stand there? Each entry points behind it. */
bool pd_file_is_table(struct pd_reader *r, uint64_t offset);
/* The data is there, whatever the header says; the table of features stands behind it. */
enum pd_code pd_file_move_data(struct pd_reader *r, uint64_t offset, uint64_t end, struct pd_error *error);

/*
 * Of a stream that was read through: PD_EUNSUP if records would say something else behind all attrs than
 * where they stand. Those whose attrs come first, as in all that perf writes, are not looked at again. Else
 * it is read once more, then rewound.
 */
enum pd_code pd_reader_check_attrs(struct pd_reader *r, struct pd_error *error);

/* Where a section ends, as it says of itself. */
static inline uint64_t pd_file_section_end(const struct pd_file_section *s)
{
    return s->size > UINT64_MAX - s->offset ? UINT64_MAX : s->offset + s->size;
}

/* A reader with nothing open yet. */
enum pd_code pd_reader_new(struct pd_reader **reader, const struct pd_reader_options *options,
                           struct pd_error *error);

extern const char pd_dir_data[]; /* what errors of opening that one call it */
/* Sets r->dir to the path of `data` when `path` is a directory. */
enum pd_code pd_dir_find(struct pd_reader *r, const char *path, struct pd_error *error);
/*
 * What the reader of member i alone judged damaged, into the findings of the recording's reader, once however
 * often it was read. Errors: PD_ENOMEM.
 */
enum pd_code pd_dir_take_findings(struct pd_reader *r, const struct pd_reader *member,
                                  struct pd_error *error);
/* Lists the members of the directory. */
enum pd_code pd_dir_list(struct pd_reader *r, struct pd_error *error);
/* Goes on with the records of member i. */
enum pd_code pd_dir_enter(struct pd_reader *r, size_t i, struct pd_error *error);
/* Opens member i of the recording `r` for `in`, which is new. */
enum pd_code pd_dir_open_member(const struct pd_reader *r, size_t i, struct pd_input *in, size_t window,
                                struct pd_error *error);
/* The DIR_FORMAT feature that says a version, and which; NULL: none does, nor does an empty section. */
const struct pd_feature_section *pd_dir_version(struct pd_reader *r, uint64_t *version);
/* A member that cannot be read is one without records, of which a finding tells. */
bool pd_dir_is_unreadable(const struct pd_reader *r, size_t i);
void pd_dir_free(struct pd_reader *r);

_Static_assert(offsetof(struct pd_record, type) == 0 && offsetof(struct pd_record, misc) == 4 &&
                   offsetof(struct pd_record, size) == 6,
               "as in struct pd_record_header");

/*
 * The next record when it is one of the kernel's, follows another one of them, is all in the window, and of
 * an event that is seen at once: then there is nothing to do but to say where it is. That is 4 ns in place of
 * 13. What was visible before stays where it is.
 */
static inline bool pd_reader_next_quick(struct pd_reader *r, struct pd_record *rec)
{
    const uint8_t *p = r->src->next;
    const size_t left = (size_t)(r->src->stop - p);
    const struct pd_event_attr *event;
    struct pd_record_header h;
    if (left < sizeof h)
        return false;
    memcpy(&h, p, sizeof h);
    if (h.type >= PD_RECORD_HEADER_ATTR || h.size < sizeof h || h.size > left ||
        (event = pd_attrs_quick(&r->attrs, p, h.type, h.size, &rec->attr_index)) == NULL)
        return false;
    memcpy(rec, &h, sizeof h);
    rec->raw = p;
    rec->attr = &event->attr;
    rec->plan = &event->plan;
    rec->offset = r->at;
    rec->index = r->index;
    rec->payload_size = 0;
    rec->nr_cpus_avail = r->nr_cpus_avail;
    rec->member = r->member;
    rec->variant = rec->depth = 0;
    rec->has_id = rec->decoded = rec->old_feature = false;
    r->src->next = p + h.size;
    r->at += h.size;
    r->index++;
    return true;
}

/*
 * A loop over samples alone. Where there is one event, and samples have no varying part, nearly all are as
 * long as each other: then the next one is begun before it is known how long this one is, which is 2 ns less.
 */
struct pd_samples {
    const struct pd_plan *plan; /* of the sample */
    size_t size;
    size_t usual; /* a size that takes no look at the event; 1: there is none */
};

static inline bool pd_samples_suit(const struct pd_plan *plan, size_t size)
{
    return plan->time && plan->pid && size >= plan->budget + sizeof(struct pd_record_header);
}

static inline struct pd_samples pd_samples_of(const struct pd_reader *r)
{
    const struct pd_plan *plan = r->attrs.seen == 1 ? &r->attrs.attr[0]->plan : NULL;
    const size_t size = plan ? plan->budget + sizeof(struct pd_record_header) : 1;
    return (struct pd_samples){plan, size, plan && pd_samples_suit(plan, size) ? size : 1};
}

/*
 * The next record at p, if it is a sample with a task and a time; false: it is not, or that has to be looked
 * for. What was passed over so is told by pd_reader_passed().
 */
static inline bool pd_samples_next(const struct pd_reader *r, const uint8_t *p, size_t left,
                                   struct pd_samples *s, uint64_t *time)
{
    struct pd_record_header h;
    if (left < sizeof h)
        return false;
    memcpy(&h, p, sizeof h);
    if (h.type != PD_RECORD_SAMPLE || h.size < sizeof h || h.size > left)
        return false;
    s->size = s->usual;
    if (h.size != s->usual) {
        uint32_t index;
        const struct pd_event_attr *event = pd_attrs_quick(&r->attrs, p, h.type, h.size, &index);
        if (event == NULL || !pd_samples_suit(&event->plan, h.size))
            return false;
        s->plan = &event->plan;
        s->size = h.size;
    }
    memcpy(time, p + s->plan->time, sizeof *time);
    return *time != UINT64_MAX;
}

/* The reader goes on at p, behind n more records. */
static inline void pd_reader_passed(struct pd_reader *r, const uint8_t *p, uint64_t n)
{
    r->at += (uint64_t)(p - r->src->next);
    r->src->next = p;
    r->index += n;
}

/* Takes back n records that came from p on, without a look at anything else. */
static inline void pd_reader_back(struct pd_reader *r, const uint8_t *p, uint64_t n)
{
    r->at -= (uint64_t)(r->src->next - p);
    r->src->next = p;
    r->index -= n;
}

/* Takes back a record that pd_reader_next_quick() has just given. */
static inline void pd_reader_again(struct pd_reader *r, const struct pd_record *rec)
{
    pd_reader_back(r, r->src->next - rec->size, 1);
}

/*
 * All that stands behind the record just given, in memory of `a`, of which no more is taken than twice what
 * is there. Also with an error *bytes, NULL if there are none, and *n are what came before it.
 */
enum pd_code pd_reader_hold_payload(struct pd_reader *r, const struct pd_allocator *a, uint8_t **bytes,
                                    size_t *n, struct pd_error *error);
/* pd_reader_next() without going on to the next member. */
enum pd_code pd_reader_next_here(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

/*
 * The only ways to another place of the member being read, on which more depends than r->at: nothing is left
 * of the record before, and of what was seen.
 */
void pd_reader_move(struct pd_reader *r, uint64_t at);
/* The same behind damage: what was lost may have been of the compressed data. */
void pd_reader_go_on(struct pd_reader *r, uint64_t at);
/* Nothing more is read of this member. */
void pd_reader_stop(struct pd_reader *r);

/* Bytes that follow a record outside of its size. */
uint64_t pd_payload_behind(const struct pd_record *rec, enum pd_order order);

/* What stands behind the data of a file that cannot seek; called when the records have been read. */
enum pd_code pd_file_tail(struct pd_reader *r, struct pd_error *error);

/* Builds r->extents. */
enum pd_code pd_file_map(struct pd_reader *r, struct pd_error *error);

/* Notes something that is wrong but not fatal. */
enum pd_code pd_finding(struct pd_reader *r, struct pd_error *error, enum pd_code code, uint64_t offset,
                        const char *field, uint64_t found, uint64_t expected);

/* The feature bitmap between its stored and its logical form (bit n in byte n / 8); `word` is 4 or 8. */
void pd_features_convert(const uint8_t from[32], uint8_t to[32], enum pd_order order, unsigned word);

/*
 * Bytes of the words of a stored big-endian bitmap: 8, unless words of 4 make more sense. The n first
 * sections of the table tell, too, of the sets that are short: with TRACING_DATA and BUILD_ID alone the other
 * reading is of sections that have a few bytes.
 */
unsigned pd_feature_word(const uint8_t stored[32], const struct pd_file_section *sections, size_t n);
/*
 * Stores the bitmap in words of which a reader sees that they have so many bytes: `word`, or else the others.
 * False: it would read other features either way.
 */
bool pd_features_store(const uint8_t features[32], enum pd_order order, unsigned word,
                       const struct pd_file_section *sections, size_t n, uint8_t stored[32]);

static inline bool pd_has_feature(const uint8_t features[32], unsigned n)
{
    return features[n / 8] >> n % 8 & 1;
}

#define PD_MAGIC2 UINT64_C(0x32454c4946524550) /* "PERFILE2" read as a little-endian number */
#define PD_PIPE_HEADER_BYTES 16
#define PD_BYTES_file_header_OLD 72

#endif
