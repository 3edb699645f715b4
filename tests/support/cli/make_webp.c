/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes WebP files with libwebp's encoder. make_webp FILE WIDTH HEIGHT [WORD…] makes one, and writes to FILE.raw the
 * pixels to which libwebp decodes it: RGBA with "alpha" or where a frame does not cover its canvas, otherwise RGB.
 * Other words are "lossy"; "icc", "exif", "jpegexif" (with the prefix that Exif has in JPEG) and "xmp" for metadata;
 * and "frames=N" for an animation, with "canvas=WxH" and "at=X,Y", of which the raw file has the first frame.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/encode.h>

#include "support/cli/words.h"

enum { ROOM = 1 << 24, ALPHA_FLAG = 16, ICC_FLAG = 32, EXIF_FLAG = 8, XMP_FLAG = 4, ANIMATION_FLAG = 2 };

struct recipe {
    int width, height, canvas_width, canvas_height, x, y, frames;
    bool lossy, alpha, icc, exif, jpegexif, xmp;
};

/* Holds the file as it grows. */
static uint8_t file[ROOM];
static size_t length;

static void put(const void *data, size_t count)
{
    if (count > ROOM - length)
        abort();
    memcpy(file + length, data, count);
    length += count;
}

static void put_number(size_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        put((uint8_t[]){(uint8_t)(number >> 8 * i)}, 1);
}

static void put_chunk(const char *name, const void *data, size_t count)
{
    put(name, 4);
    put_number(count, 4);
    put(data, count);
    if (count % 2 != 0)
        put_number(0, 1);
}

/* Make gradients with some noise, as RGBA, different in each frame. */
static uint8_t *make_pixels(const struct recipe *recipe, int frame)
{
    size_t count = (size_t)recipe->width * (size_t)recipe->height;
    uint8_t *pixels = malloc(4 * count);
    uint32_t noise = 1 + (uint32_t)frame;

    if (pixels == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        size_t x = i % (size_t)recipe->width, y = i / (size_t)recipe->width;
        noise = noise * 1664525 + 1013904223;
        const uint8_t pixel[4] = {(uint8_t)(3 * x + (noise >> 28)), (uint8_t)(2 * y),
            (uint8_t)(x + y + (size_t)frame * 60), (uint8_t)(recipe->alpha ? 255 - 2 * x : 255)};
        memcpy(pixels + 4 * i, pixel, 4);
    }
    return pixels;
}

/* Encode a frame to a whole file of libwebp's encoder: a RIFF header, then chunks. */
static uint8_t *encode(const struct recipe *recipe, int frame, size_t *made)
{
    uint8_t *pixels = make_pixels(recipe, frame), *coded;

    if (recipe->lossy)
        *made = WebPEncodeRGBA(pixels, recipe->width, recipe->height, 4 * recipe->width, 70, &coded);
    else
        *made = WebPEncodeLosslessRGBA(pixels, recipe->width, recipe->height, 4 * recipe->width, &coded);
    free(pixels);
    if (*made == 0)
        abort();
    return coded;
}

/* Append the chunks of the picture itself, without the VP8X chunk that the container has already. */
static void put_picture(const uint8_t *coded, size_t count)
{
    size_t first = memcmp(coded + 12, "VP8X", 4) == 0 ? 30 : 12;

    put(coded + first, count - first);
}

static void put_frame(const struct recipe *recipe, const uint8_t *coded, size_t count)
{
    size_t at = length;

    put_chunk("ANMF", "", 0);
    put_number((size_t)recipe->x / 2, 3);
    put_number((size_t)recipe->y / 2, 3);
    put_number((size_t)recipe->width - 1, 3);
    put_number((size_t)recipe->height - 1, 3);
    put_number(100, 4); /* milliseconds, flags */
    put_picture(coded, count);
    for (int i = 0; i < 4; i++)
        file[at + 4 + (size_t)i] = (uint8_t)((length - at - 8) >> 8 * i);
}

