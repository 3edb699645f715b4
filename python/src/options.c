/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads keyword arguments by tables of options. */
#include "options.h"

static int index_of(const struct option *table, PyObject *key)
{
    for (int i = 0; table[i].name && PyUnicode_Check(key); i++)
        if (PyUnicode_CompareWithASCIIString(key, table[i].name) == 0)
            return i;
    return -1;
}

bool kst_py_options(
    const char *what, PyObject *dictionary, const struct option *table, void *settings, option_set *given)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dictionary, &at, &key, &value)) {
        int index = index_of(table, key);
        if (index < 0) {
            PyErr_Format(PyExc_TypeError, "%s has no option %R", what, key);
            return false;
        }
        if (value == Py_None)
            continue;
        *given |= (option_set)1 << index;
        if (!table[index].read(&table[index], value, (char *)settings + table[index].offset))
            return false;
    }
    return true;
}

/* Remove `first` from the keywords. Returns the other keywords; *value receives the value of `first`. */
static PyObject *without(PyObject *keywords, const char *first, PyObject **value)
{
    *value = keywords ? PyDict_GetItemString(keywords, first) : NULL;
    if (!*value)
        return Py_XNewRef(keywords);
    PyObject *rest = PyDict_Copy(keywords);
    if (rest && PyDict_DelItemString(rest, first) < 0)
        Py_CLEAR(rest);
    return rest;
}

bool kst_py_arguments(const char *function, const char *first, PyObject *args, PyObject *keywords, PyObject **value,
    const struct option *table, void *settings, option_set *given)
{
    PyObject *named, *rest = without(keywords, first, &named);
    Py_ssize_t count = PyTuple_Size(args) + (named ? 1 : 0);
    bool fine = !PyErr_Occurred();
    if (fine && count != 1) {
        PyErr_Format(PyExc_TypeError, "%s takes one argument, %s, and options by their names: %zd were there", function,
            first, count);
        fine = false;
    }
    if (fine)
        *value = named ? named : PyTuple_GetItem(args, 0);
    fine = fine && (!rest || kst_py_options(function, rest, table, settings, given));
    Py_XDECREF(rest);
    return fine;
}

bool kst_py_option_given(const struct option *table, option_set given, const char *name)
{
    for (int i = 0; table[i].name; i++)
        if (given >> i & 1 && strcmp(table[i].name, name) == 0)
            return true;
    return false;
}

bool kst_py_options_fit(const struct option *table, option_set given, int codec)
{
    for (int i = 0; table[i].name; i++) {
        if (!(given >> i & 1) || table[i].codecs & codec)
            continue;
        bool jpeg = codec == FOR_JPEG;
        PyErr_Format(PyExc_ValueError, "%s is an option of %s, not of %s", table[i].name, jpeg ? "JPEG 2000" : "JPEG",
            jpeg ? "JPEG" : "JPEG 2000");
        return false;
    }
    return true;
}

static bool refuse_type(const char *what, const char *wanted, PyObject *value)
{
    PyErr_Format(PyExc_TypeError, "%s is %s, not %R", what, wanted, value);
    return false;
}

bool kst_py_integer(PyObject *value, const char *what, long long low, long long high, long long *number)
{
    PyObject *whole = PyIndex_Check(value) ? PyNumber_Index(value) : NULL;
    if (!whole)
        return !PyErr_Occurred() && refuse_type(what, "a whole number", value);
    int overflow;
    *number = PyLong_AsLongLongAndOverflow(whole, &overflow);
    Py_DECREF(whole);
    if (!overflow && *number >= low && *number <= high)
        return !PyErr_Occurred();
    PyErr_Format(PyExc_ValueError, "%s is %R, not within %lld to %lld", what, value, low, high);
    return false;
}

bool kst_py_positive(PyObject *value, const char *what, double *number)
{
    *number = PyFloat_AsDouble(value);
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return false;
        PyErr_Clear();
        return refuse_type(what, "a number", value);
    }
    if (*number > 0 && *number <= 1e300)
        return true;
    PyErr_Format(PyExc_ValueError, "%s is %R, not a number above 0", what, value);
    return false;
}

bool kst_py_read_text(const struct option *option, PyObject *value, void *to)
{
    if (!PyUnicode_Check(value))
        return refuse_type(option->name, "a string", value);
    const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
    memcpy(to, &text, sizeof text);
    return text != NULL;
}

bool kst_py_read_word(const struct option *option, PyObject *value, void *to)
{
    const char *text;
    return kst_py_read_text(option, value, &text) && kst_py_value_of(option->detail, option->name, text, to);
}

bool kst_py_read_words(const struct option *option, PyObject *value, void *to)
{
    uint32_t all = 0;
    int one;
    if (PyUnicode_Check(value)) {
        if (!kst_py_read_word(option, value, &one))
            return false;
        all = (uint32_t)one;
    } else {
        PyObject *words = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
        if (!words)
            return !PyErr_Occurred() && refuse_type(option->name, "a string, or a sequence of strings", value);
        for (Py_ssize_t i = 0; i < PyTuple_Size(words) && !PyErr_Occurred(); i++)
            if (kst_py_read_word(option, PyTuple_GetItem(words, i), &one))
                all |= (uint32_t)one;
        Py_DECREF(words);
    }
    memcpy(to, &all, sizeof all);
    return !PyErr_Occurred();
}

bool kst_py_read_flag(const struct option *option, PyObject *value, void *to)
{
    int truth = PyObject_IsTrue(value);
    (void)option;
    *(bool *)to = truth > 0;
    return truth >= 0;
}

bool kst_py_read_choice(const struct option *option, PyObject *value, void *to)
{
    bool yes = false;
    if (!kst_py_read_flag(option, value, &yes))
        return false;
    kst_choice choice = yes ? KST_CHOICE_YES : KST_CHOICE_NO;
    memcpy(to, &choice, sizeof choice);
    return true;
}

