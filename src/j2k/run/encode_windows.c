/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures that take more memory on a GPU than there is: parts of them, one after the other. A part is some tiles, or a
 * cell of one; what its code-blocks depend on around it is transformed along with it. Coded bytes come to the host.
 */
#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/cpu/blocks/block_measure.h"
#include "j2k/cpu/encode_tile.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/geometry.h"
#include "j2k/write/window.h"

enum {
    SLICE = 256, /* blocks whose outcomes a thread takes at once, at least */
    SLICES = 16
};

/* Tiles whose samples are looked at before their blocks are coded: all cells of one tile, or tiles that go together. */
struct span {
    uint32_t first_tile, tile_count;
    struct j2k_rect cells; /* in cells: 0 … 1 where there is one */
};

/* The windows of a picture, while their blocks are coded. */
struct coding {
    struct j2k_encode_work *work;
    struct j2k_encode_job job;
    struct span span;
    struct j2k_encode_tile *tile; /* of the span */
    struct j2k_window window;     /* the one at hand, on the device */
    struct j2k_encode_item item;
    kst_image image;
    kst_plane *more; /* the image's planes behind the first four */
    struct j2k_corner *corner;
    struct j2k_coding_job *device;
    struct j2k_block_order *order;
    struct j2k_block_outcome *outcome;       /* of each order, */
    struct j2k_block_gains *measured;        /* or this */
    enum j2k_choice choice;                  /* of what was ordered */
    uint32_t count, slice;                   /* orders: all, and as many as a thread takes */
    struct j2k_encoded_chunk *chunk[SLICES]; /* that each of them is filling */
    struct j2k_encode_times times;
};

static const struct j2k_plan *plan_of(const struct j2k_encode_work *work)
{
    return &work->coded.plan;
}

static bool is_interleaved(const struct j2k_encode_work *work)
{
    return kst_format_channels(work->image->format) > 0;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b > 0);
}

/* Cells of a tile; cut->width and height are not 0. */
static struct j2k_rect cells_of(const struct j2k_cut *cut, struct j2k_rect tile)
{
    return (struct j2k_rect){
        tile.x0 / cut->width, tile.y0 / cut->height, divide_up(tile.x1, cut->width), divide_up(tile.y1, cut->height)};
}

/* As many tiles as go together, from one on, of the first so many. */
static struct span span_at(const struct j2k_encode_work *work, uint32_t first, uint32_t tiles)
{
    const struct j2k_cut *cut = &work->cut;
    uint32_t columns = work->coded.headers.size.columns, end = first + cut->tiles;
    if (cut->tiles < columns && end > (first / columns + 1) * columns)
        end = (first / columns + 1) * columns;
    struct span span = {first, (end < tiles ? end : tiles) - first, {0, 0, 1, 1}};
    if (cut->width > 0)
        span.cells = cells_of(cut, plan_of(work)->tile[first].rect);
    return span;
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)a * b;
    return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}

static struct j2k_window_choice choice_of(const struct j2k_encode_work *work, const struct span *span, uint32_t cell)
{
    const struct j2k_cut *cut = &work->cut;
    uint32_t columns = span->cells.x1 - span->cells.x0;
    uint32_t x = span->cells.x0 + cell % columns, y = span->cells.y0 + cell / columns;
    struct j2k_window_choice choice = {.first_tile = span->first_tile,
        .tile_count = span->tile_count,
        .cell = {0, 0, UINT32_MAX, UINT32_MAX},
        .together = is_interleaved(work)};
    if (cut->width > 0)
        choice.cell = (struct j2k_rect){
            times(x, cut->width), times(y, cut->height), times(x + 1, cut->width), times(y + 1, cut->height)};
    return choice;
}

static uint32_t cell_count(const struct span *span)
{
    return (span->cells.x1 - span->cells.x0) * (span->cells.y1 - span->cells.y0);
}

/* Half of what there is: margins, and what has been coded, come on top. */
static uint64_t memory_limit(const struct j2k_encode_work *work)
{
    uint64_t limit = work->e->context->limits.memory / 2, half = work->e->gpu->gpu->info.memory / 2;
    limit = half > 0 && half < limit ? half : limit;
    return limit < J2K_GPU_ENCODE_MEMORY_MAX ? limit : J2K_GPU_ENCODE_MEMORY_MAX;
}

