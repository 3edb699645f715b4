/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows on the CPU: results are those of single calls, nothing gets lost, and memory is bounded. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/flow_run.h"
#include "support/sanitizers.h"
#include "support/test.h"

/* The cases, from whose bits ways to run a flow are drawn: all, or one in three if threads are watched. */
enum { APART = THREADS_WATCHED ? 3 : 1 };

static struct flow_set set;

static int start(void **state)
{
    (void)state;
    flow_set_make(&set);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    flow_set_release(&set);
    return 0;
}

/* All works, from memory and from files, in order and not. */
static void test_works(void **state)
{
    static const kst_flow_work works[] = {KST_FLOW_DECODE, KST_FLOW_CONVERT};
    (void)state;
    for (uint32_t i = 0; i < 8; i += APART) {
        struct flow_run run;
        flow_run_init(&run, &set, works[i % 2], 60);
        run.files = i & 2;
        run.options.in_order = i & 4;
        assert_int_equal(flow_run(&run), KST_OK);
        assert_int_equal(run.brought, 60);
        assert_int_equal(run.failed, 0);
    }
}

/* JPEG alone can be transcoded with options for JPEG. */
static bool next_jpeg(void *user, kst_flow_item *item)
{
    struct flow_run *run = user;
    do
        if (run->brought == run->items)
            return false;
    while (++run->brought % 3 == 0);
    const kst_buffer *stream = &set.stream[(run->brought - 1) % 18];
    item->user = (void *)(uintptr_t)stream;
    item->data = stream->data;
    item->length = stream->length;
    return true;
}

static void test_transcode(void **state)
{
    struct flow_run run;
    kst_flow *flow;
    (void)state;
    flow_run_init(&run, &set, KST_FLOW_TRANSCODE, 90);
    run.options.next = next_jpeg;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_int_equal(run.put, 60);
    assert_int_equal(run.wrong, 0);
}

/* Images that the source provides. */
struct provided {
    kst_image image[6];
    uint32_t brought, good;
};

static void provided_decode(struct provided *provided)
{
    for (uint32_t i = 0; i < 6; i++) {
        kst_image_init(&provided->image[i]);
        assert_int_equal(
            kst_decode(set.context, set.stream[i].data, set.stream[i].length, NULL, &provided->image[i], NULL), KST_OK);
    }
}

static void provided_release(struct provided *provided)
{
    for (uint32_t i = 0; i < 6; i++)
        kst_image_release(set.context, &provided->image[i]);
}

static bool next_image(void *user, kst_flow_item *item)
{
    struct provided *provided = user;
    item->picture = &provided->image[provided->brought % 6];
    return provided->brought++ < 50;
}

static void test_encode(void **state)
{
    struct provided provided = {.brought = 0};
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    provided_decode(&provided);
    kst_flow_options_init(&options);
    options.work = KST_FLOW_ENCODE;
    options.devices = "cpu";
    options.next = next_image;
    options.user = &provided;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    while (kst_flow_take(flow, &item)) {
        kst_buffer wanted = {.data = NULL};
        assert_int_equal(item.report.status, KST_OK);
        assert_int_equal(kst_encode(set.context, item.picture, NULL, &wanted, NULL), KST_OK);
        assert_int_equal(item.output.length, wanted.length);
        assert_memory_equal(item.output.data, wanted.data, wanted.length);
        kst_buffer_release(set.context, &wanted);
        kst_flow_release(flow, &item);
        provided.good++;
    }
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_int_equal(provided.good, 50);
    provided_release(&provided);
}

/* Items of one flow that are decoded, encoded and converted by turns. */
static bool next_of_any_work(void *user, kst_flow_item *item)
{
    struct provided *provided = user;
    item->work = (kst_flow_work)(provided->brought % 3);
    item->data = set.stream[provided->brought % 6].data;
    item->length = set.stream[provided->brought % 6].length;
    if (item->work == KST_FLOW_ENCODE)
        item->picture = &provided->image[provided->brought % 6];
    return provided->brought++ < 60;
}

