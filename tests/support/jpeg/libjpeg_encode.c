/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures with libjpeg, following the options of kst_encode(). */
#include "support/jpeg/libjpeg_encode.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void on_error(j_common_ptr info)
{
    longjmp(((struct failure *)(void *)info->err)->jump, 1);
}

static void on_message(j_common_ptr info, int level)
{
    (void)info;
    (void)level;
}

static void set_input(struct jpeg_compress_struct *info, const kst_image *image)
{
    static const struct {
        J_COLOR_SPACE space;
        int components;
    } input[] = {
        [KST_FORMAT_GREY] = {JCS_GRAYSCALE, 1},
        [KST_FORMAT_RGB] = {JCS_RGB, 3},
        [KST_FORMAT_BGR] = {JCS_EXT_BGR, 3},
        [KST_FORMAT_RGBA] = {JCS_EXT_RGBX, 4},
        [KST_FORMAT_BGRA] = {JCS_EXT_BGRX, 4},
        [KST_FORMAT_CMYK] = {JCS_CMYK, 4},
    };
    static const J_COLOR_SPACE by_count[] = {[1] = JCS_GRAYSCALE, [3] = JCS_RGB, [4] = JCS_CMYK};
    info->image_width = image->width;
    info->image_height = image->height;
    if (image->format == KST_FORMAT_PLANAR) {
        info->in_color_space = by_count[image->plane_count];
        info->input_components = (int)image->plane_count;
    } else if (image->format == KST_FORMAT_RAW) {
        info->in_color_space = image->plane_count == 3   ? (image->colour == KST_COLOUR_RGB ? JCS_RGB : JCS_YCbCr)
                               : image->plane_count == 1 ? JCS_GRAYSCALE
                               : image->colour == KST_COLOUR_YCCK ? JCS_YCCK
                                                                  : JCS_CMYK;
        info->input_components = (int)image->plane_count;
    } else {
        info->in_color_space = input[image->format].space;
        info->input_components = input[image->format].components;
    }
}

/* Set the colour of samples that are YCbCr or YCCK already. */
static void set_given_colour(struct jpeg_compress_struct *info, const kst_image *image)
{
    if (image->format != KST_FORMAT_RAW && image->colour == KST_COLOUR_YCBCR)
        info->in_color_space = JCS_YCbCr;
    if (image->format != KST_FORMAT_RAW && image->colour == KST_COLOUR_YCCK)
        info->in_color_space = JCS_YCCK;
}

static void set_colour(struct jpeg_compress_struct *info, const kst_encode_options *o)
{
    static const J_COLOR_SPACE coded[] = {[KST_COLOUR_GREY] = JCS_GRAYSCALE,
        [KST_COLOUR_RGB] = JCS_RGB,
        [KST_COLOUR_YCBCR] = JCS_YCbCr,
        [KST_COLOUR_CMYK] = JCS_CMYK,
        [KST_COLOUR_YCCK] = JCS_YCCK};
    if (o->colour != KST_COLOUR_UNKNOWN)
        jpeg_set_colorspace(info, coded[o->colour]);
}

static void set_sampling(struct jpeg_compress_struct *info, const kst_encode_options *o)
{
    static const int factor[][2] = {{2, 2}, {2, 1}, {1, 1}, {1, 2}, {4, 1}, {4, 2}};
    bool chroma = info->jpeg_color_space == JCS_YCbCr || info->jpeg_color_space == JCS_YCCK;
    for (int c = 0; c < info->num_components; c++) {
        jpeg_component_info *component = &info->comp_info[c];
        if (o->h[0] != 0) {
            component->h_samp_factor = o->h[c];
            component->v_samp_factor = o->v[c];
        } else if (chroma) {
            component->h_samp_factor = c == 0 || c == 3 ? factor[o->subsampling][0] : 1;
            component->v_samp_factor = c == 0 || c == 3 ? factor[o->subsampling][1] : 1;
        }
    }
}

static void set_tables(struct jpeg_compress_struct *info, const kst_encode_options *o)
{
    static const uint8_t usual[4] = {0, 1, 1, 0};
    jpeg_set_quality(info, o->quality, !o->wide_quantisers);
    info->dct_method = o->dct == KST_DCT_FAST ? JDCT_IFAST : JDCT_ISLOW;
    for (int i = 0; i < 4; i++) {
        unsigned int table[64];
        for (int k = 0; o->quant_table[i] && k < 64; k++)
            table[k] = o->quant_table[i][k];
        if (o->quant_table[i])
            jpeg_add_quant_table(info, i, table, 100, !o->wide_quantisers);
    }
    for (int c = 0; memcmp(usual, o->quant_index, 4) != 0 && c < info->num_components; c++)
        info->comp_info[c].quant_tbl_no = o->quant_index[c];
}

