/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What one pass over a matrix shows, the checks that rest on it, and unit norms.
 *
 * The samples are cut into chunks that depend on the matrix alone; what the chunks found is
 * joined in order, so the answer does not depend on how many threads there were. */
#include "matrix/kernels.h"
#include "matrix/matrix.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/scaled.h"
#include "matrix/team.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The values of sample i and how many there are. */
static const void *row_of(const tsr_matrix *x, int64_t i, int64_t *count)
{
    const size_t size = tsr__type_size(x->type);
    *count = tsr__row_end(x, i) - tsr__row_begin(x, i);
    return (char *)x->values + (size_t)tsr__row_begin(x, i) * size;
}

struct scanning {
    tsr__survey *found;  /* by chunk */
    unsigned char *seen; /* by thread: features with a value other than zero */
};

/* The first entry of sample i that is not finite (or: negative), as a feature. */
static int64_t find_odd(const tsr_matrix *x, int64_t i, bool negative)
{
    int64_t count = 0;
    const void *values = row_of(x, i, &count);
    for (int64_t at = 0; at < count; at++) {
        const double v = tsr__value_at(values, x->type, at);
        if (negative ? v < 0 : !isfinite(v))
            return x->sparse ? x->columns[x->rows[i] + at] : at;
    }
    return -1;
}

static int64_t count_infinite(const tsr_matrix *x, int64_t i)
{
    int64_t count = 0, infinite = 0;
    const void *values = row_of(x, i, &count);
    for (int64_t at = 0; at < count; at++)
        infinite += isinf(tsr__value_at(values, x->type, at)) != 0;
    return infinite;
}

static const tsr_scan nothing = {.minimum = (double)INFINITY,
                                 .maximum = (double)-INFINITY,
                                 .first_not_finite = {-1, -1},
                                 .first_negative = {-1, -1},
                                 .first_empty_sample = -1,
                                 .first_empty_feature = -1,
                                 .unit_samples = true};

static void extend(tsr_scan *scan, double low, double high)
{
    scan->minimum = low < scan->minimum ? low : scan->minimum;
    scan->maximum = high > scan->maximum ? high : scan->maximum;
}

static void note_odd(tsr_scan *scan, const tsr_matrix *x, int64_t i, int64_t sample,
                     const tsr__sweep *sweep)
{
    if (sweep->not_finite > 0) {
        scan->infinite += count_infinite(x, i);
        if (scan->not_finite == 0) {
            scan->first_not_finite[0] = sample;
            scan->first_not_finite[1] = find_odd(x, i, false);
        }
    }
    if (sweep->negative > 0 && scan->negative == 0) {
        scan->first_negative[0] = sample;
        scan->first_negative[1] = find_odd(x, i, true);
    }
    scan->not_finite += sweep->not_finite;
    scan->negative += sweep->negative;
}

/* Row i of x, which is `sample` of all. */
static void scan_sample(tsr__survey *found, unsigned char *seen, const tsr_matrix *x, int64_t i,
                        int64_t sample)
{
    tsr_scan *scan = &found->scan;
    const tsr__kernels *kernels = tsr__kernels_of(x->type);
    const double accuracy = x->type == TSR_FLOAT64 ? 1e-9 : 1e-5;
    int64_t count = 0;
    tsr__sweep sweep;
    const void *values = row_of(x, i, &count);
    kernels->sweep(&sweep, values, count);
    if (sweep.not_finite > 0 || sweep.negative > 0)
        note_odd(scan, x, i, sample, &sweep);
    extend(scan, sweep.minimum, sweep.maximum);
    if (count < x->features)
        extend(scan, 0, 0);
    found->magnitudes += sweep.sum_magnitudes;
    found->squares += sweep.sum_squares;
    found->most = sweep.sum_squares > found->most ? sweep.sum_squares : found->most;
    scan->nonzeros += count - sweep.zeros;
    if (sweep.zeros == count) {
        if (scan->empty_samples++ == 0)
            scan->first_empty_sample = sample;
    } else if (fabs(sweep.sum_squares - 1) > accuracy) {
        scan->unit_samples = false;
    }
    if (!x->sparse)
        kernels->mark(seen, values, count);
    for (int64_t at = 0; x->sparse && at < count; at++)
        seen[x->columns[x->rows[i] + at]] |= tsr__value_at(values, x->type, at) != 0;
}

