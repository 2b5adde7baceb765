/* SPDX-License-Identifier: MIT */
/* version.c - the version of this library. */
#include <perfdata/version.h>

unsigned pd_version(void)
{
    return PD_VERSION;
}

const char *pd_version_string(void)
{
    return PD_VERSION_STRING;
}
