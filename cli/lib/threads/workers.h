/* SPDX-License-Identifier: MIT */
/*
 * workers.h - threads for the library's readers and writers (-j), which take jobs in the order in which they
 * were started. A thread that waits for a job does others meanwhile.
 */
#ifndef PERFDATA_CLI_WORKERS_H
#define PERFDATA_CLI_WORKERS_H

#include "cli/lib/command.h"
#include <perfdata/base.h>

/* Those of this run; NULL: one thread was requested. Threads begin when there is work for them. */
const struct pd_workers *cli_workers(struct cli *cli);
/* Nothing waits for a job any more. */
void cli_workers_end(struct cli *cli);

#endif
