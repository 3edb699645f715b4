/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files of kst_encode() against libjpeg's, byte for byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/jpeg/libjpeg_encode.h"
#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

/* A picture of gradients, edges and noise: flat and busy blocks, long and short runs. */
static void paint(uint8_t *to, size_t pitch, uint32_t width, uint32_t height, uint32_t channels, uint32_t seed)
{
    uint32_t random = seed * 2654435761U + 12345;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                random = random * 1664525 + 1013904223;
                uint32_t area = (x / 40 + y / 24 + seed) % 4;
                uint32_t value = (x * (3 + c) + y * (5 - c) / 2) & 255;
                if (area == 1)
                    value = (random >> 24) & 255;
                else if (area == 2)
                    value = ((x ^ y) & 8) ? 250 : 5;
                else if (area == 3)
                    value = 128 + ((random >> 28) & 3);
                to[y * pitch + (size_t)x * channels + c] = (uint8_t)value;
            }
        }
    }
}

struct picture {
    kst_image image;
    uint8_t *memory;
};

static void picture_make(struct picture *picture, kst_format format, uint32_t width, uint32_t height, uint32_t planes)
{
    uint32_t channels = kst_format_channels(format);
    kst_image_init(&picture->image);
    if (channels > 0) {
        size_t pitch = (size_t)width * channels + 5;
        picture->memory = malloc(pitch * height);
        paint(picture->memory, pitch, width, height, channels, width + height);
        assert_int_equal(
            kst_image_wrap(&picture->image, format, width, height, picture->memory, (ptrdiff_t)pitch), KST_OK);
        return;
    }
    picture->memory = malloc((size_t)width * height * planes + 1);
    picture->image.format = format;
    picture->image.width = width;
    picture->image.height = height;
    picture->image.plane_count = planes;
    for (uint32_t p = 0; p < planes; p++) {
        uint8_t *data = picture->memory + (size_t)width * height * p;
        paint(data, width, width, height, 1, width + p);
        picture->image.plane[p] =
            (kst_plane){.data = data, .pitch = (ptrdiff_t)width, .width = width, .height = height};
    }
}

/* The planes of a raw picture with these factors, cut from full-size ones. */
static void picture_make_raw(
    struct picture *picture, uint32_t width, uint32_t height, uint32_t planes, const uint8_t *h, const uint8_t *v)
{
    uint32_t hmax = 1, vmax = 1;
    picture_make(picture, KST_FORMAT_RAW, width, height, planes);
    for (uint32_t p = 0; p < planes; p++) {
        hmax = h[p] > hmax ? h[p] : hmax;
        vmax = v[p] > vmax ? v[p] : vmax;
    }
    for (uint32_t p = 0; p < planes; p++) {
        picture->image.plane[p].width = (width * h[p] + hmax - 1) / hmax;
        picture->image.plane[p].height = (height * v[p] + vmax - 1) / vmax;
    }
}

enum { GPUS_APART = 5 };

static unsigned long compared;

static void show(const kst_image *image, const kst_encode_options *o, uint32_t which)
{
    print_error(
        "format %d, %u×%u, colour %d, sampling %d (%d%d %d%d %d%d), quality %d, coding %d, restart %d %u, context %u\n",
        (int)image->format, image->width, image->height, (int)o->colour, (int)o->subsampling, o->h[0], o->v[0], o->h[1],
        o->v[1], o->h[2], o->v[2], o->quality, (int)o->coding, (int)o->restart.unit, o->restart.interval, which);
}

/* GPUs are among the machines of one check in five: gpu_jpeg_encode compares them with the CPU. */
static void check_now(const kst_image *image, const kst_encode_options *o, uint32_t turn)
{
    unsigned char *expected;
    unsigned long length;
    const uint32_t count = turn % GPUS_APART == 0 ? contexts.count : contexts.cpu_count;
    if (!libjpeg_encode(image, o, &expected, &length)) {
        show(image, o, 0);
        fail_msg("libjpeg refuses");
    }
    for (uint32_t i = machines_first(turn); i < count; i += MACHINES_APART) {
        kst_buffer output = {0};
        kst_report report;
        kst_report_init(&report);
        kst_status status = kst_encode(contexts.context[i], image, o, &output, &report);
        if (status || output.length != length || memcmp(output.data, expected, length) != 0) {
            show(image, o, i);
            fail_msg("%s: %zu bytes, libjpeg %lu", report.message, output.length, length);
        }
        kst_buffer_release(contexts.context[i], &output);
        compared++;
    }
    free(expected);
}

