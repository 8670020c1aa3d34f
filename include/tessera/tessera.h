/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tessera: parts-based representations of images, histograms and documents, learnt from many
 * samples and a few labels.
 *
 * This header is the whole public interface and reads top to bottom as a manual:
 *
 *     1. Status and messages      every call that can fail says how it went
 *     2. Settings                 options are described by tables that programs can walk
 *     3. Progress and teams       long work reports, and can be stopped; several processes share it
 *     4. Matrices                 samples are rows; dense or sparse; float or double
 *     5. Labels                   a class for some of the samples
 *     6. Data                     what a file or folder holds: samples, labels, names
 *     7. Features                 samples from pictures and texts: visual words, bags of words
 *     8. Models                   the table of methods
 *     9. Fitting                  a model from data
 *    10. Using a fitted model     codes of new samples, classes, files
 *    11. Encoders                 models and baselines behind one interface
 *    12. Judging                  clustering, neighbours, folds, choice and ranking of vectors
 *    13. Pictures                 of basis vectors, of a sample's parts, of where they are at work
 *    14. Experiments              published tables, made again
 *    15. Pages                    what was learnt, to be looked at
 *
 * Synopsis
 *
 *     tsr_data *faces = NULL;
 *     if (tsr_data_read(&faces, "faces.mat", NULL) < 0)
 *         fprintf(stderr, "%s\n", tsr_message());
 *     else
 *         printf("%lld samples\n", (long long)tsr_matrix_samples(tsr_data_samples(faces)));
 *     tsr_data_free(faces);
 *
 * Conventions
 *
 *     A function that can fail returns tsr_status, takes its outputs first, and leaves them
 *     untouched when it fails. An object that comes out through a pointer to a pointer belongs
 *     to the caller and is released by its _free, which accepts NULL. An object that is returned
 *     by a getter belongs to its parent. Sizes and indices are int64_t and count from 0. The
 *     library never prints, aborts or exits, changes nothing about signals, and keeps no global
 *     state but the text of the last message, which is per thread.
 *
 * Arguments
 *
 *     A pointer must not be NULL, but for `options`, where NULL means the defaults; for what is
 *     said to be `name` (or NULL); for an array whose count is 0; and for _free. Enumerators are
 *     those that are declared, counts are not negative, indices exist, names and paths are not
 *     empty, classes are -1 or more, numbers are no NaN. A seed is any number. Members of options
 *     are in the range of their table; a text that has a default there is not NULL.
 *
 *     Whatever else comes is refused: a function that returns tsr_status answers
 *     TSR_ERROR_ARGUMENT (TSR_ERROR_DATA where it is the contents of a matrix that do not fit) with
 *     a message that names the argument; a getter answers 0, false, NaN, NULL or a struct of
 *     zeros; a function without a result does nothing.
 *
 *     Not promised: a pointer that is neither NULL nor valid, or an array that is shorter than its
 *     count or stride says, is not noticed. And where this library asks for memory in vain it
 *     answers TSR_ERROR_MEMORY, but two libraries below it end the process: BLIS, which multiplies
 *     matrices, aborts when it gets no room for its blocks (some MB a thread), and libgomp exits
 *     when it gets no memory or no thread. */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TSR_API __attribute__((visibility("default")))
#else
#define TSR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 1. Status and messages ------------------------------------------------------------------ */

typedef enum tsr_status {
    TSR_OK = 0,
    TSR_ERROR_MEMORY = -1,      /* an allocation failed, or would exceed this machine */
    TSR_ERROR_ARGUMENT = -2,    /* the caller asked for something that makes no sense */
    TSR_ERROR_DATA = -3,        /* the numbers or labels cannot be used as asked */
    TSR_ERROR_FORMAT = -4,      /* a file is not what it claims to be */
    TSR_ERROR_IO = -5,          /* the operating system refused */
    TSR_ERROR_UNSUPPORTED = -6, /* well formed, but not something this build does */
    TSR_ERROR_INTERRUPTED = -7, /* the progress callback asked to stop */
    TSR_ERROR_DIVERGED = -8     /* an objective without a lower bound ran away */
} tsr_status;

/* The text of this thread's last failure: value, limit and subject. Never NULL. */
TSR_API const char *tsr_message(void);

/* A short name of a status, such as "memory". Never NULL. */
TSR_API const char *tsr_status_name(tsr_status status);

/* The library's version, such as "0.1.0". */
TSR_API const char *tsr_version(void);

/* The set of kernels that computes here: "v4" (AVX-512), "v3" (AVX2) or "base". TSR_ERROR_ARGUMENT
 * where the environment's TESSERA_KERNELS names what is no set or does not run on this processor:
 * the best set is then taken, and a program may rather refuse. */
TSR_API tsr_status tsr_kernels(const char **name);

/* For programs, before any other call: HDF5, which is below this library, shall not tidy up when
 * the process exits. What a full disk made it leave open it would try to write again, and crash. */
TSR_API void tsr_leave_exit(void);

/* 2. Settings ----------------------------------------------------------------------------- */

/* An options struct is described by a table of settings, one row a member, ended by a row
 * without a name. Defaults, validation, command-line help and records are all read from it. The
 * structs themselves are for C and C++; whoever has no compiler takes options by name (below). */
typedef enum tsr_setting_kind {
    TSR_SETTING_FLAG,    /* bool        */
    TSR_SETTING_INTEGER, /* int64_t     */
    TSR_SETTING_REAL,    /* double      */
    TSR_SETTING_CHOICE,  /* int, the position in `values` */
    TSR_SETTING_PAIR,    /* int64_t[2], written 32x24 */
    TSR_SETTING_TEXT,    /* const char *, borrowed from the caller */
    TSR_SETTING_OBJECT,  /* pointer to const, given from memory and borrowed; no text says it */
    TSR_SETTING_NOTE,    /* char[], a text within the struct: of results alone */
    TSR_SETTING_SIZE     /* int64_t of bytes, written 2G: K, M, G, T are powers of 1024 */
} tsr_setting_kind;

typedef struct tsr_setting {
    const char *name;        /* as on the command line, without the dashes */
    char letter;             /* one-letter form, or 0 */
    tsr_setting_kind kind;   /* type of the member */
    size_t offset;           /* of the member in its struct */
    double minimum, maximum; /* legal range of numbers, both included */
    const char *fallback;    /* default, as a user would write it; NULL: zero, false, none */
    const char *values;      /* choices "a|b|c", or what the value is: "FILE", "N", "matrix" */
    const char *help;        /* one line */
} tsr_setting;

/* Fills `object` with the defaults of its table. */
TSR_API void tsr_settings_default(const tsr_setting *table, void *object);

/* Sets one member from text; names the setting, the value and the limits on failure. */
TSR_API tsr_status tsr_settings_set(const tsr_setting *table, void *object, const char *name,
                                    const char *value);

/* Checks every number and choice of `object` against its table. */
TSR_API tsr_status tsr_settings_check(const tsr_setting *table, const void *object);

/* Options by name: made with the defaults of the table that is called `name`, set and read as
 * texts, given what lies in memory, and handed to the function that takes the struct of that table.
 * The tables are
 *
 *     read features fit transform cluster validate select overlay experiment page
 *
 * Texts are copied; objects are borrowed and must outlive the calls that use them. */
typedef struct tsr_options tsr_options;
TSR_API tsr_status tsr_options_create(tsr_options **out, const char *name);
TSR_API void tsr_options_free(tsr_options *object);
TSR_API tsr_status tsr_options_set(tsr_options *object, const char *name, const char *value);

/* A matrix, progress or whatever else `values` of the row says; `given` (or NULL): none. */
TSR_API tsr_status tsr_options_give(tsr_options *object, const char *name, const void *given);

/* The value as a user would write it, "" where there is none; of an object "in memory". Good until
 * the same setting is asked for or set again. NULL: there is no such setting. */
TSR_API const char *tsr_options_get(tsr_options *object, const char *name);

/* The struct that it stands for, to be passed on. */
TSR_API const void *tsr_options_values(const tsr_options *object);

/* The rows of a table, and the name of table `i`; NULL: there is none. */
TSR_API const tsr_setting *tsr_options_table(const char *name);
TSR_API const char *tsr_options_name(int64_t i);

/* Results are structs as well, and described alike, so that no binding has to repeat them:
 *
 *     step scan format model report judgement scores validation selection candidate term part
 *     overlay
 *
 * *size gets that of the struct. NULL: there is no such result. */
TSR_API const tsr_setting *tsr_result_table(size_t *size, const char *name);

/* Counts the changes of any of these structs. A program that was compiled with another number must
 * not pass structs to this library; options by name go on working. */
#define TSR_STRUCTS 9
TSR_API int64_t tsr_structs(void);

