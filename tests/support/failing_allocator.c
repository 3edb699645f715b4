/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets an allocation fail while some work runs, and checks that nothing leaks. */
#include "support/failing_allocator.h"

#include <stdlib.h>

#include "support/sanitizers.h"
#include "support/test.h"

void *failing_allocate(void *user, size_t length)
{
    struct failing *failing = user;
    long call = atomic_fetch_add(&failing->calls, 1) + 1;
    long at = atomic_load(&failing->failing);
    if (at > 0 && (call == at || (failing->ever_after && call > at)))
        return NULL;
    void *memory = malloc(length);
    if (memory)
        atomic_fetch_add(&failing->live, 1);
    return memory;
}

void failing_release(void *user, void *memory)
{
    struct failing *failing = user;
    atomic_fetch_sub(&failing->live, 1);
    free(memory);
}

kst_context *failing_context_on(struct failing *failing, const char *device, uint32_t threads)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = device;
    options.threads = threads;
    options.allocator = (kst_allocator){failing_allocate, failing_release, failing};
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    return context;
}

kst_context *failing_context(struct failing *failing, uint32_t threads)
{
    return failing_context_on(failing, "cpu", threads);
}

/*
 * Each call fails in turn; with a sanitizer only one in three, and with ThreadSanitizer one in six, because most calls
 * fail at a place where another has failed before. Each pass begins one call later, so that similar work fails at other
 * calls.
 */
enum { STEP = THREADS_WATCHED ? 6 : SANITIZED ? 3 : 1 };

static long first_call(void)
{
    static long passes;
    return 1 + passes++ % STEP;
}

long failing_check(failing_work work, const void *argument, uint32_t threads)
{
    struct failing failing = {.ever_after = false};
    kst_context *context = failing_context(&failing, threads);
    long idle = atomic_load(&failing.live), failures = 0;
    assert_int_equal(work(context, argument), KST_OK);
    assert_int_equal(atomic_load(&failing.live), idle);
    for (uint32_t ever_after = 0; ever_after < 2; ever_after++) {
        failing.ever_after = ever_after;
        bool reached = true;
        for (long n = first_call(); reached; n += STEP) { /* until n lies behind the last call, so that none fails */
            atomic_store(&failing.calls, 0);
            atomic_store(&failing.failing, n);
            kst_status status = work(context, argument);
            reached = n <= atomic_load(&failing.calls);
            if (status != KST_ERROR_MEMORY && (status || (reached && ever_after)))
                fail_msg("call %ld: %s", n, kst_status_name(status));
            if (atomic_load(&failing.live) != idle)
                fail_msg("call %ld: %ld blocks leaked", n, atomic_load(&failing.live) - idle);
            failures += status ? STEP : 0;
        }
        atomic_store(&failing.failing, 0);
    }
    assert_int_equal(work(context, argument), KST_OK);
    kst_context_destroy(&context);
    assert_int_equal(atomic_load(&failing.live), 0);
    return failures;
}

kst_status failing_transcode(kst_context *context, const void *argument)
{
    const struct failing_transcode *work = argument;
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_transcode(context, work->data, work->length, &work->options, &output, &report);
    assert_int_equal(status, report.status);
    assert_int_equal(!status, output.data != NULL);
    kst_buffer_release(context, &output);
    return status;
}
