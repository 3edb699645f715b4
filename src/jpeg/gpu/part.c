/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the work of a part from the plans of the pictures to decode. */
#include "jpeg/gpu/part.h"

#include <string.h>

#include "jpeg/gpu/builder.h"

enum { PICTURE_WORDS = sizeof(struct jpeg_work_picture) / 4, HEAD_WORDS = sizeof(struct jpeg_work) / 4 };

_Static_assert(
    sizeof(struct jpeg_work_picture) % 4 == 0 && sizeof(struct jpeg_work_component) == 200, "as in the kernels");

/*
 * The most groups of chunks for which chunks are halved, and the most groups that decode coefficients after spreading:
 * for each unit of the device, and in all.
 */
enum { MOST_HALVED_GROUPS = 320, UNIT_SPREAD_GROUPS = 8, MOST_SPREAD_GROUPS = 160 };

/*
 * Bit positions in a stream and offsets in a picture have 32 bits, which limits the bytes of a stream and the samples
 * of a picture.
 */
#define MOST_STREAM (UINT64_C(1) << 28)
#define MOST_SAMPLES (UINT64_C(1) << 31)

/* Return whether no component is in two scans, so that no scan builds on what another one has left. */
static bool is_sequential(const struct jpeg_plan *plan)
{
    uint32_t seen = 0;
    if (plan->frame.process == KST_PROCESS_PROGRESSIVE)
        return false;
    for (uint32_t i = 0; i < plan->scan_count; i++)
        for (uint32_t j = 0; j < plan->scan[i].component_count; j++) {
            uint32_t bit = 1U << plan->scan[i].component[j];
            if (seen & bit)
                return false;
            seen |= bit;
        }
    return true;
}

/*
 * Return whether the kernels can recognise stuffing from a scan's data alone. The byte in front of the data is the last
 * one of the scan header, which may be 0xFF if the header is damaged. In front of the first scan the kernels see no
 * byte.
 */
static bool is_readable(const struct jpeg_plan *plan, const struct jpeg_scan *scan, uint32_t shorter)
{
    bool preceded = scan->segment_count > 0 && scan->first_segment > 0;
    return scan->fill <= (uint32_t)WORK_MOST_FILL >> shorter &&
           !(preceded && plan->data[plan->segment[scan->first_segment].offset - 1] == 0xFF);
}

static bool is_stream_readable(const struct jpeg_gpu_item *item)
{
    const struct jpeg_plan *plan = item->plan;
    uint64_t length;
    kst_jpeg_gpu_scan_data(plan, &length);
    bool readable = length <= MOST_STREAM;
    for (uint32_t i = 0; i < plan->scan_count && readable; i++)
        readable = is_readable(plan, &plan->scan[i], item->shorter);
    return readable;
}

static bool is_small(const struct jpeg_frame *frame)
{
    uint64_t samples = 0;
    for (uint32_t i = 0; i < frame->component_count; i++)
        samples += (uint64_t)frame->component[i].padded_w * frame->component[i].padded_h * 64;
    return samples <= MOST_SAMPLES;
}

/*
 * Return whether there are kernels for the transform: it makes 8×8, 4×4, 2×2 or one sample of a block, and is not the
 * fast DCT.
 */
static bool has_kernels(const struct jpeg_output *output)
{
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        if (scaled->fast || scaled->block > 8 || 8 % scaled->block != 0)
            return false;
    }
    return true;
}

bool kst_jpeg_gpu_supports(const struct jpeg_gpu_item *item)
{
    if (!is_small(&item->output.frame) || !has_kernels(&item->output))
        return false;
    return item->coefficients.copy || (is_sequential(item->plan) && is_stream_readable(item));
}

bool kst_jpeg_gpu_wants_compact(const struct jpeg_gpu_item *item)
{
    return is_small(&item->output.frame) && has_kernels(&item->output) && is_sequential(item->plan) &&
           !is_stream_readable(item);
}

static uint32_t scans_of(const struct jpeg_gpu_item *item)
{
    return item->coefficients.copy ? 1 : kst_jpeg_gpu_scan_count(item->plan);
}

struct jpeg_gpu_size kst_jpeg_gpu_size(const struct jpeg_gpu_item *items, uint32_t count)
{
    struct jpeg_gpu_size size = {.words = HEAD_WORDS + WORK_KINDS};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t scans = scans_of(&items[i]);
        size.pictures += scans;
        size.words += (uint64_t)scans * (PICTURE_WORDS + WORK_KINDS);
        if (!items[i].coefficients.copy)
            kst_jpeg_gpu_scan_size(&items[i], &size);
        kst_jpeg_gpu_output_size(&items[i], &size);
    }
    return size;
}

