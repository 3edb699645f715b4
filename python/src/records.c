/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes named tuples of reports, devices and descriptions of streams. */
#include "kostka_python.h"

static PyStructSequence_Field report_fields[] = {{"status", "name of the status, 'OK' where it succeeded"},
    {"offset", "byte of the stream that the status is about, or None"}, {"warnings", "how many there were"},
    {"first_warning", "name of the first one's status, or None"},
    {"first_warning_offset", "byte of the stream that it is about, or None"},
    {"message", "one line for people: the error, else the first warning, else empty"}, {"device", "name of the device"},
    {"stage_device", "where each stage ran: a dict by its name"},
    {"stage_seconds", "how long each took: a dict by its name"}, {"threads", "most that worked at once"}, {NULL, NULL}};
static PyStructSequence_Desc report_type = {"kostka.Report", "What an operation did.", report_fields, 10};

static PyStructSequence_Field device_fields[] = {{"name", "what Context() takes"}, {"kind", "'cpu', 'cuda', 'opencl'"},
    {"model", "the maker's name for it"}, {"tier", "highest instruction tier, or the driver's version"},
    {"units", "processors, multiprocessors or compute units"}, {"memory", "bytes on it; 0 for the CPU"}, {NULL, NULL}};
static PyStructSequence_Desc device_type = {"kostka.Device", "A device to work on.", device_fields, 6};

static PyStructSequence_Field component_fields[] = {{"id", NULL}, {"width", "samples"}, {"height", "samples"},
    {"h", "sampling factor"}, {"v", "sampling factor"}, {"depth", "bits"}, {"quant_table", "64 quantisers, row by row"},
    {NULL, NULL}};
static PyStructSequence_Desc component_type = {"kostka.Component", "A component of a stream.", component_fields, 7};

static PyStructSequence_Field metadata_fields[] = {{"kind", "'icc', 'exif', 'xmp', 'comment', 'app'"},
    {"marker", "second byte of the marker"}, {"data", "contents, as bytes"}, {NULL, NULL}};
static PyStructSequence_Desc metadata_type = {
    "kostka.Metadata", "A piece of metadata in a stream.", metadata_fields, 3};

static PyStructSequence_Field info_fields[] = {{"codec", NULL}, {"process", NULL}, {"colour", "as coded"},
    {"width", NULL}, {"height", NULL}, {"components", "tuple of Component"}, {"scans", "how many"},
    {"restart_interval", "MCUs; 0: none"}, {"mcu", "width and height of an MCU in pixels"},
    {"quality", "the IJG quality whose tables these are, or None"}, {"orientation", "Exif's, 1 to 8"},
    {"jfif", "version, or None"}, {"adobe_transform", "of an Adobe segment, or None"},
    {"density", "unit, x and y of the JFIF header"}, {"entropy_bytes", "entropy-coded data, all scans together"},
    {"metadata", "tuple of Metadata"}, {"jpeg2000", "a dict of what JPEG 2000 alone has, or None"}, {NULL, NULL}};
static PyStructSequence_Desc info_type = {"kostka.Info", "What a stream holds.", info_fields, 17};

static bool add(PyObject *module, const char *name, PyStructSequence_Desc *desc, PyTypeObject **type)
{
    *type = PyStructSequence_NewType(desc);
    return *type && PyModule_AddObjectRef(module, name, (PyObject *)*type) == 0;
}

bool kst_py_records_add(PyObject *module, struct state *state)
{
    return add(module, "Report", &report_type, &state->report) && add(module, "Device", &device_type, &state->device) &&
           add(module, "Component", &component_type, &state->component) &&
           add(module, "Metadata", &metadata_type, &state->metadata) && add(module, "Info", &info_type, &state->info);
}

/* Make a tuple of `type`. Takes ownership of the `count` values; returns null if one of them is null. */
static PyObject *record(PyTypeObject *type, PyObject **values, Py_ssize_t count)
{
    PyObject *result = PyStructSequence_New(type);
    bool fine = result != NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        fine = fine && values[i];
        if (result)
            PyStructSequence_SetItem(result, i, values[i] ? values[i] : Py_NewRef(Py_None));
        else
            Py_XDECREF(values[i]);
    }
    if (!fine)
        Py_CLEAR(result);
    return result;
}

static PyObject *text(const char *string)
{
    return PyUnicode_DecodeUTF8(string, (Py_ssize_t)strlen(string), "replace");
}

static PyObject *offset(uint64_t value)
{
    return value == UINT64_MAX ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(value);
}

/* Make a dictionary of the stages that have run. */
static PyObject *stages(const kst_report *report, bool seconds)
{
    PyObject *result = PyDict_New();
    for (int i = 0; result && i < KST_STAGE_COUNT; i++) {
        kst_device_kind kind = report->stage_device[i];
        if (kind == KST_DEVICE_NONE)
            continue;
        PyObject *value = seconds ? PyFloat_FromDouble(report->stage_seconds[i])
                                  : PyUnicode_FromString(kst_py_name_of(kst_py_device_kinds, (int)kind));
        if (!value || PyDict_SetItemString(result, kst_py_name_of(kst_py_stages, i), value) < 0)
            Py_CLEAR(result);
        Py_XDECREF(value);
    }
    return result;
}

