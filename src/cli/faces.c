/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws faces: soft-edged ellipses and strokes, shaded from one side. Everything comes from one seed,
 * so the pictures are the same everywhere but for the last bits of exp. */
#include "cli/pictures.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>

enum { SIDE = 32, PEOPLE = 20, EACH = 12, FACES = PEOPLE * EACH };

/* What makes a person, in pixels and grey values. */
typedef struct person {
    double width, height, eye_apart, eye_height, eye_size, nose, mouth_width, mouth_height,
        hair, skin, brow;
} person;

/* What makes a moment. */
typedef struct moment {
    double smile, brow, light, strength, shift_x, shift_y;
} moment;

static double between(tsr__random *random, double low, double high)
{
    return low + (high - low) * tsr__random_uniform(random);
}

static person draw_person(tsr__random *random)
{
    return (person){.width = between(random, 8.5, 12),
                    .height = between(random, 12, 14.5),
                    .eye_apart = between(random, 3.4, 5.6),
                    .eye_height = between(random, 11.5, 14.5),
                    .eye_size = between(random, 0.9, 1.8),
                    .nose = between(random, 3, 6.5),
                    .mouth_width = between(random, 2.6, 5.5),
                    .mouth_height = between(random, 21.5, 24.5),
                    .hair = between(random, 3.5, 9.5),
                    .skin = between(random, 120, 215),
                    .brow = between(random, 1.6, 3.2)};
}

static moment draw_moment(tsr__random *random)
{
    return (moment){.smile = between(random, -1.6, 1.6),
                    .brow = between(random, -0.8, 0.8),
                    .light = between(random, 0, 6.283185307179586),
                    .strength = between(random, 0, 0.7),
                    .shift_x = between(random, -0.8, 0.8),
                    .shift_y = between(random, -0.8, 0.8)};
}

/* 1 inside, 0 outside, soft over a pixel; d is a signed distance in pixels, negative inside. */
static double cover(double d)
{
    return 1 / (1 + exp(3 * d));
}

static double ellipse(double x, double y, double wide, double high)
{
    const double r = sqrt(x * x / (wide * wide) + y * y / (high * high));
    return cover((r - 1) * (wide < high ? wide : high));
}

/* A stroke y = bend x^2 of half length `half` and half thickness `thick`. */
static double stroke(double x, double y, double half, double thick, double bend)
{
    const double off = fabs(y - bend * x * x) - thick, beyond = fabs(x) - half;
    return cover(off > beyond ? off : beyond);
}

static double shade(const person *p, const moment *m, double x, double y)
{
    const double head = ellipse(x, y - 16.5, p->width, p->height);
    const double hair = head * cover(y - (16.5 - p->height + p->hair));
    const double side = fabs(x) - p->eye_apart, level = y - p->eye_height;
    const double eyes = ellipse(side, level, p->eye_size * 1.3, p->eye_size);
    const double brows =
        stroke(side, level + p->brow + 0.6 * m->brow * (fabs(x) < 5 ? 1 : -1), 2.0, 0.35, 0.05);
    const double nose = stroke(y - p->eye_height - p->nose / 2 - 1, x, p->nose / 2, 0.45, 0.03);
    const double mouth =
        stroke(x, y - p->mouth_height + 0.25 * m->smile, p->mouth_width, 0.6, -0.06 * m->smile);
    double grey = 40 + (p->skin - 40) * head;
    grey *= 1 - 0.75 * hair;
    grey *= 1 - 0.8 * eyes;
    grey *= 1 - 0.5 * brows;
    grey *= 1 - 0.3 * nose;
    grey *= 1 - 0.6 * mouth;
    return grey * (1 + m->strength * (cos(m->light) * x + sin(m->light) * (y - 16)) / 16);
}

static void draw_face(double *pixel, const person *p, const moment *m, tsr__random *random)
{
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            const double x = column - 15.5 - m->shift_x, y = row - m->shift_y;
            const double grey = shade(p, m, x, y) + 4 * tsr__random_normal(random);
            pixel[row * SIDE + column] = floor(grey < 0 ? 0 : grey > 255 ? 255 : grey);
        }
}

tsr_status faces_draw(tsr_data **out)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    tsr_labels *labels = NULL;
    tsr__random random = tsr__random_seed(1903, 0);
    char name[PEOPLE][16];
    const char *text[FACES];
    TSR_TRY(tsr_matrix_create(&x, FACES, SIDE * SIDE, TSR_FLOAT64));
    for (int who = 0; who < PEOPLE; who++) {
        const person p = draw_person(&random);
        (void)snprintf(name[who], sizeof name[who], "p%d", who + 1);
        for (int i = 0; i < EACH; i++) {
            const moment m = draw_moment(&random);
            const int64_t at = who * EACH + i;
            draw_face((double *)tsr_matrix_edit(x) + at * SIDE * SIDE, &p, &m, &random);
            text[at] = name[who];
        }
    }
    TSR_TRY(tsr_matrix_set_image(x, (tsr_image_shape){SIDE, SIDE, TSR_ROW_ORDER}));
    TSR_TRY(tsr_labels_from_texts(&labels, text, FACES));
    TSR_TRY(tsr_data_take(out, x, labels));
    x = NULL, labels = NULL;
done:
    tsr_matrix_free(x);
    tsr_labels_free(labels);
    return status;
}
