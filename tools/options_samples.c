/* SPDX-License-Identifier: BSD-2-Clause */
/* How samples lie in files without a header, and in which byte order. */
#include <stdio.h>
#include <string.h>

#include "options.h"

/* WxH, WxHxN, WxHxN:DEPTH or WxHxN:DEPTHs. */
static bool set_raw(const char *verb, const char *value, struct plane_shape *shape)
{
    int used = 0, rest = 0;
    bool good = strspn(value, "0123456789x:s") == strlen(value);

    *shape = (struct plane_shape){.count = 1, .depth = 8};
    good = good && sscanf(value, "%9ux%9u%n", &shape->width, &shape->height, &used) == 2;
    if (good && sscanf(value + used, "x%5u%n", &shape->count, &rest) == 1)
        used += rest;
    rest = 0;
    if (good && sscanf(value + used, ":%2u%n", &shape->depth, &rest) == 1)
        used += rest;
    if (good && value[used] == 's') {
        shape->is_signed = true;
        used++;
    }
    if (good && value[used] == '\0' && shape->width > 0 && shape->height > 0 && shape->count >= 1 &&
        shape->count <= 16384 && shape->depth >= 1 && shape->depth <= 31)
        return true;
    complain_usage(
        verb, "--raw takes WxH, WxHxN or WxHxN:DEPTH with an s behind it for signed samples, not '%s'", value);
    return false;
}

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    struct file_settings *files = settings;

    switch (code) {
    case OPTION_RAW:
        return set_raw(verb, value, &files->raw);
    case OPTION_INTERLEAVE_PLANES:
        files->interleave = true;
        return true;
    default:
        files->order = strcmp(value, "little") == 0 ? ORDER_LITTLE : strcmp(value, "big") == 0 ? ORDER_BIG : ORDER_OWN;
        if (files->order == ORDER_OWN)
            complain_usage(verb, "--endian is little or big, not '%s'", value);
        return files->order != ORDER_OWN;
    }
}

struct option_group samples_group(struct file_settings *files, bool reads)
{
    static const struct option table[] = {{"endian", required_argument, NULL, OPTION_ENDIAN},
        {"interleave", no_argument, NULL, OPTION_INTERLEAVE_PLANES}, {"raw", required_argument, NULL, OPTION_RAW},
        {NULL, 0, NULL, 0}};
    static const struct option writing[] = {{"endian", required_argument, NULL, OPTION_ENDIAN},
        {"interleave", no_argument, NULL, OPTION_INTERLEAVE_PLANES}, {NULL, 0, NULL, 0}};
    return (struct option_group){reads ? table : writing, handle, files};
}
