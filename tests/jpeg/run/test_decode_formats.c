/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares pixel formats with libjpeg and each other; checks the caller's buffers, and orientation. */
#include <stdlib.h>
#include <string.h>

#include "image/format.h"
#include "support/jpeg/reference.h"
#include "support/machines.h"
#include "support/pixels.h"
#include "support/test.h"

static const struct recipe pictures[] = {
    {.width = 227, .height = 149, .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {2, 1, 1}},
    {.width = 300, .height = 251, .colour = KST_COLOUR_YCBCR, .h = {1, 2, 1}, .v = {2, 1, 1}},
    {.width = 513, .height = 130, .colour = KST_COLOUR_YCBCR, .h = {3, 2, 1}, .v = {1, 1, 1}},
    {.width = 227, .height = 149, .colour = KST_COLOUR_RGB},
    {.width = 227, .height = 149, .colour = KST_COLOUR_GREY},
    {.width = 227, .height = 149, .colour = KST_COLOUR_CMYK},
    {.width = 300, .height = 251, .colour = KST_COLOUR_YCCK, .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}},
    {.width = 5, .height = 3, .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {1, 1, 1}},
    {.width = 1, .height = 1, .colour = KST_COLOUR_YCCK},
};

static kst_decode_options options_for(kst_format format, uint32_t reduce)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = format;
    options.reduce = reduce;
    return options;
}

static bool is_ink(kst_colour colour)
{
    return colour == KST_COLOUR_CMYK || colour == KST_COLOUR_YCCK;
}

/* Red, green and blue of a pixel in any of the formats that have them. */
static void rgb_of(const kst_image *image, uint32_t x, uint32_t y, uint8_t rgb[3])
{
    const uint8_t *p = image_at(image, 0, x, y);
    for (uint32_t c = 0; c < 3; c++)
        rgb[c] = p[kst_pixel_place(kst_pixel_layout(image->format), c)];
}

static void expect_rgb(const kst_image *image, const struct libjpeg_picture *expected, uint8_t alpha)
{
    assert_int_equal(image->colour, KST_COLOUR_RGB);
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            uint8_t rgb[3];
            rgb_of(image, x, y, rgb);
            if (memcmp(rgb, expected->pixels + ((size_t)y * image->width + x) * 3, 3) != 0)
                fail_msg("format %d at %u, %u", (int)image->format, x, y);
            if (pixel_bytes(image) == 4)
                assert_int_equal(image_at(image, 0, x, y)[kst_pixel_place(kst_pixel_layout(image->format), 3)], alpha);
        }
    }
}

/* Return libjpeg's result or, if it does not convert (inks to RGB) or resample, that of the reference. */
static void expected_picture(const struct recipe *recipe, const struct stream *stream, kst_format format,
    uint32_t reduce, struct libjpeg_picture *picture)
{
    struct libjpeg_planes planes;
    if (libjpeg_decode(stream->data, stream->length, format, reduce, picture))
        return;
    assert_true(libjpeg_decode_planes(stream->data, stream->length, reduce, &planes));
    reference_picture(&planes, recipe->colour, format, picture);
    libjpeg_planes_release(&planes);
}

static void colours_with_red(void **state)
{
    uint32_t turn = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t reduce = 0; reduce <= 3; reduce++) {
            struct libjpeg_picture expected;
            expected_picture(&pictures[i], &stream, KST_FORMAT_RGB, reduce, &expected);
            for (kst_format format = KST_FORMAT_RGB; kst_format_is_known(format); format++) {
                for (uint32_t j = machines_first(turn++);
                     j < contexts.count && kst_pixel_is_rgb(kst_pixel_layout(format)); j += MACHINES_APART) {
                    kst_decode_options options = options_for(format, reduce);
                    options.alpha = (uint8_t)(77 + i);
                    kst_image image = decode_image(contexts.context[j], &stream, &options);
                    expect_rgb(&image, &expected, options.alpha);
                    kst_image_release(contexts.context[j], &image);
                }
            }
            libjpeg_picture_release(&expected);
        }
        free(stream.data);
    }
}

static void grey(void **state)
{
    uint32_t turn = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t reduce = 0; reduce <= 3 && !is_ink(pictures[i].colour); reduce++) {
            struct libjpeg_picture expected;
            expected_picture(&pictures[i], &stream, KST_FORMAT_GREY, reduce, &expected);
            for (uint32_t j = machines_first(turn++); j < contexts.count; j += MACHINES_APART) {
                kst_decode_options options = options_for(KST_FORMAT_GREY, reduce);
                kst_image image = decode_image(contexts.context[j], &stream, &options);
                assert_int_equal(image.colour, KST_COLOUR_GREY);
                for (uint32_t y = 0; y < image.height; y++)
                    assert_memory_equal(
                        image_at(&image, 0, 0, y), expected.pixels + (size_t)y * expected.width, expected.width);
                kst_image_release(contexts.context[j], &image);
            }
            libjpeg_picture_release(&expected);
        }
        free(stream.data);
    }
}

