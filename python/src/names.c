/* SPDX-License-Identifier: BSD-2-Clause */
#include "kostka_python.h"

#include <stdio.h>

const struct name kst_py_formats[] = {{"auto", KST_FORMAT_AUTO}, {"grey", KST_FORMAT_GREY}, {"rgb", KST_FORMAT_RGB},
    {"bgr", KST_FORMAT_BGR}, {"rgba", KST_FORMAT_RGBA}, {"bgra", KST_FORMAT_BGRA}, {"cmyk", KST_FORMAT_CMYK},
    {"planar", KST_FORMAT_PLANAR}, {"raw", KST_FORMAT_RAW}, {NULL, 0}};
const struct name kst_py_colours[] = {{"unknown", KST_COLOUR_UNKNOWN}, {"grey", KST_COLOUR_GREY},
    {"rgb", KST_COLOUR_RGB}, {"ycbcr", KST_COLOUR_YCBCR}, {"cmyk", KST_COLOUR_CMYK}, {"ycck", KST_COLOUR_YCCK},
    {NULL, 0}};
const struct name kst_py_codings[] = {{"baseline", KST_CODING_BASELINE}, {"optimized", KST_CODING_OPTIMIZED},
    {"progressive", KST_CODING_PROGRESSIVE}, {NULL, 0}};
const struct name kst_py_subsamplings[] = {{"420", KST_SUBSAMPLING_420}, {"422", KST_SUBSAMPLING_422},
    {"444", KST_SUBSAMPLING_444}, {"440", KST_SUBSAMPLING_440}, {"411", KST_SUBSAMPLING_411},
    {"410", KST_SUBSAMPLING_410}, {NULL, 0}};
const struct name kst_py_transforms[] = {{"none", KST_TRANSFORM_NONE}, {"flip_h", KST_TRANSFORM_FLIP_H},
    {"rotate_180", KST_TRANSFORM_ROTATE_180}, {"flip_v", KST_TRANSFORM_FLIP_V}, {"transpose", KST_TRANSFORM_TRANSPOSE},
    {"rotate_90", KST_TRANSFORM_ROTATE_90}, {"transverse", KST_TRANSFORM_TRANSVERSE},
    {"rotate_270", KST_TRANSFORM_ROTATE_270}, {NULL, 0}};
const struct name kst_py_edges[] = {
    {"keep", KST_EDGE_KEEP}, {"trim", KST_EDGE_TRIM}, {"perfect", KST_EDGE_PERFECT}, {NULL, 0}};
const struct name kst_py_strips[] = {
    {"nothing", KST_STRIP_NOTHING}, {"markers", KST_STRIP_MARKERS}, {"all", KST_STRIP_ALL}, {NULL, 0}};
const struct name kst_py_device_kinds[] = {{"none", KST_DEVICE_NONE}, {"cpu", KST_DEVICE_CPU},
    {"cuda", KST_DEVICE_CUDA}, {"opencl", KST_DEVICE_OPENCL}, {NULL, 0}};
const struct name kst_py_stages[] = {{"parse", KST_STAGE_PARSE}, {"entropy", KST_STAGE_ENTROPY},
    {"pixels", KST_STAGE_PIXELS}, {"write", KST_STAGE_WRITE}, {"upload", KST_STAGE_UPLOAD},
    {"download", KST_STAGE_DOWNLOAD}, {NULL, 0}};
const struct name kst_py_codecs[] = {
    {"none", KST_CODEC_NONE}, {"jpeg", KST_CODEC_JPEG}, {"jpeg2000", KST_CODEC_JPEG2000}, {NULL, 0}};
const struct name kst_py_processes[] = {{"none", KST_PROCESS_NONE}, {"baseline", KST_PROCESS_BASELINE},
    {"extended", KST_PROCESS_EXTENDED}, {"progressive", KST_PROCESS_PROGRESSIVE}, {NULL, 0}};
const struct name kst_py_metadata_kinds[] = {{"icc", KST_METADATA_ICC}, {"exif", KST_METADATA_EXIF},
    {"xmp", KST_METADATA_XMP}, {"comment", KST_METADATA_COMMENT}, {"app", KST_METADATA_APP}, {NULL, 0}};
