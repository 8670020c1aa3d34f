/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Features, kind by kind of the table: the same bits for any number of threads, the same
 * samples when what was learnt is applied again, archives that keep it, and what the numbers
 * must be where that is known. */
#include "folder.h"

#include "base/settings.h"
#include "features/histogram.h"
#include "io/folder.h"

#include <math.h>

enum { WIDTH = 64, HEIGHT = 48 };

/* A pattern's grey value; patterns differ in direction and in the random numbers on top. */
static double pattern(int which, int x, int y, tsr__random *random)
{
    const double wave = which % 2 == 0 ? sin(1.5 * x) : sin(1.5 * y);
    return 128 + 90 * wave + 20 * tsr__random_uniform(random);
}

/* Round spots of several sizes, which keypoints are found at. */
static double spots(int which, int x, int y)
{
    double sum = 30;
    for (int i = 0; i < 6; i++) {
        const double dx = x - (10 + 23 * i * (which + 1)) % WIDTH, size = 2 + i % 3;
        const double dy = y - (8 + 17 * i * (which + 2)) % HEIGHT;
        sum += 120 * exp(-(dx * dx + dy * dy) / (2 * size * size));
    }
    return sum < 255 ? sum : 255;
}

static void put_spots(const char *relative, int which)
{
    unsigned char bytes[16 + WIDTH * HEIGHT];
    const int head = sprintf((char *)bytes, "P5 %d %d 255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bytes[head + i] = (unsigned char)spots(which, i % WIDTH, i / WIDTH);
    put_bytes(relative, bytes, (size_t)head + WIDTH * HEIGHT);
}

static void put_picture(const char *relative, int which, int width, int height)
{
    unsigned char bytes[16 + WIDTH * HEIGHT];
    tsr__random random = tsr__random_seed((uint64_t)which, 0);
    const int head = sprintf((char *)bytes, "P5 %d %d 255\n", width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            bytes[head + y * width + x] = (unsigned char)pattern(which, x, y, &random);
    put_bytes(relative, bytes, (size_t)head + (size_t)(width * height));
}

static int set_up(void **state)
{
    char name[64];
    if (make_folder(state) != 0)
        return 1;
    (void)mkdir(path_of("empty"), 0777);
    for (int i = 0; i < 10; i++) {
        (void)snprintf(name, sizeof name, "set/%c/%d.pgm", i % 2 == 0 ? 'a' : 'b', i);
        put_picture(name, i, WIDTH, HEIGHT);
        (void)snprintf(name, sizeof name, "spots/%c/%d.pgm", i % 2 == 0 ? 'a' : 'b', i);
        put_spots(name, i);
        (void)snprintf(name, sizeof name, "texts/%c/%d.txt", i % 2 == 0 ? 'a' : 'b', i);
        const char *text = i % 2 == 0 ? "ball game ball team" : "orbit moon launch moon team";
        put_bytes(name, text, strlen(text));
    }
    return 0;
}

static tsr_features_options options_of(int kind)
{
    tsr_features_options options = {0};
    tsr_settings_default(tsr_features_settings(), &options);
    options.kind = kind;
    options.vocabulary = kind == 1 || kind == 2 ? 12 : 0;
    options.sample = 400;
    options.small = 2;
    return options;
}

static tsr_data *make(const char *where, const tsr_features_options *options)
{
    tsr_data *data = NULL;
    check_ok(tsr_features_make(&data, path_of(where), options));
    return data;
}

static void assert_same(const tsr_matrix *a, const tsr_matrix *b)
{
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->features, b->features);
    for (int64_t i = 0; i < a->samples; i++)
        for (int64_t j = 0; j < a->features; j++)
            assert_true(tsr_matrix_at(a, i, j) == tsr_matrix_at(b, i, j));
}

static void assert_same_recipe(const tsr__recipe *a, const tsr__recipe *b)
{
    assert_string_equal(a->kind, b->kind);
    assert_int_equal(a->setting.count, b->setting.count);
    for (int64_t i = 0; i < a->setting.count; i++) {
        bool found = false;
        for (int64_t j = 0; j < b->setting.count; j++)
            found = found || strcmp(a->setting.name[i], b->setting.name[j]) == 0;
        assert_true(found);
    }
    assert_true((a->dictionary == NULL) == (b->dictionary == NULL));
    assert_true((a->weight == NULL) == (b->weight == NULL));
    if (a->dictionary != NULL)
        assert_same(a->dictionary, b->dictionary);
    if (a->weight != NULL)
        assert_same(a->weight, b->weight);
}

/* Threads, archives, applying: for every kind and every way to weigh. */
static void test_every_kind(void **state)
{
    (void)state;
    for (int kind = 0; tsr__feature_kinds[kind].name != NULL; kind++)
        for (int weigh = 0; weigh < 3; weigh++) {
            tsr_features_options options = options_of(kind);
            const char *const places[] = {"set", "spots", "set", "texts"},
                              *where = places[kind];
            options.weigh = weigh;
            options.threads = 1;
            tsr_data *one = make(where, &options), *read = NULL;
            assert_int_equal(one->x->samples, 10);
            assert_string_equal(one->recipe.kind, tsr__feature_kinds[kind].name);
            assert_int_equal(tsr_labels_classes(one->labels), 2);
            assert_int_equal(one->labels->of[0], 0);
            assert_int_equal(one->labels->of[9], 1);
            for (options.threads = 2; options.threads <= 3; options.threads++) {
                tsr_data *more = make(where, &options);
                assert_same(one->x, more->x);
                assert_same_recipe(&one->recipe, &more->recipe);
                tsr_data_free(more);
            }
            check_ok(tsr_data_write(one, path_of("one.h5")));
            check_ok(tsr_data_read(&read, path_of("one.h5"), NULL));
            assert_same(one->x, read->x);
            assert_same_recipe(&one->recipe, &read->recipe);
            tsr_data_free(read);
            tsr_features_options apply = {0};
            tsr_settings_default(tsr_features_settings(), &apply);
            apply.kind = kind;
            apply.dictionary = path_of("one.h5");
            tsr_data *again = make(where, &apply);
            assert_same(one->x, again->x);
            assert_same_recipe(&one->recipe, &again->recipe);
            tsr_data_free(again);
            tsr_data_free(one);
        }
}

/* Copies and models keep the recipe. */
static void test_recipe_travels(void **state)
{
    (void)state;
    const tsr_features_options options = options_of(2);
    tsr_data *data = make("set", &options), *part = NULL;
    const int64_t sample[] = {3, 1}, vector[] = {1};
    check_ok(tsr_data_copy_samples(&part, data, sample, 2));
    assert_same_recipe(&data->recipe, &part->recipe);
    tsr_fit_options fit;
    tsr_fit_defaults(&fit);
    fit.rank = 2, fit.iterations = 3;
    tsr_model *model = NULL, *kept = NULL;
    tsr__recipe recipe = {0};
    tsr__names names = {0};
    check_ok(tsr_fit(&model, data, &fit));
    check_ok(tsr_model_keep(&kept, model, vector, 1));
    check_ok(tsr_model_write(kept, path_of("model.h5")));
    check_ok(tsr__recipe_load(&recipe, &names, path_of("model.h5")));
    assert_same_recipe(&data->recipe, &recipe);
    tsr__recipe_clear(&recipe);
    tsr__names_clear(&names);
    tsr_model_free(kept);
    tsr_model_free(model);
    tsr_data_free(part);
    tsr_data_free(data);
}

static double row_sum(const tsr_matrix *x, int64_t i, int power)
{
    double sum = 0;
    for (int64_t j = 0; j < x->features; j++)
        sum += pow(tsr_matrix_at(x, i, j), power);
    return sum;
}

/* Every patch counts once, hard or soft; by default rows have unit length. */
static void test_sums(void **state)
{
    (void)state;
    tsr_features_options options = options_of(2);
    tsr_data *data = make("set", &options);
    assert_int_equal(data->x->features, 12 * 16);
    for (int64_t i = 0; i < 10; i++)
        assert_true(fabs(row_sum(data->x, i, 2) - 1) < 1e-12);
    tsr_data_free(data);
    options.normalize = 1;
    options.step = 5, options.patch = 12;
    const double patches = ((WIDTH - 12) / 5 + 1) * ((HEIGHT - 12) / 5 + 1);
    for (options.soft = 1; options.soft <= 3; options.soft++) {
        data = make("set", &options);
        for (int64_t i = 0; i < 10; i++)
            assert_true(fabs(row_sum(data->x, i, 1) - patches) < 1e-4 * patches);
        tsr_data_free(data);
    }
    options.soft = 1, options.root = true;
    data = make("set", &options);
    assert_true(fabs(row_sum(data->x, 0, 1) - patches) < 1e-9);
    for (int64_t a = 0; a < 12; a++) /* means of unit vectors */
        assert_true(row_sum(data->recipe.dictionary, a, 2) < 1 + 1e-5);
    tsr_data_free(data);
}

/* Two patterns, two words; in a picture of both each half has its own. */
static void test_two_patterns(void **state)
{
    (void)state;
    unsigned char bytes[16 + WIDTH * HEIGHT];
    tsr__random random = tsr__random_seed(5, 0);
    (void)mkdir(path_of("both"), 0777);
    const int head = sprintf((char *)bytes, "P5 %d %d 255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bytes[head + i] = (unsigned char)pattern(i % WIDTH < WIDTH / 2 ? 0 : 1, i % WIDTH,
                                                 i / WIDTH, &random);
    put_bytes("both/both.pgm", bytes, (size_t)head + WIDTH * HEIGHT);
    tsr_features_options options = options_of(2);
    options.vocabulary = 2, options.normalize = 1;
    options.grid[0] = 2, options.grid[1] = 1;
    tsr_data *data = make("set", &options), *both = NULL;
    const int64_t patches = (WIDTH / 8 - 1) * (HEIGHT / 8 - 1);
    const bool first = tsr_matrix_at(data->x, 0, 0) > 0;
    for (int64_t i = 0; i < 10; i++) { /* classes follow each other */
        const int64_t word = (i < 5) == first ? 0 : 1;
        assert_true(tsr_matrix_at(data->x, i, word) + tsr_matrix_at(data->x, i, 2 + word) ==
                    (double)patches);
    }
    check_ok(tsr_data_write(data, path_of("two.h5")));
    options.dictionary = path_of("two.h5");
    check_ok(tsr_features_make(&both, path_of("both"), &options));
    const int64_t left = first ? 0 : 1, right = 1 - left;
    assert_true(tsr_matrix_at(both->x, 0, left) >= 15);
    assert_true(tsr_matrix_at(both->x, 0, 2 + right) >= 15);
    assert_null(both->labels);
    tsr_data_free(both);
    tsr_data_free(data);
}

/* On a ramp all gradients have one direction, and all patches are alike. */
static void test_dense_descriptors(void **state)
{
    (void)state;
    float grey[WIDTH * HEIGHT];
    void *held = NULL;
    const tsr_features_options options = {.step = 8, .patch = 16};
    int direction[2] = {-1, -1};
    for (int down = 0; down < 2; down++) {
        tsr__descriptors found = {0};
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            grey[i] = (float)(3 * (down ? i / WIDTH : i % WIDTH));
        const tsr__image image = {WIDTH, HEIGHT, grey};
        check_ok(tsr__describer_dsift.describe(&found, &held, &image, &options));
        assert_int_equal(found.count, 7 * 5);
        assert_true(found.spot[0].x == 8 && found.spot[0].y == 8 && found.spot[0].reach == 8);
        assert_true(found.spot[34].x == 56 && found.spot[34].y == 40);
        for (int j = 0; j < TSR_DESCRIPTOR; j++)
            if (found.value[j] > found.value[direction[down] < 0 ? j : direction[down]] ||
                direction[down] < 0)
                direction[down] = j;
        direction[down] %= 8;
        for (int64_t i = 0; i < found.count; i++) {
            int along = 0, all = 0;
            for (int j = 0; j < TSR_DESCRIPTOR; j++) {
                along += j % 8 == direction[down] ? found.value[i * TSR_DESCRIPTOR + j] : 0;
                all += found.value[i * TSR_DESCRIPTOR + j];
            }
            assert_true(along == all && all > 0);
        }
        /* away from the border all patches have the same descriptor */
        assert_memory_equal(found.value + 8 * TSR_DESCRIPTOR, found.value + 9 * TSR_DESCRIPTOR,
                            TSR_DESCRIPTOR);
        tsr__descriptors_free(&found);
    }
    assert_int_equal(abs(direction[0] - direction[1]), 2); /* a quarter turn */
    tsr__describer_dsift.close(held);
}

/* A blob has a keypoint at its center, of its scale. */
static void test_keypoints(void **state)
{
    (void)state;
    float grey[WIDTH * HEIGHT];
    void *held = NULL;
    tsr__descriptors found = {0};
    const tsr_features_options options = {0};
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const double x = i % WIDTH - 30, y = i / WIDTH - 20;
        grey[i] = (float)(20 + 200 * exp(-(x * x + y * y) / (2 * 16)));
    }
    const tsr__image image = {WIDTH, HEIGHT, grey};
    check_ok(tsr__describer_sift.describe(&found, &held, &image, &options));
    bool near = false;
    for (int64_t i = 0; i < found.count; i++)
        near = near || hypot((double)found.spot[i].x - 30, (double)found.spot[i].y - 20) < 1;
    assert_true(near);
    tsr__descriptors_free(&found);
}

