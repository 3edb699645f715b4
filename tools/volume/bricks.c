/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes bricks of a store into a part of a volume. */
#include <stdlib.h>
#include <string.h>

#include "volume/devices.h"
#include "volume/store.h"

static int64_t load(const uint8_t *at, size_t bytes, bool is_signed)
{
    uint32_t value = 0;
    int64_t half = 128;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    for (size_t i = 1; i < bytes; i++)
        half *= 256;
    return is_signed ? (int64_t)((value ^ (uint32_t)half)) - half : value;
}

/* Copy a row of samples, which may have fewer bytes than those of the target, or the other byte order. */
static void copy_row(
    const uint8_t *from, size_t narrow, bool is_signed, bool big, uint8_t *to, size_t wide, size_t count)
{
    if (narrow == wide && !big) {
        memcpy(to, from, count * wide);
        return;
    }
    for (size_t x = 0; x < count; x++) {
        uint8_t turned[4];
        for (size_t i = 0; i < narrow; i++)
            turned[i] = from[x * narrow + (big ? narrow - 1 - i : i)];
        const uint64_t value = (uint64_t)load(turned, narrow, is_signed);
        for (size_t i = 0; i < wide; i++)
            to[x * wide + i] = (uint8_t)(value >> 8 * i);
    }
}

/* Copy samples from `from`, which have pitches, to a target of the same size. */
static void copy_box(
    const uint8_t *from, size_t narrow, size_t pitch, size_t slice_pitch, bool big, const kst_volume *target)
{
    const size_t wide = volume_sample_bytes(target);
    for (uint32_t z = 0; z < target->depth; z++)
        for (uint32_t y = 0; y < target->height; y++)
            copy_row(from + z * slice_pitch + y * pitch, narrow, target->is_signed, big,
                (uint8_t *)target->data + z * target->slice_pitch + y * target->pitch, wide, target->width);
}

static void fill_box(const struct store *store, const kst_volume *target)
{
    const size_t wide = volume_sample_bytes(target);
    for (uint32_t z = 0; z < target->depth; z++)
        for (uint32_t y = 0; y < target->height; y++) {
            uint8_t *row = (uint8_t *)target->data + z * target->slice_pitch + y * target->pitch;
            for (size_t i = 0; i < target->width * wide; i++)
                row[i] = (uint8_t)((uint64_t)store->fill >> 8 * (i % wide));
        }
}

/* Holds the work on one part of a brick. */
struct part_work {
    kst_volume_decode_options options;
    kst_volume made; /* what the codestream makes: the target itself, or narrower samples, which are copied there */
    bool coded;      /* there is a codestream; otherwise the target is finished */
    bool narrow;
    struct progress_unit step;
    kst_progress progress; /* with the step */
};

/* Return the bytes of a brick's samples, which metadata.c has compared with the limit of memory. */
static size_t length_of(const struct store *store)
{
    return (size_t)store->brick[0] * store->brick[1] * store->brick[2] * (store->bits / 8);
}

/* Copy a box of a brick whose samples lie one behind the other. */
static void copy_samples(
    const struct store *store, const uint8_t *samples, const kst_box *box, const kst_volume *target)
{
    const size_t wide = volume_sample_bytes(target), pitch = store->brick[2] * wide, slice = pitch * store->brick[1];
    copy_box(samples + box->z * slice + box->y * pitch + box->x * wide, wide, pitch, slice, store->big_endian, target);
}

static bool copy_bytes(const struct store *store, const struct brick_part *part, struct problem *problem)
{
    if (part->coded.length != length_of(store))
        return problem_set(problem, "it has %zu bytes, and its samples %zu", part->coded.length, length_of(store));
    copy_samples(store, part->coded.data, &part->box, &part->target);
    return true;
}

bool brick_is_expanded(const struct store *store, const uint32_t at[AXES])
{
    const struct expanded_brick *expanded = store->expanded;
    return expanded->samples != NULL && memcmp(expanded->at, at, sizeof expanded->at) == 0;
}

