/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes small JPEG and JPEG 2000 files of many kinds into a folder, for the fuzz targets to start from. */
#include <kostka/kostka.h>
#include <kostka/kostka_volume.h>

#include <stdio.h>
#include <string.h>

#include "made.h"

struct size {
    uint32_t width, height;
};

/* Most pictures are small; those of several bands, for decoding to rows, are too large for other targets' limits. */
enum { LARGE_WIDTH = 200, LARGE_HEIGHT = 700 };
static const struct size small = {37, 29}, large = {LARGE_WIDTH, LARGE_HEIGHT};

struct kind {
    const char *name;
    kst_format format;
    kst_subsampling subsampling;
    kst_coding coding;
    kst_restart restart;
    int quality;
};

static const struct kind kinds[] = {
    {"grey", KST_FORMAT_GREY, KST_SUBSAMPLING_444, KST_CODING_BASELINE, {KST_RESTART_NONE, 0}, 60},
    {"grey-progressive", KST_FORMAT_GREY, KST_SUBSAMPLING_444, KST_CODING_PROGRESSIVE, {KST_RESTART_NONE, 0}, 90},
    {"420", KST_FORMAT_RGB, KST_SUBSAMPLING_420, KST_CODING_BASELINE, {KST_RESTART_NONE, 0}, 75},
    {"420-restart", KST_FORMAT_RGB, KST_SUBSAMPLING_420, KST_CODING_BASELINE, {KST_RESTART_MCUS, 1}, 75},
    {"420-optimised", KST_FORMAT_BGRA, KST_SUBSAMPLING_420, KST_CODING_OPTIMIZED, {KST_RESTART_ROWS, 1}, 30},
    {"420-progressive", KST_FORMAT_RGB, KST_SUBSAMPLING_420, KST_CODING_PROGRESSIVE, {KST_RESTART_NONE, 0}, 75},
    {"422", KST_FORMAT_RGB, KST_SUBSAMPLING_422, KST_CODING_BASELINE, {KST_RESTART_NONE, 0}, 75},
    {"422-progressive", KST_FORMAT_RGB, KST_SUBSAMPLING_422, KST_CODING_PROGRESSIVE, {KST_RESTART_ROWS, 1}, 95},
    {"440", KST_FORMAT_RGB, KST_SUBSAMPLING_440, KST_CODING_BASELINE, {KST_RESTART_NONE, 0}, 10},
    {"411", KST_FORMAT_RGB, KST_SUBSAMPLING_411, KST_CODING_OPTIMIZED, {KST_RESTART_NONE, 0}, 50},
    {"444", KST_FORMAT_RGB, KST_SUBSAMPLING_444, KST_CODING_BASELINE, {KST_RESTART_MCUS, 3}, 100},
    {"cmyk", KST_FORMAT_CMYK, KST_SUBSAMPLING_444, KST_CODING_BASELINE, {KST_RESTART_NONE, 0}, 75},
};

static const struct kind large_kinds[] = {
    {"bands", KST_FORMAT_RGB, KST_SUBSAMPLING_420, KST_CODING_BASELINE, {KST_RESTART_NONE, 0}, 20},
    {"bands-restart", KST_FORMAT_RGB, KST_SUBSAMPLING_422, KST_CODING_BASELINE, {KST_RESTART_ROWS, 1}, 20},
    {"bands-progressive", KST_FORMAT_RGB, KST_SUBSAMPLING_420, KST_CODING_PROGRESSIVE, {KST_RESTART_NONE, 0}, 10},
};

struct j2k_kind {
    const char *name;
    kst_format format;
    bool reversible, codestream, marked, tiled;
    uint32_t style, layers, division;
    kst_progression progression;
    kst_j2k_headers headers;
    uint32_t changes;
    uint32_t profile;
};

static const kst_j2k_change changes[] = {{KST_PROGRESSION_RLCP, 0, 2, 0, 0, 1}, {KST_PROGRESSION_CPRL, 1, 0, 0, 2, 2},
    {KST_PROGRESSION_PCRL, 0, 0, 0, 0, 0}};

