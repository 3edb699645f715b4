/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG 2000 pictures that are too much at once, for the limit of memory, a buffer or the kernels: on GPUs slab by
 * slab, the CPU's samples. What the CPU did instead of a GPU, or a GPU at once, fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/j2k/coded.h"
#include "support/progress.h"
#include "support/random.h"
#include "support/test.h"

enum { LEFT = 5, TOP = 13, LEAST_CALLS = 4, MEMORY = 2 << 20 };

/* Describes the samples of a component: their grid, depth and values. */
struct plane {
    uint32_t dx, dy, depth;
    bool is_signed;
};

/* Count the multiples in the reference grid's [first, first + size). */
static uint32_t samples_of(uint32_t first, uint32_t size, uint32_t apart)
{
    return (first + size + apart - 1) / apart - (first + apart - 1) / apart;
}

static kst_image make_image(const struct plane *planes, uint32_t count, uint32_t width, uint32_t height)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.width = width;
    image.height = height;
    image.plane_count = count;
    kst_plane *more = calloc(count, sizeof *more);
    assert_non_null(more);
    image.more = more;
    for (uint32_t p = 0; p < count; p++) {
        const struct plane *from = &planes[p];
        kst_plane *plane = p < 4 ? &image.plane[p] : &more[p - 4];
        uint32_t bytes = from->depth > 16 ? 4 : from->depth > 8 ? 2 : 1;
        *plane = (kst_plane){.width = samples_of(LEFT, width, from->dx),
            .height = samples_of(TOP, height, from->dy),
            .depth = (uint8_t)from->depth,
            .is_signed = from->is_signed};
        plane->pitch = (ptrdiff_t)plane->width * bytes;
        uint8_t *data = plane->data = malloc((size_t)plane->pitch * plane->height);
        assert_non_null(data);
        for (uint32_t i = 0; i < plane->width * plane->height; i++) {
            uint32_t value = (i / 40 + (next_random() >> 28)) & ((1U << (from->depth - 1)) - 1);
            for (uint32_t b = 0; b < bytes; b++)
                data[i * bytes + b] = (uint8_t)(value >> 8 * b);
        }
    }
    return image;
}

static void free_image(kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++)
        free(kst_image_plane(image, p)->data);
    free((void *)(uintptr_t)image->more);
}

/* Returns how often progress was reported. */
static uint32_t decode_there(
    kst_context *context, const kst_buffer *stream, const kst_decode_options *options, kst_memory memory)
{
    struct progress_calls calls = {.stop = 2};
    kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
    kst_decode_options with = *options;
    kst_image wanted, image;
    kst_report report;
    char what[80];
    kst_image_init(&wanted);
    kst_image_init(&image);
    kst_report_init(&report);
    snprintf(what, sizeof what, "memory %d, reduced %u, tile %u, %u components", (int)memory, (unsigned)options->reduce,
        (unsigned)options->tile, (unsigned)options->component_count);
    assert_int_equal(kst_decode(cpu_context, stream->data, stream->length, options, &wanted, NULL), KST_OK);
    image.memory = memory;
    with.progress = &progress;
    if (kst_decode(context, stream->data, stream->length, &with, &image, &report))
        fail_msg("%s: %s", what, report.message);
    if (report.stage_device[KST_STAGE_ENTROPY] <= KST_DEVICE_CPU ||
        report.stage_device[KST_STAGE_PIXELS] <= KST_DEVICE_CPU)
        fail_msg("%s: not on the device", what);
    expect_same_image(what, context, &wanted, &image);
    kst_image_release(cpu_context, &wanted);
    kst_image_release(context, &image);
    return calls.calls;
}

static void compare(
    kst_context *context, const kst_buffer *stream, const kst_decode_options *options, kst_memory memory)
{
    if (decode_there(context, stream, options, memory) < LEAST_CALLS)
        fail_msg("memory %d, format %d, reduced %u, tile %u, %u components: not in slabs", (int)memory,
            (int)options->format, (unsigned)options->reduce, (unsigned)options->tile,
            (unsigned)options->component_count);
}

