/* SPDX-License-Identifier: BSD-2-Clause */
#include "files/rows_out.h"

#include "files/pgx.h"
#include "files/pnm.h"

static bool write_header(
    struct output *output, const kst_image *image, const struct file_settings *settings, struct problem *problem)
{
    if (settings->target == &file_raw)
        return true;
    if (settings->target == &file_pgx)
        return pgx_write_header(output, &image->plane[0], settings->order == ORDER_LITTLE, problem);
    return pnm_write_header(output, image, settings->target == &file_pam, problem);
}

bool rows_out_begin(struct rows_out *rows, struct output *output, const kst_decoder *decoder, const kst_image *image,
    const struct file_settings *settings, struct problem *problem)
{
    struct picture whole;

    *rows = (struct rows_out){.output = output, .format = file_row_format(settings->target)};
    if (rows->format == NULL)
        return write_header(output, image, settings, problem);
    picture_init(&whole);
    whole.image = *image;
    if (jpeg_keep_metadata(decoder, settings, &whole, problem))
        rows->file = rows->format->begin(output, &whole, settings, problem);
    picture_release(&whole);
    return rows->file != NULL;
}

bool rows_out_end(struct rows_out *rows, bool good, struct problem *problem)
{
    void *file = rows->file;

    rows->file = NULL;
    return file != NULL ? rows->format->end(file, good, problem) : good;
}
