/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads samples of NIfTI-1 files that are not those of the volume: compressed ones, and double precision. */
#include <stdlib.h>

#include "volume/gzip.h"
#include "volume/wide.h"

enum { PIECE = 1 << 12 /* samples that are turned at once */, RATIO = 1032 /* a deflate stream expands to no more */ };

#define OFFSET_MAX (UINT64_C(1) << 40) /* of the first sample */

/* Turn samples of double precision, the first of which is number `from` of the volume. */
static bool turn(const struct volume_file *file, uint8_t *doubles, uint64_t from, size_t count, uint8_t *to,
    uint64_t *rounded, struct problem *problem)
{
    size_t wrong;
    if (file->swapped)
        samples_reverse(doubles, count, sizeof(double));
    return doubles_turn(doubles, count, to, rounded, &wrong) ||
           wide_refuse(&file->volume, from + wrong, "is beyond single precision", problem);
}

bool nifti_read_doubles(const struct volume_file *file, uint64_t from, size_t count, uint8_t *to, uint64_t *rounded,
    struct problem *problem)
{
    uint8_t doubles[PIECE * sizeof(double)];
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE ? count - done : PIECE;
        if (!source_at(&file->source, file->offset + (from + done) * sizeof(double), some * sizeof(double), doubles,
                problem) ||
            !turn(file, doubles, from + done, some, to + done * sizeof(float), rounded, problem))
            return false;
    }
    return true;
}

static uint64_t count_of(const kst_volume *volume)
{
    return (uint64_t)volume->width * volume->height * volume->depth;
}

bool nifti_count_rounded(struct volume_file *file, struct problem *problem)
{
    uint8_t singles[PIECE * sizeof(float)];
    const uint64_t count = count_of(&file->volume);
    file->rounded = 0;
    for (uint64_t done = 0; done < count; done += PIECE) {
        const size_t some = count - done < PIECE ? (size_t)(count - done) : PIECE;
        if (!nifti_read_doubles(file, done, some, singles, &file->rounded, problem))
            return false;
    }
    return true;
}

/* Allocate the samples, of which there are no more than a compressed file can hold. */
static bool allocate(struct volume_file *file, uint64_t max_memory, struct problem *problem)
{
    const uint64_t count = count_of(&file->volume), length = count * volume_sample_bytes(&file->volume);
    if (length / RATIO > source_size(&file->source))
        return problem_set(problem, "NIfTI: %llu bytes of samples are more than %llu bytes of gzip can hold",
            (unsigned long long)length, (unsigned long long)source_size(&file->source));
    if (length > max_memory)
        return problem_set_kind(
            problem, PROBLEM_LIMIT, "%llu bytes of samples exceed the limit of memory", (unsigned long long)length);
    file->samples = malloc((size_t)length);
    return file->samples != NULL || problem_set(problem, "out of memory");
}

static bool expand_doubles(struct volume_file *file, struct gzip_reader *reader, struct problem *problem)
{
    uint8_t doubles[PIECE * sizeof(double)], *to = file->samples;
    const uint64_t count = count_of(&file->volume);
    for (uint64_t done = 0; done < count; done += PIECE) {
        const size_t some = count - done < PIECE ? (size_t)(count - done) : PIECE;
        if (!gzip_read(reader, doubles, some * sizeof(double), problem) ||
            !turn(file, doubles, done, some, to + done * sizeof(float), &file->rounded, problem))
            return false;
    }
    return true;
}

/* Expand all samples, and let them be those of the volume. */
static bool expand(struct volume_file *file, struct gzip_reader *reader, struct problem *problem)
{
    const size_t count = (size_t)count_of(&file->volume), bytes = volume_sample_bytes(&file->volume);
    size_t wrong;
    if (file->doubles)
        return expand_doubles(file, reader, problem);
    if (!gzip_read(reader, file->samples, count * bytes, problem))
        return false;
    if (file->swapped)
        samples_reverse(file->samples, count, bytes);
    return !file->narrowed || integers_fit(&file->volume, file->samples, count, &wrong) ||
           wide_refuse(&file->volume, wrong, WIDE_TOO_WIDE, problem);
}

bool nifti_unpack(struct volume_file *file, uint64_t max_memory, struct problem *problem)
{
    uint8_t header[NIFTI_READ];
    struct gzip_reader *reader = gzip_open(&file->source, problem);
    file->whole = true;
    const bool good = reader != NULL && gzip_read(reader, header, sizeof header, problem) &&
                      nifti_describe(header, OFFSET_MAX, file, problem) && allocate(file, max_memory, problem) &&
                      gzip_skip(reader, file->offset - sizeof header, problem) && expand(file, reader, problem) &&
                      gzip_finish(reader, problem);
    gzip_close(reader);
    return good;
}
