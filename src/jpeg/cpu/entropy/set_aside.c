/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins the bits of a scan and passes the bytes on to a spill, a few hundred kilobytes at a time. */
#include "jpeg/cpu/entropy/set_aside.h"

enum { FIRST_EXTENTS = 16 };

static kst_status extent_room(struct jpeg_set_aside *aside)
{
    kst_status status = KST_OK;
    if (aside->count < aside->capacity)
        return KST_OK;
    size_t capacity = aside->capacity > 0 ? 2 * aside->capacity : FIRST_EXTENTS;
    struct jpeg_extent *extent = kst_memory_grow(
        aside->memory, aside->extent, aside->count * sizeof *extent, capacity * sizeof *extent, &status);
    if (!extent)
        return status;
    aside->extent = extent;
    aside->capacity = capacity;
    return KST_OK;
}

static bool pass_on(void *user, uint64_t offset, const void *data, size_t length)
{
    struct jpeg_set_aside *aside = user;
    struct jpeg_extent extent = {.length = length};
    (void)offset;
    aside->status = extent_room(aside);
    if (!aside->status)
        aside->status = kst_spill_put(aside->spill, data, length, &extent.offset);
    if (!aside->status)
        aside->extent[aside->count++] = extent;
    return !aside->status;
}

void kst_jpeg_cpu_set_aside_begin(struct jpeg_set_aside *aside, struct memory *memory, struct spill *spill)
{
    *aside = (struct jpeg_set_aside){.spill = spill, .memory = memory};
    aside->writer = (kst_writer){.size = sizeof aside->writer, .write = pass_on, .user = aside, .in_order = true};
    kst_sink_init_writer(&aside->sink, memory, &aside->writer);
    aside->joiner.sink = &aside->sink;
}

void kst_jpeg_cpu_set_aside_add(struct jpeg_set_aside *aside, struct jpeg_bit_string *bits)
{
    kst_jpeg_cpu_join_so_far(&aside->joiner, bits);
    kst_sink_settle(&aside->sink);
}

/* Take the rest of the bits. If the scan is so short that none of its bytes were passed on, they stay in the sink. */
void kst_jpeg_cpu_set_aside_end(struct jpeg_set_aside *aside, struct jpeg_bit_string *bits)
{
    kst_jpeg_cpu_join_pieces(&aside->joiner, bits);
    kst_jpeg_cpu_join_end(&aside->joiner);
    if (aside->count == 0)
        return;
    kst_sink_flush(&aside->sink);
    if (!aside->sink.status)
        kst_sink_release(&aside->sink);
}

kst_status kst_jpeg_cpu_set_aside_status(const struct jpeg_set_aside *aside)
{
    return aside->status ? aside->status : aside->sink.status;
}

kst_status kst_jpeg_cpu_set_aside_write(const struct jpeg_set_aside *aside, struct sink *to)
{
    for (size_t i = 0; i < aside->count; i++) {
        const struct jpeg_extent *extent = &aside->extent[i];
        uint8_t *bytes = kst_sink_reserve(to, extent->length);
        if (!bytes)
            return to->status;
        kst_status status = kst_spill_fetch(aside->spill, extent->offset, bytes, extent->length);
        if (status)
            return status;
        to->length += extent->length;
        kst_sink_settle(to);
    }
    kst_sink_bytes(to, aside->sink.data, aside->sink.length);
    kst_sink_settle(to);
    return to->status;
}

void kst_jpeg_cpu_set_aside_release(struct jpeg_set_aside *aside)
{
    kst_sink_release(&aside->sink);
    kst_memory_release(aside->memory, aside->extent);
    *aside = (struct jpeg_set_aside){.spill = NULL};
}