/* What is learnt comes from the samples that may be learnt from, and from no others. */
static void test_learn(void **state)
{
    (void)state;
    bool learn[10] = {true, true, true, true, true};
    tsr__sources all = {0}, some = {0};
    tsr_data *masked = NULL, *alone = NULL;
    tsr_features_options options = options_of(2);
    options.weigh = 2;
    check_ok(tsr__sources_find(&all, path_of("set"), &options));
    check_ok(tsr__sources_find(&some, path_of("set/a"), &options));
    check_ok(tsr__features_make(&masked, &all, learn, &options));
    check_ok(tsr__features_make(&alone, &some, NULL, &options));
    assert_int_equal(masked->x->samples, 10);
    assert_same_recipe(&masked->recipe, &alone->recipe);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < alone->x->features; j++)
            assert_true(tsr_matrix_at(masked->x, i, j) == tsr_matrix_at(alone->x, i, j));
    tsr_data_free(masked);
    tsr_data_free(alone);
    tsr__sources_clear(&all);
    tsr__sources_clear(&some);
}

/* Pictures that are too small or broken. */
static void test_bad_pictures(void **state)
{
    (void)state;
    tsr_data *data = NULL;
    tsr_features_options options = options_of(2);
    (void)mkdir(path_of("bad"), 0777), (void)mkdir(path_of("bad/c"), 0777);
    put_picture("bad/c/1.pgm", 1, WIDTH, HEIGHT);
    put_picture("bad/c/2.pgm", 2, 20, 15);
    put_picture("bad/c/3.pgm", 3, WIDTH, HEIGHT);
    check_fails(tsr_features_make(&data, path_of("bad"), &options), TSR_ERROR_DATA,
                "c/2.pgm: 20 x 15 pixels give no descriptor");
    options.small = 0;
    data = make("bad", &options);
    assert_int_equal(data->x->samples, 2);
    assert_int_equal(data->labels->count, 2);
    assert_string_equal(tsr_data_sample_name(data, 1), "c/3.pgm");
    assert_string_equal(tsr_data_note(data, 0),
                        "left out c/2.pgm: 20 x 15 pixels give no descriptor");
    tsr_data_free(data), data = NULL;
    options.small = 1;
    data = make("bad", &options);
    assert_int_equal(data->x->samples, 3);
    assert_true(row_sum(data->x, 1, 1) == 0);
    assert_int_equal(tsr_data_notes(data), 1);
    tsr_data_free(data), data = NULL;
    put_bytes("bad/c/0.jpg", "\xff\xd8\xff", 3);
    check_fails(tsr_features_make(&data, path_of("bad"), &options), TSR_ERROR_FORMAT,
                "c/0.jpg: ");
    options.skip_bad = true;
    data = make("bad", &options);
    assert_int_equal(data->x->samples, 3);
    assert_non_null(strstr(tsr_data_note(data, 0), "left out c/0.jpg: "));
    tsr_data_free(data), data = NULL;
    assert_int_equal(remove(path_of("bad/c/1.pgm")) + remove(path_of("bad/c/3.pgm")), 0);
    check_fails(tsr_features_make(&data, path_of("bad"), &options), TSR_ERROR_DATA,
                "no image to learn from");
    check_fails(tsr_features_make(&data, path_of("empty"), &options), TSR_ERROR_DATA,
                "empty: holds no images");
    check_fails(tsr_features_make(&data, path_of("nowhere"), &options), TSR_ERROR_IO,
                "nowhere: ");
    const tsr__image huge = {1 << 13, 1 << 13, NULL};
    tsr__descriptors found = {0};
    check_fails(tsr__picture_describe(&found, NULL, &huge, &tsr__describer_dsift, &options),
                TSR_ERROR_UNSUPPORTED, "8192 x 8192 pixels");
    options = options_of(2);
    options.patch = 10;
    check_fails(tsr_features_make(&data, path_of("set"), &options), TSR_ERROR_ARGUMENT,
                "--patch");
    options = options_of(2);
    options.vocabulary = 380; /* ten pictures of 35 patches */
    check_fails(tsr_features_make(&data, path_of("set"), &options), TSR_ERROR_DATA, "350 desc");
}

