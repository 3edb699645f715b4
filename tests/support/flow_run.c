/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs flows over a set of streams, and compares their results with those of single calls. */
#include "support/flow_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/context.h"
#include "support/random.h"
#include "support/test.h"

enum { DAMAGED = 4 };

static void paint(kst_image *image, uint32_t seed)
{
    uint8_t *pixels = image->plane[0].data;
    uint32_t channels = kst_format_channels(image->format);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width * channels; x++)
            pixels[(size_t)y * image->width * channels + x] = (uint8_t)(x * seed + y * 3 + random_below(&seed, 40));
}

static kst_buffer make_stream(const struct flow_set *set, uint32_t i)
{
    kst_encode_options options;
    kst_buffer stream = {.data = NULL};
    kst_image image;
    uint32_t width = 17 + 13 * i, height = 40 + 5 * i;
    kst_format format = i % 5 == 4 ? KST_FORMAT_GREY : KST_FORMAT_RGB;
    uint8_t *pixels = malloc((size_t)width * height * 3);
    assert_non_null(pixels);
    assert_int_equal(kst_image_wrap(&image, format, width, height, pixels, 0), KST_OK);
    paint(&image, i + 1);
    kst_encode_options_init(&options);
    options.codec = i % 3 == 2 ? KST_CODEC_JPEG2000 : KST_CODEC_JPEG;
    options.coding = i % 4 == 3 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
    options.density_unit = KST_DENSITY_INCH;
    options.density_x = options.density_y = (uint16_t)(70 + i);
    const kst_metadata comment = {.kind = KST_METADATA_COMMENT, .data = (const uint8_t *)"a flow", .length = 6};
    options.metadata = &comment;
    options.metadata_count = 1;
    assert_int_equal(kst_encode(set->context, &image, &options, &stream, NULL), KST_OK);
    free(pixels);
    return stream;
}

