/* SPDX-License-Identifier: MIT */
/* indexed.h - the index beside a recording, FILE.pdi, for verbs that need some of its time. */
#ifndef PERFDATA_CLI_INDEXED_H
#define PERFDATA_CLI_INDEXED_H

#include "input.h"
#include <perfdata/ops/index.h>

#define CLI_INDEX_SUFFIX ".pdi"

/*
 * Opens an index of the recording, which then is in->index. False: it cannot be opened or is of another
 * recording. *why receives the reason, with code PD_EMISSING if there is no such file.
 */
bool cli_index_open(struct cli_input *in, const char *path, struct pd_error *why);
/*
 * The one beside the recording, if there is one. If it does not suit, a message says so once, and all is
 * read. To be closed before the reader; cli_input_close() does so.
 */
bool cli_index_find(struct cli_input *in);
/*
 * From here on, the reader leaves out the blocks without samples of these times, as pd_index_select() does.
 * n 0: nothing. Where it cannot, that is told. False: that failed, which is printed.
 */
bool cli_index_select(struct cli_input *in, const struct pd_time_range *times, size_t n);
/* The same for what `keep` selects by time, if it does; otherwise all is read. */
bool cli_index_select_kept(struct cli_input *in, const struct pd_filter_lists *keep);
/* NULL: there is none, or it does not suit. */
struct pd_index *cli_index_of(const struct cli_input *in);
void cli_index_close(struct cli_input *in);

#endif
