/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and checks the options of encoding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

void encode_settings_init(struct encode_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    kst_encode_options_init(&settings->options);
    settings->options.metadata = settings->metadata;
}

void encode_settings_release(struct encode_settings *settings)
{
    free(settings->script);
    source_release(&settings->icc);
    source_release(&settings->exif);
}

/* Read the sampling factors of each component, "2x2,1x1,1x1"; components that are left out have 1x1. */
static bool set_factors(const char *value, kst_encode_options *options)
{
    for (size_t i = 0; i < 4; i++)
        options->h[i] = options->v[i] = 1;
    for (size_t i = 0; i < 4; i++) {
        if (value[0] < '1' || value[0] > '4' || value[1] != 'x' || value[2] < '1' || value[2] > '4')
            return false;
        options->h[i] = (uint8_t)(value[0] - '0');
        options->v[i] = (uint8_t)(value[2] - '0');
        if (value[3] == '\0')
            return true;
        if (value[3] != ',')
            return false;
        value += 4;
    }
    return false;
}

static bool set_subsampling(const char *verb, const char *value, struct encode_settings *settings)
{
    kst_encode_options *options = &settings->options;
    static const char *const names[] = {
        [KST_SUBSAMPLING_420] = "420",
        [KST_SUBSAMPLING_422] = "422",
        [KST_SUBSAMPLING_444] = "444",
        [KST_SUBSAMPLING_440] = "440",
        [KST_SUBSAMPLING_411] = "411",
        [KST_SUBSAMPLING_410] = "410",
    };
    char plain[4] = "";

    /* 4:2:0 means 420. */
    if (strlen(value) == 5 && value[1] == ':' && value[3] == ':')
        snprintf(plain, sizeof plain, "%c%c%c", value[0], value[2], value[4]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], value) == 0 || strcmp(names[i], plain) == 0) {
            options->subsampling = (kst_subsampling)i;
            settings->subsampling_named = i != KST_SUBSAMPLING_444;
            return true;
        }
    }
    if (strcmp(value, "gray") == 0 || strcmp(value, "grey") == 0 || strcmp(value, "400") == 0) {
        options->colour = KST_COLOUR_GREY;
        return true;
    }
    if (set_factors(value, options))
        return true;
    complain_usage(verb,
        "--subsampling is one of 444, 422, 420, 440, 411, 410 and grey, or factors such as 2x2,1x1,1x1, not '%s'",
        value);
    return false;
}

static bool set_file(const char *verb, const char *option, const char *path, struct source *source)
{
    struct problem problem;

    source_release(source);
    if (!source_read(source, path, OPTION_BYTES_MAX, &problem))
        complain_usage(verb, "%s %s: %s", option, path, problem.text);
    else if (source->length == 0)
        complain_usage(verb, "%s %s: it is empty", option, path);
    else
        return true;
    return false;
}

static void add_metadata(
    struct encode_settings *settings, kst_metadata_kind kind, uint8_t marker, const void *data, size_t length)
{
    kst_metadata *list = settings->metadata;
    size_t i = 0;

    /* The last option for a profile or for Exif replaces earlier ones; comments accumulate. */
    while (i < settings->options.metadata_count && (list[i].kind != kind || kind == KST_METADATA_COMMENT))
        i++;
    list[i] = (kst_metadata){.kind = kind, .marker = marker, .data = data, .length = length};
    if (i == settings->options.metadata_count)
        settings->options.metadata_count++;
}

/* Add Exif, either the contents of a whole APP1 segment or only the TIFF structure in it. */
static void add_exif(struct encode_settings *settings)
{
    const struct source *exif = &settings->exif;
    size_t skip = exif->length >= 6 && memcmp(exif->data, "Exif\0\0", 6) == 0 ? 6 : 0;

    add_metadata(settings, KST_METADATA_EXIF, 0xE1, exif->data + skip, exif->length - skip);
}

static bool add_comment(const char *verb, struct encode_settings *settings, const char *text)
{
    size_t count = 0;

    for (size_t i = 0; i < settings->options.metadata_count; i++)
        count += settings->metadata[i].kind == KST_METADATA_COMMENT;
    if (count == COMMENTS_MAX) {
        complain_usage(verb, "--comment is there more than %d times", COMMENTS_MAX);
        return false;
    }
    add_metadata(settings, KST_METADATA_COMMENT, 0xFE, text, strlen(text));
    return true;
}

static bool set_tables(const char *verb, const char *path, struct encode_settings *settings)
{
    struct problem problem;

    if (tables_read(path, settings->tables, &settings->table_count, &problem))
        return true;
    complain_usage(verb, "--qtables %s: %s", path, problem.text);
    return false;
}