static const struct j2k_kind j2k_kinds[] = {
    {"lossless.jp2", KST_FORMAT_RGB, true, false, false, false, 0, 1, 0, KST_PROGRESSION_LRCP, KST_J2K_HEADERS_INLINE,
        0, 0},
    {"alpha.jp2", KST_FORMAT_RGBA, false, false, true, false, 0, 3, 0, KST_PROGRESSION_RPCL, KST_J2K_HEADERS_INLINE, 0,
        0},
    {"tiles.j2k", KST_FORMAT_RGB, false, true, true, true, 0, 2, KST_J2K_DIVIDE_RESOLUTION, KST_PROGRESSION_PCRL,
        KST_J2K_HEADERS_INLINE, 0, 0},
    {"styles.j2k", KST_FORMAT_GREY, true, true, false, true, 63, 2, 0, KST_PROGRESSION_CPRL, KST_J2K_HEADERS_INLINE, 0,
        0},
    {"bypass.j2k", KST_FORMAT_GREY, true, true, true, false, KST_J2K_BYPASS, 4, KST_J2K_DIVIDE_LAYER,
        KST_PROGRESSION_RLCP, KST_J2K_HEADERS_INLINE, 0, 0},
    {"changes.j2k", KST_FORMAT_RGB, true, true, true, true, 0, 3, KST_J2K_DIVIDE_COMPONENT, KST_PROGRESSION_LRCP,
        KST_J2K_HEADERS_INLINE, 3, 0},
    {"ppt.jp2", KST_FORMAT_RGB, true, false, true, true, 0, 3, KST_J2K_DIVIDE_RESOLUTION, KST_PROGRESSION_RPCL,
        KST_J2K_HEADERS_PPT, 3, 0},
    {"ppm.j2k", KST_FORMAT_RGBA, true, true, true, true, 0, 2, KST_J2K_DIVIDE_LAYER, KST_PROGRESSION_LRCP,
        KST_J2K_HEADERS_PPM, 0, 0},
    {"profile1.j2k", KST_FORMAT_RGB, false, true, true, false, 0, 2, 0, KST_PROGRESSION_RLCP, KST_J2K_HEADERS_INLINE, 0,
        KST_J2K_PROFILE_1},
    {"ht.jph", KST_FORMAT_RGB, true, false, true, false, KST_J2K_HT, 1, 0, KST_PROGRESSION_RPCL, KST_J2K_HEADERS_INLINE,
        0, 0},
    {"ht-causal.jhc", KST_FORMAT_GREY, true, true, false, true, KST_J2K_HT | KST_J2K_CAUSAL, 1,
        KST_J2K_DIVIDE_RESOLUTION, KST_PROGRESSION_LRCP, KST_J2K_HEADERS_PPT, 0, 0},
    {"ht-refinement.jhc", KST_FORMAT_RGBA, false, true, false, false, KST_J2K_HT, 1, 0, KST_PROGRESSION_CPRL,
        KST_J2K_HEADERS_INLINE, 0, 0},
    {"ht-layers.jhc", KST_FORMAT_RGB, false, true, true, true, KST_J2K_HT, 3, 0, KST_PROGRESSION_RLCP,
        KST_J2K_HEADERS_INLINE, 0, 0},
};

static const struct j2k_kind large_j2k_kinds[] = {
    {"bands.j2k", KST_FORMAT_RGB, false, true, false, false, 0, 1, 0, KST_PROGRESSION_LRCP, KST_J2K_HEADERS_INLINE, 0,
        0},
    {"bands.jp2", KST_FORMAT_GREY, true, false, false, false, 0, 1, 0, KST_PROGRESSION_RPCL, KST_J2K_HEADERS_INLINE, 0,
        0},
    {"bands-tiles.j2k", KST_FORMAT_RGB, false, true, false, true, 0, 1, 0, KST_PROGRESSION_LRCP, KST_J2K_HEADERS_INLINE,
        0, 0},
};

/*
 * A stream of the lossless process, stored because the library does not encode it: 11×6, two components of 12 bits,
 * three restart intervals.
 */
