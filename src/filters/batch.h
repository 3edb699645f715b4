/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the application of a chain to images in any memory. */
#ifndef KOSTKA_FILTERS_BATCH_H
#define KOSTKA_FILTERS_BATCH_H

#include "filters/run.h"
#include "run/stream.h"

/* Do the work of kst_filter_batch(), or with `entered` that of kst_filter_queue(). */
kst_status kst_filter_apply_all(
    const kst_filter *filter, kst_filter_item *items, size_t count, struct entered_stream *entered);

#endif
