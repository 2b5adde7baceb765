/* SPDX-License-Identifier: MIT */
/*
 * offcpu.h - raw data of off-cpu samples in the other byte order. It is recognised by its content: containers
 * differ in where the event's name is, and whether it is known before the samples. Other output of BPF
 * programs has no size at this place with a marker behind it. The name is needed for stacks without a marker.
 */
#ifndef PERFDATA_OUTPUT_OFFCPU_H
#define PERFDATA_OUTPUT_OFFCPU_H

#include <perfdata/session/event.h>

/* Finds the raw data of a decoded record, and its byte order. False: it is something else. */
bool pi_find_offcpu(const struct pd_record *rec, struct pd_offcpu *offcpu, enum pd_order *order);

/* Writes it in a byte order: as many bytes as the record's raw data, at `bytes`. */
void pi_put_offcpu(const struct pd_offcpu *offcpu, enum pd_order order, uint8_t *bytes, size_t n);

#endif