static void check(kst_context *context, const kst_image *image, const kst_j2k_options *j2k)
{
    static const uint32_t listed[] = {0, 2};
    const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(context)};
    kst_decode_options options;
    kst_buffer stream = j2k_coded(cpu_context, image, j2k);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    for (uint32_t m = 0; m < (image->plane_count > 4 ? 1 : 3); m++)
        compare(context, &stream, &options, memories[m]);
    options.components = listed;
    options.component_count = 2;
    compare(context, &stream, &options, KST_MEMORY_PINNED);
    options.components = NULL;
    options.component_count = 0;
    options.region = (kst_region){9, 21, image->width - 36, image->height - 63};
    if (j2k->tile_height > 0)
        options.tile = 0;
    compare(context, &stream, &options, KST_MEMORY_HOST);
    kst_buffer_release(cpu_context, &stream);
}

/* Smaller components, one of which has no row in some slabs; more planes than an image has room for; samples of two
 * and four bytes. */
static void test_components(void **state)
{
    (void)state;
    static const struct plane planes[] = {
        {1, 1, 8, false}, {3, 200, 12, true}, {1, 1, 8, false}, {2, 2, 8, false}, {1, 3, 20, false}, {1, 1, 8, true}};
    static const uint32_t counts[] = {3, 6};
    for (uint32_t k = 0; k < gpu_contexts; k++)
        for (uint32_t i = 0; i < 2; i++) {
            kst_image image = make_image(planes, counts[i], 150, 603);
            kst_j2k_options j2k;
            kst_context *context = small_context_create(gpu_context[k], MEMORY);
            kst_j2k_options_init(&j2k);
            j2k.levels = 3;
            j2k.image_x = LEFT;
            j2k.image_y = TOP;
            j2k.block_width = j2k.block_height = 32;
            check(context, &image, &j2k);
            j2k.tile_width = image.width - 20;
            j2k.tile_height = image.height - 23;
            check(context, &image, &j2k);
            kst_context_destroy(&context);
            free_image(&image);
        }
}

/* Not even the lowest slab has room: some columns of it, in which a component may have no sample. */
static void test_columns(void **state)
{
    (void)state;
    static const struct plane planes[] = {{1, 1, 8, false}, {200, 3, 12, true}, {1, 1, 8, false}};
    kst_image image = make_image(planes, 3, 710, 140);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_j2k_options j2k;
        kst_context *context = small_context_create(gpu_context[k], MEMORY);
        kst_j2k_options_init(&j2k);
        j2k.levels = 3;
        j2k.image_x = LEFT;
        j2k.image_y = TOP;
        check(context, &image, &j2k);
        kst_context_destroy(&context);
    }
    free_image(&image);
}

/* Make a lossless stream of one component, with a style of its code-blocks. Few rows of HTJ2K are coded. */
static kst_buffer make_grey(uint32_t width, uint32_t height, uint32_t style)
{
    kst_encode_options encoding;
    kst_j2k_options j2k;
    kst_image image;
    kst_buffer stream = {.data = NULL};
    uint8_t *pixels = malloc((size_t)width * height);
    assert_non_null(pixels);
    for (uint32_t i = 0; i < width * height; i++)
        pixels[i] = style & KST_J2K_HT && i / width > height / 8 ? 128 : (uint8_t)(i / 200 + (next_random() >> 29));
    kst_encode_options_init(&encoding);
    kst_j2k_options_init(&j2k);
    j2k.style = style;
    encoding.codec = KST_CODEC_JPEG2000;
    encoding.jpeg2000 = &j2k;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, width, height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(cpu_context, &image, &encoding, &stream, NULL), KST_OK);
    free(pixels);
    return stream;
}

/* Device memory that the context keeps for what it has to do next: all that it ever had at once, or more. */
static uint64_t device_bytes(const kst_context *context)
{
    const struct gpu_pool *pool = &kst_context_gpu_if_open(context)->pool;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pool->count; i++)
        sum += pool->idle[i].place == GPU_DEVICE ? pool->idle[i].length : 0;
    return sum;
}

