/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other codecs to measure against, found at run time where the machine has them. Each does a task again and again; what
 * it needs for it is made beforehand, so that a run is nothing but the work.
 */
#ifndef KOSTKA_TOOL_PEERS_H
#define KOSTKA_TOOL_PEERS_H

#include "tool.h"

/* 8-bit RGB without padding. */
struct peer_picture {
    uint32_t width, height;
    const uint8_t *stream; /* to decode, in host memory */
    size_t length;         /* of it; or of what is to be made, where the peer has a choice */
    const uint8_t *pixels; /* to encode */
};

/* Threads of the peer's caller, and pictures that each of them has on their way at a time. */
struct peer_crew {
    uint32_t threads, states;
};

struct peer_task {
    bool encode;
    const struct peer_picture *picture;
    uint32_t count; /* of pictures at once */
    int quality;    /* to encode with, and the next */
    kst_subsampling subsampling;
    bool optimized;
    bool lossless;                      /* JPEG 2000, */
    uint32_t block_width, block_height; /* its code-blocks, */
    uint32_t levels;                    /* and its levels of decomposition */
    uint32_t threads;                   /* at most, of peers that work on the CPU */
    struct peer_crew crew;              /* of peers that have a choice of them */
};

struct peer {
    const char *name;
    /* Make what the task needs: null, and the problem, where that cannot be. */
    void *(*open)(const struct peer_task *task, struct problem *problem);
    bool (*run)(void *state, struct problem *problem); /* returns when all is done */
    /* What the last run made of a picture: pixels, or a stream; the state's, until the next call. Null: not to be had.
     */
    const uint8_t *(*result)(void *state, uint32_t index, size_t *length);
    void (*close)(void *state);
    /* Ways to drive it, of which the fastest is measured; ended by one without threads. Null: there is one. */
    const struct peer_crew *crews;
    /* With several pictures it is measured only where the one before it in the list cannot do them. */
    bool is_second;
};

/* All of them for JPEG and for JPEG 2000, in each direction; ended by null. They leave what they cannot do to open().
 */
extern const struct peer *const peers_decode[], *const peers_encode[], *const peers_j2k_decode[],
                                                                           *const peers_j2k_encode[];

static inline size_t peer_pixel_bytes(const struct peer_picture *picture)
{
    return (size_t)picture->width * picture->height * 3;
}

extern const struct peer peer_turbo_one, peer_turbo_all, peer_nvjpeg, peer_nvjpeg_gpu, peer_nvjpeg_hardware,
    peer_nvjpeg_encode, peer_nvjpeg2k, peer_nvjpeg2k_encode;

#endif
