/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the MQ encoder (T.800 C.2) and the writer of raw bits (D.6), whose states are kept in registers, and computes
 * how many bytes each pass needs.
 */
#include "j2k/kernels/encode_work.h"
#include "j2k/kernels/lookup.h"

enum { CODER_CARRY = 0x8000000 };

/*
 * Holds the state of an encoder between two symbols. Places count from the block's first byte; the byte in front of
 * that may be written, too. While bits are raw, `byte` holds the bits of the next byte, of which `left` are still
 * missing.
 */
struct mq_encoder {
    u32 range; /* A */
    u32 code;  /* C */
    u32 left;  /* CT */
    u32 byte;  /* B, which has not been stored yet */
    i32 at;    /* place of B */
    GLOBAL u8 *data;
    u32 capacity; /* bytes beyond this number are dropped */
    /*
     * The last four symbols, which A and the contexts already reflect, but C does not: what each adds to C, and by how
     * much it shifts C.
     */
    u32 late[4]; /* the addend is in the upper half, the shift in the lower */
};

FUNCTION void store_byte(const struct mq_encoder *c, i32 at, u32 byte)
{
    if ((u32)(at + 1) <= c->capacity)
        c->data[at] = (u8)byte;
}

FUNCTION u32 stored_byte(const struct mq_encoder *c, i32 at)
{
    return at >= 0 && (u32)at < c->capacity ? c->data[at] : 0;
}

/* Start a segment at a place: INITENC (C.2.8), or raw bits. */
FUNCTION void start_coder(struct mq_encoder *c, u32 place, u32 raw)
{
    c->range = 0x8000;
    c->code = 0;
    c->left = raw ? 8 : 12;
    c->byte = raw ? 0 : stored_byte(c, (i32)place - 1);
    c->at = (i32)place - (raw ? 0 : 1);
    UNROLL for (u32 k = 0; k < 4; k++) c->late[k] = 0;
}

/* Take the next byte from C, as BYTEOUT (C.2.7) does. A carry goes to *byte, which is the byte in front of it. */
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

FUNCTION void byte_out(struct mq_encoder *c)
{
    u32 next = next_byte(&c->code, &c->left, &c->byte);
    store_byte(c, c->at, c->byte);
    c->at++;
    c->byte = next;
}

/* Add a symbol's addend to C, and then shift C. */
FUNCTION void add_to_code(struct mq_encoder *c, u32 more, u32 shift)
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

/*
 * Holds the effect of a symbol: the new A, in the upper half; what is added to C; by how much both are shifted; and the
 * context's new state.
 */
struct coded_symbol {
    u32 range, add, shift, state;
};

/*
 * Encode a symbol (ENCODE, C.2.2) except for C. `symbol` is in the bit of STATE_SYMBOL; `range` is A in the upper half;
 * `next` holds the following states, indexed by a state's place.
 */
FUNCTION struct coded_symbol code_symbol(local_place next, u32 state, u32 symbol, u32 range)
{
    struct coded_symbol s;
    u32 estimate = state & STATE_ESTIMATE, rest = range - estimate;
    u32 less = (u32)(((state ^ symbol) & STATE_SYMBOL) != 0);
    u32x2 after = local_pair(next + (state & STATE_PLACE));
    u32 lower = less ^ (u32)(rest < estimate);
    range = lower ? estimate : rest;
    s.add = lower ? 0 : estimate >> 16;
    s.shift = top_zeros(range);
    s.range = range << s.shift;
    s.state = less ? after.y : after.x;
    s.state = s.shift > 0 ? s.state : state;
    return s;
}

/* Encode a symbol. `context` is the work-item's copy of the context's state. */
FUNCTION void encode_symbol(struct mq_encoder *c, local_place context, local_place next, u32 bit)
{
    struct coded_symbol s = code_symbol(next, local_word(context), bit * STATE_SYMBOL, c->range << 16);
    put_local_word(context, s.state);
    c->range = s.range >> 16;
    add_to_code(c, s.add, s.shift);
}

/*
 * Apply the four waiting symbols to C. If they complete one byte, BYTEOUT is done after the last of them instead of
 * between them, without a branch. The bytes are the same, unless what was added in between carried through a byte of
 * ones, which then is 0. That case, and that of more than one byte, is handled symbol by symbol.
 */
