/* SPDX-License-Identifier: MIT */
/* file.h - the file container: header, feature bitmap, feature table, and the map of what is where. */
#ifndef PERFDATA_FILE_H
#define PERFDATA_FILE_H

#include <perfdata/reader.h>
#include <stddef.h>

/* Reads header, attrs, ids and feature table. Damage becomes findings as long as anything can be read. */
enum pd_code pd_file_open(struct pd_reader *r, struct pd_error *error);
/* Bytes of the table of features; 0: it has none. */
uint64_t pd_file_table_bytes(const struct pd_reader *r);
/* Could the table of features stand there? Each entry points behind it. */
bool pd_file_is_table(struct pd_reader *r, uint64_t offset);
/* The data is there, whatever the header says; the table of features stands behind it. */
enum pd_code pd_file_move_data(struct pd_reader *r, uint64_t offset, uint64_t end, struct pd_error *error);

/* Where a section ends, as it says of itself. */
static inline uint64_t pd_file_section_end(const struct pd_file_section *s)
{
    return s->size > UINT64_MAX - s->offset ? UINT64_MAX : s->offset + s->size;
}

/* What stands behind the data of a file that cannot seek; called when the records have been read. */
enum pd_code pd_file_tail(struct pd_reader *r, struct pd_error *error);

/* Builds r->extents. */
enum pd_code pd_file_map(struct pd_reader *r, struct pd_error *error);

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
