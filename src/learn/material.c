/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Material of an experiment: the samples that trials draw from.
 *
 * Data of a file are read once. So are features, with two exceptions to be kept apart: a study
 * that clusters has no test samples, so that a dictionary of all samples gives nothing away;
 * one that classifies must not let test samples into dictionaries or weights, so that whatever
 * learns is made anew for every split, from its training files alone. */
#include "learn/experiment.h"

#include "io/folder.h"

#include <string.h>
#include <sys/stat.h>

/* Groups of samples whose file names agree up to the first underscore: views of one object. */
static tsr_status group_samples(int32_t **out, const tsr__names *names)
{
    tsr_status status = TSR_OK;
    int32_t *group = NULL, next = 0;
    if (names->count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "groups = prefix needs samples with names");
    TSR_NEW(group, names->count);
    for (int64_t i = 0; i < names->count; i++) {
        const char *name = names->name[i], *mark = strchr(name, '_');
        const size_t length = mark != NULL ? (size_t)(mark - name) : strlen(name);
        const char *last = i > 0 ? names->name[i - 1] : "";
        const bool same = i > 0 && strncmp(name, last, length) == 0 &&
                          (last[length] == '_' || last[length] == '\0');
        group[i] = same ? next - 1 : next++;
    }
    *out = group, group = NULL;
done:
    tsr__free(group);
    return status;
}

static tsr_status read_file(tsr__material *m, const char *path,
                            const tsr_experiment_options *options)
{
    const tsr__study *study = &m->protocol->study;
    tsr_read_options read = {
        .progress = options->progress, .memory = options->memory, .labels = study->labels};
    memcpy(read.size, study->size, sizeof read.size);
    return tsr_data_read(&m->data, path, &read);
}

/* True when making the features learns from them. */
static bool learning(const tsr_features_options *o)
{
    return tsr__feature_kinds[o->kind].make != tsr__pixels_make &&
           (o->dictionary == NULL || o->weigh == 2);
}

static tsr_status find_files(tsr__material *m, const char *path,
                             const tsr_experiment_options *options)
{
    tsr_status status = TSR_OK;
    m->features = m->protocol->features;
    m->features.threads = options->threads;
    m->features.progress = options->progress;
    m->each_split = m->protocol->study.task == TSR_TASK_CLASSIFY && learning(&m->features);
    if (m->features.dictionary != NULL) {
        m->dictionary = tsr__path_join(options->data, m->features.dictionary);
        if (m->dictionary == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        m->features.dictionary = m->dictionary;
    }
    TSR_TRY(tsr__sources_find(&m->sources, path, &m->features));
done:
    return status;
}

static const tsr_labels *labels_of(const tsr__material *m)
{
    return m->made ? m->sources.labels : tsr_data_labels(m->data);
}

tsr_status tsr__material_open(tsr__material *out, const tsr__protocol *protocol,
                              const tsr_experiment_options *options)
{
    tsr_status status = TSR_OK;
    tsr__material m = {.protocol = protocol, .made = protocol->study.features != NULL};
    char *path = tsr__path_join(options->data, protocol->study.data);
    struct stat about;
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (stat(path, &about) != 0)
        TSR_FAIL(TSR_ERROR_IO,
                 "%s is not there: `%s` asks for %s below the folder given by --data; "
                 "doc/reproduction.md says where public copies are described",
                 path, protocol->study.title, protocol->study.data);
    TSR_TRY(m.made ? find_files(&m, path, options) : read_file(&m, path, options));
    if (labels_of(&m) == NULL)
        TSR_FAIL(TSR_ERROR_DATA, "%s has no labels to judge by", path);
    if (protocol->study.groups != NULL)
        TSR_TRY(group_samples(&m.group, m.made ? &m.sources.files : &m.data->sample_names));
    *out = m;
    m = (tsr__material){.protocol = NULL};
done:
    tsr__free(path);
    tsr__material_clear(&m);
    return status;
}

bool tsr__material_shared(const tsr__material *m, const tsr__trial *a, const tsr__trial *b)
{
    return !m->each_split || tsr__trial_same_split(a, b, m->protocol);
}

/* Histograms are mostly zeros, and models are fitted faster to what is not. */
static tsr_status thin(tsr_data *data)
{
    tsr_matrix *sparse = NULL;
    if (tsr_matrix_is_sparse(data->x))
        return TSR_OK;
    const tsr_status status = tsr_matrix_copy_as(&sparse, data->x, TSR_FLOAT64, true);
    if (status == TSR_OK) {
        tsr_matrix_free(data->x);
        data->x = sparse;
    }
    return status;
}

tsr_status tsr__material_make(tsr__material *m, const tsr__trial *trial)
{
    tsr_status status = TSR_OK;
    const int64_t files = m->sources.files.count;
    tsr_features_options options = m->features;
    bool *learn = NULL;
    if (!m->made || (m->data != NULL && tsr__material_shared(m, &m->of, trial)))
        return TSR_OK;
    tsr_data_free(m->data);
    m->data = NULL;
    if (m->each_split) {
        TSR_NEW_ZERO(learn, files);
        TSR_TRY(tsr__trial_learns(learn, trial, m->protocol, labels_of(m), m->group));
        options.seed = m->protocol->study.seed * 1000003 + trial->draw;
    }
    TSR_TRY(tsr__features_make(&m->data, &m->sources, learn, &options));
    /* splits are drawn among files: each must have become a sample */
    if (tsr_matrix_samples(m->data->x) != files)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%lld of %lld files became samples: small = zero keeps the others",
                 (long long)tsr_matrix_samples(m->data->x), (long long)files);
    if (tsr__feature_kinds[options.kind].make != tsr__pixels_make)
        TSR_TRY(thin(m->data));
    m->of = *trial;
done:
    tsr__free(learn);
    return status;
}

void tsr__material_clear(tsr__material *m)
{
    tsr__sources_clear(&m->sources);
    tsr_data_free(m->data);
    tsr__free(m->group);
    tsr__free(m->dictionary);
    *m = (tsr__material){.protocol = NULL};
}
