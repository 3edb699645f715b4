/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and reads volumes in files whose names state the format. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "volume/gzip.h"
#include "volume/segy.h"
#include "volume/stack.h"
#include "volume/store.h"
#include "volume/wide.h"

bool volume_is_packed(const char *name)
{
    static const char end[] = ".nii.gz";
    const size_t length = strlen(name), whole = sizeof end - 1;
    return length > whole && strcasecmp(name + length - whole, end) == 0;
}

bool volume_is_nifti(const char *name)
{
    return file_has_extension(name, "nii") || volume_is_packed(name);
}

/* Check that the file contains all samples, and return their length. */
static bool check_length(const struct volume_file *file, uint64_t *length, struct problem *problem)
{
    const kst_volume *volume = &file->volume;
    const uint64_t rows = (uint64_t)volume->height * volume->depth;
    const size_t bytes = file->doubles ? sizeof(double) : volume_sample_bytes(volume);
    if (__builtin_mul_overflow(rows, (uint64_t)volume->width * bytes, length) ||
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
    file->narrowed = file->store->bits == 32 && !file->store->is_float;
    if (file->narrowed)
        file->volume.bits = WIDE_BITS;
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
    file->whole = true;
    return source_read(&file->source, name, common_max_memory(&settings->common), problem) &&
           stack_read(file, settings, problem);
}

/* Open a NIfTI-1 file, of which only one that is compressed is read whole. */
static bool open_nifti(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    uint64_t length;
    const bool good = gzip_is(&file->source) ? nifti_unpack(file, common_max_memory(&settings->common), problem)
                                             : nifti_read(file, problem) && check_length(file, &length, problem) &&
                                                   (!file->doubles || nifti_count_rounded(file, problem));
    if (good && file->rounded > 0)
        complain(name, "warning: %llu samples of double precision are rounded to single precision",
            (unsigned long long)file->rounded);
    return good;
}

static bool open_samples(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    const bool shaped = settings->raw.width > 0;
    uint64_t length;
    if (!open_source(name, settings, file, problem))
        return false;
    if (!shaped && volume_is_nifti(name))
        return open_nifti(name, settings, file, problem);
    if (!shaped)
        return problem_set(problem, "--shape and --type say what raw samples are");
    if (settings->raw.bits == 0)
        return problem_set(problem, "--shape needs --type");
    describe_raw(settings, file);
    if (!check_length(file, &length, problem))
        return false;
    if (length < source_size(&file->source))
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
    if (file->whole) {
        volume->data = file->samples;
        return true;
    }
    if (file->store == NULL && file->segy == NULL && !file->narrowed && !file->doubles && file->offset % bytes == 0 &&
        (!file->swapped || bytes == 1)) {
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
    const bool fine = (file->store != NULL || file->whole || !file->source.regular ||
                          source_finish(&file->source, common_max_memory(&settings->common), problem)) &&
                      take_samples(file, settings, problem);
    if (!fine)
        volume_release(file);
    return fine;
}

/* Read rows of one slice of a file whose samples are one behind the other; `from` is the number of the first one. */
static bool read_slice(
    const struct volume_file *file, uint64_t from, size_t count, uint8_t *to, struct problem *problem)
{
    const size_t bytes = volume_sample_bytes(&file->volume);
    uint64_t rounded = 0; /* not used: samples were counted when the file was opened */
    if (file->whole) {
        memcpy(to, (const uint8_t *)file->samples + from * bytes, count * bytes);
        return true;
    }
    if (file->doubles)
        return nifti_read_doubles(file, from, count, to, &rounded, problem);
    if (!source_at(&file->source, file->offset + from * bytes, count * bytes, to, problem))
        return false;
    if (file->swapped)
        samples_reverse(to, count, bytes);
    return true;
}

/* Check that rows of integers have no more bits than the volume. */
static bool check_rows(
    const struct volume_file *file, const kst_box *rows, const uint8_t *samples, struct problem *problem)
{
    const kst_volume *volume = &file->volume;
    const size_t slice = (size_t)volume->width * rows->height;
    size_t wrong;
    if (!file->narrowed || integers_fit(volume, samples, slice * rows->depth, &wrong))
        return true;
    const uint64_t first = ((rows->z + wrong / slice) * volume->height + rows->y) * volume->width;
    return wide_refuse(volume, first + wrong % slice, WIDE_TOO_WIDE, problem);
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
        return store_read(file->store, &whole, rows, &part, false, problem) && check_rows(file, rows, to, problem);
    if (file->segy != NULL)
        return segy_read_rows(file, rows, to, problem);
    for (uint32_t z = 0; z < rows->depth; z++) {
        const uint64_t from = ((uint64_t)(rows->z + z) * part.height + rows->y) * part.width;
        if (!read_slice(file, from, length / bytes, to + z * length, problem))
            return false;
    }
    return check_rows(file, rows, to, problem);
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
