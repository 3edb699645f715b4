/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands for another project's program: encodes, transcodes and decodes a small picture. */
#include <kostka/kostka.h>

#include <stdio.h>
#include <string.h>

enum { WIDTH = 50, HEIGHT = 40 };

static int check(kst_status status, const kst_report *report)
{
    if (!status)
        return 1;
    fprintf(stderr, "consumer: %s: %s\n", kst_status_name(status), report ? report->message : "");
    return 0;
}

int main(void)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i / 3 % WIDTH * 5);
    kst_context *context = NULL;
    kst_image image, decoded;
    kst_buffer coded = {0}, again = {0};
    kst_transcode_options transcoding;
    kst_report report;
    kst_image_init(&decoded);
    kst_report_init(&report);
    kst_transcode_options_init(&transcoding);
    transcoding.coding = KST_CODING_PROGRESSIVE;
    int fine = kst_version() == KST_VERSION_NUMBER && strcmp(kst_version_string(), KST_VERSION_STRING) == 0 &&
               check(kst_context_create(NULL, &context), NULL) &&
               check(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0), NULL) &&
               check(kst_encode(context, &image, NULL, &coded, &report), &report) &&
               check(kst_transcode(context, coded.data, coded.length, &transcoding, &again, &report), &report) &&
               check(kst_decode(context, again.data, again.length, NULL, &decoded, &report), &report) &&
               decoded.width == WIDTH && decoded.height == HEIGHT;
    if (context) {
        kst_image_release(context, &decoded);
        kst_buffer_release(context, &coded);
        kst_buffer_release(context, &again);
    }
    kst_context_destroy(&context);
    puts(fine ? "fine" : "failed");
    return fine ? 0 : 1;
}
