/* SPDX-License-Identifier: MIT */
/* told.c - extracts the information about a task in a record. */
#include "told.h"
#include "src/schema/fail.h"

enum pd_code pd_told_of(struct pd_record *rec, struct pd_told *told, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (rec->plan == NULL)
        code = pd_fail_record(error, PD_EUNKNOWN, rec, 0, "event id", 0, 0);
    else if (!rec->decoded)
        code = pd_record_decode_framed(rec->plan, rec, error);
    if (code || pd_told_decoded(rec, told))
        return code;
    return pd_fail_record(error, PD_EUNKNOWN, rec, 0, "task", 0, 0);
}

bool pd_told_map(struct pd_record *rec, struct pd_told *told)
{
    const struct pd_traits *t = pd_traits_of(rec->type);
    return (t->tells == PD_TELLS_MAP || t->tells == PD_TELLS_TASK) && rec->plan &&
           (rec->decoded || !pd_record_decode_framed(rec->plan, rec, NULL)) && pd_told_decoded(rec, told) &&
           !told->of_kernel;
}
