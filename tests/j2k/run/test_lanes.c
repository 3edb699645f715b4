/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that several threads, each of which has a lane of columns, code the bytes and decode the samples of a single
 * thread: wide pictures, which have lanes, with any transform, number of levels, size of blocks and place on the grid.
 */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { WIDTH = 2600, HEIGHT = 210, PICTURE = WIDTH * HEIGHT * 3, CONTEXTS = 4, SETTINGS = 16 };

struct fixture {
    kst_context *context[CONTEXTS]; /* the first one has a single thread */
    uint8_t *pixels;
};

static int setup(void **state)
{
    static const uint32_t threads[CONTEXTS] = {1, 2, 3, 7};
    struct fixture *f = malloc(sizeof *f);
    uint32_t random = 1;
    *state = f;
    for (uint32_t i = 0; i < CONTEXTS; i++)
        f->context[i] = cpu_context_create(threads[i]);
    f->pixels = malloc(PICTURE);
    for (uint32_t i = 0; i < PICTURE; i++)
        f->pixels[i] = (uint8_t)(i / 3 % WIDTH / 11 + random_next(&random) % 23);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < CONTEXTS; i++)
        kst_context_destroy(&f->context[i]);
    free(f->pixels);
    free(f);
    return 0;
}

static kst_image describe(const struct fixture *f, uint32_t setting)
{
    kst_image image;
    kst_image_init(&image);
    image.format = setting % 5 == 3 ? KST_FORMAT_GREY : KST_FORMAT_RGB;
    image.width = WIDTH - 97 * setting;
    image.height = HEIGHT - 5 * setting;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){
        .data = f->pixels, .width = image.width, .height = image.height, .pitch = (ptrdiff_t)3 * WIDTH, .depth = 8};
    return image;
}

static void make_options(uint32_t setting, kst_j2k_options *j2k)
{
    static const kst_j2k_target targets[] = {KST_J2K_LOSSLESS, KST_J2K_STEP, KST_J2K_RATIO};
    static const uint32_t blocks[][2] = {{64, 64}, {32, 32}, {1024, 4}, {256, 16}, {4, 256}};
    kst_j2k_options_init(j2k);
    j2k->target = targets[setting % 3];
    j2k->value = setting % 3 == 2 ? 9 : 1.5;
    j2k->style = setting % 2 ? KST_J2K_HT : 0;
    j2k->levels = setting % 7;
    j2k->block_width = blocks[setting % 5][0];
    j2k->block_height = blocks[setting % 5][1];
    j2k->codestream = true;
    j2k->image_x = j2k->tile_x = setting % 4 * 77;
    j2k->image_y = j2k->tile_y = setting % 3 * 5;
}

/* Decode the whole stream or a region of it, at a lower resolution or not, with every context. */
static void check_decoding(const struct fixture *f, const kst_buffer *coded, const kst_decode_options *options)
{
    kst_image image[CONTEXTS];
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        kst_image_init(&image[i]);
        assert_int_equal(kst_decode(f->context[i], coded->data, coded->length, options, &image[i], NULL), KST_OK);
        assert_int_equal(image[i].width, image[0].width);
        const kst_plane *plane = &image[i].plane[0], *first = &image[0].plane[0];
        const size_t length = plane->width * (image[i].format == KST_FORMAT_GREY ? 1U : 3U);
        for (uint32_t y = 0; y < plane->height; y++)
            assert_memory_equal((const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch,
                (const uint8_t *)first->data + (ptrdiff_t)y * first->pitch, length);
    }
    for (uint32_t i = 0; i < CONTEXTS; i++)
        kst_image_release(f->context[i], &image[i]);
}

static void check_setting(const struct fixture *f, uint32_t setting)
{
    const kst_image image = describe(f, setting);
    kst_j2k_options j2k;
    kst_encode_options options;
    kst_decode_options decoding;
    kst_buffer coded[CONTEXTS];
    make_options(setting, &j2k);
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        coded[i] = (kst_buffer){.data = NULL};
        assert_int_equal(kst_encode(f->context[i], &image, &options, &coded[i], NULL), KST_OK);
        assert_int_equal(coded[i].length, coded[0].length);
        assert_memory_equal(coded[i].data, coded[0].data, coded[0].length);
    }
    kst_decode_options_init(&decoding);
    check_decoding(f, &coded[0], &decoding);
    decoding.region = (kst_region){31 + setting, 17, image.width - 40 - 2 * setting, image.height - 30};
    check_decoding(f, &coded[0], &decoding);
    if (j2k.levels > 0) {
        decoding.region = (kst_region){0, 0, 0, 0};
        decoding.reduce = 1;
        check_decoding(f, &coded[0], &decoding);
    }
    for (uint32_t i = 0; i < CONTEXTS; i++)
        kst_buffer_release(f->context[i], &coded[i]);
}

static void alike(void **state)
{
    for (uint32_t setting = 0; setting < SETTINGS; setting = next_case(setting))
        check_setting(*state, setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(alike, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
