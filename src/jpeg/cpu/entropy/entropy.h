/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the Huffman decoding of a sequential scan, MCU by MCU (T.81 F.2.2). Progressive scans share its tables and
 * cursors.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_ENTROPY_H
#define KOSTKA_JPEG_CPU_ENTROPY_ENTROPY_H

#include "core/cpu.h"
#include "core/memory.h"
#include "jpeg/cpu/entropy/lookup.h"
#include "jpeg/plan/plan.h"

enum { JPEG_READ_AHEAD = 7 };

/* Holds warnings counted in one stretch of decoding. */
struct jpeg_damage {
    uint64_t ended;   /* number of intervals whose data ended early or are lost */
    uint64_t invalid; /* number of bit patterns that are no code */
    /* Number of intervals with whole bytes left over; for the last one of a scan, with more than JPEG_READ_AHEAD. */
    uint64_t surplus;
    uint64_t first_offset; /* offset of the earliest of these warnings; KST_NO_OFFSET: none */
    kst_status first;
};

void kst_jpeg_cpu_damage_init(struct jpeg_damage *damage);
void kst_jpeg_cpu_damage_add(struct jpeg_damage *sum, const struct jpeg_damage *more);
/*
 * Record a warning as the first one if it is: lower offsets come first, and of equal offsets the lower status, so that
 * the order in which threads find warnings does not matter. The caller counts the warning.
 */
void kst_jpeg_cpu_damage_note(struct jpeg_damage *damage, kst_status warning, uint64_t offset);
/* Count the damage as warnings in the report. Returns KST_OK or, with `strict`, the first warning. */
kst_status kst_jpeg_cpu_damage_report(const struct jpeg_damage *damage, bool strict, kst_report *report);

/* Holds the position of decoding in a scan, always between two MCUs. May be copied. */
struct jpeg_cursor {
    struct jpeg_bits bits;
    uint32_t mcu;   /* index of the next MCU in the scan */
    uint32_t to_go; /* number of MCUs left in the restart interval */
    /* Index in the plan of the segment being read, or of the next one if this interval has none. */
    uint32_t segment;
    bool ended;       /* the interval's data are used up: its other coefficients are zero */
    uint32_t eob_run; /* progressive: blocks still to come that have no symbols (G.1.2.2) */
    int32_t dc[JPEG_COMPONENTS];
    struct jpeg_damage damage;
};

/*
 * The most blocks of a run, that is, of MCUs that are decoded in one go: few enough to stay in the first-level cache,
 * and at least four MCUs.
 */
enum { JPEG_RUN_BLOCKS = 4 * JPEG_MCU_BLOCKS + 8 };

/*
 * Holds the tables of a block of a run: the pairs that begin with the next block's DC symbol, how many bytes behind
 * these pairs those for this block's AC symbols lie, and the look-ups for single symbols.
 */
struct jpeg_run_block {
    const struct jpeg_pairs *next;
    ptrdiff_t ac;
    const struct jpeg_lookup *single_dc, *single_ac;
};

/* Holds everything that decoding a sequential scan needs. Immutable, so threads can share it. */
struct jpeg_entropy {
    const struct jpeg_plan *plan;
    const struct jpeg_scan *scan;
    void *tables;                             /* the memory of dc, ac and pairs */
    uint32_t mcu_blocks;                      /* blocks per MCU: 1–10 */
    uint8_t block_component[JPEG_MCU_BLOCKS]; /* index in the scan of each block's component */
    const struct jpeg_lookup *dc[JPEG_MCU_BLOCKS];
    const struct jpeg_lookup *ac[JPEG_MCU_BLOCKS];
    const struct jpeg_pairs *pairs[JPEG_MCU_BLOCKS]; /* made from `ac` */
    uint32_t mcus;                                   /* number of MCUs in the scan */
    /*
     * Decode or skip one MCU of an interval whose data have not ended. Which functions these are depends on the tier.
     */
    void (*read_mcu)(const struct jpeg_entropy *, struct jpeg_cursor *, int16_t *blocks, uint8_t *last);
    void (*skip_mcu)(const struct jpeg_entropy *, struct jpeg_cursor *);
    /* Decode one MCU to tokens, at most JPEG_BLOCK_TOKENS per block. Returns the place after the last token. */
    uint16_t *(*store_mcu)(const struct jpeg_entropy *, struct jpeg_cursor *, uint16_t *token);
    /*
     * Decode a run with the same results as read_mcu(): `mcus` MCUs, at most run_mcus and at most those left in the
     * interval. Returns false if they hold a bit pattern that is no code or do not end within the data; what was
     * written is then undefined, and so are the cursor's bits and predictions. Null: the tier has no such function, and
     * the members below are unused.
     */
    bool (*read_run)(const struct jpeg_entropy *, struct jpeg_cursor *, uint32_t mcus, int16_t *blocks, uint8_t *last);
    /*
     * Do the same with tokens; there must be room for JPEG_BLOCK_TOKENS for each block. length[i] receives the number
     * of tokens of MCU i.
     */
    bool (*store_run)(
        const struct jpeg_entropy *, struct jpeg_cursor *, uint32_t mcus, uint16_t *token, uint32_t *length);
    uint32_t run_mcus;
    const struct jpeg_pairs *run_start; /* begin with the DC symbol of the MCU's first block */
    struct jpeg_run_block run[JPEG_RUN_BLOCKS];
};