/* 3. Progress and teams ------------------------------------------------------------------- */

typedef struct tsr_step {
    const char *task;    /* what is being done: "reading images" */
    int64_t done, total; /* total is 0 when it is not known */
    double seconds;      /* since the task began */
    double objective;    /* NaN where there is none */
    double change;       /* relative change of the objective, NaN where there is none */
    const char *note;    /* what should be said at once, or NULL */
} tsr_step;

/* Called between steps of long work, never concurrently. Return false to stop it. */
typedef struct tsr_progress {
    bool (*report)(void *user, const tsr_step *step);
    void *user;
} tsr_progress;

/* A team: `ranks` processes, on one machine or on many, that make one result together. Each makes
 * the same calls with the same arguments and has its share of the samples; all get the same result,
 * which the same plan makes of the same bits for any number of ranks that divides its leaves (1, 2, 4,
 * 8). A failure of one rank is a failure of all, with its message. Data that were read for a team
 * (tsr_read_options.team, tsr_data_set_team) are worked on by it.
 *
 * All that a team needs is `swap`. The library makes the other four of it (tsr_team_create); who has
 * better ones puts them in their places. They are called by one thread at a time, by all ranks in the
 * same order; what they answer below zero is a failure.
 *
 *     swap         sends `sent` bytes to rank `to` and receives `wanted` from rank `from`, at once; -1:
 *                  there is nobody. Messages from one rank to another do not overtake each other
 *     sum_scatter  adds the arrays of all ranks; rank r gets elements first[r] .. of count[r] of the sum,
 *                  what else there was is lost. Who promises the same bits for other numbers of ranks
 *                  adds neighbours first: (0 + 1) + (2 + 3), and so on
 *     gather       each rank has bytes first[r] .. of count[r], and gets those of all others
 *     exchange     sent[r] bytes go to rank r, one rank's after another's, and wanted[r] come from it
 *     agree        the least of what the ranks bring */
typedef struct tsr_team tsr_team;
typedef tsr_status (*tsr_swap)(void *user, int to, const void *send, int64_t sent, int from,
                               void *receive, int64_t wanted);
struct tsr_team {
    int rank, ranks;
    void *user; /* of swap */
    tsr_swap swap;
    tsr_status (*sum_scatter)(tsr_team *team, double *sums, const int64_t *first,
                              const int64_t *count);
    tsr_status (*gather)(tsr_team *team, void *bytes, const int64_t *first,
                         const int64_t *count);
    tsr_status (*exchange)(tsr_team *team, const void *send, const int64_t *sent, void *receive,
                           const int64_t *wanted);
    tsr_status (*agree)(tsr_team *team, int64_t *least);
    struct tsr_team_state *state; /* the library's own */
};

/* A team of these ranks, each of which makes its own. `user` (or NULL) is for `swap`; it must outlive
 * the team, and that the data that were read for it. */
TSR_API tsr_status tsr_team_create(tsr_team **out, int rank, int ranks, tsr_swap swap,
                                   void *user);
TSR_API void tsr_team_free(tsr_team *team);

/* For programs that do more than one call, or write files: what one rank fails at between
 * tsr_team_enter and tsr_team_leave, all fail at. leave takes how it went here and returns how it
 * went for the team, with the message of the first rank that failed. Calls of this library in
 * between say so by themselves, and a rank that has one of them left to make may leave at once.
 * `team` (or NULL: this process alone) is one that tsr_team_create made. */
TSR_API void tsr_team_enter(tsr_team *team);
TSR_API tsr_status tsr_team_leave(tsr_team *team, tsr_status status);

/* 4. Matrices ----------------------------------------------------------------------------- */

/* Samples are rows, features are columns. Dense values lie row by row, `stride` values from one
 * row to the next. Sparse values are compressed rows: those of row i stand at
 * rows[i] .. rows[i+1]-1, with ascending columns and no entry twice. */
typedef struct tsr_matrix tsr_matrix;

typedef enum tsr_type { TSR_FLOAT64 = 0, TSR_FLOAT32 = 1 } tsr_type;

/* Row i of an image matrix is a picture of `height` x `width` pixels, stored row by row or
 * column by column (MATLAB). height = 0: the samples are no pictures. */
typedef enum tsr_image_order { TSR_ROW_ORDER = 0, TSR_COLUMN_ORDER = 1 } tsr_image_order;
typedef struct tsr_image_shape {
    int64_t height, width;
    tsr_image_order order;
} tsr_image_shape;

/* A dense matrix of zeros, owned. */
TSR_API tsr_status tsr_matrix_create(tsr_matrix **out, int64_t samples, int64_t features,
                                     tsr_type type);

/* A dense matrix over the caller's values, which must outlive it. Nothing is copied, and nothing
 * is written: what changes a matrix refuses views. */
TSR_API tsr_status tsr_matrix_view_dense(tsr_matrix **out, const void *values, int64_t samples,
                                         int64_t features, int64_t stride, tsr_type type);

/* A dense matrix of values that lie column by column, `stride` from one column to the next. All
 * that is done with samples reads them row by row: a copy. */
TSR_API tsr_status tsr_matrix_copy_columns(tsr_matrix **out, const void *values,
                                           int64_t samples, int64_t features, int64_t stride,
                                           tsr_type type);

/* A sparse matrix over the caller's arrays, which must outlive it. Row pointers are checked,
 * columns must ascend within a row: O(non-zeros). */
TSR_API tsr_status tsr_matrix_view_sparse(tsr_matrix **out, const int64_t *rows,
                                          const int32_t *columns, const void *values,
                                          int64_t samples, int64_t features, tsr_type type);

/* The same of arrays as other programs have them: `starts` and `indices` both of 32 or both of 64
 * bits. By rows (CSR) the values are viewed; indices too where they have 32 bits, else they are
 * copied, as starts are where they have not 64. By columns (CSC: starts of columns, indices of rows)
 * the matrix is a copy by rows that knows the caller's arrays as well, so that a fit has no need to
 * turn it again: where they have 32 bits, it needs no more memory than a matrix by rows. */
typedef enum tsr_index { TSR_INDEX32 = 0, TSR_INDEX64 = 1 } tsr_index;
TSR_API tsr_status tsr_matrix_view_rows(tsr_matrix **out, const void *starts,
                                        const void *indices, tsr_index index,
                                        const void *values, int64_t samples, int64_t features,
                                        tsr_type type);
TSR_API tsr_status tsr_matrix_view_columns(tsr_matrix **out, const void *starts,
                                           const void *indices, tsr_index index,
                                           const void *values, int64_t samples,
                                           int64_t features, tsr_type type);

/* A sparse matrix from `count` entries in any order; equal positions are summed, zeros kept
 * out. The values are doubles. O(count + samples + features). */
TSR_API tsr_status tsr_matrix_create_sparse(tsr_matrix **out, int64_t samples, int64_t features,
                                            int64_t count, const int64_t *row,
                                            const int64_t *column, const double *value,
                                            tsr_type type);

/* Samples first .. first+count-1 of x, sharing its memory: x must outlive the view. */
TSR_API tsr_status tsr_matrix_view_samples(tsr_matrix **out, const tsr_matrix *x, int64_t first,
                                           int64_t count);

/* Copies: the samples that `sample` (or NULL: all) gives, in its order; features as samples;
 * another type; dense or sparse. The result is owned and shares nothing with x. */
TSR_API tsr_status tsr_matrix_copy_samples(tsr_matrix **out, const tsr_matrix *x,
                                           const int64_t *sample, int64_t count);
TSR_API tsr_status tsr_matrix_copy_transposed(tsr_matrix **out, const tsr_matrix *x);
TSR_API tsr_status tsr_matrix_copy_as(tsr_matrix **out, const tsr_matrix *x, tsr_type type,
                                      bool sparse);

TSR_API void tsr_matrix_free(tsr_matrix *x);

TSR_API int64_t tsr_matrix_samples(const tsr_matrix *x);
TSR_API int64_t tsr_matrix_features(const tsr_matrix *x);
TSR_API int64_t
tsr_matrix_stored(const tsr_matrix *x); /* values held: dense all, sparse some */
TSR_API tsr_type tsr_matrix_type(const tsr_matrix *x);
TSR_API bool tsr_matrix_is_sparse(const tsr_matrix *x);
TSR_API tsr_image_shape tsr_matrix_image(const tsr_matrix *x);

/* Says that the samples are pictures; height x width must be the number of features. */
TSR_API tsr_status tsr_matrix_set_image(tsr_matrix *x, tsr_image_shape shape);

/* Entry (sample, feature), whatever the storage; NaN where there is none. For looking, not for
 * loops: a sparse look-up is a binary search. */