static void check_any_work(const struct provided *provided, const kst_flow_item *item)
{
    const kst_image *image = &provided->image[item->index % 6];
    kst_buffer wanted = {.data = NULL};
    assert_int_equal(item->report.status, KST_OK);
    assert_int_equal(item->work, item->index % 3);
    if (item->work == KST_FLOW_DECODE) {
        assert_int_equal(item->image.width, image->width);
        assert_memory_equal(
            item->image.plane[0].data, image->plane[0].data, (size_t)image->width * kst_format_channels(image->format));
        return;
    }
    assert_int_equal(kst_encode(set.context, image, NULL, &wanted, NULL), KST_OK);
    assert_int_equal(item->output.length, wanted.length);
    assert_memory_equal(item->output.data, wanted.data, wanted.length);
    kst_buffer_release(set.context, &wanted);
}

static void test_any_work(void **state)
{
    struct provided provided = {.brought = 0};
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    provided_decode(&provided);
    kst_flow_options_init(&options);
    options.devices = "cpu";
    options.next = next_of_any_work;
    options.user = &provided;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    while (kst_flow_take(flow, &item)) {
        check_any_work(&provided, &item);
        kst_flow_release(flow, &item);
        provided.good++;
    }
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_int_equal(provided.good, 60);
    provided_release(&provided);
}

/* Transcoding is no work for one item of a flow that does something else, nor the other way round. */
static bool next_of_wrong_work(void *user, kst_flow_item *item)
{
    struct provided *provided = user;
    item->data = set.stream[0].data;
    item->length = set.stream[0].length;
    item->work = provided->brought == 0             ? (kst_flow_work)7
                 : item->work == KST_FLOW_TRANSCODE ? KST_FLOW_DECODE
                                                    : KST_FLOW_TRANSCODE;
    return provided->brought++ < 4;
}

static void test_wrong_work(void **state)
{
    static const kst_flow_work works[] = {KST_FLOW_DECODE, KST_FLOW_TRANSCODE};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct provided provided = {.brought = 0};
        kst_flow_options options;
        kst_flow_item item;
        kst_flow *flow;
        kst_flow_options_init(&options);
        options.work = works[i];
        options.devices = "cpu";
        options.next = next_of_wrong_work;
        options.user = &provided;
        assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
        assert_non_null(kst_flow_context(flow, 0));
        assert_null(kst_flow_context(flow, 1));
        assert_null(kst_flow_context(NULL, 0));
        while (kst_flow_take(flow, &item)) {
            assert_int_equal(item.report.status, KST_ERROR_OPTIONS);
            assert_null(item.context);
            provided.good++;
        }
        assert_int_equal(kst_flow_end(&flow), KST_ERROR_OPTIONS);
        assert_int_equal(provided.good, 4);
    }
}

/* Bad items have a status each, and others are made nevertheless. */
static void test_bad_items(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i += APART) {
        struct flow_run run;
        flow_run_init(&run, &set, i % 2 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 120);
        run.files = run.damaged = true;
        run.missing = 7;
        run.options.in_order = i & 2;
        assert_int_not_equal(flow_run(&run), KST_OK);
        assert_int_equal(run.unread, 120 / 7);
        assert_true(run.failed > run.unread);
    }
}

static void test_message(void **state)
{
    struct flow_run run;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    flow_run_init(&run, &set, KST_FLOW_DECODE, 1);
    run.missing = 1;
    run.options.put = NULL;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    assert_true(kst_flow_take(flow, &item));
    assert_non_null(strstr(item.report.message, "No such file"));
    assert_null(item.context);
    kst_flow_release(flow, &item);
    assert_false(kst_flow_take(flow, &item));
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_READ);
}

/* With room for hardly anything all items come, too; and so they do with queues of one. */
static void test_little_memory(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i += APART) {
        struct flow_run run;
        flow_run_init(&run, &set, i & 1 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 60);
        run.files = true;
        run.options.in_order = i & 2;
        run.options.memory = i & 4 ? 1 : 20000;
        run.options.most = 1;
        assert_int_equal(flow_run(&run), KST_OK);
        assert_int_equal(run.brought, 60);
    }
}

