/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens arrays of Zarr stores, and reads boxes of them brick by brick. */
#include "volume/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/folder.h"
#include "volume/devices.h"

enum {
    METADATA_MAX = 1 << 22,
    BAND_BYTES = 1 << 28, /* of samples for each device, with a GPU, at most 1/BAND_SHARE of the limit of memory */
    BAND_SHARE = 8,
    GROUP_MOST = 256, /* bricks that are decoded together, for each device, */
    GROUP_SHARE = 8   /* which take about 1/GROUP_SHARE of the limit of memory at most, but for a single one */
};

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
    store->expanded = calloc(1, sizeof *store->expanded);
    if (store->folder == NULL || store->known == NULL || store->expanded == NULL)
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
    if (store->expanded != NULL)
        free(store->expanded->samples);
    free(store->expanded);
    store->expanded = NULL;
}

/* Check that bricks can be reduced: their sides are multiples of 2^levels, so that reduced bricks lie side by side. */
static bool check_reduce(const struct store *store, const uint32_t levels[AXES], struct problem *problem)
{
    for (size_t i = 0; i < AXES; i++)
        if (levels[i] > 0 &&
            (store->coder == BRICK_BYTES || levels[i] > 31 || store->brick[i] % (1u << levels[i]) != 0))
            return problem_set(problem, "chunks of %ux%ux%u samples%s cannot be reduced that much",
                (unsigned)store->brick[0], (unsigned)store->brick[1], (unsigned)store->brick[2],
                store->coder == BRICK_BYTES ? " that are no codestreams" : "");
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
    if (settings->decode.layers > 0 && store->coder == BRICK_BYTES)
        return problem_set(problem, "--layers: chunks that are no codestreams have no layers");
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

uint64_t store_band_bytes(const struct store *store, const struct volume_settings *settings, uint64_t without)
{
    kst_device_info info = {.size = sizeof info};
    const uint32_t devices = volume_devices_count(settings);
    const bool on_cpu = devices == 1 && (kst_context_device(settings->context, &info) || info.kind == KST_DEVICE_CPU);
    const uint64_t wanted = on_cpu ? without : (uint64_t)BAND_BYTES * devices, share = store->max_memory / BAND_SHARE;
    return share < wanted ? share : wanted;
}

/* Describes a box that is read, and the bricks that have a part of it. */
struct reading {
    const struct store *store;
    const struct volume_settings *settings;
    const kst_volume *volume;
    uint32_t begin[AXES], length[AXES];
    uint32_t side[AXES]; /* of a brick, reduced */
    uint32_t first[AXES], bricks[AXES];
    bool counted;
};

/* Find the bricks that have a part of a box. Returns how many there are. */
static size_t find_bricks(
    struct reading *reading, const struct store *store, const struct volume_settings *settings, const kst_box *box)
{
    const uint32_t begin[AXES] = {box->z, box->y, box->x}, length[AXES] = {box->depth, box->height, box->width};
    uint32_t levels[AXES];
    size_t count = 1;
    *reading = (struct reading){.store = store, .settings = settings};
    levels_of(settings, levels);
    for (size_t i = 0; i < AXES; i++) {
        const uint32_t side = store->brick[i] >> levels[i], last = (begin[i] + length[i] - 1) / side;
        reading->begin[i] = begin[i];
        reading->length[i] = length[i];
        reading->side[i] = side;
        reading->first[i] = begin[i] / side;
        reading->bricks[i] = last - reading->first[i] + 1;
        count *= reading->bricks[i];
    }
    return count;
}

/* Describes the part of one brick that lies in a box, along one axis. */
struct span {
    uint32_t from; /* where the part begins in the brick */
    uint32_t at;   /* and in the box */
    uint32_t length;
};

static struct span span_of(uint32_t side, uint32_t begin, uint32_t length, uint32_t brick)
{
    const uint32_t first = brick * side > begin ? brick * side : begin;
    const uint64_t end = (uint64_t)(brick + 1) * side < (uint64_t)begin + length ? (uint64_t)(brick + 1) * side
                                                                                 : (uint64_t)begin + length;
    return (struct span){first - brick * side, first - begin, (uint32_t)(end - first)};
}

/* Describe the part of brick `number` of those that have one. */
static void place_part(const struct reading *reading, size_t number, struct brick_part *part)
{
    const kst_volume *volume = reading->volume;
    struct span span[AXES];
    for (size_t i = AXES; i-- > 0; number /= reading->bricks[i]) {
        part->at[i] = reading->first[i] + (uint32_t)(number % reading->bricks[i]);
        span[i] = span_of(reading->side[i], reading->begin[i], reading->length[i], part->at[i]);
    }
    part->box = (kst_box){.x = span[2].from,
        .y = span[1].from,
        .z = span[0].from,
        .width = span[2].length,
        .height = span[1].length,
        .depth = span[0].length};
    part->target = *volume;
    part->target.owned = NULL;
    part->target.data = (uint8_t *)volume->data + span[0].at * volume->slice_pitch + span[1].at * volume->pitch +
                        span[2].at * volume_sample_bytes(volume);
    part->target.width = part->box.width;
    part->target.height = part->box.height;
    part->target.depth = part->box.depth;
}

/* Return the bytes that a part takes while it is decoded: its codestream, and perhaps a copy of its samples. */
static uint64_t bytes_of(const struct brick_part *part)
{
    const kst_box *box = &part->box;
    return part->coded.length + (uint64_t)box->width * box->height * box->depth * volume_sample_bytes(&part->target);
}

/* Return how many bricks go together at most. Of packed ones only one expanded brick is kept. */
static size_t group_most(const struct reading *reading)
{
    return reading->store->packing == PACKING_NONE ? (size_t)GROUP_MOST * volume_devices_count(reading->settings) : 1;
}

/* Read bricks from number *next on, as many as go together, and decode them. A bad file ends the group before it. */
static bool read_group(
    const struct reading *reading, struct brick_part *group, size_t *next, size_t end, struct problem *problem)
{
    const struct store *store = reading->store;
    struct problem late = {.text = ""};
    uint64_t bytes = 0;
    size_t count = 0;
    bool fetched = true;
    const size_t most = group_most(reading);
    while (*next + count < end && count < most && (count == 0 || bytes < store->max_memory / GROUP_SHARE)) {
        place_part(reading, *next + count, &group[count]);
        group[count].coded = (struct brick_bytes){.data = NULL};
        fetched = brick_is_expanded(store, group[count].at) ||
                  brick_fetch(store, group[count].at, &group[count].coded, &late);
        if (!fetched)
            break;
        bytes += bytes_of(&group[count++]);
    }
    *next += count;
    bool good = bricks_decode(store, reading->settings, group, count, reading->counted, problem);
    if (good && !fetched)
        good = problem_set_kind(problem, late.kind, "%s", late.text);
    for (size_t i = 0; i < count; i++)
        free(group[i].coded.data);
    return good;
}

size_t store_bricks(const struct store *store, const struct volume_settings *settings, const kst_box *box)
{
    struct reading reading;
    return find_bricks(&reading, store, settings, box);
}

bool store_read(const struct store *store, const struct volume_settings *settings, const kst_box *box,
    const kst_volume *volume, bool counted, struct problem *problem)
{
    struct reading reading;
    const size_t end = find_bricks(&reading, store, settings, box);
    const size_t most = group_most(&reading), some = end < most ? end : most;
    struct brick_part *group = calloc(some > 0 ? some : 1, sizeof *group);
    bool good = true;
    if (group == NULL)
        return problem_set(problem, "out of memory");
    reading.volume = volume;
    reading.counted = counted;
    for (size_t next = 0; good && next < end;)
        good = read_group(&reading, group, &next, end, problem);
    free(group);
    return good;
}
