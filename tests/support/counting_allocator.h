/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that counts what it has given out. For one thread. */
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
