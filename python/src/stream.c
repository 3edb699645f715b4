/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gets handles of the caller's streams, and waits for them through CUDA's driver, which is loaded if it is installed.
 */
#include "kostka_python.h"

#include <dlfcn.h>

typedef struct cu_context_of *cu_context;

struct driver {
    int (*get_context)(cu_context *context);
    int (*retain_primary)(cu_context *context, int device);
    int (*release_primary)(int device);
    int (*push)(cu_context context);
    int (*pop)(cu_context *context);
    int (*wait_stream)(void *stream);
    int (*wait_all)(void);
    int (*pointer_attribute)(void *value, int attribute, uintptr_t pointer);
};

enum { POINTER_DEVICE_ORDINAL = 9 };

/* Attributes that hold the handle: PyTorch's, CuPy's, PyOpenCL's. */
static const char *const handle_names[] = {"cuda_stream", "ptr", "int_ptr"};

static PyObject *handle_of(PyObject *object)
{
    if (PyLong_Check(object))
        return Py_NewRef(object);
    for (size_t i = 0; i < sizeof handle_names / sizeof *handle_names; i++) {
        PyObject *value = kst_py_attribute(object, handle_names[i]);
        if (value && PyLong_Check(value))
            return value;
        Py_XDECREF(value);
        if (!value && !PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
    }
    return PyErr_Format(PyExc_TypeError,
        "%R is no stream: neither an integer nor an object of PyTorch, CuPy or PyOpenCL", (PyObject *)Py_TYPE(object));
}

bool kst_py_stream(PyObject *object, void **handle, bool *is_given)
{
    *handle = NULL;
    *is_given = object && object != Py_None;
    if (!*is_given)
        return true;
    PyObject *number = handle_of(object);
    if (!number)
        return false;
    *handle = PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    if (*handle == (void *)1) /* CUDA's name for the default stream */
        *handle = NULL;
    return !PyErr_Occurred();
}

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); /* C cannot cast void * to a function */
    return found != NULL;
}

static bool load(void *library, struct driver *driver)
{
    return find(library, "cuCtxGetCurrent", &driver->get_context) &&
           find(library, "cuDevicePrimaryCtxRetain", &driver->retain_primary) &&
           find(library, "cuDevicePrimaryCtxRelease_v2", &driver->release_primary) &&
           find(library, "cuCtxPushCurrent_v2", &driver->push) && find(library, "cuCtxPopCurrent_v2", &driver->pop) &&
           find(library, "cuStreamSynchronize", &driver->wait_stream) &&
           find(library, "cuCtxSynchronize", &driver->wait_all) &&
           find(library, "cuPointerGetAttribute", &driver->pointer_attribute);
}

static bool wait_in(const struct driver *driver, cu_context context, void *stream, bool all)
{
    cu_context before;
    if (driver->push(context) != 0)
        return false;
    bool fine = (all ? driver->wait_all() : driver->wait_stream(stream)) == 0;
    return driver->pop(&before) == 0 && fine;
}

/* Wait for a stream. If the device is not known, wait in the current context, which the stream must belong to. */
static bool wait_on(const struct driver *driver, int ordinal, void *stream, bool all)
{
    cu_context context = NULL;
    if (ordinal < 0 && driver->get_context(&context) == 0 && context)
        return wait_in(driver, context, stream, all);
    int device = ordinal < 0 ? 0 : ordinal;
    if (driver->retain_primary(&context, device) != 0)
        return false;
    bool fine = wait_in(driver, context, stream, all);
    return driver->release_primary(device) == 0 && fine;
}

int kst_py_cuda_ordinal(const void *pointer)
{
    struct driver driver;
    int ordinal = -1;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return -1;
    if (!load(library, &driver) || driver.pointer_attribute(&ordinal, POINTER_DEVICE_ORDINAL, (uintptr_t)pointer) != 0)
        ordinal = -1;
    dlclose(library); /* others keep it loaded */
    return ordinal;
}

bool kst_py_cuda_wait(int ordinal, void *stream, bool all)
{
    struct driver driver;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    bool fine = load(library, &driver) && wait_on(&driver, ordinal, stream, all);
    dlclose(library);
    return fine;
}
