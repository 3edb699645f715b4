/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up the module: its state and its types. */
#include "kostka_python.h"

struct state *kst_py_state(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

static PyObject *devices(PyObject *module, PyObject *unused)
{
    (void)unused;
    uint32_t count;
    Py_BEGIN_ALLOW_THREADS;
    count = kst_device_count();
    Py_END_ALLOW_THREADS;
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list && i < count; i++) {
        kst_device_info info = {.size = sizeof info};
        if (kst_device_get(i, &info))
            continue;
        PyObject *device = kst_py_device(PyModule_GetState(module), &info);
        if (!device || PyList_Append(list, device) < 0)
            Py_CLEAR(list);
        Py_XDECREF(device);
    }
    return list;
}

PyDoc_STRVAR(
    devices_doc, "devices($module)\n--\n\nThe devices of this machine, as a list of Device; the CPU is the first.");

PyDoc_STRVAR(flow_doc, "flow($module, sources, **options)\n--\n\nA Flow; see the package's function.");

PyDoc_STRVAR(tar_split_doc,
    "tar_split($module, name, /)\n--\n\n"
    "The key of a member's name, up to the first dot of its last part, and what is behind the dot.");

PyDoc_STRVAR(tar_groups_doc,
    "tar_groups($module, keeper, file, folder, number, shard, pictures, names, /)\n--\n\n"
    "Neighbours of one key in a tar archive, of which `file` is the descriptor and `keeper` keeps it\n"
    "open: a list of a Group for each one that has a picture and belongs to the share, and None or\n"
    "(offset, reason) of what is wrong there.\n\n"
    "folder, number: what stands before the keys; the label of groups that have no other one\n"
    "pictures, names: tuples of the extensions of pictures, and of other members that will be read");

PyDoc_STRVAR(
    name_hash_doc, "name_hash($module, name, /)\n--\n\nThe hash of bytes by which names are divided among shares.");

PyDoc_STRVAR(exchange_doc,
    "exchange($module, held, items, random, /)\n--\n\n"
    "Let each item take the place of one that is held, chosen at random: the list of those. `random`\n"
    "has 64 bits for each, of which random.random() would make the number that chooses.");

PyDoc_STRVAR(draw_doc, "draw($module, held, count, random, /)\n--\n\n"
                       "Take so many of the items that are held, chosen at random, as exchange() does.");

static PyMethodDef functions[] = {{"devices", devices, METH_NOARGS, devices_doc},
    {"flow", (PyCFunction)(void (*)(void))kst_py_flow, METH_VARARGS | METH_KEYWORDS, flow_doc},
    {"tar_split", kst_py_tar_split, METH_O, tar_split_doc},
    {"tar_groups", kst_py_tar_groups, METH_VARARGS, tar_groups_doc},
    {"exchange", kst_py_exchange, METH_VARARGS, exchange_doc}, {"draw", kst_py_draw, METH_VARARGS, draw_doc},
    {"name_hash", kst_py_name_hash, METH_O, name_hash_doc}, {NULL, NULL, 0, NULL}};

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *type && PyModule_AddType(module, *type) == 0;
}

static int execute(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    if (!kst_py_errors_add(module, state) || !kst_py_records_add(module, state) ||
        !add_type(module, &kst_py_context_spec, &state->context) ||
        !add_type(module, &kst_py_image_spec, &state->image) ||
        !add_type(module, &kst_py_tensor_spec, &state->tensor) ||
        !add_type(module, &kst_py_volume_spec, &state->volume) || !add_type(module, &kst_py_job_spec, &state->job) ||
        !add_type(module, &kst_py_flow_spec, &state->flow) || !add_type(module, &kst_py_group_spec, &state->group) ||
        !add_type(module, &kst_py_part_spec, &state->part))
        return -1;
    return PyModule_AddStringConstant(module, "__version__", kst_version_string());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = PyModule_GetState(module);
    Py_VISIT(state->context);
    Py_VISIT(state->image);
    Py_VISIT(state->tensor);
    Py_VISIT(state->volume);
    Py_VISIT(state->job);
    Py_VISIT(state->flow);
    Py_VISIT(state->group);
    Py_VISIT(state->part);
    Py_VISIT(state->report);
    Py_VISIT(state->info);
    Py_VISIT(state->component);
    Py_VISIT(state->metadata);
    Py_VISIT(state->device);
    for (int i = 0; i < ERROR_KINDS; i++)
        Py_VISIT(state->error[i]);
    return 0;
}

static int clear(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    Py_CLEAR(state->context);
    Py_CLEAR(state->image);
    Py_CLEAR(state->tensor);
    Py_CLEAR(state->volume);
    Py_CLEAR(state->job);
    Py_CLEAR(state->flow);
    Py_CLEAR(state->group);
    Py_CLEAR(state->part);
    Py_CLEAR(state->report);
    Py_CLEAR(state->info);
    Py_CLEAR(state->component);
    Py_CLEAR(state->metadata);
    Py_CLEAR(state->device);
    for (int i = 0; i < ERROR_KINDS; i++)
        Py_CLEAR(state->error[i]);
    return 0;
}

static void release(void *module)
{
    clear(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "kostka._kostka",
    .m_doc = "Kostka's C library; use the package kostka.",
    .m_size = sizeof(struct state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__kostka(void)
{
    return PyModuleDef_Init(&definition);
}
