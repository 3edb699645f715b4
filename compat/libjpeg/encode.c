/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the functions of libjpeg that compress lines of pixels. */
#include "encode.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "taken.h"

/* States of cinfo->global_state (jpegint.h of libjpeg), and the largest picture that is kept until it is complete. */
enum { STATE_SCANNING = 101, PIXELS_MAX = 1 << 28 };

static const char tag;

static struct libjpeg_compression *compression_of(j_compress_ptr cinfo)
{
    struct libjpeg_compression *c = (struct libjpeg_compression *)(void *)cinfo->main;
    return cinfo->mem && cinfo->global_state == STATE_SCANNING && c && c->tag == &tag ? c : NULL;
}

/* Return the compression to the system's library. What a parent process has allocated with its context stays. */
static void release(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    cinfo->main = c->main;
    if (compat_is_own(c->context)) {
        if (!c->encoder)
            kst_buffer_release(c->context, &c->coded);
        kst_line_encoder_close(&c->encoder);
        kst_image_release(c->context, &c->image);
    }
    free(c->script);
    free(c);
}

void libjpeg_drop_compression(j_compress_ptr cinfo)
{
    struct libjpeg_compression *c = compression_of(cinfo);
    if (c)
        release(c, cinfo);
}

static bool find_colour(J_COLOR_SPACE space, kst_colour *colour)
{
    static const kst_colour colours[] = {[JCS_GRAYSCALE] = KST_COLOUR_GREY,
        [JCS_RGB] = KST_COLOUR_RGB,
        [JCS_YCbCr] = KST_COLOUR_YCBCR,
        [JCS_CMYK] = KST_COLOUR_CMYK,
        [JCS_YCCK] = KST_COLOUR_YCCK};
    *colour = (size_t)space < sizeof colours / sizeof *colours ? colours[space] : KST_COLOUR_UNKNOWN;
    return *colour != KST_COLOUR_UNKNOWN;
}

/*
 * Return whether lines are encoded as they come, in one scan with standard codes. Codes that are optimised for the
 * picture need all of it before the first byte can be written, in libjpeg as here.
 */
static bool is_coded_by_lines(j_compress_ptr cinfo)
{
    return !cinfo->optimize_coding && !cinfo->progressive_mode && !cinfo->scan_info;
}

static bool suits(j_compress_ptr cinfo)
{
    return (cinfo->optimize_coding || is_coded_by_lines(cinfo)) && cinfo->global_state == STATE_SCANNING &&
           cinfo->data_precision == 8 && !cinfo->raw_data_in && !cinfo->arith_code && !cinfo->CCIR601_sampling &&
           cinfo->smoothing_factor == 0 && (cinfo->dct_method == JDCT_ISLOW || cinfo->dct_method == JDCT_IFAST) &&
           !cinfo->progress && cinfo->num_components <= 4 &&
           (uint64_t)cinfo->image_width * cinfo->image_height * (unsigned)cinfo->input_components <= PIXELS_MAX;
}

/*
 * Set the options of components. Returns false for quantisers above 255: the system's library has messages about them.
 */
static bool set_components(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *info = &cinfo->comp_info[i];
        int t = info->quant_tbl_no;
        const JQUANT_TBL *table = cinfo->quant_tbl_ptrs[t];
        c->options.h[i] = (uint8_t)info->h_samp_factor;
        c->options.v[i] = (uint8_t)info->v_samp_factor;
        c->options.quant_index[i] = (uint8_t)t;
        c->options.quant_table[t] = c->quant[t];
        for (int j = 0; j < DCTSIZE2; j++) {
            if (table->quantval[j] > 255)
                return false;
            c->quant[t][j] = table->quantval[j];
        }
    }
    return true;
}