TSR_API double tsr_matrix_at(const tsr_matrix *x, int64_t sample, int64_t feature);

/* A sample as doubles into `out` (one value a feature), whatever the storage. */
TSR_API void tsr_matrix_get_sample(double *out, const tsr_matrix *x, int64_t sample);

/* The arrays themselves, owned by x: values; for sparse x also row pointers and columns. Values to
 * be changed are NULL for a view. */
TSR_API const void *tsr_matrix_values(const tsr_matrix *x);
TSR_API void *tsr_matrix_edit(tsr_matrix *x);
TSR_API int64_t tsr_matrix_stride(const tsr_matrix *x);
TSR_API const int64_t *tsr_matrix_rows(const tsr_matrix *x);
TSR_API const int32_t *tsr_matrix_columns(const tsr_matrix *x);

/* What one pass over the values shows. Positions are -1 where there is nothing to point at. */
typedef struct tsr_scan {
    double minimum, maximum;                 /* of the finite values, implied zeros included */
    int64_t nonzeros;                        /* values other than zero */
    int64_t not_finite, first_not_finite[2]; /* NaN or infinite: how many; sample, feature */
    int64_t infinite;                        /* how many of them are infinite */
    int64_t negative, first_negative[2];     /* below zero: how many; sample, feature */
    int64_t empty_samples, first_empty_sample;
    int64_t empty_features, first_empty_feature;
    bool unit_samples; /* every non-empty sample has L2 norm 1, to the accuracy of the type */
} tsr_scan;

TSR_API tsr_status tsr_matrix_scan(tsr_scan *out, const tsr_matrix *x);

/* Refuses what a later step cannot use and names the first offending entry.
 * `subject` (or NULL: "the data") is what the message calls the matrix. */
typedef enum tsr_need {
    TSR_NEED_FINITE = 1,       /* no NaN, no infinity */
    TSR_NEED_NOT_INFINITE = 2, /* NaN stands for a missing value */
    TSR_NEED_NON_NEGATIVE = 4,
    TSR_NEED_FULL_SAMPLES = 8,
    TSR_NEED_FULL_FEATURES = 16
} tsr_need;
TSR_API tsr_status tsr_matrix_check(const tsr_matrix *x, int needs, const char *subject);

/* Scales every sample in place to unit norm; empty samples stay as they are. Those that stay in their
 * file are scaled whenever they are read, and the file is not touched. */
typedef enum tsr_norm { TSR_NORM_NONE, TSR_NORM_L2, TSR_NORM_L1, TSR_NORM_MAX } tsr_norm;
TSR_API tsr_status tsr_matrix_normalize(tsr_matrix *x, tsr_norm norm);

/* 5. Labels ------------------------------------------------------------------------------- */

/* A class for each sample, -1 where it is not known; the classes carry names and are in their
 * natural order: numbers by value, texts with digit runs by value (s2 before s10). */
typedef struct tsr_labels tsr_labels;

/* From texts: empty, "?", "-1" and "NaN" mean unknown. O(count log count). */
TSR_API tsr_status tsr_labels_from_texts(tsr_labels **out, const char *const *text,
                                         int64_t count);

/* From numbers: -1 and NaN mean unknown. */
TSR_API tsr_status tsr_labels_from_numbers(tsr_labels **out, const double *number,
                                           int64_t count);

/* From classes and their names: `of` gives the number of each sample's class, and -1 alone means
 * unknown. Classes nobody has are left out, equal names are one class, and the order is the natural
 * one whatever that of `name`. */
TSR_API tsr_status tsr_labels_from_names(tsr_labels **out, const int32_t *of, int64_t count,
                                         const char *const *name, int32_t classes);

/* Other samples of the classes of `labels`: `of` gives the number of each one's class, or -1.
 * Classes nobody has are left out. */
TSR_API tsr_status tsr_labels_from_classes(tsr_labels **out, const tsr_labels *labels,
                                           const int32_t *of, int64_t count);

/* The labels of the samples that `sample` (or NULL: all) gives, in its order; classes nobody has
 * are left out. */
TSR_API tsr_status tsr_labels_copy_samples(tsr_labels **out, const tsr_labels *labels,
                                           const int64_t *sample, int64_t count);

TSR_API void tsr_labels_free(tsr_labels *labels);
TSR_API int64_t tsr_labels_count(const tsr_labels *labels);     /* samples */
TSR_API int64_t tsr_labels_known(const tsr_labels *labels);     /* samples with a class */
TSR_API int32_t tsr_labels_classes(const tsr_labels *labels);   /* classes */
TSR_API const int32_t *tsr_labels_of(const tsr_labels *labels); /* class of each sample or -1 */
TSR_API const char *tsr_labels_name(const tsr_labels *labels, int32_t of); /* "?" of -1 */

/* 6. Data --------------------------------------------------------------------------------- */

/* What a file or folder holds: a matrix of samples and, where there are any, labels, names of
 * samples (files) and names of features (words, column heads). */
typedef struct tsr_data tsr_data;

/* How to read. NULL options mean the defaults of the table. */
typedef struct tsr_read_options {
    const char *labels;     /* file, FILE:NAME, or the name or number of a table's column */
    int64_t image_shape[2]; /* height, width; 0: detect */
    int image_order;        /* 0 auto, 1 row, 2 column */
    int64_t size[2];        /* images are resized to width, height; 0: as they are */
    bool skip_bad;          /* leave out unreadable images instead of failing */
    int header;             /* of tables: 0 auto, 1 yes, 2 no */
    int64_t threads;        /* 0: all */
    int64_t expand;         /* memory in multiples of the file's size, and 256 MiB; 0: 1000 */
    int64_t memory;         /* bytes that data may take; 0: no limit */
    const tsr_progress *progress; /* or NULL */
    tsr_team *team;               /* that works on them, each rank on its share; or NULL */
} tsr_read_options;
TSR_API const tsr_setting *tsr_read_settings(void);

/* Reads FILE, FILE:NAME or FOLDER by its contents and extension. Variables fea/gnd, X/y or
 * x/labels are found by themselves. A .npy of float or double is mapped, not read: it must not
 * become shorter while the data are in use, or the process gets SIGBUS. */
TSR_API tsr_status tsr_data_read(tsr_data **out, const char *where,
                                 const tsr_read_options *options);

/* Reads labels alone, from any format. */
TSR_API tsr_status tsr_labels_read(tsr_labels **out, const char *where,
                                   const tsr_read_options *options);

/* Writes by extension: first to a temporary file beside it, which then takes its place. What
 * the format cannot hold (labels in .npy) is left out. Links stay links; what processes that died
 * left of earlier outputs to `path` is removed. */
TSR_API tsr_status tsr_data_write(const tsr_data *data, const char *path);

/* The same to an .h5, where sparse samples are written by feature, too; dense ones are refused. */
TSR_API tsr_status tsr_data_write_both(const tsr_data *data, const char *path);

/* Reads FILE or FILE:NAME and writes it to `path`, with `both_orders` as above. Where the data take
 * more than a quarter of options->memory (from 16 MiB; 0: no limit) they are never in memory together: .mtx, .svm,
 * tables, .npz and what lies by feature in an .h5 then become .h5 or, if dense, .npy. Temporary files
 * without a name stand beside the output meanwhile. */
TSR_API tsr_status tsr_data_convert(const char *where, const char *path,
                                    const tsr_read_options *options, bool both_orders);

/* The same of data of which `needs` holds (TSR_NEED_FINITE, TSR_NEED_NOT_INFINITE; 0: any), else
 * nothing is written. `shape` (or NULL) gets the number of samples, of features and of classes. */
TSR_API tsr_status tsr_data_convert_checked(int64_t *shape, const char *where, const char *path,
                                            const tsr_read_options *options, bool both_orders,
                                            int needs);

/* Bytes that data take which are read whole, by a look from outside: the size of a file, of .npz
 * unpacked, sparse samples of an .h5 that lie by feature; 0 of folders, and of what else is in .npy
 * and .h5, which stays where it is. Those of more than a quarter of options->memory are refused by
 * tsr_data_read and pass through tsr_data_convert. */
TSR_API tsr_status tsr_path_size(int64_t *out, const char *where);

/* A format, one line of the table of formats; the texts are static. */
typedef struct tsr_format_info {
    const char *name;       /* "npz" */
    const char *extensions; /* ".csv .txt", the usual one first; "" of folders */
    bool written;           /* tsr_data_write knows it */
    bool labels;            /* what is written keeps labels */
    bool folder;            /* a folder, no file */
} tsr_format_info;

/* Line `i` of the table; false when there is none. */
TSR_API bool tsr_formats_get(tsr_format_info *out, int64_t i);