/*
 * With fewer cases one check in two is made, with sanitizers one in five: they find what code does and not what samples
 * come to.
 */
static void check(const kst_image *image, const kst_encode_options *o)
{
    static uint32_t turn;
    const uint32_t number = turn++;
    if (!fewer_cases() || spread_below(number, SANITIZED ? 5 : 2) == 0)
        check_now(image, o, number);
}

static kst_encode_options defaults(void)
{
    kst_encode_options o;
    kst_encode_options_init(&o);
    return o;
}

static const uint32_t sizes[][2] = {{1, 1}, {1, 37}, {41, 1}, {7, 9}, {8, 8}, {15, 17}, {16, 16}, {17, 33}, {33, 17},
    {64, 3}, {100, 75}, {129, 66}, {320, 240}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void sizes_and_samplings(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < SIZES; s++) {
        struct picture picture;
        picture_make(&picture, KST_FORMAT_RGB, sizes[s][0], sizes[s][1], 0);
        for (int sampling = 0; sampling <= KST_SUBSAMPLING_410; sampling++) {
            for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
                kst_encode_options o = defaults();
                o.subsampling = (kst_subsampling)sampling;
                o.coding = (kst_coding)coding;
                check(&picture.image, &o);
                o.quality = 96;
                check(&picture.image, &o);
            }
        }
        free(picture.memory);
    }
}

static void qualities(void **state)
{
    (void)state;
    struct picture picture;
    picture_make(&picture, KST_FORMAT_RGB, 83, 61, 0);
    for (int quality = 1; quality <= 100; quality++) {
        kst_encode_options o = defaults();
        o.quality = quality;
        for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
            o.coding = (kst_coding)coding;
            check(&picture.image, &o);
        }
        o.wide_quantisers = true;
        check(&picture.image, &o);
    }
    free(picture.memory);
}

/* The fast transform, whose divisors are 1 and 2 where the quality is high. */
static void fast_transform(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < SIZES; s += 2) {
        struct picture picture;
        picture_make(&picture, s % 4 ? KST_FORMAT_CMYK : KST_FORMAT_RGB, sizes[s][0], sizes[s][1], 0);
        for (int quality = 100; quality > 0; quality -= quality > 90 ? 1 : 18) {
            kst_encode_options o = defaults();
            o.dct = KST_DCT_FAST;
            o.quality = quality;
            o.subsampling = (kst_subsampling)(quality % 5);
            o.coding = (kst_coding)(quality % 3);
            check(&picture.image, &o);
        }
        free(picture.memory);
    }
}

static void restarts(void **state)
{
    (void)state;
    static const kst_restart restart[] = {{KST_RESTART_MCUS, 1}, {KST_RESTART_MCUS, 2}, {KST_RESTART_MCUS, 5},
        {KST_RESTART_MCUS, 13}, {KST_RESTART_MCUS, 40}, {KST_RESTART_MCUS, 65535}, {KST_RESTART_ROWS, 1},
        {KST_RESTART_ROWS, 3}, {KST_RESTART_ROWS, 10000}};
    for (uint32_t s = 0; s < SIZES; s++) {
        struct picture picture;
        picture_make(&picture, KST_FORMAT_RGB, sizes[s][0], sizes[s][1], 0);
        for (uint32_t r = 0; r < sizeof restart / sizeof *restart; r++) {
            for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
                kst_encode_options o = defaults();
                o.restart = restart[r];
                o.coding = (kst_coding)coding;
                check(&picture.image, &o);
                o.subsampling = KST_SUBSAMPLING_444;
                check(&picture.image, &o);
            }
        }
        free(picture.memory);
    }
}

