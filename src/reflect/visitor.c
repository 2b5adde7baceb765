/* SPDX-License-Identifier: MIT */
/* visitor.c - calls a program's function for a record's type. */
#include "reflect.h"
#include <perfdata/visitor.h>

static bool visit_any(void (*visit)(void *user, const struct pd_record *rec), void *user,
                      const struct pd_record *rec)
{
    if (visit)
        visit(user, rec);
    return visit != NULL;
}

bool pd_record_visit(const struct pd_visitor *visitor, void *user, const struct pd_record *rec)
{
    if (!pi_view_of(rec).open)
        return visit_any(visitor->unknown, user, rec);
    switch (rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)      \
    case PD_RECORD_##type_:                              \
        if (!visitor->name_)                             \
            return visit_any(visitor->other, user, rec); \
        visitor->name_(user, rec, &rec->u.name_);        \
        return true;
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return visit_any(visitor->unknown, user, rec);
    }
}
