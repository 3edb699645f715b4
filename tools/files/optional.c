/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for GIF and WebP if their libraries were missing when this program was built. Their files are recognised
 * nevertheless, and the error says which library is missing.
 */
#include <string.h>

#ifdef KOSTKA_GIF_LIBRARY
#include "files/gif/file.h"
#endif
#ifdef KOSTKA_WEBP_LIBRARY
#include "files/webp/file.h"
#endif
#include "files/files.h"

#ifndef KOSTKA_GIF_LIBRARY
static bool gif_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    (void)source, (void)settings, (void)picture;
    return problem_set(problem, "GIF is read with giflib, which was missing when this program was built");
}
#define gif_describe NULL
#endif

#ifndef KOSTKA_WEBP_LIBRARY
static bool webp_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    (void)source, (void)settings, (void)picture;
    return problem_set(problem, "WebP is read with libwebp, which was missing when this program was built");
}
#define webp_describe NULL
#endif

static bool gif_detect(const uint8_t *data, size_t length)
{
    return length >= 6 && (memcmp(data, "GIF87a", 6) == 0 || memcmp(data, "GIF89a", 6) == 0);
}

/* Detect "RIFF" and "WEBP"; or, if "RIFF" is damaged, "WEBP" and the beginning of the first chunk's name. */
static bool webp_detect(const uint8_t *data, size_t length)
{
    return (length >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0) ||
           (length >= 15 && memcmp(data + 8, "WEBPVP8", 7) == 0);
}

const struct file_format file_gif = {"gif", {"gif"}, KST_FORMAT_AUTO, gif_detect, gif_read, .describe = gif_describe};
const struct file_format file_webp = {
    "webp", {"webp"}, KST_FORMAT_AUTO, webp_detect, webp_read, .describe = webp_describe};
