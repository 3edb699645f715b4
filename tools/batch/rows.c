/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts pictures from one file to another some rows at a time. */
#include <stdlib.h>

#include "batch/batch.h"
#include "files/resize.h"
#include "files/rows/across.h"
#include "files/rows/bands_out.h"
#include "files/rows/strips.h"
#include "progress/outcome.h"

/*
 * Return the path of the output. Its extension may depend on the pixel format of the whole picture, which `image`
 * describes.
 */
static char *path_for(const struct task *task, const kst_image *image, struct problem *problem)
{
    struct picture described;

    outcome_note_pixels((uint64_t)image->width * image->height);
    picture_init(&described);
    described.image = *image;
    return task_path(task, file_extension(task->files.target, &described), problem);
}

static bool write_strips(struct strips *strips, const struct task *task, struct problem *problem)
{
    char *path = path_for(task, &strips->image, problem);
    bool good = path != NULL && strips_write(strips, task->source->name, path, &task->files, problem);

    free(path);
    strips_close(strips);
    return good;
}

static bool write_bands(struct bands_out *bands, const struct task *task, struct problem *problem)
{
    char *path = path_for(task, &bands->image, problem);
    bool good = path != NULL && bands_out_write(bands, path, &task->files, problem);

    free(path);
    bands_out_close(bands);
    return good;
}

static bool write_across(struct rows_across *across, const struct task *task, struct problem *problem)
{
    char *path = path_for(task, &across->whole.image, problem);
    bool good = path != NULL && rows_across_write(across, path, problem);

    free(path);
    rows_across_close(across);
    return good;
}

bool task_by_rows(const struct task *task, bool *good, struct problem *problem)
{
    struct strips strips;
    struct bands_out bands;
    struct rows_across across;

    if (task->files.raw.width > 0 || resize_wanted(&task->files) || task->files.filters != NULL)
        return false;
    if (strips_open(&strips, task->source, &task->files))
        *good = write_strips(&strips, task, problem);
    else if (task->files.relay == NULL && bands_out_open(&bands, task->source, &task->files))
        *good = write_bands(&bands, task, problem);
    else if (rows_across_open(&across, task->source, &task->files))
        *good = write_across(&across, task, problem);
    else
        return false;
    return true;
}
