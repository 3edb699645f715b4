/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a volume in several ways, and compares what they give. */
#include "volume_compared.h"

#include <string.h>

enum { MOST = 1 << 22 /* samples of a volume that is decoded */ };

static kst_volume_decode_options read_options(struct fuzz_input *input)
{
    kst_volume_decode_options options;
    kst_volume_decode_options_init(&options);
    options.reduce = fuzz_take(input, 4);
    options.reduce_z = fuzz_take(input, 4);
    options.layers = fuzz_take(input, 3);
    options.strict = fuzz_take(input, 8) == 7;
    return options;
}

static uint32_t bytes_of(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

/* Check that `part` equals `whole` from the box's origin on. */
static void check_part(const kst_volume *part, const kst_volume *whole, const kst_box *box)
{
    const size_t bytes = bytes_of(part), row = part->width * bytes;
    fuzz_check(part->bits == whole->bits && part->is_signed == whole->is_signed, "types agree");
    for (uint32_t z = 0; z < part->depth; z++)
        for (uint32_t y = 0; y < part->height; y++)
            fuzz_check(memcmp((const uint8_t *)part->data + z * part->slice_pitch + y * part->pitch,
                           (const uint8_t *)whole->data + (box->z + z) * whole->slice_pitch +
                               (box->y + y) * whole->pitch + box->x * bytes,
                           row) == 0,
                "samples agree");
}

static void check_box(const uint8_t *data, size_t length, const kst_volume *whole, kst_volume_decode_options *options,
    struct fuzz_input *input)
{
    kst_box *box = &options->region;
    kst_volume part;
    kst_volume_init(&part);
    box->x = fuzz_take(input, 40) % whole->width;
    box->y = fuzz_take(input, 40) % whole->height;
    box->z = fuzz_take(input, 40) % whole->depth;
    box->width = 1 + fuzz_take(input, 60) % (whole->width - box->x);
    box->height = 1 + fuzz_take(input, 60) % (whole->height - box->y);
    box->depth = 1 + fuzz_take(input, 60) % (whole->depth - box->z);
    if (!kst_decode_volume(fuzz_plain(), data, length, options, &part, NULL))
        check_part(&part, whole, box);
    kst_volume_release(fuzz_plain(), &part);
}

static int32_t sample_at(const uint8_t *row, uint32_t x, uint32_t bytes, bool is_signed)
{
    const uint16_t *half = (const uint16_t *)(const void *)row;
    const int32_t *word = (const int32_t *)(const void *)row;
    if (bytes == 4)
        return word[x];
    if (bytes == 2)
        return is_signed ? (int16_t)half[x] : half[x];
    return is_signed ? (int8_t)row[x] : row[x];
}

/* Check that the planes of a picture have the samples of a whole volume's slices. */
static void check_planes(const kst_image *image, const kst_volume *volume)
{
    fuzz_check(image->plane_count == volume->depth, "there is a plane for each slice");
    for (uint32_t z = 0; z < volume->depth; z++) {
        const kst_plane *plane = kst_image_plane(image, z);
        const uint32_t bytes = plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
        fuzz_check(plane->width == volume->width && plane->height == volume->height, "sizes agree");
        for (uint32_t y = 0; y < volume->height; y++) {
            const uint8_t *a = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
            const uint8_t *b = (const uint8_t *)volume->data + z * volume->slice_pitch + y * volume->pitch;
            for (uint32_t x = 0; x < volume->width; x++)
                fuzz_check(
                    sample_at(a, x, bytes, plane->is_signed) == sample_at(b, x, bytes_of(volume), volume->is_signed),
                    "a picture's samples agree with the volume's");
        }
    }
}

static void check_picture(
    const uint8_t *data, size_t length, const kst_volume *volume, const kst_volume_decode_options *options)
{
    kst_decode_options as_picture;
    kst_image image;
    kst_decode_options_init(&as_picture);
    kst_image_init(&image);
    as_picture.format = KST_FORMAT_RAW;
    as_picture.reduce = options->reduce;
    as_picture.layers = options->layers;
    as_picture.strict = options->strict;
    const kst_status status = kst_decode(fuzz_fast(), data, length, &as_picture, &image, NULL);
    fuzz_check(!status || fuzz_ran_out(status, status), "a volume is a picture, too");
    if (!status)
        check_planes(&image, volume);
    kst_image_release(fuzz_fast(), &image);
}

static void decode(const uint8_t *data, size_t length, kst_volume_decode_options *options, struct fuzz_input *input)
{
    const kst_box all = {0};
    kst_volume plain, fast;
    kst_report plain_report, fast_report;
    kst_volume_init(&plain);
    kst_volume_init(&fast);
    kst_report_init(&plain_report);
    kst_report_init(&fast_report);
    kst_status a = kst_decode_volume(fuzz_plain(), data, length, options, &plain, &plain_report);
    kst_status b = kst_decode_volume(fuzz_fast(), data, length, options, &fast, &fast_report);
    if (!fuzz_ran_out(a, b)) {
        fuzz_check(a == plain_report.status && a == b, "the reported status is the one returned");
        fuzz_check_same_report(&plain_report, &fast_report);
        if (!a)
            check_part(&fast, &plain, &all);
    }
    if (!a && plain_report.warnings == 0 && options->reduce_z == 0)
        check_picture(data, length, &plain, options);
    if (!a && plain_report.warnings == 0)
        check_box(data, length, &plain, options, input);
    kst_volume_release(fuzz_plain(), &plain);
    kst_volume_release(fuzz_fast(), &fast);
}

void volume_compared(const uint8_t *data, size_t length, struct fuzz_input *input)
{
    kst_volume_decode_options options = read_options(input);
    kst_volume_info info = {.size = sizeof info};
    kst_volume described;
    kst_volume_init(&described);
    if (kst_describe_volume(fuzz_plain(), data, length, NULL, NULL, &info, NULL))
        return;
    options.reduce %= info.levels + 1;
    options.reduce_z %= info.z_levels + 1;
    if (kst_describe_volume(fuzz_plain(), data, length, &options, &described, NULL, NULL))
        return;
    fuzz_check(described.width <= info.width && described.height <= info.height, "no slice is enlarged");
    fuzz_check(described.depth >= 1 && described.depth <= info.depth && info.depth <= 16384, "there are slices");
    fuzz_check(described.bits >= 1 && described.bits <= 31 && info.z_levels <= 32, "the type");
    if ((uint64_t)described.width * described.height * info.depth <= MOST)
        decode(data, length, &options, input);
}
