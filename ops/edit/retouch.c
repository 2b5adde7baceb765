/* SPDX-License-Identifier: MIT */
/* retouch.c - changes decoded values by the meaning of their fields, through the schema's tables. */
#include "retouch.h"
#include "src/codec/interpret.h"
#include "src/support/memory.h"
#include "src/reflect/reflect.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/wrap.h"

/* ---- Memory of the value at hand */

enum pd_code pi_retouch_open(struct pi_retouch *t, struct pd_error *error)
{
    t->scratch = pi_resize(t->allocator, NULL, PI_RETOUCH_SCRATCH);
    if (t->scratch == NULL || !pi_identities_open(&t->ids, t->allocator))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "edit", 0, PI_RETOUCH_SCRATCH);
    return PD_OK;
}

/* Frees the blocks that were taken since there were n. */
static void release_to(struct pi_retouch *t, size_t n)
{
    while (t->n_blocks > n)
        pi_release(t->allocator, t->blocks[--t->n_blocks]);
}

void pi_retouch_close(struct pi_retouch *t)
{
    release_to(t, 0);
    pi_release(t->allocator, t->blocks);
    pi_release(t->allocator, t->scratch);
    pi_identities_close(&t->ids);
}

/* A separate block, which can grow. */
static void **new_block(struct pi_retouch *t, size_t n)
{
    if (!pi_grow(t->allocator, (void **)&t->blocks, t->n_blocks, &t->blocks_cap, sizeof *t->blocks))
        return NULL;
    void **block = &t->blocks[t->n_blocks];
    if ((*block = pi_resize(t->allocator, NULL, n)) == NULL)
        return NULL;
    t->n_blocks++;
    return block;
}

void *pi_retouch_memory(struct pi_retouch *t, size_t n)
{
    if (n <= PI_RETOUCH_SCRATCH - t->used) {
        void *p = t->scratch + t->used;
        t->used += (n + 7) & ~(size_t)7;
        t->used = t->used < PI_RETOUCH_SCRATCH ? t->used : PI_RETOUCH_SCRATCH;
        return p;
    }
    void **block = new_block(t, n);
    return block ? *block : NULL;
}

static enum pd_code no_memory(const struct pi_retouch *t, size_t n)
{
    return pi_fail(t->error, PD_ENOMEM, PD_NOWHERE, "edit", 0, n);
}

/* ---- Fields */

/*
 * touch_field and touch_part treat a kind that they do not name as a number or a list, and is_string as no
 * string.
 */
_Static_assert(PI_OP_GIVEN == 33, "a new kind of field: does it fall to the right case?");

static void set_count(const struct pd_op *op, void *v, uint64_t n)
{
    void *p = (uint8_t *)v + op->count_offset;
    switch (op->count_width) {
    case 2: *(uint16_t *)p = (uint16_t)n; break;
    case 4: *(uint32_t *)p = (uint32_t)n; break;
    default: *(uint64_t *)p = n; break;
    }
}

static bool is_touched(const struct pi_retouch *t, unsigned kind)
{
    return t->touched >> kind & 1;
}

/* True if a part, inside a field of the kind `around`, needs changes. */
static bool reaches(const struct pi_retouch *t, const struct pd_op *head, unsigned around)
{
    uint64_t mask = pi_identities_of(&t->ids, head)->mask;
    if (mask & PI_ID_BIT(PI_ID_AROUND))
        mask |= PI_ID_BIT(around);
    return mask & (t->touched | (t->clean ? PI_ID_SLOT_BIT : 0));
}

static enum pd_code touch_number(struct pi_retouch *t, const struct pd_op *op, unsigned kind, void *v)
{
    uint64_t value = pi_scalar_get(op, v);
    const unsigned width = op->kind == PI_OP_VARINT ? 8 : pi_scalar_width(op);
    const enum pd_code code = t->number(t->user, kind, width, &value, t->error);
    pi_scalar_set(op, v, value);
    return code;
}

