/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the markers of JPEG streams, and supplies the Huffman tables that MJPEG leaves out. */
#include "jpeg_stream.h"

#include <kostka/kostka.h>
#include <string.h>

enum { SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, DHT = 0xC4, APP0 = 0xE0, COM = 0xFE, TEM = 0x01 };

static gboolean is_restart(guint8 code)
{
    return code >= 0xD0 && code <= 0xD7;
}

static gsize segment_length(const guint8 *data)
{
    gsize length = (gsize)data[0] << 8 | data[1];

    return length < 2 ? 2 : length;
}

static void note_segment(JpegStream *found, guint8 code, const guint8 *text, gsize length)
{
    static const char comment[] = "CS=ITU601";

    found->tables |= code == DHT;
    if (code == APP0 && length >= 5 && memcmp(text, "AVI1", 4) == 0)
        found->polarity = text[4] <= 2 ? text[4] : 0;
    if (code == COM && length >= sizeof comment - 1 && memcmp(text, comment, sizeof comment - 1) == 0)
        found->limited = TRUE;
}

/* Process the marker at `at`. Returns where to continue; 0 if the bytes end inside its segment. */
static gsize pass_marker(JpegStream *found, const guint8 *data, gsize length, gsize at)
{
    guint8 code = data[at + 1];

    if (code == 0xFF)
        return at + 1;
    if (code == 0 || code == TEM || is_restart(code))
        return at + 2;
    if (code == EOI || code == SOI) {
        found->end = code == EOI ? at + 2 : at;
        return found->end;
    }
    if (length - at < 4)
        return 0;
    gsize size = segment_length(data + at + 2);
    if (size > length - at - 2)
        return 0;
    if (code == SOS && found->scan == 0)
        found->scan = at;
    note_segment(found, code, data + at + 4, size - 2);
    return at + 2 + size;
}

void jpeg_stream_continue(JpegStream *found, const guint8 *data, gsize length)
{
    if (found->at < 2) /* behind SOI */
        found->at = 2;
    while (found->end == 0 && found->at + 1 < length) {
        const guint8 *marker = memchr(data + found->at, 0xFF, length - 1 - found->at);
        found->at = marker == NULL ? length - 1 : (gsize)(marker - data);
        gsize next = marker == NULL ? 0 : pass_marker(found, data, length, found->at);
        if (next == 0)
            break;
        found->at = next;
    }
}

JpegStream jpeg_stream_examine(const guint8 *data, gsize length)
{
    JpegStream found = {.at = 0};

    jpeg_stream_continue(&found, data, length);
    return found;
}

gsize jpeg_stream_begin(const guint8 *data, gsize length, gsize from)
{
    while (from + 1 < length) {
        const guint8 *marker = memchr(data + from, 0xFF, length - 1 - from);
        if (marker == NULL)
            break;
        from = (gsize)(marker - data);
        if (marker[1] == SOI)
            return from;
        from++;
    }
    return length;
}

/* Keep the Huffman tables of a stream that the library has written. */
static void keep_tables(const guint8 *data, gsize length, GByteArray *tables)
{
    for (gsize at = 2; at + 4 <= length && data[at] == 0xFF && data[at + 1] != SOS;) {
        gsize size = 2 + segment_length(data + at + 2);
        if (data[at + 1] == DHT)
            g_byte_array_append(tables, data + at, (guint)size);
        at += size;
    }
}

/* Make the tables of Annex K by encoding a picture: the library writes them into each baseline stream. */
static GByteArray *make_tables(void)
{
    guint8 pixels[3] = {0};
    GByteArray *tables = g_byte_array_new();
    kst_context_options options;
    kst_context *context = NULL;
    kst_image image;
    kst_buffer coded = {.data = NULL};

    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    if (!kst_context_create(&options, &context) && !kst_image_wrap(&image, KST_FORMAT_RGB, 1, 1, pixels, 0) &&
        !kst_encode(context, &image, NULL, &coded, NULL))
        keep_tables(coded.data, coded.length, tables);
    kst_buffer_release(context, &coded);
    kst_context_destroy(&context);
    return tables;
}

void jpeg_stream_complete(const guint8 *data, gsize length, gsize scan, GByteArray *copy)
{
    static gsize tables; /* made once, and kept until the process ends */

    if (g_once_init_enter(&tables))
        g_once_init_leave(&tables, (gsize)make_tables());
    const GByteArray *annex_k = (const GByteArray *)tables;
    g_byte_array_set_size(copy, 0);
    g_byte_array_append(copy, data, (guint)scan);
    g_byte_array_append(copy, annex_k->data, annex_k->len);
    g_byte_array_append(copy, data + scan, (guint)(length - scan));
}
