/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the wavelet levels and outputs of a part for the kernels, in the order of their launches. */
#include "device/runtime.h"
#include "image/format.h"
#include "j2k/gpu/part.h"

enum {
    STRIP_ROWS_LEAST = 8,
    STRIPS_A_UNIT = 12 /* enough of them to keep a compute unit busy */
};

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

/* The samples of a tile-component at one resolution. */
struct level_samples {
    uint32_t at, pitch; /* place and pitch in the buffer of samples */
    struct j2k_rect rect;
};

/* The state while levels and outputs are written, or only counted if `work` is null. */
struct levels_writer {
    struct j2k_gpu_part *part;
    uint32_t *work;
    uint32_t at;            /* index of the next word of the lists of groups */
    uint32_t record, first; /* number of records so far, and of those before this launch */
    uint32_t list[2];       /* where the list of this launch starts */
    uint32_t groups;        /* number of work-groups of this launch */
    /* Holds, for levels that are computed with outputs, the index of the record of the next level's first component. */
    uint32_t finished;
    uint64_t bytes; /* bytes of samples that this launch reads and writes */
    struct j2k_work_level *level;
    struct j2k_work_output *output;
};

static const struct j2k_resolution *resolution_of(
    const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint32_t r)
{
    return &plan->resolution[tc->first_resolution + r];
}

static bool is_narrow(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile_component *tc)
{
    const struct j2k_plan *plan = part->items[index].plan;
    return j2k_gpu_is_narrow(part, index, &plan->tile[(tc - plan->tile_component) / plan->component_count]);
}

/* Return the number of bytes of a sample in the buffer of samples. */
static uint32_t bytes_of(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile_component *tc)
{
    return is_narrow(part, index, tc) ? 2 : 4;
}

/*
 * Return where the result of resolution r lies. Resolutions alternate between the memory of the last one and that of
 * the one before.
 */
static struct level_samples samples_of(const struct j2k_gpu_part *part, uint32_t index,
    const struct j2k_tile_component *tc, uint32_t levels_at, uint32_t r)
{
    const struct j2k_plan *plan = part->items[index].plan;
    struct level_samples samples = {.rect = resolution_of(plan, tc, r)->computed};
    uint64_t top;
    kst_j2k_gpu_level_words(plan, tc, &top);
    samples.pitch = j2k_gpu_width(samples.rect);
    if (r == 0)
        samples.at = part->band[part->place[index].band + resolution_of(plan, tc, 0)->first_band];
    else
        samples.at = levels_at + ((tc->resolution_count - 1U - r) % 2 ? (uint32_t)top : 0);
    samples.at <<= is_narrow(part, index, tc);
    return samples;
}

