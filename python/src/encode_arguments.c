/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the arguments of encoding. */
#include <stddef.h>

#include "encoding.h"

/* Holds the arguments as they were passed, except those that are already in the form that encoding needs. */
struct settings {
    struct encoding *encoding;
    kst_encode_options options;
    struct jpeg2000 jpeg2000;
    int codec, format, coding;
    uint32_t depth;
    bool progressive, optimize;
    PyObject *stream, *restart, *subsampling, *tables, *density, *metadata[METADATA_KINDS];
    const char *errors;
};

/*
 * Codecs of the Python interface alone: a codestream of JPEG 2000 without a JP2 file, and code-blocks of T.814 with and
 * without one.
 */
enum { CODEC_CODESTREAM = 100, CODEC_JPH, CODEC_JHC };

static const struct name codecs[] = {{"jpeg", KST_CODEC_JPEG}, {"jpeg2000", KST_CODEC_JPEG2000},
    {"jp2", KST_CODEC_JPEG2000}, {"j2k", CODEC_CODESTREAM}, {"jph", CODEC_JPH}, {"jhc", CODEC_JHC}, {NULL, 0}};
static const struct range layers = {1, 1024}, levels = {0, 32}, guard_bits = {1, 7}, depths = {1, 31}, passes = {1, 3};
static const kst_j2k_target rate = KST_J2K_RATE, ratio = KST_J2K_RATIO, psnr = KST_J2K_PSNR, step = KST_J2K_STEP;

#define AT(member) offsetof(struct settings, member)
#define JPEG(member) offsetof(struct settings, options.member)
#define J2K(member) offsetof(struct settings, jpeg2000.options.member)

