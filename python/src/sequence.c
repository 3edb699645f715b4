/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the items of batches from any sequence, including an array's first dimension. */
#include "kostka_python.h"

void kst_py_sequence_release(struct sequence *sequence)
{
    for (Py_ssize_t i = 0; sequence->item && i < sequence->count; i++)
        Py_XDECREF(sequence->item[i]);
    PyMem_Free(sequence->item);
    sequence->item = NULL;
}

bool kst_py_sequence_read(struct sequence *sequence, PyObject *object, const char *what)
{
    *sequence = (struct sequence){.item = NULL};
    if (PyBytes_Check(object) || PyUnicode_Check(object) || PyByteArray_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s is a sequence of objects, not %R", what, (PyObject *)Py_TYPE(object));
        return false;
    }
    PyObject *tuple = PySequence_Tuple(object);
    if (!tuple)
        return false;
    Py_ssize_t count = PyTuple_Size(tuple);
    sequence->item = PyMem_Calloc((size_t)count + 1, sizeof(PyObject *));
    sequence->count = count;
    for (Py_ssize_t i = 0; sequence->item && i < count; i++)
        sequence->item[i] = Py_NewRef(PyTuple_GetItem(tuple, i));
    Py_DECREF(tuple);
    if (!sequence->item)
        PyErr_NoMemory();
    return sequence->item != NULL;
}

bool kst_py_errors(const char *errors, bool *raise)
{
    static const struct name choices[] = {{"raise", 1}, {"return", 0}, {NULL, 0}};
    int value;
    if (!kst_py_value_of(choices, "errors", errors, &value))
        return false;
    *raise = value;
    return true;
}

void kst_py_error_index(Py_ssize_t index)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *number = PyLong_FromSsize_t(index);
    if (!number || !value || PyObject_SetAttrString(value, "index", number) < 0)
        PyErr_Clear();
    Py_XDECREF(number);
    PyErr_Restore(type, value, traceback);
}
