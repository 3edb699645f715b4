/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks which options apply to which files, and which may be combined, so that no option is ignored silently. */
#include <stdio.h>
#include <string.h>

#include "options/options.h"

/* Lists options that exclude each other, whatever their values are. */
static const struct {
    int code[10]; /* ended by 0 */
    const char *why;
} exclusive[] = {
    {{OPTION_LOSSLESS, OPTION_RATE, OPTION_RATIO, OPTION_PSNR, OPTION_STEP, OPTION_QUALITY, 0},
        "each says how much is lost"},
    {{OPTION_RATE, OPTION_RATIO, OPTION_BITRATE, OPTION_BITS_PER_FRAME, 0}, "each says how many bits there are"},
    {{OPTION_SCALE, OPTION_REDUCE, 0}, "both say by how much the picture shrinks"},
    {{OPTION_DRAFT, OPTION_SCALE, OPTION_REDUCE, 0}, "--draft chooses by how much the decoder reduces"},
    {{OPTION_DRAFT, OPTION_CROP, 0}, "a region is a part of the picture as it is decoded"},
    {{OPTION_GREY, OPTION_RGB, 0}, "both say which colours are coded"},
    {{OPTION_BASELINE, OPTION_PROGRESSIVE, 0}, "a file is sequential or progressive"},
    {{OPTION_BASELINE, OPTION_SCANS, 0}, "a scan script makes a progressive file"},
    {{OPTION_BASELINE, OPTION_WIDE_QUANTISERS, 0}, "the one keeps to 8 bits for quantisers, the other does not"},
    {{OPTION_PERFECT, OPTION_TRIM, 0}, "the one fails at partial MCUs, the other cuts them off"},
    {{OPTION_STEP, OPTION_REVERSIBLE, 0}, "the reversible transform has no quantiser"},
    {{OPTION_QUALITY, OPTION_REVERSIBLE, 0}, "the reversible transform has no quantiser"},
    {{OPTION_QUALITY, OPTION_WEIGHTS, 0}, "a quality has weights of its own"},
    {{OPTION_PSNR, OPTION_WEIGHTS, 0}, "a PSNR counts all errors alike"},
    {{OPTION_FAIL_FAST, OPTION_MAX_FAILURES, 0}, "both say how many inputs may fail"},
    {{OPTION_PSNR, OPTION_INTEREST, 0}, "a region of interest makes errors uneven"},
};

/* Lists options that require another option. */
static const struct {
    int code, needs;
    const char *why;
} dependent[] = {
    {OPTION_FIT, OPTION_RESIZE, "it is for --resize, which is missing"},
    {OPTION_FILTER, OPTION_RESIZE, "it is for --resize, which is missing"},
    {OPTION_DRAFT, OPTION_RESIZE, "it is for --resize, which is missing"},
    {OPTION_FRAME_RATE, OPTION_PROFILE, "it is for the limits of --profile, which is missing"},
    {OPTION_RECURSIVE, OPTION_OUT_DIR, "it is for many inputs: add --out-dir DIR"},
    {OPTION_FILES_FROM, OPTION_OUT_DIR, "it names many inputs: add --out-dir DIR"},
    {OPTION_SHARD, OPTION_OUT_DIR, "it divides many inputs: add --out-dir DIR"},
    {OPTION_FAIL_FAST, OPTION_OUT_DIR, "it is for many inputs: add --out-dir DIR"},
    {OPTION_MAX_FAILURES, OPTION_OUT_DIR, "it is for many inputs: add --out-dir DIR"},
    {OPTION_RESUME, OPTION_MANIFEST, "a manifest says what has been done: add --manifest FILE"},
    {OPTION_MANIFEST, OPTION_OUT_DIR, "it is for many inputs: add --out-dir DIR"},
    {OPTION_NULL, OPTION_FILES_FROM, "it is for the names in a list: add --files-from LIST"},
};

struct kind_name {
    unsigned kind;
    const char *name;
};

/* Combinations of kinds that have a name of their own precede their parts. */
static const struct kind_name names[] = {{KIND_JPEG, "JPEG"}, {KIND_JPEG2000, "JPEG 2000"}, {KIND_JP2, "JP2"},
    {KIND_JPH, "JPH"}, {KIND_J2C, "bare codestreams (.j2k)"}, {KIND_PNM, "PNM"}, {KIND_PGX, "PGX"}, {KIND_PNG, "PNG"},
    {KIND_TIFF, "TIFF"}, {KIND_BMP, "BMP"}, {KIND_RAW, "raw samples"}};

unsigned file_kind(const struct file_format *format)
{
    static const struct {
        const struct file_format *format;
        unsigned kind;
    } kinds[] = {{&file_jpeg, KIND_JPEG}, {&file_j2k, KIND_JP2}, {&file_j2c, KIND_J2C}, {&file_jph, KIND_JPH},
        {&file_jhc, KIND_J2C}, {&file_png, KIND_PNG}, {&file_tiff, KIND_TIFF}, {&file_bmp, KIND_BMP},
        {&file_pam, KIND_PNM}, {&file_pnm, KIND_PNM}, {&file_pgm, KIND_PNM}, {&file_ppm, KIND_PNM},
        {&file_pgx, KIND_PGX}, {&file_raw, KIND_RAW}, {&file_yuv, KIND_RAW}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].format == format)
            return kinds[i].kind;
    return KIND_OTHER;
}