/* `errors` comes first: a single image has none. */
static const struct option options_of_many[] = {
    {"errors", kst_py_read_text, AT(errors), NULL, FOR_ALL},
    {"codec", kst_py_read_word, AT(codec), codecs, FOR_ALL},
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {"stream", kst_py_read_object, AT(stream), NULL, FOR_ALL},
    {"exif", kst_py_read_object, AT(metadata[0]), NULL, FOR_ALL},
    {"xmp", kst_py_read_object, AT(metadata[1]), NULL, FOR_ALL},
    {"icc", kst_py_read_object, AT(metadata[2]), NULL, FOR_ALL},
    {"comment", kst_py_read_object, AT(metadata[3]), NULL, FOR_ALL},
    {"density", kst_py_read_object, AT(density), NULL, FOR_ALL},
    {"quality", kst_py_read_int, JPEG(quality), NULL, FOR_ALL},
    {"subsampling", kst_py_read_object, AT(subsampling), NULL, FOR_JPEG},
    {"coding", kst_py_read_word, AT(coding), kst_py_codings, FOR_JPEG},
    {"progressive", kst_py_read_flag, AT(progressive), NULL, FOR_JPEG},
    {"optimize", kst_py_read_flag, AT(optimize), NULL, FOR_JPEG},
    {"optimise", kst_py_read_flag, AT(optimize), NULL, FOR_JPEG},
    {"restart", kst_py_read_object, AT(restart), NULL, FOR_JPEG},
    {"dct", kst_py_read_word, JPEG(dct), kst_py_dcts, FOR_JPEG},
    {"colour", kst_py_read_word, JPEG(colour), kst_py_colours, FOR_JPEG},
    {"color", kst_py_read_word, JPEG(colour), kst_py_colours, FOR_JPEG},
    {"tables", kst_py_read_object, AT(tables), NULL, FOR_JPEG},
    {"wide_quantisers", kst_py_read_flag, JPEG(wide_quantisers), NULL, FOR_JPEG},
    {"depth", kst_py_read_count, AT(depth), &depths, FOR_JPEG2000},
    {"lossless", kst_py_read_lossless, AT(jpeg2000), NULL, FOR_JPEG2000},
    {"rate", kst_py_read_target, AT(jpeg2000), &rate, FOR_JPEG2000},
    {"ratio", kst_py_read_target, AT(jpeg2000), &ratio, FOR_JPEG2000},
    {"psnr", kst_py_read_target, AT(jpeg2000), &psnr, FOR_JPEG2000},
    {"step", kst_py_read_target, AT(jpeg2000), &step, FOR_JPEG2000},
    {"layers", kst_py_read_count, J2K(layers), &layers, FOR_JPEG2000},
    {"levels", kst_py_read_count, J2K(levels), &levels, FOR_JPEG2000},
    {"reversible", kst_py_read_flag, J2K(reversible), NULL, FOR_JPEG2000},
    {"keep_components", kst_py_read_flag, J2K(keep_components), NULL, FOR_JPEG2000},
    {"codestream", kst_py_read_flag, J2K(codestream), NULL, FOR_JPEG2000},
    {"progression", kst_py_read_word, J2K(progression), kst_py_progressions, FOR_JPEG2000},
    {"poc", kst_py_read_changes, AT(jpeg2000), NULL, FOR_JPEG2000},
    {"tiles", kst_py_read_size, J2K(tile_width), NULL, FOR_JPEG2000},
    {"tile_origin", kst_py_read_size, J2K(tile_x), NULL, FOR_JPEG2000},
    {"image_origin", kst_py_read_size, J2K(image_x), NULL, FOR_JPEG2000},
    {"codeblock", kst_py_read_size, J2K(block_width), NULL, FOR_JPEG2000},
    {"precincts", kst_py_read_precincts, AT(jpeg2000), NULL, FOR_JPEG2000},
    {"style", kst_py_read_words, J2K(style), kst_py_styles, FOR_JPEG2000},
    {"weights", kst_py_read_word, J2K(weights), kst_py_weights, FOR_JPEG2000},
    {"passes", kst_py_read_count, J2K(passes), &passes, FOR_JPEG2000},
    {"guard_bits", kst_py_read_count, J2K(guard_bits), &guard_bits, FOR_JPEG2000},
    {"code_points", kst_py_read_points, J2K(code_points), NULL, FOR_JPEG2000},
    {"derived_steps", kst_py_read_flag, J2K(derived_steps), NULL, FOR_JPEG2000},
    {"interest", kst_py_read_region, J2K(interest), NULL, FOR_JPEG2000},
    {"sop", kst_py_read_flag, J2K(sop), NULL, FOR_JPEG2000},
    {"eph", kst_py_read_flag, J2K(eph), NULL, FOR_JPEG2000},
    {"plt", kst_py_read_flag, J2K(packet_lengths), NULL, FOR_JPEG2000},
    {"tlm", kst_py_read_flag, J2K(tile_part_lengths), NULL, FOR_JPEG2000},
    {"packed", kst_py_read_word, J2K(headers), kst_py_headers, FOR_JPEG2000},
    {"tile_parts", kst_py_read_words, J2K(division), kst_py_divisions, FOR_JPEG2000},
    {"component", kst_py_read_own, AT(jpeg2000), NULL, FOR_JPEG2000},
    {"profile", kst_py_read_skipped, 0, NULL, FOR_JPEG2000},
    {"frame_rate", kst_py_read_positive, J2K(frame_rate), NULL, FOR_JPEG2000},
    {NULL, NULL, 0, NULL, 0},
};