/*
 * The maximum length of a string in `room` bytes: with room for its NUL, unless the old string has none
 * either.
 */
static size_t most_of(size_t room, size_t len)
{
    return len < room ? room - 1 : room;
}

/* An array holds a string, an id, or padding. */
static enum pd_code touch_array(struct pi_retouch *t, const struct pd_op *op, unsigned kind, uint8_t *p)
{
    const size_t n = (size_t)op->arg;
    const bool text = kind == PI_ID_SYMBOL || kind == PI_ID_EVENT;
    struct pd_bytes b = {p, text ? strnlen((const char *)p, n) : n};
    const enum pd_code code = text ? t->string(t->user, kind, &b, most_of(n, b.n), t->error)
                                   : t->bytes(t->user, kind, &b, t->error);
    if (code)
        return code;
    b.n = b.n < n ? b.n : n;
    memmove(p, b.ptr, b.n);
    memset(p + b.n, 0, n - b.n);
    return PD_OK;
}

static enum pd_code set_slot(struct pi_retouch *t, struct pd_str *s, size_t size)
{
    char *p = pi_retouch_memory(t, size);
    if (p == NULL)
        return no_memory(t, size);
    memcpy(p, s->ptr, s->len);
    memset(p + s->len, 0, size - s->len);
    *s = (struct pd_str){p, s->len, size};
    return PD_OK;
}

/*
 * A slot that takes all remaining bytes keeps its size if possible, since readers derive the following fields
 * from it.
 */
static enum pd_code keep_slot(struct pi_retouch *t, const struct pd_op *op, struct pd_str *s, size_t size)
{
    if (s->len >= size)
        size = pi_slot_of(op, s->len) < op->arg ? ((s->len + 8) & ~(size_t)7) : (size_t)op->arg;
    return set_slot(t, s, size);
}

/* A name at the end that does not end at a multiple of 8: the record's size tells what follows it. */
PI_WRAPS static enum pd_code keep_remainder(struct pi_retouch *t, struct pd_str *s, size_t size)
{
    const size_t least = s->len + 1;
    return set_slot(t, s, least + ((size - least) & 7));
}

static enum pd_code touch_str(struct pi_retouch *t, const struct pd_op *op, unsigned kind, void *v)
{
    struct pd_str *s = (void *)((uint8_t *)v + op->offset);
    const bool sized = op->kind == PI_OP_STRN || op->kind == PI_OP_STRMAX;
    const size_t slot = s->size;
    struct pd_bytes text = {(const uint8_t *)s->ptr, s->len};
    if (slot == 0)
        return PD_OK;
    const size_t most = sized ? most_of((size_t)op->arg, s->len) : SIZE_MAX;
    const enum pd_code code = is_touched(t, kind) ? t->string(t->user, kind, &text, most, t->error) : PD_OK;
    if (code || (!t->clean && (const char *)text.ptr == s->ptr && text.n == s->len))
        return code;
    *s = (struct pd_str){(const char *)text.ptr, text.n, PD_AUTO};
    if (op->kind == PI_OP_SLOT) {
        set_count(op, v, s->len);
        s->size = s->len ? PD_AUTO : 0;
    }
    if (op->kind == PI_OP_STR && slot % 8)
        return keep_remainder(t, s, slot);
    return op->kind == PI_OP_STRMAX ? keep_slot(t, op, s, slot) : PD_OK;
}

static enum pd_code touch_vec(struct pi_retouch *t, unsigned kind, struct pd_vec *vec)
{
    if (vec->n == 0)
        return PD_OK;
    uint64_t *numbers = pi_retouch_memory(t, vec->n * sizeof *numbers);
    enum pd_code code = numbers ? PD_OK : no_memory(t, vec->n * sizeof *numbers);
    for (size_t i = 0; !code && i < vec->n; i++) {
        numbers[i] = pd_vec_at(vec, i);
        code = t->number(t->user, kind, vec->width, &numbers[i], t->error);
    }
    if (!code)
        *vec = PD_VEC64(numbers, vec->n);
    return code;
}

