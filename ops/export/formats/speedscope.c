/* SPDX-License-Identifier: MIT */
/* speedscope.c - speedscope's own format: a sampled profile for each event and head. */
#include "groups.h"
#include <perfdata/version.h>

static void begin_profile(struct pi_export_groups *g)
{
    struct pd_out *out = &g->text.out;
    pd_out_str(out, g->n ? ",\n" : "\n");
    pd_out_str(out, "{\"type\":\"sampled\",\"name\":");
    pi_export_put_group(g);
    pd_out_str(out, ",\"unit\":");
    pd_out_str(out, !g->all->options.count && g->all->nanoseconds[g->event] ? "\"nanoseconds\"" : "\"none\"");
    pd_out_str(out, ",\"samples\":[");
}

static enum pd_code put_sample(struct pi_export_groups *g, const uint8_t *frames, struct pd_error *error)
{
    struct pd_out *out = &g->text.out;
    uint32_t number;
    enum pd_code code;
    bool end, first = true;
    pd_out_str(out, g->n_weights ? ",[" : "[");
    while (!(code = pi_export_table_next(&g->table, &frames, &number, &end, error)) && !end) {
        if (!first)
            pd_out_str(out, ",");
        pd_out_dec(out, number);
        first = false;
    }
    pd_out_str(out, "]");
    return code;
}

static void end_profile(struct pi_export_groups *g)
{
    struct pd_out *out = &g->text.out;
    pd_out_str(out, "],\"weights\":");
    pi_export_put_numbers(out, g->weights, g->n_weights);
    pd_out_str(out, ",\"startValue\":0,\"endValue\":");
    pd_out_dec(out, g->total);
    pd_out_str(out, "}");
}

static void put_frames(struct pi_export_groups *g)
{
    struct pd_out *out = &g->text.out;
    for (uint32_t i = 0; i < g->table.n; i++) {
        pd_out_str(out, i ? ",\n{\"name\":" : "\n{\"name\":");
        pi_export_put_frame_json(g, i);
        pd_out_str(out, "}");
    }
}

enum pd_code pi_export_speedscope(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error)
{
    struct pi_export_groups g;
    pi_export_groups_open(&g, all, sink);
    g.begin = begin_profile;
    g.stack = put_sample;
    g.end = end_profile;
    pd_out_str(&g.text.out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                            "\"exporter\":\"perfdata " PD_VERSION_STRING "\",\n\"profiles\":[");
    enum pd_code code = pi_export_groups_each(&g, error);
    if (!code) {
        pd_out_str(&g.text.out, "],\n\"shared\":{\"frames\":[");
        put_frames(&g);
        pd_out_str(&g.text.out, "]}}\n");
        code = g.no_memory ? pi_fail(error, PD_ENOMEM, PD_NOWHERE, "profile", 0, 0)
                           : pi_text_out_end(&g.text, error);
    }
    pi_export_groups_close(&g);
    return code;
}
