/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options of encoding JPEG 2000. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

/* Read a positive number, and move *text behind the number. */
static bool positive(const char **text, double *number)
{
    char *end;

    errno = 0;
    *number = strtod(*text, &end);
    if (end == *text || errno != 0 || !(*number > 0) || *number >= HUGE_VAL)
        return false;
    *text = end;
    return true;
}

/* Read one value, or one for each layer with commas in between. */
static bool set_target(
    const char *verb, const char *option, const char *value, kst_j2k_target target, struct j2k_settings *settings)
{
    const char *text = value;
    size_t count = 0;

    while (count < sizeof settings->layer_value / sizeof *settings->layer_value &&
           positive(&text, &settings->layer_value[count])) {
        count++;
        if (*text == '\0') {
            settings->options.target = target;
            settings->options.value = settings->layer_value[count - 1];
            settings->value_count = count;
            return true;
        }
        if (*text++ != ',')
            break;
    }
    complain_usage(verb, "%s takes a number, or one for each of at most %zu layers (0.5,1,2), not '%s'", option,
        sizeof settings->layer_value / sizeof *settings->layer_value, value);
    return false;
}

/* Read up to nine digits, and move *text behind the digits. */
static bool digits(const char **text, uint32_t *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    *value = (uint32_t)strtoul(*text, &end, 10);
    bool few = end - *text <= 9;
    *text = end;
    return few;
}

/* Read WIDTHxHEIGHT, and move *text behind it. */
static bool size(const char **text, uint32_t *width, uint32_t *height)
{
    if (!digits(text, width) || **text != 'x')
        return false;
    ++*text;
    return digits(text, height);
}

