/* SPDX-License-Identifier: BSD-2-Clause */
#include "kostka_python.h"

PyDoc_STRVAR(error_doc, "What the library could not do.\n\n"
                        "status: the status's name, such as 'ERROR_JPEG_SOI'\n"
                        "offset: the byte of the stream that it is about, or None\n"
                        "report: the Report of the call, or None\n"
                        "index: which item of a batch, or None");

PyObject *kst_py_error_type(void)
{
    static const char *const names[] = {"status", "offset", "report", "index"};
    PyObject *members = PyDict_New();
    for (size_t i = 0; members && i < sizeof names / sizeof *names; i++)
        if (PyDict_SetItemString(members, names[i], Py_None) < 0)
            Py_CLEAR(members);
    PyObject *type = members ? PyErr_NewExceptionWithDoc("kostka.KostkaError", error_doc, NULL, members) : NULL;
    Py_XDECREF(members);
    return type;
}

static bool set(PyObject *error, const char *name, PyObject *value)
{
    bool fine = value && PyObject_SetAttrString(error, name, value) == 0;
    Py_XDECREF(value);
    return fine;
}

static bool describe(struct state *state, PyObject *error, kst_status status, const kst_report *report)
{
    if (!set(error, "status", PyUnicode_FromString(kst_status_name(status))))
        return false;
    if (!report)
        return true;
    if (report->offset != UINT64_MAX && !set(error, "offset", PyLong_FromUnsignedLongLong(report->offset)))
        return false;
    return set(error, "report", kst_py_report(state, report));
}

PyObject *kst_py_error(struct state *state, kst_status status, const kst_report *report)
{
    const char *text = report && report->message[0] ? report->message : kst_status_text(status);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error = message ? PyObject_CallFunctionObjArgs(state->error, message, NULL) : NULL;
    Py_XDECREF(message);
    if (error && !describe(state, error, status, report))
        Py_CLEAR(error);
    return error;
}

PyObject *kst_py_raise(struct state *state, kst_status status, const kst_report *report)
{
    PyObject *error = kst_py_error(state, status, report);
    if (error)
        PyErr_SetObject(state->error, error);
    Py_XDECREF(error);
    return NULL;
}
