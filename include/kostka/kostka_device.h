/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_DEVICE_H
#define KOSTKA_DEVICE_H

/**
 * @file
 * Lets Kostka work together with other software on a GPU: on pictures and bitstreams in device or pinned memory, in the
 * order of the caller's streams, and while the caller does something else.
 *
 * **Pictures in device memory.** Kernels can write directly to a kst_image whose `memory` is KST_MEMORY_CUDA or
 * KST_MEMORY_OPENCL. They do so if its samples are floating-point numbers; or if its first sample and its pitch are
 * multiples of 4 bytes, its width is a multiple of 4 pixels and, with several planes, the pitches are equal and the
 * planes lie at equal distances that are multiples of 4 bytes. Otherwise they write to a buffer, and a copy on the
 * device follows. kst_image_allocate() makes such images. If the caller provides the memory,
 *
 * - KST_MEMORY_CUDA takes, in `data` of each plane, an address in the device's primary context, as the CUDA runtime
 *   (cudaMalloc, cudaMallocAsync, managed memory) and frameworks built on it return;
 * - KST_MEMORY_OPENCL takes a cl_mem of the context's cl_context (kst_context_options.opencl_context) in `data`, and
 *   the byte offset of the first sample in `offset`;
 * - KST_MEMORY_OPENCL_IMAGE takes an image object of that cl_context, of two dimensions and the picture's size, in
 *   `data` of the only plane, whose pitch and offset are ignored: CL_R (KST_FORMAT_GREY), CL_RGBA or CL_BGRA, of
 *   CL_UNORM_INT8 or CL_UNSIGNED_INT8, or of CL_HALF_FLOAT or CL_FLOAT for samples of these. Decoding fills it by a
 *   copy on the device, and encoding reads a copy of it. The copy goes row by row if the width is no multiple of 4 with
 *   four channels, or of 16 with one.
 *
 * Pitches of device memory are positive, and at most 2^31 − 1. An image that the device cannot use is refused before
 * any work: KST_ERROR_IMAGE_MEMORY (another kind, another device or context), KST_ERROR_IMAGE_PITCH,
 * KST_ERROR_IMAGE_BUFFER (the memory ends before the plane does), KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_FORMAT or
 * KST_ERROR_IMAGE_SAMPLE (what an image object holds).
 *
 * **Order.** Calls that take no stream return when all is done, and assume that nothing else uses the memory. With a
 * stream, the work starts after what the stream already holds, and what is put into the stream afterwards runs after
 * it.
 *
 * **Channels.** CUDA's driver sends work to a GPU through eight channels unless the environment variable
 * CUDA_DEVICE_MAX_CONNECTIONS, which it reads as it starts, says otherwise. Streams that share a channel wait for each
 * other's kernels, and calls on many pictures or volumes have more streams under way. The library does not change the
 * environment. A program that makes such calls for long may set the variable to 32 before it uses CUDA; CUDA then
 * takes half a second longer to start.
 *
 * **Lifetimes.** Whatever a job works on – coded data, images, options, items – must stay unchanged until
 * kst_job_wait(). End a context's jobs, and release its images and its pinned memory, before the context. The
 * kst_context retains the caller's cl_context; a kst_stream's handle is used during the call only.
 */

#include <kostka/kostka.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocate pinned memory: host memory that the context's device copies from and to at full speed while other work goes
 * on. Read files into it, for instance: coded data from elsewhere are copied to such memory first. On a context on the
 * CPU it is plain memory. With CUDA, pinned memory that others allocated (cudaMallocHost, cudaHostRegister) is
 * recognised. Thread-safe.
 *
 * @param length at least 1, in bytes
 * @param memory receives it, aligned to 64 bytes; null on failure. The caller releases it
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY or KST_ERROR_DEVICE_FAILED
 */
KST_API kst_status kst_pinned_allocate(kst_context *context, size_t length, void **memory);

/** Release memory of kst_pinned_allocate() on which no job works any more. Null is allowed. Thread-safe. */
KST_API void kst_pinned_release(kst_context *context, void *memory);

/**
 * Copy the samples of an image to another of the same format, size and planes. Each may lie in host memory or in memory
 * of the context's device. The call returns when the copy is done. Thread-safe.
 *
 * @return KST_OK, KST_ERROR_ARGUMENT, one of KST_ERROR_IMAGE_…, KST_ERROR_MEMORY or KST_ERROR_DEVICE_FAILED (the log
 *         says more)
 */
KST_API kst_status kst_image_copy(kst_context *context, const kst_image *from, const kst_image *to);

/**
 * Return the kind of memory in which the context's device has pixels: KST_MEMORY_CUDA, KST_MEMORY_OPENCL, or
 * KST_MEMORY_HOST on the CPU, and with the device "auto" until a GPU has been opened. Images that go from one call to
 * the next are best made there. Thread-safe.
 */
KST_API kst_memory kst_context_memory(const kst_context *context);

/**
 * Copy an image in host memory to the memory of the context's device, so that several calls do not each do that.
 * Thread-safe.
 *
 * @param image stays the caller's
 * @param there receives the copy, which the caller releases with kst_image_release(). An image that already lies in
 *        device memory, and any image if kst_context_memory() is KST_MEMORY_HOST, is not copied: *there then describes
 *        the same buffers and owns nothing
 * @return KST_OK, or what kst_image_allocate() and kst_image_copy() return; *there then owns nothing
 */
