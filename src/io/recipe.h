/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Recipes: how features were made, so that they can be made again of new pictures or texts. In
 * an archive a recipe is the group /recipe: attributes kind and setting.NAME, datasets
 * /recipe/dictionary and /recipe/weight where there are such. */
#ifndef TSR_IO_RECIPE_H
#define TSR_IO_RECIPE_H

#include "io/hdf5.h"

tsr_status tsr__recipe_copy(tsr__recipe *out, const tsr__recipe *recipe);
void tsr__recipe_clear(tsr__recipe *recipe);

/* Writes nothing where there is no recipe. */
tsr_status tsr__recipe_write(tsr__hdf5 *file, const tsr__recipe *recipe);

/* Reads the recipe for samples of `features`; none where the archive holds none. Shapes and
 * values are checked: whoever has a recipe may trust that its numbers are finite, its weights
 * not negative and one a feature. */
tsr_status tsr__recipe_read(tsr__recipe *out, const tsr__hdf5 *file, int64_t features);

/* The recipe and the names of features of an archive of data or of a model. Fails where the
 * file is no archive or has no recipe. */
tsr_status tsr__recipe_load(tsr__recipe *out, tsr__names *feature_names, const char *path);

/* Keeps those rows of a settings table that `names` lists (ended by NULL) as "name=value", and
 * sets them again. */
tsr_status tsr__recipe_record(tsr__recipe *recipe, const tsr_setting *table, const void *object,
                              const char *const *names);
tsr_status tsr__recipe_restore(const tsr__recipe *recipe, const tsr_setting *table,
                               void *object, const char *const *names);

#endif
