/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_J2K_WRITE_RECODE_HEADERS_H
#define KOSTKA_J2K_WRITE_RECODE_HEADERS_H

#include "j2k/write/recode.h"

/* The headers of the coded image and the parameters of its tiles, of the stream's and what shall change. */
kst_status kst_j2k_recode_headers(struct memory *memory, const kst_limits *limits, const struct j2k_stream *stream,
    const struct j2k_recoding *recoding, struct j2k_recoded *recoded, kst_report *report);

#endif
