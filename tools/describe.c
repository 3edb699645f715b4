/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes what a stream holds, as text and as JSON. */
#include "describe.h"

#include <stdio.h>
#include <string.h>

#include "print/lines.h"
#include "print/plain.h"

enum { COMMENT_SHOWN = 300, HT = 64, HT_MIXED = 192, CAPABILITIES = 0x4000, BY_PRF = 0x0FFF };

const char *describe_format(kst_format format)
{
    switch (format) {
    case KST_FORMAT_GREY:
        return "grey";
    case KST_FORMAT_RGB:
    case KST_FORMAT_BGR:
        return "RGB";
    case KST_FORMAT_RGBA:
    case KST_FORMAT_BGRA:
        return "RGBA";
    case KST_FORMAT_CMYK:
        return "CMYK";
    default:
        return "planes";
    }
}

static const char *colour_name(kst_colour colour)
{
    static const char *const names[] = {"unknown", "grey", "RGB", "YCbCr", "CMYK", "YCCK"};
    return colour <= KST_COLOUR_YCCK ? names[colour] : names[0];
}

static const char *process_name(kst_process process)
{
    static const char *const names[] = {"none", "baseline", "extended", "progressive", "lossless"};
    return process <= KST_PROCESS_LOSSLESS ? names[process] : names[0];
}

static const char *progression_name(kst_progression progression)
{
    static const char *const names[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    return progression <= KST_PROGRESSION_CPRL ? names[progression] : "unknown";
}

static const char *metadata_name(const kst_metadata *metadata, char text[16])
{
    switch (metadata->kind) {
    case KST_METADATA_ICC:
        return "icc";
    case KST_METADATA_EXIF:
        return "exif";
    case KST_METADATA_XMP:
        return "xmp";
    case KST_METADATA_COMMENT:
        return "comment";
    default:
        snprintf(text, 16, "app%d", metadata->marker & 15);
        return text;
    }
}

static const char *density_unit(kst_density_unit unit)
{
    static const char *const names[] = {"ratio", "inch", "cm"};
    return unit <= KST_DENSITY_CM ? names[unit] : names[0];
}

/* Write the sampling as text: "4:2:0" and similar names for the usual factors, otherwise the factors. */
static void sampling_text(const kst_info *info, char text[32])
{
    static const struct {
        uint8_t h, v;
        const char *name;
    } usual[] = {{1, 1, "4:4:4"}, {2, 1, "4:2:2"}, {2, 2, "4:2:0"}, {1, 2, "4:4:0"}, {4, 1, "4:1:1"}, {4, 2, "4:1:0"}};
    const kst_component_info *c = info->component;
    bool ones = info->component_count == 3 && c[1].h == 1 && c[1].v == 1 && c[2].h == 1 && c[2].v == 1;
    size_t used = 0;

    for (size_t i = 0; ones && i < sizeof usual / sizeof *usual; i++) {
        if (usual[i].h == c[0].h && usual[i].v == c[0].v) {
            snprintf(text, 32, "%s", usual[i].name);
            return;
        }
    }
    for (uint32_t i = 0; i < info->component_count && i < 4; i++)
        used += (size_t)snprintf(text + used, 32 - used, "%s%dx%d", i == 0 ? "" : ",", c[i].h, c[i].v);
}

/* Print a comment. Many comments are C strings, whose final zero is not part of the text. */
static void print_comment(const kst_metadata *metadata)
{
    size_t whole = metadata->length, length;

    if (whole > 0 && metadata->data[whole - 1] == 0)
        whole--;
    length = whole < COMMENT_SHOWN ? whole : COMMENT_SHOWN;
    fputs("  comment      ", stdout);
    plain_put(stdout, (const char *)metadata->data, length);
    puts(length < whole ? " ..." : "");
}

static void print_metadata(const kst_decoder *decoder)
{
    const kst_metadata *metadata;
    char text[16];

    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL; i++) {
        if (metadata->kind == KST_METADATA_COMMENT)
            print_comment(metadata);
        else
            printf("  %-12s %zu bytes at %llu\n", metadata_name(metadata, text), metadata->length,
                (unsigned long long)metadata->offset);
    }
}

