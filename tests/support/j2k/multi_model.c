/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes and carries out multiple component transforms, without the library. */
#include "support/j2k/multi_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/test.h"

enum { MCT = 0x74, MCC = 0x75, MCO = 0x77, CBD = 0x78, SOT = 0x90, COD = 0x52, TLM = 0x55 };
enum { WIDE = 0x8000, REVERSIBLE = 0x10000, MOST_PARTS = 16 /* of a tile */ };

static void put_value(struct made *made, double value, uint8_t type)
{
    const float single = (float)value;
    uint32_t half;
    uint64_t bits;
    memcpy(&half, &single, sizeof half);
    memcpy(&bits, &value, sizeof bits);
    if (type == MODEL_INT16)
        made_number(made, (uint16_t)(int16_t)value, 2);
    else if (type == MODEL_INT32)
        made_number(made, (uint32_t)(int32_t)value, 4);
    else if (type == MODEL_FLOAT32)
        made_number(made, half, 4);
    else
        made_number(made, bits, 8);
}

/*
 * Write data as a series of marker segments, each of which begins with Zmct or Zmcc and `name`; the first one has the
 * number of the last one, too. The pieces end anywhere, also within a number.
 */
static void put_series(struct made *made, uint8_t marker, const struct made *data, uint32_t name, uint32_t parts)
{
    static struct made part;
    const uint32_t count = parts > 0 ? parts : 1, bytes = marker == MCT ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        const size_t from = data->length * i / count, to = data->length * (i + 1) / count;
        part.length = 0;
        made_number(&part, i, 2);
        made_number(&part, name, bytes);
        if (i == 0)
            made_number(&part, count - 1, 2);
        made_bytes(&part, data->data + from, to - from);
        made_segment(made, marker, part.data, part.length);
    }
}

void model_put_array(struct made *made, const struct model_array *array)
{
    static struct made data;
    data.length = 0;
    for (uint32_t i = 0; i < array->count; i++)
        put_value(&data, array->value[i], array->type);
    put_series(made, MCT, &data, (uint32_t)array->type << 10 | (uint32_t)array->kind << 8 | array->index, array->parts);
}

/* Write a list, the indices of which are wide if there are many. */
static void put_list(struct made *made, const uint32_t *list, uint32_t count)
{
    const bool wide = count > 20;
    made_number(made, count | (wide ? WIDE : 0), 2);
    for (uint32_t i = 0; i < count; i++)
        made_number(made, list[i], wide ? 2 : 1);
}

void model_put_stage(struct made *made, const struct model_stage *stage)
{
    static struct made data;
    data.length = 0;
    made_number(&data, stage->count, 2);
    for (uint32_t i = 0; i < stage->count; i++) {
        const struct model_collection *c = &stage->collection[i];
        const uint32_t wavelet = (uint32_t)c->levels << 16 | (uint32_t)c->offsets << 8 | c->reversible;
        const uint32_t arrays = (c->reversible ? REVERSIBLE : 0) | (uint32_t)c->offsets << 8 | c->array;
        made_number(&data, c->kind, 1);
        put_list(&data, c->in, c->taken);
        put_list(&data, c->out, c->made);
        made_number(&data, c->kind == MODEL_WAVELET ? wavelet : arrays, 3);
        if (c->kind == MODEL_WAVELET)
            made_number(&data, c->origin, 4);
    }
    put_series(made, MCC, &data, stage->index, stage->parts);
}

void model_put_order(struct made *made, const uint8_t *stage, uint32_t count)
{
    static struct made data;
    data.length = 0;
    made_number(&data, count, 1);
    made_bytes(&data, stage, count);
    made_segment(made, MCO, data.data, data.length);
}

void model_put_depths(struct made *made, uint32_t count, uint8_t depth, bool is_signed)
{
    static struct made data;
    data.length = 0;
    made_number(&data, count | WIDE, 2);
    made_number(&data, (uint32_t)(depth - 1) | (is_signed ? 0x80 : 0), 1);
    made_segment(made, CBD, data.data, data.length);
}

void model_put_each_depth(struct made *made, uint32_t count, const uint8_t *entry)
{
    static struct made data;
    data.length = 0;
    made_number(&data, count, 2);
    made_bytes(&data, entry, count);
    made_segment(made, CBD, data.data, data.length);
}