static void set_script(struct jpeg_compress_struct *info, const kst_encode_options *o, jpeg_scan_info *script)
{
    info->optimize_coding = o->coding == KST_CODING_OPTIMIZED;
    if (o->script) {
        for (size_t i = 0; i < o->script_length; i++) {
            script[i].comps_in_scan = o->script[i].component_count;
            for (int c = 0; c < 4; c++)
                script[i].component_index[c] = o->script[i].component[c];
            script[i].Ss = o->script[i].ss;
            script[i].Se = o->script[i].se;
            script[i].Ah = o->script[i].ah;
            script[i].Al = o->script[i].al;
        }
        info->scan_info = script;
        info->num_scans = (int)o->script_length;
    } else if (o->coding == KST_CODING_PROGRESSIVE) {
        jpeg_simple_progression(info);
    }
    if (o->restart.unit == KST_RESTART_MCUS)
        info->restart_interval = o->restart.interval;
    if (o->restart.unit == KST_RESTART_ROWS)
        info->restart_in_rows = (int)o->restart.interval;
}

static void write_metadata(struct jpeg_compress_struct *info, const kst_encode_options *o)
{
    for (size_t i = 0; i < o->metadata_count; i++) {
        const kst_metadata *m = &o->metadata[i];
        if (m->kind == KST_METADATA_ICC)
            jpeg_write_icc_profile(info, m->data, (unsigned)m->length);
        else
            jpeg_write_marker(
                info, m->kind == KST_METADATA_COMMENT ? JPEG_COM : m->marker, m->data, (unsigned)m->length);
    }
}

static void write_rows(struct jpeg_compress_struct *info, const kst_image *image, JSAMPLE *row)
{
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *in = (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
        size_t bytes = (size_t)image->width * (size_t)info->input_components;
        if (image->format != KST_FORMAT_PLANAR) {
            memcpy(row, in, bytes);
        } else {
            for (uint32_t p = 0; p < image->plane_count; p++)
                for (uint32_t x = 0; x < image->width; x++)
                    row[x * image->plane_count + p] =
                        ((const uint8_t *)image->plane[p].data + (ptrdiff_t)y * image->plane[p].pitch)[x];
        }
        jpeg_write_scanlines(info, &row, 1);
    }
}

/*
 * Encode raw planes, padded as libjpeg's own downsampling does it, by repeating the last column and row of each
 * component.
 */
static void write_raw(struct jpeg_compress_struct *info, const kst_image *image, JSAMPLE *memory)
{
    JSAMPROW row[4][32];
    JSAMPARRAY plane[4] = {row[0], row[1], row[2], row[3]};
    uint32_t rows = (uint32_t)info->max_v_samp_factor * 8;
    for (uint32_t y = 0; y < image->height; y += rows) {
        JSAMPLE *to = memory;
        for (uint32_t c = 0; c < image->plane_count; c++) {
            const kst_plane *from = &image->plane[c];
            uint32_t height = (uint32_t)info->comp_info[c].v_samp_factor * 8;
            uint32_t first = y / rows * height, width = (from->width + 31) / 32 * 32 + 32;
            for (uint32_t j = 0; j < height; j++, to += width) {
                uint32_t line = first + j < from->height ? first + j : from->height - 1;
                const uint8_t *in = (const uint8_t *)from->data + (ptrdiff_t)line * from->pitch;
                memcpy(to, in, from->width);
                memset(to + from->width, in[from->width - 1], width - from->width);
                row[c][j] = to;
            }
        }
        jpeg_write_raw_data(info, plane, rows);
    }
}

bool libjpeg_encode(const kst_image *image, const kst_encode_options *o, unsigned char **data, unsigned long *length)
{
    struct jpeg_compress_struct info;
    struct failure failure;
    jpeg_scan_info script[64];
    JSAMPLE *volatile memory = malloc(((size_t)image->width + 128) * 32 * 4);
    *data = NULL;
    *length = 0;
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = on_error;
    failure.manager.emit_message = on_message;
    if (!memory)
        abort();
    if (setjmp(failure.jump)) {
        jpeg_destroy_compress(&info);
        free(memory);
        free(*data);
        return false;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, data, length);
    set_input(&info, image);
    set_given_colour(&info, image);
    jpeg_set_defaults(&info);
    set_tables(&info, o);
    set_colour(&info, o);
    set_sampling(&info, o);
    set_tables(&info, o);
    set_script(&info, o, script);
    info.density_unit = (UINT8)o->density_unit;
    info.X_density = o->density_x;
    info.Y_density = o->density_y;
    info.raw_data_in = image->format == KST_FORMAT_RAW;
    jpeg_start_compress(&info, TRUE);
    write_metadata(&info, o);
    if (info.raw_data_in)
        write_raw(&info, image, memory);
    else
        write_rows(&info, image, memory);
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(memory);
    return true;
}
