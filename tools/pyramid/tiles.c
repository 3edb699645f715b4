/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes each tile of a level to a file: either its stream or its pixels. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "progress/progress.h"
#include "pyramid/run.h"
#include "system/folder.h"

/* Describes the tiles that a region touches. */
struct range {
    uint32_t left, top, right, bottom; /* columns and rows; right and bottom are the last ones */
};

static bool find_range(
    const struct pyramid_image *image, kst_region region, struct range *range, struct problem *problem)
{
    if (!pyramid_fit_region(image, &region, problem))
        return false;
    *range = (struct range){.left = region.x / image->tile_width,
        .top = region.y / image->tile_height,
        .right = (region.x + region.width - 1) / image->tile_width,
        .bottom = (region.y + region.height - 1) / image->tile_height};
    return true;
}

/* Return the path of a tile's file, COLUMN_ROW.EXTENSION in the folder. The caller frees it. */
static char *make_path(
    const char *folder, uint32_t column, uint32_t row, const char *extension, struct problem *problem)
{
    char name[64];

    snprintf(name, sizeof name, "%u_%u.%s", (unsigned)column, (unsigned)row, extension);
    char *path = folder_join(folder, name);
    if (path == NULL)
        problem_set(problem, "out of memory");
    return path;
}

static bool write_bytes(const char *path, const struct pyramid_stream *stream, struct problem *problem)
{
    struct output output;

    if (!output_open(&output, path, problem))
        return false;
    if (output_write(&output, stream->data, stream->length, problem) && output_commit(&output, problem))
        return true;
    output_discard(&output);
    return false;
}

/*
 * Check that decoded tiles do not have far more pixels than a file of this length can hold: a few bytes can describe
 * millions of tiles with the same bytes or none, each of which would become a file.
 */
static bool check_pixels(const struct pyramid *pyramid, const struct pyramid_image *image, const struct range *range,
    const struct pyramid_settings *settings, struct problem *problem)
{
    enum { PIXELS_PER_BYTE = 1024 };
    const double width = (double)(range->right - range->left + 1) * image->tile_width;
    const double height = (double)(range->bottom - range->top + 1) * image->tile_height;
    const double most = (double)pyramid->source.length * PIXELS_PER_BYTE + (double)settings->files.max_pixels;

    return settings->format == NULL || width * height <= most ||
           problem_set(problem,
               "its tiles have %.0f million pixels, too many for a file of %zu bytes: choose a part by --region, or "
               "raise "
               "--max-pixels",
               width * height / 1e6, pyramid->source.length);
}

/*
 * Count the bytes of tiles that are written as they are coded, and check that they are not too many: many tiles may
 * have the same bytes in the file.
 */
static bool count_bytes(const struct pyramid *pyramid, const struct pyramid_settings *settings, size_t length,
    uint64_t *written, struct problem *problem)
{
    enum { TIMES = 16 };
    const uint64_t whole = pyramid->source.length, most = settings->files.max_memory;

    *written += length;
    return (*written >> 1) <= (TIMES / 2) * whole + (most >> 1) ||
           problem_set(problem,
               "its tiles have more than %d times the bytes of the file: choose a part by --region, or raise "
               "--max-memory",
               TIMES);
}

/* Write a tile as it is coded. Missing tiles make no file. Damaged tiles make none either, and are counted. */
static bool write_stream(const struct pyramid *pyramid, const struct pyramid_image *image, uint32_t column,
    uint32_t row, const struct pyramid_settings *settings, struct pyramid_losses *losses, uint64_t *written,
    struct problem *problem)
{
    const bool j2k = pyramid_is_j2k(image);
    struct pyramid_tile tile;
    struct pyramid_stream stream;

    pyramid_tile(pyramid, image, (uint64_t)row * image->across + column, &tile);
    losses->missing += tile.missing;
    if (tile.missing)
        return true;
    if (!pyramid_stream(image, &tile, &stream, problem)) {
        char text[sizeof losses->first];
        snprintf(text, sizeof text, "tile %u,%u at offset %llu: %.160s", (unsigned)column, (unsigned)row,
            (unsigned long long)tile.at, problem->text);
        if (settings->files.decode.strict)
            return problem_set(problem, "%s", text);
        if (losses->damaged++ == 0)
            memcpy(losses->first, text, sizeof text);
        return true;
    }
    const bool boxes = stream.length >= 8 && memcmp(stream.data + 4, "jP  ", 4) == 0;
    char *path = make_path(settings->directory, column, row, !j2k ? "jpg" : boxes ? "jp2" : "j2k", problem);
    const bool good = path != NULL && count_bytes(pyramid, settings, stream.length, written, problem) &&
                      write_bytes(path, &stream, problem);
    free(path);
    free(stream.made);
    return good;
}

