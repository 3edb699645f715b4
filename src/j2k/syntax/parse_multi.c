/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the multiple component transform of a main header (T.801): CBD, MCT, MCC and MCO; and checks that these are
 * consistent.
 */
#include <math.h>
#include <string.h>

#include "j2k/syntax/allowance.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"

enum {
    WIDE = 0x8000, /* flag: indices of 16 bits instead of 8, or one depth for all components */
    INDEX = 0xFF,
    KIND_OFFSETS = 2,
    INDICES = 256,
    WAVELET_COST = 4 /* operations for a sample, in visits of coding passes */
};

#define VALUE_MAX 1e30

/* Holds the contents of the segment that is being read, and the state of reading all segments. */
struct multi_reading {
    struct j2k_parser *parser;
    struct j2k_multi *multi;
    const char *name;
    const uint8_t *data;
    size_t length, at;
    uint64_t offset; /* offset of data[0] in the stream */
    uint32_t collection_capacity, index_capacity, array_capacity, stage_capacity;
    int16_t first_of[INDICES]; /* stage that MCC with this index describes; −1: none yet */
};

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

static kst_status refuse(const struct multi_reading *reading, kst_status status, const char *what)
{
    return kst_report_error(
        reading->parser->report, status, reading->offset + reading->at, "%s: %s", reading->name, what);
}

static kst_status no_memory(const struct multi_reading *reading, kst_status status)
{
    return kst_report_error(reading->parser->report, status, reading->offset, NULL);
}

static size_t left(const struct multi_reading *reading)
{
    return reading->length - reading->at;
}

/* Take a number of up to 4 bytes, which must be there. */
static uint32_t take(struct multi_reading *reading, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value = value << 8 | reading->data[reading->at++];
    return value;
}

static kst_status grow(struct multi_reading *reading, void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    return kst_j2k_grow(reading->parser->memory, reading->parser->report, array, count, capacity, size);
}

static void open_segment(struct multi_reading *reading, const struct j2k_marker_segment *segment, const char *name)
{
    reading->name = name;
    reading->data = reading->parser->data + segment->offset;
    reading->length = segment->length;
    reading->offset = segment->offset;
    reading->at = 0;
}

static kst_status read_depths(struct multi_reading *reading)
{
    struct j2k_multi *multi = reading->multi;
    kst_status status = KST_OK;
    if (multi->sample)
        return refuse(reading, KST_ERROR_J2K_MARKER, "a second one");
    if (left(reading) < 3)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    const uint32_t number = take(reading, 2), count = number & (WIDE - 1), same = number & WIDE;
    if (count == 0 || count > J2K_COMPONENTS || count > reading->parser->limits->components)
        return refuse(reading, KST_ERROR_J2K_COMPONENTS, "their number");
    if (left(reading) != (same ? 1 : count))
        return refuse(reading, KST_ERROR_J2K_LENGTH, "depths of another number of components");
    multi->sample = kst_memory_array(reading->parser->memory, count, sizeof *multi->sample, &status);
    if (!multi->sample)
        return no_memory(reading, status);
    multi->sample_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t value = reading->data[2 + (same ? 0 : i)];
        multi->sample[i] = (struct j2k_multi_sample){.depth = (uint8_t)((value & 0x7F) + 1), .is_signed = value >> 7};
        if (multi->sample[i].depth > J2K_DEPTH)
            return refuse(reading, KST_ERROR_J2K_DEPTH, "a component of more than 38 bits");
    }
    return KST_OK;
}

