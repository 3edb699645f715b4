/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares filters with what OpenCV 5.0 makes of the same pictures: its Canny(), GaussianBlur(), medianBlur(),
 * cvtColor(), rotate() and flip(), and the oilPainting() of its module xphoto, of which only digests are kept here.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "support/machines.h"
#include "support/test.h"

enum { WIDTH = 131, HEIGHT = 77 };

struct digest {
    const char *chain;
    uint32_t channels;
    uint32_t fnv; /* FNV-1a, 32 bits, of all samples */
};

static const struct digest digests[] = {
    {"canny=100:300:l1:3", 1, 0x89947489u},
    {"canny=600:200:l1:3", 1, 0x1a849128u},
    {"canny=49.5:120.25:l1:3", 1, 0xf3d1cf6du},
    {"canny=1000:3000:l1:5", 1, 0x8f296dddu},
    {"canny=6000:2000:l1:5", 1, 0x4d64311fu},
    {"canny=495:1202.5:l1:5", 1, 0xb74160ceu},
    {"canny=6000:18000:l1:7", 1, 0xa1edcb2bu},
    {"canny=36000:12000:l1:7", 1, 0x81981da2u},
    {"canny=2970:7215:l1:7", 1, 0xa1edcb2bu},
    {"canny=100:300:l2:3", 1, 0xb24e6640u},
    {"canny=600:200:l2:3", 1, 0xe96d1334u},
    {"canny=49.5:120.25:l2:3", 1, 0x2fe0dbcfu},
    {"canny=1000:3000:l2:5", 1, 0x80e7b65bu},
    {"canny=6000:2000:l2:5", 1, 0x341ba452u},
    {"canny=495:1202.5:l2:5", 1, 0x91361f3au},
    {"canny=6000:18000:l2:7", 1, 0xae735516u},
    {"canny=36000:12000:l2:7", 1, 0xb7beb41bu},
    {"canny=2970:7215:l2:7", 1, 0x5744b484u},
    {"canny=200:400", 3, 0x31c76594u},
    {"canny=90:200:l2", 3, 0x28854482u},
    {"gaussian=0.5", 3, 0x44b7081au},
    {"gaussian=0.8", 3, 0xec2f5764u},
    {"gaussian=1", 3, 0xa2c70b7fu},
    {"gaussian=1.7", 3, 0xf3a63c14u},
    {"gaussian=4", 3, 0x94128d9au},
    {"median=1", 3, 0xd7d43161u},
    {"median=2", 3, 0x6d018887u},
    {"median=7", 3, 0xfa137f78u},
    {"grey", 3, 0xaf30a3e0u},
    {"rotate=90", 3, 0xe56dbae5u},
    {"rotate=270", 3, 0xbc484bbdu},
    {"flip", 3, 0x7d4fdba9u},
    {"oil=1:1", 3, 0x02620e9fu},
    {"oil=4:1", 3, 0xaf1b95dfu},
    {"oil=4:8", 3, 0xc9079d6bu},
    {"oil=7:3", 3, 0x964ae107u},
    {"oil=15:20", 3, 0x97a34657u},
    {"oil=3:127", 3, 0xd0f4d0d0u},
    {"oil=1:1", 1, 0x9c200bc2u},
    {"oil=4:1", 1, 0xee91e560u},
    {"oil=4:8", 1, 0x9f5c2420u},
    {"oil=7:3", 1, 0xc283f739u},
    {"oil=15:20", 1, 0x1af6a70eu},
    {"oil=3:127", 1, 0x6c640d2bu},
    {"gaussian=1.4,canny=60:140", 1, 0xe7b40b52u},
};

static void draw(uint8_t *pixels, uint32_t channels)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t c = 0; c < channels; c++)
                *pixels++ = (uint8_t)((x * x * 3 + y * y * 5 + x * y * 7 + x * c * 90) / 32);
}

static uint32_t fnv_of(const kst_image *image)
{
    uint32_t fnv = 0x811c9dc5u;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
        for (size_t i = 0; i < (size_t)image->width * kst_format_channels(image->format); i++)
            fnv = (fnv ^ row[i]) * 0x01000193u;
    }
    return fnv;
}

static void compare(kst_context *context, const char *machine, const struct digest *digest)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    kst_image from, to;
    kst_filter *filter;
    draw(pixels, digest->channels);
    assert_int_equal(
        kst_image_wrap(&from, digest->channels == 1 ? KST_FORMAT_GREY : KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0),
        KST_OK);
    kst_image_init(&to);
    assert_int_equal(kst_filter_open(context, digest->chain, &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_run(filter, &from, &to, NULL), KST_OK);
    if (fnv_of(&to) != digest->fnv)
        fail_msg("%s on %s: 0x%08x", digest->chain, machine, (unsigned)fnv_of(&to));
    kst_image_release(context, &to);
    kst_filter_close(&filter);
}

static void as_opencv(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < contexts.count; i++)
        for (size_t k = 0; k < sizeof digests / sizeof *digests; k++)
            compare(contexts.context[i], contexts.name[i], &digests[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_opencv)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
