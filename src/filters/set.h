/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the images of an operation that reads several images and writes two. */
#ifndef KOSTKA_FILTERS_SET_H
#define KOSTKA_FILTERS_SET_H

#include "core/context.h"
#include "filters/images.h"

enum { FILTER_SET_SOURCES = 32, FILTER_SET_RESULTS = 2, FILTER_SET_IMAGES = FILTER_SET_SOURCES + FILTER_SET_RESULTS };

struct gpu_error;

struct filter_set {
    kst_context *context;
    struct memory memory; /* memory of the operation */
    uint32_t sources;
    const kst_image *image[FILTER_SET_IMAGES]; /* the sources, followed by the results, the last of which may be null */
    struct filter_result result[FILTER_SET_RESULTS];
    kst_image moved[FILTER_SET_IMAGES]; /* copies, in the device's memory, of images in host memory */
    bool is_moved[FILTER_SET_IMAGES];
};

/* Check that filters take an image, and that its buffer can be read. */
kst_status kst_filter_set_check(const struct filter_set *set, const kst_image *image, char reason[FILTER_REASON]);

/* Check or make the results, which are GREY of the size of image `like`, of 16 and of 8 bits. */
kst_status kst_filter_set_begin(struct filter_set *set, const kst_image *like, char reason[FILTER_REASON]);

/* Return whether any image lies in a device's memory. */
bool kst_filter_set_on_gpu(const struct filter_set *set);

/* Make copies in device memory of the images in host memory; there[i] receives the image on which the device works. */
kst_status kst_filter_set_send(struct filter_set *set, const kst_image *there[FILTER_SET_IMAGES]);

/*
 * Report the device's work, which took `seconds` and ended with `status`, and copy results that belong in host memory
 * back. `reason` receives the text of the device's error, if that caused the failure.
 */
kst_status kst_filter_set_finish(struct filter_set *set, kst_status status, const struct gpu_error *error,
    double seconds, kst_report *report, char reason[FILTER_REASON]);

/* Release the copies, and keep the results, or after a failure release those that were made here. */
void kst_filter_set_end(struct filter_set *set, kst_status status);

#endif
