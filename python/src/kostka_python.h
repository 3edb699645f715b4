/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the files of the Python extension share. All functions need the GIL, unless their comment says
 * otherwise.
 */
#ifndef KOSTKA_PYTHON_H
#define KOSTKA_PYTHON_H

#define Py_LIMITED_API 0x030B0000 /* the stable ABI of 3.11, the first with the buffer protocol */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>
#include <sys/types.h>

#include <kostka/kostka_device.h>

/* The classes of exceptions, for any status or for a group of statuses. */
enum error_kind { ERROR_ANY, ERROR_STREAM, ERROR_OPTION, ERROR_LIMIT, ERROR_DEVICE, ERROR_KINDS };

/* Holds the state of one module object; nothing is global. */
struct state {
    PyTypeObject *context, *image, *tensor, *volume, *job, *flow, *group, *part;
    PyTypeObject *report, *info, *component, *metadata, *device;
    PyObject *error[ERROR_KINDS];
};

/* Return the state of an object's module. The types are final, so an object's own type leads to its module. */
struct state *kst_py_state(PyObject *object);

/* ── names.c: names of enumerators ── */

struct name {
    const char *text; /* null: the last */
    int value;
};

extern const struct name kst_py_formats[], kst_py_colours[], kst_py_codings[], kst_py_dcts[], kst_py_subsamplings[],
    kst_py_transforms[], kst_py_edges[], kst_py_strips[], kst_py_others[], kst_py_device_kinds[], kst_py_stages[],
    kst_py_codecs[], kst_py_processes[], kst_py_metadata_kinds[], kst_py_density_units[], kst_py_progressions[],
    kst_py_styles[], kst_py_weights[], kst_py_headers[], kst_py_divisions[], kst_py_samples[];

/* Find the value of a name. Returns false with a ValueError that lists the allowed names. */
bool kst_py_value_of(const struct name *table, const char *what, const char *text, int *value);
const char *kst_py_name_of(const struct name *table, int value);

/*
 * Read a restart interval: null, "none", "auto", "keep" (if `may_keep`), a number of MCUs, or ("rows", number). Returns
 * false with an exception.
 */
bool kst_py_restart(PyObject *object, bool may_keep, kst_restart *restart);

/* Read (x, y, width, height). Returns false with an exception that names `what`. */
bool kst_py_region(PyObject *object, const char *what, kst_region *region);

/* ── source.c: coded bytes ── */

struct source {
    const void *data;
    size_t length;
    Py_buffer buffer; /* used if `has_buffer` */
    bool has_buffer;
    void *owned; /* the bytes of a file, from malloc() */
};

/*
 * Open an object with the buffer protocol, a path (a string or with __fspath__), or one with read(). A file named by
 * its path is read completely; this raises KostkaError with ERROR_LIMIT_MEMORY if it is longer than `limit`, and
 * OSError as open() does. Returns false with an exception; the source must be released in any case.
 */
bool kst_py_source_open(struct state *state, struct source *source, PyObject *object, uint64_t limit);
void kst_py_source_release(struct source *source);

/* ── error.c, records.c ── */

bool kst_py_errors_add(PyObject *module, struct state *state);
bool kst_py_records_add(PyObject *module, struct state *state);

/* Raise KostkaError, or a class derived from it; `report` may be null. Always returns null. */
PyObject *kst_py_raise(struct state *state, kst_status status, const kst_report *report);
PyObject *kst_py_error(struct state *state, kst_status status, const kst_report *report);

/* Make the error of an encoding. A status that concerns streams means here that the options are wrong. */
PyObject *kst_py_encode_error(struct state *state, kst_status status, const kst_report *report);

/* Raise an exception, and take ownership of its reference; it is null if it could not be made. Always returns null. */
PyObject *kst_py_throw(PyObject *error);

PyObject *kst_py_report(struct state *state, const kst_report *report);
PyObject *kst_py_device(struct state *state, const kst_device_info *info);
PyObject *kst_py_info(struct state *state, const kst_decoder *decoder);

/* ── context.c ── */

struct reason;

struct context {
    PyObject_HEAD kst_context *handle;
    size_t users; /* calls and jobs in flight, and images in the context's memory */
    bool closed;
    pid_t process;  /* the process that made it: a child does not have its threads */
    bool automatic; /* "auto": on the CPU until there is work for a GPU */
    kst_device_kind kind;
    int ordinal;           /* the device's number among those of its kind */
    uint64_t memory_limit; /* the memory limit in bytes */
    struct reason *reason; /* receives the context's log */
    PyObject *owner;       /* the flow that owns the handle; null: this object owns it */
};

extern PyType_Spec kst_py_context_spec;

/* Make an object for a context of the library that `owner` owns. */
struct context *kst_py_context_borrow(
    struct state *state, kst_context *handle, const kst_device_info *info, PyObject *owner);

/*
 * Begin to use the context for a call or an image. Returns false with an exception if it is closed or belongs to
 * another process.
 */
bool kst_py_context_enter(struct context *context);
void kst_py_context_leave(struct context *context);

