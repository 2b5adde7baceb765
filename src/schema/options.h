/* SPDX-License-Identifier: MIT */
/* options.h - taking a caller's struct of options, which may be older or newer than this library's. */
#ifndef PERFDATA_OPTIONS_H
#define PERFDATA_OPTIONS_H

#include <perfdata/error.h>
#include <string.h>

/* pi_options_take() for a struct of another size. */
enum pd_code pi_options_fit(void *own, size_t own_size, const void *given, const char *struct_name,
                            struct pd_error *error);

/*
 * The options of a public function as this library knows them: every such function takes its copy this way.
 * Fields that an older, shorter struct lacks are 0, and all fields are 0 if `given` is NULL. PD_EARG with the
 * struct's name as field and its size as found, and all of `own` 0: the size is impossible, or the struct is
 * a newer, longer one with a value in a field that this library does not know. own->size becomes own_size.
 */
static inline enum pd_code pi_options_take(void *own, size_t own_size, const void *given,
                                           const char *struct_name, struct pd_error *error)
{
    size_t size = own_size;
    if (given)
        memcpy(&size, given, sizeof size);
    if (size != own_size)
        return pi_options_fit(own, own_size, given, struct_name, error);
    if (given)
        memcpy(own, given, own_size);
    else
        memset(own, 0, own_size);
    memcpy(own, &own_size, sizeof own_size);
    return PD_OK;
}

/* The same, and both must be such structs: PI_TAKE_OPTIONS(pd_sort_options, &own, options, error). */
#define PI_TAKE_OPTIONS(struct_, own_, given_, error_)                                                  \
    pi_options_take((struct struct_ *){own_}, sizeof(struct struct_), (const struct struct_ *){given_}, \
                    #struct_, error_)

#endif
