/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the outcomes of the inputs of a batch, and prints a table of them at its end. */
#ifndef KOSTKA_TOOL_SUMMARY_H
#define KOSTKA_TOOL_SUMMARY_H

#include <pthread.h>

#include "progress/outcome.h"
#include "tool.h"

struct summary {
    pthread_mutex_t lock;
    double began;
    size_t made, warned; /* inputs that succeeded, and how many of these had warnings */
    size_t failed[PROBLEM_KINDS];
    uint64_t pixels;        /* pixels of the pictures that succeeded */
    uint64_t read, written; /* bytes of the input files that succeeded, and of their outputs */
};

void summary_begin(struct summary *summary);

/* Count an input whose file has `bytes` bytes. `failure` is null if it succeeded. Thread-safe. */
void summary_add(struct summary *summary, uint64_t bytes, const struct outcome *outcome, const struct problem *failure);

/*
 * Print the table on standard error. `before` is the number of inputs that an earlier call has done, `left` that of the
 * remaining ones.
 */
void summary_print(const struct summary *summary, size_t before, size_t left);

void summary_end(struct summary *summary);

#endif
