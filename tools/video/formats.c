/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the containers, and finds one by its name or its first bytes. */
#include <string.h>
#include <strings.h>

#include "files/files.h"
#include "video/video.h"

static const struct video_format *const formats[] = {
    &video_y4m, &video_avi, &video_mjpeg, &video_multipart, &video_raw, &video_mkv, &video_mov, &video_mp4, &video_mxf};
enum { FORMATS = sizeof formats / sizeof *formats };

const struct video_format *video_format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcasecmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static bool has_extension(const struct video_format *format, const char *extension)
{
    for (const char *const *own = format->extensions; *own != NULL; own++)
        if (strcasecmp(*own, extension) == 0)
            return true;
    return false;
}

const struct video_format *video_format_by_path(const char *path)
{
    const char *extension = file_path_extension(path);

    for (size_t i = 0; i < FORMATS && extension != NULL; i++)
        if (has_extension(formats[i], extension))
            return formats[i];
    return NULL;
}

const struct video_format *video_format_of(const uint8_t *head, size_t length)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->detect != NULL && formats[i]->detect(head, length))
            return formats[i];
    return NULL;
}