/* Writes the archive again with another recipe and applies that. */
static tsr_status apply_bent(tsr_data *data, int kind)
{
    tsr_data *out = NULL;
    tsr_features_options options = {0};
    check_ok(tsr_data_write(data, path_of("bent.h5")));
    tsr_settings_default(tsr_features_settings(), &options);
    options.kind = kind;
    options.dictionary = path_of("bent.h5");
    const tsr_status status = tsr_features_make(&out, path_of("set"), &options);
    tsr_data_free(out);
    return status;
}

/* Dictionaries that do not fit. */
static void test_bad_recipes(void **state)
{
    (void)state;
    tsr_features_options options = options_of(2);
    tsr_data *data = make("set", &options), *out = NULL, *plain = NULL;
    check_ok(tsr_data_write(data, path_of("good.h5")));
    check_fails(apply_bent(data, 1), TSR_ERROR_DATA,
                "its features are of kind dsift, not sift");
    tsr_features_options other = options_of(2);
    other.vocabulary = 0, other.grid[0] = other.grid[1] = 2;
    other.dictionary = path_of("good.h5");
    check_fails(tsr_features_make(&out, path_of("set"), &other), TSR_ERROR_ARGUMENT,
                "good.h5: --grid 2x2: the dictionary was made with 4x4");
    other.dictionary = path_of("set/a/0.pgm");
    check_fails(tsr_features_make(&out, path_of("set"), &other), TSR_ERROR_FORMAT, "0.pgm: ");
    check_ok(tsr_data_read(&plain, path_of("good.h5"), NULL));
    tsr__recipe_clear(&plain->recipe);
    check_fails(apply_bent(plain, 2), TSR_ERROR_DATA, "has no recipe");
    tsr_data_free(plain);

    tsr_matrix *words = data->recipe.dictionary, *bent = NULL;
    float *value = words->values;
    const float kept = value[7];
    value[7] = NAN;
    check_fails(apply_bent(data, 2), TSR_ERROR_DATA, "recipe/dictionary");
    value[7] = kept;
    data->recipe.dictionary = NULL;
    check_fails(apply_bent(data, 2), TSR_ERROR_FORMAT, "no dictionary");
    check_ok(tsr_matrix_view_dense(&bent, value, 12, 64, 128, TSR_FLOAT32));
    data->recipe.dictionary = bent;
    check_fails(apply_bent(data, 2), TSR_ERROR_FORMAT, "12 x 64");
    tsr_matrix_free(bent);
    check_ok(tsr_matrix_view_dense(&bent, value, 11, 128, 128, TSR_FLOAT32));
    data->recipe.dictionary = bent;
    check_fails(apply_bent(data, 2), TSR_ERROR_FORMAT, "11 x 128");
    tsr_matrix_free(bent);
    data->recipe.dictionary = words;
    check_ok(tsr_matrix_create(&data->recipe.weight, 1, 5, TSR_FLOAT64));
    check_fails(apply_bent(data, 2), TSR_ERROR_FORMAT, "/recipe/weight is 1 x 5");
    data->recipe.setting.name[0][0] = 'x';
    tsr_matrix_free(data->recipe.weight);
    data->recipe.weight = NULL;
    check_fails(apply_bent(data, 2), TSR_ERROR_FORMAT, "lacks the setting vocabulary");
    tsr_data_free(data);
}