static double real_of(uint64_t bits, uint32_t bytes)
{
    float single;
    double value;
    uint32_t half = (uint32_t)bits;
    if (bytes == 4) {
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Return a value of MCT. `type` is 0: int16, 1: int32, 2: float32, 3: float64. */
static double value_at(const uint8_t *at, uint32_t type)
{
    switch (type) {
    case 0:
        return (int16_t)j2k_get16(at);
    case 1:
        return (int32_t)j2k_get32(at);
    case 2:
        return real_of(j2k_get32(at), 4);
    default:
        return real_of(j2k_get64(at), 8);
    }
}

static kst_status read_values(struct multi_reading *reading, struct j2k_multi_array *array, uint32_t type)
{
    const size_t bytes = (size_t)(type == 0 ? 2 : type < 3 ? 4 : 8), count = left(reading) / bytes;
    kst_status status = KST_OK;
    if (count == 0 || left(reading) % bytes != 0)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a number of bytes that values do not have");
    array->value = kst_memory_array(reading->parser->memory, count, sizeof *array->value, &status);
    if (!array->value)
        return no_memory(reading, status);
    array->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++, reading->at += bytes) {
        array->value[i] = value_at(reading->data + reading->at, type);
        if (!(fabs(array->value[i]) <= VALUE_MAX))
            return refuse(reading, KST_ERROR_J2K_MULTI, "a value that is no number, or beyond 10^30");
    }
    return KST_OK;
}

static int32_t find_array(const struct j2k_multi *multi, uint32_t kind, uint32_t index)
{
    for (uint32_t i = 0; i < multi->array_count; i++)
        if (multi->array[i].kind == kind && multi->array[i].index == index)
            return (int32_t)i;
    return -1;
}

static kst_status read_array(struct multi_reading *reading)
{
    struct j2k_multi *multi = reading->multi;
    if (left(reading) < 6)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    const uint32_t part = take(reading, 2), name = take(reading, 2), last = take(reading, 2);
    struct j2k_multi_array array = {.index = name & INDEX, .kind = (uint8_t)(name >> 8 & 3), .offset = reading->offset};
    if (part > 0 || last > 0)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "a series of segments");
    if (array.index == 0 || array.kind > KIND_OFFSETS)
        return refuse(reading, KST_ERROR_J2K_MULTI, "an unknown kind, or the index 0");
    if (find_array(multi, array.kind, array.index) >= 0)
        return refuse(reading, KST_ERROR_J2K_MULTI, "a second one of this kind and index");
    kst_status status =
        grow(reading, (void **)&multi->array, multi->array_count, &reading->array_capacity, sizeof array);
    if (status)
        return status;
    multi->array[multi->array_count++] = array;
    return read_values(reading, &multi->array[multi->array_count - 1], name >> 10 & 3);
}

/* Read a list of components, in front of which is their number. */
static kst_status read_list(struct multi_reading *reading, uint32_t *first, uint32_t *count)
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
        if (component >= reading->parser->stream->component_count)
            return refuse(reading, KST_ERROR_J2K_MULTI, "a component that does not exist");
        kst_status status =
            grow(reading, (void **)&multi->index, multi->index_count, &reading->index_capacity, sizeof *multi->index);
        if (status)
            return status;
        multi->index[multi->index_count++] = component;
    }
    return KST_OK;
}

static kst_status find_offsets(struct multi_reading *reading, struct j2k_multi_collection *collection, uint32_t index)
{
    collection->offsets = -1;
    if (index == 0)
        return KST_OK;
    collection->offsets = find_array(reading->multi, KIND_OFFSETS, index);
    if (collection->offsets < 0)
        return refuse(reading, KST_ERROR_J2K_MULTI, "an offset array that does not exist");
    if (reading->multi->array[collection->offsets].count != collection->count)
        return refuse(reading, KST_ERROR_J2K_MULTI, "an offset array of another length");
    return KST_OK;
}

/* Read Tmcc of a wavelet, and Omcc. */
static kst_status read_wavelet(struct multi_reading *reading, struct j2k_multi_collection *collection)
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
    return find_offsets(reading, collection, what >> 8 & INDEX);
}

static kst_status read_matrix(struct multi_reading *reading, struct j2k_multi_collection *collection)
{
    if (left(reading) < 3)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "Tmcc is cut off");
    const uint32_t what = take(reading, 3);
    if (what >> 16)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "a reversible array");
    collection->array = -1;
    if ((what & INDEX) > 0) {
        collection->array = find_array(reading->multi, collection->kind, what & INDEX);
        if (collection->array < 0)
            return refuse(reading, KST_ERROR_J2K_MULTI, "an array that does not exist");
        const uint64_t n = collection->count, wanted = collection->kind == J2K_MULTI_DECORRELATION ? n * n : 0;
        if (wanted == 0)
            return refuse(reading, KST_ERROR_J2K_EXTENSION, "a dependency array");
        if (reading->multi->array[collection->array].count != wanted)
            return refuse(reading, KST_ERROR_J2K_MULTI, "an array of another size");
    }
    return find_offsets(reading, collection, what >> 8 & INDEX);
}

