/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the progress that a caller sees in both directions, and that the caller can end the work. */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/encode_rows.h"
#include "support/j2k/coded.h"
#include "support/progress.h"
#include "support/test.h"

enum { WIDTH = 300, HEIGHT = 400, PIXELS = WIDTH * HEIGHT };

struct fixture {
    kst_context *context;
    uint8_t pixels[PIXELS];
};

static int setup(void **state)
{
    struct fixture *f = malloc(sizeof *f);
    uint32_t random = 1;
    *state = f;
    f->context = cpu_context_create(3);
    for (uint32_t i = 0; i < PIXELS; i++) {
        random = random * 1664525 + 1013904223;
        f->pixels[i] = (uint8_t)(i % WIDTH / 3 + (random >> 28));
    }
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    kst_context_destroy(&f->context);
    free(f);
    return 0;
}

static kst_image describe(const struct fixture *f)
{
    kst_image image;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, WIDTH, HEIGHT, (void *)(uintptr_t)f->pixels, 0), KST_OK);
    return image;
}

static kst_status encode(
    const struct fixture *f, const kst_j2k_options *j2k, bool rows, struct progress_calls *t, kst_buffer *buffer)
{
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = t};
    const kst_image image = describe(f);
    kst_encode_options options = j2k_coding(j2k);
    options.progress = &progress;
    *buffer = (kst_buffer){.data = NULL};
    return rows ? encode_from_rows(f->context, &image, UINT32_MAX, &options, buffer, NULL)
                : kst_encode(f->context, &image, &options, buffer, NULL);
}

static kst_status decode(const struct fixture *f, const kst_buffer *coded, struct progress_calls *t)
{
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = t};
    kst_decode_options options;
    kst_image image;
    kst_image_init(&image);
    kst_decode_options_init(&options);
    options.progress = &progress;
    kst_status status = kst_decode(f->context, coded->data, coded->length, &options, &image, NULL);
    assert_true(!status || !image.owned);
    kst_image_release(f->context, &image);
    return status;
}

static kst_j2k_options make_options(uint32_t i)
{
    static const kst_j2k_target targets[] = {KST_J2K_LOSSLESS, KST_J2K_RATIO, KST_J2K_PSNR};
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.target = targets[i % 3];
    j2k.value = j2k.target == KST_J2K_RATIO ? 10 : 38;
    j2k.block_width = j2k.block_height = 16;
    j2k.tile_width = j2k.tile_height = i % 2 ? 120 : 0;
    j2k.layers = i % 4 ? 1 : 3;
    return j2k;
}

static void both_ways(void **state)
{
    const struct fixture *f = *state;
    for (uint32_t i = 0; i < 6; i++) {
        kst_j2k_options j2k = make_options(i);
        struct progress_calls in = {.stop = 2}, out = {.stop = 2};
        kst_buffer coded;
        assert_int_equal(encode(f, &j2k, i / 3, &in, &coded), KST_OK);
        assert_true(in.last == 1 && in.calls > 10);
        assert_int_equal(decode(f, &coded, &out), KST_OK);
        assert_true(out.last == 1 && out.calls > 10);
        kst_buffer_release(f->context, &coded);
    }
}

static void cancelled(void **state)
{
    const struct fixture *f = *state;
    static const double stops[] = {0, 0.01, 0.2, 0.5};
    for (uint32_t i = 0; i < 6; i++) {
        kst_j2k_options j2k = make_options(i);
        struct progress_calls never = {.stop = 2};
        kst_buffer coded, none;
        assert_int_equal(encode(f, &j2k, false, &never, &coded), KST_OK);
        for (uint32_t k = 0; k < sizeof stops / sizeof *stops; k++) {
            struct progress_calls in = {.stop = stops[k]}, out = {.stop = stops[k]};
            assert_int_equal(encode(f, &j2k, i % 2, &in, &none), KST_ERROR_CANCELLED);
            assert_null(none.data);
            assert_true(in.last >= stops[k] && in.last < 1);
            assert_int_equal(decode(f, &coded, &out), KST_ERROR_CANCELLED);
            assert_true(out.last >= stops[k] && out.last < 1);
        }
        kst_buffer_release(f->context, &coded);
    }
}

/*
 * The progress of JPEG advances by MCU rows, or by scans; decoding a sequential picture reports only its beginning and
 * end.
 */
static void jpeg(void **state)
{
    const struct fixture *f = *state;
    const kst_image image = describe(f);
    for (uint32_t i = 0; i < 4; i++) {
        struct progress_calls in = {.stop = i == 1 ? 0 : 2}, out = {.stop = i == 2 ? 0 : 1};
        const kst_progress from = {.size = sizeof from, .told = take_progress, .user = &in};
        const kst_progress to = {.size = sizeof to, .told = take_progress, .user = &out};
        kst_encode_options options;
        kst_buffer coded = {.data = NULL};
        kst_encode_options_init(&options);
        options.coding = i ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        options.progress = &from;
        assert_int_equal(kst_encode(f->context, &image, &options, &coded, NULL), i == 1 ? KST_ERROR_CANCELLED : KST_OK);
        assert_true(i == 1 ? in.calls == 1 : in.calls > 10 && in.last == 1);
        if (i == 1) {
            assert_null(coded.data);
            continue;
        }
        kst_image decoded;
        kst_decode_options way;
        kst_image_init(&decoded);
        kst_decode_options_init(&way);
        way.progress = &to;
        assert_int_equal(kst_decode(f->context, coded.data, coded.length, &way, &decoded, NULL),
            i == 2 ? KST_ERROR_CANCELLED : KST_OK);
        assert_true(i == 2 ? out.calls == 1 : i == 0 ? out.calls == 2 : out.calls > 10);
        assert_int_equal(out.last, i == 2 ? 0 : 1);
        assert_int_equal(decoded.plane[0].data == NULL, i == 2);
        kst_image_release(f->context, &decoded);
        kst_buffer_release(f->context, &coded);
    }
}

