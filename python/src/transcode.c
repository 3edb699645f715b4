/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements transcoding. */
#include <stddef.h>

#include "options.h"

/* Holds the arguments as they were passed. */
struct settings {
    kst_transcode_options options;
    int coding, progression;
    bool progressive, optimize;
    PyObject *restart;
    struct numbers components;
};

static const struct name containers[] = {
    {"jp2", KST_CONTAINER_JP2}, {"j2k", KST_CONTAINER_CODESTREAM}, {"keep", KST_CONTAINER_KEEP}, {NULL, 0}};
static const struct range levels = {0, 32}, layers = {0, 65535};

#define AT(member) offsetof(struct settings, member)
#define JPEG(member) offsetof(struct settings, options.member)
#define J2K(member) offsetof(struct settings, options.jpeg2000.member)

static const struct option table[] = {
    {"strip", kst_py_read_word, JPEG(strip), kst_py_strips, FOR_ALL},
    {"strict", kst_py_read_flag, JPEG(strict), NULL, FOR_ALL},
    {"coding", kst_py_read_word, AT(coding), kst_py_codings, FOR_JPEG},
    {"progressive", kst_py_read_flag, AT(progressive), NULL, FOR_JPEG},
    {"optimize", kst_py_read_flag, AT(optimize), NULL, FOR_JPEG},
    {"optimise", kst_py_read_flag, AT(optimize), NULL, FOR_JPEG},
    {"restart", kst_py_read_object, AT(restart), NULL, FOR_JPEG},
    {"transform", kst_py_read_word, JPEG(transform), kst_py_transforms, FOR_JPEG},
    {"edge", kst_py_read_word, JPEG(edge), kst_py_edges, FOR_JPEG},
    {"crop", kst_py_read_region, JPEG(crop), NULL, FOR_JPEG},
    {"grey", kst_py_read_flag, JPEG(grey), NULL, FOR_JPEG},
    {"gray", kst_py_read_flag, JPEG(grey), NULL, FOR_JPEG},
    {"others", kst_py_read_word, JPEG(others), kst_py_others, FOR_JPEG},
    {"progression", kst_py_read_word, AT(progression), kst_py_progressions, FOR_JPEG2000},
    {"reduce", kst_py_read_count, J2K(reduce), &levels, FOR_JPEG2000},
    {"layers", kst_py_read_count, J2K(layers), &layers, FOR_JPEG2000},
    {"rate", kst_py_read_positive, J2K(rate), NULL, FOR_JPEG2000},
    {"components", kst_py_read_numbers, AT(components), NULL, FOR_JPEG2000},
    {"tile_parts", kst_py_read_words, J2K(division), kst_py_divisions, FOR_JPEG2000},
    {"interleave", kst_py_read_flag, J2K(part_by_part), NULL, FOR_JPEG2000},
    {"packed", kst_py_read_word, J2K(headers), kst_py_headers, FOR_JPEG2000},
    {"plt", kst_py_read_choice, J2K(packet_lengths), NULL, FOR_JPEG2000},
    {"tlm", kst_py_read_choice, J2K(tile_part_lengths), NULL, FOR_JPEG2000},
    {"sop", kst_py_read_choice, J2K(sop), NULL, FOR_JPEG2000},
    {"eph", kst_py_read_choice, J2K(eph), NULL, FOR_JPEG2000},
    {"ht", kst_py_read_choice, J2K(ht), NULL, FOR_JPEG2000},
    {"container", kst_py_read_word, J2K(container), containers, FOR_JPEG2000},
    {NULL, NULL, 0, NULL, 0},
};

static bool read_options(
    PyObject *args, PyObject *keywords, PyObject **data, struct settings *settings, option_set *given)
{
    kst_transcode_options *options = &settings->options;
    kst_transcode_options_init(options);
    settings->progression = options->jpeg2000.progression;
    if (!kst_py_arguments("transcode", "data", args, keywords, data, table, settings, given))
        return false;
    kst_coding coding = (kst_coding)settings->coding;
    bool fine = kst_py_coding(table, *given, settings->progressive, settings->optimize, &coding) &&
                kst_py_restart(settings->restart, true, &options->restart);
    options->coding = coding;
    options->jpeg2000.progression = settings->progression;
    options->jpeg2000.components = settings->components.number;
    options->jpeg2000.component_count = settings->components.count;
    return fine;
}

/*
 * Check that the options suit the codec, which the first bytes of the stream show. If they are of no codec, the library
 * reports the error.
 */
static bool fits(const struct source *source, option_set given)
{
    static const uint8_t jp2[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};
    const uint8_t *data = source->data;
    if (source->length >= 2 && data[0] == 0xFF && data[1] == 0xD8)
        return kst_py_options_fit(table, given, FOR_JPEG);
    if (source->length >= 2 && data[0] == 0xFF && data[1] == 0x4F)
        return kst_py_options_fit(table, given, FOR_JPEG2000);
    if (source->length >= sizeof jp2 && memcmp(data, jp2, sizeof jp2) == 0)
        return kst_py_options_fit(table, given, FOR_JPEG2000);
    return true;
}

static PyObject *transcode(
    struct state *state, struct context *context, const struct source *source, const kst_transcode_options *options)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_status status;
    PyObject *bytes = NULL;
    kst_report_init(&report);
    Py_BEGIN_ALLOW_THREADS;
    status = kst_transcode(context->handle, source->data, source->length, options, &output, &report);
    Py_END_ALLOW_THREADS;
    if (status)
        kst_py_raise(state, status, &report);
    else
        bytes = PyBytes_FromStringAndSize((const char *)output.data, (Py_ssize_t)output.length);
    kst_buffer_release(context->handle, &output);
    return bytes;
}

PyObject *kst_py_transcode(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct context *context = (struct context *)self;
    struct state *state = kst_py_state(self);
    struct settings settings = {.progressive = false};
    struct source source = {.data = NULL};
    PyObject *data, *bytes = NULL;
    option_set given = 0;
    if (!kst_py_context_enter(context))
        return NULL;
    if (read_options(args, keywords, &data, &settings, &given) &&
        kst_py_source_open(state, &source, data, context->memory_limit) && fits(&source, given))
        bytes = transcode(state, context, &source, &settings.options);
    kst_py_source_release(&source);
    PyMem_Free(settings.components.number);
    kst_py_context_leave(context);
    return bytes;
}
