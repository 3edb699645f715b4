/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues jobs one at a time. Threads that call the driver at the same time wait for each other there, at each of a
 * job's dozen calls. Instead, a thread that has a job to queue while another thread is queueing leaves the job to it,
 * and goes on to its next volumes.
 */
#include "j2k/gpu/job.h"

static struct j2k_gpu_decoding_state *state_of(const struct j2k_gpu_job *job)
{
    return job->built->state;
}

static void append(struct j2k_gpu_decoding_state *state, struct j2k_gpu_job *job)
{
    if (state->first)
        state->last->next = job;
    else
        state->first = job;
    state->last = job;
}

void kst_j2k_gpu_take_turn(struct j2k_gpu_job *job, void (*queue)(struct j2k_gpu_job *job))
{
    struct j2k_gpu_decoding_state *state = state_of(job);
    pthread_mutex_t *lock = &job->runtime->lock; /* the job may end as soon as it is queued */
    pthread_mutex_lock(lock);
    append(state, job);
    while (!state->queueing && state->first) {
        struct j2k_gpu_job *next = state->first;
        state->first = next->next;
        state->queueing = true;
        pthread_mutex_unlock(lock);
        queue(next);
        pthread_mutex_lock(lock);
        state->queueing = false;
        next->queued = true;
        pthread_cond_signal(&next->turned);
    }
    pthread_mutex_unlock(lock);
}

void kst_j2k_gpu_await_turn(struct j2k_gpu_job *job)
{
    if (!job->in_turn)
        return;
    pthread_mutex_lock(&job->runtime->lock);
    while (!job->queued)
        pthread_cond_wait(&job->turned, &job->runtime->lock);
    pthread_mutex_unlock(&job->runtime->lock);
}
