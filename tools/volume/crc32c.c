/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes CRC-32C (RFC 3720, B.4), with which the indices of shards end: polynomial 0x1EDC6F41, reflected. */
#include "volume/store.h"

uint32_t crc32c(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0x82F63B78u : 0);
    }
    return ~sum;
}
