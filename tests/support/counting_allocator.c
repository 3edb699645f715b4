/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the allocated bytes. A header in front of each block holds the block's length. */
#include "support/counting_allocator.h"

#include <stdint.h>
#include <stdlib.h>

void *counting_allocate(void *user, size_t length)
{
    struct counter *counter = user;
    size_t *block = malloc(length + 64);
    if (!block)
        return NULL;
    *block = length;
    counter->now += length;
    counter->most = counter->now > counter->most ? counter->now : counter->most;
    return (uint8_t *)block + 64;
}

void counting_release(void *user, void *memory)
{
    struct counter *counter = user;
    size_t *block = (size_t *)(void *)((uint8_t *)memory - 64);
    counter->now -= *block;
    free(block);
}