void model_put_stages(struct made *made, const struct model *model)
{
    uint8_t order[MODEL_STAGES];
    for (uint32_t i = 0; i < model->arrays; i++)
        model_put_array(made, &model->array[i]);
    for (uint32_t i = 0; i < model->stages; i++) {
        order[i] = model->stage[i].index;
        model_put_stage(made, &model->stage[i]);
    }
    model_put_order(made, order, model->stages);
}

void model_put(struct made *made, const struct model *model, uint32_t count, uint8_t depth)
{
    model_put_depths(made, count, depth, true);
    model_put_stages(made, model);
}

static const double *array_of(const struct model *model, uint8_t kind, uint8_t index)
{
    for (uint32_t i = 0; i < model->arrays && index > 0; i++)
        if (model->array[i].kind == kind && model->array[i].index == index)
            return model->array[i].value;
    return NULL;
}

/* Return a value at position i of a level from position `start` to `end`, or of its mirror image. */
static double *mirrored(double *value, int64_t i, int64_t start, int64_t end)
{
    while (i < start || i >= end)
        i = i < start ? 2 * start - i : 2 * (end - 1) - i;
    return &value[i - start];
}

static void lift(double *value, int64_t start, int64_t end, int64_t odd, double factor, double add, bool whole)
{
    for (int64_t i = start; i < end; i++) {
        if ((i & 1) != odd)
            continue;
        const double sum = factor * (*mirrored(value, i - 1, start, end) + *mirrored(value, i + 1, start, end)) + add;
        *mirrored(value, i, start, end) += whole ? floor(sum) : sum;
    }
}

/* Undo a level (T.800 F.3) of the positions `start` to `end`, which are in order. */
static void undo_level(double *value, int64_t start, int64_t end, bool reversible)
{
    const double k = 1.230174104914001;
    if (end - start == 1 && start % 2 != 0)
        value[0] = reversible ? floor(value[0] / 2) : value[0] / 2;
    if (end - start < 2)
        return;
    if (reversible) {
        for (int64_t i = start; i < end; i++)
            if (i % 2 == 0)
                *mirrored(value, i, start, end) -=
                    floor((*mirrored(value, i - 1, start, end) + *mirrored(value, i + 1, start, end) + 2) / 4);
        lift(value, start, end, 1, 0.5, 0, true);
        return;
    }
    for (int64_t i = start; i < end; i++)
        value[i - start] *= i % 2 == 0 ? k : 1 / k;
    lift(value, start, end, 0, -0.443506852043971, 0, false);
    lift(value, start, end, 1, -0.882911075530934, 0, false);
    lift(value, start, end, 0, 0.052980118572961, 0, false);
    lift(value, start, end, 1, 1.586134342059924, 0, false);
}

/* Undo levels `n` and coarser of positions `start` to `end`; the low band comes first, then the high bands. */
static void undo_wavelet(double *value, int64_t start, int64_t end, uint32_t levels, bool reversible)
{
    double in_order[MODEL_COMPONENTS];
    const int64_t low = (start + 1) / 2, high = start / 2;
    const int64_t lows = (end + 1) / 2 - low;
    if (levels == 0)
        return;
    undo_wavelet(value, low, low + lows, levels - 1, reversible);
    for (int64_t i = start; i < end; i++)
        in_order[i - start] = i % 2 == 0 ? value[i / 2 - low] : value[lows + i / 2 - high];
    undo_level(in_order, start, end, reversible);
    memcpy(value, in_order, (size_t)(end - start) * sizeof *value);
}

/* Add what the values before each one predict. */
static void undo_dependency(const struct model_collection *c, const double *array, const double *offset, double *value)
{
    for (uint32_t i = 0; i < c->made; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < i; k++)
            sum += *array++ * value[k];
        if (c->reversible && i > 0) {
            const double divisor = *array++;
            sum = floor((sum + floor(divisor / 2)) / divisor);
        }
        value[i] += sum + (offset ? offset[i] : 0);
    }
}

static void undo_steps(const struct model_collection *c, const double *array, double *value)
{
    const uint32_t n = c->made;
    for (uint32_t step = 0; step <= n; step++) {
        const uint32_t target = step == n ? n - 1 : n - 1 - step;
        const double *row = array + (size_t)step * n;
        double sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += k == target ? 0 : row[k] * value[k];
        value[target] -= floor((sum + floor(row[target] / 2)) / row[target]);
    }
}

