/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "options.h"

enum { COMPONENTS_MAX = 16384 };

static bool set_format(const char *verb, const char *value, kst_format *format)
{
    static const struct {
        const char *name;
        kst_format format;
    } names[] = {{"auto", KST_FORMAT_AUTO}, {"grey", KST_FORMAT_GREY}, {"gray", KST_FORMAT_GREY},
        {"rgb", KST_FORMAT_RGB}, {"bgr", KST_FORMAT_BGR}, {"rgba", KST_FORMAT_RGBA}, {"bgra", KST_FORMAT_BGRA},
        {"cmyk", KST_FORMAT_CMYK}, {"planar", KST_FORMAT_PLANAR}, {"raw", KST_FORMAT_RAW}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, value) == 0) {
            *format = names[i].format;
            return true;
        }
    }
    complain_usage(verb, "--format is one of auto, grey, rgb, bgr, rgba, bgra, cmyk, planar and raw, not '%s'", value);
    return false;
}

static bool set_scale(const char *verb, const char *value, uint32_t *reduce)
{
    static const char *const scales[] = {"1/1", "1/2", "1/4", "1/8"};

    for (uint32_t i = 0; i < 4; i++) {
        if (strcmp(scales[i], value) == 0) {
            *reduce = i;
            return true;
        }
    }
    complain_usage(verb, "--scale is one of 1/1, 1/2, 1/4 and 1/8, not '%s'", value);
    return false;
}

static bool set_tile(const char *verb, const char *value, uint32_t *tile)
{
    uint64_t number;

    if (!value_number(verb, "--tile", value, 0, 65534, &number))
        return false;
    *tile = (uint32_t)number;
    return true;
}

static uint32_t components[COMPONENTS_MAX]; /* what --components lists, as long as the program runs */

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    kst_decode_options *options = settings;

    switch (code) {
    case OPTION_FORMAT:
        return set_format(verb, value, &options->format);
    case OPTION_SCALE:
        return set_scale(verb, value, &options->reduce);
    case OPTION_REDUCE:
        return value_reduce(verb, value, &options->reduce);
    case OPTION_LAYERS:
        return value_layers(verb, value, &options->layers);
    case OPTION_COMPONENTS:
        options->components = components;
        return value_list(verb, "--components", value, COMPONENTS_MAX, components, &options->component_count);
    case OPTION_TILE:
        return set_tile(verb, value, &options->tile);
    case OPTION_CROP:
        return value_region(verb, value, &options->region);
    case OPTION_STRICT:
        options->strict = true;
        return true;
    default:
        options->orient = true;
        return true;
    }
}

struct option_group decode_group(kst_decode_options *options)
{
    static const struct option table[] = {{"format", required_argument, NULL, OPTION_FORMAT},
        {"scale", required_argument, NULL, OPTION_SCALE}, {"reduce", required_argument, NULL, OPTION_REDUCE},
        {"components", required_argument, NULL, OPTION_COMPONENTS}, {"tile", required_argument, NULL, OPTION_TILE},
        {"layers", required_argument, NULL, OPTION_LAYERS}, {"region", required_argument, NULL, OPTION_CROP},
        {"crop", required_argument, NULL, OPTION_CROP}, {"strict", no_argument, NULL, OPTION_STRICT},
        {"orient", no_argument, NULL, OPTION_ORIENT}, {NULL, 0, NULL, 0}};
    return (struct option_group){table, handle, options};
}
