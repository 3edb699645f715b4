/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes pictures that need more memory on a GPU than there is, one excerpt after the other. An excerpt consists of
 * some tiles, or of a cell of one tile; the samples around it on which its code-blocks depend are transformed, too.
 * Coded bytes are downloaded.
 */
#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/rate/encoding.h"
#include "j2k/rate/measure.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/geometry.h"
#include "j2k/write/excerpt.h"

enum {
    SLICE = 256, /* fewest blocks whose outcomes a thread takes at a time */
    SLICES = 16
};

/*
 * Describes tiles that are measured together before their blocks are coded: all cells of one tile, or a group of tiles.
 */
struct excerpt_span {
    uint32_t first_tile, tile_count;
    struct j2k_rect cells; /* the range of cells; 0 … 1 for a group of tiles */
};

/* Holds the excerpts of a picture, while their blocks are coded. */
struct excerpts {
    struct j2k_encoder *encoder;
    struct j2k_encoding encoding;
    struct excerpt_span span;
    struct j2k_encode_tile *tile; /* tiles of the span */
    struct j2k_excerpt excerpt;   /* excerpt that is on the device */
    struct j2k_gpu_encode_item item;
    kst_image image;
    kst_plane *more; /* planes of `image` after the first four */
    struct j2k_gpu_corner *corner;
    struct j2k_gpu_encode_job *device;
    struct j2k_gpu_block_order *order;
    struct j2k_gpu_block_outcome *outcome;   /* for each order, */
    struct j2k_gpu_block_gains *measured;    /* and when measuring */
    enum j2k_choice choice;                  /* which blocks are ordered */
    uint32_t count, slice;                   /* number of orders, and how many of these a thread takes at a time */
    struct j2k_encoded_chunk *chunk[SLICES]; /* the chunk that each slice is filling */
    struct j2k_gpu_encode_times times;
};

static const struct j2k_plan *plan_of(const struct j2k_encoder *encoder)
{
    return &encoder->coded.plan;
}

static bool is_interleaved(const struct j2k_encoder *encoder)
{
    return kst_format_channels(encoder->image->format) > 0;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b > 0);
}

/* Return the range of cells that a tile reaches; cut->width and height are not 0. */
static struct j2k_rect cells_of(const struct j2k_cut *cut, struct j2k_rect tile)
{
    return (struct j2k_rect){
        tile.x0 / cut->width, tile.y0 / cut->height, divide_up(tile.x1, cut->width), divide_up(tile.y1, cut->height)};
}

/* Return the group of tiles that begins with tile `first`. */
static struct excerpt_span span_at(const struct j2k_encoder *encoder, uint32_t first, uint32_t tiles)
{
    const struct j2k_cut *cut = &encoder->cut;
    uint32_t columns = encoder->coded.headers.size.columns, end = first + cut->tiles;
    if (cut->tiles < columns && end > (first / columns + 1) * columns)
        end = (first / columns + 1) * columns;
    struct excerpt_span span = {first, (end < tiles ? end : tiles) - first, {0, 0, 1, 1}};
    if (cut->width > 0)
        span.cells = cells_of(cut, plan_of(encoder)->tile[first].rect);
    return span;
}

static uint32_t times(uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)a * b;
    return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}

static struct j2k_excerpt_choice choice_of(
    const struct j2k_encoder *encoder, const struct excerpt_span *span, uint32_t cell)
{
    const struct j2k_cut *cut = &encoder->cut;
    uint32_t columns = span->cells.x1 - span->cells.x0;
    uint32_t x = span->cells.x0 + cell % columns, y = span->cells.y0 + cell / columns;
    struct j2k_excerpt_choice choice = {.first_tile = span->first_tile,
        .tile_count = span->tile_count,
        .cell = {0, 0, UINT32_MAX, UINT32_MAX},
        .together = is_interleaved(encoder)};
    if (cut->width > 0)
        choice.cell = (struct j2k_rect){
            times(x, cut->width), times(y, cut->height), times(x + 1, cut->width), times(y + 1, cut->height)};
    return choice;
}

static uint32_t cell_count(const struct excerpt_span *span)
{
    return (span->cells.x1 - span->cells.x0) * (span->cells.y1 - span->cells.y0);
}

/* Return half of the available memory. The other half is for margins, and for what has been coded. */
static uint64_t memory_limit(const struct j2k_encoder *encoder)
{
    uint64_t limit = encoder->e->context->limits.memory / 2, half = encoder->e->gpu->gpu->info.memory / 2;
    limit = half > 0 && half < limit ? half : limit;
    return limit < J2K_GPU_ENCODE_MEMORY_MAX ? limit : J2K_GPU_ENCODE_MEMORY_MAX;
}

