/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains as stages of flows: results are those of single calls, on the CPU and on every GPU. */
#include <stdio.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "core/context.h"
#include "support/flow_run.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

static struct flow_set set;

static int start(void **state)
{
    start_contexts(state);
    flow_set_make(&set);
    return 0;
}

static int stop(void **state)
{
    flow_set_release(&set);
    return stop_contexts(state);
}

/* Open a chain, in a context that is none of the flow's, and make a stage of it. */
static kst_filter *open_stage(const char *chain, kst_flow_stage *stage)
{
    kst_filter *filter;
    kst_report report;
    kst_report_init(&report);
    if (kst_filter_open(set.context, chain, &filter, &report))
        fail_msg("%s: %s", chain, report.message);
    stage->size = sizeof *stage;
    assert_int_equal(kst_filter_stage(filter, stage), KST_OK);
    return filter;
}

/* Run a flow on some devices through a chain, to images and to streams. Returns the items that failed. */
static uint32_t run_chain(const char *devices, const char *chain, const kst_resize_options *resize, bool damaged)
{
    kst_flow_stage stage;
    kst_filter *filter = open_stage(chain, &stage);
    uint32_t failed = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct flow_run run;
        flow_run_init(&run, &set, i ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 26);
        run.options.devices = devices;
        run.options.stage = &stage;
        run.options.resize = resize;
        run.options.keep = i && damaged;
        run.damaged = damaged;
        flow_run(&run);
        assert_int_equal(run.brought, 26);
        failed += run.failed;
    }
    kst_filter_close(&filter);
    return failed;
}

static void run_chains(const char *devices)
{
    kst_resize_options resize;
    kst_resize_options_init(&resize);
    resize.width = 31;
    resize.height = 20;
    assert_int_equal(run_chain(devices, "rotate=90,gaussian=1.5", NULL, false), 0);
    assert_int_equal(run_chain(devices, "grey,canny=40:90", &resize, false), 0);
    assert_true(run_chain(devices, "invert,resize=20x,sharpen", &resize, true) > 0);
    /* The first picture alone is too narrow. */
    assert_int_equal(run_chain(devices, "crop=20x20", NULL, false), 4);
}

static void test_cpu(void **state)
{
    (void)state;
    run_chains("cpu");
}

static void test_gpus(void **state)
{
    char names[64];
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        run_chains(gpu_context[g]->device);
        snprintf(names, sizeof names, "%s,cpu", gpu_context[g]->device);
        assert_int_equal(run_chain(names, "grey,equalise", NULL, false), 0);
    }
}

/* An image of the source's is filtered before it is encoded; the source chooses the chain of each item. */
struct chosen {
    kst_image image;
    kst_flow_stage stage[2];
    uint32_t brought;
};

static bool next_chosen(void *user, kst_flow_item *item)
{
    struct chosen *chosen = user;
    item->picture = &chosen->image;
    item->stage = chosen->brought % 3 == 2 ? NULL : &chosen->stage[chosen->brought % 3];
    return chosen->brought++ < 12;
}

static void test_items(void **state)
{
    static const char *const chains[] = {"rotate=90", "grey"};
    struct chosen chosen = {.brought = 0};
    kst_filter *filter[2];
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    uint32_t lengths[3] = {0, 0, 0};
    (void)state;
    kst_image_init(&chosen.image);
    assert_int_equal(
        kst_decode(set.context, set.stream[0].data, set.stream[0].length, NULL, &chosen.image, NULL), KST_OK);
    for (uint32_t i = 0; i < 2; i++)
        filter[i] = open_stage(chains[i], &chosen.stage[i]);
    kst_flow_options_init(&options);
    options.work = KST_FLOW_ENCODE;
    options.devices = "cpu";
    options.next = next_chosen;
    options.user = &chosen;
    options.in_order = true;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    for (uint32_t i = 0; kst_flow_take(flow, &item); i++) {
        kst_image image;
        kst_image_init(&image);
        assert_int_equal(item.report.status, KST_OK);
        assert_int_equal(kst_decode(set.context, item.output.data, item.output.length, NULL, &image, NULL), KST_OK);
        assert_int_equal(image.width, i % 3 == 0 ? chosen.image.height : chosen.image.width);
        assert_int_equal(image.format, i % 3 == 1 ? KST_FORMAT_GREY : KST_FORMAT_RGB);
        kst_image_release(set.context, &image);
        lengths[i % 3]++;
        kst_flow_release(flow, &item);
    }
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_int_equal(lengths[0] + lengths[1] + lengths[2], 12);
    kst_filter_close(&filter[0]);
    kst_filter_close(&filter[1]);
    kst_image_release(set.context, &chosen.image);
}

