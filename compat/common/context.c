/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the context that all pictures of the process share. A child process makes one of its own. */
#include "context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "device.h"

static _Atomic(kst_context *) shared;
static atomic_bool refused;    /* there can be none with what the environment says */
static atomic_bool complained; /* this process or a parent has said so */

/*
 * Forget the parent's context in a child process: its threads do not exist there, and locks may be held by no thread at
 * all.
 */
static void forget_context(void)
{
    atomic_store(&shared, NULL);
    atomic_store(&refused, false);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_context);
}

/* Say once why what the environment asks for is not done: the original, which works instead, knows nothing of it. */
static void complain(kst_status status)
{
    const char *device = getenv("KOSTKA_DEVICE"), *threads = getenv("KOSTKA_THREADS");
    atomic_store(&refused, true);
    if (!atomic_exchange(&complained, true))
        fprintf(stderr, "kostka: the system's library works alone (KOSTKA_DEVICE='%s', KOSTKA_THREADS='%s'): %s\n",
            device ? device : "", threads ? threads : "", kst_status_text(status));
}

static kst_context *make_context(void)
{
    kst_context_options options;
    kst_context *made;
    kst_context_options_init(&options);
    options.device = compat_device();
    options.threads = compat_is_set("KOSTKA_THREADS") ? 0 : 1;
    kst_status status = kst_context_create(&options, &made);
    if (!status)
        return made;
    complain(status);
    return NULL;
}

kst_context *compat_context(void)
{
    kst_context *context = atomic_load(&shared), *none = NULL;
    if (context || atomic_load(&refused))
        return context;
    context = make_context();
    if (context && !atomic_compare_exchange_strong(&shared, &none, context)) {
        kst_context_destroy(&context);
        context = none;
    }
    return context;
}

bool compat_is_own(const kst_context *context)
{
    return context == atomic_load(&shared);
}
