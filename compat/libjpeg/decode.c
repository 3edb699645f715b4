/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the functions of libjpeg that decompress, and those that end a decompression. */
#include "taken.h"

#include <string.h>

#include "context.h"

/*
 * Release what may be left of an earlier decompression at the same address, which was handed over and never finished.
 */
void jpeg_CreateDecompress(j_decompress_ptr cinfo, int version, size_t structsize)
{
    libjpeg_release(libjpeg_handed(cinfo));
    libjpeg_original.jpeg_CreateDecompress(cinfo, version, structsize);
}

/*
 * Hand a decompression over for good, and let the system's library skip the lines that the caller already has. Returns
 * false if the source suspends that.
 */
static bool hand_over(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    if (!libjpeg_hand_over(taken, cinfo))
        return false;
    bool there = libjpeg_enter(taken, cinfo);
    libjpeg_leave(taken, cinfo);
    return there;
}

/*
 * Set cinfo to the state in which lines are read. Virtual arrays that the caller has requested must exist from then on.
 */
static void set_scanning(j_decompress_ptr cinfo)
{
    (*cinfo->mem->realize_virt_arrays)((j_common_ptr)cinfo);
    cinfo->global_state = LIBJPEG_STATE_SCANNING;
    cinfo->output_scanline = 0;
    cinfo->input_scan_number = cinfo->output_scan_number = 1;
    cinfo->input_iMCU_row = cinfo->output_iMCU_row = 0;
    if (cinfo->progress) {
        cinfo->progress->completed_passes = 0;
        cinfo->progress->total_passes = 1;
    }
}

/*
 * Fetch all bytes of a picture with many scans. *waits becomes true if the source has no more at present. Returns false
 * if the picture is damaged, or has bytes behind scans: the system's library counts those that it has not read ahead.
 */
static bool collect(struct libjpeg_taken *taken, j_decompress_ptr cinfo, bool *waits)
{
    uint32_t none;
    enum libjpeg_input input;
    do {
        input = libjpeg_fetch(taken, cinfo);
    } while (input == LIBJPEG_MORE);
    *waits = input == LIBJPEG_SUSPENDED;
    return *waits ||
           (!taken->odd && !kst_lines_read(taken->lines, NULL, 0, &none) && kst_lines_left(taken->lines) == 0);
}

/*
 * Fetch all bytes of the picture. Returns false if the source has no more at present, or if the system's library must
 * see the bytes.
 */
static bool fetch_all(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    enum libjpeg_input input;
    do {
        input = libjpeg_fetch(taken, cinfo);
    } while (input == LIBJPEG_MORE);
    return input == LIBJPEG_ENDED && !taken->odd;
}

/* Decode all lines with the context's threads or on its device. Returns false if there is damage or no memory. */
static bool decode_whole(struct libjpeg_taken *taken)
{
    kst_report report = {.size = sizeof report};
    kst_decode_options options = taken->options;
    options.strict = true;
    if (kst_decode(taken->context, taken->bytes, taken->length, &options, &taken->whole, &report))
        return false;
    if (report.warnings == 0)
        return true;
    kst_image_release(taken->context, &taken->whole);
    return false;
}

static boolean start(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    bool waits = false;
    if (!compat_is_own(taken->context))
        return libjpeg_hand_over(taken, cinfo);
    if (taken->at_once && fetch_all(taken, cinfo) && decode_whole(taken)) {
        set_scanning(cinfo);
        return TRUE;
    }
    if (taken->many_scans && !collect(taken, cinfo, &waits))
        return libjpeg_hand_over(taken, cinfo);
    if (waits)
        return FALSE;
    set_scanning(cinfo);
    return TRUE;
}

boolean jpeg_start_decompress(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = libjpeg_handed(cinfo);
    if (taken)
        return libjpeg_hand_over(taken, cinfo);
    if (cinfo->global_state != LIBJPEG_STATE_READY)
        return libjpeg_original.jpeg_start_decompress(cinfo);
    taken = libjpeg_taken(cinfo);
    if (!taken)
        taken = libjpeg_take(cinfo);
    return taken ? start(taken, cinfo) : libjpeg_original.jpeg_start_decompress(cinfo);
}

static void copy_lines(struct libjpeg_taken *taken, j_decompress_ptr cinfo, JSAMPARRAY rows, JDIMENSION count)
{
    const kst_plane *plane = &taken->whole.plane[0];
    size_t length = (size_t)cinfo->output_width * (size_t)cinfo->output_components;
    for (JDIMENSION i = 0; i < count; i++)
        memcpy(rows[i], (const uint8_t *)plane->data + (ptrdiff_t)cinfo->output_scanline++ * plane->pitch, length);
}