/* Read the metadata. The options point to the segments until kst_py_encoding_end(), so they must not change before. */
static bool read_metadata(struct encoding *encoding, PyObject *const objects[METADATA_KINDS])
{
    static const kst_metadata_kind kinds[METADATA_KINDS] = {
        KST_METADATA_EXIF, KST_METADATA_XMP, KST_METADATA_ICC, KST_METADATA_COMMENT};
    static const char *const names[METADATA_KINDS] = {"exif", "xmp", "icc", "comment"};
    size_t count = 0;
    for (int i = 0; i < METADATA_KINDS; i++) {
        Py_buffer *buffer = &encoding->buffer[count];
        if (!objects[i])
            continue;
        if (!PyObject_CheckBuffer(objects[i])) {
            PyErr_Format(PyExc_TypeError, "%s is bytes, not %R", names[i], (PyObject *)Py_TYPE(objects[i]));
            return false;
        }
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
        PyMem_Free(encoding->more[i]);
    }
    kst_py_jpeg2000_end(&encoding->jpeg2000);
    PyMem_Free(encoding->item);
    PyMem_Free(encoding->array);
    PyMem_Free(encoding->image);
    PyMem_Free(encoding->more);
    PyMem_Free(encoding->is_image);
    encoding->item = NULL;
}

/* Read the name of a subsampling, or the factors of each component, such as ((2, 2), (1, 1), (1, 1)). */
static bool read_subsampling(PyObject *value, kst_encode_options *options)
{
    static const struct option option = {.name = "subsampling", .detail = kst_py_subsamplings};
    int name = KST_SUBSAMPLING_420;
    if (!value)
        return true;
    if (PyUnicode_Check(value)) {
        bool fine = kst_py_read_word(&option, value, &name);
        options->subsampling = (kst_subsampling)name;
        return fine;
    }
    PyObject *tuple = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
    if (count < 1 || count > 4)
        PyErr_Format(PyExc_TypeError,
            "subsampling is a name such as '420' or a pair of factors for each component, not %R", value);
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        uint32_t factors[2] = {0, 0};
        if (kst_py_read_size(&option, PyTuple_GetItem(tuple, i), factors) &&
            (factors[0] < 1 || factors[0] > 4 || factors[1] < 1 || factors[1] > 4))
            PyErr_SetString(PyExc_ValueError, "a factor of subsampling is not within 1 to 4");
        options->h[i] = (uint8_t)factors[0];
        options->v[i] = (uint8_t)factors[1];
    }
    Py_XDECREF(tuple);
    return !PyErr_Occurred();
}

static bool read_table(PyObject *object, uint16_t table[64])
{
    PyObject *tuple = PySequence_Check(object) ? PySequence_Tuple(object) : NULL;
    if ((!tuple || PyTuple_Size(tuple) != 64) && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "each of tables has 64 quantisers, row by row");
    for (int i = 0; i < 64 && !PyErr_Occurred(); i++) {
        long long number;
        if (kst_py_integer(PyTuple_GetItem(tuple, i), "a quantiser of tables", 1, 65535, &number))
            table[i] = (uint16_t)number;
    }
    Py_XDECREF(tuple);
    return !PyErr_Occurred();
}

static bool read_tables(PyObject *value, struct encoding *encoding)
{
    if (!value)
        return true;
    PyObject *tuple = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
    if ((count < 1 || count > 4) && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "tables are 1 to 4 sequences of quantisers");
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++)
        if (read_table(PyTuple_GetItem(tuple, i), encoding->table[i]))
            encoding->options.quant_table[i] = encoding->table[i];
    Py_XDECREF(tuple);
    return !PyErr_Occurred();
}

/* Read (unit, x, y), as Info has it. */
static bool read_density(PyObject *value, kst_encode_options *options)
{
    static const struct option option = {.name = "density", .detail = kst_py_density_units};
    int unit;
    long long x, y;
    if (!value)
        return true;
    if (!PyTuple_Check(value) || PyTuple_Size(value) != 3) {
        PyErr_Format(PyExc_TypeError, "density is ('ratio', 'inch' or 'cm', x, y), not %R", value);
        return false;
    }
    if (!kst_py_read_word(&option, PyTuple_GetItem(value, 0), &unit) ||
        !kst_py_integer(PyTuple_GetItem(value, 1), "density", 1, 65535, &x) ||
        !kst_py_integer(PyTuple_GetItem(value, 2), "density", 1, 65535, &y))
        return false;
    options->density_unit = (kst_density_unit)unit;
    options->density_x = (uint16_t)x;
    options->density_y = (uint16_t)y;
    return true;
}