static uint8_t lossless[] = {0xFF, 0xD8, 0xFF, 0xC3, 0x00, 0x0E, 0x0C, 0x00, 0x06, 0x00, 0x0B, 0x02, 0x01, 0x11, 0x00,
    0x02, 0x11, 0x00, 0xFF, 0xC4, 0x00, 0x24, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D,
    0x0E, 0x0F, 0x10, 0xFF, 0xDD, 0x00, 0x04, 0x00, 0x16, 0xFF, 0xDA, 0x00, 0x0A, 0x02, 0x01, 0x00, 0x02, 0x00, 0x06,
    0x00, 0x01, 0x5B, 0xFF, 0x00, 0x52, 0xBA, 0x59, 0x96, 0x45, 0x91, 0x66, 0x59, 0x96, 0x65, 0x91, 0x64, 0x59, 0x96,
    0x65, 0x91, 0x66, 0x59, 0x16, 0x45, 0x99, 0x64, 0x59, 0x16, 0x65, 0x99, 0x64, 0x6B, 0x8D, 0x69, 0x6C, 0x5C, 0x96,
    0xE5, 0xB1, 0x6E, 0x5B, 0x97, 0x05, 0xC1, 0x6E, 0x5B, 0x16, 0xE5, 0xB9, 0x6E, 0x5C, 0x16, 0xC5, 0xB9, 0x70, 0x5B,
    0x16, 0xE5, 0xBF, 0xFF, 0xD0, 0x50, 0xB4, 0xA6, 0xE0, 0xB2, 0x2C, 0xCB, 0x42, 0xCC, 0xB2, 0x2C, 0x8B, 0x22, 0xC8,
    0xB2, 0x2C, 0xCB, 0x32, 0xCC, 0xB3, 0x2C, 0x4B, 0x22, 0xCC, 0xB3, 0x2C, 0x8B, 0x32, 0xCC, 0xD7, 0x1A, 0xE2, 0xDC,
    0xB6, 0x2D, 0x8B, 0x72, 0xDC, 0xB8, 0x2E, 0x0B, 0x75, 0xDF, 0x35, 0x3E, 0x2A, 0x4A, 0x13, 0x28, 0x2D, 0x8B, 0x82,
    0xDC, 0xB6, 0x2D, 0xCB, 0x82, 0xDC, 0xB7, 0xFF, 0xD1, 0x51, 0x6A, 0x90, 0x99, 0x64, 0x59, 0x16, 0x85, 0x99, 0x64,
    0x59, 0x96, 0x45, 0x91, 0x66, 0x59, 0x96, 0x65, 0x99, 0x64, 0x59, 0x16, 0x45, 0x91, 0x66, 0x59, 0x16, 0x45, 0x99,
    0xAE, 0x35, 0xC5, 0xB9, 0x6E, 0x5B, 0x16, 0xC5, 0xB9, 0x70, 0x5C, 0x16, 0xE5, 0xB1, 0x6E, 0x5B, 0x16, 0xC5, 0xB9,
    0x6E, 0x5C, 0x17, 0x05, 0xB1, 0x70, 0x5B, 0x96, 0xDF, 0xFF, 0xD9};

/* Fill in a pattern; large pictures get few different values, so that their files are short. */
static void fill(uint8_t *pixels, uint32_t channels, struct size size)
{
    uint32_t shift = size.width == LARGE_WIDTH ? 5 : 0;
    for (uint32_t i = 0; i < size.width * size.height * channels; i++) {
        uint32_t x = i / channels % size.width, y = i / channels / size.width;
        pixels[i] = (uint8_t)((uint8_t)(x * 5 + y * 7 + (i * i >> 5) % 40 + i % channels * 50) >> shift);
    }
}

/* Write a file, and `tail` bytes behind it. */
static bool write_file(const char *folder, const char *name, const kst_buffer *coded, const uint8_t *tail, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(coded->data, 1, coded->length, file) == coded->length &&
                   (count == 0 || fwrite(tail, 1, count, file) == count);
    if (file && fclose(file) != 0)
        written = false;
    return written;
}

/*
 * Write a large picture several times, each with the options that the target `rows` reads from the end of its input:
 * one thread in order, three threads in order and not, and functions that fail at row 300.
 */
static bool write_tailed(const char *folder, const char *name, const kst_buffer *coded)
{
    enum { TAIL = 5 };
    static const uint8_t tail[][TAIL] = {
        {0, 0, 1, 0, 0}, {0, 0, 8, 0, 0}, {0, 0, 9, 0, 0}, {0, 100, 10, 0, 0}, {0, 100, 11, 0, 0}};
    bool fine = true;
    for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++) {
        char numbered[64];
        snprintf(numbered, sizeof numbered, "%zu-%s", i, name);
        fine = write_file(folder, numbered, coded, tail[i], TAIL) && fine;
    }
    return fine;
}

