/* SPDX-License-Identifier: MIT */
/* conditions.c - conditions on the fields of samples: expressions, and ranges of addresses. */
#include "selection.h"
#include "cli/lib/cli.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Prints what is wrong in an expression, and where. */
static bool fail_condition(struct cli *cli, const char *option, const char *text,
                           const struct pd_expression_error *wrong)
{
    char marks[64];
    const size_t n = wrong->n < 1 ? 1 : wrong->n >= sizeof marks ? sizeof marks - 1 : wrong->n;
    memset(marks, '^', n);
    marks[n] = 0;
    cli_fail(cli, CLI_USAGE, "%s: %s", option, wrong->what);
    cli_fail(cli, CLI_USAGE, "  %s", text);
    cli_fail(cli, CLI_USAGE, "  %*s%s", (int)wrong->at, "", marks);
    return false;
}

bool cli_take_condition(struct cli_selection *s, const char *option, const char *text)
{
    struct cli_condition condition = {.option = option, .text = cli_own_text(s, text)};
    struct pd_expression_error wrong = {0, strlen(text), "is too long, or too deep"};
    if (condition.text == NULL)
        return false;
    const enum pd_code code = pd_expression_new(&condition.expression, text, &cli_allocator, &wrong);
    if (code == PD_ENOMEM)
        return cli_no_list(s->cli);
    if (code)
        return fail_condition(s->cli, option, text, &wrong);
    if (CLI_ADD(s->cli, s->conditions, s->n_conditions, condition))
        return true;
    pd_expression_free(condition.expression);
    return false;
}

/* "FIRST-LAST" or one address, up to a comma or the end. */
static bool take_range(const char **p, uint64_t *first, uint64_t *last)
{
    char word[64];
    const size_t n = strcspn(*p, ",");
    if (n >= sizeof word)
        return false;
    memcpy(word, *p, n);
    word[n] = 0;
    *p += n;
    char *dash = strchr(word, '-');
    if (dash)
        *dash = 0;
    return cli_number(word, first) && cli_number(dash ? dash + 1 : word, last) && *first <= *last;
}

bool cli_take_ranges(struct cli_selection *s, const char *option, const char *field, const char *ranges)
{
    char text[PI_LIMIT_EXPRESSION + 1];
    struct pd_out out = {.buf = text, .cap = sizeof text - 1};
    uint64_t first, last;
    for (const char *p = ranges;; p++) {
        if (!take_range(&p, &first, &last)) {
            cli_fail(s->cli, CLI_USAGE, "%s: \"%s\" is not like 0x401000-0x402000,0x405010", option, ranges);
            return false;
        }
        cli_print_to(&out, "%s%s >= 0x%" PRIx64 " && %s <= 0x%" PRIx64, out.n ? " || " : "", field, first,
                     field, last);
        if (*p == 0)
            break;
    }
    text[out.n] = 0;
    if (out.lost == 0)
        return cli_take_condition(s, option, text);
    cli_fail(s->cli, CLI_USAGE, "%s: too many ranges", option);
    return false;
}

bool cli_check_conditions(struct cli_selection *s, struct cli_input *in)
{
    struct pd_expression_error wrong;
    s->tracepoints = in->meta && s->n_conditions ? pd_metadata_tracepoints(in->meta) : NULL;
    for (size_t i = 0; i < s->n_conditions; i++) {
        const struct cli_condition *c = &s->conditions[i];
        if (!pd_expression_check(c->expression, in->reader, s->tracepoints, &wrong))
            return fail_condition(s->cli, c->option, c->text, &wrong);
    }
    return true;
}

bool cli_selection_meets(struct cli_selection *s, struct pd_record *rec)
{
    for (size_t i = 0; i < s->n_conditions; i++)
        if (!pd_expression_meets(s->conditions[i].expression, s->tracepoints, rec))
            return false;
    return true;
}
