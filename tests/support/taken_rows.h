/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the rows that a decoder passes to a function, and compares them with the whole picture. */
#ifndef KOSTKA_TESTS_SUPPORT_TAKEN_ROWS_H
#define KOSTKA_TESTS_SUPPORT_TAKEN_ROWS_H

#include <stdatomic.h>

#include <kostka/kostka_writer.h>

/* The rows collected so far. */
struct taken_rows {
    kst_image shape; /* of the picture */
    uint8_t *data;   /* tight; the planes of what has several follow each other */
    uint8_t *times;  /* each row came */
    bool in_order;
    uint32_t next, fail_at;
    atomic_uint inside, calls;
};

/* The function of a writer whose `user` is such a structure. */
bool rows_take(void *user, uint32_t y, const kst_image *rows);

/* Decode to rows, which the caller frees; `report` may be null. */
kst_status rows_decode(kst_context *context, const kst_buffer *stream, const kst_decode_options *options,
    struct taken_rows *target, kst_report *report);
void rows_free(struct taken_rows *target);

/* In order and not: the same samples and warnings as those of the whole, each row once. Returns the number of calls. */
uint32_t rows_check(kst_context *context, const kst_buffer *stream, const kst_decode_options *options);

#endif
