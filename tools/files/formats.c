/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the table of formats, and the code that reading and writing all of them shares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files/filter.h"
#include "files/metadata/losses.h"
#include "files/relayed.h"
#include "files/resize.h"
#include "progress/outcome.h"

/* The order is that of detection, and of the names in messages. */
static const struct file_format *const formats[] = {&file_jpeg, &file_j2k, &file_j2c, &file_jph, &file_jhc, &file_png,
    &file_tiff, &file_pam, &file_pnm, &file_pgm, &file_ppm, &file_pgx, &file_bmp, &file_webp, &file_gif, &file_raw,
    &file_yuv, &file_svg, &file_csv, &file_json, NULL};

const struct file_format *file_format_by_name(const char *name)
{
    if (*name == '.')
        name++;
    for (size_t i = 0; formats[i] != NULL; i++)
        if (strcasecmp(formats[i]->name, name) == 0)
            return formats[i];
    for (size_t i = 0; formats[i] != NULL; i++)
        for (const char *const *extension = formats[i]->extensions; *extension != NULL; extension++)
            if (strcasecmp(*extension, name) == 0)
                return formats[i];
    return NULL;
}

const struct file_format *file_format_by_path(const char *path)
{
    const char *extension = file_path_extension(path);
    return extension == NULL || *extension == '.' ? NULL : file_format_by_name(extension);
}

const struct file_format *file_format_of(const struct source *source)
{
    for (size_t i = 0; formats[i] != NULL; i++)
        if (formats[i]->detect != NULL && formats[i]->detect(source->data, source->length))
            return formats[i];
    return NULL;
}

const char *file_formats_readable(void)
{
    return "JPEG, JPEG 2000, PNG, TIFF, BMP, "
#ifdef KOSTKA_WEBP_LIBRARY
           "WebP, "
#endif
#ifdef KOSTKA_GIF_LIBRARY
           "GIF, "
#endif
           "PAM, PPM, PGM, PBM or PGX";
}

bool picture_read(struct picture *picture, const struct source *source, const struct file_settings *settings,
    const struct file_format **format, struct problem *problem)
{
    const struct file_format *found = settings->raw.width > 0 ? &file_raw : file_format_of(source);

    if (format != NULL)
        *format = found;
    if (source->length == 0)
        return problem_set(problem, "the file is empty");
    if (found == NULL) {
        const char *what = kst_signature_text(source->data, source->length);
        return problem_set(
            problem, "%s; %s are read", what != NULL ? what : "no known format", file_formats_readable());
    }
    unsigned target = settings->target == NULL ? 0 : file_kind(settings->target);
    bool coded = (file_kind(found) & KIND_CODED) != 0;
    if (settings->relay != NULL && !coded)
        relayed_reserve(source, settings);
    if (!options_suit(settings->given, target, found, problem) || !found->read(source, settings, picture, problem))
        return false;
    if (!coded) /* the readers of coded formats record the pixels themselves */
        outcome_note_pixels((uint64_t)picture->image.width * picture->image.height);
    if (!picture_resize(picture, source->name, settings, problem) ||
        !picture_filter(picture, source->name, settings, problem))
        return false;
    if (settings->target == &file_jpeg && !picture_is_opaque(picture))
        complain(source->name, "warning: its transparency is dropped, for JPEG has none");
    return true;
}

bool picture_read_named(
    struct picture *picture, const char *name, const struct file_settings *settings, const struct file_format **format)
{
    struct problem problem = {.text = ""};
    struct source source;
    bool good = source_read_picture(&source, name, settings, &problem);

    if (good) {
        good = picture_read(picture, &source, settings, format, &problem);
        source_release(&source);
    }
    if (!good)
        complain(strcmp(name, "-") == 0 ? "standard input" : name, "%s", problem.text);
    return good;
}

/* Return the path of a plane: NAME-1.EXT for plane 1 of NAME.EXT; for standard output the path does not change. */
static char *plane_path(const char *path, uint32_t plane)
{
    const char *extension = file_path_extension(path);
    size_t stem = extension == NULL ? strlen(path) : (size_t)(extension - path) - 1;
    size_t capacity = strlen(path) + 16;
    char *made = malloc(capacity);

    if (made != NULL && strcmp(path, "-") == 0)
        memcpy(made, "-", 2);
    else if (made != NULL)
        snprintf(made, capacity, "%.*s-%u%s", (int)stem, path, (unsigned)plane, path + stem);
    return made;
}

static bool write_one(struct picture *picture, const char *path, const struct file_format *format,
    const struct file_settings *settings, struct problem *problem)
{
    struct output output;

    if (!output_open(&output, path, problem))
        return false;
    if (format->write(&output, picture, settings, problem))
        return output_commit(&output, problem);
    output_discard(&output);
    return false;
}

