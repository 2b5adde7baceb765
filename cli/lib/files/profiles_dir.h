/* SPDX-License-Identifier: MIT */
/* profiles_dir.h - a directory of branch profiles as output: an index, and no files but those in it. */
#ifndef PERFDATA_CLI_PROFILES_DIR_H
#define PERFDATA_CLI_PROFILES_DIR_H

#include "convert_dir.h"

extern const struct cli_directory_kind cli_profiles;

#endif
