/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the results of some entries: images, streams, or streams by way of images that stay in the device's memory. */
#include <string.h>

#include "core/report.h"
#include "flow/flow.h"
#include "image/location.h"

/* Holds arrays with one element for each entry. */
struct making {
    struct kst_flow *flow;
    kst_context *context;
    struct flow_entry *const *entry;
    uint32_t count;
    kst_flow_work work; /* the same for all entries */
    kst_decode_item *decoded;
    kst_image *image;   /* images that were decoded or uploaded, unless they go straight to the items */
    kst_image *resized; /* the resized images, unless they go to the items */
    kst_resize_item *resizing;
    kst_resize_options *size; /* of entries that are decoded and resized in one call, one after the other */
    kst_image *staged;        /* the results of stages that will be encoded */
    kst_flow_image *staging;
    struct flow_kept *kept;
    uint32_t streams; /* encodings of all entries */
    kst_encode_item *encoded;
    kst_encode_options *further; /* options of further encodings */
    kst_transcode_item *transcoded;
};

static void fail_all(struct making *m, kst_status status)
{
    for (uint32_t i = 0; i < m->count; i++)
        kst_report_error(&m->entry[i]->item.report, status, KST_NO_OFFSET, NULL);
}

static const kst_resize_options *resize_of(const struct making *m, uint32_t index)
{
    return kst_flow_resize_of(m->flow, &m->entry[index]->item);
}

static const kst_flow_stage *stage_of(const struct making *m, uint32_t index)
{
    return kst_flow_stage_of(m->flow, &m->entry[index]->item);
}

/*
 * Return whether resizing may take only a part of the entry's picture. Then it is decoded and resized in one call,
 * which decodes no more than that part. Options of another size are not looked at; resizing refuses them.
 */
static bool takes_part(const struct making *m, uint32_t index)
{
    const kst_resize_options *resize = resize_of(m, index);
    return (m->work == KST_FLOW_DECODE || m->work == KST_FLOW_CONVERT) && resize && resize->size == sizeof *resize &&
           (resize->fit == KST_RESIZE_COVER || resize->box.right > resize->box.left);
}

/* Return where the entry's stream is decoded to. */
static kst_image *decoded_image(struct making *m, uint32_t index)
{
    bool passes = m->work == KST_FLOW_CONVERT || resize_of(m, index) || stage_of(m, index);
    return passes ? &m->image[index] : &m->entry[index]->item.image;
}

/* Return what the entry's picture is resized to. */
static kst_image *resized_image(struct making *m, uint32_t index)
{
    bool is_result = kst_flow_makes_image(m->work) && !stage_of(m, index);
    return is_result ? &m->entry[index]->item.image : &m->resized[index];
}

/* Initialise the images that are not the item's, so that they will be made in `memory`. */
static void init_images(struct making *m, kst_memory memory)
{
    for (uint32_t i = 0; i < m->count; i++) {
        kst_image_init(&m->image[i]);
        kst_image_init(&m->resized[i]);
        m->image[i].memory = m->resized[i].memory = memory;
    }
}

/*
 * Decode consecutive entries from `first` on: all that are resized in the call that decodes them, or all that are not.
 * Returns the index of the first other entry.
 */
static uint32_t decode_alike(struct making *m, uint32_t first)
{
    bool resizes = takes_part(m, first);
    uint32_t end = first;
    for (; end < m->count && takes_part(m, end) == resizes; end++)
        if (resizes)
            m->size[end] = *resize_of(m, end);
    if (resizes)
        kst_decode_resized(m->context, &m->decoded[first], &m->size[first], end - first, NULL);
    else
        kst_decode_batch(m->context, &m->decoded[first], end - first);
    return end;
}

/* Decode the entries' streams. Sets the items' reports. */
static void decode(struct making *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const kst_flow_item *item = &m->entry[i]->item;
        m->decoded[i] = (kst_decode_item){.data = item->data,
            .length = item->length,
            .options = item->decode ? item->decode : m->flow->options.decode,
            .image = takes_part(m, i) ? resized_image(m, i) : decoded_image(m, i)};
    }
    for (uint32_t i = 0; i < m->count;)
        i = decode_alike(m, i);
    for (uint32_t i = 0; i < m->count; i++)
        m->entry[i]->item.report = m->decoded[i].report;
}