uint32_t kst_jpeg_gpu_halves(const struct jpeg_gpu_size *size)
{
    return size->groups[WORK_OF_CHUNKS] <= MOST_HALVED_GROUPS;
}

uint64_t kst_jpeg_gpu_write_groups(const struct jpeg_gpu_size *size)
{
    return size->groups[WORK_OF_CHUNKS] * WRITE_RATIO << (kst_jpeg_gpu_halves(size) + kst_jpeg_gpu_spread(size));
}

uint32_t kst_jpeg_gpu_spread(const struct jpeg_gpu_size *size)
{
    uint64_t groups = size->groups[WORK_OF_CHUNKS] * WRITE_RATIO << kst_jpeg_gpu_halves(size);
    uint64_t most = (uint64_t)size->units * UNIT_SPREAD_GROUPS;
    uint32_t spread = 0;
    most = most == 0 || most > MOST_SPREAD_GROUPS ? MOST_SPREAD_GROUPS : most;
    while (spread < WORK_SPREAD && groups << (spread + 1) <= most)
        spread++;
    return spread;
}

static struct jpeg_work_picture *picture_at(const struct jpeg_gpu_builder *builder, uint32_t index)
{
    return (struct jpeg_work_picture *)(builder->work + HEAD_WORDS) + index;
}

/*
 * Record, for each kind of groups from `first` to `end`, that the groups of the picture at `index` begin behind those
 * in use.
 */
static void begin_groups(
    struct jpeg_gpu_builder *builder, enum jpeg_work_kind first, enum jpeg_work_kind end, uint32_t index)
{
    const struct jpeg_work *head = (const struct jpeg_work *)builder->work;
    for (uint32_t kind = first; kind < end; kind++)
        builder->work[head->groups[kind] + index] = (uint32_t)builder->used.groups[kind];
}

static void write_scan(
    struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *items, uint32_t item, uint32_t scan, uint32_t index)
{
    struct jpeg_work_picture *picture = picture_at(builder, index);
    memset(picture, 0, sizeof *picture);
    begin_groups(builder, WORK_OF_CHUNKS, WORK_OF_BLOCKS, index);
    if (!items[item].coefficients.copy)
        kst_jpeg_gpu_scan_write(builder, &items[item], scan, picture_at(builder, item), picture);
}

/* Write the first scan of each item, then all others. */
static void write_scans(struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *items, uint32_t count)
{
    uint32_t behind = count;
    for (uint32_t i = 0; i < count; i++)
        write_scan(builder, items, i, 0, i);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 1; j < scans_of(&items[i]); j++)
            write_scan(builder, items, i, j, behind++);
    begin_groups(builder, WORK_OF_CHUNKS, WORK_OF_BLOCKS, behind);
}

/* Describe the output of each item. The work's pictures of further scans have none. */
static void write_outputs(
    struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *items, uint32_t count, uint32_t pictures)
{
    uint32_t behind = count;
    for (uint32_t i = 0; i < count; i++) {
        begin_groups(builder, WORK_OF_BLOCKS, WORK_KINDS, i);
        kst_jpeg_gpu_output_write(builder, &items[i], picture_at(builder, behind), picture_at(builder, i));
        behind += scans_of(&items[i]) - 1;
    }
    for (uint32_t i = count; i <= pictures; i++)
        begin_groups(builder, WORK_OF_BLOCKS, WORK_KINDS, i);
}

uint32_t kst_jpeg_gpu_work(const struct jpeg_gpu_item *items, uint32_t count, const struct jpeg_gpu_size *size,
    struct memory *memory, struct jpeg_gpu_tables *kept, uint32_t *work)
{
    struct jpeg_gpu_builder builder;
    jpeg_gpu_builder_begin(&builder, work, size, memory, kept);
    struct jpeg_work *head = (struct jpeg_work *)work;
    uint32_t pictures = (uint32_t)size->pictures;
    *head = (struct jpeg_work){.pictures = pictures,
        .picture = HEAD_WORDS,
        .chunk_groups = (uint32_t)size->groups[WORK_OF_CHUNKS],
        .halves = kst_jpeg_gpu_halves(size),
        .spread = kst_jpeg_gpu_spread(size)};
    builder.words = HEAD_WORDS + pictures * PICTURE_WORDS;
    for (uint32_t kind = 0; kind < WORK_KINDS; kind++) {
        head->groups[kind] = builder.words;
        builder.words += pictures + 1;
    }
    write_scans(&builder, items, count);
    write_outputs(&builder, items, count, pictures);
    return builder.words;
}

const struct jpeg_work_picture *kst_jpeg_gpu_picture(const uint32_t *work, uint32_t index)
{
    return (const struct jpeg_work_picture *)(work + HEAD_WORDS) + index;
}
