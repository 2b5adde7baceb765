/* SPDX-License-Identifier: MIT */
/* visit.c - a visitor's way through a recording. */
#include "mappings.h"
#include "src/schema/options.h"
#include <perfdata/constants.h>
#include <perfdata/session/visit.h>
#include <sys/mman.h>

static void visit(const struct pd_visitor *visitor, void *user, const struct pd_visit_options *o,
                  const struct pd_record *rec)
{
    if (rec->decoded && rec->type == PD_RECORD_MMAP && o->mmap_as_mmap2 && !visitor->mmap && visitor->mmap2) {
        struct pd_mmap2 m;
        pi_mmap2_of(rec, &m);
        m.prot = rec->misc & PD_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
        m.flags = MAP_PRIVATE;
        visitor->mmap2(user, rec, &m);
    } else {
        pd_record_visit(visitor, user, rec);
    }
}

enum pd_code pd_reader_visit(struct pd_reader *reader, const struct pd_visitor *visitor, void *user,
                             const struct pd_visit_options *options, struct pd_error *error)
{
    struct pd_record rec = {0};
    struct pd_visit_options o;
    struct pd_error own = {0};
    enum pd_code code = PI_TAKE_OPTIONS(pd_visit_options, &o, options, error);
    if (code)
        return code;
    while ((code = pd_reader_next_decoded(reader, &rec, &own)) != PD_END && code != PD_AGAIN) {
        const bool told = code || !rec.decoded;
        if (told && pd_is_failure(code ? code : own.code))
            break;
        if (told && o.finding)
            o.finding(user, &own);
        if (!code)
            visit(visitor, user, &o, &rec);
        if (o.stop && *o.stop)
            return PD_OK;
    }
    if (code == PD_END)
        return pd_reader_failure(reader, error);
    if (error)
        *error = own;
    return code ? code : own.code;
}
