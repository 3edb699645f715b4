/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the bits of a packet header into bytes: a byte behind 0xFF holds only seven bits (T.800 B.10.1). The bits lie
 * in words in the work-group's memory, the highest bit of a word first.
 * |
 * A unit is a byte that is not 0xFF, or 0xFF with the byte behind it: 8 or 15 bits. That second byte begins with a
 * stuffed 0, so it is not 0xFF, and the next unit does not depend on anything in front of it. The first unit that
 * begins in a word begins at one of 15 places: bit 0 to 14. For a stretch of words, work-items follow the units from
 * each of these places side by side. Then each work-item passes over whole stretches to learn where the units of its
 * own word begin, and writes these units. The number of bytes in front of a unit follows from the number of bits in
 * front of it, and from how many of the units there have 15 bits.
 */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"

enum {
    /*
     * Words for the bits of one block for each work-item, each at most 16 of inclusion, 16 of planes, 1 of passes and
     * 14 + 16 of the length; for those of missing planes in three bands, fewer than 64 each; and for 14 bits left over
     * from before. One more word follows, which is 0.
     */
    HEADER_WORDS = 512,
    HEADER_STARTS = 16, /* places where a word's first unit may begin, and one that does not occur */
    STRETCH_WORDS = 16, /* words of a stretch */
    HEADER_DOUBLE = 7,  /* additional bits of a unit of two bytes */
    WALK_PAIR = HEADER_STARTS
};

/* Holds the arrays in the work-group's memory with which the bits of a header are turned into bytes. */
struct header_memory {
    LOCAL u32 *words;   /* HEADER_WORDS + 1 words of bits */
    LOCAL u32 *runs;    /* for each work-item: the bits of a word at which eight ones begin */
    LOCAL u32 *stretch; /* for each start of each stretch: a walk to the end of the stretch */
    LOCAL u16 *walk;    /* HEADER_STARTS for each work-item: walks to its word */
    LOCAL u32 *rest;    /* where incomplete units begin, and the number of units of two bytes before */
};

/* Holds the state of a header that is being written, which is the same in all work-items. */
struct header_writing {
    u32 fill;   /* number of bits in the group's memory; the first one begins a unit */
    u32 length; /* number of bytes that have been written */
};

/* Write the low `count` bits of a value, at most 32, from bit `at` on. The value's other bits must be 0. */
FUNCTION void put_bits(LOCAL u32 *words, u32 at, u32 value, u32 count)
{
    u32 word = at / 32, end = at % 32 + count;
    if (count == 0)
        return;
    if (end <= 32) {
        join_local(&words[word], value << (32 - end));
        return;
    }
    join_local(&words[word], value >> (end - 32));
    join_local(&words[word + 1], value << (64 - end));
}

/* Return up to 31 bits from bit `at` on. */
FUNCTION u32 take_bits(LOCAL const u32 *words, u32 at, u32 count)
{
    u32 word = at / 32, end = at % 32 + count;
    if (count == 0)
        return 0;
    u32 value = end <= 32 ? words[word] >> (32 - end) : words[word] << (end - 32) | words[word + 1] >> (64 - end);
    return value & ((1u << count) - 1);
}

/* Return the bits of a word at which eight ones begin. */
FUNCTION u32 runs_of_ones(u32 word, u32 next)
{
    u64 bits = (u64)word << 32 | next;
    bits &= bits << 1;
    bits &= bits << 2;
    bits &= bits << 4;
    return (u32)(bits >> 32);
}

/*
 * Pass over the units that begin in a word. A walk holds where the first of them begins, plus WALK_PAIR for each unit
 * of two bytes so far. Returns the walk to the next word.
 */
FUNCTION u32 pass_word(u32 walk, u32 runs)
{
    u32 at = walk % HEADER_STARTS;
    if (runs == 0) /* all units have 8 bits: there are four, or three from bit 8 or higher on */
        return walk & ~8u;
    for (walk -= at; at < 32; at += 8) {
        u32 pair = runs << at >> 31;
        at += HEADER_DOUBLE * pair;
        walk += WALK_PAIR * pair;
    }
    return walk + at - 32;
}

