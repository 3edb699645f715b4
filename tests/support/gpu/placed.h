/* SPDX-License-Identifier: BSD-2-Clause */
/* Images in any memory at odd places, with room around them that nobody may write. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_PLACED_H
#define KOSTKA_TESTS_SUPPORT_GPU_PLACED_H

#include <kostka/kostka_device.h>

/* An image in any memory: a part of a larger block of bytes, which is full of poison. */
struct placed {
    kst_context *context;
    kst_image block, image;
};

size_t placed_sample_bytes(const kst_image *image);
size_t placed_row_bytes(const kst_image *image);

/* Place an image that is described, at a place and a pitch by chance. */
void placed_place(struct placed *placed, kst_context *context, const kst_image *like, kst_memory memory);
void placed_drop(struct placed *placed);

/* Everything outside of the image must be as it was. */
void placed_check(const char *what, const struct placed *placed);

#endif
