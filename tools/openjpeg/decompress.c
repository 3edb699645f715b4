/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka opj_decompress', which takes the command line of OpenJPEG's program of this name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "call.h"
#include "files/files.h"

enum { SIZ = 0xFF51, SIZ_OFFSETS = 14 /* bytes from the marker to XOsiz (T.800 A.5.1) */ };

static bool take_area(struct opj_call *call, const char *value)
{
    call->area = value;
    return true;
}

static bool take_reduce(struct opj_call *call, const char *value)
{
    if (opj_numbers(value, &call->reduce, 1) != 1 || call->reduce > 32)
        return opj_refuse_value(call, "r", value, "a number from 0 to 32");
    return opj_add(call, "--reduce") && opj_add(call, "%u", call->reduce);
}

static bool take_layers(struct opj_call *call, const char *value)
{
    return strcmp(value, "0") == 0 || (opj_add(call, "--layers") && opj_add(call, "%s", value)); /* 0: all */
}

static bool take_tile(struct opj_call *call, const char *value)
{
    call->tile = true;
    return opj_add(call, "--tile") && opj_add(call, "%s", value);
}

static bool take_precision(struct opj_call *call, const char *value)
{
    return strspn(value, "0,CS") == strlen(value) ||
           opj_refuse_value(call, "p", value, "0 alone, which keeps the precision: Kostka does not change it");
}

static bool take_partial(struct opj_call *call, const char *value)
{
    (void)value;
    call->partial = true;
    return true;
}

static bool take_upsample(struct opj_call *call, const char *value)
{
    (void)value;
    call->whole_size = true;
    return true;
}

static bool take_split(struct opj_call *call, const char *value)
{
    (void)value;
    call->split = true;
    return true;
}

static bool take_rgb(struct opj_call *call, const char *value)
{
    (void)value;
    return opj_add(call, "--format") && opj_add(call, "rgb");
}

static const struct opj_option options[] = {{.name = "i", .value = true, .take = opj_take_input},
    {.name = "o", .value = true, .take = opj_take_output}, {.name = "ImgDir", .value = true, .take = opj_take_folder},
    {.name = "OutFor", .value = true, .take = opj_take_format}, {.name = "r", .value = true, .take = take_reduce},
    {.name = "l", .value = true, .take = take_layers}, {.name = "d", .value = true, .take = take_area},
    {.name = "t", .value = true, .take = take_tile}, {.name = "c", .value = true, .same = "--components"},
    {.name = "p", .value = true, .take = take_precision}, {.name = "force-rgb", .take = take_rgb},
    {.name = "upsample", .take = take_upsample}, {.name = "split-pnm", .take = take_split},
    {.name = "threads", .value = true, .take = opj_take_threads}, {.name = "allow-partial", .take = take_partial},
    {.name = "quiet"}, {.name = "h", .take = opj_print_help},
    {.name = "x", .value = true, .refusal = "there are no index files; 'kostka info' describes the codestream"},
    {.name = NULL}};

/* Read the picture's size and its place on the reference grid. */
static bool read_place(const struct source *source, kst_region *place, struct problem *problem)
{
    kst_context *context = NULL;
    kst_decoder *decoder = NULL;
    kst_element element = {.size = sizeof element};
    kst_context_options plain;

    kst_context_options_init(&plain);
    plain.device = "cpu";
    plain.threads = 1;
    kst_status status = kst_context_create(&plain, &context);
    if (!status)
        status = kst_decoder_create(context, &decoder);
    if (!status)
        status = kst_decoder_open(decoder, source->data, source->length);
    if (!status)
        *place = (kst_region){0, 0, kst_decoder_info(decoder)->width, kst_decoder_info(decoder)->height};
    while (!status && element.code != SIZ && kst_decoder_next_element(decoder, &element))
        continue;
    if (element.code == SIZ && element.offset + SIZ_OFFSETS + 8 <= source->length) {
        const uint8_t *at = source->data + element.offset + SIZ_OFFSETS;
        place->x = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        place->y = (uint32_t)at[4] << 24 | (uint32_t)at[5] << 16 | (uint32_t)at[6] << 8 | at[7];
    }
    if (status)
        problem_set(problem, "%s", decoder == NULL ? kst_status_text(status) : kst_decoder_report(decoder)->message);
    kst_decoder_destroy(&decoder);
    kst_context_destroy(&context);
    return !status;
}

/* Return the place of a coordinate of the reference grid on the grid of a reduced picture (T.800 B-15). */
static uint64_t reduced(uint64_t at, unsigned reduce)
{
    return (at + (UINT64_C(1) << reduce) - 1) >> reduce;
}

/*
 * Clip an interval to the picture, and convert it to pixels of the reduced picture. @return false if it becomes empty
 */
static bool place_interval(uint64_t from, uint64_t to, uint64_t begin, uint64_t size, unsigned reduce, uint32_t out[2])
{
    from = from < begin ? begin : from;
    to = to > begin + size ? begin + size : to;
    if (from >= to || reduced(to, reduce) <= reduced(from, reduce))
        return false;
    out[0] = (uint32_t)(reduced(from, reduce) - reduced(begin, reduce));
    out[1] = (uint32_t)(reduced(to, reduce) - reduced(from, reduce));
    return true;
}

