/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares chains of filters, and how they are applied to images. */
#ifndef KOSTKA_FILTERS_RUN_H
#define KOSTKA_FILTERS_RUN_H

#include "filters/parse.h"

struct kst_filter {
    kst_context *context;
    uint32_t count;
    struct filter_step step[FILTER_STEPS_MAX];
};

/* Describe the image, interleaved, that the first `count` steps make of `from`. On failure `reason` may receive text.
 */
kst_status kst_filter_shape_after(
    const kst_filter *filter, uint32_t count, const kst_image *from, kst_image *to, char reason[FILTER_REASON]);

/*
 * Apply step `index`, or all steps, to checked images in host memory; a step of resizing also takes images in device
 * memory. Only kst_filter_run_steps() takes images with several planes, whose samples it copies.
 */
kst_status kst_filter_run_step(const kst_filter *filter, uint32_t index, const struct operation *operation,
    const kst_image *from, const kst_image *to);
kst_status kst_filter_run_steps(
    const kst_filter *filter, const struct operation *operation, const kst_image *from, kst_image *to);

#endif
