/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the forward wavelet transform over the rows of a level: vertical steps, each followed by splitting the rows. */
#include "j2k/cpu/dwt/analysis.h"

#include <string.h>

#include "j2k/cpu/dwt/dwt_rows.h"

enum { INPUTS = 3, STATES = 3, LOW = INPUTS + STATES, HIGH, ROWS, ALIGNMENT = 64 };

/* Holds the rows of one component that are in use. */
struct lines {
    void *row[ROWS];
    void *halves;
    const void *even, *odd, *next;
};

static size_t sample_size(const struct j2k_analysis *analysis)
{
    return analysis->narrow ? sizeof(int16_t) : sizeof(int32_t);
}

/* Return the size in bytes of a row, and below, of all rows of a component. */
static size_t row_size(const struct j2k_analysis *analysis)
{
    return ((analysis->rect.x1 - analysis->rect.x0) * sample_size(analysis) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t component_size(const struct j2k_analysis *analysis)
{
    return (ROWS + 1) * row_size(analysis) + 2 * J2K_FORWARD_MARGIN * sizeof(int32_t);
}

size_t kst_j2k_cpu_analysis_room(const struct j2k_analysis *analysis)
{
    return analysis->component_count * component_size(analysis);
}

static void set_up(const struct j2k_analysis *analysis, uint8_t *room, bool clear, struct lines *lines)
{
    for (uint32_t c = 0; c < analysis->component_count; c++, room += component_size(analysis)) {
        for (uint32_t i = 0; i < ROWS; i++)
            lines[c].row[i] = room + i * row_size(analysis);
        lines[c].halves = room + ROWS * row_size(analysis);
        if (clear)
            memset(room, 0, ROWS * row_size(analysis));
    }
}

/* Fetch row y, which may lie outside the rect, for every component. Input row `slot` of each component must be free. */
static void fetch(const struct j2k_analysis *analysis, struct lines *lines, int64_t y, uint32_t slot,
    const void *row[J2K_ANALYSED_TOGETHER])
{
    void *room[J2K_ANALYSED_TOGETHER];
    const struct j2k_rect *rect = &analysis->rect;
    for (uint32_t c = 0; c < analysis->component_count; c++)
        row[c] = room[c] = lines[c].row[slot];
    analysis->fetch(analysis->source, (uint32_t)j2k_mirror(y, rect->y0, rect->y1), room, row);
}

static void *row_of(const struct j2k_analysis *analysis, uint32_t component, uint32_t band, size_t index)
{
    const struct j2k_split *split = &analysis->split[component];
    if (split->rows[band] > 0)
        index %= split->rows[band];
    return (uint8_t *)split->band[band] + index * split->pitch[band] * sample_size(analysis);
}

/* Split row y of the vertical transform's result and store both halves in the bands. */
static void put(const struct j2k_analysis *analysis, uint32_t component, int64_t y, const void *row, void *room)
{
    const struct j2k_rect *rect = &analysis->rect;
    uint32_t low = y % 2 == 0 ? J2K_LL : J2K_LH, high = low + 1;
    const struct j2k_columns columns = {rect->x0, rect->x1, analysis->beside[0], analysis->beside[1]};
    size_t index = (size_t)j2k_half_index(y, rect->y0);
    void *to_low = row_of(analysis, component, low, index), *to_high = row_of(analysis, component, high, index);
    if (analysis->narrow)
        analysis->forward->split_53_narrow(row, &columns, to_low, to_high, room);
    else if (analysis->reversible)
        analysis->forward->split_53(row, &columns, to_low, to_high, room);
    else
        analysis->forward->split_97(row, &columns, to_low, to_high, room);
}

/* Double a row (F.4.6). */
static const void *double_row(const struct j2k_analysis *analysis, const void *row, void *room)
{
    for (uint32_t i = 0; i < analysis->rect.x1 - analysis->rect.x0; i++) {
        if (analysis->narrow)
            ((uint16_t *)room)[i] = (uint16_t)(((const uint16_t *)row)[i] << 1);
        else if (analysis->reversible)
            ((uint32_t *)room)[i] = ((const uint32_t *)row)[i] << 1;
        else
            ((float *)room)[i] = ((const float *)row)[i] * 2.0F;
    }
    return room;
}

/* Handle a rect of a single row. */
static void put_only_row(const struct j2k_analysis *analysis, struct lines *lines)
{
    const void *row[J2K_ANALYSED_TOGETHER];
    const struct j2k_rect *rect = &analysis->rect;
    void *room[J2K_ANALYSED_TOGETHER];
    for (uint32_t c = 0; c < analysis->component_count; c++)
        row[c] = room[c] = lines[c].row[0];
    analysis->fetch(analysis->source, rect->y0, room, row);
    for (uint32_t c = 0; c < analysis->component_count; c++) {
        const void *only = rect->y0 % 2 == 1 ? double_row(analysis, row[c], lines[c].row[1]) : row[c];
        put(analysis, c, rect->y0, only, lines[c].halves);
    }
}

static void step(const struct j2k_analysis *analysis, struct lines *lines, int64_t n, int64_t y0, int64_t y1)
{
    const struct j2k_forward *forward = analysis->forward;
    size_t width = analysis->rect.x1 - analysis->rect.x0;
    int64_t low = analysis->reversible ? 2 * n : 2 * n - 2, high = low + 1;
    for (uint32_t c = 0; c < analysis->component_count; c++) {
        struct lines *l = &lines[c];
        void *to_high = analysis->reversible ? l->row[INPUTS] : l->row[HIGH];
        if (analysis->narrow)
            forward->lift_53_narrow(l->even, l->odd, l->next, l->row[INPUTS], l->row[LOW], width);
        else if (analysis->reversible)
            forward->lift_53(l->even, l->odd, l->next, l->row[INPUTS], l->row[LOW], width);
        else {
            float *const state[STATES] = {l->row[INPUTS], l->row[INPUTS + 1], l->row[INPUTS + 2]};
            forward->lift_97(l->even, l->odd, l->next, state, l->row[LOW], to_high, width);
        }
        if (low >= y0 && low < y1)
            put(analysis, c, low, l->row[LOW], l->halves);
        if (high >= y0 && high < y1)
            put(analysis, c, high, to_high, l->halves);
    }
}

/* Run the vertical steps `first` to `last`. */
static void run_steps(
    const struct j2k_analysis *analysis, struct lines *lines, int64_t first, int64_t last, int64_t y0, int64_t y1)
{
    const void *row[J2K_ANALYSED_TOGETHER];
    fetch(analysis, lines, 2 * first, 0, row);
    for (uint32_t c = 0; c < analysis->component_count; c++)
        lines[c].next = row[c];
    for (int64_t n = first; n <= last; n++) {
        uint32_t slot = (uint32_t)(n - first) & 1; /* even rows alternate between slots 0 and 2; odd rows use slot 1 */
        for (uint32_t c = 0; c < analysis->component_count; c++)
            lines[c].even = lines[c].next;
        fetch(analysis, lines, 2 * n + 1, 1, row);
        for (uint32_t c = 0; c < analysis->component_count; c++)
            lines[c].odd = row[c];
        fetch(analysis, lines, 2 * n + 2, slot ? 0 : 2, row);
        for (uint32_t c = 0; c < analysis->component_count; c++)
            lines[c].next = row[c];
        step(analysis, lines, n, y0, y1);
    }
}

/* Return the last step that is needed for the rows before y1: with 9/7 a result comes one step later. */
static int64_t last_step(const struct j2k_analysis *analysis, uint32_t y1)
{
    return (int64_t)((y1 - 1) / 2) + (analysis->reversible ? 0 : 1);
}

void kst_j2k_cpu_analyse(const struct j2k_analysis *analysis, uint32_t y0, uint32_t y1, void *room)
{
    struct lines lines[J2K_ANALYSED_TOGETHER];
    if (y0 >= y1)
        return;
    set_up(analysis, room, true, lines);
    if (analysis->rect.y1 - analysis->rect.y0 == 1) {
        put_only_row(analysis, lines);
        return;
    }
    /* With 9/7 the state takes two steps to become right. */
    int64_t first = (int64_t)(y0 / 2) - (analysis->reversible ? 1 : 2);
    run_steps(analysis, lines, first, last_step(analysis, y1), y0, y1);
}

void kst_j2k_cpu_analyse_further(const struct j2k_analysis *analysis, uint32_t y0, uint32_t y1, void *room)
{
    struct lines lines[J2K_ANALYSED_TOGETHER];
    if (y0 >= y1)
        return;
    set_up(analysis, room, false, lines);
    run_steps(analysis, lines, last_step(analysis, y0) + 1, last_step(analysis, y1), y0, y1);
}
