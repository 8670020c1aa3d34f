/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pairs of samples: the neighbour graph, edges between equal labels, the user's own graph, and
 * lists of links. All become sparse matrices over the solver's rows (groups, where codes are
 * tied: A' S A). O(p n) entries, or what the user gives.
 *
 * mathematics.md, section 5. Links from labels are not among them: as all pairs of labelled
 * samples they would take O(n^2), and term_links.c sums them by class instead. Label edges do
 * take a pair for every two labelled samples of a class, since they join the neighbours in one
 * graph. Everything is built over samples first and mapped to rows at the end, so that files
 * and labels are read alike whether codes are tied or not. */
#include "factor/given.h"
#include "factor/problem.h"

#include "matrix/neighbours.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>

/* Entries over own rows from entries over own samples (by all samples). Those of one position are
 * summed, which is A' S A. Pairs within a group come to stand on the diagonal, where they cost a graph
 * nothing: a group has one code. */
static tsr_status over_rows(tsr_matrix **out, const tsr__problem *p, const tsr__spec *spec,
                            const tsr_matrix *pairs)
{
    tsr_status status = TSR_OK;
    int64_t *row = NULL, *column = NULL, count = 0;
    double *value = NULL;
    tsr__pair *list = NULL;
    TSR_NEW(list, tsr_matrix_stored(pairs));
    for (int64_t i = 0; i < pairs->samples; i++)
        for (int64_t at = pairs->rows[i]; at < pairs->rows[i + 1]; at++)
            list[count++] = (tsr__pair){p->row_of[p->share.first + i],
                                        p->row_of[pairs->columns[at]], p->share.first + i,
                                        tsr__value_at(pairs->values, pairs->type, at), 0};
    TSR_TRY(tsr__pairs_home(&list, &count, &p->rows));
    TSR_NEW(row, count);
    TSR_NEW(column, count);
    TSR_NEW(value, count);
    for (int64_t e = 0; e < count; e++)
        row[e] = list[e].row - p->rows.first, column[e] = list[e].column,
        value[e] = list[e].value;
    TSR_TRY(tsr_matrix_create_sparse(out, p->n, p->rows.whole, count, row, column, value,
                                     spec->type));
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    tsr__free(list);
    return status;
}

/* In doubles whatever the type: degrees are sums over many edges, and the curvature of
 * bounds. */
static tsr_status row_sums(double **out, const tsr_matrix *pairs)
{
    tsr_status status = TSR_OK;
    TSR_NEW_ZERO(*out, pairs->samples);
    for (int64_t i = 0; i < pairs->samples; i++)
        for (int64_t at = pairs->rows[i]; at < pairs->rows[i + 1]; at++)
            (*out)[i] += tsr__value_at(pairs->values, pairs->type, at);
done:
    return status;
}

/* Neighbour edges, except between different labels; every pair of one label has weight `edge`.
 */
static tsr_status with_labels(tsr_matrix **graph, const tsr__problem *p, double edge)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *g = *graph;
    int64_t *row = NULL, *column = NULL, count = 0, room = 0, column_room = 0, value_room = 0;
    double *value = NULL;
    tsr_matrix *joined = NULL;
    for (int64_t i = 0; i < g->samples; i++) {
        const int64_t own = p->share.first + i;
        for (int64_t at = g->rows[i]; at < g->rows[i + 1]; at++) {
            const int64_t j = g->columns[at];
            if (p->classes.seen[own] >= 0 && p->classes.seen[j] >= 0)
                continue; /* labels decide: the same gets `edge` below, different gets none */
            TSR_GROW(row, count, room);
            TSR_GROW(column, count, column_room);
            TSR_GROW(value, count, value_room);
            row[count] = i, column[count] = j;
            value[count++] = tsr__value_at(g->values, g->type, at);
        }
        for (int64_t j = 0; p->classes.seen[own] >= 0 && j < p->samples; j++) {
            if (j == own || p->classes.seen[j] != p->classes.seen[own])
                continue;
            TSR_GROW(row, count, room);
            TSR_GROW(column, count, column_room);
            TSR_GROW(value, count, value_room);
            row[count] = i, column[count] = j, value[count++] = edge;
        }
    }
    TSR_TRY(tsr_matrix_create_sparse(&joined, g->samples, p->samples, count, row, column, value,
                                     TSR_FLOAT64));
    tsr_matrix_free(*graph);
    *graph = joined;
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    return status;
}

