/* SPDX-License-Identifier: MIT */
/* file.h - the file container: header, feature bitmap, feature table, and the map of all parts. */
#ifndef PERFDATA_FILE_H
#define PERFDATA_FILE_H

#include <perfdata/reader.h>
#include <stddef.h>

/* Reads header, attrs, ids and feature table. Damage becomes findings as long as anything can be read. */
enum pd_code pi_file_open(struct pd_reader *r, struct pd_error *error);
/* Bytes of the table of features; 0: there is no table. */
uint64_t pi_file_table_bytes(const struct pd_reader *r);
/* True if the table of features may be at this offset: each entry points behind it. */
bool pi_file_is_table(struct pd_reader *r, uint64_t offset);
/* Sets the position of the data, against the header; the table of features is behind the data. */
enum pd_code pi_file_move_data(struct pd_reader *r, uint64_t offset, uint64_t end, struct pd_error *error);

/* True if this stride of the attrs tells the byte order of a PERFFILE, whose magic does not. */
static inline bool pi_is_v1_stride(uint64_t n)
{
    return n == 80 || n == 88 || n == 96 || n == 112 || n == 120;
}

/* The end of a section, by its own numbers. */
static inline uint64_t pi_file_section_end(const struct pd_file_section *s)
{
    return s->size > UINT64_MAX - s->offset ? UINT64_MAX : s->offset + s->size;
}

/* Reads the part behind the data of a file that cannot seek; called when the records have been read. */
enum pd_code pi_file_tail(struct pd_reader *r, struct pd_error *error);

/* Builds r->extents. */
enum pd_code pi_file_map(struct pd_reader *r, struct pd_error *error);

/* Converts the feature bitmap between its stored and logical form (bit n in byte n / 8); `word` is 4 or 8. */
void pi_features_convert(const uint8_t from[32], uint8_t to[32], enum pd_order order, unsigned word);

/*
 * Bytes of the words of a stored big-endian bitmap: 8, unless words of 4 are more plausible. For short sets,
 * the first n sections of the table tell, too: if one reading is TRACING_DATA and BUILD_ID alone, and the
 * sections have only a few bytes, the other reading is right.
 */
unsigned pi_feature_word(const uint8_t stored[32], const struct pd_file_section *sections, size_t n);
/*
 * Stores the bitmap in words whose size a reader can tell: of `word` bytes if possible, else of the other
 * size. False: a reader would find other features either way.
 */
bool pi_features_store(const uint8_t features[32], enum pd_order order, unsigned word,
                       const struct pd_file_section *sections, size_t n, uint8_t stored[32]);

static inline bool pi_has_feature(const uint8_t features[32], unsigned n)
{
    return features[n / 8] >> n % 8 & 1;
}

#define PI_MAGIC2 UINT64_C(0x32454c4946524550) /* "PERFILE2" read as a little-endian number */
#define PI_PIPE_HEADER_BYTES 16
#define PI_BYTES_file_header_OLD 72

#endif
