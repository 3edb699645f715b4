/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options that describe the samples of files: raw samples without a header, byte order, number of bits. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

enum { SIDE_MAX = 1 << 27, COMPONENTS_MAX = 16384, DEPTH_MAX = 31 };

/* Read a number of at most `high` behind the character `before` (0 for the first number), and move *text behind it. */
static bool take_number(const char **text, char before, unsigned long high, unsigned *number)
{
    const char *from = *text + (before != 0);
    char *end;

    if ((before != 0 && **text != before) || !isdigit((unsigned char)*from))
        return false;
    unsigned long value = strtoul(from, &end, 10);
    if (value < 1 || value > high)
        return false;
    *number = (unsigned)value;
    *text = end;
    return true;
}

/* Read WxH, WxHxN, WxH:DEPTH or WxHxN:DEPTH, perhaps with an s behind the depth. */
static bool set_raw(const char *verb, const char *value, struct plane_shape *shape)
{
    const char *text = value;

    *shape = (struct plane_shape){.count = 1, .depth = 8};
    bool good = take_number(&text, 0, SIDE_MAX, &shape->width) && take_number(&text, 'x', SIDE_MAX, &shape->height);
    if (good && *text == 'x')
        good = take_number(&text, 'x', COMPONENTS_MAX, &shape->count);
    if (good && *text == ':') {
        good = take_number(&text, ':', DEPTH_MAX, &shape->depth);
        shape->is_signed = *text == 's';
        text += shape->is_signed;
    }
    if (good && *text == '\0')
        return true;
    complain_usage(
        verb, "--raw takes WxH, WxHxN or WxHxN:DEPTH with an s behind it for signed samples, not '%s'", value);
    return false;
}

static bool set_layout(const char *verb, const char *value, enum raw_layout *layout)
{
    *layout = strcmp(value, "pixels") == 0   ? LAYOUT_PIXELS
              : strcmp(value, "planes") == 0 ? LAYOUT_PLANES
                                             : LAYOUT_USUAL;
    if (*layout == LAYOUT_USUAL)
        complain_usage(verb,
            "--raw-layout is pixels (their samples take turns) or planes (one component after the other), "
            "not '%s'",
            value);
    return *layout != LAYOUT_USUAL;
}

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    struct file_settings *files = settings;

    switch (code) {
    case OPTION_RAW:
        return set_raw(verb, value, &files->raw);
    case OPTION_RAW_LAYOUT:
        return set_layout(verb, value, &files->layout);
    case OPTION_INTERLEAVE_PLANES:
        files->interleave = true;
        return true;
    case OPTION_PRECISION:
        files->deep = strcmp(value, "12") == 0;
        if (!files->deep && strcmp(value, "8") != 0)
            complain_usage(verb, "--precision is 8 or 12, not '%s'", value);
        return files->deep || strcmp(value, "8") == 0;
    default:
        files->order = strcmp(value, "little") == 0 ? ORDER_LITTLE : strcmp(value, "big") == 0 ? ORDER_BIG : ORDER_OWN;
        if (files->order == ORDER_OWN)
            complain_usage(verb, "--endian is little or big, not '%s'", value);
        return files->order != ORDER_OWN;
    }
}

struct option_group samples_group(struct file_settings *files, bool reads)
{
    static const struct option_entry table[] = {{"endian", "little|big", OPTION_ENDIAN, KIND_PGX | KIND_RAW, KIND_RAW},
        {"interleave", NULL, OPTION_INTERLEAVE_PLANES, KIND_TIFF | KIND_RAW, KIND_RAW},
        {"raw-layout", "pixels|planes", OPTION_RAW_LAYOUT, KIND_RAW, KIND_RAW},
        {"raw", "WxHxN:DEPTH", OPTION_RAW, 0, 0}, {"precision", "8|12", OPTION_PRECISION, KIND_JPEG, 0},
        {NULL, NULL, 0, 0, 0}};
    static const struct option_entry writing[] = {
        {"endian", "little|big", OPTION_ENDIAN, KIND_PGX | KIND_RAW, KIND_RAW},
        {"interleave", NULL, OPTION_INTERLEAVE_PLANES, KIND_TIFF | KIND_RAW, KIND_RAW},
        {"raw-layout", "pixels|planes", OPTION_RAW_LAYOUT, KIND_RAW, KIND_RAW}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){reads ? table : writing, handle, files};
}
