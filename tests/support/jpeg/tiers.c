/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the tiers of this processor, and provides samples and guarded memory. */
#include "support/jpeg/tiers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int tiers(struct tier tier[5])
{
    int count = 0;
    for (int i = CPU_C; i <= CPU_NEON; i++) {
        enum cpu_tier known;
        if (kst_cpu_tier_by_name(kst_cpu_tier_name((enum cpu_tier)i), &known))
            continue;
        memset(&tier[count], 0, sizeof tier[count]);
        tier[count].name = kst_cpu_tier_name(known);
        kst_jpeg_cpu_dsp_init(&tier[count].dsp, known);
        count++;
    }
    return count;
}

uint32_t random_u32(void)
{
    static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

void random_bytes(uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)random_u32();
}

void random_samples(uint8_t *data, size_t n)
{
    const uint32_t kind = random_u32() % 8;
    for (size_t i = 0; i < n; i++) {
        const uint32_t noise = random_u32();
        data[i] = (uint8_t)(kind == 0   ? 0
                            : kind == 1 ? 255
                            : kind == 2 ? (noise & 1) * 255
                            : kind == 3 ? i * 3
                                        : noise);
    }
}

void fence_create(struct fence *fence, size_t length)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fence->length = (length + page - 1) / page * page;
    uint8_t *whole = mmap(NULL, fence->length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(whole, MAP_FAILED);
    fence->area = whole + page;
    assert_int_equal(mprotect(fence->area, fence->length, PROT_READ | PROT_WRITE), 0);
}

void fence_destroy(struct fence *fence)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(fence->area - page, fence->length + 2 * page);
}

uint8_t *fence_at_end(const struct fence *fence, size_t n)
{
    assert_true(n <= fence->length);
    return fence->area + fence->length - n;
}

void output_create(struct output *output, size_t length, size_t misalignment)
{
    output->length = length;
    output->whole = malloc(length + 2 * POISON_LENGTH + 64);
    assert_non_null(output->whole);
    output->data = output->whole + POISON_LENGTH;
    output->data += (64 - (uintptr_t)output->data % 64) % 64 + misalignment % 64;
    memset(output->whole, POISON, length + 2 * POISON_LENGTH + 64);
}

void output_check(const struct output *output, size_t slack)
{
    for (const uint8_t *p = output->whole; p < output->data; p++)
        assert_int_equal(*p, POISON);
    const uint8_t *end = output->whole + output->length + 2 * POISON_LENGTH + 64;
    for (const uint8_t *p = output->data + output->length + slack; p < end; p++)
        assert_int_equal(*p, POISON);
}

void output_destroy(struct output *output)
{
    free(output->whole);
}

uint32_t row_length(int index)
{
    static const uint32_t large[] = {255, 256, 257, 511, 1000, 1023, 1920, 4099, 0};
    return index < 200 ? (uint32_t)index + 1 : large[index - 200];
}
