/* SPDX-License-Identifier: MIT */
/* stdio_sink.h - a file that is open for reading and writing, as a sink; whoever reads it then calls fflush()
 * first. */
#ifndef PERFDATA_STDIO_SINK_H
#define PERFDATA_STDIO_SINK_H

#include <perfdata/writer.h>
#include <stdio.h>

struct pd_sink pi_stdio_sink(FILE *file);

#endif
