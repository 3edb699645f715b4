/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes and decodes a small picture in many ways with each instruction tier of the processor, which must all give the
 * same bytes, and prints digests of them. ./dev cross compares the digests of two processors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <kostka/kostka.h>

enum { WIDTH = 211, HEIGHT = 149, FULL = 0, MOST_TIERS = 5 };

struct way {
    const char *name;
    kst_codec codec;
    uint32_t depth, style, passes;
    kst_j2k_target target;
    double value;
    kst_coding coding;
    kst_subsampling subsampling;
    kst_dct dct;
    uint32_t eighths; /* the size at which a JPEG is decoded; FULL: all of them */
};

#define J2K(name, style, passes, target, value)                                                                        \
    {                                                                                                                  \
        name, KST_CODEC_JPEG2000, 8, style, passes, target, value, 0, 0, 0, FULL                                       \
    }
#define JPEG(name, coding, subsampling, dct, eighths)                                                                  \
    {                                                                                                                  \
        name, KST_CODEC_JPEG, 8, 0, 1, 0, 0, coding, subsampling, dct, eighths                                         \
    }

static const struct way ways[] = {
    JPEG("jpeg 4:2:0", KST_CODING_BASELINE, KST_SUBSAMPLING_420, KST_DCT_ACCURATE, FULL),
    JPEG("jpeg 4:2:2", KST_CODING_OPTIMIZED, KST_SUBSAMPLING_422, KST_DCT_ACCURATE, FULL),
    JPEG("jpeg 4:4:0", KST_CODING_PROGRESSIVE, KST_SUBSAMPLING_440, KST_DCT_ACCURATE, FULL),
    JPEG("jpeg 4:4:4, fast", KST_CODING_BASELINE, KST_SUBSAMPLING_444, KST_DCT_FAST, FULL),
    JPEG("jpeg at 1/8", KST_CODING_BASELINE, KST_SUBSAMPLING_420, KST_DCT_ACCURATE, 1),
    JPEG("jpeg at 1/4", KST_CODING_BASELINE, KST_SUBSAMPLING_420, KST_DCT_ACCURATE, 2),
    JPEG("jpeg at 1/2", KST_CODING_BASELINE, KST_SUBSAMPLING_420, KST_DCT_ACCURATE, 4),
    JPEG("jpeg at 11/8", KST_CODING_BASELINE, KST_SUBSAMPLING_420, KST_DCT_ACCURATE, 11),
    J2K("jpeg 2000", 0, 1, KST_J2K_LOSSLESS, 0),
    J2K("jpeg 2000, 12:1", 0, 1, KST_J2K_RATIO, 12),
    J2K("jpeg 2000, bypass", KST_J2K_BYPASS, 1, KST_J2K_STEP, 2),
    J2K("htj2k", KST_J2K_HT, 1, KST_J2K_LOSSLESS, 0),
    J2K("htj2k, quality", KST_J2K_HT, 1, KST_J2K_QUALITY, 85),
    J2K("htj2k, 12:1, refinement", KST_J2K_HT, 3, KST_J2K_RATIO, 12),
    {"jpeg 2000 of 16 bits", KST_CODEC_JPEG2000, 16, 0, 1, KST_J2K_LOSSLESS, 0, 0, 0, 0, FULL},
    {"htj2k of 16 bits", KST_CODEC_JPEG2000, 16, KST_J2K_HT, 1, KST_J2K_STEP, 2, 0, 0, 0, FULL},
};

struct digests {
    size_t length;
    uint32_t coded, decoded; /* FNV-1a */
};

static void check(kst_status status, const struct way *way, const char *tier)
{
    if (!status)
        return;
    fprintf(stderr, "%s with %s: %s\n", way->name, tier, kst_status_text(status));
    exit(1);
}

static uint32_t digest_of(const void *data, size_t length)
{
    const uint8_t *byte = data;
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * 16777619U;
    return hash;
}

