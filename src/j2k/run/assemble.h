/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a codestream is written whose code-blocks the GPU has coded: the host writes the frame, the device
 * inserts the blocks' bytes, and the codestream is downloaded directly to the caller's buffer if that is pinned, and
 * otherwise copied there.
 */
#ifndef KOSTKA_J2K_RUN_ASSEMBLE_H
#define KOSTKA_J2K_RUN_ASSEMBLE_H

#include "j2k/gpu/encode.h"
#include "j2k/write/write.h"

struct j2k_assembler {
    struct memory *memory;
    struct pool *pool; /* threads that copy what was downloaded */
    kst_report *report;
    struct gpu_runtime *gpu;
    const struct j2k_gpu_encode_job *job; /* the job that coded the blocks */
    uint32_t item;                        /* the picture's index in the job */
    uint32_t placed;                      /* bytes of the packets on the device; 0: the host writes packet headers */
    /*
     * Downloads the bytes of blocks to where the coded image expects them, for codestreams that are too large for
     * kernels.
     */
    kst_status (*arrive)(void *user);
    void *user;
};

/* The function of a struct j2k_carrier, whose `user` is an assembler. */
kst_status kst_j2k_run_assemble(const void *assembler, const struct j2k_codestream *stream, struct sink *sink);

#endif