static void scan_rows(void *context, const tsr_matrix *rows, int64_t first, int64_t chunk,
                      int thread)
{
    const struct scanning *s = context;
    for (int64_t i = 0; i < rows->samples; i++)
        scan_sample(&s->found[chunk], s->seen + thread * (rows->features + 1), rows, i,
                    first + i);
}

/* Adds what a later chunk found. */
static void join(tsr__survey *into, const tsr__survey *later)
{
    tsr_scan *all = &into->scan;
    const tsr_scan *more = &later->scan;
    extend(all, more->minimum, more->maximum);
    if (all->not_finite == 0)
        memcpy(all->first_not_finite, more->first_not_finite, sizeof all->first_not_finite);
    if (all->negative == 0)
        memcpy(all->first_negative, more->first_negative, sizeof all->first_negative);
    if (all->empty_samples == 0)
        all->first_empty_sample = more->first_empty_sample;
    all->nonzeros += more->nonzeros;
    all->not_finite += more->not_finite;
    all->infinite += more->infinite;
    all->negative += more->negative;
    all->empty_samples += more->empty_samples;
    all->unit_samples = all->unit_samples && more->unit_samples;
    into->magnitudes += later->magnitudes;
    into->squares += later->squares;
    into->most = fmax(into->most, later->most);
}

/* Of ranks, each with its samples; what is odd is told by its place among all. */
static tsr_status join_ranks(tsr__survey *all, unsigned char *seen, const tsr_matrix *x,
                             const tsr__share *share)
{
    tsr_status status = TSR_OK;
    tsr_scan *own = &all->scan;
    const int ranks = tsr__team_ranks(share->team);
    int64_t *bytes = NULL;
    tsr__survey *found = NULL;
    double *marks = NULL;
    if (ranks == 1)
        return TSR_OK;
    TSR_NEW(bytes, ranks);
    TSR_NEW(found, ranks);
    TSR_NEW(marks, x->features);
    own->first_not_finite[0] += own->not_finite > 0 ? share->first : 0;
    own->first_negative[0] += own->negative > 0 ? share->first : 0;
    own->first_empty_sample += own->empty_samples > 0 ? share->first : 0;
    for (int r = 0; r < ranks; r++)
        bytes[r] = sizeof *found;
    for (int64_t j = 0; j < x->features; j++)
        marks[j] = seen[j] != 0;
    TSR_TRY(tsr__team_collect(share->team, found, all, bytes));
    TSR_TRY(tsr__team_sum(share->team, marks, x->features));
    for (int64_t j = 0; j < x->features; j++)
        seen[j] = marks[j] > 0;
    *all = (tsr__survey){.scan = nothing};
    for (int r = 0; r < ranks; r++)
        join(all, &found[r]);
done:
    tsr__free(bytes);
    tsr__free(found);
    tsr__free(marks);
    return status;
}

static void gather_marks(unsigned char *seen, int64_t features, int threads)
{
    for (int64_t thread = 1; thread < threads; thread++)
        for (int64_t j = 0; j < features; j++)
            seen[j] |= seen[thread * (features + 1) + j];
}

static void count_empty_features(tsr_scan *scan, const unsigned char *seen, int64_t features)
{
    for (int64_t j = 0; j < features; j++)
        if (!seen[j] && scan->empty_features++ == 0)
            scan->first_empty_feature = j;
}

tsr_status tsr__matrix_survey(tsr__survey *out, const tsr_matrix *x, int64_t threads)
{
    return tsr__share_survey(out, x, NULL, threads);
}

