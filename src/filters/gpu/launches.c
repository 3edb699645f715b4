/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects launches, writes the work that they read, and queues them. */
#include "filters/gpu/launches.h"

#include <stdlib.h>
#include <string.h>

#include "filters/gpu/moved.h"
#include "image/location.h"

enum { RECORD_WORDS = sizeof(struct filter_record) / 4, FIRST_ROOM = 16, EXTRA_ALIGNMENT = 16 };
enum { NEARLY_NONE = 1 /* one byte, because 0 would stand for the whole buffer in the record of a profile */ };

void kst_filter_gpu_extra(struct filter_gpu_step *step, uint64_t length, size_t pitch)
{
    length = (length + EXTRA_ALIGNMENT - 1) / EXTRA_ALIGNMENT * EXTRA_ALIGNMENT;
    step->extra_length = length > step->extra_length ? length : step->extra_length;
    step->extra_pitch = pitch;
}

struct filter_record kst_filter_gpu_record(const struct filter_gpu_step *step)
{
    const struct filter_pixels *from = &step->from.pixels, *to = &step->to.pixels;
    return (struct filter_record){.from_pitch = (uint32_t)step->from.pitch,
        .to_pitch = (uint32_t)step->to.pitch,
        .extra_pitch = (uint32_t)step->extra_pitch,
        .from_width = from->width,
        .from_height = from->height,
        .width = to->width,
        .height = to->height,
        .channels = from->channels,
        .colours = from->colours,
        .bytes = from->bytes,
        .greatest = from->greatest,
        .to_channels = to->channels,
        .to_bytes = to->bytes,
        .to_greatest = to->greatest,
        .groups_of_row = (to->width + FILTER_TILE - 1) / FILTER_TILE};
}

/* Make room for one more launch. */
static kst_status make_room(struct filter_gpu_launches *launches)
{
    kst_status status = KST_OK;
    uint32_t room = launches->room > 0 ? launches->room * 2 : FIRST_ROOM;
    if (launches->count < launches->room)
        return KST_OK;
    struct filter_gpu_launch *grown = kst_memory_grow(
        launches->memory, launches->launch, launches->count * sizeof *grown, (size_t)room * sizeof *grown, &status);
    if (grown) {
        launches->launch = grown;
        launches->room = room;
    }
    return status;
}

kst_status kst_filter_gpu_add_groups(
    struct filter_gpu_step *step, enum filter_gpu_kernel kernel, const struct filter_record *record, uint64_t groups)
{
    struct filter_gpu_launches *launches = step->launches;
    kst_status status = groups > INT32_MAX ? KST_ERROR_LIMIT_PIXELS : make_room(launches);
    if (status)
        return status;
    launches->launch[launches->count] = (struct filter_gpu_launch){.kernel = kernel,
        .order = step->order++,
        .number = launches->count,
        .groups = (uint32_t)groups,
        .from = step->from.buffer,
        .to = step->to.buffer,
        .extra = step->room,
        .from_at = step->from.at,
        .to_at = step->to.at,
        .extra_at = step->extra_at,
        .record = *record};
    launches->count++;
    return KST_OK;
}

kst_status kst_filter_gpu_add(
    struct filter_gpu_step *step, enum filter_gpu_kernel kernel, const struct filter_record *record)
{
    uint64_t rows = (step->to.pixels.height + (uint64_t)FILTER_TILE - 1) / FILTER_TILE;
    return kst_filter_gpu_add_groups(step, kernel, record, rows * record->groups_of_row);
}

kst_status kst_filter_gpu_table(struct filter_gpu_step *step, uint32_t words, uint32_t **table, int32_t *at)
{
    struct filter_gpu_launches *launches = step->launches;
    kst_status status = KST_OK;
    if (words > (uint32_t)INT32_MAX - launches->words)
        return KST_ERROR_LIMIT_MEMORY;
    if (launches->words + words > launches->table_room) {
        uint32_t room = (launches->words + words) * 2;
        uint32_t *grown = kst_memory_grow(
            launches->memory, launches->table, launches->words * sizeof *grown, (size_t)room * sizeof *grown, &status);
        if (!grown)
            return status;
        launches->table = grown;
        launches->table_room = room;
    }
    *table = launches->table + launches->words;
    *at = (int32_t)launches->words;
    launches->words += words;
    return KST_OK;
}