/* Archives that are cut, or whose dictionary has any bit turned: refused, or numbers. */
static void test_damaged_archives(void **state)
{
    (void)state;
    tsr_features_options options = options_of(2);
    options.vocabulary = 2, options.grid[0] = options.grid[1] = 1;
    tsr_data *data = make("set", &options);
    check_ok(tsr_data_write(data, path_of("whole.h5")));
    FILE *stream = fopen(path_of("whole.h5"), "rb");
    assert_non_null(stream);
    static unsigned char bytes[1 << 16];
    const size_t size = fread(bytes, 1, sizeof bytes, stream);
    assert_true(size > 1000 && size < sizeof bytes);
    (void)fclose(stream);
    size_t words = 0;
    while (words < size && memcmp(bytes + words, data->recipe.dictionary->values, 1024) != 0)
        words++;
    assert_true(words < size);
    tsr_data_free(data);
    const int64_t live = tsr__memory_live();
    for (size_t i = 0; i < size + 1024; i += 7) {
        tsr__recipe recipe = {0};
        tsr__names names = {0};
        const size_t turned = words + (i < size ? 0 : i - size);
        bytes[turned] ^= (unsigned char)(i < size ? 0 : 1 << (i % 8));
        put_bytes("damaged.h5", bytes, i < size ? i : size);
        const tsr_status status = tsr__recipe_load(&recipe, &names, path_of("damaged.h5"));
        assert_true(i >= size || status != TSR_OK);
        for (int j = 0; status == TSR_OK && j < 256; j++)
            assert_true(isfinite(tsr_matrix_at(recipe.dictionary, j / 128, j % 128)));
        bytes[turned] ^= (unsigned char)(i < size ? 0 : 1 << (i % 8));
        tsr__recipe_clear(&recipe);
        tsr__names_clear(&names);
    }
    assert_int_equal(tsr__memory_live(), live);
}