tsr_status tsr__share_survey(tsr__survey *out, const tsr_matrix *x, const tsr__share *share,
                             int64_t threads)
{
    tsr_status status = TSR_OK;
    unsigned char *seen = NULL;
    tsr__survey *found = NULL, all = {.scan = nothing};
    double *size = NULL;
    const int64_t parts = tsr__walk_parts(x, share),
                  whole = share != NULL ? share->whole : x->samples;
    const int team = tsr__matrix_threads(x, threads);
    TSR_NEW_ZERO(seen, team * (x->features + 1));
    TSR_NEW(found, parts);
    TSR_NEW_ZERO(size, 2 * parts + 2);
    for (int64_t i = 0; i < parts; i++)
        found[i] = (tsr__survey){.scan = nothing};
    struct scanning scanning = {found, seen};
    TSR_TRY(tsr__walk_leaves(x, share, team, scan_rows, &scanning));
    for (int64_t i = 0; i < parts; i++) {
        join(&all, &found[i]);
        size[2 * i] = found[i].magnitudes, size[2 * i + 1] = found[i].squares;
    }
    gather_marks(seen, x->features, team);
    if (share != NULL)
        TSR_TRY(join_ranks(&all, seen, x, share));
    TSR_TRY(tsr__walk_total(size, parts, 2, share));
    all.magnitudes = size[0], all.squares = size[1];
    count_empty_features(&all.scan, seen, x->features);
    all.scan.unit_samples = all.scan.unit_samples && all.scan.empty_samples < whole;
    if (all.scan.minimum > all.scan.maximum)
        all.scan.minimum = all.scan.maximum = (double)NAN;
    *out = all;
done:
    tsr__free(seen);
    tsr__free(found);
    tsr__free(size);
    return status;
}

tsr_status tsr_matrix_scan(tsr_scan *out, const tsr_matrix *x)
{
    TSR_REQUIRE(out, x);
    tsr__survey found;
    const tsr_status status = tsr__matrix_survey(&found, x, 0);
    if (status == TSR_OK)
        *out = found.scan;
    return status;
}

tsr_status tsr__scan_check_finite(const tsr_scan *scan, double first, int needs,
                                  const char *subject)
{
    const int64_t *odd = scan->first_not_finite;
    if ((needs & TSR_NEED_FINITE && scan->not_finite > 0) ||
        (needs & TSR_NEED_NOT_INFINITE && scan->infinite > 0))
        return tsr__fail(
            TSR_ERROR_DATA,
            "%s: sample %lld, feature %lld is %g (%lld such values); numbers must be "
            "finite",
            subject, (long long)odd[0], (long long)odd[1], first, (long long)scan->not_finite);
    return TSR_OK;
}

tsr_status tsr__scan_check(const tsr_scan *scan, const tsr_matrix *x, int needs,
                           const char *subject)
{
    return tsr__scan_check_from(scan, x, 0, needs, subject);
}

tsr_status tsr__scan_check_from(const tsr_scan *scan, const tsr_matrix *x, int64_t begin,
                                int needs, const char *subject)
{
    const char *who = subject != NULL ? subject : "the data";
    const int64_t *odd = scan->first_not_finite, *below = scan->first_negative;
    tsr_scan told = *scan; /* as the caller counts */
    const double first = scan->not_finite > 0 ? tsr_matrix_at(x, odd[0], odd[1]) : 0;
    told.first_not_finite[0] += begin;
    TSR_OR_RETURN(tsr__scan_check_finite(&told, first, needs, who));
    if (needs & TSR_NEED_NON_NEGATIVE && scan->negative > 0)
        return tsr__fail(
            TSR_ERROR_DATA,
            "%s: sample %lld, feature %lld is %g (%lld values below zero); numbers "
            "must not be negative",
            who, (long long)(below[0] + begin), (long long)below[1],
            tsr_matrix_at(x, below[0], below[1]), (long long)scan->negative);
    if (needs & TSR_NEED_FULL_SAMPLES && scan->empty_samples > 0)
        return tsr__fail(TSR_ERROR_DATA, "%s: sample %lld is all zero (%lld such samples)", who,
                         (long long)(scan->first_empty_sample + begin),
                         (long long)scan->empty_samples);
    if (needs & TSR_NEED_FULL_FEATURES && scan->empty_features > 0)
        return tsr__fail(TSR_ERROR_DATA, "%s: feature %lld is all zero (%lld such features)",
                         who, (long long)scan->first_empty_feature,
                         (long long)scan->empty_features);
    return TSR_OK;
}

