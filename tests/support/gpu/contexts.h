/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a context on each GPU, one on the CPU to compare with, and streams to decode. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_CONTEXTS_H
#define KOSTKA_TESTS_SUPPORT_GPU_CONTEXTS_H

#include <kostka/kostka_device.h>

enum { MOST_CONTEXTS = 8 };

extern kst_context *cpu_context, *gpu_context[MOST_CONTEXTS];
extern uint32_t gpu_contexts;

/* The program exits with 77 where there is no GPU. */
int start_contexts(void **state);
int stop_contexts(void **state);

/* Another one on the same device, with less memory than pictures take. */
kst_context *small_context_create(const kst_context *like, uint64_t memory);

/* The kind of images in the device's memory. */
kst_memory device_memory(const kst_context *context);

/* A picture of noise on slopes, coded by the CPU; released with the CPU's context. */
kst_buffer encode_noise(uint32_t width, uint32_t height, const kst_encode_options *options);

/* The test fails unless the images hold the same samples; `found` may lie in the context's memory. */
void expect_same_image(const char *what, kst_context *context, const kst_image *wanted, const kst_image *found);

#endif
