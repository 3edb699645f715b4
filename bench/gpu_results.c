/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds measurements in the JSON that bench/gpu.sh writes. */
#include "gpu_results.h"

#include <string.h>

double gpu_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

const char *gpu_text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

static int fits(const char *wanted, const char *value)
{
    return wanted == NULL || strcmp(wanted, value) == 0;
}

static int run_fits(const json_t *run, const struct gpu_query *query)
{
    const char *device = gpu_text(run, "device");

    return fits(query->kind, gpu_text(run, "kind")) && fits(query->coding, gpu_text(run, "coding")) &&
           (query->device == NULL || strncmp(device, query->device, strlen(query->device)) == 0);
}

/* Return whether an engine is the wanted one; "nvJPEG" stands for each of its backends. */
static int engine_fits(const char *wanted, const char *value)
{
    return fits(wanted, value) || (strcmp(wanted, "nvJPEG") == 0 && strncmp(value, "nvJPEG ", 7) == 0);
}

static int file_fits(const json_t *file, const struct gpu_query *query)
{
    return engine_fits(query->engine, gpu_text(file, "engine")) && json_object_get(file, "median_seconds") != NULL &&
           (query->width == 0 || query->width == (int)gpu_number(file, "width")) &&
           (query->height == 0 || query->height == (int)gpu_number(file, "height")) &&
           (query->batch == 0 || query->batch == (int)gpu_number(file, "batch"));
}

const json_t *gpu_run(const json_t *root, const struct gpu_query *query)
{
    size_t i;
    const json_t *run;

    json_array_foreach(json_object_get(root, "runs"), i, run)
    {
        if (run_fits(run, query))
            return run;
    }
    return NULL;
}

const json_t *gpu_measurement(const json_t *root, const struct gpu_query *query)
{
    size_t i, j;
    const json_t *run, *file, *best = NULL;

    json_array_foreach(json_object_get(root, "runs"), i, run)
    {
        if (!run_fits(run, query))
            continue;
        json_array_foreach(json_object_get(json_object_get(run, "result"), "files"), j, file)
        {
            if (file_fits(file, query) &&
                (best == NULL || gpu_number(file, "median_seconds") < gpu_number(best, "median_seconds")))
                best = file;
        }
    }
    return best;
}
