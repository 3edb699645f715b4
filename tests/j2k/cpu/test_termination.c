/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams whose codewords end predictably (T.800 D.4.2), and of which only some layers are read or kept. A code-block
 * that was cut in the middle of a codeword must not be taken for damaged; damage in whole codewords must be found.
 */
#include "support/j2k/coded.h"
#include "support/j2k/source.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { SIDE = 200, LAYERS = 5, PREDICTABLE = KST_J2K_PREDICTABLE };

static const uint32_t styles[] = {PREDICTABLE, PREDICTABLE | KST_J2K_BYPASS, PREDICTABLE | KST_J2K_TERMALL,
    PREDICTABLE | KST_J2K_BYPASS | KST_J2K_TERMALL | KST_J2K_SYMBOLS,
    PREDICTABLE | KST_J2K_RESET | KST_J2K_CAUSAL | KST_J2K_BYPASS};

static uint16_t pixels[SIDE * SIDE];

static kst_buffer coded_in(uint32_t style)
{
    kst_image image;
    kst_j2k_options options;
    uint32_t random = 3;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (uint16_t)(i % SIDE * (i / SIDE) + random_below(&random, 6000));
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.colour = KST_COLOUR_GREY;
    image.width = image.height = SIDE;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.data = pixels, .pitch = SIDE * 2, .width = SIDE, .height = SIDE, .depth = 16};
    kst_j2k_options_init(&options);
    options.style = style;
    options.layers = LAYERS;
    options.codestream = true;
    return j2k_coded(context, &image, &options);
}

/* Return the first layers of a stream, as a stream of its own. */
static kst_buffer cut_to(const kst_buffer *stream, uint32_t layers)
{
    kst_transcode_options options;
    kst_buffer output = {.data = NULL};
    kst_transcode_options_init(&options);
    options.jpeg2000.layers = layers;
    assert_int_equal(kst_transcode(context, stream->data, stream->length, &options, &output, NULL), KST_OK);
    return output;
}

static void layers_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        kst_buffer stream = coded_in(styles[i]);
        for (uint32_t layers = 1; layers <= LAYERS; layers++) {
            kst_image read, kept;
            kst_buffer cut = cut_to(&stream, layers);
            source_decode(context, stream.data, stream.length, 0, layers, &read);
            source_decode(context, cut.data, cut.length, 0, 0, &kept);
            expect_same_planes(&read, &kept);
            kst_image_release(context, &read);
            kst_image_release(context, &kept);
            kst_buffer_release(context, &cut);
        }
        kst_buffer_release(context, &stream);
    }
}

/* Damage one byte after the other, and count those of which the decoder warns that blocks are damaged. */
static uint32_t found_in(const kst_buffer *stream, uint32_t layers)
{
    uint32_t found = 0;
    for (size_t at = stream->length / 8; at + 2 < stream->length / 2; at += stream->length / 90) {
        kst_decode_options options;
        kst_report report;
        kst_image image;
        uint8_t *byte = (uint8_t *)stream->data + at, kept = *byte;
        kst_decode_options_init(&options);
        kst_report_init(&report);
        kst_image_init(&image);
        options.layers = layers;
        *byte ^= 0x15;
        kst_status status = kst_decode(context, stream->data, stream->length, &options, &image, &report);
        *byte = kept;
        found += !status && report.warnings > 0;
        kst_image_release(context, &image);
    }
    return found;
}

static void damage_is_found(void **state)
{
    kst_buffer predictable = coded_in(PREDICTABLE | KST_J2K_BYPASS), plain = coded_in(KST_J2K_BYPASS);
    (void)state;
    for (uint32_t layers = LAYERS - 1; layers <= LAYERS; layers++)
        assert_true(found_in(&predictable, layers) > found_in(&plain, layers) + 5);
    kst_buffer_release(context, &predictable);
    kst_buffer_release(context, &plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layers_are_sound), cmocka_unit_test(damage_is_found)};
    return run_with_context(1, tests, NULL, NULL);
}
