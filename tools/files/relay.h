/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets threads that each work on one picture share a flow, which collects their simultaneous requests to batches for
 * GPUs, or for any device that is free. A thread reads a file, waits for the devices, and writes the result, so as many
 * files are read and written at once as there are threads.
 */
#ifndef KOSTKA_TOOL_RELAY_H
#define KOSTKA_TOOL_RELAY_H

#include <kostka/kostka_filter.h>

#include "options/options.h"

struct relay;

/* Describes the work of a relay. */
struct relay_work {
    const char *filters;                    /* a checked chain that is applied to decoded pictures; null: none */
    const kst_transcode_options *transcode; /* items are transcoded, with options like these; null: they are not */
};

/*
 * Open the devices that the options name, for this work. *relay becomes null if the CPU is the only device. On an error
 * it does, too; after a message the exit code is returned.
 */
int relay_open(
    const struct common_options *common, uint32_t threads, const struct relay_work *work, struct relay **relay);
void relay_close(struct relay **relay);

/* Return the context of the first device, for work that the flow does not do. It is valid until relay_close(). */
kst_context *relay_context(const struct relay *relay);

/* Return whether one of the devices is of this kind. */
bool relay_has(const struct relay *relay, kst_device_kind kind);

/* Return the chain of filters, and the flow's stage that applies it; null if there is none. */
const kst_filter *relay_filter(const struct relay *relay);
const kst_flow_stage *relay_stage(const struct relay *relay);

/* Return the number of devices. */
uint32_t relay_devices(const struct relay *relay);

/* Return how many items a device failed with and another one took over. */
uint64_t relay_moved(const struct relay *relay);

/* Return the number of threads that keep the devices busy. */
uint32_t relay_width(const struct relay *relay);

/*
 * Reserve memory: wait until the calling thread may use that many more bytes. It must call relay_rest() before it works
 * on another picture. A thread that has already reserved some does not wait.
 */
void relay_reserve(struct relay *relay, uint64_t bytes);

/* Reserve memory for a picture in pinned memory, of which less is available. */
void relay_reserve_pinned(struct relay *relay, uint64_t bytes);

/* Return all memory that the calling thread has reserved. */
void relay_rest(struct relay *relay);

/*
 * Let a device do the work of an item, whose stream or picture is in memory, and wait until it is done. The item's
 * members are then as the flow's sink would get them; the caller releases what the item holds, by its context.
 */
void relay_do(struct relay *relay, kst_flow_item *item);

/* Let the devices share the work of many items, and wait until all of it is done. Each item ends as one of relay_do().
 */
void relay_do_all(struct relay *relay, kst_flow_item *items, size_t count);

#endif
