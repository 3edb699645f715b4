/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads coefficients and planes with libjpeg, and encodes streams of every shape. */
#include "support/jpeg/libjpeg_coefficients.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf back;
};

static void leave(j_common_ptr common)
{
    longjmp(((struct failure *)common->err)->back, 1);
}

static void be_quiet(j_common_ptr common)
{
    (void)common;
}

/*
 * Ignore warnings of bytes behind a scan's last block: whether libjpeg reports fewer than eight of them depends on the
 * state of its bit buffer.
 */
static void count_warning(j_common_ptr common, int level)
{
    const struct jpeg_error_mgr *manager = common->err;
    bool surplus = manager->msg_code == JWRN_EXTRANEOUS_DATA && manager->msg_parm.i[0] < 8;
    if (level < 0 && !surplus)
        common->err->num_warnings++;
}

static struct jpeg_error_mgr *set_up(struct failure *failure)
{
    jpeg_std_error(&failure->manager);
    failure->manager.error_exit = leave;
    failure->manager.output_message = be_quiet;
    failure->manager.emit_message = count_warning;
    return &failure->manager;
}

static void copy_component(j_decompress_ptr info, jvirt_barray_ptr *arrays, int i, struct peer_coefficients *out)
{
    const jpeg_component_info *c = &info->comp_info[i];
    uint32_t h = (uint32_t)c->h_samp_factor;
    uint32_t v = (uint32_t)c->v_samp_factor;
    out->blocks_w[i] = (c->width_in_blocks + h - 1) / h * h;
    out->blocks_h[i] = (c->height_in_blocks + v - 1) / v * v;
    size_t row = (size_t)out->blocks_w[i] * 64;
    out->blocks[i] = malloc(row * out->blocks_h[i] * sizeof(int16_t));
    for (uint32_t y = 0; y < out->blocks_h[i]; y++) {
        JBLOCKARRAY blocks = info->mem->access_virt_barray((j_common_ptr)info, arrays[i], y, 1, FALSE);
        memcpy(out->blocks[i] + y * row, blocks[0], row * sizeof(int16_t));
    }
}

static void read_coefficients(j_decompress_ptr info, void *to)
{
    struct peer_coefficients *out = to;
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(info);
    out->components = info->num_components;
    for (int i = 0; i < info->num_components && i < 4; i++)
        copy_component(info, arrays, i, out);
    jpeg_finish_decompress(info);
}

/* Run libjpeg on a stream: read its header, and then call `read`. Returns false if libjpeg refuses the stream. */
static bool run(
    const uint8_t *data, size_t length, void (*read)(j_decompress_ptr info, void *to), void *to, long *warnings)
{
    struct jpeg_decompress_struct info;
    struct failure failure;
    memset(&info, 0, sizeof info);
    info.err = set_up(&failure);
    if (setjmp(failure.back)) {
        jpeg_destroy_decompress(&info);
        return false;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, data, length);
    jpeg_read_header(&info, TRUE);
    read(&info, to);
    *warnings = info.err->num_warnings;
    jpeg_destroy_decompress(&info);
    return true;
}

bool peer_read_coefficients(const uint8_t *data, size_t length, struct peer_coefficients *out)
{
    memset(out, 0, sizeof *out);
    if (run(data, length, read_coefficients, out, &out->warnings))
        return true;
    peer_release(out);
    return false;
}

void peer_release(struct peer_coefficients *coefficients)
{
    for (int i = 0; i < 4; i++)
        free(coefficients->blocks[i]);
    memset(coefficients, 0, sizeof *coefficients);
}

static void read_planes(j_decompress_ptr info, void *to)
{
    struct peer_image *out = to;
    JSAMPROW rows[4][32];
    JSAMPARRAY planes[4];
    info->raw_data_out = TRUE;
    jpeg_start_decompress(info);
    uint32_t vmax = (uint32_t)info->max_v_samp_factor;
    out->components = info->num_components;
    for (int i = 0; i < out->components; i++) {
        const jpeg_component_info *c = &info->comp_info[i];
        out->width[i] = c->width_in_blocks * 8;
        out->height[i] = info->total_iMCU_rows * (uint32_t)c->v_samp_factor * 8;
        out->plane[i] = calloc((size_t)out->width[i] * out->height[i], 1);
        planes[i] = rows[i];
    }
    for (uint32_t mcu = 0; mcu < info->total_iMCU_rows; mcu++) {
        for (int i = 0; i < out->components; i++) {
            uint32_t count = (uint32_t)info->comp_info[i].v_samp_factor * 8;
            for (uint32_t y = 0; y < count; y++)
                rows[i][y] = out->plane[i] + (size_t)(mcu * count + y) * out->width[i];
        }
        jpeg_read_raw_data(info, planes, vmax * 8);
    }
}

