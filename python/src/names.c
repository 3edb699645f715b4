/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the names that Python uses for the library's enumerations. */
#include "options.h"

#include <stdio.h>

const struct name kst_py_formats[] = {{"auto", KST_FORMAT_AUTO}, {"grey", KST_FORMAT_GREY}, {"gray", KST_FORMAT_GREY},
    {"rgb", KST_FORMAT_RGB}, {"bgr", KST_FORMAT_BGR}, {"rgba", KST_FORMAT_RGBA}, {"bgra", KST_FORMAT_BGRA},
    {"cmyk", KST_FORMAT_CMYK}, {"planar", KST_FORMAT_PLANAR}, {"raw", KST_FORMAT_RAW}, {NULL, 0}};
const struct name kst_py_colours[] = {{"unknown", KST_COLOUR_UNKNOWN}, {"grey", KST_COLOUR_GREY},
    {"gray", KST_COLOUR_GREY}, {"rgb", KST_COLOUR_RGB}, {"ycbcr", KST_COLOUR_YCBCR}, {"cmyk", KST_COLOUR_CMYK},
    {"ycck", KST_COLOUR_YCCK}, {NULL, 0}};
const struct name kst_py_dcts[] = {{"accurate", KST_DCT_ACCURATE}, {"fast", KST_DCT_FAST}, {NULL, 0}};

const struct name kst_py_codings[] = {{"baseline", KST_CODING_BASELINE}, {"optimized", KST_CODING_OPTIMIZED},
    {"optimised", KST_CODING_OPTIMIZED}, {"progressive", KST_CODING_PROGRESSIVE}, {NULL, 0}};
const struct name kst_py_subsamplings[] = {{"420", KST_SUBSAMPLING_420}, {"422", KST_SUBSAMPLING_422},
    {"444", KST_SUBSAMPLING_444}, {"440", KST_SUBSAMPLING_440}, {"411", KST_SUBSAMPLING_411},
    {"410", KST_SUBSAMPLING_410}, {"4:2:0", KST_SUBSAMPLING_420}, {"4:2:2", KST_SUBSAMPLING_422},
    {"4:4:4", KST_SUBSAMPLING_444}, {"4:4:0", KST_SUBSAMPLING_440}, {"4:1:1", KST_SUBSAMPLING_411},
    {"4:1:0", KST_SUBSAMPLING_410}, {NULL, 0}};
const struct name kst_py_transforms[] = {{"none", KST_TRANSFORM_NONE}, {"flip_h", KST_TRANSFORM_FLIP_H},
    {"rotate_180", KST_TRANSFORM_ROTATE_180}, {"flip_v", KST_TRANSFORM_FLIP_V}, {"transpose", KST_TRANSFORM_TRANSPOSE},
    {"rotate_90", KST_TRANSFORM_ROTATE_90}, {"transverse", KST_TRANSFORM_TRANSVERSE},
    {"rotate_270", KST_TRANSFORM_ROTATE_270}, {NULL, 0}};
const struct name kst_py_edges[] = {
    {"keep", KST_EDGE_KEEP}, {"trim", KST_EDGE_TRIM}, {"perfect", KST_EDGE_PERFECT}, {NULL, 0}};
const struct name kst_py_strips[] = {
    {"nothing", KST_STRIP_NOTHING}, {"markers", KST_STRIP_MARKERS}, {"all", KST_STRIP_ALL}, {NULL, 0}};
const struct name kst_py_others[] = {{"keep", KST_OTHERS_KEEP}, {"drop", KST_OTHERS_DROP}, {NULL, 0}};
const struct name kst_py_device_kinds[] = {{"none", KST_DEVICE_NONE}, {"cpu", KST_DEVICE_CPU},
    {"cuda", KST_DEVICE_CUDA}, {"opencl", KST_DEVICE_OPENCL}, {NULL, 0}};
const struct name kst_py_stages[] = {{"parse", KST_STAGE_PARSE}, {"entropy", KST_STAGE_ENTROPY},
    {"pixels", KST_STAGE_PIXELS}, {"write", KST_STAGE_WRITE}, {"upload", KST_STAGE_UPLOAD},
    {"download", KST_STAGE_DOWNLOAD}, {"resize", KST_STAGE_RESIZE}, {NULL, 0}};
const struct name kst_py_codecs[] = {
    {"none", KST_CODEC_NONE}, {"jpeg", KST_CODEC_JPEG}, {"jpeg2000", KST_CODEC_JPEG2000}, {NULL, 0}};