FUNCTION void catch_up(struct mq_encoder *c)
{
    u64 code = c->code;
    i32 left = (i32)c->left;
    UNROLL for (u32 k = 0; k < 4; k++)
    {
        code = (code + (c->late[k] >> 16)) << (c->late[k] & 0xFF);
        left -= (i32)(c->late[k] & 0xFF);
    }
    u32 full = left <= 0, over = full ? (u32)-left & 31 : 0, top = (u32)(code >> (19 + over));
    u32 carry = c->byte == 0xFF ? 0 : top >> 8 & 1, byte = c->byte + carry, stuff = byte == 0xFF;
    u32 next = (top & ~(carry << 8)) >> stuff & 0xFF;
    left += full ? 8 - (i32)stuff : 0;
    if (left <= 0 || (full && next == 0)) {
        UNROLL for (u32 k = 0; k < 4; k++) add_to_code(c, c->late[k] >> 16, c->late[k] & 0xFF);
    } else {
        if (full)
            store_byte(c, c->at, byte);
        c->at += (i32)full;
        c->byte = full ? next : c->byte;
        c->code = full ? (u32)code & ((1u << (19 + stuff + over)) - 1) : (u32)code;
        c->left = (u32)left;
    }
    UNROLL for (u32 k = 0; k < 4; k++) c->late[k] = 0;
}

/*
 * Encode four symbols; each byte of `decisions` has a context and a bit. A symbol depends on the previous one for A
 * and, if it has the same context, for the state, but waits neither for memory nor for C: meanwhile the four symbols
 * before these are applied to C. `contexts` are J2K_CODE_GROUP words apart.
 */
FUNCTION void encode_four(struct mq_encoder *c, local_place contexts, local_place next, u32 decisions)
{
    struct coded_symbol s[4];
    local_place place[4];
    u32 state[4], range = c->range << 16;
    UNROLL for (u32 k = 0; k < 4; k++)
    {
        place[k] = contexts + (decisions >> (8 * k + 1) & 127) * (4 * J2K_CODE_GROUP);
        state[k] = local_word(place[k]);
    }
    UNROLL for (u32 k = 0; k < 4; k++)
    {
        s[k] = code_symbol(next, state[k], (decisions >> 8 * k) * STATE_SYMBOL, range);
        range = s[k].range;
        put_local_word(place[k], s[k].state);
        UNROLL for (u32 j = k + 1; j < 4; j++) state[j] = place[j] == place[k] ? s[k].state : state[j];
    }
    c->range = range >> 16;
    catch_up(c);
    UNROLL for (u32 k = 0; k < 4; k++) c->late[k] = s[k].add << 16 | s[k].shift;
}

FUNCTION void write_raw(struct mq_encoder *c, u32 bit)
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

/* End the data, which must not end with 0xFF. Returns the place behind the last byte. */
FUNCTION u32 end_of_data(const struct mq_encoder *c)
{
    store_byte(c, c->at, c->byte);
    return (u32)(c->byte == 0xFF ? c->at : c->at + 1);
}

/* End a segment by FLUSH (C.2.9). */
FUNCTION u32 flush_coder(struct mq_encoder *c)
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

/* End a segment by predictable termination (D.4.2). */
FUNCTION u32 flush_predictably(struct mq_encoder *c)
{
    for (i32 bits = 12 - (i32)c->left; bits > 0; bits -= (i32)c->left) {
        c->code <<= c->left;
        byte_out(c);
    }
    return end_of_data(c);
}

/*
 * End a raw segment: fill the last byte with alternating zeros and ones. If the byte in front of it is 0xFF, which must
 * not be the last one, a byte is added even if no bits are left.
 */
FUNCTION u32 flush_raw(struct mq_encoder *c, u32 begin)
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

/*
 * Holds the upper end of the coding interval, as the bytes that would be written if the data ended here: the first four
 * in one word, and one more.
 */
struct bound {
    i32 at;
    u32 bytes, last;
};

FUNCTION struct bound find_bound(const struct mq_encoder *c)
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

/* Return how many bytes of the finished segment [begin, end) are needed to decode up to a bound. */
FUNCTION u32 needed_bytes(const struct mq_encoder *c, const struct bound *bound, u32 begin, u32 end)
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
