/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/sink.h - what a program has open as a sink for a writer. Such sinks need no closing: their
 * descriptor or FILE stays the program's, which closes it behind the writer, and looks at what that returns.
 */
#ifndef PERFDATA_SESSION_SINK_H
#define PERFDATA_SESSION_SINK_H

#include <perfdata/writer.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A descriptor. Nothing is buffered; a write that is interrupted or takes a part of the bytes is continued,
 * and a descriptor that does not block is waited for (poll()). The sink can patch, as files need, if the
 * descriptor is at offset 0 of what can seek, and does not append; otherwise it takes pipe streams alone.
 */
PD_EXPERIMENTAL struct pd_sink pd_sink_fd(int fd);

/*
 * A FILE, written through its buffer: errors may come as late as fclose(). It can patch under the same
 * conditions. What stdio does not continue are errors here: its descriptor must block, and its signals
 * restart (SA_RESTART).
 */
PD_EXPERIMENTAL struct pd_sink pd_sink_file(FILE *file);

#ifdef __cplusplus
}
#endif
#endif
