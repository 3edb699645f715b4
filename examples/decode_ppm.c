/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows the least that decoding needs: converts a JPEG file on standard input to a PPM on standard output.
 *
 *     decode_ppm <IN.jpg >OUT.ppm
 */
#include <kostka/kostka.h>

#include <stdio.h>
#include <stdlib.h>

static uint8_t *read_all(FILE *file, size_t *length)
{
    uint8_t *data = NULL;
    size_t capacity = 0;
    *length = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            uint8_t *larger = realloc(data, capacity);
            if (!larger) {
                free(data);
                return NULL;
            }
            data = larger;
        }
        size_t got = fread(data + *length, 1, capacity - *length, file);
        if (got == 0)
            return data;
        *length += got;
    }
}

static bool write_ppm(const kst_image *image, FILE *file)
{
    const uint8_t *row = image->plane[0].data;
    fprintf(file, "P6\n%u %u\n255\n", image->width, image->height);
    for (uint32_t y = 0; y < image->height; y++, row += image->plane[0].pitch)
        fwrite(row, 3, image->width, file);
    return fflush(file) == 0 && !ferror(file);
}

int main(void)
{
    kst_context *context;
    kst_status status = kst_context_create(NULL, &context);
    if (status) {
        fprintf(stderr, "decode_ppm: %s\n", kst_status_text(status));
        return 1;
    }
    size_t length;
    uint8_t *data = read_all(stdin, &length);
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RGB;
    kst_image image;
    kst_image_init(&image); /* without buffers: the library allocates them */
    kst_report report;
    kst_report_init(&report);
    status = kst_decode(context, data, length, &options, &image, &report);
    if (report.message[0])
        fprintf(stderr, "decode_ppm: %s\n", report.message);
    bool fine = !status && write_ppm(&image, stdout);
    kst_image_release(context, &image);
    free(data);
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
