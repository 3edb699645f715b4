/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a writer gets the same bytes of JPEG 2000 as a buffer, in less memory; and writers that fail. */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/memory_file.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { SIDE = 800, PICTURE = SIDE * SIDE * 3, ROOM = 8 << 20 };

struct fixture {
    kst_context *context;
    uint8_t *pixels, *file;
};

static int setup(void **state)
{
    struct fixture *f = malloc(sizeof *f);
    uint32_t random = 1;
    *state = f;
    f->context = cpu_context_create(3);
    f->pixels = malloc(PICTURE);
    f->file = malloc(ROOM);
    for (uint32_t i = 0; i < PICTURE; i++) {
        random = random * 1664525 + 1013904223;
        f->pixels[i] = (uint8_t)(i / 3 % SIDE / 4 + (random >> 27));
    }
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    kst_context_destroy(&f->context);
    free(f->pixels);
    free(f->file);
    free(f);
    return 0;
}

static kst_image describe(const struct fixture *f, uint32_t width, uint32_t height)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RGB;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0] =
        (kst_plane){.data = f->pixels, .width = width, .height = height, .pitch = (ptrdiff_t)3 * SIDE, .depth = 8};
    return image;
}

static bool bring(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    const struct fixture *f = user;
    assert_int_equal(index, 0);
    memcpy(samples, f->pixels + 3 * ((size_t)SIDE * (y % SIDE) + x), (size_t)3 * count);
    return true;
}

static kst_encode_options options_for(const kst_j2k_options *j2k)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.codec = j2k ? KST_CODEC_JPEG2000 : KST_CODEC_JPEG;
    options.jpeg2000 = j2k;
    return options;
}

static kst_status encode_to(kst_context *context, const struct fixture *f, const kst_image *image, bool rows,
    const kst_encode_options *options, struct memory_file *file)
{
    const kst_rows rows_of_picture = {.size = sizeof rows_of_picture, .read = bring, .user = (void *)(uintptr_t)f};
    uint64_t length = 0;
    kst_report report;
    kst_report_init(&report);
    file->data = f->file;
    file->room = ROOM;
    const kst_writer writer = memory_file_writer(file);
    kst_status status =
        kst_encode_to(context, image, rows ? &rows_of_picture : NULL, options, &writer, &length, &report);
    assert_int_equal(status, report.status);
    assert_true(status || length == file->end);
    return status;
}

enum { IN_ORDER = 1, ROWS = 2, WAYS = 4 };

/* Ways to write it, every `step`th, against a buffer. */
static void check(
    const struct fixture *f, kst_context *context, const kst_image *image, const kst_j2k_options *j2k, uint32_t step)
{
    kst_encode_options options = options_for(j2k);
    kst_buffer whole = {.data = NULL};
    assert_int_equal(kst_encode(f->context, image, &options, &whole, NULL), KST_OK);
    for (uint32_t way = 0; way < WAYS; way += step) {
        struct memory_file file = {.in_order = way & IN_ORDER};
        memset(f->file, 0xEE, whole.length);
        assert_int_equal(encode_to(context, f, image, way & ROWS, &options, &file), KST_OK);
        assert_int_equal(file.end, whole.length);
        assert_memory_equal(file.data, whole.data, whole.length);
    }
    kst_buffer_release(f->context, &whole);
}

static void make_options(uint32_t i, kst_j2k_options *j2k)
{
    static const kst_j2k_target targets[] = {KST_J2K_LOSSLESS, KST_J2K_RATIO, KST_J2K_STEP};
    kst_j2k_options_init(j2k);
    j2k->target = targets[i % 3];
    j2k->value = i % 3 == 1 ? 8 : 0.5;
    j2k->tile_width = i % 2 ? 100 + 31 * i : 0;
    j2k->tile_height = i % 2 ? 90 : 0;
    j2k->levels = i % 5;
    j2k->codestream = i / 2 % 2;
    j2k->tile_part_lengths = i / 3 % 2;
    j2k->packet_lengths = i / 4 % 2;
    j2k->division = i % 7 ? 0 : KST_J2K_DIVIDE_RESOLUTION;
    j2k->progression = (kst_progression)(i % 5);
    j2k->headers = i % 4 == 1 ? KST_J2K_HEADERS_PPT : i % 4 == 3 ? KST_J2K_HEADERS_PPM : KST_J2K_HEADERS_INLINE;
    j2k->sop = i % 3 == 2;
    j2k->eph = i % 4 == 2;
    j2k->layers = i % 6 == 1 ? 3 : 1;
}

