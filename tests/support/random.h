/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random, and are the same each time a program runs. */
#ifndef KOSTKA_TESTS_SUPPORT_RANDOM_H
#define KOSTKA_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

/* The next of 24 bits, of a caller's state. */
uint32_t random_next(uint32_t *state);

/* The next of 0 … bound − 1. */
uint32_t random_below(uint32_t *state, uint32_t bound);

/*
 * Number `number` of 0 … bound − 1, by the golden ratio, whose multiples lie far apart modulo 1: numbers that follow
 * each other meet all of them, and so do nearly all that are any number of places apart, as checks in nested loops are.
 */
uint32_t spread_below(uint32_t number, uint32_t bound);

/* The next of 32 bits, of the program's only state. */
uint32_t next_random(void);

#endif