/* The planes of PLANAR are the channels of the natural format. */
static void planar(void **state)
{
    uint32_t turn = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t j = machines_first(turn++); j < contexts.count; j += MACHINES_APART) {
            kst_decode_options options = options_for(KST_FORMAT_AUTO, i % 4);
            kst_image whole = decode_image(contexts.context[j], &stream, &options);
            options.format = KST_FORMAT_PLANAR;
            kst_image image = decode_image(contexts.context[j], &stream, &options);
            uint32_t channels = pixel_bytes(&whole);
            assert_int_equal(image.plane_count, channels);
            assert_int_equal(image.colour, whole.colour);
            for (uint32_t c = 0; c < channels; c++)
                for (uint32_t y = 0; y < whole.height; y++)
                    for (uint32_t x = 0; x < whole.width; x++)
                        assert_int_equal(*image_at(&image, c, x, y), image_at(&whole, 0, x, y)[c]);
            kst_image_release(contexts.context[j], &image);
            kst_image_release(contexts.context[j], &whole);
        }
        free(stream.data);
    }
}

/* RAW is what jpeg_read_raw_data() gives, but for components that libjpeg reduces by less. */
static void raw(void **state)
{
    uint32_t turn = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t reduce = 0; reduce <= 3; reduce++) {
            struct libjpeg_planes planes;
            assert_true(libjpeg_decode_planes(stream.data, stream.length, reduce, &planes));
            for (uint32_t j = machines_first(turn++); j < contexts.count; j += MACHINES_APART) {
                kst_decode_options options = options_for(KST_FORMAT_RAW, reduce);
                kst_image image = decode_image(contexts.context[j], &stream, &options);
                assert_int_equal(image.plane_count, planes.components);
                assert_int_equal(image.colour, pictures[i].colour);
                for (uint32_t c = 0; c < planes.components; c++) {
                    if (planes.block[c] != 8U >> reduce)
                        continue;
                    assert_int_equal(image.plane[c].width, planes.width[c]);
                    assert_int_equal(image.plane[c].height, planes.height[c]);
                    for (uint32_t y = 0; y < planes.height[c]; y++)
                        assert_memory_equal(
                            image_at(&image, c, 0, y), planes.plane[c] + (size_t)y * planes.pitch[c], planes.width[c]);
                }
                kst_image_release(contexts.context[j], &image);
            }
            libjpeg_planes_release(&planes);
        }
        free(stream.data);
    }
}

static void impossible_conversions(void **state)
{
    static const kst_format wrong[][3] = {
        [KST_COLOUR_GREY] = {KST_FORMAT_CMYK},
        [KST_COLOUR_RGB] = {KST_FORMAT_CMYK},
        [KST_COLOUR_YCBCR] = {KST_FORMAT_CMYK},
        [KST_COLOUR_CMYK] = {KST_FORMAT_GREY},
        [KST_COLOUR_YCCK] = {KST_FORMAT_GREY},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (uint32_t j = 0; wrong[pictures[i].colour][j] != KST_FORMAT_AUTO; j++) {
            kst_decode_options options = options_for(wrong[pictures[i].colour][j], 0);
            kst_image image;
            kst_image_init(&image);
            assert_int_equal(kst_decode(contexts.context[0], stream.data, stream.length, &options, &image, NULL),
                KST_ERROR_JPEG_COLOUR);
        }
        free(stream.data);
    }
}

enum { GUARD = 200 };

/* A buffer around an image of the caller's, so that whatever is written elsewhere shows. */
struct guarded {
    kst_image image;
    uint8_t *memory[4];
    size_t length[4];
};

static void guard_image(const kst_image *described, uint32_t padding, bool upside_down, struct guarded *guarded)
{
    guarded->image = *described;
    for (uint32_t i = 0; i < described->plane_count; i++) {
        kst_plane *plane = &guarded->image.plane[i];
        size_t row = (size_t)plane->width * pixel_bytes(described), pitch = row + padding;
        guarded->length[i] = pitch * plane->height + 2 * GUARD;
        guarded->memory[i] = malloc(guarded->length[i]);
        assert_non_null(guarded->memory[i]);
        memset(guarded->memory[i], 0xA5, guarded->length[i]);
        plane->data = guarded->memory[i] + GUARD + (upside_down ? pitch * (plane->height - 1) : 0);
        plane->pitch = upside_down ? -(ptrdiff_t)pitch : (ptrdiff_t)pitch;
    }
}

