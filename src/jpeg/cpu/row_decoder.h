/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the decoding of a picture to coefficients one MCU row after the other, all scans at the same time, so that
 * memory holds a single row.
 */
#ifndef KOSTKA_JPEG_CPU_ROW_DECODER_H
#define KOSTKA_JPEG_CPU_ROW_DECODER_H

#include "jpeg/cpu/entropy/scans.h"

/* Holds the state of the decoding. It must not be moved, because its members point to each other. */
struct jpeg_row_decoder {
    struct memory *memory;
    struct jpeg_scans scans;
    struct jpeg_strip row; /* the MCU row that was decoded last */
    uint32_t rows;         /* number of MCU rows decoded in this pass */
    bool summed;           /* whether to keep the sum */
    uint64_t sum;          /* of the coefficients decoded in this pass, to tell whether the data are still the same */
    bool finished;         /* whether a pass has ended, and with it `damage` is known */
    struct jpeg_damage damage;
};

/* The plan must outlive the decoder. After a failure there is nothing to release. */
kst_status kst_jpeg_cpu_row_decoder_open(
    const struct operation *op, const struct jpeg_plan *plan, struct jpeg_row_decoder *decoder);
void kst_jpeg_cpu_row_decoder_close(struct jpeg_row_decoder *decoder);

/* Decode the next MCU row, of which there must be one. */
void kst_jpeg_cpu_row_decoder_next(struct jpeg_row_decoder *decoder);

/* Unless an earlier pass has done so, decode the rows that are left, for their damage alone. */
void kst_jpeg_cpu_row_decoder_finish(struct jpeg_row_decoder *decoder);

/* Finish, and begin with the first row again. */
void kst_jpeg_cpu_row_decoder_again(struct jpeg_row_decoder *decoder);

#endif
