/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a file in memory for a kst_writer, which can fail like a full disk. */
#ifndef KOSTKA_TESTS_SUPPORT_MEMORY_FILE_H
#define KOSTKA_TESTS_SUPPORT_MEMORY_FILE_H

#include <kostka/kostka_writer.h>

struct memory_file {
    uint8_t *data;
    size_t room;             /* bytes of `data`, which must suffice */
    uint64_t end, most;      /* writing fails if it would make the file longer than `most`; 0: never */
    uint32_t calls, patches; /* patches: calls that change bytes written before */
    bool in_order, failed;
};

/*
 * Return a writer to the file. The test fails if it is called again after a failure, or, with `in_order`, out of order.
 */
kst_writer memory_file_writer(struct memory_file *file);

#endif