static void undo_collection(
    const struct model *model, const struct model_collection *c, const double *in, double *value)
{
    const double *array = array_of(model, c->kind, c->array), *offset = array_of(model, MODEL_OFFSETS, c->offsets);
    const bool multiplies = c->kind == MODEL_DECORRELATION && array && !c->reversible;
    for (uint32_t i = 0; i < c->made; i++) {
        value[i] = multiplies ? 0 : in[i];
        for (uint32_t k = 0; multiplies && k < c->taken; k++)
            value[i] += array[i * c->taken + k] * in[k];
    }
    if (c->kind == MODEL_WAVELET)
        undo_wavelet(value, c->origin, (int64_t)c->origin + c->made, c->levels, c->reversible);
    else if (c->kind == MODEL_DEPENDENCY && array)
        undo_dependency(c, array, offset, value);
    else if (array && c->reversible)
        undo_steps(c, array, value);
    for (uint32_t i = 0; i < c->made && offset && !(c->kind == MODEL_DEPENDENCY && array); i++)
        value[i] += offset[i];
}

double model_run(const struct model *model, double *value, bool *real)
{
    double largest = 0;
    for (uint32_t s = 0; s < model->stages; s++) {
        double before[MODEL_COMPONENTS], in[MODEL_COMPONENTS], out[MODEL_COMPONENTS];
        bool was_real[MODEL_COMPONENTS];
        memcpy(before, value, sizeof before);
        memcpy(was_real, real, sizeof was_real);
        for (uint32_t k = 0; k < model->stage[s].count; k++) {
            const struct model_collection *c = &model->stage[s].collection[k];
            for (uint32_t i = 0; i < c->taken; i++)
                in[i] = before[c->in[i]];
            undo_collection(model, c, in, out);
            for (uint32_t i = 0; i < c->made; i++) {
                value[c->out[i]] = out[i];
                real[c->out[i]] = c->kind == MODEL_WAVELET || c->array > 0 ? !c->reversible : was_real[c->in[i]];
                largest = fmax(largest, fabs(out[i]));
            }
        }
    }
    return largest;
}

struct model_array *model_add_array(struct model *model, uint8_t kind, uint8_t type, uint32_t count)
{
    struct model_array *array = &model->array[model->arrays++];
    assert_true(count <= MODEL_VALUES && model->arrays <= MODEL_ARRAYS);
    *array = (struct model_array){.kind = kind, .index = (uint8_t)model->arrays, .type = type, .count = count};
    return array;
}

/* Fill an array for a collection with small numbers. */
static void fill(struct model_array *array, const struct model_collection *c, uint32_t *random)
{
    for (uint32_t i = 0; i < array->count; i++)
        array->value[i] =
            c->reversible ? (double)random_below(random, 5) - 2 : ((double)random_below(random, 17) - 8) / 8;
    for (uint32_t step = 0; step <= c->made && c->reversible && c->kind == MODEL_DECORRELATION; step++)
        array->value[step * c->made + (step == c->made ? c->made - 1 : c->made - 1 - step)] =
            ldexp(1, (int)random_below(random, 4));
    for (uint32_t row = 1, at = 0; row < c->made && c->reversible && c->kind == MODEL_DEPENDENCY; row++) {
        at += row + 1;
        array->value[at - 1] = ldexp(1, (int)random_below(random, 4));
    }
}

