/* SPDX-License-Identifier: MIT */
/* expression.c - reads an expression over fields: operators by recursive descent, with a stated depth. */
#include "expression.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/text_scan.h"
#include <string.h>

struct parser {
    struct pd_expression *x;
    const char *at;
    unsigned depth;
    enum pd_code code;
    struct pd_expression_error *wrong;
};

/* ---- Words */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '[' || c == ']';
}

static void skip_spaces(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
        p->at++;
}

static uint32_t fail(struct parser *p, size_t n, const char *what)
{
    if (p->code == PD_OK) {
        p->code = PD_EARG;
        *p->wrong = (struct pd_expression_error){(size_t)(p->at - p->x->text), n, what};
    }
    return 0;
}

static bool take(struct parser *p, const char *token)
{
    skip_spaces(p);
    if (strncmp(p->at, token, strlen(token)) != 0)
        return false;
    p->at += strlen(token);
    return true;
}

/* A copy of n characters, with a NUL: there is room for all of the text twice. */
static const char *keep_piece(struct pd_expression *x, const char *text, size_t n)
{
    char *piece = x->pieces + x->n_pieces;
    memcpy(piece, text, n);
    piece[n] = 0;
    x->n_pieces += n + 1;
    return piece;
}

/* ---- The tree */

static uint32_t add_node(struct parser *p, const struct pi_expression_node *node)
{
    struct pd_expression *x = p->x;
    if (!pi_grow(x->allocator, (void **)&x->nodes, x->n, &x->cap, sizeof *x->nodes)) {
        p->code = PD_ENOMEM;
        return 0;
    }
    x->nodes[x->n] = *node;
    return (uint32_t)x->n++;
}

static bool take_comparison(struct parser *p, enum pi_compare *compare)
{
    static const struct {
        const char *text;
        enum pi_compare compare;
    } all[] = {{"==", PI_IS},  {"!=", PI_IS_NOT}, {"<=", PI_LESS_OR_IS}, {">=", PI_MORE_OR_IS},
               {"<", PI_LESS}, {">", PI_MORE},    {"~", PI_IS_LIKE},     {"=", PI_IS}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (take(p, all[i].text)) {
            *compare = all[i].compare;
            return true;
        }
    *compare = PI_HAS_BITS;
    skip_spaces(p);
    return p->at[0] == '&' && p->at[1] != '&' && take(p, "&");
}

/* Reads decimal, 0x… or 0…; false: it is no number, or needs more than 64 bits. */
static bool read_number(const char *s, uint64_t *number)
{
    const unsigned base = *s != '0' || s[1] == 0 ? 10 : s[1] == 'x' || s[1] == 'X' ? 16 : 8;
    s += base == 16 ? 2 : 0;
    if (*s == 0)
        return false;
    for (*number = 0; *s; s++) {
        const unsigned digit = pi_digit(*s);
        if (digit >= base || __builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, digit, number))
            return false;
    }
    return true;
}

static bool take_text(struct parser *p, struct pi_expression_node *node)
{
    const char quote = *p->at;
    const char *end = strchr(p->at + 1, quote);
    if (end == NULL)
        return fail(p, strlen(p->at), "the quote has no end"), false;
    node->quoted = true;
    node->text = keep_piece(p->x, p->at + 1, (size_t)(end - p->at) - 1);
    p->at = end + 1;
    return true;
}

static bool take_value(struct parser *p, struct pi_expression_node *node)
{
    size_t n = 0;
    skip_spaces(p);
    node->value_at = (size_t)(p->at - p->x->text);
    if (*p->at == '"' || *p->at == '\'') {
        if (!take_text(p, node))
            return false;
    } else {
        node->negative = *p->at == '-';
        while (is_word(p->at[node->negative + n]) || strchr("*?/:-", p->at[node->negative + n] ?: '!'))
            n++;
        if (n == 0)
            return fail(p, *p->at != 0, "a value is missing"), false;
        node->is_number = read_number(keep_piece(p->x, p->at + node->negative, n), &node->number);
        node->text = keep_piece(p->x, p->at, n + node->negative);
        p->at += n + node->negative;
    }
    node->value_n = (size_t)(p->at - p->x->text) - node->value_at;
    return true;
}

