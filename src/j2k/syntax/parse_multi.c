/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the description of a multiple component transform (T.801) from the marker segments CBD, MCT, MCC and MCO that
 * are in force for the main header or for a tile, and checks that it is consistent. Arrays are read where a stage needs
 * them; those of a tile's header come first.
 */
#include <math.h>
#include <string.h>

#include "j2k/syntax/allowance.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/geometry.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/multi_reading.h"
#include "j2k/syntax/parser.h"

enum {
    WIDE = 0x8000, /* flag: indices of 16 bits instead of 8, or one depth for all components */
    INDEX = 0xFF,
    REVERSIBLE = 0x10000, /* bit of Tmcc */
    KIND_OFFSETS = 2,
    WAVELET_COST = 4 /* operations for a sample, in visits of coding passes */
};

#define VALUE_MAX 1e30

bool kst_j2k_is_multi_marker(uint8_t marker)
{
    return marker == J2K_MCT || marker == J2K_MCC || marker == J2K_MCO || marker == J2K_CBD;
}

const char *kst_j2k_extension_name(uint8_t marker)
{
    static const struct {
        uint8_t marker;
        const char *name;
    } names[] = {
        {J2K_DCO, "DCO"}, {J2K_VMS, "VMS"}, {J2K_DFS, "DFS"}, {J2K_ADS, "ADS"}, {J2K_NLT, "NLT"}, {J2K_ATK, "ATK"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].marker == marker)
            return names[i].name;
    return NULL;
}

static kst_status refuse(const struct j2k_multi_reading *reading, kst_status status, const char *what)
{
    return kst_j2k_multi_refuse(reading, status, what);
}

static kst_status no_memory(const struct j2k_multi_reading *reading, kst_status status)
{
    return kst_report_error(reading->op->report, status, reading->cursor.offset, NULL);
}

static size_t left(const struct j2k_multi_reading *reading)
{
    return kst_j2k_multi_left(reading);
}

static uint32_t take(struct j2k_multi_reading *reading, uint32_t bytes)
{
    return (uint32_t)kst_j2k_multi_take(reading, bytes);
}

static kst_status grow(struct j2k_multi_reading *reading, void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    return kst_j2k_grow(reading->op->memory, reading->op->report, array, count, capacity, size);
}

static kst_status read_depths(struct j2k_multi_reading *reading)
{
    struct j2k_multi *multi = reading->multi;
    kst_status status = KST_OK;
    if (left(reading) < 3)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    const uint32_t number = take(reading, 2), count = number & (WIDE - 1), same = number & WIDE;
    if (count == 0 || count > J2K_COMPONENTS || count > reading->op->limits->components)
        return refuse(reading, KST_ERROR_J2K_COMPONENTS, "their number");
    if (left(reading) != (same ? 1 : count))
        return refuse(reading, KST_ERROR_J2K_LENGTH, "depths of another number of components");
    multi->sample = kst_memory_array(reading->op->memory, count, sizeof *multi->sample, &status);
    if (!multi->sample)
        return no_memory(reading, status);
    multi->sample_count = count;
    uint32_t value = take(reading, 1);
    for (uint32_t i = 0; i < count; i++) {
        value = i == 0 || same ? value : take(reading, 1);
        multi->sample[i] = (struct j2k_multi_sample){.depth = (uint8_t)((value & 0x7F) + 1), .is_signed = value >> 7};
        if (multi->sample[i].depth > J2K_DEPTH)
            return refuse(reading, KST_ERROR_J2K_DEPTH, "a component of more than 38 bits");
    }
    return KST_OK;
}

/* Return a value of MCT from its bits. `type` is 0: int16, 1: int32, 2: float32, 3: float64. */
static double value_of(uint64_t bits, uint32_t type)
{
    const uint32_t half = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case 0:
        return (int16_t)bits;
    case 1:
        return (int32_t)bits;
    case 2:
        memcpy(&single, &half, sizeof single);
        return (double)single;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

static kst_status read_values(struct j2k_multi_reading *reading, struct j2k_multi_array *array, uint32_t type)
{
    const uint32_t bytes = type == 0 ? 2 : type < 3 ? 4 : 8;
    const size_t count = left(reading) / bytes;
    kst_status status = KST_OK;
    if (count == 0 || left(reading) % bytes != 0)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a number of bytes that values do not have");
    if (count > UINT32_MAX)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "too many values");
    array->value = kst_memory_array(reading->op->memory, count, sizeof *array->value, &status);
    if (!array->value)
        return no_memory(reading, status);
    array->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        array->value[i] = value_of(kst_j2k_multi_take(reading, bytes), type);
        if (!(fabs(array->value[i]) <= VALUE_MAX))
            return refuse(reading, KST_ERROR_J2K_MULTI, "a value that is no number, or beyond 10^30");
    }
    return KST_OK;
}