/* About what a window takes of the picture, with what is around a cell. */
static uint64_t extent(const struct j2k_encode_work *work, const struct j2k_window_choice *choice)
{
    enum { MARGINS = 8 }; /* in the width of a cell */
    uint64_t area = 0;
    for (uint32_t t = choice->first_tile; t < choice->first_tile + choice->tile_count; t++) {
        struct j2k_rect tile = plan_of(work)->tile[t].rect;
        struct j2k_rect part = kst_j2k_enlarge(choice->cell, work->cut.width / MARGINS, tile);
        area += j2k_is_empty(part) ? 0 : (uint64_t)(part.x1 - part.x0) * (part.y1 - part.y0);
    }
    return area;
}

/* The first and the last windows may be cut off by the picture's borders. */
static struct j2k_window_choice largest_choice(const struct j2k_encode_work *work)
{
    struct j2k_window_choice largest = {.tile_count = 0};
    struct span span;
    uint64_t most = 0;
    for (uint32_t t = 0; t < plan_of(work)->tile_count; t = span.first_tile + span.tile_count) {
        span = span_at(work, t, plan_of(work)->tile_count);
        for (uint32_t i = 0; i < cell_count(&span); i++) {
            struct j2k_window_choice choice = choice_of(work, &span, i);
            uint64_t area = extent(work, &choice);
            if (largest.tile_count > 0 && area <= most)
                continue;
            largest = choice;
            most = area;
        }
    }
    return largest;
}

/* Whether the largest window does. */
static kst_status measure(struct j2k_encode_work *work, bool *fits)
{
    struct j2k_window window;
    struct j2k_window_choice choice = largest_choice(work);
    kst_status status = kst_j2k_window_build(&work->e->memory, plan_of(work), &choice, &window);
    *fits = !status && kst_gpu_j2k_encode_memory(&window.plan) <= memory_limit(work);
    if (*fits)
        work->cut.rows = (uint32_t)j2k_rect_height(window.plan.component[0].area);
    kst_j2k_window_release(&work->e->memory, &window);
    return status;
}

/* `wanted` cut down to units, at least one; no more than the whole. */
static uint32_t units(double wanted, uint32_t unit, uint32_t whole)
{
    if (wanted >= whole || unit >= whole)
        return whole;
    return wanted < 2.0 * unit ? unit : (uint32_t)(wanted / unit) * unit;
}

/* By what the whole takes: as many tiles, or a tile's rows, or some columns of the fewest rows, as have room. */
static void guess(struct j2k_encode_work *work, double share, struct j2k_rect unit)
{
    const struct j2k_plan *plan = plan_of(work);
    struct j2k_rect tile = plan->tile[plan->tile_count / 2].rect;
    uint32_t columns = work->coded.headers.size.columns;
    double tiles = plan->tile_count * share;
    work->cut = (struct j2k_cut){.tiles = tiles < plan->tile_count ? (uint32_t)tiles : plan->tile_count};
    if (work->cut.tiles >= columns)
        work->cut.tiles -= work->cut.tiles % columns;
    if (work->cut.tiles > 0)
        return;
    work->cut.tiles = 1;
    work->cut.height = units(tiles * (tile.y1 - tile.y0), unit.y1, tile.y1);
    work->cut.width = units(tiles * (tile.y1 - tile.y0) / work->cut.height * (tile.x1 - tile.x0), unit.x1, tile.x1);
}

/* False where nothing smaller is. */
static bool cut_smaller(struct j2k_encode_work *work, struct j2k_rect unit)
{
    struct j2k_cut *cut = &work->cut;
    uint32_t columns = work->coded.headers.size.columns;
    if (cut->tiles > columns)
        cut->tiles = (cut->tiles / 2 + columns - 1) / columns * columns;
    else if (cut->tiles > 1)
        cut->tiles = cut->tiles / 2;
    else if (cut->width == 0)
        guess(work, 0.5 / plan_of(work)->tile_count, unit);
    else if (cut->height > unit.y1)
        cut->height = units(cut->height / 2.0, unit.y1, cut->height);
    else if (cut->width > unit.x1)
        cut->width = units(cut->width / 2.0, unit.x1, cut->width);
    else
        return false;
    return true;
}