static const kst_image *image_before(const struct making *m, uint32_t index)
{
    bool given = m->work == KST_FLOW_ENCODE && !m->image[index].plane[0].data;
    return given ? m->entry[index]->item.picture : &m->image[index];
}

static const kst_image *image_to_stage(const struct making *m, uint32_t index)
{
    return resize_of(m, index) ? &m->resized[index] : image_before(m, index);
}

static const kst_image *image_to_encode(const struct making *m, uint32_t index)
{
    return stage_of(m, index) ? &m->staged[index] : image_to_stage(m, index);
}

/* Return whether an entry's image is resized now: not if decoding has done so, and not if there was an error. */
static bool is_resized(const struct making *m, uint32_t index)
{
    return resize_of(m, index) && !takes_part(m, index) && !m->entry[index]->item.report.status;
}

/*
 * Resize the images of entries that have resizing options and no error. Entries may be left out, so that an entry and
 * its item of the batch may have different indices.
 */
static void resize(struct making *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (is_resized(m, i))
            m->resizing[count++] =
                (kst_resize_item){.from = image_before(m, i), .options = resize_of(m, i), .to = resized_image(m, i)};
    kst_resize_batch(m->context, m->resizing, count);
    count = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (is_resized(m, i))
            kst_report_resizing(&m->entry[i]->item.report, &m->resizing[count++].report);
}

/* Add the report of a stage to that of the step before: an error ends the item, and warnings stay. */
static void take_report(kst_report *report, const kst_report *staged)
{
    if (!staged->status)
        return;
    report->status = staged->status;
    report->offset = KST_NO_OFFSET;
    memcpy(report->message, staged->message, sizeof report->message);
}

/*
 * Run a stage on the images of consecutive entries from `first` on that have the same stage. Returns the index of the
 * first entry with another stage.
 */
static uint32_t run_stage(struct making *m, uint32_t first)
{
    const kst_flow_stage *stage = stage_of(m, first);
    uint32_t end = first, count = 0;
    for (; end < m->count && stage_of(m, end) == stage; end++) {
        kst_flow_item *item = &m->entry[end]->item;
        if (stage && !item->report.status)
            m->staging[count++] = (kst_flow_image){
                .from = image_to_stage(m, end), .to = kst_flow_makes_image(m->work) ? &item->image : &m->staged[end]};
    }
    if (count > 0)
        stage->run(stage->user, m->context, m->staging, count);
    count = 0;
    for (uint32_t i = first; i < end && stage; i++) {
        kst_report *report = &m->entry[i]->item.report;
        if (!report->status)
            take_report(report, &m->staging[count++].report);
    }
    return end;
}

/* Take images through their stages: to the item, or to `memory` if the result will be encoded. */
static void run_stages(struct making *m, kst_memory memory)
{
    for (uint32_t i = 0; i < m->count; i++) {
        kst_image_init(&m->staged[i]);
        m->staged[i].memory = memory;
    }
    for (uint32_t i = 0; i < m->count;)
        i = run_stage(m, i);
}

/* List an entry's encodings from index `count` on. Returns the index behind them. */
static uint32_t list_encodings(struct making *m, uint32_t index, uint32_t count)
{
    const kst_flow_item *item = &m->entry[index]->item;
    const kst_image *image = image_to_encode(m, index);
    m->encoded[count++] = (kst_encode_item){.image = image, .options = &m->kept[index].options, .output = item->output};
    for (uint32_t k = 0; k < item->further_count; k++, count++) {
        const kst_flow_encoding *further = &item->further[k];
        m->further[count] = further->encode ? *further->encode : *m->flow->options.encode;
        kst_flow_keep_for(&m->kept[index], &m->further[count]);
        m->encoded[count] = (kst_encode_item){.image = image, .options = &m->further[count], .output = further->output};
    }
    return count;
}

