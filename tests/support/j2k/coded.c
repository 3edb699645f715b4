/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures to JPEG 2000, and finds tile-parts and damages their headers. */
#include "support/j2k/coded.h"

#include <string.h>

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
