/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch of pictures that is being encoded: the state that the stages share. */
#ifndef KOSTKA_J2K_GPU_ENCODE_JOB_H
#define KOSTKA_J2K_GPU_ENCODE_JOB_H

#include <stdatomic.h>

#include "device/executor.h"
#include "j2k/gpu/encode.h"
#include "j2k/gpu/modules.h"

enum coding_buffer {
    CODING_HOST_WORK, /* the first two are pinned memory */
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

/* What was downloaded of a list. Outcomes point into it. */
struct coding_fetched {
    struct coding_fetched *next;
    struct gpu_buffer buffer;
    struct gpu_buffer collected; /* the source on the device, while bytes are being downloaded */
};

struct j2k_coding_job {
    struct gpu_executor *executor;
    const struct gpu_built *built; /* the module kst_j2k_gpu_encoding; null: not built yet */
    const struct j2k_encode_item *items;
    uint32_t count;
    struct j2k_gpu_item *picture; /* the `picture` of each item, as an array */
    struct j2k_batch batch;
    struct gpu_lane *lane;
    struct gpu_queue *queue; /* the queue of the lane that is in use */
    struct gpu_buffer buffer[CODING_BUFFERS];
    struct coding_fetched *fetched;
    struct coding_fetched *arriving; /* the one into which bytes of blocks are being downloaded */
    atomic_bool missed;              /* rows could not be read */
    bool waits;                      /* the job waits for a caller's stream */
    bool timed;                      /* upload and transform are in `times` */
    bool uncoded;                    /* the module's state counts the job as uncoded */
    struct j2k_encode_times times;
};

static inline struct j2k_gpu_encoding_state *kst_gpu_j2k_encode_state(const struct j2k_coding_job *job)
{
    return job->built->state;
}

void kst_gpu_j2k_encode_record(struct j2k_coding_job *job, enum coding_event event);

/*
 * Go on in the lane's urgent queue, or back in the ordinary one. Launches with few work-groups, and those that the host
 * waits for, are queued as urgent, because the large kernels of other jobs would leave no room for them.
 */
void kst_gpu_j2k_encode_hurry(struct j2k_coding_job *job);
void kst_gpu_j2k_encode_calm_down(struct j2k_coding_job *job);

/* Say that the job's blocks are still to be coded, or no longer. Returns whether those of other jobs are. */
bool kst_gpu_j2k_encode_uncoded(struct j2k_coding_job *job, bool uncoded);

/* Queue the upload and the transform from pixels to coefficients. When the first returns, all rows have been read. */
void kst_gpu_j2k_encode_upload(struct j2k_coding_job *job);
void kst_gpu_j2k_encode_transform(struct j2k_coding_job *job);

#endif
