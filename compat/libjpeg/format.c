/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates libjpeg's colour spaces to pixel formats. */
#include "taken.h"

bool libjpeg_find_format(J_COLOR_SPACE space, kst_format *format)
{
    static const struct {
        J_COLOR_SPACE space;
        kst_format format;
    } formats[] = {{JCS_GRAYSCALE, KST_FORMAT_GREY}, {JCS_RGB, KST_FORMAT_RGB}, {JCS_CMYK, KST_FORMAT_CMYK},
        {JCS_EXT_RGB, KST_FORMAT_RGB}, {JCS_EXT_BGR, KST_FORMAT_BGR}, {JCS_EXT_RGBX, KST_FORMAT_RGBA},
        {JCS_EXT_RGBA, KST_FORMAT_RGBA}, {JCS_EXT_BGRX, KST_FORMAT_BGRA}, {JCS_EXT_BGRA, KST_FORMAT_BGRA}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].space == space) {
            *format = formats[i].format;
            return true;
        }
    return false;
}
