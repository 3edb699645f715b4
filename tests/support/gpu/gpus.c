/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the devices that tests run on. */
#include "support/gpu/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

struct gpu *gpus[MOST_GPUS];
uint32_t gpu_count;

static struct memory memory;

static void open_one(const char *name)
{
    struct gpu_error error;
    assert_true(gpu_count < MOST_GPUS);
    kst_status status = kst_gpu_open(&memory, name, &gpus[gpu_count], &error);
    if (status)
        fail_msg("%s: %s", name, error.text[0] ? error.text : kst_status_text(status));
    printf("on %s, %s\n", gpus[gpu_count]->info.name, gpus[gpu_count]->info.model);
    gpu_count++;
}

int open_gpus(void **state)
{
    (void)state;
    const kst_allocator standard = {0};
    kst_memory_init(&memory, &standard, UINT64_MAX);
    const char *names = getenv("KOSTKA_TEST_DEVICES");
    if (names && names[0]) {
        char *copy = strdup(names);
        for (char *name = strtok(copy, " "); name; name = strtok(NULL, " "))
            open_one(name);
        free(copy);
    }
    for (uint32_t i = 0; !(names && names[0]) && i < kst_gpu_count() && i < MOST_GPUS; i++) {
        kst_device_info info;
        assert_true(kst_gpu_describe(i, &info));
        open_one(info.name);
    }
    if (gpu_count > 0)
        return 0;
    puts("no OpenCL or CUDA device");
    exit(77);
}

int close_gpus(void **state)
{
    (void)state;
    while (gpu_count > 0)
        kst_gpu_close(&gpus[--gpu_count]);
    return memory.used == 0 ? 0 : -1;
}

bool simulated(void)
{
    return getenv("KOSTKA_TEST_SIMULATED") != NULL;
}

void expect_no_error(const struct gpu_error *error)
{
    if (error->status)
        fail_msg("%s", error->text);
}