static bool encode(kst_context *context, const char *folder, const char *name, kst_format format, struct size size,
    const kst_encode_options *options)
{
    static uint8_t pixels[LARGE_WIDTH * LARGE_HEIGHT * 4];
    kst_image image;
    kst_buffer coded = {0};
    fill(pixels, kst_format_channels(format), size);
    bool fine = !kst_image_wrap(&image, format, size.width, size.height, pixels, 0) &&
                !kst_encode(context, &image, options, &coded, NULL);
    if (size.width == LARGE_WIDTH)
        fine = fine && write_tailed(folder, name, &coded);
    else
        fine = fine && write_file(folder, name, &coded, NULL, 0);
    kst_buffer_release(context, &coded);
    if (!fine)
        fprintf(stderr, "make_seeds: %s failed\n", name);
    return fine;
}

static bool write_seed(kst_context *context, const char *folder, const struct kind *kind, struct size size)
{
    char name[64];
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = kind->quality;
    options.subsampling = kind->subsampling;
    options.coding = kind->coding;
    options.restart = kind->restart;
    snprintf(name, sizeof name, "%s.jpg", kind->name);
    return encode(context, folder, name, kind->format, size, &options);
}

static bool write_j2k_seed(kst_context *context, const char *folder, const struct j2k_kind *kind, struct size size)
{
    kst_encode_options options;
    kst_j2k_options j2k;
    bool is_large = size.width == LARGE_WIDTH;
    kst_encode_options_init(&options);
    kst_j2k_options_init(&j2k);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    j2k.reversible = kind->reversible;
    j2k.target = kind->reversible ? KST_J2K_LOSSLESS : KST_J2K_PSNR;
    j2k.value = 35;
    j2k.codestream = kind->codestream;
    j2k.sop = j2k.eph = j2k.packet_lengths = j2k.tile_part_lengths = kind->marked;
    if (kind->tiled)
        j2k.tile_width = j2k.tile_height = is_large ? LARGE_WIDTH : 20;
    j2k.levels = 2;
    j2k.block_width = j2k.block_height = is_large ? 32 : 8;
    j2k.style = kind->style;
    j2k.passes = kind->style == KST_J2K_HT && !kind->reversible ? 3 : 1;
    j2k.layers = kind->layers;
    j2k.division = kind->division;
    j2k.progression = kind->progression;
    j2k.headers = kind->headers;
    j2k.change = changes;
    j2k.change_count = kind->changes;
    j2k.profile = kind->profile;
    return encode(context, folder, kind->name, kind->format, size, &options);
}

/*
 * Write volumes with everything that their headers can express: levels along z, both wavelets, both block coders, many
 * slices.
 */
static bool write_volumes(kst_context *context, const char *folder)
{
    enum { WIDTH = 9, HEIGHT = 7, MOST = 270 };
    static const struct {
        const char *name;
        uint32_t depth, levels, bits, style;
        kst_j2k_target target;
    } volumes[] = {{"volume.j2c", 6, 2, 8, 0, KST_J2K_LOSSLESS}, {"volume-97.j2c", 11, 3, 12, 0, KST_J2K_RATIO},
        {"volume-ht.j2c", 5, 1, 16, KST_J2K_HT, KST_J2K_LOSSLESS}, {"volume-flat.j2c", 3, 0, 8, 0, KST_J2K_LOSSLESS},
        {"volume-many.j2c", MOST, 5, 8, 0, KST_J2K_LOSSLESS}};
    static uint8_t samples[WIDTH * HEIGHT * MOST * 2];
    bool fine = true;
    for (size_t i = 0; i < sizeof samples; i++)
        samples[i] = (uint8_t)(i % 2 ? i / 40 % 16 : i * 3 + i / 16 % 7);
    for (size_t i = 0; i < sizeof volumes / sizeof volumes[0]; i++) {
        kst_volume volume;
        kst_volume_options options;
        kst_buffer coded = {0};
        kst_volume_init(&volume);
        volume.data = samples;
        volume.width = WIDTH;
        volume.height = HEIGHT;
        volume.depth = volumes[i].depth;
        volume.bits = (uint8_t)volumes[i].bits;
        kst_volume_options_init(&options);
        options.z_levels = volumes[i].levels;
        options.jpeg2000.levels = 1;
        options.jpeg2000.style = volumes[i].style;
        options.jpeg2000.target = volumes[i].target;
        options.jpeg2000.value = 4;
        fine = fine && !kst_encode_volume(context, &volume, &options, &coded, NULL) &&
               write_file(folder, volumes[i].name, &coded, NULL, 0);
        kst_buffer_release(context, &coded);
    }
    return fine;
}