const struct name kst_py_processes[] = {{"none", KST_PROCESS_NONE}, {"baseline", KST_PROCESS_BASELINE},
    {"extended", KST_PROCESS_EXTENDED}, {"progressive", KST_PROCESS_PROGRESSIVE}, {"lossless", KST_PROCESS_LOSSLESS},
    {NULL, 0}};
const struct name kst_py_metadata_kinds[] = {{"icc", KST_METADATA_ICC}, {"exif", KST_METADATA_EXIF},
    {"xmp", KST_METADATA_XMP}, {"comment", KST_METADATA_COMMENT}, {"app", KST_METADATA_APP}, {NULL, 0}};
const struct name kst_py_progressions[] = {{"LRCP", KST_PROGRESSION_LRCP}, {"RLCP", KST_PROGRESSION_RLCP},
    {"RPCL", KST_PROGRESSION_RPCL}, {"PCRL", KST_PROGRESSION_PCRL}, {"CPRL", KST_PROGRESSION_CPRL}, {NULL, 0}};
const struct name kst_py_styles[] = {{"bypass", KST_J2K_BYPASS}, {"reset", KST_J2K_RESET}, {"termall", KST_J2K_TERMALL},
    {"causal", KST_J2K_CAUSAL}, {"predictable", KST_J2K_PREDICTABLE}, {"symbols", KST_J2K_SYMBOLS}, {"ht", KST_J2K_HT},
    {NULL, 0}};
const struct name kst_py_weights[] = {{"none", KST_J2K_WEIGHTS_NONE}, {"vision", KST_J2K_WEIGHTS_VISION}, {NULL, 0}};
const struct name kst_py_headers[] = {
    {"inline", KST_J2K_HEADERS_INLINE}, {"ppt", KST_J2K_HEADERS_PPT}, {"ppm", KST_J2K_HEADERS_PPM}, {NULL, 0}};
const struct name kst_py_divisions[] = {{"resolution", KST_J2K_DIVIDE_RESOLUTION}, {"layer", KST_J2K_DIVIDE_LAYER},
    {"component", KST_J2K_DIVIDE_COMPONENT}, {NULL, 0}};
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

static bool read_interval(PyObject *object, uint32_t *interval)
{
    long long number = 0;
    bool fine = kst_py_integer(object, "restart", 1, 65535, &number);
    *interval = (uint32_t)number;
    return fine;
}

static bool read_rows(PyObject *pair, kst_restart *restart)
{
    PyObject *unit = PyTuple_Size(pair) == 2 ? PyTuple_GetItem(pair, 0) : NULL;
    if (!unit || !PyUnicode_Check(unit) || PyUnicode_CompareWithASCIIString(unit, "rows") != 0) {
        PyErr_Format(PyExc_ValueError, "restart is %R, not a number of MCUs or ('rows', number)", pair);
        return false;
    }
    restart->unit = KST_RESTART_ROWS;
    return read_interval(PyTuple_GetItem(pair, 1), &restart->interval);
}

static bool is_text(PyObject *object, const char *text)
{
    return PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, text) == 0;
}

bool kst_py_restart(PyObject *object, bool may_keep, kst_restart *restart)
{
    *restart = (kst_restart){.unit = KST_RESTART_NONE};
    if (!object || is_text(object, "none"))
        return true;
    if (PyTuple_Check(object))
        return read_rows(object, restart);
    if (PyIndex_Check(object)) {
        restart->unit = KST_RESTART_MCUS;
        return read_interval(object, &restart->interval);
    }
    if (is_text(object, "auto"))
        restart->unit = KST_RESTART_AUTO;
    else if (may_keep && is_text(object, "keep"))
        restart->unit = KST_RESTART_KEEP;
    else
        PyErr_Format(PyExc_ValueError, "restart is %R, not 'none', 'auto'%s, a number of MCUs or ('rows', number)",
            object, may_keep ? ", 'keep'" : "");
    return restart->unit != KST_RESTART_NONE;
}

bool kst_py_region(PyObject *object, const char *what, kst_region *region)
{
    PyObject *tuple = PySequence_Check(object) ? PySequence_Tuple(object) : NULL;
    uint32_t *const values[] = {&region->x, &region->y, &region->width, &region->height};
    if (!tuple && PyErr_Occurred())
        return false;
    bool fine = tuple && PyTuple_Size(tuple) == 4;
    if (!fine)
        PyErr_Format(tuple ? PyExc_ValueError : PyExc_TypeError, "%s is (x, y, width, height), not %R", what, object);
    for (int i = 0; fine && i < 4; i++) {
        long long number = 0;
        fine = kst_py_integer(PyTuple_GetItem(tuple, i), what, i >= 2, UINT32_MAX, &number);
        *values[i] = (uint32_t)number;
    }
    Py_XDECREF(tuple);
    return fine;
}
