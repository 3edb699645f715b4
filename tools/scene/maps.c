/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes maps of disparities and depths to files. */
#include "scene/maps.h"

#include <kostka/kostka_device.h>
#include <string.h>

#include "files/output.h"
#include "scene/pfm.h"

static bool check_path(const char *path, bool is_float)
{
    static const struct file_format *const wide[] = {&file_png, &file_tiff, &file_pgm, &file_pnm, &file_pam};
    const struct file_format *format = file_format_by_path(path);

    if (is_float && file_has_extension(path, "pfm"))
        return true;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (format == wide[i])
            return true;
    complain_usage("filter", "'%s' is written as PNG, TIFF, PGM, PAM%s: choose such an extension", path,
        is_float ? " or PFM" : "");
    return false;
}

bool maps_check_paths(const char *out, const char *confidence)
{
    if (!check_path(out, true) || (confidence != NULL && !check_path(confidence, false)))
        return false;
    if (confidence == NULL || strcmp(out, confidence) != 0)
        return true;
    complain_usage("filter", "--confidence would replace '%s', the output: name another file", out);
    return false;
}

bool maps_spare(const char *source, const char *out, const char *confidence, const char *cloud)
{
    const char *const outputs[] = {out, confidence, cloud};

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] != NULL && output_is_source(outputs[i], source)) {
            complain_usage("filter", "'%s' is an input: name another file", outputs[i]);
            return false;
        }
    return true;
}

kst_status maps_bring(kst_context *context, kst_image *image)
{
    kst_image host = *image;

    if (image->memory == KST_MEMORY_HOST)
        return KST_OK;
    host.memory = KST_MEMORY_HOST;
    host.plane[0].data = NULL;
    host.plane[0].offset = 0;
    host.owned = NULL;
    kst_status status = kst_image_allocate(context, &host);
    if (status)
        return status;
    status = kst_image_copy(context, image, &host);
    kst_image_release(context, status ? &host : image);
    *image = status ? *image : host;
    return status;
}

bool maps_write(struct picture *picture, const char *path, double unit, const struct file_settings *settings)
{
    struct problem problem = {.text = ""};
    bool good;

    if (unit > 0 && file_has_extension(path, "pfm"))
        good = pfm_write(path, &picture->image, unit, &problem);
    else
        good = picture_write(picture, path, file_format_by_path(path), settings, &problem);
    if (!good)
        complain(path, "%s", problem.text);
    return good;
}

void maps_complain(const char *name, kst_status status, const kst_report *report)
{
    const char *text = report->message[0] ? report->message : kst_status_text(status);

    if (status == KST_ERROR_LIMIT_MEMORY)
        complain(name, "%s; raise the limit with --max-memory", text);
    else if (status == KST_ERROR_LIMIT_PIXELS)
        complain(name, "%s; raise the limit with --max-pixels", text);
    else
        complain(name, "%s", text);
}