static bool set_script(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    if (!cinfo->scan_info)
        return true;
    c->script = calloc((size_t)cinfo->num_scans, sizeof *c->script);
    for (int i = 0; c->script && i < cinfo->num_scans; i++) {
        const jpeg_scan_info *scan = &cinfo->scan_info[i];
        c->script[i] = (kst_scan){.component_count = (uint8_t)scan->comps_in_scan,
            .ss = (uint8_t)scan->Ss,
            .se = (uint8_t)scan->Se,
            .ah = (uint8_t)scan->Ah,
            .al = (uint8_t)scan->Al};
        for (int j = 0; j < scan->comps_in_scan; j++)
            c->script[i].component[j] = (uint8_t)scan->component_index[j];
    }
    c->options.script = c->script;
    c->options.script_length = (size_t)cinfo->num_scans;
    return c->script != NULL;
}

static bool set_options(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    kst_encode_options_init(&c->options);
    c->options.coding = cinfo->progressive_mode    ? KST_CODING_PROGRESSIVE
                        : is_coded_by_lines(cinfo) ? KST_CODING_BASELINE
                                                   : KST_CODING_OPTIMIZED;
    c->options.dct = cinfo->dct_method == JDCT_IFAST ? KST_DCT_FAST : KST_DCT_ACCURATE;
    if (cinfo->restart_in_rows > 0)
        c->options.restart = (kst_restart){KST_RESTART_ROWS, (uint32_t)cinfo->restart_in_rows};
    else if (cinfo->restart_interval > 0)
        c->options.restart = (kst_restart){KST_RESTART_MCUS, cinfo->restart_interval};
    return find_colour(cinfo->jpeg_color_space, &c->options.colour) && set_components(c, cinfo) && set_script(c, cinfo);
}

static bool set_image(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    kst_format format;
    if (!libjpeg_find_format(cinfo->in_color_space, &format) ||
        kst_format_channels(format) != (uint32_t)cinfo->input_components)
        return false;
    kst_image_init(&c->image);
    c->image.format = format;
    c->image.width = cinfo->image_width;
    c->image.height = cinfo->image_height;
    c->line = (size_t)cinfo->image_width * (size_t)cinfo->input_components;
    return is_coded_by_lines(cinfo) || !kst_image_allocate(c->context, &c->image);
}

/* Return the memory of a line of the picture. The context keeps that memory for the next picture. */
static uint8_t *line_of(const struct libjpeg_compression *c, JDIMENSION y)
{
    return (uint8_t *)c->image.plane[0].data + (ptrdiff_t)y * c->image.plane[0].pitch;
}

/* Take over a compression that the system's library has started, if Kostka can carry it out. */
static void take(j_compress_ptr cinfo)
{
    struct libjpeg_compression *c = suits(cinfo) ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return;
    c->tag = &tag;
    c->main = cinfo->main;
    c->context = compat_context();
    bool fine = c->context && set_image(c, cinfo) && set_options(c, cinfo);
    if (fine && (!is_coded_by_lines(cinfo) || libjpeg_begin_lines(c, cinfo)))
        cinfo->main = (struct jpeg_c_main_controller *)(void *)c;
    else
        release(c, cinfo);
}

void jpeg_start_compress(j_compress_ptr cinfo, boolean write_all_tables)
{
    libjpeg_original.jpeg_start_compress(cinfo, write_all_tables);
    if (write_all_tables)
        take(cinfo);
}

/* Encode the complete picture. Returns false if the system's library must do it. */
static bool make(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    if (!c->made && (!compat_is_own(c->context) || kst_encode(c->context, &c->image, &c->options, &c->coded, NULL)))
        return false;
    if (!c->made)
        c->written = libjpeg_coded_start(&c->coded, cinfo);
    c->made = true;
    return c->written > 0;
}

bool libjpeg_write_bytes(struct libjpeg_compression *c, j_compress_ptr cinfo, size_t end)
{
    struct jpeg_destination_mgr *to = cinfo->dest;
    while (c->written < end) {
        if (to->free_in_buffer == 0 && !(*to->empty_output_buffer)(cinfo))
            return false;
        size_t left = end - c->written, count = left < to->free_in_buffer ? left : to->free_in_buffer;
        memcpy(to->next_output_byte, c->coded.data + c->written, count);
        to->next_output_byte += count;
        to->free_in_buffer -= count;
        c->written += count;
    }
    return true;
}

