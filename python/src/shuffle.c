/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes items out of lists at random, many in a call. The caller provides the random bits: 64 for an item, those of
 * which Python's random.random() makes a number.
 */
#include "kostka_python.h"

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Return int(random.random() * count) for what random() makes of the next bits. */
static Py_ssize_t index_below(Py_ssize_t count, const unsigned char *bits)
{
    uint64_t number = (uint64_t)(word_at(bits) >> 5) << 26 | word_at(bits + 4) >> 6;
    Py_ssize_t index = (Py_ssize_t)((double)number * 0x1p-53 * (double)count);
    return index < count ? index : count - 1; /* the product may have been rounded up */
}

static bool read_bits(PyObject *object, Py_ssize_t count, const unsigned char **bits)
{
    char *text;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(object, &text, &length) < 0)
        return false;
    *bits = (const unsigned char *)text;
    if (length != 8 * count)
        PyErr_Format(PyExc_ValueError, "there are %zd random bytes for %zd items", length, count);
    return length == 8 * count;
}

PyObject *kst_py_exchange(PyObject *module, PyObject *args)
{
    PyObject *held, *items, *random;
    const unsigned char *bits;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O:exchange", &PyList_Type, &held, &PyList_Type, &items, &random))
        return NULL;
    Py_ssize_t count = PyList_Size(items), room = PyList_Size(held);
    if (!read_bits(random, count, &bits))
        return NULL;
    if (room == 0 && count > 0)
        return PyErr_Format(PyExc_ValueError, "no items are held");
    PyObject *taken = PyList_New(count);
    for (Py_ssize_t i = 0; taken && i < count; i++) {
        Py_ssize_t at = index_below(room, bits + 8 * i);
        PyList_SetItem(taken, i, Py_NewRef(PyList_GetItem(held, at)));
        PyList_SetItem(held, at, Py_NewRef(PyList_GetItem(items, i)));
    }
    return taken;
}

PyObject *kst_py_draw(PyObject *module, PyObject *args)
{
    PyObject *held, *random;
    const unsigned char *bits;
    Py_ssize_t count;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!nO:draw", &PyList_Type, &held, &count, &random))
        return NULL;
    Py_ssize_t left = PyList_Size(held);
    if (count < 0 || count > left)
        return PyErr_Format(PyExc_ValueError, "count is %zd, not within 0 to %zd", count, left);
    PyObject *taken = read_bits(random, count, &bits) ? PyList_New(count) : NULL;
    for (Py_ssize_t i = 0; taken && i < count; i++, left--) {
        Py_ssize_t at = index_below(left, bits + 8 * i);
        PyList_SetItem(taken, i, Py_NewRef(PyList_GetItem(held, at)));
        PyList_SetItem(held, at, Py_NewRef(PyList_GetItem(held, left - 1)));
    }
    if (taken && PyList_SetSlice(held, left, left + count, NULL) < 0)
        Py_CLEAR(taken);
    return taken;
}
