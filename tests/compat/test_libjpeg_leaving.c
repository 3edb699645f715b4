/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves libjpeg by longjmp() out of each function that a program gives it, at each of the first calls, and then reuses
 * or destroys the object: libjpeg_leaving JPEG…. What the object decodes and encodes afterwards is printed. No memory
 * may be lost however often that is done.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2 1
#include <malloc.h>
#endif
#endif

#include <jerror.h>
#include <jpeglib.h>

enum { STEP = 700, SIDE = 200, WAYS = 4, CALLS_MOST = 6, ROUNDS = 5, WARM = 2, GROWTH_MOST = 40000 };

/* The functions that are left. */
enum place { FILL, SKIP, TERM_SOURCE, PROGRESS, BEGIN, EMPTY, TERM_DESTINATION, MESSAGE, ERROR, PLACES };

static jmp_buf out;
static enum place leaving_from;
static int calls_left; /* 0: it is not left any more */
static unsigned times_left[PLACES];

static void leave_at(enum place place)
{
    if (place != leaving_from || calls_left == 0 || --calls_left > 0)
        return;
    times_left[place]++;
    longjmp(out, 1);
}

/* A file in memory, which its source shows in small parts. */
static struct file {
    unsigned char *bytes;
    size_t length, shown;
} file;

static unsigned sum;

static void add(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + bytes[i];
}

static void end_by_error(j_common_ptr cinfo)
{
    (void)cinfo;
    leave_at(ERROR);
    longjmp(out, 2);
}

static void hear_message(j_common_ptr cinfo, int level)
{
    if (level < 0)
        cinfo->err->num_warnings++;
    leave_at(MESSAGE);
}

static void begin_source(j_decompress_ptr cinfo)
{
    cinfo->src->bytes_in_buffer = 0;
    file.shown = 0;
}

static boolean fill(j_decompress_ptr cinfo)
{
    static const JOCTET end[] = {0xFF, JPEG_EOI};
    leave_at(FILL);
    size_t left = file.length - file.shown;
    cinfo->src->next_input_byte = left ? file.bytes + file.shown : end;
    cinfo->src->bytes_in_buffer = left == 0 ? sizeof end : left < STEP ? left : STEP;
    file.shown += left < STEP ? left : STEP;
    return TRUE;
}

static void skip(j_decompress_ptr cinfo, long count)
{
    leave_at(SKIP);
    while (count > (long)cinfo->src->bytes_in_buffer) {
        count -= (long)cinfo->src->bytes_in_buffer;
        fill(cinfo);
    }
    cinfo->src->next_input_byte += count;
    cinfo->src->bytes_in_buffer -= (size_t)count;
}

static void end_source(j_decompress_ptr cinfo)
{
    (void)cinfo;
    leave_at(TERM_SOURCE);
}

static void decode(j_decompress_ptr cinfo)
{
    static struct jpeg_source_mgr source = {
        .init_source = begin_source, .fill_input_buffer = fill, .skip_input_data = skip, .term_source = end_source};
    unsigned char line[SIDE * 4];
    JSAMPROW row = line;
    source.resync_to_restart = jpeg_resync_to_restart;
    cinfo->src = &source;
    jpeg_read_header(cinfo, TRUE);
    jpeg_start_decompress(cinfo);
    size_t length = cinfo->output_width * (size_t)cinfo->output_components;
    if (length > sizeof line)
        exit(3);
    while (cinfo->output_scanline < cinfo->output_height) {
        jpeg_read_scanlines(cinfo, &row, 1);
        add(line, length);
    }
    jpeg_finish_decompress(cinfo);
}

/* Progress counts among the results. */
static void hear_progress(j_common_ptr cinfo)
{
    const struct jpeg_progress_mgr *progress = cinfo->progress;
    const unsigned char counts[] = {(unsigned char)progress->pass_counter, (unsigned char)progress->pass_limit,
        (unsigned char)progress->completed_passes, (unsigned char)progress->total_passes};
    add(counts, sizeof counts);
    leave_at(PROGRESS);
}

static JOCTET room[STEP];

static void begin_destination(j_compress_ptr cinfo)
{
    leave_at(BEGIN);
    cinfo->dest->next_output_byte = room;
    cinfo->dest->free_in_buffer = STEP;
}

static boolean empty(j_compress_ptr cinfo)
{
    leave_at(EMPTY);
    add(room, STEP);
    cinfo->dest->next_output_byte = room;
    cinfo->dest->free_in_buffer = STEP;
    return TRUE;
}

static void end_destination(j_compress_ptr cinfo)
{
    leave_at(TERM_DESTINATION);
    add(room, STEP - cinfo->dest->free_in_buffer);
}

/*
 * Encode with the standard's codes, with others, progressively, or with tables that all components share, which the
 * system's library does.
 */
