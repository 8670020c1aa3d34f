/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A row of Kullback-Leibler over g >= 0, by Newton's method with the bound inside: each step goes
 * to the minimum over z >= 0 of J to second order around g. With u = x / y,
 *
 *     gradient  s - sum_e u f_e + a + b g         Hessian  H = sum_e (u / y) f_e f_e' + b
 *
 * and since H g = sum_e u f_e, the pull, but for b, the model is, whatever coordinates are zero,
 *
 *     1/2 z H z' - (2 pull - s - a) z' + constant
 *
 * a row of least squares (row_squares.c). The row is convex: a step is taken if the slope at its
 * end, or else the values, show that it did not rise, and halved if not.
 *
 * What is dear is H, p^2 operations an entry with p coordinates that may move. Hence:
 *     - rows of one matrix begin with a model that they share, around y = sqrt(x even), where
 *       u / y = 1 / even is the same for all;
 *     - far from the optimum a multiplicative step, 4 k operations an entry, does as well: it
 *       cannot overshoot, and mends in one step an entry whose y came out much too small;
 *     - H is kept as long as steps with it gain a digit each, which takes about two of them;
 *     - while the row is far it is summed in floats: it leads the step, and does not judge it.
 *
 * Codes are compared with the conditions of the optimum in tests/test_law_transform.c, rows of
 * every kind in tests/test_row.c. */
#include "factor/row.h"

#include "matrix/single.h"

#include <math.h>
#include <string.h>

/* Forty halvings are a step of 1e-12: what does not fall there is at its end as far as rounding
 * can tell. The sweeps inside a step find most of the zeros that are new. */
enum { MULTIPLICATIVE = 10, SWEEPS = 2, HALVINGS = 40 };

/* Residuals: from where multiplicative steps are as good; up to where coordinates that a slope
 * leads to zero are left out of the model at once; up to where floats lead. And the share of the
 * residual that a step with an old H may leave. */
static const double FAR = 0.2, NEAR = 0.03, FINE = 1e-4, STALE = 0.1;

typedef struct entropy {
    const tsr__row *row;
    const tsr__row_entries *of;
    tsr__columns f;
    int64_t k, width, count;
    double *g, *y, *slope;              /* the row, its reconstruction and gradient, */
    double *next, *next_y, *next_slope; /* and where a step would lead */
    double *ratio;                      /* width: x / y of what was weighed last */
    double *h, *p, *goal;               /* count x count, count, count: the model of a step */
    double *room;
    int32_t *which, *above; /* count: the coordinates of the model; those above zero */
    bool *in;               /* k: whether one belongs to the model */
    bool strict;            /* a step gained nothing: no short cuts any more */
    double mass;            /* of all entries */
    double least; /* what a reconstruction counts at least: its square must be a number */
} entropy;

int64_t tsr__row_entropy_room(int64_t k, int64_t width)
{
    const int64_t tall = tsr__padded(k), wide = tsr__padded(width);
    const int64_t squares = tsr__row_squares_room(k);
    const int64_t bend = tsr__bend_room(width) + wide;
    /* floats of a bend take half of either at most */
    return 3 * wide + k * tall + 9 * tall + (squares > bend ? squares : bend);
}

static entropy lay_out(const tsr__row *row, const tsr__row_entries *of)
{
    const int64_t k = row->k, tall = tsr__padded(k), wide = tsr__padded(of->width);
    double *at = row->room;
    entropy e = {.row = row, .of = of, .k = k, .width = of->width, .g = row->g};
    e.f = (tsr__columns){of->columns, of->width, of->stride};
    e.y = at, at += wide;
    e.next_y = at, at += wide;
    e.ratio = at, at += wide;
    e.h = at, at += k * tall;
    e.slope = at, at += tall;
    e.next = at, at += tall;
    e.next_slope = at, at += tall;
    e.p = at, at += tall;
    e.goal = at, at += tall;
    e.which = (int32_t *)at, at += tall;
    e.above = (int32_t *)at, at += tall;
    e.in = (bool *)at, at += tall;
    e.room = at;
    return e;
}

/* Coordinate a if it explained all entries alone. */
static double size_of(const entropy *e, int64_t a)
{
    return e->of->sums[a] > 0 ? e->mass / e->of->sums[a] : 0;
}