static kst_status read_collection(struct multi_reading *reading)
{
    struct j2k_multi *multi = reading->multi;
    struct j2k_multi_collection collection = {.array = -1, .offsets = -1, .where = reading->offset + reading->at};
    uint32_t outputs = 0;
    if (left(reading) < 1)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "a collection is cut off");
    collection.kind = take(reading, 1) & 3;
    if (collection.kind == 2)
        return refuse(reading, KST_ERROR_J2K_MULTI, "an unknown kind of transform");
    kst_status status = read_list(reading, &collection.input, &collection.count);
    if (!status)
        status = read_list(reading, &collection.output, &outputs);
    if (status)
        return status;
    if (outputs != collection.count)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "other numbers of inputs and outputs");
    status =
        collection.kind == J2K_MULTI_WAVELET ? read_wavelet(reading, &collection) : read_matrix(reading, &collection);
    if (!status)
        status = grow(reading, (void **)&multi->collection, multi->collection_count, &reading->collection_capacity,
            sizeof collection);
    if (!status)
        multi->collection[multi->collection_count++] = collection;
    return status;
}

/* Note an output and an input of a stage. */
static kst_status note(const struct multi_reading *reading, uint8_t *is_made, uint8_t *is_taken)
{
    if (*is_made)
        return refuse(reading, KST_ERROR_J2K_MULTI, "a component that is made twice");
    if (*is_taken)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "a component that is taken twice");
    *is_made = *is_taken = 1;
    return KST_OK;
}

/* Check that a stage reads and makes every component exactly once, so that it can work in place. */
static kst_status check_outputs(struct multi_reading *reading, const struct j2k_multi_stage *stage)
{
    const struct j2k_multi *multi = reading->multi;
    const uint32_t components = reading->parser->stream->component_count;
    uint32_t made = 0;
    kst_status status = KST_OK;
    uint8_t *is_made = kst_memory_zeroed(reading->parser->memory, components, 2, &status), *is_taken;
    if (!is_made)
        return no_memory(reading, status);
    is_taken = is_made + components;
    for (uint32_t c = 0; c < stage->collection_count && !status; c++) {
        const struct j2k_multi_collection *collection = &multi->collection[stage->first_collection + c];
        for (uint32_t i = 0; i < collection->count && !status; i++, made++)
            status = note(reading, &is_made[multi->index[collection->output + i]],
                &is_taken[multi->index[collection->input + i]]);
    }
    kst_memory_release(reading->parser->memory, is_made);
    if (!status && made != components)
        status = refuse(reading, KST_ERROR_J2K_EXTENSION, "components that no collection makes");
    return status;
}

/* Read the description of a stage: its collections. */
static kst_status read_stage(struct multi_reading *reading, struct j2k_multi_stage *stage)
{
    if (left(reading) < 7)
        return refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    reading->at = 3; /* behind Zmcc, which is 0, and Imcc */
    const uint32_t last = take(reading, 2), collections = take(reading, 2);
    kst_status status = KST_OK;
    if (last > 0)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "a series of segments");
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

