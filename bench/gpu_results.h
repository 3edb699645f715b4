/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking things up in what bench/gpu.sh measured. */
#ifndef KOSTKA_BENCH_GPU_RESULTS_H
#define KOSTKA_BENCH_GPU_RESULTS_H

#include <jansson.h>

/* What a measurement is of; null and 0 stand for any. */
struct gpu_query {
    const char *kind;   /* as gpu.sh names it, such as "decode batch" */
    const char *device; /* "cuda", "opencl", "cpu" */
    const char *coding; /* such as "90 420" */
    const char *engine; /* "kostka", "nvJPEG" … */
    int width, height, batch;
};

/* The run of gpu.sh that fits; null: none. */
const json_t *gpu_run(const json_t *root, const struct gpu_query *query);

/* The measurement that fits, of any run; null: none, or it is missing. */
const json_t *gpu_measurement(const json_t *root, const struct gpu_query *query);

double gpu_number(const json_t *object, const char *key); /* 0: none */
const char *gpu_text(const json_t *object, const char *key);

#endif