/* Rows that are brought have no memory. */
static bool can_be_read(const struct j2k_encode_work *work)
{
    const struct encoding *e = work->e;
    return e->gpu && (e->rows || kst_gpu_j2k_encodes(work->image));
}

bool kst_j2k_gpu_cuts(struct j2k_encode_work *work)
{
    bool fits = false;
    if (!can_be_read(work))
        return false;
    struct j2k_rect unit = kst_j2k_window_unit(plan_of(work));
    guess(work, (double)memory_limit(work) / ((double)kst_gpu_j2k_encode_memory(plan_of(work)) + 1), unit);
    while (!measure(work, &fits) && !fits && cut_smaller(work, unit))
        continue;
    return fits;
}

static size_t pixel_bytes(const kst_image *image, const kst_plane *plane)
{
    return (size_t)kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
}

/* The window's part of a plane. What lies on the host is found by its address, else by its offset in its buffer, or
 * where in an object of the driver's it is. */
static void cut_plane(struct coding *c, uint32_t p)
{
    const struct j2k_rect area = c->window.plan.component[is_interleaved(c->work) ? 0 : p].area;
    const struct j2k_rect whole = plan_of(c->work)->component[is_interleaved(c->work) ? 0 : p].area;
    kst_plane *plane = p < KST_IMAGE_PLANES_MAX ? &c->image.plane[p] : &c->more[p - KST_IMAGE_PLANES_MAX];
    plane->width = (uint32_t)j2k_rect_width(area);
    plane->height = (uint32_t)j2k_rect_height(area);
    if (j2k_is_empty(area))
        return;
    size_t across = (area.x0 - whole.x0) * pixel_bytes(&c->image, plane);
    c->corner[p] = (struct j2k_corner){area.x0 - whole.x0, area.y0 - whole.y0};
    if (c->item.rows)
        return;
    c->item.planes.left = c->corner[p].x;
    c->item.planes.top = c->corner[p].y;
    ptrdiff_t skipped = (ptrdiff_t)c->corner[p].y * plane->pitch + (ptrdiff_t)across;
    if (c->item.source == GPU_SOURCE_STAGED)
        plane->data = (uint8_t *)plane->data + skipped;
    else
        c->item.planes.offset[p] += (size_t)skipped;
}

static uint32_t planes_behind(const kst_image *image)
{
    return image->plane_count > KST_IMAGE_PLANES_MAX ? image->plane_count - KST_IMAGE_PLANES_MAX : 0;
}

static void describe(struct coding *c)
{
    kst_j2k_gpu_describe(c->work, &c->item);
    c->image = *c->work->image;
    if (c->more) {
        memcpy(c->more, c->image.more, planes_behind(&c->image) * sizeof *c->more);
        c->image.more = c->more;
    }
    c->item.corner = c->corner;
    c->item.rows = c->work->e->rows;
    if (c->item.rows)
        c->item.source = GPU_SOURCE_STAGED;
    for (uint32_t p = 0; p < c->image.plane_count; p++)
        cut_plane(c, p);
    c->image.width = c->image.plane[0].width;
    c->image.height = c->image.plane[0].height;
    c->item.image = &c->image;
    c->item.picture.plan = &c->window.plan;
    c->item.picture.output = c->image;
    c->item.picture.image = c->item.planes;
}

static void fail(struct coding *c, kst_status status)
{
    if (status)
        kst_j2k_encode_fail(&c->job, status);
}

static void fail_on_device(struct coding *c, const struct gpu_error *error)
{
    fail(c, error->text[0] ? kst_j2k_gpu_fail(c->work, error) : error->status);
}

