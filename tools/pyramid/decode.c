/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a part of a pyramid's picture: its tiles go through the library in batches, each to its place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress/progress.h"
#include "pyramid/pyramid.h"

/* The most tiles of a batch, and about the most coded bytes, which are also at most a quarter of the memory limit. */
enum { BATCH_TILES = 1 << 14, BATCH_BYTES = 1 << 28 };

/* Describes the decoding of one tile: the stream, the part that is needed, and its place in the picture. */
struct work {
    struct pyramid_tile tile;
    struct pyramid_stream stream;
    kst_decode_options options;
    kst_image image;
};

struct decoding {
    const struct pyramid *pyramid;
    const struct pyramid_image *image;
    const kst_region *region;
    const struct file_settings *settings;
    struct picture *picture;
    struct pyramid_losses *losses;
    struct work *work;
    kst_decode_item *item;
    size_t count;
    uint64_t bytes;
    bool told; /* where the stages ran has been printed */
};

/* Fill a tile's part of the picture with white. */
static void fill(const struct work *work)
{
    const kst_plane *plane = &work->image.plane[0];
    const size_t samples = (size_t)plane->width * kst_format_channels(work->image.format);
    const uint16_t white = (uint16_t)((1u << plane->depth) - 1);

    for (uint32_t y = 0; y < plane->height; y++) {
        uint8_t *row = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
        if (plane->depth <= 8)
            memset(row, white, samples);
        else
            for (size_t i = 0; i < samples; i++)
                memcpy(row + 2 * i, &white, sizeof white);
    }
}

/* Set the part of a tile that the region needs, and its place in the picture. */
static void place(const struct decoding *decoding, struct work *work)
{
    const struct pyramid_tile *tile = &work->tile;
    const kst_region *region = decoding->region;
    const uint32_t left = tile->x > region->x ? tile->x : region->x, top = tile->y > region->y ? tile->y : region->y;
    const uint32_t right = tile->x + tile->width, bottom = tile->y + tile->height;
    const uint32_t end = region->x + region->width, last = region->y + region->height;
    const kst_plane *whole = &decoding->picture->image.plane[0];
    const size_t pixel = kst_format_channels(decoding->picture->image.format) * picture_sample_bytes(whole);

    work->options = decoding->settings->decode;
    work->options.format = decoding->picture->image.format;
    work->options.region = (kst_region){.x = left - tile->x,
        .y = top - tile->y,
        .width = (right < end ? right : end) - left,
        .height = (bottom < last ? bottom : last) - top};
    const kst_region *part = &work->options.region;
    uint8_t *to = picture_row(decoding->picture, 0, top - region->y) + (left - region->x) * pixel;
    kst_image_wrap(&work->image, decoding->picture->image.format, part->width, part->height, to, whole->pitch);
    work->image.plane[0].depth = whole->depth;
}

/* Record a damaged tile. Returns false, with the problem, if damage is an error (strict). */
static bool note(struct decoding *decoding, const struct work *work, const char *text, struct problem *problem)
{
    const struct pyramid_tile *tile = &work->tile;
    const unsigned column = tile->x / decoding->image->tile_width, row = tile->y / decoding->image->tile_height;

    if (decoding->settings->decode.strict)
        return problem_set(problem, "tile %u,%u at offset %llu: %s", column, row, (unsigned long long)tile->at, text);
    if (decoding->losses->damaged++ == 0)
        snprintf(decoding->losses->first, sizeof decoding->losses->first, "tile %u,%u at offset %llu: %s", column, row,
            (unsigned long long)tile->at, text);
    return true;
}

/* Return whether a status is not about the stream, but about memory, limits, the device or cancelling. */
static bool is_own(kst_status status)
{
    return status == KST_ERROR_MEMORY || status == KST_ERROR_LIMIT_MEMORY || status == KST_ERROR_LIMIT_PIXELS ||
           status == KST_ERROR_LIMIT_WORK || status == KST_ERROR_DEVICE_FAILED || status == KST_ERROR_CANCELLED;
}

/* Evaluate the result of decoding a tile. Returns false, with the problem, if the work must end. */
static bool settle(
    struct decoding *decoding, const struct work *work, const kst_decode_item *item, struct problem *problem)
{
    const kst_report *report = &item->report;

    if (is_own(report->status))
        return jpeg_report_problem(report, report->status, problem);
    if (report->status)
        fill(work); /* because its pixels are undefined */
    const char *text = report->message[0] != '\0' ? report->message : kst_status_text(report->status);
    if ((report->status || report->warnings > 0) && !note(decoding, work, text, problem))
        return false;
    if (!decoding->told)
        jpeg_report_details(decoding->pyramid->source.name, report, decoding->settings->verbose);
    decoding->told = true;
    return true;
}

