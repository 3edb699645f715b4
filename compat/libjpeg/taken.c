/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which decompressions are taken over, and associates them with cinfo. */
#include "taken.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"

static const char tag;

struct libjpeg_taken *libjpeg_taken(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = (struct libjpeg_taken *)(void *)cinfo->main;
    return cinfo->mem && taken && taken->tag == &tag ? taken : NULL;
}

void libjpeg_close_lines(struct libjpeg_taken *taken)
{
    if (compat_is_own(taken->context))
        kst_lines_close(&taken->lines);
}

void libjpeg_release(struct libjpeg_taken *taken)
{
    if (!taken)
        return;
    libjpeg_forget_handed(taken);
    libjpeg_close_lines(taken);
    if (compat_is_own(taken->context))
        kst_image_release(taken->context, &taken->whole);
    free(taken->bytes);
    free(taken->border);
    free(taken);
}

/* Return whether the number of components suits the coded colour space that the made headers will state. */
static bool is_known(j_decompress_ptr cinfo)
{
    int count = cinfo->num_components;
    switch (cinfo->jpeg_color_space) {
    case JCS_GRAYSCALE:
        return count == 1;
    case JCS_RGB:
    case JCS_YCbCr:
        return count == 3;
    case JCS_CMYK:
    case JCS_YCCK:
        return count == 4 && (cinfo->out_color_space == JCS_CMYK || libjpeg_is_as_coded(cinfo));
    case JCS_UNKNOWN:
        return count != 2 && libjpeg_is_as_coded(cinfo);
    default:
        return false;
    }
}

bool libjpeg_is_as_coded(j_decompress_ptr cinfo)
{
    J_COLOR_SPACE space = cinfo->out_color_space;
    return space == cinfo->jpeg_color_space && (space == JCS_YCbCr || space == JCS_YCCK || space == JCS_UNKNOWN);
}

/*
 * Find the format of the pixels. For components as they are coded, that is the format that is decoded without
 * conversion.
 */
static bool find_output(j_decompress_ptr cinfo, kst_format *format)
{
    static const J_COLOR_SPACE unconverted[] = {JCS_UNKNOWN, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB, JCS_CMYK};
    bool as_coded = libjpeg_is_as_coded(cinfo) && cinfo->num_components <= 4;
    return libjpeg_find_format(as_coded ? unconverted[cinfo->num_components] : cinfo->out_color_space, format);
}

/* Return whether components are resampled by whole factors. The system's library refuses others. */
static bool has_whole_factors(j_decompress_ptr cinfo)
{
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *c = &cinfo->comp_info[i];
        int h = c->h_samp_factor * libjpeg_block_size(c), v = c->v_samp_factor * libjpeg_block_size(c);
        if (h <= 0 || v <= 0 || cinfo->max_h_samp_factor * libjpeg_least_block_size(cinfo) % h != 0 ||
            cinfo->max_v_samp_factor * libjpeg_least_block_size(cinfo) % v != 0)
            return false;
    }
    return true;
}

static bool is_plain_scan(j_decompress_ptr cinfo)
{
    return cinfo->progressive_mode ? cinfo->do_block_smoothing
                                   : cinfo->Ss == 0 && cinfo->Se == DCTSIZE2 - 1 && cinfo->Ah == 0 && cinfo->Al == 0;
}

static bool has_many_scans(j_decompress_ptr cinfo)
{
    return cinfo->progressive_mode || cinfo->comps_in_scan < cinfo->num_components;
}

/* Progress monitors are called while a single scan is decoded; those of several scans follow the system's library. */
static bool suits(j_decompress_ptr cinfo)
{
    bool plain = !cinfo->buffered_image && !cinfo->raw_data_out && !cinfo->quantize_colors &&
                 (!cinfo->progress || !has_many_scans(cinfo)) &&
                 (cinfo->dct_method == JDCT_ISLOW || cinfo->dct_method == JDCT_IFAST);
    return plain && cinfo->data_precision == 8 && !cinfo->arith_code && !cinfo->CCIR601_sampling &&
           cinfo->unread_marker == 0 && cinfo->src && libjpeg_is_standard_resync(cinfo->src->resync_to_restart) &&
           is_known(cinfo) && is_plain_scan(cinfo);
}

/*
 * Return whether the whole picture is decoded at once: if the environment asks for several threads or a device, and the
 * picture is worth that. The size is limited, because a file of a few kilobytes can claim 2^32 pixels, and a caller who
 * reads lines does not expect so much memory to be allocated.
 */
static bool is_decoded_at_once(j_decompress_ptr cinfo)
{
    enum { WORTH_PIXELS = 1 << 18, BYTES_MAX = 1 << 30 };
    const uint64_t pixels = (uint64_t)cinfo->output_width * cinfo->output_height;
    const char *device = getenv("KOSTKA_DEVICE"), *threads = getenv("KOSTKA_THREADS");
    bool many = threads && *threads && strcmp(threads, "1") != 0,
         other = device && *device && strcmp(device, "cpu") != 0;
    return (many || other) && pixels >= WORTH_PIXELS && pixels * (unsigned)cinfo->output_components <= BYTES_MAX;
}

static bool set_options(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    kst_decode_options *options = &taken->options;
    kst_decode_options_init(options);
    options->eighths = (uint32_t)libjpeg_least_block_size(cinfo);
    options->dct = cinfo->dct_method == JDCT_IFAST ? KST_DCT_FAST : KST_DCT_ACCURATE;
    options->upsampling = cinfo->do_fancy_upsampling ? KST_UPSAMPLING_FANCY : KST_UPSAMPLING_NEAREST;
    return find_output(cinfo, &options->format);
}

/* Open the stream, and check that the picture has the size that the system's library has computed. */
static bool open_lines(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    kst_image image;
    taken->context = compat_context();
    kst_image_init(&taken->whole);
    if (!taken->context || !set_options(taken, cinfo) ||
        kst_lines_open(taken->context, taken->bytes, taken->length, &taken->options, &taken->lines))
        return false;
    kst_lines_describe(taken->lines, &image);
    taken->at_once = is_decoded_at_once(cinfo);
    return image.width == cinfo->output_width && image.height == cinfo->output_height &&
           (int)kst_format_channels(image.format) == cinfo->output_components;
}

struct libjpeg_taken *libjpeg_take(j_decompress_ptr cinfo)
{
    if (!suits(cinfo))
        return NULL;
    jpeg_calc_output_dimensions(cinfo);
    if (!has_whole_factors(cinfo))
        return NULL;
    struct libjpeg_taken *taken = calloc(1, sizeof *taken);
    if (!taken)
        return NULL;
    taken->tag = &tag;
    taken->many_scans = has_many_scans(cinfo);
    if (!libjpeg_make_header(taken, cinfo) || !open_lines(taken, cinfo)) {
        libjpeg_release(taken);
        return NULL;
    }
    cinfo->main = (struct jpeg_d_main_controller *)(void *)taken;
    return taken;
}
