/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files against jpegtran's, and unchanged pixels where only the coding changes. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/program.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { ARGUMENTS = 24 };

static uint32_t seed;
static unsigned compared;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

/* jpegtran's command line for the same operation. */
struct command {
    const char *argv[ARGUMENTS];
    size_t count;
    char crop[64], restart[32];
};

static void argument(struct command *command, const char *word)
{
    assert_true(command->count + 1 < ARGUMENTS);
    command->argv[command->count++] = word;
    command->argv[command->count] = NULL;
}

static void command_of(struct command *command, const kst_transcode_options *options)
{
    static const char *const transform[8][3] = {{NULL}, {"-flip", "horizontal"}, {"-rotate", "180"},
        {"-flip", "vertical"}, {"-transpose"}, {"-rotate", "90"}, {"-transverse"}, {"-rotate", "270"}};
    static const char *const copy[] = {"all", "comments", "none"};
    *command = (struct command){.count = 0};
    argument(command, "jpegtran");
    argument(command, "-copy");
    argument(command, copy[options->strip]);
    for (int i = 0; i < 2 && transform[options->transform][i]; i++)
        argument(command, transform[options->transform][i]);
    if (options->edge != KST_EDGE_KEEP)
        argument(command, options->edge == KST_EDGE_TRIM ? "-trim" : "-perfect");
    if (options->coding != KST_CODING_BASELINE)
        argument(command, options->coding == KST_CODING_OPTIMIZED ? "-optimize" : "-progressive");
    if (options->grey)
        argument(command, "-grayscale");
    if (options->crop.width) {
        snprintf(command->crop, sizeof command->crop, "%ux%u+%u+%u", options->crop.width, options->crop.height,
            options->crop.x, options->crop.y);
        argument(command, "-crop");
        argument(command, command->crop);
    }
    if (options->restart.unit != KST_RESTART_NONE) {
        snprintf(command->restart, sizeof command->restart, "%u%s", options->restart.interval,
            options->restart.unit == KST_RESTART_MCUS ? "B" : "");
        argument(command, "-restart");
        argument(command, command->restart);
    }
}

static void print_command(const struct command *command, const char *name)
{
    print_error("%s:", name);
    for (size_t i = 0; i < command->count; i++)
        print_error(" %s", command->argv[i]);
    print_error("\n");
}

static bool is_unsupported(kst_status status)
{
    return status == KST_ERROR_JPEG_PRECISION || status == KST_ERROR_JPEG_ARITHMETIC ||
           status == KST_ERROR_JPEG_LOSSLESS || status == KST_ERROR_JPEG_HIERARCHICAL;
}

enum { FINE = 0, WARNED = 2 }; /* exit statuses of jpegtran */

/* `lenient`: the input may be one that jpegtran refuses or repairs; only what it does without a warning must be equal.
 */
static void compare(const char *name, const struct contents *input, const kst_transcode_options *options, bool lenient)
{
    struct command command;
    struct contents wanted;
    kst_buffer output = {.data = NULL};
    kst_report report;
    command_of(&command, options);
    int exit_status = peer_run(command.argv, input->data, input->length, &wanted);
    kst_report_init(&report);
    kst_status status = kst_transcode(context, input->data, input->length, options, &output, &report);
    bool written = exit_status == FINE || (exit_status == WARNED && !lenient);
    bool same = !status && output.length == wanted.length && memcmp(output.data, wanted.data, wanted.length) == 0;
    bool fine = written ? same : lenient || status;
    if (!fine && !(lenient && is_unsupported(status))) {
        print_command(&command, name);
        print_error("jpegtran: %d, %zu bytes; kostka: %s (%s), %zu bytes\n", exit_status, wanted.length,
            kst_status_name(status), report.message, output.length);
        fail();
    }
    compared += written && same;
    contents_free(&wanted);
    kst_buffer_release(context, &output);
}

