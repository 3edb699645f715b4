/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A code-block of more than 4 GiB, so that sums of its lengths take more than 32 bits. The stream lies in memory of
 * which only some pages are ever written, and its decoding may take 256 MB.
 */
#include <string.h>
#include <sys/mman.h>

#include "support/context.h"
#include "support/j2k/hostile.h"
#include "support/test.h"

enum {
    SIDE = 64,
    FIRST_PASSES = 10, /* those in front of the first raw one (Table D.9) */
    REAL = 4096,       /* bytes of the first segment that are not 0 */
    SECOND = 0x1000,
    THIRD = 0x1000,
    ENOUGH = 1 << 20, /* bytes of a segment that no 10 passes can reach the end of */
    HEADER_ROOM = 256,
    LIMIT = 256 << 20
};

/* Three layers of one code-block whose first segment has `length` bytes: 10 passes, then a raw segment in two parts. */
struct vast {
    uint8_t *data;
    size_t length, room;
};

static const struct hostile_picture picture = {
    .width = SIDE, .height = SIDE, .components = 1, .block = 4, .layers = 3, .style = 1 /* bypass */, .exponent = 8};

static uint32_t floor_log2(uint32_t value)
{
    uint32_t log = 0;
    while (value >>= 1)
        log++;
    return log;
}

/* The packet header of the first layer. */
static void put_first(struct bytes *bytes, uint32_t length)
{
    struct hostile_bits bits = {.bytes = bytes, .room = 8};
    uint32_t width = floor_log2(FIRST_PASSES) + 3;
    hostile_put_bits(&bits, 7, 3); /* not empty, included, no missing bit planes */
    hostile_put_bits(&bits, 0xF, 4);
    hostile_put_bits(&bits, FIRST_PASSES - 6, 5);
    for (; width < 32; width++)
        hostile_put_bits(&bits, 1, 1);
    hostile_put_bits(&bits, 0, 1);
    hostile_put_bits(&bits, length, 32);
    hostile_end_bits(&bits);
}

/* One more pass, Lblock being what it was. */
static void put_more(struct bytes *bytes, uint32_t length)
{
    struct hostile_bits bits = {.bytes = bytes, .room = 8};
    hostile_put_bits(&bits, 3, 2);
    hostile_put_bits(&bits, 0, 2);
    hostile_put_bits(&bits, length, 32 - floor_log2(FIRST_PASSES));
    hostile_end_bits(&bits);
}

static void append(struct vast *vast, const void *data, size_t length)
{
    assert_true(length <= vast->room - vast->length);
    memcpy(vast->data + vast->length, data, length);
    vast->length += length;
}

static void append_bytes(struct vast *vast, uint8_t value, size_t length)
{
    assert_true(length <= vast->room - vast->length);
    memset(vast->data + vast->length, value, length);
    vast->length += length;
}

/* Allocate memory that is 0 until it is written. */
static void build(struct vast *vast, uint32_t length)
{
    struct bytes head = {0}, second = {0}, third = {0};
    hostile_put_header(&head, &picture);
    hostile_start_part(&head, 0, 0, 0, 1);
    put_first(&head, length);
    put_more(&second, SECOND);
    put_more(&third, THIRD);
    vast->room = HEADER_ROOM + (size_t)length + SECOND + THIRD;
    vast->data = mmap(NULL, vast->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    vast->length = 0;
    if (vast->data == MAP_FAILED)
        skip("there is not so much address space");
    append(vast, head.data, head.length);
    append_bytes(vast, 0x12, REAL);
    vast->length += length - REAL;
    append(vast, second.data, second.length);
    append_bytes(vast, 0x41, SECOND);
    append(vast, third.data, third.length);
    append_bytes(vast, 0x42, THIRD);
    append(vast, "\xFF\xD9", 2);
    bytes_free(&head);
    bytes_free(&second);
    bytes_free(&third);
}

static void drop(struct vast *vast)
{
    munmap(vast->data, vast->room);
}

static kst_image decode(kst_context *context, const struct vast *vast, uint32_t layers)
{
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.layers = layers;
    kst_image_init(&image);
    kst_report_init(&report);
    if (kst_decode(context, vast->data, vast->length, &options, &image, &report))
        fail_msg("%s", report.message);
    if (report.warnings > 0)
        fail_msg("%s", report.message);
    return image;
}

static void expect_same(kst_context *context, const struct vast *vast, const struct vast *small, uint32_t layers)
{
    kst_image a = decode(context, vast, layers), b = decode(context, small, layers);
    assert_int_equal(a.plane[0].width, SIDE);
    for (uint32_t y = 0; y < SIDE; y++)
        assert_memory_equal((const uint8_t *)a.plane[0].data + y * a.plane[0].pitch,
            (const uint8_t *)b.plane[0].data + y * b.plane[0].pitch, SIDE);
    kst_image_release(context, &a);
    kst_image_release(context, &b);
}

/* Bytes beyond those that passes can reach change nothing, and are not copied. */
static void more_than_32_bits(void **state)
{
    struct vast vast, small;
    kst_context *context = context_create("cpu", 1, &(kst_limits){.memory = LIMIT});
    (void)state;
    build(&vast, UINT32_MAX - 0xFFF);
    build(&small, ENOUGH);
    for (uint32_t layers = 0; layers <= 3; layers++)
        expect_same(context, &vast, &small, layers);
    drop(&vast);
    drop(&small);
    kst_context_destroy(&context);
}

/* All of the code-blocks' bytes would be copied, which is more than the limit. */
static void transcoding(void **state)
{
    struct vast vast;
    kst_context *context = context_create("cpu", 1, &(kst_limits){.memory = LIMIT});
    (void)state;
    build(&vast, UINT32_MAX - 0xFFF);
    const struct bytes bytes = {.data = vast.data, .length = vast.length};
    assert_int_equal(hostile_run(context, HOSTILE_OPEN, &bytes), KST_OK);
    assert_int_equal(hostile_run(context, HOSTILE_TRANSCODE, &bytes), KST_ERROR_LIMIT_MEMORY);
    drop(&vast);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_32_bits),
        cmocka_unit_test(transcoding),
    };
    if (sizeof(size_t) < 8)
        return skip_all("addresses have 32 bits");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
