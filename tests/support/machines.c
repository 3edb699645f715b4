/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates contexts of every tier, of several numbers of threads, and on GPUs. */
#include "support/machines.h"

#include "support/random.h"
#include "support/test.h"

struct context_list contexts;

static void add(struct context_list *list, const char *device, const char *tier, uint32_t threads, const char *name)
{
    kst_context_options options;
    kst_context_options_init(&options);
    options.device = device;
    options.cpu = tier;
    options.threads = threads;
    kst_status status = kst_context_create(&options, &list->context[list->count]);
    if (status == KST_ERROR_CPU_TIER)
        return;
    assert_int_equal(status, KST_OK);
    list->name[list->count++] = name;
}

/* Add all GPUs, except with a sanitizer, which would look into the drivers: separate tests run sanitizers on GPUs. */
static void add_gpus(struct context_list *list)
{
    uint32_t room = sizeof list->context / sizeof list->context[0];
    for (uint32_t i = 1; !SANITIZED && i < kst_device_count() && list->count < room; i++) {
        kst_device_info *info = &list->gpu[list->count];
        *info = (kst_device_info){.size = sizeof *info};
        assert_int_equal(kst_device_get(i, info), KST_OK);
        add(list, info->name, NULL, 2, info->name);
    }
}

uint32_t machines_first(uint32_t check)
{
    return spread_below(check, MACHINES_APART);
}

int contexts_start_cpu(void **state)
{
    struct context_list *list = &contexts;
    (void)state;
    list->count = 0;
    if (THREADS_WATCHED) {
        add(list, "cpu", NULL, 2, "2 threads");
        add(list, "cpu", "c", 2, "c, 2 threads");
    } else {
        add(list, "cpu", "c", 1, "c, 1 thread");
        add(list, "cpu", "sse2", 1, "sse2, 1 thread");
        add(list, "cpu", "avx2", 1, "avx2, 1 thread");
        add(list, "cpu", "avx512", 1, "avx512, 1 thread");
        add(list, "cpu", "neon", 1, "neon, 1 thread");
        add(list, "cpu", "c", 2, "c, 2 threads");
        add(list, "cpu", NULL, 2, "2 threads");
    }
    add(list, "cpu", NULL, 3, "3 threads");
    add(list, "cpu", NULL, 8, "8 threads");
    list->cpu_count = list->count;
    return 0;
}

int contexts_start(void **state)
{
    contexts_start_cpu(state);
    add_gpus(&contexts);
    return 0;
}

int contexts_stop(void **state)
{
    (void)state;
    while (contexts.count > 0)
        kst_context_destroy(&contexts.context[--contexts.count]);
    return 0;
}