static void write_file(struct flow_set *set, uint32_t i)
{
    set->path[i] = malloc(strlen(set->folder) + 16);
    assert_non_null(set->path[i]);
    sprintf(set->path[i], "%s/%u", set->folder, (unsigned)i);
    FILE *file = fopen(set->path[i], "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(set->stream[i].data, 1, set->stream[i].length, file), set->stream[i].length);
    assert_int_equal(fclose(file), 0);
}

void flow_set_make(struct flow_set *set)
{
    char folder[] = "/tmp/kostka-flow-XXXXXX";
    assert_non_null(mkdtemp(folder));
    set->folder = strdup(folder);
    set->context = cpu_context_create(1);
    for (uint32_t i = 0; i < FLOW_SET; i++) {
        set->stream[i] = make_stream(set, i);
        if (i >= FLOW_SET - DAMAGED)
            set->stream[i].length = i % 2 ? 11 : set->stream[i].length / 2;
        write_file(set, i);
    }
}

void flow_set_release(struct flow_set *set)
{
    for (uint32_t i = 0; i < FLOW_SET; i++) {
        unlink(set->path[i]);
        free(set->path[i]);
        kst_buffer_release(set->context, &set->stream[i]);
    }
    rmdir(set->folder);
    free(set->folder);
    kst_context_destroy(&set->context);
}

/* The flow's source: pass the streams of the set one after the other, again and again. */
static bool next(void *user, kst_flow_item *item)
{
    struct flow_run *run = user;
    uint32_t i = run->brought % (run->damaged ? FLOW_SET : FLOW_SET - DAMAGED);
    if (run->brought == run->items)
        return false;
    run->brought++;
    item->user = (void *)(uintptr_t)&run->set->stream[i];
    if (run->missing && run->brought % run->missing == 0)
        item->path = "/nonexistent/kostka";
    else if (run->files)
        item->path = run->set->path[i];
    item->data = run->set->stream[i].data;
    item->length = run->set->stream[i].length;
    return true;
}

static bool same_buffer(const kst_buffer *a, const kst_buffer *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static bool same_image(const struct flow_run *run, const kst_flow_item *item, const kst_image *wanted)
{
    kst_image copy = *wanted;
    kst_comparison comparison = {.size = sizeof comparison};
    copy.owned = NULL;
    assert_int_equal(kst_image_allocate(run->set->context, &copy), KST_OK);
    assert_int_equal(kst_image_copy(item->context, &item->image, &copy), KST_OK);
    assert_int_equal(kst_compare(wanted, &copy, &comparison), KST_OK);
    kst_image_release(run->set->context, &copy);
    return comparison.identical;
}

/* Let a stage replace an image by the one that it makes. */
static kst_status stage_image(const struct flow_run *run, kst_image *image)
{
    kst_context *context = run->set->context;
    kst_image made;
    kst_image_init(&made);
    kst_flow_image staged = {.from = image, .to = &made};
    kst_status status = run->options.stage->run(run->options.stage->user, context, &staged, 1);
    kst_image_release(context, image);
    *image = made;
    return status;
}

/* Do an item's work by single calls. Returns whether the flow's result is the same. */
static bool is_right(const struct flow_run *run, const kst_flow_item *item)
{
    const kst_buffer *stream = item->user;
    kst_context *context = run->set->context;
    kst_buffer output = {.data = NULL};
    kst_image image;
    bool good = true;
    kst_image_init(&image);
    kst_status status = KST_OK;
    if (run->options.work == KST_FLOW_TRANSCODE)
        status = kst_transcode(context, stream->data, stream->length, run->options.transcode, &output, NULL);
    else
        status = kst_decode(context, stream->data, stream->length, run->options.decode, &image, NULL);
    if (!status && run->options.resize) {
        kst_image resized;
        kst_image_init(&resized);
        status = kst_resize(context, &image, run->options.resize, &resized);
        kst_image_release(context, &image);
        image = resized;
    }
    if (!status && run->options.stage)
        status = stage_image(run, &image);
    if (!status && run->options.work == KST_FLOW_DECODE)
        good = !item->report.status && same_image(run, item, &image);
    if (!status && run->options.work == KST_FLOW_CONVERT && !run->options.keep)
        status = kst_encode(context, &image, run->options.encode, &output, NULL);
    if (!status && run->options.work == KST_FLOW_CONVERT)
        good = item->image.width == image.width && item->image.format == image.format && !item->image.plane[0].data;
    good = good && status == item->report.status;
    good = good && (run->options.keep || same_buffer(&output, &item->output));
    kst_image_release(context, &image);
    kst_buffer_release(context, &output);
    return good;
}

void flow_run_check(struct flow_run *run, const kst_flow_item *item)
{
    bool unread = item->report.status == KST_ERROR_READ, cancelled = item->report.status == KST_ERROR_CANCELLED;
    run->unread += unread;
    run->cancelled += cancelled;
    run->failed += item->report.status ? 1 : 0;
    if (!unread && !cancelled)
        run->wrong += !is_right(run, item);
    if (run->options.in_order)
        assert_int_equal(item->index, run->next++);
}

static bool put(void *user, kst_flow_item *item)
{
    struct flow_run *run = user;
    flow_run_check(run, item);
    uint32_t count = atomic_fetch_add(&run->put, 1) + 1;
    return run->stop == 0 || count < run->stop;
}

void flow_run_init(struct flow_run *run, const struct flow_set *set, kst_flow_work work, uint32_t items)
{
    static const kst_decode_options *decode = NULL;
    static kst_encode_options encode;
    static kst_transcode_options transcode;
    kst_encode_options_init(&encode);
    kst_transcode_options_init(&transcode);
    transcode.coding = KST_CODING_OPTIMIZED;
    *run = (struct flow_run){.set = set, .items = items};
    kst_flow_options_init(&run->options);
    run->options.work = work;
    run->options.devices = "cpu";
    run->options.threads = 3;
    run->options.decode = decode;
    run->options.encode = &encode;
    run->options.transcode = &transcode;
    run->options.next = next;
    run->options.put = put;
    run->options.user = run;
}

kst_status flow_run(struct flow_run *run)
{
    kst_flow *flow;
    kst_flow_item item;
    uint32_t taken = 0;
    assert_int_equal(kst_flow_start(&run->options, &flow), KST_OK);
    while (kst_flow_take(flow, &item)) {
        flow_run_check(run, &item);
        kst_flow_release(flow, &item);
        taken++;
    }
    kst_status status = kst_flow_end(&flow);
    assert_null(flow);
    assert_int_equal(run->put + taken, run->brought);
    assert_int_equal(run->wrong, 0);
    return status;
}
