/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the steps of a device in one call, prints their sums, and writes all of them as JSON. */
#ifndef KOSTKA_BENCH_VOLUME_STEPS_H
#define KOSTKA_BENCH_VOLUME_STEPS_H

#include <stdint.h>
#include <stdio.h>

#include <kostka/kostka_profile.h>

enum { VOLUME_STEP_NAMES = 24 };

struct volume_steps {
    uint32_t kernels, uploads, downloads, others;
    struct {
        const char *name;
        double seconds;
    } sum[VOLUME_STEP_NAMES]; /* for each kernel or kind of copy */
    uint32_t names;
    kst_step *step; /* from realloc */
    uint32_t count;
};

/* Says what was recorded, for the JSON. */
struct volume_run {
    const char *folder; /* where the file goes; null: none is written */
    const char *work;   /* "decode", "slice" or "encode" */
    const char *name;   /* of the volume; the file is FOLDER/WORK-NAME.json */
    const char *device;
    uint32_t side, bricks;
    uint64_t bytes; /* of all streams */
    double seconds; /* of a call without recording */
};

/* Add a step, as kst_profile_end() tells it. */
void volume_steps_add(void *user, const kst_step *step);

/* Print the numbers of steps, and the sum of each name, as the last cells of a table's row. */
void volume_steps_print(FILE *to, const struct volume_steps *steps);

/* Write the steps like 'kostka profile --json'. Ends the program if the file cannot be written. */
void volume_steps_write(const struct volume_steps *steps, const struct volume_run *run);

void volume_steps_release(struct volume_steps *steps);

#endif