/*
 * Read lines, fetching bytes as they are needed. Returns false if the picture is damaged from here on, or if a parent
 * process has begun it.
 */
static bool read_lines(struct libjpeg_taken *taken, j_decompress_ptr cinfo, JSAMPARRAY rows, JDIMENSION count)
{
    if (taken->whole.plane[0].data) {
        copy_lines(taken, cinfo, rows, count);
        return true;
    }
    if (!compat_is_own(taken->context))
        return false;
    for (JDIMENSION at = 0; at < count;) {
        uint32_t done;
        kst_status status = kst_lines_read(taken->lines, (void *const *)(rows + at), count - at, &done);
        at += done;
        cinfo->output_scanline += done;
        if (status)
            return false;
        if (at == count)
            return true;
        enum libjpeg_input input = libjpeg_fetch(taken, cinfo);
        if (input == LIBJPEG_SUSPENDED)
            return true;
        if (input == LIBJPEG_ENDED)
            return false;
    }
    return true;
}

static JDIMENSION read_from_original(
    struct libjpeg_taken *taken, j_decompress_ptr cinfo, JSAMPARRAY rows, JDIMENSION count)
{
    JDIMENSION done = 0;
    if (libjpeg_enter(taken, cinfo))
        done = libjpeg_original.jpeg_read_scanlines(cinfo, rows, count);
    libjpeg_leave(taken, cinfo);
    return done;
}

/* Report progress as the system's library does, once for each call that reads lines. */
static void report_progress(j_decompress_ptr cinfo)
{
    struct jpeg_progress_mgr *progress = cinfo->progress;
    if (!progress)
        return;
    progress->pass_counter = (long)cinfo->output_scanline;
    progress->pass_limit = (long)cinfo->output_height;
    (*progress->progress_monitor)((j_common_ptr)cinfo);
}

static JDIMENSION read_taken(struct libjpeg_taken *taken, j_decompress_ptr cinfo, JSAMPARRAY rows, JDIMENSION count)
{
    JDIMENSION before = cinfo->output_scanline, left = cinfo->output_height - before;
    report_progress(cinfo);
    if (count > left)
        count = left;
    if (read_lines(taken, cinfo, rows, count))
        return cinfo->output_scanline - before;
    JDIMENSION done = cinfo->output_scanline - before;
    if (!hand_over(taken, cinfo) || done == count)
        return done;
    libjpeg_silence(taken, cinfo); /* this call has been reported */
    return done + read_from_original(taken, cinfo, rows + done, count - done);
}

JDIMENSION jpeg_read_scanlines(j_decompress_ptr cinfo, JSAMPARRAY scanlines, JDIMENSION max_lines)
{
    struct libjpeg_taken *taken = libjpeg_taken(cinfo);
    if (taken && cinfo->global_state == LIBJPEG_STATE_SCANNING && cinfo->output_scanline < cinfo->output_height)
        return read_taken(taken, cinfo, scanlines, max_lines);
    taken = libjpeg_handed(cinfo);
    return taken ? read_from_original(taken, cinfo, scanlines, max_lines)
                 : libjpeg_original.jpeg_read_scanlines(cinfo, scanlines, max_lines);
}

/* Read and drop lines. Returns how many were read. */
static JDIMENSION drop_lines(struct libjpeg_taken *taken, j_decompress_ptr cinfo, JDIMENSION count)
{
    JDIMENSION done = 0;
    JSAMPROW row = libjpeg_scratch(taken, cinfo);
    while (done < count && jpeg_read_scanlines(cinfo, &row, 1) == 1)
        done++;
    return done;
}

JDIMENSION jpeg_skip_scanlines(j_decompress_ptr cinfo, JDIMENSION num_lines)
{
    struct libjpeg_taken *taken = libjpeg_taken(cinfo);
    if (taken && cinfo->global_state == LIBJPEG_STATE_SCANNING &&
        num_lines < cinfo->output_height - cinfo->output_scanline)
        return drop_lines(taken, cinfo, num_lines);
    if (taken && cinfo->global_state == LIBJPEG_STATE_SCANNING && cinfo->output_scanline < cinfo->output_height) {
        JDIMENSION left = cinfo->output_height - cinfo->output_scanline;
        cinfo->output_scanline = cinfo->output_height;
        taken->past = true;
        libjpeg_close_lines(taken); /* no thread may make further lines while the source's functions run */
        return left;
    }
    taken = libjpeg_handed(cinfo);
    if (!taken)
        return libjpeg_original.jpeg_skip_scanlines(cinfo, num_lines);
    JDIMENSION skipped = libjpeg_enter(taken, cinfo) ? libjpeg_original.jpeg_skip_scanlines(cinfo, num_lines) : 0;
    libjpeg_leave(taken, cinfo);
    return skipped;
}

