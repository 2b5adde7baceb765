/* SPDX-License-Identifier: MIT */
/* attrs_first.c - checks whether the attrs of a stream may be written before its records. */
#include "reader/reader_internal.h"

/* Goes through the records, including those inside compressed ones. */
static enum pd_code watch_all(struct pd_reader *r, struct pd_error *error)
{
    struct pi_attrs_watch watch = {0};
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    for (;;) {
        do
            code = pd_reader_next(r, &rec, &what);
        while (pi_reader_goes_on(code));
        if (pd_is_failure(code))
            *error = what;
        if (code) /* damage ends the records for all readers */
            return pd_is_failure(code) ? code : PD_OK;
        if ((code = pi_attrs_watch(&watch, &r->attrs, &rec, error)))
            return code;
    }
}

enum pd_code pi_reader_check_attrs(struct pd_reader *r, struct pd_error *error)
{
    const bool kept = r->keep_compressed;
    struct pd_error own;
    error = error ? error : &own;
    if (!r->late_attrs)
        return PD_OK;
    enum pd_code code = pd_reader_rewind(r, error);
    r->keep_compressed = false;
    if (!code)
        code = watch_all(r, error);
    r->keep_compressed = kept;
    return code ? code : pd_reader_rewind(r, error);
}
