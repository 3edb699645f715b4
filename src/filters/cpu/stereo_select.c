/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the disparity with the least sum of costs for each pixel, and computes its confidence. */
#include "filters/bands.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/stereo.h"

enum { PER_CENT = 100, NO_SUM = 0x7FFF, NO_MATCH = 0x7FFFFFFF, DISPARITY_BITS = 8 };

struct filter_match_selection {
    const struct filter_stereo *stereo;
    const struct filter_pixels *disparity, *confidence; /* `confidence` may be null */
};

/* Holds the choice for a pixel: an index, an offset from it in parts of a pixel, and a confidence. */
struct filter_match_choice {
    bool valid;
    uint8_t index, sure;
    int16_t beside;
};

/* Return the offset of the lowest point of the parabola through three sums, rounded to nearest, halves up. */
static int16_t between(uint32_t before, uint32_t own, uint32_t after)
{
    int32_t curve = (int32_t)(before + after - 2 * own), lean = (int32_t)before - (int32_t)after;
    curve = curve > 0 ? curve : 1;
    int32_t doubled = lean * FILTER_STEREO_FRACTION + curve + 2 * FILTER_STEREO_FRACTION * curve;
    return (int16_t)(doubled / (2 * curve) - FILTER_STEREO_FRACTION); /* the dividend is not negative */
}

/* Return the least sum of those that are neither the chosen one nor beside it. */
static uint32_t second_of(const struct filter_hot *hot, const uint16_t *sum, uint32_t visible, uint32_t index)
{
    uint32_t before = index > 1 ? hot->stereo_least(sum, index - 1) : NO_SUM;
    uint32_t after = index + 2 < visible ? hot->stereo_least(sum + index + 2, visible - index - 2) : NO_SUM;
    return before < after ? before : after;
}

static struct filter_match_choice choose(
    const struct filter_hot *hot, const kst_stereo_options *options, const uint16_t *sum, uint32_t visible)
{
    struct filter_match_choice choice = {.valid = false};
    if (visible == 0)
        return choice;
    uint32_t least = hot->stereo_least(sum, visible), index = 0;
    while (sum[index] != least)
        index++;
    uint32_t second = second_of(hot, sum, visible, index);
    choice.valid = second == NO_SUM || second * (PER_CENT - options->uniqueness) >= least * PER_CENT;
    choice.index = (uint8_t)index;
    if (second == NO_SUM)
        choice.sure = FILTER_STEREO_SURE;
    else
        choice.sure = (uint8_t)(second > least ? (second - least) * FILTER_STEREO_SURE / second : 0);
    if (index > 0 && index + 1 < visible)
        choice.beside = between(sum[index - 1], sum[index], sum[index + 1]);
    return choice;
}

/*
 * Return whether the best match of the right image's pixel has the same disparity, within the tolerance. `best` is
 * reversed, as the rows of the right census are.
 */
static bool is_mutual(const kst_stereo_options *options, const int32_t *best, uint32_t index)
{
    int32_t other = *best & ((1 << DISPARITY_BITS) - 1), apart = other - (int32_t)index;
    return (apart < 0 ? -apart : apart) <= options->tolerance;
}

static void select_row(const struct filter_hot *hot, const struct filter_match_selection *selection, uint32_t y,
    int32_t *best, struct filter_match_choice *choice)
{
    const struct filter_stereo *stereo = selection->stereo;
    const kst_stereo_options *options = stereo->options;
    uint16_t *disparity = (uint16_t *)(void *)kst_filter_row(selection->disparity, y);
    for (uint32_t x = 0; x < stereo->width; x++)
        best[x] = NO_MATCH;
    for (uint32_t x = 0; x < stereo->width; x++) {
        const uint16_t *sum = stereo->sum + ((size_t)y * stereo->width + x) * options->disparities;
        const uint32_t visible = kst_filter_stereo_visible(options, x);
        choice[x] = choose(hot, options, sum, visible);
        if (visible > 0)
            hot->stereo_right(sum, best + (stereo->width - 1 - x) + options->least, visible);
    }
    for (uint32_t x = 0; x < stereo->width; x++) {
        const struct filter_match_choice *own = &choice[x];
        const size_t other = (size_t)(stereo->width - 1 - x) + options->least + own->index;
        bool valid = own->valid && (options->tolerance < 0 || is_mutual(options, best + other, own->index));
        int32_t value = (int32_t)(options->least + own->index) * FILTER_STEREO_FRACTION + own->beside;
        disparity[x] = (uint16_t)(!valid ? 0 : value > 0 ? value : 1);
        if (selection->confidence)
            kst_filter_row(selection->confidence, y)[x] = valid ? own->sure : 0;
    }
}

static kst_status select_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_match_selection *selection = arg;
    struct memory *memory = work->operation->memory;
    kst_status status = KST_OK;
    int32_t *best = kst_memory_array(memory, selection->stereo->width, sizeof *best, &status);
    struct filter_match_choice *choice =
        best ? kst_memory_array(memory, selection->stereo->width, sizeof *choice, &status) : NULL;
    for (uint32_t y = first; y < end && choice; y++)
        select_row(kst_filter_hot(work->operation->tier), selection, y, best, choice);
    kst_memory_release(memory, choice);
    kst_memory_release(memory, best);
    return status;
}

kst_status kst_filter_stereo_select(const struct filter_work *work, const struct filter_stereo *stereo,
    const struct filter_pixels *disparity, const struct filter_pixels *confidence)
{
    struct filter_match_selection selection = {stereo, disparity, confidence};
    return kst_filter_bands(work, stereo->height, select_band, &selection);
}

static kst_status make_arrays(struct memory *memory, struct filter_stereo *stereo)
{
    const size_t pixels = (size_t)stereo->width * stereo->height, disparities = stereo->options->disparities;
    kst_status status = KST_OK;
    stereo->left = kst_memory_array(memory, pixels, sizeof *stereo->left, &status);
    if (!status)
        stereo->right = kst_memory_array(memory, pixels, sizeof *stereo->right, &status);
    if (!status)
        stereo->cost = kst_memory_array(memory, pixels, disparities, &status);
    if (!status)
        stereo->sum = kst_memory_zeroed(memory, pixels, disparities * sizeof *stereo->sum, &status);
    return status;
}

kst_status kst_filter_stereo_match(const struct filter_work *work, const kst_stereo_options *options,
    const struct filter_pixels image[2], const struct filter_pixels *disparity, const struct filter_pixels *confidence)
{
    struct memory *memory = work->operation->memory;
    struct filter_stereo stereo = {.options = options, .width = image[0].width, .height = image[0].height};
    kst_status status = make_arrays(memory, &stereo);
    if (!status)
        status = kst_filter_stereo_census(work, &image[0], false, stereo.left);
    if (!status)
        status = kst_filter_stereo_census(work, &image[1], true, stereo.right);
    if (!status)
        status = kst_filter_stereo_aggregate(work, &stereo);
    if (!status)
        status = kst_filter_stereo_select(work, &stereo, disparity, confidence);
    kst_memory_release(memory, stereo.sum);
    kst_memory_release(memory, stereo.cost);
    kst_memory_release(memory, stereo.right);
    kst_memory_release(memory, stereo.left);
    return status;
}
