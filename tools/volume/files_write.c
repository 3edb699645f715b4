/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes volumes to files whose names state the format, from memory or from a store. */
#include <stdlib.h>

#include "volume/gzip.h"
#include "volume/segy.h"
#include "volume/stack.h"
#include "volume/store.h"

enum {
    BAND_BYTES = 1 << 22, /* of samples that are read from a store at once, without a GPU */
    ALL_ROWS = INT32_MAX  /* more than a volume has */
};

bool volume_put(struct output *output, uint64_t at, const void *data, size_t length, struct problem *problem)
{
    return output_in_order(output) ? output_write(output, data, length, problem)
                                   : output_write_at(output, at, data, length, problem);
}

/* Copy samples, reversing their bytes. */
static void swap(const uint8_t *from, uint8_t *to, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bytes; k++)
            to[i * bytes + k] = from[i * bytes + bytes - 1 - k];
}

/* Describes a file that is being written. */
struct target {
    struct output output;
    struct gzip_writer *gzip; /* null: it is not compressed */
    uint64_t offset;          /* of the first sample */
};

/* Return whether bytes can only follow one another. */
static bool is_in_order(const struct target *target)
{
    return target->gzip != NULL || output_in_order(&target->output);
}

static bool put(struct target *target, uint64_t at, const void *data, size_t length, struct problem *problem)
{
    return target->gzip != NULL ? gzip_write(target->gzip, data, length, problem)
                                : volume_put(&target->output, at, data, length, problem);
}

/* Write the samples of some rows of a slice, without padding, at their place in the file. */
static bool put_rows(struct target *target, uint64_t at, const uint8_t *rows, uint64_t length, size_t bytes,
    bool swapped, struct problem *problem)
{
    enum { PIECE = 1 << 16 };
    uint8_t piece[PIECE];
    for (uint64_t done = 0; done < length; done += PIECE) {
        const size_t left = (size_t)(length - done < PIECE ? length - done : PIECE);
        if (swapped)
            swap(rows + done, piece, left / bytes, bytes);
        const uint8_t *from = swapped ? piece : rows + done;
        if (!put(target, target->offset + at + done, from, left, problem))
            return false;
    }
    return true;
}

static void discard(struct target *target)
{
    gzip_free(target->gzip);
    output_discard(&target->output);
}

/* Open a file and write what is before the samples. */
static bool begin_file(struct target *target, const char *name, const kst_volume *volume,
    const struct volume_grid *grid, const struct volume_settings *settings, struct problem *problem)
{
    const bool nifti = volume_is_nifti(name), segy = volume_is_segy(name), packed = volume_is_packed(name);
    uint8_t header[NIFTI_HEADER];
    target->gzip = NULL;
    target->offset = nifti ? NIFTI_HEADER : 0;
    if ((nifti || segy) && settings->order != ORDER_OWN)
        return problem_set(problem, "--endian is for raw samples");
    if (nifti && !nifti_write(volume, grid, header, problem))
        return false;
    if (!output_open(&target->output, name, problem))
        return false;
    bool good = !packed || (target->gzip = gzip_begin(&target->output, problem)) != NULL;
    good = good && (segy ? segy_put_headers(&target->output, volume, problem)
                         : !nifti || put(target, 0, header, sizeof header, problem));
    if (!good)
        discard(target);
    return good;
}

static bool finish_file(
    const char *name, struct target *target, const kst_volume *volume, bool good, struct problem *problem)
{
    const uint64_t length = (uint64_t)volume->width * volume->height * volume->depth * volume_sample_bytes(volume);
    const uint64_t end = volume_is_segy(name) ? segy_length(volume) : target->offset + length;
    if (good &&
        (target->gzip != NULL ? gzip_end(target->gzip, problem) : output_end_at(&target->output, end, problem))) {
        gzip_free(target->gzip);
        return output_commit(&target->output, problem);
    }
    discard(target);
    return false;
}

static bool write_stack(
    const char *name, const kst_volume *volume, const struct volume_settings *settings, struct problem *problem)
{
    struct output output;
    if (settings->order != ORDER_OWN)
        return problem_set(problem, "--endian is for raw samples");
    if (!output_open(&output, name, problem))
        return false;
    if (stack_write(&output, volume, problem))
        return output_commit(&output, problem);
    output_discard(&output);
    return false;
}

bool volume_write(const char *name, const kst_volume *volume, const struct volume_grid *grid,
    const struct volume_settings *settings, struct problem *problem)
{
    const size_t bytes = volume_sample_bytes(volume);
    struct target target;
    if (volume_is_stack(name))
        return write_stack(name, volume, settings, problem);
    if (!begin_file(&target, name, volume, grid, settings, problem))
        return false;
    const uint64_t length = (uint64_t)volume->width * volume->height * volume->depth * bytes;
    bool good = true;
    for (uint32_t z = 0; good && z < volume->depth && volume_is_segy(name); z++)
        good = segy_put_rows(&target.output, volume, z, 0, (const uint8_t *)volume->data + z * (length / volume->depth),
            volume->height, problem);
    if (!volume_is_segy(name))
        good = put_rows(&target, 0, volume->data, length, bytes, samples_swap(settings->order), problem);
    return finish_file(name, &target, volume, good, problem);
}