static void random_options(kst_transcode_options *options, uint32_t width, uint32_t height)
{
    kst_transcode_options_init(options);
    options->transform = (kst_transform)rnd(8);
    options->edge = rnd(4) == 0 ? KST_EDGE_PERFECT : (kst_edge)rnd(2);
    options->coding = (kst_coding)rnd(3);
    options->strip = (kst_strip)rnd(3);
    options->grey = rnd(5) == 0;
    if (rnd(3) == 0) {
        bool turned = options->transform >= KST_TRANSFORM_TRANSPOSE;
        uint32_t w = turned ? height : width, h = turned ? width : height;
        kst_region *crop = &options->crop;
        crop->x = rnd(w);
        crop->y = rnd(h);
        crop->width = rnd(3) == 0 ? w - crop->x : 1 + rnd(w - crop->x);
        crop->height = rnd(3) == 0 ? h - crop->y : 1 + rnd(h - crop->y);
    }
    if (rnd(3) == 0) {
        options->restart.unit = rnd(2) ? KST_RESTART_MCUS : KST_RESTART_ROWS;
        options->restart.interval = rnd(8) == 0 ? 65535 : 1 + rnd(9);
    }
}

/* A photograph of sorts: gradients, edges and noise, as a PPM. */
static struct contents make_ppm(uint32_t width, uint32_t height)
{
    char header[64];
    int length = snprintf(header, sizeof header, "P6\n%u %u\n255\n", width, height);
    struct contents ppm = {.length = (size_t)length + (size_t)width * height * 3};
    ppm.data = malloc(ppm.length);
    assert_non_null(ppm.data);
    memcpy(ppm.data, header, (size_t)length);
    uint8_t *p = ppm.data + length;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < 3; c++)
                *p++ = (uint8_t)(x * (c + 1) + y * (3 - c) + ((x / 11 + y / 7) % 2 ? 90 : 0) + rnd(20 + 30 * c));
    return ppm;
}

static struct contents make_jpeg(uint32_t width, uint32_t height, const char *const *options, size_t count)
{
    struct contents ppm = make_ppm(width, height), jpeg;
    struct command command = {.count = 0};
    argument(&command, "cjpeg");
    for (size_t i = 0; i < count; i++)
        argument(&command, options[i]);
    assert_int_equal(peer_run(command.argv, ppm.data, ppm.length, &jpeg), 0);
    contents_free(&ppm);
    return jpeg;
}

