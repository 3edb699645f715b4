/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes rows in the target's format as they arrive. */
#include "files/rows/out.h"
#include "files/metadata/losses.h"

#include "files/pnm/pgx.h"
#include "files/pnm/pnm.h"

bool rows_out_takes(const kst_image *image, const struct file_settings *settings)
{
    const struct file_format *target = settings->target;
    bool grey = image->format == KST_FORMAT_GREY, colour = image->format == KST_FORMAT_RGB;
    bool alpha = image->format == KST_FORMAT_RGBA;

    if (target == &file_pgm)
        return grey;
    if (target == &file_ppm)
        return colour;
    if (target == &file_raw)
        return grey || ((colour || alpha) && !raw_writes_planes(settings));
    return (target == &file_pnm || target == &file_pam || file_row_format(target) != NULL) && (grey || colour || alpha);
}

static bool write_header(
    struct output *output, const kst_image *image, const struct file_settings *settings, struct problem *problem)
{
    if (settings->target == &file_raw)
        return true;
    if (settings->target == &file_pgx)
        return pgx_write_header(output, &image->plane[0], settings->order == ORDER_LITTLE, problem);
    return pnm_write_header(output, image, settings->target == &file_pam, problem);
}

bool rows_out_begin(struct rows_out *rows, struct output *output, const struct picture *whole,
    const struct file_settings *settings, struct problem *problem)
{
    *rows = (struct rows_out){.output = output, .format = file_row_format(settings->target)};
    if (rows->format == NULL) {
        losses_note(whole, output->given);
        return write_header(output, &whole->image, settings, problem);
    }
    rows->file = rows->format->begin(output, whole, settings, problem);
    return rows->file != NULL;
}

bool rows_out_begin_decoded(struct rows_out *rows, struct output *output, const kst_decoder *decoder,
    const kst_image *image, const struct file_settings *settings, struct problem *problem)
{
    struct picture whole;

    *rows = (struct rows_out){.output = output};
    picture_init(&whole);
    whole.image = *image;
    bool good = jpeg_keep_metadata(decoder, settings, &whole, problem) &&
                rows_out_begin(rows, output, &whole, settings, problem);
    picture_release(&whole);
    return good;
}

bool rows_out_add(
    struct rows_out *rows, struct picture *added, const struct file_settings *settings, struct problem *problem)
{
    if (rows->format != NULL)
        return rows->format->add(rows->file, added, problem);
    if (settings->target == &file_raw)
        return file_raw.write(rows->output, added, settings, problem);
    return pnm_write_rows(rows->output, added, problem);
}

bool rows_out_end(struct rows_out *rows, bool good, struct problem *problem)
{
    void *file = rows->file;

    rows->file = NULL;
    return file != NULL ? rows->format->end(file, good, problem) : good;
}
