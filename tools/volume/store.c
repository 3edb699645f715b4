/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens arrays of Zarr stores, and reads boxes of them brick by brick. */
#include "volume/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/folder.h"

enum { METADATA_MAX = 1 << 22 };

static bool has_file(const char *folder, const char *name)
{
    struct stat state;
    char *path = folder_join(folder, name);
    const bool found = path != NULL && stat(path, &state) == 0 && S_ISREG(state.st_mode);
    free(path);
    return found;
}

bool store_is_named(const char *name)
{
    const size_t length = strlen(name), end = length > 0 && name[length - 1] == '/' ? length - 1 : length;
    if (end > 5 && strncmp(name + end - 5, ".zarr", 5) == 0)
        return true;
    return is_folder(name) && (has_file(name, "zarr.json") || has_file(name, ".zarray") || has_file(name, ".zattrs"));
}

/* Parse a file of metadata. The caller releases the value. */
static json_t *load_json(const char *folder, const char *name, struct problem *problem)
{
    struct source source;
    json_error_t error;
    json_t *root = NULL;
    char *path = folder_join(folder, name);
    if (path == NULL)
        problem_set(problem, "out of memory");
    else if (source_read(&source, path, METADATA_MAX, problem)) {
        if (source.length > METADATA_MAX)
            problem_set_kind(problem, PROBLEM_LIMIT, "%s has more than %d bytes", name, METADATA_MAX);
        else if ((root = json_loadb((const char *)source.data, source.length, JSON_REJECT_DUPLICATES, &error)) == NULL)
            problem_set(problem, "%s is no JSON: %s at byte %d", name, error.text, error.position);
        source_release(&source);
    }
    free(path);
    return root;
}

static const char *text_in(const json_t *root, const char *name)
{
    const json_t *value = json_object_get(root, name);
    return json_is_string(value) ? json_string_value(value) : "";
}

static bool open_below(struct store *store, const json_t *root, bool may_descend, struct problem *problem);

/* Read the metadata in the store's folder: version 3, an array of version 2, or a group of version 2. */
static bool open_folder(struct store *store, bool may_descend, struct problem *problem)
{
    const char *file = has_file(store->folder, "zarr.json") ? "zarr.json"
                       : has_file(store->folder, ".zarray") ? ".zarray"
                                                            : ".zattrs";
    json_t *root = load_json(store->folder, file, problem);
    bool good = root != NULL;
    if (good && strcmp(file, ".zarray") == 0)
        good = metadata_read_v2(store, root, problem);
    else if (good && strcmp(file, "zarr.json") == 0 && json_integer_value(json_object_get(root, "zarr_format")) != 3)
        good = problem_set(problem, "zarr.json is not of version 3");
    else if (good && strcmp(file, "zarr.json") == 0 && strcmp(text_in(root, "node_type"), "array") == 0)
        good = metadata_read_array(store, root, problem);
    else if (good)
        good = open_below(store, root, may_descend, problem);
    json_decref(root);
    return good;
}

/* Open the first array of a group. */
static bool open_below(struct store *store, const json_t *root, bool may_descend, struct problem *problem)
{
    char *path = NULL;
    if (!may_descend)
        return problem_set(problem, "Zarr: a dataset is a group itself");
    if (!metadata_find_array(root, &path, &store->grid, problem))
        return false;
    char *below = folder_join(store->folder, path);
    free(path);
    if (below == NULL)
        return problem_set(problem, "out of memory");
    free(store->folder);
    store->folder = below;
    return open_folder(store, false, problem);
}

bool store_open(struct store *store, const char *name, uint64_t max_memory, struct problem *problem)
{
    *store = (struct store){.max_memory = max_memory, .grid = {.spacing = {1, 1, 1}}};
    store->folder = strdup(name);
    store->known = calloc(1, sizeof *store->known);
    if (store->folder == NULL || store->known == NULL)
        return problem_set(problem, "out of memory");
    return json_library_load(problem) && open_folder(store, true, problem);
}

void store_release(struct store *store)
{
    free(store->folder);
    store->folder = NULL;
    if (store->known != NULL)
        free(store->known->entries);
    free(store->known);
    store->known = NULL;
}