static void same_bytes(void **state)
{
    const struct fixture *f = *state;
    for (uint32_t i = 0; i < 24; i = next_case(i)) {
        kst_j2k_options j2k;
        kst_image image = describe(f, i % 5 ? 133 + i : 2 + i, 100 + 7 * i);
        make_options(i, &j2k);
        check(f, f->context, &image, &j2k, 1);
    }
    kst_image image = describe(f, 300, 300);
    check(f, f->context, &image, NULL, WAYS);
}

/* In pieces: a file that is larger than one. */
static void pieces(void **state)
{
    const struct fixture *f = *state;
    kst_image image = describe(f, SIDE, SIDE);
    for (uint32_t i = THREADS_WATCHED; i < 2; i++) {
        struct memory_file file = {.in_order = i};
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.tile_height = j2k.tile_width = i ? 0 : 200;
        j2k.tile_part_lengths = true;
        kst_encode_options options = options_for(&j2k);
        check(f, f->context, &image, &j2k, ROWS + IN_ORDER);
        assert_int_equal(encode_to(f->context, f, &image, false, &options, &file), KST_OK);
        assert_true(file.calls > 3);
    }
}

/* Tiles are written as they are coded: what stands in front of them is mended afterwards. */
static void by_tiles(void **state)
{
    const struct fixture *f = *state;
    kst_context *context = context_create("cpu", 2, &(kst_limits){.memory = 7200000});
    for (uint32_t i = THREADS_WATCHED ? 9 : 1; i < 24; i += THREADS_WATCHED ? 24 : fewer_cases() ? 12 : 4) {
        kst_j2k_options j2k;
        struct memory_file file = {.most = 0};
        kst_image image = describe(f, SIDE - 5 * i, 650 + i);
        make_options(i, &j2k);
        kst_encode_options options = options_for(&j2k);
        if (i % 3 != 1)
            j2k.layers = 1;
        check(f, context, &image, &j2k, ROWS);
        assert_int_equal(encode_to(context, f, &image, false, &options, &file), KST_OK);
        bool apart = j2k.target != KST_J2K_RATIO && j2k.layers == 1 && j2k.headers != KST_J2K_HEADERS_PPM;
        assert_int_equal(file.patches > 0, apart && (j2k.tile_part_lengths || !j2k.codestream));
    }
    kst_context_destroy(&context);
}

/*
 * The last tiles, which the low-pass filter amplifies most, need more bits than the main header states: encoding begins
 * again.
 */
static void more_bits(void **state)
{
    const struct fixture *f = *state;
    kst_context *context = context_create("cpu", 2, &(kst_limits){.memory = 7200000});
    kst_image image = describe(f, SIDE, SIDE);
    kst_j2k_options j2k;
    struct memory_file file = {.most = 0};
    kst_j2k_options_init(&j2k);
    j2k.tile_width = j2k.tile_height = 100;
    j2k.guard_bits = j2k.levels = 1;
    kst_encode_options options = options_for(&j2k);
    for (uint32_t y = SIDE - 90; y < SIDE; y++)
        for (uint32_t x = 0; x < 3 * SIDE; x++)
            f->pixels[3 * SIDE * y + x] = (x / 3 % 4 == 2) == (y % 4 == 2) ? 255 : 0;
    check(f, context, &image, &j2k, ROWS);
    assert_int_equal(encode_to(context, f, &image, false, &options, &file), KST_OK);
    assert_true(file.patches > 3);
    kst_context_destroy(&context);
}