static void formats_and_colours(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        uint32_t planes;
        kst_colour colour;
    } input[] = {{KST_FORMAT_GREY, 0, 0}, {KST_FORMAT_RGB, 0, KST_COLOUR_GREY}, {KST_FORMAT_RGB, 0, KST_COLOUR_RGB},
        {KST_FORMAT_BGR, 0, 0}, {KST_FORMAT_BGR, 0, KST_COLOUR_GREY}, {KST_FORMAT_BGR, 0, KST_COLOUR_RGB},
        {KST_FORMAT_RGBA, 0, 0}, {KST_FORMAT_RGBA, 0, KST_COLOUR_GREY}, {KST_FORMAT_RGBA, 0, KST_COLOUR_RGB},
        {KST_FORMAT_BGRA, 0, 0}, {KST_FORMAT_BGRA, 0, KST_COLOUR_GREY}, {KST_FORMAT_BGRA, 0, KST_COLOUR_RGB},
        {KST_FORMAT_CMYK, 0, 0}, {KST_FORMAT_CMYK, 0, KST_COLOUR_YCCK}, {KST_FORMAT_PLANAR, 1, 0},
        {KST_FORMAT_PLANAR, 3, 0}, {KST_FORMAT_PLANAR, 3, KST_COLOUR_RGB}, {KST_FORMAT_PLANAR, 3, KST_COLOUR_GREY},
        {KST_FORMAT_PLANAR, 4, 0}, {KST_FORMAT_PLANAR, 4, KST_COLOUR_YCCK}};
    for (uint32_t i = 0; i < sizeof input / sizeof *input; i++) {
        for (uint32_t s = 0; s < SIZES; s++) {
            struct picture picture;
            picture_make(&picture, input[i].format, sizes[s][0], sizes[s][1], input[i].planes);
            for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
                kst_encode_options o = defaults();
                o.colour = input[i].colour;
                o.coding = (kst_coding)coding;
                if (o.colour == KST_COLOUR_YCCK)
                    o.subsampling = KST_SUBSAMPLING_422;
                check(&picture.image, &o);
            }
            free(picture.memory);
        }
    }
}

/* Samples that need no conversion any more. */
static void converted_samples(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        uint32_t planes;
        kst_colour given, coded;
    } input[] = {{KST_FORMAT_RGB, 0, KST_COLOUR_YCBCR, KST_COLOUR_UNKNOWN},
        {KST_FORMAT_PLANAR, 3, KST_COLOUR_YCBCR, KST_COLOUR_UNKNOWN},
        {KST_FORMAT_PLANAR, 3, KST_COLOUR_YCBCR, KST_COLOUR_GREY},
        {KST_FORMAT_CMYK, 0, KST_COLOUR_YCCK, KST_COLOUR_UNKNOWN},
        {KST_FORMAT_PLANAR, 4, KST_COLOUR_YCCK, KST_COLOUR_UNKNOWN}};
    for (uint32_t i = 0; i < sizeof input / sizeof *input; i++) {
        struct picture picture;
        picture_make(&picture, input[i].format, 77, 55, input[i].planes);
        picture.image.colour = input[i].given;
        kst_encode_options o = defaults();
        o.colour = input[i].coded;
        o.subsampling = KST_SUBSAMPLING_422;
        check(&picture.image, &o);
        free(picture.memory);
    }
}

static void odd_factors(void **state)
{
    (void)state;
    static const uint8_t factor[][6] = {{3, 1, 1, 1, 1, 1}, {1, 3, 1, 1, 1, 1}, {4, 2, 1, 1, 1, 1}, {2, 4, 1, 1, 1, 1},
        {1, 1, 2, 1, 1, 1}, {1, 1, 2, 2, 1, 1}, {2, 2, 2, 1, 1, 2}, {2, 2, 1, 2, 1, 1}, {2, 1, 2, 1, 2, 1},
        {1, 2, 1, 2, 1, 2}, {3, 2, 1, 2, 1, 1}, {4, 1, 2, 1, 1, 1}, {1, 4, 1, 2, 1, 1}, {1, 1, 4, 1, 2, 1}};
    for (uint32_t i = 0; i < sizeof factor / sizeof *factor; i++) {
        for (uint32_t s = 0; s < SIZES; s++) {
            struct picture picture;
            picture_make(&picture, KST_FORMAT_RGB, sizes[s][0], sizes[s][1], 0);
            for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
                kst_encode_options o = defaults();
                for (int c = 0; c < 3; c++) {
                    o.h[c] = factor[i][2 * c];
                    o.v[c] = factor[i][2 * c + 1];
                }
                o.coding = (kst_coding)coding;
                check(&picture.image, &o);
            }
            free(picture.memory);
        }
    }
    /* A single component's factors are written but mean nothing. */
    struct picture grey;
    picture_make(&grey, KST_FORMAT_GREY, 53, 47, 0);
    for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
        kst_encode_options o = defaults();
        o.h[0] = 2;
        o.v[0] = 3;
        o.coding = (kst_coding)coding;
        check(&grey.image, &o);
        o.restart = (kst_restart){KST_RESTART_ROWS, 1};
        check(&grey.image, &o);
    }
    free(grey.memory);
}

