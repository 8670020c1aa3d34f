/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a row of the model table and the user's options to what is asked.
 *
 * The one place where a model is looked up by its name. Behind it nobody asks for names: loss,
 * basis, codes and weights are all resolved, and an option overrides its part of the row and
 * nothing else, so that combinations without a name are as good as those with one. */
#include "factor/spec.h"

#include "base/settings.h"

#include "factor/prepared.h"
#include "factor/solver.h"

#include <math.h>
#include <string.h>

/* The user's weight where there is one (-1: none), else the row's. Found by the name of the
 * setting, so that a new weight needs no line here. */
static double weight_of(const tsr_fit_options *options, const tsr__weights *preset,
                        tsr__weight_name name)
{
    const tsr_setting *row = tsr__settings_find(tsr_fit_settings(), tsr__weight_names[name]);
    const double wanted = *(const double *)((const char *)options + row->offset);
    return wanted >= 0 ? wanted : preset->of[name];
}

/* The papers' rules go with the papers' weights, which are bare numbers; all else counts in the
 * data's unit, where one weight serves pixels up to 1 and up to 255 (tests/test_law_unit.c). */
static tsr__unit unit_of(const tsr_fit_options *options)
{
    enum { AUTO, DATA, ONE };
    const bool mu = options->solver == 1;
    return options->weight_unit == ONE || (options->weight_unit == AUTO && mu) ? TSR_UNIT_ONE
                                                                               : TSR_UNIT_DATA;
}

/* What comes from memory takes the place of a file: not both. A start is both factors. */
static tsr_status check_given(const tsr_fit_options *o, bool free)
{
    const struct {
        const char *name;
        bool file, memory;
    } twice[] = {{"mask", o->mask != NULL, o->mask_matrix != NULL},
                 {"links", o->links != NULL, o->links_matrix != NULL},
                 {"graph", o->graph_file != NULL, o->graph_matrix != NULL},
                 {"init", strcmp(o->init, "auto") != 0,
                  o->init_basis != NULL || o->init_weights != NULL || o->init_codes != NULL}};
    const tsr_matrix *factor = free ? o->init_basis : o->init_weights;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (twice[i].file && twice[i].memory)
            return tsr__fail(TSR_ERROR_ARGUMENT,
                             "%s is named as a setting and given in memory: one of the two",
                             twice[i].name);
    if ((free ? o->init_weights : o->init_basis) != NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT, free ? "init-weights start concept models: "
                                                    "init-basis"
                                                  : "concept models start from init-weights, "
                                                    "not from init-basis");
    if ((factor != NULL) != (o->init_codes != NULL))
        return tsr__fail(TSR_ERROR_ARGUMENT, "a start in memory is init-%s and init-codes",
                         free ? "basis" : "weights");
    return TSR_OK;
}

/* What no data could make possible. A penalty on the basis sees its lengths, and dividing by
 * them after a step would raise it again: only the sphere, where lengths never change, has
 * both. */
static tsr_status check(const tsr__spec *spec)
{
    const tsr_fit_options *o = spec->options;
    const bool free = spec->basis == TSR_BASIS_FREE;
    if (free && o->kernel != 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "--kernel needs a concept model (--basis concept)");
    if (!spec->loss->inner && o->kernel != 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s loss needs the samples themselves: --kernel linear, or --loss "
                         "frobenius",
                         spec->loss->title);
    const bool held = spec->weights.of[TSR_WEIGHT_DECORRELATE] > 0 || o->alpha_basis > 0;
    const bool sphere = spec->loss->degree == 2 && free && o->basis_norm == 3 &&
                        o->missing == 0 && o->mask == NULL && o->mask_matrix == NULL;
    if (o->basis_norm > 1 && held && !spec->mu && !sphere)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "a norm of the basis and a penalty on it pull against each "
                         "other: --basis-norm auto, or --solver mu");
    if (o->kernel != 0 && o->alpha_basis > 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "--alpha-basis needs a basis: --kernel linear");
    return check_given(o, free);
}