bool peer_read_planes(const uint8_t *data, size_t length, struct peer_image *out)
{
    memset(out, 0, sizeof *out);
    if (run(data, length, read_planes, out, &out->warnings))
        return true;
    peer_image_release(out);
    return false;
}

void peer_image_release(struct peer_image *image)
{
    for (int i = 0; i < 4; i++)
        free(image->plane[i]);
    memset(image, 0, sizeof *image);
}

static void fill_scans(const struct peer_request *request, jpeg_scan_info *scans)
{
    for (int i = 0; i < request->script_length; i++) {
        const struct peer_scan *s = &request->script[i];
        scans[i] = (jpeg_scan_info){.Ss = s->ss, .Se = s->se, .Ah = s->ah, .Al = s->al};
        scans[i].comps_in_scan = s->components ? s->components : request->components;
        for (int j = 0; j < scans[i].comps_in_scan; j++)
            scans[i].component_index[j] = s->component + j;
    }
}

static void set_parameters(j_compress_ptr info, const struct peer_request *request, jpeg_scan_info *scans)
{
    info->image_width = request->width;
    info->image_height = request->height;
    info->input_components = request->components;
    info->in_color_space = request->components == 1 ? JCS_GRAYSCALE : request->components == 3 ? JCS_YCbCr : JCS_CMYK;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, request->quality, TRUE);
    for (int i = 0; i < request->components; i++) {
        info->comp_info[i].h_samp_factor = request->h[i];
        info->comp_info[i].v_samp_factor = request->v[i];
    }
    if (request->restart < 0)
        info->restart_in_rows = -request->restart;
    else
        info->restart_interval = (unsigned)request->restart;
    info->optimize_coding = request->optimize;
    if (request->script) {
        fill_scans(request, scans);
        info->scan_info = scans;
        info->num_scans = request->script_length;
    } else if (request->progressive) {
        jpeg_simple_progression(info);
    }
}

static void draw_row(uint8_t *row, const struct peer_request *request, uint32_t y, uint32_t *seed)
{
    for (uint32_t x = 0; x < request->width; x++) {
        for (int i = 0; i < request->components; i++) {
            *seed = *seed * 1664525 + 1013904223;
            uint32_t slope = x * (uint32_t)(i + 1) + 2 * y;
            uint32_t edge = ((x >> 4) ^ (y >> 3)) % 5 == 0 ? 90 : 0;
            uint32_t noise = (x / 40 + y / 24) % 3 == 0 ? *seed >> 27 : 0;
            *row++ = (uint8_t)(slope / 3 + edge + noise);
        }
    }
}

static void compress(j_compress_ptr info, const struct peer_request *request, JSAMPLE *row)
{
    uint32_t seed = request->width * 31 + request->height;
    for (uint32_t y = 0; y < request->height; y++) {
        draw_row(row, request, y, &seed);
        jpeg_write_scanlines(info, &row, 1);
    }
}

uint8_t *peer_encode(const struct peer_request *request, size_t *length)
{
    struct jpeg_compress_struct info;
    struct failure failure;
    jpeg_scan_info scans[64];
    unsigned char *data = NULL;
    unsigned long size = 0;
    JSAMPLE *row = malloc((size_t)request->width * (size_t)request->components);
    memset(&info, 0, sizeof info);
    info.err = set_up(&failure);
    if (setjmp(failure.back)) {
        char text[JMSG_LENGTH_MAX];
        failure.manager.format_message((j_common_ptr)&info, text);
        fprintf(stderr, "libjpeg: %s\n", text);
        abort();
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    set_parameters(&info, request, scans);
    jpeg_start_compress(&info, TRUE);
    compress(&info, request, row);
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(row);
    *length = size;
    return data;
}
