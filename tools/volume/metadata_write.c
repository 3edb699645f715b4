/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the metadata of Zarr arrays, and of OME-Zarr 0.5 groups. */
#include <stdlib.h>
#include <string.h>

#include "system/folder.h"
#include "volume/store.h"

/* Write a value as a file, and release it. */
static bool put_json(const char *folder, const char *name, json_t *value, struct problem *problem)
{
    char *path = folder_join(folder, name);
    char *text = value != NULL ? json_dumps(value, JSON_INDENT(2)) : NULL;
    struct output output;
    bool good = path != NULL && text != NULL;
    if (!good)
        problem_set(problem, "out of memory");
    good = good && output_open(&output, path, problem);
    if (good) {
        good = output_write(&output, text, strlen(text), problem) && output_write(&output, "\n", 1, problem) &&
               output_commit(&output, problem);
        if (!good)
            output_discard(&output);
    }
    free(text);
    free(path);
    json_decref(value);
    return good;
}

static json_t *sides_of(const uint32_t sides[AXES])
{
    return json_pack("[I, I, I]", (json_int_t)sides[0], (json_int_t)sides[1], (json_int_t)sides[2]);
}

/* Put the codec that converts floats to integers in front of the others, under the name that zarr for Python uses. */
static json_t *scaled_codecs(const struct store *store, json_t *coder)
{
    return json_pack("[{s:s, s:{s:f, s:f, s:s, s:s}}, o]", "name", "numcodecs.fixedscaleoffset", "configuration",
        "offset", store->offset, "scale", store->scale, "dtype", "<f4", "astype", "<i4", coder);
}

static json_t *fill_of(const struct store *store)
{
    const uint32_t bits = (uint32_t)store->fill;
    float fill;
    memcpy(&fill, &bits, sizeof fill);
    return store->is_float ? json_real((double)fill) : json_integer(store->fill);
}

static json_t *codecs_of(const struct store *store)
{
    if (store->coder == BRICK_IMAGE)
        return json_pack(
            "[{s:s, s:{}}]", "name", store->ht ? "imagecodecs_htj2k" : "imagecodecs_jpeg2k", "configuration");
    json_t *configuration = json_pack("{s:s}", "profile", "3d");
    if (store->reduce > 0)
        json_object_set_new(configuration, "reduce", json_integer(store->reduce));
    if (store->reduce_z > 0)
        json_object_set_new(configuration, "reduce_z", json_integer(store->reduce_z));
    json_t *coder = json_pack("{s:s, s:o}", "name", "kostka", "configuration", configuration);
    return store->scaled ? scaled_codecs(store, coder) : json_pack("[o]", coder);
}

static json_t *pipeline_of(const struct store *store)
{
    if (!store->sharded)
        return codecs_of(store);
    return json_pack("[{s:s, s:{s:o, s:o, s:[{s:s, s:{s:s}}, {s:s}], s:s}}]", "name", "sharding_indexed",
        "configuration", "chunk_shape", sides_of(store->brick), "codecs", codecs_of(store), "index_codecs", "name",
        "bytes", "configuration", "endian", "little", "name", "crc32c", "index_location", "end");
}

static const char *type_of(const struct store *store)
{
    if (store->is_float)
        return "float32";
    if (store->bits == 8)
        return store->is_signed ? "int8" : "uint8";
    if (store->bits == 16)
        return store->is_signed ? "int16" : "uint16";
    return store->is_signed ? "int32" : "uint32";
}

/*
 * Write a description for readers of version 2 in addition to that of version 3, for slices with a profile that these
 * know.
 */
static bool put_v2(const struct store *store, const char *folder, struct problem *problem)
{
    char type[] = "<i2";
    type[0] = store->bits == 8 ? '|' : '<';
    type[1] = store->is_signed ? 'i' : 'u';
    type[2] = (char)('0' + store->bits / 8);
    return put_json(folder, ".zarray",
        json_pack("{s:i, s:o, s:o, s:s, s:{s:s}, s:I, s:s, s:n, s:s}", "zarr_format", 2, "shape",
            sides_of(store->shape), "chunks", sides_of(store->brick), "dtype", type, "compressor", "id",
            store->ht ? "imagecodecs_htj2k" : "imagecodecs_jpeg2k", "fill_value", (json_int_t)store->fill, "order", "C",
            "filters", "dimension_separator", "/"),
        problem);
}

bool metadata_write_array(const struct store *store, const char *folder, struct problem *problem)
{
    uint32_t chunk[AXES];
    for (size_t i = 0; i < AXES; i++)
        chunk[i] = store->brick[i] * store->shard[i];
    if (store->plain_keys && !store->sharded && !put_v2(store, folder, problem))
        return false;
    return put_json(folder, "zarr.json",
        json_pack("{s:i, s:s, s:o, s:s, s:{s:s, s:{s:o}}, s:{s:s, s:{s:s}}, s:o, s:o, s:{}, s:[s, s, s]}",
            "zarr_format", 3, "node_type", "array", "shape", sides_of(store->shape), "data_type", type_of(store),
            "chunk_grid", "name", "regular", "configuration", "chunk_shape", sides_of(chunk), "chunk_key_encoding",
            "name", store->plain_keys ? "v2" : "default", "configuration", "separator", "/", "fill_value",
            fill_of(store), "codecs", pipeline_of(store), "attributes", "dimension_names", "z", "y", "x"),
        problem);
}

static json_t *axis_of(const char *name, const char *unit)
{
    json_t *axis = json_pack("{s:s, s:s}", "name", name, "type", "space");
    if (unit != NULL)
        json_object_set_new(axis, "unit", json_string(unit));
    return axis;
}

/*
 * Return the description of a level. Samples of the low band lie at every 2^n-th sample, so levels differ in scale and
 * have no translation.
 */
static json_t *dataset_of(const struct volume_grid *grid, uint32_t level)
{
    const char path[] = {(char)('0' + level), '\0'};
    const double factor = (double)(1u << level);
    return json_pack("{s:s, s:[{s:s, s:[f, f, f]}]}", "path", path, "coordinateTransformations", "type", "scale",
        "scale", grid->spacing[0] * factor, grid->spacing[1] * factor, grid->spacing[2] * factor);
}

bool metadata_write_group(const struct store *store, const char *folder, uint32_t levels, struct problem *problem)
{
    const char *unit = volume_unit_name(store->grid.unit), *slash = strrchr(folder, '/');
    json_t *datasets = json_array();
    for (uint32_t i = 0; i < levels; i++)
        json_array_append_new(datasets, dataset_of(&store->grid, i));
    return put_json(folder, "zarr.json",
        json_pack("{s:i, s:s, s:{s:{s:s, s:[{s:o, s:[o, o, o], s:o, s:s}]}}}", "zarr_format", 3, "node_type", "group",
            "attributes", "ome", "version", "0.5", "multiscales", "name",
            json_text(slash != NULL && slash[1] != '\0' ? slash + 1 : folder), "axes", axis_of("z", unit),
            axis_of("y", unit), axis_of("x", unit), "datasets", datasets, "type", "wavelet"),
        problem);
}
