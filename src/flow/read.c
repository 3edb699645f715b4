/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the source for items, reads their files ahead and finds out how large their pictures are. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"
#include "flow/flow.h"
#include "image/format.h"
#include "image/validate.h"

enum {
    PIECE = 1 << 16,
    INPUT_SHARE = 4, /* streams may take a quarter of the memory */
    READY = 4        /* items that may wait for devices: four times as many as a GPU takes at once */
};

/* Wait until there is room for another item. Returns false if no more will come. */
static bool wait_for_room(struct kst_flow *flow)
{
    pthread_mutex_lock(&flow->lock);
    while (flow->ready.count >= READY * flow->options.most && !flow->exhausted && !flow->cancelled)
        pthread_cond_wait(&flow->room, &flow->lock);
    bool open = !flow->exhausted && !flow->cancelled;
    pthread_mutex_unlock(&flow->lock);
    return open;
}

/* Number an item that came from the source; or, if none came, note that the source is exhausted. */
static void count_item(struct kst_flow *flow, struct flow_entry *entry, bool came, kst_status status)
{
    pthread_mutex_lock(&flow->lock);
    if (came)
        entry->item.index = flow->items++;
    else
        flow->exhausted = true;
    if (!flow->first)
        flow->first = status;
    pthread_mutex_unlock(&flow->lock);
}

/* Get the next item. Returns null at the end, or where there is no memory for it. */
static struct flow_entry *ask(struct kst_flow *flow)
{
    kst_status status = KST_OK;
    bool came = false;
    pthread_mutex_lock(&flow->source);
    struct flow_entry *entry = wait_for_room(flow) ? kst_memory_zeroed(&flow->memory, 1, sizeof *entry, &status) : NULL;
    if (entry) {
        entry->item.size = sizeof entry->item;
        entry->item.work = flow->options.work;
        kst_image_init(&entry->item.image);
        kst_volume_init(&entry->item.volume);
        kst_report_init(&entry->item.report);
        came = flow->options.next(flow->options.user, &entry->item);
        kst_report_init(&entry->item.report);
    }
    count_item(flow, entry, came, status);
    pthread_mutex_unlock(&flow->source);
    if (came)
        return entry;
    kst_memory_release(&flow->memory, entry);
    return NULL;
}

/*
 * Wait until another `bytes` bytes may be read. An entry that has bytes already does not wait again: readers whose
 * files grow would wait for each other.
 */
static void reserve(struct kst_flow *flow, struct flow_entry *entry, uint64_t bytes)
{
    uint64_t most = flow->options.memory / INPUT_SHARE;
    pthread_mutex_lock(&flow->lock);
    while (entry->input == 0 && flow->input > 0 && (flow->input > most || bytes > most - flow->input) &&
           !flow->cancelled && !kst_flow_is_due(flow, entry))
        pthread_cond_wait(&flow->room, &flow->lock);
    flow->input += bytes;
    entry->input += bytes;
    pthread_mutex_unlock(&flow->lock);
}

static kst_status fail_reading(struct flow_entry *entry, const char *why)
{
    return kst_report_error(&entry->item.report, KST_ERROR_READ, KST_NO_OFFSET, "%s", why);
}

static uint64_t most_bytes(const struct kst_flow *flow)
{
    uint64_t limit = flow->options.limits.memory;
    return limit ? limit : (uint64_t)4 << 30;
}

/* Make room for `length` bytes of the file, of which `used` are there. */
static kst_status grow(struct kst_flow *flow, struct flow_entry *entry, size_t used, size_t length)
{
    kst_status status = KST_OK;
    uint8_t *file = NULL;
    if (length > most_bytes(flow))
        status = KST_ERROR_LIMIT_MEMORY;
    else
        file = kst_memory_grow(&flow->memory, entry->file, used, length, &status);
    if (!file)
        return kst_report_error(&entry->item.report, status, KST_NO_OFFSET, NULL);
    entry->file = file;
    return KST_OK;
}

/* Read to the end of a file whose length may change, or is not known. */
static kst_status read_all(struct kst_flow *flow, struct flow_entry *entry, int descriptor, size_t expected)
{
    size_t used = 0, length = expected + 1;
    kst_status status = KST_OK;
    reserve(flow, entry, length);
    while (!(status = grow(flow, entry, used, length))) {
        ssize_t got = read(descriptor, entry->file + used, length - used);
        if (got < 0 && errno != EINTR)
            return fail_reading(entry, strerror(errno));
        if (got == 0)
            break;
        used += got > 0 ? (size_t)got : 0;
        if (used < length)
            continue;
        reserve(flow, entry, length);
        length += length > PIECE ? length : PIECE;
    }
    entry->item.data = entry->file;
    entry->item.length = used;
    return status;
}

