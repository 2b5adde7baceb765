/* SPDX-License-Identifier: MIT */
/*
 * perfdata/version.h - which version this is: macros for the headers that a program was compiled with, a
 * function for the library that it runs with.
 *
 *     #if PD_VERSION >= PD_VERSION_NUMBER(0, 1, 0)
 *
 * The build reads the version of the project from here.
 */
#ifndef PERFDATA_VERSION_H
#define PERFDATA_VERSION_H

#include <perfdata/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PD_VERSION_MAJOR 0
#define PD_VERSION_MINOR 1
#define PD_VERSION_PATCH 0

/* Versions as numbers, in their order: 0.1.0 is 100. */
#define PD_VERSION_NUMBER(major_, minor_, patch_) ((major_)*10000 + (minor_)*100 + (patch_))
#define PD_VERSION PD_VERSION_NUMBER(PD_VERSION_MAJOR, PD_VERSION_MINOR, PD_VERSION_PATCH)

#define PD_VERSION_TEXT_(x_) #x_
#define PD_VERSION_TEXT(x_) PD_VERSION_TEXT_(x_)
/* "0.1.0" */
#define PD_VERSION_STRING             \
    PD_VERSION_TEXT(PD_VERSION_MAJOR) \
    "." PD_VERSION_TEXT(PD_VERSION_MINOR) "." PD_VERSION_TEXT(PD_VERSION_PATCH)

/* PD_VERSION of the library, which may be newer than that of the headers. */
PD_API unsigned pd_version(void);
/* Its PD_VERSION_STRING, static. */
PD_API const char *pd_version_string(void);

#ifdef __cplusplus
}
#endif
#endif