/* Return approximately how many samples of the picture an excerpt needs, including the margins of a cell. */
static uint64_t extent(const struct j2k_encoder *encoder, const struct j2k_excerpt_choice *choice)
{
    enum { MARGINS = 8 }; /* width of a cell as a multiple of its margins */
    uint64_t area = 0;
    for (uint32_t t = choice->first_tile; t < choice->first_tile + choice->tile_count; t++) {
        struct j2k_rect tile = plan_of(encoder)->tile[t].rect;
        struct j2k_rect part = kst_j2k_enlarge(choice->cell, encoder->cut.width / MARGINS, tile);
        area += j2k_is_empty(part) ? 0 : (uint64_t)(part.x1 - part.x0) * (part.y1 - part.y0);
    }
    return area;
}

/*
 * Return the choice of the largest excerpt. The first and last excerpts may be smaller, because the picture's borders
 * cut them.
 */
static struct j2k_excerpt_choice largest_choice(const struct j2k_encoder *encoder)
{
    struct j2k_excerpt_choice largest = {.tile_count = 0};
    struct excerpt_span span;
    uint64_t most = 0;
    for (uint32_t t = 0; t < plan_of(encoder)->tile_count; t = span.first_tile + span.tile_count) {
        span = span_at(encoder, t, plan_of(encoder)->tile_count);
        for (uint32_t i = 0; i < cell_count(&span); i++) {
            struct j2k_excerpt_choice choice = choice_of(encoder, &span, i);
            uint64_t area = extent(encoder, &choice);
            if (largest.tile_count > 0 && area <= most)
                continue;
            largest = choice;
            most = area;
        }
    }
    return largest;
}

/* Find out whether the largest excerpt fits into memory. */
static kst_status measure(struct j2k_encoder *encoder, bool *fits)
{
    struct j2k_excerpt excerpt;
    struct j2k_excerpt_choice choice = largest_choice(encoder);
    kst_status status = kst_j2k_excerpt_build(&encoder->e->memory, plan_of(encoder), &choice, &excerpt);
    *fits = !status && kst_j2k_gpu_encode_memory(&excerpt.plan) <= memory_limit(encoder);
    if (*fits)
        encoder->cut.rows = (uint32_t)j2k_rect_height(excerpt.plan.component[0].area);
    kst_j2k_excerpt_release(&encoder->e->memory, &excerpt);
    return status;
}

/* Round `wanted` down to a multiple of `unit`, but to at least one unit and at most the whole. */
static uint32_t units(double wanted, uint32_t unit, uint32_t whole)
{
    if (wanted >= whole || unit >= whole)
        return whole;
    return wanted < 2.0 * unit ? unit : (uint32_t)(wanted / unit) * unit;
}

/*
 * Guess a cut from the memory that the whole needs: as many tiles as fit, or rows of a tile, or some columns of the
 * fewest rows.
 */
static void guess(struct j2k_encoder *encoder, double share, struct j2k_rect unit)
{
    const struct j2k_plan *plan = plan_of(encoder);
    struct j2k_rect tile = plan->tile[plan->tile_count / 2].rect;
    uint32_t columns = encoder->coded.headers.size.columns;
    double tiles = plan->tile_count * share;
    encoder->cut = (struct j2k_cut){.tiles = tiles < plan->tile_count ? (uint32_t)tiles : plan->tile_count};
    if (encoder->cut.tiles >= columns)
        encoder->cut.tiles -= encoder->cut.tiles % columns;
    if (encoder->cut.tiles > 0)
        return;
    encoder->cut.tiles = 1;
    encoder->cut.height = units(tiles * (tile.y1 - tile.y0), unit.y1, tile.y1);
    encoder->cut.width =
        units(tiles * (tile.y1 - tile.y0) / encoder->cut.height * (tile.x1 - tile.x0), unit.x1, tile.x1);
}

/* Make the cut smaller. Returns false if that is impossible. */
static bool cut_smaller(struct j2k_encoder *encoder, struct j2k_rect unit)
{
    struct j2k_cut *cut = &encoder->cut;
    uint32_t columns = encoder->coded.headers.size.columns;
    if (cut->tiles > columns)
        cut->tiles = (cut->tiles / 2 + columns - 1) / columns * columns;
    else if (cut->tiles > 1)
        cut->tiles = cut->tiles / 2;
    else if (cut->width == 0)
        guess(encoder, 0.5 / plan_of(encoder)->tile_count, unit);
    else if (cut->height > unit.y1)
        cut->height = units(cut->height / 2.0, unit.y1, cut->height);
    else if (cut->width > unit.x1)
        cut->width = units(cut->width / 2.0, unit.x1, cut->width);
    else
        return false;
    return true;
}

