/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up measurements of bench/gpu.sh. */
#ifndef KOSTKA_BENCH_GPU_RESULTS_H
#define KOSTKA_BENCH_GPU_RESULTS_H

#include <jansson.h>

/* Selects measurements; null and 0 match any. */
struct gpu_query {
    const char *kind;   /* as gpu.sh names it, such as "decode batch" */
    const char *device; /* "cuda", "opencl", "cpu" */
    const char *coding; /* such as "90 420" */
    const char *engine; /* "kostka", "nvJPEG" with whatever backend … */
    int width, height, batch;
};

/* Return the run of gpu.sh that matches; null if there is none. */
const json_t *gpu_run(const json_t *root, const struct gpu_query *query);

/*
 * Return the fastest measurement that matches, of any run, such as that of nvJPEG's best backend; null if there is
 * none, or if it is missing.
 */
const json_t *gpu_measurement(const json_t *root, const struct gpu_query *query);

double gpu_number(const json_t *object, const char *key); /* 0: none */
const char *gpu_text(const json_t *object, const char *key);

#endif
