/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes one picture with several threads. Declares their buffers, the borders between bands, and the ways to share
 * MCU rows.
 */
#ifndef KOSTKA_JPEG_CPU_CREW_H
#define KOSTKA_JPEG_CPU_CREW_H

#include <stdatomic.h>

#include "core/operation.h"
#include "jpeg/cpu/band.h"
#include "jpeg/cpu/entropy/guess.h"

/* Describes a border between two bands. The thread that hands in the second half emits the lines on both sides. */
struct jpeg_border {
    struct jpeg_seam seam;
    atomic_uint halves; /* number of sides that were handed in: 0–2 */
};

struct jpeg_crew {
    const struct operation *op;
    const struct jpeg_output *output;
    struct jpeg_making making; /* of that output */
    const struct jpeg_source *source;
    /* Known MCU starts in the scan; null: restart markers or coefficients make them unnecessary. */
    const struct jpeg_checkpoints *checkpoints;
    uint32_t threads;
    struct jpeg_band *band;     /* one per thread */
    struct jpeg_border *border; /* border_count of them */
    uint32_t border_count;
    struct jpeg_damage *damage; /* one per thread */
};

/* Allocate the threads' buffers and `borders` borders. On failure nothing is left allocated. */
kst_status kst_jpeg_cpu_crew_create(struct jpeg_crew *crew, uint32_t threads, uint32_t borders);
void kst_jpeg_cpu_crew_release(struct jpeg_crew *crew);

/* Return the MCU row after the last one that the output needs. */
uint32_t kst_jpeg_cpu_crew_end(const struct jpeg_crew *crew);

/*
 * Hand in one side of a border: with `above`, that of the band that ends above MCU row `row`, otherwise that of the
 * band that starts with it. Call this right after that band decoded the row next to the border.
 */
void kst_jpeg_cpu_crew_meet(struct jpeg_band *band, struct jpeg_border *border, uint32_t row, bool above);

/*
 * Holds MCU rows [from, to), decoded by one thread. The samples next to their upper and lower ends are handed to the
 * borders that are not null. `cursor` and `shift` are those of kst_jpeg_cpu_band_start() and
 * kst_jpeg_cpu_band_borrow().
 */
struct jpeg_stretch {
    uint32_t from, to;
    struct jpeg_border *above, *below;
    const struct jpeg_cursor *cursor;
    const struct jpeg_shift *shift;
};
void kst_jpeg_cpu_crew_decode(struct jpeg_crew *crew, uint32_t thread, const struct jpeg_stretch *stretch);

/* Decode the picture with one thread, from top to bottom. */
void kst_jpeg_cpu_crew_alone(struct jpeg_crew *crew);

/*
 * Decode the picture in bands that can start anywhere: from coefficients, restart markers or checkpoints. The crew
 * needs kst_jpeg_cpu_crew_bands() − 1 borders.
 */
uint32_t kst_jpeg_cpu_crew_bands(const struct jpeg_output *output, uint32_t threads);
void kst_jpeg_cpu_crew_spread(struct jpeg_crew *crew);

/*
 * Decode with two threads a scan without restart markers that is needed whole: one thread decodes from the top, the
 * other decodes the lower part ahead, from a guess. The crew needs kst_jpeg_cpu_pair_borders() borders and a source
 * with `ahead`, which this fills.
 */
uint32_t kst_jpeg_cpu_pair_borders(const struct jpeg_output *output);
void kst_jpeg_cpu_crew_pair(struct jpeg_crew *crew, struct jpeg_ahead *ahead);

#endif