KST_API kst_status kst_image_upload(kst_context *context, const kst_image *image, kst_image *there);

/** The caller's stream (CUDA) or queue (OpenCL). */
typedef struct kst_stream {
    kst_device_kind kind; /**< KST_DEVICE_CUDA or KST_DEVICE_OPENCL, as the context's device */
    void
        *handle; /**< CUstream or cudaStream_t (null: the default stream); or an in-order cl_command_queue. A destroyed
                    one is refused with KST_ERROR_DEVICE_STREAM if the system lets a process inspect its own memory
                    (process_vm_readv) and the driver's records have the known layout; otherwise the driver may crash */
} kst_stream;

/** A decoding that was submitted and has not been waited for yet. */
typedef struct kst_job kst_job;

/**
 * Start to decode many streams and return, usually before they are decoded. Thread-safe.
 *
 * The call reads the headers, and the CPU does the work that the device does not support before the call returns.
 * Beyond that the call waits only for staging memory, if many pictures come from or go to plain host memory. Images in
 * pinned or device memory are written in the stream's order; those in plain host memory hold their pixels when
 * kst_job_wait() returns. On a context on the CPU everything is done in the call. On a context with the device "auto",
 * a stream makes it open the GPU.
 *
 * A GPU decodes the Huffman codes of a JPEG stream in parallel. A stream whose codes cannot be found in this way would
 * take it seconds, so the device leaves such a picture to the CPU, as the report says (KST_STAGE_ENTROPY on the CPU).
 * Its image then holds its pixels only when kst_job_wait() returns, whatever memory it lies in. With a kst_stream this
 * happens to no JPEG below 1 MiB, and above that to hardly any but hostile ones.
 *
 * @param items as for kst_decode_batch(); an image without buffers gets them in the call
 * @param stream the work is ordered after this stream's; null: no order with other work
 * @param job receives the job; kst_job_wait() ends it. Null on failure
 * @return KST_OK, whatever becomes of single items; KST_ERROR_ARGUMENT, KST_ERROR_MEMORY, KST_ERROR_DEVICE_FAILED,
 *         KST_ERROR_DEVICE_STREAM (of another device or context): nothing was started, and no report is filled in
 */
KST_API kst_status kst_decode_submit(
    kst_context *context, kst_decode_item *items, size_t count, const kst_stream *stream, kst_job **job);

/**
 * Return whether the device has done its part, so that kst_job_wait() will not wait for it. True for null. Any thread
 * may call it, but not at the same time as kst_job_wait().
 */
KST_API bool kst_job_done(const kst_job *job);

/**
 * Wait for a job, fill in the items' reports, and end the job: the pointer becomes null. The call copies pixels to
 * plain host memory, reads damaged streams again on the CPU to find the offset of the first warning, and decodes
 * pictures that the device has left to the CPU. One thread may call it, which need not be the one that submitted the
 * job.
 *
 * @return as for kst_decode_batch(); KST_OK for null, and for a pointer to null
 */
KST_API kst_status kst_job_wait(kst_job **job);

/**
 * Encode as kst_encode_batch() does, after the work that the stream already holds. That work may produce the pictures,
 * in the device's memory: the host does not wait for it, except for pictures that the CPU encodes. The call returns
 * when all is encoded. Thread-safe.
 *
 * @param stream not null
 * @return as for kst_encode_batch(); or KST_ERROR_ARGUMENT, KST_ERROR_DEVICE_FAILED or KST_ERROR_DEVICE_STREAM, after
 *         which nothing was done
 */
KST_API kst_status kst_encode_batch_after(
    kst_context *context, kst_encode_item *items, size_t count, const kst_stream *stream);

/**
 * Resize as kst_resize_batch() does, after the work that the stream already holds, which may produce the images. The
 * call returns when all is resized. Thread-safe.
 *
 * @param stream not null
 * @return as for kst_resize_batch(); or KST_ERROR_ARGUMENT, KST_ERROR_DEVICE_FAILED or KST_ERROR_DEVICE_STREAM, after
 *         which nothing was done
 */
KST_API kst_status kst_resize_batch_after(
    kst_context *context, kst_resize_item *items, size_t count, const kst_stream *stream);

/**
 * Decode many streams and resize their pictures in one call, as data loaders need it. Each item has a box, a size,
 * mirroring, means and scales of its own, and its image may be a picture of a tensor (kst_tensor_image()) on the host
 * or the device. A GPU decodes to its memory and resizes there; on the CPU the context's threads share the work. If the
 * options of an item name no region and do not turn the picture, only what its box needs is decoded, which changes no
 * sample. Thread-safe.
 *
 * @param items as for kst_decode_batch(), except that each image receives the result of resizing: it is described, and
 *        allocated if it has no buffers, as by kst_resize(). The decoding options must ask for integers;
 *        `resize[i].sample` makes floating-point samples
 * @param resize an array of options, one for each item
 * @param stream null, or the stream after whose work the images are written, if they lie in the device's memory. The
 *        call returns when all is done
 * @return KST_OK if every item succeeded, otherwise the status of the first that did not; its report says whether
 *         decoding or resizing failed. KST_ERROR_ARGUMENT, KST_ERROR_DEVICE_FAILED or KST_ERROR_DEVICE_STREAM: nothing
 *         was done
 */
KST_API kst_status kst_decode_resized(kst_context *context, kst_decode_item *items, const kst_resize_options *resize,
    size_t count, const kst_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
