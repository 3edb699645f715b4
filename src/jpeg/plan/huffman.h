/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares Huffman tables, as a DHT segment specifies them, and the codes derived from them (T.81 C, F.2.2, K.2). */
#ifndef KOSTKA_JPEG_PLAN_HUFFMAN_H
#define KOSTKA_JPEG_PLAN_HUFFMAN_H

#include <kostka/kostka.h>

/* Holds the lists BITS and HUFFVAL (B.2.4.2). */
struct jpeg_huffman {
    uint8_t bits[17]; /* [i]: number of codes of length i, 1–16 */
    uint8_t values[256];
};

/* Classes of tables. Those of the lossless process are sent as DC tables (H.1.2.2). */
enum jpeg_table_class { JPEG_DC = 0, JPEG_AC = 1, JPEG_DIFFERENCES = 2 };

/* Return the tables of annex K.3 for luminance (`chroma` 0) and chrominance (1). */
const struct jpeg_huffman *kst_jpeg_standard_huffman(enum jpeg_table_class table_class, int chroma);

/*
 * Return whether the lengths form a prefix code within 16 bits and every symbol is legal for its class (DC: at most 15;
 * differences: at most 16).
 */
bool kst_jpeg_huffman_valid(const struct jpeg_huffman *huffman, enum jpeg_table_class table_class);

/* Holds the code of each symbol and its length in bits; length 0: the symbol has no code. */
struct jpeg_huffman_codes {
    uint16_t code[256];
    uint8_t length[256];
};
void kst_jpeg_huffman_derive_codes(const struct jpeg_huffman *huffman, struct jpeg_huffman_codes *codes);

/*
 * Compute an optimal table for symbols that occur frequency[i] times (K.2): the code of all ones is reserved, lengths
 * are limited to 16, and ties are broken as libjpeg breaks them. `frequency` has 257 entries, of which entry 256 stands
 * for the reserved code; its contents are destroyed.
 */
void kst_jpeg_huffman_optimal(uint64_t frequency[257], struct jpeg_huffman *huffman);

#endif
