/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes SEG-Y (revision 1): the traces of a survey as a volume, whose z axis is inlines, y crosslines, and x
 * the samples of a trace.
 */
#ifndef KOSTKA_TOOL_VOLUME_SEGY_H
#define KOSTKA_TOOL_VOLUME_SEGY_H

#include "volume/volume.h"

/* Says where the traces of a file are. */
struct segy {
    uint64_t first;   /* offset of the first trace */
    uint64_t length;  /* length of a trace with its header */
    uint32_t format;  /* 1: IBM's single precision; 2, 3 and 8: integers of 32, 16 and 8 bits; 5: IEEE 754 */
    uint32_t *trace;  /* index of the trace of each inline and crossline, from malloc; SEGY_MISSING: there is none */
    uint64_t missing; /* number of missing traces */
};
enum { SEGY_HEADERS = 3600, SEGY_TRACE_HEADER = 240 };
#define SEGY_MISSING UINT32_MAX

bool volume_is_segy(const char *name);

/*
 * Describe the volume of an open file according to its headers, which are validated. The places of traces take at most
 * `max_memory` bytes.
 */
bool segy_open(struct volume_file *file, uint64_t max_memory, struct problem *problem);
void segy_release(struct segy *segy);

/* Read rows to `to` in the machine's types. Rows of missing traces are zeros. */
bool segy_read_rows(const struct volume_file *file, const kst_box *rows, uint8_t *to, struct problem *problem);

/*
 * Write the headers of a volume's file; and write rows of slice `z` from `y` on, which are at `rows` without padding.
 */
bool segy_put_headers(struct output *output, const kst_volume *volume, struct problem *problem);
bool segy_put_rows(struct output *output, const kst_volume *volume, uint32_t z, uint32_t y, const uint8_t *rows,
    uint32_t count, struct problem *problem);
uint64_t segy_length(const kst_volume *volume); /* length of the whole file */

#endif