/* FIELD COMPARISON VALUE */
static uint32_t take_test(struct parser *p)
{
    struct pi_expression_node node = {.op = PI_TEST};
    size_t n = 0;
    skip_spaces(p);
    while (is_word(p->at[n]))
        n++;
    if (n == 0 || (*p->at >= '0' && *p->at <= '9'))
        return fail(p, n ? n : *p->at != 0, "a field is missing");
    node.at = (size_t)(p->at - p->x->text);
    node.n = n;
    node.name = keep_piece(p->x, p->at, n);
    p->at += n;
    if (!take_comparison(p, &node.compare))
        return fail(p, *p->at != 0, "==, !=, <, <=, >, >=, & or ~ is missing");
    if (!take_value(p, &node))
        return 0;
    return add_node(p, &node);
}

static uint32_t take_or(struct parser *p);

static uint32_t take_not(struct parser *p)
{
    uint32_t node;
    if (p->code)
        return 0;
    if (p->depth++ > PI_LIMIT_EXPRESSION_DEPTH) {
        p->code = PD_ELIMIT;
        return 0;
    }
    if (take(p, "!")) {
        node = take_not(p);
        node = add_node(p, &(struct pi_expression_node){.op = PI_NOT, .left = node});
    } else if (take(p, "(")) {
        node = take_or(p);
        if (!take(p, ")"))
            fail(p, *p->at != 0, "&&, || or ) is missing");
    } else {
        node = take_test(p);
    }
    p->depth--;
    return node;
}

static uint32_t take_and(struct parser *p)
{
    uint32_t node = take_not(p);
    while (!p->code && take(p, "&&")) {
        const uint32_t right = take_not(p);
        node = add_node(p, &(struct pi_expression_node){.op = PI_AND, .left = node, .right = right});
    }
    return node;
}

static uint32_t take_or(struct parser *p)
{
    uint32_t node = take_and(p);
    while (!p->code && take(p, "||")) {
        const uint32_t right = take_and(p);
        node = add_node(p, &(struct pi_expression_node){.op = PI_OR, .left = node, .right = right});
    }
    return node;
}

enum pd_code pd_expression_new(struct pd_expression **out, const char *text,
                               const struct pd_allocator *allocator, struct pd_expression_error *wrong)
{
    const size_t n = strlen(text);
    struct pd_expression *x = n <= PI_LIMIT_EXPRESSION ? pi_resize(allocator, NULL, sizeof *x) : NULL;
    if (x == NULL)
        return n <= PI_LIMIT_EXPRESSION ? PD_ENOMEM : PD_ELIMIT;
    *x = (struct pd_expression){.allocator = allocator};
    x->text = pi_resize(allocator, NULL, n + 1);
    x->pieces = pi_array(allocator, NULL, n + 1, 4); /* each character twice, and a NUL for each */
    struct parser p = {
        .x = x, .at = x->text, .code = x->text && x->pieces ? PD_OK : PD_ENOMEM, .wrong = wrong};
    if (!p.code) {
        memcpy(x->text, text, n + 1);
        x->root = take_or(&p);
        skip_spaces(&p);
        if (*p.at)
            fail(&p, 1, "&&, || or the end is missing");
    }
    if (p.code)
        pd_expression_free(x);
    else
        *out = x;
    return p.code;
}

void pd_expression_free(struct pd_expression *x)
{
    if (x == NULL)
        return;
    for (size_t i = 0; i < x->n; i++)
        pi_release(x->allocator, x->nodes[i].places);
    pi_release(x->allocator, x->nodes);
    pi_release(x->allocator, x->text);
    pi_release(x->allocator, x->pieces);
    pi_release(x->allocator, x);
}
