/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does with libjpeg what programs should not do, and prints what comes of it: libjpeg_misuse DAMAGED WHOLE begins to
 * decode a damaged file, forgets that and decodes another with the same object, encodes lines that are too many, then,
 * with standard codes, to a destination that has no room at times, and at last a picture whose tables another one of
 * the same object has written in part.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

/* Print a sum of the lines up to `end`, and leave everything as it is then. */
static void decode(struct jpeg_decompress_struct *cinfo, const char *path, JDIMENSION end)
{
    FILE *file = fopen(path, "rb");
    unsigned sum = 0;
    jpeg_create_decompress(cinfo);
    jpeg_stdio_src(cinfo, file);
    jpeg_read_header(cinfo, TRUE);
    jpeg_start_decompress(cinfo);
    size_t length = cinfo->output_width * (size_t)cinfo->output_components;
    JSAMPROW row = malloc(length);
    while (cinfo->output_scanline < cinfo->output_height && cinfo->output_scanline < end) {
        jpeg_read_scanlines(cinfo, &row, 1);
        for (size_t i = 0; i < length; i++)
            sum = sum * 31 + row[i];
    }
    printf("%s: %u lines, %u\n", path, cinfo->output_scanline, sum);
    free(row);
    fclose(file);
}

static void encode(struct jpeg_error_mgr *errors)
{
    enum { SIDE = 16, MORE = 2 };
    struct jpeg_compress_struct cinfo = {.err = errors};
    unsigned char *coded = NULL, line[3 * SIDE] = {1, 2, 3};
    unsigned long length = 0;
    JSAMPROW row = line;
    jpeg_create_compress(&cinfo);
    jpeg_mem_dest(&cinfo, &coded, &length);
    cinfo.image_width = cinfo.image_height = SIDE;
    cinfo.input_components = 3;
    cinfo.in_color_space = JCS_RGB;
    jpeg_set_defaults(&cinfo);
    cinfo.optimize_coding = TRUE;
    jpeg_start_compress(&cinfo, TRUE);
    for (int i = 0; i < SIDE + MORE; i++)
        printf("%u", jpeg_write_scanlines(&cinfo, &row, 1));
    jpeg_finish_compress(&cinfo);
    printf(": %lu bytes\n", length);
    jpeg_destroy_compress(&cinfo);
    free(coded);
}

enum { ROOM = 1500, WIDE = 300, HIGH = 90 };

static JOCTET room[ROOM];

static void begin_room(j_compress_ptr cinfo)
{
    cinfo->dest->next_output_byte = room;
    cinfo->dest->free_in_buffer = ROOM;
}

static boolean have_none(j_compress_ptr cinfo)
{
    (void)cinfo;
    return FALSE;
}

static void have_ended(j_compress_ptr cinfo)
{
    (void)cinfo;
}

/* Add what has been written to a sum, and make room. Returns how many bytes there were. */
static size_t empty_room(j_compress_ptr cinfo, unsigned *sum)
{
    size_t length = ROOM - cinfo->dest->free_in_buffer;
    for (size_t i = 0; i < length; i++)
        *sum = *sum * 31 + room[i];
    begin_room(cinfo);
    return length;
}

static void encode_to_little_room(struct jpeg_error_mgr *errors)
{
    struct jpeg_compress_struct cinfo = {.err = errors};
    struct jpeg_destination_mgr to = {
        .init_destination = begin_room, .empty_output_buffer = have_none, .term_destination = have_ended};
    unsigned char line[3 * WIDE];
    unsigned sum = 0, waits = 0;
    size_t length = 0;
    JSAMPROW row = line;
    jpeg_create_compress(&cinfo);
    cinfo.dest = &to;
    cinfo.image_width = WIDE;
    cinfo.image_height = HIGH;
    cinfo.input_components = 3;
    cinfo.in_color_space = JCS_RGB;
    jpeg_set_defaults(&cinfo);
    jpeg_set_quality(&cinfo, 95, TRUE);
    jpeg_start_compress(&cinfo, TRUE);
    while (cinfo.next_scanline < HIGH) {
        for (unsigned i = 0; i < sizeof line; i++)
            line[i] = (unsigned char)(i * i + 7 * cinfo.next_scanline * i);
        if (jpeg_write_scanlines(&cinfo, &row, 1) == 1)
            continue;
        length += empty_room(&cinfo, &sum);
        waits++;
    }
    length += empty_room(&cinfo, &sum);
    jpeg_finish_compress(&cinfo);
    length += empty_room(&cinfo, &sum);
    printf("%lu bytes, %u, waits %d\n", (unsigned long)length, sum, waits > 5);
    jpeg_destroy_compress(&cinfo);
}

/* Encode lines of grey, and then of colours without the tables that the first picture has. */
static void encode_the_rest(struct jpeg_error_mgr *errors)
{
    static const J_COLOR_SPACE spaces[] = {JCS_GRAYSCALE, JCS_RGB};
    struct jpeg_compress_struct cinfo = {.err = errors};
    unsigned char *coded = NULL, line[3 * WIDE];
    unsigned long length = 0;
    JSAMPROW row = line;
    for (unsigned i = 0; i < sizeof line; i++)
        line[i] = (unsigned char)(i * i);
    jpeg_create_compress(&cinfo);
    for (int i = 0; i < 2; i++) {
        jpeg_mem_dest(&cinfo, &coded, &length);
        cinfo.image_width = cinfo.image_height = 30;
        cinfo.input_components = 1 + 2 * i;
        cinfo.in_color_space = spaces[i];
        jpeg_set_defaults(&cinfo);
        jpeg_start_compress(&cinfo, i == 0);
        while (cinfo.next_scanline < cinfo.image_height)
            jpeg_write_scanlines(&cinfo, &row, 1);
        jpeg_finish_compress(&cinfo);
        printf("%lu bytes\n", length);
        free(coded);
        coded = NULL;
    }
    jpeg_destroy_compress(&cinfo);
}

int main(int argc, char **argv)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct cinfo;
    if (argc != 3)
        return 2;
    cinfo.err = jpeg_std_error(&errors);
    decode(&cinfo, argv[1], 60);
    decode(&cinfo, argv[2], JPEG_MAX_DIMENSION);
    jpeg_destroy_decompress(&cinfo);
    encode(&errors);
    encode_to_little_room(&errors);
    encode_the_rest(&errors);
    return 0;
}