/* Write one tile of a decoded row of tiles. */
static bool write_part(const struct pyramid *pyramid, const struct picture *row, uint32_t x, uint32_t width,
    const char *path, const struct pyramid_settings *settings, struct problem *problem)
{
    const size_t pixel = kst_format_channels(row->image.format) * picture_sample_bytes(&row->image.plane[0]);
    struct picture part;
    bool good;

    picture_init(&part);
    good = picture_allocate(&part, row->image.format, width, row->image.height, row->image.plane[0].depth,
        settings->files.max_pixels, problem);
    for (uint32_t y = 0; y < row->image.height && good; y++)
        memcpy(picture_row(&part, 0, y), picture_row(row, 0, y) + x * pixel, width * pixel);
    if (good && !pyramid_keep_profile(pyramid, &part))
        good = problem_set(problem, "out of memory");
    good = good && picture_write(&part, path, settings->format, &settings->files, problem);
    picture_release(&part);
    return good;
}

/* Decode a row of tiles in one batch, and write each tile. */
static bool write_row(const struct pyramid *pyramid, const struct pyramid_image *image, const struct range *range,
    uint32_t row, const struct pyramid_settings *settings, struct pyramid_losses *losses, struct problem *problem)
{
    const uint32_t left = range->left * image->tile_width, top = row * image->tile_height;
    const uint32_t right = range->right + 1 == image->across ? image->width : (range->right + 1) * image->tile_width;
    const uint32_t below = image->height - top;
    const kst_region region = {
        .x = left, .y = top, .width = right - left, .height = below < image->tile_height ? below : image->tile_height};
    struct picture picture;

    picture_init(&picture);
    bool good = pyramid_decode(pyramid, image, &region, &settings->files, &picture, losses, problem);
    for (uint32_t column = range->left; column <= range->right && good; column++) {
        const uint32_t x = (column - range->left) * image->tile_width, rest = region.width - x;
        char *path = make_path(settings->directory, column, row, file_extension(settings->format, &picture), problem);
        good = path != NULL && write_part(pyramid, &picture, x, rest < image->tile_width ? rest : image->tile_width,
                                   path, settings, problem);
        free(path);
    }
    picture_release(&picture);
    return good;
}

static bool write_tiles(const struct pyramid *pyramid, const struct pyramid_image *image,
    const struct pyramid_settings *settings, struct pyramid_losses *losses, struct problem *problem)
{
    struct range range = {.left = 0};
    uint64_t written = 0;

    if (!find_range(image, settings->region, &range, problem) ||
        !check_pixels(pyramid, image, &range, settings, problem))
        return false;
    if (mkdir(settings->directory, 0777) != 0 && errno != EEXIST)
        return problem_set_kind(
            problem, PROBLEM_WRITE, "--out-dir: cannot make '%s': %s", settings->directory, strerror(errno));
    for (uint32_t row = range.top; row <= range.bottom; row++) {
        if (settings->format != NULL) {
            if (!write_row(pyramid, image, &range, row, settings, losses, problem))
                return false;
            continue;
        }
        for (uint32_t column = range.left; column <= range.right; column++)
            if (!write_stream(pyramid, image, column, row, settings, losses, &written, problem))
                return false;
    }
    return true;
}

int pyramid_tiles(struct pyramid_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct pyramid_losses losses = {.damaged = 0};
    struct pyramid pyramid;
    int code = pyramid_open_named(&pyramid, settings, names[0]);

    if (code != EXIT_FINE)
        return code;
    const struct pyramid_image *image = settings->image != NULL ? pyramid_named(&pyramid, settings->image, &problem)
                                                                : pyramid_level(&pyramid, settings->level, &problem);
    if (image != NULL && image->fault[0] != '\0') {
        problem_set(&problem, "%s: %s", settings->image, image->fault);
        image = NULL;
    }
    if (image == NULL || !write_tiles(&pyramid, image, settings, &losses, &problem))
        code = pyramid_fail(names[0], &problem);
    pyramid_report_losses(names[0], &losses);
    pyramid_release(&pyramid);
    return code;
}
