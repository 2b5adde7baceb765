/* SPDX-License-Identifier: MIT */
/* names.c - numbers for names. */
#include "export.h"
#include "src/schema/fail.h"

enum pd_code pd_export_text(struct pd_texts *texts, const char *text, size_t n, uint32_t *number,
                            struct pd_error *error)
{
    if (!pd_texts_add(texts, text, n, number))
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "names", 0, n);
    if (texts->bytes > PD_LIMIT_EXPORT_NAMES)
        return pd_fail(error, PD_ELIMIT, PD_NOWHERE, "names", texts->bytes, PD_LIMIT_EXPORT_NAMES);
    return PD_OK;
}
