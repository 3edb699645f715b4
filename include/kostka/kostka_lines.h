/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_LINES_H
#define KOSTKA_LINES_H

/**
 * @file
 * Declares the decoding of a JPEG stream whose bytes arrive little by little, in which each line of the picture can be
 * read as soon as its bytes are there; and the encoding of a picture whose lines arrive little by little. kostka.h
 * includes this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_context.h>
#include <kostka/kostka_decode.h>
#include <kostka/kostka_encode.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A stream that is decoded line by line, from the top, on the CPU. For one thread at a time. */
typedef struct kst_lines kst_lines;

/**
 * Begin a stream. Of what has arrived, only the headers are read.
 *
 * @param data borrowed: the first bytes of the stream, at least up to the end of the first scan's header (SOS, T.81
 *        B.2.3); must stay as it is until kst_lines_extend() replaces it
 * @param options null for the defaults. `format` must be interleaved or AUTO, `sample` an integer of 8 bits; there is
 *        no region and no orientation
 * @param lines receives the handle, which kst_lines_close() destroys; null after an error
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_MEMORY, KST_ERROR_OPTIONS, KST_ERROR_SIGNATURE (a JPEG 2000 stream),
 *         KST_ERROR_JPEG_NO_SCAN or KST_ERROR_TRUNCATED (the headers have not arrived), or what else is wrong with the
 *         headers, warnings included
 */
KST_API kst_status kst_lines_open(
    kst_context *context, const void *data, size_t length, const kst_decode_options *options, kst_lines **lines);

/** Destroy the handle and set the pointer to null. Null, and a pointer to null, are allowed. */
KST_API void kst_lines_close(kst_lines **lines);

/** Describe the picture: one plane with a tight pitch and without a buffer. @return KST_OK or KST_ERROR_ARGUMENT */
KST_API kst_status kst_lines_describe(const kst_lines *lines, kst_image *image);

/**
 * Say that more bytes have arrived.
 *
 * @param data borrowed like that of kst_lines_open(), which it replaces: all bytes of the stream so far; those that
 *        were there before must be the same, though perhaps at another address
 * @param whole no further bytes will follow
 * @return KST_OK, or KST_ERROR_ARGUMENT (null, or fewer bytes than before)
 */
KST_API kst_status kst_lines_extend(kst_lines *lines, const void *data, size_t length, bool whole);

/**
 * Decode the next lines. A sequential picture with a single scan is decoded as its bytes arrive, MCU row by MCU row.
 * Any other picture is decoded when all its bytes are there; its coefficients are held in memory, two bytes for each
 * sample.
 *
 * If the context has several threads, another one decodes rows of a sequential picture of at least 2^18 pixels ahead,
 * also between calls. It does not once fewer lines than asked for were written, until bytes have been added.
 *
 * @param rows where each of the lines goes; a line has as many bytes as the pitch that kst_lines_describe() returns
 * @param count of the pointers in `rows`
 * @param done receives the number of lines that were written, which is smaller than `count` if bytes are missing, at
 *        the picture's end, and after an error
 * @return KST_OK; KST_ERROR_ARGUMENT; KST_ERROR_MEMORY; KST_ERROR_LIMIT_MEMORY; or, as kst_decode_options.strict
 *         describes it, the first warning: the lines before it are those of an undamaged stream. Later calls return it
 *         again
 */
KST_API kst_status kst_lines_read(kst_lines *lines, void *const *rows, uint32_t count, uint32_t *done);

/**
 * Once the last line of a picture with a single scan has been read, return the number of whole bytes of entropy-coded
 * data that have arrived but belong to no MCU, stuffed zero bytes not counted. Up to seven are no warning. If there is
 * a surplus restart marker, all that has arrived from it on counts. For a picture with several scans, return the sum of
 * the bytes behind the last MCU of each scan, from the first kst_lines_read() that decodes the picture on. Otherwise
 * return 0.
 */
KST_API uint64_t kst_lines_left(const kst_lines *lines);

/** Return what happened so far; valid until the next call. Null only for null. */
KST_API const kst_report *kst_lines_report(const kst_lines *lines);

/** A picture that is encoded to JPEG line by line, from the top, on the CPU. For one thread at a time. */
typedef struct kst_line_encoder kst_line_encoder;

/**
 * Begin a file: its headers are the first bytes to be taken.
 *
 * @param image describes the picture by its interleaved format, its size and its colour; the rest is not looked at
 * @param options null for the defaults; what they point to must stay until the handle is closed. `codec` must be JPEG
 *        and `coding` baseline, without a script, since any other file needs all lines before its first byte; there is
 *        no progress
 * @param encoder receives the handle, which kst_line_encoder_close() destroys; null after an error
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS, or what kst_encode() returns for such an image and such
 * options
 */
KST_API kst_status kst_line_encoder_open(
    kst_context *context, const kst_image *image, const kst_encode_options *options, kst_line_encoder **encoder);

/** Destroy the handle and set the pointer to null. Null, and a pointer to null, are allowed. */
KST_API void kst_line_encoder_close(kst_line_encoder **encoder);

/**
 * Encode the next lines: the bytes are those of kst_encode(), and are made whenever the lines of a row of MCUs are
 * complete, which are 8 or, depending on the sampling factors, more. After the last line the file is whole.
 *
 * @param rows the lines, tightly packed; they are copied
 * @param count of the pointers in `rows`, at most the number of lines that the picture still lacks
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY; later calls return the last two again
 */
KST_API kst_status kst_line_encoder_write(kst_line_encoder *encoder, const void *const *rows, uint32_t count);

/**
 * Take the bytes of the file that were made since this was called last.
 *
 * @param data receives their address, which is valid until the next call of kst_line_encoder_write() or
 *        kst_line_encoder_close()
 * @param length receives their number, which may be 0
 * @return KST_OK, KST_ERROR_ARGUMENT, or what kst_line_encoder_write() failed with
 */
KST_API kst_status kst_line_encoder_take(kst_line_encoder *encoder, const void **data, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