/* A coordinate that explains all entries alone stands at G = mass / s and has the curvature
 * mass / G^2 = s / G there. Coordinate a over G, and slope over that curvature, over G, which is
 * slope / s; a and b join likewise. Without units, and never a quotient of two things that
 * vanish together. */
static double share_of(const entropy *e, int64_t a)
{
    const double size = size_of(e, a);
    return size > 0 ? e->g[a] / size : 0;
}

static double lead_of(const entropy *e, int64_t a)
{
    const double by = e->of->sums[a] + e->row->lasso + e->row->ridge * size_of(e, a);
    return e->of->sums[a] > 0 ? e->slope[a] / by : 0;
}

static double residual(const entropy *e)
{
    double worst = 0;
    for (int64_t a = 0; a < e->k; a++) {
        const double share = share_of(e, a), lead = lead_of(e, a);
        worst = fmax(worst, fabs(lead < share ? lead : share));
    }
    return worst;
}

/* Reconstruction and gradient of a row; of y as it is, where `given`. An entry that no coordinate
 * reaches would divide by zero: it counts as `least`, whose square is still a number, and pulls
 * as hard as that lets it. */
static void weigh(const entropy *e, const double *g, double *y, double *slope, bool given)
{
    int64_t count = 0;
    for (int64_t a = 0; a < e->k; a++) {
        e->above[count] = (int32_t)a;
        count += g[a] > 0;
    }
    const tsr__weighing weighing = {.f = e->f,
                                    .x = e->of->x,
                                    .g = g,
                                    .y = y,
                                    .ratio = e->ratio,
                                    .pull = slope,
                                    .which = given ? NULL : e->above,
                                    .count = count,
                                    .k = e->k,
                                    .least = e->least};
    tsr__singles_of(TSR_FLOAT64)->weigh(&weighing);
    for (int64_t a = 0; a < e->k; a++)
        slope[a] = e->of->sums[a] + e->row->lasso + e->row->ridge * g[a] - slope[a];
}

/* g (s + a + b t) t = g pull, the root that minimises the bound all coordinates share. The pull
 * of the data is what the slope lacks of all else, so that no product is made twice. */
static void multiply(entropy *e)
{
    for (int64_t a = 0; a < e->k; a++) {
        const double flat = e->of->sums[a] + e->row->lasso, b = e->row->ridge;
        const double pull = flat + b * e->g[a] - e->slope[a];
        if (e->g[a] > 0)
            e->g[a] *= 2 * pull / (flat + sqrt(flat * flat + 4 * b * e->g[a] * pull));
    }
    weigh(e, e->g, e->y, e->slope, false);
}

/* The model ------------------------------------------------------------------------------- */

/* All coordinates but those that the slope leads to zero or holds there; far from the optimum it
 * has to lead well beyond. */
static void choose(entropy *e, double off)
{
    const double sure = e->strict ? 0 : off > NEAR ? NEAR / off : 1;
    e->count = 0;
    for (int64_t a = 0; a < e->k; a++) {
        e->in[a] = lead_of(e, a) < 0 || share_of(e, a) > sure * lead_of(e, a);
        e->which[e->count] = (int32_t)a;
        e->count += e->in[a];
    }
}

/* H in doubles. */
static void bend(entropy *e)
{
    double *weight = e->room, *room = weight + tsr__padded(e->width);
    memset(weight, 0, (size_t)tsr__padded(e->width) * sizeof *weight);
    for (int64_t i = 0; i < e->width; i++)
        weight[i] = e->ratio[i] / e->y[i];
    tsr__singles_of(TSR_FLOAT64)->bend(e->h, &e->f, weight, e->which, e->count, room);
}

/* H in floats: entries and columns over their means, so that it is of the size of 1 in all
 * units. */
static void bend_narrow(entropy *e)
{
    const tsr__columns f = {e->of->shared->narrow, e->width, e->of->stride};
    const int64_t n = e->count, wide = tsr__padded(n), width = tsr__padded(e->width);
    const double unit = e->mass / (double)e->width, most = 1e30;
    float *weight = (float *)e->room, *room = weight + width,
          *h = room + tsr__bend_room(e->width);
    memset(weight, 0, (size_t)width * sizeof *weight);
    for (int64_t i = 0; i < e->width; i++) {
        const double w = e->ratio[i] / e->y[i] * unit;
        weight[i] = (float)(w < most ? w : most);
    }
    tsr__singles_of(TSR_FLOAT32)->bend(h, &f, weight, e->which, n, room);
    for (int64_t i = 0; i < n; i++)
        e->next[i] = e->of->shared->means[e->which[i]];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < wide; j++)
            e->h[i * wide + j] =
                j < n ? e->next[i] / unit * e->next[j] * (double)h[i * wide + j] : 0;
}

