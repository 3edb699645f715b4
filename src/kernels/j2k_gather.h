/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the bytes of codeword segments, in pieces and with stuffing, to bits that a decoder takes word by word: those
 * of raw segments as they are; those of the MQ coder behind one that is 0, with the carries that stuffed bits hold
 * (T.800 C.3.4) added to what they belong to.
 */
#include "portable.h"

#include "j2k_work.h"

/* Bits that are not a whole word yet, and where words go. */
struct bit_writer {
    GLOBAL u32 *out;
    u32 words;   /* written */
    u64 pending; /* `count` bits, at most 31 between two bytes */
    u32 count;
};

/* Adds 1 to what was written; what overflows it is lost, as in the register of the decoder. */
FUNCTION void carry_back(struct bit_writer *w)
{
    u32 at = w->words, full = 1;
    while (full && at > 0) {
        at--;
        u32 sum = w->out[at] + 1;
        w->out[at] = sum;
        full = sum == 0;
    }
}

FUNCTION void flush_word(struct bit_writer *w)
{
    if (w->count < 32)
        return;
    w->count -= 32;
    w->out[w->words++] = (u32)(w->pending >> w->count);
    w->pending &= ((u64)1 << w->count) - 1;
}

/* `byte` may be one bit longer than `bits`. */
FUNCTION void append_byte(struct bit_writer *w, u32 byte, u32 bits)
{
    w->pending = (w->pending << bits) + byte;
    w->count += bits;
    if (w->pending >> w->count) {
        w->pending &= ((u64)1 << w->count) - 1;
        carry_back(w);
    }
    flush_word(w);
}

/* Where the next byte comes from: words of the buffer of streams, one loaded ahead. */
struct byte_reader {
    GLOBAL const struct work_piece *piece;
    GLOBAL const u32 *streams;
    u32 pieces; /* behind this one */
    u32 at, left;
    u32 word, ahead;
};

FUNCTION void start_piece(struct byte_reader *r)
{
    r->pieces--;
    r->at = r->piece->offset;
    r->left = r->piece->length;
    r->word = r->streams[r->at / 4];
    r->ahead = r->streams[r->at / 4 + 1];
}

FUNCTION void skip_bytes(struct byte_reader *r, u32 count)
{
    r->left -= count;
    r->at += count;
    if (r->at % 4 == 0) {
        r->word = r->ahead;
        r->ahead = r->streams[r->at / 4 + 1];
    }
    if (r->left == 0 && r->pieces > 0) {
        r->piece++;
        start_piece(r);
    }
}

FUNCTION u32 is_at_end(const struct byte_reader *r)
{
    return r->left == 0;
}

/* Four bytes at once, if they are there and there is no 0xFF before or among them. */
FUNCTION u32 append_word(struct bit_writer *w, struct byte_reader *r, u32 *last)
{
    u32 word = r->word;
    if (r->at % 4 != 0 || r->left < 4 || (*last & 0xFF) == 0xFF || ((~word - 0x01010101u) & word & 0x80808080u) != 0)
        return 0;
    skip_bytes(r, 4);
    word = swap_bytes(word);
    *last = word & 0xFFFF;
    w->pending = w->pending << 32 | word;
    w->count += 32;
    flush_word(w);
    return 1;
}

/* Returns whether a marker ends the bits, and which kind of end that is. */
FUNCTION u32 append_next(struct bit_writer *w, struct byte_reader *r, u32 raw, u32 *last)
{
    u32 byte = r->word >> (r->at % 4 * 8) & 0xFF, stuffed = (*last & 0xFF) == 0xFF;
    *last = (*last << 8 | byte) & 0xFFFF;
    skip_bytes(r, 1);
    if (stuffed && byte > 0x8F)
        return is_at_end(r) ? J2K_MARKED : 1;
    append_byte(w, raw && stuffed ? byte & 0x7F : byte, stuffed ? 7 : 8);
    return 0;
}

/* The head is the number of bits and how they end, and the last two bytes there are, the very last lowest. */
FUNCTION void gather(GLOBAL const u32 *RESTRICT work, GLOBAL const struct work_codeword *s,
    GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *bits)
{
    GLOBAL u32 *head = bits + s->bits;
    struct bit_writer w;
    struct byte_reader r;
    u32 last = 0, ended = 0;
    w.out = head + J2K_SEGMENT_HEAD;
    w.words = 0;
    w.pending = 0;
    w.count = s->raw ? 0 : 1;
    r.piece = (GLOBAL const struct work_piece *)(work + s->piece);
    r.streams = streams;
    r.pieces = s->pieces;
    r.left = 0;
    if (r.pieces > 0)
        start_piece(&r);
    while (!is_at_end(&r) && ended == 0)
        if (!append_word(&w, &r, &last))
            ended = append_next(&w, &r, s->raw, &last);
    u32 total = w.words * 32 + w.count;
    if (w.count > 0)
        w.out[w.words] = (u32)(w.pending << (32 - w.count)) | 0xFFFFFFFFu >> w.count;
    head[0] = total | (ended == 0 ? J2K_ENDED : ended == 1 ? 0 : ended);
    head[1] = last;
}

KERNEL(J2K_GATHER_GROUP)
gather_segments(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT bits)
{
    GLOBAL const struct j2k_batch_work *head = (GLOBAL const struct j2k_batch_work *)work;
    u32 index = group_index() * J2K_GATHER_GROUP + local_index();
    if (index < head->segments)
        gather(work, (GLOBAL const struct work_codeword *)(work + head->segment) + index, streams, bits);
}