unsigned readable_kinds(const struct file_format *format)
{
    unsigned kind = file_kind(format);
    return (kind & KIND_JPEG2000) != 0 ? KIND_JPEG2000 : kind;
}

/* List kinds of files as text: "JPEG, PNG and TIFF". */
static const char *kinds_text(unsigned kinds, char text[128])
{
    const char *found[sizeof names / sizeof *names];
    size_t count = 0, length = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((kinds & names[i].kind) != names[i].kind)
            continue;
        found[count++] = names[i].name;
        kinds &= ~names[i].kind;
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && length < 128; i++) {
        int more = snprintf(text + length, 128 - length, "%s%s",
            i == 0           ? ""
            : i + 1 == count ? " and "
                             : ", ",
            found[i]);
        length += more > 0 ? (size_t)more : 0;
    }
    return text;
}

bool options_have(const struct options_given *given, int code)
{
    for (size_t i = 0; i < given->count; i++)
        if (given->entry[i]->code == code)
            return true;
    return false;
}

static const char *name_of(const struct options_given *given, int code)
{
    for (size_t i = 0; i < given->count; i++)
        if (given->entry[i]->code == code)
            return given->entry[i]->name;
    return "";
}

bool options_refuse(const char *verb, const struct options_given *given, int code, const char *why)
{
    if (!options_have(given, code))
        return true;
    complain_usage(verb, "--%s: %s", name_of(given, code), why);
    return false;
}

static bool check_pairs(const char *verb, const struct options_given *given)
{
    for (size_t i = 0; i < sizeof exclusive / sizeof *exclusive; i++) {
        int first = 0;
        for (const int *code = exclusive[i].code; *code != 0; code++) {
            if (!options_have(given, *code))
                continue;
            if (first != 0) {
                complain_usage(verb, "--%s does not go with --%s: %s", name_of(given, *code), name_of(given, first),
                    exclusive[i].why);
                return false;
            }
            first = *code;
        }
    }
    for (size_t i = 0; i < sizeof dependent / sizeof *dependent; i++)
        if (!options_have(given, dependent[i].needs) &&
            !options_refuse(verb, given, dependent[i].code, dependent[i].why))
            return false;
    return true;
}

static bool suits(const struct option_entry *entry, unsigned targets, unsigned sources)
{
    return (entry->targets == 0 && entry->sources == 0) || (entry->targets & targets) != 0 ||
           (entry->sources & sources) != 0;
}

/* Describe what an option applies to: "input in JPEG 2000", "output in PGX and raw samples or input in raw samples". */
static const char *purpose(const struct option_entry *entry, char text[320])
{
    char targets[128], sources[128];

    kinds_text(entry->targets, targets);
    kinds_text(entry->sources, sources);
    if (entry->sources == 0)
        snprintf(text, 320, "output in %s", targets);
    else if (entry->targets == 0)
        snprintf(text, 320, "input in %s", sources);
    else
        snprintf(text, 320, "output in %s or input in %s", targets, sources);
    return text;
}

/* Return what to write instead if the option was probably used for the wrong codec; null if it has no counterpart. */
static const char *sibling(const struct option_entry *entry, unsigned targets)
{
    if (entry->code == OPTION_CODESTREAM && (targets & KIND_JP2) != 0)
        return "; a name ending in .j2k or --out-format j2k makes one";
    if (entry->code == OPTION_LOSSLESS && (targets & KIND_JPEG) != 0)
        return "; a name ending in .jp2 or --out-format jp2 makes a file that is lossless";
    return NULL;
}

bool options_check(
    const char *verb, const struct options_given *given, unsigned targets, unsigned sources, const char *remedy)
{
    char wanted[320], written[128];

    if (!check_pairs(verb, given))
        return false;
    for (size_t i = 0; i < given->count; i++) {
        const struct option_entry *entry = given->entry[i];
        const char *also = sibling(entry, targets);
        if (suits(entry, targets, sources))
            continue;
        if (also == NULL)
            also = remedy != NULL && entry->targets != 0 ? remedy : "";
        if (entry->targets == 0)
            complain_usage(verb, "--%s is for %s%s", entry->name, purpose(entry, wanted), also);
        else if (targets == 0)
            complain_usage(verb, "--%s is for %s, and nothing is written%s", entry->name, purpose(entry, wanted), also);
        else
            complain_usage(verb, "--%s is for %s; this one is %s%s", entry->name, purpose(entry, wanted),
                kinds_text(targets, written), also);
        return false;
    }
    return true;
}

bool options_suit(
    const struct options_given *given, unsigned target, const struct file_format *source, struct problem *problem)
{
    char wanted[320], found[128];
    unsigned kind = readable_kinds(source);

    /* Options that apply to outputs only have already been checked. */
    for (size_t i = 0; given != NULL && i < given->count; i++)
        if (given->entry[i]->sources != 0 && !suits(given->entry[i], target, kind))
            return problem_set(problem, "--%s is for %s; this is a %s file", given->entry[i]->name,
                purpose(given->entry[i], wanted), kind == KIND_OTHER ? source->name : kinds_text(kind, found));
    return true;
}