bool kst_py_read_int(const struct option *option, PyObject *value, void *to)
{
    long long number;
    if (!kst_py_integer(value, option->name, INT32_MIN, INT32_MAX, &number))
        return false;
    *(int *)to = (int)number;
    return true;
}

bool kst_py_read_count(const struct option *option, PyObject *value, void *to)
{
    const struct range *range = option->detail;
    long long number;
    if (!kst_py_integer(value, option->name, range->low, range->high, &number))
        return false;
    *(uint32_t *)to = (uint32_t)number;
    return true;
}

bool kst_py_read_byte(const struct option *option, PyObject *value, void *to)
{
    long long number;
    if (!kst_py_integer(value, option->name, 0, 255, &number))
        return false;
    *(uint8_t *)to = (uint8_t)number;
    return true;
}

bool kst_py_read_positive(const struct option *option, PyObject *value, void *to)
{
    return kst_py_positive(value, option->name, to);
}

bool kst_py_read_size(const struct option *option, PyObject *value, void *to)
{
    uint32_t *size = to;
    long long width, height;
    if (PyIndex_Check(value)) {
        if (!kst_py_integer(value, option->name, 0, UINT32_MAX, &width))
            return false;
        size[0] = size[1] = (uint32_t)width;
        return true;
    }
    PyObject *pair = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    if (!pair || PyTuple_Size(pair) != 2) {
        Py_XDECREF(pair);
        return !PyErr_Occurred() && refuse_type(option->name, "a number, or a pair of them", value);
    }
    bool fine = kst_py_integer(PyTuple_GetItem(pair, 0), option->name, 0, UINT32_MAX, &width) &&
                kst_py_integer(PyTuple_GetItem(pair, 1), option->name, 0, UINT32_MAX, &height);
    if (fine) {
        size[0] = (uint32_t)width;
        size[1] = (uint32_t)height;
    }
    Py_DECREF(pair);
    return fine;
}

bool kst_py_read_region(const struct option *option, PyObject *value, void *to)
{
    return kst_py_region(value, option->name, to);
}

bool kst_py_read_points(const struct option *option, PyObject *value, void *to)
{
    kst_code_points *points = to;
    long long number[3];
    PyObject *items = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    Py_ssize_t count = items ? PyTuple_Size(items) : 0;
    if (count != 3 && (count != 4 || !PyBool_Check(PyTuple_GetItem(items, 3)))) {
        Py_XDECREF(items);
        return !PyErr_Occurred() && refuse_type(option->name,
                                        "(primaries, transfer, matrix), perhaps with whether the range is full", value);
    }
    bool fine = true;
    for (Py_ssize_t i = 0; i < 3 && fine; i++)
        fine = kst_py_integer(PyTuple_GetItem(items, i), option->name, 0, UINT16_MAX, &number[i]);
    if (fine)
        *points = (kst_code_points){.present = true,
            .full_range = count == 3 || PyTuple_GetItem(items, 3) == Py_True,
            .primaries = (uint16_t)number[0],
            .transfer = (uint16_t)number[1],
            .matrix = (uint16_t)number[2]};
    Py_DECREF(items);
    return fine;
}

bool kst_py_read_object(const struct option *option, PyObject *value, void *to)
{
    (void)option;
    *(PyObject **)to = value;
    return true;
}

bool kst_py_read_skipped(const struct option *option, PyObject *value, void *to)
{
    (void)option;
    (void)value;
    (void)to;
    return true;
}

bool kst_py_coding(const struct option *table, option_set given, bool progressive, bool optimize, kst_coding *coding)
{
    kst_coding wanted = *coding;
    bool has_coding = kst_py_option_given(table, given, "coding");
    bool is_no = kst_py_option_given(table, given, "progressive") && !progressive;
    if (!has_coding)
        *coding = progressive ? KST_CODING_PROGRESSIVE : optimize ? KST_CODING_OPTIMIZED : KST_CODING_BASELINE;
    else if ((progressive && wanted != KST_CODING_PROGRESSIVE) || (is_no && wanted == KST_CODING_PROGRESSIVE))
        PyErr_Format(PyExc_ValueError, "coding is '%s', which contradicts progressive=%s",
            kst_py_name_of(kst_py_codings, (int)wanted), progressive ? "True" : "False");
    else if (optimize && wanted == KST_CODING_BASELINE)
        PyErr_SetString(PyExc_ValueError, "coding is 'baseline', which contradicts optimize=True");
    return !PyErr_Occurred();
}

bool kst_py_read_numbers(const struct option *option, PyObject *value, void *to)
{
    struct numbers *numbers = to;
    PyObject *tuple = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
    if (count < 1 || count > 16384) {
        Py_XDECREF(tuple);
        return !PyErr_Occurred() && refuse_type(option->name, "a sequence of 1 to 16384 numbers", value);
    }
    PyMem_Free(numbers->number);
    numbers->number = PyMem_Calloc((size_t)count, sizeof *numbers->number);
    numbers->count = numbers->number ? (uint32_t)count : 0;
    if (!numbers->number)
        PyErr_NoMemory();
    long long last = -1;
    for (uint32_t i = 0; i < numbers->count && !PyErr_Occurred(); i++) {
        long long number;
        if (!kst_py_integer(PyTuple_GetItem(tuple, (Py_ssize_t)i), option->name, 0, 16383, &number))
            break;
        if (number <= last)
            PyErr_Format(PyExc_ValueError, "%s are not in ascending order", option->name);
        numbers->number[i] = (uint32_t)(last = number);
    }
    Py_DECREF(tuple);
    return !PyErr_Occurred();
}
