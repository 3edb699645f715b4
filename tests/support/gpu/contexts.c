/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a context on each GPU and streams of noise, and compares images. */
#include "support/gpu/contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/test.h"

kst_context *cpu_context, *gpu_context[MOST_CONTEXTS];
uint32_t gpu_contexts;

/*
 * Create contexts on the devices that KOSTKA_TEST_DEVICES names. The simulator runs one kernel at a time for all
 * threads together, so that its context has one thread.
 */
static void start_named(const char *names)
{
    char *copy = strdup(names);
    bool simulated = getenv("KOSTKA_TEST_SIMULATED") != NULL;
    for (char *name = strtok(copy, " "); name && gpu_contexts < MOST_CONTEXTS; name = strtok(NULL, " "))
        gpu_context[gpu_contexts++] = context_create(name, simulated ? 1 : 3, NULL);
    free(copy);
}

int start_contexts(void **state)
{
    const char *names = getenv("KOSTKA_TEST_DEVICES");
    (void)state;
    cpu_context = cpu_context_create(1);
    if (names && names[0])
        start_named(names);
    for (uint32_t i = 1; !(names && names[0]) && i < kst_device_count() && gpu_contexts < MOST_CONTEXTS; i++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_device_get(i, &info), KST_OK);
        gpu_context[gpu_contexts++] = context_create(info.name, 3, NULL);
    }
    if (gpu_contexts > 0)
        return 0;
    puts("no OpenCL or CUDA device");
    exit(77);
}

int stop_contexts(void **state)
{
    (void)state;
    while (gpu_contexts > 0)
        kst_context_destroy(&gpu_context[--gpu_contexts]);
    kst_context_destroy(&cpu_context);
    return 0;
}

kst_context *small_context_create(const kst_context *like, uint64_t memory)
{
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(like, &info), KST_OK);
    return context_create(info.name, 2, &(kst_limits){.memory = memory});
}

kst_memory device_memory(const kst_context *context)
{
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    return info.kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : KST_MEMORY_OPENCL;
}

kst_buffer encode_noise(uint32_t width, uint32_t height, const kst_encode_options *options)
{
    uint32_t random = width * 77 + height;
    uint8_t *pixels = malloc((size_t)width * height * 3);
    kst_buffer buffer = {.data = NULL};
    kst_image image;
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)width * height * 3; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 50 + (random >> 27));
    }
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, width, height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(cpu_context, &image, options, &buffer, NULL), KST_OK);
    free(pixels);
    return buffer;
}

/* Compare floating-point samples bit by bit. */
static void expect_same_numbers(const char *what, const kst_image *wanted, const kst_image *found)
{
    uint32_t channels = kst_format_channels(wanted->format),
             bytes = wanted->plane[0].sample == KST_SAMPLE_FLOAT16 ? 2 : 4;
    for (uint32_t i = 0; i < wanted->plane_count; i++) {
        const kst_plane *a = &wanted->plane[i], *b = &found->plane[i];
        size_t row = (size_t)a->width * (channels ? channels : 1) * bytes;
        for (uint32_t y = 0; y < a->height; y++)
            if (memcmp((uint8_t *)a->data + y * a->pitch, (uint8_t *)b->data + y * b->pitch, row) != 0)
                fail_msg("%s: row %u of plane %u differs", what, (unsigned)y, (unsigned)i);
    }
}

void expect_same_image(const char *what, kst_context *context, const kst_image *wanted, const kst_image *found)
{
    kst_image copy = *wanted;
    kst_comparison comparison = {.size = sizeof comparison};
    copy.owned = NULL;
    assert_int_equal(kst_image_allocate(cpu_context, &copy), KST_OK);
    assert_int_equal(kst_image_copy(context, found, &copy), KST_OK);
    if (wanted->plane[0].sample != KST_SAMPLE_INTEGER) {
        expect_same_numbers(what, wanted, &copy);
        kst_image_release(cpu_context, &copy);
        return;
    }
    assert_int_equal(kst_compare(wanted, &copy, &comparison), KST_OK);
    if (!comparison.identical)
        fail_msg("%s: %u of %u samples differ", what, (unsigned)comparison.differing, (unsigned)comparison.samples);
    kst_image_release(cpu_context, &copy);
}
