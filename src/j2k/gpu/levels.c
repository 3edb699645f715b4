/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the wavelet levels and outputs of a part for the kernels, in the order of their launches. */
#include <string.h>

#include "device/float_bits.h"
#include "device/runtime.h"
#include "image/format.h"
#include "j2k/gpu/part.h"
#include "j2k/syntax/geometry.h"

enum {
    STRIP_ROWS_LEAST = 8,
    STRIP_ROWS_MORE = 8,  /* rows that a strip loads in addition to its own */
    STRIPS_A_UNIT = 12,   /* strips that keep a compute unit busy */
    FINISHED_A_UNIT = 16, /* strips that write pixels that it runs at once */
    BEGUN_A_UNIT = 12,    /* strips that read pixels that it runs at once */
    ANALYSED_A_UNIT = 32  /* strips without pixels that it runs at once when encoding */
};

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

/* Holds the samples of a tile-component at one resolution. */
struct level_samples {
    uint32_t at, pitch; /* place and pitch in the buffer of samples */
    struct j2k_rect rect;
};

/* Holds how a level is divided into strips. Most tile-components have levels of the same size. */
struct level_strips {
    struct j2k_rect rect;
    bool reversible;
    uint32_t rows, groups; /* rows of a strip, and number of strips; 0: nothing is known yet */
};

