/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens, reads and writes volumes in files whose names state the format. */
#include <stdlib.h>
#include <string.h>

#include "volume/segy.h"
#include "volume/stack.h"
#include "volume/store.h"

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

static void swap_here(uint8_t *samples, size_t count, size_t bytes)
{
    uint8_t turned[4];
    for (size_t i = 0; i < count; i++, samples += bytes) {
        swap(samples, turned, 1, bytes);
        memcpy(samples, turned, bytes);
    }
}

bool volume_is_nifti(const char *name)
{
    return file_has_extension(name, "nii");
}

/* Check that the file contains all samples, and return their length. */
static bool check_length(const struct volume_file *file, uint64_t *length, struct problem *problem)
{
    const kst_volume *volume = &file->volume;
    const uint64_t rows = (uint64_t)volume->height * volume->depth;
    if (__builtin_mul_overflow(rows, (uint64_t)volume->width * volume_sample_bytes(volume), length) ||
        file->offset > source_size(&file->source) || *length > source_size(&file->source) - file->offset)
        return problem_set(problem, "it ends before the last sample");
    return true;
}

static void describe_raw(const struct volume_settings *settings, struct volume_file *file)
{
    file->volume = settings->raw;
    file->swapped = samples_swap(settings->order);
}

/* Open an array of a store, which is a folder. */
static bool open_store(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    struct volume_settings whole = *settings;
    file->store = calloc(1, sizeof *file->store);
    if (file->store == NULL)
        return problem_set(problem, "out of memory");
    kst_volume_decode_options_init(&whole.decode);
    if (!store_open(file->store, name, common_max_memory(&settings->common), problem) ||
        !store_describe(file->store, &whole, &file->volume, problem))
        return false;
    file->grid = file->store->grid;
    return true;
}

/* Open a source, and read all of it unless it can be read at any offset. */
static bool open_source(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    return source_open(&file->source, name, problem) &&
           (file->source.regular || source_finish(&file->source, common_max_memory(&settings->common), problem));
}

static bool open_segy(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    if (!open_source(name, settings, file, problem) || !segy_open(file, common_max_memory(&settings->common), problem))
        return false;
    if (file->segy->missing > 0)
        complain(name, "warning: %llu traces are missing, which become zeros", (unsigned long long)file->segy->missing);
    return true;
}

/* Read a stack as a whole, because its pages may lie anywhere in the file. */
static bool open_stack(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    file->stack = true;
    return source_read(&file->source, name, common_max_memory(&settings->common), problem) &&
           stack_read(file, settings, problem);
}

static bool open_samples(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    const bool shaped = settings->raw.width > 0;
    uint64_t length;
    if (!open_source(name, settings, file, problem))
        return false;
    if (!shaped && !volume_is_nifti(name))
        return problem_set(problem, "--shape and --type say what raw samples are");
    if (shaped && settings->raw.bits == 0)
        return problem_set(problem, "--shape needs --type");
    if (shaped)
        describe_raw(settings, file);
    else if (!nifti_read(file, problem))
        return false;
    if (!check_length(file, &length, problem))
        return false;
    if (shaped && length < source_size(&file->source))
        return problem_set(problem, "it has more bytes than --shape and --type say");
    return true;
}

bool volume_open(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    *file = (struct volume_file){.source = {.descriptor = -1}, .grid = {.spacing = {1, 1, 1}}};
    bool fine;
    if (settings->raw.width == 0 && store_is_named(name))
        fine = open_store(name, settings, file, problem);
    else if (settings->raw.width == 0 && volume_is_segy(name))
        fine = open_segy(name, settings, file, problem);
    else if (settings->raw.width == 0 && volume_is_stack(name))
        fine = open_stack(name, settings, file, problem);
    else
        fine = open_samples(name, settings, file, problem);
    if (!fine)
        volume_release(file);
    return fine;
}

