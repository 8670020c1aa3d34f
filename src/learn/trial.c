/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Trials of an experiment: a fit, and what each of the methods that share it makes of its codes.
 *
 * Clustering: N classes are drawn, the method sees the share of labels that the protocol says,
 * its codes are clustered, and the clusters are judged over all samples, as the papers do.
 * Classification: the basis is learnt on the training samples; training and test samples are
 * then encoded by the same map, and the nearest training samples vote. Where vectors are
 * ranked, the number kept is the one with the best leave-one-out accuracy on the training
 * samples: test labels are used for nothing but the score.
 *
 * Draws depend on the study's seed, the row's classes and the draw, not on the method: methods
 * are compared on the same draws. */
#include "learn/experiment.h"

#include "base/random.h"
#include "matrix/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples of a draw. */
typedef struct sampling {
    int64_t *sample, count, room;
} sampling;

static tsr_status add_sample(sampling *s, int64_t i)
{
    tsr_status status = TSR_OK;
    TSR_GROW(s->sample, s->count, s->room);
    s->sample[s->count++] = i;
done:
    return status;
}

static int64_t row_value(const tsr__trial *t, const tsr__protocol *p, const char *key,
                         int64_t otherwise)
{
    const bool varied = p->key != NULL && strcmp(p->key, key) == 0;
    return varied ? strtoll(p->values.name[t->row], NULL, 10) : otherwise;
}

/* True when rows differ in the samples that they draw. */
static bool rows_split(const tsr__protocol *p)
{
    static const char *const keys[] = {"classes", "folds", "train"};
    bool found = false;
    for (size_t i = 0; p->key != NULL && i < sizeof keys / sizeof *keys; i++)
        found = found || strcmp(p->key, keys[i]) == 0;
    return found;
}

bool tsr__trial_same_split(const tsr__trial *a, const tsr__trial *b, const tsr__protocol *p)
{
    return a->draw == b->draw && (a->row == b->row || !rows_split(p));
}

/* The method with the row's setting, a rank that fits the draw, and its own seed. */
static tsr_status settle_method(tsr__method *out, const tsr__trial *t, const tsr__protocol *p,
                                int64_t classes)
{
    tsr__method m = p->method[t->method];
    tsr_status status = TSR_OK;
    if (p->key != NULL && !rows_split(p))
        TSR_TRY(tsr__method_set(&m, p->key, p->values.name[t->row]));
    if (m.rank_per_class > 0)
        m.fit.rank = m.rank_per_class * classes + m.fit.shared;
    m.fit.seed = p->study.seed * 1000003 + t->draw;
    m.fit.threads = 1; /* trials run side by side */
    *out = m;
done:
    return status;
}

/* The samples of `wanted` classes drawn at random (0: all classes). */
static tsr_status draw_classes(sampling *out, const tsr__trial *t, const tsr__protocol *p,
                               const tsr_labels *labels, int64_t wanted)
{
    tsr_status status = TSR_OK;
    const int32_t classes = tsr_labels_classes(labels);
    tsr__random random =
        tsr__random_seed((uint64_t)p->study.seed, (uint64_t)(wanted * 1000003 + t->draw + 1));
    int64_t *order = NULL;
    bool *chosen = NULL;
    if (wanted > classes)
        TSR_FAIL(TSR_ERROR_DATA, "%lld classes cannot be drawn from %d", (long long)wanted,
                 classes);
    TSR_NEW(order, classes);
    TSR_NEW_ZERO(chosen, classes);
    for (int32_t c = 0; c < classes; c++)
        order[c] = c;
    tsr__random_shuffle(&random, order, classes);
    for (int64_t c = 0; c < (wanted > 0 ? wanted : classes); c++)
        chosen[order[c]] = true;
    for (int64_t i = 0; i < tsr_labels_count(labels); i++)
        if (tsr_labels_of(labels)[i] >= 0 && chosen[tsr_labels_of(labels)[i]])
            TSR_TRY(add_sample(out, i));
done:
    tsr__free(order);
    tsr__free(chosen);
    return status;
}

