/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates rates: decides which passes of each code-block go into which layer, so that at every length the squared
 * error is as low as it can be (T.800 J.14, "PCRD"). One threshold of gain per byte holds for the whole picture.
 */
#ifndef KOSTKA_J2K_RATE_RATE_H
#define KOSTKA_J2K_RATE_RATE_H

#include "core/operation.h"
#include "j2k/write/write.h"

/* Holds the target of a layer. The limit that is reached first ends the layer. */
struct j2k_layer_target {
    /* Bytes of the whole codestream up to the layer's end, as if it were the last layer; UINT64_MAX: no limit. */
    uint64_t bytes;
    double error; /* squared error of the picture at which the layer ends; 0: no such limit */
    bool all;     /* the layer takes every pass */
};

/* Holds the outcome of a layer. */
struct j2k_layer_outcome {
    uint64_t bytes;
    double error; /* squared error, computed from the gains of passes */
};

struct j2k_rate {
    const struct j2k_coded *coded; /* its layer_passes must be the array that is filled in */
    const double *gain;            /* gain of each pass, indexed like coded.pass_length */
    double error;                  /* squared error that is left with all passes */
    const struct j2k_writing *writing;
    uint64_t around;                       /* bytes of a file around the codestream */
    const struct j2k_layer_target *target; /* for each of coded.layers; targets never fall from one layer to the next */
    struct j2k_layer_outcome *outcome;     /* output: for each layer; may be null */
};

/*
 * Fill in layer_passes, `layers` entries for each block. *threshold becomes the least gain per byte that any layer
 * asked for; it is infinite if every pass was wanted.
 */
kst_status kst_j2k_allocate_rate(
    const struct operation *op, const struct j2k_rate *rate, uint8_t *layer_passes, double *threshold);

#endif