/* Return the kind of the context's device; with "auto" that of the GPU for device memory and streams. */
kst_device_kind kst_py_context_kind(struct context *context);

PyObject *kst_py_decode(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_decode_batch(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_submit(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_encode(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_encode_batch(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_transcode(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_transcode_batch(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_filter(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_histogram(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_stereo(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_sweep(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_resize(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_decode_resized(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_encode_volume(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_encode_volumes(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_decode_volume(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_decode_volumes(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_describe_volume(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kst_py_read_info(PyObject *self, PyObject *data);

/* crops.c */
PyObject *kst_py_crops(PyObject *self, PyObject *args, PyObject *keywords);

/* read.c: what groups of archives hold */
PyObject *kst_py_read_groups(PyObject *self, PyObject *args);

/* groups.c: the groups of an archive, found by headers */
PyObject *kst_py_tar_split(PyObject *module, PyObject *name);
PyObject *kst_py_tar_groups(PyObject *module, PyObject *args);
PyObject *kst_py_name_hash(PyObject *module, PyObject *name);

extern PyType_Spec kst_py_group_spec;

/* part.c: bytes in a block that others share */
extern PyType_Spec kst_py_part_spec;

/* shuffle.c: lists in random order */
PyObject *kst_py_exchange(PyObject *module, PyObject *args);
PyObject *kst_py_draw(PyObject *module, PyObject *args);

/* ── resize.c ── */

/* Read a size, or a dictionary of options of resize(). Returns false with an exception. */
bool kst_py_resize_read(PyObject *object, kst_resize_options *options);

extern const struct name kst_py_filters[], kst_py_orders[];

/* Read (left, top, right, bottom). Returns false with an exception. */
bool kst_py_read_box(PyObject *object, kst_resize_box *box);

/* ── flow.c ── */

extern PyType_Spec kst_py_flow_spec;

PyObject *kst_py_flow(PyObject *module, PyObject *args, PyObject *keywords);

/* ── sequence.c: batches ── */

struct sequence {
    PyObject **item;
    Py_ssize_t count;
};

bool kst_py_sequence_read(struct sequence *sequence, PyObject *object, const char *what);
void kst_py_sequence_release(struct sequence *sequence);

/* Return whether "raise" or "return" is wanted. */
bool kst_py_errors(const char *errors, bool *raise);

/* Set the attribute `index` of the exception that is raised: the item of a batch that it concerns. */
void kst_py_error_index(Py_ssize_t index);

/* ── view.c: memory as an array ── */

enum { PICTURE_DIMENSIONS = 3, VIEW_DIMENSIONS = 4 };

struct view {
    int dimensions; /* 2: rows, columns; 3: with channels last or, for planes, first;
                       4: pictures of that kind; 0: not an array */
    Py_ssize_t shape[VIEW_DIMENSIONS];
    Py_ssize_t stride[VIEW_DIMENSIONS]; /* bytes */
    void *data;                         /* the first sample, or a cl_mem */
    size_t offset;                      /* into the cl_mem */
    kst_memory memory;
    int ordinal; /* the number of the CUDA device; -1: not known */
    int bits;    /* of a sample in memory: 8 or 16; 16 or 32 for floating-point samples */
    bool is_signed;
    bool is_float;
    bool read_only;
    kst_format format; /* what the channels are, if the array says so; otherwise AUTO */
};

/* Describe an image's samples as an array. RAW images whose planes differ in size or depth are not one array. */
void kst_py_view_image(struct view *view, const kst_image *image, int ordinal);

/*
 * Let a described image use the memory of a view. `more` receives its planes 4 and up; null allows none. Returns false
 * with an exception if shape or type differ, or if there are gaps inside rows.
 */
bool kst_py_view_bind(const struct view *view, kst_image *image, kst_plane *more);

/* Says how an array is interpreted as an image to encode. */
struct target {
    kst_codec codec;
    kst_format format; /* AUTO: the format with this number of channels */
    uint32_t depth;    /* significant bits of a sample; 0: all 8 or 16 */
};

/*
 * Describe the image that corresponds to a view. Returns false with an exception. `more` receives planes 4 and up, or
 * null; the caller frees them with PyMem_Free() after using the image.
 */
bool kst_py_view_describe(const struct view *view, const struct target *target, kst_image *image, kst_plane **more);

/* "uint", "int", "float" */
const char *kst_py_view_kind(const struct view *view);

bool kst_py_view_is_contiguous(const struct view *view);
PyObject *kst_py_view_shape(const struct view *view);
PyObject *kst_py_view_strides(const struct view *view);
/* "|u1", "<u2", "<f4" … */
PyObject *kst_py_view_type(const struct view *view);

/* ── array.c, array_cuda.c, array_dlpack.c: arrays of other packages ── */

struct array {
    struct view view;
    Py_buffer buffer;
    bool has_buffer;
    PyObject *keeper; /* keeps the memory: an array or a DLPack capsule */
};

/*
 * Hold an array. With `writable` its memory may be written to. Afterwards the device's work on the array is done or, if
 * it came through DLPack, precedes what is queued in `stream` (1: the default stream).
 */
bool kst_py_array_hold(
    struct state *state, struct array *array, PyObject *object, bool writable, PyObject *stream, bool *is_image);
bool kst_py_array_hold_cuda(struct array *array, PyObject *interface);
bool kst_py_array_hold_dlpack(struct array *array, PyObject *object, bool writable, PyObject *stream);
void kst_py_array_release(struct array *array);

/*
 * Get an attribute by an interned name, because the interpreter's cache of attributes keeps each string that it is
 * asked for.
 */
PyObject *kst_py_attribute(PyObject *object, const char *name);

/* ── stream.c: CUDA's streams, through its driver ── */

/*
 * Get the handle of a stream: an integer, or an object of PyTorch, CuPy or PyOpenCL. With None `is_given` becomes
 * false.
 */
bool kst_py_stream(PyObject *object, void **handle, bool *is_given);

/* Return the number of the device that the memory belongs to; -1 if not known. */
int kst_py_cuda_ordinal(const void *pointer);

/* Wait for a stream or, with `all`, for the whole device. Returns false on failure. The GIL is not needed. */
bool kst_py_cuda_wait(int ordinal, void *stream, bool all);

/* ── image.c, image_export.c, dlpack.c ── */

/*
 * Allocate a block of memory of the kind that `block` names. The library keeps large blocks that were released, so that
 * the system need not map new pages for each picture. The GIL is not needed.
 */
kst_status kst_py_take_block(struct context *context, uint64_t length, kst_memory memory, kst_image *block);

/* Holds the memory of an image's samples. */
struct storage {
    kst_image image;
    kst_image block;    /* a block without gaps between rows, which returns to the library in the end */
    kst_plane *more;    /* the image's planes 4 and up, from malloc() */
    struct array array; /* an array of the caller */
};

/* Copy an image's description, planes 4 and up included. The GIL is not needed. */
kst_status kst_py_storage_describe(struct storage *storage, const kst_image *image);

/* Allocate a described image in host memory. The GIL is not needed. */
kst_status kst_py_storage_allocate(struct context *context, struct storage *storage);
void kst_py_storage_release(struct context *context, struct storage *storage);

struct image {
    PyObject_HEAD struct context *context; /* the context that it uses */
    PyObject *owner;                       /* for a plane or a part, the image that it belongs to */
    PyObject *report;                      /* null: not requested yet */
    kst_report made;                       /* of which `report` is made */
    struct storage storage;
    struct view view;
    PyObject *errors; /* of a tensor: the errors of failed pictures; otherwise null */
    bool is_shared;   /* streams of others may still work on its device memory */
};

extern PyType_Spec kst_py_image_spec, kst_py_tensor_spec, kst_py_volume_spec, kst_py_job_spec;

/* Make an image. Takes ownership of the storage, even on failure. */
PyObject *kst_py_image_new(
    struct state *state, struct context *context, struct storage *storage, const kst_report *report);

/* Make an image that describes some samples of another, which it keeps alive. */
PyObject *kst_py_image_part(struct state *state, struct image *owner, const kst_image *part);

/* Make an empty object of the type for images or tensors, which uses the context. */
struct image *kst_py_image_empty(PyTypeObject *type, struct context *context);

/* ── tensor.c: pictures of one size that lie next to each other, as one array ── */

/*
 * Make a tensor, whose view has four dimensions; the storage's image describes its first picture, and `errors` is a
 * dictionary of the errors of failed pictures. Takes ownership of the storage, even on failure.
 */
PyObject *kst_py_tensor_new(
    struct state *state, struct context *context, struct storage *storage, const struct view *view, PyObject *errors);

/*
 * Make a kostka.Volume, whose view has three dimensions and whose memory is the storage's block. Takes ownership of the
 * storage, even on failure.
 */
PyObject *kst_py_volume_new(struct state *state, struct context *context, struct storage *storage,
    const struct view *view, const kst_report *report);

/* tensor[i], an image, and tensor[a:b], a tensor; both share its memory */
PyObject *kst_py_tensor_subscript(PyObject *object, PyObject *key);

/* image[…], image_index.c; image == other and what pickling and copying need, image_copy.c */
PyObject *kst_py_image_subscript(PyObject *object, PyObject *key);
Py_ssize_t kst_py_image_length(PyObject *object);
PyObject *kst_py_image_compare(PyObject *left, PyObject *right, int operation);
PyObject *kst_py_assemble(PyObject *self, PyObject *args);

int kst_py_image_get_buffer(PyObject *object, Py_buffer *buffer, int flags);
PyObject *kst_py_image_array_interface(PyObject *object, void *closure);
PyObject *kst_py_image_cuda_interface(PyObject *object, void *closure);
PyObject *kst_py_image_dlpack(PyObject *object, PyObject *args, PyObject *keywords);
PyObject *kst_py_image_dlpack_device(PyObject *object, PyObject *unused);

#endif