static bool handle(const char *verb, void *settings_pointer, int code, const char *value)
{
    struct encode_settings *settings = settings_pointer;
    kst_encode_options *options = &settings->options;
    uint64_t number;

    switch (code) {
    case OPTION_QUALITY:
        if (!value_number(verb, "--quality", value, 1, 100, &number))
            return false;
        options->quality = (int)number;
        settings->quality_given = true;
        return true;
    case OPTION_SUBSAMPLING:
        return set_subsampling(verb, value, settings);
    case OPTION_OPTIMIZE:
        if (options->coding != KST_CODING_PROGRESSIVE)
            options->coding = KST_CODING_OPTIMIZED;
        return true;
    case OPTION_PROGRESSIVE:
        options->coding = KST_CODING_PROGRESSIVE;
        return true;
    case OPTION_SCANS:
        if (!value_script(verb, value, &settings->script, &options->script_length))
            return false;
        options->script = settings->script;
        options->coding = KST_CODING_PROGRESSIVE;
        return true;
    case OPTION_RESTART:
        return value_restart(verb, value, &options->restart);
    case OPTION_FORWARD_DCT:
        return value_dct(verb, "--forward-dct", value, &options->dct);
    case OPTION_ICC:
        if (!set_file(verb, "--icc", value, &settings->icc))
            return false;
        add_metadata(settings, KST_METADATA_ICC, 0xE2, settings->icc.data, settings->icc.length);
        return true;
    case OPTION_EXIF:
        if (!set_file(verb, "--exif", value, &settings->exif))
            return false;
        add_exif(settings);
        return true;
    case OPTION_COMMENT:
        return add_comment(verb, settings, value);
    case OPTION_QTABLES:
        return set_tables(verb, value, settings);
    case OPTION_BASELINE: /* the default */
        return true;
    case OPTION_WIDE_QUANTISERS:
        options->wide_quantisers = true;
        return true;
    case OPTION_RGB:
        options->colour = KST_COLOUR_RGB;
        return true;
    default:
        options->colour = KST_COLOUR_GREY;
        return true;
    }
}

/* Return the rank of a kind of metadata: Exif comes first, where readers look for it, and comments last. */
static int order_of(const kst_metadata *metadata)
{
    if (metadata->kind == KST_METADATA_EXIF)
        return 0;
    return metadata->kind == KST_METADATA_ICC ? 1 : 2;
}

/* Sort by kind. Comments keep their order, which qsort() would not guarantee. */
static void sort_metadata(kst_metadata *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        kst_metadata moved = list[i];
        size_t to = i;
        for (; to > 0 && order_of(&list[to - 1]) > order_of(&moved); to--)
            list[to] = list[to - 1];
        list[to] = moved;
    }
}

/* Scale the user's tables by the quality, if that was set, like the standard tables. */
static void scale_tables(struct encode_settings *settings)
{
    int quality = settings->quality_given ? settings->options.quality : 50;
    uint32_t percent = (uint32_t)(quality < 50 ? 5000 / quality : 200 - 2 * quality);
    uint32_t high = settings->options.wide_quantisers ? 32767 : 255;

    for (size_t table = 0; table < settings->table_count; table++) {
        for (size_t i = 0; i < 64; i++) {
            uint32_t value = (settings->tables[table][i] * percent + 50) / 100;
            value = value < 1 ? 1 : value;
            settings->tables[table][i] = (uint16_t)(value > high ? high : value);
        }
        settings->options.quant_table[table] = settings->tables[table];
    }
}

bool encode_settings_finish(const char *verb, struct encode_settings *settings)
{
    kst_colour colour = settings->options.colour;

    if (settings->subsampling_named && (colour == KST_COLOUR_GREY || colour == KST_COLOUR_RGB)) {
        complain_usage(verb, "--subsampling is of the chrominance, which --%s leaves out",
            colour == KST_COLOUR_GREY ? "grey" : "rgb");
        return false;
    }
    sort_metadata(settings->metadata, settings->options.metadata_count);
    scale_tables(settings);
    return true;
}

struct option_group encode_group(struct encode_settings *settings)
{
    static const struct option_entry table[] = {{"quality", "1-100", OPTION_QUALITY, KIND_CODED, 0},
        {"subsampling", "444|422|420|440|411|410|grey", OPTION_SUBSAMPLING, KIND_JPEG, 0},
        {"optimize", NULL, OPTION_OPTIMIZE, KIND_JPEG, 0}, {"optimise", NULL, OPTION_OPTIMIZE, KIND_JPEG, 0},
        {"progressive", NULL, OPTION_PROGRESSIVE, KIND_JPEG, 0}, {"scans", "FILE", OPTION_SCANS, KIND_JPEG, 0},
        {"restart", "auto|none|N|Nr", OPTION_RESTART, KIND_JPEG, 0},
        {"forward-dct", "int|fast", OPTION_FORWARD_DCT, KIND_JPEG, 0},
        {"icc", "FILE", OPTION_ICC, KIND_JPEG | KIND_JP2 | KIND_JPH, 0},
        {"exif", "FILE", OPTION_EXIF, KIND_JPEG | KIND_JP2 | KIND_JPH, 0},
        {"comment", "TEXT", OPTION_COMMENT, KIND_CODED, 0}, {"qtables", "FILE", OPTION_QTABLES, KIND_JPEG, 0},
        {"baseline", NULL, OPTION_BASELINE, KIND_JPEG, 0},
        {"wide-quantisers", NULL, OPTION_WIDE_QUANTISERS, KIND_JPEG, 0}, {"rgb", NULL, OPTION_RGB, KIND_JPEG, 0},
        {"grey", NULL, OPTION_GREY, KIND_JPEG, 0}, {"gray", NULL, OPTION_GREY, KIND_JPEG, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, settings};
}
