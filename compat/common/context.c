/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the context that all pictures of the process share. A child process makes one of its own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "context.h"

static _Atomic(kst_context *) shared;

/*
 * Forget the parent's context in a child process: its threads do not exist there, and locks may be held by no thread at
 * all.
 */
static void forget_context(void)
{
    atomic_store(&shared, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_context);
}

static kst_context *make_context(void)
{
    kst_context_options options;
    kst_context *made;
    const char *device = getenv("KOSTKA_DEVICE"), *threads = getenv("KOSTKA_THREADS");
    kst_context_options_init(&options);
    if (!device || !*device)
        options.device = "cpu";
    options.threads = threads && *threads ? 0 : 1;
    return kst_context_create(&options, &made) ? NULL : made;
}

kst_context *compat_context(void)
{
    kst_context *context = atomic_load(&shared), *none = NULL;
    if (context)
        return context;
    context = make_context();
    if (context && !atomic_compare_exchange_strong(&shared, &none, context)) {
        kst_context_destroy(&context);
        context = none;
    }
    return context;
}