static void encode(j_compress_ptr cinfo, int way)
{
    static struct jpeg_destination_mgr to = {
        .init_destination = begin_destination, .empty_output_buffer = empty, .term_destination = end_destination};
    unsigned char line[SIDE * 3];
    JSAMPROW row = line;
    cinfo->dest = &to;
    cinfo->image_width = cinfo->image_height = SIDE;
    cinfo->input_components = 3;
    cinfo->in_color_space = JCS_RGB;
    jpeg_set_defaults(cinfo);
    cinfo->optimize_coding = way % 2 == 1;
    if (way == 2)
        jpeg_simple_progression(cinfo);
    else
        cinfo->scan_info = NULL;
    for (int i = 1; i < 3 && way == 3; i++)
        cinfo->comp_info[i].dc_tbl_no = cinfo->comp_info[i].ac_tbl_no = 0;
    jpeg_start_compress(cinfo, TRUE);
    while (cinfo->next_scanline < SIDE) {
        for (unsigned i = 0; i < sizeof line; i++)
            line[i] = (unsigned char)(i * i + 7 * cinfo->next_scanline * i);
        jpeg_write_scanlines(cinfo, &row, 1);
    }
    jpeg_finish_compress(cinfo);
}

static struct jpeg_error_mgr errors;

static void set_errors(void)
{
    jpeg_std_error(&errors);
    errors.error_exit = end_by_error;
    errors.emit_message = hear_message;
}

static void try_decode(j_decompress_ptr cinfo)
{
    sum = 0;
    if (!setjmp(out))
        decode(cinfo);
}

static void try_encode(j_compress_ptr cinfo, int way)
{
    sum = 0;
    if (!setjmp(out))
        encode(cinfo, way);
}

/* Leave at a call of a place, and decode with the same object if it is to be reused. */
static void leave_decoding(enum place place, int call, bool reuse)
{
    struct jpeg_decompress_struct cinfo = {.err = &errors};
    jpeg_create_decompress(&cinfo);
    struct jpeg_progress_mgr progress = {.progress_monitor = hear_progress};
    if (place == PROGRESS)
        cinfo.progress = &progress;
    leaving_from = place;
    calls_left = call;
    try_decode(&cinfo);
    calls_left = 0;
    if (place == PROGRESS && cinfo.progress != &progress)
        exit(4);
    if (reuse) {
        jpeg_abort_decompress(&cinfo);
        try_decode(&cinfo);
        printf("decoded after %d: %u\n", place, sum);
    }
    jpeg_destroy_decompress(&cinfo);
}

static void leave_encoding(enum place place, int call, bool reuse, int way)
{
    struct jpeg_compress_struct cinfo = {.err = &errors};
    jpeg_create_compress(&cinfo);
    leaving_from = place;
    calls_left = call;
    try_encode(&cinfo, way);
    calls_left = 0;
    if (reuse) {
        jpeg_abort_compress(&cinfo);
        try_encode(&cinfo, way);
        printf("encoded after %d: %u\n", place, sum);
    }
    jpeg_destroy_compress(&cinfo);
}

static void leave_all_encoding(void)
{
    for (enum place place = BEGIN; place < PLACES; place++)
        for (int call = 1; call <= CALLS_MOST; call++)
            for (int way = 0; way < WAYS; way++)
                for (int reuse = 0; reuse < 2; reuse++)
                    leave_encoding(place, call, reuse, way);
}

static void leave_all_decoding(void)
{
    static const enum place places[] = {FILL, SKIP, TERM_SOURCE, PROGRESS, MESSAGE, ERROR};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int call = 1; call <= CALLS_MOST; call++)
            for (int reuse = 0; reuse < 2; reuse++)
                leave_decoding(places[i], call, reuse);
}

static bool read_file(const char *path)
{
    FILE *from = fopen(path, "rb");
    enum { ROOM = 1 << 20 };
    if (!from)
        return false;
    if (!file.bytes)
        file.bytes = malloc(ROOM);
    file.length = file.bytes ? fread(file.bytes, 1, ROOM, from) : 0;
    fclose(from);
    return file.length > 0;
}

/* Return what malloc() has given out; 0 if the C library does not tell. */
static size_t memory_in_use(void)
{
#ifdef HAS_MALLINFO2
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

int main(int argc, char **argv)
{
    size_t before = 0;
    set_errors();
    for (int round = 0; round < ROUNDS; round++) {
        if (round == WARM)
            before = memory_in_use();
        for (int i = 1; i < argc; i++) {
            if (!read_file(argv[i]))
                return 2;
            leave_all_decoding();
        }
        leave_all_encoding();
    }
    const size_t after = memory_in_use();
    for (enum place place = FILL; place < PLACES; place++)
        printf("left at %d%s\n", place, times_left[place] ? "" : ": never");
    if (after > before + GROWTH_MOST) {
        fprintf(stderr, "%zu bytes are lost\n", after - before);
        return 1;
    }
    free(file.bytes);
    return 0;
}
