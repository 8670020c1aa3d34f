/* SPDX-License-Identifier: BSD-2-Clause
 *
 * history.csv: how J fell in the first draw of every row and method that iterates,
 *
 *     row,draw,method,iteration,objective
 *
 * the first iteration, the last, and about a hundred between them, evenly on a logarithmic axis.
 * Lines that come again, of a run that was stopped before the draw was kept, replace the earlier. */
#include "learn/encoder.h"
#include "learn/experiment.h"

#include "io/field.h"

#include <math.h>

static void print_point(FILE *to, const tsr_experiment *e, const tsr__trial *t,
                        int64_t iteration, double objective)
{
    char text[TSR_REAL_SIZE];
    (void)tsr__format_real(text, objective);
    tsr__field_print(to, tsr__experiment_row(&e->protocol, t->row), ',');
    (void)fprintf(to, ",%lld,", (long long)t->draw);
    tsr__field_print(to, e->protocol.method[t->method].name, ',');
    (void)fprintf(to, ",%lld,%s\n", (long long)iteration, text);
}

void tsr__history_print(FILE *to, const tsr_experiment *e, const tsr__trial *t,
                        const tsr_encoder *encoder)
{
    enum { STEPS = 99 };
    const tsr_model *model = tsr_encoder_model(encoder);
    const double *objective = model != NULL ? tsr_model_objective(model) : encoder->objective;
    const int64_t last =
        model != NULL ? tsr_model_report(model).iterations : encoder->iterations;
    const double step = pow((double)last, 1.0 / STEPS);
    if (t->draw != 0 || objective == NULL)
        return;
    for (int64_t i = 1; i <= last;) {
        print_point(to, e, t, i, objective[i - 1]);
        const int64_t next = (int64_t)ceil((double)i * step);
        const int64_t after = next > i ? next : i + 1;
        i = i < last && after > last ? last : after;
    }
}

tsr_status tsr__curve_take(tsr__curve *out, const tsr__input *lines, const char *row,
                           const char *method)
{
    enum { FIELDS = 5, MOST = 1000 };
    tsr_status status = TSR_OK;
    const char *at = lines->bytes, *end = at + lines->size;
    tsr__field field[FIELDS];
    while (at < end) {
        int64_t iteration = 0, room = out->room;
        double objective = 0;
        if (tsr__field_split(field, FIELDS, &at, end, ',') != FIELDS ||
            !tsr__field_same(&field[0], row) || !tsr__field_same(&field[2], method) ||
            !tsr__field_integer(&iteration, &field[3]) || iteration < 1 ||
            !tsr__field_number(&objective, &field[4]) || !isfinite(objective))
            continue;
        if (out->count > 0 && iteration <= out->iteration[out->count - 1])
            out->count = 0; /* once more */
        if (out->count == MOST)
            continue;
        TSR_GROW(out->iteration, out->count, room);
        TSR_GROW(out->objective, out->count, out->room);
        out->iteration[out->count] = iteration;
        out->objective[out->count++] = objective;
    }
done:
    return status;
}

void tsr__curve_clear(tsr__curve *curve)
{
    tsr__free(curve->iteration);
    tsr__free(curve->objective);
    *curve = (tsr__curve){.count = 0};
}
