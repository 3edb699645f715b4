/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the context that every operation runs in: its memory, limits, threads, log and device. */
#ifndef KOSTKA_CORE_CONTEXT_H
#define KOSTKA_CORE_CONTEXT_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/operation.h"
#include "core/pool.h"
#include "core/shared.h"

struct kst_context {
    struct memory memory;    /* accounts for the context and for what outlives an operation; has no limit */
    struct idle_blocks idle; /* shared by `memory` and the operations' memory */
    kst_log log;
    kst_searched searched;
    kst_limits limits; /* defaults filled in */
    enum cpu_tier tier;
    struct pool *pool;
    char device[16];               /* the device's name, as in kst_device_info.name; "cpu" with "auto" */
    struct context_device *chosen; /* the device that work goes to (run/device.h); null until it is chosen */
};

/* The limits of a context whose options leave them 0. */
extern const kst_limits kst_default_limits;

/*
 * Make a context whose device has not been chosen yet. All of `options` is checked except the device. Errors are those
 * of kst_context_create().
 */
kst_status kst_context_make(const kst_context_options *options, struct kst_context **context);
void kst_context_drop(struct kst_context *context);

/*
 * Return an operation that works with the context's limits and threads, and with the memory, report and progress
 * passed.
 */
static inline struct operation kst_context_operation(
    const struct kst_context *context, struct memory *memory, kst_report *report, struct progress *progress)
{
    return (struct operation){.memory = memory,
        .limits = &context->limits,
        .searched = &context->searched,
        .pool = context->pool,
        .tier = context->tier,
        .report = report,
        .progress = progress};
}

/*
 * Return the value of an environment variable; null if it is unset or empty, or if the process has more rights than its
 * user (setuid), who must not choose devices and folders for it.
 */
const char *kst_environment(const char *name);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
KST_SHARED void
kst_context_log(const struct kst_context *context, kst_log_level level, const char *format, ...);

#endif