/* Return a sample of smooth waves, edges and noise, computed from integers alone. */
static uint32_t sample_at(uint32_t x, uint32_t y, uint32_t channel)
{
    uint32_t noise = (x * 2654435761U) ^ (y * 2246822519U) ^ (channel * 3266489917U);
    noise = (noise ^ noise >> 15) * 2654435761U >> 28;
    return (x * (3 + channel) + y * y / 40 + (x / 37 + y / 23) % 2 * 70 + (y > 100 ? 4 * noise : noise / 4)) % 256;
}

static kst_image draw(uint32_t depth, void *samples)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RGB;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.data = samples,
        .pitch = (size_t)3 * WIDTH * (depth / 8),
        .width = WIDTH,
        .height = HEIGHT,
        .depth = (uint8_t)depth};
    for (uint32_t i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        uint32_t sample = sample_at(i / 3 % WIDTH, i / 3 / WIDTH, i % 3);
        if (depth == 16)
            ((uint16_t *)samples)[i] = (uint16_t)(sample * 251 + i % 89);
        else
            ((uint8_t *)samples)[i] = (uint8_t)sample;
    }
    return image;
}

static kst_buffer encode(kst_context *context, const struct way *way, const char *tier)
{
    static uint16_t samples[3 * WIDTH * HEIGHT];
    kst_image image = draw(way->depth, samples);
    kst_j2k_options j2k;
    kst_encode_options options;
    kst_buffer coded = {0};
    kst_j2k_options_init(&j2k);
    j2k.style = way->style;
    j2k.passes = way->passes;
    j2k.target = way->target;
    j2k.value = way->value;
    kst_encode_options_init(&options);
    options.codec = way->codec;
    options.jpeg2000 = &j2k;
    options.quality = 88;
    options.coding = way->coding;
    options.subsampling = way->subsampling;
    options.dct = way->dct;
    check(kst_encode(context, &image, &options, &coded, NULL), way, tier);
    return coded;
}

static struct digests digests_of(kst_context *context, const struct way *way, const char *tier)
{
    kst_buffer coded = encode(context, way, tier);
    struct digests digests = {.length = coded.length, .coded = digest_of(coded.data, coded.length)};
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    options.eighths = way->eighths;
    options.dct = way->dct;
    kst_image_init(&image);
    check(kst_decode(context, coded.data, coded.length, &options, &image, NULL), way, tier);
    for (uint32_t y = 0; y < image.height; y++) {
        const uint8_t *row = (const uint8_t *)image.plane[0].data + y * image.plane[0].pitch;
        digests.decoded = digests.decoded * 31 + digest_of(row, (size_t)3 * image.width * (way->depth / 8));
    }
    kst_image_release(context, &image);
    kst_buffer_release(context, &coded);
    return digests;
}

/* Create a context for each tier of the processor, in ascending order. Returns the number of tiers. */
static uint32_t open_tiers(const char *name[MOST_TIERS], kst_context *context[MOST_TIERS])
{
    static const char *const names[] = {"c", "sse2", "avx2", "avx512", "neon"};
    uint32_t count = 0;
    for (uint32_t i = 0; i < MOST_TIERS; i++) {
        kst_context_options options;
        kst_context_options_init(&options);
        options.device = "cpu";
        options.threads = 1;
        options.cpu = name[count] = names[i];
        if (!kst_context_create(&options, &context[count]))
            count++;
    }
    return count;
}

int main(void)
{
    const char *name[MOST_TIERS];
    kst_context *context[MOST_TIERS];
    const uint32_t tiers = open_tiers(name, context);
    bool same = tiers > 1;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const struct digests first = digests_of(context[0], &ways[w], name[0]);
        printf("%s: %zu bytes %08x, samples %08x\n", ways[w].name, first.length, first.coded, first.decoded);
        for (uint32_t t = 1; t < tiers; t++) {
            const struct digests other = digests_of(context[t], &ways[w], name[t]);
            if (other.length == first.length && other.coded == first.coded && other.decoded == first.decoded)
                continue;
            fprintf(stderr, "%s: %s and %s differ\n", ways[w].name, name[0], name[t]);
            same = false;
        }
    }
    for (uint32_t t = 0; t < tiers; t++)
        kst_context_destroy(&context[t]);
    return !same;
}