static kst_status encode_jpeg(const struct fixture *f, kst_coding coding, struct progress_calls *t, kst_buffer *coded)
{
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = t};
    const kst_image image = describe(f);
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.coding = coding;
    options.progress = &progress;
    *coded = (kst_buffer){.data = NULL};
    return kst_encode(f->context, &image, &options, coded, NULL);
}

static kst_status transcode(
    const struct fixture *f, const kst_buffer *from, kst_coding coding, struct progress_calls *t, kst_buffer *coded)
{
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = t};
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.coding = coding;
    options.progress = &progress;
    *coded = (kst_buffer){.data = NULL};
    return kst_transcode(f->context, from->data, from->length, &options, coded, NULL);
}

/*
 * Encoding a JPEG, and transcoding it to any coding, reports progress all the way, and ends when the caller wants that.
 */
static void jpeg_cancelled(void **state)
{
    const struct fixture *f = *state;
    static const double stops[] = {0, 0.01, 0.3, 0.6};
    for (uint32_t i = 0; i < 3; i++) {
        struct progress_calls never = {.stop = 2};
        kst_buffer coded, none;
        assert_int_equal(encode_jpeg(f, (kst_coding)i, &never, &coded), KST_OK);
        for (uint32_t to = 0; to < 3; to++) {
            struct progress_calls all = {.stop = 2};
            kst_buffer anew;
            assert_int_equal(transcode(f, &coded, (kst_coding)to, &all, &anew), KST_OK);
            assert_true(all.last == 1 && all.calls > 10);
            kst_buffer_release(f->context, &anew);
        }
        for (uint32_t k = 0; k < sizeof stops / sizeof *stops; k++) {
            struct progress_calls in = {.stop = stops[k]}, through = {.stop = stops[k]};
            assert_int_equal(encode_jpeg(f, (kst_coding)i, &in, &none), KST_ERROR_CANCELLED);
            assert_null(none.data);
            assert_true(in.last >= stops[k] && in.last < 1);
            assert_int_equal(transcode(f, &coded, (kst_coding)i, &through, &none), KST_ERROR_CANCELLED);
            assert_null(none.data);
            assert_true(through.last >= stops[k] && through.last < 1);
        }
        kst_buffer_release(f->context, &coded);
    }
}

/* Each picture of a batch for itself. */
static void batch(void **state)
{
    enum { COUNT = 5, ENDED = 3 };
    const struct fixture *f = *state;
    const kst_image image = describe(f);
    struct progress_calls in[COUNT];
    kst_progress progress[COUNT];
    kst_encode_options options[COUNT];
    kst_encode_item item[COUNT];
    memset(item, 0, sizeof item);
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = (struct progress_calls){.stop = i == ENDED ? 0.3 : 2};
        progress[i] = (kst_progress){.size = sizeof progress[i], .told = take_progress, .user = &in[i]};
        kst_encode_options_init(&options[i]);
        options[i].codec = KST_CODEC_JPEG2000;
        options[i].progress = &progress[i];
        item[i].image = &image;
        item[i].options = &options[i];
    }
    assert_int_equal(kst_encode_batch(f->context, item, COUNT), KST_ERROR_CANCELLED);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(item[i].report.status, i == ENDED ? KST_ERROR_CANCELLED : KST_OK);
        assert_true(i == ENDED ? in[i].last < 1 : in[i].last == 1);
        kst_buffer_release(f->context, &item[i].output);
    }
}

static void misuse(void **state)
{
    const struct fixture *f = *state;
    kst_progress wrong[] = {{.size = 1, .told = take_progress}, {.size = sizeof wrong[0], .told = NULL}};
    for (uint32_t i = 0; i < 2; i++) {
        kst_decode_options way;
        kst_buffer none = {.data = NULL}, coded;
        kst_j2k_options j2k = make_options(0);
        struct progress_calls never = {.stop = 2};
        kst_image image;
        kst_image_init(&image);
        kst_encode_options options = j2k_coding(NULL);
        kst_decode_options_init(&way);
        options.progress = way.progress = &wrong[i];
        assert_int_equal(kst_encode(f->context, &image, &options, &none, NULL), KST_ERROR_OPTIONS);
        assert_int_equal(encode(f, &j2k, false, &never, &coded), KST_OK);
        assert_int_equal(kst_decode(f->context, coded.data, coded.length, &way, &image, NULL), KST_ERROR_OPTIONS);
        kst_buffer_release(f->context, &coded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(jpeg),
        cmocka_unit_test(jpeg_cancelled),
        cmocka_unit_test(batch),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
