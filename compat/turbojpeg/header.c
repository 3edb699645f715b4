/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads headers with the original, and with Kostka the parameters that the original does not report. */
#include "header.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "original.h"
#include "own.h"
#include "picture.h"

enum { KEEP_ALL = 2, KEEP_PROFILE = 4, SAMPLING_UNKNOWN = -1 };

static void set_profile(struct turbojpeg_instance *instance, const kst_decoder *decoder)
{
    const kst_metadata *metadata;
    const int keep = instance->value[TJPARAM_SAVEMARKERS];
    free(instance->found);
    instance->found = NULL;
    instance->found_length = 0;
    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL; i++) {
        if (metadata->kind != KST_METADATA_ICC || (keep != KEEP_ALL && keep != KEEP_PROFILE) || instance->found)
            continue;
        instance->found = malloc(metadata->length);
        if (!instance->found)
            return;
        memcpy(instance->found, metadata->data, metadata->length);
        instance->found_length = metadata->length;
    }
}

/* Return the sampling of a picture as TJSAMP_…, which names that of luminance beside chrominance without any. */
static int sampling_of(const kst_info *info)
{
    const kst_component_info *c = info->component;
    if (info->component_count == 1)
        return TJSAMP_GRAY;
    for (uint32_t i = 1; i < info->component_count && i < 4; i++) {
        const bool is_key = i == 3; /* of YCCK, which is sampled as luminance is */
        if (c[i].h != (is_key ? c[0].h : 1) || c[i].v != (is_key ? c[0].v : 1))
            return SAMPLING_UNKNOWN;
    }
    for (int i = 0; i < TJSAMP_COUNT; i++)
        if (i != TJSAMP_GRAY && turbojpeg_factors[i].h == c[0].h && turbojpeg_factors[i].v == c[0].v)
            return i;
    return SAMPLING_UNKNOWN;
}

/* Set the parameters that the original does not report. Returns the number of scans, 0 if it is not known. */
static uint32_t set_details(struct turbojpeg_instance *instance, const unsigned char *jpeg, size_t length)
{
    kst_context *context = compat_context();
    kst_decoder *decoder;
    uint32_t scans = 0;
    int *value = instance->value;
    if (!context || kst_decoder_create(context, &decoder))
        return 0;
    if (!kst_decoder_open(decoder, jpeg, length)) {
        const kst_info *info = kst_decoder_info(decoder);
        value[TJPARAM_PRECISION] = (int)info->component[0].depth; /* an original of version 3 reads 12 bits, too */
        value[TJPARAM_PROGRESSIVE] = info->process == KST_PROCESS_PROGRESSIVE;
        value[TJPARAM_RESTARTBLOCKS] = (int)info->restart_interval;
        value[TJPARAM_RESTARTROWS] = 0;
        value[TJPARAM_DENSITYUNITS] = (int)info->density_unit;
        value[TJPARAM_XDENSITY] = info->density_x ? info->density_x : 1;
        value[TJPARAM_YDENSITY] = info->density_y ? info->density_y : 1;
        scans = info->scans;
        if (value[TJPARAM_SUBSAMP] < 0 && sampling_of(info) == TJSAMP_441) /* which version 2 does not know */
            value[TJPARAM_SUBSAMP] = TJSAMP_441;
        set_profile(instance, decoder);
    }
    kst_decoder_destroy(&decoder);
    return scans;
}

static int check_limits(struct turbojpeg_instance *instance, const char *function, uint32_t scans)
{
    const int *value = instance->value;
    if (value[TJPARAM_MAXPIXELS] &&
        (int64_t)value[TJPARAM_JPEGWIDTH] * value[TJPARAM_JPEGHEIGHT] > value[TJPARAM_MAXPIXELS])
        return turbojpeg_fail(instance, function, "Image is too large");
    if (value[TJPARAM_SCANLIMIT] && value[TJPARAM_PROGRESSIVE] && scans > (uint32_t)value[TJPARAM_SCANLIMIT])
        return turbojpeg_fail(
            instance, function, "Progressive JPEG image has more scans than TJPARAM_SCANLIMIT allows");
    return 0;
}