static void raw_components(void **state)
{
    (void)state;
    static const struct {
        uint32_t planes;
        uint8_t h[4], v[4];
        kst_colour colour;
    } input[] = {{1, {1}, {1}, 0}, {3, {2, 1, 1}, {2, 1, 1}, 0}, {3, {1, 1, 1}, {1, 1, 1}, 0},
        {3, {1, 1, 1}, {1, 1, 1}, KST_COLOUR_RGB}, {3, {4, 1, 1}, {1, 1, 1}, 0}, {3, {3, 2, 1}, {1, 1, 1}, 0},
        {3, {2, 1, 1}, {3, 2, 1}, 0}, {4, {1, 1, 1, 1}, {1, 1, 1, 1}, 0},
        {4, {2, 1, 1, 2}, {2, 1, 1, 2}, KST_COLOUR_YCCK}};
    for (uint32_t i = 0; i < sizeof input / sizeof *input; i++) {
        for (uint32_t s = 0; s < SIZES; s++) {
            struct picture picture;
            picture_make_raw(&picture, sizes[s][0], sizes[s][1], input[i].planes, input[i].h, input[i].v);
            picture.image.colour = input[i].colour;
            for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
                kst_encode_options o = defaults();
                memcpy(o.h, input[i].h, 4);
                memcpy(o.v, input[i].v, 4);
                o.colour = input[i].colour;
                o.coding = (kst_coding)coding;
                check(&picture.image, &o);
            }
            free(picture.memory);
        }
    }
}

static void scripts(void **state)
{
    (void)state;
    static const kst_scan progressive[] = {{1, {1}, 0, 0, 0, 0}, {2, {0, 2}, 0, 0, 0, 3}, {1, {0}, 1, 63, 0, 3},
        {1, {0}, 1, 20, 3, 2}, {1, {0}, 21, 63, 3, 2}, {1, {1}, 1, 1, 0, 0}, {1, {1}, 2, 63, 0, 0},
        {2, {0, 2}, 0, 0, 3, 2}, {1, {2}, 1, 63, 0, 0}, {1, {0}, 1, 63, 2, 1}, {1, {0}, 0, 0, 2, 1},
        {1, {2}, 0, 0, 2, 1}, {2, {0, 2}, 0, 0, 1, 0}, {1, {0}, 1, 63, 1, 0}};
    static const kst_scan separate[] = {{1, {0}, 0, 63, 0, 0}, {2, {1, 2}, 0, 63, 0, 0}};
    struct picture picture;
    picture_make(&picture, KST_FORMAT_RGB, 131, 77, 0);
    for (int sampling = 0; sampling <= KST_SUBSAMPLING_410; sampling++) {
        kst_encode_options o = defaults();
        o.subsampling = (kst_subsampling)sampling;
        o.coding = KST_CODING_PROGRESSIVE;
        o.script = progressive;
        o.script_length = sizeof progressive / sizeof *progressive;
        check(&picture.image, &o);
        o.restart = (kst_restart){KST_RESTART_ROWS, 1};
        check(&picture.image, &o);
        o.coding = KST_CODING_OPTIMIZED;
        o.script = separate;
        o.script_length = 2;
        check(&picture.image, &o);
        o.coding = KST_CODING_BASELINE;
        check(&picture.image, &o);
    }
    free(picture.memory);
}

