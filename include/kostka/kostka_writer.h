/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_WRITER_H
#define KOSTKA_WRITER_H

/**
 * @file
 * Declares calls that write their output while they make it, so that memory never holds a whole file.
 */

#include <kostka/kostka.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A function that receives the bytes of a file while a call makes them. */
typedef struct kst_writer {
    size_t size;
    /**
     * Write `length` bytes (at least 1) at `offset` of the file, as pwrite() does. One thread calls it at a time.
     * @return false if they cannot be written, which ends the call with KST_ERROR_WRITE
     */
    bool (*write)(void *user, uint64_t offset, const void *data, size_t length);
    void *user;
    bool in_order; /**< each write must begin where the one before ended, as a pipe needs it. Otherwise some bytes may
                      be written twice, or all of them if it turns out late how the file has to begin */
    /**
     * Optional, both or neither: keep bytes that are needed only later outside of memory, such as in a temporary file,
     * and fetch what was kept. `offset` counts from the beginning of these bytes, which are no part of the output. One
     * thread calls them at a time, but another one may call `write` meanwhile. A call that returns false ends the
     * operation with KST_ERROR_WRITE.
     */
    bool (*keep)(void *user, uint64_t offset, const void *data, size_t length);
    bool (*fetch)(void *user, uint64_t offset, void *data, size_t length);
} kst_writer;

/**
 * Encode to a writer, as kst_encode() or, if `rows` is not null, kst_encode_rows() does to memory. The file is never in
 * memory as a whole. Thread-safe.
 *
 * A JPEG is written in order while it is coded, or at the end if a GPU codes it. The scans of a large progressive JPEG,
 * and coefficients that are needed again, are kept by the writer if it can keep bytes.
 *
 * The tiles of a JPEG 2000 picture are written as soon as they are coded, if there is no rate or quality to reach, one
 * layer and no PPM, and the writer is not `in_order`. Otherwise all code-blocks stay in memory until the end; those of
 * a large picture without rate, quality or layers that the CPU codes are kept by the writer if it can keep bytes.
 *
 * @param length null, or receives the file's length; the caller must cut off bytes that were written beyond it
 * @return KST_OK or the error, after which the output is of no use
 */
KST_API kst_status kst_encode_to(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, const kst_writer *writer, uint64_t *length, kst_report *report);

/** A function that receives a picture's rows while they are decoded. */
typedef struct kst_row_writer {
    size_t size;
    /**
     * Take the picture's rows from row `y` on, as many as `rows` is high. `rows` is an image in host memory, valid
     * during the call, of the format, width and planes that kst_decoder_describe() gives. Every row comes once. Any of
     * the context's threads may call it, several at once and in any order, unless `in_order` is set.
     * @return false if it cannot take them, which ends the decoding with KST_ERROR_WRITE
     */
    bool (*write)(void *user, uint32_t y, const kst_image *rows);
    void *user;
    bool in_order; /**< rows come from the top, in one call at a time */
} kst_row_writer;

/**
 * Decode as kst_decoder_decode() does, but pass the picture's rows to a function. If the CPU decodes the picture to
 * interleaved integers without turning it, the rows come in bands of about 256 KB, and memory never holds the whole
 * picture, except
 * - the coefficients of a progressive JPEG or one with several scans;
 * - JPEG 2000 that has tiles beside each other, alpha, palettes, components that are enlarged or converted, or several
 *   that are wanted without a component transform.
 * Any other picture comes in one call.
 *
 * @param options null for the defaults
 * @return KST_OK or the error, after which the output is of no use
 */
KST_API kst_status kst_decoder_decode_rows(
    kst_decoder *decoder, const kst_decode_options *options, const kst_row_writer *writer);

/**
 * Transcode to a writer, as kst_transcode() does to memory. Bytes are written in order even if the writer is not
 * `in_order`. Thread-safe.
 *
 * JPEG 2000 without a rate is written while it is made, and memory holds only what surrounds the packets; with a rate
 * it is written at the end, when nothing but the writer can fail.
 *
 * Up to 64 MiB of a JPEG's coefficients are kept in memory. If there are more, or the memory limit has no room for
 * them, a sequential file of one scan whose rows are in the same order as the source's is written while the source is
 * decoded, which is decoded twice if Huffman tables are made for the file. For all other files the coefficients are
 * packed and kept by the writer, if it can keep bytes (kst_writer.keep); otherwise they are packed in memory from 256
 * MiB on.
 *
 * @param written null, or receives the file's length
 * @return KST_OK or the error, after which the output is of no use
 */
KST_API kst_status kst_transcode_to(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, const kst_writer *writer, uint64_t *written, kst_report *report);

#ifdef __cplusplus
}
#endif

#endif