/* The format in which data are written to `path`: by extension, else a folder of images; false
 * where the name says neither. */
TSR_API bool tsr_path_format(tsr_format_info *out, const char *path);

/* True when the format that `path` names can hold labels. */
TSR_API bool tsr_path_holds_labels(const char *path);

/* Refuses what reading from FILE, FILE:NAME or FOLDER would wait on for ever: a pipe or device
 * whose name says a format that is read here and there. Nothing is opened. */
TSR_API tsr_status tsr_path_check(const char *where);

/* Data over a matrix and its `labels` (or NULL), both taken: they are freed with it. */
TSR_API tsr_status tsr_data_take(tsr_data **out, tsr_matrix *samples, tsr_labels *labels);

/* Names of the samples, of the features, and of the whole, by which messages and models call it
 * ("faces.mat:fea"): copied. `name` (or NULL: none from now on) has as many as there are. */
TSR_API tsr_status tsr_data_name_samples(tsr_data *data, const char *const *name,
                                         int64_t count);
TSR_API tsr_status tsr_data_name_features(tsr_data *data, const char *const *name,
                                          int64_t count);
TSR_API tsr_status tsr_data_name_origin(tsr_data *data, const char *name);

/* From now on `team` (or NULL: nobody else) works on the data. Each rank has all of them, in memory
 * or mapped, and looks at its share alone. */
TSR_API tsr_status tsr_data_set_team(tsr_data *data, tsr_team *team);

/* The samples that `sample` (or NULL: all) gives, in its order, with labels and names: an owned
 * copy. */
TSR_API tsr_status tsr_data_copy_samples(tsr_data **out, const tsr_data *data,
                                         const int64_t *sample, int64_t count);

/* Copies with all that is known of the samples, but of another type, or dense or sparse, where samples
 * that stay in their file stay there; or with features as samples, which have no labels. */
TSR_API tsr_status tsr_data_copy_as(tsr_data **out, const tsr_data *data, tsr_type type,
                                    bool sparse);
TSR_API tsr_status tsr_data_copy_transposed(tsr_data **out, const tsr_data *data);

TSR_API void tsr_data_free(tsr_data *data);
TSR_API tsr_matrix *tsr_data_samples(const tsr_data *data);
TSR_API const tsr_labels *tsr_data_labels(const tsr_data *data); /* NULL: none */
TSR_API const char *tsr_data_format(const tsr_data *data);       /* "mat", "images"; "memory" */
TSR_API const char *tsr_data_dtype(const tsr_data *data);        /* type in the file: "uint8" */
TSR_API const char *tsr_data_origin(const tsr_data *data);       /* "faces.mat:fea" */
TSR_API const char *tsr_data_sample_name(const tsr_data *data, int64_t i);  /* NULL: none */
TSR_API const char *tsr_data_feature_name(const tsr_data *data, int64_t j); /* NULL: none */

/* How features were made (section 7): the name of their kind, "dsift", and the words that were
 * learnt for them, words x descriptor; NULL: nobody knows, there is none. */
TSR_API const char *tsr_data_kind(const tsr_data *data);
TSR_API const tsr_matrix *tsr_data_dictionary(const tsr_data *data);

/* What the reader wants said: entries that skip_bad left out, each by name and reason. */
TSR_API int64_t tsr_data_notes(const tsr_data *data);
TSR_API const char *tsr_data_note(const tsr_data *data, int64_t i);

/* What an HDF5 file holds, a model's parts too, each of which FILE:NAME names: its name, and a line
 * such as "fea (400 x 1024 uint8)". Other files are refused with TSR_ERROR_ARGUMENT. */
typedef struct tsr_contents tsr_contents;
TSR_API tsr_status tsr_contents_read(tsr_contents **out, const char *path);
TSR_API void tsr_contents_free(tsr_contents *contents);
TSR_API int64_t tsr_contents_count(const tsr_contents *contents);
TSR_API const char *tsr_contents_name(const tsr_contents *contents, int64_t i); /* NULL: none */
TSR_API const char *tsr_contents_line(const tsr_contents *contents, int64_t i); /* NULL: none */

/* 7. Features ----------------------------------------------------------------------------- */

/* Samples made of what is no matrix yet, by a row of the features table:
 *
 *     pixels  grey values of pictures, resized where asked
 *     sift    pictures as histograms of visual words: descriptors at keypoints
 *     dsift   the same on a regular grid of patches, a histogram for each region of a picture
 *     words   texts as bags of words, sparse
 *
 * Visual words are the centers of a k-means over a random part of the descriptors. What was
 * learnt on the way (dictionary, vocabulary, document frequencies) stays with the data, goes
 * into archives (.h5) and models, and is applied to other pictures or texts by `dictionary`.
 * The same seed gives the same bits for any number of threads. */
typedef struct tsr_features_options {
    int kind;            /* position in the table above */
    int64_t size[2];     /* pixels: width, height; 0: as they are */
    int normalize;       /* 0: the kind's own (sift, dsift: L2; else none), else 1 + tsr_norm */
    int64_t vocabulary;  /* words; 0: 500 for sift, 200 for dsift, all for words */
    int64_t grid[2];     /* dsift, sift: regions across, down; 0: 4 x 4, 1 x 1 */
    int64_t step, patch; /* dsift: pixels from patch to patch, side of one; 0: 8, 16 */
    bool root;           /* square roots of descriptors of unit sum */
    int weigh;           /* 0 counts, 1 binary, 2 tf-idf */
    int64_t soft;        /* nearest words that share a descriptor; 1: the nearest alone */
    int64_t sample;      /* descriptors that the dictionary is learnt from */
    int small;           /* pictures without a patch: 0 left out, 1 all zero, 2 an error */
    const char *dictionary;    /* archive whose recipe is applied; words: or a file of words */
    int64_t minimum_documents; /* words: in fewer documents than that a word is left out */
    double maximum_share;      /* words: in more than that share of them, too */
    const char *stop_words;    /* words: "none", "english" or a file */
    bool headers;              /* words: keep the headers of mails */
    int64_t shortest;          /* words: shorter ones are left out */
    bool skip_bad;             /* leave out what cannot be read instead of failing */
    int64_t seed, threads;     /* threads 0: all */
    int64_t expand;            /* as in tsr_read_options; of each picture */
    const tsr_progress *progress; /* or NULL */
} tsr_features_options;
TSR_API const tsr_setting *tsr_features_settings(void);

/* Samples of the files in a folder and below it, the first folder on the way being the class;
 * words: or of the lines of one file. NULL options mean the defaults of the table. */
TSR_API tsr_status tsr_features_make(tsr_data **out, const char *where,
                                     const tsr_features_options *options);

/* 8. Models ------------------------------------------------------------------------------- */

/* One line of the table: what the named model minimises, what it uses, who published it. The
 * texts are static but for `objective`, which is written into the struct. */
typedef struct tsr_model_info {
    const char *name, *title, *loss, *basis, *codes, *uses, *source;
    char objective[160];
    bool blocks; /* it has basis vectors of classes, which predictions can go by */
    bool whole;  /* its parts or codes are made of whole samples: no value may be missing */
    bool labels; /* it learns from labels, and is not fitted without any */
    bool joined; /* codes of a fit know labels, graphs or links, those of new samples do not */
    bool signs;  /* samples may have entries below zero */
    bool online; /* tsr_fit_more goes on with new samples, and fits may begin with batches */
} tsr_model_info;

/* Line `i` of the table; false when there is none. */
TSR_API bool tsr_models_get(tsr_model_info *out, int64_t i);

/* 9. Fitting ------------------------------------------------------------------------------ */

/* Which rules a fit may take: any, or those alone that read the samples once an iteration and in
 * their order, which is all that data larger than memory let. The same plan has the same bits
 * wherever the samples are. */
typedef enum tsr_plan { TSR_PLAN_AUTO, TSR_PLAN_STREAM, TSR_PLAN_TEAM } tsr_plan;

/* What to fit and how. tsr_fit_defaults fills it; the table describes every member. Weights
 * below zero mean the model's own. */
