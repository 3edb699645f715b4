/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the metadata of Zarr arrays and OME-Zarr groups, and validates all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "volume/store.h"

enum { REDUCE_MAX = 32 };

#define SAMPLES_MAX (UINT64_C(1) << 40)

static const char *text_of(const json_t *value)
{
    const char *text = json_is_string(value) ? json_string_value(value) : NULL;
    return text != NULL ? text : "";
}

/* Read three numbers, each 1 to `most`. */
static bool read_sides(
    const json_t *array, const char *what, uint32_t most, uint32_t sides[AXES], struct problem *problem)
{
    if (!json_is_array(array) || json_array_size(array) != AXES)
        return problem_set(problem, "Zarr: %s is no list of three numbers; volumes have three dimensions", what);
    for (size_t i = 0; i < AXES; i++) {
        const json_t *side = json_array_get(array, i);
        const json_int_t value = json_is_integer(side) ? json_integer_value(side) : 0;
        if (value < 1 || value > (json_int_t)most)
            return problem_set(problem, "Zarr: %s has no number from 1 to %u at place %zu", what, (unsigned)most, i);
        sides[i] = (uint32_t)value;
    }
    return true;
}

/* Check that a brick's samples fit into memory, and that the shape does not state an implausible number of samples. */
static bool check_brick(const struct store *store, struct problem *problem)
{
    const uint64_t slice = (uint64_t)store->shape[1] * store->shape[2];
    if (slice > SAMPLES_MAX / store->shape[0])
        return problem_set_kind(
            problem, PROBLEM_LIMIT, "Zarr: shape has more than %llu samples", (unsigned long long)SAMPLES_MAX);
    uint64_t bytes = store->bits / 8;
    bool fits = true;
    for (size_t i = 0; i < AXES; i++)
        fits = fits && !__builtin_mul_overflow(bytes, (uint64_t)store->brick[i], &bytes);
    if (!fits || bytes > store->max_memory)
        return problem_set_kind(problem, PROBLEM_LIMIT, "Zarr: a chunk of %ux%ux%u samples exceeds the limit of memory",
            (unsigned)store->brick[0], (unsigned)store->brick[1], (unsigned)store->brick[2]);
    return true;
}

/* Read a number, or one of the words of version 3 for numbers that JSON cannot express. */
static bool read_float_fill(struct store *store, const json_t *value, struct problem *problem)
{
    const char *word = text_of(value);
    float fill = json_is_number(value) ? (float)json_number_value(value) : 0;
    uint32_t bits;
    if (strcmp(word, "NaN") == 0)
        fill = NAN;
    else if (strcmp(word, "Infinity") == 0 || strcmp(word, "-Infinity") == 0)
        fill = *word == '-' ? -INFINITY : INFINITY;
    else if (!json_is_number(value) && value != NULL && !json_is_null(value))
        return problem_set(problem, "Zarr: fill_value is no value of the data type");
    memcpy(&bits, &fill, sizeof bits);
    store->fill = bits;
    return true;
}

static bool read_fill(struct store *store, const json_t *value, struct problem *problem)
{
    if (store->is_float)
        return read_float_fill(store, value, problem);
    const int64_t low = store->is_signed ? -(INT64_C(1) << (store->bits - 1)) : 0;
    const int64_t high = low + (INT64_C(1) << store->bits) - 1;
    if (value == NULL || json_is_null(value))
        return true;
    store->fill = json_is_integer(value) ? json_integer_value(value) : INT64_MAX;
    if (store->fill >= low && store->fill <= high)
        return true;
    return problem_set(problem, "Zarr: fill_value is no value of the data type");
}

