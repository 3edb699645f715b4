/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads any bytes as a file of a volume: SEG-Y, the header of NIfTI-1, metadata of Zarr, a compressed file of NIfTI-1,
 * or a compressed brick, as the last byte says. What is accepted is within the limits, and a failure has a text.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "volume/segy.h"
#include "volume/store.h"

enum { MEMORY = 1 << 20, ROWS = 64, ROOM = 256, KINDS = 7 };

/* Stand in for the functions that read files on a disk. */
uint64_t source_size(const struct source *source)
{
    return source->size;
}

bool source_at(const struct source *source, uint64_t offset, size_t length, void *to, struct problem *problem)
{
    if (offset > source->size || length > source->size - offset)
        return problem_set(problem, "the file has become shorter");
    memcpy(to, source->data + offset, length);
    return true;
}

static void check_volume(const kst_volume *volume)
{
    fuzz_check(volume->width > 0 && volume->height > 0 && volume->depth > 0, "a volume has samples");
    fuzz_check(volume->bits == 8 || volume->bits == 16 || volume->bits == 28 || volume->bits == 32, "and a type");
}

/* Read some rows of a survey, one by one. */
static void read_rows(const struct volume_file *file)
{
    const size_t row = (size_t)(file->segy->length - SEGY_TRACE_HEADER);
    uint8_t *to = malloc(row);
    const uint64_t all = (uint64_t)file->volume.height * file->volume.depth;
    fuzz_check(to != NULL, "memory for a row");
    for (uint64_t i = 0; i < all && i < ROWS; i++) {
        const kst_box box = {.y = (uint32_t)(i % file->volume.height),
            .z = (uint32_t)(i / file->volume.height),
            .width = file->volume.width,
            .height = 1,
            .depth = 1};
        struct problem problem = {.text = ""};
        fuzz_check(segy_read_rows(file, &box, to, &problem) || problem.text[0] != '\0', "a failure has a text");
    }
    free(to);
}

static void read_segy(const uint8_t *data, size_t length)
{
    struct volume_file file = {.source = {.data = (uint8_t *)(uintptr_t)data, .length = length, .size = length}};
    struct problem problem = {.text = ""};
    if (segy_open(&file, MEMORY, &problem)) {
        check_volume(&file.volume);
        read_rows(&file);
    } else {
        fuzz_check(problem.text[0] != '\0', "a failure has a text");
    }
    segy_release(file.segy);
}

static void read_nifti(const uint8_t *data, size_t length)
{
    struct volume_file file = {.source = {.data = (uint8_t *)(uintptr_t)data, .length = length, .size = length}};
    struct problem problem = {.text = ""};
    if (nifti_read(&file, &problem)) {
        check_volume(&file.volume);
        fuzz_check(file.offset <= length, "samples begin in the file");
    } else {
        fuzz_check(problem.text[0] != '\0', "a failure has a text");
    }
}

static void read_packed(const uint8_t *data, size_t length)
{
    struct volume_file file = {.source = {.data = (uint8_t *)(uintptr_t)data, .length = length, .size = length}};
    struct problem problem = {.text = ""};
    if (nifti_unpack(&file, MEMORY, &problem))
        check_volume(&file.volume);
    else
        fuzz_check(problem.text[0] != '\0', "a failure has a text");
    free(file.samples);
}

/* Expand a brick to a block of exactly the right length, so that a sanitizer detects each byte written past its end. */
static void expand(const uint8_t *data, struct fuzz_input *input)
{
    static const enum packing kinds[] = {PACKING_GZIP, PACKING_ZLIB, PACKING_ZSTD, PACKING_BLOSC};
    const enum packing kind = kinds[fuzz_take(input, sizeof kinds / sizeof *kinds)];
    const size_t room = 1 + fuzz_take(input, ROOM);
    struct problem problem = {.text = ""};
    uint8_t *to = malloc(room);
    fuzz_check(to != NULL, "memory for a brick");
    fuzz_check(packing_expand(kind, data, input->length, to, room, &problem) || problem.text[0] != '\0',
        "a failure has a text");
    free(to);
}

static void check_store(const struct store *store)
{
    uint64_t bytes = store->bits / 8;
    for (size_t i = 0; i < AXES; i++) {
        fuzz_check(store->shape[i] > 0 && store->brick[i] > 0 && store->shard[i] > 0, "an array has sides");
        bytes *= store->brick[i];
    }
    fuzz_check(bytes > 0 && bytes <= MEMORY, "a brick is within the limit");
    fuzz_check(store->separator == '.' || store->separator == '/', "keys have a separator");
}

static void read_metadata(const uint8_t *data, size_t length, uint32_t kind)
{
    struct store store = {.max_memory = MEMORY};
    struct problem problem = {.text = ""};
    json_error_t error;
    json_t *root = json_loadb((const char *)data, length, JSON_REJECT_DUPLICATES, &error);
    char *path = NULL;
    if (root == NULL)
        return;
    const bool fine = kind == 0   ? metadata_read_array(&store, root, &problem)
                      : kind == 1 ? metadata_read_v2(&store, root, &problem)
                                  : metadata_find_array(root, &path, &store.grid, &problem);
    fuzz_check(fine || problem.text[0] != '\0', "a failure has a text");
    if (fine && kind < 2)
        check_store(&store);
    fuzz_check(path == NULL || (path[0] != '/' && strstr(path, "..") == NULL), "a path leads below its folder");
    free(path);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    const uint32_t kind = fuzz_take(&input, KINDS);
    if (kind == 0)
        read_segy(data, input.length);
    else if (kind == 1)
        read_nifti(data, input.length);
    else if (kind == KINDS - 2)
        read_packed(data, input.length);
    else if (kind == KINDS - 1)
        expand(data, &input);
    else
        read_metadata(data, input.length, kind - 2);
    return 0;
}
