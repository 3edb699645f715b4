/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that a writer makes in memory. */
#ifndef KOSTKA_TESTS_WRITTEN_H
#define KOSTKA_TESTS_WRITTEN_H

#include <kostka/kostka_writer.h>

struct written {
    uint8_t *data;
    size_t room;             /* bytes of it, which nothing may exceed */
    uint64_t end, most;      /* it fails where it would come to be longer than `most`; 0: never */
    uint32_t calls, patches; /* those that change what was there */
    bool in_order, failed;
};

/* The test fails where it is called once more after it has failed, or out of the order that it demands. */
kst_writer written_writer(struct written *file);

#endif