/* The user's graph, of a file or in memory: square, symmetric, finite, non-negative. Symmetric to
 * the last bit, since gradients use S G for S' G. A search a stored entry; it is made sparse
 * whatever it was. */
static tsr_status take_graph(tsr_matrix **out, const tsr__problem *p, const tsr_fit_options *o)
{
    tsr_status status = TSR_OK;
    tsr__given given = {0};
    tsr_matrix *graph = NULL, *own = NULL;
    TSR_TRY(tsr__given_open(&given, o->graph_file, o->graph_matrix, "graph-matrix"));
    const tsr_matrix *x = given.x;
    if (x->samples != p->samples || x->features != p->samples)
        TSR_FAIL(TSR_ERROR_DATA, "%s: a graph of %lld samples is not %lld x %lld",
                 given.subject, (long long)p->samples, (long long)x->samples,
                 (long long)x->features);
    TSR_TRY(tsr_matrix_check(x, TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE, given.subject));
    TSR_TRY(tsr_matrix_copy_as(&graph, x, TSR_FLOAT64, true));
    for (int64_t i = 0; i < graph->samples; i++)
        for (int64_t at = graph->rows[i]; at < graph->rows[i + 1]; at++) {
            const int64_t j = graph->columns[at];
            if (tsr_matrix_at(graph, j, i) != ((const double *)graph->values)[at])
                TSR_FAIL(TSR_ERROR_DATA, "%s: is not symmetric at (%lld, %lld)", given.subject,
                         (long long)i, (long long)j);
        }
    TSR_TRY(tsr__matrix_slice(&own, graph, p->share.first, p->share.count));
    TSR_TRY(tsr__matrix_load(out, own, 1));
done:
    tsr__given_close(&given);
    tsr_matrix_free(own);
    tsr_matrix_free(graph);
    return status;
}

/* Neighbours are those of the samples as prepared: normalised, missing values as zeros. The
 * graph is the same for any number of threads, ties going to the smaller index. */
static tsr_status make_graph(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    tsr_matrix *graph = NULL;
    if (o->graph_file != NULL || o->graph_matrix != NULL) {
        TSR_TRY(take_graph(&graph, p, o));
    } else {
        TSR_TRY(tsr__matrix_need(p->held.x, "the search for neighbours (--graph-file takes a "
                                            "graph that is there)"));
        TSR_TRY(p->streams ? tsr__ring_graph(&graph, p->held.x, &p->share, o)
                           : tsr__neighbour_graph(&graph, p->held.x, o->neighbours,
                                                  (tsr__edge_weight)o->graph_weight, o->heat,
                                                  (int)o->threads));
    }
    if (spec->weights.of[TSR_WEIGHT_LABEL_EDGE] > 0)
        TSR_TRY(with_labels(&graph, p, spec->weights.of[TSR_WEIGHT_LABEL_EDGE]));
    TSR_TRY(over_rows(&p->pairs.graph, p, spec, graph));
    double entries = (double)tsr_matrix_stored(p->pairs.graph);
    TSR_TRY(tsr__team_sum(tsr__problem_team(p), &entries, 1));
    p->pairs.entries = (int64_t)entries;
    TSR_TRY(row_sums(&p->pairs.graph_degree, p->pairs.graph));
done:
    tsr_matrix_free(graph);
    return status;
}

/* A list of links has three columns: i, j, weight. Checked as doubles, as they were read: a
 * number that is no index must not be cast to one. */
static tsr_status check_link(const tsr__problem *p, const char *path, int64_t line, double i,
                             double j, double weight)
{
    if (!(i >= 0) || !(j >= 0) || i >= (double)p->samples || j >= (double)p->samples ||
        i != floor(i) || j != floor(j))
        return tsr__fail(TSR_ERROR_DATA, "%s: link %lld joins samples %g and %g of 0 .. %lld",
                         path, (long long)line, i, j, (long long)(p->samples - 1));
    if (i == j)
        return tsr__fail(TSR_ERROR_DATA, "%s: link %lld joins sample %g with itself", path,
                         (long long)line, i);
    if (!isfinite(weight))
        return tsr__fail(TSR_ERROR_DATA, "%s: link %lld has weight %g", path, (long long)line,
                         weight);
    return TSR_OK;
}

/* The pairs of one sign as a symmetric matrix over samples, then over rows. A link stands in
 * the file once and in the matrix twice, as C_ij = C_ji. Signs are kept apart because the two
 * halves of a gradient are (mathematics.md, section 3). */
