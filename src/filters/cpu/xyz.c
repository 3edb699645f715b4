/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes X', Y' and Z' of SMPTE ST 428-1, which pictures of digital cinema have, of RGB: samples become light by a
 * power, three sums of light become samples again by the power 1/2.6. White of 48 cd/m² is 48/52.37 of the greatest
 * light.
 */
#include "filters/cpu/xyz.h"

#include <stdio.h>

#include "filters/bands.h"
#include "filters/cpu/exponential.h"
#include "filters/cpu/kinds.h"
#include "image/sample.h"

enum { SPACE, GAMMA, BITS, THOUSAND = 1000 };
static const double CINEMA_GAMMA = 2.6;

struct xyz_tables {
    const uint32_t *weights;
    const uint32_t *light, *least;
};

enum { XYZ_DEPTHS = 17 };

/* Holds the tables made so far, by the bits of samples. Powers take so long that they are computed once for a chain. */
struct xyz_kept {
    struct memory *memory;
    _Atomic(uint32_t *) light[XYZ_DEPTHS], least[XYZ_DEPTHS];
};

/* Holds what does not change when a table is made. */
struct xyz_data {
    struct xyz_kept *kept;
};

const uint32_t *kst_filter_xyz_weights(const struct filter_value *value)
{
    /* In the order of the words; they follow from the primaries and the white of each, with 48/52.37 in them. */
    static const uint32_t weights[][FILTER_XYZ_WEIGHTS] = {
        {396340, 343666, 173456, 204363, 687333, 69382, 18578, 114555, 913535},
        {467633, 255327, 190502, 220062, 664815, 76201, 0, 43357, 1003312},
        {427843, 266348, 165577, 201338, 693509, 66231, 0, 45229, 872039},
        {612166, 138988, 162308, 252475, 651609, 56994, 0, 26980, 1019689}};
    return weights[value[SPACE].number];
}

/* Return a fraction of light to a power, where 1 is 2^30. */
static uint32_t light_of(double fraction, double gamma)
{
    return (uint32_t)(kst_filter_power(fraction, gamma) * (1 << FILTER_XYZ_LIGHT_BITS) + 0.5);
}

static void fill_light(const struct filter_value *value, uint32_t greatest, uint32_t *light)
{
    light[0] = 0;
    for (uint32_t i = 1; i <= greatest; i++)
        light[i] = light_of((double)i / greatest, (double)value[GAMMA].number / THOUSAND);
}

static void fill_least(const struct filter_value *value, uint32_t greatest, uint32_t *least)
{
    (void)value;
    least[0] = 0;
    for (uint32_t i = 1; i <= greatest; i++) {
        least[i] = light_of((i - 0.5) / greatest, CINEMA_GAMMA);
        least[i] += least[i] == 0; /* no light is black */
    }
}

static uint32_t bits_of(uint32_t greatest)
{
    uint32_t bits = 0;
    while (greatest >> bits > 0)
        bits++;
    return bits;
}

/* Return the table at `place`, which is made first if it is not there. Of two threads that make it, one keeps its own.
 */
static const uint32_t *table_at(struct memory *memory, _Atomic(uint32_t *) *place, const struct filter_value *value,
    uint32_t greatest, void (*fill)(const struct filter_value *value, uint32_t greatest, uint32_t *table),
    kst_status *status)
{
    uint32_t *there = atomic_load(place);
    if (there)
        return there;
    uint32_t *table = kst_memory_array(memory, (size_t)greatest + 1, sizeof *table, status);
    if (!table)
        return NULL;
    fill(value, greatest, table);
    if (atomic_compare_exchange_strong(place, &there, table))
        return table;
    kst_memory_release(memory, table);
    return there;
}

const uint32_t *kst_filter_xyz_light(
    const void *data, const struct filter_value *value, uint32_t greatest, kst_status *status)
{
    struct xyz_kept *kept = ((const struct xyz_data *)data)->kept;
    return table_at(kept->memory, &kept->light[bits_of(greatest)], value, greatest, fill_light, status);
}

const uint32_t *kst_filter_xyz_least(const void *data, uint32_t greatest, kst_status *status)
{
    struct xyz_kept *kept = ((const struct xyz_data *)data)->kept;
    return table_at(kept->memory, &kept->least[bits_of(greatest)], NULL, greatest, fill_least, status);
}

