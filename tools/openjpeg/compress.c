/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka opj_compress', which takes the command line of OpenJPEG's program of this name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "call.h"

enum { RESOLUTIONS = 6, RESOLUTIONS_MAX = 33 };

static bool take_size(struct opj_call *call, const char *option, const char *same, const char *value)
{
    unsigned side[2];

    if (opj_numbers(value, side, 2) != 2)
        return opj_refuse_value(call, option, value, "width,height");
    return opj_add(call, "%s", same) && opj_add(call, "%ux%u", side[0], side[1]);
}

static bool take_blocks(struct opj_call *call, const char *value)
{
    return take_size(call, "b", "--codeblock", value);
}

static bool take_tiles(struct opj_call *call, const char *value)
{
    return take_size(call, "t", "--tiles", value);
}

/* Pass a list of targets on. If the last target is `all`, it is replaced by one that leaves nothing out. */
static bool add_targets(struct opj_call *call, const char *same, const char *value, double all, const char *instead)
{
    const char *comma = strrchr(value, ',');
    const char *last = comma == NULL ? value : comma + 1;
    char *end;
    bool is_all = strtod(last, &end) == all && end > last && *end == '\0'; /* 1.0, too */

    if (comma == NULL && is_all)
        return true;
    call->target = true;
    if (!is_all)
        return opj_add(call, "%s", same) && opj_add(call, "%s", value);
    return opj_add(call, "%s", same) && opj_add(call, "%.*s%s", (int)(last - value), value, instead);
}

/*
 * With a last ratio of 1 the last layer holds everything. `instead` is a ratio below that, because noise may need more
 * bytes than the pixels.
 */
static bool take_ratios(struct opj_call *call, const char *value)
{
    return add_targets(call, "--ratio", value, 1, "0.25");
}

static bool take_psnrs(struct opj_call *call, const char *value)
{
    return add_targets(call, "--psnr", value, 0, "1000");
}

static bool take_resolutions(struct opj_call *call, const char *value)
{
    unsigned number;

    if (opj_numbers(value, &number, 1) != 1 || number < 1 || number > RESOLUTIONS_MAX)
        return opj_refuse_value(call, "n", value, "a number from 1 to 33");
    call->resolutions = value;
    return opj_add(call, "--levels") && opj_add(call, "%u", number - 1);
}

static bool take_precincts(struct opj_call *call, const char *value)
{
    call->precincts = value;
    return true;
}

static bool take_irreversible(struct opj_call *call, const char *value)
{
    (void)value;
    call->irreversible = true;
    return true;
}

static bool take_ones(struct opj_call *call, const char *value)
{
    return strcmp(value, "1,1") == 0 || opj_refuse_value(call, "s", value,
                                            "1,1 alone: reduce the picture first, or give components by their planes");
}

static bool take_zeros(struct opj_call *call, const char *value)
{
    return strcmp(value, "0,0") == 0 || opj_refuse_value(call, "d or -T", value,
                                            "0,0 alone: pictures and tiles begin where the reference grid does");
}

/* The mode's bits are those of the code-block style (T.800 Table A.19). */
static bool take_mode(struct opj_call *call, const char *value)
{
    static const char *const names[] = {"bypass", "reset", "termall", "causal", "predictable", "symbols", "ht"};
    char list[64] = "";
    unsigned mode;

    if (opj_numbers(value, &mode, 1) != 1 || mode > 127)
        return opj_refuse_value(call, "M", value, "a sum of 1, 2, 4, 8, 16 and 32, or 64 for HTJ2K");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if ((mode & 1u << i) != 0) {
            size_t at = strlen(list);
            snprintf(list + at, sizeof list - at, "%s%s", at > 0 ? "," : "", names[i]);
        }
    }
    return mode == 0 || (opj_add(call, "--style") && opj_add(call, "%s", list));
}

static bool take_division(struct opj_call *call, const char *value)
{
    static const char *const names[] = {"resolution", "layer", "component"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(value) == 1 && strncasecmp(value, names[i], 1) == 0)
            return opj_add(call, "--tile-parts") && opj_add(call, "%s", names[i]);
    return opj_refuse_value(call, "TP", value, "R, L or C");
}

static bool take_transform(struct opj_call *call, const char *value)
{
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return opj_refuse_value(call, "mct", value, "0 or 1");
    return value[0] == '1' || opj_add(call, "--keep-components");
}

static bool take_cinema_2k(struct opj_call *call, const char *value)
{
    call->cinema = true;
    return opj_add(call, "--profile") && opj_add(call, "cinema2k") && opj_add(call, "--frame-rate") &&
           opj_add(call, "%s", value);
}

static bool take_cinema_4k(struct opj_call *call, const char *value)
{
    (void)value;
    call->cinema = true;
    return opj_add(call, "--profile") && opj_add(call, "cinema4k");
}