/* Return the bytes of the work: tables, records, and the list of the first work-group of each record. */
size_t kst_filter_gpu_work_length(const struct filter_gpu_launches *launches)
{
    return (launches->words + (size_t)launches->count * (RECORD_WORDS + 1)) * sizeof *launches->table;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
    const struct filter_gpu_launch *first = a, *second = b;
    int order = compare_numbers(first->order, second->order);
    order = order != 0 ? order : compare_numbers((uint64_t)first->kernel, (uint64_t)second->kernel);
    return order != 0 ? order : compare_numbers(first->number, second->number);
}

/* Store the distance of byte `at` of a buffer from the launch's buffer. With addresses, the two buffers may differ. */
static void set_place(const struct gpu_buffer *buffer, uint64_t at, const struct gpu_buffer *base, uint32_t place[2])
{
    at += buffer->handle - base->handle;
    place[0] = (uint32_t)at;
    place[1] = (uint32_t)(at >> 32);
}

/* Return whether one launch can serve two images. With addresses a launch reaches all buffers. */
static bool is_together(const struct filter_gpu_launch *a, const struct filter_gpu_launch *b, bool has_addresses)
{
    bool same = a->from->handle == b->from->handle && a->to->handle == b->to->handle;
    return a->order == b->order && a->kernel == b->kernel && (has_addresses || same);
}

/* Return the end of the launch that begins with record `first`; *groups receives its number of work-groups. */
static uint32_t end_of(const struct filter_gpu_launches *launches, uint32_t first, bool has_addresses, uint32_t *groups)
{
    const struct filter_gpu_launch *launch = launches->launch;
    uint32_t end = first;
    *groups = 0;
    while (end < launches->count && is_together(&launch[first], &launch[end], has_addresses) &&
           launch[end].groups <= INT32_MAX - *groups)
        *groups += launch[end++].groups;
    return end;
}

/* Write the records of a launch, and the list of their first work-groups. */
static void write_launch(const struct filter_gpu_launches *launches, uint32_t first, uint32_t end, uint32_t *work)
{
    const struct filter_gpu_launch *base = &launches->launch[first];
    uint32_t *records = work + launches->words, *list = records + (size_t)launches->count * RECORD_WORDS, groups = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct filter_gpu_launch *launch = &launches->launch[i];
        struct filter_record record = launch->record;
        set_place(launch->from, launch->from_at, base->from, record.from);
        set_place(launch->to, launch->to_at, base->to, record.to);
        set_place(launch->extra, launch->extra_at, base->extra, record.extra);
        memcpy(records + (size_t)i * RECORD_WORDS, &record, sizeof record);
        list[i] = groups;
        groups += launch->groups;
    }
}

static void write_work(struct filter_gpu_launches *launches, bool has_addresses, uint32_t *work)
{
    uint32_t groups;
    qsort(launches->launch, launches->count, sizeof *launches->launch, compare_places);
    if (launches->words > 0)
        memcpy(work, launches->table, launches->words * sizeof *work);
    for (uint32_t first = 0, end; first < launches->count; first = end) {
        end = end_of(launches, first, has_addresses, &groups);
        write_launch(launches, first, end, work);
    }
}

void kst_filter_gpu_queue(struct filter_gpu_launches *launches, struct gpu_queue *queue, const struct gpu_built *built,
    const struct gpu_buffer *work, const struct gpu_buffer *host_work)
{
    const struct gpu_backend *backend = queue->gpu->backend;
    bool has_addresses = kst_memory_has_addresses(backend->memory);
    uint32_t groups, records = launches->words, list = records + launches->count * (uint32_t)RECORD_WORDS;
    write_work(launches, has_addresses, (uint32_t *)(void *)host_work->host);
    backend->copy(queue, work, 0, host_work, 0, kst_filter_gpu_work_length(launches));
    for (uint32_t first = 0, end; first < launches->count; first = end) {
        const struct filter_gpu_launch *launch = &launches->launch[first];
        struct filter_gpu_moved moved = {0, 0, 0};
        end = end_of(launches, first, has_addresses, &groups);
        for (uint32_t i = first; i < end; i++)
            kst_filter_gpu_moved(&launches->launch[i], &moved);
        const struct gpu_argument arguments[] = {{.buffer = work, .bytes = NEARLY_NONE},
            {.buffer = launch->from, .bytes = moved.source + NEARLY_NONE},
            {.buffer = launch->to, .bytes = moved.result + NEARLY_NONE},
            {.buffer = launch->extra, .bytes = moved.between + NEARLY_NONE}, {.value = list + first},
            {.value = records + first * (uint32_t)RECORD_WORDS}, {.value = end - first}};
        kst_gpu_launch(queue, built, (uint32_t)launch->kernel, groups, arguments, sizeof arguments / sizeof *arguments);
    }
}
