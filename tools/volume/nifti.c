/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the header of a NIfTI-1 file. */
#include <math.h>
#include <string.h>

#include "volume/wide.h"

/* Lists offsets in the header, and values of its fields. */
enum {
    SIZE = NIFTI_READ,
    DIM = 40,
    DATATYPE = 70,
    BITPIX = 72,
    PIXDIM = 76,
    VOX_OFFSET = 108,
    SLOPE = 112,
    UNITS = 123,
    MAGIC = 344,
    DIMENSIONS = 7,
    SIDE_MAX = 32767
};

/* Lists what samples become: integers of 32 bits have at most WIDE_BITS, and double precision becomes single. */
enum { DOUBLE = 64 };
static const struct {
    int16_t code;
    uint8_t bits;
    bool is_signed, is_float;
} types[] = {{2, 8, false, false}, {256, 8, true, false}, {512, 16, false, false}, {4, 16, true, false},
    {768, WIDE_BITS, false, false}, {8, WIDE_BITS, true, false}, {16, 32, true, true}, {DOUBLE, 32, true, true}};

static int16_t get16(const uint8_t *at, bool swapped)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return (int16_t)(swapped ? (uint16_t)(value >> 8 | value << 8) : value);
}

static uint32_t get32(const uint8_t *at, bool swapped)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return swapped ? __builtin_bswap32(value) : value;
}

static float get_real(const uint8_t *at, bool swapped)
{
    const uint32_t bits = get32(at, swapped);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_type(const uint8_t *header, bool swapped, struct volume_file *file, struct problem *problem)
{
    kst_volume *volume = &file->volume;
    const int16_t code = get16(header + DATATYPE, swapped);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == code) {
            volume->bits = types[i].bits;
            volume->is_signed = types[i].is_signed;
            volume->sample = types[i].is_float ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
            file->narrowed = types[i].bits == WIDE_BITS;
            file->doubles = code == DOUBLE;
            return true;
        }
    return problem_set(problem,
        "NIfTI: samples of type %d at byte %d; integers of 8, 16 and 32 bits (2, 256, 4, 512, 8, 768), single and "
        "double precision (16, 64) are read",
        code, DATATYPE);
}

static bool read_shape(const uint8_t *header, bool swapped, kst_volume *volume, struct problem *problem)
{
    int16_t side[DIMENSIONS + 1];
    for (uint32_t i = 0; i <= DIMENSIONS; i++)
        side[i] = get16(header + DIM + 2 * i, swapped);
    if (side[0] < 1 || side[0] > DIMENSIONS)
        return problem_set(problem, "NIfTI: %d dimensions", side[0]);
    for (int16_t i = 1; i <= side[0]; i++)
        if (side[i] < 1 || (i > 3 && side[i] > 1))
            return problem_set(
                problem, "NIfTI: %d samples along dimension %d; one volume of three is coded", side[i], i);
    volume->width = (uint32_t)side[1];
    volume->height = side[0] > 1 ? (uint32_t)side[2] : 1;
    volume->depth = side[0] > 2 ? (uint32_t)side[3] : 1;
    return true;
}

static const char *const units[] = {NULL, "meter", "millimeter", "micrometer"};

const char *volume_unit_name(uint8_t unit)
{
    return unit < sizeof units / sizeof *units ? units[unit] : NULL;
}

uint8_t volume_unit(const char *name)
{
    for (size_t i = 1; i < sizeof units / sizeof *units; i++)
        if (strcmp(name, units[i]) == 0)
            return (uint8_t)i;
    return 0;
}

/*
 * Read the spacing. Numbers that are not positive mean that it is unknown: some files have them for lack of
 * measurements.
 */
static void read_grid(const uint8_t *header, bool swapped, struct volume_grid *grid)
{
    for (uint32_t i = 0; i < 3; i++) {
        const float spacing = get_real(header + PIXDIM + 4 * (3 - i), swapped);
        grid->spacing[i] = spacing > 0 && spacing < 1e30F ? (double)spacing : 1;
    }
    grid->unit = header[UNITS] & 7;
}

bool nifti_describe(
    const uint8_t header[NIFTI_READ], uint64_t length, struct volume_file *file, struct problem *problem)
{
    const bool swapped = get32(header, false) != SIZE;
    if (get32(header, swapped) != SIZE || memcmp(header + MAGIC, "n+1", 4) != 0)
        return problem_set(problem, "it is no NIfTI-1 file with header and samples together");
    const float at = get_real(header + VOX_OFFSET, swapped);
    if (!(at >= SIZE && at <= (float)length) || at > floorf(at))
        return problem_set(problem, "NIfTI: samples that begin at byte %g", (double)at);
    file->offset = (uint64_t)at;
    file->swapped = swapped;
    kst_volume_init(&file->volume);
    read_grid(header, swapped, &file->grid);
    return read_type(header, swapped, file, problem) && read_shape(header, swapped, &file->volume, problem);
}

bool nifti_read(struct volume_file *file, struct problem *problem)
{
    if (file->source.length < SIZE)
        return problem_set(problem, "NIfTI: the file ends in its header");
    return nifti_describe(file->source.data, source_size(&file->source), file, problem);
}

static void put16(uint8_t *at, int value)
{
    const int16_t half = (int16_t)value;
    memcpy(at, &half, sizeof half);
}

static void put_real(uint8_t *at, float value)
{
    memcpy(at, &value, sizeof value);
}

static int16_t type_of(const kst_volume *volume)
{
    if (volume->sample == KST_SAMPLE_FLOAT32)
        return 16;
    if (volume->bits > 16)
        return volume->is_signed ? 8 : 768;
    if (volume->bits > 8)
        return volume->is_signed ? 4 : 512;
    return volume->is_signed ? 256 : 2;
}

bool nifti_write(
    const kst_volume *volume, const struct volume_grid *grid, uint8_t header[NIFTI_HEADER], struct problem *problem)
{
    const uint32_t sides[] = {volume->width, volume->height, volume->depth}, size = SIZE;
    memset(header, 0, NIFTI_HEADER);
    memcpy(header, &size, sizeof size);
    for (uint32_t i = 0; i <= DIMENSIONS; i++) {
        put16(header + DIM + 2 * i, 1);
        put_real(header + PIXDIM + 4 * i, 1);
    }
    put16(header + DIM, 3);
    for (uint32_t i = 0; i < 3; i++) {
        if (sides[i] > SIDE_MAX)
            return problem_set(problem, "NIfTI: more than 32,767 samples along a dimension");
        put16(header + DIM + 2 * (i + 1), (int)sides[i]);
        put_real(header + PIXDIM + 4 * (i + 1), (float)grid->spacing[2 - i]);
    }
    header[UNITS] = grid->unit;
    put16(header + DATATYPE, type_of(volume));
    put16(header + BITPIX, (int)(8 * volume_sample_bytes(volume)));
    put_real(header + VOX_OFFSET, NIFTI_HEADER);
    put_real(header + SLOPE, 1);
    memcpy(header + MAGIC, "n+1", 4);
    return true;
}
