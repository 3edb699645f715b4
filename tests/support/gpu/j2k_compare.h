/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares comparisons of plans of JPEG 2000 on every device, which must give the CPU's samples and count the same
 * damage.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_J2K_COMPARE_H
#define KOSTKA_TESTS_SUPPORT_GPU_J2K_COMPARE_H

#include "j2k/packets/build.h"

enum { COPIES_MAX = 64 };

/* Open the devices. Replaces open_gpus(). */
int open_comparison(void **state);
int close_comparison(void **state);

extern uint32_t damaged_plans; /* how many of the compared plans have code-blocks in which the CPU found damage */

/*
 * Decode `copies` copies of a plan in one batch; with `forced` also with the bit-planes of every block decoded at once,
 * whether it pays or not.
 */
void compare_plan(const char *name, const struct j2k_plan *plan, uint32_t copies, bool forced);
/*
 * Compare the part of a stream that a filter selects, with `timed` by compare_timed(). Returns false if it has no plan.
 */
bool compare_stream(
    const char *name, const uint8_t *data, size_t length, const struct j2k_filter *filter, uint32_t copies, bool timed);
/* Decode different plans in one batch. */
void compare_batch(const char *name, const struct j2k_plan *const plans[], uint32_t count);
/*
 * Decode copies of a plan once more for each number of planes of a block at once, and for each number of blocks in a
 * bundle, from the largest on, of which KOSTKA_TEST_LANES limits how many are tried. Prints the device's times.
 */
void compare_timed(const char *name, const struct j2k_plan *plan, uint32_t copies);

#endif
