/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the exceptions, and makes them of the library's statuses. */
#include "kostka_python.h"

PyDoc_STRVAR(error_doc, "What the library could not do.\n\n"
                        "status: the status's name, such as 'ERROR_JPEG_SOI'\n"
                        "offset: the byte of the stream that it is about, or None\n"
                        "report: the Report of the call, or None\n"
                        "index: which item of a batch, or None");

/* The classes of errors, by enum error_kind. All others are derived from the first one. */
static const struct {
    const char *name, *doc;
    bool is_value; /* derived from ValueError, too */
} kinds[ERROR_KINDS] = {
    {"kostka.KostkaError", error_doc, false},
    {"kostka.StreamError", "A stream that cannot be decoded, or with strict=True is damaged.", false},
    {"kostka.OptionError", "Options, or pictures, that cannot be honoured for this stream or file.", true},
    {"kostka.LimitError", "A stream or picture that is beyond the context's limits.", false},
    {"kostka.DeviceError", "A device that is not there, or that failed.", false},
};

static PyObject *new_type(PyObject *const types[ERROR_KINDS], int kind, PyObject *members)
{
    PyObject *bases = NULL;
    if (kind > 0)
        bases = kinds[kind].is_value ? PyTuple_Pack(2, types[0], PyExc_ValueError) : PyTuple_Pack(1, types[0]);
    PyObject *type =
        kind == 0 || bases ? PyErr_NewExceptionWithDoc(kinds[kind].name, kinds[kind].doc, bases, members) : NULL;
    Py_XDECREF(bases);
    return type;
}

bool kst_py_errors_add(PyObject *module, struct state *state)
{
    static const char *const names[] = {"status", "offset", "report", "index"};
    PyObject *members = PyDict_New();
    for (size_t i = 0; members && i < sizeof names / sizeof *names; i++)
        if (PyDict_SetItemString(members, names[i], Py_None) < 0)
            Py_CLEAR(members);
    bool fine = members != NULL;
    for (int i = 0; fine && i < ERROR_KINDS; i++) {
        state->error[i] = new_type(state->error, i, i == 0 ? members : NULL);
        fine = state->error[i] && PyModule_AddObjectRef(module, strchr(kinds[i].name, '.') + 1, state->error[i]) == 0;
    }
    Py_XDECREF(members);
    return fine;
}

/*
 * Return the kind of a status. Statuses are in groups (kostka_status.h), but a few in the group of streams are about
 * options.
 */
static enum error_kind kind_of(kst_status status)
{
    switch (status) {
    case KST_ERROR_ARGUMENT:
    case KST_ERROR_OPTIONS:
    case KST_ERROR_JPEG_COLOUR:
    case KST_ERROR_J2K_COLOUR:
    case KST_ERROR_J2K_REDUCE:
    case KST_ERROR_J2K_PROFILE:
        return ERROR_OPTION;
    default:
        break;
    }
    int group = (int)status / 20;
    if (group == 1)
        return ERROR_DEVICE;
    if (group == 2)
        return ERROR_LIMIT;
    if (group == 3 || (status >= 150 && status < 180))
        return ERROR_OPTION;
    return group >= 4 ? ERROR_STREAM : ERROR_ANY;
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

static PyObject *make(struct state *state, enum error_kind kind, kst_status status, const kst_report *report)
{
    const char *text = report && report->message[0] ? report->message : kst_status_text(status);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error = message ? PyObject_CallFunctionObjArgs(state->error[kind], message, NULL) : NULL;
    Py_XDECREF(message);
    if (error && !describe(state, error, status, report))
        Py_CLEAR(error);
    return error;
}

PyObject *kst_py_error(struct state *state, kst_status status, const kst_report *report)
{
    return make(state, kind_of(status), status, report);
}

PyObject *kst_py_encode_error(struct state *state, kst_status status, const kst_report *report)
{
    enum error_kind kind = kind_of(status);
    return make(state, kind == ERROR_STREAM ? ERROR_OPTION : kind, status, report);
}

PyObject *kst_py_throw(PyObject *error)
{
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return NULL;
}

PyObject *kst_py_raise(struct state *state, kst_status status, const kst_report *report)
{
    return kst_py_throw(kst_py_error(state, status, report));
}