static void tables(void **state)
{
    (void)state;
    uint16_t table[4][64];
    for (uint32_t i = 0; i < 256; i++)
        table[i / 64][i % 64] = (uint16_t)(1 + (i * 7 + i / 64 * 13) % 255);
    struct picture picture;
    picture_make(&picture, KST_FORMAT_RGB, 50, 70, 0);
    kst_encode_options o = defaults();
    o.quant_table[0] = table[0];
    check(&picture.image, &o);
    o.quant_table[1] = table[1];
    o.quant_table[2] = table[2];
    o.quant_index[2] = 2;
    check(&picture.image, &o);
    o.quant_table[3] = table[3];
    memcpy(o.quant_index, (const uint8_t[]){3, 3, 0, 0}, 4);
    check(&picture.image, &o);
    o.wide_quantisers = true;
    table[3][5] = 300;
    table[3][0] = 4000;
    check(&picture.image, &o);
    o.coding = KST_CODING_PROGRESSIVE;
    check(&picture.image, &o);
    free(picture.memory);
}

static void metadata(void **state)
{
    (void)state;
    uint8_t *bytes = malloc(200000);
    for (uint32_t i = 0; i < 200000; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    const kst_metadata items[] = {{.kind = KST_METADATA_ICC, .data = bytes, .length = 65519 * 2},
        {.kind = KST_METADATA_COMMENT, .data = bytes + 9, .length = 12},
        {.kind = KST_METADATA_APP, .marker = 0xE5, .data = bytes, .length = 65533},
        {.kind = KST_METADATA_COMMENT, .data = NULL, .length = 0},
        {.kind = KST_METADATA_ICC, .data = bytes, .length = 65520}};
    struct picture picture;
    picture_make(&picture, KST_FORMAT_RGB, 20, 20, 0);
    kst_encode_options o = defaults();
    o.metadata = items;
    o.metadata_count = 5;
    o.density_unit = KST_DENSITY_INCH;
    o.density_x = 300;
    o.density_y = 299;
    check(&picture.image, &o);
    o.colour = KST_COLOUR_RGB;
    check(&picture.image, &o);
    free(picture.memory);
    free(bytes);
}

static uint32_t draw(uint32_t *random, uint32_t count)
{
    *random = *random * 1664525 + 1013904223;
    return (*random >> 10) % count;
}

/* Factors whose MCU is small enough and that divide the largest. */
static bool factors_usable(const kst_encode_options *o)
{
    uint32_t hmax = 0, vmax = 0, blocks = 0;
    for (int c = 0; c < 3; c++) {
        hmax = o->h[c] > hmax ? o->h[c] : hmax;
        vmax = o->v[c] > vmax ? o->v[c] : vmax;
        blocks += (uint32_t)o->h[c] * o->v[c];
    }
    for (int c = 0; c < 3; c++)
        blocks += hmax % o->h[c] != 0 || vmax % o->v[c] != 0 ? 100 : 0;
    return blocks <= 10;
}

/* Use combinations that no other test thinks of. */
static void drawn_options(void **state)
{
    (void)state;
    static const kst_format format[] = {KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA};
    static const kst_colour colour[] = {KST_COLOUR_UNKNOWN, KST_COLOUR_YCBCR, KST_COLOUR_RGB, KST_COLOUR_GREY};
    uint32_t random = 2024;
    for (uint32_t i = 0; i < 400; i++) {
        struct picture picture;
        kst_encode_options o = defaults();
        picture_make(&picture, format[draw(&random, 4)], 1 + draw(&random, 300), 1 + draw(&random, 200), 0);
        o.quality = 1 + (int)draw(&random, 100);
        o.colour = colour[draw(&random, 4)];
        o.coding = (kst_coding)draw(&random, 3);
        o.wide_quantisers = draw(&random, 4) == 0;
        o.restart.unit = (kst_restart_unit)draw(&random, 3);
        o.restart.interval = draw(&random, 50);
        do {
            for (int c = 0; c < 3; c++) {
                o.h[c] = (uint8_t)(1 + draw(&random, 4));
                o.v[c] = (uint8_t)(1 + draw(&random, 4));
            }
        } while (!factors_usable(&o));
        check(&picture.image, &o);
        free(picture.memory);
    }
}

/* Exif and XMP are APP1 segments with an identifier in front. */
static void identified_metadata(void **state)
{
    (void)state;
    static const uint8_t exif[] = "Exif\0\0II*\0", xmp[] = "http://ns.adobe.com/xap/1.0/\0<x/>";
    const kst_metadata plain[] = {{.kind = KST_METADATA_EXIF, .data = exif + 6, .length = 4},
        {.kind = KST_METADATA_XMP, .data = xmp + 29, .length = 4}};
    const kst_metadata whole[] = {{.kind = KST_METADATA_APP, .marker = 0xE1, .data = exif, .length = 10},
        {.kind = KST_METADATA_APP, .marker = 0xE1, .data = xmp, .length = 33}};
    struct picture picture;
    kst_buffer a = {0}, b = {0};
    picture_make(&picture, KST_FORMAT_GREY, 20, 20, 0);
    kst_encode_options o = defaults();
    o.metadata_count = 2;
    o.metadata = whole;
    check(&picture.image, &o);
    assert_int_equal(kst_encode(contexts.context[0], &picture.image, &o, &a, NULL), KST_OK);
    o.metadata = plain;
    assert_int_equal(kst_encode(contexts.context[0], &picture.image, &o, &b, NULL), KST_OK);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, a.length);
    kst_buffer_release(contexts.context[0], &a);
    kst_buffer_release(contexts.context[0], &b);
    free(picture.memory);
}

