/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the forward wavelet transforms (T.800 F.4), for any rows of one level at a time. The strips of a level can
 * be made side by side, because each computes again what it needs of the rows around it.
 */
#ifndef KOSTKA_J2K_CPU_DWT_ANALYSIS_H
#define KOSTKA_J2K_CPU_DWT_ANALYSIS_H

#include "j2k/cpu/dwt/forward.h"
#include "j2k/plan/plan.h"

enum { J2K_ANALYSED_TOGETHER = 3 };

/*
 * Says where a component's coefficients of one level go, indexed by enum j2k_orientation: int32_t for 5/3, int16_t if
 * they are narrow, float for 9/7. Samples have the same type.
 */
struct j2k_split {
    void *band[4];
    size_t pitch[4]; /* in samples */
    size_t rows[4];  /* number of rows in memory, used in rotation; 0: all rows are in memory */
};

struct j2k_analysis {
    const struct j2k_forward *forward;
    bool reversible;
    bool narrow;          /* reversible, and everything fits 16 bits (j2k/cpu/blocks/narrow.h) */
    struct j2k_rect rect; /* not empty */
    uint32_t beside[2];   /* columns of rect at the left and at the right that are only read; the bands begin with the
                             first one that is not */
    uint32_t component_count; /* 1 to J2K_ANALYSED_TOGETHER; their rows are fetched together */
    struct j2k_split split[J2K_ANALYSED_TOGETHER];
    /*
     * Fetch row y of the rect for each component: write it to room[c], which has space for one row, or set row[c] to
     * where it already is.
     */
    void (*fetch)(const void *source, uint32_t y, void *const room[], const void *row[]);
    const void *source;
};

/* Return the number of bytes of scratch memory needed, aligned like memory from core/memory.h. */
size_t kst_j2k_cpu_analysis_room(const struct j2k_analysis *analysis);

/*
 * Compute the coefficients of the rows y0 ≤ y < y1 of the rect: even rows become low-pass rows, odd rows high-pass
 * rows. If y0 and y1 are even, rows are fetched for this from y0 − 4 on and up to, but not including, y1 +
 * J2K_ANALYSIS_AHEAD_53 or _97; and their mirror images.
 */
enum { J2K_ANALYSIS_AHEAD_53 = 1, J2K_ANALYSIS_AHEAD_97 = 3 };
void kst_j2k_cpu_analyse(const struct j2k_analysis *analysis, uint32_t y0, uint32_t y1, void *room);

/*
 * Do the same, continuing at an even y0 with the scratch memory that the call for the rows before y0 left: nothing is
 * computed twice.
 */
void kst_j2k_cpu_analyse_further(const struct j2k_analysis *analysis, uint32_t y0, uint32_t y1, void *room);

#endif