static void close_window(struct coding *c)
{
    if (c->device) {
        struct j2k_encode_times times = kst_gpu_j2k_encode_times(c->device);
        c->times.upload += times.upload;
        c->times.transform += times.transform;
        c->times.blocks += times.blocks;
        c->times.download += times.download;
    }
    kst_gpu_j2k_encode_end(c->device);
    c->device = NULL;
    kst_memory_release(c->job.memory, c->order);
    kst_memory_release(c->job.memory, c->outcome);
    kst_memory_release(c->job.memory, c->measured);
    c->order = NULL;
    c->outcome = NULL;
    c->measured = NULL;
    kst_j2k_window_release(c->job.memory, &c->window);
}

/* To be closed in any case. */
static void open_window(struct coding *c, uint32_t cell)
{
    struct gpu_error error = {.status = KST_OK};
    const struct encoding *e = c->work->e;
    struct j2k_window_choice choice = choice_of(c->work, &c->span, cell);
    fail(c, kst_j2k_window_build(c->job.memory, plan_of(c->work), &choice, &c->window));
    c->order = kst_j2k_encode_take(&c->job, c->window.plan.block_count, sizeof *c->order);
    c->outcome = kst_j2k_encode_take(&c->job, c->window.plan.block_count, sizeof *c->outcome);
    c->measured = kst_j2k_encode_take(&c->job, c->window.plan.block_count, sizeof *c->measured);
    if (!kst_j2k_encode_goes_on(&c->job) || c->window.plan.block_count == 0)
        return;
    describe(c);
    c->device = kst_gpu_j2k_encode_begin(e->gpu, &c->item, 1, e->after, &error);
    if (!c->device)
        fail_on_device(c, &error);
}

static void order_blocks(struct coding *c, enum j2k_choice choice)
{
    const struct j2k_plan *plan = &c->window.plan;
    c->count = 0;
    for (uint32_t i = 0; i < plan->block_count; i++) {
        const struct j2k_encode_tile *tile =
            &c->tile[plan->band[plan->block[i].band].tile_component / plan->component_count];
        uint32_t block = c->window.block[i];
        if (choice == J2K_SAMPLE_BLOCKS && !(kst_j2k_encode_samples_first(tile) && kst_j2k_is_sampled(tile, block)))
            continue;
        c->order[c->count++] = (struct j2k_block_order){.block = i,
            .stop = kst_j2k_block_stop(tile, plan_of(c->work)->block[block].band),
            .region = kst_j2k_gpu_region(&c->job, block)};
    }
}

/* Bytes and passes stay when the window goes. */
static void keep(
    struct coding *c, struct j2k_encoded_chunk **chunk, const struct j2k_block_outcome *outcome, uint32_t block)
{
    struct j2k_encode_job *job = &c->job;
    kst_j2k_gpu_take(job, block, outcome);
    if (outcome->passes == 0)
        return;
    uint8_t *data = kst_j2k_encode_keep(job, chunk, outcome->length);
    job->coded->block[block].data = data;
    if (data)
        memcpy(data, outcome->data, outcome->length);
    if (job->source->measure) {
        struct j2k_pass *pass = kst_j2k_encode_keep(job, chunk, outcome->passes * sizeof *pass);
        job->result[block].pass = pass;
        if (pass)
            kst_j2k_gpu_take_passes(outcome, pass);
        return;
    }
    uint32_t *length = kst_j2k_encode_keep(job, chunk, outcome->passes * sizeof *length);
    job->result[block].length = length;
    for (uint32_t i = 0; length && i < outcome->passes; i++)
        length[i] = outcome->pass[J2K_PASS_RESULT * i];
}

static void keep_gains(
    struct coding *c, struct j2k_encoded_chunk **chunk, const struct j2k_block_gains *measured, uint32_t block)
{
    struct j2k_gains *gains = kst_j2k_encode_keep(&c->job, chunk, measured->planes * sizeof *gains);
    if (gains)
        kst_j2k_gpu_take_gains(&c->job, block, measured, gains);
}