static kst_status xyz_open(
    struct memory *memory, const struct filter_value *value, void **data, char reason[FILTER_REASON])
{
    kst_status status = KST_OK;
    struct xyz_data *made = kst_memory_zeroed(memory, 1, sizeof *made, &status);
    (void)value;
    (void)reason;
    if (!made)
        return status;
    *data = made;
    made->kept = kst_memory_zeroed(memory, 1, sizeof *made->kept, &status);
    if (made->kept)
        made->kept->memory = memory;
    return status;
}

static void xyz_close(struct memory *memory, void *data)
{
    struct xyz_kept *kept = ((struct xyz_data *)data)->kept;
    for (uint32_t i = 0; kept && i < XYZ_DEPTHS; i++) {
        kst_memory_release(memory, atomic_load(&kept->light[i]));
        kst_memory_release(memory, atomic_load(&kept->least[i]));
    }
    kst_memory_release(memory, kept);
    kst_memory_release(memory, data);
}

const struct filter_data kst_filter_xyz_data = {xyz_open, xyz_close};

static kst_status xyz_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    bool reversed = shape->format == KST_FORMAT_BGR || shape->format == KST_FORMAT_BGRA;
    if (shape->format == KST_FORMAT_GREY) {
        snprintf(reason, FILTER_REASON, "xyz takes colours; rgb before it makes such of grey");
        return KST_ERROR_IMAGE_FORMAT;
    }
    shape->format = reversed ? KST_FORMAT_BGR : KST_FORMAT_RGB;
    shape->depth = (uint32_t)value[BITS].number;
    return KST_OK;
}

/* Return the greatest sample whose least light is not above this. */
static uint32_t sample_of(const uint32_t *least, uint32_t greatest, uint64_t light)
{
    uint32_t low = 0, high = greatest;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (least[middle] <= light)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static kst_status xyz_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct xyz_tables *tables = arg;
    const struct filter_pixels *from = work->from, *to = work->to;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *source = kst_filter_row(from, y);
        uint8_t *target = kst_filter_row(to, y);
        for (size_t x = 0; x < to->width; x++) {
            uint64_t light[FILTER_XYZ_COLOURS];
            for (uint32_t k = 0; k < FILTER_XYZ_COLOURS; k++) {
                uint32_t sample = sample_get(source, x * from->channels + (from->reversed ? 2 - k : k), from->bytes);
                light[k] = tables->light[sample < from->greatest ? sample : from->greatest];
            }
            for (uint32_t c = 0; c < FILTER_XYZ_COLOURS; c++) {
                const uint32_t *weight = tables->weights + (size_t)FILTER_XYZ_COLOURS * c;
                uint64_t sum =
                    (weight[0] * light[0] + weight[1] * light[1] + weight[2] * light[2]) >> FILTER_XYZ_WEIGHT_BITS;
                sample_put(target, x * FILTER_XYZ_COLOURS + (to->reversed ? 2 - c : c), to->bytes,
                    sample_of(tables->least, to->greatest, sum));
            }
        }
    }
    return KST_OK;
}

static kst_status xyz_run(const struct filter_work *work)
{
    kst_status status = KST_OK;
    struct xyz_tables tables = {.weights = kst_filter_xyz_weights(work->value)};
    tables.light = kst_filter_xyz_light(work->data, work->value, work->from->greatest, &status);
    tables.least = kst_filter_xyz_least(work->data, work->to->greatest, &status);
    return status ? status : kst_filter_bands(work, work->to->height, xyz_band, &tables);
}

const struct filter_kind kst_filter_xyz = {"xyz", "X', Y' and Z' for digital cinema, of RGB; alpha is dropped",
    {{"colours", "whose primaries and white the picture has", KST_FILTER_WORD, false, 0, 0, 0, "bt709|p3|dci|bt2020"},
        {"gamma", "the power that makes light of samples", KST_FILTER_DECIMAL, false, 1, 3, 2.4, NULL},
        {"bits", "of a sample", KST_FILTER_INTEGER, false, 8, 16, 12, NULL}},
    NULL, xyz_shape, xyz_run};