static tsr_status cluster(tsr__trial *t, const tsr__fitting *f, const tsr__method *m)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(f->part[0]);
    const tsr_matrix *codes = tsr_encoder_codes(f->encoder);
    const int64_t n = tsr_matrix_samples(codes), classes = tsr_labels_classes(labels);
    int32_t *of = NULL;
    tsr_scores scores;
    TSR_NEW(of, n);
    TSR_NEW(t->confusion, classes * classes);
    const tsr_cluster_options options = {.clusters = classes,
                                         .restarts = m->clusterings,
                                         .iterations = 300,
                                         .seed = m->fit.seed,
                                         .threads = 1,
                                         .unit_codes = m->unit_codes,
                                         .held =
                                             m->seeded ? tsr_encoder_seen(f->encoder) : NULL};
    TSR_TRY(tsr_cluster(of, NULL, codes, &options));
    TSR_TRY(tsr_score_clusters(&scores, of, tsr_labels_of(labels), n));
    TSR_TRY(tsr_map_clusters(of, of, tsr_labels_of(labels), n));
    tsr_confusion(t->confusion, tsr_labels_of(labels), of, n, (int32_t)classes);
    t->accuracy = scores.accuracy;
    t->nmi = scores.nmi;
    t->rank = tsr_matrix_features(codes);
done:
    tsr__free(of);
    return status;
}

/* Training and test samples: a fold, or so many of each class. */
static tsr_status split_fold(sampling part[2], const tsr__trial *t, const tsr__protocol *p,
                             const tsr_labels *labels, const int32_t *group, int64_t folds)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_labels_count(labels);
    int32_t *fold = NULL;
    TSR_NEW(fold, n);
    TSR_TRY(tsr_make_folds(fold, tsr_labels_of(labels), group, n, folds,
                           p->study.seed + t->draw / folds));
    for (int64_t i = 0; i < n; i++)
        TSR_TRY(add_sample(&part[fold[i] == t->draw % folds], i));
done:
    tsr__free(fold);
    return status;
}

/* The test samples come first: they are the same for every number of training samples, and
 * larger training sets hold the smaller ones. */
static tsr_status split_classes(sampling part[2], const tsr__trial *t, const tsr__protocol *p,
                                const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_labels_count(labels);
    const int64_t train = row_value(t, p, "train", p->study.train);
    tsr__random random = tsr__random_seed((uint64_t)p->study.seed, (uint64_t)t->draw + 1);
    int64_t *member = NULL;
    if (train < 1 || p->study.test < 1)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "train = %lld and test = %lld samples a class: both must be at least 1",
                 (long long)train, (long long)p->study.test);
    TSR_NEW(member, n);
    for (int32_t c = 0; c < tsr_labels_classes(labels); c++) {
        int64_t members = 0;
        for (int64_t i = 0; i < n; i++)
            if (tsr_labels_of(labels)[i] == c)
                member[members++] = i;
        if (members < train + p->study.test)
            TSR_FAIL(TSR_ERROR_DATA, "class %s has %lld samples, %lld + %lld are wanted",
                     tsr_labels_name(labels, c), (long long)members, (long long)train,
                     (long long)p->study.test);
        tsr__random_shuffle(&random, member, members);
        for (int64_t i = 0; i < train + p->study.test; i++)
            TSR_TRY(add_sample(&part[i < p->study.test], member[i]));
    }
done:
    tsr__free(member);
    return status;
}

/* Share of samples whose nearest other sample is of their class. */
static tsr_status leave_one_out(double *out, const tsr_matrix *codes, const int32_t *classes)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(codes);
    int64_t *index = NULL, right = 0;
    double *square = NULL;
    TSR_NEW(index, n);
    TSR_NEW(square, n);
    TSR_TRY(tsr__nearest_samples(index, square, codes, codes, 1, 1));
    for (int64_t i = 0; i < n; i++)
        right += index[i] >= 0 && classes[index[i]] == classes[i];
    *out = (double)right / (double)n;
done:
    tsr__free(index);
    tsr__free(square);
    return status;
}

/* Codes by the first `kept` vectors of an order alone: where codes solve for all vectors together
 * they are others than those by all. */
