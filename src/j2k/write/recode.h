/* SPDX-License-Identifier: BSD-2-Clause */
/* From a stream to a coded image, to be written anew: the code-blocks' bytes stay what they are. */
#ifndef KOSTKA_J2K_WRITE_RECODE_H
#define KOSTKA_J2K_WRITE_RECODE_H

#include "j2k/write/coded.h"

/* What is to change; all zero but for progression: nothing. */
struct j2k_recoding {
    uint8_t reduce;  /* resolutions to leave out */
    uint16_t layers; /* keep the first so many; 0: all */
    uint16_t make; /* layers of the coded image, whatever the stream's are; layer_passes is left zero. 0: as they are */
    int progression;           /* enum j2k_progression for all tiles, POC then falls away; negative: as it is */
    int sop, eph;              /* 1 with, 0 without, negative: as it is */
    const uint32_t *component; /* the components to keep, ascending; null: all */
    uint32_t component_count;
};

/* Which of the source's components component `index` of the coded image is. */
static inline uint32_t j2k_recoded_component(const struct j2k_recoding *recoding, uint32_t index)
{
    return recoding->component ? recoding->component[index] : index;
}

/* A coded image, and what it borrows of. */
struct j2k_recoded {
    struct j2k_coded coded;
    struct j2k_component_size *component;
    struct j2k_parameters *tile; /* null: all tiles as the main header says */
    uint8_t *data;
    uint32_t *pass_length;
    uint8_t *layer_passes;
    uint32_t pass_count, pass_capacity;
};

/*
 * Read all packets of a stream. Passes that came in one contribution to a segment have the same length, that of the
 * contribution. Damage is a warning, as in building a plan; a tile that cannot be read is empty. Fails with
 * KST_ERROR_J2K_REDUCE where a component has too few resolutions, and with KST_ERROR_OPTIONS where tiles are of a size
 * that cannot be halved so often, components that are kept do not exist or do not ascend, or a component transform
 * would lose one of its three. On failure nothing is left allocated; otherwise kst_j2k_recoded_release() ends it.
 */
kst_status kst_j2k_recode(struct memory *memory, const kst_limits *limits, const struct j2k_stream *stream,
    const struct j2k_recoding *wanted, struct j2k_recoded *recoded, kst_report *report);
void kst_j2k_recoded_release(struct memory *memory, struct j2k_recoded *recoded);

#endif