/* Write the pixels to which libwebp decodes the first frame, on its canvas. */
static void write_raw(const struct recipe *recipe, const char *path, const uint8_t *coded, size_t count)
{
    bool covers = recipe->canvas_width == recipe->width && recipe->canvas_height == recipe->height;
    int left = recipe->canvas_width - recipe->x, columns = left < recipe->width ? left : recipe->width;
    size_t channels = recipe->alpha || !covers ? 4 : 3, row = channels * (size_t)recipe->width;
    uint8_t *pixels = (channels == 4 ? WebPDecodeRGBA : WebPDecodeRGB)(coded, count, NULL, NULL);
    uint8_t *canvas = calloc((size_t)recipe->canvas_width * (size_t)recipe->canvas_height, channels);
    FILE *raw = fopen(path, "wb");

    if (pixels == NULL || canvas == NULL || raw == NULL)
        abort();
    for (int y = 0; y < recipe->height; y++)
        memcpy(canvas + channels * (size_t)((y + recipe->y) * recipe->canvas_width + recipe->x),
            pixels + (size_t)y * row, channels * (size_t)columns);
    fwrite(canvas, channels, (size_t)recipe->canvas_width * (size_t)recipe->canvas_height, raw);
    if (fclose(raw) != 0)
        abort();
    free(canvas);
    WebPFree(pixels);
}

static void put_header(const struct recipe *recipe)
{
    int flags = (recipe->alpha ? ALPHA_FLAG : 0) | (recipe->icc ? ICC_FLAG : 0) |
                (recipe->exif || recipe->jpegexif ? EXIF_FLAG : 0) | (recipe->xmp ? XMP_FLAG : 0) |
                (recipe->frames > 0 ? ANIMATION_FLAG : 0);

    put_chunk("VP8X", "", 0);
    file[length - 4] = 10;
    put_number((size_t)flags, 4);
    put_number((size_t)recipe->canvas_width - 1, 3);
    put_number((size_t)recipe->canvas_height - 1, 3);
    if (recipe->icc)
        put_chunk("ICCP", "a profile", 9);
    if (recipe->frames > 0)
        put_chunk("ANIM", "\xFF\xFF\xFF\xFF\0\0", 6);
}

static void put_metadata(const struct recipe *recipe)
{
    static const char exif[] = "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

    if (recipe->exif)
        put_chunk("EXIF", exif + 6, sizeof exif - 7);
    if (recipe->jpegexif)
        put_chunk("EXIF", exif, sizeof exif - 1);
    if (recipe->xmp)
        put_chunk("XMP ", "<x:xmpmeta/>", 12);
}

static void make(const struct recipe *recipe, const char *raw)
{
    put("RIFF\0\0\0\0WEBP", 12);
    put_header(recipe);
    for (int i = 0; i < (recipe->frames > 0 ? recipe->frames : 1); i++) {
        size_t count;
        uint8_t *coded = encode(recipe, i, &count);
        if (i == 0)
            write_raw(recipe, raw, coded, count);
        if (recipe->frames > 0)
            put_frame(recipe, coded, count);
        else
            put_picture(coded, count);
        WebPFree(coded);
    }
    put_metadata(recipe);
    for (int i = 0; i < 4; i++)
        file[4 + i] = (uint8_t)((length - 8) >> 8 * i);
}

static bool read_word(struct recipe *recipe, const char *word)
{
    const struct {
        const char *name;
        bool *set;
    } flags[] = {{"lossy", &recipe->lossy}, {"alpha", &recipe->alpha}, {"icc", &recipe->icc}, {"exif", &recipe->exif},
        {"jpegexif", &recipe->jpegexif}, {"xmp", &recipe->xmp}};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].set = true;
    return word_value(word, "frames=", &recipe->frames) || word_pair(word, "at=", ',', &recipe->x, &recipe->y) ||
           word_pair(word, "canvas=", 'x', &recipe->canvas_width, &recipe->canvas_height);
}

int main(int argc, char **argv)
{
    char raw[4096];
    struct recipe recipe = {0};

    if (argc < 4 || !word_number(argv[2], &recipe.width) || !word_number(argv[3], &recipe.height))
        return 2;
    recipe.canvas_width = recipe.width;
    recipe.canvas_height = recipe.height;
    for (int i = 4; i < argc; i++)
        if (!read_word(&recipe, argv[i]))
            return 2;
    snprintf(raw, sizeof raw, "%s.raw", argv[1]);
    make(&recipe, raw);
    FILE *output = fopen(argv[1], "wb");
    return output == NULL || fwrite(file, 1, length, output) != length || fclose(output) != 0;
}