/* Print an element. Even the names of boxes come from the file, so names are escaped. */
static void print_element(struct lines *lines, const kst_element *element)
{
    const size_t length = strlen(element->name);

    lines_put(lines, "  ");
    lines_number(lines, element->offset, 8);
    lines_spaces(lines, 2 + 2 * (size_t)element->depth);
    lines_plain(lines, element->name);
    lines_spaces(lines, (length < 6 ? 6 - length : 0) + 1);
    lines_number(lines, element->length, 8);
    lines_put(lines, "  ");
    lines_plain(lines, element->text);
    lines_put(lines, "\n");
}

static const char *role_name(kst_role role)
{
    static const char *const names[] = {"unknown", "preview", "gain map", "depth map", "frame of a panorama",
        "stereoscopic view", "viewpoint", "original", "video"};
    return role <= KST_ROLE_VIDEO ? names[role] : names[0];
}

static void print_others(kst_decoder *decoder)
{
    kst_other other = {.size = sizeof other};

    for (size_t i = 0; kst_decoder_other(decoder, i, &other); i++) {
        printf("  %-12s %s, ", other.picture ? "picture" : "other", role_name(other.role));
        if (other.picture)
            printf("%ux%u, %u %s, %s, ", (unsigned)other.width, (unsigned)other.height, (unsigned)other.components,
                other.components == 1 ? "component" : "components", process_name(other.process));
        printf("%llu bytes at %llu\n", (unsigned long long)other.length, (unsigned long long)other.offset);
    }
}

static void print_elements(kst_decoder *decoder)
{
    kst_element element = {.size = sizeof element};
    struct lines lines = {.to = stdout};

    while (kst_decoder_next_element(decoder, &element))
        print_element(&lines, &element);
    lines_flush(&lines);
}

static void print_profile(kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    const char *name = kst_j2k_profile_name(info->profile);
    char text[KST_BREACH_LENGTH];
    size_t count = 0;

    if (info->profile == 0)
        return;
    printf("  profile      0x%04X", (unsigned)info->profile);
    if (name == NULL) {
        puts(info->profile == CAPABILITIES ? " (none, but capabilities)" : ", whose rules are not known here");
        return;
    }
    printf(" (%s)", name);
    for (; kst_decoder_profile_breach(decoder, count, text); count++)
        printf("%s\n    broken: %s", count == 0 ? ", claimed in vain:" : "", text);
    puts(count == 0 ? ", kept" : "");
}

static void print_points(const kst_code_points *points)
{
    if (points->present)
        printf("  colours      code points %u/%u/%u (primaries, transfer, matrix), %s range\n",
            (unsigned)points->primaries, (unsigned)points->transfer, (unsigned)points->matrix,
            points->full_range ? "full" : "limited");
}

/* Return the message if comparing a stream's claims ended early; otherwise null. */
static const char *claims_error(const kst_decoder *decoder)
{
    const kst_report *report = kst_decoder_report(decoder);

    return report->status ? report->message : NULL;
}

/* Return whether a stream has CAP or PRF, which claim something, according to Rsiz. */
static bool has_claims(const kst_info *info)
{
    return (info->profile & CAPABILITIES) != 0 || (info->profile & BY_PRF) == BY_PRF;
}

static void print_claims(kst_decoder *decoder)
{
    kst_breach breach = {.size = sizeof breach};
    size_t count = 0;

    for (; kst_decoder_claim_breach(decoder, count, &breach); count++)
        printf("%s    broken: %s (at byte %llu)\n", count == 0 ? "  claims       in vain:\n" : "", breach.text,
            (unsigned long long)breach.offset);
    const char *error = claims_error(decoder);
    if (error != NULL)
        printf("  claims       not all compared: %s\n", error);
    else if (count == 0 && has_claims(kst_decoder_info(decoder)))
        puts("  claims       kept");
}