static bool next_nothing(void *user, kst_flow_item *item)
{
    (void)item;
    return ((struct chosen *)user)->brought++ == 0;
}

/* A source of pictures that become others, of which it provides the buffer of the first one. */
struct changing {
    kst_image picture, wanted, room;
    kst_resize_options resize;
    kst_filter *filter; /* null: pictures are only resized */
    kst_flow_stage stage;
    uint32_t brought;
};

static bool next_picture(void *user, kst_flow_item *item)
{
    struct changing *changing = user;
    item->picture = &changing->picture;
    if (changing->brought == 0)
        item->image = changing->room;
    return changing->brought++ < 20;
}

/* Do what the flow is to do by single calls, and make room for one result. */
static void begin_changing(struct changing *changing, const char *chain)
{
    kst_image small;
    *changing = (struct changing){.brought = 0};
    kst_image_init(&changing->picture);
    kst_image_init(&changing->wanted);
    kst_image_init(&small);
    kst_resize_options_init(&changing->resize);
    changing->resize.width = 37;
    assert_int_equal(
        kst_decode(set.context, set.stream[1].data, set.stream[1].length, NULL, &changing->picture, NULL), KST_OK);
    assert_int_equal(kst_resize(set.context, &changing->picture, &changing->resize, &small), KST_OK);
    if (chain) {
        changing->filter = open_stage(chain, &changing->stage);
        assert_int_equal(kst_filter_run(changing->filter, &small, &changing->wanted, NULL), KST_OK);
        kst_image_release(set.context, &small);
    } else {
        changing->wanted = small;
    }
    changing->room = changing->wanted;
    changing->room.plane[0].data = NULL;
    changing->room.owned = NULL;
    assert_int_equal(kst_image_allocate(set.context, &changing->room), KST_OK);
}

static void end_changing(struct changing *changing)
{
    kst_image_release(set.context, &changing->room);
    kst_image_release(set.context, &changing->wanted);
    kst_image_release(set.context, &changing->picture);
    kst_filter_close(&changing->filter);
}

static void change(const char *devices, const char *chain)
{
    struct changing changing;
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    begin_changing(&changing, chain);
    kst_flow_options_init(&options);
    options.work = KST_FLOW_CHANGE;
    options.devices = devices;
    options.next = next_picture;
    options.user = &changing;
    options.in_order = true;
    options.resize = &changing.resize;
    options.stage = changing.filter ? &changing.stage : NULL;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    for (uint32_t i = 0; kst_flow_take(flow, &item); i++) {
        assert_int_equal(item.report.status, KST_OK);
        assert_int_equal(item.image.memory, KST_MEMORY_HOST);
        assert_int_equal(item.image.plane[0].data == changing.room.plane[0].data, i == 0);
        expect_same_image(devices, set.context, &changing.wanted, &item.image);
        if (i > 0)
            kst_flow_release(flow, &item);
    }
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_int_equal(changing.brought, 21);
    end_changing(&changing);
}

/* Pictures of the source's become pictures. */
static void test_pictures(void **state)
{
    (void)state;
    change("cpu", "sharpen=0.5");
    change("cpu", NULL);
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        change(gpu_context[g]->device, "sharpen=0.5");
        change(gpu_context[g]->device, NULL);
    }
}

/* What is neither resized nor filtered has nothing to become, and what has no picture nothing to begin with. */
static void test_pictures_misused(void **state)
{
    static const kst_status wanted[] = {KST_ERROR_OPTIONS, KST_ERROR_ARGUMENT};
    struct changing changing;
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    begin_changing(&changing, "invert");
    for (uint32_t i = 0; i < 2; i++) {
        struct chosen none = {.brought = 0};
        kst_flow_options_init(&options);
        options.work = KST_FLOW_CHANGE;
        options.devices = "cpu";
        options.next = i ? next_nothing : next_picture;
        options.user = i ? (void *)&none : (void *)&changing;
        options.stage = i ? &changing.stage : NULL;
        assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
        assert_true(kst_flow_take(flow, &item));
        assert_int_equal(item.report.status, wanted[i]);
        assert_int_equal(kst_flow_end(&flow), wanted[i]);
    }
    end_changing(&changing);
}

/* A picture of more planes than it describes is an error of its item. */
static void test_picture_without_planes(void **state)
{
    struct changing changing;
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    begin_changing(&changing, NULL);
    const uint32_t planes = changing.picture.plane_count;
    changing.picture.plane_count = sizeof changing.picture.plane / sizeof *changing.picture.plane + 1;
    changing.brought = 19; /* one item, without a buffer */
    kst_flow_options_init(&options);
    options.work = KST_FLOW_CHANGE;
    options.devices = "cpu";
    options.next = next_picture;
    options.user = &changing;
    options.resize = &changing.resize;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    assert_true(kst_flow_take(flow, &item));
    assert_int_equal(item.report.status, KST_ERROR_IMAGE_SIZE);
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_IMAGE_SIZE);
    changing.picture.plane_count = planes;
    end_changing(&changing);
}