/* Read a data type: a name of version 3, or one of version 2 without the character for its byte order. */
static bool read_type(struct store *store, const char *name, struct problem *problem)
{
    static const struct {
        const char *name, *old;
        uint8_t bits;
        bool is_signed;
    } types[] = {{"uint8", "u1", 8, false}, {"int8", "i1", 8, true}, {"uint16", "u2", 16, false},
        {"int16", "i2", 16, true}, {"uint32", "u4", 32, false}, {"int32", "i4", 32, true}, {"float32", "f4", 32, true}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0 || strcmp(name, types[i].old) == 0) {
            store->bits = types[i].bits;
            store->is_signed = types[i].is_signed;
            store->is_float = types[i].old[0] == 'f';
            return true;
        }
    return problem_set(problem,
        "Zarr: data of type '%.40s'; integers of 8, 16 and 32 bits and float32 are read, to which zarr and NumPy for "
        "Python convert an array (astype)",
        name);
}

/* Read the number of levels that a codec leaves out; 0 if it is missing. */
static bool read_reduce(const json_t *configuration, const char *name, uint32_t *reduce, struct problem *problem)
{
    const json_t *value = json_object_get(configuration, name);
    const json_int_t number = json_is_integer(value) ? json_integer_value(value) : value == NULL ? 0 : -1;
    if (number < 0 || number > REDUCE_MAX)
        return problem_set(problem, "Zarr: %s of the codec kostka is no number from 0 to %d", name, REDUCE_MAX);
    *reduce = (uint32_t)number;
    return true;
}

static bool check_slices(const struct store *store, struct problem *problem)
{
    return store->brick[0] == 1 ||
           problem_set(problem, "Zarr: chunks of %u slices, of which its codec has one", (unsigned)store->brick[0]);
}

/* Refuse a codec that others have, and say which ones are read. */
static bool refuse_codec(const char *name, struct problem *problem)
{
    return problem_set(problem,
        "Zarr: the codec '%.40s' is not supported; bytes, gzip, zlib, zstd and blosc are read, to which zarr for "
        "Python copies an array",
        name);
}

/* Read the codec that makes bytes of a brick. */
static bool read_coder(struct store *store, const char *name, const json_t *configuration, struct problem *problem)
{
    if (strcmp(name, "kostka") == 0) {
        const json_t *profile = json_object_get(configuration, "profile");
        if (profile != NULL && strcmp(text_of(profile), "3d") != 0)
            return problem_set(problem, "Zarr: profile '%.40s' of the codec kostka", text_of(profile));
        store->coder = BRICK_VOLUME;
        return read_reduce(configuration, "reduce", &store->reduce, problem) &&
               read_reduce(configuration, "reduce_z", &store->reduce_z, problem);
    }
    if (strcmp(name, "imagecodecs_jpeg2k") == 0 || strcmp(name, "imagecodecs_htj2k") == 0) {
        store->coder = BRICK_IMAGE;
        store->ht = strcmp(name, "imagecodecs_htj2k") == 0;
        return check_slices(store, problem);
    }
    if (strcmp(name, "bytes") == 0) {
        const char *endian = text_of(json_object_get(configuration, "endian"));
        store->coder = BRICK_BYTES;
        store->big_endian = strcmp(endian, "big") == 0;
        return store->bits == 8 || store->big_endian || strcmp(endian, "little") == 0 ||
               problem_set(problem, "Zarr: the codec bytes without an endian");
    }
    return refuse_codec(name, problem);
}

/* Read a codec that stands behind the one that makes bytes. */
static bool read_behind(struct store *store, const char *name, struct problem *problem)
{
    static const char prefix[] = "numcodecs."; /* of codecs that version 3 itself does not have */
    const char *plain = strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
    if (strcmp(name, "crc32c") == 0 && !store->bricks_checked) {
        store->bricks_checked = true;
        return true;
    }
    if (store->coder != BRICK_BYTES || store->packing != PACKING_NONE || store->bricks_checked)
        return problem_set(problem, "Zarr: the codec '%.40s' behind another is not supported", name);
    return packing_find(plain, &store->packing) || refuse_codec(name, problem);
}