static uint32_t place_in(const struct level_samples *samples, uint32_t x, uint32_t y)
{
    return samples->at + (y - samples->rect.y0) * samples->pitch + (x - samples->rect.x0);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Return the number of strips beside each other that cover a level. */
static uint32_t strips_across(struct j2k_rect rect)
{
    return J2K_STRIPS(rect.x0 % 2, j2k_gpu_width(rect) + rect.x0 % 2);
}

/*
 * Choose how many rows a strip has. Long strips transform fewer rows twice, but all pictures together must have enough
 * strips to keep the device busy.
 */
static uint32_t strip_rows(const struct j2k_gpu_part *part, struct j2k_rect rect)
{
    const uint64_t across = (uint64_t)strips_across(rect) * part->count, height = j2k_gpu_height(rect) + rect.y0 % 2;
    uint32_t rows = J2K_STRIP_ROWS;
    while (rows > STRIP_ROWS_LEAST && across * ((height + rows - 1) / rows) < (uint64_t)part->units * STRIPS_A_UNIT)
        rows /= 2;
    return rows;
}

static struct j2k_work_level describe_level(const struct j2k_gpu_part *part, uint32_t index,
    const struct j2k_tile_component *tc, uint32_t levels_at, uint32_t r)
{
    const struct j2k_plan *plan = part->items[index].plan;
    const struct j2k_resolution *resolution = resolution_of(plan, tc, r);
    struct level_samples below = samples_of(part, index, tc, levels_at, r - 1),
                         own = samples_of(part, index, tc, levels_at, r);
    struct j2k_rect rect = resolution->computed, low = (resolution - 1)->valid;
    struct j2k_work_level level = {.x0 = rect.x0 % 2,
        .y0 = rect.y0 % 2,
        .x1 = rect.x1 - rect.x0 + rect.x0 % 2,
        .y1 = rect.y1 - rect.y0 + rect.y0 % 2,
        .to = own.at,
        .to_pitch = own.pitch,
        .rows = strip_rows(part, rect)};
    if (j2k_gpu_area(low) > 0)
        level.band[J2K_LL] = place_in(&below, low.x0, low.y0);
    level.pitch[J2K_LL] = below.pitch;
    for (uint32_t b = 0; b < resolution->band_count; b++) {
        const struct j2k_band *band = &plan->band[resolution->first_band + b];
        level.band[band->orientation] = part->band[part->place[index].band + resolution->first_band + b]
                                        << is_narrow(part, index, tc);
        level.pitch[band->orientation] = j2k_gpu_width(band->window);
    }
    return level;
}

static bool same_rect(struct j2k_rect a, struct j2k_rect b)
{
    return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

/* Return whether the tile's first three components can be written together. */
static bool go_together(const struct j2k_plan *plan, const struct j2k_tile *tile)
{
    const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component];
    if (tile->transform != J2K_TRANSFORM_NONE)
        return true;
    if (plan->component_count < 3)
        return false;
    for (uint32_t c = 0; c < 3; c++)
        if (tc[c].resolution_count == 0 || tc[c].reversible != tc[0].reversible || !same_rect(tc[c].area, tc[0].area) ||
            !same_rect(plan->component[c].area, plan->component[0].area))
            return false;
    return true;
}

/* Return whether the last levels of two components and their bands have the same geometry. */
static bool are_alike(
    const struct j2k_plan *plan, const struct j2k_tile_component *a, const struct j2k_tile_component *b)
{
    if (a->resolution_count < 2 || b->resolution_count < 2)
        return false;
    const struct j2k_resolution *one = resolution_of(plan, a, a->resolution_count - 1U);
    const struct j2k_resolution *other = resolution_of(plan, b, b->resolution_count - 1U);
    bool alike = one->band_count == other->band_count && same_rect(one->computed, other->computed) &&
                 same_rect((one - 1)->computed, (other - 1)->computed);
    for (uint32_t i = 0; alike && i < one->band_count; i++)
        alike = same_rect(plan->band[one->first_band + i].window, plan->band[other->first_band + i].window);
    return alike;
}

/* Return whether the last level of the first three components is computed when their pixels are written. */
static bool finish_together(const struct j2k_gpu_part *part, const struct j2k_plan *plan, const struct j2k_tile *tile)
{
    const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component];
    if (!part->finishes || !go_together(plan, tile) || j2k_gpu_area(tc->area) == 0)
        return false;
    for (uint32_t c = 0; c < 3; c++)
        if (!are_alike(plan, &tc[c], tc))
            return false;
    return true;
}

/* Return the number of work-groups of a level: of strips when decoding, of patches when encoding. */
static uint32_t groups_of(const struct j2k_gpu_part *part, struct j2k_rect rect)
{
    const uint32_t width = j2k_gpu_width(rect) + rect.x0 % 2, height = j2k_gpu_height(rect) + rect.y0 % 2;
    if (part->encodes)
        return divide_up(width, J2K_LEVEL_WIDTH) * divide_up(height, J2K_LEVEL_HEIGHT);
    return strips_across(rect) * divide_up(height, strip_rows(part, rect));
}

static void add_level(
    struct levels_writer *w, uint32_t index, const struct j2k_tile_component *tc, uint32_t levels_at, uint32_t r)
{
    const struct j2k_rect rect = resolution_of(w->part->items[index].plan, tc, r)->computed;
    if (j2k_gpu_area(rect) == 0)
        return;
    if (w->work) {
        w->work[w->at++] = w->groups;
        w->level[w->record] = describe_level(w->part, index, tc, levels_at, r);
    }
    w->bytes += 2 * bytes_of(w->part, index, tc) * j2k_gpu_area(rect);
    w->groups += groups_of(w->part, rect);
    w->record++;
}