/* Expand a brick in place of the one before it. */
static bool expand(
    const struct store *store, const uint32_t at[AXES], const struct brick_bytes *bytes, struct problem *problem)
{
    struct expanded_brick *expanded = store->expanded;
    const size_t length = length_of(store);
    free(expanded->samples);
    expanded->samples = malloc(length);
    if (expanded->samples == NULL)
        return problem_set(problem, "out of memory");
    memcpy(expanded->at, at, sizeof expanded->at);
    if (packing_expand(store->packing, bytes->data, bytes->length, expanded->samples, length, problem))
        return true;
    free(expanded->samples);
    expanded->samples = NULL;
    return false;
}

/* Check that a codestream is the brick that the metadata describe. */
static bool check_described(const struct store *store, const kst_volume_decode_options *options,
    const kst_volume *described, struct problem *problem)
{
    const uint32_t levels[AXES] = {
        options->reduce_z - store->reduce_z, options->reduce - store->reduce, options->reduce - store->reduce};
    const uint32_t sides[AXES] = {described->depth, described->height, described->width};
    for (size_t i = 0; i < AXES; i++)
        if (sides[i] != store->brick[i] >> levels[i])
            return problem_set(problem,
                "its codestream has %ux%ux%u samples, which is not the chunk that Zarr's metadata describe",
                (unsigned)sides[0], (unsigned)sides[1], (unsigned)sides[2]);
    if (described->is_signed != store->is_signed || described->bits > store->bits)
        return problem_set(problem, "its codestream has samples of another type than Zarr's metadata say");
    return true;
}

/* Let integers of 32 bits be the samples that they stand for. */
static void scale_box(const struct store *store, const kst_volume *target)
{
    for (uint32_t z = 0; z < target->depth; z++)
        for (uint32_t y = 0; y < target->height; y++) {
            uint8_t *row = (uint8_t *)target->data + z * target->slice_pitch + y * target->pitch;
            for (uint32_t x = 0; x < target->width; x++) {
                int32_t number;
                memcpy(&number, row + 4 * x, sizeof number);
                const float value = float_of(store, number);
                memcpy(row + 4 * x, &value, sizeof value);
            }
        }
}

/* Describe a part's codestream and what it makes. */
static bool describe(const struct store *store, const struct volume_settings *settings, const struct brick_part *part,
    struct part_work *work, bool counted, struct problem *problem)
{
    kst_volume_decode_options *options = &work->options;
    kst_volume described;
    kst_report report;
    *options = settings->decode;
    options->reduce += store->reduce;
    options->reduce_z += store->reduce_z;
    work->progress = (kst_progress){.size = sizeof work->progress, .told = progress_unit_done, .user = &work->step};
    options->progress = counted ? &work->progress : NULL;
    options->region = (kst_box){0};
    kst_volume_init(&described);
    kst_report_init(&report);
    const kst_status status = kst_describe_volume(
        settings->context, part->coded.data, part->coded.length, options, &described, NULL, &report);
    if (status)
        return coded_report_problem(&report, status, problem);
    if (!check_described(store, options, &described, problem))
        return false;
    options->region = part->box;
    work->coded = true;
    work->narrow = volume_sample_bytes(&described) < volume_sample_bytes(&part->target);
    kst_volume_init(&work->made);
    if (!work->narrow) {
        work->made = part->target;
        work->made.bits = described.bits;
        work->made.sample = KST_SAMPLE_INTEGER;
    }
    return true;
}

/* Finish a part of a brick that is expanded already, or expand it first. Chunks without bytes have the fill value. */
static bool unpack(const struct store *store, const struct brick_part *part, struct problem *problem)
{
    if (!brick_is_expanded(store, part->at)) {
        if (part->coded.data == NULL) {
            fill_box(store, &part->target);
            return true;
        }
        if (!expand(store, part->at, &part->coded, problem))
            return false;
    }
    copy_samples(store, store->expanded->samples, &part->box, &part->target);
    return true;
}

