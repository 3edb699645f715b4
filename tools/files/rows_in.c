/* SPDX-License-Identifier: BSD-2-Clause */
#include "files/rows_in.h"

#include <stdlib.h>

static size_t row_samples(const struct rows_in *in)
{
    return (size_t)in->whole.image.width * kst_format_channels(in->whole.image.format);
}

static bool read_row(struct rows_in *in, uint8_t *to)
{
    uint8_t *row = in->row != NULL ? in->row : to;

    if (!in->format->rows->next(in->file, row, &in->problem))
        return false;
    if (in->whole.image.format == KST_FORMAT_RGBA && !in->transparent)
        in->transparent = !pixels_are_opaque(row, in->whole.image.width, in->depth);
    if (in->row != NULL)
        samples_to_depth(row, in->depth, row_samples(in), to, 8);
    return true;
}

static bool read_band(void *user, uint32_t plane, uint32_t y, uint32_t rows, void *samples, size_t pitch)
{
    bool good = true;
    (void)plane;
    (void)y; /* each is asked for once, from the top */

    for (uint32_t i = 0; i < rows && good; i++)
        good = read_row(user, (uint8_t *)samples + i * pitch);
    return good;
}

static bool read_one(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    (void)x;
    (void)count; /* JPEG asks for whole rows */
    return read_band(user, plane, y, 1, samples, 0);
}

/* What is coded of the picture that the file holds. */
static bool describe(struct rows_in *in, const struct file_settings *settings)
{
    kst_image *image = &in->whole.image;
    uint32_t width = image->width, height = image->height;
    struct problem told_later;

    in->depth = picture_depth(&in->whole);
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.width = width, .height = height};
    if (width == 0 || height == 0 || width > UINT32_MAX / 16 || height > UINT32_MAX / 16 ||
        !picture_permitted(settings, width, height, 0, &told_later) ||
        !memory_permitted(settings, row_samples(in) * 2, &told_later))
        return false;
    in->row = in->depth != 8 ? malloc(row_samples(in) * 2) : NULL;
    return in->depth == 8 || in->row != NULL;
}

static bool is_suitable(const struct file_format *format, const struct file_settings *settings)
{
    return settings->target == &file_jpeg && settings->raw.width == 0 && format != NULL && format->rows != NULL;
}

bool rows_in_expect(struct source *source, const struct file_settings *settings)
{
    const struct file_format *format = file_format_of(source);

    source->once = is_suitable(format, settings);
    return source->once && source->regular && !format->rows->complete;
}

bool rows_in_open(struct rows_in *in, const struct source *source, const struct file_settings *settings)
{
    *in = (struct rows_in){.source = source, .format = file_format_of(source)};
    picture_init(&in->whole);
    if (!is_suitable(in->format, settings))
        return false;
    in->file = in->format->rows->begin(source, settings, &in->whole);
    if (in->file != NULL && describe(in, settings))
        return true;
    rows_in_close(in);
    return false;
}

void rows_in_close(struct rows_in *in)
{
    struct problem told_before;

    if (in->file != NULL)
        in->format->rows->end(in->file, false, &told_before);
    in->file = NULL;
    picture_release(&in->whole);
    free(in->row);
    in->row = NULL;
}

/* The rows, and what the file has behind them. */
static bool encode(
    struct rows_in *in, struct output *output, const struct file_settings *settings, struct problem *problem)
{
    const kst_rows rows = {.size = sizeof rows, .read = read_one, .user = in, .in_order = true, .read_band = read_band};

    in->problem.text[0] = '\0';
    bool good = jpeg_encode(output, &in->whole, &rows, settings->encode, settings, problem);
    if (in->problem.text[0] != '\0')
        *problem = in->problem;
    void *file = in->file;
    in->file = NULL;
    return in->format->rows->end(file, good, problem);
}

bool rows_in_encode(struct rows_in *in, const char *path, const struct file_settings *settings, struct problem *problem)
{
    struct output output;

    if (!options_suit(settings->given, KIND_JPEG, in->format, problem) || !output_open(&output, path, problem))
        return false;
    bool good = encode(in, &output, settings, problem) && output_commit(&output, problem);
    if (!good)
        output_discard(&output);
    else if (in->transparent)
        complain(in->source->name, "warning: its transparency is dropped, for JPEG has none");
    return good;
}
