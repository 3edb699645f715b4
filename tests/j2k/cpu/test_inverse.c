/* SPDX-License-Identifier: BSD-2-Clause */
/* Every tier's steps from quantiser indices to samples against plain C, to the last bit, and nothing written beyond. */
#include <stdlib.h>
#include <string.h>

#include "j2k/cpu/dwt/dwt_rows.h"
#include "j2k/cpu/dwt/inverse.h"
#include "support/test.h"

enum { MOST = 1100, ARRAYS = 8 };

/* The rows that a step reads and changes. */
struct data {
    uint32_t array[ARRAYS][MOST];
};

static struct data source, plain, tested;
static struct j2k_inverse c, tier;

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8 ^ *random << 12;
}

/* Integers of any size, or reals up to large ones. */
static void fill(uint32_t seed, bool reals)
{
    uint32_t random = seed;
    for (uint32_t a = 0; a < ARRAYS; a++)
        for (uint32_t i = 0; i < MOST; i++) {
            int32_t value = (int32_t)next(&random) >> next(&random) % 31;
            float real = (float)value / 64;
            memcpy(&source.array[a][i], reals ? (void *)&real : (void *)&value, sizeof value);
        }
}

#define INTEGERS(data, a) ((int32_t *)(data)->array[a])
#define NARROW(data, a) ((int16_t *)(data)->array[a])
#define REALS(data, a) ((float *)(data)->array[a])

/* In 16 bits of whatever lies there: sums wrap there, too. */
static void run_narrow(const struct j2k_inverse *steps, struct data *d, uint32_t step, size_t count)
{
    const struct j2k_indices indices = {d->array[0], count, (uint32_t)count, 1};
    size_t pairs = count / 2 + 2 * J2K_DWT_MARGIN, skip = count % 3 == 0;
    switch (step) {
    case 13:
        steps->store_narrow(&indices, NARROW(d, 1), count);
        break;
    case 14:
        steps->join_53_narrow(NARROW(d, 0), NARROW(d, 1), pairs, skip, count - skip, NARROW(d, 2));
        break;
    case 15:
        steps->lift_53_narrow(
            NARROW(d, 0), NARROW(d, 1), NARROW(d, 2), NARROW(d, 3), NARROW(d, 4), NARROW(d, 5), count);
        break;
    case 16:
        steps->rct_narrow(NARROW(d, 0), NARROW(d, 1), NARROW(d, 2), count);
        break;
    case 17:
        steps->finish_narrow(NARROW(d, 0), count, 1 + (uint32_t)count % 14, count % 2 == 0, NARROW(d, 1));
        break;
    case 18:
        steps->pack_8_narrow(NARROW(d, 0), count, (uint8_t *)d->array[1], 1 + count % 4);
        break;
    default:
        steps->pack_16_narrow(NARROW(d, 0), count, (uint16_t *)d->array[1], 1 + count % 2);
    }
}

static void run(const struct j2k_inverse *steps, struct data *d, uint32_t step, size_t count)
{
    float *const state[] = {REALS(d, 2), REALS(d, 3), REALS(d, 4), REALS(d, 5)};
    const struct j2k_indices indices = {d->array[0], count, (uint32_t)count, 1};
    size_t pairs = count / 2 + 2 * J2K_DWT_MARGIN, skip = count % 3 == 0;
    uint32_t depth = 1 + (uint32_t)count % 31;
    *d = source;
    switch (step) {
    case 0:
        steps->store_integers(&indices, INTEGERS(d, 1), count);
        break;
    case 1:
        steps->store_reals(&indices, 0.37F, REALS(d, 1), count);
        break;
    case 2:
        steps->scale(REALS(d, 0), count, 1.23F, REALS(d, 1));
        break;
    case 3:
        steps->join_53(INTEGERS(d, 0), INTEGERS(d, 1), pairs, skip, count - skip, INTEGERS(d, 2));
        break;
    case 4:
        steps->join_97(REALS(d, 0), REALS(d, 1), pairs, skip, count - skip, REALS(d, 2));
        break;
    case 5:
        steps->lift_53(
            INTEGERS(d, 0), INTEGERS(d, 1), INTEGERS(d, 2), INTEGERS(d, 3), INTEGERS(d, 4), INTEGERS(d, 5), count);
        break;
    case 6:
        steps->lift_97(REALS(d, 0), REALS(d, 1), state, REALS(d, 6), REALS(d, 7), count);
        break;
    case 7:
        steps->rct(INTEGERS(d, 0), INTEGERS(d, 1), INTEGERS(d, 2), count);
        break;
    case 8:
        steps->ict(REALS(d, 0), REALS(d, 1), REALS(d, 2), count);
        break;
    case 9:
        steps->finish_integers(INTEGERS(d, 0), count, depth, count % 2 == 0, INTEGERS(d, 1));
        break;
    case 10:
        steps->finish_reals(REALS(d, 0), count, depth, count % 2 == 0, INTEGERS(d, 1));
        break;
    case 11:
        steps->pack_8(INTEGERS(d, 0), count, (uint8_t *)d->array[1], 1 + count % 4);
        break;
    case 12:
        steps->pack_16(INTEGERS(d, 0), count, (uint16_t *)d->array[1], 1 + count % 2);
        break;
    case 20:
        steps->interleave_8(
            (uint8_t *)d->array[0], (uint8_t *)d->array[1], (uint8_t *)d->array[2], count, (uint8_t *)d->array[3]);
        break;
    default:
        run_narrow(steps, d, step, count);
    }
}

static bool is_real(uint32_t step)
{
    return step == 2 || step == 4 || step == 6 || step == 8 || step == 10;
}

static void compare(enum cpu_tier which)
{
    kst_j2k_cpu_inverse_init(&tier, which);
    for (uint32_t step = 0; step < 21; step++)
        for (size_t count = 2; count < MOST - 2 * J2K_DWT_MARGIN; count += count < 140 ? 1 : 97) {
            fill((uint32_t)(count * 13 + step), is_real(step));
            run(&c, &plain, step, count);
            run(&tier, &tested, step, count);
            if (memcmp(&plain, &tested, sizeof plain) != 0)
                fail_msg("%s, step %u, %zu samples", kst_cpu_tier_name(which), step, count);
        }
}

static void tiers_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"sse2", "avx2", "avx512", "neon"};
    kst_j2k_cpu_inverse_init(&c, CPU_C);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum cpu_tier which;
        if (!kst_cpu_tier_by_name(names[i], &which))
            compare(which);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiers_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
