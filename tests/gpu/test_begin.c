/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several threads of a program ask for a device before any has: each gets it. Drivers of OpenCL and their loader begin
 * with the first question, and do not expect a second one meanwhile.
 */
#include <pthread.h>

#include <kostka/kostka_device.h>

#include "support/test.h"

enum { THREADS = 4 };

struct asking {
    const char *device;
    pthread_barrier_t *barrier;
    kst_status status;
};

static kst_status ask_once(const char *device)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = device;
    kst_status status = kst_context_create(&options, &context);
    kst_context_destroy(&context);
    return status;
}

static void *ask(void *arg)
{
    struct asking *asking = arg;
    pthread_barrier_wait(asking->barrier);
    asking->status = ask_once(asking->device);
    return NULL;
}

/* Ask for the device from all threads at once; each gets what one gets later. Returns whether the device is there. */
static bool ask_together(const char *device)
{
    pthread_barrier_t barrier;
    pthread_t thread[THREADS];
    struct asking asking[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        asking[i] = (struct asking){.device = device, .barrier = &barrier};
        assert_int_equal(pthread_create(&thread[i], NULL, ask, &asking[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
    kst_status later = ask_once(device);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(asking[i].status, later);
    return !later;
}

static void test_together(void **state)
{
    (void)state;
    bool opencl = ask_together("opencl:0"), cuda = ask_together("cuda:0");
    if (!opencl && !cuda)
        skip("there is no device of OpenCL or CUDA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