static uint32_t kernel_of(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile_component *tc)
{
    return !tc->reversible              ? J2K_KERNEL_SYNTHESISE_97
           : is_narrow(part, index, tc) ? J2K_KERNEL_SYNTHESISE_53_NARROW
                                        : J2K_KERNEL_SYNTHESISE_53;
}

/*
 * Add resolution r of those components of a tile whose levels a kernel computes. `at` is where the levels of the first
 * component lie, and is advanced.
 */
static void add_tile_resolution(
    struct levels_writer *w, uint32_t index, const struct j2k_tile *tile, uint32_t r, uint32_t kernel, uint32_t *at)
{
    const struct j2k_plan *plan = w->part->items[index].plan;
    bool finished = finish_together(w->part, plan, tile);
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component + c];
        bool apart = c >= 3 || !finished || r + 1U < tc->resolution_count;
        uint64_t top;
        if (r < tc->resolution_count && kernel_of(w->part, index, tc) == kernel && apart)
            add_level(w, index, tc, *at, r);
        *at += (uint32_t)kst_j2k_gpu_level_words(plan, tc, &top);
    }
}

/* Add resolution r of all tile-components. */
static void add_resolution(struct levels_writer *w, uint32_t r, uint32_t kernel)
{
    for (uint32_t i = 0; i < w->part->count; i++) {
        const struct j2k_plan *plan = w->part->items[i].plan;
        uint32_t at = w->part->place[i].samples + w->part->place[i].levels;
        for (uint32_t t = 0; t < plan->tile_count; t++)
            add_tile_resolution(w, i, &plan->tile[t], r, kernel, &at);
    }
}

static void begin_launch(struct levels_writer *w)
{
    w->first = w->record;
    w->list[0] = w->at;
    w->groups = 0;
    w->bytes = 0;
}

static void end_launch(struct levels_writer *w, uint32_t kernel)
{
    struct j2k_gpu_part *part = w->part;
    if (w->record > w->first && w->work)
        part->launch[part->launches++] = (struct j2k_gpu_launch){.kernel = kernel,
            .list = w->list[0],
            .count = w->record - w->first,
            .first = w->first,
            .groups = w->groups,
            .bytes = w->bytes};
}

static uint32_t most_resolutions(const struct j2k_gpu_part *part)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_plan *plan = part->items[i].plan;
        for (uint32_t c = 0; c < plan->tile_component_count; c++)
            most = plan->tile_component[c].resolution_count > most ? plan->tile_component[c].resolution_count : most;
    }
    return most;
}

static void add_levels(struct levels_writer *w)
{
    uint32_t resolutions = most_resolutions(w->part);
    for (uint32_t r = 1; r < resolutions; r++)
        for (uint32_t kernel = J2K_KERNEL_SYNTHESISE_53; kernel <= J2K_KERNEL_SYNTHESISE_97; kernel++) {
            begin_launch(w);
            add_resolution(w, r, kernel);
            end_launch(w, kernel);
        }
}

/* Add the last levels that are computed when pixels are written. Their records follow all others. */
static void add_finished(struct levels_writer *w)
{
    for (uint32_t i = 0; i < w->part->count; i++) {
        const struct j2k_plan *plan = w->part->items[i].plan;
        uint32_t at = w->part->place[i].samples + w->part->place[i].levels;
        uint64_t top;
        for (uint32_t t = 0; t < plan->tile_count; t++) {
            bool finished = finish_together(w->part, plan, &plan->tile[t]);
            for (uint32_t c = 0; c < plan->component_count; c++) {
                const struct j2k_tile_component *tc = &plan->tile_component[plan->tile[t].first_component + c];
                if (finished && c < 3 && w->work)
                    w->level[w->record] = describe_level(w->part, i, tc, at, tc->resolution_count - 1U);
                w->record += finished && c < 3;
                at += (uint32_t)kst_j2k_gpu_level_words(plan, tc, &top);
            }
        }
    }
}