/* The limit is each picture's of a batch, of which some go together, twice as much as one may take. */
static void check_batch(kst_context *context, const kst_buffer *stream, uint64_t limit)
{
    enum { ITEMS = 24, MOST = 8 };
    kst_decode_item items[ITEMS];
    kst_image images[ITEMS];
    memset(items, 0, sizeof items);
    for (uint32_t i = 0; i < ITEMS; i++) {
        kst_image_init(&images[i]);
        items[i] = (kst_decode_item){.data = stream->data, .length = stream->length, .image = &images[i]};
    }
    assert_int_equal(kst_decode_batch(context, items, ITEMS), KST_OK);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_true(items[i].report.stage_device[KST_STAGE_ENTROPY] > KST_DEVICE_CPU);
        expect_same_image("of a batch", context, &images[0], &images[i]);
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        kst_image_release(context, &images[i]);
    assert_in_range(device_bytes(context), limit, MOST * limit);
}

enum { SIDE = 300, LIMIT = 5 << 19 };

/* Numbers of 16 bytes a pixel take room, too: of one picture, and of many. */
static void test_pixels(void **state)
{
    (void)state;
    kst_buffer stream = make_grey(SIDE, SIDE, KST_J2K_SYMBOLS);
    kst_decode_options plain, numbers;
    kst_decode_options_init(&plain);
    kst_decode_options_init(&numbers);
    numbers.format = KST_FORMAT_RGBA;
    numbers.sample = KST_SAMPLE_FLOAT32;
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = small_context_create(gpu_context[k], LIMIT);
        assert_true(decode_there(context, &stream, &plain, KST_MEMORY_HOST) < LEAST_CALLS);
        compare(context, &stream, &numbers, KST_MEMORY_HOST);
        assert_in_range(device_bytes(context), LIMIT / 2, LIMIT);
        check_batch(context, &stream, LIMIT);
        kst_context_destroy(&context);
    }
    kst_buffer_release(cpu_context, &stream);
}

static void test_pixels_ht(void **state)
{
    (void)state;
    kst_buffer stream = make_grey(SIDE, SIDE, KST_J2K_HT);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = small_context_create(gpu_context[k], LIMIT);
        check_batch(context, &stream, LIMIT);
        kst_context_destroy(&context);
    }
    kst_buffer_release(cpu_context, &stream);
}

/* A device whose buffers are smaller than what a picture needs of one. */
static void test_buffers(void **state)
{
    (void)state;
    kst_buffer stream = make_grey(200, 500, KST_J2K_SYMBOLS);
    kst_decode_options options;
    kst_decode_options_init(&options);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = small_context_create(gpu_context[k], 0);
        assert_true(decode_there(context, &stream, &options, KST_MEMORY_HOST) < LEAST_CALLS);
        kst_context_gpu_if_open(context)->gpu->largest = 1 << 18;
        compare(context, &stream, &options, KST_MEMORY_HOST);
        kst_context_destroy(&context);
    }
    kst_buffer_release(cpu_context, &stream);
}

/* Put a box that is longer than 32 bits can say behind the signature and the file's type. */
static kst_buffer move_far(const kst_buffer *file)
{
    enum { HEAD = 32, BOX = 16 };
    const uint64_t gap = (UINT64_C(1) << 32) + 4096;
    kst_buffer far = {.length = file->length + gap};
    far.data = mmap(NULL, far.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(far.data != MAP_FAILED);
    uint8_t *to = far.data;
    memcpy(to, file->data, HEAD);
    memcpy(to + HEAD, "\0\0\0\1free", BOX / 2);
    for (uint32_t i = 0; i < 8; i++)
        to[HEAD + BOX / 2 + i] = (uint8_t)(gap >> (56 - 8 * i));
    memcpy(to + HEAD + gap, (const uint8_t *)file->data + HEAD, file->length - HEAD);
    return far;
}

/* Returns where it is. */
static uint64_t expect_damage(kst_context *context, const kst_buffer *stream)
{
    kst_report wanted, found;
    kst_image whole, image;
    kst_report_init(&wanted);
    kst_report_init(&found);
    kst_image_init(&whole);
    kst_image_init(&image);
    assert_int_equal(kst_decode(cpu_context, stream->data, stream->length, NULL, &whole, &wanted), KST_OK);
    assert_int_equal(kst_decode(context, stream->data, stream->length, NULL, &image, &found), KST_OK);
    expect_same_image("damaged", context, &whole, &image);
    kst_image_release(cpu_context, &whole);
    kst_image_release(context, &image);
    assert_true(wanted.warnings > 0);
    assert_int_equal(wanted.warnings, found.warnings);
    assert_int_equal(wanted.first_warning_offset, found.first_warning_offset);
    return found.first_warning_offset;
}

static void expect_damage_within(const kst_buffer *stream, uint64_t memory)
{
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = small_context_create(gpu_context[k], memory);
        expect_damage(context, stream);
        kst_context_destroy(&context);
    }
}

