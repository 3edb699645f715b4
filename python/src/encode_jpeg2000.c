/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options of JPEG 2000 that are more than a number or a name. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "encoding.h"

enum { LAYERS_MAX = 1024, CHANGES_MAX = 32, OWN_MAX = 4096 };

static bool is_alone(struct jpeg2000 *jpeg2000, const char *name)
{
    if (jpeg2000->target)
        PyErr_Format(PyExc_ValueError, "%s and %s exclude each other", jpeg2000->target, name);
    jpeg2000->target = name;
    return !PyErr_Occurred();
}

bool kst_py_read_lossless(const struct option *option, PyObject *value, void *to)
{
    struct jpeg2000 *jpeg2000 = to;
    bool lossless;
    if (!kst_py_read_flag(option, value, &lossless))
        return false;
    jpeg2000->is_lossy = !lossless;
    if (!lossless)
        return true;
    jpeg2000->options.target = KST_J2K_LOSSLESS;
    return is_alone(jpeg2000, option->name);
}

/* Read a value, or one for each layer from the worst to the best. */
bool kst_py_read_target(const struct option *option, PyObject *value, void *to)
{
    struct jpeg2000 *jpeg2000 = to;
    if (!is_alone(jpeg2000, option->name))
        return false;
    memcpy(&jpeg2000->options.target, option->detail, sizeof jpeg2000->options.target);
    if (!PySequence_Check(value))
        return kst_py_positive(value, option->name, &jpeg2000->options.value);
    PyObject *tuple = PySequence_Tuple(value);
    Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
    if (tuple && (count < 1 || count > LAYERS_MAX))
        PyErr_Format(PyExc_ValueError, "%s is a number, or 1 to %d of them", option->name, LAYERS_MAX);
    jpeg2000->layer_value = PyErr_Occurred() ? NULL : PyMem_Calloc((size_t)count, sizeof *jpeg2000->layer_value);
    if (!jpeg2000->layer_value && !PyErr_Occurred())
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && jpeg2000->layer_value && !PyErr_Occurred(); i++)
        kst_py_positive(PyTuple_GetItem(tuple, i), option->name, &jpeg2000->layer_value[i]);
    if (jpeg2000->layer_value && !PyErr_Occurred()) {
        jpeg2000->value_count = (size_t)count;
        jpeg2000->options.value = jpeg2000->layer_value[count - 1];
    }
    Py_XDECREF(tuple);
    return !PyErr_Occurred();
}

/* Read (first, end), which is half open; null means all. */
static bool read_pair(PyObject *value, const char *what, uint32_t *first, uint32_t *end)
{
    static const struct option option = {.name = "poc"};
    uint32_t pair[2] = {0, 0};
    if (value && (PyIndex_Check(value) || !kst_py_read_size(&option, value, pair))) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "poc: %s are a pair (first, last + 1)", what);
        return false;
    }
    *first = pair[0];
    *end = pair[1];
    return true;
}

/* Read (order, resolutions, components, layers), of which all but the first may be missing or None. */
static bool read_change(PyObject *object, kst_j2k_change *change)
{
    static const struct option order = {.name = "poc", .detail = kst_py_progressions};
    PyObject *part[4] = {object, NULL, NULL, NULL};
    long long layers = 0;
    int progression;
    for (int i = 0; i < 4 && PyTuple_Check(object); i++) {
        part[i] = i < PyTuple_Size(object) ? PyTuple_GetItem(object, i) : NULL;
        part[i] = part[i] == Py_None ? NULL : part[i];
    }
    if (!part[0] || (PyTuple_Check(object) && PyTuple_Size(object) > 4)) {
        PyErr_Format(PyExc_ValueError, "poc: a change is (order, resolutions, components, layers), not %R", object);
        return false;
    }
    *change = (kst_j2k_change){.layers = 0};
    bool fine = kst_py_read_word(&order, part[0], &progression) &&
                read_pair(part[1], "resolutions", &change->resolution0, &change->resolution1) &&
                read_pair(part[2], "components", &change->component0, &change->component1) &&
                (!part[3] || kst_py_integer(part[3], "poc: the number of layers", 1, 65535, &layers));
    change->progression = fine ? (kst_progression)progression : KST_PROGRESSION_LRCP;
    change->layers = (uint32_t)layers;
    return fine;
}

