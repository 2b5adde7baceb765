/* SPDX-License-Identifier: MIT */
/*
 * tables.c - each line of each layout is what the proof of the decoder by tables takes it to be
 * (docs/PROOF.md): its member has room in the struct, and what it refers to is there.
 */
#include "src/schema/passes/walk.h"
#include "src/schema/schema.h"
#include "cmocka_all.h"
#include <string.h>

static bool is_string(const struct pd_op *op)
{
    return op->kind == PI_OP_STR || (op->kind >= PI_OP_CSTR && op->kind <= PI_OP_SLOT);
}

/* Bytes of the member that a line of this kind writes. */
static size_t member_bytes(const struct pd_op *op)
{
    if (is_string(op))
        return sizeof(struct pd_str);
    switch (op->kind) {
    case PI_OP_ARR: return (size_t)op->arg;
    case PI_OP_BYTES:
    case PI_OP_REST: return sizeof(struct pd_bytes);
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return sizeof(struct pd_vec);
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return sizeof(struct pd_list);
    case PI_OP_SUB:
    case PI_OP_SIZED:
    case PI_OP_ATTR: return op->sub()->offset;
    case PI_OP_GIVEN: return 4;
    case PI_OP_ROOM:
    case PI_OP_ROOMN:
    case PI_OP_ODD64:
    case PI_OP_TEXT:
    case PI_OP_SINCE: return 1;
    case PI_OP_VARINT:
    case PI_OP_UNITS:
    case PI_OP_LOW:
    case PI_OP_LESS:
    case PI_OP_OTHER:
    case PI_OP_ONES: return 8;
    default: return pi_scalar_width(op);
    }
}

static void check_room(const struct pd_op *head, const struct pd_op *op)
{
    const size_t places = op->kind == PI_OP_GRID64 ? (size_t)op->arg + op->count_width : 0;
    assert_true(op->offset + member_bytes(op) <= head->offset);
    assert_true(op->count_offset + op->count_width <= head->offset);
    assert_true(places <= head->offset);
    if (op->kind == PI_OP_REGS)
        assert_true(op->src <= PI_REGS_intr);
}

/* No element of a list is empty, whatever the shape; those of varying size fit where they are read. */
static void check_elements(const struct pd_op *op)
{
    const struct pd_op *first = op->sub() + 1;
    if (op->kind == PI_OP_LIST)
        assert_true(first->kind != PI_OP_OPT64 && (first->kind == PI_OP_ARR || pi_scalar_width(first)));
    assert_true(first->kind != PI_OP_ARR || first->arg > 0);
    assert_true(op->sub()->offset <= PI_ELEMENT_MAX);
}

/* A string that a number is derived from is read before. */
static void check_string_before(const struct pd_op *head, const struct pd_op *op)
{
    const struct pd_op *of = head + 1;
    while (of < op && !(is_string(of) && of->offset == op->count_offset))
        of++;
    assert_true(of < op);
}

static void check_line(const struct pd_op *head, const struct pd_op *op)
{
    assert_true(op->kind != PI_OP_HEAD);
    check_room(head, op);
    switch (op->kind) {
    case PI_OP_ARR:
        if (op->ref) /* a literal, behind which a NUL is */
            assert_true(op->arg <= strnlen(op->ref, (size_t)op->arg) + 1);
        break;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: check_elements(op); break;
    case PI_OP_SINCE: check_string_before(head, op); break;
    case PI_OP_ROOMN:
    case PI_OP_UNITS: assert_true(op->arg > 0); break;
    default: break;
    }
}

static void each_line_is_what_the_proof_takes_it_to_be(void **state)
{
    (void)state;
    assert_true(pi_n_layouts > 0);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i](), *op = head + 1;
        assert_int_equal(head->kind, PI_OP_HEAD);
        for (; op->kind != PI_OP_END; op++)
            check_line(head, op);
    }
}

static void each_condition_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < pi_n_layouts; i++) {
        int depth = 0;
        for (const struct pd_op *op = pi_layouts[i]() + 1; op->kind != PI_OP_END; op++) {
            depth += pi_is_condition(op) - (op->kind == PI_OP_DONE);
            assert_true(depth >= 0);
        }
        assert_int_equal(depth, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_what_the_proof_takes_it_to_be),
        cmocka_unit_test(each_condition_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
