/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes small JPEG files of many kinds into a folder, for the fuzz targets to start from. */
#include <kostka/kostka.h>

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 37, HEIGHT = 29 };

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

static bool write_seed(kst_context *context, const char *folder, const struct kind *kind)
{
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    uint32_t channels = kst_format_channels(kind->format);
    for (uint32_t i = 0; i < WIDTH * HEIGHT * channels; i++)
        pixels[i] =
            (uint8_t)((i / channels % WIDTH) * 5 + i / channels / WIDTH * 7 + (i * i >> 5) % 40 + i % channels * 50);
    kst_image image;
    kst_encode_options options;
    kst_buffer coded = {0};
    kst_encode_options_init(&options);
    options.quality = kind->quality;
    options.subsampling = kind->subsampling;
    options.coding = kind->coding;
    options.restart = kind->restart;
    if (kst_image_wrap(&image, kind->format, WIDTH, HEIGHT, pixels, 0) != KST_OK ||
        kst_encode(context, &image, &options, &coded, NULL) != KST_OK)
        return false;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.jpg", folder, kind->name);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(coded.data, 1, coded.length, file) == coded.length;
    if (file && fclose(file) != 0)
        written = false;
    kst_buffer_release(context, &coded);
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_seeds FOLDER\n");
        return 2;
    }
    kst_context *context;
    if (kst_context_create(NULL, &context) != KST_OK)
        return 1;
    bool fine = true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!write_seed(context, argv[1], &kinds[i])) {
            fprintf(stderr, "make_seeds: %s failed\n", kinds[i].name);
            fine = false;
        }
    }
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