/* Read some rows of some slices of a store, and write them at their places. */
static bool copy_rows(struct target *target, bool segy, const struct store *store,
    const struct volume_settings *settings, const kst_box *part, const kst_box *whole, kst_volume *rows,
    struct problem *problem)
{
    const size_t bytes = volume_sample_bytes(rows), row = whole->width * bytes;
    rows->depth = part->depth;
    rows->height = part->height;
    rows->pitch = row;
    rows->slice_pitch = row * part->height;
    if (!store_read(store, settings, part, rows, true, problem))
        return false;
    for (uint32_t z = 0; z < part->depth; z++) {
        const uint8_t *slice = (const uint8_t *)rows->data + z * rows->slice_pitch;
        const uint32_t to_z = part->z - whole->z + z, to_y = part->y - whole->y;
        const uint64_t at = ((uint64_t)to_z * whole->height + to_y) * row;
        kst_volume all = *rows;
        all.height = whole->height;
        if (!(segy ? segy_put_rows(&target->output, &all, to_z, to_y, slice, part->height, problem)
                   : put_rows(target, at, slice, rows->slice_pitch, bytes, samples_swap(settings->order), problem)))
            return false;
    }
    return true;
}

/* Return how many samples along an axis are read at once from `at` on: those up to the end of the brick. */
static uint32_t piece_of(uint32_t side, uint32_t at, uint32_t end)
{
    const uint32_t left = side - at % side;
    return left < end - at ? left : end - at;
}

/* Read a box of a store into memory, and write it as a stack. */
static bool write_store_stack(const char *name, const struct store *store, const kst_box *box, kst_volume *whole,
    const struct volume_settings *settings, struct problem *problem)
{
    whole->pitch = whole->width * volume_sample_bytes(whole);
    whole->slice_pitch = whole->pitch * whole->height;
    uint64_t length;
    if (__builtin_mul_overflow((uint64_t)whole->slice_pitch, (uint64_t)whole->depth, &length) ||
        length > store->max_memory)
        return problem_set_kind(problem, PROBLEM_LIMIT, "a TIFF file of the volume exceeds the limit of memory");
    whole->data = malloc((size_t)length);
    const bool good = whole->data != NULL ? store_read(store, settings, box, whole, true, problem) &&
                                                write_stack(name, whole, settings, problem)
                                          : problem_set(problem, "out of memory");
    free(whole->data);
    return good;
}

/* Return the bytes of the samples of a box that are read at once. */
static uint64_t band_length(const kst_box *box, uint32_t deep, uint32_t high, size_t bytes)
{
    return (uint64_t)(deep < box->depth ? deep : box->depth) * (high < box->height ? high : box->height) * box->width *
           bytes;
}

/*
 * Choose how many slices and rows are read at once, whole bricks of them: a row of bricks, or more where little memory
 * has room for more, or all rows of some slices where bytes must be written in order. `sides` are those of a brick.
 */
static void choose_band(const uint32_t sides[2], const kst_box *box, size_t bytes, uint64_t most, bool in_order,
    uint32_t *deep, uint32_t *high)
{
    *deep = sides[0];
    *high = in_order ? ALL_ROWS : sides[1];
    while (*high < box->height && band_length(box, *deep, *high + sides[1], bytes) <= most)
        *high += sides[1];
    if (*high >= box->height)
        *high = ALL_ROWS;
    while (*high == ALL_ROWS && *deep < box->depth && band_length(box, *deep + sides[0], *high, bytes) <= most)
        *deep += sides[0];
}

/* Read a box of a store, some rows of bricks at a time, and write it. */
static bool copy_store(struct target *target, bool segy, const struct store *store,
    const struct volume_settings *settings, const kst_box *box, const kst_volume *whole, struct problem *problem)
{
    const uint32_t sides[2] = {
        store->brick[0] >> settings->decode.reduce_z, store->brick[1] >> settings->decode.reduce};
    const size_t bytes = volume_sample_bytes(whole);
    const uint64_t most = store_band_bytes(store, settings, BAND_BYTES);
    uint32_t deep, high;
    choose_band(sides, box, bytes, most, is_in_order(target), &deep, &high);
    const uint64_t length = band_length(box, deep, high, bytes);
    if (length > store->max_memory)
        return problem_set_kind(problem, PROBLEM_LIMIT, "a row of bricks of %llu bytes exceeds the limit of memory",
            (unsigned long long)length);
    kst_volume rows = *whole;
    rows.data = malloc((size_t)length);
    bool good = rows.data != NULL || problem_set(problem, "out of memory");
    kst_box part = *box;
    for (; good && part.z < box->z + box->depth; part.z += part.depth) {
        part.depth = piece_of(deep, part.z, box->z + box->depth);
        for (part.y = box->y; good && part.y < box->y + box->height; part.y += part.height) {
            part.height = piece_of(high, part.y, box->y + box->height);
            good = copy_rows(target, segy, store, settings, &part, box, &rows, problem);
        }
    }
    free(rows.data);
    return good;
}

/* Write a box of a store as a stack, or some bricks at a time. */
static bool write_box(const char *name, const struct store *store, const kst_box *box, kst_volume *whole,
    const struct volume_settings *settings, struct problem *problem)
{
    struct target target;
    if (volume_is_stack(name))
        return write_store_stack(name, store, box, whole, settings, problem);
    if (!begin_file(&target, name, whole, &store->grid, settings, problem))
        return false;
    const bool good = copy_store(&target, volume_is_segy(name), store, settings, box, whole, problem);
    return finish_file(name, &target, whole, good, problem);
}

bool volume_write_store(const char *name, const struct store *store, const kst_box *box,
    const struct volume_settings *settings, struct problem *problem)
{
    kst_volume whole;
    if (!store_describe(store, settings, &whole, problem))
        return false;
    whole.width = box->width;
    whole.height = box->height;
    whole.depth = box->depth;
    progress_begin(store_bricks(store, settings, box));
    const bool good = write_box(name, store, box, &whole, settings, problem);
    progress_end();
    return good;
}