/* Write volumes with transforms of several stages and in tiles, of those that made_volume() makes. */
static bool write_stages(kst_context *context, const char *folder)
{
    enum { SEEDS = 8 };
    kst_buffer slices[] = {made_slices(false), made_slices(true)};
    bool fine = true;
    for (uint32_t number = 0, written = 0; written < SEEDS && fine; number++) {
        const uint8_t input[] = {(uint8_t)(number >> 8), (uint8_t)number};
        char name[32];
        struct made made;
        kst_volume back;
        kst_volume_init(&back);
        made_begin(&made, input, sizeof input);
        made_volume(&made, &slices[written % 2]);
        snprintf(name, sizeof name, "volume-stages-%u.j2c", (unsigned)written);
        const kst_buffer coded = {.data = made.data, .length = made.length};
        if (made.length > 1500 && !kst_decode_volume(context, made.data, made.length, NULL, &back, NULL)) {
            fine = write_file(folder, name, &coded, NULL, 0);
            written++;
        }
        kst_volume_release(context, &back);
        made_end(&made);
    }
    for (uint32_t i = 0; i < 2; i++)
        kst_buffer_release(fuzz_plain(), &slices[i]);
    return fine;
}

enum { SEQUENCE_MOST = 1 << 15 };

static void append(kst_buffer *to, const void *data, size_t length)
{
    if (length <= SEQUENCE_MOST - to->length)
        memcpy(to->data + to->length, data, length);
    to->length += length <= SEQUENCE_MOST - to->length ? length : 0;
}

/* Append a chunk of RIFF: its name, its length, its contents, and a byte that makes the length even. */
static void append_chunk(kst_buffer *to, const char *name, const void *data, size_t length)
{
    uint8_t head[8] = {0, 0, 0, 0, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16), 0};

    memcpy(head, name, 4);
    append(to, head, sizeof head);
    append(to, data, length);
    append(to, "", length % 2);
}

/* Make an AVI file of two frames without an index, whose lists may claim more bytes than the file has. */
static void make_avi(kst_buffer *to, const kst_buffer *frame)
{
    static const uint8_t stream[56] = "vidsMJPG\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\31";
    static const uint8_t format[40] = "\50\0\0\0\45\0\0\0\35\0\0\0\1\0\30\0MJPG";
    static const uint8_t main_header[56] = {0};

    append(to, "RIFF\377\377\0\0AVI ", 12);
    append(to, "LIST\0\1\0\0hdrl", 12);
    append_chunk(to, "avih", main_header, sizeof main_header);
    append(to, "LIST\164\0\0\0strl", 12);
    append_chunk(to, "strh", stream, sizeof stream);
    append_chunk(to, "strf", format, sizeof format);
    append_chunk(to, "JUNK", "\0", 2);
    append(to, "LIST\377\377\0\0movi", 12);
    append_chunk(to, "00dc", frame->data, frame->length);
    append_chunk(to, "00dc", frame->data, frame->length);
}

static void make_multipart(kst_buffer *to, const kst_buffer *frame)
{
    char head[128];
    int length = snprintf(head, sizeof head, "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %u\r\n\r\n",
        (unsigned)frame->length);

    for (int i = 0; i < 2; i++) {
        append(to, head, (size_t)length);
        append(to, frame->data, frame->length);
        append(to, "\r\n", 2);
    }
}