/* Use the quality as the target of JPEG 2000. It is an error if there is another target. */
static bool take_quality(struct settings *settings, const struct option *table, option_set given)
{
    kst_j2k_options *options = &settings->jpeg2000.options;
    if (!kst_py_option_given(table, given, "quality"))
        return true;
    if (options->target != KST_J2K_LOSSLESS || kst_py_option_given(table, given, "lossless")) {
        PyErr_SetString(PyExc_ValueError, "quality does not go with lossless, rate, ratio, psnr or step");
        return false;
    }
    options->target = KST_J2K_QUALITY;
    options->value = settings->options.quality;
    return true;
}

/* Choose the codec by the options, and check that all of them apply to it. */
static bool choose_codec(struct settings *settings, const struct option *table, option_set given)
{
    bool ht = settings->codec == CODEC_JPH || settings->codec == CODEC_JHC;
    bool bare = settings->codec == CODEC_CODESTREAM || settings->codec == CODEC_JHC;
    kst_codec codec = bare || ht ? KST_CODEC_JPEG2000 : (kst_codec)settings->codec;
    if (!kst_py_options_fit(table, given, codec == KST_CODEC_JPEG ? FOR_JPEG : FOR_JPEG2000))
        return false;
    settings->options.codec = codec;
    if (bare)
        settings->jpeg2000.options.codestream = true;
    if (ht)
        settings->jpeg2000.options.style |= KST_J2K_HT;
    settings->encoding->target =
        (struct target){.codec = codec, .format = (kst_format)settings->format, .depth = settings->depth};
    return codec == KST_CODEC_JPEG ||
           (take_quality(settings, table, given) && kst_py_jpeg2000_finish(&settings->jpeg2000));
}

/* Settle what depends on several options, or points into the encoding. */
static bool finish(struct settings *settings, const struct option *table, option_set given)
{
    struct encoding *encoding = settings->encoding;
    kst_coding coding = (kst_coding)settings->coding;
    bool fine = choose_codec(settings, table, given) &&
                kst_py_coding(table, given, settings->progressive, settings->optimize, &coding);
    encoding->options = settings->options;
    encoding->options.coding = coding;
    encoding->jpeg2000 = settings->jpeg2000;
    if (encoding->options.codec == KST_CODEC_JPEG2000)
        encoding->options.jpeg2000 = &encoding->jpeg2000.options;
    encoding->stream = settings->stream;
    return fine;
}

bool kst_py_encoding_read(
    struct encoding *encoding, PyObject *args, PyObject *keywords, PyObject **images, const char **errors)
{
    const struct option *table = errors ? options_of_many : options_of_many + 1;
    struct settings settings = {.encoding = encoding, .codec = KST_CODEC_JPEG};
    PyObject *profile = keywords ? PyDict_GetItemString(keywords, "profile") : NULL;
    option_set given = 0;
    bool has_stream;
    kst_encode_options_init(&settings.options);
    kst_j2k_options_init(&settings.jpeg2000.options);
    bool fine = kst_py_jpeg2000_profile(&settings.jpeg2000, profile) &&
                kst_py_arguments(errors ? "encode_batch" : "encode", errors ? "images" : "image", args, keywords,
                    images, table, &settings, &given);
    if (!fine) {
        kst_py_jpeg2000_end(&settings.jpeg2000);
        return false;
    }
    if (errors && settings.errors)
        *errors = settings.errors;
    return finish(&settings, table, given) && read_subsampling(settings.subsampling, &encoding->options) &&
           kst_py_restart(settings.restart, false, &encoding->options.restart) &&
           read_tables(settings.tables, encoding) && read_density(settings.density, &encoding->options) &&
           kst_py_stream(encoding->stream, &encoding->handle, &has_stream) &&
           read_metadata(encoding, settings.metadata);
}
