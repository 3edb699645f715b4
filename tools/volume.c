/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka volume': reads its action and options. */
#include "volume/volume.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "files/output.h"
#include "volume/devices.h"
#include "volume/store.h"

enum { LEVELS_MAX = 32, BITS_MAX = 28, LAYERS_MADE = 1024, REPEAT = 5, REPEAT_MAX = 1000 };

/* Read a number behind the character `before` (0 for the first number), and move *text behind it. */
static bool take_number(const char **text, char before, uint32_t low, uint32_t *number)
{
    const char *from = *text + (before != 0);
    char *end;

    if ((before != 0 && **text != before) || !isdigit((unsigned char)*from))
        return false;
    const unsigned long value = strtoul(from, &end, 10);
    if (value < low || value > VOLUME_SIDE_MAX)
        return false;
    *number = (uint32_t)value;
    *text = end;
    return true;
}

static bool set_shape(const char *verb, const char *value, kst_volume *volume)
{
    const char *text = value;

    if (take_number(&text, 0, 1, &volume->depth) && take_number(&text, 'x', 1, &volume->height) &&
        take_number(&text, 'x', 1, &volume->width) && *text == '\0')
        return true;
    complain_usage(verb, "--shape takes ZxYxX: slices, rows, samples of a row, not '%s'", value);
    return false;
}

static bool set_type(const char *verb, const char *value, kst_volume *volume)
{
    const char *text = value + 1;
    uint32_t bits = 0;

    if (strcmp(value, "f32") == 0) {
        volume->bits = 32;
        volume->is_signed = true;
        volume->sample = KST_SAMPLE_FLOAT32;
        return true;
    }
    if ((value[0] == 'u' || value[0] == 's') && take_number(&text, 0, 1, &bits) && *text == '\0' && bits <= BITS_MAX) {
        volume->bits = (uint8_t)bits;
        volume->is_signed = value[0] == 's';
        return true;
    }
    complain_usage(
        verb, "--type takes u8, s16, u12 ...: u or s and the number of bits up to 28, or f32, not '%s'", value);
    return false;
}

static bool set_box(const char *verb, const char *value, kst_box *box)
{
    const char *text = value;

    if (take_number(&text, 0, 1, &box->depth) && take_number(&text, 'x', 1, &box->height) &&
        take_number(&text, 'x', 1, &box->width) && take_number(&text, '+', 0, &box->z) &&
        take_number(&text, '+', 0, &box->y) && take_number(&text, '+', 0, &box->x) && *text == '\0')
        return true;
    complain_usage(verb, "--box takes ZxYxX+Z+Y+X: its size, and where it begins, not '%s'", value);
    return false;
}

/* Read ZxYxX, or one number for all of them. */
static bool set_sides(const char *verb, const char *option, const char *value, uint32_t sides[3])
{
    const char *text = value;

    if (take_number(&text, 0, 1, &sides[0])) {
        sides[1] = sides[2] = sides[0];
        if (*text == '\0' ||
            (take_number(&text, 'x', 1, &sides[1]) && take_number(&text, 'x', 1, &sides[2]) && *text == '\0'))
            return true;
    }
    complain_usage(verb, "%s takes a number or ZxYxX, not '%s'", option, value);
    return false;
}

static bool set_layout(const char *verb, const char *value, bool *by_slices)
{
    *by_slices = strcmp(value, "2d") == 0;
    if (*by_slices || strcmp(value, "3d") == 0)
        return true;
    complain_usage(verb, "--layout is 2d or 3d, not '%s'", value);
    return false;
}

static bool set_axis(const char *verb, const char *value, char *axis)
{
    if (strlen(value) == 1 && strchr("xyz", value[0]) != NULL) {
        *axis = value[0];
        return true;
    }
    complain_usage(verb, "--axis is x, y or z, not '%s'", value);
    return false;
}

static bool set_order(const char *verb, const char *value, enum byte_order *order)
{
    *order = strcmp(value, "little") == 0 ? ORDER_LITTLE : strcmp(value, "big") == 0 ? ORDER_BIG : ORDER_OWN;
    if (*order == ORDER_OWN)
        complain_usage(verb, "--endian is little or big, not '%s'", value);
    return *order != ORDER_OWN;
}

