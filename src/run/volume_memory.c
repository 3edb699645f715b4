/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes, releases and reaches the buffers of volumes, in host memory or a GPU's. In pinned and in device memory a
 * volume is treated as a picture whose rows are slices.
 */
#include "run/volume_memory.h"

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"
#include "run/image.h"

/*
 * Describe a volume, whose pitches are set, as a picture with a slice in each row. Returns false if a slice is too
 * large.
 */
static bool describe(const kst_volume *volume, kst_image *image)
{
    const size_t bytes = kst_volume_sample_bytes(volume);
    const uint64_t slice = (volume->pitch * (volume->height - 1)) / bytes + volume->width;
    kst_image_init(image);
    *image = (kst_image){.size = sizeof *image,
        .format = KST_FORMAT_RAW,
        .memory = volume->memory,
        .width = (uint32_t)slice,
        .height = volume->depth,
        .plane_count = 1,
        .owned = volume->owned};
    image->plane[0] = (kst_plane){.data = volume->data,
        .pitch = (ptrdiff_t)volume->slice_pitch,
        .width = (uint32_t)slice,
        .height = volume->depth,
        .depth = volume->bits,
        .is_signed = volume->is_signed,
        .sample = volume->sample,
        .offset = volume->offset};
    return slice <= UINT32_MAX && volume->slice_pitch <= INT32_MAX;
}

static kst_status make_as_image(
    kst_context *context, struct memory *memory, kst_volume *volume, char message[VOLUME_MESSAGE])
{
    kst_image image;
    volume->data = volume->owned = NULL;
    volume->offset = 0;
    if (!describe(volume, &image))
        return KST_ERROR_IMAGE_SIZE;
    kst_status status = kst_image_make_in(context, memory, &image, message);
    if (status)
        return status;
    volume->data = image.plane[0].data;
    volume->offset = image.plane[0].offset;
    volume->slice_pitch = (size_t)image.plane[0].pitch;
    volume->owned = image.owned;
    return KST_OK;
}

kst_status kst_volume_make_in(
    kst_context *context, struct memory *memory, kst_volume *volume, char message[VOLUME_MESSAGE])
{
    uint64_t bytes;
    volume->data = NULL;
    volume->pitch = volume->slice_pitch = volume->offset = 0;
    kst_status status = kst_volume_check(volume, &bytes);
    if (status)
        return status;
    return volume->memory == KST_MEMORY_HOST ? kst_volume_make(memory, volume)
                                             : make_as_image(context, memory, volume, message);
}

void kst_volume_keep(kst_context *context, struct memory *memory, const kst_volume *volume)
{
    kst_image image;
    if (volume->memory == KST_MEMORY_HOST) {
        kst_memory_hand_over(memory, &context->memory, volume->owned);
        return;
    }
    describe(volume, &image);
    kst_image_keep(context, memory, &image);
}

void kst_volume_drop_in(kst_context *context, struct memory *memory, kst_volume *volume)
{
    kst_image image;
    if (volume->memory == KST_MEMORY_HOST) {
        kst_memory_release(memory, volume->owned);
    } else {
        describe(volume, &image);
        kst_image_drop_in(context, memory, &image);
    }
    volume->data = volume->owned = NULL;
    volume->offset = 0;
}

kst_status kst_volume_run_allocate(kst_context *context, kst_volume *volume)
{
    struct memory operation;
    kst_memory_init_beside(&operation, &context->memory, context->limits.memory);
    kst_status status = kst_volume_make_in(context, &operation, volume, NULL);
    if (!status)
        kst_volume_keep(context, &operation, volume);
    return status;
}

void kst_volume_run_release(kst_context *context, kst_volume *volume)
{
    kst_volume_drop_in(context, &context->memory, volume);
}

bool kst_volume_target(
    struct gpu_runtime *gpu, const kst_volume *volume, struct gpu_target *target, struct gpu_error *error)
{
    kst_image image;
    if (describe(volume, &image))
        return kst_gpu_image_target(gpu, &image, target, error);
    *target = (struct gpu_target){.delivery = GPU_DELIVERY_HOST};
    return !kst_memory_is_device(volume->memory) ||
           kst_gpu_refuse(error, gpu->gpu, KST_ERROR_IMAGE_PITCH, "slices of 2 GB or more");
}

/* Queue copies between the volume and host memory, slice by slice. */
static void copy_slices(struct gpu_queue *queue, const kst_volume *volume, const struct gpu_image *imported,
    const kst_volume *host, bool up)
{
    const size_t row = (size_t)volume->width * kst_volume_sample_bytes(volume);
    for (uint32_t z = 0; z < volume->depth; z++) {
        struct gpu_buffer memory = kst_gpu_host((uint8_t *)host->data + z * host->slice_pitch, SIZE_MAX);
        const struct gpu_rows here = {&memory, 0, host->pitch};
        const struct gpu_rows there = {
            &imported->buffer[0], imported->offset[0] + z * volume->slice_pitch, volume->pitch};
        kst_gpu_copy_rows(queue, up ? there : here, up ? here : there, row, volume->height);
    }
}

kst_status kst_volume_transfer(struct gpu_runtime *gpu, const kst_volume *volume, const struct gpu_image *imported,
    const kst_volume *host, bool up, kst_report *report)
{
    struct gpu_error error = {.status = KST_OK};
    double start = kst_seconds();
    struct gpu_track *track = kst_gpu_track_take(gpu, &error);
    if (track) {
        copy_slices(&track->queue, volume, imported, host, up);
        gpu->gpu->backend->finish(&track->queue);
        error = track->queue.error;
    }
    kst_gpu_track_give(gpu, track);
    if (error.status)
        return kst_report_error(report, error.status, KST_NO_OFFSET, "%s", error.text);
    kst_report_stage(report, up ? KST_STAGE_UPLOAD : KST_STAGE_DOWNLOAD, gpu->gpu->backend->kind, start);
    return KST_OK;
}
