/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks encoders in several threads on a device: parts wait for those of others, but for nothing that another thread
 * has taken.
 */
#include <pthread.h>
#include <string.h>

#include "core/context.h"
#include "device/runtime.h"
#include "j2k/gpu/modules.h"
#include "run/device.h"
#include "support/context.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/test.h"

enum { PICTURES = 6, THREADS = 4, ROUNDS = 3, CODINGS = 3 };

static kst_image image[PICTURES];
static kst_j2k_options ratio;
static kst_encode_options coding[CODINGS]; /* JPEG 2000 both ways, and JPEG, which takes the same queues and events */
static kst_buffer wanted[CODINGS][PICTURES];

static int start(void **state)
{
    start_contexts(state);
    kst_j2k_options_init(&ratio);
    ratio.target = KST_J2K_RATIO;
    ratio.value = 12;
    coding[0] = j2k_coding(NULL);
    coding[1] = j2k_coding(&ratio);
    kst_encode_options_init(&coding[2]);
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_buffer stream = encode_noise(90 + 10 * i, 80, &coding[2]);
        kst_image_init(&image[i]);
        assert_int_equal(kst_decode(cpu_context, stream.data, stream.length, NULL, &image[i], NULL), KST_OK);
        kst_buffer_release(cpu_context, &stream);
        for (uint32_t c = 0; c < CODINGS; c++)
            assert_int_equal(kst_encode(cpu_context, &image[i], &coding[c], &wanted[c][i], NULL), KST_OK);
    }
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        for (uint32_t c = 0; c < CODINGS; c++)
            kst_buffer_release(cpu_context, &wanted[c][i]);
        kst_image_release(cpu_context, &image[i]);
    }
    return stop_contexts(state);
}

struct worker {
    pthread_t thread;
    kst_context *context;
    uint32_t first;
    uint32_t others; /* streams that are not what the CPU gives */
};

static void encode_set(struct worker *worker, uint32_t c)
{
    kst_encode_item item[PICTURES];
    for (uint32_t i = 0; i < PICTURES; i++)
        item[i] = (kst_encode_item){.image = &image[i], .options = &coding[c], .report = {.size = sizeof(kst_report)}};
    kst_encode_batch(worker->context, item, PICTURES);
    for (uint32_t i = 0; i < PICTURES; i++) {
        const kst_buffer *found = &item[i].output;
        worker->others += item[i].report.status || found->length != wanted[c][i].length ||
                          memcmp(found->data, wanted[c][i].data, found->length) != 0;
        kst_buffer_release(worker->context, &item[i].output);
    }
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    for (uint32_t round = 0; round < ROUNDS; round++)
        encode_set(worker, (worker->first + round) % CODINGS);
    return NULL;
}

static void test_side_by_side(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct worker worker[THREADS];
        for (uint32_t i = 0; i < THREADS; i++) {
            worker[i] = (struct worker){.context = gpu_context[g], .first = i};
            assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(worker[i].thread, NULL);
            assert_int_equal(worker[i].others, 0);
        }
    }
}

/* Other threads may record events of returned lanes: nothing may still wait for those events. */
static void test_nothing_left(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct worker worker = {.context = gpu_context[g]};
        encode_set(&worker, 1);
        assert_int_equal(worker.others, 0);
        struct gpu_error error;
        const struct gpu_built *built =
            kst_gpu_runtime_build(kst_context_gpu_if_open(gpu_context[g]), &kst_j2k_gpu_encoding, &error);
        const struct j2k_gpu_encoding_state *left = built->state;
        assert_null(left->transformed);
        assert_null(left->modelled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_nothing_left),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