static void print_jpeg2000(const struct source *source, kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    double pixels = (double)info->width * info->height;

    plain_puts(stdout, source->name);
    printf(": JPEG 2000%s, %ux%u, %s%s, %u %s\n", info->jp2 ? " (JP2)" : "", (unsigned)info->width,
        (unsigned)info->height, colour_name(info->colour), info->alpha ? " with alpha" : "",
        (unsigned)info->component_count, info->component_count == 1 ? "component" : "components");
    for (uint32_t i = 0; i < info->component_count && i < 4; i++) {
        const kst_component_info *c = &info->component[i];
        printf("  component    %u: %ux%u, %u bits%s\n", (unsigned)i, (unsigned)c->width, (unsigned)c->height,
            (unsigned)c->depth, c->is_signed ? ", signed" : "");
    }
    printf("  coding       %s%s, %u levels, %u %s, %s, %u %s of %ux%u\n", info->reversible ? "5/3" : "9/7",
        info->block_style >= HT_MIXED ? ", HT in part"
        : info->block_style >= HT     ? ", HT"
                                      : "",
        (unsigned)info->levels, (unsigned)info->layers, info->layers == 1 ? "layer" : "layers",
        progression_name(info->progression), (unsigned)info->tiles, info->tiles == 1 ? "tile" : "tiles",
        (unsigned)info->tile_width, (unsigned)info->tile_height);
    printf("  bytes        %zu, %llu of them packets (%.3f bits a pixel)\n", source->length,
        (unsigned long long)info->entropy_bytes, pixels > 0 ? 8.0 * (double)info->entropy_bytes / pixels : 0.0);
    if (info->density_x != 0)
        printf("  density      %ux%u per %s\n", (unsigned)info->density_x, (unsigned)info->density_y,
            density_unit(info->density_unit));
    if (info->orientation != 1)
        printf("  orientation  %d\n", info->orientation);
    print_points(&info->code_points);
    print_profile(decoder);
    print_claims(decoder);
    print_metadata(decoder);
    print_elements(decoder);
}

void describe_print(const struct source *source, kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    char sampling[32] = "";

    if (info->codec == KST_CODEC_JPEG2000) {
        print_jpeg2000(source, decoder);
        return;
    }
    sampling_text(info, sampling);
    plain_puts(stdout, source->name);
    printf(": JPEG, %ux%u, %s", (unsigned)info->width, (unsigned)info->height, colour_name(info->colour));
    if (info->component_count > 1)
        printf(" %s", sampling);
    printf(", %d bits\n", info->component[0].depth);
    printf("  coding       %s, %u %s, MCU %ux%u", process_name(info->process), (unsigned)info->scans,
        info->scans == 1 ? "scan" : "scans", (unsigned)info->mcu_width, (unsigned)info->mcu_height);
    if (info->restart_interval != 0)
        printf(", restart every %u MCUs", (unsigned)info->restart_interval);
    putchar('\n');
    if (info->quality != 0)
        printf("  quality      %d\n", info->quality);
    else if (info->process != KST_PROCESS_LOSSLESS)
        printf("  quality      tables of its own\n");
    double pixels = (double)info->width * info->height;
    printf("  bytes        %zu, %llu of them entropy-coded (%.3f bits a pixel)\n", source->length,
        (unsigned long long)info->entropy_bytes, pixels > 0 ? 8.0 * (double)info->entropy_bytes / pixels : 0.0);
    if (info->jfif)
        printf("  jfif         %d.%02d, density %ux%u %s%s\n", info->jfif_version >> 8, info->jfif_version & 255,
            (unsigned)info->density_x, (unsigned)info->density_y, info->density_unit == KST_DENSITY_RATIO ? "" : "per ",
            info->density_unit == KST_DENSITY_RATIO ? "(ratio)" : density_unit(info->density_unit));
    if (info->adobe)
        printf("  adobe        transform %d\n", info->adobe_transform);
    if (info->orientation != 1)
        printf("  orientation  %d\n", info->orientation);
    print_metadata(decoder);
    print_others(decoder);
}

static json_t *json_components(const kst_info *info)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->component_count && i < 4; i++) {
        const kst_component_info *component = &info->component[i];
        json_t *table = json_array();
        for (size_t k = 0; k < 64; k++)
            json_array_append_new(table, json_integer(info->quant_table[i][k]));
        json_array_append_new(
            list, json_pack("{s:i, s:i, s:i, s:I, s:I, s:i, s:i, s:o}", "id", component->id, "h", component->h, "v",
                      component->v, "width", (json_int_t)component->width, "height", (json_int_t)component->height,
                      "depth", component->depth, "quant_table", component->quant_table, "quantisers", table));
    }
    return list;
}

/* The text that precedes a member's value, for the first and for later members of an object in a list. */
#define FIRST(name) "{\n        \"" name "\": "
#define NEXT(name) ",\n        \"" name "\": "

static void put_number(struct lines *lines, const char *name, uint64_t number)
{
    lines_put(lines, name);
    lines_number(lines, number, 0);
}

static void put_word(struct lines *lines, const char *name, const char *word)
{
    lines_put(lines, name);
    lines_json(lines, word, strlen(word));
}

