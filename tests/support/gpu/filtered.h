/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares chains of filters that devices apply to images anywhere in memory; the CPU says what they must make. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_FILTERED_H
#define KOSTKA_TESTS_SUPPORT_GPU_FILTERED_H

#include <kostka/kostka_filter.h>

#include "support/gpu/placed.h"

struct filtered_case {
    const char *chain;
    kst_format format;
    uint32_t depth, width, height;
};

/* Holds a case, its source on the host, and what the CPU makes of it. */
struct filtered {
    struct filtered_case c;
    kst_image described;
    struct placed from, wanted;
};

/* Return whether the device is a simulated one, which is slow. */
bool filtered_is_simulated(void);

kst_image filtered_describe(const struct filtered_case *c);
kst_status filtered_run(
    kst_context *context, const char *chain, const kst_image *from, kst_image *to, kst_report *report);

/* Make the source, of noise on slopes and edges, and filter it on the CPU. False if the chain takes no such image. */
bool filtered_prepare(struct filtered *p, const struct filtered_case *c);
void filtered_forget(struct filtered *p);

/* Compare a result with the CPU's. */
void filtered_check(kst_context *context, const struct filtered *p, const struct placed *to, const char *how);

/* Filter the image on a context's device, from one kind of memory to another, and compare. */
void filtered_check_on(
    kst_context *context, const struct filtered *p, kst_memory from_memory, kst_memory to_memory, const char *how);

#endif
