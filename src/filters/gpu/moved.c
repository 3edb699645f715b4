/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes how many bytes kernels move at least, for the record of a profile. */
#include "filters/gpu/moved.h"

#include <stdbool.h>

/*
 * Say which pixels a kernel moves, each once: those of the source or the result, or of intermediate memory, which has
 * either rows or words.
 */
enum { SOURCE = 1, RESULT = 2, ROWS = 4 /* by their pitch */, WORDS = 8 /* one for each pixel */ };

/* Kernels that are not listed read the source and write the result. */
static const struct {
    enum filter_gpu_kernel kernel;
    uint32_t moves;
} others[] = {
    {FILTER_CLEAR, 0},
    {FILTER_COUNT, SOURCE},
    {FILTER_EQUALISE, 0},
    {FILTER_NORMALISE, 0},
    {FILTER_BLUR_ACROSS_ONE, SOURCE | ROWS},
    {FILTER_BLUR_ACROSS_THREE, SOURCE | ROWS},
    {FILTER_BLUR_ACROSS_FOUR, SOURCE | ROWS},
    {FILTER_BLUR_DOWN, ROWS | RESULT},
    {FILTER_WIDE_BLUR_ACROSS, SOURCE | ROWS},
    {FILTER_WIDE_BLUR_DOWN, ROWS | RESULT},
    {FILTER_CANNY_MARK, SOURCE | RESULT | WORDS},
    {FILTER_CANNY_GREY, SOURCE | RESULT | WORDS},
    {FILTER_CANNY_WIDE, SOURCE | RESULT | WORDS},
    {FILTER_CANNY_JOIN, RESULT | WORDS},
    {FILTER_CANNY_END, RESULT | WORDS},
    {FILTER_LINES_LINK, SOURCE},
    {FILTER_LINES_MEASURE, WORDS},
    {FILTER_LINES_RULERS_FIND, 0},
    {FILTER_LINES_SUPERS, 0},
    {FILTER_LINES_MEASURE_LONG, 0},
    {FILTER_LINES_PLACE, 0},
    {FILTER_LINES_TRACE, WORDS},
    {FILTER_LINES_RANK, 0},
    {FILTER_LINES_TRACE_LONG, 0},
    {FILTER_LINES_SPLIT, 0},
    {FILTER_LINES_BLANK, RESULT},
    {FILTER_LINES_DRAW, 0},
    {FILTER_LINES_TALLY, 0},
    {FILTER_LINES_SETTLE, 0},
    {FILTER_LINES_LIST, 0},
    {FILTER_HISTOGRAM_CLEAR, 0},
    {FILTER_HISTOGRAM, SOURCE},
};

static uint32_t moves_of(enum filter_gpu_kernel kernel)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].kernel == kernel)
            return others[i].moves;
    return SOURCE | RESULT;
}

void kst_filter_gpu_moved(const struct filter_gpu_launch *launch, struct filter_gpu_moved *moved)
{
    const struct filter_record *record = &launch->record;
    uint32_t moves = moves_of(launch->kernel);
    uint64_t pixels = (uint64_t)record->width * record->height;
    if (moves & SOURCE)
        moved->source += (uint64_t)record->from_width * record->from_height * record->channels * record->bytes;
    if (moves & RESULT)
        moved->result += pixels * record->to_channels * record->to_bytes;
    if (moves & ROWS)
        moved->between += (uint64_t)record->extra_pitch * record->height;
    if (moves & WORDS)
        moved->between += pixels * sizeof(uint32_t);
}
