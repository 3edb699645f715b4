/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bricks from their files or from shards, and writes shards. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "volume/store.h"

enum { ENTRY = 16, SUM = 4 };

char *brick_path(const struct store *store, const uint32_t at[AXES])
{
    const size_t room = strlen(store->folder) + 64;
    char *path = malloc(room);
    if (path == NULL)
        return NULL;
    const char first[] = {store->separator, '\0'};
    snprintf(path, room, "%s/%s%s%u%c%u%c%u", store->folder, store->plain_keys ? "" : "c",
        store->plain_keys ? "" : first, (unsigned)(at[0] / store->shard[0]), store->separator,
        (unsigned)(at[1] / store->shard[1]), store->separator, (unsigned)(at[2] / store->shard[2]));
    return path;
}

static uint64_t get64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static void put_little(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Return the index of a brick in its shard. */
static size_t place_of(const struct store *store, const uint32_t at[AXES])
{
    size_t place = 0;
    for (size_t i = 0; i < AXES; i++)
        place = place * store->shard[i] + at[i] % store->shard[i];
    return place;
}

static size_t entries_of(const struct store *store)
{
    return (size_t)store->shard[0] * store->shard[1] * store->shard[2];
}

/* Read the index of a shard from its file. The caller frees it; null if it cannot be read. */
static uint8_t *load_index(const struct store *store, const struct source *source, struct problem *problem)
{
    const size_t entries = entries_of(store) * ENTRY, whole = entries + (store->index_checked ? SUM : 0);
    const uint64_t size = source_size(source);
    uint8_t *index = malloc(whole), sum[SUM];
    bool good = index != NULL || problem_set(problem, "out of memory");
    good = good && (size >= whole || problem_set(problem, "the shard ends before its index does"));
    good = good && source_at(source, store->index_first ? 0 : size - whole, whole, index, problem);
    if (good && store->index_checked) {
        put_little(sum, crc32c(index, entries), SUM);
        good =
            memcmp(sum, index + entries, SUM) == 0 || problem_set(problem, "the CRC-32C of the shard's index is wrong");
    }
    if (good)
        return index;
    free(index);
    return NULL;
}

/* Load the index of the shard with brick `at`, unless it is the one that was loaded last. */
static bool know_index(
    const struct store *store, const struct source *source, const uint32_t at[AXES], struct problem *problem)
{
    struct shard_index *known = store->known;
    bool same = known->entries != NULL;
    for (size_t i = 0; i < AXES; i++)
        same = same && known->shard[i] == at[i] / store->shard[i];
    if (same)
        return true;
    free(known->entries);
    known->entries = load_index(store, source, problem);
    for (size_t i = 0; i < AXES; i++)
        known->shard[i] = at[i] / store->shard[i];
    return known->entries != NULL;
}

/* Find a brick in its shard. An entry whose bits are all ones is a missing brick. */
static bool find_in_shard(const struct store *store, const struct source *source, const uint32_t at[AXES],
    uint64_t *offset, uint64_t *length, struct problem *problem)
{
    const uint64_t size = source_size(source);
    if (!know_index(store, source, at, problem))
        return false;
    const uint8_t *entry = store->known->entries + place_of(store, at) * ENTRY;
    *offset = get64(entry);
    *length = get64(entry + 8);
    if (*offset == UINT64_MAX && *length == UINT64_MAX) {
        *length = 0;
        return true;
    }
    return (*offset <= size && *length <= size - *offset) || problem_set(problem, "a brick lies outside of its shard");
}

/* Check and drop the CRC-32C behind a brick. */
static bool check_sum(struct brick_bytes *bytes, struct problem *problem)
{
    uint8_t sum[SUM];
    if (bytes->length < SUM)
        return problem_set(problem, "it ends before its CRC-32C");
    bytes->length -= SUM;
    put_little(sum, crc32c(bytes->data, bytes->length), SUM);
    return memcmp(sum, bytes->data + bytes->length, SUM) == 0 || problem_set(problem, "its CRC-32C is wrong");
}

static bool read_bytes(const struct store *store, const struct source *source, const uint32_t at[AXES],
    struct brick_bytes *bytes, struct problem *problem)
{
    uint64_t offset = 0, length = source_size(source);
    if (store->sharded && !find_in_shard(store, source, at, &offset, &length, problem))
        return false;
    if (store->sharded && length == 0)
        return true;
    if (length > store->max_memory)
        return problem_set_kind(
            problem, PROBLEM_LIMIT, "a brick of %llu bytes exceeds the limit of memory", (unsigned long long)length);
    bytes->data = malloc(length > 0 ? (size_t)length : 1);
    bytes->length = (size_t)length;
    if (bytes->data == NULL)
        return problem_set(problem, "out of memory");
    return source_at(source, offset, bytes->length, bytes->data, problem) &&
           (!store->bricks_checked || check_sum(bytes, problem));
}

bool brick_fetch(const struct store *store, const uint32_t at[AXES], struct brick_bytes *bytes, struct problem *problem)
{
    struct source source;
    struct stat state;
    char *path = brick_path(store, at);
    *bytes = (struct brick_bytes){.data = NULL};
    if (path == NULL)
        return problem_set(problem, "out of memory");
    bool good = true;
    const bool there = stat(path, &state) == 0;
    if (there && !S_ISREG(state.st_mode))
        good = problem_set(problem, "%s is no file", path);
    else if (!there && errno != ENOENT)
        good = problem_set_kind(problem, PROBLEM_READ, "%s: %s", path, strerror(errno));
    else if (there) {
        struct problem inner = {.text = ""};
        good = source_open(&source, path, &inner);
        if (good) {
            good = read_bytes(store, &source, at, bytes, &inner);
            source_release(&source);
        }
        if (!good)
            problem_set_kind(problem, inner.kind, "%.2000s: %.2000s", path, inner.text);
    }
    free(path);
    if (!good) {
        free(bytes->data);
        *bytes = (struct brick_bytes){.data = NULL};
    }
    return good;
}

struct shard_writer {
    const struct store *store;
    struct output output;
    uint64_t written;
    uint8_t *index;
};

struct shard_writer *shard_begin(const struct store *store, const uint32_t at[AXES], struct problem *problem)
{
    const size_t length = entries_of(store) * ENTRY;
    struct shard_writer *shard = calloc(1, sizeof *shard);
    char *path = brick_path(store, at);
    bool good = shard != NULL && path != NULL && (shard->index = malloc(length + SUM)) != NULL;
    if (!good)
        problem_set(problem, "out of memory");
    good = good && output_open(&shard->output, path, problem);
    free(path);
    if (!good) {
        if (shard != NULL)
            free(shard->index);
        free(shard);
        return NULL;
    }
    shard->store = store;
    memset(shard->index, 0xFF, length);
    return shard;
}

bool shard_add(struct shard_writer *shard, const uint32_t at[AXES], const kst_buffer *coded, struct problem *problem)
{
    uint8_t *entry = shard->index + place_of(shard->store, at) * ENTRY;
    put_little(entry, shard->written, 8);
    put_little(entry + 8, coded->length, 8);
    shard->written += coded->length;
    return output_write(&shard->output, coded->data, coded->length, problem);
}

bool shard_end(struct shard_writer *shard, bool good, struct problem *problem)
{
    const size_t length = entries_of(shard->store) * ENTRY;
    put_little(shard->index + length, crc32c(shard->index, length), SUM);
    good = good && output_write(&shard->output, shard->index, length + SUM, problem) &&
           output_commit(&shard->output, problem);
    if (!good)
        output_discard(&shard->output);
    free(shard->index);
    free(shard);
    return good;
}
