/* SPDX-License-Identifier: BSD-2-Clause */
/* What 'kostka profile' found out about one file. */
#ifndef KOSTKA_TOOL_PROFILE_H
#define KOSTKA_TOOL_PROFILE_H

#include <kostka/kostka_profile.h>

#include "tool.h"

/* One step of the device's work: medians over all runs. */
struct profile_step {
    kst_step step; /* of the first run */
    double start, seconds;
};

struct profile {
    const char *file;
    const char *work; /* "decode" or "encode" */
    kst_device_info device;
    uint32_t width, height, batch;
    uint64_t bytes; /* of all streams */
    size_t runs;
    double wall;                   /* a call without recording, medians as the next */
    double stage[KST_STAGE_COUNT]; /* seconds; of the first picture's report */
    kst_device_kind stage_device[KST_STAGE_COUNT];
    struct profile_step *step; /* to be freed */
    size_t step_count;
    double copy_rate; /* bytes read and written a second, on the device */
    double least;     /* seconds of the smallest copy */
    double up_rate;   /* bytes a second from pinned memory */
    double down_rate; /* to it */
};

/* What the device would do in this time: bytes a second of the copy that a step is measured against. */
double profile_ceiling(const struct profile *profile, const kst_step *step);
/* Bytes a second that it came to; a copy on the device counts twice. */
double profile_rate(const struct profile_step *step);

/* Draw it. To be freed; null: out of memory. */
char *profile_draw(const struct profile *profile, size_t *length);

#endif