tsr_status tsr_matrix_check(const tsr_matrix *x, int needs, const char *subject)
{
    TSR_REQUIRE(x);
    TSR_REQUIRE_CHOICE(needs, 2 * TSR_NEED_FULL_FEATURES - 1);
    tsr_scan scan;
    const tsr_status status = tsr_matrix_scan(&scan, x);
    return status == TSR_OK ? tsr__scan_check(&scan, x, needs, subject) : status;
}

/* The largest magnitude of a sample; NaN where there is one. */
static double largest(const tsr_matrix *x, int64_t i)
{
    double most = 0;
    for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
        const double v = fabs(tsr__value_at(x->values, x->type, at));
        most = v <= most ? most : v;
    }
    return most;
}

/* What the squares of a matrix are, or those of some of it. */
struct squares {
    double sum, most;
    double peak;    /* the largest magnitude, where squares vanish or are beyond `limit` */
    int64_t beyond; /* the first sample whose square is above `limit`, or -1 */
};

struct squaring {
    const void *weight;
    tsr_type type;
    struct squares *found; /* by chunk */
    double limit, least;
};

static void square_rows(void *context, const tsr_matrix *rows, int64_t first, int64_t chunk,
                        int thread)
{
    const struct squaring *s = context;
    struct squares *found = &s->found[chunk];
    (void)thread;
    for (int64_t i = 0; i < rows->samples; i++) {
        const double square = tsr__row_square(rows, i);
        const bool far = !(square <= s->limit);
        if (far && found->beyond < 0)
            found->beyond = first + i, found->peak = largest(rows, i);
        else if (square < s->least && found->beyond < 0)
            found->peak = fmax(found->peak, largest(rows, i));
        found->most = fmax(found->most, square);
        found->sum +=
            square * (s->weight != NULL ? tsr__value_at(s->weight, s->type, first + i) : 1);
    }
}

/* There are at most as many chunks as this has room for: nothing is allocated. */
static tsr_status squares_of(struct squares *out, const tsr_matrix *x,
                             const struct squaring *how, int64_t threads)
{
    struct squares found[TSR_CHUNKS_MOST];
    struct squaring s = *how;
    const int64_t chunks = tsr__matrix_chunks(x);
    for (int64_t i = 0; i < chunks; i++)
        found[i] = (struct squares){.beyond = -1};
    s.found = found;
    s.type = x->type;
    TSR_OR_RETURN(tsr__walk_chunks(x, tsr__matrix_threads(x, threads), square_rows, &s));
    *out = (struct squares){.beyond = -1};
    for (int64_t i = 0; i < chunks; i++) {
        out->sum += found[i].sum;
        out->most = fmax(out->most, found[i].most);
        if (out->beyond >= 0)
            continue;
        out->peak = found[i].beyond >= 0 ? found[i].peak : fmax(out->peak, found[i].peak);
        out->beyond = found[i].beyond;
    }
    return TSR_OK;
}

tsr_status tsr__matrix_squares(double *out, const tsr_matrix *x, const void *weight,
                               int64_t threads)
{
    const struct squaring how = {.weight = weight, .limit = (double)INFINITY};
    struct squares found = {0};
    const tsr_status status = squares_of(&found, x, &how, threads);
    *out = found.sum;
    return status;
}

/* Squares of differences below this are denormal. */
static const double least_square = 1e-290;

/* A sixteenth leaves room for |x - y|^2 <= 2 |x|^2 + 2 |y|^2 and for the sums on the way. */
static tsr_status check_large(double *most, double *peak, const tsr_matrix *x, double times)
{
    const struct squaring how = {.limit = DBL_MAX / 16 / times, .least = least_square};
    struct squares found = {0};
    TSR_OR_RETURN(squares_of(&found, x, &how, 0));
    if (found.beyond >= 0)
        return tsr__fail(TSR_ERROR_DATA,
                         "the squares of sample %lld, whose values go up to %g, are beyond "
                         "the largest number: --normalize l2 or max scales every sample",
                         (long long)found.beyond, found.peak);
    *most = fmax(*most, found.most);
    *peak = fmax(*peak, found.peak);
    return TSR_OK;
}