/* Convert the area, which is in units of the reference grid, to a region. Four zeros mean the whole picture. */
static bool add_area(struct opj_call *call)
{
    struct source source = {.descriptor = -1};
    struct problem problem;
    kst_region place = {0};
    unsigned area[4];
    uint32_t x[2], y[2];
    struct stat state;

    if (opj_numbers(call->area, area, 4) != 4)
        return opj_refuse_value(call, "d", call->area, "x0,y0,x1,y1");
    if ((area[0] | area[1] | area[2] | area[3]) == 0)
        return true;
    if (call->input == NULL || call->tile) {
        complain_usage(call->program->name, "-d goes with -i, and not with -t");
        return false;
    }
    if (stat(call->input, &state) == 0 && !S_ISREG(state.st_mode)) {
        complain_usage(call->program->name, "-d needs a file, which is read twice, not a pipe or a device");
        return false;
    }
    bool fine = source_read(&source, call->input, UINT64_MAX, &problem) && read_place(&source, &place, &problem);
    source_release(&source);
    call->failed = true; /* cleared if all that follows succeeds */
    if (!fine) {
        complain(call->input, "%s", problem.text);
        return false;
    }
    if (!place_interval(area[0], area[2], place.x, place.width, call->reduce, x) ||
        !place_interval(area[1], area[3], place.y, place.height, call->reduce, y)) {
        complain(call->input, "the area %s has no pixel of the picture", call->area);
        return false;
    }
    call->failed = false;
    return opj_add(call, "--region") && opj_add(call, "%ux%u+%u+%u", x[1], y[1], x[0], y[0]);
}

/* Append the options that a format's name stands for. Returns the verb's name for the format; null if it has none. */
static const char *add_format(struct opj_call *call, const char *name)
{
    static const char *const same[] = {"pgm", "ppm", "pnm", "pam", "pgx", "png", "bmp", "tif", "tiff", "yuv"};

    if (strcasecmp(name, "raw") == 0 || strcasecmp(name, "rawl") == 0)
        return opj_add(call, "--raw-layout") && opj_add(call, "planes") && opj_add(call, "--endian") &&
                       opj_add(call, name[3] == '\0' ? "big" : "little") && opj_add(call, "--out-format") &&
                       opj_add(call, "raw")
                   ? "raw"
                   : NULL;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcasecmp(name, same[i]) == 0)
            return strncmp(same[i], "tif", 3) == 0 ? "tiff" : same[i];
    complain_usage(
        call->program->name, "'%s' is no format for pictures here: PGM PPM PNM PAM PGX PNG BMP TIF RAW RAWL YUV", name);
    return NULL;
}

static bool is_codestream(const struct file_format *format)
{
    return format == &file_j2k || format == &file_j2c || format == &file_jph || format == &file_jhc;
}

/* Append what depends on several options. */
static bool add_rest(struct opj_call *call)
{
    const char *dot = call->output == NULL ? NULL : strrchr(call->output, '.');
    const char *name = call->folder != NULL || call->output == NULL ? call->format : dot == NULL ? "" : dot + 1;
    const char *format = name == NULL ? "" : add_format(call, name);
    bool pnm = format != NULL && format[0] == 'p' && format[2] == 'm';

    if (format == NULL)
        return false;
    if (call->split && !pnm) {
        complain_usage(call->program->name, "-split-pnm goes with PGM, PPM, PNM and PAM alone");
        return false;
    }
    if ((call->split || (call->whole_size && (strcmp(format, "pgx") == 0 || strcmp(format, "raw") == 0))) &&
        !(opj_add(call, "--format") && opj_add(call, "planar")))
        return false;
    if (!call->partial && !opj_add(call, "--strict"))
        return false;
    return (call->area == NULL || add_area(call)) && opj_add_files(call, format, is_codestream);
}

static int run(int argc, char **argv)
{
    struct opj_call call = {.program = &verb_opj_decompress};
    bool fine = opj_add(&call, "decode") && opj_read(&call, options, argc, argv) && add_rest(&call);

    return opj_run(&call, &verb_decode, fine);
}

const struct verb verb_opj_decompress = {
    .name = "opj_decompress",
    .summary = "decode with the command line of OpenJPEG's opj_decompress",
    .run = run,
    .help =
        "Usage: opj_decompress -i IN.jp2 -o OUT.png [OPTIONS]\n"
        "       opj_decompress -ImgDir DIR -OutFor PNG [OPTIONS]\n"
        "\n"
        "Decodes JPEG 2000 as OpenJPEG's program of this name. Options may be abbreviated.\n"
        "\n"
        "  -r N                leave out N resolutions: 1/2^N of the size\n"
        "  -l N, -t N          decode at most N quality layers; tile N alone\n"
        "  -d x0,y0,x1,y1      only this area, in pixels at full size\n"
        "  -c N,N,...          these components alone, ascending\n"
        "  -force-rgb          RGB, whatever the picture holds\n"
        "  -upsample           bring components to the picture's size, which formats of pixels always do\n"
        "  -split-pnm          a file for each component: NAME-0.pgm, NAME-1.pgm ...\n"
        "  -threads N|ALL_CPUS\n"
        "  -allow-partial      damage is a warning instead of an error\n"
        "  -p 0, -quiet        what is done in any case\n"
        "  -ImgDir, -OutFor    a folder, where results lie, too, and their format\n"
        "\n"
        "Outputs are PGM, PPM, PNM, PAM, PGX, PNG, BMP, TIF, RAW, RAWL and YUV, also through a FIFO. -x and other -p\n"
        "are refused. 'kostka help decode' lists what else there is.\n",
};