/* Find the header whose array or stage is in force, the tile's or the main one; null: there is none. */
static const struct j2k_multi_header *array_header(
    const struct j2k_multi_reading *reading, uint32_t kind, uint32_t index)
{
    if (reading->own && reading->own->array[kind][index].segment > 0)
        return reading->own;
    return reading->main->array[kind][index].segment > 0 ? reading->main : NULL;
}

static const struct j2k_multi_header *stage_header(const struct j2k_multi_reading *reading, uint32_t index)
{
    if (reading->own && reading->own->stage[index].segment > 0)
        return reading->own;
    return reading->main->stage[index].segment > 0 ? reading->main : NULL;
}

/* Add an array that is not in the list yet. The cursor may be anywhere afterwards. */
static kst_status read_array(
    struct j2k_multi_reading *reading, const struct j2k_multi_header *header, uint32_t kind, uint32_t index)
{
    struct j2k_multi *multi = reading->multi;
    const struct j2k_multi_series *series = &header->array[kind][index];
    kst_j2k_multi_open_series(reading, series, header);
    const struct j2k_multi_array array = {
        .index = (uint8_t)index, .kind = (uint8_t)kind, .offset = reading->cursor.offset};
    kst_status status =
        grow(reading, (void **)&multi->array, multi->array_count, &reading->array_capacity, sizeof array);
    if (status)
        return status;
    multi->array[multi->array_count++] = array;
    return read_values(reading, &multi->array[multi->array_count - 1], series->name >> 10 & 3);
}

/* Set *place to the place of an array in the list; `what` is the error if there is no such array. */
static kst_status find_array(
    struct j2k_multi_reading *reading, uint32_t kind, uint32_t index, int32_t *place, const char *what)
{
    const struct j2k_multi *multi = reading->multi;
    const struct j2k_multi_header *header = array_header(reading, kind, index);
    const struct j2k_multi_cursor before = reading->cursor;
    *place = -1;
    for (uint32_t i = 0; i < multi->array_count && *place < 0; i++)
        if (multi->array[i].kind == kind && multi->array[i].index == index)
            *place = (int32_t)i;
    if (*place >= 0)
        return KST_OK;
    if (!header)
        return refuse(reading, KST_ERROR_J2K_MULTI, what);
    const kst_status status = read_array(reading, header, kind, index);
    reading->cursor = before;
    *place = (int32_t)multi->array_count - 1;
    return status;
}

/* Read a list of components, in front of which is their number. */
static kst_status read_list(struct j2k_multi_reading *reading, uint32_t *first, uint32_t *count)
{
    struct j2k_multi *multi = reading->multi;
    if (left(reading) < 2)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a list is cut off");
    const uint32_t number = take(reading, 2), bytes = number & WIDE ? 2 : 1;
    *first = multi->index_count;
    *count = number & (WIDE - 1);
    if (*count == 0)
        return refuse(reading, KST_ERROR_J2K_MULTI, "an empty list");
    if (left(reading) / bytes < *count)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a list is cut off");
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t component = take(reading, bytes);
        if (component >= J2K_COMPONENTS || component >= reading->op->limits->components)
            return refuse(reading, KST_ERROR_J2K_MULTI, "a component beyond the most that there may be");
        kst_status status =
            grow(reading, (void **)&multi->index, multi->index_count, &reading->index_capacity, sizeof *multi->index);
        if (status)
            return status;
        multi->index[multi->index_count++] = component;
    }
    return KST_OK;
}

static kst_status find_offsets(
    struct j2k_multi_reading *reading, struct j2k_multi_collection *collection, uint32_t index)
{
    if (index == 0)
        return KST_OK;
    kst_status status =
        find_array(reading, KIND_OFFSETS, index, &collection->offsets, "an offset array that does not exist");
    if (!status && reading->multi->array[collection->offsets].count != collection->made)
        status = refuse(reading, KST_ERROR_J2K_MULTI, "an offset array of another length");
    return status;
}

