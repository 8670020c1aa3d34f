/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera demo: the first look. Draws labelled pictures, fits the family with two labels a class,
 * compares them in one table and writes the parts they learnt. With -o it only draws the pictures. */
#include "base/json.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/pictures.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct values {
    talk talk;
    const char *output, *folder;
    int pictures;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, folder, "folder", 0, "tessera-demo", "OUTDIR",
                 "where data and pictures go"),
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT",
                 "only draw the pictures, to this file, in any format"),
    TSR_CHOICE_ROW(struct values, pictures, "pictures", "swimmer|faces", "which ones -o draws"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* A line of the demo's table. */
struct outcome {
    const char *method;
    tsr_scores scores;
    double seconds;
};

static tsr_status path_in(char *out, size_t size, const char *folder, const char *name)
{
    const int length = snprintf(out, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size
               ? TSR_OK
               : tsr__fail(TSR_ERROR_ARGUMENT, "the folder's name is too long");
}

/* The model whose page is written, and the files that it is made of. */
static const char shown[] = "cdnmf";

static tsr_status write_report(const tsr_model *model, const tsr_data *data, const char *folder)
{
    tsr_status status = TSR_OK;
    char path[4096], command[3 * 4096];
    tsr_page_options options;
    tsr_page *page = NULL;
    tsr_settings_default(tsr_page_settings(), &options);
    (void)snprintf(command, sizeof command,
                   "tessera report %s/model.h5 --data %s/faces.h5 -o %s/report.html", folder,
                   folder, folder);
    options.title = "Twenty people, two labels each";
    options.command = command;
    TSR_TRY(path_in(path, sizeof path, folder, "model.h5"));
    TSR_TRY(tsr_model_write(model, path));
    TSR_TRY(tsr_page_model(&page, model, data, &options));
    TSR_TRY(path_in(path, sizeof path, folder, "report.html"));
    TSR_TRY(tsr_page_write(page, path));
done:
    tsr_page_free(page);
    return status;
}

/* Fits, clusters the codes and judges; writes the basis as a sheet of pictures. */
static tsr_status try_method(struct outcome *out, const tsr_data *data,
                             const struct values *values)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t n = tsr_labels_count(labels);
    tsr_fit_options fit;
    tsr_encoder *encoder = NULL;
    int32_t *of = NULL;
    char name[64], path[4096];
    const double start = tsr__clock();
    tsr_fit_defaults(&fit);
    fit.model = out->method;
    fit.rank = tsr_labels_classes(labels);
    fit.normalize = TSR_NORM_L2;
    fit.labelled = "2";
    fit.iterations = 200;
    fit.seed = 1;
    fit.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_encoder_fit(&encoder, data, &fit));
    TSR_NEW(of, n);
    const tsr_cluster_options clustering = {.clusters = tsr_labels_classes(labels),
                                            .restarts = 20,
                                            .iterations = 300,
                                            .seed = 1,
                                            .unit_codes = true};
    TSR_TRY(tsr_cluster(of, NULL, tsr_encoder_codes(encoder), &clustering));
    TSR_TRY(tsr_score_clusters(&out->scores, of, tsr_labels_of(labels), n));
    out->seconds = tsr__clock() - start;
    if (tsr_encoder_model(encoder) != NULL) {
        (void)snprintf(name, sizeof name, "parts-%s.png", out->method);
        TSR_TRY(path_in(path, sizeof path, values->folder, name));
        TSR_TRY(
            tsr_sheet_write(tsr_model_basis(tsr_encoder_model(encoder)), path, 0, 2, false));
        if (strcmp(out->method, shown) == 0)
            TSR_TRY(write_report(tsr_encoder_model(encoder), data, values->folder));
    }
done:
    tsr_encoder_free(encoder);
    tsr__free(of);
    return status;
}

