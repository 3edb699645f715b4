/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements transcoding, of one stream and of a batch, with its arguments. */
#include <stddef.h>

#include "options.h"

/* Holds the arguments as they were passed. */
struct settings {
    kst_transcode_options options;
    const char *errors;
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

/* `errors` comes first: a single stream has none. */
static const struct option options_of_many[] = {
    {"errors", kst_py_read_text, AT(errors), NULL, FOR_ALL},
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

/* Holds a call: the table of its options, which of them were passed, and its streams. */
struct transcoding {
    struct state *state;
    struct context *context;
    const struct option *table;
    option_set given;
    struct settings settings;
    struct source *source;
    kst_transcode_item *item;
    Py_ssize_t count;
    bool is_batch;
};

static bool read_options(
    struct transcoding *call, const char *function, PyObject *args, PyObject *keywords, PyObject **data)
{
    struct settings *settings = &call->settings;
    kst_transcode_options *options = &settings->options;
    kst_transcode_options_init(options);
    settings->progression = options->jpeg2000.progression;
    if (!kst_py_arguments(function, "data", args, keywords, data, call->table, settings, &call->given))
        return false;
    kst_coding coding = (kst_coding)settings->coding;
    bool fine = kst_py_coding(call->table, call->given, settings->progressive, settings->optimize, &coding) &&
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
static bool fits(const struct transcoding *call, const struct source *source)
{
    static const uint8_t jp2[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};
    const uint8_t *data = source->data;
    if (source->length >= 2 && data[0] == 0xFF && data[1] == 0xD8)
        return kst_py_options_fit(call->table, call->given, FOR_JPEG);
    if (source->length >= 2 && data[0] == 0xFF && data[1] == 0x4F)
        return kst_py_options_fit(call->table, call->given, FOR_JPEG2000);
    if (source->length >= sizeof jp2 && memcmp(data, jp2, sizeof jp2) == 0)
        return kst_py_options_fit(call->table, call->given, FOR_JPEG2000);
    return true;
}

/* Open the streams. In a batch the index of one that cannot be opened goes to the exception. */
static bool open_sources(struct transcoding *call, PyObject *const *data)
{
    size_t count = (size_t)call->count;
    call->source = PyMem_Calloc(count + 1, sizeof *call->source);
    call->item = PyMem_Calloc(count + 1, sizeof *call->item);
    if (!call->source || !call->item) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < call->count; i++) {
        struct source *source = &call->source[i];
        if (!kst_py_source_open(call->state, source, data[i], call->context->memory_limit) || !fits(call, source)) {
            if (call->is_batch)
                kst_py_error_index(i);
            return false;
        }
        call->item[i] =
            (kst_transcode_item){.data = source->data, .length = source->length, .options = &call->settings.options};
    }
    return true;
}

static void end(struct transcoding *call)
{
    for (Py_ssize_t i = 0; i < call->count; i++) {
        if (call->source)
            kst_py_source_release(&call->source[i]);
        if (call->item)
            kst_buffer_release(call->context->handle, &call->item[i].output);
    }
    PyMem_Free(call->source);
    PyMem_Free(call->item);
    PyMem_Free(call->settings.components.number);
}

static PyObject *result_of(const struct transcoding *call, Py_ssize_t index, bool raise)
{
    const kst_transcode_item *item = &call->item[index];
    if (item->report.status) {
        PyObject *error = kst_py_error(call->state, item->report.status, &item->report);
        return raise ? kst_py_throw(error) : error;
    }
    return PyBytes_FromStringAndSize((const char *)item->output.data, (Py_ssize_t)item->output.length);
}

static PyObject *results_of(const struct transcoding *call, bool raise)
{
    PyObject *list = PyList_New(call->count);
    for (Py_ssize_t i = 0; list && i < call->count; i++) {
        PyObject *one = result_of(call, i, raise);
        if (!one && call->item[i].report.status)
            kst_py_error_index(i);
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *transcode(struct transcoding *call, PyObject *data)
{
    PyObject *bytes = NULL;
    kst_transcode_item *item;
    call->count = 1;
    if (open_sources(call, &data)) {
        item = call->item;
        kst_report_init(&item->report);
        Py_BEGIN_ALLOW_THREADS;
        kst_transcode(call->context->handle, item->data, item->length, item->options, &item->output, &item->report);
        Py_END_ALLOW_THREADS;
        bytes = result_of(call, 0, true);
    }
    return bytes;
}

PyObject *kst_py_transcode(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct transcoding call = {
        .state = kst_py_state(self), .context = (struct context *)self, .table = options_of_many + 1};
    PyObject *data, *bytes = NULL;
    if (!kst_py_context_enter(call.context))
        return NULL;
    if (read_options(&call, "transcode", args, keywords, &data))
        bytes = transcode(&call, data);
    end(&call);
    kst_py_context_leave(call.context);
    return bytes;
}

static PyObject *transcode_all(struct transcoding *call, const struct sequence *data, bool raise)
{
    call->count = data->count;
    if (!open_sources(call, data->item))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    kst_transcode_batch(call->context->handle, call->item, (size_t)call->count);
    Py_END_ALLOW_THREADS;
    return results_of(call, raise);
}

PyObject *kst_py_transcode_batch(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct transcoding call = {.state = kst_py_state(self),
        .context = (struct context *)self,
        .table = options_of_many,
        .settings = {.errors = "raise"},
        .is_batch = true};
    struct sequence sequence = {.item = NULL};
    PyObject *data, *list = NULL;
    bool raise;
    if (!kst_py_context_enter(call.context))
        return NULL;
    if (read_options(&call, "transcode_batch", args, keywords, &data) && kst_py_errors(call.settings.errors, &raise) &&
        kst_py_sequence_read(&sequence, data, "data"))
        list = transcode_all(&call, &sequence, raise);
    end(&call);
    kst_py_context_leave(call.context);
    kst_py_sequence_release(&sequence);
    return list;
}