/* Begin the next object of a list; the first one (count 0) also opens the list. */
static void put_next(struct lines *lines, size_t count)
{
    lines_put(lines, count > 0 ? "\n      },\n      " : "\n      ");
}

static void put_list(struct lines *lines, const char *name)
{
    lines_put(lines, ",\n    \"");
    lines_put(lines, name);
    lines_put(lines, "\": [");
}

static void put_list_end(struct lines *lines, size_t count)
{
    lines_put(lines, count > 0 ? "\n      }\n    ]" : "]");
}

/*
 * Writes the three lists of metadata, other pictures and elements directly instead of as a tree of JSON objects, which
 * would take a hundred times the size of a file with very many of them. They are the last members of their object.
 */
static void put_metadata(struct lines *lines, const kst_decoder *decoder)
{
    const kst_metadata *metadata;
    size_t count = 0;
    char text[16];

    put_list(lines, "metadata");
    for (; (metadata = kst_decoder_metadata(decoder, count)) != NULL; count++) {
        put_next(lines, count);
        put_word(lines, FIRST("kind"), metadata_name(metadata, text));
        put_number(lines, NEXT("bytes"), metadata->length);
        put_number(lines, NEXT("offset"), metadata->offset);
        if (metadata->kind == KST_METADATA_COMMENT) {
            lines_put(lines, NEXT("text"));
            lines_json(lines, (const char *)metadata->data, metadata->length);
        }
    }
    put_list_end(lines, count);
}

/* Describe what follows the first picture of a JPEG file. */
static void put_others(struct lines *lines, kst_decoder *decoder)
{
    kst_other other = {.size = sizeof other};
    size_t count = 0;

    put_list(lines, "others");
    for (; kst_decoder_other(decoder, count, &other); count++) {
        put_next(lines, count);
        put_word(lines, FIRST("kind"), other.picture ? "picture" : "bytes");
        put_word(lines, NEXT("role"), role_name(other.role));
        put_number(lines, NEXT("offset"), other.offset);
        put_number(lines, NEXT("bytes"), other.length);
        if (!other.picture)
            continue;
        put_number(lines, NEXT("width"), other.width);
        put_number(lines, NEXT("height"), other.height);
        put_number(lines, NEXT("components"), other.components);
        put_word(lines, NEXT("process"), process_name(other.process));
        lines_put(lines, NEXT("indexed"));
        lines_put(lines, other.indexed ? "true" : "false");
        put_number(lines, NEXT("mp_attribute"), other.mp_attribute);
    }
    put_list_end(lines, count);
}

/* Write marker segments and boxes, each with its offset and fields. */
static void put_elements(struct lines *lines, kst_decoder *decoder)
{
    kst_element element = {.size = sizeof element};
    size_t count = 0;

    put_list(lines, "elements");
    for (; kst_decoder_next_element(decoder, &element); count++) {
        put_next(lines, count);
        put_word(lines, FIRST("name"), element.name);
        put_number(lines, NEXT("offset"), element.offset);
        put_number(lines, NEXT("bytes"), element.length);
        put_number(lines, NEXT("depth"), element.depth);
        put_word(lines, NEXT("text"), element.text);
    }
    put_list_end(lines, count);
}

static json_t *json_density(const kst_info *info)
{
    return json_pack(
        "{s:i, s:i, s:s}", "x", info->density_x, "y", info->density_y, "unit", density_unit(info->density_unit));
}

/*
 * Describe the profile that a stream claims. Returns null if it claims none; "breaches" is null if the profile's rules
 * are not known.
 */
static json_t *json_profile(kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    const char *name = kst_j2k_profile_name(info->profile);
    char text[KST_BREACH_LENGTH];

    if (info->profile == 0)
        return json_null();
    json_t *breaches = name != NULL ? json_array() : json_null();
    for (size_t i = 0; kst_decoder_profile_breach(decoder, i, text); i++)
        json_array_append_new(breaches, json_text(text));
    return json_pack("{s:I, s:s?, s:o}", "rsiz", (json_int_t)info->profile, "name", name, "breaches", breaches);
}

static json_t *json_points(const kst_code_points *points)
{
    if (!points->present)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:b}", "primaries", points->primaries, "transfer", points->transfer, "matrix",
        points->matrix, "full_range", points->full_range);
}

