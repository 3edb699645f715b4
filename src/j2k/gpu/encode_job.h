/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures to encode on their way through the device: what their stages share. */
#ifndef KOSTKA_J2K_GPU_ENCODE_JOB_H
#define KOSTKA_J2K_GPU_ENCODE_JOB_H

#include <stdatomic.h>

#include "device/executor.h"
#include "j2k/gpu/encode.h"
#include "j2k/gpu/modules.h"

enum coding_buffer {
    CODING_HOST_WORK, /* the first are pinned */
    CODING_HOST_PIXELS,
    CODING_WORK,
    CODING_PIXELS,
    CODING_SAMPLES,
    CODING_BUFFERS
};

enum coding_event {
    CODING_BEFORE,
    CODING_AFTER_UPLOAD,
    CODING_AFTER_TRANSFORM,
    CODING_BEFORE_BLOCKS,
    CODING_HANDED_OVER,
    CODING_AFTER_BLOCKS,
    CODING_AFTER_DOWNLOAD,
    CODING_MODELLED
};
_Static_assert((int)CODING_MODELLED < LANE_EVENTS, "a lane has all events of a job");

/* What was fetched of a list: outcomes point into it. */
struct coding_fetched {
    struct coding_fetched *next;
    struct gpu_buffer buffer;
    struct gpu_buffer collected; /* on the device, as long as bytes are on their way */
};

struct j2k_coding_job {
    struct gpu_executor *executor;
    const struct gpu_built *built; /* kst_j2k_gpu_encoding; null: not yet */
    const struct j2k_encode_item *items;
    uint32_t count;
    struct j2k_gpu_item *picture; /* the items', in a row */
    struct j2k_batch batch;
    struct gpu_lane *lane;
    struct gpu_queue *queue; /* of the lane, at present */
    struct gpu_buffer buffer[CODING_BUFFERS];
    struct coding_fetched *fetched;
    struct coding_fetched *arriving; /* into which bytes of blocks are on their way */
    atomic_bool missed;              /* rows did not come */
    bool waits;                      /* for a caller's stream */
    bool timed;                      /* upload and transform */
    bool uncoded;                    /* as the module's state counts */
    struct j2k_encode_times times;
};

static inline struct j2k_gpu_encoding_state *kst_gpu_j2k_encode_state(const struct j2k_coding_job *job)
{
    return job->built->state;
}

void kst_gpu_j2k_encode_record(struct j2k_coding_job *job, enum coding_event event);

/*
 * What has few work-groups, or what the host waits for, goes before the large kernels of other jobs, which would not
 * leave it room; and back to the ordinary queue.
 */
void kst_gpu_j2k_encode_hurry(struct j2k_coding_job *job);
void kst_gpu_j2k_encode_calm_down(struct j2k_coding_job *job);

/* The job's blocks are still to be coded, or no longer. Returns whether those of others are. */
bool kst_gpu_j2k_encode_uncoded(struct j2k_coding_job *job, bool uncoded);

/* From pixels to coefficients, queued in turn; once the first returns, rows have come. */
void kst_gpu_j2k_encode_upload(struct j2k_coding_job *job);
void kst_gpu_j2k_encode_transform(struct j2k_coding_job *job);

#endif
