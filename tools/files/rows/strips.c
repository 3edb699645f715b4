/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes JPEG 2000 strip by strip where the picture would take too much memory. */
#include "files/rows/strips.h"

#include <pthread.h>

#include "files/rows/out.h"
#include "progress/progress.h"

enum { SHARE_OF_PICTURE = 4, SHARE_OF_STRIPS = 4, SHARE_OF_STRIP = 2, BLOCK_ROWS = 128, LOW = 256 };

static size_t row_bytes(const kst_image *image)
{
    return (size_t)image->width * kst_format_channels(image->format) * picture_sample_bytes(&image->plane[0]);
}

/*
 * Choose the height of strips: whole tiles, unless these are too high, so that no code-block is decoded twice.
 * Otherwise the code-blocks at the borders of strips are decoded twice, which are most of them if strips are low. So
 * two strips are in memory, one being written while the other is decoded, or only one strip that is higher. The borders
 * go through the middle of usual code-blocks of the last resolution, so that only one row of them is decoded twice, not
 * two.
 */
static void choose_rows(struct strips *strips, const kst_info *info, uint64_t limit)
{
    uint64_t row = row_bytes(&strips->image), height = strips->image.height, rows = limit / SHARE_OF_STRIPS / row;
    uint64_t tile = info->tile_height >> strips->options.reduce, unit = tile;
    strips->count = 2;
    if (tile == 0 || tile > rows) {
        uint64_t most = limit / SHARE_OF_STRIP / row;
        rows /= 2;
        if (rows < LOW) {
            rows = most < LOW + LOW ? most : LOW + LOW;
            strips->count = 1;
        }
        unit = rows >= BLOCK_ROWS ? BLOCK_ROWS : rows >= BLOCK_ROWS / 2 ? BLOCK_ROWS / 2 : 1;
    }
    rows = rows < unit ? unit : rows / unit * unit;
    strips->rows = rows < height ? (uint32_t)rows : strips->image.height;
    strips->first = unit == BLOCK_ROWS && rows < height ? strips->rows - BLOCK_ROWS / 2 : strips->rows;
}

static bool begin(struct strips *strips, const struct source *source, const struct file_settings *settings)
{
    kst_status status = kst_decoder_open(strips->decoder, source->data, source->length);
    const kst_info *info = kst_decoder_info(strips->decoder);
    if (status || info->codec != KST_CODEC_JPEG2000)
        return false;
    strips->options = settings->decode;
    if (strips->options.format == KST_FORMAT_AUTO)
        strips->options.format = settings->target->wanted;
    if (strips->options.orient || strips->options.components != NULL || strips->options.tile != KST_ALL_TILES ||
        kst_decoder_describe(strips->decoder, &strips->options, &strips->image) ||
        !rows_out_takes(&strips->image, settings))
        return false;
    choose_rows(strips, info, settings->max_memory);
    return row_bytes(&strips->image) * strips->image.height > settings->max_memory / SHARE_OF_PICTURE;
}

bool strips_open(struct strips *strips, const struct source *source, const struct file_settings *settings)
{
    *strips = (struct strips){.source = source};
    if (file_format_of(source) != &file_j2k || kst_decoder_create(settings->context, &strips->decoder))
        return false;
    if (begin(strips, source, settings))
        return true;
    strips_close(strips);
    return false;
}

void strips_close(struct strips *strips)
{
    kst_decoder_destroy(&strips->decoder);
}

/* Remembers the last warning that was printed. */
struct told {
    kst_status warning; /* the last warning, and its offset: strips that share a damaged packet repeat its warning */
    uint64_t warning_offset;
};

static void tell_warnings(struct told *told, const char *name, const kst_report *report)
{
    if (report->first_warning == told->warning && report->first_warning_offset == told->warning_offset)
        return;
    told->warning = report->first_warning;
    told->warning_offset = report->first_warning_offset;
    jpeg_report_warnings(name, report);
}

