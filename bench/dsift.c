/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The peer of bench/features.py: VLFeat's dense SIFT alone on the JPEG files named on standard
 * input, with the geometry of `tessera features --kind dsift`. Files are decoded to grey by
 * libjpeg; nothing is kept. Prints descriptors, seconds in all and seconds (a thread's share)
 * of extraction without decoding. */
#include <stdio.h>

#include <jpeglib.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <vl/dsift.h>

enum { STEP = 8, BIN = 4, MOST = 100000 };

static float *decode(const char *path, int *width, int *height)
{
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr error;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        exit(1);
    jpeg.err = jpeg_std_error(&error);
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, stream);
    (void)jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_GRAYSCALE;
    (void)jpeg_start_decompress(&jpeg);
    *width = (int)jpeg.output_width, *height = (int)jpeg.output_height;
    float *grey = malloc(sizeof *grey * (size_t)*width * (size_t)*height);
    unsigned char *line = malloc((size_t)*width);
    for (int y = 0; y < *height; y++) {
        (void)jpeg_read_scanlines(&jpeg, &line, 1);
        for (int x = 0; x < *width; x++)
            grey[y * *width + x] = line[x];
    }
    free(line);
    (void)jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    (void)fclose(stream);
    return grey;
}

int main(void)
{
    static char *file[MOST];
    char line[4096];
    int count = 0;
    long found = 0;
    double inside = 0;
    for (; count < MOST && fgets(line, sizeof line, stdin) != NULL; count++) {
        line[strcspn(line, "\n")] = '\0';
        file[count] = strdup(line);
    }
    const double start = omp_get_wtime();
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : found, inside)
    for (int i = 0; i < count; i++) {
        int width = 0, height = 0;
        float *grey = decode(file[i], &width, &height);
        const double begin = omp_get_wtime();
        VlDsiftFilter *filter = vl_dsift_new_basic(width, height, STEP, BIN);
        vl_dsift_set_flat_window(filter, 1);
        vl_dsift_set_bounds(filter, BIN / 2, BIN / 2, BIN / 2 + width - BIN,
                            BIN / 2 + height - BIN);
        vl_dsift_process(filter, grey);
        found += vl_dsift_get_keypoint_num(filter);
        vl_dsift_delete(filter);
        inside += omp_get_wtime() - begin;
        free(grey);
    }
    printf("%ld %.4f %.4f\n", found, omp_get_wtime() - start, inside / omp_get_max_threads());
    return 0;
}
