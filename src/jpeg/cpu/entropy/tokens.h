/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares tokens: the symbols of one progressive scan, before they have codes. A scan's tokens are worked out once and
 * kept while its symbols are counted; if they would take more memory than is allowed, they are worked out again for
 * writing.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_TOKENS_H
#define KOSTKA_JPEG_CPU_ENTROPY_TOKENS_H

#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/plan/coefficients.h"

enum jpeg_token_kind { JPEG_TOKEN_SYMBOL, JPEG_TOKEN_BITS, JPEG_TOKEN_RESTART };

/*
 * A token: bits 0–7 the symbol, 8–12 the number of bits that follow its code, 13–14 the kind, 15 the table's
 * destination, 16–31 the bits.
 */
typedef uint32_t jpeg_token;

static inline jpeg_token kst_jpeg_token(
    enum jpeg_token_kind kind, uint32_t destination, uint32_t symbol, uint32_t bits, uint32_t length)
{
    return symbol | length << 8 | (uint32_t)kind << 13 | destination << 15 | bits << 16;
}

enum {
    JPEG_TOKEN_CHUNK = 16384,
    /* libjpeg ends an end-of-band run when more correction bits than this are waiting; files depend on it. */
    JPEG_CORRECTIONS_MOST = 1000 - 64 + 1
};

struct jpeg_tokens {
    /* The caller sets these members. */
    const struct jpeg_dsp *dsp;
    const struct jpeg_frame *frame;
    const struct jpeg_coefficients *coefficients;
    /*
     * Fetch an MCU row of the frame (a row of blocks, if the frame has a single component): `coefficients` then hold
     * its blocks, and no others. Called before each row; null: all coefficients are in memory. Returning false ends the
     * scan.
     */
    bool (*bring)(void *arg, uint32_t row);
    const kst_scan *scan;
    const uint8_t *huffman; /* the destination of each component's tables */
    uint32_t restart_interval;
    jpeg_token *token; /* room for JPEG_TOKEN_CHUNK */
    /*
     * Receive tokens in order, always as many as there is room for except at the end. Returns where the next tokens go;
     * null ends the scan.
     */
    jpeg_token *(*consume)(void *arg, jpeg_token *token, uint32_t count);
    void *arg;
    /* kst_jpeg_cpu_tokens_scan() uses the members below. */
    bool out_of_range; /* set if a coefficient is too large to be coded */
    bool unbrought;    /* set if bring() failed */
    bool stopped;
    uint32_t first[JPEG_COMPONENTS]; /* the first row of blocks that each component's coefficients hold */
    uint32_t until_restart;
    uint32_t destination;     /* destination of an AC scan's table */
    uint32_t raw, raw_length; /* bits without a symbol that are not a token yet */
    uint32_t eob_run;
    uint32_t correction_count; /* number of correction bits that belong to the run */
    uint8_t correction[JPEG_CORRECTIONS_MOST + 64];
    uint32_t count;
};

/* Work out a scan. Afterwards out_of_range, unbrought and stopped tell whether it was cut short. */
void kst_jpeg_cpu_tokens_scan(struct jpeg_tokens *tokens);

#endif