/* Take an entry's streams and reports from index `count` on. Returns the index behind them. */
static uint32_t take_encodings(struct making *m, uint32_t index, uint32_t count)
{
    kst_flow_item *item = &m->entry[index]->item;
    const kst_report before = item->report;
    item->output = m->encoded[count].output;
    item->report = m->encoded[count++].report;
    item->report.stage_device[KST_STAGE_RESIZE] = before.stage_device[KST_STAGE_RESIZE];
    item->report.stage_seconds[KST_STAGE_RESIZE] = before.stage_seconds[KST_STAGE_RESIZE];
    for (uint32_t k = 0; k < item->further_count; k++, count++) {
        item->further[k].output = m->encoded[count].output;
        item->further[k].report = m->encoded[count].report;
    }
    return count;
}

/*
 * Encode the decoded images, or the source's. Entries with an error are left out, so that an entry and its encoder item
 * may have different indices.
 */
static void encode(struct making *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (!m->entry[i]->item.report.status)
            count = list_encodings(m, i, count);
    kst_encode_batch(m->context, m->encoded, count);
    count = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (!m->entry[i]->item.report.status)
            count = take_encodings(m, i, count);
}

/* Add the warnings about the decoded stream to the result's report. */
static void add_warnings(kst_report *report, const kst_decode_item *decoded)
{
    if (report->status || decoded->report.warnings == 0)
        return;
    kst_report_warning(
        report, decoded->report.first_warning, decoded->report.first_warning_offset, decoded->report.warnings, false);
}

static void choose_options(struct making *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        kst_flow_item *item = &m->entry[i]->item;
        kst_status status = KST_OK;
        if (!item->report.status)
            status = kst_flow_keep(m->flow, m->context, item, image_to_encode(m, i), &m->kept[i]);
        if (status)
            kst_report_error(&item->report, status, KST_NO_OFFSET, NULL);
    }
}

static void forget_options(struct making *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        kst_flow_forget(m->flow, &m->kept[i]);
}

/* Describe the image that is about to be released. */
static void describe(kst_flow_item *item, const kst_image *image)
{
    item->image.format = image->format;
    item->image.colour = image->colour;
    item->image.width = image->width;
    item->image.height = image->height;
}

static void release_images(struct making *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        kst_image_release(m->context, &m->image[i]);
        kst_image_release(m->context, &m->resized[i]);
        kst_image_release(m->context, &m->staged[i]);
    }
}

static void convert(struct making *m)
{
    init_images(m, kst_context_memory(m->context));
    decode(m);
    resize(m);
    run_stages(m, kst_context_memory(m->context));
    choose_options(m);
    encode(m);
    for (uint32_t i = 0; i < m->count; i++) {
        add_warnings(&m->entry[i]->item.report, &m->decoded[i]);
        describe(&m->entry[i]->item, image_to_encode(m, i));
    }
    release_images(m);
    forget_options(m);
}

static void decode_alone(struct making *m)
{
    init_images(m, kst_context_memory(m->context));
    decode(m);
    resize(m);
    run_stages(m, KST_MEMORY_HOST);
    release_images(m);
}

/* Upload the source's picture, so that the device works on it. */
static void upload(struct making *m, uint32_t index)
{
    kst_flow_item *item = &m->entry[index]->item;
    kst_status status =
        item->picture ? kst_image_upload(m->context, item->picture, &m->image[index]) : KST_ERROR_ARGUMENT;
    if (status)
        kst_report_error(&item->report, status, KST_NO_OFFSET, NULL);
}

static void encode_given(struct making *m)
{
    init_images(m, kst_context_memory(m->context));
    for (uint32_t i = 0; i < m->count; i++)
        if (m->entry[i]->item.further_count > 0)
            upload(m, i);
    resize(m);
    run_stages(m, kst_context_memory(m->context));
    choose_options(m);
    encode(m);
    release_images(m);
    forget_options(m);
}

static void change_given(struct making *m)
{
    init_images(m, kst_context_memory(m->context));
    for (uint32_t i = 0; i < m->count; i++)
        upload(m, i);
    resize(m);
    run_stages(m, KST_MEMORY_HOST);
    release_images(m);
}

