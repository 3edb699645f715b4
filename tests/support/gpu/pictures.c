/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens runtimes, and compares and poisons pictures for the tests of decoding on devices. */
#include "support/gpu/pictures.h"

#include <string.h>

#include "support/context.h"
#include "support/test.h"

kst_context *cpu;
struct gpu_runtime *runtimes[MOST_GPUS];
struct memory memory;

static void open_runtimes(void)
{
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct gpu_error error;
        kst_gpu_runtime_create(&memory, gpus[i]->info.name, &runtimes[i], &error);
        expect_no_error(&error);
    }
}

static void close_runtimes(void)
{
    for (uint32_t i = 0; i < gpu_count; i++)
        kst_gpu_runtime_destroy(&runtimes[i]);
    assert_int_equal(memory.used, 0);
}

int open_pictures(void **state)
{
    const kst_allocator standard = {0};
    int result = open_gpus(state);
    kst_memory_init(&memory, &standard, UINT64_MAX);
    cpu = cpu_context_create(1);
    open_runtimes();
    return result;
}

int close_pictures(void **state)
{
    close_runtimes();
    kst_context_destroy(&cpu);
    return close_gpus(state);
}

void expect_same_picture(const char *name, const kst_image *wanted, const kst_image *found)
{
    for (uint32_t p = 0; p < wanted->plane_count; p++) {
        uint32_t channels = kst_format_channels(wanted->format);
        size_t row = (size_t)wanted->plane[p].width * (channels ? channels : 1);
        for (uint32_t y = 0; y < wanted->plane[p].height; y++) {
            const uint8_t *one = (const uint8_t *)wanted->plane[p].data + (ptrdiff_t)y * wanted->plane[p].pitch;
            const uint8_t *other = (const uint8_t *)found->plane[p].data + (ptrdiff_t)y * found->plane[p].pitch;
            if (memcmp(one, other, row) == 0)
                continue;
            size_t x = 0;
            while (one[x] == other[x])
                x++;
            fail_msg("%s: plane %u, row %u, byte %zu: %u, not %u", name, p, y, x, other[x], one[x]);
        }
    }
}

void poison_picture(const kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++) {
        uint32_t channels = kst_format_channels(image->format);
        for (uint32_t y = 0; y < image->plane[p].height; y++)
            memset((uint8_t *)image->plane[p].data + (ptrdiff_t)y * image->plane[p].pitch, 0xA5,
                (size_t)image->plane[p].width * (channels ? channels : 1));
    }
}

void renew_runtimes(void)
{
    if (!simulated())
        return;
    close_runtimes();
    open_runtimes();
}