/* Read the conversion of samples to integers, in the form of numcodecs' codec. */
static bool read_scale(struct store *store, const json_t *configuration, struct problem *problem)
{
    const json_t *scale = json_object_get(configuration, "scale"), *offset = json_object_get(configuration, "offset");
    store->scale = json_is_number(scale) ? json_number_value(scale) : 0;
    store->offset = json_is_number(offset) ? json_number_value(offset) : NAN;
    store->scaled = true;
    if (!store->is_float || strcmp(text_of(json_object_get(configuration, "dtype")), "<f4") != 0 ||
        strcmp(text_of(json_object_get(configuration, "astype")), "<i4") != 0)
        return problem_set(problem, "Zarr: fixedscaleoffset is read from float32 to int32 (<f4, <i4)");
    return (isfinite(store->scale) && store->scale > 0 && isfinite(store->offset)) ||
           problem_set(problem, "Zarr: scale or offset of fixedscaleoffset is no number, or the scale not above 0");
}

/*
 * Read one codec and what may stand behind it: a compressor of bytes, and a CRC-32C. Before it floats are scaled to
 * integers.
 */
static bool read_codecs(struct store *store, const json_t *codecs, struct problem *problem)
{
    const size_t count = json_is_array(codecs) ? json_array_size(codecs) : 0;
    const char *start = text_of(json_object_get(json_array_get(codecs, 0), "name"));
    const size_t first = strcmp(start, "numcodecs.fixedscaleoffset") == 0;
    if (first == 1 && !read_scale(store, json_object_get(json_array_get(codecs, 0), "configuration"), problem))
        return false;
    if (count <= first)
        return problem_set(problem, "Zarr: there are no codecs");
    for (size_t i = first; i < count; i++) {
        const json_t *codec = json_array_get(codecs, i);
        const char *name = json_is_object(codec) ? text_of(json_object_get(codec, "name")) : text_of(codec);
        if (!(i > first ? read_behind(store, name, problem)
                        : read_coder(store, name, json_object_get(codec, "configuration"), problem)))
            return false;
    }
    if (store->is_float && store->scaled == (store->coder == BRICK_BYTES))
        return problem_set(problem, "Zarr: float32 is read as bytes, or scaled and then coded");
    return true;
}

static bool read_index(struct store *store, const json_t *configuration, struct problem *problem)
{
    const json_t *codecs = json_object_get(configuration, "index_codecs");
    const char *place = text_of(json_object_get(configuration, "index_location"));
    const json_t *first = json_array_get(codecs, 0), *second = json_array_get(codecs, 1);
    store->index_first = strcmp(place, "start") == 0;
    store->index_checked = second != NULL;
    if (*place != '\0' && !store->index_first && strcmp(place, "end") != 0)
        return problem_set(problem, "Zarr: index_location is start or end, not '%.40s'", place);
    if (strcmp(text_of(json_object_get(first, "name")), "bytes") != 0 ||
        strcmp(text_of(json_object_get(json_object_get(first, "configuration"), "endian")), "little") != 0 ||
        (second != NULL && strcmp(text_of(json_object_get(second, "name")), "crc32c") != 0) ||
        json_array_size(codecs) > 2)
        return problem_set(
            problem, "Zarr: indices of shards are read as little-endian bytes, with a crc32c or without");
    return true;
}

/*
 * Read the codecs of an array. Up to now `brick` is the array's chunk; if the first codec is sharding, the chunk is a
 * shard.
 */
static bool read_pipeline(struct store *store, const json_t *codecs, struct problem *problem)
{
    const json_t *first = json_array_get(codecs, 0), *configuration = json_object_get(first, "configuration");
    uint32_t inner[AXES] = {1, 1, 1};
    for (size_t i = 0; i < AXES; i++)
        store->shard[i] = 1;
    if (strcmp(text_of(json_object_get(first, "name")), "sharding_indexed") != 0)
        return read_codecs(store, codecs, problem);
    if (json_array_size(codecs) != 1)
        return problem_set(problem, "Zarr: codecs behind shards are not supported");
    if (!read_sides(json_object_get(configuration, "chunk_shape"), "chunk_shape", VOLUME_SIDE_MAX, inner, problem))
        return false;
    uint64_t count = 1;
    for (size_t i = 0; i < AXES; i++) {
        store->shard[i] = store->brick[i] / inner[i];
        if (store->brick[i] % inner[i] != 0 || (count *= store->shard[i]) > STORE_SHARD_MAX)
            return problem_set(problem, "Zarr: shards are no whole chunks, or more than %d", STORE_SHARD_MAX);
        store->brick[i] = inner[i];
    }
    store->sharded = true;
    return read_index(store, configuration, problem) &&
           read_codecs(store, json_object_get(configuration, "codecs"), problem);
}