/* Read Tmcc of a wavelet, and Omcc. */
static kst_status read_wavelet(struct j2k_multi_reading *reading, struct j2k_multi_collection *collection)
{
    if (left(reading) < 7)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a wavelet is cut off");
    const uint32_t what = take(reading, 3);
    collection->origin = take(reading, 4);
    collection->levels = (uint8_t)(what >> 16 & 0x3F);
    collection->reversible = what & 1;
    if ((what & INDEX) > 1)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "a wavelet of ATK");
    if (what >> 22 || collection->levels > J2K_LEVELS)
        return refuse(reading, KST_ERROR_J2K_MULTI, "more than 32 levels, or an ADS");
    if (collection->origin > UINT32_MAX - collection->count)
        return refuse(reading, KST_ERROR_J2K_MULTI, "positions along z beyond 32 bits");
    if (collection->made != collection->count)
        return refuse(reading, KST_ERROR_J2K_MULTI, "a wavelet with other numbers of inputs and outputs");
    return find_offsets(reading, collection, what >> 8 & INDEX);
}

/* Return how many elements the array of a collection has (T.801 J.2). */
static uint64_t elements_of(const struct j2k_multi_collection *collection)
{
    const uint64_t n = collection->count;
    if (collection->kind == J2K_MULTI_DECORRELATION)
        return collection->reversible ? n * (n + 1) : n * collection->made;
    return n * (n - 1) / 2 + (collection->reversible ? n - 1 : 0);
}

/* Return the place of the divisor in row `row` of a reversible array. Rows of a dependency array begin with row 1. */
static uint64_t divisor_of(const struct j2k_multi_collection *collection, uint64_t row)
{
    const uint32_t n = collection->count;
    if (collection->kind == J2K_MULTI_DECORRELATION)
        return row * n + j2k_multi_step_target((uint32_t)row, n);
    return row * (row + 1) / 2 - 1 + row;
}

/* Check that a reversible array has integers of 32 bits, of which the divisors are powers of two. */
static kst_status check_integers(const struct j2k_multi_reading *reading, const struct j2k_multi_collection *collection)
{
    const struct j2k_multi_array *array = &reading->multi->array[collection->array];
    const bool decorrelates = collection->kind == J2K_MULTI_DECORRELATION;
    for (uint32_t i = 0; i < array->count; i++) {
        const double value = array->value[i];
        if (value < INT32_MIN || value > INT32_MAX || value < floor(value) || value > floor(value))
            return refuse(reading, KST_ERROR_J2K_MULTI, "a reversible array with other numbers than integers");
    }
    for (uint64_t row = decorrelates ? 0 : 1; row < (uint64_t)collection->count + decorrelates; row++) {
        const int32_t divisor = (int32_t)array->value[divisor_of(collection, row)];
        if (divisor < 1 || (divisor & (divisor - 1)) != 0)
            return refuse(reading, KST_ERROR_J2K_MULTI, "a divisor that is no power of two");
    }
    return KST_OK;
}

/* Read Tmcc of an array-based transform. */
static kst_status read_matrix(struct j2k_multi_reading *reading, struct j2k_multi_collection *collection)
{
    if (left(reading) < 3)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "Tmcc is cut off");
    const uint32_t what = take(reading, 3), index = what & INDEX;
    kst_status status = KST_OK;
    collection->reversible = what & REVERSIBLE;
    if (what >= 2 * REVERSIBLE)
        return refuse(reading, KST_ERROR_J2K_MULTI, "unknown bits of Tmcc");
    if (collection->made != collection->count &&
        (collection->kind == J2K_MULTI_DEPENDENCY || collection->reversible || index == 0))
        return refuse(reading, KST_ERROR_J2K_MULTI, "other numbers of inputs and outputs");
    if (index > 0) {
        status = find_array(reading, collection->kind, index, &collection->array, "an array that does not exist");
        if (!status && reading->multi->array[collection->array].count != elements_of(collection))
            status = refuse(reading, KST_ERROR_J2K_MULTI, "an array of another size");
        if (!status && collection->reversible)
            status = check_integers(reading, collection);
    }
    return status ? status : find_offsets(reading, collection, what >> 8 & INDEX);
}