typedef struct tsr_fit_options {
    const char *model;
    int64_t rank;              /* 0: the number of classes, else 10 */
    int64_t per_class, shared; /* class-driven: vectors a class (0: rank / classes), of none */
    int loss, basis, codes;    /* 0: the model's own */
    double class_weight, graph, decorrelate, label_edge, diffuse, must, cannot, smooth;
    int weight_unit;   /* 0: one under mu, else the data's; 1 the data's, 2 one */
    int link_form;     /* 0 bounded, 1 reward */
    const char *links; /* file of i,j,weight */
    int graph_form; /* 0: the paper's own under mu, else 1; 1 distances, 2 divergences (KL) */
    const char *graph_file; /* symmetric sparse matrix, samples x samples */
    int64_t neighbours;
    int64_t between;                           /* mfa: pairs of a class; 0: ten a sample */
    int graph_weight;                          /* 0 binary, 1 heat, 2 cosine */
    double heat;                               /* 0: mean squared distance of neighbours */
    int kernel;                                /* 0 linear, 1 rbf, 2 polynomial, 3 cosine */
    double kernel_width;                       /* rbf: 0: mean squared distance */
    double kernel_degree;                      /* polynomial */
    double alpha_basis, alpha_codes, l1_ratio; /* elastic net */
    int normalize;                             /* tsr_norm */
    int weighting;        /* 0: the model's own, 1 none, 2 ncw, 3 in the loss */
    const char *mask;     /* file of a matrix whose non-zeros mark missing entries, or NULL */
    int missing;          /* 0: NaN is an error, 1: NaN is a missing value */
    const char *labelled; /* "3" or "10%": labels kept a class, the rest is hidden */
    int basis_norm;       /* 0 auto, 1 none, 2 l1, 3 l2 */
    int solver;           /* 0 auto, 1 mu, 2 cd */
    int plan;             /* tsr_plan */
    int64_t batch;        /* samples that the fit begins with, growing to all; 0: all */
    double forget;        /* tsr_fit_more: what a batch leaves of what was learnt before it */
    int64_t iterations;   /* at most */
    double tolerance;     /* stops where as many again would gain less of J; 0: runs all */
    const char *init;     /* "auto" or another name of the table, or FILE.npz */
    int64_t restarts;
    int64_t seed;
    int64_t threads;
    const char *checkpoint; /* file that gets the model so far every minute, or NULL; where it
                               cannot be written within a fit, a note says so */
    int precision;          /* 0 double, 1 single */
    /* From memory, each NULL where there is none; in place of the files above: */
    const tsr_matrix *mask_matrix;    /* samples x features */
    const tsr_matrix *links_matrix;   /* links x 3: i, j, weight */
    const tsr_matrix *graph_matrix;   /* samples x samples */
    const tsr_matrix *init_basis;     /* rank x features */
    const tsr_matrix *init_weights;   /* concept models: samples x rank, in place of it */
    const tsr_matrix *init_codes;     /* samples x rank; tied: or one row a group */
    const tsr_matrix *sample_weights; /* samples x 1 */
    const tsr_progress *progress;     /* or NULL */
} tsr_fit_options;
TSR_API const tsr_setting *tsr_fit_settings(void);
TSR_API void tsr_fit_defaults(tsr_fit_options *options);

/* The line of the table that these options make, with their own loss, factors and weights. Refuses
 * what makes no fit, as far as that shows without data. */
TSR_API tsr_status tsr_fit_describe(tsr_model_info *out, const tsr_fit_options *options);

/* A fitted model: basis, codes, history, and what is needed to use it again. */
typedef struct tsr_model tsr_model;

/* Fits. When progress asks to stop, *out is the model so far and the status is
 * TSR_ERROR_INTERRUPTED. */
TSR_API tsr_status tsr_fit(tsr_model **out, const tsr_data *data,
                           const tsr_fit_options *options);

/* Goes on with the fit that `from` is of, on the same data: finished, stopped or a checkpoint, with
 * options->iterations more. With the settings of the model itself (tsr_model_options) the result
 * has the bits, and the history, of one fit that was never stopped. Weights, tolerance, starts and
 * threads may be others: weights then begin a new stretch of steps, and a note says so. What would
 * make it another fit (model, rank, loss, precision, samples) is refused.
 * NULL options are the model's own, without its checkpoint. */
TSR_API tsr_status tsr_fit_resume(tsr_model **out, const tsr_data *data, const tsr_model *from,
                                  const tsr_fit_options *options);

/* Goes on with new samples, of which it needs the old ones no more: one pass over them, in which
 * the basis moves after every options->batch samples (0: 1024) and what was learnt counts as much
 * as the samples that it was learnt from, or less with options->forget. The codes of *out are those
 * of the new samples. Models with a free basis, whole samples and no term on the codes. options
 * NULL: those of the model. */
TSR_API tsr_status tsr_fit_more(tsr_model **out, const tsr_data *data, const tsr_model *from,
                                const tsr_fit_options *options);
TSR_API void tsr_model_free(tsr_model *model);

/* A model of parts that come from elsewhere, copied, to be used and written like any other: basis
 * rank x features; `codes` (or NULL: there are no samples) samples x rank; `labels` (or NULL: none)
 * of the samples, which all count as seen. Settings are those of `options`, whose rank may be 0; J
 * and errors are NaN. Refused are concept models and weights of normalised cuts, which are made of
 * the samples themselves. (tsr_fit from init_basis and init_codes with 0 iterations gives a model of
 * parts and data, with J.) */
TSR_API tsr_status tsr_model_from_parts(tsr_model **out, const tsr_matrix *basis,
                                        const tsr_matrix *codes, const tsr_labels *labels,
                                        const tsr_fit_options *options);

/* Iterations that a fit which was stopped lacks of those it was given, -1 where it was not stopped;
 * 0 where only other starts are left. */
TSR_API int64_t tsr_model_lacks(const tsr_model *model);

/* The settings that the model was fitted with; texts belong to the model. */
TSR_API const tsr_fit_options *tsr_model_options(const tsr_model *model);

/* The line of the table that it is, with the loss, factors and weights that it was fitted with. */
TSR_API tsr_status tsr_model_describe(tsr_model_info *out, const tsr_model *model);

/* Where its samples came from, such as "faces.mat:fea"; NULL where that is not known. */
TSR_API const char *tsr_model_origin(const tsr_model *model);

/* How it went. */
typedef struct tsr_fit_report {
    const char *model, *loss;
    int64_t samples, features, rank, iterations;
    bool converged;
    double objective, data_loss, relative_error;
    double optimality; /* 0 at a stationary point; see doc/mathematics.md */
    double seconds;
    double spread; /* of the restarts' objectives, relative; 0 for one */
    int64_t seed;
    double rho; /* the data's unit: root mean square length, or mean sum, of a sample */
} tsr_fit_report;
TSR_API tsr_fit_report tsr_model_report(const tsr_model *model);

/* The parts, owned by the model: basis rank x features, codes samples x rank, weights samples x
 * rank (concept models; else NULL). */
TSR_API const tsr_matrix *tsr_model_basis(const tsr_model *model);
TSR_API const tsr_matrix *tsr_model_codes(const tsr_model *model);
TSR_API const tsr_matrix *tsr_model_weights(const tsr_model *model);

/* What clusters are made of: the codes diffused over the graph of neighbours where the fit did that
 * (`diffuse`), else the codes. */
TSR_API const tsr_matrix *tsr_model_diffused(const tsr_model *model);
TSR_API const tsr_labels *tsr_model_labels(const tsr_model *model);
TSR_API const char *tsr_model_feature_name(const tsr_model *model, int64_t j); /* NULL: none */

/* Class of each training sample that the learner saw, or -1 (hidden or unknown); NULL where
 * there are no labels. Predictions are judged on the others. */
TSR_API const int32_t *tsr_model_seen(const tsr_model *model);

/* J after each iteration, and seconds since the start; report.iterations of them. */
TSR_API const double *tsr_model_objective(const tsr_model *model);
TSR_API const double *tsr_model_seconds(const tsr_model *model);

/* Term `i` of J, by the setting that gives its weight, and its value at the end: "loss" first,
 * then those that the model has. False when there is no such term. */
TSR_API bool tsr_model_term(const char **name, double *value, const tsr_model *model,
                            int64_t i);

/* The same after each iteration: iterations x terms, in that order; NULL where the model does not
 * know them. */
TSR_API const tsr_matrix *tsr_model_history(const tsr_model *model);

/* How the fit was done, a line a factor: its rule, norm, sweeps, extrapolation, leaves of its
 * sums, threads, passes over the data an iteration and bytes of work. NULL: there is no line `i`. */
TSR_API const char *tsr_model_plan(const tsr_model *model, int64_t i);

/* What the fit wants said, such as a rank that exceeds the samples. */
TSR_API int64_t tsr_model_notes(const tsr_model *model);
TSR_API const char *tsr_model_note(const tsr_model *model, int64_t i);

/* 10. Using a fitted model ---------------------------------------------------------------- */

/* An HDF5 file (doc/file-format.md). Archives of earlier versions are read. */
TSR_API tsr_status tsr_model_write(const tsr_model *model, const char *path);
TSR_API tsr_status tsr_model_read(tsr_model **out, const char *path);

/* True when the file at `path` is a model archive, by its own word. */
TSR_API bool tsr_path_holds_model(const char *path);

