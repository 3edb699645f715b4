/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the result of 'kostka profile' for one file. */
#ifndef KOSTKA_TOOL_PROFILE_H
#define KOSTKA_TOOL_PROFILE_H

#include <kostka/kostka_profile.h>

#include "tool.h"

/* Describes one step of the device's work. Times are medians over all runs. */
struct profile_step {
    kst_step step; /* of the first run */
    double start, seconds;
};

struct profile {
    const char *file;
    const char *work; /* "decode" or "encode" */
    kst_device_info device;
    uint32_t width, height, batch;
    uint64_t bytes; /* bytes of all streams */
    size_t runs;
    double wall;                   /* seconds of a call without recording; a median, like the next member */
    double stage[KST_STAGE_COUNT]; /* seconds of each stage, from the first picture's report */
    kst_device_kind stage_device[KST_STAGE_COUNT];
    struct profile_step *step; /* from malloc */
    size_t step_count;
    double copy_rate; /* bytes read and written a second, on the device */
    double least;     /* seconds of the smallest copy */
    double up_rate;   /* bytes a second from pinned memory */
    double down_rate; /* bytes a second to pinned memory */
};

/* Return the rate of the kind of copy that a step is compared with, in bytes a second. */
double profile_ceiling(const struct profile *profile, const kst_step *step);
/* Return the step's rate in bytes a second; the bytes of a copy on the device count twice. */
double profile_rate(const struct profile_step *step);

/* Draw the profile as SVG. The caller frees it; null if out of memory. */
char *profile_draw(const struct profile *profile, size_t *length);

#endif
