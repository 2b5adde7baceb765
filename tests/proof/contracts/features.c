/* SPDX-License-Identifier: MIT */
/* features.c - what reads features and large records, and what that takes of others, for WP. */
#include "fail.h"
#include "src/codec/carried.h"
#include "src/codec/interpret.h"
#include "src/schema/schema.h"
#include <perfdata/feature.h>
#include <perfdata/session/fields.h>
#include <perfdata/session/large_record.h>

/*@ requires \valid_read(layout) && \valid_read(shape) && \valid(rest);
  @ requires n == 0 || \valid_read((const uint8_t *)bytes + (0 .. n - 1));
  @ requires error == \null || \valid(error);
  @ assigns *rest, *error;
  @*/
enum pd_code pi_interpret_section(const struct pd_op *layout, const struct pd_shape *shape,
                                  enum pd_order order, const void *bytes, size_t n, void *out,
                                  struct pd_bytes *rest, struct pd_error *error);

/*@ requires \valid(l) && \valid(out);
  @ assigns *l, *out;
  @ ensures \result ==> \valid_read(out->file.filename.ptr + (0 .. out->file.filename.len - 1));
  @*/
bool pd_build_id_entry_next(struct pd_list *l, struct pd_build_id_entry *out);

/*@ assigns \nothing;
  @ ensures \result == \null || \valid_read(\result);
  @*/
const struct pd_op *pi_layout_of_feature(uint32_t id);
/*@ assigns \nothing;
  @ ensures \result == \null || \valid_read(\result);
  @*/
const struct pd_op *pi_layout_of(uint32_t type);
/*@ assigns \nothing; */
const char *pd_feature_name(uint32_t id);

/*@ requires \valid_read((const uint8_t *)p +
  @                      (0 .. (width == 1 || width == 2 || width == 4 ? width : 8) - 1));
  @ assigns \nothing;
  @*/
static inline uint64_t pi_load(const void *p, unsigned width, enum pd_order order);
/*@ requires \valid((uint8_t *)p + (0 .. (width == 1 || width == 2 || width == 4 ? width : 8) - 1));
  @ assigns ((uint8_t *)p)[0 .. (width == 1 || width == 2 || width == 4 ? width : 8) - 1];
  @*/
static inline void pi_store(void *p, uint64_t v, unsigned width, enum pd_order order);

/*@ requires \valid(f) && \valid_read(f->layout) && (error == \null || \valid(error));
  @ requires f->raw.n == 0 || \valid_read(f->raw.ptr + (0 .. f->raw.n - 1));
  @ assigns f->variant, f->u, f->rest, *error;
  @*/
static enum pd_code decode_as(struct pd_feature *f, enum pd_order order, uint8_t variant,
                              struct pd_error *error);

/*@ requires \valid_read(f);
  @ assigns \nothing;
  @*/
static bool lacks_pid(const struct pd_feature *f);

/*@ requires n == 0 || \valid_read((const uint8_t *)bytes + (0 .. n - 1));
  @ requires n == 0 || bytes != \null;
  @ requires \valid(f) && (error == \null || \valid(error));
  @ requires apart: \separated(f, error);
  @*/
enum pd_code pd_feature_decode(enum pd_order order, uint32_t id, uint32_t nr_cpus_avail, const void *bytes,
                               size_t n, struct pd_feature *f, struct pd_error *error);

/*@ requires \valid_read(rec) && \valid_read(rec->raw + (0 .. rec->size - 1)) && \valid(id) && \valid(data);
  @ requires apart: \separated(rec, id, data);
  @ assigns *id, *data;
  @ ensures \result ==> data->n == 0 || \valid_read(data->ptr + (0 .. data->n - 1));
  @*/
bool pi_record_feature(const struct pd_record *rec, enum pd_order order, uint64_t *id, struct pd_bytes *data);

/*@ requires \valid_read(prog) && \valid(bytes) && \valid(each) && \separated(prog, bytes, each);
  @ assigns *bytes, *each;
  @ ensures \result ==> 0 <= bytes->ptr - prog->data.ptr <= prog->data.n - bytes->n;
  @ ensures \result ==> bytes->ptr == prog->data.ptr + (bytes->ptr - prog->data.ptr);
  @*/
bool pd_bpf_prog_array(const struct pd_bpf_prog *prog, uint64_t array, struct pd_bytes *bytes,
                       uint32_t *each);

/*@ assigns \nothing;
  @ ensures \result \in {1, 4, 8};
  @*/
static unsigned width_of(uint64_t array, uint32_t each);

/*@ assigns \nothing; */
static bool overlaps(const struct pd_bpf_prog *p, uint64_t array, const struct pd_bytes *b);

/*@ requires \valid_read(p) && (p->data.n == 0 || \valid(data + (0 .. p->data.n - 1)));
  @ requires p->data.n <= UINT32_MAX && \separated(p, data + (0 .. p->data.n - 1));
  @ requires tables: \valid_read(pd_set_bpf_arrays.names + (0 .. pd_set_bpf_arrays.n - 1));
  @*/
void pi_bpf_swap_arrays(const struct pd_bpf_prog *p, uint8_t *data);

/*@ requires n == 0 || \valid_read((const uint8_t *)bytes + (0 .. n - 1));
  @ requires \valid(large) && (error == \null || \valid(error));
  @ requires apart: \separated(large, error);
  @*/
enum pd_code pd_large_record_decode(enum pd_order order, const void *bytes, size_t n,
                                    struct pd_large_record *large, struct pd_error *error);

#include "src/codec/feature.c"
#include "src/codec/large_record.c"