static bool handle(const char *verb, void *to, int code, const char *value)
{
    struct volume_settings *settings = to;

    switch (code) {
    case OPTION_SHAPE:
        return set_shape(verb, value, &settings->raw);
    case OPTION_TYPE:
        return set_type(verb, value, &settings->raw);
    case OPTION_ENDIAN:
        return set_order(verb, value, &settings->order);
    case OPTION_Z_LEVELS:
        return value_count(verb, "--z-levels", value, 0, LEVELS_MAX, &settings->z_levels);
    case OPTION_BOX:
        return set_box(verb, value, &settings->decode.region);
    case OPTION_REDUCE:
        return value_count(verb, "--reduce", value, 0, LEVELS_MAX, &settings->decode.reduce);
    case OPTION_REDUCE_Z:
        return value_count(verb, "--reduce-z", value, 0, LEVELS_MAX, &settings->decode.reduce_z);
    case OPTION_LAYERS:
        settings->layers = value;
        return true;
    case OPTION_GO_ON:
        settings->resume = true;
        return true;
    case OPTION_SHARE:
        return shard_read(verb, value, &settings->shard);
    case OPTION_STRICT:
        settings->decode.strict = true;
        return true;
    case OPTION_ERROR:
        return value_positive(verb, "--error", value, &settings->error);
    case OPTION_BRICK:
        return set_sides(verb, "--brick", value, settings->brick);
    case OPTION_SHARDS:
        return set_sides(verb, "--shards", value, settings->shards);
    case OPTION_LAYOUT:
        return set_layout(verb, value, &settings->by_slices);
    case OPTION_AXIS:
        return set_axis(verb, value, &settings->axis);
    case OPTION_REPEAT:
        return value_count(verb, "--repeat", value, 1, REPEAT_MAX, &settings->repeat);
    default:
        return value_count(verb, "--index", value, 0, VOLUME_SIDE_MAX, &settings->index);
    }
}

