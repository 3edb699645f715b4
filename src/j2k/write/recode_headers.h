/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives the headers of a transcoded image, for recode.c. */
#ifndef KOSTKA_J2K_WRITE_RECODE_HEADERS_H
#define KOSTKA_J2K_WRITE_RECODE_HEADERS_H

#include "j2k/write/recode.h"

/* Set the headers of the coded image and the parameters of its tiles according to the stream and the wanted changes. */
kst_status kst_j2k_recode_headers(const struct operation *op, const struct j2k_stream *stream,
    const struct j2k_recoding *recoding, struct j2k_recoded *recoded);

#endif