/* Describe the claims of a stream that do not hold. Returns null if it claims nothing beyond its profile. */
static json_t *json_claims(kst_decoder *decoder)
{
    kst_breach breach = {.size = sizeof breach};
    json_t *breaches = json_array();

    for (size_t i = 0; kst_decoder_claim_breach(decoder, i, &breach); i++)
        json_array_append_new(
            breaches, json_pack("{s:I, s:o}", "offset", (json_int_t)breach.offset, "text", json_text(breach.text)));
    const char *error = claims_error(decoder);
    if (error == NULL && json_array_size(breaches) == 0 && !has_claims(kst_decoder_info(decoder))) {
        json_decref(breaches);
        return json_null();
    }
    return json_pack("{s:o, s:o}", "breaches", breaches, "error", error != NULL ? json_text(error) : json_null());
}

static json_t *json_jpeg2000(const struct source *source, kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->component_count && i < 4; i++) {
        const kst_component_info *c = &info->component[i];
        json_array_append_new(
            list, json_pack("{s:i, s:i, s:I, s:I, s:i, s:b}", "dx", c->h, "dy", c->v, "width", (json_int_t)c->width,
                      "height", (json_int_t)c->height, "depth", c->depth, "signed", c->is_signed));
    }
    json_t *made = json_pack("{s:o, s:s, s:I, s:b, s:I, s:I, s:s, s:b, s:I, s:o}", "file", json_text(source->name),
        "format", "jpeg2000", "bytes", (json_int_t)source->length, "jp2", info->jp2, "width", (json_int_t)info->width,
        "height", (json_int_t)info->height, "colour", colour_name(info->colour), "alpha", info->alpha,
        "component_count", (json_int_t)info->component_count, "components", list);
    json_t *more =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:I}", "tile_width", (json_int_t)info->tile_width, "tile_height",
            (json_int_t)info->tile_height, "tiles", (json_int_t)info->tiles, "layers", (json_int_t)info->layers,
            "levels", (json_int_t)info->levels, "progression", progression_name(info->progression), "reversible",
            info->reversible, "packet_bytes", (json_int_t)info->entropy_bytes);
    json_object_update(made, more);
    json_decref(more);
    json_object_set_new(made, "orientation", json_integer(info->orientation));
    if (info->density_x != 0)
        json_object_set_new(made, "density", json_density(info));
    json_object_set_new(made, "high_throughput", json_boolean(info->block_style >= HT));
    json_object_set_new(made, "code_points", json_points(&info->code_points));
    json_object_set_new(made, "profile", json_profile(decoder));
    json_object_set_new(made, "claims", json_claims(decoder));
    return made;
}

static json_t *json_jpeg(const struct source *source, const kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    char sampling[32] = "";

    sampling_text(info, sampling);
    json_t *made = json_pack("{s:o, s:s, s:I, s:s, s:I, s:I, s:s, s:s, s:I, s:I}", "file", json_text(source->name),
        "format", "jpeg", "bytes", (json_int_t)source->length, "process", process_name(info->process), "width",
        (json_int_t)info->width, "height", (json_int_t)info->height, "colour", colour_name(info->colour), "sampling",
        sampling, "scans", (json_int_t)info->scans, "restart_interval", (json_int_t)info->restart_interval);
    json_t *more = json_pack("{s:I, s:I, s:o, s:i, s:I, s:b, s:b}", "mcu_width", (json_int_t)info->mcu_width,
        "mcu_height", (json_int_t)info->mcu_height, "quality",
        info->quality != 0 ? json_integer(info->quality) : json_null(), "orientation", info->orientation,
        "entropy_bytes", (json_int_t)info->entropy_bytes, "jfif", info->jfif, "adobe", info->adobe);
    json_object_update(made, more);
    json_decref(more);
    if (info->jfif)
        json_object_set_new(made, "density", json_density(info));
    if (info->adobe)
        json_object_set_new(made, "adobe_transform", json_integer(info->adobe_transform));
    json_object_set_new(made, "components", json_components(info));
    return made;
}

void describe_json(struct json_list *list, const struct source *source, kst_decoder *decoder)
{
    bool jpeg = kst_decoder_info(decoder)->codec != KST_CODEC_JPEG2000;
    struct lines lines = {.to = stdout};

    json_list_open(list, jpeg ? json_jpeg(source, decoder) : json_jpeg2000(source, decoder));
    put_metadata(&lines, decoder);
    if (jpeg)
        put_others(&lines, decoder);
    else
        put_elements(&lines, decoder);
    lines_flush(&lines);
    json_list_close();
}