static kst_status read_collection(struct j2k_multi_reading *reading)
{
    struct j2k_multi *multi = reading->multi;
    struct j2k_multi_collection collection = {
        .array = -1, .offsets = -1, .where = reading->cursor.offset + reading->cursor.at};
    if (left(reading) < 1)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a collection is cut off");
    collection.kind = take(reading, 1) & 3;
    if (collection.kind == 2)
        return refuse(reading, KST_ERROR_J2K_MULTI, "an unknown kind of transform");
    kst_status status = read_list(reading, &collection.input, &collection.count);
    if (!status)
        status = read_list(reading, &collection.output, &collection.made);
    if (!status)
        status = collection.kind == J2K_MULTI_WAVELET ? read_wavelet(reading, &collection)
                                                      : read_matrix(reading, &collection);
    if (!status)
        status = grow(reading, (void **)&multi->collection, multi->collection_count, &reading->collection_capacity,
            sizeof collection);
    if (!status)
        multi->collection[multi->collection_count++] = collection;
    return status;
}

/* Count what a stage takes and makes, and check that it makes each component once and leaves none out. */
static kst_status check_outputs(struct j2k_multi_reading *reading, struct j2k_multi_stage *stage)
{
    const struct j2k_multi *multi = reading->multi;
    const struct j2k_multi_collection *collection = &multi->collection[stage->first_collection];
    kst_status status = KST_OK;
    uint8_t *is_made = kst_memory_zeroed(reading->op->memory, J2K_COMPONENTS, 1, &status);
    if (!is_made)
        return no_memory(reading, status);
    uint32_t end = 0;
    for (uint32_t c = 0; c < stage->collection_count && !status; c++) {
        for (uint32_t i = 0; i < collection[c].count; i++) {
            const uint32_t input = multi->index[collection[c].input + i];
            stage->taken = input >= stage->taken ? input + 1 : stage->taken;
        }
        for (uint32_t i = 0; i < collection[c].made && !status; i++, stage->made++) {
            const uint32_t output = multi->index[collection[c].output + i];
            end = output >= end ? output + 1 : end;
            if (is_made[output])
                status = refuse(reading, KST_ERROR_J2K_MULTI, "a component that is made twice");
            is_made[output] = 1;
        }
    }
    kst_memory_release(reading->op->memory, is_made);
    if (!status && stage->made != end)
        status = refuse(reading, KST_ERROR_J2K_EXTENSION, "components that no collection makes");
    return status;
}

/* Read the description of a stage: its collections. */
static kst_status read_stage(struct j2k_multi_reading *reading, struct j2k_multi_stage *stage)
{
    if (left(reading) < 2)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    const uint32_t collections = take(reading, 2);
    kst_status status = KST_OK;
    if (collections == 0)
        return refuse(reading, KST_ERROR_J2K_MULTI, "no collections");
    stage->first_collection = reading->multi->collection_count;
    for (uint32_t i = 0; i < collections && !status; i++)
        status = read_collection(reading);
    stage->collection_count = reading->multi->collection_count - stage->first_collection;
    if (!status && left(reading) > 0)
        status = refuse(reading, KST_ERROR_J2K_LENGTH, "bytes behind the last collection");
    return status ? status : check_outputs(reading, stage);
}

/* Find the MCC of an index, and read it unless another stage has done so. Leaves the cursor at the MCC or at MCO. */
static kst_status find_stage(struct j2k_multi_reading *reading, uint32_t index, struct j2k_multi_stage *stage)
{
    const struct j2k_multi_header *header = stage_header(reading, index);
    if (reading->first_of[index] >= 0) {
        *stage = reading->multi->stage[reading->first_of[index]];
        return KST_OK;
    }
    if (!header)
        return refuse(reading, KST_ERROR_J2K_MULTI, "a stage that no MCC describes");
    reading->first_of[index] = (int16_t)reading->multi->stage_count;
    kst_j2k_multi_open_series(reading, &header->stage[index], header);
    return read_stage(reading, stage);
}

/* Add a stage, before which there are `*count` components, and then as many as it makes. */
static kst_status add_stage(struct j2k_multi_reading *reading, uint32_t index, uint32_t *count)
{
    struct j2k_multi *multi = reading->multi;
    struct j2k_multi_stage stage = {0};
    kst_status status =
        grow(reading, (void **)&multi->stage, multi->stage_count, &reading->stage_capacity, sizeof *multi->stage);
    if (!status)
        status = find_stage(reading, index, &stage);
    if (!status && stage.taken > *count)
        status = refuse(reading, KST_ERROR_J2K_MULTI, "a component that does not exist");
    if (status)
        return status;
    *count = stage.made;
    multi->stage[multi->stage_count++] = stage;
    return KST_OK;
}

