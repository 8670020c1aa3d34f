/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE SECTIONS of a page about a model, in the order in which they are read. */
#include "base/progress.h"
#include "report/subject.h"

#include <math.h>

static bool always(const tsr__subject *s)
{
    return s != NULL;
}

static bool has_history(const tsr__subject *s)
{
    return s->report.iterations > 0 && tsr_model_objective(s->model) != NULL;
}

static bool has_samples(const tsr__subject *s)
{
    return s->prepared != NULL && s->options->samples > 0;
}

static bool has_classes(const tsr__subject *s)
{
    return s->labels != NULL;
}

/* Classes that the learner saw are what predictions are made of. */
static bool can_predict(const tsr__subject *s)
{
    const int32_t *seen = tsr_model_seen(s->model);
    bool any = false;
    for (int64_t i = 0; seen != NULL && !any && i < s->report.samples; i++)
        any = seen[i] >= 0;
    return any;
}

static bool has_pictures(const tsr__subject *s)
{
    return s->data != NULL && s->options->pictures != NULL;
}

/* clang-format off */
static const struct section {
    const char *id, *title;
    bool (*has)(const tsr__subject *s);
    tsr_status (*show)(tsr__subject *s);
} sections[] = {
    {"fit",            "The fit",         always,       tsr__show_fit},
    {"parts",          "Parts",           always,       tsr__show_parts},
    {"classes",        "Parts by class",  has_classes,  tsr__show_classes},
    {"codes",          "Codes",           always,       tsr__show_codes},
    {"reconstruction", "Reconstruction",  has_samples,  tsr__show_sums},
    {"clusters",       "Clusters",        has_classes,  tsr__show_clusters},
    {"predictions",    "Predictions",     can_predict,  tsr__show_predictions},
    {"overlays",       "Parts at work",   has_pictures, tsr__show_overlays},
    {"convergence",    "Convergence",     has_history,  tsr__show_convergence},
    {"again",          "Made again",      always,       tsr__show_again},
};
/* clang-format on */
enum { SECTIONS = sizeof sections / sizeof *sections };

static tsr_status show_all(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    const tsr__task task = tsr__task_begin(s->options->progress, "making the page", SECTIONS);
    for (int64_t i = 0; i < SECTIONS; i++) {
        if (sections[i].has(s)) {
            tsr__page_section(s->page, sections[i].id, sections[i].title);
            TSR_TRY(sections[i].show(s));
        }
        TSR_TRY(tsr__task_step(&task, i + 1, (double)NAN, (double)NAN));
    }
done:
    return status;
}

tsr_status tsr_page_model(tsr_page **out, const tsr_model *model, const tsr_data *data,
                          const tsr_page_options *options)
{
    TSR_REQUIRE(out, model);
    tsr_status status = TSR_OK;
    tsr_page_options chosen;
    tsr_page *page = NULL;
    tsr__subject subject = {0};
    TSR_TRY(tsr__page_begin(&page, &chosen, options, "model"));
    TSR_TRY(tsr__subject_open(&subject, page, model, data, &chosen));
    TSR_TRY(show_all(&subject));
    TSR_TRY(tsr__page_close(page));
    *out = page, page = NULL;
done:
    tsr__subject_clear(&subject);
    tsr_page_free(page);
    return status;
}
