/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options of transcoding JPEG 2000. */
#include <string.h>

#include "options/options.h"

/* Read the value of --NAME, --NAME=yes or --NAME=no. */
static bool set_choice(const char *verb, const char *option, const char *value, kst_choice *choice)
{
    if (value == NULL || strcmp(value, "yes") == 0)
        *choice = KST_CHOICE_YES;
    else if (strcmp(value, "no") == 0)
        *choice = KST_CHOICE_NO;
    else
        complain_usage(verb, "write %s, or %s=no; without either it stays as it is", option, option);
    return *choice != KST_CHOICE_KEEP;
}

static bool set_container(const char *verb, const char *value, kst_container *container)
{
    if (strcmp(value, "jp2") == 0)
        *container = KST_CONTAINER_JP2;
    else if (strcmp(value, "j2k") == 0)
        *container = KST_CONTAINER_CODESTREAM;
    else
        complain_usage(verb, "--container is jp2 or j2k, not '%s'", value);
    return *container != KST_CONTAINER_KEEP;
}

enum { COMPONENTS_MAX = 16384 };

static uint32_t components[COMPONENTS_MAX]; /* the list of --components, which exists as long as the program runs */

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    kst_transcode_jpeg2000 *options = settings;
    kst_progression progression;

    switch (code) {
    case OPTION_PROGRESSION:
        if (!value_progression(verb, value, &progression))
            return false;
        options->progression = (int)progression;
        return true;
    case OPTION_REDUCE:
        return value_reduce(verb, value, &options->reduce);
    case OPTION_LAYERS:
        return value_layers(verb, value, &options->layers);
    case OPTION_RATE:
        return value_positive(verb, "--rate", value, &options->rate);
    case OPTION_TILE_PARTS:
        return value_division(verb, value, &options->division);
    case OPTION_COMPONENTS:
        options->components = components;
        return value_list(verb, "--components", value, COMPONENTS_MAX, components, &options->component_count);
    case OPTION_PACKED:
        return value_headers(verb, value, &options->headers);
    case OPTION_INTERLEAVE:
        options->part_by_part = true;
        return true;
    case OPTION_PLT:
        return set_choice(verb, "--plt", value, &options->packet_lengths);
    case OPTION_TLM:
        return set_choice(verb, "--tlm", value, &options->tile_part_lengths);
    case OPTION_SOP:
        return set_choice(verb, "--sop", value, &options->sop);
    case OPTION_EPH:
        return set_choice(verb, "--eph", value, &options->eph);
    case OPTION_HT:
        return set_choice(verb, "--ht", value, &options->ht);
    default:
        return set_container(verb, value, &options->container);
    }
}

struct option_group recode_group(kst_transcode_jpeg2000 *options)
{
    static const struct option_entry table[] = {
        {"progression", "LRCP|RLCP|RPCL|PCRL|CPRL", OPTION_PROGRESSION, 0, KIND_JPEG2000},
        {"reduce", "N", OPTION_REDUCE, 0, KIND_JPEG2000}, {"layers", "N", OPTION_LAYERS, 0, KIND_JPEG2000},
        {"rate", "BPP", OPTION_RATE, 0, KIND_JPEG2000},
        {"tile-parts", "resolution|layer|component", OPTION_TILE_PARTS, 0, KIND_JPEG2000},
        {"interleave", NULL, OPTION_INTERLEAVE, 0, KIND_JPEG2000},
        {"components", "LIST", OPTION_COMPONENTS, 0, KIND_JPEG2000},
        {"packed", "no|ppt|ppm", OPTION_PACKED, 0, KIND_JPEG2000}, {"plt", "[yes|no]", OPTION_PLT, 0, KIND_JPEG2000},
        {"tlm", "[yes|no]", OPTION_TLM, 0, KIND_JPEG2000}, {"sop", "[yes|no]", OPTION_SOP, 0, KIND_JPEG2000},
        {"eph", "[yes|no]", OPTION_EPH, 0, KIND_JPEG2000}, {"ht", "[yes|no]", OPTION_HT, 0, KIND_JPEG2000},
        {"container", "jp2|j2k", OPTION_CONTAINER, 0, KIND_JPEG2000}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, options};
}
