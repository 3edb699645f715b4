/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes a cleanup segment apart, and removes the stuffed bits (T.814 7.1). */
#include <string.h>

#include "j2k/cpu/blocks/ht_bits.h"

enum {
    WORD_BYTES = 8,
    NIBBLE = 15,
    MARKER_HIGH = 0x8F, /* a byte of VLC above this one may be followed by a stuffed bit */
    ALL_BUT_TOP = 0x7F
};

/* Copy bits that grow forward, the lowest of a byte first; behind FF a byte has 7 of them. Returns their number. */
static uint32_t unstuff_forward(const uint8_t *from, uint32_t length, uint8_t *to, uint32_t room)
{
    struct j2k_ht_writer writer = {.to = to};
    uint32_t previous = 0;
    while (length > 0 && writer.length < room) {
        if (length >= WORD_BYTES && previous != 0xFF && !j2k_has_byte(j2k_load64(from), 0xFF)) {
            j2k_ht_put_word(&writer, j2k_load64(from));
            from += WORD_BYTES;
            length -= WORD_BYTES;
            previous = 0;
            continue;
        }
        uint32_t bits = previous == 0xFF ? 7 : 8;
        previous = *from++;
        length--;
        j2k_ht_put(&writer, previous & ((1U << bits) - 1), bits);
    }
    return j2k_ht_end(&writer);
}

/* Copy bits that grow backward: `length` bytes, from the one at `from` down. `previous` is the byte behind that one. */
static void unstuff_backward(struct j2k_ht_writer *writer, const uint8_t *from, uint32_t length, uint32_t previous)
{
    while (length > 0) {
        if (length >= WORD_BYTES && !j2k_has_byte(j2k_load64(from - 7) | UINT64_C(0x8080808080808080), 0xFF)) {
            j2k_ht_put_word(writer, __builtin_bswap64(j2k_load64(from - 7)));
            from -= WORD_BYTES;
            length -= WORD_BYTES;
            previous = from[1];
            continue;
        }
        uint32_t byte = *from--;
        length--;
        uint32_t bits = previous > MARKER_HIGH && (byte & ALL_BUT_TOP) == ALL_BUT_TOP ? 7 : 8;
        j2k_ht_put(writer, byte & ((1U << bits) - 1), bits);
        previous = byte;
    }
}

/* Copy VLC. It begins with the high nibble of the last byte but one, of which 111 has a stuffed bit above it. */
static void open_vlc(struct j2k_ht_decoder *decoder, const uint8_t *last, uint32_t length)
{
    struct j2k_ht_writer writer = {.to = decoder->vlc};
    uint32_t first = *last >> 4, bits = (first & 7) == 7 ? 3 : 4;
    j2k_ht_put(&writer, first & ((1U << bits) - 1), bits);
    unstuff_backward(&writer, last - 1, length - 1, *last | NIBBLE);
    decoder->vlc_bits = j2k_ht_end(&writer);
    memset(decoder->vlc + writer.length, 0, decoder->quad_columns * 5 / 2 + J2K_HT_SLACK);
}

/* Copy MagSgn. One byte FF is assumed to follow it; a block that reads bits behind that byte is damaged. */
static void open_magsgn(struct j2k_ht_decoder *decoder, const uint8_t *data, uint32_t length)
{
    const uint32_t word = decoder->bits + 1, quads = decoder->quad_columns * decoder->quad_rows;
    const uint32_t need = (quads * 4 * word + 7) / 8, row = (decoder->quad_columns * 4 * word + 7) / 8;
    uint32_t count = unstuff_forward(data, length, decoder->magsgn, need);
    uint32_t at = count / 8;
    if (count % 8 != 0)
        decoder->magsgn[at] = (uint8_t)(decoder->magsgn[at] | 0xFFU << count % 8);
    memset(decoder->magsgn + at + (count % 8 != 0), 0xFF, row + J2K_HT_SLACK - 16);
    decoder->magsgn_bits = count + (length > 0 && data[length - 1] == 0xFF ? 7 : 8);
}

bool kst_j2k_cpu_ht_open(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set)
{
    const uint32_t length = set->cleanup_length;
    if (length < J2K_HT_SUFFIX_LEAST || length > J2K_HT_CLEANUP_MOST || set->refinement_length > J2K_HT_REFINEMENT_MOST)
        return false;
    const uint8_t *last = set->cleanup + length - 2;
    const uint32_t suffix = 16U * last[1] + (last[0] & NIBBLE);
    if (suffix < J2K_HT_SUFFIX_LEAST || suffix > J2K_HT_SUFFIX_MOST || suffix > length)
        return false;
    open_magsgn(decoder, set->cleanup, length - suffix);
    open_vlc(decoder, last, suffix - 1);
    decoder->mel = set->cleanup + length - suffix;
    decoder->end = last;
    return true;
}

void kst_j2k_cpu_ht_open_refinement(struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set,
    struct j2k_ht_run *forward, struct j2k_ht_run *backward)
{
    const uint32_t length = set->refinement_length;
    *forward = (struct j2k_ht_run){.data = decoder->forward};
    *backward = (struct j2k_ht_run){.data = decoder->backward};
    if (length == 0)
        return;
    struct j2k_ht_writer writer = {.to = decoder->backward};
    forward->count = unstuff_forward(set->refinement, length, decoder->forward, J2K_HT_REFINEMENT_ROOM);
    unstuff_backward(&writer, set->refinement + length - 1, length, 0xFF);
    backward->count = j2k_ht_end(&writer);
}