/*
 * Return whether the GPU can get the pixels of an excerpt, because a function provides rows, or the GPU can access the
 * image's memory.
 */
static bool can_be_read(const struct j2k_encoder *encoder)
{
    const struct encoding *e = encoder->e;
    return e->gpu && (e->rows || kst_j2k_gpu_encodes(encoder->image)) && kst_j2k_run_encode_gpu_codes(encoder);
}

bool kst_j2k_run_encode_gpu_cuts(struct j2k_encoder *encoder)
{
    bool fits = false;
    if (!can_be_read(encoder))
        return false;
    struct j2k_rect unit = kst_j2k_excerpt_unit(plan_of(encoder));
    guess(encoder, (double)memory_limit(encoder) / ((double)kst_j2k_gpu_encode_memory(plan_of(encoder)) + 1), unit);
    while (!measure(encoder, &fits) && !fits && cut_smaller(encoder, unit))
        continue;
    return fits;
}

static size_t pixel_bytes(const kst_image *image, const kst_plane *plane)
{
    return (size_t)kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
}

/*
 * Reduce a plane to the excerpt. In host memory this changes its address, in a device's buffer its offset, in an image
 * object its coordinates.
 */
static void cut_plane(struct excerpts *c, uint32_t p)
{
    const struct j2k_rect area = c->excerpt.plan.component[is_interleaved(c->encoder) ? 0 : p].area;
    const struct j2k_rect whole = plan_of(c->encoder)->component[is_interleaved(c->encoder) ? 0 : p].area;
    kst_plane *plane = p < KST_IMAGE_PLANES_MAX ? &c->image.plane[p] : &c->more[p - KST_IMAGE_PLANES_MAX];
    plane->width = (uint32_t)j2k_rect_width(area);
    plane->height = (uint32_t)j2k_rect_height(area);
    if (j2k_is_empty(area))
        return;
    size_t across = (area.x0 - whole.x0) * pixel_bytes(&c->image, plane);
    c->corner[p] = (struct j2k_gpu_corner){area.x0 - whole.x0, area.y0 - whole.y0};
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

static void describe(struct excerpts *c)
{
    kst_j2k_run_describe_gpu_item(c->encoder, &c->item);
    c->image = *c->encoder->image;
    if (c->more) {
        memcpy(c->more, c->image.more, planes_behind(&c->image) * sizeof *c->more);
        c->image.more = c->more;
    }
    c->item.corner = c->corner;
    c->item.rows = c->encoder->e->rows;
    if (c->item.rows)
        c->item.source = GPU_SOURCE_STAGED;
    for (uint32_t p = 0; p < c->image.plane_count; p++)
        cut_plane(c, p);
    c->image.width = c->image.plane[0].width;
    c->image.height = c->image.plane[0].height;
    c->item.image = &c->image;
    c->item.picture.plan = &c->excerpt.plan;
    c->item.picture.output = c->image;
    c->item.picture.image = c->item.planes;
}

static void fail(struct excerpts *c, kst_status status)
{
    if (status)
        kst_j2k_encode_fail(&c->encoding, status);
}

static void fail_on_device(struct excerpts *c, const struct gpu_error *error)
{
    fail(c, error->text[0] ? kst_j2k_run_encode_gpu_fail(c->encoder, error) : error->status);
}

static void close_excerpt(struct excerpts *c)
{
    if (c->device) {
        struct j2k_gpu_encode_times times = kst_j2k_gpu_encode_times(c->device);
        c->times.upload += times.upload;
        c->times.transform += times.transform;
        c->times.blocks += times.blocks;
        c->times.download += times.download;
    }
    kst_j2k_gpu_encode_end(c->device);
    c->device = NULL;
    kst_memory_release(c->encoding.memory, c->order);
    kst_memory_release(c->encoding.memory, c->outcome);
    kst_memory_release(c->encoding.memory, c->measured);
    c->order = NULL;
    c->outcome = NULL;
    c->measured = NULL;
    kst_j2k_excerpt_release(c->encoding.memory, &c->excerpt);
}

/* Prepare the excerpt of a cell on the device. It must be closed even after an error. */
static void open_excerpt(struct excerpts *c, uint32_t cell)
{
    struct gpu_error error = {.status = KST_OK};
    const struct encoding *e = c->encoder->e;
    struct j2k_excerpt_choice choice = choice_of(c->encoder, &c->span, cell);
    fail(c, kst_j2k_excerpt_build(c->encoding.memory, plan_of(c->encoder), &choice, &c->excerpt));
    c->order = kst_j2k_encode_take(&c->encoding, c->excerpt.plan.block_count, sizeof *c->order);
    c->outcome = kst_j2k_encode_take(&c->encoding, c->excerpt.plan.block_count, sizeof *c->outcome);
    c->measured = kst_j2k_encode_take(&c->encoding, c->excerpt.plan.block_count, sizeof *c->measured);
    if (!kst_j2k_encode_goes_on(&c->encoding) || c->excerpt.plan.block_count == 0)
        return;
    describe(c);
    c->device = kst_j2k_gpu_encode_begin(e->gpu, &c->item, 1, e->after, &error);
    if (!c->device)
        fail_on_device(c, &error);
}

static void order_blocks(struct excerpts *c, enum j2k_choice choice)
{
    const struct j2k_plan *plan = &c->excerpt.plan;
    c->count = 0;
    for (uint32_t i = 0; i < plan->block_count; i++) {
        const struct j2k_encode_tile *tile =
            &c->tile[plan->band[plan->block[i].band].tile_component / plan->component_count];
        uint32_t block = c->excerpt.block[i];
        if (choice == J2K_SAMPLE_BLOCKS && !(kst_j2k_encode_samples_first(tile) && kst_j2k_is_sampled(tile, block)))
            continue;
        c->order[c->count++] = (struct j2k_gpu_block_order){.block = i,
            .stop = kst_j2k_block_stop(tile, plan_of(c->encoder)->block[block].band),
            .region = kst_j2k_run_encode_gpu_region(&c->encoding, block)};
    }
}

/* Copy a block's bytes and passes, which must outlive the excerpt. */
static void keep(
    struct excerpts *c, struct j2k_encoded_chunk **chunk, const struct j2k_gpu_block_outcome *outcome, uint32_t block)
{
    struct j2k_encoding *encoding = &c->encoding;
    kst_j2k_run_encode_gpu_take(encoding, block, outcome);
    if (outcome->passes == 0)
        return;
    uint8_t *data = kst_j2k_encode_keep(encoding, chunk, outcome->length);
    encoding->coded->block[block].data = data;
    if (data)
        memcpy(data, outcome->data, outcome->length);
    if (encoding->request->measure) {
        struct j2k_pass *pass = kst_j2k_encode_keep(encoding, chunk, outcome->passes * sizeof *pass);
        encoding->result[block].pass = pass;
        if (pass)
            kst_j2k_run_encode_gpu_take_passes(outcome, pass);
        return;
    }
    uint32_t *length = kst_j2k_encode_keep(encoding, chunk, outcome->passes * sizeof *length);
    encoding->result[block].length = length;
    for (uint32_t i = 0; length && i < outcome->passes; i++)
        length[i] = outcome->pass[J2K_PASS_RESULT * i];
}

static void keep_gains(
    struct excerpts *c, struct j2k_encoded_chunk **chunk, const struct j2k_gpu_block_gains *measured, uint32_t block)
{
    struct j2k_gains *gains = kst_j2k_encode_keep(&c->encoding, chunk, measured->planes * sizeof *gains);
    if (gains)
        kst_j2k_run_encode_gpu_take_gains(&c->encoding, block, measured, gains);
}

static void keep_slice(void *argument, uint32_t index)
{
    struct excerpts *c = argument;
    uint32_t first = index * c->slice, left = c->count - first, end = first + (left < c->slice ? left : c->slice);
    for (uint32_t i = first; i < end && kst_j2k_encode_goes_on(&c->encoding); i++)
        if (c->choice == J2K_SAMPLE_BLOCKS)
            keep_gains(c, &c->chunk[index], &c->measured[i], c->excerpt.block[c->order[i].block]);
        else
            keep(c, &c->chunk[index], &c->outcome[i], c->excerpt.block[c->order[i].block]);
}

/* Count the bits of the ordered blocks, and take the results. */
static void count_excerpt(struct excerpts *c)
{
    struct gpu_error error = {.status = KST_OK};
    if (c->count == 0)
        return;
    const struct j2k_work_counted_block *found = kst_j2k_gpu_count_begin(c->device, c->order, c->count, &error)
                                                     ? kst_j2k_gpu_count(c->device, NULL, &error)
                                                     : NULL;
    if (!found)
        fail_on_device(c, &error);
    for (uint32_t i = 0; i < c->count && found; i++)
        c->encoding.encoded->counted[c->excerpt.block[c->order[i].block]] = found[i].bits;
    kst_j2k_encode_count(&c->encoding, c->count);
}

static void code_excerpt(struct excerpts *c, enum j2k_choice choice)
{
    struct gpu_error error;
    if (!c->device || !kst_j2k_encode_goes_on(&c->encoding))
        return;
    order_blocks(c, choice);
    if (c->encoding.request->count) {
        count_excerpt(c);
        return;
    }
    c->choice = choice;
    c->slice = divide_up(c->count, SLICES) > SLICE ? divide_up(c->count, SLICES) : SLICE;
    bool done = choice == J2K_SAMPLE_BLOCKS
                    ? kst_j2k_gpu_measure_blocks(c->device, c->order, c->count, c->measured, &error)
                    : kst_j2k_gpu_encode_blocks(c->device, c->order, c->count, c->outcome, &error) &&
                          kst_j2k_gpu_encode_arrive(c->device, &error);
    if (done)
        kst_pool_run(c->encoding.pool, divide_up(c->count, c->slice), keep_slice, c);
    else
        fail_on_device(c, &error);
    if (done && choice == J2K_ALL_BLOCKS)
        kst_j2k_encode_count(&c->encoding, c->count);
}

/*
 * Code the blocks of all excerpts. A single excerpt stays on the device for measuring and coding; several excerpts are
 * transformed again each time.
 */
static void code_excerpts(struct excerpts *c, enum j2k_choice choice)
{
    uint32_t cells = cell_count(&c->span);
    for (uint32_t cell = 0; cell < cells && kst_j2k_encode_goes_on(&c->encoding); cell++) {
        if (!c->device)
            open_excerpt(c, cell);
        code_excerpt(c, choice);
        if (cells > 1)
            close_excerpt(c);
    }
}

/* Measure a sample of the blocks, then code all blocks. */
static void code_span(struct excerpts *c)
{
    bool sampled = false;
    for (uint32_t t = 0; t < c->span.tile_count; t++) {
        kst_j2k_encode_find_tile(&c->encoding, c->span.first_tile + t, &c->tile[t]);
        kst_j2k_encode_given_stop(&c->tile[t]);
        sampled = kst_j2k_encode_samples_first(&c->tile[t]) || sampled;
    }
    if (sampled)
        code_excerpts(c, J2K_SAMPLE_BLOCKS);
    for (uint32_t t = 0; t < c->span.tile_count && kst_j2k_encode_goes_on(&c->encoding); t++)
        if (kst_j2k_encode_samples_first(&c->tile[t]))
            kst_j2k_encode_find_stop(&c->tile[t]);
    code_excerpts(c, J2K_ALL_BLOCKS);
    close_excerpt(c);
}

kst_status kst_j2k_run_encode_gpu_excerpts(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    struct excerpts coding = {.encoder = encoder,
        .encoding = {.memory = &e->memory,
            .pool = e->context->pool,
            .coded = &encoder->coded,
            .request = &encoder->request,
            .encoded = &encoder->encoded}};
    kst_status status = kst_j2k_encode_start(&coding.encoding, &e->report);
    if (status)
        return status;
    coding.tile = kst_j2k_encode_take(&coding.encoding, encoder->cut.tiles, sizeof *coding.tile);
    coding.corner = kst_j2k_encode_take(&coding.encoding, encoder->image->plane_count, sizeof *coding.corner);
    if (planes_behind(encoder->image) > 0)
        coding.more = kst_j2k_encode_take(&coding.encoding, planes_behind(encoder->image), sizeof *coding.more);
    const struct j2k_tiles tiles = kst_j2k_encode_tiles_of(&coding.encoding);
    uint32_t end = tiles.first + tiles.count;
    for (uint32_t t = tiles.first; t < end && kst_j2k_encode_goes_on(&coding.encoding); t += coding.span.tile_count) {
        coding.span = span_at(encoder, t, end);
        code_span(&coding);
    }
    kst_memory_release(&e->memory, coding.tile);
    kst_memory_release(&e->memory, coding.corner);
    kst_memory_release(&e->memory, coding.more);
    kst_j2k_run_encode_gpu_report_times(encoder, e->gpu->gpu, &coding.times, 1);
    return kst_j2k_encode_finish(&coding.encoding, &e->report);
}