static bool next_cut(void *user, kst_flow_item *item)
{
    uint32_t *brought = user;
    item->data = set.stream[1].data;
    item->length = set.stream[1].length / 2;
    return (*brought)++ == 0;
}

/* What decoding has warned of is in the report of an item that fails in its stage. */
static void test_warnings(void **state)
{
    kst_flow_stage stage;
    kst_filter *filter = open_stage("crop=9999x1", &stage);
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    uint32_t brought = 0;
    (void)state;
    kst_flow_options_init(&options);
    options.devices = "cpu";
    options.stage = &stage;
    options.next = next_cut;
    options.user = &brought;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    assert_true(kst_flow_take(flow, &item));
    assert_int_equal(item.report.status, KST_ERROR_REGION);
    assert_non_null(strstr(item.report.message, "outside the image"));
    assert_true(item.report.warnings > 0);
    assert_null(item.image.plane[0].data);
    kst_flow_release(flow, &item);
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_REGION);
    kst_filter_close(&filter);
}

/* A profile of colours is left behind where the picture becomes grey, and goes along otherwise. */
static uint32_t count_profiles(const char *chain)
{
    static const uint8_t profile[200] = "not looked at";
    const kst_metadata icc = {.kind = KST_METADATA_ICC, .data = profile, .length = sizeof profile};
    kst_flow_stage stage;
    kst_filter *filter = open_stage(chain, &stage);
    struct chosen chosen = {.brought = 0};
    kst_encode_options options;
    kst_buffer stream = {.data = NULL}, made = {.data = NULL};
    struct flow_run run;
    kst_flow_item item;
    kst_flow *flow;
    uint32_t count = 0;
    kst_image_init(&chosen.image);
    kst_encode_options_init(&options);
    options.metadata = &icc;
    options.metadata_count = 1;
    assert_int_equal(
        kst_decode(set.context, set.stream[0].data, set.stream[0].length, NULL, &chosen.image, NULL), KST_OK);
    assert_int_equal(kst_encode(set.context, &chosen.image, &options, &stream, NULL), KST_OK);
    made = set.stream[0];
    set.stream[0] = stream;
    flow_run_init(&run, &set, KST_FLOW_CONVERT, 1);
    run.options.keep = true;
    run.options.stage = &stage;
    run.options.put = NULL;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    while (kst_flow_take(flow, &item)) {
        kst_decoder *decoder;
        assert_int_equal(item.report.status, KST_OK);
        assert_int_equal(kst_decoder_create(set.context, &decoder), KST_OK);
        assert_int_equal(kst_decoder_open(decoder, item.output.data, item.output.length), KST_OK);
        for (size_t i = 0; kst_decoder_metadata(decoder, i); i++)
            count += kst_decoder_metadata(decoder, i)->kind == KST_METADATA_ICC;
        kst_decoder_destroy(&decoder);
        kst_flow_release(flow, &item);
    }
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    set.stream[0] = made;
    kst_buffer_release(set.context, &stream);
    kst_image_release(set.context, &chosen.image);
    kst_filter_close(&filter);
    return count;
}

static void test_profiles(void **state)
{
    (void)state;
    assert_int_equal(count_profiles("invert"), 1);
    assert_int_equal(count_profiles("grey"), 0);
}

static void test_misuse(void **state)
{
    kst_flow_stage stage = {.size = 1};
    struct flow_run run;
    kst_filter *filter;
    kst_flow *flow;
    (void)state;
    assert_int_equal(kst_filter_open(set.context, "invert", &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_stage(filter, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_stage(filter, &stage), KST_ERROR_ARGUMENT);
    stage.size = sizeof stage;
    assert_int_equal(kst_filter_stage(NULL, &stage), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_stage(filter, &stage), KST_OK);
    flow_run_init(&run, &set, KST_FLOW_DECODE, 1);
    run.options.stage = &stage;
    stage.size--;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    stage = (kst_flow_stage){.size = sizeof stage, .run = stage.run};
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    flow_run_init(&run, &set, KST_FLOW_TRANSCODE, 1);
    run.options.stage = &stage;
    assert_int_equal(kst_filter_stage(filter, &stage), KST_OK);
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    kst_filter_close(&filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu), cmocka_unit_test(test_gpus),
        cmocka_unit_test(test_items), cmocka_unit_test(test_pictures), cmocka_unit_test(test_pictures_misused),
        cmocka_unit_test(test_picture_without_planes), cmocka_unit_test(test_warnings), cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_misuse)};
    return cmocka_run_group_tests(tests, start, stop);
}
