/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dictionaries of visual words: centers of descriptors, and the words nearest to a descriptor.
 */
#ifndef TSR_FEATURES_DICTIONARY_H
#define TSR_FEATURES_DICTIONARY_H

#include "base/random.h"
#include "features/descriptors.h"

/* A uniform sample of all descriptors that pass by (Vitter 1985, algorithm R): in order, so
 * that it does not depend on threads. */
typedef struct tsr__reservoir {
    unsigned char *value; /* room x 128 */
    int64_t count, room, passed;
    tsr__random random;
} tsr__reservoir;

tsr_status tsr__reservoir_open(tsr__reservoir *out, int64_t room, uint64_t seed);
void tsr__reservoir_add(tsr__reservoir *reservoir, const tsr__descriptors *from);

/* Words: k-means over the sample; words x 128 floats. */
tsr_status tsr__dictionary_learn(tsr_matrix **out, const tsr__reservoir *sample,
                                 const tsr_features_options *options);

/* A dictionary ready for look-ups. */
typedef struct tsr__lookup {
    const float *word; /* words x 128 */
    float *square;     /* of each word */
    int64_t words, soft;
    bool root;
} tsr__lookup;

tsr_status tsr__lookup_open(tsr__lookup *out, const tsr_matrix *dictionary,
                            const tsr_features_options *options);
void tsr__lookup_close(tsr__lookup *lookup);

/* For each descriptor its `soft` nearest words, nearest first, and their shares, which sum to 1
 * (as in fuzzy clustering with exponent 2: in proportion to 1 / squared distance). Both arrays
 * are count x soft. */
tsr_status tsr__lookup_words(int32_t *word, float *share, const tsr__lookup *lookup,
                             const tsr__descriptors *from);

#endif