/* Set the volume's samples to the file's bytes, or to a copy of them in the machine's byte order. */
static bool take_samples(struct volume_file *file, const struct volume_settings *settings, struct problem *problem)
{
    kst_volume *volume = &file->volume;
    const size_t bytes = volume_sample_bytes(volume);
    const kst_box all = {.width = volume->width, .height = volume->height, .depth = volume->depth};
    uint64_t length = (uint64_t)volume->width * volume->height * volume->depth * bytes;
    if (file->stack) {
        volume->data = file->samples;
        return true;
    }
    if (file->store == NULL && file->segy == NULL && file->offset % bytes == 0 && (!file->swapped || bytes == 1)) {
        volume->data = file->source.data + file->offset;
        return true;
    }
    if (length > common_max_memory(&settings->common))
        return problem_set_kind(problem, PROBLEM_LIMIT, "the samples exceed the limit of memory");
    file->samples = malloc((size_t)length);
    if (file->samples == NULL)
        return problem_set(problem, "out of memory");
    volume->data = file->samples;
    return volume_read_rows(file, settings, &all, file->samples, problem);
}

bool volume_read(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    if (!volume_open(name, settings, file, problem))
        return false;
    const bool fine = (file->store != NULL || file->stack || !file->source.regular ||
                          source_finish(&file->source, common_max_memory(&settings->common), problem)) &&
                      take_samples(file, settings, problem);
    if (!fine)
        volume_release(file);
    return fine;
}

bool volume_read_rows(const struct volume_file *file, const struct volume_settings *settings, const kst_box *rows,
    uint8_t *to, struct problem *problem)
{
    kst_volume part = file->volume;
    const size_t bytes = volume_sample_bytes(&part), row = part.width * bytes, length = row * rows->height;
    struct volume_settings whole = *settings;
    kst_volume_decode_options_init(&whole.decode);
    part.data = to;
    part.pitch = row;
    part.slice_pitch = length;
    if (file->store != NULL)
        return store_read(file->store, &whole, rows, &part, problem);
    if (file->segy != NULL)
        return segy_read_rows(file, rows, to, problem);
    for (uint32_t z = 0; z < rows->depth; z++, to += length) {
        const uint64_t at = ((uint64_t)(rows->z + z) * part.height + rows->y) * row;
        if (file->stack) {
            memcpy(to, (const uint8_t *)file->samples + at, length);
            continue;
        }
        if (!source_at(&file->source, file->offset + at, length, to, problem))
            return false;
        if (file->swapped && bytes > 1)
            swap_here(to, length / bytes, bytes);
    }
    return true;
}

void volume_release(struct volume_file *file)
{
    if (file->store != NULL)
        store_release(file->store);
    free(file->store);
    segy_release(file->segy);
    free(file->samples);
    source_release(&file->source);
}

/* Write rows of a slice, which have no padding, at their place in the file. */
static bool put_rows(struct output *output, uint64_t at, const uint8_t *rows, uint64_t length, size_t bytes,
    bool swapped, struct problem *problem)
{
    enum { PIECE = 1 << 16 };
    uint8_t piece[PIECE];
    for (uint64_t done = 0; done < length; done += PIECE) {
        const size_t left = (size_t)(length - done < PIECE ? length - done : PIECE);
        if (swapped)
            swap(rows + done, piece, left / bytes, bytes);
        const uint8_t *from = swapped ? piece : rows + done;
        if (!volume_put(output, at + done, from, left, problem))
            return false;
    }
    return true;
}

/* Open a file, and write what precedes the samples. `offset` receives the length of that. */
static bool begin_file(struct output *output, const char *name, const kst_volume *volume,
    const struct volume_grid *grid, const struct volume_settings *settings, uint64_t *offset, struct problem *problem)
{
    const bool nifti = volume_is_nifti(name), segy = volume_is_segy(name);
    uint8_t header[NIFTI_HEADER];
    *offset = nifti ? NIFTI_HEADER : 0;
    if ((nifti || segy) && settings->order != ORDER_OWN)
        return problem_set(problem, "--endian is for raw samples");
    if (nifti && !nifti_write(volume, grid, header, problem))
        return false;
    if (!output_open(output, name, problem))
        return false;
    const bool good = segy ? segy_put_headers(output, volume, problem)
                           : !nifti || volume_put(output, 0, header, sizeof header, problem);
    if (!good)
        output_discard(output);
    return good;
}