static kst_status read_file(struct kst_flow *flow, struct flow_entry *entry)
{
    struct stat state;
    int descriptor = open(entry->item.path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    kst_status status = KST_OK;
    if (descriptor < 0 || fstat(descriptor, &state) != 0)
        status = fail_reading(entry, strerror(errno));
    else if (S_ISDIR(state.st_mode))
        status = fail_reading(entry, strerror(EISDIR));
    else
        status = read_all(flow, entry, descriptor, S_ISREG(state.st_mode) ? (size_t)state.st_size : PIECE);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

static uint64_t image_bytes(const kst_image *image)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        uint64_t row = (uint64_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
        sum += row * plane->height;
    }
    return sum;
}

/* Return the bytes of the image that the sink will get, after resizing and the stage; 0 if that is not known. */
static uint64_t result_bytes(const struct kst_flow *flow, const kst_flow_item *item, const kst_image *decoded)
{
    const kst_resize_options *resize = kst_flow_resize_of(flow, item);
    const kst_flow_stage *stage = kst_flow_stage_of(flow, item);
    const kst_image *last = decoded;
    kst_image resized, staged;
    kst_image_init(&resized);
    kst_image_init(&staged);
    if (resize && !kst_resize_describe(last, resize, &resized))
        last = &resized;
    if (stage && !stage->describe(stage->user, last, &staged))
        last = &staged;
    return image_bytes(last);
}

/* Note how large the image and the result will be. A device that enlarges an image needs memory for the result. */
static void note_image(struct kst_flow *flow, struct flow_entry *entry, const kst_image *image)
{
    const uint64_t bytes = image_bytes(image);
    const uint64_t result = bytes > 0 ? result_bytes(flow, &entry->item, image) : 0;
    entry->pixels = bytes > result ? bytes : result;
    if (bytes > 0 && kst_flow_makes_image(entry->item.work) && !entry->item.image.plane[0].data)
        entry->result = result;
}

/* Measure an image of more than four planes, some of which only a decoder can describe. */
static void look_at_planes(struct kst_flow *flow, struct flow_entry *entry, const kst_decode_options *options)
{
    kst_decoder *decoder;
    kst_image image;
    kst_image_init(&image);
    image.memory = entry->item.image.memory;
    if (kst_decoder_create(flow->lane[0].context, &decoder))
        return;
    if (!kst_decoder_open(decoder, entry->item.data, entry->item.length) &&
        !kst_decoder_describe(decoder, options, &image))
        note_image(flow, entry, &image);
    kst_decoder_destroy(&decoder);
}

/*
 * Find out from the headers how large the image will be: opening a decoder would search all bytes of the stream. If
 * something is wrong with the stream, the lane will find it again.
 */
static void look(struct kst_flow *flow, struct flow_entry *entry)
{
    kst_image image;
    kst_image_init(&image);
    image.memory = entry->item.image.memory;
    kst_decode_item item = {.data = entry->item.data,
        .length = entry->item.length,
        .options = entry->item.decode ? entry->item.decode : flow->options.decode,
        .image = &image};
    kst_status status = kst_decode_describe_batch(flow->lane[0].context, &item, 1);
    if (!status)
        note_image(flow, entry, &image);
    else if (status == KST_ERROR_IMAGE_SIZE)
        look_at_planes(flow, entry, item.options);
}

/*
 * Check an item's work and stage: an item transcodes if and only if the flow does, one that changes a picture has
 * options of resizing or a stage, and a volume has neither of its own.
 */
static kst_status check_work(const struct kst_flow *flow, struct flow_entry *entry)
{
    const kst_flow_work work = entry->item.work;
    if (!kst_flow_stage_is_fine(entry->item.stage))
        return kst_report_error(&entry->item.report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "the item's stage has no functions, or a wrong size");
    bool alone = flow->options.work == KST_FLOW_TRANSCODE;
    if (work == KST_FLOW_CHANGE && !(kst_flow_resize_of(flow, &entry->item) || kst_flow_stage_of(flow, &entry->item)))
        return kst_report_error(&entry->item.report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "the item is to change a picture, and has neither resizing options nor a stage");
    if (entry->item.further_count > 0 &&
        (!entry->item.further || (work != KST_FLOW_CONVERT && work != KST_FLOW_ENCODE)))
        return kst_report_error(&entry->item.report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "the item has further encodings, and nothing is encoded, or their array is missing");
    if (kst_flow_is_volume(work) && (entry->item.resize || entry->item.stage))
        return kst_report_error(&entry->item.report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "a volume is neither resized nor taken through a stage");
    if ((unsigned)work <= KST_FLOW_ENCODE_VOLUME && (work == KST_FLOW_TRANSCODE) == alone)
        return KST_OK;
    return kst_report_error(
        &entry->item.report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "the item's work is none that the flow does");
}

static void bring(struct kst_flow *flow, struct flow_entry *entry)
{
    kst_status status = check_work(flow, entry);
    if (!status && entry->item.path)
        status = read_file(flow, entry);
    if (!status && (entry->item.work == KST_FLOW_DECODE || entry->item.work == KST_FLOW_CONVERT))
        look(flow, entry);
    /* The lane reports what is wrong with a picture of the source's. */
    if (!status && entry->item.work == KST_FLOW_CHANGE && !kst_image_check_shape(entry->item.picture))
        note_image(flow, entry, entry->item.picture);
    if (!status && kst_flow_is_volume(entry->item.work))
        kst_flow_look_at_volume(flow, entry);
    pthread_mutex_lock(&flow->lock);
    if (status) {
        kst_flow_finish(flow, entry);
        kst_flow_announce(flow);
    } else {
        kst_flow_offer(flow, entry);
    }
    pthread_mutex_unlock(&flow->lock);
}

void *kst_flow_read(void *arg)
{
    struct kst_flow *flow = arg;
    struct flow_entry *entry;
    while ((entry = ask(flow)) != NULL)
        bring(flow, entry);
    kst_flow_change_readers(flow, UINT32_MAX);
    return NULL;
}
