/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the operations on volumes that entry points call: they check arguments, let the codec carry out the work,
 * and end it.
 */
#ifndef KOSTKA_RUN_VOLUME_H
#define KOSTKA_RUN_VOLUME_H

#include <kostka/kostka_volume.h>

/* Says what is requested of a coded volume: a description, in `volume` and `info`, or its samples. */
struct volume_request {
    const kst_volume_decode_options *options; /* null for the defaults */
    kst_volume *volume;                       /* may be null for a description */
    kst_volume_info *info;                    /* may be null */
    bool samples;
};

/* Do the work of kst_describe_volume() and kst_decode_volume(). */
kst_status kst_volume_run_decode(
    kst_context *context, const void *data, size_t length, const struct volume_request *request, kst_report *report);

/*
 * volume_batch.c: do the work of kst_decode_volumes(). Up to 256 volumes at a time are divided into `groups` groups, a
 * number that benchmarks set; 0: the function chooses it.
 */
kst_status kst_volume_run_decode_all(kst_context *context, kst_volume_item *items, size_t count, uint32_t groups);

/* volume_encoding.c: do the work of kst_encode_volumes(), whose arguments are not null, and kst_encode_volume(). */
kst_status kst_volume_run_encode_all(kst_context *context, kst_volume_encode_item *items, size_t count);
kst_status kst_volume_run_encode(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report);

#endif