static bool is_power(uint32_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

/* Return whether code-blocks may have this size (T.800, A.6.1). */
static bool is_block(uint32_t width, uint32_t height)
{
    return is_power(width) && is_power(height) && width >= 4 && height >= 4 && width <= 1024 && height <= 1024 &&
           width * height <= 4096;
}

/* Return whether precincts may have this size (A.6.1). */
static bool is_precinct(uint32_t width, uint32_t height)
{
    return is_power(width) && is_power(height) && width <= 32768 && height <= 32768;
}

static const char block_rule[] = "powers of two, 4 to 1024 and no more than 4096 samples together, such as 64x64";

static bool set_tiles(const char *verb, const char *value, kst_j2k_options *options)
{
    const char *text = value;

    if (size(&text, &options->tile_width, &options->tile_height) && *text == '\0' && options->tile_width > 0 &&
        options->tile_height > 0)
        return true;
    complain_usage(verb, "--tiles takes a size such as 256x256, not '%s'", value);
    return false;
}

static bool set_block(const char *verb, const char *value, kst_j2k_options *options)
{
    const char *text = value;

    if (size(&text, &options->block_width, &options->block_height) && *text == '\0' &&
        is_block(options->block_width, options->block_height))
        return true;
    complain_usage(verb, "--codeblock takes a size, of %s, not '%s'", block_rule, value);
    return false;
}

static bool set_precincts(const char *verb, const char *value, kst_j2k_options *options)
{
    const char *text = value;
    uint32_t width, height;

    options->precinct_count = 0;
    while (options->precinct_count < 33 && size(&text, &width, &height) && is_precinct(width, height)) {
        options->precinct_width[options->precinct_count] = width;
        options->precinct_height[options->precinct_count] = height;
        options->precinct_count++;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            break;
    }
    complain_usage(verb,
        "--precincts takes sizes from the largest resolution down, of powers of two up to 32768, such as "
        "256x256,128x128, not '%s'",
        value);
    return false;
}

static bool number_behind(const char **text, char separator, uint32_t *value)
{
    if (**text != separator)
        return false;
    ++*text;
    return digits(text, value);
}

/* Read ORDER[:R0-R1[:C0-C1[:LAYERS]]], and move *text behind it. */
static bool change(const char **text, kst_j2k_change *to)
{
    static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    uint32_t order = 0;

    while (order < 5 && strncmp(*text, orders[order], 4) != 0)
        order++;
    if (order == 5)
        return false;
    *text += 4;
    *to = (kst_j2k_change){
        .progression = (kst_progression)order,
    };
    if (**text == ':' && !(number_behind(text, ':', &to->resolution0) && number_behind(text, '-', &to->resolution1)))
        return false;
    if (**text == ':' && !(number_behind(text, ':', &to->component0) && number_behind(text, '-', &to->component1)))
        return false;
    return **text != ':' || number_behind(text, ':', &to->layers);
}

static bool set_changes(const char *verb, const char *value, struct j2k_settings *settings)
{
    const char *text = value;
    size_t count = 0;

    while (count < sizeof settings->change / sizeof *settings->change && change(&text, &settings->change[count])) {
        count++;
        if (*text == '\0') {
            settings->options.change = settings->change;
            settings->options.change_count = count;
            return true;
        }
        if (*text++ != ',')
            break;
    }
    complain_usage(verb,
        "--poc takes changes such as RPCL:0-3,LRCP:0-6:0-3:2 (order, resolutions and components from-to, to not being "
        "among them, layers), not '%s'",
        value);
    return false;
}

/* Read NAME, NAME:MAINLEVEL or NAME:MAINLEVEL,SUBLEVEL. */
static bool set_profile(const char *verb, const char *value, struct j2k_settings *settings)
{
    static const uint32_t profiles[] = {KST_J2K_PROFILE_0, KST_J2K_PROFILE_1, KST_J2K_PROFILE_CINEMA_2K,
        KST_J2K_PROFILE_CINEMA_4K, KST_J2K_PROFILE_BROADCAST, KST_J2K_PROFILE_BROADCAST_TILED,
        KST_J2K_PROFILE_BROADCAST_REVERSIBLE, KST_J2K_PROFILE_IMF_2K, KST_J2K_PROFILE_IMF_4K, KST_J2K_PROFILE_IMF_8K,
        KST_J2K_PROFILE_IMF_2K_REVERSIBLE, KST_J2K_PROFILE_IMF_4K_REVERSIBLE, KST_J2K_PROFILE_IMF_8K_REVERSIBLE};
    size_t length = strcspn(value, ":"), i = 0, count = sizeof profiles / sizeof *profiles;
    const char *text = value + length;
    uint32_t main_level = 0, sublevel = 0;

    if (settings->given) {
        complain_usage(verb, "--profile sets other options of JPEG 2000: it comes in front of them");
        return false;
    }
    while (i < count && (strncmp(value, kst_j2k_profile_name(profiles[i]), length) != 0 ||
                            kst_j2k_profile_name(profiles[i])[length] != '\0'))
        i++;
    bool good = i < count && (*text == '\0' || number_behind(&text, ':', &main_level)) &&
                (*text == '\0' || number_behind(&text, ',', &sublevel)) && *text == '\0' && main_level < 16 &&
                sublevel < 16 && (profiles[i] >= KST_J2K_PROFILE_BROADCAST || value[length] == '\0') &&
                !kst_j2k_options_profile(&settings->options, profiles[i] + main_level + 16 * sublevel);
    if (!good)
        complain_usage(verb,
            "--profile takes profile0, profile1, cinema2k, cinema4k, broadcast:5 or imf4k:6,3 (main level, sublevel), "
            "not '%s'; see 'kostka help encode'",
            value);
    return good;
}

struct name {
    const char *name;
    uint32_t bit;
};

/*
 * Read names with the separator in between, up to a comma or the end, and combine their bits. *at moves to that end, or
 * to an unknown name.
 */
static bool names_of(const char **at, char separator, const struct name *names, uint32_t *bits)
{
    const char stops[] = {separator, ',', '\0'};

    for (*bits = 0;; ++*at) {
        size_t length = strcspn(*at, stops), i = 0;
        while (names[i].name != NULL && (strlen(names[i].name) != length || strncmp(*at, names[i].name, length) != 0))
            i++;
        if (names[i].name == NULL)
            return false;
        *bits |= names[i].bit;
        *at += length;
        if (**at != separator)
            return true;
    }
}

static bool set_names(const char *verb, const char *option, const char *value, const struct name *names, uint32_t *bits)
{
    const char *text = value;

    if (names_of(&text, ',', names, bits) && *text == '\0')
        return true;
    complain_usage(verb, "%s does not know '%s'; see 'kostka help encode'", option, text);
    return false;
}

static const struct name styles[] = {{"bypass", KST_J2K_BYPASS}, {"reset", KST_J2K_RESET}, {"termall", KST_J2K_TERMALL},
    {"causal", KST_J2K_CAUSAL}, {"predictable", KST_J2K_PREDICTABLE}, {"symbols", KST_J2K_SYMBOLS}, {"ht", KST_J2K_HT},
    {NULL, 0}};

/* Return whether the text goes on with a key and "=". If so, *text moves behind these. */
static bool key_is(const char **text, const char *key)
{
    size_t length = strlen(key);

    if (strncmp(*text, key, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Read KEY=VALUE of a component, and move *text behind it. */
static bool own(const char **text, kst_j2k_component *to)
{
    if (key_is(text, "levels=")) {
        to->fields |= KST_J2K_OWN_LEVELS;
        return digits(text, &to->levels);
    }
    if (key_is(text, "codeblock=")) {
        to->fields |= KST_J2K_OWN_BLOCKS;
        return size(text, &to->block_width, &to->block_height);
    }
    if (key_is(text, "style=")) {
        to->fields |= KST_J2K_OWN_STYLE;
        return names_of(text, '+', styles, &to->style);
    }
    if (key_is(text, "step=")) {
        to->fields |= KST_J2K_OWN_STEP;
        return positive(text, &to->step);
    }
    if (key_is(text, "guard-bits=")) {
        to->fields |= KST_J2K_OWN_GUARD_BITS;
        return digits(text, &to->guard_bits);
    }
    to->fields |= KST_J2K_OWN_TRANSFORM;
    to->reversible = key_is(text, "reversible");
    return to->reversible || key_is(text, "irreversible");
}

/* Read INDEX:KEY=VALUE,… or INDEX@TILE:… */
static bool set_component(const char *verb, const char *value, struct j2k_settings *settings)
{
    const char *text = value;
    kst_j2k_component *to = &settings->component[settings->options.component_count];

    if (settings->options.component_count == sizeof settings->component / sizeof *settings->component) {
        complain_usage(verb, "--component is there more than %zu times", settings->options.component_count);
        return false;
    }
    *to = (kst_j2k_component){.fields = 0};
    bool good = digits(&text, &to->component);
    if (good && *text == '@') {
        to->fields = KST_J2K_OWN_TILE;
        good = number_behind(&text, '@', &to->tile);
    }
    good = good && *text == ':';
    while (good) {
        ++text;
        good = own(&text, to) && (*text == '\0' || *text == ',');
        if (*text == '\0')
            break;
    }
    if (!good) {
        complain_usage(verb,
            "--component takes an index, perhaps @ and a tile, and what is its own, such as "
            "1:levels=3,codeblock=32x32,style=causal+reset,"
            "step=2,guard-bits=3,irreversible, not '%s'",
            value);
        return false;
    }
    settings->options.component = settings->component;
    settings->options.component_count++;
    return true;
}

static bool set_weights(const char *verb, const char *value, kst_j2k_weights *weights)
{
    if (strcmp(value, "none") == 0 || strcmp(value, "vision") == 0) {
        *weights = *value == 'n' ? KST_J2K_WEIGHTS_NONE : KST_J2K_WEIGHTS_VISION;
        return true;
    }
    complain_usage(verb, "--weights is none or vision, not '%s'", value);
    return false;
}

/* Read P/T/M, perhaps with /full or /limited behind it. */
static bool set_points(const char *verb, const char *value, kst_code_points *points)
{
    const char *text = value;
    uint32_t number[3];
    bool good = digits(&text, &number[0]) && number_behind(&text, '/', &number[1]) &&
                number_behind(&text, '/', &number[2]) &&
                (*text == '\0' || strcmp(text, "/full") == 0 || strcmp(text, "/limited") == 0);

    for (size_t i = 0; i < 3 && good; i++)
        good = number[i] <= UINT16_MAX;
    if (!good) {
        complain_usage(
            verb, "--cicp takes primaries, transfer and matrix, such as 9/16/0 or 1/13/0/limited, not '%s'", value);
        return false;
    }
    *points = (kst_code_points){.present = true,
        .full_range = strcmp(text, "/limited") != 0,
        .primaries = (uint16_t)number[0],
        .transfer = (uint16_t)number[1],
        .matrix = (uint16_t)number[2]};
    return true;
}

static bool handle_switch(kst_j2k_options *options, int code)
{
    switch (code) {
    case OPTION_LOSSLESS:
        options->target = KST_J2K_LOSSLESS;
        break;
    case OPTION_REVERSIBLE:
        options->reversible = true;
        break;
    case OPTION_CODESTREAM:
        options->codestream = true;
        break;
    case OPTION_KEEP_COMPONENTS:
        options->keep_components = true;
        break;
    case OPTION_HT:
        options->style |= KST_J2K_HT;
        break;
    case OPTION_SOP:
        options->sop = true;
        break;
    case OPTION_EPH:
        options->eph = true;
        break;
    case OPTION_PLT:
        options->packet_lengths = true;
        break;
    default:
        options->tile_part_lengths = true;
    }
    return true;
}

static bool handle(const char *verb, void *settings_pointer, int code, const char *value)
{
    struct j2k_settings *settings = settings_pointer;
    kst_j2k_options *options = &settings->options;

    if (code == OPTION_PROFILE)
        return set_profile(verb, value, settings);
    if (code == OPTION_FRAME_RATE)
        return value_positive(verb, "--frame-rate", value, &options->frame_rate);
    settings->given = true;
    switch (code) {
    case OPTION_POC:
        return set_changes(verb, value, settings);
    case OPTION_RATE:
        return set_target(verb, "--rate", value, KST_J2K_RATE, settings);
    case OPTION_RATIO:
        return set_target(verb, "--ratio", value, KST_J2K_RATIO, settings);
    case OPTION_PSNR:
        return set_target(verb, "--psnr", value, KST_J2K_PSNR, settings);
    case OPTION_STEP:
        return set_target(verb, "--step", value, KST_J2K_STEP, settings);
    case OPTION_WEIGHTS:
        return set_weights(verb, value, &options->weights);
    case OPTION_CICP:
        return set_points(verb, value, &options->code_points);
    case OPTION_PASSES:
        return value_count(verb, "--passes", value, 1, 3, &options->passes);
    case OPTION_CODED_LAYERS:
        return value_count(verb, "--layers", value, 1, 1024, &options->layers);
    case OPTION_LEVELS:
        return value_count(verb, "--levels", value, 0, 32, &options->levels);
    case OPTION_GUARD_BITS:
        return value_count(verb, "--guard-bits", value, 1, 7, &options->guard_bits);
    case OPTION_COMPONENT:
        return set_component(verb, value, settings);
    case OPTION_TILES:
        return set_tiles(verb, value, options);
    case OPTION_CODEBLOCK:
        return set_block(verb, value, options);
    case OPTION_PRECINCTS:
        return set_precincts(verb, value, options);
    case OPTION_PROGRESSION:
        return value_progression(verb, value, &options->progression);
    case OPTION_STYLE:
        return set_names(verb, "--style", value, styles, &options->style);
    case OPTION_TILE_PARTS:
        return value_division(verb, value, &options->division);
    case OPTION_PACKED:
        return value_headers(verb, value, &options->headers);
    case OPTION_INTEREST:
        return value_region(verb, "--interest", value, &options->interest);
    default:
        return handle_switch(options, code);
    }
}

void j2k_settings_init(struct j2k_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    kst_j2k_options_init(&settings->options);
}

/*
 * Check the ranges of a component's own options (A.6.1, A.6.2, A.6.5), and that its quantiser step is 1/256 to 256
 * times the others', so that neither becomes negligible.
 */
static bool check_component(const char *verb, const struct j2k_settings *settings, const kst_j2k_component *own)
{
    bool levels = (own->fields & KST_J2K_OWN_LEVELS) == 0 || own->levels <= 32;
    bool guard = (own->fields & KST_J2K_OWN_GUARD_BITS) == 0 || (own->guard_bits >= 1 && own->guard_bits <= 7);
    bool block = (own->fields & KST_J2K_OWN_BLOCKS) == 0 || is_block(own->block_width, own->block_height);
    bool step = (own->fields & KST_J2K_OWN_STEP) == 0 || (own->step >= 1.0 / 256 && own->step <= 256);

    if (!block) {
        complain_usage(verb, "--component %u: codeblock takes a size, of %s", (unsigned)own->component, block_rule);
        return false;
    }
    if (!levels || !guard || !step) {
        complain_usage(verb, "--component %u: %s", (unsigned)own->component,
            !levels  ? "levels are 0 to 32"
            : !guard ? "guard-bits are 1 to 7"
                     : "step is 1/256 to 256 times the others'");
        return false;
    }
    if ((own->fields & KST_J2K_OWN_TRANSFORM) != 0 && !own->reversible &&
        settings->options.target == KST_J2K_LOSSLESS) {
        complain_usage(verb,
            "--component %u: irreversible is not lossless; --rate, --ratio, --psnr or --step say how "
            "much is lost",
            (unsigned)own->component);
        return false;
    }
    return true;
}

/* Check the layers' values. Each layer adds to the one before, so rates and decibels must rise, and ratios fall. */
static bool check_values(const char *verb, const struct j2k_settings *settings)
{
    static const char *const names[] = {
        [KST_J2K_RATE] = "--rate", [KST_J2K_RATIO] = "--ratio", [KST_J2K_PSNR] = "--psnr", [KST_J2K_STEP] = "--step"};
    const double *value = settings->layer_value;
    kst_j2k_target target = settings->options.target;
    bool falling = target == KST_J2K_RATIO;

    if (target == KST_J2K_STEP && settings->value_count > 1) {
        complain_usage(verb, "--step takes one value, for all layers");
        return false;
    }
    for (size_t i = 1; i < settings->value_count; i++) {
        if (falling ? value[i] <= value[i - 1] : value[i] >= value[i - 1])
            continue;
        complain_usage(verb, "%s: layers get better, so that values %s, not %g after %g", names[target],
            falling ? "fall" : "rise", value[i], value[i - 1]);
        return false;
    }
    return true;
}

bool j2k_settings_finish(const char *verb, struct j2k_settings *settings)
{
    kst_j2k_options *options = &settings->options;

    for (size_t i = 0; i < options->component_count; i++)
        if (!check_component(verb, settings, &options->component[i]))
            return false;
    if (!check_values(verb, settings))
        return false;

    if (options->target == KST_J2K_LOSSLESS || settings->value_count < 2)
        return true;
    if (options->layers == 1)
        options->layers = (uint32_t)settings->value_count;
    options->layer_value = settings->layer_value;
    if (options->layers == settings->value_count)
        return true;
    complain_usage(verb, "--layers: %zu values for %u layers", settings->value_count, (unsigned)options->layers);
    return false;
}

bool j2k_settings_choose(const char *verb, struct j2k_settings *settings, kst_encode_options *options)
{
    if (!settings->given)
        return true;
    options->codec = KST_CODEC_JPEG2000;
    options->jpeg2000 = &settings->options;
    return j2k_settings_finish(verb, settings);
}

struct option_group j2k_group(struct j2k_settings *settings, bool with_layers)
{
    /* --layers comes first, because for 'convert' it is an option of decoding, too */
    static const struct option_entry table[] = {{"layers", "N", OPTION_CODED_LAYERS, KIND_JPEG2000, 0},
        {"lossless", NULL, OPTION_LOSSLESS, KIND_JPEG2000, 0}, {"rate", "BPP", OPTION_RATE, KIND_JPEG2000, 0},
        {"ratio", "R", OPTION_RATIO, KIND_JPEG2000, 0}, {"psnr", "DB", OPTION_PSNR, KIND_JPEG2000, 0},
        {"step", "S", OPTION_STEP, KIND_JPEG2000, 0}, {"reversible", NULL, OPTION_REVERSIBLE, KIND_JPEG2000, 0},
        {"weights", "none|vision", OPTION_WEIGHTS, KIND_JPEG2000, 0}, {"ht", NULL, OPTION_HT, KIND_JPH | KIND_J2C, 0},
        {"passes", "1-3", OPTION_PASSES, KIND_JPH | KIND_J2C, 0}, {"cicp", "P/T/M", OPTION_CICP, KIND_JPH, 0},
        {"levels", "N", OPTION_LEVELS, KIND_JPEG2000, 0}, {"tiles", "WxH", OPTION_TILES, KIND_JPEG2000, 0},
        {"codeblock", "WxH", OPTION_CODEBLOCK, KIND_JPEG2000, 0},
        {"precincts", "WxH,...", OPTION_PRECINCTS, KIND_JPEG2000, 0},
        {"progression", "LRCP|RLCP|RPCL|PCRL|CPRL", OPTION_PROGRESSION, KIND_JPEG2000, 0},
        {"style", "bypass|reset|termall|causal|predictable|symbols", OPTION_STYLE, KIND_JPEG2000, 0},
        {"guard-bits", "1-7", OPTION_GUARD_BITS, KIND_JPEG2000, 0},
        {"component", "N:KEY=VALUE,...", OPTION_COMPONENT, KIND_JPEG2000, 0},
        {"interest", "WxH+X+Y", OPTION_INTEREST, KIND_JPEG2000, 0},
        {"keep-components", NULL, OPTION_KEEP_COMPONENTS, KIND_JPEG2000, 0},
        {"codestream", NULL, OPTION_CODESTREAM, KIND_J2C, 0}, {"sop", NULL, OPTION_SOP, KIND_JPEG2000, 0},
        {"eph", NULL, OPTION_EPH, KIND_JPEG2000, 0}, {"packed", "no|ppt|ppm", OPTION_PACKED, KIND_JPEG2000, 0},
        {"plt", NULL, OPTION_PLT, KIND_JPEG2000, 0}, {"tlm", NULL, OPTION_TLM, KIND_JPEG2000, 0},
        {"poc", "ORDER:...", OPTION_POC, KIND_JPEG2000, 0}, {"profile", "NAME", OPTION_PROFILE, KIND_JPEG2000, 0},
        {"frame-rate", "N", OPTION_FRAME_RATE, KIND_JPEG2000, 0},
        {"tile-parts", "resolution|layer|component", OPTION_TILE_PARTS, KIND_JPEG2000, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){with_layers ? table : table + 1, handle, settings};
}
