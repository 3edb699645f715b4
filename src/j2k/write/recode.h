/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns a stream into a coded image that can be written again, for transcoding. The code-blocks' bytes are not changed
 * here; if the blocks are to get another coder, the information that is needed to decode them is kept.
 */
#ifndef KOSTKA_J2K_WRITE_RECODE_H
#define KOSTKA_J2K_WRITE_RECODE_H

#include "j2k/write/coded.h"

/*
 * Describes the changes that transcoding makes. All zero, with negative progression, sop, eph and ht, changes nothing.
 */
struct j2k_recoding {
    uint8_t reduce;  /* number of highest resolutions to leave out */
    uint16_t layers; /* number of layers to keep, the first ones; 0: all */
    /*
     * Number of layers of the coded image, whatever the stream has; layer_passes is then left zero. 0: that of the
     * stream.
     */
    uint16_t make;
    /* An enum j2k_progression for all tiles, which then have no POC; negative: as in the stream. */
    int progression;
    int sop, eph; /* 1: with; 0: without; negative: as in the stream */
    int ht;       /* 1: headers for T.814 code-blocks; 0: for T.800 code-blocks; negative: as in the stream */
    const uint32_t *component; /* components to keep, ascending; null: all */
    uint32_t component_count;
};

/* Return the component of the source that is component `index` of the coded image. */
static inline uint32_t j2k_recoded_component(const struct j2k_recoding *recoding, uint32_t index)
{
    return recoding->component ? recoding->component[index] : index;
}

/* Holds information from the stream about a code-block whose coder may change. */
struct j2k_block_origin {
    uint64_t offset; /* offset of its first bytes in the stream */
    uint8_t style;   /* enum j2k_style of its tile-component */
    uint8_t coder;   /* enum j2k_block_coder_kind, or J2K_BLOCK_CODERS if it has no bytes */
    bool cut;        /* passes behind the last one were left out */
};

/* Holds bytes of code-blocks that were coded again. */
struct j2k_recoded_bytes {
    struct j2k_recoded_bytes *next;
    size_t used, room;
    uint8_t data[];
};

/* Holds a coded image and the memory that it borrows. */
struct j2k_recoded {
    struct j2k_coded coded;
    struct j2k_component_size *component;
    struct j2k_parameters *tile; /* null: all tiles use the main header's parameters */
    uint8_t *data; /* bytes of blocks that are in several pieces; those of other blocks are borrowed from the stream */
    uint32_t *pass_length;
    uint8_t *layer_passes;
    uint32_t pass_count, pass_capacity;
    struct j2k_block_origin *origin; /* for each block; null: the coders do not change */
    struct j2k_recoded_bytes *bytes;
};

/*
 * Read all packets of a stream. Passes that came in one contribution to a segment have the same length, that of the
 * contribution. Damage is a warning, as in building a plan; a tile that cannot be read becomes empty. Fails with
 * KST_ERROR_J2K_REDUCE if a component has too few resolutions, and with KST_ERROR_OPTIONS if tiles have a size that
 * cannot be halved so often, if components to keep do not exist or do not ascend, or if a component transform would
 * lose one of its three components. On failure nothing is left allocated; otherwise kst_j2k_recoded_release() must be
 * called.
 */
kst_status kst_j2k_recode(const struct operation *op, const struct j2k_stream *stream,
    const struct j2k_recoding *wanted, struct j2k_recoded *recoded);
void kst_j2k_recoded_release(struct memory *memory, struct j2k_recoded *recoded);

#endif