/* A sink that refuses ends the flow; every item that came has a result. */
static void test_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct flow_run run;
        flow_run_init(&run, &set, KST_FLOW_DECODE, 100000);
        run.stop = 5;
        run.options.in_order = i;
        kst_status status = flow_run(&run); /* some may have waited for a device, or none */
        assert_int_equal(status, run.cancelled ? KST_ERROR_CANCELLED : KST_OK);
        assert_true(run.brought < 100000);
    }
}

/* The caller takes two results, and drops the rest. */
static void test_early_end(void **state)
{
    struct flow_run run;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    flow_run_init(&run, &set, KST_FLOW_DECODE, 100000);
    run.options.put = NULL;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kst_flow_take(flow, &item));
        kst_flow_release(flow, &item);
    }
    kst_status status = kst_flow_end(&flow);
    assert_true(!status || status == KST_ERROR_CANCELLED);
    assert_true(run.brought < 100000);
}

static void test_taken(void **state)
{
    struct flow_run run;
    kst_flow_counts counts = {.size = sizeof counts};
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    flow_run_init(&run, &set, KST_FLOW_DECODE, 40);
    run.options.put = NULL;
    run.options.in_order = true;
    run.damaged = true;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    while (kst_flow_take(flow, &item)) {
        flow_run_check(&run, &item);
        kst_flow_release(flow, &item);
    }
    assert_int_equal(run.wrong, 0);
    assert_int_equal(kst_flow_count(flow, &counts), KST_OK);
    assert_int_equal(counts.items, 40);
    assert_int_equal(counts.done, 40);
    assert_int_equal(counts.failed, run.failed);
    assert_int_equal(counts.moved, 0);
    kst_flow_end(&flow);
}

/* Images of another size, to the sink and to new streams; those that cannot be resized have an error each. */
static void test_resize(void **state)
{
    kst_resize_options resize;
    (void)state;
    kst_resize_options_init(&resize);
    resize.width = 31;
    resize.height = 20;
    resize.filter = KST_RESIZE_BILINEAR;
    for (uint32_t i = 0; i < 8; i += APART) {
        struct flow_run run;
        flow_run_init(&run, &set, i & 1 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 60);
        resize.fit = i & 4 ? KST_RESIZE_COVER : KST_RESIZE_EXACT;
        run.options.resize = &resize;
        run.options.memory = i & 2 ? 3000 : run.options.memory;
        run.damaged = i & 2;
        kst_status status = flow_run(&run);
        assert_int_equal(!status, !(i & 2));
    }
    resize.box = (kst_resize_box){.left = 10, .top = 10, .right = 18, .bottom = 30}; /* not in the first picture */
    for (uint32_t i = 0; i < 2; i++) {
        struct flow_run run;
        flow_run_init(&run, &set, i ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 40);
        run.options.resize = &resize;
        assert_int_equal(flow_run(&run), KST_ERROR_REGION);
        assert_int_equal(run.failed, 2);
    }
}

/* A source of one picture of 1200 × 1200 samples. */
static bool next_large(void *user, kst_flow_item *item)
{
    kst_buffer *stream = user;
    if (!stream->data)
        return false;
    item->data = stream->data;
    item->length = stream->length;
    stream->data = NULL;
    return true;
}

