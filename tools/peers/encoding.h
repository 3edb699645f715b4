/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what encoders of NVIDIA's share when they are measured: pixels in device memory, room for the files in
 * pinned memory, and threads that each have some pictures under way.
 */
#ifndef KOSTKA_TOOL_PEERS_ENCODING_H
#define KOSTKA_TOOL_PEERS_ENCODING_H

#include "peers/crew.h"
#include "peers/cuda.h"
#include "peers/peers.h"

/* Holds the results of a picture. */
struct peer_file {
    cuda_pointer pixels;
    void *data; /* in pinned memory */
    size_t capacity, length;
};

struct peer_encoding {
    struct peer_cuda cuda;
    bool cuda_open;
    void *context;
    struct peer_task task;
    uint32_t workers;       /* threads that have been made */
    struct peer_file *file; /* one for each picture */
};

/* Open the driver for a task. Whatever this and the next function return, peer_encoding_close() ends it. */
bool peer_encoding_open(struct peer_encoding *encoding, const struct peer_task *task, struct problem *problem);

/*
 * Bring all pixels to the device. Files have room for twice the length that is wanted of them, and some headers: pinned
 * memory takes long to get. The first file also has room for twice its pixels, which is as long as any becomes.
 */
bool peer_encoding_place(struct peer_encoding *encoding, struct problem *problem);
void peer_encoding_close(struct peer_encoding *encoding);

/* Does something for the encoding of picture `index` by one of a worker's states. */
typedef bool (*peer_encoding_step)(
    void *user, uint32_t worker, uint32_t state, uint32_t index, struct problem *problem);

/* Holds the steps of encoding, in their order. The last one is taken even where one failed; null: there is none. */
struct peer_encoding_steps {
    peer_encoding_step start, fetch, wait;
};

/*
 * Encode every `workers`th picture, as many at a time as there are states: each step is taken for all of them before
 * the next one is. Each worker calls this in a thread of its own.
 */
bool peer_encoding_work(struct peer_encoding *encoding, uint32_t worker, const struct peer_encoding_steps *steps,
    void *user, struct problem *problem);

/* Has the signature that struct peer wants. */
const uint8_t *peer_encoding_result(const struct peer_encoding *encoding, uint32_t index, size_t *length);

#endif
