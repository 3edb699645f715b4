/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_WRITER_H
#define KOSTKA_WRITER_H

/**
 * @file
 * Files that are written while they are made, so that memory never holds all of them.
 */

#include <kostka/kostka.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a call's bytes go while it makes them, instead of to memory. */
typedef struct kst_writer {
    size_t size;
    /**
     * Take `length` bytes (at least 1) that belong at `offset` of the file, as pwrite() does. Called by one thread at a
     * time.
     * @return false where they cannot be written, which ends the call with KST_ERROR_WRITE
     */
    bool (*write)(void *user, uint64_t offset, const void *data, size_t length);
    void *user;
    bool in_order; /**< a pipe or the like: each offset must be where the bytes before ended. Else some bytes may be
                        written anew, and all of them when it turns out late how the file has to begin */
} kst_writer;

/**
 * As kst_encode() or, where `rows` is not null, kst_encode_rows(), but to a writer: the file is never in memory as a
 * whole. Nor are its code-blocks where a JPEG 2000 picture has tiles, no rate or quality to reach, one layer and no
 * PPM, and the writer does not demand order: tiles are written as soon as they are coded. Nor is a JPEG, which is
 * written in order while it is coded, or in the end where a GPU does it.
 * Thread-safe.
 *
 * @param length null, or receives the file's length; what may have been written behind it is to be cut off
 * @return KST_OK or the error, after which what was written is of no use
 */
KST_API kst_status kst_encode_to(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, const kst_writer *writer, uint64_t *length, kst_report *report);

/** A function that receives a picture's rows while they are decoded. */
typedef struct kst_row_writer {
    size_t size;
    /**
     * Take the rows from row `y` of the picture on, as many as `rows` is high: an image of the format, width and
     * planes that kst_decoder_describe() says, in host memory, valid during the call. Every row comes once. Called by
     * any of the context's threads, by several at once and in any order, unless `in_order`.
     * @return false where they cannot be taken, which ends the decoding with KST_ERROR_WRITE
     */
    bool (*write)(void *user, uint32_t y, const kst_image *rows);
    void *user;
    bool in_order; /**< from the top, one call at a time */
} kst_row_writer;

/**
 * Decode as kst_decoder_decode() does, handing the picture's rows to a function. A JPEG that the CPU decodes, to
 * interleaved integers and without turning, comes in bands of about 256 KB and is never in memory as a whole, unless
 * its coefficients are: those of a progressive one, or with several scans. All else comes at once.
 *
 * @param options null for the defaults
 * @return KST_OK or the error, after which what was written is of no use
 */
KST_API kst_status kst_decoder_decode_rows(
    kst_decoder *decoder, const kst_decode_options *options, const kst_row_writer *writer);

/**
 * As kst_transcode(), but to a writer, in order whether it demands that or not. Of JPEG 2000 without a rate nothing is
 * held but what stands around the packets; all else is written at the end, when nothing can fail but the writer.
 * Thread-safe.
 *
 * @param written null, or receives the file's length
 * @return KST_OK or the error, after which what was written is of no use
 */
KST_API kst_status kst_transcode_to(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, const kst_writer *writer, uint64_t *written, kst_report *report);

#ifdef __cplusplus
}
#endif

#endif
