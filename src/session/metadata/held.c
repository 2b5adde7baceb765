/* SPDX-License-Identifier: MIT */
/* held.c - keeps parts of a recording, within limits, and notes findings of what is not kept. */
#include "metadata.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <string.h>

/*
 * Adds a finding. The last one kept says that there are more: millions of records of 24 bytes may have the
 * same damage.
 */
void pi_meta_note(struct pd_metadata *m, const struct pd_error *error)
{
    struct pd_error more;
    if (m->n_findings == PI_LIMIT_FINDINGS)
        return;
    if (m->n_findings == PI_LIMIT_FINDINGS - 1) {
        pi_fail(&more, PD_ELIMIT, error->offset, "findings", PI_LIMIT_FINDINGS, PI_LIMIT_FINDINGS - 1);
        error = &more;
    }
    if (pi_grow(m->allocator, (void **)&m->findings, m->n_findings, &m->cap_findings, sizeof *m->findings))
        m->findings[m->n_findings++] = *error;
    else
        m->out_of_memory = true;
}

enum pd_code pi_meta_noted(const struct pd_metadata *m, enum pd_code code, struct pd_error *error)
{
    return !code && m->out_of_memory ? pi_meta_no_memory(error, sizeof *m->findings) : code;
}

bool pd_metadata_out_of_memory(const struct pd_metadata *m)
{
    return m->out_of_memory;
}

size_t pd_metadata_n_findings(const struct pd_metadata *m)
{
    return m->n_findings;
}

const struct pd_error *pd_metadata_finding(const struct pd_metadata *m, size_t i)
{
    return &m->findings[i];
}

void pi_meta_forget_names(struct pd_metadata *m)
{
    for (size_t i = 0; i < m->n_texts; i++)
        pi_release(m->allocator, m->texts[i]);
    pi_release(m->allocator, m->texts);
    pi_release(m->allocator, m->names);
    pi_idmap_free(&m->by_text);
    m->by_text.allocator = m->allocator;
    m->texts = NULL;
    m->names = NULL;
    m->n_names = m->n_texts = m->cap_texts = 0;
    m->n_known = 0;
    m->indexed = false;
}

bool pi_meta_charge(struct pd_metadata *m, uint64_t offset, uint64_t n)
{
    struct pd_error e;
    const bool may = n <= m->left;
    if (!may) {
        pi_fail(&e, PD_ELIMIT, offset, "section", n, m->left);
        pi_meta_note(m, &e);
    }
    m->left -= may ? n : 0;
    return may;
}

/*
 * True if n more bytes may be kept for a record. Only the first refusal becomes a finding, not each of
 * millions.
 */
static bool afford(struct pd_metadata *m, const struct pd_record *rec, size_t n)
{
    struct pd_error e;
    if (!m->full && n <= m->left) {
        m->left -= n;
        return true;
    }
    if (!m->full) {
        pi_fail_record(&e, PD_ELIMIT, rec, 0, "memory for names of events and build ids", n, m->left);
        pi_meta_note(m, &e);
    }
    m->full = true;
    return false;
}

/* Charges the size of the decoded record: a build id of 40 bytes takes hundreds. */
enum pd_code pi_meta_keep_record(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error)
{
    const size_t n = sizeof(struct pi_held_record) + rec->size;
    if (!afford(m, rec, n))
        return PD_OK;
    struct pi_held_record *h = pi_resize(m->allocator, NULL, n);
    if (!h ||
        !pi_grow(m->allocator, (void **)&m->records, m->n_records, &m->cap_records, sizeof *m->records)) {
        pi_release(m->allocator, h);
        return pi_meta_no_memory(error, n);
    }
    memset(h, 0, sizeof *h);
    memcpy(h->bytes, rec->raw, rec->size);
    if (pd_record_decode(rec->plan, h->bytes, rec->size, &h->rec, NULL)) {
        pi_release(m->allocator, h);
        return PD_OK; /* whoever reads the records reports it */
    }
    h->rec.plan = NULL; /* belongs to the reader */
    m->records[m->n_records++] = h;
    pi_meta_forget_names(m);
    return PD_OK;
}