static tsr_status print_json(const struct outcome *outcome, size_t count)
{
    tsr__json *root = tsr__json_new(), *list = tsr__json_array(root, "methods");
    for (size_t i = 0; i < count; i++) {
        tsr__json *item = tsr__json_object(list, NULL);
        tsr__json_text(item, "method", outcome[i].method);
        tsr__json_real(item, "accuracy", outcome[i].scores.accuracy);
        tsr__json_real(item, "nmi", outcome[i].scores.nmi);
        tsr__json_real(item, "seconds", outcome[i].seconds);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static tsr_status compare(const tsr_data *data, const struct values *values)
{
    static const char *const methods[] = {"raw",   "pca",      "nmf",  "nmf-kl",
                                          "cf",    "gnmf",     "cnmf", "cnmf-kl",
                                          "cdnmf", "cdnmf-kl", "snmf", "unmf"};
    enum { METHODS = sizeof methods / sizeof *methods };
    struct outcome outcome[METHODS];
    tsr_status status = TSR_OK;
    if (!values->talk.json)
        (void)printf("%-10s %9s %7s %8s\n", "method", "accuracy", "nmi", "seconds");
    for (size_t i = 0; i < METHODS; i++) {
        outcome[i] = (struct outcome){.method = methods[i]};
        TSR_TRY(try_method(&outcome[i], data, values));
        terminal_clear();
        if (!values->talk.json) {
            (void)printf("%-10s %7.1f %% %5.1f %% %8.2f\n", methods[i],
                         100 * outcome[i].scores.accuracy, 100 * outcome[i].scores.nmi,
                         outcome[i].seconds);
            (void)fflush(stdout);
        }
    }
    if (values->talk.json)
        TSR_TRY(print_json(outcome, METHODS));
done:
    return status;
}

static tsr_status write_pictures(tsr_data *data, const char *folder, const char *file,
                                 const char *sheet)
{
    tsr_status status = TSR_OK;
    char path[4096];
    tsr_matrix *some = NULL;
    const int64_t count = tsr_matrix_samples(tsr_data_samples(data));
    TSR_TRY(path_in(path, sizeof path, folder, file));
    TSR_TRY(tsr_data_write(data, path));
    TSR_TRY(tsr_data_name_origin(data, path));
    TSR_TRY(
        tsr_matrix_view_samples(&some, tsr_data_samples(data), 0, count < 120 ? count : 120));
    TSR_TRY(path_in(path, sizeof path, folder, sheet));
    TSR_TRY(tsr_sheet_write(some, path, 12, 2, false));
done:
    tsr_matrix_free(some);
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    const char *folder = values->folder;
    tsr_data *faces = NULL, *swimmer = NULL;
    TSR_TRY(faces_draw(&faces));
    TSR_TRY(swimmer_draw(&swimmer));
    if (values->output != NULL) {
        TSR_TRY(tsr_data_write(values->pictures == 1 ? faces : swimmer, values->output));
        goto done;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        TSR_FAIL(TSR_ERROR_IO, "%s: %s", folder, strerror(errno));
    TSR_TRY(write_pictures(faces, folder, "faces.h5", "faces.png"));
    TSR_TRY(write_pictures(swimmer, folder, "swimmer.h5", "swimmer.png"));
    if (!values->talk.quiet)
        (void)fprintf(
            stderr,
            "240 faces of 20 people are drawn to %s/faces.h5 (look at faces.png there).\n"
            "Every method below sees two labels a person; its codes are clustered and "
            "judged.\n\n",
            folder);
    TSR_TRY(compare(faces, values));
    if (!values->talk.quiet)
        (void)fprintf(
            stderr,
            "\nThe parts that each method learnt are in %s/parts-*.png, and what %s learnt is "
            "on one page: open %s/report.html in a browser.\n"
            "Next, with data of your own:\n"
            "  tessera info DATA                  what is in it\n"
            "  tessera models                     what can be fitted\n"
            "  tessera fit DATA --model cdnmf-kl --labelled 2 --normalize l2 -o model.h5\n"
            "  tessera cluster model.h5           how well the codes match the classes\n"
            "  tessera report model.h5 --data DATA -o page.html    look at it\n",
            folder, shown, folder);
done:
    tsr_data_free(faces);
    tsr_data_free(swimmer);
    return status;
}

const cli_command command_demo = {
    .name = "demo",
    .topic = "study",
    .summary =
        "Draw faces, fit the family with two labels a person, compare; or draw data to try.",
    .usage = "[options]",
    .example =
        "  tessera demo\n  tessera demo -o swimmer.h5 && tessera info swimmer.h5 --show 27",
    .least = 0,
    .most = 0,
    .size = sizeof(struct values),
    .groups = {{"drawing", settings, 0},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
