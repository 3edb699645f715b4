/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ encoder (T.800 C.2) and the writer of raw bits (D.6), whose states are registers; what bytes passes need. */
#include "j2k_encode_work.h"

enum { CODER_CARRY = 0x8000000 };

/*
 * Between two symbols. Places are counted from the block's first byte; the byte in front of that one may be written.
 * While bits are raw, `byte` holds those of the next byte, `left` of which are to come.
 */
struct coder {
    u32 range; /* A */
    u32 code;  /* C */
    u32 left;  /* CT */
    u32 byte;  /* B, not stored yet */
    i32 at;    /* its place */
    GLOBAL u8 *data;
    u32 capacity; /* bytes behind are dropped */
};

FUNCTION void store_byte(const struct coder *c, i32 at, u32 byte)
{
    if ((u32)(at + 1) <= c->capacity)
        c->data[at] = (u8)byte;
}

FUNCTION u32 stored_byte(const struct coder *c, i32 at)
{
    return at >= 0 && (u32)at < c->capacity ? c->data[at] : 0;
}

/* INITENC (C.2.8), or raw bits; the data go on at a place. */
FUNCTION void start_coder(struct coder *c, u32 place, u32 raw)
{
    c->range = 0x8000;
    c->code = 0;
    c->left = raw ? 8 : 12;
    c->byte = raw ? 0 : stored_byte(c, (i32)place - 1);
    c->at = (i32)place - (raw ? 0 : 1);
}

/* What BYTEOUT (C.2.7) makes of C: the carry goes to the byte before, which the next follows. */
FUNCTION u32 next_byte(u32 *code, u32 *left, u32 *byte)
{
    u32 stuff = *byte == 0xFF;
    if (!stuff && *code >= CODER_CARRY) {
        *byte += 1;
        stuff = *byte == 0xFF;
        *code &= CODER_CARRY - 1;
    }
    u32 shift = stuff ? 20 : 19, next = *code >> shift;
    *code &= (1u << shift) - 1;
    *left = stuff ? 7 : 8;
    return next & 0xFF;
}

FUNCTION void byte_out(struct coder *c)
{
    u32 next = next_byte(&c->code, &c->left, &c->byte);
    store_byte(c, c->at, c->byte);
    c->at++;
    c->byte = next;
}

/* What a symbol adds to C, and by how much it shifts it then. */
FUNCTION void add_to_code(struct coder *c, u32 more, u32 shift)
{
    c->code += more;
    while (shift >= c->left) {
        c->code <<= c->left;
        shift -= c->left;
        byte_out(c);
    }
    c->code <<= shift;
    c->left -= shift;
}

/* ENCODE (C.2.2); `context`: the work-item's. */
FUNCTION void encode_symbol(struct coder *c, LOCAL u32 *context, LOCAL const u32 *rows, u32 bit)
{
    u32 row = *context, estimate = row >> 16, range = c->range - estimate, less = (row ^ bit) & 1;
    u32 lower = less ^ (u32)(range < estimate);
    range = lower ? estimate : range;
    u32 shift = top_zeros(range) - 16, after = rows[row >> (less ? 8 : 1) & 127];
    if (shift > 0)
        *context = after;
    c->range = range << shift;
    add_to_code(c, lower ? 0 : estimate, shift);
}

/*
 * ENCODE of four symbols, a context and a bit in each byte. A symbol waits for what the one before makes of A and,
 * where it has the same context, of that, but neither for C nor for memory. `contexts`: J2K_CODE_GROUP apart.
 */