/* Read the stages that MCO lists. There are `coded` components to begin with. */
static kst_status read_order(struct j2k_multi_reading *reading, uint32_t coded)
{
    const size_t length = left(reading);
    uint32_t count = coded;
    kst_status status = KST_OK;
    if (length < 1 || length != 1U + take(reading, 1))
        return refuse(reading, KST_ERROR_J2K_LENGTH, "another number of stages");
    for (size_t i = 1; i < length && !status; i++) {
        const uint32_t index = take(reading, 1);
        const struct j2k_multi_cursor before = reading->cursor;
        status = add_stage(reading, index, &count);
        if (!status)
            reading->cursor = before;
    }
    if (!status && !reading->stream->multi.sample)
        status = refuse(reading, KST_ERROR_J2K_MULTI, "there is no CBD");
    if (!status && count != reading->stream->multi.sample_count)
        status = refuse(reading, KST_ERROR_J2K_MULTI, "CBD has another number of components than the last stage makes");
    return status;
}

/*
 * Check how many operations all stages take for `samples` samples of each component, in addition to *work before. A few
 * bytes may ask for a stage 255 times.
 */
static kst_status check_work(struct j2k_multi_reading *reading, double samples, double *work)
{
    const struct j2k_multi *multi = reading->multi;
    const double allowed = (double)kst_j2k_allowance(reading->op->limits, J2K_ASKED_VISITS, reading->stream);
    for (uint32_t s = 0; s < multi->stage_count; s++)
        for (uint32_t c = 0; c < multi->stage[s].collection_count; c++) {
            const struct j2k_multi_collection *collection = &multi->collection[multi->stage[s].first_collection + c];
            *work += collection->made * samples * (collection->array >= 0 ? collection->count : WAVELET_COST);
        }
    return *work <= allowed ? KST_OK : refuse(reading, KST_ERROR_LIMIT_WORK, "operations of all stages");
}

static kst_status check_sizes(const struct j2k_multi_reading *reading)
{
    const struct j2k_component_size *c = reading->stream->component;
    for (uint32_t i = 1; i < reading->stream->component_count; i++)
        if (c[i].dx != c->dx || c[i].dy != c->dy)
            return refuse(reading, KST_ERROR_J2K_EXTENSION, "components of different sizes");
    return KST_OK;
}

/* Read the stages that are in force, unless there are none. */
static kst_status read_stages(struct j2k_multi_reading *reading, double samples, double *work)
{
    const struct j2k_multi_header *header = reading->own && reading->own->order > 0 ? reading->own : reading->main;
    if (header->order == 0)
        return KST_OK;
    memset(reading->first_of, -1, sizeof reading->first_of);
    kst_j2k_multi_open(reading, header->order - 1, header->end, "MCO");
    kst_status status = read_order(reading, reading->stream->component_count);
    if (!status && reading->multi->stage_count > 0)
        status = check_sizes(reading);
    return status ? status : check_work(reading, samples, work);
}

/* Check that the components of CBD have no more samples than the stream may ask for, as those of SIZ were checked. */
static kst_status check_samples(const struct j2k_multi_reading *reading)
{
    const struct j2k_stream *stream = reading->stream;
    const uint64_t each = stream->samples / stream->component_count;
    const uint64_t allowed = kst_j2k_allowance(reading->op->limits, J2K_ASKED_SAMPLES, stream);
    if (each <= allowed / reading->multi->sample_count)
        return KST_OK;
    return refuse(reading, KST_ERROR_LIMIT_WORK, "samples of all components");
}

kst_status kst_j2k_parse_multi(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    const struct operation op = {.memory = parser->memory, .limits = parser->limits, .report = parser->report};
    struct j2k_multi_reading reading = {.op = &op, .stream = stream, .multi = &stream->multi};
    double work = 0;
    kst_status status = KST_OK;
    stream->multi_header = kst_memory_array(op.memory, 1, sizeof *stream->multi_header, &status);
    if (!stream->multi_header)
        return kst_report_error(op.report, status, parser->position, NULL);
    reading.main = stream->multi_header;
    status = kst_j2k_multi_index(&reading, 0, stream->main_segment_count, stream->multi_header);
    if (!status && reading.main->depths > 0) {
        kst_j2k_multi_open(&reading, reading.main->depths - 1, reading.main->end, "CBD");
        status = read_depths(&reading);
        if (!status)
            status = check_samples(&reading);
    }
    if (!status && stream->main.multi)
        status = read_stages(&reading, (double)stream->samples / stream->component_count, &work);
    return status;
}

