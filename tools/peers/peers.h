/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the other codecs that Kostka is compared with, which are found at run time if they are installed. Each
 * repeats a task; everything that the task needs is allocated beforehand, so that a run consists of nothing but the
 * work.
 */
#ifndef KOSTKA_TOOL_PEERS_H
#define KOSTKA_TOOL_PEERS_H

#include "tool.h"

/* Describes a picture of 8-bit RGB without padding. */
struct peer_picture {
    uint32_t width, height;
    const uint8_t *stream; /* the stream to decode, in host memory */
    size_t length;         /* length of the stream; when encoding, the wanted length, if the peer can choose it */
    const uint8_t *pixels; /* the pixels to encode */
};

/* Says how many threads drive a peer, and how many pictures each of them has in flight. */
struct peer_crew {
    uint32_t threads, states;
};

struct peer_task {
    bool encode;
    const struct peer_picture *picture;
    uint32_t count; /* pictures of a batch */
    int quality;    /* this and the members up to `levels` are for encoding */
    kst_subsampling subsampling;
    bool optimized;
    bool lossless;                      /* for JPEG 2000, as the members up to `levels` */
    bool ht;                            /* use the block coder of T.814 */
    uint32_t block_width, block_height; /* size of code-blocks */
    uint32_t levels;                    /* levels of decomposition */
    uint32_t threads;                   /* the most threads of a peer that works on the CPU */
    struct peer_crew crew;              /* for peers that can be driven in different ways */
};

struct peer {
    const char *name;
    /* Allocate everything that the task needs. Returns null, with the problem, on failure. */
    void *(*open)(const struct peer_task *task, struct problem *problem);
    bool (*run)(void *state, struct problem *problem); /* returns when all is done */
    /*
     * Return the last run's result for a picture: pixels, or a stream. It belongs to the state, and is valid until
     * the next call. Null if it cannot be read.
     */
    const uint8_t *(*result)(void *state, uint32_t index, size_t *length);
    void (*close)(void *state);
    /*
     * Lists ways to drive the peer, the fastest of which is measured; the list ends with a crew without threads.
     * Null: there is only one way.
     */
    const struct peer_crew *crews;
    /* This peer is measured only if the one before it in the list, which is faster, cannot be. */
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
