/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts to upload a stream before it is parsed. */
#include "jpeg/gpu/early.h"

#include "device/pinned.h"
#include "jpeg/gpu/job.h"
#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/parse.h"

enum { LEAST_LENGTH = 1 << 17, MOST_LENGTH = 1 << 28 };

static bool is_frame(uint8_t marker)
{
    return marker >= JPEG_SOF0 && marker <= JPEG_SOF15 && marker != JPEG_DHT && marker != JPEG_JPG &&
           marker != JPEG_DAC;
}

/*
 * Return the offset at which the data of a sequential picture's first scan start; 0 if a look at the headers does not
 * find it.
 */
static size_t find_scan(const uint8_t *data, size_t length)
{
    bool framed = false;
    size_t start = kst_jpeg_find_start(data, length);
    if (start == SIZE_MAX)
        return 0;
    for (size_t at = start + 2; length >= 4 && at < length - 4 && data[at] == 0xFF;) {
        uint8_t marker = data[at + 1];
        size_t next = at + 2 + ((size_t)data[at + 2] << 8 | data[at + 3]);
        if (next >= length || next - at < 4)
            return 0;
        if (is_frame(marker) && marker > JPEG_SOF1)
            return 0;
        framed = framed || is_frame(marker);
        if (marker == JPEG_SOS)
            return framed ? next : 0;
        at = next;
    }
    return 0;
}

static bool upload(struct gpu_runtime *runtime, struct jpeg_gpu_early *early)
{
    const struct gpu_backend *backend = runtime->gpu->backend;
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)early->data, early->length);
    early->track = kst_gpu_track_take(runtime, &error);
    if (!early->track ||
        !kst_gpu_pool_take(&runtime->pool, GPU_DEVICE, (early->length / 16 + 2) * 16, &early->stream, &error))
        return false;
    backend->record(&early->track->queue, &early->track->event[BEFORE]);
    backend->copy(&early->track->queue, &early->stream, 0, &memory, 0, early->length);
    backend->flush(&early->track->queue);
    return true;
}

void kst_jpeg_gpu_early_begin(
    struct gpu_runtime *runtime, const uint8_t *data, size_t length, struct jpeg_gpu_early *early)
{
    *early = (struct jpeg_gpu_early){.track = NULL};
    size_t first = length >= LEAST_LENGTH && length <= MOST_LENGTH ? find_scan(data, length) : 0;
    if (first == 0 || !kst_gpu_is_pinned(runtime, data, length))
        return;
    early->data = data + first;
    early->length = length - first;
    if (!upload(runtime, early))
        kst_jpeg_gpu_early_drop(runtime, early);
}

void kst_jpeg_gpu_early_drop(struct gpu_runtime *runtime, struct jpeg_gpu_early *early)
{
    if (early->track)
        runtime->gpu->backend->finish(&early->track->queue);
    kst_gpu_pool_give(&runtime->pool, &early->stream);
    kst_gpu_track_give(runtime, early->track);
    early->track = NULL;
}
