/* SPDX-License-Identifier: MIT */
/*
 * cli.h - what the verbs of the `perfdata` command share. A verb is a function cmd_NAME() in a file of its
 * own and a line of the table in main.c:
 *
 *     static const struct cli_option options[] = {{"limit", 'l', "N", "stop after N records"}, {0}};
 *     static const struct cli_spec spec = {.usage = "[OPTION]... [FILE]", .options = options, …};
 *     int key;
 *     cli->spec = &spec;
 *     while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
 *         if (key == 'l') … cli->arg …
 *         else return cli->status; // wrong usage or --help
 *
 * It returns its exit status, which is cli->status: the highest that any part of it set.
 */
#ifndef PERFDATA_CLI_H
#define PERFDATA_CLI_H

#include "command.h"
#include "cli/lib/files/input.h"
#include "json_out.h"
#include "memory.h"
#include "cli/lib/messages/messages.h"
#include "cli/lib/messages/nearest.h"
#include "options.h"
#include "cli/lib/files/output.h"
#include "print.h"
#include "cli/lib/messages/progress.h"
#include "cli/lib/files/sink.h"
#include "cli/lib/files/spool.h"
#include "cli/lib/files/temporary.h"
#include "src/support/limits.h"
#include <perfdata/ops/convert.h>
#include <perfdata/reader.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/text.h>
#include <perfdata/writer.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- Verbs */

int cmd_info(struct cli *cli, int argc, char **argv);
int cmd_dump(struct cli *cli, int argc, char **argv);
int cmd_decode(struct cli *cli, int argc, char **argv);
int cmd_encode(struct cli *cli, int argc, char **argv);
int cmd_check(struct cli *cli, int argc, char **argv);
int cmd_export(struct cli *cli, int argc, char **argv);
int cmd_symbols(struct cli *cli, int argc, char **argv);
int cmd_filter(struct cli *cli, int argc, char **argv);
int cmd_convert(struct cli *cli, int argc, char **argv);
int cmd_edit(struct cli *cli, int argc, char **argv);
int cmd_redact(struct cli *cli, int argc, char **argv);
int cmd_gen(struct cli *cli, int argc, char **argv);
int cmd_extract(struct cli *cli, int argc, char **argv);
int cmd_hash(struct cli *cli, int argc, char **argv);
int cmd_corrupt(struct cli *cli, int argc, char **argv);
int cmd_cmp(struct cli *cli, int argc, char **argv);
int cmd_index(struct cli *cli, int argc, char **argv);
int cmd_split(struct cli *cli, int argc, char **argv);
int cmd_repair(struct cli *cli, int argc, char **argv);
int cmd_report(struct cli *cli, int argc, char **argv);
int cmd_sort(struct cli *cli, int argc, char **argv);
int cmd_merge(struct cli *cli, int argc, char **argv);
int cmd_bench(struct cli *cli, int argc, char **argv);

#endif