static const uint32_t sizes[][2] = {
    {1, 1}, {7, 5}, {8, 8}, {9, 17}, {16, 16}, {17, 33}, {33, 15}, {64, 48}, {100, 75}, {31, 200}, {250, 120}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const char *const samplings[] = {
    "1x1", "2x1", "1x2", "2x2", "4x1", "1x4", "4x2", "2x2,1x2,2x1", "3x1", "1x1,2x2,1x1", "1x2,1x2,1x2", "2x3,1x1,1x1"};
enum { SAMPLINGS = sizeof samplings / sizeof samplings[0] };

static const char *const modes[][4] = {{NULL}, {"-progressive"}, {"-restart", "3b"}, {"-optimize"}, {"-grayscale"},
    {"-rgb"}, {"-progressive", "-restart", "1"}, {"-grayscale", "-progressive"}};
enum { MODES = sizeof modes / sizeof modes[0] };

static const char *const qualities[] = {"1", "35", "75", "98"};

static void test_generated(void **state)
{
    (void)state;
    seed = 1;
    for (size_t size = 0; size < SIZES; size++)
        for (size_t sampling = 0; sampling < SAMPLINGS; sampling++) {
            const char *options[12] = {"-sample", samplings[sampling], "-quality", qualities[rnd(4)]};
            size_t count = 4, mode = rnd(MODES);
            for (size_t i = 0; i < 4 && modes[mode][i]; i++)
                options[count++] = modes[mode][i];
            struct contents jpeg = make_jpeg(sizes[size][0], sizes[size][1], options, count);
            char name[100];
            snprintf(name, sizeof name, "%ux%u -sample %s -quality %s mode %zu", sizes[size][0], sizes[size][1],
                samplings[sampling], options[3], mode);
            for (int i = 0; i < (fewer_cases() ? 4 : 12); i++) {
                kst_transcode_options transcode;
                random_options(&transcode, sizes[size][0], sizes[size][1]);
                compare(name, &jpeg, &transcode, false);
            }
            contents_free(&jpeg);
        }
}

/* Every transform, edge and coding on pictures with partial MCUs on both edges. */
static void test_matrix(void **state)
{
    (void)state;
    seed = 2;
    for (size_t mode = 0; mode < MODES; mode++) {
        const char *options[12] = {"-sample", mode % 2 ? "2x1" : "2x2", "-quality", "80"};
        size_t count = 4;
        for (size_t i = 0; i < 4 && modes[mode][i]; i++)
            options[count++] = modes[mode][i];
        struct contents jpeg = make_jpeg(77, 51, options, count);
        for (int n = fewer_cases() ? (int)(mode % 5) : 0; n < 8 * 3 * 3; n += fewer_cases() ? 5 : 1) {
            kst_transcode_options transcode;
            kst_transcode_options_init(&transcode);
            transcode.transform = (kst_transform)(n % 8);
            transcode.edge = (kst_edge)(n / 8 % 3);
            transcode.coding = (kst_coding)(n / 24);
            compare("matrix", &jpeg, &transcode, false);
        }
        contents_free(&jpeg);
    }
}

/* Make streams that cjpeg cannot make: CMYK, YCCK, factors of all kinds, several scans, the caller's tables. */
static struct contents encode(uint32_t width, uint32_t height, kst_colour colour, kst_encode_options *options)
{
    const bool four = colour == KST_COLOUR_CMYK || colour == KST_COLOUR_YCCK;
    const uint32_t channels = four ? 4 : 3;
    uint8_t *pixels = malloc((size_t)width * height * channels);
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)width * height * channels; i++)
        pixels[i] = (uint8_t)(i / channels % width * 2 + i / channels / width * (1 + i % channels) + rnd(40));
    kst_image image;
    kst_buffer output = {.data = NULL};
    options->colour = colour;
    assert_int_equal(kst_image_wrap(&image, four ? KST_FORMAT_CMYK : KST_FORMAT_RGB, width, height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, options, &output, NULL), KST_OK);
    struct contents jpeg = {.data = malloc(output.length), .length = output.length};
    assert_non_null(jpeg.data);
    memcpy(jpeg.data, output.data, output.length);
    kst_buffer_release(context, &output);
    free(pixels);
    return jpeg;
}

static void test_colours(void **state)
{
    static const kst_colour colours[] = {KST_COLOUR_CMYK, KST_COLOUR_YCCK, KST_COLOUR_RGB, KST_COLOUR_YCBCR};
    static const uint8_t factors[][2][4] = {{{1, 1, 1, 1}, {1, 1, 1, 1}}, {{2, 1, 1, 2}, {2, 1, 1, 2}},
        {{1, 2, 1, 1}, {1, 1, 2, 1}}, {{4, 1, 2, 1}, {1, 1, 1, 2}}, {{1, 2, 1, 1}, {1, 2, 1, 1}}};
    (void)state;
    seed = 6;
    for (int n = 0; n < 4 * 5 * 3; n++) {
        kst_encode_options options;
        const uint32_t width = 1 + rnd(120), height = 1 + rnd(120);
        kst_encode_options_init(&options);
        options.coding = (kst_coding)rnd(3);
        memcpy(options.h, factors[n / 4 % 5][0], 4);
        memcpy(options.v, factors[n / 4 % 5][1], 4);
        options.quality = rnd(2) ? 2 : 90;
        options.wide_quantisers = true;
        memcpy(options.quant_index, (const uint8_t[]){(uint8_t)rnd(2), (uint8_t)rnd(2), 1, 0}, 4);
        struct contents jpeg = encode(width, height, colours[n % 4], &options);
        for (int i = 0; i < (fewer_cases() ? 4 : 10); i++) {
            kst_transcode_options transcode;
            random_options(&transcode, width, height);
            compare("colours", &jpeg, &transcode, false);
        }
        contents_free(&jpeg);
    }
}