/* Read WIDTH,HEIGHT,COMPONENTS,DEPTH,{s,u}[@1x1:…]; the file has one component after the other. */
static bool take_raw(struct opj_call *call, const char *value)
{
    unsigned number[4] = {0};
    const char *at = value;

    for (int i = 0; i < 4 && at != NULL; i++) {
        at = opj_number(at, &number[i]);
        at = at != NULL && *at == ',' ? at + 1 : NULL;
    }
    if (at == NULL || (*at != 's' && *at != 'u') || strspn(at + 1, "@1x:") != strlen(at + 1))
        return opj_refuse_value(call, "F", value, "width,height,components,depth,s|u, without subsampling");
    call->raw = true;
    return opj_add(call, "--raw") &&
           opj_add(call, "%ux%ux%u:%u%s", number[0], number[1], number[2], number[3], *at == 's' ? "s" : "") &&
           opj_add(call, "--raw-layout") && opj_add(call, "planes");
}

#define ENCODE "use 'kostka encode', whose help says how"
static const struct opj_option options[] = {{.name = "i", .value = true, .take = opj_take_input},
    {.name = "o", .value = true, .take = opj_take_output}, {.name = "ImgDir", .value = true, .take = opj_take_folder},
    {.name = "OutFor", .value = true, .take = opj_take_format}, {.name = "r", .value = true, .take = take_ratios},
    {.name = "q", .value = true, .take = take_psnrs}, {.name = "n", .value = true, .take = take_resolutions},
    {.name = "b", .value = true, .take = take_blocks}, {.name = "c", .value = true, .take = take_precincts},
    {.name = "t", .value = true, .take = take_tiles}, {.name = "p", .value = true, .same = "--progression"},
    {.name = "s", .value = true, .take = take_ones}, {.name = "d", .value = true, .take = take_zeros},
    {.name = "T", .value = true, .take = take_zeros}, {.name = "SOP", .same = "--sop"},
    {.name = "EPH", .same = "--eph"}, {.name = "PLT", .same = "--plt"}, {.name = "TLM", .same = "--tlm"},
    {.name = "M", .value = true, .take = take_mode}, {.name = "TP", .value = true, .take = take_division},
    {.name = "I", .take = take_irreversible}, {.name = "mct", .value = true, .take = take_transform},
    {.name = "cinema2K", .value = true, .take = take_cinema_2k}, {.name = "cinema4K", .take = take_cinema_4k},
    {.name = "GuardBits", .value = true, .same = "--guard-bits"}, {.name = "C", .value = true, .same = "--comment"},
    {.name = "F", .value = true, .take = take_raw}, {.name = "threads", .value = true, .take = opj_take_threads},
    {.name = "h", .take = opj_print_help}, {.name = "POC", .value = true, .refusal = ENCODE " (--poc)"},
    {.name = "IMF", .value = true, .refusal = ENCODE " (--profile imf2k ...)"},
    {.name = "ROI", .value = true, .refusal = "no component comes first; 'kostka encode --interest' takes a region"},
    {.name = "m", .value = true, .refusal = "there are no transforms from a file"},
    {.name = "jpip", .refusal = "there are no index boxes; -PLT and -TLM let servers find packets and tile-parts"},
    {.name = "TargetBitDepth", .value = true, .refusal = "the depth is the input's"}, {.name = NULL}};
#undef ENCODE

/* Read one precinct of "[w,h],[w,h]". @return the text behind the precinct and its comma; null: there is none */
static const char *read_precinct(const char *text, unsigned *width, unsigned *height)
{
    const char *at = *text == '[' ? opj_number(text + 1, width) : NULL;

    at = at != NULL && *at == ',' ? opj_number(at + 1, height) : NULL;
    if (at == NULL || *at != ']')
        return NULL;
    return at[1] == ',' ? at + 2 : at + 1;
}

/*
 * Append a precinct for each resolution: behind the end of the list each is half as large as the one before, but at
 * least 2.
 */
static bool add_precincts(struct opj_call *call)
{
    char list[RESOLUTIONS_MAX * 24] = "";
    unsigned width = 0, height = 0, count = RESOLUTIONS;
    const char *at = call->precincts;

    if (call->resolutions != NULL)
        opj_numbers(call->resolutions, &count, 1);
    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(list);
        if (i == 0 || *at != '\0')
            at = read_precinct(at, &width, &height);
        if (at == NULL)
            return opj_refuse_value(call, "c", call->precincts, "[width,height],[width,height]...");
        snprintf(list + length, sizeof list - length, "%s%ux%u", i > 0 ? "," : "", width, height);
        if (*at == '\0') {
            width = width > 2 ? width / 2 : 2;
            height = height > 2 ? height / 2 : 2;
        }
    }
    if (*at != '\0')
        return opj_refuse_value(call, "c", call->precincts, "no more precincts than there are resolutions (-n)");
    return opj_add(call, "--precincts") && opj_add(call, "%s", list);
}

