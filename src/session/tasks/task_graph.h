/* SPDX-License-Identifier: MIT */
/*
 * task_graph.h - dependencies between tasks: a task depends on those that it was forked from. Ids are used
 * again, and a file may have its forks in any order, even in circles. Inline, as a call for each edge took
 * half of the work.
 */
#ifndef PERFDATA_TASK_GRAPH_H
#define PERFDATA_TASK_GRAPH_H

#include "src/support/memory.h"

struct pi_task_graph {
    const struct pd_allocator *allocator;
    struct pi_task_node {
        uint32_t edges; /* 1 + its last edge; 0: none */
        uint32_t below; /* while it waits: the one that waits below it */
    } * nodes;
    size_t n, cap;
    struct pi_task_edge {
        uint32_t to;
        uint32_t before; /* 1 + the one before of the same node; 0: none */
    } * edges;
    size_t n_edges, edges_cap;
    uint32_t top; /* of those that wait */
};

#define PI_TASK_NOT_WAITING UINT32_MAX
#define PI_TASK_BOTTOM (UINT32_MAX - 1) /* below the first that waits */

static inline void pi_task_graph_init(struct pi_task_graph *g, const struct pd_allocator *allocator)
{
    *g = (struct pi_task_graph){.allocator = allocator, .top = PI_TASK_BOTTOM};
}

static inline void pi_task_graph_free(struct pi_task_graph *g)
{
    pi_release(g->allocator, g->nodes);
    pi_release(g->allocator, g->edges);
}

/* Begins with this number of nodes, and room for this number of edges. False, here and below: no memory. */
static inline bool pi_task_graph_make(struct pi_task_graph *g, size_t nodes, size_t edges)
{
    g->nodes = nodes < PI_TASK_BOTTOM ? pi_array(g->allocator, NULL, nodes, sizeof *g->nodes) : NULL;
    g->edges = pi_array(g->allocator, NULL, edges, sizeof *g->edges);
    if (g->nodes == NULL || g->edges == NULL)
        return false;
    g->n = g->cap = nodes;
    g->edges_cap = edges;
    for (size_t i = 0; i < nodes; i++)
        g->nodes[i] = (struct pi_task_node){0, PI_TASK_NOT_WAITING};
    return true;
}

/* Adds a node, whose number is how many there were. */
static inline bool pi_task_graph_add(struct pi_task_graph *g)
{
    if (g->n >= PI_TASK_BOTTOM || !pi_grow(g->allocator, (void **)&g->nodes, g->n, &g->cap, sizeof *g->nodes))
        return false;
    g->nodes[g->n++] = (struct pi_task_node){0, PI_TASK_NOT_WAITING};
    return true;
}

/* `from` depends on `to`. */
static inline bool pi_task_graph_connect(struct pi_task_graph *g, uint32_t from, uint32_t to)
{
    if (from == to)
        return true;
    if (g->n_edges >= UINT32_MAX ||
        !pi_grow(g->allocator, (void **)&g->edges, g->n_edges, &g->edges_cap, sizeof *g->edges))
        return false;
    g->edges[g->n_edges++] = (struct pi_task_edge){to, g->nodes[from].edges};
    g->nodes[from].edges = (uint32_t)g->n_edges;
    return true;
}

/* Adds a node to those that wait to pass on their marks. */
static inline void pi_task_graph_wait(struct pi_task_graph *g, uint32_t node)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all nodes have a value */
    if (g->nodes[node].below != PI_TASK_NOT_WAITING)
        return;
    g->nodes[node].below = g->top;
    g->top = node;
}

/*
 * Each waiting node passes its marks on to its dependencies; if that changes them (`pass` tells), they do the
 * same.
 */
static inline void pi_task_graph_spread(struct pi_task_graph *g,
                                        bool (*pass)(void *user, uint32_t from, uint32_t to), void *user)
{
    while (g->top != PI_TASK_BOTTOM) {
        const uint32_t node = g->top;
        g->top = g->nodes[node].below;
        g->nodes[node].below = PI_TASK_NOT_WAITING;
        for (uint32_t at = g->nodes[node].edges; at; at = g->edges[at - 1].before)
            if (pass(user, node, g->edges[at - 1].to))
                pi_task_graph_wait(g, g->edges[at - 1].to);
    }
}

#endif
