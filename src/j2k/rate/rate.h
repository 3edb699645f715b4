/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate allocation: which passes of each code-block go into which layer, so that at every length the squared error is as
 * low as it can be (T.800 J.14, "PCRD"). One threshold of gain for a byte holds for the whole picture.
 */
#ifndef KOSTKA_J2K_RATE_RATE_H
#define KOSTKA_J2K_RATE_RATE_H

#include "core/pool.h"
#include "j2k/write/write.h"

/* How far a layer goes; what comes first ends it. */
struct j2k_layer_target {
    uint64_t bytes; /* of the whole codestream up to its end if this were the last layer; UINT64_MAX: no limit */
    double error;   /* squared error of the picture that it is to reach; 0: none */
    bool all;       /* every pass */
};

/* What a layer came to. */
struct j2k_layer_outcome {
    uint64_t bytes;
    double error; /* as far as gains tell */
};

struct j2k_rate {
    const struct j2k_coded *coded; /* whose layer_passes is the array below */
    const double *gain;            /* of each pass, as coded.pass_length */
    double error;                  /* that is left when all passes are there */
    const struct j2k_writing *writing;
    uint64_t around;                       /* bytes of a file around the codestream */
    const struct j2k_layer_target *target; /* of each of coded.layers; those after the first never go back */
    struct j2k_layer_outcome *outcome;     /* likewise */
};

/*
 * Fill in layer_passes, `layers` a block. *threshold: the least gain for a byte that was asked of any layer, infinite
 * where every pass was wanted.
 */
kst_status kst_j2k_allocate_rate(struct memory *memory, struct pool *pool, const struct j2k_rate *rate,
    uint8_t *layer_passes, double *threshold, kst_report *report);

#endif