static enum pd_code touch_bytes(struct pi_retouch *t, const struct pd_op *op, unsigned kind, void *v)
{
    struct pd_bytes *b = (void *)((uint8_t *)v + op->offset);
    const enum pd_code code = t->bytes(t->user, kind, b, t->error);
    if (!code && op->kind == PI_OP_BYTES)
        set_count(op, v, b->n);
    return code;
}

/* ---- Parts */

static enum pd_code touch_layout(struct pi_retouch *t, const struct pd_op *head, const struct pd_shape *shape,
                                 void *v, unsigned around);

static enum pd_code size_of(const struct pi_retouch *t, const struct pd_op *head,
                            const struct pd_shape *shape, const void *v, size_t *n)
{
    static const struct pd_bytes none;
    return pi_interpret_put_section(head, shape, PD_LITTLE, v, &none, NULL, 0, n, t->error);
}

/* A part of stated size: it changes by as much as its content. */
static enum pd_code touch_sized(struct pi_retouch *t, const struct pd_op *op, const struct pd_shape *shape,
                                void *v, unsigned around)
{
    void *member = (uint8_t *)v + op->offset;
    size_t before, after;
    if (op->sub() == pi_layout_attr())
        return t->attr(t->user, member, t->error);
    enum pd_code code = size_of(t, op->sub(), shape, member, &before);
    if (!code)
        code = touch_layout(t, op->sub(), shape, member, around);
    if (!code)
        code = size_of(t, op->sub(), shape, member, &after);
    if (!code)
        set_count(op, v, pi_count(op, shape, v) + after - before);
    return code;
}

/* The elements of a list as bytes, in the byte order and form that they had. */
struct elements {
    void **block;
    size_t n, cap;
};

static enum pd_code put_element(struct pi_retouch *t, struct elements *out, const struct pd_op *head,
                                const struct pd_shape *shape, enum pd_order order, const void *v)
{
    static const struct pd_bytes none;
    size_t n, cap = out->cap;
    enum pd_code code = size_of(t, head, shape, v, &n);
    if (code)
        return code;
    while (cap - out->n < n)
        cap *= 2;
    if (cap != out->cap) {
        void *more = pi_resize(t->allocator, *out->block, cap);
        if (more == NULL)
            return no_memory(t, cap);
        *out->block = more;
        out->cap = cap;
    }
    code = pi_interpret_put_section(head, shape, order, v, &none, (uint8_t *)*out->block + out->n, n, &n,
                                    t->error);
    out->n += n;
    return code;
}

static enum pd_code touch_list(struct pi_retouch *t, const struct pd_op *op, struct pd_list *list,
                               unsigned around)
{
    _Alignas(8) uint8_t element[PI_ELEMENT_MAX];
    const struct pd_op *head = op->sub();
    const struct pd_shape shape = {.read_format = list->when, .given = list->when, .variant = list->variant};
    struct pd_list l = *list;
    struct elements out = {.cap = 256};
    enum pd_code code = PD_OK;
    if (list->n == 0 || list->form == PD_FORM_STRUCT)
        return PD_OK;
    void **block = new_block(t, out.cap);
    if (block == NULL)
        return no_memory(t, out.cap);
    const size_t index = t->n_blocks - 1, mark = t->n_blocks;
    while (!code && pi_list_take(&l, head, element)) {
        const size_t used = t->used;
        code = touch_layout(t, head, &shape, element, around);
        out.block = &t->blocks[index]; /* the blocks may have moved */
        if (!code)
            code = put_element(t, &out, head, &shape, (enum pd_order)list->form, element);
        release_to(t, mark);
        t->used = used;
    }
    if (!code && (l.n || out.n > UINT32_MAX))
        code = pi_fail(t->error, PD_ELIMIT, PD_NOWHERE, op->name, out.n, UINT32_MAX);
    list->ptr = t->blocks[index];
    if (list->varying)
        list->stride = (uint32_t)out.n;
    return code;
}

