/* SPDX-License-Identifier: MIT */
/* names.c - numbers for names. */
#include "export.h"
#include "src/schema/fail.h"

enum pd_code pi_export_text(struct pi_texts *texts, const char *text, size_t n, uint32_t *number,
                            struct pd_error *error)
{
    if (!pi_texts_add(texts, text, n, number))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "names", 0, n);
    if (texts->bytes > PI_LIMIT_EXPORT_NAMES)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "names", texts->bytes, PI_LIMIT_EXPORT_NAMES);
    return PD_OK;
}
