/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures to JPEG 2000, and finds tile-parts and damages their headers. */
#include "support/j2k/coded.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/test.h"

enum { SOT_LENGTH = 12 };

kst_encode_options j2k_coding(const kst_j2k_options *j2k)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = j2k;
    return options;
}

kst_buffer j2k_coded(kst_context *context, const kst_image *image, const kst_j2k_options *j2k)
{
    const kst_encode_options options = j2k_coding(j2k);
    kst_buffer coded = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_encode(context, image, &options, &coded, &report))
        fail_msg("not encoded: %s", report.message);
    return coded;
}

kst_buffer j2k_coded_mixed(kst_context *context, uint32_t side, uint32_t *random, const kst_j2k_options *j2k)
{
    uint8_t *pixels = malloc((size_t)side * side * 3);
    kst_image image;
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)side * side * 3; i++) {
        size_t x = i / 3 % side, y = i / 3 / side;
        pixels[i] = (uint8_t)(x < side / 2 ? x + y : x < side / 4 * 3 ? 40 : random_below(random, 256));
    }
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, side, side, pixels, 0), KST_OK);
    kst_buffer coded = j2k_coded(context, &image, j2k);
    free(pixels);
    return coded;
}

uint8_t *j2k_tile_part(const kst_buffer *stream, uint32_t number)
{
    static const uint8_t sot[] = {0xFF, 0x90, 0x00, 0x0A};
    uint8_t *at = stream->data, *end = at + stream->length;
    for (; end - at > SOT_LENGTH; at++)
        if (memcmp(at, sot, sizeof sot) == 0 && number-- == 0)
            return at;
    return NULL;
}

void j2k_damage_header(kst_buffer *stream, uint32_t number)
{
    static const uint8_t header[] = {0xFF, 0x52, 0x00, 0x04, 0x00, 0x00, 0xFF, 0x93};
    uint8_t *at = j2k_tile_part(stream, number);
    assert_non_null(at);
    memcpy(at + SOT_LENGTH, header, sizeof header);
}
