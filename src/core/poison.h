/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets AddressSanitizer report access to bytes that are allocated but not in use. */
#ifndef KOSTKA_CORE_POISON_H
#define KOSTKA_CORE_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define KST_HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KST_HAVE_ASAN 1
#endif
#endif
#ifdef KST_HAVE_ASAN
#include <sanitizer/asan_interface.h>
#endif

static inline void kst_poison(const void *memory, size_t length)
{
#ifdef KST_HAVE_ASAN
    ASAN_POISON_MEMORY_REGION(memory, length);
#else
    (void)memory;
    (void)length;
#endif
}

static inline void kst_unpoison(const void *memory, size_t length)
{
#ifdef KST_HAVE_ASAN
    ASAN_UNPOISON_MEMORY_REGION(memory, length);
#else
    (void)memory;
    (void)length;
#endif
}

#endif