/* The first slabs have tiles none of which can be decoded, where the picture has others: what the CPU makes of it. */
static void test_damage(void **state)
{
    enum { DAMAGED = 4 };
    (void)state;
    static const struct plane planes[] = {{1, 1, 8, false}, {1, 1, 8, false}, {1, 1, 8, false}};
    kst_image image = make_image(planes, 3, 300, 1200);
    kst_j2k_options j2k;
    kst_decode_options options;
    kst_decode_options_init(&options);
    kst_j2k_options_init(&j2k);
    options.format = KST_FORMAT_RAW;
    j2k.tile_width = 300;
    j2k.tile_height = 150;
    kst_buffer stream = j2k_coded(cpu_context, &image, &j2k);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = small_context_create(gpu_context[k], MEMORY);
        compare(context, &stream, &options, KST_MEMORY_HOST);
        kst_context_destroy(&context);
    }
    for (uint32_t i = 0; i < DAMAGED; i++)
        j2k_damage_header(&stream, i);
    expect_damage_within(&stream, MEMORY);
    kst_buffer_release(cpu_context, &stream);
    free_image(&image);
}

/* There is no memory for the data about many small code-blocks: the CPU decodes part by part. */
static void test_plans(void **state)
{
    enum { LITTLE = 1600000 };
    (void)state;
    static const struct plane planes[] = {{1, 1, 8, false}, {1, 1, 8, false}, {1, 1, 8, false}};
    kst_image image = make_image(planes, 3, 1500, 200);
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.tile_width = j2k.tile_height = 200;
    j2k.block_width = j2k.block_height = 8;
    j2k.layers = 4;
    kst_buffer stream = j2k_coded(cpu_context, &image, &j2k);
    stream.length -= stream.length / 3;
    expect_damage_within(&stream, LITTLE);
    kst_buffer_release(cpu_context, &stream);
    free_image(&image);
}

/* Code-blocks that lie behind 4 GB of the file, of which pages that nobody writes to take no memory. */
static void test_far(void **state)
{
    (void)state;
    kst_buffer stream = make_grey(130, 200, KST_J2K_SYMBOLS), far = move_far(&stream);
    kst_decode_options options;
    kst_decode_options_init(&options);
    for (uint32_t k = 0; k < gpu_contexts; k++)
        for (uint32_t m = 0; m < 2; m++)
            decode_there(gpu_context[k], &far, &options, m ? device_memory(gpu_context[k]) : KST_MEMORY_HOST);
    options.region = (kst_region){3, 70, 90, 1};
    for (uint32_t k = 0; k < gpu_contexts; k++)
        decode_there(gpu_context[k], &far, &options, KST_MEMORY_HOST);
    memset((uint8_t *)far.data + far.length - 700, 0xFF, 9);
    for (uint32_t k = 0; k < gpu_contexts; k++)
        assert_true(expect_damage(gpu_context[k], &far) > UINT32_MAX);
    munmap(far.data, far.length);
    kst_buffer_release(cpu_context, &stream);
}

/* KOSTKA_CODERS chooses: "ht" the test of HTJ2K, for which PoCL compiles other kernels, "mq" the rest. */
int main(void)
{
    const struct CMUnitTest ht_tests[] = {cmocka_unit_test(test_pixels_ht)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_components), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_pixels), cmocka_unit_test(test_buffers), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_plans), cmocka_unit_test(test_far)};
    const char *coders = getenv("KOSTKA_CODERS");
    int failed = 0;
    if (!coders || strcmp(coders, "ht") != 0)
        failed += cmocka_run_group_tests(tests, start_contexts, stop_contexts);
    if (!coders || strcmp(coders, "ht") == 0)
        failed += cmocka_run_group_tests(ht_tests, start_contexts, stop_contexts);
    return failed;
}
