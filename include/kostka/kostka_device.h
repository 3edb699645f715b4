/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_DEVICE_H
#define KOSTKA_DEVICE_H

/**
 * @file
 * Kostka next to other software on a GPU: memory that bitstreams and pictures lie in, the caller's streams, and work
 * that goes on while the caller does something else.
 *
 * **Pictures in device memory.** A kst_image whose `memory` is KST_MEMORY_CUDA or KST_MEMORY_OPENCL is decoded to
 * without a detour: kernels write to it where its first sample, its pitch and, for several planes, their distance (all
 * the same, with equal pitches) are multiples of 4 bytes and its width is one of 4 pixels, or where samples are
 * floating-point numbers; otherwise a copy on the device follows. kst_image_allocate() makes such images; with memory
 * of the caller's,
 *
 * - KST_MEMORY_CUDA takes addresses in the device's primary context: what the runtime (cudaMalloc, cudaMallocAsync,
 *   managed memory) and the frameworks upon it give, in `data` of each plane;
 * - KST_MEMORY_OPENCL takes a cl_mem of the context's cl_context (kst_context_options.opencl_context) in `data` and the
 *   place of the first sample, in bytes, in `offset`;
 * - KST_MEMORY_OPENCL_IMAGE takes an image object of that cl_context, of two dimensions and the picture's size, in
 * `data` of the only plane, whose pitch and offset are ignored: CL_R (KST_FORMAT_GREY), CL_RGBA or CL_BGRA, of
 * CL_UNORM_INT8 or CL_UNSIGNED_INT8, or of CL_HALF_FLOAT or CL_FLOAT for samples of these. A copy on the device fills
 * it, or is encoded, row by row where the width of four channels is no multiple of 4, that of one no multiple of 16.
 *
 * Pitches of device memory are positive, and at most 2^31 − 1. What does not fit the device is refused before any work:
 * KST_ERROR_IMAGE_MEMORY (another kind, another device or context), KST_ERROR_IMAGE_PITCH, KST_ERROR_IMAGE_BUFFER (the
 * memory ends before the plane does), KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_FORMAT or KST_ERROR_IMAGE_SAMPLE (what an
 * image object holds).
 *
 * **Order.** Calls that take no stream return when all is done, and assume that the memory is free to be written to.
 * With a stream, work starts after what the stream holds already, and what is put into the stream afterwards comes
 * after it.
 *
 * **Lifetimes.** Whatever a job works on – streams of bytes, images, options, items – stays as it is until
 * kst_job_wait(). A context ends after its jobs, its images and its pinned memory. A foreign cl_context is retained by
 * the kst_context; a kst_stream's handle is used during the call alone.
 */

#include <kostka/kostka.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Host memory that the context's device copies from and to at full speed, while other work goes on; on the CPU plain
 * memory. To read files into, for instance: from elsewhere a stream of bytes is copied to such memory first. Pinned
 * memory of others (cudaMallocHost, cudaHostRegister) is known as such with CUDA. Thread-safe.
 *
 * @param length at least 1, in bytes
 * @param memory receives it, aligned to 64 bytes; null on failure. The caller releases it
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY or KST_ERROR_DEVICE_FAILED
 */
KST_API kst_status kst_pinned_allocate(kst_context *context, size_t length, void **memory);

/** Release what kst_pinned_allocate() gave and no job works on any more. Null is allowed. Thread-safe. */
KST_API void kst_pinned_release(kst_context *context, void *memory);

/**
 * Copy the samples of an image to another of the same format, size and planes. Each lies in host memory or in that of
 * the context's device. Returns when it is done. Thread-safe.
 *
 * @return KST_OK, KST_ERROR_ARGUMENT, one of KST_ERROR_IMAGE_…, KST_ERROR_MEMORY or KST_ERROR_DEVICE_FAILED (the log
 * says more)
 */
KST_API kst_status kst_image_copy(kst_context *context, const kst_image *from, const kst_image *to);

/** A stream or queue of the caller's. */
typedef struct kst_stream {
    kst_device_kind kind; /**< KST_DEVICE_CUDA or KST_DEVICE_OPENCL, as the context's device */
    void *handle;         /**< CUstream or cudaStream_t (null: the default stream); or an in-order cl_command_queue. One
                               that was destroyed is refused with KST_ERROR_DEVICE_STREAM, where the system lets a
                               process look at its own memory (process_vm_readv) and the driver's records are as known;
                               elsewhere the driver may crash over it */
} kst_stream;

/** Decoding that was submitted. */
typedef struct kst_job kst_job;

/**
 * Start to decode many streams and return, as a rule before it is done. Thread-safe.
 *
 * Headers are read in the call. Work that the device does not support is done by the CPU, in the call too. Beyond that
 * the call waits only for staging memory, where there are many pictures from or to plain host memory. Images in pinned
 * or device memory are written in the stream's order; those in plain host memory hold their pixels when kst_job_wait()
 * returns. On a context on the CPU everything is done in the call; with "auto" a stream makes it a GPU's.
 *
 * A JPEG stream that keeps a device from finding its codes in parallel would take it seconds: the device leaves such a
 * picture to the CPU, as the report says (KST_STAGE_ENTROPY on the CPU), and its image holds its pixels only when
 * kst_job_wait() returns, wherever it lies. In a stream's order that befalls none below 1 MiB, and above it hardly any
 * but hostile ones.
 *
 * @param items  as kst_decode_batch(); an image without buffers gets them in the call
 * @param stream null: no order with other work
 * @param job    receives the job; kst_job_wait() ends it. Null on failure
 * @return KST_OK, whatever becomes of single items; KST_ERROR_ARGUMENT, KST_ERROR_MEMORY, KST_ERROR_DEVICE_FAILED,
 *         KST_ERROR_DEVICE_STREAM (of another device or context): nothing was started, and no report is filled in
 */
KST_API kst_status kst_decode_submit(
    kst_context *context, kst_decode_item *items, size_t count, const kst_stream *stream, kst_job **job);

/**
 * Whether the device has done its part, so that kst_job_wait() will not wait for it. True for null. From any threads,
 * but not next to kst_job_wait().
 */
KST_API bool kst_job_done(const kst_job *job);

/**
 * Wait for a job, fill in the items' reports, and end it: the pointer becomes null. Pixels for plain host memory are
 * copied there, damaged streams are read again on the CPU for the place of the first warning, and pictures that the
 * device has left to the CPU are decoded. From one thread, which may be another than the one that submitted it.
 *
 * @return as kst_decode_batch(); KST_OK for null, and for a pointer to null
 */
KST_API kst_status kst_job_wait(kst_job **job);

/**
 * Encode as kst_encode_batch(), after what the stream holds already: pictures in the device's memory may be what that
 * makes, and nobody waits for it on the host, but for those that the CPU encodes. Returns when all is done.
 * Thread-safe.
 *
 * @param stream not null
 * @return as kst_encode_batch(); KST_ERROR_ARGUMENT, KST_ERROR_DEVICE_FAILED, KST_ERROR_DEVICE_STREAM: nothing was done
 */
KST_API kst_status kst_encode_batch_after(
    kst_context *context, kst_encode_item *items, size_t count, const kst_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
