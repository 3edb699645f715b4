/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the headers of the Netpbm formats. */
#ifndef KOSTKA_TOOL_PNM_H
#define KOSTKA_TOOL_PNM_H

#include "files/files.h"

struct pnm_header {
    char kind; /* '1'–'7' after the P */
    uint32_t width;
    uint32_t height;
    uint32_t channels; /* 1–4 */
    uint32_t max;      /* 1–65535 */
    kst_format format; /* GREY, RGB, RGBA or CMYK; RGBA too for grey with alpha (two channels) */
    size_t data;       /* where the samples begin */
};

/*
 * Reads a number and the white space and comments in front of it. Returns false if there is none, or if it exceeds
 * UINT32_MAX.
 */
bool pnm_number(const struct source *source, size_t *at, uint32_t *number);

/* Writes the header of a grey, RGB or RGBA picture. It is that of PAM if `pam` is set, or if the format needs it. */
bool pnm_write_header(struct output *output, const kst_image *image, bool pam, struct problem *problem);
bool pnm_write_rows(struct output *output, const struct picture *picture, struct problem *problem);

bool pnm_header_read(const struct source *source, struct pnm_header *header, struct problem *problem);

#endif