/*
 * The form of a block as tokens of 16 bits. The first token is its DC coefficient. The second holds the number of
 * tokens that follow (bits 0–7) and a zig-zag index after which all coefficients are zero (bits 8–15). The others are
 * its AC coefficients: a value of −511 to 511 (bits 0–9) and its place in raster order (bits 10–15); for a larger value
 * JPEG_TOKEN_ESCAPE stands in bits 0–9, and the value follows in a token of its own.
 */
enum {
    JPEG_TOKEN_HEAD = 2,
    JPEG_TOKEN_VALUES = 1 << 10,
    JPEG_TOKEN_ESCAPE = 1 << 9,
    JPEG_BLOCK_TOKENS = JPEG_TOKEN_HEAD + 2 * 64 + 2 /* includes the unused tokens that the last look-up may write */
};

/* Derive the scan's tables. On failure returns KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY, and nothing is held. */
kst_status kst_jpeg_cpu_entropy_init(struct memory *memory, struct jpeg_entropy *entropy, const struct jpeg_plan *plan,
    const struct jpeg_scan *scan, enum cpu_tier tier);
void kst_jpeg_cpu_entropy_release(struct memory *memory, struct jpeg_entropy *entropy);

/* Put a cursor at the first MCU of a restart interval (0: the start of the scan). */
void kst_jpeg_cpu_cursor_start(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t interval);

/*
 * Forget the damage counted on the way to the cursor's place. With `lost`, if that damage left nothing to read here,
 * count it as one warning.
 */
void kst_jpeg_cpu_cursor_forget(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, bool lost);

/*
 * Move the cursor on after `count` MCUs (at most to_go) were read or, if the cursor has ended, were left as they are.
 */
void kst_jpeg_cpu_cursor_advance(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count);

/* Return the number of whole bytes left in the segment that the cursor reads, stuffed bytes not counted. */
uint32_t kst_jpeg_cpu_cursor_left(const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor);

/*
 * Move an ended cursor to MCU `end` or to the next interval that has data. Many lost intervals cost no more time than
 * one.
 */
void kst_jpeg_cpu_cursor_pass(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t end);

/*
 * Decode the next MCU into `blocks`: mcu_blocks × 64 coefficients in raster order, 64-byte aligned. last[i] receives a
 * zig-zag index after which all coefficients of block i are zero.
 */
void kst_jpeg_cpu_decode_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last);

/*
 * Decode up to `count` MCUs (at least 1) in the same way, as many as fit JPEG_RUN_BLOCKS blocks, one after the other.
 * Returns the number of MCUs that were decoded.
 */
uint32_t kst_jpeg_cpu_decode_mcus(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count, int16_t *blocks, uint8_t *last);

/*
 * Decode exactly `count` MCUs, of at most JPEG_RUN_BLOCKS blocks, if they are not damaged. If they are not in one
 * interval, or must be decoded one by one, returns false and leaves the cursor where it was.
 */
bool kst_jpeg_cpu_decode_run(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count, int16_t *blocks, uint8_t *last);

/* Move the cursor on by `count` MCUs, not past the end of the scan, without keeping coefficients. */
void kst_jpeg_cpu_skip_mcus(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count);

/* Choose the functions for a tier; used by kst_jpeg_cpu_entropy_init(). */
void kst_jpeg_cpu_entropy_tier(struct jpeg_entropy *entropy, enum cpu_tier tier);

#endif