/* Return the verb's name for an output's format; null if the format is not one of JPEG 2000. */
static const char *output_format(struct opj_call *call)
{
    static const char *const names[][2] = {
        {"j2k", "j2k"}, {"j2c", "j2k"}, {"jpc", "j2k"}, {"jp2", "jp2"}, {"jph", "jph"}, {"jhc", "jhc"}};
    const char *dot = call->output == NULL ? NULL : strrchr(call->output, '.');
    const char *name = call->folder != NULL ? call->format : dot == NULL ? "" : dot + 1;

    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i][0]) == 0)
            return names[i][1];
    if (name != NULL && call->output != NULL)
        complain_usage(
            call->program->name, "'%s' is no name for JPEG 2000: .jp2, .j2k, .j2c, .jph, .jhc", call->output);
    else
        complain_usage(call->program->name, "name -i and -o, or -ImgDir and -OutFor J2K or JP2");
    return NULL;
}

static bool is_picture(const struct file_format *format)
{
    bool readable = format->read != NULL || file_kind(format) == KIND_PNM; /* Netpbm entries share a reader */

    return readable && (file_kind(format) & (KIND_CODED | KIND_RAW)) == 0;
}

static bool add_rest(struct opj_call *call)
{
    const char *format = output_format(call);
    const char *dot = call->input == NULL ? NULL : strrchr(call->input, '.');
    bool little = dot != NULL && strcasecmp(dot, ".rawl") == 0;
    bool raw = little || (dot != NULL && strcasecmp(dot, ".raw") == 0);

    if (format == NULL || (call->precincts != NULL && !add_precincts(call)))
        return false;
    if (call->raw != raw) {
        complain_usage(call->program->name, "-F goes with -i NAME.raw or -i NAME.rawl, and such an input with -F");
        return false;
    }
    if (raw && !(opj_add(call, "--endian") && opj_add(call, little ? "little" : "big")))
        return false;
    if (call->target && !call->irreversible && !call->cinema && !opj_add(call, "--reversible"))
        return false;
    if (!call->target && call->irreversible && !call->cinema && !(opj_add(call, "--step") && opj_add(call, "1")))
        return false;
    return opj_add_files(call, format, is_picture);
}

static int run(int argc, char **argv)
{
    struct opj_call call = {.program = &verb_opj_compress};
    bool fine = opj_add(&call, "encode") && opj_read(&call, options, argc, argv) && add_rest(&call);

    return opj_run(&call, &verb_encode, fine);
}

const struct verb verb_opj_compress = {
    .name = "opj_compress",
    .summary = "encode with the command line of OpenJPEG's opj_compress",
    .run = run,
    .help =
        "Usage: opj_compress -i IN.tif -o OUT.jp2 [OPTIONS]\n"
        "       opj_compress -ImgDir DIR -OutFor JP2 [OPTIONS]\n"
        "\n"
        "Encodes JPEG 2000 as OpenJPEG's program of this name. Options may be abbreviated.\n"
        "\n"
        "  -r R,R,...          compression ratios of layers, descending; 1: lossless\n"
        "  -q DB,DB,...        decibels of layers instead, ascending; 0: lossless\n"
        "  -I                  the irreversible transform\n"
        "  -n N                resolutions (6)\n"
        "  -b W,H, -t W,H      code-blocks (64,64), tiles\n"
        "  -c [W,H],[W,H],...  precincts from the largest resolution down; the last one is halved further\n"
        "  -p ORDER            LRCP (default), RLCP, RPCL, PCRL, CPRL\n"
        "  -SOP, -EPH, -PLT, -TLM   markers\n"
        "  -M N                code-block style: 1 bypass, 2 reset, 4 termall, 8 causal, 16 predictable, 32 symbols,\n"
        "                      64 HTJ2K\n"
        "  -TP R|L|C           begin a tile-part with each resolution, layer or component\n"
        "  -mct 0|1            transform components, or not\n"
        "  -cinema2K 24|48, -cinema4K   profiles of digital cinema\n"
        "  -GuardBits N, -C TEXT, -threads N|ALL_CPUS\n"
        "  -F W,H,N,DEPTH,s|u  what a RAW or RAWL input holds\n"
        "  -ImgDir, -OutFor    a folder, where results lie, too, and their format: J2K, J2C, JP2\n"
        "\n"
        "-POC, -IMF, -ROI, -m, -jpip, -TargetBitDepth, and -d, -T and -s other than 0,0 and 1,1, are refused.\n"
        "'kostka help encode' lists what else there is.\n",
};
