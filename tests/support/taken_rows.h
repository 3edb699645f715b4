/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the rows that a decoder passes to a function, and compares them with the whole picture. */
#ifndef KOSTKA_TESTS_SUPPORT_TAKEN_ROWS_H
#define KOSTKA_TESTS_SUPPORT_TAKEN_ROWS_H

#include <stdatomic.h>

#include <kostka/kostka_writer.h>

/* Holds the rows collected so far. */
struct taken_rows {
    kst_image shape; /* describes the picture */
    uint8_t *data;   /* rows without padding, plane after plane */
    uint8_t *times;  /* for each row the number of times that it was passed */
    bool in_order;
    uint32_t next, fail_at;
    atomic_uint inside, calls;
};

/* Is the function of a writer whose `user` is a struct taken_rows. */
bool rows_take(void *user, uint32_t y, const kst_image *rows);

/* Decode to rows, which rows_free() frees; `report` may be null. */
kst_status rows_decode(kst_context *context, const kst_buffer *stream, const kst_decode_options *options,
    struct taken_rows *target, kst_report *report);
void rows_free(struct taken_rows *target);

/*
 * Decode to rows in order and not in order, and check that the samples and warnings equal those of the whole picture,
 * and that each row comes once. Returns the number of calls.
 */
uint32_t rows_check(kst_context *context, const kst_buffer *stream, const kst_decode_options *options);

#endif
