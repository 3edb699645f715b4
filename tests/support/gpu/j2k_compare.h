/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of JPEG 2000 decoded on every device, which must give the samples that the CPU does, and count the same damage.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_J2K_COMPARE_H
#define KOSTKA_TESTS_SUPPORT_GPU_J2K_COMPARE_H

#include "j2k/packets/build.h"

enum { COPIES_MAX = 64 };

/* The devices, in place of open_gpus(). */
int open_comparison(void **state);
int close_comparison(void **state);

extern uint32_t damaged_plans; /* of those compared: in whose blocks the CPU has met damage */

/* Decode so many copies of a plan at once; with `forced` also the planes of all blocks at once, whether it pays or not.
 */
void compare_plan(const char *name, const struct j2k_plan *plan, uint32_t copies, bool forced);
/* Part of a stream, as a filter says. `timed`: by compare_timed(). False if there is no plan of it. */
bool compare_stream(
    const char *name, const uint8_t *data, size_t length, const struct j2k_filter *filter, uint32_t copies, bool timed);
/* Different plans in one batch. */
void compare_batch(const char *name, const struct j2k_plan *const plans[], uint32_t count);
/* Copies once more, for each number of blocks in a bundle, of which KOSTKA_TEST_LANES says how many from the largest
 * on, and of planes of a block at once; prints the device's times. */
void compare_timed(const char *name, const struct j2k_plan *plan, uint32_t copies);

#endif