/* Let the system's library encode all lines so far. */
static void give_up(struct libjpeg_compression *c, j_compress_ptr cinfo, JDIMENSION lines)
{
    cinfo->main = c->main;
    cinfo->next_scanline = 0;
    while (cinfo->next_scanline < lines) {
        JSAMPROW row = line_of(c, cinfo->next_scanline);
        if (libjpeg_original.jpeg_write_scanlines(cinfo, &row, 1) == 0)
            break;
    }
    release(c, cinfo);
}

/* Keep lines, and encode them all after the last one. Returns how many lines count as written. */
static JDIMENSION keep_lines(
    struct libjpeg_compression *c, j_compress_ptr cinfo, JSAMPARRAY scanlines, JDIMENSION count)
{
    for (JDIMENSION i = 0; i < count; i++)
        memcpy(line_of(c, cinfo->next_scanline + i), scanlines[i], c->line);
    JDIMENSION after = cinfo->next_scanline + count;
    if (after == cinfo->image_height && !make(c, cinfo)) {
        JDIMENSION before = cinfo->next_scanline;
        give_up(c, cinfo, after);
        return cinfo->next_scanline > before ? cinfo->next_scanline - before : 0;
    }
    /* The last line counts as written only when the destination has accepted all bytes. */
    if (after == cinfo->image_height && !libjpeg_write_bytes(c, cinfo, c->coded.length - 2)) {
        cinfo->next_scanline = after - 1;
        return count - 1;
    }
    cinfo->next_scanline = after;
    return count;
}

JDIMENSION jpeg_write_scanlines(j_compress_ptr cinfo, JSAMPARRAY scanlines, JDIMENSION num_lines)
{
    struct libjpeg_compression *c = compression_of(cinfo);
    if (!c)
        return libjpeg_original.jpeg_write_scanlines(cinfo, scanlines, num_lines);
    if (cinfo->next_scanline >= cinfo->image_height) {
        WARNMS(cinfo, JWRN_TOO_MUCH_DATA);
        return 0;
    }
    JDIMENSION left = cinfo->image_height - cinfo->next_scanline, count = num_lines < left ? num_lines : left;
    return c->encoder ? libjpeg_write_lines(c, cinfo, scanlines, count) : keep_lines(c, cinfo, scanlines, count);
}

/* Mark the tables of the components as written, for later compressions with the same object. */
static void mark_tables(j_compress_ptr cinfo)
{
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *info = &cinfo->comp_info[i];
        cinfo->quant_tbl_ptrs[info->quant_tbl_no]->sent_table = TRUE;
        if (cinfo->dc_huff_tbl_ptrs[info->dc_tbl_no])
            cinfo->dc_huff_tbl_ptrs[info->dc_tbl_no]->sent_table = TRUE;
        if (cinfo->ac_huff_tbl_ptrs[info->ac_tbl_no])
            cinfo->ac_huff_tbl_ptrs[info->ac_tbl_no]->sent_table = TRUE;
    }
}

void jpeg_finish_compress(j_compress_ptr cinfo)
{
    struct libjpeg_compression *c = compression_of(cinfo);
    if (!c || cinfo->next_scanline < cinfo->image_height) {
        libjpeg_original.jpeg_finish_compress(cinfo);
        return;
    }
    if (!libjpeg_write_bytes(c, cinfo, c->coded.length))
        ERREXIT(cinfo, JERR_CANT_SUSPEND);
    mark_tables(cinfo);
    release(c, cinfo);
    (*cinfo->dest->term_destination)(cinfo);
    libjpeg_original.jpeg_abort((j_common_ptr)cinfo);
}

void jpeg_abort_compress(j_compress_ptr cinfo)
{
    libjpeg_drop_compression(cinfo);
    libjpeg_original.jpeg_abort_compress(cinfo);
}

void jpeg_destroy_compress(j_compress_ptr cinfo)
{
    libjpeg_drop_compression(cinfo);
    libjpeg_original.jpeg_destroy_compress(cinfo);
}
