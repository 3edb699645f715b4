/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and checks the options of decoding. */
#include <string.h>

#include "options/options.h"

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

/* Read M/1, M/2, M/4 or M/8 as a number of eighths, 1–16. */
static bool read_eighths(const char *value, uint32_t *eighths)
{
    uint32_t number = 0;
    const char *at = value;

    while (at - value < 2 && *at >= '0' && *at <= '9')
        number = number * 10 + (uint32_t)(*at++ - '0');
    if (at == value || at[0] != '/' || at[1] == '\0' || strchr("1248", at[1]) == NULL || at[2] != '\0')
        return false;
    *eighths = number * 8 / (uint32_t)(at[1] - '0');
    return *eighths >= 1 && *eighths <= 16;
}

/* Set the scale. The sizes that JPEG 2000 supports, too, are set as reductions. */
static bool set_scale(const char *verb, const char *value, kst_decode_options *options)
{
    uint32_t eighths;

    if (!read_eighths(value, &eighths)) {
        complain_usage(verb, "--scale is N/8, with N from 1 to 16, or 1/1, 1/2 or 1/4, not '%s'", value);
        return false;
    }
    options->reduce = options->eighths = 0;
    if (eighths > 8 || (eighths & (eighths - 1)) != 0)
        options->eighths = eighths;
    else
        while (8U >> options->reduce != eighths)
            options->reduce++;
    return true;
}

static bool set_upsampling(const char *verb, const char *value, kst_upsampling *upsampling)
{
    if (strcmp(value, "fancy") != 0 && strcmp(value, "nearest") != 0) {
        complain_usage(verb, "--upsampling is fancy or nearest, not '%s'", value);
        return false;
    }
    *upsampling = value[0] == 'n' ? KST_UPSAMPLING_NEAREST : KST_UPSAMPLING_FANCY;
    return true;
}

static bool set_tile(const char *verb, const char *value, uint32_t *tile)
{
    uint64_t number;

    if (!value_number(verb, "--tile", value, 0, 65534, &number))
        return false;
    *tile = (uint32_t)number;
    return true;
}

static uint32_t components[COMPONENTS_MAX]; /* the list of --components, which exists as long as the program runs */

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    kst_decode_options *options = settings;

    switch (code) {
    case OPTION_FORMAT:
        return set_format(verb, value, &options->format);
    case OPTION_SCALE:
        return set_scale(verb, value, options);
    case OPTION_REDUCE:
        return value_reduce(verb, value, &options->reduce);
    case OPTION_INVERSE_DCT:
        return value_dct(verb, "--inverse-dct", value, &options->dct);
    case OPTION_UPSAMPLING:
        return set_upsampling(verb, value, &options->upsampling);
    case OPTION_LAYERS:
        return value_layers(verb, value, &options->layers);
    case OPTION_COMPONENTS:
        options->components = components;
        return value_list(verb, "--components", value, COMPONENTS_MAX, components, &options->component_count);
    case OPTION_TILE:
        return set_tile(verb, value, &options->tile);
    case OPTION_CROP:
        return value_region(verb, "--region (--crop)", value, &options->region);
    case OPTION_STRICT:
        options->strict = true;
        return true;
    default:
        options->orient = true;
        return true;
    }
}

bool decode_options_check(const char *verb, const struct file_settings *files)
{
    const kst_decode_options *decode = &files->decode;
    bool chosen = decode->format != KST_FORMAT_AUTO;

    if (decode->components != NULL && chosen && decode->format != KST_FORMAT_RAW) {
        complain_usage(verb, "--components gives them as coded, which is --format raw");
        return false;
    }
    if (files->interleave && files->layout == LAYOUT_PLANES && files->target != NULL &&
        file_kind(files->target) == KIND_RAW) {
        complain_usage(verb, "--interleave does not go with --raw-layout planes");
        return false;
    }
    if (decode->orient && (decode->components != NULL || decode->format == KST_FORMAT_RAW)) {
        complain_usage(verb, "--orient does not go with %s: what is as coded is not turned",
            decode->components != NULL ? "--components" : "--format raw");
        return false;
    }
    if (decode->orient && !chosen && files->target != NULL && files->target->wanted == KST_FORMAT_RAW) {
        complain_usage(verb,
            "--orient does not go with %s, which holds components as coded; --format planar turns them",
            files->target->name);
        return false;
    }
    return true;
}

struct option_group decode_group(kst_decode_options *options)
{
    static const struct option_entry table[] = {
        {"format", "auto|grey|rgb|bgr|rgba|bgra|cmyk|planar|raw", OPTION_FORMAT, 0, KIND_CODED},
        {"scale", "N/8", OPTION_SCALE, 0, KIND_CODED}, {"reduce", "N", OPTION_REDUCE, 0, KIND_CODED},
        {"inverse-dct", "int|fast", OPTION_INVERSE_DCT, 0, KIND_JPEG},
        {"upsampling", "fancy|nearest", OPTION_UPSAMPLING, 0, KIND_JPEG},
        {"components", "LIST", OPTION_COMPONENTS, 0, KIND_JPEG2000}, {"tile", "N", OPTION_TILE, 0, KIND_JPEG2000},
        {"layers", "N", OPTION_LAYERS, 0, KIND_JPEG2000}, {"region", "WxH+X+Y", OPTION_CROP, 0, KIND_CODED},
        {"crop", "WxH+X+Y", OPTION_CROP, 0, KIND_CODED}, {"strict", NULL, OPTION_STRICT, 0, KIND_CODED},
        {"orient", NULL, OPTION_ORIENT, 0, KIND_CODED}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, options};
}
