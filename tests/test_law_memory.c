/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory bound: on sparse data of 60,000 x 20,000 with a million entries a fit takes what
 * O((m + n) k) takes. One array of samples x features or of samples x samples would be
 * gigabytes. A sanitizer's own memory would hide ours, so there the test is left out. */
#include "lab.h"

#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
enum { MEASURED = 0 };
#else
enum { MEASURED = 1 };
#endif

enum { N = 60000, M = 20000, ENTRIES = 1000000, MOST = 200 };

static double peak_megabytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)usage.ru_maxrss / 1024;
}

static tsr_data *large_data(void)
{
    tsr__random random = tsr__random_seed(3, 3);
    int64_t *row = calloc(ENTRIES, sizeof *row), *column = calloc(ENTRIES, sizeof *column);
    double *value = calloc(ENTRIES, sizeof *value), *label = calloc(N, sizeof *label);
    tsr_matrix *x = NULL;
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    for (int64_t e = 0; e < ENTRIES; e++) {
        row[e] = e < N ? e : tsr__random_below(&random, N);
        column[e] = e < M ? e : tsr__random_below(&random, M);
        value[e] = 0.1 + tsr__random_uniform(&random);
    }
    for (int64_t i = 0; i < N; i++)
        label[i] = i % 10 == 0 ? (double)(i / 10 % 10) : (double)NAN;
    check_ok(tsr_matrix_create_sparse(&x, N, M, ENTRIES, row, column, value, TSR_FLOAT64));
    check_ok(tsr_labels_from_numbers(&labels, label, N));
    check_ok(tsr_data_take(&data, x, labels));
    free(row);
    free(column);
    free(value);
    free(label);
    return data;
}

static void large_and_sparse(void **state)
{
    static const char *const lines[] = {"nmf",  "nmf-kl", "cdnmf", "cdnmf-kl",
                                        "cnmf", "snmf",   "unmf",  "cf"};
    (void)state;
    if (!MEASURED)
        skip();
    tsr_data *data = large_data();
    const double before = peak_megabytes();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options options;
        lab_options_of(&options, 2, "rank=10 model=%s", lines[i]);
        tsr_model *model = lab_fit(data, &options.o);
        const double grown = peak_megabytes() - before;
        tsr_model_free(model);
        if (!(grown <= MOST))
            fail_msg("%s takes %.0f MB more, %d are allowed", lines[i], grown, (int)MOST);
    }
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_and_sparse)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