/* Holds the state while levels and outputs are written; if `work` is null, they are only counted. */
struct levels_writer {
    struct j2k_gpu_part *part;
    struct level_strips strips[J2K_RESOLUTIONS]; /* those of the last level of each resolution */
    uint32_t *work;
    uint32_t at;            /* index of the next word of the lists of groups */
    uint32_t record, first; /* number of records so far, and of those in front of this launch */
    uint32_t lists, list;   /* where the lists of levels start, and where this launch's list starts */
    uint32_t groups;        /* number of work-groups of this launch */
    /* For levels that are computed with outputs: index of the record of the next one's first component. */
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

/* Holds a tile-component and where its levels lie. */
struct component_levels {
    const struct j2k_gpu_part *part;
    const struct j2k_plan *plan;
    const struct j2k_tile_component *tc;
    uint32_t item;        /* the plan's index in the part */
    const uint32_t *band; /* where the bands of the plan lie in the buffer of samples */
    uint32_t at, top;     /* where its levels lie there; words of the last level and every second one below it */
    uint32_t words;       /* words of all its levels */
    bool narrow;          /* samples have 16 bits, and places count half-words */
};

static struct component_levels levels_of(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile *tile,
    const struct j2k_tile_component *tc, uint32_t levels_at)
{
    const struct j2k_plan *plan = part->items[index].plan;
    const struct j2k_gpu_level_words words =
        part->level_words[part->place[index].component + (tc - plan->tile_component)];
    return (struct component_levels){.part = part,
        .plan = plan,
        .tc = tc,
        .band = part->band + part->place[index].band,
        .item = index,
        .at = levels_at,
        .top = words.top,
        .words = words.all,
        .narrow = j2k_gpu_is_narrow(part, index, tile)};
}

/* Return the number of bytes of a sample in the buffer of samples. */
static uint32_t bytes_of(const struct component_levels *c)
{
    return c->narrow ? 2 : 4;
}

/*
 * Return where the result of resolution r lies. Resolutions alternate between the memory of the last one and that of
 * the last but one.
 */
static struct level_samples samples_of(const struct component_levels *c, uint32_t r)
{
    const struct j2k_resolution *resolution = resolution_of(c->plan, c->tc, r);
    struct level_samples samples = {.rect = resolution->computed, .pitch = j2k_gpu_width(resolution->computed)};
    if (r == 0)
        samples.at = c->band[resolution->first_band];
    else
        samples.at = c->at + ((c->tc->resolution_count - 1U - r) % 2 ? c->top : 0);
    samples.at <<= c->narrow;
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
 * Describes the strips of a launch: how many lie side by side in all of its levels together, and how many the device
 * runs at once.
 */
struct strip_load {
    uint64_t across, at_once;
    uint32_t height, most; /* rows of the levels, and most rows of a strip */
    bool encodes, reversible;
};

/*
 * Return the fewest rows, `least` or more, that strips need not be padded for. When decoding, the kernels go down two
 * pairs of rows at a time with the reversible filter, and three with the other one (GO_DOWN), and need two or four
 * pairs more.
 */
static uint32_t whole_rows(const struct strip_load *load, uint32_t least)
{
    if (load->encodes)
        return divide_up(least, 2) * 2;
    return load->reversible ? (least + 3) / 4 * 4 : (least + 1) / 6 * 6 + 4;
}

/* Return how long strips of `rows` rows take, in rows, if the device runs them in turns. */
static uint64_t strips_take(const struct strip_load *load, uint32_t rows)
{
    const uint64_t strips = load->across * divide_up(load->height, rows);
    return (strips + load->at_once - 1) / load->at_once * (rows + STRIP_ROWS_MORE);
}

/* Return the fewest rows with which the strips of a launch take at most `turns` turns. */
static uint32_t rows_for(const struct strip_load *load, uint32_t turns)
{
    const uint64_t down = turns * load->at_once / load->across;
    const uint32_t rows = down > 0 && down <= load->height ? divide_up(load->height, (uint32_t)down) : STRIP_ROWS_LEAST;
    const uint32_t fit = whole_rows(load, rows < STRIP_ROWS_LEAST ? STRIP_ROWS_LEAST : rows);
    return fit < load->most ? fit : load->most;
}

/* Choose the rows of strips such that they take the least time if the device runs them in turns. */
static uint32_t rows_in_turns(const struct strip_load *load)
{
    enum { TURNS = 3 };
    uint32_t best = load->most;
    for (uint32_t turns = 1; turns <= TURNS; turns++) {
        const uint32_t rows = rows_for(load, turns);
        best = strips_take(load, rows) < strips_take(load, best) ? rows : best;
    }
    return best;
}

/* Return how many strips a compute unit should have. */
static uint32_t strips_a_unit(const struct j2k_gpu_part *part, bool finished)
{
    if (part->encodes)
        return finished ? BEGUN_A_UNIT : ANALYSED_A_UNIT;
    return finished ? FINISHED_A_UNIT : STRIPS_A_UNIT;
}

/* Return the strips of a launch; `finished`: they write or read the pixels of three components. */
static struct strip_load load_of(const struct j2k_gpu_part *part, struct j2k_rect rect, bool finished, bool reversible)
{
    const struct j2k_plan *plan = part->items->plan; /* the first picture stands for all */
    const uint64_t tiles = finished || part->encodes ? plan->tile_count : 1;
    const uint64_t components = part->encodes && !finished ? plan->component_count : 1;
    return (struct strip_load){.across = strips_across(rect) * part->at_once * tiles * components,
        .at_once = (uint64_t)part->units * strips_a_unit(part, finished),
        .height = j2k_gpu_height(rect) + rect.y0 % 2,
        .most = finished && !part->encodes ? J2K_FINISHED_ROWS : J2K_STRIP_ROWS,
        .encodes = part->encodes,
        .reversible = reversible};
}

/*
 * Choose how many rows a strip has. The longer strips are, the fewer rows are transformed twice; but all pictures, or
 * all components of volumes, must together have enough strips to keep the device busy, and if it has few at once, to
 * keep it busy to the end.
 */
static uint32_t strip_rows(const struct j2k_gpu_part *part, struct j2k_rect rect, bool finished, bool reversible)
{
    const struct strip_load load = load_of(part, rect, finished, reversible);
    uint32_t rows = J2K_STRIP_ROWS;
    if ((finished || part->encodes) && load.at_once > 0 && load.across > 0)
        return rows_in_turns(&load);
    while (rows > STRIP_ROWS_LEAST && load.across * ((load.height + rows - 1) / rows) < load.at_once)
        rows /= 2;
    return whole_rows(&load, rows);
}

static struct j2k_work_level describe_level(const struct component_levels *c, uint32_t r, uint32_t rows)
{
    const struct j2k_resolution *resolution = resolution_of(c->plan, c->tc, r);
    const struct level_samples below = samples_of(c, r - 1), own = samples_of(c, r);
    struct j2k_rect rect = resolution->computed, low = (resolution - 1)->valid;
    struct j2k_work_level level = {.x0 = rect.x0 % 2,
        .y0 = rect.y0 % 2,
        .x1 = rect.x1 - rect.x0 + rect.x0 % 2,
        .y1 = rect.y1 - rect.y0 + rect.y0 % 2,
        .to = own.at,
        .to_pitch = own.pitch,
        .rows = rows};
    if (j2k_gpu_area(low) > 0)
        level.band[J2K_LL] = place_in(&below, low.x0, low.y0);
    level.pitch[J2K_LL] = below.pitch;
    for (uint32_t b = 0; b < resolution->band_count; b++) {
        const struct j2k_band *band = &c->plan->band[resolution->first_band + b];
        const bool indices = j2k_gpu_has_indices(c->part, c->item, resolution->first_band + b);
        level.band[band->orientation] = c->band[resolution->first_band + b] << (c->narrow || indices);
        level.factor[band->orientation] = indices ? gpu_float_bits(j2k_gpu_factor_of(band, 1)) : 0;
        level.pitch[band->orientation] = j2k_gpu_width(band->window);
    }
    return level;
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
        if (tc[c].resolution_count == 0 || tc[c].reversible != tc[0].reversible ||
            !j2k_same_rect(tc[c].area, tc[0].area) || !j2k_same_rect(plan->component[c].area, plan->component[0].area))
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
    bool alike = one->band_count == other->band_count && j2k_same_rect(one->computed, other->computed) &&
                 j2k_same_rect((one - 1)->computed, (other - 1)->computed);
    for (uint32_t i = 0; alike && i < one->band_count; i++)
        alike = j2k_same_rect(plan->band[one->first_band + i].window, plan->band[other->first_band + i].window);
    return alike;
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

/*
 * Return whether the last level of the first three components is computed when their pixels are written or, in
 * encoding, read. In encoding the pixels must have no other components.
 */
static bool finish_together(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile *tile)
{
    const struct j2k_plan *plan = part->items[index].plan;
    const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component];
    if (part->encodes && (plan->component_count != 3 || !is_plain(&part->items[index])))
        return false;
    if (!part->finishes || !go_together(plan, tile) || j2k_gpu_area(tc->area) == 0)
        return false;
    for (uint32_t c = 0; c < 3; c++)
        if (!are_alike(plan, &tc[c], tc))
            return false;
    return true;
}

/* Divide a level into strips, one for each work-group. */
static struct level_strips divide(const struct j2k_gpu_part *part, struct j2k_rect rect, bool finished, bool reversible)
{
    const uint32_t rows = strip_rows(part, rect, finished, reversible);
    return (struct level_strips){.rect = rect,
        .reversible = reversible,
        .rows = rows,
        .groups = strips_across(rect) * divide_up(j2k_gpu_height(rect) + rect.y0 % 2, rows)};
}

/* Divide the level of resolution r of a tile-component, which no kernel computes together with pixels. */
static const struct level_strips *strips_of(struct levels_writer *w, uint32_t r, struct j2k_rect rect, bool reversible)
{
    struct level_strips *strips = &w->strips[r];
    if (strips->groups == 0 || strips->reversible != reversible || !j2k_same_rect(strips->rect, rect))
        *strips = divide(w->part, rect, false, reversible);
    return strips;
}

/* Return whether the bands of a resolution of a tile-component hold quantiser indices. */
static bool has_indices(
    const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile_component *tc, uint32_t r)
{
    return j2k_gpu_has_indices(part, index, resolution_of(part->items[index].plan, tc, r)->first_band);
}

static uint32_t kernel_of(const struct component_levels *c, uint32_t r)
{
    if (!c->tc->reversible)
        return has_indices(c->part, c->item, c->tc, r) ? J2K_KERNEL_SYNTHESISE_97_INDICES : J2K_KERNEL_SYNTHESISE_97;
    return c->narrow ? J2K_KERNEL_SYNTHESISE_53_NARROW : J2K_KERNEL_SYNTHESISE_53;
}

/*
 * Add the lowest `resolutions` resolutions of a tile-component, except the first, to the launches that compute them.
 * While records are written, the sums of a launch count the records in front of the next one.
 */
static void add_component(struct levels_writer *w, const struct component_levels *c, uint32_t resolutions)
{
    for (uint32_t r = 1; r < resolutions; r++) {
        const uint32_t kernel = kernel_of(c, r) - J2K_KERNEL_SYNTHESISE_53;
        const struct j2k_rect rect = resolution_of(c->plan, c->tc, r)->computed;
        struct j2k_gpu_level_sums *sums = &w->part->level[r - 1][kernel];
        if (j2k_gpu_area(rect) == 0)
            continue;
        const struct level_strips *strips = strips_of(w, r, rect, c->tc->reversible);
        if (w->work) {
            w->work[w->lists + sums->records] = sums->groups;
            w->level[sums->records] = describe_level(c, r, strips->rows);
        }
        sums->records++;
        sums->groups += strips->groups;
        sums->bytes += 2 * bytes_of(c) * j2k_gpu_area(rect);
    }
}

/* Add what a component of a tile needs; `finished` says whether its last level is computed when pixels are written. */
typedef void add_part(struct levels_writer *w, const struct component_levels *c, bool finished);

static void for_each_component(struct levels_writer *w, add_part *add)
{
    for (uint32_t i = 0; i < w->part->count; i++) {
        const struct j2k_plan *plan = w->part->items[i].plan;
        uint32_t at = w->part->place[i].samples + w->part->place[i].levels;
        for (uint32_t t = 0; t < plan->tile_count && !w->part->items[i].indices; t++) {
            const struct j2k_tile *tile = &plan->tile[t];
            const bool finished = finish_together(w->part, i, tile);
            for (uint32_t k = 0; k < plan->component_count; k++) {
                const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component + k];
                const struct component_levels c = levels_of(w->part, i, tile, tc, at);
                add(w, &c, finished && k < 3);
                at += c.words;
            }
        }
    }
}

/* Add the levels that have kernels of their own. */
static void add_levels(struct levels_writer *w, const struct component_levels *c, bool finished)
{
    add_component(w, c, c->tc->resolution_count - (finished ? 1U : 0U));
}

static void begin_launch(struct levels_writer *w)
{
    w->first = w->record;
    w->list = w->at;
    w->groups = 0;
    w->bytes = 0;
}

static void end_launch(struct levels_writer *w, uint32_t kernel)
{
    struct j2k_gpu_part *part = w->part;
    if (w->record > w->first && w->work)
        part->launch[part->launches++] = (struct j2k_gpu_launch){.kernel = kernel,
            .list = w->list,
            .count = w->record - w->first,
            .first = w->first,
            .groups = w->groups,
            .bytes = w->bytes};
}

/*
 * List the launches of levels that were counted, and set their sums to the number of records in front of their first
 * one.
 */
static void begin_levels(struct levels_writer *w)
{
    for (uint32_t r = 0; r < J2K_LEVELS; r++)
        for (uint32_t k = 0; k < J2K_GPU_LEVEL_KERNELS; k++) {
            struct j2k_gpu_level_sums *sums = &w->part->level[r][k];
            begin_launch(w);
            w->record += sums->records;
            w->at += sums->records;
            w->groups = sums->groups;
            w->bytes = sums->bytes;
            end_launch(w, J2K_KERNEL_SYNTHESISE_53 + k);
            *sums = (struct j2k_gpu_level_sums){.records = w->first};
        }
}

/* Add the last level if it is computed when pixels are written. Records of such levels follow all others. */
static void add_finished(struct levels_writer *w, const struct component_levels *c, bool finished)
{
    if (finished && w->work) {
        const uint32_t r = c->tc->resolution_count - 1U;
        const struct j2k_rect rect = resolution_of(c->plan, c->tc, r)->computed;
        w->level[w->record] = describe_level(c, r, strip_rows(w->part, rect, true, c->tc->reversible));
    }
    w->record += finished;
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

/* Add outputs that fill a picture with the samples that zero coefficients give, because tiles are missing. */
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

/* Add an output that computes the last level of three components of a tile and writes their pixels. */
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
    w->bytes += 3 * (output->narrow ? 2U : 4U) * j2k_gpu_area(rect);
    w->groups += divide(w->part, rect, true, tc->reversible).groups;
    w->record++;
}

/*
 * Describe the output of one component of a tile, or of three. *levels_at is where the levels of the component lie; the
 * function advances it.
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
        .narrow = j2k_gpu_is_narrow(part, index, tile),
        .real = part->items[index].real,
        .first = c,
        .count = c == 0 && go_together(plan, tile) ? 3 : 1,
        .x = tc->area.x0 - component->area.x0,
        .y = tc->area.y0 - component->area.y0,
        .view = j2k_gpu_view_of(part, index, c)};
    for (uint32_t i = 0; i < output.count; i++) {
        const struct component_levels levels = levels_of(part, index, tile, &tc[i], *levels_at);
        if (tc[i].resolution_count > 0) {
            const struct level_samples samples = samples_of(&levels, tc[i].resolution_count - 1U);
            output.from[i] = j2k_gpu_area(tc->area) ? place_in(&samples, tc->area.x0, tc->area.y0) : 0;
            output.pitch[i] = samples.pitch;
        }
        output.depth[i] = component[i].depth;
        output.is_signed[i] = component[i].is_signed;
        *levels_at += levels.words;
    }
    return output;
}

void kst_j2k_gpu_find_samples(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile *tile,
    const struct j2k_tile_component *tc, uint32_t *levels_at, uint32_t *place, uint32_t *pitch)
{
    const struct component_levels c = levels_of(part, index, tile, tc, *levels_at);
    const struct level_samples samples = samples_of(&c, tc->resolution_count - 1U);
    *place = j2k_gpu_area(tc->area) > 0 ? place_in(&samples, tc->area.x0, tc->area.y0) : 0;
    *pitch = samples.pitch;
    *levels_at += c.words;
}

/* Return the kernel that computes the last level of three components with their pixels. */
static uint32_t finish_of(
    const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile_component *tc, uint32_t narrow)
{
    if (!tc->reversible)
        return has_indices(part, index, tc, tc->resolution_count - 1U) ? J2K_KERNEL_FINISH_97_INDICES
                                                                       : J2K_KERNEL_FINISH_97;
    return narrow ? J2K_KERNEL_FINISH_53_NARROW : J2K_KERNEL_FINISH_53;
}

/* Add the outputs of those components of a tile that `kernel` writes. */
static void add_tile(
    struct levels_writer *w, uint32_t index, const struct j2k_tile *tile, uint32_t kernel, uint32_t *levels_at)
{
    const struct j2k_plan *plan = w->part->items[index].plan;
    bool finished = finish_together(w->part, index, tile);
    for (uint32_t c = 0; c < plan->component_count;) {
        const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component + c];
        struct j2k_work_output output = describe_output(w->part, index, tile, c, levels_at);
        if (c == 0 && finished) {
            if (kernel == finish_of(w->part, index, tc, output.narrow))
                add_finish(w, index, tc, &output);
            w->finished += 3;
        } else if (kernel == J2K_KERNEL_PUT_OUT && tc->resolution_count > 0) {
            add_output(w, &output);
        }
        c += output.count;
    }
}