static void set_deep(struct turbojpeg_instance *instance, const kst_info *info)
{
    int *value = instance->value;
    value[TJPARAM_JPEGWIDTH] = (int)info->width;
    value[TJPARAM_JPEGHEIGHT] = (int)info->height;
    value[TJPARAM_SUBSAMP] = sampling_of(info);
    value[TJPARAM_COLORSPACE] = -1;
    for (int i = 0; i < TJCS_COUNT; i++)
        if (turbojpeg_colour(i) == info->colour)
            value[TJPARAM_COLORSPACE] = i;
    value[TJPARAM_PRECISION] = 12;
    value[TJPARAM_ARITHMETIC] = value[TJPARAM_LOSSLESS] = 0;
}

/* Read the header of a stream with samples of 12 bits, at which the original ends. False: it is none. */
static bool read_deep(struct turbojpeg_instance *instance, const unsigned char *jpeg, size_t length)
{
    kst_context *context = compat_context();
    kst_decoder *decoder;
    bool is_deep = false;
    if (!context || kst_decoder_create(context, &decoder))
        return false;
    if (!kst_decoder_open(decoder, jpeg, length)) {
        const kst_info *info = kst_decoder_info(decoder);
        is_deep =
            info->codec == KST_CODEC_JPEG && info->process != KST_PROCESS_LOSSLESS && info->component[0].depth == 12;
        if (is_deep)
            set_deep(instance, info);
    }
    kst_decoder_destroy(&decoder);
    return is_deep;
}

/* Report the original's error. Arguments that it refuses let it forget the header that it has not finished. */
static int give_up(struct turbojpeg_instance *instance, int result)
{
    turbojpeg_result(instance, result);
    turbojpeg_original.tjDecompress2(instance->handle, NULL, 0, NULL, 0, 0, 0, 0, 0);
    return result;
}

/* Read a header, and set the parameters that describe it. Returns 1 if there are only tables. */
static int read_header(
    struct turbojpeg_instance *instance, const char *function, const unsigned char *jpeg, size_t length)
{
    int width = -1, height = -1, subsampling = -1, colour = -1, *value = instance->value;
    int result = tjDecompressHeader3(instance->handle, jpeg, length, &width, &height, &subsampling, &colour);
    if (width < 0 && result && instance->kind != TJINIT_COMPRESS && read_deep(instance, jpeg, length)) {
        give_up(instance, result);
        instance->failed = false;
        return check_limits(instance, function, set_details(instance, jpeg, length));
    }
    if (width < 0)
        return result ? give_up(instance, result) : 1;
    if (result && (subsampling >= 0 || colour < 0)) /* unknown sampling is not an error in version 3 */
        return give_up(instance, result);
    value[TJPARAM_JPEGWIDTH] = width;
    value[TJPARAM_JPEGHEIGHT] = height;
    value[TJPARAM_SUBSAMP] = subsampling;
    value[TJPARAM_COLORSPACE] = colour;
    value[TJPARAM_PRECISION] = 8;
    value[TJPARAM_ARITHMETIC] = value[TJPARAM_LOSSLESS] = 0;
    return check_limits(instance, function, set_details(instance, jpeg, length));
}

int turbojpeg_read_header(
    struct turbojpeg_instance *instance, const char *function, const unsigned char *jpeg, size_t length)
{
    int result = read_header(instance, function, jpeg, length);
    return result > 0 ? turbojpeg_fail(instance, function, "JPEG datastream contains no image") : result;
}

int OWN(tj3DecompressHeader)(tjhandle handle, const unsigned char *jpeg, size_t length)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!jpeg || length == 0)
        return turbojpeg_fail(instance, "tj3DecompressHeader", "Invalid argument");
    return read_header(instance, "tj3DecompressHeader", jpeg, length) < 0 ? -1 : 0;
}
