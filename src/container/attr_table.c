/* SPDX-License-Identifier: MIT */
/* attr_table.c - a table of events without a reader. */
#include "attrs.h"
#include <perfdata/session/ring.h>
#include "src/schema/fail.h"
#include "src/support/memory.h"

struct pd_attr_table {
    struct pi_attrs attrs;
};

enum pd_code pd_attr_table_new(struct pd_attr_table **table, enum pd_order order,
                               const struct pd_allocator *allocator, struct pd_error *error)
{
    struct pd_attr_table *t = *table = pi_resize(allocator, NULL, sizeof *t);
    if (t == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "attr table", 0, sizeof *t);
    pi_attrs_init(&t->attrs, allocator, order);
    return PD_OK;
}

void pd_attr_table_free(struct pd_attr_table *table)
{
    if (table == NULL)
        return;
    pi_attrs_free(&table->attrs);
    pi_release(table->attrs.allocator, table);
}

enum pd_code pd_attr_table_add(struct pd_attr_table *table, const struct pd_attr *attr, const uint64_t *ids,
                               size_t n_ids, struct pd_error *error)
{
    return pi_attrs_put(&table->attrs, attr, ids, n_ids, error);
}

enum pd_code pd_attr_table_add_id(struct pd_attr_table *table, uint32_t attr, uint64_t id,
                                  struct pd_error *error)
{
    return pi_attrs_put_id(&table->attrs, attr, id, error);
}

void pd_attr_table_resolve(const struct pd_attr_table *table, struct pd_record *rec)
{
    pi_attrs_resolve(&table->attrs, rec);
}

enum pd_code pd_attr_table_decode(const struct pd_attr_table *table, struct pd_record *rec,
                                  struct pd_error *error)
{
    pi_attrs_resolve(&table->attrs, rec);
    return pi_attrs_decode(rec, error);
}
