/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other codecs to measure against, found at run time where the machine has them. Each does a task again and again; what
 * it needs for it is made beforehand, so that a run is nothing but the work.
 */
#ifndef KOSTKA_TOOL_PEERS_H
#define KOSTKA_TOOL_PEERS_H

#include "tool.h"

/* Pictures of one size, 8-bit RGB without padding. */
struct peer_task {
    bool encode;
    uint32_t width, height;
    uint32_t count;               /* of pictures at once */
    const uint8_t *const *stream; /* to decode, in host memory */
    size_t length;                /* of each; of what is to be made, where the peer has a choice */
    const uint8_t *pixels;        /* to encode, the same for all */
    int quality;                  /* to encode with, and the next */
    kst_subsampling subsampling;
    bool optimized;
    bool lossless;    /* JPEG 2000 */
    uint32_t threads; /* at most, of peers that work on the CPU */
};

struct peer {
    const char *name;
    /* Make what the task needs: null, and the problem, where that cannot be. */
    void *(*open)(const struct peer_task *task, struct problem *problem);
    bool (*run)(void *state, struct problem *problem); /* returns when all is done */
    /* What the last run made of the first picture: pixels, or a stream; the state's. Null: not to be had. */
    const uint8_t *(*result)(void *state, size_t *length);
    void (*close)(void *state);
};

/* All of them for JPEG, in both directions, and for JPEG 2000; ended by null. They leave what they cannot do to open().
 */
extern const struct peer *const peers_all[], *const peers_j2k_decode[], *const peers_j2k_encode[];

extern const struct peer peer_turbo_one, peer_turbo_all, peer_nvjpeg, peer_nvjpeg_gpu, peer_nvjpeg_hardware,
    peer_nvjpeg2k, peer_nvjpeg2k_encode;

#endif
