/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/machines.h"

#include "support.h"

static void add(struct context_list *list, const char *tier, uint32_t threads, const char *name)
{
    kst_context_options options;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.cpu = tier;
    options.threads = threads;
    kst_status status = kst_context_create(&options, &list->context[list->count]);
    if (status == KST_ERROR_CPU_TIER)
        return;
    assert_int_equal(status, KST_OK);
    list->name[list->count++] = name;
}

void contexts_start(struct context_list *list)
{
    list->count = 0;
    add(list, "c", 1, "c, 1 thread");
    add(list, "sse2", 1, "sse2, 1 thread");
    add(list, "avx2", 1, "avx2, 1 thread");
    add(list, "avx512", 1, "avx512, 1 thread");
    add(list, "neon", 1, "neon, 1 thread");
    add(list, "c", 2, "c, 2 threads");
    add(list, NULL, 2, "2 threads");
    add(list, NULL, 3, "3 threads");
    add(list, NULL, 8, "8 threads");
}

void contexts_stop(struct context_list *list)
{
    while (list->count > 0)
        kst_context_destroy(&list->context[--list->count]);
}
