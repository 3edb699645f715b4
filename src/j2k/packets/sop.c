/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds SOP markers in front of packets. Neither packet headers nor bodies can contain what looks like one (T.800
 * A.8.1).
 */
#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"

uint32_t kst_j2k_sop_at(const uint8_t *at, const uint8_t *end)
{
    if (end - at < J2K_SOP_LENGTH || at[0] != 0xFF || at[1] != J2K_SOP || j2k_get16(at + 2) != J2K_SOP_LENGTH - 2)
        return J2K_NO_SOP;
    return j2k_get16(at + 4);
}

const uint8_t *kst_j2k_sop_find(const uint8_t *from, const uint8_t *end)
{
    while (from < end && (from = memchr(from, 0xFF, (size_t)(end - from))) != NULL) {
        if (kst_j2k_sop_at(from, end) != J2K_NO_SOP)
            return from;
        from++;
    }
    return end;
}