/* The corpus: unusual files, metadata of all kinds. */
static void test_corpus(void **state)
{
    char folder[1000], path[2000];
    (void)state;
    DIR *directory = opendir(corpus_folder("jpeg/valid", folder, sizeof folder));
    assert_non_null(directory);
    compared = 0;
    seed = 3;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        struct contents jpeg;
        kst_decoder *decoder;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || !contents_read(path, &jpeg))
            continue;
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        bool large = false;
        if (!kst_decoder_open(decoder, jpeg.data, jpeg.length)) {
            const kst_info *info = kst_decoder_info(decoder);
            const uint32_t width = info->width, height = info->height;
            large = (uint64_t)width * height > 1000000;
            for (int i = 0; i < (large ? 4 : fewer_cases() ? 8 : 24); i++) {
                kst_transcode_options transcode;
                random_options(&transcode, width, height);
                compare(entry->d_name, &jpeg, &transcode, true);
            }
        }
        kst_decoder_destroy(&decoder);
        contents_free(&jpeg);
    }
    closedir(directory);
    assert_true(compared > (fewer_cases() ? 150 : 500));
}

/* Exif first, then what a camera might add; the size tags follow the picture's size. */
static void test_exif(void **state)
{
    static const uint8_t exif[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0,
        0, 1, 0, 0, 0, 26, 0, 0, 0, 0, 0, 2, 0xA0, 2, 0, 3, 0, 0, 0, 1, 0, 77, 0, 0, 0xA0, 3, 0, 4, 0, 0, 0, 1, 0, 0, 0,
        51};
    (void)state;
    seed = 4;
    for (int rgb = 0; rgb < 2; rgb++)
        for (int first = 0; first < 2; first++) {
            const char *options[] = {"-rgb"};
            struct contents plain = make_jpeg(77, 51, options, (size_t)rgb);
            /* SOI, the Exif segment before or after the first segment (JFIF or Adobe), a comment, the rest. */
            size_t header = 4 + (size_t)(plain.data[4] << 8 | plain.data[5]), at = first ? 2 : header;
            struct contents jpeg = {.length = 0};
            jpeg.data = malloc(plain.length + sizeof exif + 20);
            assert_non_null(jpeg.data);
            memcpy(jpeg.data, plain.data, at);
            jpeg.length = at;
            memcpy(jpeg.data + jpeg.length, "\xFF\xE1\0", 3);
            jpeg.data[jpeg.length + 3] = (uint8_t)(sizeof exif + 2);
            memcpy(jpeg.data + jpeg.length + 4, exif, sizeof exif);
            jpeg.length += 4 + sizeof exif;
            memcpy(jpeg.data + jpeg.length, "\xFF\xFE\0\4hi", 6);
            jpeg.length += 6;
            memcpy(jpeg.data + jpeg.length, plain.data + at, plain.length - at);
            jpeg.length += plain.length - at;
            for (int i = 0; i < 24; i++) {
                kst_transcode_options transcode;
                random_options(&transcode, 77, 51);
                compare(first ? "exif first" : "exif second", &jpeg, &transcode, false);
            }
            contents_free(&plain);
            contents_free(&jpeg);
        }
}

static void insert(struct contents *jpeg, size_t at, const char *bytes, size_t length)
{
    uint8_t *data = realloc(jpeg->data, jpeg->length + length);
    assert_non_null(data);
    memmove(data + at + length, data + at, jpeg->length - at);
    memcpy(data + at, bytes, length);
    jpeg->data = data;
    jpeg->length += length;
}

