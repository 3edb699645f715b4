/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns samples of files that have more bits than are coded, and finds those that have too many. */
#include "volume/wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

void samples_reverse(uint8_t *samples, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++, samples += bytes)
        for (size_t k = 0; k < bytes / 2; k++) {
            const uint8_t other = samples[k];
            samples[k] = samples[bytes - 1 - k];
            samples[bytes - 1 - k] = other;
        }
}

bool doubles_turn(const uint8_t *from, size_t count, uint8_t *to, uint64_t *rounded, size_t *wrong)
{
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, from + sizeof value * i, sizeof value);
        if (isfinite(value) && fabs(value) > (double)FLT_MAX) {
            *wrong = i;
            return false;
        }
        const float single = (float)value;
        *rounded += !isnan(value) && (double)single != value;
        memcpy(to + sizeof single * i, &single, sizeof single);
    }
    return true;
}

bool integers_fit(const kst_volume *volume, const uint8_t *samples, size_t count, size_t *wrong)
{
    const int64_t low = volume->is_signed ? -(INT64_C(1) << (volume->bits - 1)) : 0;
    const int64_t high = low + (INT64_C(1) << volume->bits) - 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, samples + sizeof word * i, sizeof word);
        const int64_t value = volume->is_signed ? (int32_t)word : (int64_t)word;
        if (value < low || value > high) {
            *wrong = i;
            return false;
        }
    }
    return true;
}

bool wide_refuse(const kst_volume *volume, uint64_t number, const char *what, struct problem *problem)
{
    const uint64_t row = number / volume->width;
    return problem_set(problem, "the sample at z %llu, y %llu, x %llu %s", (unsigned long long)(row / volume->height),
        (unsigned long long)(row % volume->height), (unsigned long long)(number % volume->width), what);
}
