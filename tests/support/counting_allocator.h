/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares an allocator that counts the bytes of its live blocks. It is for one thread. */
#ifndef KOSTKA_TESTS_SUPPORT_COUNTING_ALLOCATOR_H
#define KOSTKA_TESTS_SUPPORT_COUNTING_ALLOCATOR_H

#include <stddef.h>

struct counter {
    size_t now, most; /* bytes allocated now, and at most at once */
};

/* The functions of a kst_allocator, whose `user` is a struct counter. */
void *counting_allocate(void *user, size_t length);
void counting_release(void *user, void *memory);

#endif