/* Less memory than code-blocks and file take together; and, of tiles, less than either. */
static void memory(void **state)
{
    const struct fixture *f = *state;
    kst_image image = describe(f, SIDE, 4 * SIDE);
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.tile_width = 400;
    j2k.tile_height = 200;
    j2k.levels = 2;
    kst_encode_options options = options_for(&j2k);
    static const struct {
        uint64_t memory;
        kst_status apart, order, whole;
    } limits[] = {{6500000, KST_OK, KST_ERROR_LIMIT_MEMORY, KST_ERROR_LIMIT_MEMORY},
        {11600000, KST_OK, KST_OK, KST_ERROR_LIMIT_MEMORY}};
    const kst_rows rows_of_picture = {.size = sizeof rows_of_picture, .read = bring, .user = *state};
    for (uint32_t i = THREADS_WATCHED; i < 2; i++) {
        kst_context *context = context_create("cpu", 2, &(kst_limits){.memory = limits[i].memory});
        struct memory_file apart = {.in_order = false}, order = {.in_order = true};
        kst_buffer whole = {.data = NULL};
        if (!THREADS_WATCHED) /* as by_tiles() does */
            assert_int_equal(encode_to(context, f, &image, true, &options, &apart), limits[i].apart);
        assert_int_equal(encode_to(context, f, &image, true, &options, &order), limits[i].order);
        assert_int_equal(kst_encode_rows(context, &image, &rows_of_picture, &options, &whole, NULL), limits[i].whole);
        kst_context_destroy(&context);
    }
}

/* Wherever it fails, that is said, and it is not called again. */
static void failing(void **state)
{
    const struct fixture *f = *state;
    kst_context *small = context_create("cpu", 2, &(kst_limits){.memory = 7200000});
    kst_image image = describe(f, SIDE, SIDE);
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    for (uint32_t i = 1; i < 4; i++) {
        j2k.tile_height = j2k.tile_width = i % 2 ? 300 : 0;
        kst_encode_options options = options_for(&j2k);
        for (uint64_t most = i; most < 1000000; most = (THREADS_WATCHED ? 100000 : 400) * most + 50 * i) {
            struct memory_file file = {.most = most, .in_order = i / 2};
            kst_context *context = i == 1 ? small : f->context; /* tiles apart */
            assert_int_equal(encode_to(context, f, &image, i / 2, &options, &file), KST_ERROR_WRITE);
            assert_true(file.failed);
        }
    }
    kst_context_destroy(&small);
    kst_encode_options jpeg = options_for(NULL);
    struct memory_file file = {.most = 100};
    assert_int_equal(encode_to(f->context, f, &image, false, &jpeg, &file), KST_ERROR_WRITE);
}

static void misuse(void **state)
{
    const struct fixture *f = *state;
    kst_image image = describe(f, 20, 20);
    struct memory_file file = {.data = f->file};
    kst_writer writer = memory_file_writer(&file);
    const kst_rows none = {.size = sizeof none};
    assert_int_equal(kst_encode_to(NULL, &image, NULL, NULL, &writer, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode_to(f->context, NULL, NULL, NULL, &writer, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode_to(f->context, &image, &none, NULL, &writer, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode_to(f->context, &image, NULL, NULL, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    writer.write = NULL;
    assert_int_equal(kst_encode_to(f->context, &image, NULL, NULL, &writer, NULL, NULL), KST_ERROR_ARGUMENT);
    writer = memory_file_writer(&file);
    writer.keep = writer.write; /* and nothing that fetches what is kept */
    assert_int_equal(kst_encode_to(f->context, &image, NULL, NULL, &writer, NULL, NULL), KST_ERROR_ARGUMENT);
    writer = memory_file_writer(&file);
    writer.size--;
    assert_int_equal(kst_encode_to(f->context, &image, NULL, NULL, &writer, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(file.calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(by_tiles, setup, teardown),
        cmocka_unit_test_setup_teardown(more_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(memory, setup, teardown),
        cmocka_unit_test_setup_teardown(failing, setup, teardown),
        cmocka_unit_test_setup_teardown(misuse, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
