/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides an allocator that fails at a chosen call, and counts what was not released. */
#ifndef KOSTKA_TESTS_SUPPORT_FAILING_ALLOCATOR_H
#define KOSTKA_TESTS_SUPPORT_FAILING_ALLOCATOR_H

#include <stdatomic.h>

#include <kostka/kostka.h>

/* Holds the state of the allocator, which several threads may call. */
struct failing {
    atomic_long calls;   /* so far */
    atomic_long failing; /* the call that fails, with `ever_after` also all later ones; 0: none */
    bool ever_after;
    atomic_long live;
};

kst_context *failing_context_on(struct failing *failing, const char *device, uint32_t threads);

/* Create a context on the CPU with the allocator. */
kst_context *failing_context(struct failing *failing, uint32_t threads);

/* A piece of work that is repeated. It releases its results, and returns the status of its report. */
typedef kst_status (*failing_work)(kst_context *context, const void *argument);

/*
 * Run the work and let each of its allocations fail, first only that one, then also all later ones. The work must end
 * with KST_ERROR_MEMORY – or, if only one allocation fails, may do without it – leave nothing allocated, and succeed if
 * nothing fails. Returns how often it failed; with sanitizers, where only one allocation in several is tried, about how
 * often it would fail if all were tried.
 */
long failing_check(failing_work work, const void *argument, uint32_t threads);

/* Transcode to a buffer: a piece of work whose `argument` is a struct failing_transcode. */
struct failing_transcode {
    const void *data;
    size_t length;
    kst_transcode_options options;
};
kst_status failing_transcode(kst_context *context, const void *argument);

/* The functions of a kst_allocator, whose `user` is a struct failing. */
void *failing_allocate(void *user, size_t length);
void failing_release(void *user, void *memory);

#endif