/* Check that bricks can be reduced: their sides are multiples of 2^levels, so that reduced bricks lie side by side. */
static bool check_reduce(const struct store *store, const uint32_t levels[AXES], struct problem *problem)
{
    for (size_t i = 0; i < AXES; i++)
        if (levels[i] > 0 &&
            (store->coder == BRICK_BYTES || levels[i] > 31 || store->brick[i] % (1u << levels[i]) != 0))
            return problem_set(problem, "chunks of %ux%ux%u samples %s cannot be reduced that much",
                (unsigned)store->brick[0], (unsigned)store->brick[1], (unsigned)store->brick[2],
                store->coder == BRICK_BYTES ? "that are not compressed" : "");
    return true;
}

static void levels_of(const struct volume_settings *settings, uint32_t levels[AXES])
{
    levels[0] = settings->decode.reduce_z;
    levels[1] = levels[2] = settings->decode.reduce;
}

bool store_describe(
    const struct store *store, const struct volume_settings *settings, kst_volume *whole, struct problem *problem)
{
    uint32_t levels[AXES], sides[AXES];
    levels_of(settings, levels);
    if (!check_reduce(store, levels, problem))
        return false;
    for (size_t i = 0; i < AXES; i++)
        sides[i] = (uint32_t)(((uint64_t)store->shape[i] + (1u << levels[i]) - 1) >> levels[i]);
    kst_volume_init(whole);
    whole->depth = sides[0];
    whole->height = sides[1];
    whole->width = sides[2];
    whole->bits = store->bits;
    whole->is_signed = store->is_signed;
    whole->sample = store->is_float ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
    return true;
}

/* Describes the part of one brick that lies in a box, along one axis. */
struct span {
    uint32_t brick; /* index of the brick */
    uint32_t from;  /* where the part begins in the brick */
    uint32_t at;    /* where the part begins in the box */
    uint32_t length;
};

static struct span span_of(uint32_t side, uint32_t begin, uint32_t length, uint32_t brick)
{
    const uint32_t first = brick * side > begin ? brick * side : begin;
    const uint64_t end = (uint64_t)(brick + 1) * side < (uint64_t)begin + length ? (uint64_t)(brick + 1) * side
                                                                                 : (uint64_t)begin + length;
    return (struct span){brick, first - brick * side, first - begin, (uint32_t)(end - first)};
}

static bool read_brick(const struct store *store, const struct volume_settings *settings, const struct span part[AXES],
    const kst_volume *volume, struct problem *problem)
{
    const uint32_t at[AXES] = {part[0].brick, part[1].brick, part[2].brick};
    const kst_box box = {.x = part[2].from,
        .y = part[1].from,
        .z = part[0].from,
        .width = part[2].length,
        .height = part[1].length,
        .depth = part[0].length};
    const size_t bytes = volume_sample_bytes(volume);
    struct brick_bytes coded = {.data = NULL};
    struct problem inner = {.text = ""};
    kst_volume target = *volume;
    char *path = brick_path(store, at);
    target.data =
        (uint8_t *)volume->data + part[0].at * volume->slice_pitch + part[1].at * volume->pitch + part[2].at * bytes;
    target.width = box.width;
    target.height = box.height;
    target.depth = box.depth;
    bool good = path != NULL ? brick_fetch(store, at, &coded, problem) : problem_set(problem, "out of memory");
    if (good) {
        good = brick_decode(store, settings, &coded, &box, &target, path, &inner) ||
               problem_set_kind(problem, inner.kind, "%.2000s: %.2000s", path, inner.text);
        free(coded.data);
    }
    free(path);
    return good;
}

bool store_read(const struct store *store, const struct volume_settings *settings, const kst_box *box,
    const kst_volume *volume, struct problem *problem)
{
    const uint32_t begin[AXES] = {box->z, box->y, box->x}, length[AXES] = {box->depth, box->height, box->width};
    uint32_t levels[AXES], side[AXES], last[AXES];
    levels_of(settings, levels);
    for (size_t i = 0; i < AXES; i++) {
        side[i] = store->brick[i] >> levels[i];
        last[i] = (begin[i] + length[i] - 1) / side[i];
    }
    for (uint32_t z = begin[0] / side[0]; z <= last[0]; z++)
        for (uint32_t y = begin[1] / side[1]; y <= last[1]; y++)
            for (uint32_t x = begin[2] / side[2]; x <= last[2]; x++) {
                const struct span part[AXES] = {span_of(side[0], begin[0], length[0], z),
                    span_of(side[1], begin[1], length[1], y), span_of(side[2], begin[2], length[2], x)};
                if (!read_brick(store, settings, part, volume, problem))
                    return false;
            }
    return true;
}