static void add_output(struct levels_writer *w, const struct j2k_work_output *output)
{
    if (output->width == 0 || output->height == 0)
        return;
    if (w->work) {
        w->work[w->at++] = w->groups;
        w->output[w->record] = *output;
    }
    w->bytes +=
        output->filled ? 0 : (output->narrow ? 2U : 4U) * (uint64_t)output->width * output->height * output->count;
    w->groups += divide_up(output->width, J2K_OUTPUT_WIDTH) * divide_up(output->height, J2K_OUTPUT_HEIGHT);
    w->record++;
}

/* Add outputs that fill a picture with what coefficients of 0 give, because tiles are missing. */
static void add_filled(struct levels_writer *w, uint32_t index)
{
    const struct j2k_plan *plan = w->part->items[index].plan;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_component *component = &plan->component[c];
        struct j2k_work_output output = {.width = j2k_gpu_width(component->area),
            .height = j2k_gpu_height(component->area),
            .reversible = 1,
            .first = c,
            .count = 1,
            .depth = {component->depth},
            .is_signed = {component->is_signed},
            .filled = 1,
            .view = j2k_gpu_view_of(w->part, index, c)};
        if (component->wanted)
            add_output(w, &output);
    }
}

/* Return whether three channels are written as interleaved pixels, to the image or to planes for conversion. */
static bool has_three(const struct j2k_gpu_item *item)
{
    if (item->conversion.sources > 0)
        return kst_j2k_gpu_sources_interleaved(item);
    if (kst_format_channels(item->output.format) != 3 || item->channels != 3 || item->output.plane[0].depth > 8)
        return false;
    for (uint32_t c = 0; c < 3; c++)
        if (item->channel[c].component != c)
            return false;
    return true;
}

/* Return whether pixels are exactly the first three components, in order, with 8 bits each and unsigned. */
static bool is_plain(const struct j2k_gpu_item *item)
{
    const struct j2k_component *component = item->plan->component;
    for (uint32_t c = 0; c < 3; c++)
        if (component[c].depth != 8 || component[c].is_signed)
            return false;
    return has_three(item);
}

/* Add an output of three components of a tile whose last level is computed with it. */
static void add_finish(
    struct levels_writer *w, uint32_t index, const struct j2k_tile_component *tc, struct j2k_work_output *output)
{
    const struct j2k_gpu_item *item = &w->part->items[index];
    const struct j2k_rect rect = resolution_of(item->plan, tc, tc->resolution_count - 1U)->computed;
    output->level = w->finished;
    output->left = tc->area.x0 - rect.x0;
    output->top = tc->area.y0 - rect.y0;
    output->plain = is_plain(item);
    if (w->work) {
        w->work[w->at++] = w->groups;
        w->output[w->record] = *output;
    }
    w->bytes += 3 * bytes_of(w->part, index, tc) * j2k_gpu_area(rect);
    w->groups += groups_of(w->part, rect);
    w->record++;
}

/*
 * Describe the output of one component of a tile, or of three. `levels_at` is where the levels of the component lie,
 * and is advanced.
 */
static struct j2k_work_output describe_output(
    const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile *tile, uint32_t c, uint32_t *levels_at)
{
    const struct j2k_plan *plan = part->items[index].plan;
    const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component + c];
    const struct j2k_component *component = &plan->component[c];
    struct j2k_work_output output = {.width = j2k_gpu_width(tc->area),
        .height = j2k_gpu_height(tc->area),
        .transform = c == 0 ? tile->transform : 0,
        .reversible = tc->reversible,
        .narrow = is_narrow(part, index, tc),
        .first = c,
        .count = c == 0 && go_together(plan, tile) ? 3 : 1,
        .x = tc->area.x0 - component->area.x0,
        .y = tc->area.y0 - component->area.y0,
        .view = j2k_gpu_view_of(part, index, c)};
    for (uint32_t i = 0; i < output.count; i++) {
        uint64_t top;
        if (tc[i].resolution_count > 0) {
            struct level_samples samples = samples_of(part, index, &tc[i], *levels_at, tc[i].resolution_count - 1U);
            output.from[i] = j2k_gpu_area(tc->area) ? place_in(&samples, tc->area.x0, tc->area.y0) : 0;
            output.pitch[i] = samples.pitch;
        }
        output.depth[i] = component[i].depth;
        output.is_signed[i] = component[i].is_signed;
        *levels_at += (uint32_t)kst_j2k_gpu_level_words(plan, &tc[i], &top);
    }
    return output;
}

