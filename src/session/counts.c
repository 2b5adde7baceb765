/* SPDX-License-Identifier: MIT */
/* counts.c - the periods of a sample's counters. */
#include "counts.h"
#include "record_words.h"
#include "src/support/wrap.h"
#include <perfdata/constants.h>

bool pi_counts_are_read(const struct pd_reader *reader, size_t first)
{
    for (size_t i = first; i < pd_reader_n_attrs(reader); i++)
        if (pd_reader_attr(reader, i)->attr.sample_type & PD_SAMPLE_READ)
            return true;
    return false;
}

void pi_counts_free(struct pi_counts *c)
{
    pi_ids_free(&c->values);
}

static void count_plain(const struct pd_record *rec, struct pi_counted *out)
{
    *out = (struct pi_counted){rec->attr_index, 0, pi_sample_period(rec)};
}

/* The next counter of the sample; false: no more. */
static bool take_counter(struct pi_counts *c, const struct pd_record *rec, struct pd_read_value *value)
{
    const struct pd_read_values *read = &rec->u.sample.read;
    if (!(rec->attr->read_format & PD_FORMAT_GROUP)) {
        *value = (struct pd_read_value){.value = read->value, .id = read->id};
        return c->next++ == 0;
    }
    if (c->next >= read->values.n)
        return false;
    pd_read_value_at(&read->values, c->next++, value);
    return true;
}

PI_WRAPS enum pd_code pi_counts_next(struct pi_counts *c, const struct pd_reader *reader,
                                     const struct pd_record *rec, struct pi_counted *out)
{
    struct pd_read_value value;
    if (!rec->attr || !(rec->attr->sample_type & PD_SAMPLE_READ)) {
        if (c->next++)
            return PD_END;
        count_plain(rec, out);
        return PD_OK;
    }
    c->values.allocator = c->allocator;
    while (take_counter(c, rec, &value)) {
        uint64_t before = 0;
        const uint32_t attr = pd_reader_find_id(reader, value.id);
        if (attr == UINT32_MAX)
            continue; /* perf counts it as unknown */
        pi_ids_get(&c->values, value.id, &before);
        if (value.value == before)
            continue;
        if (!pi_ids_set(&c->values, value.id, value.value))
            return PD_ENOMEM;
        *out = (struct pi_counted){attr, value.id, value.value - before};
        return PD_OK;
    }
    return PD_END;
}

enum pd_code pi_counts_pass(struct pi_counts *c, const struct pd_reader *reader, const struct pd_record *rec)
{
    struct pi_counted counted;
    enum pd_code code = PD_OK;
    pi_counts_begin(c);
    while (!code)
        code = pi_counts_next(c, reader, rec, &counted);
    return code == PD_END ? PD_OK : code;
}
