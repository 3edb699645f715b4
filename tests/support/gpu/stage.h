/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One launch of one kernel, whose buffers the test fills and knows the whole content of afterwards: what the kernel is
 * not to write holds poison, also behind the end.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_STAGE_H
#define KOSTKA_TESTS_SUPPORT_GPU_STAGE_H

#include "device/runtime.h"

enum { STAGE_ARGUMENTS = 9, STAGE_POISON = 0xA5 };

struct stage_argument {
    const char *name;
    const void *before; /* what the buffer holds; null: not a buffer but a value */
    const void *after;  /* what it must hold then; null: the same */
    void *found;        /* gets what it holds then, which the test looks at by itself; null: it is compared */
    size_t length;      /* bytes, a multiple of 4 */
    uint32_t value;
};

#define STAGE_IN(n, p, bytes)                                                                                          \
    {                                                                                                                  \
        .name = (n), .before = (p), .length = (bytes)                                                                  \
    }
#define STAGE_OUT(n, p, wanted, bytes)                                                                                 \
    {                                                                                                                  \
        .name = (n), .before = (p), .after = (wanted), .length = (bytes)                                               \
    }
#define STAGE_FOUND(n, p, to, bytes)                                                                                   \
    {                                                                                                                  \
        .name = (n), .before = (p), .found = (to), .length = (bytes)                                                   \
    }

/* Launch a module's kernel, by its number; the test fails where a buffer does not hold what it must. */
void stage_run(struct gpu_runtime *runtime, const struct gpu_module *module, uint32_t kernel, uint32_t groups,
    const struct stage_argument *arguments, uint32_t count);

/* Memory full of poison, which free() releases; at least a word. */
void *stage_poisoned(size_t length);
void *stage_copy(const void *from, size_t length);
uint32_t stage_bits_of(float value);

#endif
