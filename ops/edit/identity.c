/* SPDX-License-Identifier: MIT */
/* identity.c - schema/identity.def as a table by layout. */
#include "identity.h"
#include "src/support/memory.h"
#include <perfdata/records.h>

struct line {
    const struct pd_op *(*layout)(void);
    const char *field; /* NULL: all of it */
    uint8_t kind;
    uint16_t offset; /* in the struct, so that no line can name a field that is not there */
};

static const struct line lines[] = {
#define IDENTIFIES(layout_, field_, kind_) \
    {pi_layout_##layout_, #field_, PI_ID_##kind_, offsetof(struct pd_##layout_, field_)},
#define WHOLE(layout_, kind_) {pi_layout_##layout_, NULL, PI_ID_##kind_, 0},
#include "src/schema/identity.def"
#include "src/schema/schema.h"
#undef IDENTIFIES
#undef WHOLE
};

static bool has_part(const struct pd_op *op)
{
    return op->sub && op->kind < PI_OP_GIVEN;
}

static size_t length_of(const struct pd_op *head)
{
    size_t n = 1;
    while (head[n].kind != PI_OP_END)
        n++;
    return n + 1;
}

static void fill_kinds(const struct pd_op *head, uint8_t *kinds)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i].layout() != head)
            continue;
        if (lines[i].field == NULL)
            kinds[0] = lines[i].kind;
        for (size_t k = 1; lines[i].field && head[k].kind != PI_OP_END; k++)
            if (head[k].kind < PI_OP_ALIAS && strcmp(head[k].name, lines[i].field) == 0)
                kinds[k] = lines[i].kind;
    }
}

/* The mask of a layout with its parts, which are before it in the schema and have their own masks. */
static uint64_t mask_of(const struct pi_identities *ids, const struct pd_op *head, const uint8_t *kinds)
{
    uint64_t mask = 0;
    for (size_t k = 1; head[k].kind != PI_OP_END; k++) {
        if (head[k].kind >= PI_OP_ALIAS)
            continue;
        mask |= PI_ID_BIT(kinds[k]) | (pi_op_is_string(&head[k]) ? PI_ID_SLOT_BIT : 0);
        if (head[k].kind == PI_OP_ATTR)
            mask |= pi_identities_of(ids, pi_layout_attr())->mask;
        else if (has_part(&head[k]))
            mask |= pi_identities_of(ids, head[k].sub())->mask;
    }
    return mask;
}

static void add(struct pi_identities *ids, const struct pi_identity_layout *layout)
{
    size_t i = pi_identities_place(ids, layout->head);
    for (; ids->slots[i].head; i = (i + 1) & (ids->n_slots - 1))
        ;
    ids->slots[i] = *layout;
}

bool pi_identities_open(struct pi_identities *ids, const struct pd_allocator *allocator)
{
    size_t n_lines = 0;
    *ids = (struct pi_identities){.allocator = allocator, .n_slots = 64};
    while (ids->n_slots < 2 * pi_n_layouts)
        ids->n_slots *= 2;
    for (size_t i = 0; i < pi_n_layouts; i++)
        n_lines += length_of(pi_layouts[i]());
    ids->slots = pi_array(allocator, NULL, ids->n_slots, sizeof *ids->slots);
    ids->kinds = pi_resize(allocator, NULL, n_lines);
    if (ids->slots == NULL || ids->kinds == NULL)
        return false;
    memset(ids->slots, 0, ids->n_slots * sizeof *ids->slots);
    memset(ids->kinds, 0, n_lines);
    uint8_t *kinds = ids->kinds;
    for (size_t i = 0; i < pi_n_layouts; i++) {
        struct pi_identity_layout layout = {.head = pi_layouts[i](), .kinds = kinds};
        fill_kinds(layout.head, kinds);
        layout.mask = mask_of(ids, layout.head, kinds);
        kinds += length_of(layout.head);
        add(ids, &layout);
    }
    return true;
}

void pi_identities_close(struct pi_identities *ids)
{
    pi_release(ids->allocator, ids->slots);
    pi_release(ids->allocator, ids->kinds);
}
