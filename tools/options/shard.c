/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads which share of the inputs a process works on, and finds the share that a name belongs to, by a hash. */
#include "options/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

/* Names the environment variables by which a scheduler numbers processes. Those after `index` may be null. */
struct scheduler {
    const char *index;
    const char *count[2]; /* the first one that is set holds the number of processes */
    const char *first;    /* holds the lowest index, which is 0 otherwise */
    const char *step;     /* holds the distance of indices, which is 1 otherwise */
};

static const struct scheduler schedulers[] = {
    {"SLURM_ARRAY_TASK_ID", {"SLURM_ARRAY_TASK_COUNT", NULL}, "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"},
    {"OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE", NULL}, NULL, NULL},
    {"JOB_COMPLETION_INDEX", {"JOB_COMPLETIONS", "KOSTKA_SHARDS"}, NULL, NULL},
};

/* Read a number from a variable. If the variable is not set, the number does not change. */
static bool read_variable(const char *verb, const char *name, uint64_t low, uint64_t *number)
{
    const char *text = name == NULL ? NULL : getenv(name);
    return text == NULL || value_number(verb, name, text, low, UINT32_MAX, number);
}

/* Return the variable that says how many processes there are; null after a message if none is set. */
static const char *find_count(const char *verb, const struct scheduler *scheduler)
{
    for (size_t i = 0; i < 2 && scheduler->count[i] != NULL; i++)
        if (getenv(scheduler->count[i]) != NULL)
            return scheduler->count[i];
    complain_usage(verb, "--shard auto: %s is set, but not how many shards there are: set %s%s%s, or write --shard I/N",
        scheduler->index, scheduler->count[0], scheduler->count[1] != NULL ? " or " : "",
        scheduler->count[1] != NULL ? scheduler->count[1] : "");
    return NULL;
}

static bool read_scheduler(const char *verb, const struct scheduler *scheduler, struct shard *shard)
{
    const char *counted = find_count(verb, scheduler);
    uint64_t index = 0, count = 0, first = 0, step = 1;

    if (counted == NULL || !read_variable(verb, scheduler->index, 0, &index) ||
        !read_variable(verb, counted, 1, &count) || !read_variable(verb, scheduler->first, 0, &first) ||
        !read_variable(verb, scheduler->step, 1, &step))
        return false;
    if (index < first || (index - first) % step != 0 || (index - first) / step >= count) {
        complain_usage(verb, "--shard auto: %s=%llu is none of %llu numbers from %llu on in steps of %llu",
            scheduler->index, (unsigned long long)index, (unsigned long long)count, (unsigned long long)first,
            (unsigned long long)step);
        return false;
    }
    *shard = (struct shard){(uint32_t)((index - first) / step), (uint32_t)count};
    return true;
}

static bool read_environment(const char *verb, struct shard *shard)
{
    const struct scheduler *found = NULL;

    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        if (getenv(schedulers[i].index) == NULL)
            continue;
        if (found != NULL) {
            complain_usage(
                verb, "--shard auto: %s and %s are both set: write --shard I/N", found->index, schedulers[i].index);
            return false;
        }
        found = &schedulers[i];
    }
    if (found != NULL)
        return read_scheduler(verb, found, shard);
    complain_usage(verb,
        "--shard auto: none of SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK and JOB_COMPLETION_INDEX is set: write "
        "--shard I/N");
    return false;
}

bool shard_read(const char *verb, const char *value, struct shard *shard)
{
    char index[16];
    size_t length = strcspn(value, "/");
    uint64_t number, count;

    if (strcmp(value, "auto") == 0)
        return read_environment(verb, shard);
    if (value[length] == '\0' || length >= sizeof index) {
        complain_usage(verb, "--shard takes I/N, from 0/N to one below N/N, or auto, not '%s'", value);
        return false;
    }
    snprintf(index, sizeof index, "%.*s", (int)length, value);
    if (!value_number(verb, "--shard I/N: N", value + length + 1, 1, UINT32_MAX, &count) ||
        !value_number(verb, "--shard I/N: I", index, 0, count - 1, &number))
        return false;
    *shard = (struct shard){(uint32_t)number, (uint32_t)count};
    return true;
}

/* Return the 64-bit FNV-1a hash, mixed once more: the lowest bits of FNV-1a are too regular for small moduli. */
static uint64_t hash(const char *name, size_t length)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    value = (value ^ (value >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    return value ^ (value >> 33);
}

bool shard_has(const struct shard *shard, const char *name, size_t length)
{
    return shard->count == 0 || hash(name, length) % shard->count == shard->index;
}