/* Make a TIFF file of one strip, the frame, which refers to a second directory beyond the end of the file. */
static void make_tiff(kst_buffer *to, const kst_buffer *frame)
{
    enum { ENTRIES = 9, DATA = 8 + 2 + 12 * ENTRIES + 4, LONG = 4 };
    const uint32_t entries[ENTRIES][2] = {{256, 37}, {257, 29}, {258, 8}, {259, 7}, {262, 6 /* YCbCr */}, {273, DATA},
        {277, 3}, {278, 29}, {279, (uint32_t)frame->length}};

    append(to, "II*\0\10\0\0\0\11\0", 10);
    for (size_t i = 0; i < ENTRIES; i++) {
        const uint32_t tag = entries[i][0], value = entries[i][1];
        const uint8_t entry[12] = {(uint8_t)tag, (uint8_t)(tag >> 8), LONG, 0, 1, 0, 0, 0, (uint8_t)value,
            (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
        append(to, entry, sizeof entry);
    }
    append(to, "\377\377\0\0", 4);
    append(to, frame->data, frame->length);
}

/* Make an NDPI file: a stream with a restart interval for each row of MCUs, and the list of their places. */
static void make_ndpi(kst_buffer *to, const kst_buffer *stream)
{
    enum { LONG = 4, STARTS = 12, INTERVALS = 2, STREAM = STARTS + 4 * INTERVALS, ENTRIES = 11 };
    const uint32_t entries[ENTRIES][3] = {{256, 1, 37}, {257, 1, 29}, {258, 1, 8}, {259, 1, 7}, {262, 1, 6},
        {273, 1, STREAM}, {277, 1, 3}, {278, 1, 29}, {279, 1, (uint32_t)stream->length}, {65420, 1, 1},
        {65426, INTERVALS, STARTS}};
    uint32_t starts[INTERVALS] = {0}, count = 0;

    for (uint32_t i = 0; i + 1 < stream->length && count < INTERVALS; i++) {
        const uint8_t *at = stream->data + i;
        if (at[0] == 0xFF && at[1] == 0xDA)
            starts[count++] = i + 2 + at[3];
        else if (at[0] == 0xFF && (at[1] & 0xF8) == 0xD0 && count > 0)
            starts[count++] = i + 2;
    }
    append(to, "II*\0", 4);
    const size_t directory = (STREAM + stream->length + 1) / 2 * 2;
    const uint8_t first[8] = {(uint8_t)directory, (uint8_t)(directory >> 8), (uint8_t)(directory >> 16)};
    append(to, first, sizeof first);
    append(to, starts, sizeof starts); /* little-endian, like the machines that run the fuzzers */
    append(to, stream->data, stream->length);
    append(to, "", directory - STREAM - stream->length);
    append(to, "\13\0", 2);
    for (size_t i = 0; i < ENTRIES; i++) {
        const uint32_t tag = entries[i][0], value = entries[i][2];
        const uint8_t entry[12] = {(uint8_t)tag, (uint8_t)(tag >> 8), LONG, 0, (uint8_t)entries[i][1], 0, 0, 0,
            (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
        append(to, entry, sizeof entry);
    }
    append(to, "\0\0\0\0\0\0\0", 8);
}

/* Write a frame in TIFF, sequences in each container, and a few tags of Y4M. */
static bool write_sequences(kst_context *context, const char *folder)
{
    static uint8_t pixels[37 * 29 * 3], bytes[SEQUENCE_MOST];
    static const char y4m[] = "YUV4MPEG2 W4 H2 F30000:1001 It A4:3 C420jpeg XCOLORRANGE=FULL XYSCSS=420JPEG\n"
                              "FRAME\n0123456789abFRAME Ip\nABCDEFGHIJKL";
    kst_buffer sequence = {.data = bytes}, frame = {.data = NULL};
    kst_image image;

    fill(pixels, 3, small);
    append(&sequence, y4m, sizeof y4m - 1);
    bool fine = write_file(folder, "sequence.y4m", &sequence, NULL, 0) &&
                !kst_image_wrap(&image, KST_FORMAT_RGB, small.width, small.height, pixels, 0) &&
                !kst_encode(context, &image, NULL, &frame, NULL);
    sequence.length = 0;
    make_avi(&sequence, &frame);
    fine = fine && write_file(folder, "sequence.avi", &sequence, NULL, 0);
    sequence.length = 0;
    make_multipart(&sequence, &frame);
    fine = fine && write_file(folder, "sequence.multipart", &sequence, NULL, 0);
    sequence.length = 0;
    make_tiff(&sequence, &frame);
    fine = fine && write_file(folder, "strip.tif", &sequence, NULL, 0);
    kst_buffer_release(context, &frame);
    return fine;
}

/* Write a file of NDPI. */
static bool write_ndpi(kst_context *context, const char *folder)
{
    static uint8_t pixels[37 * 29 * 3], bytes[SEQUENCE_MOST];
    kst_buffer file = {.data = bytes}, stream = {.data = NULL};
    kst_encode_options options;
    kst_image image;

    fill(pixels, 3, small);
    kst_encode_options_init(&options);
    options.restart = (kst_restart){KST_RESTART_ROWS, 1};
    bool fine = !kst_image_wrap(&image, KST_FORMAT_RGB, small.width, small.height, pixels, 0) &&
                !kst_encode(context, &image, &options, &stream, NULL);
    if (fine)
        make_ndpi(&file, &stream);
    fine = fine && write_file(folder, "slide.ndpi", &file, NULL, 0);
    kst_buffer_release(context, &stream);
    return fine;
}

/* Return the CRC-32 of RFC 1952. */
static uint32_t checksum_of(const uint8_t *data, size_t length)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < 8 * length; i++) {
        const uint32_t bit = (sum ^ (uint32_t)data[i / 8] >> i % 8) & 1;
        sum = sum >> 1 ^ (bit != 0 ? 0xEDB88320 : 0);
    }
    return ~sum;
}

/*
 * Write a compressed file of NIfTI-1, and bricks of four bytes, all as stored blocks. The last three bytes of a brick's
 * file are for the target: the brick's length less 1, its codec, and the kind of file.
 */
static bool write_packed(const char *folder, const kst_buffer *volume)
{
    enum { MOST = 512, HEAD = 15, TRAILER = 8 };
    static const uint8_t zstd[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 4, 0x21, 0, 0, 'z', 'a', 'r', 'r', 3, 2, 6};
    static const uint8_t zlib[] = {0x78, 1, 1, 4, 0, 0xFB, 0xFF, 'z', 'a', 'r', 'r', 4, 0x65, 1, 0xC0, 3, 1, 6};
    static const uint8_t gzip[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1, 4, 0, 0xFB, 0xFF, 'z', 'a', 'r', 'r', 0x97,
        0x35, 0xD1, 0xCF, 4, 0, 0, 0, 3, 0, 6};
    static const uint8_t blosc[] = {2, 1, 0x32, 1, 4, 0, 0, 0, 4, 0, 0, 0, 20, 0, 0, 0, 'z', 'a', 'r', 'r', 3, 3, 6};
    static const char *const names[] = {"zstd.brick", "zlib.brick", "gzip.brick", "blosc.brick"};
    static const kst_buffer bricks[] = {{.data = (uint8_t *)(uintptr_t)zstd, .length = sizeof zstd},
        {.data = (uint8_t *)(uintptr_t)zlib, .length = sizeof zlib},
        {.data = (uint8_t *)(uintptr_t)gzip, .length = sizeof gzip},
        {.data = (uint8_t *)(uintptr_t)blosc, .length = sizeof blosc}};
    static const uint8_t kind = 5;
    uint8_t bytes[MOST] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1};
    const size_t length = volume->length;
    for (size_t i = 0; i < 2; i++) { /* the length of the stored block, and its complement */
        bytes[11 + i] = (uint8_t)(length >> 8 * i);
        bytes[13 + i] = (uint8_t) ~(length >> 8 * i);
        bytes[HEAD + length + 4 + i] = (uint8_t)(length >> 8 * i);
    }
    memcpy(bytes + HEAD, volume->data, length);
    const uint32_t sum = checksum_of(volume->data, length);
    for (size_t i = 0; i < 4; i++)
        bytes[HEAD + length + i] = (uint8_t)(sum >> 8 * i);
    const kst_buffer file = {.data = bytes, .length = HEAD + length + TRAILER};
    bool fine = write_file(folder, "volume.nii.gz", &file, &kind, 1);
    for (size_t i = 0; i < sizeof bricks / sizeof *bricks && fine; i++)
        fine = write_file(folder, names[i], &bricks[i], NULL, 0);
    return fine;
}

/* Write a survey of SEG-Y, a volume of NIfTI-1 and metadata of Zarr; the last byte says which of them a file is. */
static bool write_volume_files(const char *folder)
{
    enum { HEADERS = 3600, TRACE = 240 + 2 * 4, TRACES = 4, NIFTI = 352, SAMPLES = 12 };
    static const uint8_t kinds_of[] = {0, 1, 2, 3, 4};
    static const char array[] =
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[32,32,32],\"data_type\":\"int16\",\"chunk_grid\":{"
        "\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[16,16,16]}},\"chunk_key_encoding\":{\"name\":"
        "\"default\",\"configuration\":{\"separator\":\"/\"}},\"fill_value\":0,\"codecs\":[{\"name\":\"kostka\","
        "\"configuration\":{\"profile\":\"3d\"}}]}";
    static const char old[] =
        "{\"zarr_format\":2,\"shape\":[4,4,4],\"chunks\":[1,4,4],\"dtype\":\"<i2\",\"order\":\"C\","
        "\"fill_value\":0,\"filters\":null,\"compressor\":{\"id\":\"imagecodecs_jpeg2k\"}}";
    static const char group[] =
        "{\"attributes\":{\"ome\":{\"multiscales\":[{\"axes\":[{\"name\":\"z\",\"unit\":\"meter\"}],"
        "\"datasets\":[{\"path\":\"0\"}]}]}}}";
    static uint8_t survey[HEADERS + TRACES * TRACE], volume[NIFTI + SAMPLES] = {0x5C, 1};
    survey[3221] = 2; /* samples of a trace, and their format */
    survey[3225] = 5;
    for (uint32_t i = 0; i < TRACES; i++) {
        survey[HEADERS + i * TRACE + 191] = (uint8_t)(1 + i / 2); /* inline and crossline */
        survey[HEADERS + i * TRACE + 195] = (uint8_t)(7 + i % 2);
    }
    memcpy(volume + 40, "\3\0\3\0\2\0\2\0\1\0\1\0\1\0\1", 15);
    memcpy(volume + 70, "\2\0\10", 3);
    memcpy(volume + 108, "\0\0\260\103", 4); /* 352 */
    memcpy(volume + 344, "n+1", 4);
    const kst_buffer files[] = {{.data = survey, .length = sizeof survey}, {.data = volume, .length = sizeof volume},
        {.data = (uint8_t *)(uintptr_t)array, .length = sizeof array - 1},
        {.data = (uint8_t *)(uintptr_t)old, .length = sizeof old - 1},
        {.data = (uint8_t *)(uintptr_t)group, .length = sizeof group - 1}};
    static const char *const names[] = {"survey.sgy", "volume.nii", "array.json", "old.json", "group.json"};
    bool fine = true;
    for (size_t i = 0; i < sizeof files / sizeof *files && fine; i++)
        fine = write_file(folder, names[i], &files[i], &kinds_of[i], 1);
    fine = fine && write_packed(folder, &files[1]);
    return fine;
}

/* Write a stream of the lossless process. */
static bool write_lossless(const char *folder)
{
    const kst_buffer input = {.data = lossless, .length = sizeof lossless};
    return write_file(folder, "lossless.jpg", &input, NULL, 0);
}

/*
 * Write the input with which a target found a fault. For `j2kstreams`: a picture whose last packet that a region needs
 * is withdrawn because of the SOP of the next packet.
 */
static bool write_found(const char *folder)
{
    static uint8_t taken_back[] = {0x46, 0x0F, 0x00, 0x70};
    const kst_buffer input = {.data = taken_back, .length = sizeof taken_back};
    return write_file(folder, "taken-back.j2kstreams", &input, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_seeds FOLDER\n");
        return 2;
    }
    kst_context *context;
    if (kst_context_create(NULL, &context))
        return 1;
    bool fine = true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        fine = write_seed(context, argv[1], &kinds[i], small) && fine;
    for (size_t i = 0; i < sizeof large_kinds / sizeof large_kinds[0]; i++)
        fine = write_seed(context, argv[1], &large_kinds[i], large) && fine;
    for (size_t i = 0; i < sizeof j2k_kinds / sizeof j2k_kinds[0]; i++)
        fine = write_j2k_seed(context, argv[1], &j2k_kinds[i], small) && fine;
    for (size_t i = 0; i < sizeof large_j2k_kinds / sizeof large_j2k_kinds[0]; i++)
        fine = write_j2k_seed(context, argv[1], &large_j2k_kinds[i], large) && fine;
    fine = write_volumes(context, argv[1]) && fine;
    fine = write_stages(context, argv[1]) && fine;
    fine = write_sequences(context, argv[1]) && fine;
    fine = write_lossless(argv[1]) && fine;
    fine = write_ndpi(context, argv[1]) && fine;
    fine = write_found(argv[1]) && fine;
    fine = write_volume_files(argv[1]) && fine;
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
