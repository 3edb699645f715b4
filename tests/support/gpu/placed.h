/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares images at odd addresses in any memory, with poison around them that nobody may overwrite. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_PLACED_H
#define KOSTKA_TESTS_SUPPORT_GPU_PLACED_H

#include <kostka/kostka_device.h>

/* Holds an image in any memory, which is a part of a larger block of bytes full of poison. */
struct placed {
    kst_context *context;
    kst_image block, image;
};

size_t placed_sample_bytes(const kst_image *image);
size_t placed_row_bytes(const kst_image *image);

/* Place an image like the described one, at a random offset and with a random pitch. */
void placed_place(struct placed *placed, kst_context *context, const kst_image *like, kst_memory memory);
void placed_drop(struct placed *placed);

/* Check that everything outside of the image is unchanged. */
void placed_check(const char *what, const struct placed *placed);

#endif