FUNCTION void encode_four(struct coder *c, LOCAL u32 *contexts, LOCAL const u32 *rows, u32 decisions)
{
    u32 row[4], add[4], shift[4], place[4], range = c->range;
    UNROLL for (u32 k = 0; k < 4; k++)
    {
        place[k] = (decisions >> (8 * k + 1) & 127) * J2K_CODE_GROUP;
        row[k] = contexts[place[k]];
    }
    UNROLL for (u32 k = 0; k < 4; k++)
    {
        u32 own = row[k], estimate = own >> 16, rest = range - estimate, less = (own ^ decisions >> 8 * k) & 1;
        u32 after = rows[own >> (less ? 8 : 1) & 127], lower = less ^ (u32)(rest < estimate);
        range = lower ? estimate : rest;
        add[k] = lower ? 0 : estimate;
        shift[k] = top_zeros(range) - 16;
        range <<= shift[k];
        after = shift[k] > 0 ? after : own;
        contexts[place[k]] = after;
        UNROLL for (u32 j = k + 1; j < 4; j++) row[j] = place[j] == place[k] ? after : row[j];
    }
    c->range = range;
    u32 sum = shift[0] + shift[1] + shift[2] + shift[3];
    if (sum < c->left) {
        c->code = (c->code + add[0]) << shift[0];
        c->code = (c->code + add[1]) << shift[1];
        c->code = (c->code + add[2]) << shift[2];
        c->code = (c->code + add[3]) << shift[3];
        c->left -= sum;
    } else {
        UNROLL for (u32 k = 0; k < 4; k++) add_to_code(c, add[k], shift[k]);
    }
}

FUNCTION void write_raw(struct coder *c, u32 bit)
{
    c->left--;
    c->byte |= bit << c->left;
    if (c->left == 0) {
        store_byte(c, c->at, c->byte);
        c->at++;
        c->left = c->byte == 0xFF ? 7 : 8;
        c->byte = 0;
    }
}

/* The end of the data, which no 0xFF precedes. */
FUNCTION u32 end_of_data(const struct coder *c)
{
    store_byte(c, c->at, c->byte);
    return (u32)(c->byte == 0xFF ? c->at : c->at + 1);
}

/* FLUSH (C.2.9). */
FUNCTION u32 flush_coder(struct coder *c)
{
    u32 top = c->code + c->range;
    c->code |= 0xFFFF;
    if (c->code >= top)
        c->code -= 0x8000;
    for (u32 i = 0; i < 2; i++) {
        c->code <<= c->left;
        byte_out(c);
    }
    return end_of_data(c);
}

/* D.4.2 */
FUNCTION u32 flush_predictably(struct coder *c)
{
    for (i32 bits = 12 - (i32)c->left; bits > 0; bits -= (i32)c->left) {
        c->code <<= c->left;
        byte_out(c);
    }
    return end_of_data(c);
}

/* Zeros and ones by turns to the end of the byte; a last 0xFF is followed by another. */
FUNCTION u32 flush_raw(struct coder *c, u32 begin)
{
    u32 after = (u32)c->at > begin && stored_byte(c, c->at - 1) == 0xFF;
    if (c->left < 8 || after) {
        for (u32 bit = 0; c->left > 0; bit ^= 1) {
            c->left--;
            c->byte |= bit << c->left;
        }
        store_byte(c, c->at, c->byte);
        c->at++;
    }
    return (u32)c->at;
}

/* The upper end of the interval, as the bytes that would be written if the data ended here: the first four, and one. */
struct bound {
    i32 at;
    u32 bytes, last;
};

FUNCTION struct bound find_bound(const struct coder *c)
{
    struct bound bound;
    u32 code = c->code + c->range, left = c->left, byte = c->byte;
    bound.at = c->at;
    bound.bytes = 0;
    for (u32 i = 0; i < 4; i++) {
        code <<= left;
        u32 next = next_byte(&code, &left, &byte);
        bound.bytes = bound.bytes << 8 | (byte & 0xFF);
        byte = next;
    }
    bound.last = byte;
    return bound;
}

/* How many bytes of the finished segment [begin, end) are needed to decode as far as a bound. */
FUNCTION u32 needed_bytes(const struct coder *c, const struct bound *bound, u32 begin, u32 end)
{
    i32 next = bound->at;
    u32 below = 0;
    for (u32 i = 0; i < 5 && next < (i32)end && !below; i++) {
        u32 byte = i < 4 ? bound->bytes >> (24 - 8 * i) & 0xFF : bound->last;
        below = next >= (i32)begin && stored_byte(c, next) < byte;
        next++;
    }
    while (next > (i32)begin && stored_byte(c, next - 1) == 0xFF)
        next--;
    return next > (i32)begin ? (u32)(next - (i32)begin) : 0;
}
