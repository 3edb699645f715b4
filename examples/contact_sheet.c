/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a contact sheet, on which many JPEG files appear small. Shows batches, decoding at a reduced size, and
 * encoding.
 *
 *     contact_sheet SHEET.jpg FILE.jpg…
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { CELL = 320, GAP = 12, PAPER = 0x20 };

struct photograph {
    const char *path;
    uint8_t *data;
    size_t length;
    kst_decode_options options;
    kst_image image;
};

struct sheet {
    kst_image image;
    uint8_t *pixels;
    uint32_t columns;
};

/* Choose the smallest of the reduced sizes (1/1 … 1/8) that still fills a cell. */
static void choose_size(kst_decoder *decoder, struct photograph *photograph)
{
    kst_decode_options_init(&photograph->options);
    photograph->options.format = KST_FORMAT_RGB;
    photograph->options.orient = true;
    kst_image_init(&photograph->image);
    if (kst_decoder_open(decoder, photograph->data, photograph->length))
        return;
    const kst_info *info = kst_decoder_info(decoder);
    uint32_t longer = info->width > info->height ? info->width : info->height;
    while (photograph->options.reduce < 3 && longer >> (photograph->options.reduce + 1) >= CELL)
        photograph->options.reduce++;
}

/* Compute the mean of the pixels of `from` that fall on one pixel of a picture of width × height. */
static void average(const kst_image *from, uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t *rgb)
{
    uint64_t x0 = (uint64_t)x * from->width / width, x1 = (uint64_t)(x + 1) * from->width / width;
    uint64_t y0 = (uint64_t)y * from->height / height, y1 = (uint64_t)(y + 1) * from->height / height;
    uint64_t sum[3] = {0}, count = 0;
    for (uint64_t row = y0; row < y1 || row == y0; row++)
        for (uint64_t column = x0; column < x1 || column == x0; column++, count++)
            for (int c = 0; c < 3; c++)
                sum[c] += ((const uint8_t *)from->plane[0]
                               .data)[(size_t)row * (size_t)from->plane[0].pitch + (size_t)column * 3 + (size_t)c];
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)((sum[c] + count / 2) / count);
}

static void paste(struct sheet *sheet, uint32_t cell, const kst_image *picture)
{
    uint32_t longer = picture->width > picture->height ? picture->width : picture->height;
    uint32_t width = (uint32_t)fmax(1, (double)picture->width * CELL / longer);
    uint32_t height = (uint32_t)fmax(1, (double)picture->height * CELL / longer);
    uint32_t left = GAP + cell % sheet->columns * (CELL + GAP) + (CELL - width) / 2;
    uint32_t top = GAP + cell / sheet->columns * (CELL + GAP) + (CELL - height) / 2;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            average(
                picture, x, y, width, height, sheet->pixels + ((size_t)(top + y) * sheet->image.width + left + x) * 3);
}

static bool make_sheet(struct sheet *sheet, uint32_t count)
{
    sheet->columns = (uint32_t)ceil(sqrt(count));
    uint32_t width = GAP + sheet->columns * (CELL + GAP);
    uint32_t height = GAP + (count + sheet->columns - 1) / sheet->columns * (CELL + GAP);
    sheet->pixels = malloc((size_t)width * height * 3);
    if (!sheet->pixels)
        return false;
    memset(sheet->pixels, PAPER, (size_t)width * height * 3);
    return !kst_image_wrap(&sheet->image, KST_FORMAT_RGB, width, height, sheet->pixels, 0);
}

static bool write_sheet(kst_context *context, const struct sheet *sheet, const char *path)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = 90;
    options.coding = KST_CODING_PROGRESSIVE;
    kst_buffer coded = {0};
    bool written = !kst_encode(context, &sheet->image, &options, &coded, NULL) && file_write(path, &coded);
    kst_buffer_release(context, &coded);
    return written;
}

/* Read and decode all photographs; those that cannot be decoded leave their cell empty. */
static bool load(kst_context *context, struct photograph *photographs, kst_decode_item *items, uint32_t count)
{
    kst_decoder *decoder;
    if (kst_decoder_create(context, &decoder))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct photograph *photograph = &photographs[i];
        photograph->data = file_read(photograph->path, &photograph->length);
        choose_size(decoder, photograph);
        items[i] = (kst_decode_item){.data = photograph->data,
            .length = photograph->length,
            .options = &photograph->options,
            .image = &photograph->image};
    }
    kst_decoder_destroy(&decoder);
    if (!kst_decode_batch(context, items, count))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].report.status)
            fprintf(stderr, "contact_sheet: %s: %s\n", photographs[i].path, items[i].report.message);
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: contact_sheet SHEET.jpg FILE.jpg…\n"), 2;
    uint32_t count = (uint32_t)argc - 2;
    kst_context *context = NULL;
    struct photograph *photographs = calloc(count, sizeof *photographs);
    kst_decode_item *items = calloc(count, sizeof *items);
    struct sheet sheet = {0};
    bool fine = !kst_context_create(NULL, &context) && photographs && items && make_sheet(&sheet, count);
    if (fine) {
        for (uint32_t i = 0; i < count; i++)
            photographs[i].path = argv[2 + i];
        fine = load(context, photographs, items, count);
        for (uint32_t i = 0; i < count; i++) {
            if (!items[i].report.status && photographs[i].image.width > 0)
                paste(&sheet, i, &photographs[i].image);
            kst_image_release(context, &photographs[i].image);
            free(photographs[i].data);
        }
        fine = write_sheet(context, &sheet, argv[1]) && fine;
    }
    free(sheet.pixels);
    free(items);
    free(photographs);
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
