/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes messages to the caller's handlers. */
#include <stdarg.h>
#include <stdio.h>

#include "codec.h"

static void send(const struct openjp2_handler *handler, const char *format, va_list arguments)
{
    char line[512];
    if (!handler->call)
        return;
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    if (length < 0)
        return;
    size_t end = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
    line[end] = '\n';
    line[end + 1] = '\0';
    handler->call(line, handler->user);
}

void openjp2_inform(const struct openjp2_codec *codec, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send(&codec->info, format, arguments);
    va_end(arguments);
}

void openjp2_warn(const struct openjp2_codec *codec, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send(&codec->warning, format, arguments);
    va_end(arguments);
}

bool openjp2_fail(const struct openjp2_codec *codec, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send(&codec->error, format, arguments);
    va_end(arguments);
    return false;
}

static OPJ_BOOL set(opj_codec_t *handle, size_t offset, opj_msg_callback call, void *user)
{
    if (!handle)
        return OPJ_FALSE;
    struct openjp2_handler *handler = (struct openjp2_handler *)((char *)(void *)handle + offset);
    *handler = (struct openjp2_handler){.call = call, .user = user};
    return OPJ_TRUE;
}

OPJ_BOOL opj_set_info_handler(opj_codec_t *handle, opj_msg_callback call, void *user)
{
    return set(handle, offsetof(struct openjp2_codec, info), call, user);
}

OPJ_BOOL opj_set_warning_handler(opj_codec_t *handle, opj_msg_callback call, void *user)
{
    return set(handle, offsetof(struct openjp2_codec, warning), call, user);
}

OPJ_BOOL opj_set_error_handler(opj_codec_t *handle, opj_msg_callback call, void *user)
{
    return set(handle, offsetof(struct openjp2_codec, error), call, user);
}