/* Join a walk with one that begins where it ends. */
FUNCTION u32 join_walks(u32 walk, u32 next)
{
    return walk - walk % HEADER_STARTS + next;
}

/*
 * Write the units that begin in a word, up to the first incomplete one. `walk`: the walk to the word; `to`: where the
 * bytes of the first bit in memory go. The work-item that meets the incomplete unit notes it in memory->rest.
 */
FUNCTION void put_units(
    const struct header_memory *memory, u32 fill, u32 word, u32 runs, u32 walk, GLOBAL u8 *RESTRICT to)
{
    u32 at = 32 * word + walk % HEADER_STARTS, pairs = walk / WALK_PAIR;
    while (at < 32 * word + 32 && at <= fill) {
        u32 pair = runs << at % 32 >> 31, end = at + 8 + HEADER_DOUBLE * pair, byte = (at + pairs) / 8;
        if (end > fill) {
            memory->rest[0] = at;
            memory->rest[1] = pairs;
            return;
        }
        to[byte] = (u8)take_bits(memory->words, at, 8);
        if (pair)
            to[byte + 1] = (u8)take_bits(memory->words, at + 8, 7);
        at = end;
        pairs += pair;
    }
}

/* Continue a walk over the first `count` stretches. */
FUNCTION u32 pass_stretches(const struct header_memory *memory, u32 walk, u32 count)
{
    for (u32 i = 0; i < count; i++)
        walk = join_walks(walk, memory->stretch[HEADER_STARTS * i + walk % HEADER_STARTS]);
    return walk;
}

/*
 * Write all complete units, and move the remaining bits, fewer than 15, to the first word. The whole work-group calls
 * this; a barrier must precede it, and another one must follow.
 */
FUNCTION void put_bytes(struct header_writing *writing, const struct header_memory *memory, GLOBAL u8 *to)
{
    u32 self = local_index(), own = self / HEADER_STARTS, carried = 0;
    for (u32 first = 0; 32 * first <= writing->fill; first += J2K_PACKET_GROUP) {
        u32 walk = self % HEADER_STARTS,
            runs = runs_of_ones(memory->words[first + self], memory->words[first + self + 1]);
        memory->runs[self] = runs;
        barrier_local();
        for (u32 i = STRETCH_WORDS * own; i < STRETCH_WORDS * (own + 1); i++) {
            memory->walk[HEADER_STARTS * i + self % HEADER_STARTS] = (u16)walk;
            walk = pass_word(walk, memory->runs[i]);
        }
        memory->stretch[self] = walk;
        barrier_local();
        walk = pass_stretches(memory, carried, own);
        walk = join_walks(walk, memory->walk[HEADER_STARTS * self + walk % HEADER_STARTS]);
        put_units(memory, writing->fill, first + self, runs, walk, to + writing->length);
        if (32 * (first + J2K_PACKET_GROUP) <= writing->fill)
            carried = pass_stretches(memory, carried, J2K_PACKET_GROUP / HEADER_STARTS);
        barrier_local();
    }
    u32 at = memory->rest[0], rest = writing->fill - at, value = take_bits(memory->words, at, rest);
    writing->length += (at + memory->rest[1]) / 8;
    barrier_local();
    for (u32 i = self; i < HEADER_WORDS; i += J2K_PACKET_GROUP)
        memory->words[i] = i == 0 && rest > 0 ? value << (32 - rest) : 0;
    writing->fill = rest;
}

/*
 * End a header: fill the last byte with zeros, and if it is 0xFF, add a byte. One work-item calls this. Returns the
 * number of all bytes.
 */
FUNCTION u32 end_header(const struct header_writing *writing, LOCAL const u32 *words, GLOBAL u8 *to)
{
    u32 length = writing->length;
    if (writing->fill == 0)
        return length;
    to[length++] = (u8)(words[0] >> 24);
    if (words[0] >> 24 == 0xFF)
        to[length++] = (u8)(words[0] >> 17 & 127);
    return length;
}