PyObject *kst_py_report(struct state *state, const kst_report *report)
{
    bool warned = report->warnings > 0;
    PyObject *values[] = {text(kst_status_name(report->status)), offset(report->offset),
        PyLong_FromUnsignedLongLong(report->warnings),
        warned ? text(kst_status_name(report->first_warning)) : Py_NewRef(Py_None),
        offset(warned ? report->first_warning_offset : UINT64_MAX), text(report->message), text(report->device),
        stages(report, false), stages(report, true), PyLong_FromUnsignedLong(report->threads)};
    return record(state->report, values, sizeof values / sizeof *values);
}

PyObject *kst_py_device(struct state *state, const kst_device_info *info)
{
    PyObject *values[] = {text(info->name), text(kst_py_name_of(kst_py_device_kinds, (int)info->kind)),
        text(info->model), text(info->tier), PyLong_FromUnsignedLong(info->units),
        PyLong_FromUnsignedLongLong(info->memory)};
    return record(state->device, values, sizeof values / sizeof *values);
}

static PyObject *table(const uint16_t values[64])
{
    PyObject *result = PyTuple_New(64);
    for (int i = 0; result && i < 64; i++) {
        PyObject *value = PyLong_FromLong(values[i]);
        if (!value || PyTuple_SetItem(result, i, value) < 0)
            Py_CLEAR(result);
    }
    return result;
}

static PyObject *components(struct state *state, const kst_info *info)
{
    Py_ssize_t count = info->component_count < 4 ? info->component_count : 4;
    PyObject *result = PyTuple_New(count);
    for (Py_ssize_t i = 0; result && i < count; i++) {
        const kst_component_info *from = &info->component[i];
        PyObject *values[] = {PyLong_FromLong(from->id), PyLong_FromUnsignedLong(from->width),
            PyLong_FromUnsignedLong(from->height), PyLong_FromLong(from->h), PyLong_FromLong(from->v),
            PyLong_FromLong(from->depth), table(info->quant_table[i])};
        PyObject *one = record(state->component, values, sizeof values / sizeof *values);
        if (!one || PyTuple_SetItem(result, i, one) < 0)
            Py_CLEAR(result);
    }
    return result;
}

static PyObject *metadata(struct state *state, const kst_decoder *decoder)
{
    const kst_metadata *from;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && (from = kst_decoder_metadata(decoder, i)); i++) {
        PyObject *values[] = {text(kst_py_name_of(kst_py_metadata_kinds, (int)from->kind)),
            PyLong_FromLong(from->marker),
            PyBytes_FromStringAndSize((const char *)from->data, (Py_ssize_t)from->length)};
        PyObject *one = record(state->metadata, values, sizeof values / sizeof *values);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    PyObject *result = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return result;
}

/* Return (primaries, transfer, matrix, whether the range is full), or None. */
static PyObject *code_points(const kst_code_points *points)
{
    if (!points->present)
        return Py_NewRef(Py_None);
    return Py_BuildValue(
        "iiiO", points->primaries, points->transfer, points->matrix, points->full_range ? Py_True : Py_False);
}

static PyObject *jpeg2000(const kst_info *info)
{
    if (info->codec != KST_CODEC_JPEG2000)
        return Py_NewRef(Py_None);
    return Py_BuildValue("{s(II)sIsIsIsssOsOsOsN}", "tile", info->tile_width, info->tile_height, "tiles", info->tiles,
        "layers", info->layers, "levels", info->levels, "progression",
        kst_py_name_of(kst_py_progressions, (int)info->progression), "reversible",
        info->reversible ? Py_True : Py_False, "alpha", info->alpha ? Py_True : Py_False, "jp2",
        info->jp2 ? Py_True : Py_False, "code_points", code_points(&info->code_points));
}

PyObject *kst_py_info(struct state *state, const kst_decoder *decoder)
{
    const kst_info *info = kst_decoder_info(decoder);
    PyObject *values[] = {text(kst_py_name_of(kst_py_codecs, (int)info->codec)),
        text(kst_py_name_of(kst_py_processes, (int)info->process)),
        text(kst_py_name_of(kst_py_colours, (int)info->colour)), PyLong_FromUnsignedLong(info->width),
        PyLong_FromUnsignedLong(info->height), components(state, info), PyLong_FromUnsignedLong(info->scans),
        PyLong_FromUnsignedLong(info->restart_interval), Py_BuildValue("II", info->mcu_width, info->mcu_height),
        info->quality ? PyLong_FromLong(info->quality) : Py_NewRef(Py_None), PyLong_FromLong(info->orientation),
        info->jfif ? Py_BuildValue("ii", info->jfif_version >> 8, info->jfif_version & 255) : Py_NewRef(Py_None),
        info->adobe ? PyLong_FromLong(info->adobe_transform) : Py_NewRef(Py_None),
        Py_BuildValue("sii", kst_py_name_of(kst_py_density_units, (int)info->density_unit), (int)info->density_x,
            (int)info->density_y),
        PyLong_FromUnsignedLongLong(info->entropy_bytes), metadata(state, decoder), jpeg2000(info)};
    return record(state->info, values, sizeof values / sizeof *values);
}
