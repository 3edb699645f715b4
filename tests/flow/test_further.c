/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Items whose image becomes several streams: each stream is that of a call of its own, on the CPU and on every GPU,
 * with the metadata of the picture where these are kept; work that encodes nothing refuses further encodings.
 */
#include <stdio.h>
#include <string.h>

#include <kostka/kostka_device.h>
#include <kostka/kostka_flow.h>

#include "support/gpu/contexts.h"
#include "support/random.h"
#include "support/test.h"

enum { ITEMS = 12, STREAMS = 3, WIDTH = 77, HEIGHT = 45 };

static const char comment[] = "a comment";

struct test {
    kst_flow_work work;
    const kst_flow_stage *stage;
    kst_image image;
    uint8_t pixels[WIDTH * HEIGHT * 3];
    kst_buffer stream; /* of the image, with a comment */
    kst_encode_options options[STREAMS];
    kst_buffer wanted[STREAMS];
    kst_flow_encoding further[ITEMS][STREAMS - 1];
    uint32_t brought, taken;
};

static bool next(void *user, kst_flow_item *item)
{
    struct test *test = user;
    if (test->brought == ITEMS)
        return false;
    kst_flow_encoding *further = test->further[test->brought++];
    for (uint32_t i = 0; i < STREAMS - 1; i++)
        further[i] = (kst_flow_encoding){.encode = &test->options[i + 1]};
    if (test->work == KST_FLOW_ENCODE) {
        item->picture = &test->image;
    } else {
        item->data = test->stream.data;
        item->length = test->stream.length;
    }
    item->encode = &test->options[0];
    item->further = further;
    item->further_count = STREAMS - 1;
    return true;
}

static void check_stream(const kst_buffer *wanted, const kst_buffer *found, const kst_report *report)
{
    if (report->status)
        fail_msg("%s", report->message);
    assert_int_equal(found->length, wanted->length);
    assert_memory_equal(found->data, wanted->data, wanted->length);
}

static bool put(void *user, kst_flow_item *item)
{
    struct test *test = user;
    check_stream(&test->wanted[0], &item->output, &item->report);
    for (uint32_t i = 1; i < STREAMS; i++)
        check_stream(&test->wanted[i], &item->further[i - 1].output, &item->further[i - 1].report);
    test->taken++;
    return true;
}

static void run(struct test *test, const char *devices, bool keep)
{
    kst_flow_options options;
    kst_flow *flow;
    kst_flow_options_init(&options);
    options.work = test->work;
    options.devices = devices;
    options.in_order = true;
    options.keep = keep;
    options.next = next;
    options.put = put;
    options.user = test;
    test->brought = test->taken = 0;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    assert_int_equal(kst_flow_wait(flow), KST_OK);
    assert_int_equal(test->taken, ITEMS);
    /* The flow's devices stay open until its end. */
    kst_buffer stream = {.data = NULL};
    assert_int_equal(kst_encode(kst_flow_context(flow, 0), &test->image, &test->options[0], &stream, NULL), KST_OK);
    kst_buffer_release(kst_flow_context(flow, 0), &stream);
    assert_int_equal(kst_flow_wait(flow), KST_OK);
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_int_equal(kst_flow_wait(NULL), KST_ERROR_ARGUMENT);
}

/* Make the streams by a call for each, from the picture or from what its stream decodes to. */
static void want(struct test *test, bool keep)
{
    static const kst_metadata metadata = {
        .kind = KST_METADATA_COMMENT, .marker = 0xFE, .data = (const uint8_t *)comment, .length = sizeof comment - 1};
    kst_image decoded;
    kst_image_init(&decoded);
    if (test->work == KST_FLOW_CONVERT)
        assert_int_equal(kst_decode(cpu_context, test->stream.data, test->stream.length, NULL, &decoded, NULL), KST_OK);
    for (uint32_t i = 0; i < STREAMS; i++) {
        kst_encode_options options = test->options[i];
        options.metadata = keep ? &metadata : NULL;
        options.metadata_count = keep;
        kst_buffer_release(cpu_context, &test->wanted[i]);
        assert_int_equal(kst_encode(cpu_context, test->work == KST_FLOW_CONVERT ? &decoded : &test->image, &options,
                             &test->wanted[i], NULL),
            KST_OK);
    }
    kst_image_release(cpu_context, &decoded);
}

static void run_everywhere(struct test *test, bool keep)
{
    char names[64];
    want(test, keep);
    run(test, "cpu", keep);
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_context_device(gpu_context[g], &info), KST_OK);
        run(test, info.name, keep);
        snprintf(names, sizeof names, "%s,cpu", info.name);
        run(test, names, keep);
    }
}

static void test_streams(void **state)
{
    static struct test test;
    kst_encode_options options;
    const kst_metadata metadata = {
        .kind = KST_METADATA_COMMENT, .marker = 0xFE, .data = (const uint8_t *)comment, .length = sizeof comment - 1};
    (void)state;
    for (size_t i = 0; i < sizeof test.pixels; i++)
        test.pixels[i] = (uint8_t)(next_random() % 60 + i / 3 % WIDTH * 2);
    assert_int_equal(kst_image_wrap(&test.image, KST_FORMAT_RGB, WIDTH, HEIGHT, test.pixels, 0), KST_OK);
    kst_encode_options_init(&options);
    options.metadata = &metadata;
    options.metadata_count = 1;
    assert_int_equal(kst_encode(cpu_context, &test.image, &options, &test.stream, NULL), KST_OK);
    for (uint32_t i = 0; i < STREAMS; i++) {
        kst_encode_options_init(&test.options[i]);
        test.options[i].quality = (int)(50 + 20 * i);
    }
    test.options[2].codec = KST_CODEC_JPEG2000;
    test.work = KST_FLOW_ENCODE;
    run_everywhere(&test, false);
    test.work = KST_FLOW_CONVERT;
    run_everywhere(&test, false);
    test.options[2].codec = KST_CODEC_JPEG; /* comments of JPEG are not those of JPEG 2000 */
    run_everywhere(&test, true);
    for (uint32_t i = 0; i < STREAMS; i++)
        kst_buffer_release(cpu_context, &test.wanted[i]);
    kst_buffer_release(cpu_context, &test.stream);
}

static bool put_refused(void *user, kst_flow_item *item)
{
    struct test *test = user;
    assert_int_equal(item->report.status, KST_ERROR_OPTIONS);
    test->taken++;
    return true;
}

/* An item that is decoded, and one whose array is missing. */
static bool next_refused(void *user, kst_flow_item *item)
{
    struct test *test = user;
    if (test->brought == 2)
        return false;
    item->work = test->brought ? KST_FLOW_CONVERT : KST_FLOW_DECODE;
    item->data = comment;
    item->length = sizeof comment;
    item->further = test->brought++ ? NULL : test->further[0];
    item->further_count = 1;
    return true;
}

static void test_refused(void **state)
{
    static struct test test;
    kst_flow_options options;
    kst_flow *flow;
    (void)state;
    kst_flow_options_init(&options);
    options.devices = "cpu";
    options.next = next_refused;
    options.put = put_refused;
    options.writers = 1;
    options.user = &test;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    assert_int_equal(kst_flow_wait(flow), KST_ERROR_OPTIONS);
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_OPTIONS);
    assert_int_equal(test.taken, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