static bool read_keys(struct store *store, const json_t *encoding, struct problem *problem)
{
    const char *name = text_of(json_object_get(encoding, "name"));
    const char *separator = text_of(json_object_get(json_object_get(encoding, "configuration"), "separator"));
    store->plain_keys = strcmp(name, "v2") == 0;
    store->separator = *separator != '\0' ? *separator : store->plain_keys ? '.' : '/';
    if ((!store->plain_keys && strcmp(name, "default") != 0) || strlen(separator) > 1 ||
        (store->separator != '.' && store->separator != '/'))
        return problem_set(problem, "Zarr: chunk_key_encoding is default or v2, with a dot or a slash");
    return true;
}

/* Return whether a key is a member of an array in the core of version 3. */
static bool is_core(const char *key)
{
    static const char *const known[] = {"zarr_format", "node_type", "shape", "data_type", "chunk_grid",
        "chunk_key_encoding", "fill_value", "codecs", "attributes", "dimension_names", "storage_transformers",
        "consolidated_metadata"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(key, known[i]) == 0)
            return true;
    return false;
}

/*
 * Refuse members that the core of version 3 does not define, unless they state that a reader need not understand them.
 */
static bool check_members(const json_t *root, struct problem *problem)
{
    json_t *all = (json_t *)(uintptr_t)root;
    for (void *at = json_object_iter(all); at != NULL; at = json_object_iter_next(all, at)) {
        const char *key = json_object_iter_key(at);
        if (!is_core(key) && !json_is_false(json_object_get(json_object_iter_value(at), "must_understand")))
            return problem_set(problem, "Zarr: the extension '%.40s' is not supported", key);
    }
    const json_t *transformers = json_object_get(root, "storage_transformers");
    return transformers == NULL || (json_is_array(transformers) && json_array_size(transformers) == 0) ||
           problem_set(problem, "Zarr: storage transformers are not supported");
}

bool metadata_read_array(struct store *store, const json_t *root, struct problem *problem)
{
    const json_t *grid = json_object_get(root, "chunk_grid");
    const json_t *type = json_object_get(root, "data_type");
    if (!check_members(root, problem))
        return false;
    if (strcmp(text_of(json_object_get(grid, "name")), "regular") != 0)
        return problem_set(problem, "Zarr: the chunk grid is not regular");
    return read_sides(json_object_get(root, "shape"), "shape", VOLUME_SIDE_MAX, store->shape, problem) &&
           read_sides(json_object_get(json_object_get(grid, "configuration"), "chunk_shape"), "chunk_shape",
               VOLUME_SIDE_MAX, store->brick, problem) &&
           read_type(store, json_is_object(type) ? text_of(json_object_get(type, "name")) : text_of(type), problem) &&
           read_fill(store, json_object_get(root, "fill_value"), problem) &&
           read_keys(store, json_object_get(root, "chunk_key_encoding"), problem) &&
           read_pipeline(store, json_object_get(root, "codecs"), problem) && check_brick(store, problem);
}

/* Refuse filters of version 2 by the name of the first. */
static bool check_filters(const json_t *filters, struct problem *problem)
{
    if (filters == NULL || json_is_null(filters) || (json_is_array(filters) && json_array_size(filters) == 0))
        return true;
    return problem_set(problem,
        "Zarr: the filter '%.40s' is not supported; zarr for Python copies an array without filters",
        text_of(json_object_get(json_array_get(filters, 0), "id")));
}

