/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads rows of PNG, TIFF and BMP files for the encoder. */
#include "files/rows/in.h"

#include <stdlib.h>

#include "files/rows/rows.h"

/* Return whether the rows can become JPEG. Pictures of 12 bits are encoded as a whole. */
static bool becomes_jpeg(const struct file_settings *settings)
{
    return settings->target == &file_jpeg && !settings->deep;
}

static bool becomes_j2k(const struct file_settings *settings)
{
    return settings->target != NULL && (file_kind(settings->target) & KIND_JPEG2000) != 0;
}

static size_t row_samples(const struct rows_in *in)
{
    return (size_t)in->whole.image.width * kst_format_channels(in->whole.image.format);
}

/* Read a row as JPEG needs it: with 8 bits, and without alpha. */
static bool read_for_jpeg(struct rows_in *in, uint8_t *to)
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

/* Read a row for JPEG 2000. Inks are inverted, because in JPEG 2000 0 stands for no ink; other rows do not change. */
static bool read_for_j2k(struct rows_in *in, uint8_t *to)
{
    if (!in->format->rows->next(in->file, to, &in->problem))
        return false;
    if (in->whole.image.format == KST_FORMAT_CMYK)
        samples_invert(to, row_samples(in), in->depth);
    return true;
}

static bool read_band(void *user, uint32_t plane, uint32_t y, uint32_t rows, void *samples, size_t pitch)
{
    struct rows_in *in = user;
    bool good = true;
    (void)plane;
    (void)y; /* each row is requested once, from the top */

    for (uint32_t i = 0; i < rows && good; i++)
        good = (becomes_jpeg(in->settings) ? read_for_jpeg : read_for_j2k)(in, (uint8_t *)samples + i * pitch);
    return good;
}

static bool read_one(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    (void)x;
    (void)count; /* whole rows are requested, in order */
    return read_band(user, plane, y, 1, samples, 0);
}

/* Restart at the first row. The metadata are already known. */
static bool begin_again(void *user)
{
    struct rows_in *in = user;
    struct problem ended;
    struct picture known;

    in->format->rows->end(in->file, false, &ended);
    picture_init(&known);
    in->file = in->format->rows->begin(in->source, in->settings, &known);
    picture_release(&known);
    return in->file != NULL || problem_set(&in->problem, "it cannot be read a second time");
}

static bool make_room(struct rows_in *in)
{
    bool changes = becomes_jpeg(in->settings) && in->depth != 8;

    in->row = changes ? malloc(row_samples(in) * 2) : NULL;
    return !changes || in->row != NULL;
}

/* Describe the picture as it is encoded, which may differ from the picture in the file. */
static bool describe(struct rows_in *in)
{
    const struct file_settings *settings = in->settings;
    kst_image *image = &in->whole.image;
    uint32_t width = image->width, height = image->height;
    struct problem told_later;

    in->depth = picture_depth(&in->whole);
    image->plane_count = 1;
    image->plane[0] =
        (kst_plane){.width = width, .height = height, .depth = (uint8_t)(becomes_jpeg(settings) ? 8 : in->depth)};
    if (width == 0 || height == 0 || width > UINT32_MAX / 16 || height > UINT32_MAX / 16 ||
        !picture_permitted(settings, width, height, 0, &told_later) ||
        !memory_permitted(settings, row_samples(in) * 2, &told_later))
        return false;
    uint64_t bytes = (uint64_t)row_samples(in) * height * (in->depth > 8 ? 2 : 1);
    return (becomes_jpeg(settings) || rows_are_better(settings, bytes)) && make_room(in);
}

static bool is_suitable(const struct file_format *format, const struct file_settings *settings)
{
    return (becomes_jpeg(settings) || becomes_j2k(settings)) && settings->raw.width == 0 && format != NULL &&
           format->rows != NULL;
}

bool rows_in_expect(struct source *source, const struct file_settings *settings)
{
    const struct file_format *format = file_format_of(source);

    source->once = is_suitable(format, settings);
    return source->once && source->regular && !format->rows->complete;
}

bool rows_in_open(struct rows_in *in, const struct source *source, const struct file_settings *settings)
{
    *in = (struct rows_in){.source = source, .format = file_format_of(source), .settings = settings};
    picture_init(&in->whole);
    if (!is_suitable(in->format, settings))
        return false;
    in->file = in->format->rows->begin(source, settings, &in->whole);
    if (in->file != NULL && describe(in))
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

static bool encode_rows(struct rows_in *in, struct output *output, struct problem *problem)
{
    const struct file_settings *settings = in->settings;
    const kst_rows rows = {.size = sizeof rows,
        .read = read_one,
        .user = in,
        .in_order = true,
        .read_band = read_band,
        .again = begin_again};
    kst_encode_options options;
    kst_j2k_options j2k;

    if (becomes_jpeg(settings))
        return jpeg_encode(output, &in->whole, &rows, settings->encode, settings, problem);
    j2k_choose_options(settings, settings->target, &options, &j2k);
    return jpeg_encode(output, &in->whole, &rows, &options, settings, problem);
}

/* Encode the rows, and read what follows them in the file. */
static bool encode(struct rows_in *in, struct output *output, struct problem *problem)
{
    in->problem.text[0] = '\0';
    bool good = encode_rows(in, output, problem);
    if (in->problem.text[0] != '\0')
        *problem = in->problem;
    void *file = in->file;
    in->file = NULL;
    return file != NULL && in->format->rows->end(file, good, problem);
}

bool rows_in_encode(struct rows_in *in, const char *path, struct problem *problem)
{
    const struct file_settings *settings = in->settings;
    struct output output;

    if (!options_suit(settings->given, file_kind(settings->target), in->format, problem) ||
        !output_open(&output, path, problem))
        return false;
    bool good = encode(in, &output, problem) && output_commit(&output, problem);
    if (!good)
        output_discard(&output);
    else if (in->transparent)
        complain(in->source->name, "warning: its transparency is dropped, for JPEG has none");
    return good;
}
