/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a part that is being encoded: the state that the stages share. */
#ifndef KOSTKA_J2K_GPU_ENCODE_JOB_H
#define KOSTKA_J2K_GPU_ENCODE_JOB_H

#include <stdatomic.h>

#include "device/runtime.h"
#include "j2k/gpu/encode.h"
#include "j2k/gpu/modules.h"
#include "j2k/gpu/packets.h"

enum j2k_gpu_encode_buffer {
    CODING_HOST_WORK, /* the first two are pinned memory */
    CODING_HOST_PIXELS,
    CODING_WORK,
    CODING_PIXELS,
    CODING_SAMPLES,
    CODING_BUFFERS
};

enum j2k_gpu_encode_event {
    CODING_BEFORE,
    CODING_AFTER_UPLOAD,
    CODING_AFTER_TRANSFORM,
    CODING_BEFORE_BLOCKS,
    CODING_HANDED_OVER,
    CODING_AFTER_BLOCKS,
    CODING_AFTER_DOWNLOAD,
    CODING_MODELLED
};
_Static_assert((int)CODING_MODELLED < TRACK_EVENTS, "a track has all events of a job");

/*
 * Holds what was downloaded for a list of blocks. Outcomes point into `buffer`. Once it is in the job's list, it is
 * constant except for `arrived`.
 */
struct j2k_gpu_fetched {
    struct j2k_gpu_fetched *next;
    struct gpu_buffer buffer;
    struct gpu_buffer collected; /* the blocks' bytes on the device */
    size_t to, from, length;     /* the bytes' places in `buffer` and in `collected`, and their number */
    bool arrived;                /* the blocks' bytes have been downloaded */
};

enum j2k_gpu_counting_buffer {
    COUNTING_HOST_LIST, /* the first two are pinned memory */
    COUNTING_FOUND,
    COUNTING_LIST,
    COUNTING_RESULTS,
    COUNTING_BUFFERS
};

/* Holds the state of counting the bits of blocks. */
struct j2k_gpu_counting {
    struct gpu_buffer buffer[COUNTING_BUFFERS];
    uint32_t blocks; /* number of blocks that are counted; 0: counting has not begun */
    uint32_t head;   /* words of the list in front of its blocks; they change with the bands' steps */
    size_t list;     /* bytes of the list */
    bool uploaded;   /* the device has the list, except for the factors of the next steps */
};

struct j2k_gpu_encode_job {
    struct gpu_runtime *runtime;
    const struct gpu_built *built; /* the module kst_j2k_gpu_encoding; null: not built yet */
    const struct j2k_gpu_encode_item *items;
    uint32_t count;
    struct j2k_gpu_item *picture; /* the `picture` of each item, as an array */
    struct j2k_gpu_part part;
    struct gpu_track *track;
    struct gpu_queue *queue; /* the queue of the track that is in use */
    struct gpu_buffer buffer[CODING_BUFFERS];
    struct j2k_gpu_fetched *_Atomic fetched; /* latest list first; other threads read the chain while lists are added */
    struct j2k_gpu_packed *_Atomic packed;   /* likewise, for blocks whose packets are on the device */
    struct j2k_gpu_counting counting;
    atomic_bool missed; /* rows could not be read */
    bool waits;         /* the job waits for a caller's stream */
    bool shares;        /* the job uses the pictures and buffers of another one: kst_j2k_gpu_encode_beside() */
    bool timed;         /* upload and transform are in `times` */
    bool uncoded;       /* the module's state counts the job as uncoded */
    struct j2k_gpu_encode_times times;
};

static inline struct j2k_gpu_encoding_state *j2k_gpu_encode_state(const struct j2k_gpu_encode_job *job)
{
    return job->built->state;
}

void kst_j2k_gpu_encode_record(struct j2k_gpu_encode_job *job, enum j2k_gpu_encode_event event);

/*
 * Add the times of upload and transform, once, after they were waited for; and the times of blocks that were waited
 * for.
 */
void kst_j2k_gpu_encode_add_first_times(struct j2k_gpu_encode_job *job);
void kst_j2k_gpu_encode_add_times(struct j2k_gpu_encode_job *job);

/* Release the packets that are on the device. */
void kst_j2k_gpu_packets_forget(struct j2k_gpu_encode_job *job);

/* Release the memory that counting took. */
void kst_j2k_gpu_count_end(struct j2k_gpu_encode_job *job);

/*
 * Continue in the track's urgent queue, or in the ordinary one again. Launches with few work-groups, and those that the
 * host waits for, are queued as urgent, because the large kernels of other jobs would leave no room for them.
 */
void kst_j2k_gpu_encode_hurry(struct j2k_gpu_encode_job *job);
void kst_j2k_gpu_encode_calm_down(struct j2k_gpu_encode_job *job);
/*
 * Make the present queue wait for what was queued in the track's ordinary queue beside it: lists of blocks are uploaded
 * there while the transform runs in the urgent queue.
 */
void kst_j2k_gpu_encode_join(struct j2k_gpu_encode_job *job);
/* Wait for all that was queued, even if some of it failed, so that no kernel runs that uses the job's buffers. */
void kst_j2k_gpu_encode_finish(struct j2k_gpu_encode_job *job);

/* Note whether the job's blocks are still to be coded. Returns whether those of other jobs are. */
bool kst_j2k_gpu_encode_uncoded(struct j2k_gpu_encode_job *job, bool uncoded);

/*
 * Queue the upload, and the transform from pixels to coefficients. When the upload function returns, all rows have been
 * read.
 */
void kst_j2k_gpu_encode_upload(struct j2k_gpu_encode_job *job);
void kst_j2k_gpu_encode_transform(struct j2k_gpu_encode_job *job);

#endif