/* Decode the tiles of the batch. */
static bool flush(struct decoding *decoding, struct problem *problem)
{
    bool good = true;

    if (decoding->count > 0)
        kst_decode_batch(decoding->settings->context, decoding->item, decoding->count);
    for (size_t i = 0; i < decoding->count; i++) {
        good = good && settle(decoding, &decoding->work[i], &decoding->item[i], problem);
        free(decoding->work[i].stream.made);
        progress_step();
    }
    decoding->count = 0;
    decoding->bytes = 0;
    return good;
}

/* Add a tile to the batch. */
static bool gather(struct decoding *decoding, uint64_t index, struct problem *problem)
{
    struct work *work = &decoding->work[decoding->count];
    struct problem why = {.text = ""};

    pyramid_tile(decoding->pyramid, decoding->image, index, &work->tile);
    place(decoding, work);
    if (work->tile.missing) {
        decoding->losses->missing++;
        fill(work);
        progress_step();
        return true;
    }
    if (!pyramid_stream(decoding->image, &work->tile, &work->stream, &why)) {
        fill(work);
        progress_step();
        return note(decoding, work, why.text, problem);
    }
    decoding->item[decoding->count++] = (kst_decode_item){
        .data = work->stream.data, .length = work->stream.length, .options = &work->options, .image = &work->image};
    decoding->bytes += work->stream.length;
    const uint64_t quarter = decoding->settings->max_memory / 4;
    const uint64_t most = quarter < BATCH_BYTES ? quarter : BATCH_BYTES;
    return (decoding->count < BATCH_TILES && decoding->bytes < most) || flush(decoding, problem);
}

static bool decode_tiles(struct decoding *decoding, struct problem *problem)
{
    const struct pyramid_image *image = decoding->image;
    const kst_region *region = decoding->region;
    const uint32_t first = region->x / image->tile_width, last = (region->x + region->width - 1) / image->tile_width;
    const uint32_t top = region->y / image->tile_height, bottom = (region->y + region->height - 1) / image->tile_height;
    const uint64_t tiles = (uint64_t)(last - first + 1) * (bottom - top + 1);
    const size_t most = tiles < BATCH_TILES ? (size_t)tiles : BATCH_TILES;
    bool good = true;

    decoding->work = calloc(most, sizeof *decoding->work);
    decoding->item = calloc(most, sizeof *decoding->item);
    if (decoding->work == NULL || decoding->item == NULL)
        good = problem_set(problem, "out of memory");
    progress_begin((size_t)tiles);
    for (uint32_t row = top; row <= bottom && good; row++)
        for (uint32_t column = first; column <= last && good; column++)
            good = gather(decoding, (uint64_t)row * image->across + column, problem);
    if (good)
        good = flush(decoding, problem);
    for (size_t i = 0; i < decoding->count; i++) /* tiles that are left after an error */
        free(decoding->work[i].stream.made);
    progress_end();
    free(decoding->work);
    free(decoding->item);
    return good;
}

bool pyramid_fit_region(const struct pyramid_image *image, kst_region *region, struct problem *problem)
{
    if (region->width == 0)
        *region = (kst_region){.width = image->width, .height = image->height};
    if (region->x < image->width && region->width <= image->width - region->x && region->y < image->height &&
        region->height <= image->height - region->y)
        return true;
    return problem_set(problem, "--region is not within the %ux%u pixels of this picture", (unsigned)image->width,
        (unsigned)image->height);
}

/* Choose the format of the pixels: what an option says, what the output can hold, or what the tiles have. */
static kst_format choose_format(const struct pyramid_image *image, const struct file_settings *settings)
{
    if (settings->decode.format != KST_FORMAT_AUTO)
        return settings->decode.format;
    if (settings->target != NULL && kst_format_channels(settings->target->wanted) > 0)
        return settings->target->wanted;
    return image->samples == 1 ? KST_FORMAT_GREY : KST_FORMAT_RGB;
}

bool pyramid_decode(const struct pyramid *pyramid, const struct pyramid_image *image, const kst_region *region,
    const struct file_settings *settings, struct picture *picture, struct pyramid_losses *losses,
    struct problem *problem)
{
    const kst_format format = choose_format(image, settings);

    if (!picture_permitted(settings, region->width, region->height,
            kst_format_channels(format) * (image->bits > 8 ? 2u : 1u), problem) ||
        !picture_allocate(picture, format, region->width, region->height, image->bits, settings->max_pixels, problem))
        return false;
    struct decoding decoding = {.pyramid = pyramid,
        .image = image,
        .region = region,
        .settings = settings,
        .picture = picture,
        .losses = losses};
    return decode_tiles(&decoding, problem);
}