/* The linear part for what the pull says that H g is. */
static void aim(entropy *e)
{
    for (int64_t i = 0; i < e->count; i++) {
        const int64_t a = e->which[i];
        e->goal[i] = e->g[a];
        e->p[i] = e->of->sums[a] + e->row->lasso + 2 * (e->row->ridge * e->g[a] - e->slope[a]);
    }
}

static void clear_model(entropy *e)
{
    memset(e->goal, 0, (size_t)tsr__padded(e->count) * sizeof *e->goal);
    memset(e->p, 0, (size_t)tsr__padded(e->count) * sizeof *e->p);
}

/* A little more on the diagonal keeps H positive where columns depend on each other: beyond what
 * its sums are wrong by. */
static void model(entropy *e, double off)
{
    const bool narrow = e->of->shared != NULL && off > FINE && !e->strict;
    const int64_t wide = tsr__padded(e->count);
    (narrow ? bend_narrow : bend)(e);
    clear_model(e);
    aim(e);
    for (int64_t i = 0; i < e->count; i++) {
        double *own = &e->h[i * wide + i];
        const double more = (narrow ? 1e-6 : 1e-9) * *own;
        *own += more + e->row->ridge;
        e->p[i] += more * e->goal[i];
    }
}

/* The linear part for an H of another row. All coordinates that it lacks are zero. */
static void model_again(entropy *e)
{
    for (int64_t i = 0; i < e->count; i++) {
        e->goal[i] = e->g[e->which[i]];
        e->p[i] = e->slope[e->which[i]];
    }
    tsr__singles_of(TSR_FLOAT64)->slopes(e->p, e->h, e->goal, e->p, e->count);
}

/* True if H may serve again: the step with it gained a digit, no coordinate outside is pulled up,
 * and it costs more than a step or two. */
static bool serves(const entropy *e, double off, double last)
{
    if (!(off < STALE * last) || e->count * (e->count + 1) <= 4 * (e->count + e->k))
        return false;
    for (int64_t a = 0; a < e->k; a++)
        if (!e->in[a] && lead_of(e, a) < -1e-3 * off)
            return false;
    return true;
}

/* Steps ----------------------------------------------------------------------------------- */

/* The minimum of the model, as exactly as it is worth. */
static void seek(entropy *e, double off, int sweeps)
{
    const tsr__row row = {.k = e->count,
                          .tolerance = e->strict ? 0 : fmin(1e-4, off * off),
                          .most = 10 * e->k,
                          .g = e->goal,
                          .room = e->room};
    tsr__row_squares(&row, e->h, e->p, sweeps);
}

/* True if the next row is not above this one. The slope takes k products of what is there
 * anyway, the values a logarithm an entry. They are summed as differences, part by part:
 * between two values of J near the optimum, rounding would decide. */
static bool falls(const entropy *e)
{
    double slope = 0, value = 0;
    for (int64_t a = 0; a < e->k; a++)
        slope += e->next_slope[a] * (e->g[a] - e->next[a]);
    if (slope >= 0)
        return true; /* convex: J(g) >= J(next) + slope */
    value = tsr__singles_of(TSR_FLOAT64)->fall(e->room, e->of->x, e->y, e->next_y, e->width);
    for (int64_t a = 0; a < e->k; a++)
        value += (e->of->sums[a] + e->row->lasso) * (e->next[a] - e->g[a]) +
                 e->row->ridge / 2 * (e->next[a] - e->g[a]) * (e->next[a] + e->g[a]);
    return value <= 0;
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b, *b = t;
}

/* Towards the goal, as far as the row falls; false where it does not within so many tries. What
 * is not in the model goes to zero. */
static bool take_step(entropy *e, int tries)
{
    double along = 1;
    for (int half = 0; half < tries; half++, along /= 2) {
        for (int64_t a = 0; a < e->k; a++)
            e->next[a] = (1 - along) * e->g[a];
        for (int64_t i = 0; i < e->count; i++)
            e->next[e->which[i]] += along * e->goal[i];
        weigh(e, e->next, e->next_y, e->next_slope, false);
        if (!falls(e))
            continue;
        memcpy(e->g, e->next, (size_t)e->k * sizeof *e->g);
        swap(&e->y, &e->next_y);
        swap(&e->slope, &e->next_slope);
        return true;
    }
    return false;
}

