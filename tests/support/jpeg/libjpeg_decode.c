/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes pictures and planes with libjpeg. */
#include "support/jpeg/libjpeg_decode.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#if JPEG_LIB_VERSION >= 70
#define BLOCK_SIZE(component) (component)->DCT_h_scaled_size
#define LEAST_BLOCK_SIZE(info) (info)->min_DCT_h_scaled_size
#else
#define BLOCK_SIZE(component) (component)->DCT_scaled_size
#define LEAST_BLOCK_SIZE(info) (info)->min_DCT_scaled_size
#endif

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void on_error(j_common_ptr info)
{
    longjmp(((struct failure *)(void *)info->err)->jump, 1);
}

static void on_message(j_common_ptr info)
{
    (void)info;
}

static void start(j_decompress_ptr info, const uint8_t *data, size_t length, uint32_t reduce)
{
    jpeg_create_decompress(info);
    jpeg_mem_src(info, data, length);
    jpeg_read_header(info, TRUE);
    info->scale_num = 1;
    info->scale_denom = 1U << reduce;
}

static void choose_colour(j_decompress_ptr info, kst_format format)
{
    static const J_COLOR_SPACE space[] = {[KST_FORMAT_GREY] = JCS_GRAYSCALE,
        [KST_FORMAT_RGB] = JCS_RGB,
        [KST_FORMAT_BGR] = JCS_EXT_BGR,
        [KST_FORMAT_RGBA] = JCS_EXT_RGBA,
        [KST_FORMAT_BGRA] = JCS_EXT_BGRA,
        [KST_FORMAT_CMYK] = JCS_CMYK};
    if (format != KST_FORMAT_AUTO)
        info->out_color_space = space[format];
}

static void choose_method(j_decompress_ptr info, const kst_decode_options *options)
{
    if (options->eighths) {
        info->scale_num = options->eighths;
        info->scale_denom = 8;
    }
    info->dct_method = options->dct == KST_DCT_FAST ? JDCT_IFAST : JDCT_ISLOW;
    info->do_fancy_upsampling = options->upsampling == KST_UPSAMPLING_FANCY;
}

bool libjpeg_decode_as(
    const uint8_t *data, size_t length, const kst_decode_options *options, struct libjpeg_picture *picture)
{
    struct jpeg_decompress_struct info;
    struct failure failure;
    memset(picture, 0, sizeof *picture);
    memset(&info, 0, sizeof info);
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = on_error;
    failure.manager.output_message = on_message;
    if (setjmp(failure.jump)) {
        jpeg_destroy_decompress(&info);
        libjpeg_picture_release(picture);
        return false;
    }
    start(&info, data, length, options->reduce);
    choose_colour(&info, options->format);
    choose_method(&info, options);
    jpeg_start_decompress(&info);
    picture->width = info.output_width;
    picture->height = info.output_height;
    picture->channels = (uint32_t)info.output_components;
    size_t row = (size_t)picture->width * picture->channels;
    picture->pixels = malloc(row * picture->height);
    if (!picture->pixels)
        abort();
    while (info.output_scanline < info.output_height) {
        JSAMPROW to = picture->pixels + row * info.output_scanline;
        jpeg_read_scanlines(&info, &to, 1);
    }
    jpeg_finish_decompress(&info);
    picture->warnings = info.err->num_warnings;
    jpeg_destroy_decompress(&info);
    return true;
}

bool libjpeg_decode(
    const uint8_t *data, size_t length, kst_format format, uint32_t reduce, struct libjpeg_picture *picture)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = format;
    options.reduce = reduce;
    return libjpeg_decode_as(data, length, &options, picture);
}

void libjpeg_picture_release(struct libjpeg_picture *picture)
{
    free(picture->pixels);
    picture->pixels = NULL;
}

static void read_planes(j_decompress_ptr info, struct libjpeg_planes *planes)
{
    JSAMPROW rows[4][32];
    JSAMPARRAY all[4] = {rows[0], rows[1], rows[2], rows[3]};
    uint32_t group[4];
    for (uint32_t i = 0; i < planes->components; i++) {
        const jpeg_component_info *c = &info->comp_info[i];
        planes->h[i] = (uint32_t)c->h_samp_factor;
        planes->v[i] = (uint32_t)c->v_samp_factor;
        planes->block[i] = (uint32_t)BLOCK_SIZE(c);
        planes->width[i] = c->downsampled_width;
        planes->height[i] = c->downsampled_height;
        planes->pitch[i] = c->width_in_blocks * planes->block[i];
        group[i] = planes->v[i] * planes->block[i];
        planes->plane[i] = calloc((size_t)planes->pitch[i] * group[i], info->total_iMCU_rows);
        if (!planes->plane[i])
            abort();
    }
    for (uint32_t mcu = 0; mcu < info->total_iMCU_rows; mcu++) {
        for (uint32_t i = 0; i < planes->components; i++)
            for (uint32_t y = 0; y < group[i]; y++)
                rows[i][y] = planes->plane[i] + (size_t)(mcu * group[i] + y) * planes->pitch[i];
        jpeg_read_raw_data(info, all, planes->vmax * (uint32_t)LEAST_BLOCK_SIZE(info));
    }
}

bool libjpeg_decode_planes(const uint8_t *data, size_t length, uint32_t reduce, struct libjpeg_planes *planes)
{
    struct jpeg_decompress_struct info;
    struct failure failure;
    memset(planes, 0, sizeof *planes);
    memset(&info, 0, sizeof info);
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = on_error;
    failure.manager.output_message = on_message;
    if (setjmp(failure.jump)) {
        jpeg_destroy_decompress(&info);
        libjpeg_planes_release(planes);
        return false;
    }
    start(&info, data, length, reduce);
    info.raw_data_out = TRUE;
    jpeg_start_decompress(&info);
    planes->components = (uint32_t)info.num_components;
    planes->picture_width = info.output_width;
    planes->picture_height = info.output_height;
    planes->hmax = (uint32_t)info.max_h_samp_factor;
    planes->vmax = (uint32_t)info.max_v_samp_factor;
    read_planes(&info, planes);
    planes->warnings = info.err->num_warnings;
    jpeg_destroy_decompress(&info);
    return true;
}

void libjpeg_planes_release(struct libjpeg_planes *planes)
{
    for (uint32_t i = 0; i < 4; i++) {
        free(planes->plane[i]);
        planes->plane[i] = NULL;
    }
}
