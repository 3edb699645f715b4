/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps of decoding a volume that are the same on the CPU and on a GPU. */
#ifndef KOSTKA_J2K_RUN_DECODE_VOLUME_H
#define KOSTKA_J2K_RUN_DECODE_VOLUME_H

#include "j2k/cpu/z.h"
#include "j2k/run/decode.h"

/* Holds the transform of a tile whose headers give it one of its own, or none. */
struct j2k_volume_tile {
    uint32_t index; /* of the tile */
    struct j2k_multi multi;
};

/* Holds the state of decoding a volume. It owns what the members below `options` point to. */
struct j2k_volume_decoding {
    kst_decoder *decoder;
    const kst_volume_decode_options *options;
    bool transformed; /* slices are made by a transform; false: slices are coded separately */
    bool reversible;  /* samples are integers before the wavelet, and behind it */
    bool mixed;       /* slices have different depths or signs, and the volume a type that holds all of them */
    /* The transform, if it is one wavelet over all components, in all tiles that are wanted; otherwise null. */
    const struct j2k_multi_collection *wavelet;
    struct j2k_volume_tile *own; /* tiles with transforms of their own, in raster order */
    uint32_t own_count;
    struct j2k_z_layout layout;
    struct j2k_z_range shown; /* the slices to be decoded, or positions of the reduced level */
    struct j2k_filter filter; /* filter for all rows */
    struct j2k_z_need need;
    bool *wanted;              /* for each component */
    uint32_t *slot;            /* for each wanted component */
    struct j2k_target *target; /* for each component */
    uint32_t wanted_count;
    struct j2k_z_planes planes;
    struct progress *progress;
};

/*
 * Describe the volume that the options ask for, and find the components that it needs. The decoding must be ended in
 * any case, which releases what it owns.
 */
kst_status kst_j2k_run_volume_begin(struct j2k_volume_decoding *d);
void kst_j2k_run_volume_end(struct j2k_volume_decoding *d);

/*
 * decode_volume_tiles.c: find the tiles with transforms of their own among those that are wanted, and release them; and
 * make the slices of a region from the planes, which hold all components, without a single wavelet.
 */
kst_status kst_j2k_run_volume_find_tiles(struct j2k_volume_decoding *d);
void kst_j2k_run_volume_drop_tiles(struct j2k_volume_decoding *d);
kst_status kst_j2k_run_volume_make_tiles(struct j2k_volume_decoding *d, const struct j2k_plan *plan,
    struct j2k_rect region, const struct j2k_z_slices *slices);

/* Return the samples of each slice, if a transform makes different ones; otherwise null: all have the volume's. */
const struct j2k_multi_sample *kst_j2k_run_volume_samples(const struct j2k_volume_decoding *d);

/*
 * Find the transform of a tile of the plan (null: of a missing tile with this index), and which of its coded components
 * are in single precision; and check that the transform can work on them. kst_j2k_run_volume_shifts() sets what is
 * added to coded components that no stage transforms.
 */
kst_status kst_j2k_run_volume_describe_tile(const struct j2k_volume_decoding *d, const struct j2k_plan *plan,
    const struct j2k_tile *tile, uint32_t index, const struct j2k_multi **multi, bool *is_real);
void kst_j2k_run_volume_shifts(const struct j2k_volume_decoding *d, double *shift);

/* Check the transforms of all tiles of the plan in this way. */
kst_status kst_j2k_run_volume_check_stages(const struct j2k_volume_decoding *d, const struct j2k_plan *plan);

/* Build the plan for some rows. The caller releases it, even after an error. */
kst_status kst_j2k_run_volume_plan(struct j2k_volume_decoding *d, struct j2k_rect region, struct j2k_plan *plan);

#endif
