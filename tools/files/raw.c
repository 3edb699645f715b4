/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples without any header: rows without padding, plane after plane, 16-bit samples in the machine's byte order. */
#include "files/files.h"

static bool raw_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    const kst_image *image = &picture->image;
    uint32_t channels = kst_format_channels(image->format);
    bool good = true;
    (void)settings;

    for (uint32_t i = 0; i < image->plane_count && good; i++) {
        const kst_plane *plane = &image->plane[i];
        size_t bytes = (size_t)plane->width * (channels == 0 ? 1 : channels) * (plane->depth > 8 ? 2 : 1);
        for (uint32_t y = 0; y < plane->height && good; y++)
            good = output_write(output, picture_row(picture, i, y), bytes, problem);
    }
    return good;
}

const struct file_format file_raw = {"raw", {"raw", "yuv", "rgb", "bin"}, KST_FORMAT_AUTO, NULL, NULL, raw_write};