/* Finish a part whose samples need no decoding, or describe its codestream. */
static bool prepare(const struct store *store, const struct volume_settings *settings, const struct brick_part *part,
    struct part_work *work, bool counted, struct problem *problem)
{
    work->coded = false;
    if (store->packing != PACKING_NONE)
        return unpack(store, part, problem);
    if (part->coded.data != NULL && store->coder != BRICK_BYTES)
        return describe(store, settings, part, work, counted, problem);
    if (part->coded.data != NULL)
        return copy_bytes(store, part, problem);
    fill_box(store, &part->target);
    return true;
}

/* Say of which brick a problem is. */
static bool blame(
    const struct store *store, const struct brick_part *part, const struct problem *inner, struct problem *problem)
{
    char *path = brick_path(store, part->at);
    problem_set_kind(problem, inner->kind, "%.2000s: %.2000s", path != NULL ? path : "a brick", inner->text);
    free(path);
    return false;
}

/* Report on a decoded part, and finish its samples. */
static bool finish(const struct store *store, const struct brick_part *part, const struct part_work *work,
    const kst_flow_item *item, struct problem *problem)
{
    const kst_report *report = &item->report;
    const kst_volume *made = &item->volume;
    if (report->status)
        return coded_report_problem(report, report->status, problem);
    if (report->warnings > 0) {
        char *path = brick_path(store, part->at);
        jpeg_report_warnings(path != NULL ? path : store->folder, report);
        free(path);
    }
    if (work->narrow)
        copy_box(made->data, volume_sample_bytes(made), made->pitch, made->slice_pitch, false, &part->target);
    if (store->scaled)
        scale_box(store, &part->target);
    return true;
}

/* Decode what is prepared, on all devices. Bricks behind the first bad one are not reported on. */
static bool decode_prepared(const struct store *store, const struct volume_settings *settings,
    const struct brick_part *parts, const struct part_work *work, size_t count, struct problem *problem)
{
    kst_flow_item *items = calloc(count, sizeof *items);
    struct problem inner = {.text = ""};
    size_t coded = 0;
    bool good = items != NULL || problem_set(problem, "out of memory");
    for (size_t i = 0; i < count && good; i++)
        if (work[i].coded)
            items[coded++] = (kst_flow_item){.size = sizeof *items,
                .work = KST_FLOW_DECODE_VOLUME,
                .data = parts[i].coded.data,
                .length = parts[i].coded.length,
                .decode_volume = &work[i].options,
                .volume = work[i].made};
    if (good)
        volume_code(settings, items, coded);
    for (size_t i = 0, k = 0; i < count && k < coded; i++) {
        if (!work[i].coded)
            continue;
        good =
            good && (finish(store, &parts[i], &work[i], &items[k], &inner) || blame(store, &parts[i], &inner, problem));
        volume_item_release(&items[k++]);
    }
    free(items);
    return good;
}

bool bricks_decode(const struct store *store, const struct volume_settings *settings, const struct brick_part *parts,
    size_t count, bool counted, struct problem *problem)
{
    struct part_work *work = count > 0 ? calloc(count, sizeof *work) : NULL;
    struct problem inner = {.text = ""};
    size_t ready = 0;
    if (work == NULL)
        return count == 0 || problem_set(problem, "out of memory");
    while (ready < count && prepare(store, settings, &parts[ready], &work[ready], counted, &inner))
        ready++;
    const bool good = (ready == 0 || decode_prepared(store, settings, parts, work, ready, problem)) &&
                      (ready == count || blame(store, &parts[ready], &inner, problem));
    for (size_t i = 0; i < count && good && counted; i++)
        progress_unit_end(&work[i].step);
    free(work);
    return good;
}