/* Give a collection its transform: `integers` says that all its inputs are integers. */
static void choose_transform(struct model *model, struct model_collection *c, bool integers, uint32_t *random)
{
    static const uint8_t kinds[] = {MODEL_DEPENDENCY, MODEL_DECORRELATION, MODEL_WAVELET};
    const uint32_t n = c->taken;
    c->kind = c->taken == c->made ? kinds[random_below(random, 3)] : MODEL_DECORRELATION;
    c->reversible = integers && c->taken == c->made && random_below(random, 3) > 0;
    c->levels = (uint8_t)random_below(random, 4);
    c->origin = random_below(random, 3);
    if (random_below(random, 2)) {
        struct model_array *offsets = model_add_array(model, MODEL_OFFSETS, MODEL_INT16, c->made);
        for (uint32_t i = 0; i < c->made; i++)
            offsets->value[i] = (double)random_below(random, 200) - 100;
        c->offsets = offsets->index;
    }
    const bool empty = c->kind == MODEL_DEPENDENCY && n == 1; /* no elements */
    if (c->kind == MODEL_WAVELET || empty || (c->taken == c->made && random_below(random, 5) == 0))
        return;
    const uint32_t triangle = n * (n - 1) / 2;
    const uint32_t count =
        c->kind == MODEL_DEPENDENCY ? triangle + (c->reversible ? n - 1 : 0) : (c->made + c->reversible) * n;
    struct model_array *array = model_add_array(model, c->kind, MODEL_FLOAT64, count);
    array->parts = 1 + random_below(random, 3);
    fill(array, c, random);
    c->array = array->index;
}

void model_add_stage(struct model *model, uint32_t before, uint32_t made, bool *real, uint32_t *random)
{
    struct model_stage *stage = &model->stage[model->stages++];
    bool becomes[MODEL_COMPONENTS];
    uint32_t order[MODEL_COMPONENTS], done = 0;
    *stage = (struct model_stage){.index = (uint8_t)(40 * model->stages), .parts = 1 + random_below(random, 3)};
    for (uint32_t i = 0; i < made; i++) {
        const uint32_t place = random_below(random, i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    while (done < made) {
        struct model_collection *c = &stage->collection[stage->count++];
        bool integers = true;
        *c = (struct model_collection){.made = 1 + random_below(random, made - done)};
        c->taken = random_below(random, 3) == 0 ? 1 + random_below(random, 6) : c->made;
        for (uint32_t i = 0; i < c->taken; i++) {
            c->in[i] = random_below(random, before);
            integers = integers && !real[c->in[i]];
        }
        for (uint32_t i = 0; i < c->made; i++)
            c->out[i] = order[done + i];
        choose_transform(model, c, integers, random);
        for (uint32_t i = 0; i < c->made; i++)
            becomes[c->out[i]] = c->kind == MODEL_WAVELET || c->array > 0 ? !c->reversible : real[c->in[i]];
        done += c->made;
    }
    memcpy(real, becomes, made * sizeof *real);
}

static void copy(kst_buffer *to, const void *from, size_t length)
{
    memcpy(to->data + to->length, from, length);
    to->length += length;
}

/* Copy the tile-parts, with further segments in the headers of a tile. */
static void copy_parts(kst_buffer *to, const kst_buffer *coded, size_t at, uint32_t tile, const struct made *own)
{
    while (coded->data[at + 1] == SOT) {
        const uint8_t *part = coded->data + at;
        const uint32_t length = (uint32_t)part[6] << 24 | (uint32_t)part[7] << 16 | (uint32_t)part[8] << 8 | part[9];
        const bool here = own && (uint32_t)(part[4] << 8 | part[5]) == tile;
        const uint32_t longer = length + (here ? (uint32_t)own->length : 0);
        const size_t start = to->length;
        copy(to, part, 12);
        for (uint32_t i = 0; i < 4; i++)
            to->data[start + 6 + i] = (uint8_t)(longer >> (24 - 8 * i));
        if (here)
            copy(to, own->data, own->length);
        copy(to, part + 12, length - 12);
        at += length;
    }
    copy(to, coded->data + at, coded->length - at);
}

kst_buffer model_wrap(
    const kst_buffer *coded, const struct made *main, uint8_t transforms, uint32_t tile, const struct made *own)
{
    kst_buffer made = {.data = malloc(coded->length + main->length + (own ? MOST_PARTS * own->length : 0))};
    size_t at = 2;
    copy(&made, coded->data, 2);
    while (coded->data[at + 1] != SOT) {
        const uint8_t *segment = coded->data + at;
        const size_t length = 2 + ((size_t)segment[2] << 8 | segment[3]);
        const uint8_t marker = segment[1];
        if (marker != TLM && (marker < MCT || marker > CBD))
            copy(&made, segment, length);
        if (marker == COD)
            made.data[made.length - length + 8] = transforms;
        at += length;
    }
    copy(&made, main->data, main->length);
    copy_parts(&made, coded, at, tile, own);
    return made;
}
