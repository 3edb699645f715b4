/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a launch of one kernel on buffers whose whole contents the test knows before and after: everything that the
 * kernel must not write holds poison, also behind the ends of the buffers.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_STAGE_H
#define KOSTKA_TESTS_SUPPORT_GPU_STAGE_H

#include "device/runtime.h"

enum { STAGE_ARGUMENTS = 9, STAGE_POISON = 0xA5 };

struct stage_argument {
    const char *name;
    const void *before; /* the buffer's contents before the launch; null: the argument is `value` */
    const void *after;  /* the contents that it must have afterwards; null: the same */
    void *found;        /* receives the contents afterwards, which the test then checks; null: they are compared */
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

/* Launch a kernel of a module, given its number; the test fails if a buffer does not hold what it must. */
void stage_run(struct gpu_runtime *runtime, const struct gpu_module *module, uint32_t kernel, uint32_t groups,
    const struct stage_argument *arguments, uint32_t count);

/* Allocate memory full of poison, at least a word, which free() releases. */
void *stage_poisoned(size_t length);
void *stage_copy(const void *from, size_t length);
uint32_t stage_bits_of(float value);

#endif