tsr_status tsr__check_squares(double *most, const tsr_matrix *x, const tsr_matrix *y,
                              double times)
{
    double square = 0, peak = 0;
    TSR_OR_RETURN(check_large(&square, &peak, x, fmax(times, 1)));
    if (y != NULL && y != x)
        TSR_OR_RETURN(check_large(&square, &peak, y, fmax(times, 1)));
    if (square < least_square && peak > 0)
        return tsr__fail(TSR_ERROR_DATA,
                         "the squares of all samples, whose values go up to %g, vanish: "
                         "--normalize l2 or max scales every sample",
                         peak);
    if (most != NULL)
        *most = square;
    return TSR_OK;
}

static double peak_of(const tsr__sweep *sweep)
{
    return fmax(fabs(sweep->minimum), fabs(sweep->maximum));
}

static double norm_of(const tsr__sweep *sweep, tsr_norm norm)
{
    const double norms[] = {
        [TSR_NORM_NONE] = 1,
        [TSR_NORM_L2] = sqrt(sweep->sum_squares),
        [TSR_NORM_L1] = sweep->sum_magnitudes,
        [TSR_NORM_MAX] = peak_of(sweep),
    };
    return norms[norm];
}

/* Values whose squares or reciprocals leave the range are first brought near to one, by a power
 * of two, which rounds nothing; in two steps, as it may itself be out of range. */
static void bring_near(void *values, int64_t count, tsr__sweep *sweep,
                       const tsr__kernels *kernels)
{
    const double peak = peak_of(sweep);
    int exponent = 0;
    if (!(peak > 0) || !isfinite(peak) || (peak > 1e-140 && peak < 1e140))
        return;
    (void)frexp(peak, &exponent);
    kernels->scale(values, ldexp(1, -(exponent / 2)), count);
    kernels->scale(values, ldexp(1, -(exponent - exponent / 2)), count);
    kernels->sweep(sweep, values, count);
}

void tsr__normalize_row(void *values, tsr_type type, int64_t count, tsr_norm norm)
{
    const tsr__kernels *kernels = tsr__kernels_of(type);
    tsr__sweep sweep;
    if (norm == TSR_NORM_NONE)
        return;
    kernels->sweep(&sweep, values, count);
    if (sweep.zeros == count)
        return;
    bring_near(values, count, &sweep, kernels);
    const double length = norm_of(&sweep, norm);
    if (length > 0 && isfinite(length))
        kernels->scale(values, 1 / length, count);
}

struct normalizing {
    tsr_matrix *x;
    tsr_norm norm;
};

static void normalize_chunk(void *context, int64_t item, int thread)
{
    const struct normalizing *n = context;
    const tsr__chunk chunk = tsr__matrix_chunk(n->x, item);
    (void)thread;
    for (int64_t i = chunk.first; i < chunk.end; i++) {
        int64_t count = 0;
        void *values = (void *)(uintptr_t)row_of(n->x, i, &count);
        tsr__normalize_row(values, n->x->type, count, n->norm);
    }
}

tsr_status tsr_matrix_normalize(tsr_matrix *x, tsr_norm norm)
{
    TSR_REQUIRE(x);
    TSR_REQUIRE_CHOICE(norm, TSR_NORM_MAX);
    if (tsr__matrix_is_stored(x))
        return norm == TSR_NORM_NONE
                   ? TSR_OK
                   : tsr__matrix_scale(x, &(tsr__scaling){.type = x->type, .norm = norm});
    if (x->constant)
        return tsr__fail(TSR_ERROR_ARGUMENT, "`x` is a view, whose values belong to somebody "
                                             "else: scale a copy");
    struct normalizing n = {x, norm};
    if (norm != TSR_NORM_NONE)
        tsr__parallel(tsr__matrix_chunks(x), tsr__matrix_threads(x, 0), normalize_chunk, &n);
    return TSR_OK;
}