/* Whichever allocation fails, the status says so and nothing leaks. */
static void test_memory(void **state)
{
    (void)state;
    tsr_features_options options = options_of(2);
    options.vocabulary = 3, options.threads = 1, options.step = 16, options.weigh = 2;
    tsr_data *data = NULL;
    check_starved(tsr_features_make(&data, path_of("set"), &options),
                  (tsr_data_free(data), data = NULL));
}

/* A view is the picture's sample, and says which feature each patch is. */
static void test_view(void **state)
{
    (void)state;
    tsr_features_options options = options_of(2);
    tsr_data *data = make("set", &options);
    tsr__view view = {0};
    check_ok(tsr__view_make(&view, &data->recipe, path_of("set/a/0.pgm")));
    assert_int_equal(view.found.count, 35);
    for (int64_t j = 0; j < data->x->features; j++)
        assert_true(tsr_matrix_at(view.sample->x, 0, j) == tsr_matrix_at(data->x, 0, j));
    for (int64_t i = 0; i < view.found.count; i++)
        assert_true(tsr_matrix_at(data->x, 0, view.feature[i]) > 0);
    tsr__view_clear(&view);
    tsr__free(data->recipe.kind);
    data->recipe.kind = tsr__copy_text("pixels");
    check_fails(tsr__view_make(&view, &data->recipe, path_of("set/a/0.pgm")), TSR_ERROR_DATA,
                "no visual words but pixels");
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_recipe_travels),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_two_patterns),
        cmocka_unit_test(test_dense_descriptors),
        cmocka_unit_test(test_keypoints),
        cmocka_unit_test(test_learn),
        cmocka_unit_test(test_bad_pictures),
        cmocka_unit_test(test_bad_recipes),
        cmocka_unit_test(test_damaged_archives),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_view),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