void kst_j2k_gpu_find_samples(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile_component *tc,
    uint32_t *levels_at, uint32_t *place, uint32_t *pitch)
{
    const struct j2k_plan *plan = part->items[index].plan;
    uint64_t top;
    const struct level_samples samples = samples_of(part, index, tc, *levels_at, tc->resolution_count - 1U);
    *place = j2k_gpu_area(tc->area) > 0 ? place_in(&samples, tc->area.x0, tc->area.y0) : 0;
    *pitch = samples.pitch;
    *levels_at += (uint32_t)kst_j2k_gpu_level_words(plan, tc, &top);
}

/* Add the outputs of those components of a tile that a kernel writes. */
static void add_tile(
    struct levels_writer *w, uint32_t index, const struct j2k_tile *tile, uint32_t kernel, uint32_t *levels_at)
{
    const struct j2k_plan *plan = w->part->items[index].plan;
    bool finished = finish_together(w->part, plan, tile);
    for (uint32_t c = 0; c < plan->component_count;) {
        const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component + c];
        struct j2k_work_output output = describe_output(w->part, index, tile, c, levels_at);
        if (c == 0 && finished) {
            if (kernel == (!tc->reversible    ? J2K_KERNEL_FINISH_97
                              : output.narrow ? J2K_KERNEL_FINISH_53_NARROW
                                              : J2K_KERNEL_FINISH_53))
                add_finish(w, index, tc, &output);
            w->finished += 3;
        } else if (kernel == J2K_KERNEL_PUT_OUT && tc->resolution_count > 0) {
            add_output(w, &output);
        }
        c += output.count;
    }
}

/*
 * Add all outputs, of which volumes have none. `finished` is the index of the first record of levels that are computed
 * with outputs.
 */
static void add_outputs(struct levels_writer *w, uint32_t finished)
{
    if (w->part->items->volume)
        return;
    begin_launch(w);
    for (uint32_t i = 0; i < w->part->count; i++)
        if (w->part->items[i].plan->missing_tiles > 0)
            add_filled(w, i);
    end_launch(w, J2K_KERNEL_PUT_OUT);
    for (uint32_t kernel = J2K_KERNEL_PUT_OUT; kernel <= J2K_KERNEL_FINISH_97; kernel++) {
        begin_launch(w);
        w->finished = finished;
        for (uint32_t i = 0; i < w->part->count; i++) {
            const struct j2k_plan *plan = w->part->items[i].plan;
            uint32_t levels_at = w->part->place[i].samples + w->part->place[i].levels;
            for (uint32_t t = 0; t < plan->tile_count; t++)
                add_tile(w, i, &plan->tile[t], kernel, &levels_at);
        }
        end_launch(w, kernel);
    }
}

/* Add the records of all levels and of all outputs: count them, or write them if `work` is not null. */
static void add_all(struct levels_writer *w, uint32_t *levels)
{
    add_levels(w);
    uint32_t finished = w->record;
    add_finished(w);
    *levels = w->record;
    w->record = 0;
    add_outputs(w, finished);
}

void kst_j2k_gpu_count_levels(struct j2k_gpu_part *part)
{
    struct levels_writer w = {.part = part};
    add_all(&w, &part->levels);
    part->outputs = w.record;
}

uint32_t kst_j2k_gpu_write_levels(struct j2k_gpu_part *part, uint32_t *work, uint32_t at)
{
    struct j2k_part_work *head = (struct j2k_part_work *)(void *)work;
    struct levels_writer w = {.part = part, .work = work};
    head->level = at;
    head->output = head->level + part->levels * WORDS(struct j2k_work_level);
    w.level = (struct j2k_work_level *)(void *)(work + head->level);
    w.output = (struct j2k_work_output *)(void *)(work + head->output);
    w.at = head->output + part->outputs * WORDS(struct j2k_work_output);
    add_all(&w, &part->levels);
    return w.at;
}
