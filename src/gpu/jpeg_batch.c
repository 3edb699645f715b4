/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/jpeg_batch.h"

#include <string.h>

#include "gpu/jpeg_builder.h"

enum { PICTURE_WORDS = sizeof(struct work_picture) / 4, HEAD_WORDS = sizeof(struct jpeg_work) / 4 };

_Static_assert(sizeof(struct work_picture) % 4 == 0 && sizeof(struct work_component) == 200, "as in the kernels");

enum { MOST_HALVED_GROUPS = 320 };

/* Bit positions and offsets in a picture have 32 bits. */
#define MOST_STREAM (UINT64_C(1) << 28)
#define MOST_SAMPLES (UINT64_C(1) << 31)

bool kst_gpu_jpeg_supports(const struct jpeg_gpu_item *item)
{
    const struct jpeg_frame *frame = &item->output.frame;
    uint64_t length, samples = 0;
    for (uint32_t i = 0; i < frame->component_count; i++)
        samples += (uint64_t)frame->component[i].padded_w * frame->component[i].padded_h * 64;
    if (samples > MOST_SAMPLES || item->coefficients.copy)
        return samples <= MOST_SAMPLES;
    kst_gpu_scan_data(item->plan, &length);
    return item->plan->single_scan && length <= MOST_STREAM && item->plan->scan->fill <= WORK_MOST_FILL;
}

struct jpeg_gpu_size kst_gpu_jpeg_size(const struct jpeg_gpu_item *items, uint32_t count)
{
    struct jpeg_gpu_size size = {.words = HEAD_WORDS + WORK_KINDS};
    for (uint32_t i = 0; i < count; i++) {
        size.words += PICTURE_WORDS + WORK_KINDS;
        if (!items[i].coefficients.copy)
            kst_gpu_scan_size(items[i].plan, &size);
        kst_gpu_output_size(&items[i], &size);
    }
    return size;
}

uint32_t kst_gpu_jpeg_halves(const struct jpeg_gpu_size *size)
{
    return size->groups[WORK_OF_PARTS] <= MOST_HALVED_GROUPS;
}

uint32_t kst_gpu_jpeg_work(const struct jpeg_gpu_item *items, uint32_t count, const struct jpeg_gpu_size *size,
    struct memory *memory, struct jpeg_gpu_tables *kept, uint32_t *work)
{
    struct builder builder = {.work = work, .decoded = size->blocks, .memory = memory, .kept = kept};
    struct jpeg_work *head = (struct jpeg_work *)work;
    *head = (struct jpeg_work){.pictures = count,
        .picture = HEAD_WORDS,
        .part_groups = (uint32_t)size->groups[WORK_OF_PARTS],
        .halves = kst_gpu_jpeg_halves(size)};
    builder.words = HEAD_WORDS + count * PICTURE_WORDS;
    for (uint32_t kind = 0; kind < WORK_KINDS; kind++) {
        head->groups[kind] = builder.words;
        builder.words += count + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t kind = 0; kind < WORK_KINDS; kind++)
            work[head->groups[kind] + i] = (uint32_t)builder.used.groups[kind];
        struct work_picture *picture = (struct work_picture *)(work + HEAD_WORDS) + i;
        memset(picture, 0, sizeof *picture);
        if (!items[i].coefficients.copy)
            kst_gpu_scan_write(&builder, &items[i], picture);
        kst_gpu_output_write(&builder, &items[i], picture);
    }
    for (uint32_t kind = 0; kind < WORK_KINDS; kind++)
        work[head->groups[kind] + count] = (uint32_t)builder.used.groups[kind];
    return builder.words;
}

const struct work_picture *kst_gpu_jpeg_picture(const uint32_t *work, uint32_t index)
{
    return (const struct work_picture *)(work + HEAD_WORDS) + index;
}