static void keep_slice(void *argument, uint32_t index)
{
    struct coding *c = argument;
    uint32_t first = index * c->slice, left = c->count - first, end = first + (left < c->slice ? left : c->slice);
    for (uint32_t i = first; i < end && kst_j2k_encode_goes_on(&c->job); i++)
        if (c->choice == J2K_SAMPLE_BLOCKS)
            keep_gains(c, &c->chunk[index], &c->measured[i], c->window.block[c->order[i].block]);
        else
            keep(c, &c->chunk[index], &c->outcome[i], c->window.block[c->order[i].block]);
}

static void code_window(struct coding *c, enum j2k_choice choice)
{
    struct gpu_error error;
    if (!c->device || !kst_j2k_encode_goes_on(&c->job))
        return;
    order_blocks(c, choice);
    c->choice = choice;
    c->slice = divide_up(c->count, SLICES) > SLICE ? divide_up(c->count, SLICES) : SLICE;
    bool done = choice == J2K_SAMPLE_BLOCKS
                    ? kst_gpu_j2k_measure_blocks(c->device, c->order, c->count, c->measured, &error)
                    : kst_gpu_j2k_encode_blocks(c->device, c->order, c->count, c->outcome, &error) &&
                          kst_gpu_j2k_encode_arrive(c->device, &error);
    if (done)
        kst_pool_run(c->job.pool, divide_up(c->count, c->slice), keep_slice, c);
    else
        fail_on_device(c, &error);
    if (done && choice == J2K_ALL_BLOCKS)
        kst_j2k_encode_count(&c->job, c->count);
}

/* One window stays for both; others are made anew. */
static void code_windows(struct coding *c, enum j2k_choice choice)
{
    uint32_t cells = cell_count(&c->span);
    for (uint32_t cell = 0; cell < cells && kst_j2k_encode_goes_on(&c->job); cell++) {
        if (!c->device)
            open_window(c, cell);
        code_window(c, choice);
        if (cells > 1)
            close_window(c);
    }
}

/* Look at the samples, then code all blocks. */
static void code_span(struct coding *c)
{
    bool sampled = false;
    for (uint32_t t = 0; t < c->span.tile_count; t++) {
        kst_j2k_encode_find_tile(&c->job, c->span.first_tile + t, &c->tile[t]);
        kst_j2k_encode_given_stop(&c->tile[t]);
        sampled = kst_j2k_encode_samples_first(&c->tile[t]) || sampled;
    }
    if (sampled)
        code_windows(c, J2K_SAMPLE_BLOCKS);
    for (uint32_t t = 0; t < c->span.tile_count && kst_j2k_encode_goes_on(&c->job); t++)
        if (kst_j2k_encode_samples_first(&c->tile[t]))
            kst_j2k_encode_set_stop(&c->tile[t]);
    code_windows(c, J2K_ALL_BLOCKS);
    close_window(c);
}

kst_status kst_j2k_gpu_code_windows(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    struct coding coding = {.work = work,
        .job = {.memory = &e->memory,
            .pool = e->context->pool,
            .coded = &work->coded,
            .source = &work->source,
            .encoded = &work->encoded}};
    kst_status status = kst_j2k_encode_start(&coding.job, &e->report);
    if (status)
        return status;
    coding.tile = kst_j2k_encode_take(&coding.job, work->cut.tiles, sizeof *coding.tile);
    coding.corner = kst_j2k_encode_take(&coding.job, work->image->plane_count, sizeof *coding.corner);
    if (planes_behind(work->image) > 0)
        coding.more = kst_j2k_encode_take(&coding.job, planes_behind(work->image), sizeof *coding.more);
    const struct j2k_tiles tiles = kst_j2k_encode_tiles_of(&coding.job);
    uint32_t end = tiles.first + tiles.count;
    for (uint32_t t = tiles.first; t < end && kst_j2k_encode_goes_on(&coding.job); t += coding.span.tile_count) {
        coding.span = span_at(work, t, end);
        code_span(&coding);
    }
    kst_memory_release(&e->memory, coding.tile);
    kst_memory_release(&e->memory, coding.corner);
    kst_memory_release(&e->memory, coding.more);
    kst_j2k_gpu_report_times(work, e->gpu->gpu, &coding.times, 1);
    return kst_j2k_encode_finish(&coding.job, &e->report);
}