/* The model around y = sqrt(x even), from its solution without g >= 0 where that is known. A
 * trace of every coordinate stays: multiplicative steps keep zeros. */
static void begin(entropy *e)
{
    const tsr__row_shared *shared = e->of->shared;
    const int64_t wide = tsr__padded(e->k);
    e->count = e->k;
    for (int64_t a = 0; a < e->k; a++)
        e->which[a] = (int32_t)a;
    for (int64_t i = 0; i < tsr__padded(e->width); i++)
        e->y[i] = fmax(sqrt(e->of->x[i] * (e->mass * shared->even[i])), e->least);
    weigh(e, e->g, e->y, e->slope, true);
    clear_model(e);
    aim(e);
    for (int64_t i = 0; i < e->k * wide; i++)
        e->h[i] = shared->curve[i] / e->mass;
    for (int64_t a = 0; a < e->k; a++)
        e->h[a * wide + a] += e->row->ridge;
    memset(e->next, 0, (size_t)wide * sizeof *e->next);
    tsr__singles_of(TSR_FLOAT64)->slopes(e->goal, shared->direct, e->p, e->next, e->k);
    for (int64_t a = 0; a < e->k; a++)
        e->goal[a] = fmax(e->mass * e->goal[a], 0);
    seek(e, FAR, SWEEPS);
    for (int64_t a = 0; a < e->k; a++)
        e->g[a] = fmax(e->goal[a], 1e-6 * e->g[a]);
}

void tsr__row_entropy_share(const tsr__row_shared *to, const tsr__row_entries *of, int64_t k,
                            double *room)
{
    const tsr__row row = {.k = k, .g = room, .room = room + tsr__padded(k)};
    entropy e = lay_out(&row, of);
    e.count = k;
    for (int64_t a = 0; a < k; a++) {
        const double mean = of->sums[a] / (double)of->width;
        to->means[a] = mean;
        e.g[a] = mean > 0 ? 1 / (of->sums[a] * (double)k) : 0;
        e.which[a] = (int32_t)a;
        for (int64_t i = 0; mean > 0 && i < of->width; i++)
            to->narrow[a * of->stride + i] = (float)(of->columns[a * of->stride + i] / mean);
    }
    weigh(&e, e.g, to->even, e.slope, false);
    for (int64_t i = 0; i < tsr__padded(of->width); i++) {
        const bool seen = i < of->width && to->even[i] > 0;
        e.ratio[i] = seen ? 1 : 0;
        e.y[i] = seen ? to->even[i] : 1;
    }
    bend(&e);
    memcpy(to->curve, e.h, (size_t)(k * tsr__padded(k)) * sizeof *e.h);
}

void tsr__row_entropy(const tsr__row *row, const tsr__row_entries *of)
{
    entropy e = lay_out(row, of);
    for (int64_t i = 0; i < e.width; i++)
        e.mass += of->x[i];
    for (int64_t a = 0; a < e.k; a++) /* all share alike */
        e.g[a] = size_of(&e, a) / (double)e.k;
    if (!(e.mass > 0))
        return; /* an empty row is its own code */
    e.least = 1e-100 * (e.mass / (double)e.width);
    if (of->shared != NULL)
        begin(&e);
    weigh(&e, e.g, e.y, e.slope, false);
    double off = residual(&e), last = 0;
    int multiplied = 0;
    for (int64_t step = 0; step < row->most && off > row->tolerance; step++) {
        if (off > FAR && multiplied++ < MULTIPLICATIVE) {
            multiply(&e);
            off = residual(&e), last = 0;
            continue;
        }
        const bool again = serves(&e, off, last);
        if (again) {
            model_again(&e);
        } else {
            choose(&e, off);
            model(&e, off);
        }
        seek(&e, off, again ? 0 : SWEEPS);
        const bool fell = take_step(&e, again ? 1 : HALVINGS);
        if (!fell && !again && e.strict)
            break; /* as near as rounding lets it */
        const double now = residual(&e);
        e.strict = e.strict || (!again && !(now < off));
        last = fell ? off : 0; /* where an old H fails, a new one is made */
        off = now;
    }
}