/* A model of the given basis vectors alone, in the given order: a copy with those rows of the
 * basis and columns of the codes. Objective and errors stay those of the whole. */
TSR_API tsr_status tsr_model_keep(tsr_model **out, const tsr_model *model,
                                  const int64_t *vectors, int64_t count);

typedef struct tsr_transform_options {
    int method; /* 0: minimise the model's loss, 1: pseudo-inverse, 2: product F' x */
    int64_t iterations;
    double tolerance;
    int64_t threads;
    const tsr_progress *progress; /* or NULL */
} tsr_transform_options;
TSR_API const tsr_setting *tsr_transform_settings(void);

/* Codes of samples with the basis fixed, under the model's own loss and preprocessing; graph
 * and label terms are off. */
TSR_API tsr_status tsr_model_transform(tsr_matrix **codes, const tsr_model *model,
                                       const tsr_data *data,
                                       const tsr_transform_options *options);

/* Samples in the form in which the model sees them: with its norm and its weights of the samples.
 * They keep their type and storage. Of samples that are read in blocks it is a view, which model and
 * data must outlive. */
TSR_API tsr_status tsr_model_prepare(tsr_matrix **out, const tsr_model *model,
                                     const tsr_data *data);

/* Samples as the model's parts make them of `codes` (or NULL: those of the training samples): codes
 * x basis, dense, in the form of tsr_model_prepare. */
TSR_API tsr_status tsr_model_reconstruct(tsr_matrix **out, const tsr_model *model,
                                         const tsr_matrix *codes);

/* Classes of codes: by the largest block of a class-driven model, or by the nearest labelled
 * code of the training samples. `out` gets one class of the model's labels a sample, `score` (or
 * NULL) how sure it is, 0 .. 1: the class's share of all blocks, or d' / (d + d') for distances d
 * to the nearest code of that class and d' to that of any other. Only classes of which the
 * learner saw a label are answers; codes must be finite. */
typedef enum tsr_predict_by { TSR_PREDICT_BLOCK, TSR_PREDICT_NEAREST } tsr_predict_by;
TSR_API bool tsr_model_has_blocks(const tsr_model *model); /* vectors of classes */
TSR_API tsr_status tsr_model_predict(int32_t *out, double *score, const tsr_model *model,
                                     const tsr_matrix *codes, tsr_predict_by by);

/* Of each sample all classes' shares, samples x classes in the order of the model's labels, which
 * add up to 1: of the sums of blocks, or of 1 / d for distances d to the nearest code of each class.
 * The largest is that of the class which tsr_model_predict gives; classes that the learner saw no
 * label of have 0. */
TSR_API tsr_status tsr_model_scores(tsr_matrix **out, const tsr_model *model,
                                    const tsr_matrix *codes, tsr_predict_by by);

/* How predictions did: `predicted` gives a class of the model's labels a sample of `data` (or NULL:
 * the samples of the fit), whose own labels are the truth. What is judged are the samples whose class is known and was not told to
 * the learner; `trained` says that the data are those of the fit. Classes are compared by name. */
typedef struct tsr_judgement {
    int64_t judged;  /* samples */
    double accuracy; /* share of them that is right; NaN where there is none */
    char note[256];  /* why nothing could be judged, or what else is to be said; "" */
} tsr_judgement;
TSR_API tsr_status tsr_model_judge(tsr_judgement *out, const tsr_model *model,
                                   const int32_t *predicted, const tsr_data *data,
                                   bool trained);

/* True when the data are, by origin and labels, those that the model was fitted to. */
TSR_API bool tsr_model_trained_on(const tsr_model *model, const tsr_data *data);

/* 11. Encoders ---------------------------------------------------------------------------- */

/* Anything that turns samples into codes: every model of the table, and the baselines
 *
 *     raw   the samples themselves     pca   principal components
 *     lda   Fisher's discriminants     mfa   marginal Fisher analysis (both after PCA to 90 %)
 *     ntf   non-negative tensor factorization of image stacks: CP of height x width x samples
 *     propagation   scores of classes, spread from labels along a graph of neighbours
 *
 * options->model names either; baselines use rank, normalize, labelled, neighbours, between,
 * graph_weight, heat, iterations, tolerance, seed and threads. */
typedef struct tsr_encoder tsr_encoder;

/* Refuses options that fit nothing, as far as that shows without data: a name that no model or
 * baseline has, or what its row does not allow. */
TSR_API tsr_status tsr_encoder_check(const tsr_fit_options *options);

TSR_API tsr_status tsr_encoder_fit(tsr_encoder **out, const tsr_data *data,
                                   const tsr_fit_options *options);
TSR_API void tsr_encoder_free(tsr_encoder *encoder);

/* Codes of the training samples as clusters see them (tsr_model_diffused), owned by the encoder:
 * samples x rank. */
TSR_API const tsr_matrix *tsr_encoder_codes(const tsr_encoder *encoder);

/* The model behind it, or NULL for a baseline. */
TSR_API const tsr_model *tsr_encoder_model(const tsr_encoder *encoder);

/* Class of each training sample that the learner saw, or -1; one a sample. */
TSR_API const int32_t *tsr_encoder_seen(const tsr_encoder *encoder);

/* What the fit wants said, such as a rank that the data cannot have. */
TSR_API int64_t tsr_encoder_notes(const tsr_encoder *encoder);
TSR_API const char *tsr_encoder_note(const tsr_encoder *encoder, int64_t i);

/* Codes of other samples by the same map; options as for tsr_model_transform.
 * Linear baselines know one map, whatever the method. */
TSR_API tsr_status tsr_encoder_encode(tsr_matrix **codes, const tsr_encoder *encoder,
                                      const tsr_data *data,
                                      const tsr_transform_options *options);

/* Name and one line of baseline `i`; false when there is none. */
TSR_API bool tsr_baselines_get(const char **name, const char **title, int64_t i);

/* 12. Judging ----------------------------------------------------------------------------- */

/* k-means: k-means++ starts, Lloyd's iterations, the least cost of the restarts. `held` (or
 * NULL) gives a cluster to some samples, -1 to the others: those clusters start at their
 * samples' mean and keep them (Basu et al. 2002). `of` gets a cluster a sample, `cost` (or NULL)
 * the sum of squared distances. The same seed, the same bits. */
typedef struct tsr_cluster_options {
    int64_t clusters;             /* at least one; there is no default */
    int64_t restarts, iterations; /* 0: 20, 300 */
    int64_t seed, threads;        /* threads 0: all */
    bool unit_codes;              /* samples are scaled to unit length first */
    const int32_t *held;          /* or NULL; see above */
    tsr_team *team;               /* whose ranks share the restarts, all having x; or NULL */
} tsr_cluster_options;
TSR_API const tsr_setting *tsr_cluster_settings(void);
TSR_API tsr_status tsr_cluster(int32_t *of, double *cost, const tsr_matrix *x,
                               const tsr_cluster_options *options);

/* How well clusters match classes, over the samples whose class is known (>= 0). */
typedef struct tsr_scores {
    double accuracy;       /* best one-to-one map of clusters to classes (Kuhn-Munkres), / n */
    double nmi;            /* mutual information over the larger entropy, as the papers */
    double nmi_arithmetic; /* over the mean of both entropies */
    double ari;            /* adjusted Rand index */
    double purity;
} tsr_scores;
TSR_API tsr_status tsr_score_clusters(tsr_scores *out, const int32_t *cluster,
                                      const int32_t *truth, int64_t count);

/* The same map, sample by sample: the class that its cluster stands for, or -1 where there are more
 * clusters than classes. Samples without a cluster or class (-1) take no part in it. `out` may be
 * `cluster`. */
TSR_API tsr_status tsr_map_clusters(int32_t *out, const int32_t *cluster, const int32_t *truth,
                                    int64_t count);

/* Counts of (class, predicted class): classes x classes, row-major; what is none of the
 * 0 .. classes-1 is left out. */
TSR_API void tsr_confusion(int64_t *out, const int32_t *truth, const int32_t *predicted,
                           int64_t count, int32_t classes);

/* Classes by a vote of the `neighbours` nearest training samples (Euclidean); ties in distance
 * go to the smaller index, ties in votes to the class with the nearer neighbour. Training
 * samples of class -1 do not vote. threads 0: all, at most 4096. */
TSR_API tsr_status tsr_classify(int32_t *out, const tsr_matrix *train, const int32_t *classes,
                                const tsr_matrix *test, int64_t neighbours, int64_t threads);

/* Folds: `of` gets 0 .. folds-1 a sample. Classes are spread evenly over the folds; samples of
 * one `group` (or NULL: no groups), unless it is -1, stay together. */
