/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiplies colours by alpha, divides them by it again, and mirrors rows. */
#include "resize/cpu/finish.h"
#include "image/sample.h"

#include <string.h>

static void weigh_narrow(const uint8_t *from, uint8_t *to, uint32_t width)
{
    for (size_t i = 0; i < (size_t)width * 4; i += 4) {
        uint32_t alpha = from[i + 3];
        for (size_t c = 0; c < 3; c++)
            to[i + c] = (uint8_t)((from[i + c] * alpha + 127) / 255);
        to[i + 3] = (uint8_t)alpha;
    }
}

void kst_resize_weigh_by_alpha(const uint8_t *from, uint8_t *to, uint32_t width, uint32_t bytes, uint32_t greatest)
{
    if (greatest == 255) {
        weigh_narrow(from, to, width);
        return;
    }
    for (size_t i = 0; i < (size_t)width * 4; i += 4) {
        uint32_t alpha = sample_get(from, i + 3, bytes);
        for (size_t c = 0; c < 3; c++) {
            uint64_t product = (uint64_t)sample_get(from, i + c, bytes) * alpha;
            sample_put(to, i + c, bytes, (uint32_t)((product + greatest / 2) / greatest));
        }
        sample_put(to, i + 3, bytes, alpha);
    }
}

void kst_resize_divide_by_alpha(uint8_t *row, uint32_t width, uint32_t bytes, uint32_t greatest)
{
    for (size_t i = 0; i < (size_t)width * 4; i += 4) {
        uint32_t alpha = sample_get(row, i + 3, bytes);
        if (alpha == 0 || alpha == greatest)
            continue;
        for (size_t c = 0; c < 3; c++) {
            uint32_t value = sample_get(row, i + c, bytes) * greatest / alpha; /* below 2^32 */
            sample_put(row, i + c, bytes, value > greatest ? greatest : value);
        }
    }
}

void kst_resize_mirror(uint8_t *row, uint32_t width, uint32_t bytes)
{
    uint8_t *left = row, *right = row + (size_t)(width - 1) * bytes, pixel[8];
    for (; left < right; left += bytes, right -= bytes) {
        memcpy(pixel, left, bytes);
        memcpy(left, right, bytes);
        memcpy(right, pixel, bytes);
    }
}