static enum pd_code touch_part(struct pi_retouch *t, const struct pd_op *op, const struct pd_shape *shape,
                               void *v, unsigned around)
{
    void *member = (uint8_t *)v + op->offset;
    switch (op->kind) {
    case PI_OP_ATTR: return t->attr(t->user, member, t->error);
    case PI_OP_SUB: return touch_layout(t, op->sub(), shape, member, around);
    case PI_OP_SIZED: return touch_sized(t, op, shape, v, around);
    default:
        return touch_list(t, op, member, around); /* that of a message is encoded with what its fields take */
    }
}

static enum pd_code touch_field(struct pi_retouch *t, const struct pd_op *op, unsigned kind,
                                const struct pd_shape *shape, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    const bool touched = is_touched(t, kind);
    switch (op->kind) {
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return touched || t->clean ? touch_str(t, op, kind, v) : PD_OK;
    case PI_OP_ARR: return touched ? touch_array(t, op, kind, member) : PD_OK;
    case PI_OP_BYTES:
    case PI_OP_REST: return touched ? touch_bytes(t, op, kind, v) : PD_OK;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return touched ? touch_vec(t, kind, member) : PD_OK;
    case PI_OP_OPT64: return touched && pi_count(op, shape, v) ? touch_number(t, op, kind, v) : PD_OK;
    default: return touched ? touch_number(t, op, kind, v) : PD_OK;
    }
}

/* Tells the path of a layout with a build id. */
static void tell_file(struct pi_retouch *t, const struct pd_op *head, const uint8_t *kinds, const void *v)
{
    struct pd_bytes path = {0};
    bool has_id = false;
    for (size_t k = 1; head[k].kind != PI_OP_END; k++) {
        const struct pd_str *s = (const void *)((const uint8_t *)v + head[k].offset);
        has_id |= kinds[k] == PI_ID_BUILD_ID;
        if (kinds[k] == PI_ID_PATH && pi_op_is_string(&head[k]))
            path = (struct pd_bytes){(const uint8_t *)s->ptr, s->len};
    }
    if (has_id)
        t->file(t->user, &path);
}

/* ---- Layouts */

/* A field of the layout; it may be that nothing in it is to be changed. */
static struct pi_retouch_step step_of(const uint8_t *kinds, const struct pd_op *head, const struct pd_op *op,
                                      unsigned around)
{
    const unsigned said = kinds[op - head];
    return (struct pi_retouch_step){op, (uint8_t)(said == PI_ID_AROUND ? around : said),
                                    (uint8_t)(said > PI_ID_AROUND ? said : around)};
}

static enum pd_code take_step(struct pi_retouch *t, const struct pi_retouch_step *step,
                              const struct pd_shape *s, void *v)
{
    const struct pd_op *op = step->op;
    enum pd_code code = PD_OK;
    if (op->sub == NULL)
        code = touch_field(t, op, step->kind, s, v);
    else if (reaches(t, op->sub(), step->below))
        code = touch_part(t, op, s, v, step->below);
    if (code && t->error && t->error->field == NULL)
        t->error->field = op->name;
    return code;
}

/* False: nothing in this field can change, whatever its value. */
static bool may_change(const struct pi_retouch *t, const struct pi_retouch_step *step)
{
    return step->op->sub ? reaches(t, step->op->sub(), step->below)
                         : is_touched(t, step->kind) || (t->clean && pi_op_is_string(step->op));
}

unsigned pi_retouch_kind(const struct pi_retouch *t, const struct pd_op *head, const struct pd_op *op)
{
    const struct pi_retouch_step step = step_of(pi_identities_of(&t->ids, head)->kinds, head, op, PI_ID_NONE);
    if (!may_change(t, &step))
        return PI_ID_NONE;
    return op->sub ? PI_ID_AROUND : step.kind;
}

