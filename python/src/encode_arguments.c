/* SPDX-License-Identifier: BSD-2-Clause */
#include "encoding.h"

/* The segments stay as they are, and the options point to them, until kst_py_encoding_end(). */
static bool read_metadata(struct encoding *encoding, PyObject *const objects[METADATA_KINDS])
{
    static const kst_metadata_kind kinds[METADATA_KINDS] = {
        KST_METADATA_EXIF, KST_METADATA_XMP, KST_METADATA_ICC, KST_METADATA_COMMENT};
    size_t count = 0;
    for (int i = 0; i < METADATA_KINDS; i++) {
        Py_buffer *buffer = &encoding->buffer[count];
        if (!objects[i] || objects[i] == Py_None)
            continue;
        if (PyObject_GetBuffer(objects[i], buffer, PyBUF_SIMPLE) < 0)
            return false;
        encoding->metadata[count++] =
            (kst_metadata){.kind = kinds[i], .data = buffer->buf, .length = (size_t)buffer->len};
        encoding->options.metadata_count = count;
    }
    encoding->options.metadata = count ? encoding->metadata : NULL;
    return true;
}

void kst_py_encoding_end(struct encoding *encoding)
{
    for (size_t i = 0; i < encoding->options.metadata_count; i++)
        PyBuffer_Release(&encoding->buffer[i]);
    encoding->options.metadata_count = 0;
    for (Py_ssize_t i = 0; encoding->item && i < encoding->count; i++) {
        kst_buffer_release(encoding->context->handle, &encoding->item[i].output);
        kst_py_array_release(&encoding->array[i]);
    }
    PyMem_Free(encoding->item);
    PyMem_Free(encoding->array);
    PyMem_Free(encoding->image);
    PyMem_Free(encoding->is_image);
    encoding->item = NULL;
}

struct words {
    const char *format, *subsampling, *coding, *colour;
};

static bool read_words(struct encoding *encoding, const struct words *words)
{
    int format, subsampling, coding, colour;
    if (!kst_py_value_of(kst_py_formats, "format", words->format, &format) ||
        !kst_py_value_of(kst_py_subsamplings, "subsampling", words->subsampling, &subsampling) ||
        !kst_py_value_of(kst_py_codings, "coding", words->coding, &coding) ||
        !kst_py_value_of(kst_py_colours, "colour", words->colour, &colour))
        return false;
    encoding->format = (kst_format)format;
    encoding->options.subsampling = (kst_subsampling)subsampling;
    encoding->options.coding = (kst_coding)coding;
    encoding->options.colour = (kst_colour)colour;
    return true;
}

bool kst_py_encoding_read(
    struct encoding *encoding, PyObject *args, PyObject *keywords, PyObject **images, const char **errors)
{
    static char *names[] = {"images", "format", "quality", "subsampling", "coding", "restart", "colour", "exif", "xmp",
        "icc", "comment", "stream", "errors", NULL};
    static char *names_of_one[] = {"image", "format", "quality", "subsampling", "coding", "restart", "colour", "exif",
        "xmp", "icc", "comment", "stream", NULL};
    struct words words = {"auto", "420", "baseline", "unknown"};
    PyObject *restart = NULL, *metadata[METADATA_KINDS] = {NULL};
    kst_encode_options *options = &encoding->options;
    bool has_stream;
    kst_encode_options_init(options);
    if (!PyArg_ParseTupleAndKeywords(args, keywords, errors ? "O|$sissOsOOOOOs:encode_batch" : "O|$sissOsOOOOO:encode",
            errors ? names : names_of_one, images, &words.format, &options->quality, &words.subsampling, &words.coding,
            &restart, &words.colour, &metadata[0], &metadata[1], &metadata[2], &metadata[3], &encoding->stream, errors))
        return false;
    return read_words(encoding, &words) && kst_py_restart(restart, false, &options->restart) &&
           kst_py_stream(encoding->stream, &encoding->handle, &has_stream) && read_metadata(encoding, metadata);
}
