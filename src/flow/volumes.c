/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes the volumes of some entries, such as the bricks of an array, all in one call. */
#include "core/report.h"
#include "flow/flow.h"
#include "image/volume.h"

enum { BYTES_A_SAMPLE = 8 /* memory that the CPU takes to code a sample of a volume */ };

static uint64_t samples_of(const kst_volume *volume, uint32_t depth)
{
    return (uint64_t)volume->width * volume->height * depth;
}

void kst_flow_look_at_volume(struct kst_flow *flow, struct flow_entry *entry)
{
    kst_flow_item *item = &entry->item;
    kst_volume volume = item->volume;
    kst_volume_info info = {.size = sizeof info, .depth = volume.depth};
    item->volume.owned = NULL; /* a buffer that the source provides stays the source's */
    /* The lane reports what is wrong with a stream. */
    if (item->work == KST_FLOW_DECODE_VOLUME &&
        kst_describe_volume(flow->lane[0].context, item->data, item->length, item->decode_volume, &volume, &info, NULL))
        return;
    entry->pixels = samples_of(&volume, volume.depth) * kst_volume_sample_bytes(&volume);
    entry->work = samples_of(&volume, info.depth) * BYTES_A_SAMPLE; /* a few slices may need all others */
    if (!item->volume.data)
        entry->result = entry->pixels;
}

static void decode(kst_context *context, struct flow_entry *const *entry, kst_volume_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kst_flow_item *item = &entry[i]->item;
        items[i] = (kst_volume_item){
            .data = item->data, .length = item->length, .options = item->decode_volume, .volume = &item->volume};
    }
    kst_decode_volumes(context, items, count);
    for (uint32_t i = 0; i < count; i++)
        entry[i]->item.report = items[i].report;
}

static void encode(kst_context *context, struct flow_entry *const *entry, kst_volume_encode_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const kst_flow_item *item = &entry[i]->item;
        items[i] =
            (kst_volume_encode_item){.volume = &item->volume, .options = item->encode_volume, .output = item->output};
    }
    kst_encode_volumes(context, items, count);
    for (uint32_t i = 0; i < count; i++) {
        entry[i]->item.output = items[i].output;
        entry[i]->item.report = items[i].report;
    }
}

void kst_flow_make_volumes(struct kst_flow *flow, kst_context *context, struct flow_entry *const *entry, uint32_t count)
{
    const bool decodes = entry[0]->item.work == KST_FLOW_DECODE_VOLUME;
    const size_t bytes = decodes ? sizeof(kst_volume_item) : sizeof(kst_volume_encode_item);
    void *items = kst_memory_zeroed(&flow->memory, count, bytes, NULL);
    for (uint32_t i = 0; i < count && !items; i++)
        kst_report_error(&entry[i]->item.report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
    if (items && decodes)
        decode(context, entry, items, count);
    else if (items)
        encode(context, entry, items, count);
    kst_memory_release(&flow->memory, items);
}