/*
 * Add all outputs; volumes have none. `finished` is the index of the first record of levels that are computed with
 * outputs. If there are no such levels, all outputs have the same kernel.
 */
static void add_outputs(struct levels_writer *w, uint32_t finished)
{
    const uint32_t last = w->part->finishes ? J2K_KERNEL_FINISH_97_INDICES : J2K_KERNEL_PUT_OUT;
    if (w->part->items->volume)
        return;
    begin_launch(w);
    for (uint32_t i = 0; i < w->part->count; i++)
        if (w->part->items[i].plan->missing_tiles > 0)
            add_filled(w, i);
    end_launch(w, J2K_KERNEL_PUT_OUT);
    for (uint32_t kernel = J2K_KERNEL_PUT_OUT; kernel <= last; kernel++) {
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

/*
 * Add the records of last levels that are computed with outputs, which follow those of all other levels, and of
 * outputs.
 */
static void add_rest(struct levels_writer *w, uint32_t *levels)
{
    uint32_t finished = w->record;
    if (w->part->finishes)
        for_each_component(w, add_finished);
    *levels = w->record;
    w->record = 0;
    add_outputs(w, finished);
}

/* Return whether the last level of any tile is computed when pixels are written or read. */
static bool any_finishes(const struct j2k_gpu_part *part)
{
    for (uint32_t i = 0; i < part->count && part->finishes; i++)
        for (uint32_t t = 0; t < part->items[i].plan->tile_count; t++)
            if (finish_together(part, i, &part->items[i].plan->tile[t]))
                return true;
    return false;
}

void kst_j2k_gpu_count_levels(struct j2k_gpu_part *part)
{
    struct levels_writer w = {.part = part};
    part->finishes = any_finishes(part);
    memset(part->level, 0, sizeof part->level);
    for_each_component(&w, add_levels);
    for (uint32_t r = 0; r < J2K_LEVELS; r++)
        for (uint32_t k = 0; k < J2K_GPU_LEVEL_KERNELS; k++)
            w.record += part->level[r][k].records;
    add_rest(&w, &part->levels);
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
    w.lists = w.at;
    begin_levels(&w);
    for_each_component(&w, add_levels);
    add_rest(&w, &part->levels);
    return w.at;
}
