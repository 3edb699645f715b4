/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse component transforms by arrays (T.801 J.2). In single precision each product and sum is rounded by
 * itself, in the order of the array's elements. Integers are summed in 64 bits, modulo 2^64, and results keep the low
 * 32 bits.
 */
#include <string.h>

#include "j2k/cpu/z.h"

void kst_j2k_cpu_multi_multiply(const struct j2k_multi_rows *rows)
{
    for (uint32_t i = 0; i < rows->made; i++) {
        float *to = rows->to[i];
        memset(to, 0, rows->width * sizeof *to);
        for (uint32_t k = 0; k < rows->taken; k++) {
            const float *from = rows->in[k], factor = (float)rows->value[(size_t)i * rows->taken + k];
            for (uint32_t x = 0; x < rows->width; x++)
                to[x] += factor * from[x];
        }
    }
}

void kst_j2k_cpu_multi_predict_reals(const struct j2k_multi_rows *rows)
{
    const double *value = rows->value;
    for (uint32_t i = 0; i < rows->made; i++) {
        float *to = rows->to[i];
        if (rows->offset)
            kst_j2k_cpu_z_add(to, rows->width, rows->offset[i], false);
        for (uint32_t k = 0; k < i; k++) {
            const float *from = rows->to[k], factor = (float)*value++;
            for (uint32_t x = 0; x < rows->width; x++)
                to[x] += factor * from[x];
        }
    }
}

/* Set sums to those of rows times factors, without row `left_out`, to which half of a divisor is added. */
static void sum_rows(
    const struct j2k_multi_rows *rows, const double *factor, uint32_t count, uint32_t left_out, uint64_t *sum)
{
    memset(sum, 0, rows->width * sizeof *sum);
    for (uint32_t k = 0; k < count; k++) {
        const int32_t *from = rows->to[k];
        const uint64_t times = k == left_out ? 0 : (uint64_t)(int64_t)factor[k];
        for (uint32_t x = 0; times != 0 && x < rows->width; x++)
            sum[x] += times * (uint64_t)from[x];
    }
}

/*
 * Return a sum divided by a power of two, rounded to the nearest integer, upwards if there are two: the floor of the
 * quotient after half of the divisor is added.
 */
static inline uint32_t quotient(uint64_t sum, uint32_t divisor)
{
    return (uint32_t)((int64_t)(sum + divisor / 2) >> __builtin_ctz(divisor));
}

void kst_j2k_cpu_multi_predict_integers(const struct j2k_multi_rows *rows)
{
    const double *value = rows->value;
    uint64_t sum[J2K_Z_PIECE];
    for (uint32_t i = 0; i < rows->made; i++) {
        uint32_t *to = rows->to[i];
        if (rows->offset)
            kst_j2k_cpu_z_add(to, rows->width, rows->offset[i], true);
        if (i == 0)
            continue;
        sum_rows(rows, value, i, i, sum);
        for (uint32_t x = 0; x < rows->width; x++)
            to[x] += quotient(sum[x], (uint32_t)value[i]);
        value += i + 1;
    }
}

void kst_j2k_cpu_multi_undo_steps(const struct j2k_multi_rows *rows)
{
    uint64_t sum[J2K_Z_PIECE];
    for (uint32_t step = 0; step <= rows->made; step++) {
        const double *value = rows->value + (size_t)step * rows->made;
        const uint32_t target = j2k_multi_step_target(step, rows->made), divisor = (uint32_t)value[target];
        uint32_t *to = rows->to[target];
        sum_rows(rows, value, rows->made, target, sum);
        for (uint32_t x = 0; x < rows->width; x++)
            to[x] -= quotient(sum[x], divisor);
    }
}