static bool is_walk(const struct pi_retouch_walk *w, const struct pd_op *head, const struct pd_shape *s,
                    unsigned around)
{
    return w->head == head && w->sample_type == s->sample_type && w->read_format == s->read_format &&
           w->branch_sample_type == s->branch_sample_type && w->misc == s->misc && w->variant == s->variant &&
           w->around == around;
}

static void fill_walk(const struct pi_retouch *t, struct pi_retouch_walk *w, const struct pd_op *head,
                      const struct pd_shape *s, unsigned around)
{
    const struct pi_identity_layout *layout = pi_identities_of(&t->ids, head);
    *w = (struct pi_retouch_walk){.head = head,
                                  .sample_type = s->sample_type,
                                  .read_format = s->read_format,
                                  .branch_sample_type = s->branch_sample_type,
                                  .misc = s->misc,
                                  .variant = s->variant,
                                  .around = (uint8_t)around};
    w->usable = !(t->file && layout->mask & PI_ID_BIT(PI_ID_BUILD_ID));
    for (const struct pd_op *op = head + 1; w->usable && op->kind != PI_OP_END; op++)
        w->usable = !pi_is_field_test(op) && op->kind != PI_OP_PASS;
    for (const struct pd_op *op = pi_present(head, s, NULL); w->usable && op->kind != PI_OP_END;
         op = pi_present(op + 1, s, NULL)) {
        const struct pi_retouch_step step = step_of(layout->kinds, head, op, around);
        if (op->kind >= PI_OP_GIVEN || !may_change(t, &step))
            continue;
        w->usable = w->n < PI_RETOUCH_STEPS;
        if (w->usable)
            w->steps[w->n++] = step;
    }
}

/* The steps through a layout, if its shape decides about them; else NULL. */
static const struct pi_retouch_walk *find_walk(struct pi_retouch *t, const struct pd_op *head,
                                               const struct pd_shape *s, unsigned around)
{
    struct pi_retouch_walk *w =
        &t->walks[((uintptr_t)head / 64 + s->sample_type + s->misc + around) % PI_RETOUCH_WALKS];
    if (!is_walk(w, head, s, around))
        fill_walk(t, w, head, s, around);
    return w->usable ? w : NULL;
}

static enum pd_code touch_all(struct pi_retouch *t, const struct pd_op *head, const struct pd_shape *shape,
                              void *v, unsigned around)
{
    const struct pi_identity_layout *layout = pi_identities_of(&t->ids, head);
    struct pd_shape s = *shape;
    enum pd_code code = PD_OK;
    if (t->file && layout->mask & PI_ID_BIT(PI_ID_BUILD_ID))
        tell_file(t, head, layout->kinds, v);
    for (const struct pd_op *op = pi_present(head, &s, v); !code && op->kind != PI_OP_END;
         op = pi_present(op + 1, &s, v)) {
        const struct pi_retouch_step step = step_of(layout->kinds, head, op, around);
        if (op->kind == PI_OP_PASS)
            s.given = (uint32_t)pi_count(op, &s, v);
        if (op->kind < PI_OP_GIVEN)
            code = take_step(t, &step, &s, v);
    }
    return code;
}

static enum pd_code touch_layout(struct pi_retouch *t, const struct pd_op *head, const struct pd_shape *shape,
                                 void *v, unsigned around)
{
    const struct pi_retouch_walk *found = find_walk(t, head, shape, around);
    if (found == NULL)
        return touch_all(t, head, shape, v, around);
    enum pd_code code = PD_OK;
    const struct pi_retouch_walk w = *found; /* parts of it may replace it */
    for (size_t i = 0; !code && i < w.n; i++)
        code = take_step(t, &w.steps[i], shape, v);
    return code;
}

enum pd_code pi_retouch_value(struct pi_retouch *t, const struct pd_op *layout, const struct pd_shape *shape,
                              void *value, bool more, struct pd_error *error)
{
    t->error = error;
    if (!more) {
        release_to(t, 0);
        t->used = 0;
    }
    return reaches(t, layout, PI_ID_NONE) ? touch_layout(t, layout, shape, value, PI_ID_NONE) : PD_OK;
}
