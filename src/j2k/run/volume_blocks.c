/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds how the code-blocks of a volume are coded, from COD (T.800 A.6.1) in the main header. Volumes are divided among
 * a GPU's launches by it before any of them is opened, so that nothing else is read or checked.
 */
#include "j2k/run/decode.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"

enum {
    BOXES = 4096,  /* most bytes of boxes in front of the codestream */
    SEGMENTS = 64, /* most marker segments in front of COD */
    AT_SIDES = 10, /* where COD, from its marker on, has the exponents of a code-block's sides less 2, */
    AT_STYLE = 12, /* and its style */
    CODED = AT_STYLE + 1,
    SIDES_MOST = 12 /* of the sum of both exponents */
};

/* Return the offset of the codestream; `length` if there is none near the start. */
static size_t find_start(const uint8_t *data, size_t length)
{
    const size_t end = length < BOXES ? length : BOXES;
    for (size_t at = 0; at + 4 <= end; at++)
        if (data[at] == 0xFF && data[at + 1] == J2K_SOC && data[at + 2] == 0xFF && data[at + 3] == J2K_SIZ)
            return at;
    return length;
}

bool kst_j2k_run_find_blocks(const uint8_t *data, size_t length, struct volume_blocks *blocks)
{
    size_t at = find_start(data, length) + 2;
    for (int i = 0; i < SEGMENTS && at < length && length - at >= CODED && data[at] == 0xFF; i++) {
        if (data[at + 1] == J2K_COD) {
            const uint32_t sides = (data[at + AT_SIDES] & 15U) + (data[at + AT_SIDES + 1] & 15U) + 2 + 2;
            *blocks = (struct volume_blocks){.ht = (data[at + AT_STYLE] & KST_J2K_HT) != 0,
                .samples = 1U << (sides < SIDES_MOST ? sides : SIDES_MOST)};
            return true;
        }
        at += 2 + (size_t)j2k_get16(data + at + 2);
    }
    return false;
}