/* All bytes that are no pixels must be as they were; frees the buffer. */
static void check_guards(struct guarded *guarded)
{
    for (uint32_t i = 0; i < guarded->image.plane_count; i++) {
        const kst_plane *plane = &guarded->image.plane[i];
        size_t row = (size_t)plane->width * pixel_bytes(&guarded->image);
        for (uint32_t y = 0; y < plane->height; y++)
            memset((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, 0xA5, row);
        for (size_t j = 0; j < guarded->length[i]; j++)
            if (guarded->memory[i][j] != 0xA5)
                fail_msg("format %d: byte %zu of plane %u was written", (int)guarded->image.format, j, i);
        free(guarded->memory[i]);
    }
}

static void decode_guarded(kst_context *context, const struct stream *stream, const kst_decode_options *options,
    uint32_t padding, bool upside_down)
{
    kst_decoder *decoder;
    kst_image described;
    struct guarded guarded;
    kst_image expected = decode_image(context, stream, options);
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    assert_int_equal(kst_decoder_describe(decoder, options, &described), KST_OK);
    for (uint32_t i = 0; i < described.plane_count; i++) {
        assert_null(described.plane[i].data);
        assert_int_equal(
            described.plane[i].pitch, (ptrdiff_t)described.plane[i].width * (ptrdiff_t)pixel_bytes(&described));
    }
    guard_image(&described, padding, upside_down, &guarded);
    assert_int_equal(kst_decoder_decode(decoder, options, &guarded.image), KST_OK);
    assert_true(same_picture(&guarded.image, &expected));
    check_guards(&guarded);
    kst_decoder_destroy(&decoder);
    kst_image_release(context, &expected);
}

static void callers_buffers(void **state)
{
    static const kst_region region[] = {{0}, {3, 2, 1, 1}, {1, 1, 64, 33}, {17, 16, 100, 90}};
    (void)state;
    for (uint32_t i = 0; i + 2 < COUNT(pictures); i++) {
        struct stream stream = make_stream(&pictures[i]);
        for (kst_format format = KST_FORMAT_GREY; format <= KST_FORMAT_RAW; format++) {
            if (is_ink(pictures[i].colour) ? format == KST_FORMAT_GREY : format == KST_FORMAT_CMYK)
                continue;
            for (uint32_t j = 0; j < contexts.count; j++) {
                for (uint32_t k = 0; k < COUNT(region); k++) {
                    kst_decode_options options = options_for(format, 0);
                    if (fewer_cases() && (i + j + k) % 4 != 0)
                        continue;
                    options.region = region[k];
                    decode_guarded(contexts.context[j], &stream, &options, (i + k) % 3 * 13, (j + k) % 2);
                    options.reduce = 1 + k % 3;
                    if (k < 2)
                        decode_guarded(contexts.context[j], &stream, &options, j, k % 2);
                }
            }
        }
        free(stream.data);
    }
}

static void check_turned(const kst_image *turned, const kst_image *stored, int orientation)
{
    bool swap = orientation >= 5;
    assert_int_equal(turned->width, swap ? stored->height : stored->width);
    assert_int_equal(turned->height, swap ? stored->width : stored->height);
    for (uint32_t i = 0; i < turned->plane_count; i++) {
        for (uint32_t y = 0; y < turned->height; y++) {
            for (uint32_t x = 0; x < turned->width; x++) {
                uint32_t a = swap ? y : x, b = swap ? x : y; /* along the stored row, and column */
                bool right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
                bool bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
                a = right ? stored->width - 1 - a : a;
                b = bottom ? stored->height - 1 - b : b;
                assert_memory_equal(image_at(turned, i, x, y), image_at(stored, i, a, b), pixel_bytes(turned));
            }
        }
    }
}

static void orientations(void **state)
{
    (void)state;
    for (uint8_t orientation = 1; orientation <= 8; orientation++) {
        uint8_t exif[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0,
            orientation, 0, 0, 0, 0, 0, 0};
        const kst_metadata metadata = {.kind = KST_METADATA_APP, .marker = 0xE1, .data = exif, .length = sizeof exif};
        struct recipe recipe = {.width = 61,
            .height = 37,
            .colour = KST_COLOUR_YCBCR,
            .h = {2, 1, 1},
            .v = {2, 1, 1},
            .metadata = &metadata,
            .metadata_count = 1};
        struct stream stream = make_stream(&recipe);
        for (kst_format format = KST_FORMAT_AUTO; format <= KST_FORMAT_PLANAR; format++) {
            kst_context *context = contexts.context[orientation % contexts.count];
            kst_decode_options options = options_for(format, orientation % 4);
            if (format == KST_FORMAT_CMYK)
                continue;
            if (orientation % 3 == 0)
                options.region = (kst_region){2, 1, 5, 3};
            kst_image stored = decode_image(context, &stream, &options);
            options.orient = true;
            kst_image turned = decode_image(context, &stream, &options);
            check_turned(&turned, &stored, orientation);
            decode_guarded(context, &stream, &options, 7, orientation % 2);
            kst_image_release(context, &stored);
            kst_image_release(context, &turned);
        }
        free(stream.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_with_red),
        cmocka_unit_test(grey),
        cmocka_unit_test(planar),
        cmocka_unit_test(raw),
        cmocka_unit_test(impossible_conversions),
        cmocka_unit_test(callers_buffers),
        cmocka_unit_test(orientations),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
