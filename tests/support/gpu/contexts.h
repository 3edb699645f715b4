/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a context on each GPU, one on the CPU to compare with, and streams to decode. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_CONTEXTS_H
#define KOSTKA_TESTS_SUPPORT_GPU_CONTEXTS_H

#include <kostka/kostka_device.h>

enum { MOST_CONTEXTS = 8 };

extern kst_context *cpu_context, *gpu_context[MOST_CONTEXTS];
extern uint32_t gpu_contexts;

/* Create the contexts. The program exits with 77 where there is no GPU. */
int start_contexts(void **state);
int stop_contexts(void **state);

/* Create another context on the same device, whose memory limit is lower than pictures need. */
kst_context *small_context_create(const kst_context *like, uint64_t memory);

/* Return the kind of memory that the context's device has. */
kst_memory device_memory(const kst_context *context);

/* Encode noise on slopes with the CPU. The stream is released with the CPU's context. */
kst_buffer encode_noise(uint32_t width, uint32_t height, const kst_encode_options *options);

/*
 * Compare two images; the test fails unless they hold the same samples. `found` may lie in the context's device memory.
 */
void expect_same_image(const char *what, kst_context *context, const kst_image *wanted, const kst_image *found);

#endif