const struct name kst_py_progressions[] = {{"LRCP", KST_PROGRESSION_LRCP}, {"RLCP", KST_PROGRESSION_RLCP},
    {"RPCL", KST_PROGRESSION_RPCL}, {"PCRL", KST_PROGRESSION_PCRL}, {"CPRL", KST_PROGRESSION_CPRL}, {NULL, 0}};
const struct name kst_py_samples[] = {
    {"uint8", KST_SAMPLE_INTEGER}, {"float16", KST_SAMPLE_FLOAT16}, {"float32", KST_SAMPLE_FLOAT32}, {NULL, 0}};
const struct name kst_py_density_units[] = {
    {"ratio", KST_DENSITY_RATIO}, {"inch", KST_DENSITY_INCH}, {"cm", KST_DENSITY_CM}, {NULL, 0}};

bool kst_py_value_of(const struct name *table, const char *what, const char *text, int *value)
{
    char all[256] = "";
    size_t at = 0;
    for (const struct name *name = table; name->text; name++) {
        if (strcmp(name->text, text) == 0) {
            *value = name->value;
            return true;
        }
        int more = snprintf(all + at, sizeof all - at, "%s'%s'", at ? ", " : "", name->text);
        at += more > 0 && at + (size_t)more < sizeof all ? (size_t)more : 0;
    }
    PyErr_Format(PyExc_ValueError, "%s is '%.40s', not one of %s", what, text, all);
    return false;
}

const char *kst_py_name_of(const struct name *table, int value)
{
    for (; table->text; table++)
        if (table->value == value)
            return table->text;
    return "unknown";
}

static bool read_interval(PyObject *number, uint32_t *interval)
{
    unsigned long value = PyLong_AsUnsignedLong(number);
    if (PyErr_Occurred())
        return false;
    if (value == 0 || value > 65535)
        PyErr_Format(PyExc_ValueError, "a restart interval of %lu is not within 1 to 65535", value);
    *interval = (uint32_t)value;
    return !PyErr_Occurred();
}

static bool read_rows(PyObject *pair, kst_restart *restart)
{
    const char *unit;
    PyObject *number;
    if (!PyArg_ParseTuple(pair, "sO;restart is None, 'auto', a number of MCUs or ('rows', number)", &unit, &number))
        return false;
    if (strcmp(unit, "rows") != 0) {
        PyErr_Format(PyExc_ValueError, "restart's unit is '%.40s', not 'rows'", unit);
        return false;
    }
    restart->unit = KST_RESTART_ROWS;
    return read_interval(number, &restart->interval);
}

bool kst_py_restart(PyObject *object, bool may_keep, kst_restart *restart)
{
    *restart = (kst_restart){.unit = KST_RESTART_NONE};
    if (!object || object == Py_None)
        return true;
    if (PyTuple_Check(object))
        return read_rows(object, restart);
    if (PyLong_Check(object)) {
        restart->unit = KST_RESTART_MCUS;
        return read_interval(object, &restart->interval);
    }
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "auto") == 0)
        restart->unit = KST_RESTART_AUTO;
    else if (may_keep && PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "keep") == 0)
        restart->unit = KST_RESTART_KEEP;
    else
        PyErr_Format(PyExc_ValueError, "restart is %R, not None, 'auto'%s, a number of MCUs or ('rows', number)",
            object, may_keep ? ", 'keep'" : "");
    return restart->unit != KST_RESTART_NONE;
}

bool kst_py_region(PyObject *object, const char *what, kst_region *region)
{
    PyObject *tuple = object && object != Py_None ? PySequence_Tuple(object) : NULL;
    uint32_t *const values[] = {&region->x, &region->y, &region->width, &region->height};
    if (!tuple)
        return !PyErr_Occurred();
    bool fine = PyTuple_Size(tuple) == 4;
    if (!fine)
        PyErr_Format(PyExc_ValueError, "%s is (x, y, width, height)", what);
    for (int i = 0; fine && i < 4; i++) {
        unsigned long long value = PyLong_AsUnsignedLongLong(PyTuple_GetItem(tuple, i));
        fine = !PyErr_Occurred();
        if (fine && (value > UINT32_MAX || (i >= 2 && value == 0))) {
            PyErr_Format(PyExc_ValueError, "a number of %s is too large, or its width or height 0", what);
            fine = false;
        }
        *values[i] = (uint32_t)value;
    }
    Py_DECREF(tuple);
    return fine;
}
