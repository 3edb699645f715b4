/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_CORE_CONTEXT_H
#define KOSTKA_CORE_CONTEXT_H

#include <pthread.h>

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"

struct kst_context {
    struct memory memory;    /* of the context itself and of what outlives an operation; no limit */
    struct idle_blocks idle; /* of `memory`, and of the operations' */
    kst_log log;
    kst_limits limits; /* defaults filled in */
    enum cpu_tier tier;
    struct pool *pool;
    char device[16];                    /* its name, as kst_device_info.name; "cpu" while `automatic` */
    bool automatic;                     /* the device is a GPU where there is one and work for it */
    _Atomic(struct gpu_executor *) gpu; /* null: the CPU is the device, so far or for good */
    pthread_mutex_t opening;            /* a GPU, while `automatic`; guards what follows */
    bool opened;                        /* whether that was tried */
    double done;                        /* seconds of the CPU's work that a GPU could have done */
};

/* Those of a context whose options leave them 0. */
extern const kst_limits kst_default_limits;

/* A context on the CPU. Everything about `options` is checked but the device. As kst_context_create(). */
kst_status kst_context_make(const kst_context_options *options, struct kst_context **context);
void kst_context_drop(struct kst_context *context);

/* An environment variable; null where it is unset or empty. */
const char *kst_environment(const char *name);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void kst_context_log(const struct kst_context *context, kst_log_level level, const char *format, ...);

#endif
