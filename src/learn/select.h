/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A choice of model, rank and weight from the inside. */
#ifndef TSR_LEARN_SELECT_H
#define TSR_LEARN_SELECT_H

#include "learn/encoder.h"

struct tsr_selection {
    tsr_selection_report about;
    tsr_candidate *candidate;
    double *score;    /* candidates x folds */
    tsr__names model; /* their names */
    char *advice;
};

/* lists.c: what a list of ranks or weights says, owned by the caller. Ranks are from 1, each once
 * and at most 10,000; `text` of weights may be NULL: none. Models are known by name, each once. */
tsr_status tsr__ranks_parse(int64_t **out, int64_t *count, const char *text);
tsr_status tsr__weights_parse(double **out, int64_t *count, const char *text);
tsr_status tsr__models_parse(tsr__names *out, const char *text);

/* One of the models that are compared. */
typedef struct tsr__rival {
    tsr_fit_options fit; /* as it was given, of this model */
    const tsr__baseline *baseline;
    const char *term; /* the setting that its weight is of, or NULL */
    bool added;       /* a yardstick, which is not chosen */
    bool parts;       /* fits have parts, which may differ from start to start */
    char note[256];   /* why what is held out cannot judge it, or "" */
} tsr__rival;

/* What is asked, resolved as far as that can be done without data. */
typedef struct tsr__contest {
    tsr_select_options options;
    tsr__rival *rival;
    int64_t rivals, room;
    int64_t *rank, ranks;
    double *weight;
    int64_t weights;
} tsr__contest;

/* contest.c. Names of rivals are kept in `model`, which must outlive them. */
tsr_status tsr__contest_make(tsr__contest *out, tsr__names *model, const tsr_fit_options *fit,
                             const tsr_select_options *options);
void tsr__contest_clear(tsr__contest *contest);

/* Adds the baselines that suit the data and were not named. */
tsr_status tsr__contest_add_baselines(tsr__contest *contest, tsr__names *model,
                                      const tsr_data *data);

/* The candidates: ranks within models, weights within ranks; *rival gets the rival of each. */
tsr_status tsr__contest_list(tsr_selection *out, int64_t **rival, const tsr__contest *contest,
                             const tsr_data *data);

/* choice.c. What |t| exceeds by chance in one of twenty cases, for so many degrees of freedom. */
double tsr__student(int64_t degrees);

/* How much better candidate a did than b, paired over the folds: the mean, its standard
 * error, and whether that is more than chance, by Student's t at 95 %. */
typedef struct tsr__gap {
    double mean, error;
    bool sure;
} tsr__gap;
tsr__gap tsr__selection_gap(const tsr_selection *selection, int64_t a, int64_t b);

/* A candidate that could be fitted; one that is not worse than `best` by more than a standard
 * error; whether its mean is better than that of b. */
bool tsr__selection_usable(const tsr_selection *selection, int64_t i);
bool tsr__selection_near(const tsr_selection *selection, int64_t i, int64_t best);
bool tsr__selection_better(const tsr_selection *selection, int64_t a, int64_t b);

/* Mean and standard deviation of `count` numbers. */
void tsr__describe(double *mean, double *deviation, const double *number, int64_t count);

/* Describes the candidates' scores, marks the best and the chosen. */
tsr_status tsr__selection_choose(tsr_selection *selection, tsr_select_rule rule);

/* stability.c: the parts of a fit, of unit length. */
typedef struct tsr__parts {
    double *unit; /* count x features */
    int64_t count, features;
} tsr__parts;
tsr_status tsr__parts_of(tsr__parts *out, const tsr_encoder *encoder);
void tsr__parts_clear(tsr__parts *parts);

/* How alike fits are: the mean cosine of the best matched parts, over all pairs of fits. */
tsr_status tsr__parts_alike(double *out, const tsr__parts *fit, int64_t fits);

/* advice.c: what a statistician would say. `rival` is that of the chosen candidate. */
tsr_status tsr__selection_advise(tsr_selection *selection, const tsr__rival *rival,
                                 const tsr_select_options *options, const tsr_data *data);

#endif