TSR_API tsr_status tsr_make_folds(int32_t *of, const int32_t *classes, const int32_t *group,
                                  int64_t count, int64_t folds, int64_t seed);

/* Classification judged by samples that nothing was learnt from. The encoder that `fit` describes
 * learns from the training samples alone, both sides are encoded by its map, and the nearest
 * training codes vote. Labels that fit->labelled hides do not. */
typedef struct tsr_validate_options {
    int64_t neighbours; /* nearest training samples that vote */
    int encode;         /* as tsr_transform_options.method */
} tsr_validate_options;
TSR_API const tsr_setting *tsr_validate_settings(void);
typedef struct tsr_validation tsr_validation;

/* Each of the folds in turn is tested, and the others teach. `fold` gives 0 .. folds-1 a sample, as
 * tsr_make_folds deals them, or -1: it always teaches. */
TSR_API tsr_status tsr_validate(tsr_validation **out, const tsr_data *data, const int32_t *fold,
                                int64_t folds, const tsr_fit_options *fit,
                                const tsr_validate_options *options);

/* The samples of `test` are tested, all of `data` teach. Classes are compared by name. */
TSR_API tsr_status tsr_validate_on(tsr_validation **out, const tsr_data *data,
                                   const tsr_data *test, const tsr_fit_options *fit,
                                   const tsr_validate_options *options);
TSR_API void tsr_validation_free(tsr_validation *validation);

typedef struct tsr_validation_report {
    int64_t folds;     /* 1 for other data */
    int64_t classes;   /* of the training samples */
    double accuracy;   /* mean over the folds */
    double deviation;  /* sample standard deviation over the folds */
    int64_t strangers; /* test samples of classes that training does not know */
} tsr_validation_report;
TSR_API tsr_validation_report tsr_validation_about(const tsr_validation *validation);

/* Accuracy of each fold; counts of (class, predicted class), classes x classes, row-major. */
TSR_API const double *tsr_validation_folds(const tsr_validation *validation);
TSR_API const int64_t *tsr_validation_confusion(const tsr_validation *validation);

/* Share of the samples of a class that is right; NaN where none was tested. */
TSR_API double tsr_validation_class(const tsr_validation *validation, int32_t of);

/* Model, rank and weight by what is held out, labels or entries, the same of every candidate:
 * fit->model names one model or baseline or several ("cdnmf,gnmf,nmf"), and of each there is every
 * rank with every weight, that of the model's first term (one without terms has no weights, raw one
 * rank). fit->threads fits run side by side, and fit->progress hears how many are done. Candidates
 * that cannot be fitted say why; only where none can is it an error. */
typedef enum tsr_select_by {
    TSR_SELECT_AUTO,   /* labels where they can judge, else entries */
    TSR_SELECT_LABELS, /* accuracy of the nearest shown label */
    TSR_SELECT_ENTRIES /* root mean square error, relative to all entries */
} tsr_select_by;
typedef enum tsr_select_rule {
    TSR_SELECT_ONE_SE, /* the smallest rank within a standard error of the best; of that rank the
                          model of the best mean, then its smallest weight within it */
    TSR_SELECT_BEST
} tsr_select_rule;
typedef struct tsr_select_options {
    int64_t folds;       /* parts held out in turn */
    int by, rule;        /* tsr_select_by, tsr_select_rule */
    const char *ranks;   /* to try, at least one: "5,10", "2-8", "10-50/10" */
    const char *weights; /* to try, "0.1,1,10", or NULL: the model's own */
    int64_t
        repeats; /* fits to all data, from other seeds, that stability is of; below 2: none */
    bool baselines; /* add those that the data allow, to compare with; they are not chosen */
    const tsr_read_options *read; /* how the data were read, for the advice, or NULL */
} tsr_select_options;
TSR_API const tsr_setting *tsr_select_settings(void);
typedef struct tsr_selection tsr_selection;

/* Refuses what shows before any data are read: lists that say nothing, options that fit nothing. */
TSR_API tsr_status tsr_select_check(const tsr_fit_options *fit,
                                    const tsr_select_options *options);
TSR_API tsr_status tsr_select(tsr_selection **out, const tsr_data *data,
                              const tsr_fit_options *fit, const tsr_select_options *options);
TSR_API void tsr_selection_free(tsr_selection *selection);

typedef struct tsr_selection_report {
    bool by_labels;     /* accuracy on held-out labels; else error on held-out entries */
    int64_t judged;     /* how many of them, over all folds */
    int64_t candidates; /* models x ranks x weights */
    int64_t models;     /* with baselines */
    int64_t folds, repeats;
    const char
        *weight;    /* the setting that weights are of, that of the first model which has one,
                           or NULL */
    char note[512]; /* why labels could not judge, what was left out, or "" */
} tsr_selection_report;
TSR_API tsr_selection_report tsr_selection_about(const tsr_selection *selection);

/* Candidate `i`, models and ranks as they came, weights within each; false when there is none. The
 * texts live as long as the selection. */
typedef struct tsr_candidate {
    const char *model;
    const char *term; /* the setting that its weight is of, or NULL */
    int64_t rank;
    double weight;          /* NaN: the model's own */
    double mean, deviation; /* of accuracy or error over the folds */
    double error;           /* standard error of the mean */
    double nmi, nmi_error;  /* mean and standard error: k-means of the codes and the classes of
                               samples whose label is hidden; NaN where entries judge */
    double stability; /* 1: the same parts from every start; 0: no more alike than other parts;
                               NaN: no parts, one part, one answer, not measured */
    double seconds;   /* mean of a fit, on one thread */
    bool best, chosen;
    bool baseline;
    bool added;     /* by `baselines`: compared with, not chosen */
    char note[256]; /* why it could not be fitted; "" where it could */
} tsr_candidate;
TSR_API bool tsr_selection_candidate(tsr_candidate *out, const tsr_selection *selection,
                                     int64_t i);

/* The score of candidate `i` on each fold; NULL where it could not be fitted. */
TSR_API const double *tsr_selection_folds(const tsr_selection *selection, int64_t i);

/* What to take and why, in sentences, one a line: the choice and its rule, what it gains over the
 * best baseline or plain nmf and whether that is more than chance, the runner-up, whether the parts
 * can be relied on, the time, and last, indented, the command of the fit. */
TSR_API const char *tsr_selection_advice(const tsr_selection *selection);

/* Ranks basis vectors; `order` gets their numbers, best first, `score` (or NULL) the scores by
 * number. Fisher: within-class over between-class variance of w . x (small is good), over
 * samples with a class, needs `classes` (or NULL); least reconstruction error ||X - w_i h_i||^2
 * needs `codes` (or NULL). */
typedef enum tsr_rank_by { TSR_RANK_FISHER, TSR_RANK_LRE } tsr_rank_by;
TSR_API tsr_status tsr_rank_basis(int64_t *order, double *score, const tsr_matrix *basis,
                                  const tsr_matrix *codes, const tsr_matrix *x,
                                  const int32_t *classes, tsr_rank_by by);

/* What the first 1, 2, .. `count` vectors of `order` (or NULL: as they are numbered) are good for:
 *
 *     lre      out[r] = ||X - sum of the first r + 1 parts w_i g_i'||_F / ||X||_F
 *     fisher   out[r] = share of the samples with a class whose nearest other sample has it too, by
 *              projections on the first r + 1 vectors
 *
 * `codes` (or NULL) and `classes` (or NULL) as above. */
TSR_API tsr_status tsr_rank_curve(double *out, const int64_t *order, int64_t count,
                                  const tsr_matrix *basis, const tsr_matrix *codes,
                                  const tsr_matrix *x, const int32_t *classes, tsr_rank_by by);

/* What a basis vector is about: its features by weight, largest first, vectors scaled to unit
 * length. specific > 0 keeps those that this vector alone has: above that threshold here, below
 * it in every other vector (Ambai et al. 2011, threshold 0.05). `out` has room for `most`; *count
 * gets how many there are. O(rank x features). */
typedef struct tsr_term {
    int64_t feature;
    double weight;
} tsr_term;
TSR_API tsr_status tsr_basis_terms(tsr_term *out, int64_t *count, const tsr_matrix *basis,
                                   int64_t vector, int64_t most, double specific);

/* For each basis vector the class it serves most, -1 where no classes are known: that of its block,
 * or the one whose samples, those whose label the learner saw, have the largest mean code. `share` (or NULL) gets that mean over the sum
 * of the means of all classes. */
TSR_API tsr_status tsr_vector_classes(int32_t *of, double *share, const tsr_model *model);

/* 13. Pictures ---------------------------------------------------------------------------- */

/* Draws the samples of `pictures`, which are some, into one grey PNG: `columns` in a line (0: about
 * square), each pixel `zoom` pixels across, 1 .. 64. Zero is black; white is the largest value of
 * each picture, or where they are `alike` that of all. Written as tsr_data_write writes. */