static tsr_status encode_kept(tsr_matrix **codes, const tsr_encoder *encoder,
                              const int64_t *order, int64_t kept, const tsr_data *data,
                              const tsr_transform_options *how)
{
    tsr_status status = TSR_OK;
    tsr_model *some = NULL;
    TSR_TRY(tsr_model_keep(&some, tsr_encoder_model(encoder), order, kept));
    TSR_TRY(tsr_model_transform(codes, some, data, how));
done:
    tsr_model_free(some);
    return status;
}

/* How many vectors of the order serve the training samples best. */
static tsr_status choose_kept(int64_t *out, const tsr_encoder *encoder, const int64_t *order,
                              int64_t k, const tsr_data *train,
                              const tsr_transform_options *how)
{
    tsr_status status = TSR_OK;
    const int64_t steps = k < 20 ? k : 20;
    tsr_matrix *codes = NULL;
    double best = -1;
    for (int64_t step = 1; step <= steps; step++) {
        const int64_t kept = k * step / steps;
        double right = 0;
        TSR_TRY(encode_kept(&codes, encoder, order, kept, train, how));
        TSR_TRY(leave_one_out(&right, codes, tsr_labels_of(tsr_data_labels(train))));
        tsr_matrix_free(codes);
        codes = NULL;
        if (right > best) {
            best = right;
            *out = kept;
        }
    }
done:
    tsr_matrix_free(codes);
    return status;
}