/* Return a sequence that is not a string as a tuple of 1 to `most` items; null with an exception. */
static PyObject *tuple_of(const char *name, PyObject *value, Py_ssize_t most)
{
    PyObject *tuple = PySequence_Check(value) && !PyUnicode_Check(value) ? PySequence_Tuple(value) : NULL;
    if (!tuple && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s is a sequence, not %R", name, value);
    if (tuple && (PyTuple_Size(tuple) < 1 || PyTuple_Size(tuple) > most)) {
        PyErr_Format(PyExc_ValueError, "%s has %zd items, not 1 to %zd", name, PyTuple_Size(tuple), most);
        Py_CLEAR(tuple);
    }
    return tuple;
}

bool kst_py_read_changes(const struct option *option, PyObject *value, void *to)
{
    struct jpeg2000 *jpeg2000 = to;
    PyObject *tuple = tuple_of(option->name, value, CHANGES_MAX);
    if (!tuple)
        return false;
    size_t count = (size_t)PyTuple_Size(tuple);
    jpeg2000->change = PyMem_Calloc(count, sizeof *jpeg2000->change);
    if (!jpeg2000->change)
        PyErr_NoMemory();
    for (size_t i = 0; i < count && jpeg2000->change && !PyErr_Occurred(); i++)
        read_change(PyTuple_GetItem(tuple, (Py_ssize_t)i), &jpeg2000->change[i]);
    jpeg2000->options.change = jpeg2000->change;
    jpeg2000->options.change_count = count;
    Py_DECREF(tuple);
    return !PyErr_Occurred();
}

/* Read sizes from the largest resolution down; the last one counts for all further resolutions. */
bool kst_py_read_precincts(const struct option *option, PyObject *value, void *to)
{
    kst_j2k_options *options = &((struct jpeg2000 *)to)->options;
    PyObject *tuple = tuple_of(option->name, value, 33);
    options->precinct_count = tuple ? (uint32_t)PyTuple_Size(tuple) : 0;
    for (uint32_t i = 0; i < options->precinct_count && !PyErr_Occurred(); i++) {
        uint32_t size[2] = {0, 0};
        kst_py_read_size(option, PyTuple_GetItem(tuple, (Py_ssize_t)i), size);
        options->precinct_width[i] = size[0];
        options->precinct_height[i] = size[1];
    }
    Py_XDECREF(tuple);
    return !PyErr_Occurred();
}

#define OWN(member) offsetof(kst_j2k_component, member)

static const struct range indices = {0, 16383}, levels = {0, 32}, guard_bits = {1, 7}, tiles = {0, 65534};
static const struct option own_options[] = {
    {"component", kst_py_read_count, OWN(component), &indices, FOR_JPEG2000},
    {"tile", kst_py_read_count, OWN(tile), &tiles, FOR_JPEG2000},
    {"levels", kst_py_read_count, OWN(levels), &levels, FOR_JPEG2000},
    {"codeblock", kst_py_read_size, OWN(block_width), NULL, FOR_JPEG2000},
    {"style", kst_py_read_words, OWN(style), kst_py_styles, FOR_JPEG2000},
    {"reversible", kst_py_read_flag, OWN(reversible), NULL, FOR_JPEG2000},
    {"step", kst_py_read_positive, OWN(step), NULL, FOR_JPEG2000},
    {"guard_bits", kst_py_read_count, OWN(guard_bits), &guard_bits, FOR_JPEG2000},
    {NULL, NULL, 0, NULL, 0},
};

/* The flag of each field, by its index in own_options. */
static const uint32_t own_fields[] = {0, KST_J2K_OWN_TILE, KST_J2K_OWN_LEVELS, KST_J2K_OWN_BLOCKS, KST_J2K_OWN_STYLE,
    KST_J2K_OWN_TRANSFORM, KST_J2K_OWN_STEP, KST_J2K_OWN_GUARD_BITS};

static bool read_component(const char *name, PyObject *object, kst_j2k_component *component)
{
    option_set given = 0;
    if (!PyDict_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s is a sequence of dicts, not of %R", name, (PyObject *)Py_TYPE(object));
        return false;
    }
    if (!kst_py_options(name, object, own_options, component, &given))
        return false;
    for (size_t i = 0; i < sizeof own_fields / sizeof *own_fields; i++)
        if (given >> i & 1)
            component->fields |= own_fields[i];
    if (given & 1)
        return true;
    PyErr_Format(PyExc_ValueError, "%s: 'component', the index, is missing in %R", name, object);
    return false;
}

bool kst_py_read_own(const struct option *option, PyObject *value, void *to)
{
    struct jpeg2000 *jpeg2000 = to;
    PyObject *tuple = PyDict_Check(value) ? PyTuple_Pack(1, value) : tuple_of(option->name, value, OWN_MAX);
    if (!tuple)
        return false;
    size_t count = (size_t)PyTuple_Size(tuple);
    jpeg2000->component = PyMem_Calloc(count, sizeof *jpeg2000->component);
    if (!jpeg2000->component)
        PyErr_NoMemory();
    for (size_t i = 0; i < count && jpeg2000->component && !PyErr_Occurred(); i++)
        read_component(option->name, PyTuple_GetItem(tuple, (Py_ssize_t)i), &jpeg2000->component[i]);
    jpeg2000->options.component = jpeg2000->component;
    jpeg2000->options.component_count = count;
    Py_DECREF(tuple);
    return !PyErr_Occurred();
}

/* Parse a level of one or two digits behind the character `before`. Returns what follows; null if there is no level. */
static const char *parse_level(const char *text, char before, unsigned *level)
{
    const char *digit = text + 1;
    if (*text != before || *digit < '0' || *digit > '9')
        return NULL;
    for (*level = 0; *digit >= '0' && *digit <= '9' && digit < text + 3; digit++)
        *level = 10 * *level + (unsigned)(*digit - '0');
    return digit;
}

/* Parse "NAME", "NAME:MAINLEVEL" or "NAME:MAINLEVEL,SUBLEVEL"; the name is that of kst_j2k_profile_name(). */
static bool parse_profile(const char *text, uint32_t *profile)
{
    static const uint32_t profiles[] = {KST_J2K_PROFILE_0, KST_J2K_PROFILE_1, KST_J2K_PROFILE_CINEMA_2K,
        KST_J2K_PROFILE_CINEMA_4K, KST_J2K_PROFILE_BROADCAST, KST_J2K_PROFILE_BROADCAST_TILED,
        KST_J2K_PROFILE_BROADCAST_REVERSIBLE, KST_J2K_PROFILE_IMF_2K, KST_J2K_PROFILE_IMF_4K, KST_J2K_PROFILE_IMF_8K,
        KST_J2K_PROFILE_IMF_2K_REVERSIBLE, KST_J2K_PROFILE_IMF_4K_REVERSIBLE, KST_J2K_PROFILE_IMF_8K_REVERSIBLE};
    size_t length = strcspn(text, ":");
    unsigned main_level = 0, sublevel = 0;
    if (text[length] == ':') {
        const char *end = parse_level(text + length, ':', &main_level);
        if (end && *end)
            end = parse_level(end, ',', &sublevel);
        if (!end || *end)
            return false;
    }
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        const char *name = kst_j2k_profile_name(profiles[i]);
        bool has_levels = profiles[i] >= KST_J2K_PROFILE_BROADCAST;
        if (strncmp(name, text, length) == 0 && !name[length] && main_level < 16 && sublevel < 16 &&
            (has_levels || !text[length])) {
            *profile = profiles[i] + main_level + 16 * sublevel;
            return true;
        }
    }
    return false;
}

