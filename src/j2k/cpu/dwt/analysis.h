/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wavelet transforms (T.800 F.4), one level at a time and any rows of it; strips of a level may be made side by
 * side, since each works out again what it needs of the rows around it.
 */
#ifndef KOSTKA_J2K_CPU_DWT_ANALYSIS_H
#define KOSTKA_J2K_CPU_DWT_ANALYSIS_H

#include "j2k/cpu/dwt/forward.h"
#include "j2k/plan/plan.h"

enum { J2K_ANALYSED_TOGETHER = 3 };

/* Where a component's coefficients of one level go, by enum j2k_orientation: int32_t for 5/3, int16_t where they are
 * narrow, float for 9/7. Samples are of the same type. */
struct j2k_split {
    void *band[4];
    size_t pitch[4]; /* samples */
    size_t rows[4];  /* that there is memory for, used over and over again; 0: for all of them */
};

struct j2k_analysis {
    const struct j2k_forward *forward;
    bool reversible;
    bool narrow;              /* and what is there fits 16 bits (j2k/cpu/blocks/narrow.h) */
    struct j2k_rect rect;     /* not empty */
    uint32_t component_count; /* 1 … J2K_ANALYSED_TOGETHER, whose rows come together */
    struct j2k_split split[J2K_ANALYSED_TOGETHER];
    /*
     * Row y of the rect, of each component: either written to room[c], which holds a row, or row[c] is set to where it
     * is.
     */
    void (*fetch)(const void *source, uint32_t y, void *const room[], const void *row[]);
    const void *source;
};

/* Bytes of scratch memory, aligned as by core/memory.h. */
size_t kst_j2k_analysis_room(const struct j2k_analysis *analysis);

/*
 * Make what the rows y0 ≤ y < y1 of the rect become: the even ones low, the odd ones high. For that rows are fetched
 * from y0 − 4 on, and before y1 + J2K_ANALYSIS_AHEAD where y1 is even; and mirror images of them.
 */
enum { J2K_ANALYSIS_AHEAD_53 = 1, J2K_ANALYSIS_AHEAD_97 = 3 };
void kst_j2k_analyse(const struct j2k_analysis *analysis, uint32_t y0, uint32_t y1, void *room);

/* Likewise, where y0 is even and what ended there left the room: nothing is worked out twice. */
void kst_j2k_analyse_further(const struct j2k_analysis *analysis, uint32_t y0, uint32_t y1, void *room);

#endif
