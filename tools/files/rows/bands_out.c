/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes JPEG and JPEG 2000 in bands of rows, which are written while others are decoded. */
#include "files/rows/bands_out.h"

#include <pthread.h>
#include <string.h>

#include "files/rows/out.h"
#include "progress/progress.h"

/* Return the pixel format for a stream whose colours the target can hold. */
static kst_format choose_format(const kst_info *info, const struct file_settings *settings)
{
    bool inks = info->colour == KST_COLOUR_CMYK || info->colour == KST_COLOUR_YCCK;
    if (settings->decode.format != KST_FORMAT_AUTO || inks)
        return settings->decode.format;
    if (settings->target == &file_pgx)
        return info->component_count == 1 ? KST_FORMAT_GREY : KST_FORMAT_RAW;
    return settings->target->wanted;
}

/* Return whether formats that are written by rows can hold the samples unchanged. JPEG 2000 may have others. */
static bool is_plain(const kst_info *info)
{
    return !info->component[0].is_signed && info->component[0].depth <= 16;
}

static bool begin(struct bands_out *bands, const struct file_settings *settings)
{
    const kst_decode_options *given = &settings->decode;
    if (given->components != NULL || given->tile != KST_ALL_TILES ||
        kst_decoder_open(bands->decoder, bands->source->data, bands->source->length))
        return false;
    const kst_info *info = kst_decoder_info(bands->decoder);
    if (!is_plain(info) || (info->codec == KST_CODEC_JPEG && given->reduce > 3))
        return false;
    if (info->process == KST_PROCESS_LOSSLESS) /* not in bands, and its options have to be checked */
        return false;
    bands->options = *given;
    bands->options.format = choose_format(info, settings);
    if (kst_decoder_describe(bands->decoder, &bands->options, &bands->image))
        return false;
    if (settings->target == &file_pgx) /* samples of several bytes may have either order in PGX */
        return bands->image.format == KST_FORMAT_GREY && picture_sample_bytes(&bands->image.plane[0]) == 1;
    return rows_out_takes(&bands->image, settings);
}

bool bands_out_open(struct bands_out *bands, const struct source *source, const struct file_settings *settings)
{
    const struct file_format *found = file_format_of(source);

    *bands = (struct bands_out){.source = source};
    kst_image_init(&bands->image);
    if ((found != &file_jpeg && found != &file_j2k) || kst_decoder_create(settings->context, &bands->decoder))
        return false;
    if (begin(bands, settings))
        return true;
    bands_out_close(bands);
    return false;
}

void bands_out_close(struct bands_out *bands)
{
    kst_decoder_destroy(&bands->decoder);
}

/* Holds the state of writing rows. */
struct writing {
    const struct source *source;
    struct rows_out out;
    const struct file_settings *settings;
    bool plain;     /* rows have the same bytes in the file as in memory, */
    uint64_t first; /* from this offset on */
    size_t row;     /* bytes of a row */
    uint32_t height;
    atomic_uint rows;                     /* rows written */
    atomic_uint_fast64_t since;           /* bytes written since the source's pages were released */
    struct progress_part reading, making; /* both advance together here */
    pthread_mutex_t lock;                 /* guards the problem */
    struct problem *problem;
};

static bool add_rows(struct writing *w, const kst_image *rows, struct problem *problem)
{
    struct picture picture;

    picture_init(&picture);
    picture.image = *rows; /* the library owns these pixels, the picture those that a format makes of them */
    bool good = rows_out_add(&w->out, &picture, w->settings, problem);
    picture_release(&picture);
    return good;
}

static bool write_rows(void *user, uint32_t y, const kst_image *rows)
{
    struct writing *w = user;
    struct problem problem = {.text = ""};
    const kst_plane *plane = &rows->plane[0];
    bool good = !w->plain ? add_rows(w, rows, &problem)
                          : rows_write_at(w->out.output, w->first + (uint64_t)y * w->row, plane->data,
                                (size_t)plane->pitch, w->row, plane->height, &problem);
    if (!good) {
        pthread_mutex_lock(&w->lock);
        *w->problem = problem;
        pthread_mutex_unlock(&w->lock);
    }
    double done = (double)(atomic_fetch_add(&w->rows, plane->height) + plane->height) / w->height;
    progress_part_done(&w->reading, done);
    if (w->out.format == NULL)
        progress_part_done(&w->making, done);
    if (atomic_fetch_add(&w->since, plane->height * w->row) >= SOURCE_REST) {
        atomic_store(&w->since, 0);
        source_rest(w->source);
    }
    return good;
}

static bool decode(
    struct bands_out *bands, struct writing *writing, const struct file_settings *settings, struct problem *problem)
{
    const kst_row_writer writer = {.size = sizeof writer,
        .write = write_rows,
        .user = writing,
        .in_order = !writing->plain || output_in_order(writing->out.output)};

    writing->first = writing->out.output->written;
    kst_status status = kst_decoder_decode_rows(bands->decoder, &bands->options, &writer);
    const kst_report *report = kst_decoder_report(bands->decoder);
    if (status == KST_ERROR_WRITE)
        return false;
    if (status)
        return jpeg_report_problem(report, status, problem);
    jpeg_report_warnings(bands->source->name, report);
    jpeg_report_details(bands->source->name, report, settings->verbose);
    if (settings->encode != NULL)
        jpeg_tell_others(bands->decoder, bands->source->name);
    return true;
}

static bool write_file(
    struct bands_out *bands, struct output *output, const struct file_settings *settings, struct problem *problem)
{
    size_t bytes = picture_sample_bytes(&bands->image.plane[0]);
    struct writing writing = {.source = bands->source,
        .settings = settings,
        .plain = file_row_format(settings->target) == NULL && bytes == 1,
        .height = bands->image.height,
        .reading = progress_reading(0, 1),
        .making = progress_writing(0, 1),
        .row = (size_t)bands->image.width * kst_format_channels(bands->image.format) * bytes,
        .problem = problem};

    pthread_mutex_init(&writing.lock, NULL);
    bool good = rows_out_begin_decoded(&writing.out, output, bands->decoder, &bands->image, settings, problem) &&
                decode(bands, &writing, settings, problem);
    pthread_mutex_destroy(&writing.lock);
    return rows_out_end(&writing.out, good, problem);
}

bool bands_out_write(
    struct bands_out *bands, const char *path, const struct file_settings *settings, struct problem *problem)
{
    struct output output;
    if (!output_open(&output, path, problem))
        return false;
    if (write_file(bands, &output, settings, problem))
        return output_commit(&output, problem);
    output_discard(&output);
    return false;
}