static bool has_pixels(const kst_flow_item *item)
{
    return item->resize || item->stage;
}

/*
 * Transcode the entries' streams. Entries with an error are left out, so that an entry and its item of the batch may
 * have different indices.
 */
static void transcode(struct making *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        kst_flow_item *item = &m->entry[i]->item;
        if (has_pixels(item))
            kst_report_error(&item->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "transcoding has no pixels to work on");
        else
            m->transcoded[count++] = (kst_transcode_item){.data = item->data,
                .length = item->length,
                .options = item->transcode ? item->transcode : m->flow->options.transcode,
                .output = item->output};
    }
    kst_transcode_batch(m->context, m->transcoded, count);
    count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        kst_flow_item *item = &m->entry[i]->item;
        if (has_pixels(item))
            continue;
        item->output = m->transcoded[count].output;
        item->report = m->transcoded[count++].report;
    }
}

static bool make_arrays(struct making *m)
{
    struct memory *memory = &m->flow->memory;
    m->decoded = kst_memory_zeroed(memory, m->count, sizeof *m->decoded, NULL);
    m->image = kst_memory_zeroed(memory, m->count, sizeof *m->image, NULL);
    m->resized = kst_memory_zeroed(memory, m->count, sizeof *m->resized, NULL);
    m->resizing = kst_memory_zeroed(memory, m->count, sizeof *m->resizing, NULL);
    m->size = kst_memory_zeroed(memory, m->count, sizeof *m->size, NULL);
    m->staged = kst_memory_zeroed(memory, m->count, sizeof *m->staged, NULL);
    m->staging = kst_memory_zeroed(memory, m->count, sizeof *m->staging, NULL);
    m->kept = kst_memory_zeroed(memory, m->count, sizeof *m->kept, NULL);
    m->streams = m->count;
    for (uint32_t i = 0; i < m->count; i++)
        m->streams += m->entry[i]->item.further_count;
    m->encoded = kst_memory_zeroed(memory, m->streams, sizeof *m->encoded, NULL);
    m->further = kst_memory_zeroed(memory, m->streams, sizeof *m->further, NULL);
    m->transcoded = kst_memory_zeroed(memory, m->count, sizeof *m->transcoded, NULL);
    return m->transcoded && m->decoded && m->image && m->resized && m->resizing && m->size && m->staged && m->staging &&
           m->kept && m->encoded && m->further;
}

static void release_arrays(struct making *m)
{
    kst_memory_release(&m->flow->memory, m->decoded);
    kst_memory_release(&m->flow->memory, m->image);
    kst_memory_release(&m->flow->memory, m->resized);
    kst_memory_release(&m->flow->memory, m->resizing);
    kst_memory_release(&m->flow->memory, m->size);
    kst_memory_release(&m->flow->memory, m->staged);
    kst_memory_release(&m->flow->memory, m->staging);
    kst_memory_release(&m->flow->memory, m->kept);
    kst_memory_release(&m->flow->memory, m->encoded);
    kst_memory_release(&m->flow->memory, m->further);
    kst_memory_release(&m->flow->memory, m->transcoded);
}

void kst_flow_make(struct flow_lane *lane, kst_context *context, struct flow_entry *const *entry, uint32_t count)
{
    struct making m = {
        .flow = lane->flow, .context = context, .entry = entry, .count = count, .work = entry[0]->item.work};
    for (uint32_t i = 0; i < count; i++)
        entry[i]->item.context = context;
    if (kst_flow_is_volume(m.work)) {
        kst_flow_make_volumes(lane->flow, context, entry, count);
        return;
    }
    if (!make_arrays(&m))
        fail_all(&m, KST_ERROR_MEMORY);
    else if (m.work == KST_FLOW_DECODE)
        decode_alone(&m);
    else if (m.work == KST_FLOW_CONVERT)
        convert(&m);
    else if (m.work == KST_FLOW_ENCODE)
        encode_given(&m);
    else if (m.work == KST_FLOW_CHANGE)
        change_given(&m);
    else
        transcode(&m);
    release_arrays(&m);
}
