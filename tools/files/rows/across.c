/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies rows from one file format to another without keeping the picture in memory. */
#include "files/rows/across.h"

#include "files/rows/out.h"
#include "progress/progress.h"

enum { BAND_BYTES = 1 << 18 };

static size_t row_bytes(const kst_image *image)
{
    return (size_t)image->width * kst_format_channels(image->format) * picture_sample_bytes(&image->plane[0]);
}

static bool is_suitable(const struct rows_across *across)
{
    const struct file_settings *settings = across->settings;
    const kst_image *image = &across->whole.image;
    struct problem told_later;

    return image->width > 0 && image->height > 0 &&
           picture_permitted(settings, image->width, image->height, 0, &told_later) &&
           memory_permitted(settings, row_bytes(image), &told_later) && rows_out_takes(image, settings);
}

bool rows_across_open(struct rows_across *across, const struct source *source, const struct file_settings *settings)
{
    const struct file_format *format = file_format_of(source);

    *across = (struct rows_across){.source = source, .settings = settings};
    picture_init(&across->whole);
    if (format == NULL || format->rows == NULL)
        return false;
    across->reader = format->rows;
    across->file = across->reader->begin(source, settings, &across->whole);
    source_rest(source); /* because the search for texts may have touched the whole file */
    if (across->file != NULL && is_suitable(across))
        return true;
    rows_across_close(across);
    return false;
}

void rows_across_close(struct rows_across *across)
{
    struct problem told_before;

    if (across->file != NULL)
        across->reader->end(across->file, false, &told_before);
    across->file = NULL;
    picture_release(&across->whole);
}

static bool read_band(struct rows_across *across, struct picture *band, uint32_t rows, struct problem *problem)
{
    const kst_image *whole = &across->whole.image;
    bool good =
        picture_allocate(band, whole->format, whole->width, rows, picture_depth(&across->whole), UINT64_MAX, problem);

    for (uint32_t y = 0; y < rows && good; y++)
        good = across->reader->next(across->file, picture_row(band, 0, y), problem);
    return good;
}

/* Write all rows, a band of them at a time. */
static bool write_rows(struct rows_across *across, struct rows_out *out, struct problem *problem)
{
    const kst_image *whole = &across->whole.image;
    size_t row = row_bytes(whole), rows = row < BAND_BYTES ? BAND_BYTES / row : 1, since = 0;
    struct progress_part reading = progress_reading(0, 1), writing = progress_writing(0, 1);
    struct picture band;
    bool good = true;

    picture_init(&band);
    for (uint32_t y = 0, count; y < whole->height && good; y += count) {
        count = whole->height - y < rows ? whole->height - y : (uint32_t)rows;
        good = read_band(across, &band, count, problem);
        progress_part_done(&reading, (double)(y + count) / whole->height);
        good = good && rows_out_add(out, &band, across->settings, problem);
        progress_part_done(&writing, (double)y / whole->height);
        if ((since += row * count) >= SOURCE_REST) {
            source_rest(across->source);
            since = 0;
        }
    }
    picture_release(&band);
    return good;
}

/* Write the rows, and read what follows them in the source. */
static bool write_file(struct rows_across *across, struct output *output, struct problem *problem)
{
    struct rows_out out;
    void *file = across->file;
    bool good =
        rows_out_begin(&out, output, &across->whole, across->settings, problem) && write_rows(across, &out, problem);

    across->file = NULL;
    good = across->reader->end(file, good, problem);
    return rows_out_end(&out, good, problem);
}

bool rows_across_write(struct rows_across *across, const char *path, struct problem *problem)
{
    struct output output;
    bool good =
        output_open(&output, path, problem) && write_file(across, &output, problem) && output_commit(&output, problem);

    output_discard(&output);
    return good;
}
