/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does with libjpeg what programs should not do, and prints what comes of it: libjpeg_misuse DAMAGED WHOLE begins to
 * decode a damaged file, forgets that and decodes another with the same object, and then encodes lines that are too
 * many.
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
    return 0;
}