/*
 * A cropped picture is left to the system's library, because at the cropped edges it upsamples without the neighbours
 * that a whole picture has.
 */
void jpeg_crop_scanline(j_decompress_ptr cinfo, JDIMENSION *xoffset, JDIMENSION *width)
{
    struct libjpeg_taken *taken = libjpeg_taken(cinfo);
    if (taken && cinfo->output_scanline == 0)
        hand_over(taken, cinfo);
    libjpeg_original.jpeg_crop_scanline(cinfo, xoffset, width);
}

int jpeg_consume_input(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = libjpeg_taken(cinfo);
    if (taken)
        hand_over(taken, cinfo);
    taken = libjpeg_handed(cinfo);
    if (!taken)
        return libjpeg_original.jpeg_consume_input(cinfo);
    int code = libjpeg_enter(taken, cinfo) ? libjpeg_original.jpeg_consume_input(cinfo) : JPEG_SUSPENDED;
    libjpeg_leave(taken, cinfo);
    return code;
}

static boolean finish_handed(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    boolean done = libjpeg_enter(taken, cinfo) && libjpeg_original.jpeg_finish_decompress(cinfo);
    taken = libjpeg_handed(cinfo); /* with sanitizers the system's library calls our jpeg_abort(), which releases it */
    if (taken)
        libjpeg_leave(taken, cinfo);
    if (done)
        libjpeg_release(taken);
    return done;
}

/* Forget the decompression. What the system's library has in cinfo->main is released with it. */
static void drop(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = libjpeg_taken(cinfo);
    if (!taken && (taken = libjpeg_handed(cinfo)) != NULL)
        libjpeg_leave(taken, cinfo);
    if (cinfo->mem)
        cinfo->main = NULL;
    libjpeg_release(taken);
}

/* Finish a decompression whose lines have all been read: leave the source behind EOI. */
static boolean finish_taken(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    enum libjpeg_input input = taken->past ? LIBJPEG_ENDED : LIBJPEG_MORE;
    if (!taken->past && !taken->ended && !compat_is_own(taken->context))
        return hand_over(taken, cinfo) && jpeg_finish_decompress(cinfo);
    while (input == LIBJPEG_MORE && kst_lines_left(taken->lines) == 0)
        input = libjpeg_fetch(taken, cinfo);
    if (input == LIBJPEG_SUSPENDED)
        return FALSE;
    if (!taken->past && (taken->odd || kst_lines_left(taken->lines) > 0))
        return hand_over(taken, cinfo) && jpeg_finish_decompress(cinfo);
    (*cinfo->src->term_source)(cinfo);
    drop(cinfo);
    libjpeg_original.jpeg_abort((j_common_ptr)cinfo);
    return TRUE;
}

boolean jpeg_finish_decompress(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = libjpeg_taken(cinfo);
    if (taken && cinfo->global_state == LIBJPEG_STATE_SCANNING && cinfo->output_scanline >= cinfo->output_height)
        return finish_taken(taken, cinfo);
    taken = libjpeg_handed(cinfo);
    boolean done = taken ? finish_handed(taken, cinfo) : libjpeg_original.jpeg_finish_decompress(cinfo);
    if (done)
        cinfo->main = NULL; /* its object was released */
    return done;
}

void jpeg_abort_decompress(j_decompress_ptr cinfo)
{
    drop(cinfo);
    libjpeg_original.jpeg_abort_decompress(cinfo);
}

void jpeg_destroy_decompress(j_decompress_ptr cinfo)
{
    drop(cinfo);
    libjpeg_original.jpeg_destroy_decompress(cinfo);
}

void jpeg_abort(j_common_ptr cinfo)
{
    if (cinfo->mem && cinfo->is_decompressor)
        drop((j_decompress_ptr)cinfo);
    else if (cinfo->mem)
        libjpeg_drop_compression((j_compress_ptr)cinfo);
    libjpeg_original.jpeg_abort(cinfo);
}

void jpeg_destroy(j_common_ptr cinfo)
{
    if (cinfo->mem && cinfo->is_decompressor)
        drop((j_decompress_ptr)cinfo);
    else if (cinfo->mem)
        libjpeg_drop_compression((j_compress_ptr)cinfo);
    libjpeg_original.jpeg_destroy(cinfo);
}
