/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes files with libjpeg to components as they are coded, upsampled but not converted, as libtiff, Pillow's drafts
 * and programs for video do: libjpeg_components FILE… prints a sum of the samples of each file at several sizes, and at
 * the end on standard error the most lines that one call gave.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { LINES = 40 };

struct choice {
    unsigned scale;
    boolean fancy, unknown; /* whether the coded colour space is called unknown, as libtiff does */
};

static JDIMENSION read_all(struct jpeg_decompress_struct *cinfo, unsigned *sum)
{
    JSAMPROW rows[LINES];
    JDIMENSION most = 0;
    size_t length = cinfo->output_width * (size_t)cinfo->output_components;
    unsigned char *pixels = malloc(LINES * length);
    for (int i = 0; i < LINES; i++)
        rows[i] = pixels + (size_t)i * length;
    while (cinfo->output_scanline < cinfo->output_height) {
        JDIMENSION count = jpeg_read_scanlines(cinfo, rows, LINES);
        most = count > most ? count : most;
        for (size_t i = 0; i < count * length; i++)
            *sum = *sum * 31 + pixels[i];
    }
    free(pixels);
    return most;
}

static JDIMENSION decode(const char *path, const struct choice *choice)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct cinfo = {.err = jpeg_std_error(&errors)};
    FILE *file = fopen(path, "rb");
    unsigned sum = 0;
    jpeg_create_decompress(&cinfo);
    jpeg_stdio_src(&cinfo, file);
    jpeg_read_header(&cinfo, TRUE);
    if (choice->unknown)
        cinfo.jpeg_color_space = JCS_UNKNOWN;
    cinfo.out_color_space = cinfo.jpeg_color_space;
    cinfo.scale_num = choice->scale;
    cinfo.scale_denom = 8;
    cinfo.do_fancy_upsampling = choice->fancy;
    jpeg_start_decompress(&cinfo);
    JDIMENSION most = read_all(&cinfo, &sum);
    printf("%s %u/8 %d %d: %d of %u × %u, %u\n", path, choice->scale, choice->fancy, choice->unknown,
        cinfo.output_components, cinfo.output_width, cinfo.output_height, sum);
    jpeg_finish_decompress(&cinfo);
    jpeg_destroy_decompress(&cinfo);
    fclose(file);
    return most;
}

int main(int argc, char **argv)
{
    static const unsigned scales[] = {8, 4, 1, 5, 16};
    JDIMENSION least = JPEG_MAX_DIMENSION;
    for (int i = 1; i < argc; i++)
        for (unsigned j = 0; j < 4 * sizeof scales / sizeof *scales; j++) {
            struct choice choice = {scales[j / 4], (j & 1) != 0, (j & 2) != 0};
            JDIMENSION most = decode(argv[i], &choice);
            least = most < least ? most : least;
        }
    fprintf(stderr, "%u\n", least);
    return 0;
}
