/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what NVIDIA's encoders share when they are measured: pixels in device memory, room for the files in pinned
 * memory, and threads that each have several pictures in flight.
 */
#ifndef KOSTKA_TOOL_PEERS_ENCODING_H
#define KOSTKA_TOOL_PEERS_ENCODING_H

#include "peers/crew.h"
#include "peers/cuda.h"
#include "peers/peers.h"

/* Holds the pixels and the encoded file of a picture. */
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
    uint32_t workers;       /* threads that have been started */
    struct peer_file *file; /* one for each picture */
};

/* Open the driver for a task. Whatever this and the next function return, peer_encoding_close() must follow. */
bool peer_encoding_open(struct peer_encoding *encoding, const struct peer_task *task, struct problem *problem);

/*
 * Upload all pixels, and allocate room for the files: eight times the wanted length, but no more than the pixels, and
 * some headers, because allocating pinned memory takes long. The first file has room for three times its pixels.
 */
bool peer_encoding_place(struct peer_encoding *encoding, struct problem *problem);
void peer_encoding_close(struct peer_encoding *encoding);

/* Does one step of encoding picture `index` with one of a worker's states. */
typedef bool (*peer_encoding_step)(
    void *user, uint32_t worker, uint32_t state, uint32_t index, struct problem *problem);

/* Holds the steps of encoding, in their order. `wait` is called even if an earlier step failed, and may be null. */
struct peer_encoding_steps {
    peer_encoding_step start, fetch, wait;
};

/*
 * Encode every `workers`th group of pictures. A group has a picture for each of a worker's states; each step is done
 * for the whole group before the next step. Each worker calls this in a thread of its own.
 */
bool peer_encoding_work(struct peer_encoding *encoding, uint32_t worker, const struct peer_encoding_steps *steps,
    void *user, struct problem *problem);

/* Returns the file of a picture; has the signature that struct peer requires. */
const uint8_t *peer_encoding_result(const struct peer_encoding *encoding, uint32_t index, size_t *length);

#endif
