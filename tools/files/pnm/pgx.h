/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the header line of a PGX file. */
#ifndef KOSTKA_TOOL_PGX_H
#define KOSTKA_TOOL_PGX_H

#include "files/files.h"

struct pgx_header {
    bool little, is_signed;
    unsigned depth, width, height;
    size_t data; /* where the samples begin */
};

bool pgx_header_read(const struct source *source, struct pgx_header *header);

bool pgx_write_header(struct output *output, const kst_plane *plane, bool little, struct problem *problem);

#endif
