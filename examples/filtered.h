/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes and filters one JPEG frame after the other, for OpenGL. */
#ifndef KOSTKA_EXAMPLES_FILTERED_H
#define KOSTKA_EXAMPLES_FILTERED_H

#include <kostka/kostka_filter.h>

struct filtered {
    kst_context *context;
    kst_filter *filter;
    kst_memory memory; /* of the device */
    kst_image decoded; /* in that memory */
    kst_image shown;   /* RGBA in the program's memory, rows without padding */
};

/* Open the device that KOSTKA_DEVICE names, or the fastest, and a chain. On failure prints a message and returns false.
 * End it in any case. */
bool filtered_begin(struct filtered *filtered, const char *chain);
void filtered_end(struct filtered *filtered);

/* Decode and filter a frame. Returns false if it cannot be decoded, or after a message. */
bool filtered_frame(struct filtered *filtered, const uint8_t *data, size_t length);

#endif
