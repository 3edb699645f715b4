/* SPDX-License-Identifier: BSD-2-Clause */
/* Huffman decoding of a sequential scan, MCU by MCU (T.81 F.2.2). */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_ENTROPY_H
#define KOSTKA_JPEG_CPU_ENTROPY_ENTROPY_H

#include "core/cpu.h"
#include "core/memory.h"
#include "jpeg/cpu/entropy/lookup.h"
#include "jpeg/plan/plan.h"

enum { JPEG_READ_AHEAD = 7 };

/* Warnings met in one stretch of decoding. */
struct jpeg_damage {
    uint64_t ended;        /* intervals whose data ended early or are lost */
    uint64_t invalid;      /* bit patterns that are no code */
    uint64_t surplus;      /* intervals with whole bytes left over; the last one of a scan: more than JPEG_READ_AHEAD */
    uint64_t first_offset; /* of the earliest of them; KST_NO_OFFSET */
    kst_status first;
};

void kst_jpeg_damage_init(struct jpeg_damage *damage);
void kst_jpeg_damage_add(struct jpeg_damage *sum, const struct jpeg_damage *more);
/*
 * Note a warning as the first one if it is: lower offsets first, of equal ones the lower status, so that it does not
 * matter in which order threads meet them. The caller counts it.
 */
void kst_jpeg_damage_note(struct jpeg_damage *damage, kst_status warning, uint64_t offset);
/* Count the damage as warnings; the status is KST_OK, or with `strict` the first warning. */
kst_status kst_jpeg_damage_report(const struct jpeg_damage *damage, bool strict, kst_report *report);

/* Where decoding stands: always between two MCUs. Copyable. */
struct jpeg_cursor {
    struct jpeg_bits bits;
    uint32_t mcu;     /* index in the scan of the next MCU */
    uint32_t to_go;   /* MCUs left in the restart interval */
    uint32_t segment; /* index in the plan of the segment being read, or of the next one where this interval has none */
    bool ended;       /* the interval's data are used up: what is left of it is zero */
    uint32_t eob_run; /* progressive: blocks still to come that end at once (G.1.2.2) */
    int32_t dc[JPEG_COMPONENTS];
    struct jpeg_damage damage;
};

/* What decoding a sequential scan needs; immutable, shared by threads. */
struct jpeg_entropy {
    const struct jpeg_plan *plan;
    const struct jpeg_scan *scan;
    void *tables;                             /* the memory behind dc, ac and pairs */
    uint32_t mcu_blocks;                      /* 1–10 */
    uint8_t block_component[JPEG_MCU_BLOCKS]; /* index in the scan, of each block of an MCU */
    const struct jpeg_lookup *dc[JPEG_MCU_BLOCKS];
    const struct jpeg_lookup *ac[JPEG_MCU_BLOCKS];
    const struct jpeg_pairs *pairs[JPEG_MCU_BLOCKS]; /* of `ac` */
    uint32_t mcus;                                   /* in the scan */
    /* One MCU of an interval whose data have not ended; by tier. */
    void (*read_mcu)(const struct jpeg_entropy *, struct jpeg_cursor *, int16_t *blocks, uint8_t *last);
    void (*skip_mcu)(const struct jpeg_entropy *, struct jpeg_cursor *);
    /* The same to tokens, at most JPEG_BLOCK_TOKENS a block; returns the place behind them. */
    uint16_t *(*store_mcu)(const struct jpeg_entropy *, struct jpeg_cursor *, uint16_t *token);
};

/*
 * A block as tokens of 16 bits: its DC coefficient; the number of tokens that follow (bits 0–7) and the zig-zag index
 * at and below which all coefficients that are not zero lie (8–15); then its AC coefficients, each a value of −511 to
 * 511 (bits 0–9) and its place in raster order (10–15), or JPEG_TOKEN_ESCAPE instead of the value, and that in a token
 * of its own.
 */
enum {
    JPEG_TOKEN_HEAD = 2,
    JPEG_TOKEN_VALUES = 1 << 10,
    JPEG_TOKEN_ESCAPE = 1 << 9,
    JPEG_BLOCK_TOKENS = JPEG_TOKEN_HEAD + 2 * 64 + 2 /* with those that the last look-up writes in vain */
};

/* Derive the tables. On failure returns KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY and holds nothing. */
kst_status kst_jpeg_entropy_init(struct memory *memory, struct jpeg_entropy *entropy, const struct jpeg_plan *plan,
    const struct jpeg_scan *scan, enum cpu_tier tier);
void kst_jpeg_entropy_release(struct memory *memory, struct jpeg_entropy *entropy);

/* Put a cursor at the first MCU of a restart interval (0: the start of the scan). */
void kst_jpeg_cursor_start(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t interval);

/*
 * Forget the damage met on the way to where the cursor is; but with `lost`, if that left nothing to read here, count
 * it as one warning.
 */
void kst_jpeg_cursor_forget(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, bool lost);

/* Move the cursor on after `count` MCUs (at most to_go) were read or, where it has ended, are left as they are. */
void kst_jpeg_cursor_advance(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count);

/* Move an ended cursor to MCU `end` or the next interval that has data; many lost intervals cost no more than one. */
void kst_jpeg_cursor_pass(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t end);

/*
 * Decode the next MCU into `blocks`: mcu_blocks × 64 coefficients in raster order, 64-byte aligned.
 * last[i] receives the zig-zag index at and below which all that are not zero lie.
 */
void kst_jpeg_decode_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last);

/* Move the cursor on by `count` MCUs (not past the end of the scan) without keeping coefficients. */
void kst_jpeg_skip_mcus(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count);

/* The functions behind the tiers; for kst_jpeg_entropy_init(). */
void kst_jpeg_entropy_tier(struct jpeg_entropy *entropy, enum cpu_tier tier);

#endif