/* Find the MCC of an index, and read it unless another stage has done so. */
static kst_status add_stage(struct multi_reading *reading, uint32_t index, const struct j2k_marker_segment *order)
{
    struct j2k_stream *stream = reading->parser->stream;
    struct j2k_multi *multi = reading->multi;
    struct j2k_multi_stage stage = {0};
    kst_status status =
        grow(reading, (void **)&multi->stage, multi->stage_count, &reading->stage_capacity, sizeof *multi->stage);
    if (status)
        return status;
    if (reading->first_of[index] >= 0) {
        multi->stage[multi->stage_count++] = multi->stage[reading->first_of[index]];
        return KST_OK;
    }
    for (uint32_t i = 0; i < stream->main_segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        const uint8_t *at = stream->data + segment->offset;
        if (segment->marker != J2K_MCC || segment->length < 3 || at[2] != index || j2k_get16(at) != 0)
            continue;
        open_segment(reading, segment, "MCC");
        status = read_stage(reading, &stage);
        reading->first_of[index] = (int16_t)multi->stage_count;
        multi->stage[multi->stage_count++] = stage;
        return status;
    }
    open_segment(reading, order, "MCO");
    return refuse(reading, KST_ERROR_J2K_MULTI, "a stage that no MCC describes");
}

static kst_status read_order(struct multi_reading *reading, const struct j2k_marker_segment *segment)
{
    if (reading->multi->stage_count > 0)
        return refuse(reading, KST_ERROR_J2K_MARKER, "a second one");
    if (left(reading) < 1 || left(reading) != 1U + reading->data[0])
        return refuse(reading, KST_ERROR_J2K_LENGTH, "another number of stages");
    const uint8_t *list = reading->data + 1;
    const uint32_t count = reading->data[0];
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_stage(reading, list[i], segment);
    return status;
}

/* Read all segments of one marker; MCO, which needs the others, is read last. */
static kst_status read_all(struct multi_reading *reading, uint8_t marker, const char *name)
{
    const struct j2k_stream *stream = reading->parser->stream;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < stream->main_segment_count && !status; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        if (segment->marker != marker)
            continue;
        open_segment(reading, segment, name);
        status = marker == J2K_CBD   ? read_depths(reading)
                 : marker == J2K_MCT ? read_array(reading)
                                     : read_order(reading, segment);
    }
    return status;
}

/* Check how many operations all stages take for the picture's samples. A few bytes may ask for a stage 255 times. */
static kst_status check_work(struct multi_reading *reading)
{
    const struct j2k_stream *stream = reading->parser->stream;
    const struct j2k_multi *multi = reading->multi;
    const double allowed = (double)kst_j2k_allowance(reading->parser->limits, J2K_ASKED_VISITS, stream);
    const double each = (double)stream->samples / stream->component_count;
    double sum = 0;
    for (uint32_t s = 0; s < multi->stage_count; s++)
        for (uint32_t c = 0; c < multi->stage[s].collection_count; c++) {
            const struct j2k_multi_collection *collection = &multi->collection[multi->stage[s].first_collection + c];
            sum += collection->count * each * (collection->array >= 0 ? collection->count : WAVELET_COST);
        }
    return sum <= allowed ? KST_OK : refuse(reading, KST_ERROR_LIMIT_WORK, "operations of all stages");
}

static kst_status check_components(struct multi_reading *reading)
{
    const struct j2k_stream *stream = reading->parser->stream;
    const struct j2k_component_size *c = stream->component;
    if (!reading->multi->sample)
        return refuse(reading, KST_ERROR_J2K_MULTI, "there is no CBD");
    if (reading->multi->sample_count != stream->component_count)
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "CBD has another number of components than SIZ");
    for (uint32_t i = 1; i < stream->component_count; i++)
        if (c[i].dx != c->dx || c[i].dy != c->dy)
            return refuse(reading, KST_ERROR_J2K_EXTENSION, "components of different sizes");
    return check_work(reading);
}

kst_status kst_j2k_parse_multi(struct j2k_parser *parser)
{
    struct multi_reading reading = {.parser = parser, .multi = &parser->stream->multi, .name = "MCO"};
    reading.offset = parser->position;
    memset(reading.first_of, -1, sizeof reading.first_of);
    if (!parser->stream->main.multi)
        return KST_OK;
    kst_status status = read_all(&reading, J2K_CBD, "CBD");
    if (!status)
        status = read_all(&reading, J2K_MCT, "MCT");
    if (!status)
        status = read_all(&reading, J2K_MCO, "MCO");
    return status || parser->stream->multi.stage_count == 0 ? status : check_components(&reading);
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