/* JFIF and Adobe headers of every sort and in every place, and what they make of the picture's colour. */
static void test_headers(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } segments[] = {
        {"\xFF\xE0\0\x10JFIF\0\1\2\1\1\x2C\0\x48\0\0", 18},
        {"\xFF\xE0\0\x10JFIF\0\2\3\2\0\x10\0\x20\0\0", 18}, /* a major version that is not known */
        {"\xFF\xE0\0\x10JFIF\0\1\0\x63\0\1\0\2\0\0", 18},   /* nor is the unit */
        {"\xFF\xE0\0\x09JFIF\0\1\2", 11},                   /* cut short */
        {"\xFF\xE0\0\x0AJFXX\0\x13\0\0", 12},
        {"\xFF\xEE\0\x0E"
         "Adobe\0\x64\0\0\0\0\0",
            16},
        {"\xFF\xEE\0\x0E"
         "Adobe\0\x64\0\0\0\0\1",
            16},
        {"\xFF\xEE\0\x08"
         "Adobe\0",
            10},
        {"\xFF\xE2\0\x05xyz", 7},
        {"\xFF\xFE\0\2", 4},
    };
    enum { SEGMENTS = sizeof segments / sizeof segments[0] };
    (void)state;
    seed = 7;
    for (int n = 0; n < (fewer_cases() ? 100 : 250); n++) {
        const char *options[] = {"-sample", "1x1", rnd(2) ? "-progressive" : "-optimize", "-rgb"};
        struct contents jpeg = make_jpeg(20, 30, options, rnd(3) ? 3 : 4);
        /* Behind SOI, behind the headers that cjpeg wrote, or (where it is the first of many scans) between scans. */
        size_t scan = 0;
        while (scan + 1 < jpeg.length && !(jpeg.data[scan] == 0xFF && jpeg.data[scan + 1] == 0xDA))
            scan++;
        size_t behind = scan + 2;
        while (behind + 1 < jpeg.length && !(jpeg.data[behind] == 0xFF && jpeg.data[behind + 1] >= 0xC0))
            behind++;
        const size_t places[] = {2, 4 + (size_t)(jpeg.data[4] << 8 | jpeg.data[5]), behind};
        for (int place = 2; place >= 0; place--)
            for (uint32_t i = 0, count = rnd(3); i < count; i++) {
                size_t which = rnd(SEGMENTS);
                insert(&jpeg, places[place], segments[which].bytes, segments[which].length);
            }
        for (int i = 0; i < 3; i++) {
            kst_transcode_options transcode;
            random_options(&transcode, 20, 30);
            compare("headers", &jpeg, &transcode, false);
        }
        contents_free(&jpeg);
    }
}

/*
 * Against B.2.2, all components have the identifier 1. A file with one scan keeps them, as jpegtran does; where scans
 * hold single components, identifiers must tell which (B.2.3): jpegtran's file is decoded to other pixels, ours is the
 * file that it makes of the same stream with identifiers 1, 2, 3.
 */
static void test_shared_ids(void **state)
{
    static const char *const scripts[] = {"-progressive", "-optimize", NULL};
    (void)state;
    seed = 8;
    for (int n = 0; n < 6; n++) {
        const char *options[] = {"-sample", n % 2 ? "1x1" : "2x2"};
        struct contents jpeg = make_jpeg(77, 51, options, 2), wanted, theirs, pixels[2];
        const char *argv[] = {"jpegtran", "-copy", "all", scripts[n / 2], NULL};
        assert_int_equal(peer_run(argv, jpeg.data, jpeg.length, &wanted), 0);
        size_t frame = 0;
        while (memcmp(jpeg.data + frame, "\xFF\xC0", 2) != 0)
            frame++;
        size_t scan = frame;
        while (memcmp(jpeg.data + scan, "\xFF\xDA", 2) != 0)
            scan++;
        for (size_t i = 0; i < 3; i++)
            jpeg.data[frame + 10 + 3 * i] = jpeg.data[scan + 5 + 2 * i] = 1;
        assert_int_equal(peer_run(argv, jpeg.data, jpeg.length, &theirs), 0);
        kst_transcode_options transcode;
        kst_transcode_options_init(&transcode);
        transcode.coding = n < 2 ? KST_CODING_PROGRESSIVE : n < 4 ? KST_CODING_OPTIMIZED : KST_CODING_BASELINE;
        kst_buffer output = {.data = NULL};
        assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, &transcode, &output, NULL), KST_OK);
        const struct contents *same = n < 2 ? &wanted : &theirs;
        assert_int_equal(output.length, same->length);
        assert_memory_equal(output.data, same->data, same->length);
        const char *djpeg[] = {"djpeg", NULL};
        assert_int_equal(peer_run(djpeg, jpeg.data, jpeg.length, &pixels[0]), 0);
        assert_in_range(peer_run(djpeg, theirs.data, theirs.length, &pixels[1]), FINE, WARNED);
        assert_int_equal(pixels[0].length, pixels[1].length);
        assert_true((memcmp(pixels[0].data, pixels[1].data, pixels[0].length) != 0) == (n < 2));
        contents_free(&pixels[1]);
        assert_int_equal(peer_run(djpeg, output.data, output.length, &pixels[1]), 0);
        assert_memory_equal(pixels[0].data, pixels[1].data, pixels[0].length);
        kst_buffer_release(context, &output);
        for (int i = 0; i < 2; i++)
            contents_free(&pixels[i]);
        contents_free(&wanted);
        contents_free(&theirs);
        contents_free(&jpeg);
    }
}

