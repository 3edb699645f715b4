/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes bricks of a store into a part of a volume. */
#include <string.h>

#include "volume/store.h"

static int64_t load(const uint8_t *at, size_t bytes, bool is_signed)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * i;
    const int64_t half = INT64_C(1) << (8 * bytes - 1);
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

static bool copy_bytes(const struct store *store, const struct brick_bytes *bytes, const kst_box *box,
    const kst_volume *target, struct problem *problem)
{
    const size_t wide = volume_sample_bytes(target), pitch = store->brick[2] * wide, slice = pitch * store->brick[1];
    if (bytes->length != slice * store->brick[0])
        return problem_set(problem, "it has %zu bytes, and its samples %zu", bytes->length, slice * store->brick[0]);
    copy_box(
        bytes->data + box->z * slice + box->y * pitch + box->x * wide, wide, pitch, slice, store->big_endian, target);
    return true;
}

/* Check that a codestream has the properties that the metadata state for a brick. */
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

static bool fail(const kst_report *report, kst_status status, struct problem *problem)
{
    return coded_report_problem(report, status, problem);
}

/* Convert 32-bit integers in place to the samples of single precision that they stand for. */
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

static bool decode(const struct volume_settings *settings, const struct brick_bytes *bytes,
    const kst_volume_decode_options *options, const kst_volume *target, const char *name, struct problem *problem)
{
    kst_volume part;
    kst_report report;
    kst_volume_init(&part);
    kst_report_init(&report);
    const kst_status status = kst_decode_volume(settings->context, bytes->data, bytes->length, options, &part, &report);
    if (status)
        return fail(&report, status, problem);
    jpeg_report_warnings(name, &report);
    copy_box(part.data, volume_sample_bytes(&part), part.pitch, part.slice_pitch, false, target);
    kst_volume_release(settings->context, &part);
    return true;
}

bool brick_decode(const struct store *store, const struct volume_settings *settings, const struct brick_bytes *bytes,
    const kst_box *box, const kst_volume *target, const char *name, struct problem *problem)
{
    kst_volume_decode_options options = settings->decode;
    kst_volume described;
    kst_report report;
    if (bytes->data == NULL) {
        fill_box(store, target);
        return true;
    }
    if (store->coder == BRICK_BYTES)
        return copy_bytes(store, bytes, box, target, problem);
    options.reduce += store->reduce;
    options.reduce_z += store->reduce_z;
    options.progress = NULL;
    options.region = (kst_box){0};
    kst_volume_init(&described);
    kst_report_init(&report);
    const kst_status status =
        kst_describe_volume(settings->context, bytes->data, bytes->length, &options, &described, NULL, &report);
    if (status)
        return fail(&report, status, problem);
    options.region = *box;
    if (!check_described(store, &options, &described, problem) ||
        !decode(settings, bytes, &options, target, name, problem))
        return false;
    if (store->scaled)
        scale_box(store, target);
    return true;
}
