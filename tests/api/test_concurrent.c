/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that every kind of call, from many threads on one context at once, has the same result as alone. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/machines.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { THREADS = 8, STREAMS = 4, ROUNDS = SANITIZED ? 4 : 20, WIDTH = 320, HEIGHT = 256 };

static kst_buffer stream[STREAMS];
static kst_image expected[STREAMS];
static kst_image source;
static uint8_t samples[WIDTH * HEIGHT * 3];
static kst_buffer transcoded;
static atomic_uint wrong;

static kst_encode_options encode_options(uint32_t kind)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    if (kind == 1)
        options.restart = (kst_restart){KST_RESTART_MCUS, 4};
    if (kind == 2)
        options.coding = KST_CODING_PROGRESSIVE;
    if (kind == 3)
        options.subsampling = KST_SUBSAMPLING_444;
    return options;
}

static int start(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (size_t i = 0; i < sizeof samples; i++) {
        random = random * 1664525 + 1013904223;
        samples[i] = (uint8_t)(i / 700 + (random >> 26));
    }
    assert_int_equal(kst_image_wrap(&source, KST_FORMAT_RGB, WIDTH, HEIGHT, samples, 0), KST_OK);
    for (uint32_t i = 0; i < STREAMS; i++) {
        kst_encode_options encoding = encode_options(i);
        assert_int_equal(kst_encode(context, &source, &encoding, &stream[i], NULL), KST_OK);
        if (i == 3) /* a damaged one */
            memset(stream[i].data + stream[i].length / 2, 0xAA, 9);
        kst_image_init(&expected[i]);
        assert_int_equal(kst_decode(context, stream[i].data, stream[i].length, NULL, &expected[i], NULL), KST_OK);
    }
    assert_int_equal(kst_transcode(context, stream[1].data, stream[1].length, NULL, &transcoded, NULL), KST_OK);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STREAMS; i++) {
        kst_image_release(context, &expected[i]);
        kst_buffer_release(context, &stream[i]);
    }
    kst_buffer_release(context, &transcoded);
    return 0;
}

/* Not an assertion: those belong to the main thread. */
static void must(bool right)
{
    if (!right)
        atomic_fetch_add(&wrong, 1);
}

static bool is_expected(const kst_image *image, uint32_t which)
{
    kst_comparison comparison = {.size = sizeof comparison};
    return !kst_compare(image, &expected[which], &comparison) && comparison.identical;
}

static void decode_one(uint32_t which)
{
    kst_image image;
    kst_image_init(&image);
    must(!kst_decode(context, stream[which].data, stream[which].length, NULL, &image, NULL));
    must(is_expected(&image, which));
    kst_image_release(context, &image);
}

static void decode_many(void)
{
    kst_decode_item item[2 * STREAMS];
    kst_image image[2 * STREAMS];
    memset(item, 0, sizeof item);
    for (uint32_t i = 0; i < 2 * STREAMS; i++) {
        kst_image_init(&image[i]);
        item[i].data = stream[i % STREAMS].data;
        item[i].length = i == 5 ? 3 : stream[i % STREAMS].length;
        item[i].image = &image[i];
    }
    must(kst_decode_batch(context, item, 2 * STREAMS) == item[5].report.status);
    for (uint32_t i = 0; i < 2 * STREAMS; i++) {
        must(item[i].report.status ? i == 5 : i != 5);
        must(i == 5 || is_expected(&image[i], i % STREAMS));
        kst_image_release(context, &image[i]);
    }
}

static void encode_one(uint32_t which)
{
    kst_encode_options options = encode_options(which);
    kst_buffer output = {0};
    must(!kst_encode(context, &source, &options, &output, NULL));
    must(output.length == stream[which].length && memcmp(output.data, stream[which].data, output.length) == 0);
    kst_buffer_release(context, &output);
}

static void transcode_one(void)
{
    kst_buffer output = {0};
    must(!kst_transcode(context, stream[1].data, stream[1].length, NULL, &output, NULL));
    must(output.length == transcoded.length && memcmp(output.data, transcoded.data, output.length) == 0);
    kst_buffer_release(context, &output);
}

/* A decoder of its own, used twice. */
static void reuse_decoder(uint32_t which)
{
    kst_decoder *decoder;
    kst_image image;
    kst_image_init(&image);
    must(!kst_decoder_create(context, &decoder));
    for (uint32_t i = 0; i < 2; i++) {
        must(!kst_decoder_open(decoder, stream[which].data, stream[which].length));
        must(!kst_decoder_decode(decoder, NULL, &image));
        must(is_expected(&image, which));
    }
    kst_decoder_destroy(&decoder);
    kst_image_release(context, &image);
}

static void *work(void *arg)
{
    uint32_t random = *(const uint32_t *)arg * 7919 + 1;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t which = random >> 24 & 3;
        switch ((random >> 16) % 6) {
        case 0:
            decode_many();
            break;
        case 1:
            encode_one(which % 3);
            break;
        case 2:
            transcode_one();
            break;
        case 3:
            reuse_decoder(which);
            break;
        default:
            decode_one(which);
        }
    }
    return NULL;
}

static void all_at_once(void **state)
{
    pthread_t thread[THREADS];
    uint32_t number[THREADS];
    (void)state;
    for (uint32_t i = 0; i < THREADS; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, work, &number[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(atomic_load(&wrong), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once),
    };
    return run_with_context(3, tests, start, stop);
}
