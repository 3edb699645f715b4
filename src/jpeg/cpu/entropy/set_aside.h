/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the coded bytes of a scan that has to wait for other scans, most of them outside of memory. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_SET_ASIDE_H
#define KOSTKA_JPEG_CPU_ENTROPY_SET_ASIDE_H

#include "core/spill.h"
#include "jpeg/cpu/entropy/bit_string.h"

/* Holds bytes that are next to each other in the spill. */
struct jpeg_extent {
    uint64_t offset;
    size_t length;
};

/* Holds the coded bytes of one scan. It must not be moved, because its members point to each other. */
struct jpeg_set_aside {
    struct spill *spill;
    struct memory *memory;
    kst_writer writer; /* of the sink: passes its bytes on to the spill */
    struct sink sink;  /* receives the joined bits */
    struct jpeg_joiner joiner;
    struct jpeg_extent *extent; /* what was passed on, in order; the sink has the rest */
    size_t count, capacity;
    kst_status status; /* the reason why the writer failed */
};

void kst_jpeg_cpu_set_aside_begin(struct jpeg_set_aside *aside, struct memory *memory, struct spill *spill);

/* Take all whole bytes that a bit string has so far. The bit string may then be continued. */
void kst_jpeg_cpu_set_aside_add(struct jpeg_set_aside *aside, struct jpeg_bit_string *bits);

/* Take the rest of a bit string, and end the scan. */
void kst_jpeg_cpu_set_aside_end(struct jpeg_set_aside *aside, struct jpeg_bit_string *bits);

/* Return KST_OK, KST_ERROR_WRITE or a memory status: whether all bytes could be set aside. */
kst_status kst_jpeg_cpu_set_aside_status(const struct jpeg_set_aside *aside);

/* Append all bytes to a sink. */
kst_status kst_jpeg_cpu_set_aside_write(const struct jpeg_set_aside *aside, struct sink *to);

/* A zeroed structure may be released, too. */
void kst_jpeg_cpu_set_aside_release(struct jpeg_set_aside *aside);

#endif