static tsr_status links_of_sign(tsr_matrix **out, const tsr__problem *p, const tsr__spec *spec,
                                const tsr_matrix *list, double sign)
{
    tsr_status status = TSR_OK;
    int64_t *row = NULL, *column = NULL, count = 0;
    double *value = NULL;
    tsr_matrix *pairs = NULL;
    TSR_NEW(row, 2 * list->samples);
    TSR_NEW(column, 2 * list->samples);
    TSR_NEW(value, 2 * list->samples);
    for (int64_t e = 0; e < 2 * list->samples; e++) {
        const double weight = sign * tsr_matrix_at(list, e / 2, 2);
        const int64_t one = (int64_t)tsr_matrix_at(list, e / 2, e % 2) - p->share.first;
        if (weight <= 0 || one < 0 || one >= p->share.count)
            continue;
        row[count] = one;
        column[count] = (int64_t)tsr_matrix_at(list, e / 2, 1 - e % 2);
        value[count++] = weight;
    }
    TSR_TRY(tsr_matrix_create_sparse(&pairs, p->share.count, p->samples, count, row, column,
                                     value, TSR_FLOAT64));
    TSR_TRY(over_rows(out, p, spec, pairs));
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    tsr_matrix_free(pairs);
    return status;
}

/* Over rows that are samples: with tied codes rows are groups, in which links of both signs may
 * meet without contradicting each other. */
static tsr_status check_contradictions(const tsr__problem *p, const char *path)
{
    for (int64_t i = 0; i < p->pairs.attract->samples; i++)
        for (int64_t at = p->pairs.attract->rows[i]; at < p->pairs.attract->rows[i + 1]; at++)
            if (tsr_matrix_at(p->pairs.repel, i, p->pairs.attract->columns[at]) > 0)
                return tsr__fail(TSR_ERROR_DATA,
                                 "%s: samples %lld and %d must agree and must differ", path,
                                 (long long)(p->rows.first + i), p->pairs.attract->columns[at]);
    return TSR_OK;
}

static tsr_status make_links(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    tsr__given given = {0};
    TSR_TRY(tsr__given_open(&given, o->links, o->links_matrix, "links-matrix"));
    const tsr_matrix *list = given.x;
    if (list->features != 3)
        TSR_FAIL(TSR_ERROR_DATA, "%s: links are i,j,weight, three columns and not %lld",
                 given.subject, (long long)list->features);
    for (int64_t e = 0; e < list->samples; e++)
        TSR_TRY(check_link(p, given.subject, e + 1, tsr_matrix_at(list, e, 0),
                           tsr_matrix_at(list, e, 1), tsr_matrix_at(list, e, 2)));
    TSR_TRY(links_of_sign(&p->pairs.attract, p, spec, list, -1));
    TSR_TRY(links_of_sign(&p->pairs.repel, p, spec, list, 1));
    if (spec->codes == TSR_CODES_FREE)
        TSR_TRY(check_contradictions(p, given.subject));
    TSR_TRY(row_sums(&p->pairs.attract_degree, p->pairs.attract));
    TSR_TRY(row_sums(&p->pairs.repel_degree, p->pairs.repel));
done:
    tsr__given_close(&given);
    return status;
}

/* N_b of the must-links of a class, and the number of all labelled samples behind them. */
static tsr_status count_classes(tsr__problem *p)
{
    tsr_status status = TSR_OK;
    TSR_NEW_ZERO(p->classes.population, p->classes.count + 1);
    for (int64_t i = 0; i < p->samples; i++) {
        if (p->classes.seen[i] < 0)
            continue;
        p->classes.population[p->classes.seen[i]] += 1;
        p->classes.population[p->classes.count] += 1;
    }
done:
    return status;
}

/* After samples were tied, which is what row_of and n are from. */
tsr_status tsr__make_pairs(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    TSR_TRY(count_classes(p));
    if (tsr__spec_has_graph(spec))
        TSR_TRY(make_graph(p, spec));
    if (tsr__spec_has_links(spec))
        TSR_TRY(make_links(p, spec));
    tsr_matrix *const pairs[] = {p->pairs.graph, p->pairs.attract, p->pairs.repel};
    TSR_TRY(tsr__make_halo(&p->pairs.halo, pairs, 3, &p->rows));
done:
    return status;
}
