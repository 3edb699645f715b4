/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets threads that work on a picture each share a flow: what they ask for at the same time goes to GPUs together, and
 * to whichever device is free. A thread reads a file, waits for the devices, and writes the result, so that as many
 * files are read and written at once as there are threads.
 */
#ifndef KOSTKA_TOOL_RELAY_H
#define KOSTKA_TOOL_RELAY_H

#include <kostka/kostka_filter.h>

#include "options/options.h"

struct relay;

/* Says what a relay does. */
struct relay_work {
    const char *filters;                    /* a chain that was checked, for what is decoded; null: none */
    const kst_transcode_options *transcode; /* the items are transcoded, with options like these; null: they are not */
};

/*
 * Open the devices that the options name, for some work. *relay is null if the CPU is the only one, and after an error,
 * whose exit code is returned after a message.
 */
int relay_open(
    const struct common_options *common, uint32_t threads, const struct relay_work *work, struct relay **relay);
void relay_close(struct relay **relay);

/* Return the context of the first device, for work that the flow does not do. It is valid until relay_close(). */
kst_context *relay_context(const struct relay *relay);

/* Return whether one of the devices is of this kind. */
bool relay_has(const struct relay *relay, kst_device_kind kind);

/* Return the chain of filters, and the stage that it makes; null if there is none. */
const kst_filter *relay_filter(const struct relay *relay);
const kst_flow_stage *relay_stage(const struct relay *relay);

/* Return how many threads keep the devices busy. */
uint32_t relay_width(const struct relay *relay);

/*
 * Wait until the calling thread may use that many bytes of memory beside those that it has; it must rest before it
 * works on another picture. A thread that has some does not wait.
 */
void relay_reserve(struct relay *relay, uint64_t bytes);

/* The same for a picture that will lie in pinned memory, of which threads get less. */
void relay_reserve_pinned(struct relay *relay, uint64_t bytes);

/* Say that the calling thread has released all that it reserved memory for. */
void relay_rest(struct relay *relay);

/*
 * Let a device do an item's work, whose stream or picture lies in memory, and wait until that is done. The item's
 * members are then as in the flow's sink; the caller releases what it holds by its context.
 */
void relay_do(struct relay *relay, kst_flow_item *item);

#endif