/* Decode a box of a picture for which, as a whole, there is no memory. */
static void test_box_in_little_memory(void **state)
{
    enum { SIDE = 1200, BOX = 40 };
    kst_image picture;
    kst_buffer stream = {.data = NULL};
    kst_flow *flow;
    kst_flow_item item;
    (void)state;
    kst_image_init(&picture);
    picture.format = KST_FORMAT_GREY;
    picture.width = picture.height = SIDE;
    assert_int_equal(kst_image_allocate(set.context, &picture), KST_OK);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        ((uint8_t *)picture.plane[0].data)[i] = (uint8_t)(i / SIDE / 16 * 5 + i % SIDE / 8);
    assert_int_equal(kst_encode(set.context, &picture, NULL, &stream, NULL), KST_OK);
    kst_image_release(set.context, &picture);
    for (uint32_t i = 0; i < 2; i++) {
        kst_buffer once = stream;
        kst_resize_options resize;
        kst_flow_options options;
        kst_resize_options_init(&resize);
        kst_flow_options_init(&options);
        resize.width = resize.height = BOX;
        if (i == 0)
            resize.box = (kst_resize_box){.left = 600, .top = 580, .right = 600 + 2 * BOX, .bottom = 580 + 2 * BOX};
        options.devices = "cpu";
        options.resize = &resize;
        options.limits.memory = SIDE * SIDE / 2;
        options.next = next_large;
        options.user = &once;
        assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
        assert_true(kst_flow_take(flow, &item));
        assert_int_equal(item.report.status, i == 0 ? KST_OK : KST_ERROR_LIMIT_MEMORY);
        kst_flow_release(flow, &item);
        kst_flow_end(&flow);
    }
    kst_buffer_release(set.context, &stream);
}

/* Metadata and resolution go along, the resolution of the new file being that of the old one. */
static void test_keep(void **state)
{
    struct flow_run run;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    flow_run_init(&run, &set, KST_FLOW_CONVERT, 20);
    run.options.keep = true;
    run.options.put = NULL;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    while (kst_flow_take(flow, &item)) {
        kst_decoder *decoder;
        assert_int_equal(item.report.status, KST_OK);
        assert_int_equal(kst_decoder_create(set.context, &decoder), KST_OK);
        assert_int_equal(kst_decoder_open(decoder, item.output.data, item.output.length), KST_OK);
        const kst_metadata *comment = kst_decoder_metadata(decoder, 0);
        assert_non_null(comment);
        assert_int_equal(comment->kind, KST_METADATA_COMMENT);
        assert_memory_equal(comment->data, "a flow", 6);
        assert_true(kst_decoder_info(decoder)->density_x >= 70);
        kst_decoder_destroy(&decoder);
        kst_flow_release(flow, &item);
    }
    assert_int_equal(kst_flow_end(&flow), KST_OK);
}

/* Pipes, whose length is not known before, that are longer than the memory for streams. */
enum { PIPES = 5 };
static char pipe_path[PIPES][64];

static bool next_pipe(void *user, kst_flow_item *item)
{
    struct flow_run *run = user;
    if (run->brought == PIPES)
        return false;
    item->user = (void *)(uintptr_t)&set.stream[0];
    item->path = pipe_path[run->brought++];
    return true;
}

static void *fill_pipe(void *path)
{
    FILE *pipe = fopen(path, "wb");
    if (pipe) {
        fwrite(set.stream[0].data, 1, set.stream[0].length, pipe);
        for (uint32_t i = 0; i < 300000; i++) /* bytes behind the picture */
            fputc(0, pipe);
        fclose(pipe);
    }
    return NULL;
}

static void test_pipes(void **state)
{
    pthread_t writer[PIPES];
    struct flow_run run;
    (void)state;
    for (int i = 0; i < PIPES; i++) {
        snprintf(pipe_path[i], sizeof pipe_path[i], "%s/pipe%d", set.folder, i);
        assert_int_equal(mkfifo(pipe_path[i], 0600), 0);
        assert_int_equal(pthread_create(&writer[i], NULL, fill_pipe, pipe_path[i]), 0);
    }
    flow_run_init(&run, &set, KST_FLOW_DECODE, PIPES);
    run.options.next = next_pipe;
    run.options.memory = 200000;
    assert_int_equal(flow_run(&run), KST_OK);
    assert_int_equal(run.failed, 0);
    for (int i = 0; i < PIPES; i++) {
        pthread_join(writer[i], NULL);
        unlink(pipe_path[i]);
    }
}

