/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the marker segments of a JPEG stream, in the order and with the contents that libjpeg gives them. A file is
 *
 *     start, metadata, frame, then for each scan (scan header, entropy-coded data), end.
 */
#ifndef KOSTKA_JPEG_SYNTAX_WRITER_H
#define KOSTKA_JPEG_SYNTAX_WRITER_H

#include "core/sink.h"
#include "jpeg/plan/encoding.h"
#include "jpeg/plan/huffman.h"

/*
 * Check metadata that are to be written. Returns KST_OK, KST_ERROR_ARGUMENT (kind, marker, null data, empty ICC
 * profile) or KST_ERROR_JPEG_METADATA_SIZE; *item is then the index of the offending item.
 */
kst_status kst_jpeg_metadata_check(const kst_metadata *metadata, size_t count, size_t *item);

/* Write SOI and the JFIF and Adobe headers. */
void kst_jpeg_write_start(struct sink *sink, const struct jpeg_header *header);

/* Write each item with its identifier in front, and an ICC profile in as many chunks as it needs. */
void kst_jpeg_write_metadata(struct sink *sink, const kst_metadata *metadata, size_t count);

/*
 * Write a DQT for each destination that a component uses, at the first such component, and then the SOF: SOF2 for
 * progressive coding, SOF0 if samples have 8 bits and all quantisers are at most 255, else SOF1.
 */
void kst_jpeg_write_frame(struct sink *sink, const struct jpeg_frame *frame, bool progressive);

/* Holds Huffman tables by class and destination; null: a table that is not written. */
struct jpeg_table_set {
    const struct jpeg_huffman *table[2][JPEG_TABLES];
};

/*
 * Holds what a decoder of the stream knows so far; zero it at the start. Tables are compared by their addresses, so a
 * changed table needs another address, or `written` must be cleared.
 */
struct jpeg_scan_state {
    const struct jpeg_huffman *written[2][JPEG_TABLES];
    uint32_t restart_interval;
};

/* Write a DHT for each table that the scan needs and the decoder lacks, a DRI if the interval changes, and the SOS. */
void kst_jpeg_write_scan(struct sink *sink, struct jpeg_scan_state *state, const struct jpeg_encoding *encoding,
    const kst_scan *scan, const struct jpeg_table_set *tables, uint32_t restart_interval);

/* Write EOI. */
void kst_jpeg_write_end(struct sink *sink);

#endif
