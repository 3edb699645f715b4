/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes conversions to the kernel, for pictures whose channels are not simply components: the planes that the
 * components are written to, and how channels are made from these.
 */
#include <string.h>

#include "device/float_bits.h"
#include "device/runtime.h"
#include "image/format.h"
#include "image/orient.h"
#include "j2k/gpu/part.h"
#include "j2k/syntax/geometry.h"

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

enum { ALIGNMENT = 16 };

static const struct j2k_component *component_of(const struct j2k_gpu_item *item, uint32_t source)
{
    return &item->plan->component[item->conversion.source[source].component];
}

static uint32_t bytes_of(const struct j2k_component *component)
{
    return component->depth > 8 ? 2 : 1;
}

bool kst_j2k_gpu_sources_interleaved(const struct j2k_gpu_item *item)
{
    const struct j2k_gpu_conversion *conversion = &item->conversion;
    if (conversion->sources != 3)
        return false;
    for (uint32_t s = 0; s < 3; s++)
        if (conversion->source[s].component != s || bytes_of(component_of(item, s)) != 1 ||
            !j2k_same_rect(component_of(item, s)->area, component_of(item, 0)->area))
            return false;
    return true;
}

/* Return the distance from one sample of a plane to the next, in samples. */
static uint32_t stride_of(const struct j2k_gpu_item *item)
{
    return kst_j2k_gpu_sources_interleaved(item) ? 3 : 1;
}

static size_t pitch_of(const struct j2k_gpu_item *item, uint32_t source)
{
    const struct j2k_component *component = component_of(item, source);
    size_t row = (size_t)j2k_gpu_width(component->area) * stride_of(item) * bytes_of(component);
    return (row + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Return the first source with the same component, whose plane serves both. */
static uint32_t first_alike(const struct j2k_gpu_item *item, uint32_t source)
{
    const struct j2k_gpu_conversion *conversion = &item->conversion;
    uint32_t first = 0;
    while (conversion->source[first].component != conversion->source[source].component)
        first++;
    return first;
}

static uint64_t plane_bytes(const struct j2k_gpu_item *item, uint32_t source)
{
    bool shared = first_alike(item, source) != source || (source > 0 && kst_j2k_gpu_sources_interleaved(item));
    return shared ? 0 : (uint64_t)pitch_of(item, source) * j2k_gpu_height(component_of(item, source)->area);
}

uint64_t kst_j2k_gpu_plane_bytes(const struct j2k_gpu_item *item)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < item->conversion.sources; s++)
        sum += plane_bytes(item, s);
    return sum;
}

void kst_j2k_gpu_place_sources(struct j2k_gpu_part *part)
{
    size_t at = part->pixels;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_gpu_item *item = &part->items[i];
        size_t *source = part->place[i].source, start = at;
        bool interleaved = kst_j2k_gpu_sources_interleaved(item);
        part->conversions += item->conversion.sources > 0;
        for (uint32_t s = 0; s < item->conversion.sources; s++) {
            uint32_t first = first_alike(item, s);
            source[s] = interleaved ? start + s : first == s ? at : source[first];
            at += (size_t)plane_bytes(item, s);
        }
    }
    part->planes = at - part->pixels;
}

struct j2k_work_view kst_j2k_gpu_source_view(const struct j2k_gpu_part *part, uint32_t index)
{
    const struct j2k_gpu_item *item = &part->items[index];
    struct j2k_work_view view = {.packed = kst_j2k_gpu_sources_interleaved(item) ? 3 : 0};
    for (uint32_t s = 0; s < item->conversion.sources; s++) {
        uint64_t at = part->place[index].source[s];
        if (first_alike(item, s) == s)
            view.channel[view.channels++] = (struct j2k_work_channel){.component = item->conversion.source[s].component,
                .offset = {(uint32_t)at, (uint32_t)(at >> 32)},
                .pitch = (uint32_t)pitch_of(item, s),
                .stride = stride_of(item),
                .bytes = bytes_of(component_of(item, s))};
    }
    return view;
}

/* Return the words of a source's palette; each word holds two entries. */
static uint32_t palette_words(const struct j2k_gpu_conversion *conversion, uint32_t source)
{
    return conversion->source[source].palette ? (conversion->entries + 1) / 2 : 0;
}

uint32_t kst_j2k_gpu_conversion_words(const struct j2k_gpu_part *part)
{
    uint32_t words = part->conversions * (WORDS(struct j2k_work_composite) + 1);
    for (uint32_t i = 0; i < part->count; i++)
        for (uint32_t s = 0; s < part->items[i].conversion.sources; s++)
            words += palette_words(&part->items[i].conversion, s);
    return words;
}

