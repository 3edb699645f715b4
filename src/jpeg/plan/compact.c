/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the entropy-coded data of a plan, without superfluous fill bytes. */
#include "jpeg/plan/compact.h"

#include <string.h>

static size_t shorten(const uint8_t *from, size_t length, uint8_t *to)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        if (from[i] != 0xFF || i + 1 == length || from[i + 1] != 0xFF)
            to[count++] = from[i];
    return count;
}

static void copy_segments(const struct jpeg_plan *plan, struct jpeg_plan *compact, uint8_t *data)
{
    size_t at = 0;
    for (uint32_t i = 0; i < plan->segment_count; i++) {
        struct jpeg_segment *segment = &compact->segment[i];
        *segment = plan->segment[i];
        segment->offset = at;
        segment->length = shorten(plan->data + plan->segment[i].offset, (size_t)plan->segment[i].length, data + at);
        at += (size_t)segment->length;
    }
    compact->length = at;
}

kst_status kst_jpeg_compact(struct memory *memory, const struct jpeg_plan *plan, struct jpeg_plan *compact)
{
    kst_status status = KST_OK;
    size_t length = 0;
    for (uint32_t i = 0; i < plan->segment_count; i++)
        length += (size_t)plan->segment[i].length;
    uint8_t *data = kst_memory_array(memory, length, 1, &status);
    *compact = *plan;
    compact->data = data;
    compact->segment = kst_memory_array(memory, plan->segment_count, sizeof *compact->segment, &status);
    compact->scan = kst_memory_array(memory, plan->scan_count, sizeof *compact->scan, &status);
    if (status) {
        kst_jpeg_compact_release(memory, compact);
        return status;
    }
    memcpy(compact->scan, plan->scan, plan->scan_count * sizeof *compact->scan);
    for (uint32_t i = 0; i < plan->scan_count; i++)
        compact->scan[i].fill = plan->scan[i].fill > 0;
    copy_segments(plan, compact, data);
    return KST_OK;
}

void kst_jpeg_compact_release(struct memory *memory, struct jpeg_plan *compact)
{
    kst_memory_release(memory, (void *)(uintptr_t)compact->data);
    kst_memory_release(memory, compact->segment);
    kst_memory_release(memory, compact->scan);
    *compact = (struct jpeg_plan){.length = 0};
}