/* Decode a strip of rows, from row y on. */
static bool decode_strip(struct strips *strips, uint32_t y, struct told *told, const char *name, struct picture *strip,
    const struct file_settings *settings, struct problem *problem)
{
    kst_decode_options options = strips->options;
    const kst_region *region = &strips->options.region;
    uint32_t left = strips->image.height - y, rows = y > 0 ? strips->rows : strips->first;
    options.region = (kst_region){region->x, region->y + y, strips->image.width, left < rows ? left : rows};
    double height = strips->image.height;
    struct progress_part reading = progress_reading(y / height, (y + options.region.height) / height);
    const kst_progress progress = {.size = sizeof progress, .told = progress_part_done, .user = &reading};
    options.progress = &progress;
    picture_release(strip);
    strip->context = settings->context; /* so that the context's limit includes this strip */
    kst_status status = kst_decoder_decode(strips->decoder, &options, &strip->image);
    const kst_report *report = kst_decoder_report(strips->decoder);
    if (status)
        return jpeg_report_problem(report, status, problem);
    tell_warnings(told, name, report);
    jpeg_report_details(name, report, settings->verbose);
    return true;
}

/* Describes a strip that is written to the file while the next one is decoded. */
struct writing {
    struct rows_out out;
    const struct file_settings *settings;
    struct picture *strip; /* null: none */
    struct problem problem;
    pthread_t thread;
    bool apart; /* another thread writes the strip */
    bool good;
};

static void *write_strip(void *argument)
{
    struct writing *w = argument;
    w->good = rows_out_add(&w->out, w->strip, w->settings, &w->problem);
    return NULL;
}

static void begin_writing(struct writing *w, struct picture *strip)
{
    w->strip = strip;
    w->apart = pthread_create(&w->thread, NULL, write_strip, w) == 0;
    if (!w->apart)
        write_strip(w);
}

static bool end_writing(struct writing *w, struct problem *problem)
{
    if (w->strip != NULL && w->apart)
        pthread_join(w->thread, NULL);
    bool good = w->strip == NULL || w->good;
    if (!good)
        *problem = w->problem;
    w->strip = NULL;
    return good;
}

static bool write_strips(
    struct strips *strips, struct writing *writing, const char *name, struct picture strip[2], struct problem *problem)
{
    struct told told = {.warning = KST_OK};
    struct progress_part written = progress_writing(0, 1);
    bool good = true;
    for (uint32_t y = 0, i = 0; good && y < strips->image.height; i = (i + 1) % strips->count) {
        good = (strips->count > 1 || end_writing(writing, problem)) &&
               decode_strip(strips, y, &told, name, &strip[i], writing->settings, problem);
        uint32_t rows = strip[i].image.height;
        source_rest(strips->source);
        good = good && end_writing(writing, problem);
        progress_part_done(&written, (double)y / strips->image.height);
        if (good)
            begin_writing(writing, &strip[i]);
        y += rows;
    }
    struct problem late = {.text = ""};
    bool ended = end_writing(writing, &late);
    if (good && !ended)
        *problem = late;
    if (good && ended && writing->settings->encode != NULL)
        jpeg_tell_others(strips->decoder, name);
    return good && ended;
}

/* Write the whole file. */
static bool write_file(struct strips *strips, struct output *output, const char *name,
    const struct file_settings *settings, struct problem *problem)
{
    struct writing writing = {.settings = settings};
    struct picture strip[2];

    picture_init(&strip[0]);
    picture_init(&strip[1]);
    bool good = rows_out_begin_decoded(&writing.out, output, strips->decoder, &strips->image, settings, problem) &&
                write_strips(strips, &writing, name, strip, problem);
    good = rows_out_end(&writing.out, good, problem);
    picture_release(&strip[0]);
    picture_release(&strip[1]);
    return good;
}

bool strips_write(struct strips *strips, const char *name, const char *path, const struct file_settings *settings,
    struct problem *problem)
{
    struct output output;
    bool good = output_open(&output, path, problem) && write_file(strips, &output, name, settings, problem) &&
                output_commit(&output, problem);

    output_discard(&output);
    return good;
}
