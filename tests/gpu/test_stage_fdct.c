/* SPDX-License-Identifier: BSD-2-Clause */
/* Transform and quantisation as kernels encode JPEG with them, against plain C's, on what no picture holds. */
#include <string.h>

#include "jpeg/cpu/dsp/dsp.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

extern const struct gpu_kernels kst_kernels_stage_fdct;

enum { STAGE_BLOCKS = 64, STAGE_IN = STAGE_BLOCKS * 16, STAGE_OUT = STAGE_BLOCKS * 34 };

struct stage {
    struct gpu_queue queue;
    struct gpu_program program;
    struct gpu_kernel kernel;
    struct gpu_buffer host_in, host_out, in, table, out;
};

static void stage_open(struct stage *stage, struct gpu *gpu, uint32_t tables)
{
    struct gpu_error error = {.status = KST_OK};
    memset(stage, 0, sizeof *stage);
    gpu->backend->queue_create(gpu, false, &stage->queue, &error);
    gpu->backend->build(gpu, &kst_kernels_stage_fdct, &stage->program, &error);
    gpu->backend->find(gpu, &stage->program, "test_block", STAGE_BLOCKS, &stage->kernel, &error);
    gpu->backend->allocate(gpu, GPU_PINNED, tables * (STAGE_IN + 128) * 4, &stage->host_in, &error);
    gpu->backend->allocate(gpu, GPU_PINNED, tables * STAGE_OUT * 4, &stage->host_out, &error);
    gpu->backend->allocate(gpu, GPU_DEVICE, tables * STAGE_IN * 4, &stage->in, &error);
    gpu->backend->allocate(gpu, GPU_DEVICE, tables * 128 * 4, &stage->table, &error);
    gpu->backend->allocate(gpu, GPU_DEVICE, tables * STAGE_OUT * 4, &stage->out, &error);
    expect_no_error(&error);
}

static void stage_close(struct stage *stage, struct gpu *gpu)
{
    gpu->backend->release(gpu, &stage->host_in);
    gpu->backend->release(gpu, &stage->host_out);
    gpu->backend->release(gpu, &stage->in);
    gpu->backend->release(gpu, &stage->table);
    gpu->backend->release(gpu, &stage->out);
    gpu->backend->forget(gpu, &stage->kernel);
    gpu->backend->discard(gpu, &stage->program);
    gpu->backend->queue_destroy(&stage->queue);
}

static uint16_t random_quantiser(uint32_t table)
{
    static const uint32_t most[] = {1, 2, 16, 255, 8191, 65535};
    return (uint16_t)(1 + next_random() % most[table % 6]);
}

static void fill_stage(uint32_t *in, uint32_t *table, uint16_t (*quant)[64], uint32_t tables)
{
    for (uint32_t i = 0; i < tables * STAGE_IN; i++) {
        uint32_t kind = i / 16 % 8;
        in[i] = kind == 0 ? 0 : kind == 1 ? 0xFFFFFFFF : next_random();
        for (int b = 0; b < 32 && kind < 5 && kind > 1; b += 8) /* black and white */
            in[i] = (in[i] & ~(255U << b)) | (in[i] >> b & 1 ? 255U : 0U) << b;
    }
    for (uint32_t t = 0; t < tables; t++)
        for (uint32_t i = 0; i < 64; i++) {
            quant[t][i] = random_quantiser(t);
            uint32_t divisor = quant[t][i] * 8U & 0xFFFF;
            table[(t * 64 + i) * 2] = divisor ? (uint32_t)(((UINT64_C(1) << 32) + divisor - 1) / divisor) : 0;
            table[(t * 64 + i) * 2 + 1] = divisor / 2;
        }
}

static void expect_block(const struct jpeg_dsp *dsp, const uint16_t quant[64], const uint32_t *in, const uint32_t *out)
{
    struct jpeg_quantizer quantizer;
    _Alignas(64) int16_t block[64], wanted[64], found[64];
    kst_jpeg_cpu_quantizer_init(&quantizer, quant);
    dsp->fdct((const uint8_t *)in, 8, &quantizer, block);
    uint64_t mask = dsp->zigzag(block, wanted) & ~(uint64_t)1;
    memcpy(found, out, sizeof found);
    for (uint32_t k = 0; k < 64; k++) {
        if (found[k] != wanted[k])
            fail_msg("coefficient %u: %d, not %d", k, found[k], wanted[k]);
        assert_int_equal(out[32 + k / 32] >> (31 - k % 32) & 1, mask >> k & 1);
    }
}

static void test_transform(void **state)
{
    (void)state;
    enum { TABLES = 24 };
    const uint32_t tables = simulated() ? 1 : TABLES;
    uint16_t quant[TABLES][64];
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    for (uint32_t g = 0; g < gpu_count; g++) {
        const struct gpu_backend *backend = gpus[g]->backend;
        struct stage stage;
        stage_open(&stage, gpus[g], tables);
        uint32_t *in = (uint32_t *)(void *)stage.host_in.host, *table = in + tables * STAGE_IN;
        const uint32_t *out = (const uint32_t *)(const void *)stage.host_out.host;
        fill_stage(in, table, quant, tables);
        backend->copy(&stage.queue, &stage.in, 0, &stage.host_in, 0, tables * STAGE_IN * 4);
        backend->copy(&stage.queue, &stage.table, 0, &stage.host_in, tables * STAGE_IN * 4, tables * 128 * 4);
        backend->fill(&stage.queue, &stage.out, 0, tables * STAGE_OUT * 4, 0xA5A5A5A5);
        const struct gpu_argument arguments[] = {
            {.buffer = &stage.in}, {.buffer = &stage.table}, {.buffer = &stage.out}};
        backend->launch(&stage.queue, &stage.kernel, tables, arguments, 3);
        backend->copy(&stage.queue, &stage.host_out, 0, &stage.out, 0, tables * STAGE_OUT * 4);
        backend->finish(&stage.queue);
        expect_no_error(&stage.queue.error);
        for (uint32_t i = 0; i < tables * STAGE_BLOCKS; i++)
            expect_block(&dsp, quant[i / STAGE_BLOCKS], in + (size_t)i * 16, out + (size_t)i * 34);
        stage_close(&stage, gpus[g]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transform)};
    return cmocka_run_group_tests(tests, open_gpus, close_gpus);
}