static void test_options(void **state)
{
    static const char *const devices[] = {
        "", "cpu,", ",cpu", "cpu,,cpu", "gpu", "cpu,cpu", "all,cpu", "a very long name"};
    kst_resize_options resize = {.size = sizeof resize, .width = 1, .height = 1};
    struct flow_run run;
    kst_flow *flow;
    (void)state;
    for (uint32_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        flow_run_init(&run, &set, KST_FLOW_DECODE, 1);
        run.options.devices = devices[i];
        assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_DEVICE_NAME);
        assert_null(flow);
    }
    flow_run_init(&run, &set, KST_FLOW_TRANSCODE, 1);
    run.options.devices = "all";
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    flow_run_init(&run, &set, KST_FLOW_DECODE, 1);
    run.options.keep = true;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    run.options.keep = false;
    run.options.work = KST_FLOW_TRANSCODE;
    run.options.devices = NULL;
    run.options.resize = &resize;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    run.options.next = NULL;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    assert_int_equal(kst_flow_start(NULL, &flow), KST_ERROR_ARGUMENT);
    flow = NULL;
    assert_int_equal(kst_flow_end(&flow), KST_OK);
    assert_false(kst_flow_take(NULL, NULL));
}

/* Memory in which no device of the flow can make an image is an error of that item. */
static bool next_on_device(void *user, kst_flow_item *item)
{
    struct flow_run *run = user;
    item->data = set.stream[0].data;
    item->length = set.stream[0].length;
    item->image.memory = KST_MEMORY_CUDA;
    return run->brought++ < 3;
}

static void test_wrong_memory(void **state)
{
    struct flow_run run;
    kst_flow_item item;
    kst_flow *flow;
    uint32_t count = 0;
    (void)state;
    flow_run_init(&run, &set, KST_FLOW_DECODE, 3);
    run.options.next = next_on_device;
    run.options.put = NULL;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    for (; kst_flow_take(flow, &item); count++)
        assert_int_equal(item.report.status, KST_ERROR_IMAGE_MEMORY);
    assert_int_equal(count, 3);
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_IMAGE_MEMORY);
}

/* A source of pictures in a memory that no device of the flow reaches: each picture fails, and no device takes it. */
static bool next_picture_on_device(void *user, kst_flow_item *item)
{
    struct provided *provided = user;
    item->picture = &provided->image[0];
    return provided->brought++ < 3;
}

static void test_picture_in_wrong_memory(void **state)
{
    struct provided provided = {.brought = 0};
    kst_flow_options options;
    kst_flow_item item;
    kst_flow *flow;
    uint32_t count = 0;
    (void)state;
    kst_image_init(&provided.image[0]);
    provided.image[0].memory = KST_MEMORY_CUDA;
    kst_flow_options_init(&options);
    options.work = KST_FLOW_ENCODE;
    options.devices = "cpu";
    options.next = next_picture_on_device;
    options.user = &provided;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    for (; kst_flow_take(flow, &item); count++) {
        assert_int_equal(item.report.status, KST_ERROR_IMAGE_MEMORY);
        assert_null(item.context);
    }
    assert_int_equal(count, 3);
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_IMAGE_MEMORY);
}

/* Each allocation fails once: the flow ends nevertheless, and leaves nothing. */
static void test_failing_allocations(void **state)
{
    long calls = 1;
    (void)state;
    for (long n = 0; n <= calls; n += SANITIZED ? 37 : 1) {
        struct failing failing = {.ever_after = n % 2};
        struct flow_run run;
        kst_flow *flow;
        failing.failing = n;
        flow_run_init(&run, &set, n % 3 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 4);
        run.files = true;
        run.options.keep = n % 3;
        run.options.allocator =
            (kst_allocator){.allocate = failing_allocate, .release = failing_release, .user = &failing};
        if (!kst_flow_start(&run.options, &flow))
            kst_flow_end(&flow);
        assert_int_equal(failing.live, 0);
        if (n == 0)
            calls = failing.calls;
    }
    assert_true(calls > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_works),
        cmocka_unit_test(test_transcode),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_any_work),
        cmocka_unit_test(test_wrong_work),
        cmocka_unit_test(test_bad_items),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_early_end),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_box_in_little_memory),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_wrong_memory),
        cmocka_unit_test(test_picture_in_wrong_memory),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
