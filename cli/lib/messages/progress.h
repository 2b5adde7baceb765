/* SPDX-License-Identifier: MIT */
/* progress.h - the progress of a long run, on a terminal. */
#ifndef PERFDATA_CLI_PROGRESS_H
#define PERFDATA_CLI_PROGRESS_H

#include "cli/lib/command.h"

/* Shows the progress of a long run on a terminal; call it for every record. `total` may be PD_NOWHERE. */
void cli_progress(struct cli *cli, uint64_t done, uint64_t total);
void cli_progress_end(struct cli *cli);

#endif
