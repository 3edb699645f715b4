/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the images of an operation that reads several and writes two. */
#ifndef KOSTKA_FILTERS_SET_H
#define KOSTKA_FILTERS_SET_H

#include "core/context.h"
#include "filters/images.h"

enum { FILTER_SET_SOURCES = 32, FILTER_SET_RESULTS = 2, FILTER_SET_IMAGES = FILTER_SET_SOURCES + FILTER_SET_RESULTS };

struct gpu_error;

struct filter_set {
    kst_context *context;
    struct memory memory; /* of the operation */
    uint32_t sources;
    const kst_image *image[FILTER_SET_IMAGES]; /* sources, and behind them the results, of which the last may be null */
    struct filter_result result[FILTER_SET_RESULTS];
    kst_image moved[FILTER_SET_IMAGES]; /* what stands for images of the host's in the device's memory */
    bool is_moved[FILTER_SET_IMAGES];
};

/* Check that filters take an image, and that its buffer can be read. */
kst_status kst_filter_set_check(const struct filter_set *set, const kst_image *image, char reason[FILTER_REASON]);

/* Begin the results, which are GREY of the size of image `like`, of 16 and of 8 bits. */
kst_status kst_filter_set_begin(struct filter_set *set, const kst_image *like, char reason[FILTER_REASON]);

/* Return whether any image lies in a device's memory. */
bool kst_filter_set_on_gpu(const struct filter_set *set);

/* Let images in device memory stand for those of the host's; there[i] receives what the device works on. */
kst_status kst_filter_set_send(struct filter_set *set, const kst_image *there[FILTER_SET_IMAGES]);

/*
 * Report what a device did with a status, in so many seconds, and bring results back that are the host's. `reason`
 * receives the text of the device's error, if that is why it failed.
 */
kst_status kst_filter_set_finish(struct filter_set *set, kst_status status, const struct gpu_error *error,
    double seconds, kst_report *report, char reason[FILTER_REASON]);

/* Release what was moved, and keep the results, or take them back after a failure. */
void kst_filter_set_end(struct filter_set *set, kst_status status);

#endif