TSR_API tsr_status tsr_sheet_write(const tsr_matrix *pictures, const char *path,
                                   int64_t columns, int64_t zoom, bool alike);

/* Draws codes as a PNG in colours: samples across, by class with thin lines between (`labels` (or NULL:
 * as they come); those of none last), and their entries downwards; or the Euclidean distances of all
 * pairs of samples. Pale is zero, or the least value where that is below; dark is the largest; what is
 * no finite number is magenta. A cell is `zoom` pixels across, 1 .. 64, or less where a side would be
 * longer than 2000 (0: so that the picture is a fair size). Where there are more samples than pixels,
 * or entries, a cell is the mean of neighbours, of distances between at most eight samples of it each;
 * classes that are too narrow have no lines. `size` (or NULL) gets width, height, cells along the
 * samples, and lines; `range` (or NULL) the palest and the darkest value. `threads` as elsewhere.
 * Written as tsr_data_write writes. O(samples x rank); distances O(samples^2 x rank), bounded. */
TSR_API tsr_status tsr_heat_write(const tsr_matrix *codes, const tsr_labels *labels,
                                  bool distances, const char *path, int64_t zoom,
                                  int64_t threads, int64_t *size, double *range);

/* What basis vectors contribute to the samples that `codes` are of: sum of the codes times length of
 * the vector. `order` gets their numbers, most first, `share` (or NULL) what each has of the sum, by
 * number. */
TSR_API tsr_status tsr_basis_shares(int64_t *order, double *share, const tsr_matrix *basis,
                                    const tsr_matrix *codes);

/* What a model makes of one sample: the sum of its parts, code x basis vector each. It is a sample
 * of `data` (or NULL: one that the model was fitted to, of which there are codes alone); options as
 * for tsr_model_transform. Models with a kernel have no such parts. */
typedef struct tsr_explanation tsr_explanation;
TSR_API tsr_status tsr_explain(tsr_explanation **out, const tsr_model *model,
                               const tsr_data *data, int64_t sample,
                               const tsr_transform_options *options);
TSR_API void tsr_explanation_free(tsr_explanation *explanation);

/* Relative error of the sum, ||x - sum|| / ||x||; NaN without data. */
TSR_API double tsr_explanation_error(const tsr_explanation *explanation);

/* Its parts by what they contribute, most first: those that do. False when there is no such part. */
typedef struct tsr_part {
    int64_t vector;
    double code, share; /* of 1 */
} tsr_part;
TSR_API int64_t tsr_explanation_parts(const tsr_explanation *explanation);
TSR_API bool tsr_explanation_part(tsr_part *out, const tsr_explanation *explanation, int64_t i);

/* The same to be drawn, rows of one matrix: the sample, where there is one, the sum, the first
 * `most` parts. Parts, dark beside their sum, are made as bright as it is: each, or where they are
 * `alike` all by the same. */
TSR_API tsr_status tsr_explanation_pictures(tsr_matrix **out,
                                            const tsr_explanation *explanation, int64_t most,
                                            bool alike);

/* Where in a picture each basis vector is at work, by a model of visual words (sift, dsift): a patch
 * matters to a vector where the picture's code of it times the vector's entry of the patch's word
 * exceeds the threshold. `picture` is a file. */
typedef struct tsr_overlay tsr_overlay;
typedef struct tsr_overlay_options {
    double threshold;                       /* 0: by share */
    double share;                           /* of the largest product in this picture */
    double opacity;                         /* of the colours that are written */
    const tsr_transform_options *transform; /* or NULL */
} tsr_overlay_options;
TSR_API const tsr_setting *tsr_overlay_settings(void);
TSR_API tsr_status tsr_overlay_make(tsr_overlay **out, const tsr_model *model,
                                    const char *picture, const tsr_overlay_options *options);
TSR_API void tsr_overlay_free(tsr_overlay *overlay);

typedef struct tsr_overlay_report {
    int64_t height, width; /* of the picture */
    int64_t vectors;       /* the model's rank */
    int64_t patches;       /* all that were found */
    double threshold;      /* that was taken */
} tsr_overlay_report;
TSR_API tsr_overlay_report tsr_overlay_about(const tsr_overlay *overlay);

/* The picture's codes, 1 x vectors; how many patches matter to each vector; of each pixel, row by
 * row, the vector that its patches matter most to, or -1. */
TSR_API const tsr_matrix *tsr_overlay_codes(const tsr_overlay *overlay);
TSR_API const int64_t *tsr_overlay_patches(const tsr_overlay *overlay);
TSR_API const int32_t *tsr_overlay_vectors(const tsr_overlay *overlay);

/* The picture as a PNG with a colour for each vector, and the colour's name; after ten they come
 * again. Written as tsr_data_write writes. */
TSR_API tsr_status tsr_overlay_write(const tsr_overlay *overlay, const char *path);
TSR_API const char *tsr_overlay_colour(int64_t vector);

/* 14. Experiments ------------------------------------------------------------------------- */

/* A published table or figure made again: `protocol` is a small file that says which methods learn
 * from what, how often and how they are judged (see protocols/). Trials run side by side; those
 * that are finished are kept at once, so that a run that was stopped goes on with `resume`. */
typedef struct tsr_experiment tsr_experiment;
typedef struct tsr_experiment_options {
    const char *data;      /* folder that the protocol's data lie below */
    const char *out;       /* folder for the tables and every single draw, or NULL */
    const char *models;    /* "a,b,c": only these methods, or NULL */
    bool resume;           /* go on where `out` stopped */
    int format;            /* of the table: 0 text, 1 Markdown, 2 CSV, 3 LaTeX, 4 JSON */
    const char *published; /* file of published figures that stand beside ours, or NULL */
    int64_t threads;       /* trials side by side; 0: all */
    int64_t memory;        /* as tsr_read_options.memory */
    const tsr_progress *progress; /* or NULL */
    tsr_team *team; /* whose ranks share the trials; the first writes `out`. Or NULL */
} tsr_experiment_options;
TSR_API const tsr_setting *tsr_experiment_settings(void);

/* Refuses what shows before any data are read: the protocol's faults, methods it does not have. */
TSR_API tsr_status tsr_experiment_check(const char *protocol,
                                        const tsr_experiment_options *options);
TSR_API tsr_status tsr_experiment_run(tsr_experiment **out, const char *protocol,
                                      const tsr_experiment_options *options);
TSR_API void tsr_experiment_free(tsr_experiment *experiment);

/* The table, ours beside the published figures, as text in the format that was asked for. */
TSR_API const char *tsr_experiment_table(const tsr_experiment *experiment);

/* 15. Pages ------------------------------------------------------------------------------- */

/* One HTML file that shows what was learnt: pictures, words, charts and every number in a table. It
 * asks nothing of the network, and needs no scripts to be read. What is large is capped, and the
 * page says so. */
typedef struct tsr_page tsr_page;
typedef struct tsr_page_options {
    const char *title;            /* or NULL: made of what is shown */
    const char *command;          /* that makes the page again, which it shows; or NULL */
    const char *pictures;         /* folder of the pictures that visual words are of, or NULL */
    int64_t points;               /* samples in charts, at most */
    int64_t parts;                /* basis vectors that are shown, at most */
    int64_t samples;              /* that are put together of their parts */
    int64_t seed, threads;        /* of clusters and of what is drawn; threads 0: all */
    const tsr_progress *progress; /* or NULL */
} tsr_page_options;
TSR_API const tsr_setting *tsr_page_settings(void);

/* A fitted model, and `data` (or NULL: its own samples, of which there are codes alone): those that
 * it was fitted to, or others, whose codes are then made. */
TSR_API tsr_status tsr_page_model(tsr_page **out, const tsr_model *model, const tsr_data *data,
                                  const tsr_page_options *options);

/* An experiment, by the folder that it left (tsr_experiment_options.out): figures beside the published
 * ones, every draw, convergence, confusion. One that was stopped is shown as far as it came. */
TSR_API tsr_status tsr_page_experiment(tsr_page **out, const char *folder,
                                       const tsr_page_options *options);

/* A choice of model, rank and weight (section 12). */
TSR_API tsr_status tsr_page_selection(tsr_page **out, const tsr_selection *selection,
                                      const tsr_page_options *options);
TSR_API void tsr_page_free(tsr_page *page);

/* The file, written as tsr_data_write writes; and what charts are drawn from, as JSON
 * (report/web/README.md). */
TSR_API tsr_status tsr_page_write(const tsr_page *page, const char *path);
TSR_API const char *tsr_page_facts(const tsr_page *page);

#ifdef __cplusplus
}
#endif
#endif