bool kst_py_jpeg2000_profile(struct jpeg2000 *jpeg2000, PyObject *value)
{
    static const struct option option = {.name = "profile"};
    const char *text;
    uint32_t profile;
    if (!value || value == Py_None)
        return true;
    if (!kst_py_read_text(&option, value, &text))
        return false;
    if (parse_profile(text, &profile) && !kst_j2k_options_profile(&jpeg2000->options, profile))
        return true;
    PyErr_Format(PyExc_ValueError,
        "profile is %R, not 'profile0', 'profile1', 'cinema2k', 'cinema4k', 'broadcast:5' or 'imf4k:6,3' (main level, "
        "sublevel) and the like",
        value);
    return false;
}

bool kst_py_jpeg2000_finish(struct jpeg2000 *jpeg2000)
{
    kst_j2k_options *options = &jpeg2000->options;
    if (jpeg2000->is_lossy && options->target == KST_J2K_LOSSLESS) {
        PyErr_SetString(PyExc_ValueError, "lossless=False wants one of rate, ratio, psnr and step beside it");
        return false;
    }
    if (jpeg2000->value_count < 2)
        return true;
    if (options->layers == 1)
        options->layers = (uint32_t)jpeg2000->value_count;
    options->layer_value = jpeg2000->layer_value;
    if (options->layers == jpeg2000->value_count)
        return true;
    PyErr_Format(PyExc_ValueError, "%s has %zu values for %u layers", jpeg2000->target, jpeg2000->value_count,
        (unsigned)options->layers);
    return false;
}

void kst_py_jpeg2000_end(struct jpeg2000 *jpeg2000)
{
    PyMem_Free(jpeg2000->layer_value);
    PyMem_Free(jpeg2000->change);
    PyMem_Free(jpeg2000->component);
    jpeg2000->layer_value = NULL;
    jpeg2000->change = NULL;
    jpeg2000->component = NULL;
}
