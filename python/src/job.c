/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements jobs: decoding that runs while Python does something else. */
#include "decoding.h"

#include <unistd.h>

struct job {
    PyObject_HEAD struct decoding decoding; /* counts as a user of its context while the job is open */
    PyObject *results;                      /* kept after a wait without an exception */
    bool raise;
    bool is_open;    /* in flight, or not yet waited for */
    bool is_waiting; /* a thread waits for the job */
};

/* Release what a job holds. A child of fork() does not have the threads that its parent's jobs need. */
static void end(struct job *self)
{
    struct context *context = self->decoding.context;
    if (!self->is_open)
        return;
    self->is_open = false;
    if (self->decoding.job && context->process != getpid())
        return;
    if (self->decoding.job)
        kst_py_decoding_wait(&self->decoding);
    kst_py_decoding_end(&self->decoding);
    kst_py_context_leave(context);
}

PyObject *kst_py_submit(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct state *state = kst_py_state(self);
    struct context *context = (struct context *)self;
    if (!kst_py_context_enter(context))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->job, Py_tp_alloc);
    struct job *job = (struct job *)allocate(state->job, 0);
    if (!job) {
        kst_py_context_leave(context);
        return NULL;
    }
    job->is_open = true;
    job->decoding.state = state;
    job->decoding.context = (struct context *)Py_NewRef(self);
    bool fine =
        kst_py_decoding_prepare(&job->decoding, args, keywords, &job->raise) && kst_py_decoding_submit(&job->decoding);
    job->decoding.out = NULL; /* it was borrowed for the call; each piece holds its own array */
    job->decoding.stream = NULL;
    if (!fine)
        Py_CLEAR(job);
    return (PyObject *)job;
}

static void job_dealloc(PyObject *object)
{
    struct job *self = (struct job *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *error_type, *error, *traceback;
    PyErr_Fetch(&error_type, &error, &traceback); /* a failed submission also ends here */
    end(self);
    Py_XDECREF(self->results);
    Py_XDECREF((PyObject *)self->decoding.context);
    PyErr_Restore(error_type, error, traceback);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static bool check(const struct job *self)
{
    if (self->is_open && self->decoding.context->process != getpid())
        PyErr_SetString(PyExc_RuntimeError, "the job is another process's");
    else if (self->is_waiting)
        PyErr_SetString(PyExc_RuntimeError, "another thread waits for the job");
    return !PyErr_Occurred();
}

static PyObject *job_done(PyObject *object, PyObject *unused)
{
    struct job *self = (struct job *)object;
    (void)unused;
    if (self->is_waiting)
        return Py_NewRef(Py_False);
    if (!check(self))
        return NULL;
    return PyBool_FromLong(!self->is_open || kst_job_done(self->decoding.job));
}

static PyObject *job_wait(PyObject *object, PyObject *unused)
{
    struct job *self = (struct job *)object;
    (void)unused;
    if (!check(self))
        return NULL;
    if (self->is_open) {
        self->is_waiting = true;
        kst_py_decoding_wait(&self->decoding);
        self->is_waiting = false;
        self->results = kst_py_decoding_results(&self->decoding, self->raise);
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        end(self);
        PyErr_Restore(type, error, traceback);
        return Py_XNewRef(self->results);
    }
    if (!self->results)
        PyErr_SetString(PyExc_RuntimeError, "the job has told its error already");
    return Py_XNewRef(self->results);
}

PyDoc_STRVAR(job_doc, "Decoding that was submitted. Work on a GPU goes on by itself; streams, arrays and the context "
                      "are held meanwhile.\n"
                      "One that is dropped is waited for.");
PyDoc_STRVAR(done_doc, "done($self)\n--\n\nWhether wait() will not have to wait for the device.");
PyDoc_STRVAR(wait_doc, "wait($self)\n--\n\n"
                       "Wait for it: the list that decode_batch() gives, or its exception. Again: the same list.");

static PyMethodDef methods[] = {
    {"done", job_done, METH_NOARGS, done_doc}, {"wait", job_wait, METH_NOARGS, wait_doc}, {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)job_doc}, {Py_tp_dealloc, job_dealloc}, {Py_tp_methods, methods}, {0, NULL}};

PyType_Spec kst_py_job_spec = {
    "kostka.Job", sizeof(struct job), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