/* Enough MCU rows for every thread, and enough correction bits and end-of-band runs for their limits. */
static void larger_pictures(void **state)
{
    (void)state;
    struct picture picture;
    picture_make(&picture, KST_FORMAT_RGB, 1000, 733, 0);
    for (int sampling = 0; sampling <= KST_SUBSAMPLING_440; sampling++) {
        for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
            kst_encode_options o = defaults();
            o.subsampling = (kst_subsampling)sampling;
            o.coding = (kst_coding)coding;
            o.quality = 90;
            check(&picture.image, &o);
            o.restart = (kst_restart){KST_RESTART_MCUS, 17};
            check(&picture.image, &o);
        }
    }
    memset(picture.memory, 77, (size_t)1000 * 3 * 700);
    kst_encode_options o = defaults();
    o.coding = KST_CODING_PROGRESSIVE;
    check(&picture.image, &o);
    o.quality = 100;
    check(&picture.image, &o);
    free(picture.memory);
    picture_make(&picture, KST_FORMAT_GREY, 2100, 1100, 0);
    memset(picture.memory, 9, (size_t)2100 * 1100);
    check_now(&picture.image, &o, 0); /* with the longest runs of end-of-band */
    free(picture.memory);
}

/* libjpeg's longest sides. */
static void long_sides(void **state)
{
    (void)state;
    static const uint32_t size[][2] = {{65500, 3}, {5, 65500}};
    for (uint32_t s = 0; s < 2; s++) {
        struct picture picture;
        picture_make(&picture, KST_FORMAT_RGB, size[s][0], size[s][1], 0);
        for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
            kst_encode_options o = defaults();
            o.coding = (kst_coding)coding;
            o.restart = (kst_restart){KST_RESTART_MCUS, coding == 1 ? 1000 : 0};
            check(&picture.image, &o);
        }
        free(picture.memory);
    }
}

static int tear_down(void **state)
{
    print_message("%lu files compared\n", compared);
    return contexts_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_samplings),
        cmocka_unit_test(qualities),
        cmocka_unit_test(fast_transform),
        cmocka_unit_test(restarts),
        cmocka_unit_test(formats_and_colours),
        cmocka_unit_test(converted_samples),
        cmocka_unit_test(odd_factors),
        cmocka_unit_test(raw_components),
        cmocka_unit_test(scripts),
        cmocka_unit_test(tables),
        cmocka_unit_test(metadata),
        cmocka_unit_test(identified_metadata),
        cmocka_unit_test(drawn_options),
        cmocka_unit_test(larger_pictures),
        cmocka_unit_test(long_sides),
    };
    return cmocka_run_group_tests(tests, contexts_start, tear_down);
}
