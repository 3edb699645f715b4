/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes volumes as files of raw samples or NIfTI-1. */
#include <stdlib.h>
#include <string.h>

#include "volume.h"

static size_t sample_bytes(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

static bool is_big_machine(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 0;
}

/* Copy samples with their bytes in the reverse order. */
static void swap(const uint8_t *from, uint8_t *to, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bytes; k++)
            to[i * bytes + k] = from[i * bytes + bytes - 1 - k];
}

bool volume_is_nifti(const char *name)
{
    const char *extension = file_path_extension(name);
    return extension != NULL && strcmp(extension, "nii") == 0;
}

/* Let the volume's samples be the file's bytes, or a copy of them in the machine's order. */
static bool take_samples(struct volume_file *file, uint64_t offset, bool swapped, struct problem *problem)
{
    kst_volume *volume = &file->volume;
    const size_t bytes = sample_bytes(volume);
    uint64_t count, length;
    if (__builtin_mul_overflow((uint64_t)volume->width * volume->height, (uint64_t)volume->depth, &count) ||
        __builtin_mul_overflow(count, (uint64_t)bytes, &length) || length > file->source.length - offset)
        return problem_set(problem, "it ends before the last sample");
    if (offset % bytes == 0 && (!swapped || bytes == 1)) {
        volume->data = file->source.data + offset;
        return true;
    }
    file->samples = malloc((size_t)length);
    if (file->samples == NULL)
        return problem_set(problem, "out of memory");
    if (swapped)
        swap(file->source.data + offset, file->samples, (size_t)count, bytes);
    else
        memcpy(file->samples, file->source.data + offset, (size_t)length);
    volume->data = file->samples;
    return true;
}

static bool read_raw(const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    file->volume = settings->raw;
    const uint64_t wanted = (uint64_t)settings->raw.width * settings->raw.height;
    const size_t bytes = sample_bytes(&settings->raw);
    const bool swapped = settings->order != ORDER_OWN && (settings->order == ORDER_BIG) != is_big_machine();
    if (!take_samples(file, 0, swapped, problem))
        return false;
    if (wanted * settings->raw.depth * bytes < file->source.length)
        return problem_set(problem, "it has more bytes than --shape and --type say");
    return true;
}

bool volume_read(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem)
{
    const bool shaped = settings->raw.width > 0;
    uint64_t offset;
    bool swapped;
    *file = (struct volume_file){.samples = NULL};
    if (!shaped && !volume_is_nifti(name))
        return problem_set(problem, "--shape and --type say what raw samples are");
    if (shaped && settings->raw.bits == 0)
        return problem_set(problem, "--shape needs --type");
    if (!source_read(&file->source, name, common_max_memory(&settings->common), problem))
        return false;
    const bool fine = shaped ? read_raw(settings, file, problem)
                             : nifti_read(&file->source, &file->volume, &offset, &swapped, problem) &&
                                   take_samples(file, offset, swapped, problem);
    if (!fine)
        volume_release(file);
    return fine;
}

void volume_release(struct volume_file *file)
{
    free(file->samples);
    source_release(&file->source);
}

/* Write the samples of a volume without padding, in the byte order that the settings ask for. */
static bool put_samples(struct output *output, const kst_volume *volume, bool swapped, struct problem *problem)
{
    enum { PIECE = 1 << 16 };
    const size_t bytes = sample_bytes(volume);
    const uint64_t length = (uint64_t)volume->width * volume->height * volume->depth * bytes;
    static uint8_t piece[PIECE];
    for (uint64_t at = 0; at < length; at += PIECE) {
        const size_t left = (size_t)(length - at < PIECE ? length - at : PIECE);
        const uint8_t *from = (const uint8_t *)volume->data + at;
        if (swapped)
            swap(from, piece, left / bytes, bytes);
        if (!output_write(output, swapped ? piece : from, left, problem))
            return false;
    }
    return true;
}

bool volume_write(
    const char *name, const kst_volume *volume, const struct volume_settings *settings, struct problem *problem)
{
    const bool nifti = volume_is_nifti(name);
    const bool swapped = settings->order != ORDER_OWN && (settings->order == ORDER_BIG) != is_big_machine();
    uint8_t header[NIFTI_HEADER];
    struct output output;
    if (nifti && settings->order != ORDER_OWN)
        return problem_set(problem, "--endian is for raw samples");
    if (nifti && !nifti_write(volume, header, problem))
        return false;
    if (!output_open(&output, name, problem))
        return false;
    if ((!nifti || output_write(&output, header, sizeof header, problem)) &&
        put_samples(&output, volume, swapped, problem))
        return output_commit(&output, problem);
    output_discard(&output);
    return false;
}
