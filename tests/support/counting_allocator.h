/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares an allocator that counts the blocks it has handed out. It is for one thread. */
#ifndef KOSTKA_TESTS_SUPPORT_COUNTING_ALLOCATOR_H
#define KOSTKA_TESTS_SUPPORT_COUNTING_ALLOCATOR_H

#include <stddef.h>

struct counter {
    size_t now, most; /* bytes: given out, and at most at once */
};

/* These are the functions of a kst_allocator; `user` is a struct counter. */
void *counting_allocate(void *user, size_t length);
void counting_release(void *user, void *memory);

#endif
