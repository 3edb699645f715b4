/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes GIF files without a library. make_gif FILE WIDTH HEIGHT [WORD…] makes one, whose LZW codes have nine bits each
 * and compress nothing, and writes the pixels of its first picture on its canvas to FILE.raw: grey with "grey", RGBA
 * with "transparent=INDEX" or where the canvas is larger than the picture, otherwise RGB. Other words are "interlaced";
 * "local" for a palette of the picture's own, and "nopalette" for none at all; "canvas=WxH" and "at=X,Y"; "claim=WxH"
 * for a canvas in the header alone, which does not affect FILE.raw; "frames=N"; and "comment", "icc" and "xmp" for
 * extensions in front of the pictures.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli/words.h"

enum { COLOURS = 256, CLEAR = 256, END = 257, BITS = 9, UNTIL_CLEAR = 200 };

struct recipe {
    int width, height, canvas_width, canvas_height, x, y, frames, transparent, claim_width, claim_height;
    bool grey, interlaced, local, nopalette, comment, icc, xmp;
};

/* Packs codes into blocks of up to 255 bytes. */
struct packer {
    FILE *file;
    unsigned bits, count;
    unsigned char block[255];
    size_t length;
};

static void put_number(FILE *file, int number)
{
    fputc(number & 255, file);
    fputc(number >> 8, file);
}

static void flush(struct packer *packer)
{
    if (packer->length == 0)
        return;
    fputc((int)packer->length, packer->file);
    fwrite(packer->block, 1, packer->length, packer->file);
    packer->length = 0;
}

static void put_code(struct packer *packer, unsigned code)
{
    packer->bits |= code << packer->count;
    for (packer->count += BITS; packer->count >= 8; packer->count -= 8) {
        packer->block[packer->length++] = (unsigned char)packer->bits;
        packer->bits >>= 8;
        if (packer->length == sizeof packer->block)
            flush(packer);
    }
}

static void colour(const struct recipe *recipe, int index, unsigned char rgb[3])
{
    rgb[0] = (unsigned char)index;
    rgb[1] = (unsigned char)(recipe->grey ? index : 255 - index);
    rgb[2] = (unsigned char)(recipe->grey ? index : index * 7);
}

static int index_at(const struct recipe *recipe, int x, int y, int frame)
{
    return (x * 5 + y * 3 + frame + x * y % 7 + recipe->width) % COLOURS;
}

static void put_palette(const struct recipe *recipe, FILE *file)
{
    for (int i = 0; i < COLOURS; i++) {
        unsigned char rgb[3];
        colour(recipe, i, rgb);
        fwrite(rgb, 1, 3, file);
    }
}

/* Write a row. Clear codes come so often that the code size never grows to ten bits. */
static void put_row(const struct recipe *recipe, struct packer *packer, int y, int frame, unsigned *count)
{
    for (int x = 0; x < recipe->width; x++) {
        if ((*count)++ % UNTIL_CLEAR == 0)
            put_code(packer, CLEAR);
        put_code(packer, (unsigned)index_at(recipe, x, y, frame));
    }
}

static void put_rows(const struct recipe *recipe, FILE *file, int frame)
{
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    struct packer packer = {.file = file};
    unsigned count = 0;

    fputc(BITS - 1, file);
    for (int turn = 0; turn < (recipe->interlaced ? 4 : 1); turn++)
        for (int y = recipe->interlaced ? first[turn] : 0; y < recipe->height; y += recipe->interlaced ? step[turn] : 1)
            put_row(recipe, &packer, y, frame, &count);
    put_code(&packer, END);
    put_code(&packer, 0); /* pads the last byte, so that the end code is written */
    flush(&packer);
    fputc(0, file);
}

static void put_picture(const struct recipe *recipe, FILE *file, int frame)
{
    fwrite("!\xF9\4", 1, 3, file);
    fputc(recipe->transparent >= 0, file);
    put_number(file, 10);
    fputc(recipe->transparent >= 0 ? recipe->transparent : 0, file);
    fputc(0, file);
    fputc(',', file);
    put_number(file, recipe->x);
    put_number(file, recipe->y);
    put_number(file, recipe->width);
    put_number(file, recipe->height);
    fputc((recipe->local ? 0x87 : 0) | (recipe->interlaced ? 0x40 : 0), file);
    if (recipe->local)
        put_palette(recipe, file);
    put_rows(recipe, file, frame);
}