static bool finish_file(const char *name, struct output *output, const kst_volume *volume, uint64_t offset, bool good,
    struct problem *problem)
{
    const uint64_t length = (uint64_t)volume->width * volume->height * volume->depth * volume_sample_bytes(volume);
    if (good && output_end_at(output, volume_is_segy(name) ? segy_length(volume) : offset + length, problem))
        return output_commit(output, problem);
    output_discard(output);
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
    struct output output;
    uint64_t offset;
    if (volume_is_stack(name))
        return write_stack(name, volume, settings, problem);
    if (!begin_file(&output, name, volume, grid, settings, &offset, problem))
        return false;
    const uint64_t length = (uint64_t)volume->width * volume->height * volume->depth * bytes;
    bool good = true;
    for (uint32_t z = 0; good && z < volume->depth && volume_is_segy(name); z++)
        good = segy_put_rows(&output, volume, z, 0, (const uint8_t *)volume->data + z * (length / volume->depth),
            volume->height, problem);
    if (!volume_is_segy(name))
        good = put_rows(&output, offset, volume->data, length, bytes, samples_swap(settings->order), problem);
    return finish_file(name, &output, volume, offset, good, problem);
}

/* Read some rows of some slices of a store, and write them at their places in the file. */
static bool copy_rows(struct output *output, bool segy, uint64_t offset, const struct store *store,
    const struct volume_settings *settings, const kst_box *part, const kst_box *whole, kst_volume *rows,
    struct problem *problem)
{
    const size_t bytes = volume_sample_bytes(rows), row = whole->width * bytes;
    rows->depth = part->depth;
    rows->height = part->height;
    rows->pitch = row;
    rows->slice_pitch = row * part->height;
    if (!store_read(store, settings, part, rows, problem))
        return false;
    for (uint32_t z = 0; z < part->depth; z++) {
        const uint8_t *slice = (const uint8_t *)rows->data + z * rows->slice_pitch;
        const uint32_t to_z = part->z - whole->z + z, to_y = part->y - whole->y;
        const uint64_t at = offset + ((uint64_t)to_z * whole->height + to_y) * row;
        kst_volume all = *rows;
        all.height = whole->height;
        if (!(segy ? segy_put_rows(output, &all, to_z, to_y, slice, part->height, problem)
                   : put_rows(output, at, slice, rows->slice_pitch, bytes, samples_swap(settings->order), problem)))
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
    const bool good = whole->data != NULL ? store_read(store, settings, box, whole, problem) &&
                                                write_stack(name, whole, settings, problem)
                                          : problem_set(problem, "out of memory");
    free(whole->data);
    return good;
}

bool volume_write_store(const char *name, const struct store *store, const kst_box *box,
    const struct volume_settings *settings, struct problem *problem)
{
    kst_volume whole;
    struct output output;
    uint64_t offset;
    if (!store_describe(store, settings, &whole, problem))
        return false;
    whole.width = box->width;
    whole.height = box->height;
    whole.depth = box->depth;
    if (volume_is_stack(name))
        return write_store_stack(name, store, box, &whole, settings, problem);
    if (!begin_file(&output, name, &whole, &store->grid, settings, &offset, problem))
        return false;
    const uint32_t deep = store->brick[0] >> settings->decode.reduce_z,
                   high = store->brick[1] >> settings->decode.reduce;
    const uint32_t tall = output_in_order(&output) || high > box->height ? box->height : high;
    const uint64_t length =
        (uint64_t)(deep < box->depth ? deep : box->depth) * tall * box->width * volume_sample_bytes(&whole);
    bool good = length <= store->max_memory ||
                problem_set_kind(problem, PROBLEM_LIMIT, "a row of bricks of %llu bytes exceeds the limit of memory",
                    (unsigned long long)length);
    kst_volume rows = whole;
    rows.data = good ? malloc((size_t)length) : NULL;
    if (good && rows.data == NULL)
        problem_set(problem, "out of memory");
    good = rows.data != NULL;
    kst_box part = *box;
    for (; good && part.z < box->z + box->depth; part.z += part.depth) {
        part.depth = piece_of(deep, part.z, box->z + box->depth);
        for (part.y = box->y; good && part.y < box->y + box->height; part.y += part.height) {
            part.height = tall == box->height ? tall : piece_of(high, part.y, box->y + box->height);
            good = copy_rows(&output, volume_is_segy(name), offset, store, settings, &part, box, &rows, problem);
        }
    }
    free(rows.data);
    return finish_file(name, &output, &whole, offset, good, problem);
}
