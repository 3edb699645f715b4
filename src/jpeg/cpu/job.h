/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads on one picture: the ways to share its MCU rows. */
#ifndef KOSTKA_JPEG_CPU_JOB_H
#define KOSTKA_JPEG_CPU_JOB_H

#include <stdatomic.h>

#include "core/context.h"
#include "jpeg/cpu/band.h"
#include "jpeg/cpu/entropy/guess.h"

/* A border between two bands; whoever comes second emits the lines on both sides. */
struct jpeg_border {
    struct jpeg_seam seam;
    atomic_uint halves; /* that are there */
};

struct jpeg_job {
    struct kst_context *context;
    struct memory *memory;
    const struct jpeg_output *output;
    const struct jpeg_source *source;
    const struct jpeg_checkpoints *checkpoints; /* where MCUs start; null: restart markers tell, or nothing needs to */
    uint32_t threads;
    struct jpeg_band *band;     /* one a thread */
    struct jpeg_border *border; /* border_count */
    uint32_t border_count;
    struct jpeg_damage *damage; /* one a thread */
};

/*
 * Make the places of work and `borders` borders. On failure nothing is left allocated.
 */
kst_status kst_jpeg_job_create(struct jpeg_job *job, uint32_t threads, uint32_t borders);
void kst_jpeg_job_release(struct jpeg_job *job);

/* The MCU row behind the last that the output needs. */
uint32_t kst_jpeg_job_end(const struct jpeg_job *job);

/*
 * Hand in what a border needs of the band that ends above MCU row `row` (above), or of the band that starts with it,
 * right after that band decoded the row next to the border.
 */
void kst_jpeg_job_meet(struct jpeg_band *band, struct jpeg_border *border, uint32_t row, bool above);

/*
 * MCU rows [from, to) by one thread; the first and the last are handed to the borders, where those are not null.
 * `cursor` and `shift` as for kst_jpeg_band_start() and kst_jpeg_band_borrow().
 */
struct jpeg_stretch {
    uint32_t from, to;
    struct jpeg_border *above, *below;
    const struct jpeg_cursor *cursor;
    const struct jpeg_shift *shift;
};
void kst_jpeg_job_decode(struct jpeg_job *job, uint32_t thread, const struct jpeg_stretch *stretch);

/* One thread, from top to bottom. */
void kst_jpeg_job_alone(struct jpeg_job *job);

/*
 * Bands that can start anywhere: from coefficients, restart markers or checkpoints. The job needs kst_jpeg_job_bands()
 * − 1 borders.
 */
uint32_t kst_jpeg_job_bands(const struct jpeg_output *output, uint32_t threads);
void kst_jpeg_job_spread(struct jpeg_job *job);

/*
 * Two threads on a scan without restart markers that is wanted whole: one decodes from the top, the other decodes the
 * lower part ahead, from a guess. Needs kst_jpeg_pair_borders() borders and a source with `ahead`, which it fills.
 */
uint32_t kst_jpeg_pair_borders(const struct jpeg_output *output);
void kst_jpeg_job_pair(struct jpeg_job *job, struct jpeg_ahead *ahead);

#endif