static bool write_planes(const struct picture *picture, const char *path, const struct file_format *format,
    const struct file_settings *settings, struct problem *problem)
{
    bool good = true;

    if (format == &file_png || format == &file_tiff || format == &file_bmp)
        losses_tell(picture, 0, "a file of one plane", path);
    for (uint32_t i = 0; i < picture->image.plane_count && good; i++) {
        const kst_plane *plane = kst_image_plane(&picture->image, i);
        const uint32_t *components = settings->decode.components;
        bool alone = picture->image.plane_count == 1 && (format == &file_pgx || components != NULL);
        char *name = alone ? strdup(path) : plane_path(path, components != NULL ? components[i] : i);
        struct picture part;

        picture_init(&part);
        kst_image_wrap(&part.image, KST_FORMAT_GREY, plane->width, plane->height, plane->data, plane->pitch);
        part.image.plane[0].depth = plane->depth;
        part.image.plane[0].is_signed = plane->is_signed;
        good = name != NULL ? write_one(&part, name, format, settings, problem) : problem_set(problem, "out of memory");
        free(name);
        picture_release(&part); /* releases only what writing has made; the plane belongs to the picture */
    }
    return good;
}

/* Return whether a file of the format is samples without a header. */
static bool is_raw(const struct file_format *format)
{
    return format == &file_raw || format == &file_yuv;
}

/* Return whether the format holds several planes, signed or not, in one file. */
static bool holds_planes(const struct file_format *format, const struct file_settings *settings)
{
    return is_raw(format) || (file_kind(format) & KIND_JPEG2000) != 0 || (format == &file_tiff && settings->interleave);
}

/* Return whether the samples of planes are to be interleaved in one file. */
static bool takes_turns(const struct file_format *format, const struct file_settings *settings)
{
    return is_raw(format) ? !raw_writes_planes(settings) : format == &file_tiff && settings->interleave;
}

/* Check that the planes can be interleaved. */
static bool check_interleaved(const struct picture *picture, const struct file_format *format, struct problem *problem)
{
    const kst_plane *first = &picture->image.plane[0];

    for (uint32_t i = 1; i < picture->image.plane_count; i++) {
        const kst_plane *plane = kst_image_plane(&picture->image, i);
        if (plane->width != first->width || plane->height != first->height || plane->is_signed != first->is_signed ||
            picture_sample_bytes(plane) != picture_sample_bytes(first))
            return problem_set(problem, "its components differ in size, bytes or sign; %s",
                is_raw(format) ? "--raw-layout planes writes one after the other"
                               : "without --interleave each makes a file");
    }
    return true;
}

/* Check that the format can hold such samples unchanged. */
static bool check_samples(const struct picture *picture, const struct file_format *format,
    const struct file_settings *settings, struct problem *problem)
{
    if (holds_planes(format, settings) || format == &file_pgx)
        return true;
    for (uint32_t i = 0; i < picture->image.plane_count; i++) {
        const kst_plane *plane = kst_image_plane(&picture->image, i);
        if (plane->is_signed)
            return problem_set(
                problem, "its samples are signed; JPEG 2000, PGX, raw, and TIFF with --interleave hold those");
        if (plane->depth > 16)
            return problem_set(problem,
                "its samples have %u bits; JPEG 2000, PGX, raw, and TIFF with --interleave hold those",
                (unsigned)plane->depth);
    }
    return true;
}

/*
 * Return whether samples lose their signs on the way to PNG or TIFF: few programs can read signed samples from these.
 */
static bool loses_signs(
    const struct picture *picture, const struct file_format *format, const struct file_settings *settings)
{
    bool as_coded = settings->decode.format == KST_FORMAT_RAW || settings->decode.components != NULL;
    bool is_signed = false;

    for (uint32_t i = 0; i < picture->image.plane_count; i++)
        is_signed = is_signed || kst_image_plane(&picture->image, i)->is_signed;
    return is_signed && !as_coded && !holds_planes(format, settings) && (format == &file_png || format == &file_tiff);
}

bool picture_write(struct picture *picture, const char *path, const struct file_format *format,
    const struct file_settings *settings, struct problem *problem)
{
    if (format->write == NULL)
        return problem_set(problem, "%s is read only; no such files are written", format->name);
    if (loses_signs(picture, format, settings)) {
        complain(path, "warning: its samples have signs, which %s has not as a rule: 2^%u was added to each%s",
            format->name, (unsigned)picture_depth(picture) - 1,
            format == &file_tiff ? "; --interleave keeps them" : "");
        if (!picture_without_sign(picture, settings->max_pixels, problem))
            return false;
    }
    bool planes = kst_format_channels(picture->image.format) == 0;
    if (!check_samples(picture, format, settings, problem) ||
        (planes && takes_turns(format, settings) && !check_interleaved(picture, format, problem)))
        return false;
    if ((file_kind(format) & (KIND_PNM | KIND_PGX | KIND_RAW)) != 0)
        losses_note(picture, path);
    if (planes && !holds_planes(format, settings))
        return write_planes(picture, path, format, settings, problem);
    return write_one(picture, path, format, settings, problem);
}

const struct row_format *file_row_format(const struct file_format *format)
{
    static const struct {
        const struct file_format *format;
        const struct row_format *rows;
    } known[] = {{&file_bmp, &bmp_rows}, {&file_png, &png_rows}, {&file_tiff, &tiff_rows}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].format == format)
            return known[i].rows;
    return NULL;
}

const char *file_extension(const struct file_format *format, const struct picture *picture)
{
    if (format != &file_pnm)
        return format->extensions[0];
    switch (picture->image.format) {
    case KST_FORMAT_RGB:
    case KST_FORMAT_BGR:
        return "ppm";
    case KST_FORMAT_CMYK:
    case KST_FORMAT_RGBA:
    case KST_FORMAT_BGRA:
        return "pam";
    default:
        return "pgm";
    }
}
