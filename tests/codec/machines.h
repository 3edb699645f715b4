/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts of every instruction tier, of several numbers of threads, and on GPUs: what they decode to must not differ.
 */
#ifndef KOSTKA_TESTS_MACHINES_H
#define KOSTKA_TESTS_MACHINES_H

#include <kostka/kostka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct context_list {
    kst_context *context[16];
    const char *name[16]; /* "tier, threads", or the device's */
    kst_device_info gpu[16];
    uint32_t count; /* the first is plain C on one thread, the last are GPUs */
};

/* One thread on every tier that the processor has; 2, 3 and 8 threads on the best; 2 on plain C; and all GPUs. */
extern struct context_list contexts;
int contexts_start(void **state);
int contexts_stop(void **state);

#endif