static struct option_group volume_group(struct volume_settings *settings)
{
    static const struct option_entry table[] = {{"shape", "ZxYxX", OPTION_SHAPE, 0, 0},
        {"type", "TYPE", OPTION_TYPE, 0, 0}, {"endian", "little|big", OPTION_ENDIAN, 0, 0},
        {"z-levels", "N", OPTION_Z_LEVELS, 0, 0}, {"box", "ZxYxX+Z+Y+X", OPTION_BOX, 0, 0},
        {"reduce", "N", OPTION_REDUCE, 0, 0}, {"reduce-z", "N", OPTION_REDUCE_Z, 0, 0},
        {"layers", "N", OPTION_LAYERS, 0, 0}, {"resume", NULL, OPTION_GO_ON, 0, 0},
        {"strict", NULL, OPTION_STRICT, 0, 0}, {"axis", "x|y|z", OPTION_AXIS, 0, 0}, {"index", "N", OPTION_INDEX, 0, 0},
        {"error", "E", OPTION_ERROR, 0, 0}, {"brick", "ZxYxX", OPTION_BRICK, 0, 0},
        {"shards", "ZxYxX", OPTION_SHARDS, 0, 0}, {"shard", "I/N|auto", OPTION_SHARE, 0, 0},
        {"layout", "2d|3d", OPTION_LAYOUT, 0, 0}, {"repeat", "N", OPTION_REPEAT, 0, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, settings};
}

/*
 * Describes an action: the number of files that it takes, and the options that only this action has (codes, ended by
 * 0).
 */
struct action {
    const char *name;
    int (*run)(struct volume_settings *settings, char **names);
    int files;
    int options[12];
    bool encodes;
};

static const struct action actions[] = {
    {"encode", volume_encode, 2,
        {OPTION_SHAPE, OPTION_TYPE, OPTION_ENDIAN, OPTION_Z_LEVELS, OPTION_BRICK, OPTION_SHARDS, OPTION_LAYOUT,
            OPTION_ERROR, OPTION_LAYERS, OPTION_GO_ON, OPTION_SHARE},
        true},
    {"decode", volume_decode, 2,
        {OPTION_ENDIAN, OPTION_BOX, OPTION_REDUCE, OPTION_REDUCE_Z, OPTION_LAYERS, OPTION_STRICT}, false},
    {"info", volume_info, 1, {OPTION_JSON}, false},
    {"bench", volume_bench, 1,
        {OPTION_SHAPE, OPTION_TYPE, OPTION_ENDIAN, OPTION_Z_LEVELS, OPTION_REPEAT, OPTION_LAYERS, OPTION_JSON}, true},
    {"slice", volume_slice, 2,
        {OPTION_REDUCE, OPTION_REDUCE_Z, OPTION_LAYERS, OPTION_STRICT, OPTION_AXIS, OPTION_INDEX}, false}};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

/* Return whether every action has an option. */
static bool is_common(int code)
{
    static const int codes[] = {
        OPTION_THREADS, OPTION_DEVICE, OPTION_MAX_PIXELS, OPTION_MAX_MEMORY, OPTION_MAX_WORK, OPTION_VERBOSE};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

static bool has_option(const struct action *action, const struct option_entry *entry)
{
    bool own = false;
    for (size_t i = 0; i < sizeof action->options / sizeof *action->options; i++)
        own = own || action->options[i] == entry->code;
    /* Only options of encoding JPEG 2000 have target kinds. */
    return own || is_common(entry->code) || (action->encodes && entry->targets != 0);
}

/* Refuse options of other actions by name, and options of encoding that exclude each other. */
static bool check_options(const struct action *action, const struct options_given *given)
{
    for (size_t i = 0; i < given->count; i++)
        if (!has_option(action, given->entry[i])) {
            complain_usage("volume", "--%s is not an option of 'volume %s'", given->entry[i]->name, action->name);
            return false;
        }
    return options_check("volume", given, KIND_J2C, 0, NULL);
}

/* Read how many layers are made, or how many are decoded at most. */
static bool set_layers(const struct action *action, struct volume_settings *settings)
{
    if (settings->layers == NULL)
        return true;
    return action->encodes
               ? value_count("volume", "--layers", settings->layers, 1, LAYERS_MADE, &settings->j2k.options.layers)
               : value_layers("volume", settings->layers, &settings->decode.layers);
}

/* Return whether an action codes the bricks of a store. */
static bool codes_bricks(const struct action *action, char **names)
{
    return action->files == 2 && store_is_named(names[action->run == volume_encode ? 1 : 0]);
}

static int run_action(const struct action *action, struct volume_settings *settings, int argc, char **argv)
{
    if (argc != action->files)
        return complain_usage(
            "volume", "%s takes %d file%s", action->name, action->files, action->files > 1 ? "s" : "");
    if (action->files == 2 && output_is_source(argv[1], argv[0]))
        return complain_usage("volume", "'%s' is the input itself: name another file", argv[1]);
    if (!set_layers(action, settings) || (action->encodes && !j2k_settings_finish("volume", &settings->j2k)))
        return EXIT_USAGE;
    int code = volume_devices_open(settings, codes_bricks(action, argv));
    if (code == EXIT_FINE) {
        code = action->run(settings, argv);
        volume_devices_close(settings);
    }
    return code;
}

/*
 * Return how many words, from the first on, make an option that changes no byte of a store, perhaps shortened: the
 * option, or the option and its value. 0: the word is another one.
 */
static int count_unchanging(const char *word)
{
    static const struct {
        const char *name;
        bool valued;
    } options[] = {{"resume", false}, {"verbose", false}, {"shard", true}, {"device", true}, {"threads", true},
        {"max-memory", true}, {"max-pixels", true}, {"max-work", true}};
    if (word[0] == '-' && (word[1] == 't' || word[1] == 'v'))
        return word[1] == 't' && word[2] == '\0' ? 2 : 1;
    const size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (size_t i = 0; length > 0 && i < sizeof options / sizeof *options; i++)
        if (strncmp(word + 2, options[i].name, length) == 0)
            return options[i].valued && word[2 + length] == '\0' ? 2 : 1;
    return 0;
}

/*
 * Return words with a space before each, but without options that change no byte. The caller frees it; null: out of
 * memory.
 */
static char *join_words(char **words, int count)
{
    size_t room = 1;
    for (int i = 0; i < count; i++)
        room += strlen(words[i]) + 1;
    char *joined = calloc(room, 1), *at = joined;
    for (int i = 0, skipped; i < count && joined != NULL; i += skipped > 0 ? skipped : 1) {
        skipped = count_unchanging(words[i]);
        if (skipped > 0)
            continue;
        *at++ = ' ';
        at = stpcpy(at, words[i]);
    }
    return joined;
}

static int run(int argc, char **argv)
{
    struct volume_settings settings = {.z_levels = KST_Z_LEVELS_AUTO, .axis = 'z', .repeat = REPEAT};
    kst_volume_options defaults;
    struct options_given given;
    int code;

    kst_volume_init(&settings.raw);
    kst_volume_decode_options_init(&settings.decode);
    kst_volume_options_init(&defaults);
    j2k_settings_init(&settings.j2k);
    settings.j2k.options = defaults.jpeg2000;
    const struct option_group groups[] = {common_group(&settings.common), json_group(&settings.json),
        volume_group(&settings), j2k_group(&settings.j2k, false)};
    if (!options_read(&verb_volume, argc, argv, groups, 4, &given, &code))
        return code;
    const struct action *action = optind < argc ? find_action(argv[optind]) : NULL;
    if (action == NULL)
        return complain_usage("volume", "takes an action: encode, decode, info, slice or bench");
    if (!check_options(action, &given))
        return EXIT_USAGE;
    char *words = join_words(argv + 1, optind - 1);
    if (words == NULL)
        return complain_usage("volume", "out of memory");
    settings.words = words;
    code = run_action(action, &settings, argc - optind - 1, argv + optind + 1);
    free(words);
    return code;
}

const struct verb verb_volume = {
    .name = "volume",
    .summary = "code volumes as JPEG 2000 with a wavelet along z",
    .actions = "encode|decode|info|slice|bench",
    .run = run,
    .help =
        "Usage: kostka volume encode [--shape ZxYxX --type TYPE] [OPTIONS] IN OUT.j2c|OUT.zarr\n"
        "       kostka volume decode [OPTIONS] IN.j2c|IN.zarr OUT\n"
        "       kostka volume info [--json] IN.j2c|IN.zarr\n"
        "       kostka volume slice [--axis x|y|z] [--index N] [OPTIONS] IN.j2c|IN.zarr OUT\n"
        "       kostka volume bench [--shape ZxYxX --type TYPE] [--repeat N] [OPTIONS] IN\n"
        "\n"
        "Volumes are NIfTI-1 files (.nii, .nii.gz), SEG-Y (.sgy, .segy), stacks (.tif), or raw samples.\n"
        "A slice is a picture of any format.\n"
        "A store of bricks is a folder of Zarr (.zarr), which may be larger than memory. Those of others are read in\n"
        "gzip, zlib, zstd and Blosc.\n"
        "\n"
        "  --shape ZxYxX        encode raw samples: slices, rows, samples of a row\n"
        "  --type TYPE          their type: u or s, and the number of bits: u8, s16, u12 ...\n"
        "                       or f32, single precision, which is coded in stores\n"
        "  --error E            a store of f32: no sample differs by more than E; or --ratio, --rate, --psnr\n"
        "  --endian little|big  byte order of raw samples; default that of the machine\n"
        "  --z-levels N         levels of the wavelet along z, 0-32; default 2, with loss 3\n"
        "  --lossless           every sample stays (the default)\n"
        "  --ratio R, --psnr DB, --rate BPP   with loss: to a size, a PSNR or bits for each sample, of the whole\n"
        "  --ht                 code-blocks of HTJ2K\n"
        "  and, as 'kostka help encode' says: --layers, --step, --reversible, --passes, --levels, --tiles,\n"
        "  --codeblock, --precincts, --progression, --style, --guard-bits, --sop, --eph, --packed, --plt, --tlm,\n"
        "  --poc, --tile-parts\n"
        "\n"
        "  --brick N|ZxYxX      a store: samples of a brick; default 64, with --layout 2d a slice\n"
        "  --shards N|ZxYxX     a store: put so many bricks along each axis into one file\n"
        "  --resume             a store that was not finished: keep its complete bricks\n"
        "  --shard I/N|auto     a store: make share I of N of its files, from 0 on; the last process finishes it\n"
        "  --layout 2d|3d       a store: code bricks as volumes (3d, the default), or slices, for other readers (2d)\n"
        "\n"
        "  --box ZxYxX+Z+Y+X    decode this part of the (reduced) volume\n"
        "  --reduce N           decode at 1/2^N of the width and height\n"
        "  --reduce-z N         decode at 1/2^N of the depth\n"
        "  --layers N           decode at most N layers of quality\n"
        "  --axis x|y|z         the axis that a slice is perpendicular to; default z\n"
        "  --index N            which slice, of the reduced volume; default 0\n"
        "  --strict             the first warning is an error\n"
        "  --repeat N           bench: encode and decode N times, default 5, in memory\n"
        "  --json               info, bench: print an object\n"
        "\n"
        "  -t, --threads N      --device NAME      --max-pixels N      --max-memory SIZE     --max-work N\n"
        "  -v, --verbose\n"
        "\n"
        "A store's bricks go to all devices that --device names: cuda:0,cuda:1,cpu, or all; if one fails, the others\n"
        "take over its bricks. Every device makes the same bytes.\n",
};
