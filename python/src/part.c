/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements parts of a block of memory, as objects with the buffer protocol. The library keeps blocks that are
 * released, so that pages need not be mapped for what is read next, nor memory be managed for each part.
 */
#include "part.h"

#include <stdlib.h>

struct block *kst_py_block_take(struct context *context, size_t length)
{
    struct block *block = calloc(1, sizeof *block);
    kst_status status;
    if (!block)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    kst_image_init(&block->storage.image);
    status = kst_py_take_block(context, length, KST_MEMORY_HOST, &block->storage.block);
    Py_END_ALLOW_THREADS;
    if (status) {
        free(block);
        return NULL;
    }
    block->users = 1;
    block->data = block->storage.block.plane[0].data;
    block->context = (struct context *)Py_NewRef((PyObject *)context);
    context->users++;
    return block;
}

void kst_py_block_leave(struct block *block)
{
    if (!block || --block->users > 0)
        return;
    kst_py_storage_release(block->context, &block->storage);
    kst_py_context_leave(block->context);
    Py_DECREF((PyObject *)block->context);
    free(block);
}

/* The type of the objects. The block that a part lies in has at least one user. */
struct part {
    PyObject_HEAD struct block *block;
    char *data;
    Py_ssize_t length;
};

PyObject *kst_py_part_new(struct state *state, struct block *block, char *data, size_t length)
{
    struct part *self = PyObject_New(struct part, state->part);
    if (!self)
        return NULL;
    self->block = block;
    self->data = data;
    self->length = (Py_ssize_t)length;
    block->users++;
    return (PyObject *)self;
}

static void part_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    kst_py_block_leave(((struct part *)object)->block);
    PyObject_Free(object);
    Py_DECREF(type);
}

static int part_get_buffer(PyObject *object, Py_buffer *buffer, int flags)
{
    const struct part *part = (struct part *)object;
    return PyBuffer_FillInfo(buffer, object, part->data, part->length, 1, flags);
}

static Py_ssize_t part_length(PyObject *object)
{
    return ((struct part *)object)->length;
}

static PyType_Slot slots[] = {{Py_tp_doc, (void *)"Bytes in a block of memory that others share."},
    {Py_tp_dealloc, part_dealloc}, {Py_bf_getbuffer, part_get_buffer}, {Py_sq_length, part_length}, {0, NULL}};

PyType_Spec kst_py_part_spec = {
    "kostka._kostka.Part", sizeof(struct part), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