/* Return whether a segment of a tile-part's header is one of T.801. */
static bool is_extended(const struct j2k_marker_segment *segment)
{
    return kst_j2k_is_multi_marker(segment->marker) || kst_j2k_extension_name(segment->marker);
}

/* Check that a header of a tile-part has only segments that it may have, and that are supported. */
static kst_status check_part(struct j2k_multi_reading *reading, const struct j2k_tile_part *part, bool first)
{
    for (uint32_t i = part->first_segment; i < part->first_segment + part->segment_count; i++) {
        const struct j2k_marker_segment *segment = &reading->stream->segment[i];
        const char *name = kst_j2k_extension_name(segment->marker);
        if (!is_extended(segment) || (first && !name && segment->marker != J2K_CBD))
            continue;
        kst_j2k_multi_open(reading, i, i + 1, name ? name : segment->marker == J2K_CBD ? "CBD" : "MCT, MCC or MCO");
        if (name)
            return refuse(reading, KST_ERROR_J2K_EXTENSION, "in the header of a tile-part");
        return refuse(reading, KST_ERROR_J2K_MARKER,
            segment->marker == J2K_CBD ? "outside the main header" : "not in a tile's first tile-part");
    }
    return KST_OK;
}

/* Return the bits of COD that say which transforms a tile has: those of its own COD, or the main header's. */
static uint8_t bits_of(const struct j2k_stream *stream, const struct j2k_tile_part *part)
{
    for (uint32_t i = part->first_segment; i < part->first_segment + part->segment_count; i++)
        if (stream->segment[i].marker == J2K_COD && stream->segment[i].length >= 5)
            return stream->data[stream->segment[i].offset + 4] >> 1;
    return stream->main.multi;
}

bool kst_j2k_tile_has_multi(const struct j2k_stream *stream, uint32_t tile)
{
    const uint32_t first = stream->tile_part[tile], end = stream->tile_part[tile + 1];
    for (uint32_t p = first; p < end; p++)
        for (uint32_t i = 0; i < stream->part[p].segment_count; i++)
            if (is_extended(&stream->segment[stream->part[p].first_segment + i]))
                return true;
    return first < end && bits_of(stream, &stream->part[first]) != stream->main.multi;
}

kst_status kst_j2k_parse_tile_multi(
    const struct operation *op, const struct j2k_stream *stream, uint32_t tile, double *work, struct j2k_multi *multi)
{
    const uint32_t first = stream->tile_part[tile], end = stream->tile_part[tile + 1];
    const struct j2k_tile_part *part = &stream->part[first];
    const struct j2k_rect rect = kst_j2k_tile_rect(&stream->size, tile);
    const double samples = (double)(rect.x1 - rect.x0) * (double)(rect.y1 - rect.y0);
    struct j2k_multi_reading reading = {.op = op, .stream = stream, .multi = multi, .main = stream->multi_header};
    kst_status status = KST_OK;
    *multi = (struct j2k_multi){.allowed = true, .sample_count = stream->multi.sample_count};
    struct j2k_multi_header *own = kst_memory_array(op->memory, 1, sizeof *own, &status);
    if (!own)
        return kst_report_error(op->report, status, part->offset, NULL);
    for (uint32_t p = first; p < end && !status; p++)
        status = check_part(&reading, &stream->part[p], p == first);
    if (!status)
        status = kst_j2k_multi_index(&reading, part->first_segment, part->segment_count, own);
    reading.own = own;
    if (!status && bits_of(stream, part))
        status = read_stages(&reading, samples, work);
    kst_memory_release(op->memory, own);
    return status;
}

void kst_j2k_multi_release(struct memory *memory, struct j2k_multi *multi)
{
    for (uint32_t i = 0; i < multi->array_count; i++)
        kst_memory_release(memory, multi->array[i].value);
    kst_memory_release(memory, multi->array);
    kst_memory_release(memory, multi->sample);
    kst_memory_release(memory, multi->collection);
    kst_memory_release(memory, multi->stage);
    kst_memory_release(memory, multi->index);
    *multi = (struct j2k_multi){.allowed = multi->allowed};
}