/* Scripts of the caller's, which jpegtran takes from a file. */
static void test_script(void **state)
{
    static const kst_scan progressive[] = {{3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 9, 0, 2}, {1, {2}, 1, 63, 0, 0},
        {1, {1}, 1, 63, 0, 1}, {1, {0}, 10, 63, 0, 2}, {1, {0}, 1, 63, 2, 1}, {1, {0}, 1, 63, 1, 0},
        {1, {1}, 1, 63, 1, 0}};
    static const char text[] = "0 1 2: 0 0 0 0; 0: 1 9 0 2; 2: 1 63 0 0; 1: 1 63 0 1; 0: 10 63 0 2; 0: 1 63 2 1;"
                               "0: 1 63 1 0; 1: 1 63 1 0;\n";
    static const kst_scan sequential[] = {{1, {2}, 0, 63, 0, 0}, {2, {0, 1}, 0, 63, 0, 0}};
    static const char plain[] = "2; 0 1;\n";
    (void)state;
    seed = 5;
    for (int n = 0; n < 3; n++) {
        char path[] = "/tmp/kostka-script-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        FILE *file = fdopen(fd, "w");
        assert_non_null(file);
        fputs(n == 0 ? text : plain, file);
        fclose(file);
        const char *options[] = {"-sample", "2x2"};
        struct contents jpeg = make_jpeg(77, 51, options, 2), wanted;
        const char *argv[] = {
            "jpegtran", "-copy", "all", "-restart", "2", "-scans", path, n == 2 ? "-optimize" : NULL, NULL};
        assert_int_equal(peer_run(argv, jpeg.data, jpeg.length, &wanted), 0);
        kst_transcode_options transcode;
        kst_transcode_options_init(&transcode);
        transcode.coding = n == 0 ? KST_CODING_PROGRESSIVE : n == 1 ? KST_CODING_BASELINE : KST_CODING_OPTIMIZED;
        transcode.restart = (kst_restart){.unit = KST_RESTART_ROWS, .interval = 2};
        transcode.script = n == 0 ? progressive : sequential;
        transcode.script_length = n == 0 ? 8 : 2;
        kst_buffer output = {.data = NULL};
        assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, &transcode, &output, NULL), KST_OK);
        assert_int_equal(output.length, wanted.length);
        assert_memory_equal(output.data, wanted.data, wanted.length);
        kst_buffer_release(context, &output);
        contents_free(&wanted);
        contents_free(&jpeg);
        remove(path);
    }
}

/* With the argument "corpus": the files of the corpus instead of generated ones. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_exif),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_shared_ids),
        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_colours),
    };
    const struct CMUnitTest on_corpus[] = {cmocka_unit_test(test_corpus)};
    bool corpus = argc > 1 && strcmp(argv[1], "corpus") == 0;
    if (!peer_exists("jpegtran") || !peer_exists("cjpeg") || (corpus && !corpus_exists("jpeg/valid")))
        return skip_all("there is no jpegtran, cjpeg or corpus");
    return corpus ? run_with_context(0, on_corpus, NULL, NULL) : run_with_context(0, tests, NULL, NULL);
}
