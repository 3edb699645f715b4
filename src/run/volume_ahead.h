/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the upload of groups of streams to a GPU before their headers are read, so that the bus is busy from the
 * start of a call.
 */
#ifndef KOSTKA_RUN_VOLUME_AHEAD_H
#define KOSTKA_RUN_VOLUME_AHEAD_H

#include <kostka/kostka_volume.h>

#include "device/runtime.h"

enum { VOLUME_AHEAD_GROUPS = TRACK_EVENTS };

struct volume_ahead {
    struct gpu_runtime *gpu; /* null: nothing is uploaded ahead */
    uint64_t room;           /* bytes that further groups may have */
    pthread_mutex_t lock;    /* guards the members below */
    struct gpu_track *track; /* an event of it is recorded behind the streams of each group; null: not needed yet */
    struct gpu_ahead group[VOLUME_AHEAD_GROUPS];
    uint32_t count, next; /* groups; and the first that is neither queued nor left out */
    uint64_t in_flight;   /* bytes of the groups that are queued and have not begun */
};

/*
 * Begin without groups; and add one. All together may take `most` bytes; those for which there is no room are not
 * uploaded ahead.
 */
void kst_volume_ahead_begin(struct volume_ahead *ahead, struct gpu_runtime *gpu, uint64_t most);
void kst_volume_ahead_add(struct volume_ahead *ahead, const kst_volume_item *items, uint32_t count);

/* Queue the first groups. */
void kst_volume_ahead_queue(struct volume_ahead *ahead);

/*
 * Return the streams of a group that is about to begin. Their memory is the group's until the end of all. Returns null
 * if they are not queued; then they never will be.
 */
const struct gpu_ahead *kst_volume_ahead_take(struct volume_ahead *ahead, uint32_t group);

/* Note that a group has begun, so that its lists are queued; and queue the next groups, unless enough are in flight. */
void kst_volume_ahead_begun(struct volume_ahead *ahead, uint32_t group);

/* Wait for the uploads, and release what nobody used. */
void kst_volume_ahead_end(struct volume_ahead *ahead);

#endif
