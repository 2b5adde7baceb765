/* SPDX-License-Identifier: MIT */
/* keyed.c - keys of hash tables. */
#include "keyed.h"
#include <sys/random.h>
#include <time.h>

struct pi_key pi_key_draw(void)
{
    struct pi_key key;
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
        return key;
    /* For an old kernel, or one that has just started: other values that a file cannot know. */
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct pi_key moment = {(uint64_t)now.tv_nsec, (uint64_t)now.tv_sec};
    key.before = pi_keyed(&moment, (uint64_t)(uintptr_t)&key);
    key.between = pi_keyed(&moment, key.before);
    return key;
}