/* Write an ICC profile of 600 bytes, in blocks of up to 255. */
static void put_icc(FILE *file)
{
    fwrite("!\xFF\x0BICCRGBG1012", 1, 14, file);
    for (int left = 600, part; left > 0; left -= part) {
        part = left < 255 ? left : 255;
        fputc(part, file);
        for (int i = 0; i < part; i++)
            fputc('p', file);
    }
    fputc(0, file);
}

/*
 * Write an XMP packet, which is not divided into blocks. Readers that expect blocks are led to an empty one by the
 * bytes behind it.
 */
static void put_xmp(FILE *file)
{
    fwrite("!\xFF\x0BXMP DataXMP<x:xmpmeta/>\x01", 1, 27, file);
    for (int i = 255; i >= 0; i--)
        fputc(i, file);
    fputc(0, file);
}

static void put_file(const struct recipe *recipe, FILE *file)
{
    bool global = !recipe->local && !recipe->nopalette;

    fwrite("GIF89a", 1, 6, file);
    put_number(file, recipe->claim_width > 0 ? recipe->claim_width : recipe->canvas_width);
    put_number(file, recipe->claim_height > 0 ? recipe->claim_height : recipe->canvas_height);
    fputc(global ? 0xF7 : 0x70, file);
    put_number(file, 0); /* background, aspect */
    if (global)
        put_palette(recipe, file);
    if (recipe->comment)
        fwrite("!\xFE\5hello\0", 1, 9, file);
    if (recipe->icc)
        put_icc(file);
    if (recipe->xmp)
        put_xmp(file);
    for (int i = 0; i < recipe->frames; i++)
        put_picture(recipe, file, i);
    fputc(';', file);
}

static void put_raw(const struct recipe *recipe, FILE *file)
{
    int width = recipe->canvas_width > recipe->x + recipe->width ? recipe->canvas_width : recipe->x + recipe->width;
    int height =
        recipe->canvas_height > recipe->y + recipe->height ? recipe->canvas_height : recipe->y + recipe->height;
    bool alpha = recipe->transparent >= 0 || width > recipe->width || height > recipe->height;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int column = x - recipe->x, row = y - recipe->y;
            unsigned char pixel[4] = {0};
            if (column >= 0 && column < recipe->width && row >= 0 && row < recipe->height) {
                int index = index_at(recipe, column, row, 0);
                colour(recipe, index, pixel);
                pixel[3] = index == recipe->transparent ? 0 : 255;
            }
            fwrite(pixel, 1, alpha ? 4 : recipe->grey ? 1 : 3, file);
        }
}

static bool read_word(struct recipe *recipe, const char *word)
{
    const struct {
        const char *name;
        bool *set;
    } flags[] = {{"grey", &recipe->grey}, {"interlaced", &recipe->interlaced}, {"local", &recipe->local},
        {"nopalette", &recipe->nopalette}, {"comment", &recipe->comment}, {"icc", &recipe->icc}, {"xmp", &recipe->xmp}};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].set = true;
    return word_value(word, "frames=", &recipe->frames) || word_pair(word, "at=", ',', &recipe->x, &recipe->y) ||
           word_value(word, "transparent=", &recipe->transparent) ||
           word_pair(word, "claim=", 'x', &recipe->claim_width, &recipe->claim_height) ||
           word_pair(word, "canvas=", 'x', &recipe->canvas_width, &recipe->canvas_height);
}

int main(int argc, char **argv)
{
    char raw[4096];
    struct recipe recipe = {.frames = 1, .transparent = -1};

    if (argc < 4 || !word_number(argv[2], &recipe.width) || !word_number(argv[3], &recipe.height))
        return 2;
    recipe.canvas_width = recipe.width;
    recipe.canvas_height = recipe.height;
    for (int i = 4; i < argc; i++)
        if (!read_word(&recipe, argv[i]))
            return 2;
    snprintf(raw, sizeof raw, "%s.raw", argv[1]);
    FILE *file = fopen(argv[1], "wb"), *pixels = fopen(raw, "wb");
    if (file == NULL || pixels == NULL)
        return 1;
    put_file(&recipe, file);
    put_raw(&recipe, pixels);
    return fclose(file) != 0 || fclose(pixels) != 0;
}