static tsr_status encode_ranked(tsr_matrix *codes[2], const tsr__fitting *f,
                                const tsr__method *m, const tsr_transform_options *how)
{
    enum { NO, FISHER, LRE, LEARNT };
    tsr_status status = TSR_OK;
    const tsr_model *model = tsr_encoder_model(f->encoder);
    const tsr_data *train = f->part[0];
    int64_t *order = NULL, kept = 0;
    tsr_matrix *x = NULL; /* as the model sees them: normalised */
    if (model == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s has no basis to rank", m->name);
    const int64_t k = tsr_model_report(model).rank;
    TSR_NEW(order, k);
    for (int64_t i = 0; i < k; i++)
        order[i] = i;
    TSR_TRY(tsr_model_prepare(&x, model, train));
    if (m->ranked != LEARNT)
        TSR_TRY(tsr_rank_basis(order, NULL, tsr_model_basis(model), tsr_model_codes(model), x,
                               tsr_labels_of(tsr_data_labels(train)),
                               m->ranked == FISHER ? TSR_RANK_FISHER : TSR_RANK_LRE));
    TSR_TRY(choose_kept(&kept, f->encoder, order, k, train, how));
    for (int side = 0; side < 2; side++)
        TSR_TRY(encode_kept(&codes[side], f->encoder, order, kept, f->part[side], how));
done:
    tsr_matrix_free(x);
    tsr__free(order);
    return status;
}

/* Classes of the test samples in the numbering of the training labels: both share the names. */
static int32_t class_in(const tsr_labels *labels, const char *name)
{
    for (int32_t c = 0; c < tsr_labels_classes(labels); c++)
        if (strcmp(tsr_labels_name(labels, c), name) == 0)
            return c;
    return -1;
}

static tsr_status score(tsr__trial *t, tsr_matrix *const codes[2], tsr_data *const part[2],
                        const tsr__method *m)
{
    tsr_status status = TSR_OK;
    const tsr_labels *train = tsr_data_labels(part[0]), *test = tsr_data_labels(part[1]);
    const int64_t n = tsr_matrix_samples(codes[1]), classes = tsr_labels_classes(train);
    int64_t right = 0;
    int32_t *predicted = NULL, *truth = NULL;
    TSR_NEW(predicted, n);
    TSR_NEW(truth, n);
    TSR_NEW(t->confusion, classes * classes);
    TSR_TRY(tsr_classify(predicted, codes[0], tsr_labels_of(train), codes[1], m->vote, 1));
    for (int64_t i = 0; i < n; i++) {
        truth[i] = class_in(train, tsr_labels_name(test, tsr_labels_of(test)[i]));
        right += truth[i] == predicted[i];
    }
    tsr_confusion(t->confusion, truth, predicted, n, tsr_labels_classes(train));
    t->accuracy = (double)right / (double)n;
    t->nmi = (double)NAN;
    t->rank = tsr_matrix_features(codes[0]);
done:
    tsr__free(predicted);
    tsr__free(truth);
    return status;
}

static tsr_status classify(tsr__trial *t, const tsr__fitting *f, const tsr__method *m)
{
    tsr_status status = TSR_OK;
    tsr_matrix *codes[2] = {NULL, NULL};
    tsr_transform_options encode = {0}; /* the table has not every member */
    tsr_settings_default(tsr_transform_settings(), &encode);
    encode.method = m->encode;
    encode.threads = 1;
    if (m->ranked > 0)
        TSR_TRY(encode_ranked(codes, f, m, &encode));
    for (int side = 0; m->ranked == 0 && side < 2; side++)
        TSR_TRY(tsr_encoder_encode(&codes[side], f->encoder, f->part[side], &encode));
    for (int side = 0; m->unit_codes && side < 2; side++)
        TSR_TRY(tsr_matrix_normalize(codes[side], TSR_NORM_L2));
    TSR_TRY(score(t, codes, f->part, m));
done:
    for (int side = 0; side < 2; side++)
        tsr_matrix_free(codes[side]);
    return status;
}

static tsr_status split(sampling part[2], const tsr__trial *t, const tsr__protocol *p,
                        const tsr_labels *labels, const int32_t *group)
{
    const int64_t folds = row_value(t, p, "folds", p->study.folds);
    if (p->study.task == TSR_TASK_CLUSTER)
        return draw_classes(&part[0], t, p, labels,
                            row_value(t, p, "classes", p->study.classes));
    return folds > 0 ? split_fold(part, t, p, labels, group, folds)
                     : split_classes(part, t, p, labels);
}

tsr_status tsr__trial_learns(bool *learn, const tsr__trial *t, const tsr__protocol *p,
                             const tsr_labels *labels, const int32_t *group)
{
    tsr_status status = TSR_OK;
    sampling sample[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    TSR_TRY(split(sample, t, p, labels, group));
    for (int64_t i = 0; i < sample[0].count; i++)
        learn[sample[0].sample[i]] = true;
done:
    for (int side = 0; side < 2; side++)
        tsr__free(sample[side].sample);
    return status;
}

tsr_status tsr__fitting_make(tsr__fitting *out, const tsr__trial *t, const tsr__protocol *p,
                             const tsr_data *data, const int32_t *group)
{
    tsr_status status = TSR_OK;
    sampling sample[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    tsr__fitting f = {{NULL, NULL}, NULL};
    tsr__method m;
    TSR_TRY(split(sample, t, p, tsr_data_labels(data), group));
    for (int side = 0; side < (p->study.task == TSR_TASK_CLUSTER ? 1 : 2); side++)
        TSR_TRY(tsr__data_some(&f.part[side], data, sample[side].sample, sample[side].count));
    TSR_TRY(settle_method(&m, t, p, tsr_labels_classes(tsr_data_labels(f.part[0]))));
    if (m.whole_rank) {
        const int64_t features = tsr_matrix_features(tsr_data_samples(data));
        m.fit.rank = sample[1].count;
        m.fit.rank = m.fit.rank < features ? m.fit.rank : features;
        m.fit.rank = m.fit.rank < sample[0].count ? m.fit.rank : sample[0].count;
    }
    TSR_TRY(tsr_encoder_fit(&f.encoder, f.part[0], &m.fit));
    *out = f;
    f = (tsr__fitting){{NULL, NULL}, NULL};
done:
    for (int side = 0; side < 2; side++)
        tsr__free(sample[side].sample);
    tsr__fitting_clear(&f);
    return status;
}

tsr_status tsr__fitting_judge(const tsr__fitting *f, tsr__trial *t, const tsr__protocol *p)
{
    tsr_status status = TSR_OK;
    tsr__method m;
    TSR_TRY(settle_method(&m, t, p, tsr_labels_classes(tsr_data_labels(f->part[0]))));
    TSR_TRY(p->study.task == TSR_TASK_CLUSTER ? cluster(t, f, &m) : classify(t, f, &m));
done:
    return status;
}

void tsr__fitting_clear(tsr__fitting *f)
{
    for (int side = 0; side < 2; side++)
        tsr_data_free(f->part[side]);
    tsr_encoder_free(f->encoder);
    *f = (tsr__fitting){{NULL, NULL}, NULL};
}
