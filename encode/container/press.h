/* SPDX-License-Identifier: MIT */
/*
 * press.h - chunks compressed by other threads, in order. Frames are compressed side by side, the chunks of
 * one frame one after another, so that the bytes are those of one thread.
 */
#ifndef PERFDATA_PRESS_H
#define PERFDATA_PRESS_H

#include "deflate.h"

struct pi_press;

/* A press of the level of `like`. */
enum pd_code pi_press_open(struct pi_press **press, const struct pd_workers *workers,
                           const struct pi_deflate *like, struct pd_error *error);
/* Waits for the threads. NULL is allowed. */
void pi_press_close(struct pi_press *p);

/* False: a chunk must be taken before another is given. The last one that was taken becomes invalid. */
bool pi_press_has_room(struct pi_press *p);
/* Gives the waiting bytes of `from`, as pi_deflate_chunk() takes them. */
void pi_press_give(struct pi_press *p, struct pi_deflate *from, bool last);
/* Gives bytes that keep their place between chunks as they are: PI_DEFLATE_INPUT at most. */
void pi_press_give_plain(struct pi_press *p, const void *bytes, size_t n);

struct pi_pressed {
    struct pd_bytes chunk;
    size_t taken; /* bytes before */
    bool plain;   /* they were not compressed */
};

/* The next chunk, valid until the next call, for which it waits; of 0 bytes if all were taken. */
enum pd_code pi_press_take(struct pi_press *p, struct pi_pressed *pressed, struct pd_error *error);

#endif
