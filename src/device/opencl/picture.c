/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what OpenCL's image objects hold, and copies between them and buffers or host memory. */
#include "device/opencl/opencl.h"

enum {
    CL_MEM_TYPE_IMAGE2D = 0x10F1,
    CL_IMAGE_FORMAT = 0x1110, /* parameters of clGetImageInfo */
    CL_IMAGE_WIDTH = 0x1114,
    CL_IMAGE_HEIGHT = 0x1115,
    CL_R = 0x10B0, /* cl_channel_order */
    CL_RGBA = 0x10B5,
    CL_BGRA = 0x10B6,
    CL_INTENSITY = 0x10B8,
    CL_LUMINANCE = 0x10B9,
    CL_SRGBA = 0x10C1,
    CL_SBGRA = 0x10C2,
    CL_UNORM_INT8 = 0x10D2, /* cl_channel_type */
    CL_UNSIGNED_INT8 = 0x10DA,
    CL_HALF_FLOAT = 0x10DD,
    CL_FLOAT = 0x10DE
};

/* cl_image_format */
struct image_format {
    cl_uint order, type;
};

static kst_format format_of(cl_uint order)
{
    switch (order) {
    case CL_R:
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return KST_FORMAT_GREY;
    case CL_RGBA:
    case CL_SRGBA:
        return KST_FORMAT_RGBA;
    case CL_BGRA:
    case CL_SBGRA:
        return KST_FORMAT_BGRA;
    default:
        return KST_FORMAT_AUTO;
    }
}

static bool sample_fits(cl_uint type, uint8_t sample)
{
    switch (type) {
    case CL_UNORM_INT8:
    case CL_UNSIGNED_INT8:
        return sample == KST_SAMPLE_INTEGER;
    case CL_HALF_FLOAT:
        return sample == KST_SAMPLE_FLOAT16;
    case CL_FLOAT:
        return sample == KST_SAMPLE_FLOAT32;
    default:
        return false;
    }
}

static bool check_contents(struct opencl *opencl, const kst_image *image, struct gpu_error *error)
{
    cl_mem memory = image->plane[0].data;
    struct image_format format = {0, 0};
    size_t width = 0, height = 0;
    const struct opencl_driver *driver = &opencl->driver;
    if (!kst_opencl_check(error, opencl, "clGetImageInfo",
            driver->image_info(memory, CL_IMAGE_FORMAT, sizeof format, &format, NULL)) ||
        !kst_opencl_check(
            error, opencl, "clGetImageInfo", driver->image_info(memory, CL_IMAGE_WIDTH, sizeof width, &width, NULL)) ||
        !kst_opencl_check(
            error, opencl, "clGetImageInfo", driver->image_info(memory, CL_IMAGE_HEIGHT, sizeof height, &height, NULL)))
        return false;
    if (format_of(format.order) != image->format)
        return kst_gpu_refuse(error, &opencl->base, KST_ERROR_IMAGE_FORMAT, "an image object of other channels");
    if (!sample_fits(format.type, image->plane[0].sample))
        return kst_gpu_refuse(error, &opencl->base, KST_ERROR_IMAGE_SAMPLE, "an image object of another type");
    if (width != image->width || height != image->height)
        return kst_gpu_refuse(error, &opencl->base, KST_ERROR_IMAGE_SIZE, "an image object of another size");
    return true;
}

bool kst_opencl_picture_import(
    struct gpu *gpu, const kst_image *image, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_mem memory = image->plane[0].data;
    cl_uint type = 0;
    cl_context context = NULL;
    *buffer = (struct gpu_buffer){.place = GPU_DEVICE, .handle = (uintptr_t)memory};
    if (!kst_gpu_usable(gpu, error))
        return false;
    if (!memory)
        return kst_gpu_refuse(error, gpu, KST_ERROR_ARGUMENT, "a plane without memory");
    if (!kst_opencl_lives(opencl, memory) || driver->buffer_info(memory, CL_MEM_TYPE, sizeof type, &type, NULL) != 0 ||
        type != CL_MEM_TYPE_IMAGE2D || driver->buffer_info(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL) != 0)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "not an image object of two dimensions");
    if (context != opencl->context)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "the image object belongs to another context");
    return check_contents(opencl, image, error);
}

/*
 * Copy to an image object. Host memory may have any pitch. A buffer without padding between its rows is copied at once,
 * any other row by row.
 */
void kst_opencl_picture_write(struct gpu_queue *queue, const struct gpu_buffer *picture, struct gpu_rows from,
    size_t row, struct gpu_region region)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_queue handle = (cl_queue)queue->handle;
    cl_mem image = (cl_mem)picture->handle;
    uint32_t step = from.pitch == row ? region.height : 1;
    if (!kst_opencl_takes_work(queue))
        return;
    if (from.buffer->host) {
        const size_t start[3] = {region.left, region.top, 0}, extent[3] = {region.width, region.height, 1};
        kst_opencl_check(&queue->error, opencl, "clEnqueueWriteImage",
            driver->image_up(
                handle, image, 0, start, extent, from.pitch, 0, from.buffer->host + from.offset, 0, NULL, NULL));
        return;
    }
    for (uint32_t y = 0; y < region.height && !queue->error.status; y += step) {
        const size_t start[3] = {region.left, region.top + y, 0}, extent[3] = {region.width, step, 1};
        kst_opencl_check(&queue->error, opencl, "clEnqueueCopyBufferToImage",
            driver->buffer_to_image(handle, (cl_mem)from.buffer->handle, image, from.offset + y * from.pitch, start,
                extent, 0, NULL, NULL));
    }
}

void kst_opencl_picture_read(
    struct gpu_queue *queue, struct gpu_rows to, const struct gpu_buffer *picture, size_t row, struct gpu_region region)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_queue handle = (cl_queue)queue->handle;
    cl_mem image = (cl_mem)picture->handle;
    uint32_t step = to.pitch == row ? region.height : 1;
    if (!kst_opencl_takes_work(queue))
        return;
    if (to.buffer->host) {
        const size_t start[3] = {region.left, region.top, 0}, extent[3] = {region.width, region.height, 1};
        kst_opencl_check(&queue->error, opencl, "clEnqueueReadImage",
            driver->image_down(
                handle, image, 0, start, extent, to.pitch, 0, to.buffer->host + to.offset, 0, NULL, NULL));
        return;
    }
    for (uint32_t y = 0; y < region.height && !queue->error.status; y += step) {
        const size_t start[3] = {region.left, region.top + y, 0}, extent[3] = {region.width, step, 1};
        kst_opencl_check(&queue->error, opencl, "clEnqueueCopyImageToBuffer",
            driver->image_to_buffer(
                handle, image, (cl_mem)to.buffer->handle, start, extent, to.offset + y * to.pitch, 0, NULL, NULL));
    }
}