/* Describe a source to the kernel. `palette` is where its palette is written, if it has one. */
static struct j2k_work_source describe_source(
    const struct j2k_gpu_part *part, uint32_t index, uint32_t s, uint32_t palette)
{
    const struct j2k_gpu_item *item = &part->items[index];
    const struct j2k_component *component = component_of(item, s);
    uint64_t at = part->place[index].source[s];
    bool looked_up = item->conversion.source[s].palette != NULL;
    return (struct j2k_work_source){.offset = {(uint32_t)at, (uint32_t)(at >> 32)},
        .pitch = (uint32_t)pitch_of(item, s),
        .bytes = bytes_of(component),
        .stride = stride_of(item),
        .x0 = component->area.x0,
        .y0 = component->area.y0,
        .x1 = component->area.x1,
        .y1 = component->area.y1,
        .dx = component->dx,
        .dy = component->dy,
        .palette = looked_up ? palette : 0,
        .last = looked_up ? item->conversion.entries - 1 : 0};
}

/* Set how samples become floating-point numbers. */
static void describe_numbers(const struct j2k_gpu_item *item, struct j2k_work_composite *record)
{
    const struct normal *normal = &item->conversion.normal;
    record->numbers = item->output.plane[0].sample != KST_SAMPLE_INTEGER;
    for (uint32_t k = 0; k < 4 && record->numbers; k++) {
        record->mean[k] = gpu_float_bits(normal->mean[k]);
        record->scale[k] = gpu_float_bits(normal->scale[k]);
    }
}

/* Describe a conversion to the kernel, and write its palettes from word *at on; advances *at. */
static struct j2k_work_composite describe_conversion(
    const struct j2k_gpu_part *part, uint32_t index, uint32_t *work, uint32_t *at)
{
    const struct j2k_gpu_item *item = &part->items[index];
    const struct j2k_gpu_conversion *conversion = &item->conversion;
    bool swaps = kst_orientation_swaps(conversion->orientation);
    struct j2k_work_composite record = {.width = swaps ? item->output.height : item->output.width,
        .height = swaps ? item->output.width : item->output.height,
        .x = conversion->x,
        .y = conversion->y,
        .sources = conversion->sources,
        .ycc = conversion->ycc,
        .orientation = (uint32_t)conversion->orientation,
        .view = {.channels = item->channels}};
    for (uint32_t s = 0; s < conversion->sources; s++) {
        record.source[s] = describe_source(part, index, s, *at);
        if (conversion->source[s].palette)
            memcpy(work + *at, conversion->source[s].palette, conversion->entries * sizeof(uint16_t));
        *at += palette_words(conversion, s);
    }
    describe_numbers(item, &record);
    for (uint32_t k = 0; k < item->channels; k++)
        record.view.channel[k] = kst_j2k_gpu_channel(part, index, k);
    bool together = kst_format_channels(item->output.format) >= 3 && record.view.channel[0].bytes == 1;
    record.view.packed = together ? item->channels : 0;
    return record;
}

static uint32_t groups_of(const kst_image *image)
{
    return (image->width + J2K_OUTPUT_WIDTH - 1) / J2K_OUTPUT_WIDTH *
           ((image->height + J2K_OUTPUT_HEIGHT - 1) / J2K_OUTPUT_HEIGHT);
}

static uint64_t image_bytes(const struct j2k_gpu_item *item)
{
    uint32_t bytes = kst_plane_sample_bytes(&item->output.plane[0]);
    return (uint64_t)item->output.width * item->output.height * item->channels * bytes;
}

/* Write the records, followed by the list of their first work-groups and the palettes. */
uint32_t kst_j2k_gpu_write_conversions(struct j2k_gpu_part *part, uint32_t *work, uint32_t at)
{
    struct j2k_work_composite *record = (struct j2k_work_composite *)(void *)(work + at);
    struct j2k_gpu_launch launch = {.kernel = J2K_KERNEL_CONVERT,
        .list = at + part->conversions * WORDS(struct j2k_work_composite),
        .count = part->conversions,
        .first = at};
    uint32_t list = launch.list, end = launch.list + part->conversions;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_gpu_item *item = &part->items[i];
        if (item->conversion.sources == 0)
            continue;
        *record++ = describe_conversion(part, i, work, &end);
        work[list++] = launch.groups;
        launch.groups += groups_of(&item->output);
        launch.bytes += kst_j2k_gpu_plane_bytes(item) + image_bytes(item);
    }
    if (part->conversions > 0)
        part->launch[part->launches++] = launch;
    return end;
}
