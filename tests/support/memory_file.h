/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a file in memory that a kst_writer writes, and that can fail like a full disk. */
#ifndef KOSTKA_TESTS_SUPPORT_MEMORY_FILE_H
#define KOSTKA_TESTS_SUPPORT_MEMORY_FILE_H

#include <kostka/kostka_writer.h>

struct memory_file {
    uint8_t *data;
    size_t room;             /* bytes of it, which nothing may exceed */
    uint64_t end, most;      /* it fails where it would come to be longer than `most`; 0: never */
    uint32_t calls, patches; /* those that change what was there */
    bool in_order, failed;
};

/* The test fails where it is called once more after it has failed, or out of the order that it demands. */
kst_writer memory_file_writer(struct memory_file *file);

#endif
