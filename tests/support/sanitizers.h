/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines SANITIZED: whether a sanitizer runs, which makes tests ten times as slow; and THREADS_WATCHED: whether it is
 * ThreadSanitizer, which finds nothing in work on one thread, or by comparing with such work.
 */
#ifndef KOSTKA_TESTS_SUPPORT_SANITIZERS_H
#define KOSTKA_TESTS_SUPPORT_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#elif __has_feature(thread_sanitizer)
#define THREADS_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define THREADS_WATCHED 1
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

#ifdef THREADS_WATCHED
#define SANITIZED 1
#else
#define THREADS_WATCHED 0
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
