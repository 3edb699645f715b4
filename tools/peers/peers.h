/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the other codecs that Kostka is compared with, which are found at run time if they are installed. Each does
 * a task again and again; everything it needs is made beforehand, so that a run is nothing but the work.
 */
#ifndef KOSTKA_TOOL_PEERS_H
#define KOSTKA_TOOL_PEERS_H

#include "tool.h"

/* Holds 8-bit RGB without padding. */
struct peer_picture {
    uint32_t width, height;
    const uint8_t *stream; /* the stream to decode, in host memory */
    size_t length;         /* the length of the stream; or of the stream to make, if the peer can choose it */
    const uint8_t *pixels; /* to encode */
};

/* Holds threads that drive a peer, and pictures that each of them has under way at a time. */
struct peer_crew {
    uint32_t threads, states;
};

struct peer_task {
    bool encode;
    const struct peer_picture *picture;
    uint32_t count; /* pictures at once */
    int quality;    /* this and the members up to `levels` are for encoding */
    kst_subsampling subsampling;
    bool optimized;
    bool lossless;                      /* JPEG 2000, */
    bool ht;                            /* by T.814's coder, */
    uint32_t block_width, block_height; /* its code-blocks, */
    uint32_t levels;                    /* and its levels of decomposition */
    uint32_t threads;                   /* the most threads of a peer that works on the CPU */
    struct peer_crew crew;              /* for peers that can be driven in different ways */
};

struct peer {
    const char *name;
    /* Make what the task needs. Returns null, with the problem, on failure. */
    void *(*open)(const struct peer_task *task, struct problem *problem);
    bool (*run)(void *state, struct problem *problem); /* returns when all is done */
    /*
     * Return what the last run made of a picture: pixels, or a stream. It belongs to the state until the next call.
     * Null if it cannot be read.
     */
    const uint8_t *(*result)(void *state, uint32_t index, size_t *length);
    void (*close)(void *state);
    /*
     * Ways to drive the peer, of which the fastest is measured; the list ends with one without threads. Null: there is
     * only one way.
     */
    const struct peer_crew *crews;
    /* This peer is measured only where the one before it in the list, which is faster, cannot be. */
    bool is_second;
};

/*
 * All peers for JPEG and for JPEG 2000, in each direction; the lists end with null. open() fails for tasks that a peer
 * does not support.
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