static bool read_v2_coder(struct store *store, const json_t *root, const char *type, struct problem *problem)
{
    const json_t *compressor = json_object_get(root, "compressor");
    const char *name = text_of(json_object_get(compressor, "id"));
    if (!check_filters(json_object_get(root, "filters"), problem))
        return false;
    store->coder = BRICK_BYTES;
    store->big_endian = *type == '>';
    if (compressor == NULL || json_is_null(compressor) || packing_find(name, &store->packing))
        return true;
    return strcmp(name, "bytes") == 0 ? refuse_codec(name, problem) : read_coder(store, name, compressor, problem);
}

bool metadata_read_v2(struct store *store, const json_t *root, struct problem *problem)
{
    const char *type = text_of(json_object_get(root, "dtype"));
    const char *separator = text_of(json_object_get(root, "dimension_separator"));
    if (strcmp(text_of(json_object_get(root, "order")), "C") != 0)
        return problem_set(problem, "Zarr: samples whose order is not C");
    if (*type == '\0' || strchr("<>|", *type) == NULL)
        return problem_set(problem, "Zarr: dtype is no text such as <i2");
    store->plain_keys = true;
    store->separator = *separator != '\0' ? *separator : '.';
    if (strlen(separator) > 1 || (store->separator != '.' && store->separator != '/'))
        return problem_set(problem, "Zarr: dimension_separator is a dot or a slash");
    for (size_t i = 0; i < AXES; i++)
        store->shard[i] = 1;
    return read_sides(json_object_get(root, "shape"), "shape", VOLUME_SIDE_MAX, store->shape, problem) &&
           read_sides(json_object_get(root, "chunks"), "chunks", VOLUME_SIDE_MAX, store->brick, problem) &&
           read_type(store, type + 1, problem) && read_fill(store, json_object_get(root, "fill_value"), problem) &&
           read_v2_coder(store, root, type, problem) &&
           (!store->is_float || store->coder == BRICK_BYTES ||
               problem_set(problem, "Zarr: float32 of version 2 is read as bytes alone")) &&
           check_brick(store, problem);
}

/* Return whether a path leads below its folder: names separated by single slashes, none of which begins with a dot. */
static bool is_below(const char *path)
{
    const size_t length = strlen(path);
    if (length == 0 || length > 255 || path[0] == '/' || path[length - 1] == '/' || path[0] == '.')
        return false;
    return strstr(path, "/.") == NULL && strstr(path, "//") == NULL && strchr(path, '\\') == NULL;
}

static void read_spacing(const json_t *axes, const json_t *dataset, struct volume_grid *grid)
{
    const json_t *scale =
        json_object_get(json_array_get(json_object_get(dataset, "coordinateTransformations"), 0), "scale");
    for (size_t i = 0; i < AXES; i++) {
        const json_t *number = json_array_get(scale, i);
        const double value = json_is_number(number) ? json_number_value(number) : 0;
        grid->spacing[i] = value > 0 && value < 1e30 ? value : 1;
    }
    grid->unit = volume_unit(text_of(json_object_get(json_array_get(axes, 0), "unit")));
}

bool metadata_find_array(const json_t *root, char **path, struct volume_grid *grid, struct problem *problem)
{
    const json_t *attributes = json_object_get(root, "attributes");
    const json_t *ome = json_object_get(attributes != NULL ? attributes : root, "ome");
    const json_t *scales = json_object_get(ome != NULL ? ome : root, "multiscales");
    const json_t *first = json_array_get(scales, 0), *axes = json_object_get(first, "axes");
    const json_t *dataset = json_array_get(json_object_get(first, "datasets"), 0);
    const char *name = text_of(json_object_get(dataset, "path"));
    if (dataset == NULL)
        return problem_set(problem, "Zarr: the group has no multiscales of OME-Zarr: name one of its arrays");
    if (!is_below(name))
        return problem_set(problem, "Zarr: the path '%.40s' of a dataset does not lead below its group", name);
    read_spacing(axes, dataset, grid);
    *path = strdup(name);
    return *path != NULL || problem_set(problem, "out of memory");
}