tsr_status tsr__spec_make(tsr__spec *out, const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    const tsr__model_row *row = NULL;
    TSR_TRY(tsr_settings_check(tsr_fit_settings(), options));
    TSR_TRY(tsr__model_find(&row, options->model));
    TSR_TRY(tsr__init_check(options->init));
    TSR_TRY(tsr__labelled_check(options->labelled));
    tsr__spec spec = {.row = row,
                      .options = options,
                      .unit = unit_of(options),
                      .loss = row->loss,
                      .basis = row->basis,
                      .codes = row->codes,
                      .mu = options->solver == 1,
                      .ncw = options->weighting == 2 || (options->weighting == 0 && row->ncw),
                      .ncw_loss = options->weighting == 3,
                      .type = options->precision == 1 ? TSR_FLOAT32 : TSR_FLOAT64};
    spec.divergence =
        options->graph_form == 2 || (options->graph_form == 0 && spec.mu && row->divergence);
    if (options->loss > 0)
        spec.loss = tsr__losses[options->loss - 1];
    if (options->basis > 0)
        spec.basis = (tsr__basis_name)(options->basis - 1);
    if (options->codes > 0)
        spec.codes = (tsr__codes_name)(options->codes - 1);
    for (tsr__weight_name w = 0; w < TSR_WEIGHTS; w++)
        spec.weights.of[w] = weight_of(options, &row->weights[spec.unit], w);
    if (!(spec.weights.of[TSR_WEIGHT_GRAPH] > 0) && options->diffuse < 0)
        spec.weights.of[TSR_WEIGHT_DIFFUSE] = 0; /* who wants no graph has none */
    TSR_TRY(check(&spec));
    *out = spec;
done:
    return status;
}

/* Links from a file name their samples themselves. */
bool tsr__spec_needs_labels(const tsr__spec *spec)
{
    const double *w = spec->weights.of;
    const unsigned wanting =
        TSR_NEEDS_LABELS | (tsr__spec_has_links(spec) ? 0u : TSR_NEEDS_LINKS);
    bool needs = spec->codes == TSR_CODES_TIED ||
                 (tsr__spec_has_graph(spec) && w[TSR_WEIGHT_LABEL_EDGE] > 0);
    for (int t = 0; tsr__term_kinds[t] != NULL; t++)
        for (int i = 0; i < 2 && (tsr__term_kinds[t]->needs & wanting) != 0; i++) {
            const tsr__weight_name of = tsr__term_kinds[t]->weights[i];
            needs = needs || (of != TSR_WEIGHTS && w[of] > 0);
        }
    return needs;
}

/* Terms with sums over all codes and a weight that users set; the elastic net has none of these
 * and goes into the codes of new samples, too. */
bool tsr__spec_joins(const tsr__spec *spec)
{
    bool joins =
        spec->codes == TSR_CODES_TIED || tsr__spec_has_links(spec) || tsr__spec_has_graph(spec);
    for (int t = 0; tsr__term_kinds[t] != NULL; t++)
        for (int i = 0; i < 2 && tsr__term_kinds[t]->refresh != NULL; i++) {
            const tsr__weight_name of = tsr__term_kinds[t]->weights[i];
            joins = joins || (of != TSR_WEIGHTS && spec->weights.of[of] > 0);
        }
    return joins;
}

bool tsr__spec_batches(const tsr__spec *spec)
{
    bool free = spec->basis == TSR_BASIS_FREE && !spec->loss->wide &&
                !(spec->options->alpha_codes > 0) && !tsr__spec_has_links(spec);
    for (int t = 0; tsr__term_kinds[t] != NULL; t++)
        for (int i = 0; i < 2 && !tsr__term_kinds[t]->basis; i++) {
            const tsr__weight_name of = tsr__term_kinds[t]->weights[i];
            free = free && !(of != TSR_WEIGHTS && spec->weights.of[of] > 0);
        }
    return free;
}

/* Scaling the samples by s scales their codes by s and the loss by s^2 (KL: s); a term that
 * the codes enter by their power d goes along if its weight does by s^(2 - d) (KL: s^(1 -
 * d)), one on the basis alone if it does like the loss: so rho, the size of a sample, takes
 * the place of s, and n samples that of the loss. Multiplied and not by pow(): for s a power
 * of two each product is exact, and data in another such unit give the same bits
 * (tests/test_law_unit.c). */
double tsr__spec_unit(const tsr__spec *spec, double rho, int degree)
{
    const int power = spec->loss->degree - degree;
    double unit = 1;
    for (int i = 0; i < power; i++)
        unit *= rho;
    for (int i = 0; i > power; i--)
        unit /= rho;
    return spec->unit == TSR_UNIT_ONE ? 1 : unit;
}

/* scikit-learn's numbers: it halves the squared loss, ours does not, hence the loss's own
 * factor; and it counts codes m times, so that a weight keeps its meaning for samples of
 * another length. */
void tsr__spec_elastic(double *lasso, double *ridge, const tsr__spec *spec, int64_t features)
{
    const tsr_fit_options *o = spec->options;
    const double weight = spec->loss->elastic * o->alpha_codes * (double)features;
    *lasso = weight * o->l1_ratio;
    *ridge = weight * (1 - o->l1_ratio);
}
