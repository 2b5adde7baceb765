/* SPDX-License-Identifier: MIT */
/*
 * offcpu.h - raw data of off-cpu samples in the other byte order. Told by what it is, not by its event's
 * name: where the name stands, and whether it is known before the samples, is a matter of the container. What
 * else a BPF program gives out has no size at the right place and a marker behind it.
 */
#ifndef PERFDATA_OUTPUT_OFFCPU_H
#define PERFDATA_OUTPUT_OFFCPU_H

#include <perfdata/session/event.h>

/* The raw data of a decoded record, and its byte order. False: it is something else. */
bool pd_find_offcpu(const struct pd_record *rec, struct pd_offcpu *offcpu, enum pd_order *order);

/* It in an order: as many bytes as the record's raw data, at `bytes`. */
void pd_put_offcpu(const struct pd_offcpu *offcpu, enum pd_order order, uint8_t *bytes, size_t n);

#endif
