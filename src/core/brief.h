/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes mutexes for sections of less than a microsecond that many threads enter. */
#ifndef KOSTKA_CORE_BRIEF_H
#define KOSTKA_CORE_BRIEF_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Initialise a mutex for short sections. Where the system has adaptive mutexes, a thread that finds the mutex locked
 * tries a few more times before it sleeps, because sleeping and waking take some hundred times as long as the section.
 * Returns false on failure.
 */
static inline bool kst_brief_mutex_init(pthread_mutex_t *mutex)
{
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0)
        return false;
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    bool made = pthread_mutex_init(mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return made;
#else
    return pthread_mutex_init(mutex, NULL) == 0;
#endif
}

#endif
