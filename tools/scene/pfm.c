/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PFM: a header in text, and rows of little-endian binary32 from the bottom to the top. */
#include "scene/pfm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files/output.h"
#include "scene/floats.h"

static bool write_rows(
    struct output *output, const kst_image *image, double unit, uint8_t *row, struct problem *problem)
{
    for (uint32_t y = image->height; y-- > 0;) {
        const uint8_t *from = (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
        const uint16_t *sample = (const uint16_t *)(const void *)from;
        for (uint32_t x = 0; x < image->width; x++)
            float_put(row + 4 * (size_t)x, sample[x] != 0 ? (float)(sample[x] * unit) : INFINITY);
        if (!output_write(output, row, 4 * (size_t)image->width, problem))
            return false;
    }
    return true;
}

bool pfm_write(const char *path, const kst_image *image, double unit, struct problem *problem)
{
    struct output output;
    char header[64];
    uint8_t *row = malloc(4 * (size_t)image->width);

    if (row == NULL)
        return problem_set(problem, "%s", kst_status_text(KST_ERROR_MEMORY));
    int length = snprintf(header, sizeof header, "Pf\n%u %u\n-1.0\n", (unsigned)image->width, (unsigned)image->height);
    bool good = output_open(&output, path, problem);
    if (good) {
        good = output_write(&output, header, (size_t)length, problem) &&
               write_rows(&output, image, unit, row, problem) && output_commit(&output, problem);
        if (!good)
            output_discard(&output);
    }
    free(row);
    return good;
}
