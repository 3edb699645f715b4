/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares pseudo-random numbers, which are the same on each run of a program. */
#ifndef KOSTKA_TESTS_SUPPORT_RANDOM_H
#define KOSTKA_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

/* Return the next number of 24 bits. The caller keeps the state. */
uint32_t random_next(uint32_t *state);

/* Return the next number from 0 to bound − 1. */
uint32_t random_below(uint32_t *state, uint32_t bound);

/*
 * Return number `number` of a sequence of numbers from 0 to bound − 1, made with the golden ratio, whose multiples lie
 * far apart modulo 1: successive members of the sequence reach all numbers, and so do nearly all members at any
 * constant distance, such as those of checks in nested loops.
 */
uint32_t spread_below(uint32_t number, uint32_t bound);

/* Return the next number of 32 bits. The program has one state. */
uint32_t next_random(void);

#endif
