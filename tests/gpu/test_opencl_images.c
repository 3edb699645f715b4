/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares pictures in OpenCL's image objects with those of the CPU; and checks that image objects which do not fit are
 * refused.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/opencl/opencl.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/progress.h"
#include "support/test.h"

enum { CL_R = 0x10B0, CL_RGBA = 0x10B5, CL_BGRA = 0x10B6, IMAGE2D = 0x10F1, FORMAT_NOT_SUPPORTED = -10 };
enum { UNORM_INT8 = 0x10D2, UNSIGNED_INT8 = 0x10DA, HALF_FLOAT = 0x10DD, FLOAT = 0x10DE };

struct image_format {
    cl_uint order, type;
};

/* cl_image_desc */
struct image_description {
    cl_uint type;
    size_t width, height, depth, count, pitch, slice;
    cl_uint levels, samples;
    cl_mem buffer;
};

static cl_mem (*create_image)(cl_context context, cl_bits flags, const struct image_format *format,
    const struct image_description *description, void *host, cl_int *result);

static const struct kind {
    struct image_format object;
    kst_format format;
    kst_sample sample;
} kinds[] = {{{CL_R, UNORM_INT8}, KST_FORMAT_GREY, KST_SAMPLE_INTEGER},
    {{CL_RGBA, UNORM_INT8}, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER},
    {{CL_BGRA, UNORM_INT8}, KST_FORMAT_BGRA, KST_SAMPLE_INTEGER},
    {{CL_RGBA, UNSIGNED_INT8}, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER},
    {{CL_RGBA, HALF_FLOAT}, KST_FORMAT_RGBA, KST_SAMPLE_FLOAT16},
    {{CL_RGBA, FLOAT}, KST_FORMAT_RGBA, KST_SAMPLE_FLOAT32}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct opencl *opencl_of(kst_context *context)
{
    return kst_opencl_of(kst_context_gpu_if_open(context)->gpu);
}

static bool is_opencl(kst_context *context)
{
    return device_memory(context) == KST_MEMORY_OPENCL;
}

/* Null where the device has no images of this kind. */
static cl_mem make_object(cl_context context, struct image_format format, uint32_t width, uint32_t height)
{
    const struct image_description description = {.type = IMAGE2D, .width = width, .height = height};
    cl_int result = 0;
    cl_mem made = create_image(context, CL_MEM_READ_WRITE, &format, &description, NULL, &result);
    if (result == FORMAT_NOT_SUPPORTED)
        return NULL;
    assert_int_equal(result, 0);
    return made;
}

static kst_image describe(cl_mem object, const struct kind *kind, uint32_t width, uint32_t height)
{
    kst_image image;
    kst_image_init(&image);
    image.format = kind->format;
    image.memory = KST_MEMORY_OPENCL_IMAGE;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.data = object, .width = width, .height = height, .sample = (uint8_t)kind->sample};
    return image;
}

/* Read what the object holds, without gaps. */
static uint8_t *read_object(kst_context *context, cl_mem object, size_t row, uint32_t width, uint32_t height)
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_track *track = kst_gpu_track_take(kst_context_gpu_if_open(context), &error);
    uint8_t *found = malloc(row * height);
    const size_t start[3] = {0, 0, 0}, region[3] = {width, height, 1};
    assert_int_equal(opencl_of(context)->driver.image_down(
                         (cl_queue)track->queue.handle, object, 1, start, region, row, 0, found, 0, NULL, NULL),
        0);
    kst_gpu_track_give(kst_context_gpu_if_open(context), track);
    return found;
}

static void expect_file(kst_context *context, const kst_image *image, const kst_image *host, kst_coding coding)
{
    kst_buffer wanted = {.data = NULL}, found = {.data = NULL};
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.coding = coding;
    assert_int_equal(kst_encode(cpu_context, host, &options, &wanted, NULL), KST_OK);
    assert_int_equal(kst_encode(context, image, &options, &found, NULL), KST_OK);
    assert_int_equal(wanted.length, found.length);
    assert_memory_equal(wanted.data, found.data, found.length);
    kst_buffer_release(cpu_context, &wanted);
    kst_buffer_release(context, &found);
}

/* The same of JPEG 2000, by the device, in parts where the context has little memory. */
static void expect_j2k(kst_context *context, const kst_image *image, const kst_image *host)
{
    kst_buffer wanted = {.data = NULL}, found = {.data = NULL};
    kst_encode_options options;
    kst_j2k_options j2k;
    kst_report report;
    kst_encode_options_init(&options);
    kst_j2k_options_init(&j2k);
    kst_report_init(&report);
    j2k.levels = 2;
    j2k.block_width = j2k.block_height = 32;
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    assert_int_equal(kst_encode(cpu_context, host, &options, &wanted, NULL), KST_OK);
    assert_int_equal(kst_encode(context, image, &options, &found, &report), KST_OK);
    assert_int_equal(report.stage_device[KST_STAGE_ENTROPY], KST_DEVICE_OPENCL);
    assert_int_equal(wanted.length, found.length);
    assert_memory_equal(wanted.data, found.data, found.length);
    kst_buffer_release(cpu_context, &wanted);
    kst_buffer_release(context, &found);
}

/* Returns how often progress was reported. */
static uint32_t check(kst_context *context, const struct kind *kind, const kst_buffer *stream, bool reduced)
{
    struct progress_calls calls = {.stop = 2};
    kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
    kst_decode_options options;
    kst_image wanted;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(&wanted);
    kst_report_init(&report);
    options.format = kind->format;
    options.sample = kind->sample;
    options.reduce = reduced;
    assert_int_equal(kst_decode(cpu_context, stream->data, stream->length, &options, &wanted, NULL), KST_OK);
    cl_mem object = make_object(opencl_of(context)->context, kind->object, wanted.width, wanted.height);
    if (object) {
        kst_image image = describe(object, kind, wanted.width, wanted.height);
        options.progress = &progress;
        if (kst_decode(context, stream->data, stream->length, &options, &image, &report))
            fail_msg("format %d: %s", (int)kind->format, report.message);
        assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_OPENCL);
        size_t sample = kind->sample == KST_SAMPLE_INTEGER ? 1 : kind->sample == KST_SAMPLE_FLOAT16 ? 2 : 4;
        size_t row = wanted.width * kst_format_channels(kind->format) * sample;
        uint8_t *found = read_object(context, object, row, wanted.width, wanted.height);
        for (uint32_t y = 0; y < wanted.height; y++)
            assert_memory_equal(
                found + y * row, (uint8_t *)wanted.plane[0].data + (ptrdiff_t)y * wanted.plane[0].pitch, row);
        free(found);
        for (kst_coding coding = KST_CODING_BASELINE; coding <= KST_CODING_PROGRESSIVE && sample == 1; coding++)
            expect_file(context, &image, &wanted, coding);
        if (sample == 1 && !reduced)
            expect_j2k(context, &image, &wanted);
        opencl_of(context)->driver.buffer_release(object);
    }
    kst_image_release(cpu_context, &wanted);
    return calls.calls;
}

static void test_objects(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{64, 40}, {45, 31}};
    for (size_t s = 0; s < 2; s++)
        for (int kind = 0; kind < 3; kind++) { /* sequential, progressive, JPEG 2000 */
            kst_encode_options encoding;
            kst_encode_options_init(&encoding);
            encoding.coding = kind == 1 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            encoding.codec = kind == 2 ? KST_CODEC_JPEG2000 : KST_CODEC_JPEG;
            kst_buffer stream = encode_noise(sizes[s][0], sizes[s][1], &encoding);
            for (uint32_t g = 0; g < gpu_contexts; g++)
                for (int k = kind == 2; k < KINDS && is_opencl(gpu_context[g]); k++) { /* no grey of colours */
                    check(gpu_context[g], &kinds[k], &stream, false);
                    check(gpu_context[g], &kinds[k], &stream, true);
                }
            kst_buffer_release(cpu_context, &stream);
        }
}

/* A picture too large for the limit of memory comes to an image object strip by strip, and from there part by part. */
static void test_strips(void **state)
{
    (void)state;
    enum { HEIGHT = 700, LEAST = 64 };
    kst_encode_options encoding;
    kst_encode_options_init(&encoding);
    encoding.codec = KST_CODEC_JPEG2000;
    kst_buffer stream = encode_noise(310, HEIGHT, &encoding);
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        if (!is_opencl(gpu_context[g]))
            continue;
        kst_context_options options;
        kst_context *context;
        kst_context_options_init(&options);
        options.device = kst_context_gpu_if_open(gpu_context[g])->gpu->info.name;
        options.threads = 2;
        options.limits.memory = 7 << 20;
        assert_int_equal(kst_context_create(&options, &context), KST_OK);
        assert_true(check(context, &kinds[1], &stream, false) >= 4);
        check(context, &kinds[4], &stream, false);
        kst_context_gpu_if_open(context)->gpu->largest = 7 << 17; /* some columns at a time */
        assert_true(check(context, &kinds[1], &stream, false) > HEIGHT / LEAST + 3);
        kst_context_destroy(&context);
    }
    kst_buffer_release(cpu_context, &stream);
}

static void expect_refused(kst_context *context, const kst_buffer *stream, kst_image image, kst_format format,
    kst_sample sample, kst_status wanted)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_report_init(&report);
    options.format = image.format = format;
    options.sample = sample;
    image.plane[0].sample = (uint8_t)sample;
    kst_status status = kst_decode(context, stream->data, stream->length, &options, &image, &report);
    if (status != wanted)
        fail_msg("%s, not %s", kst_status_name(status), kst_status_name(wanted));
    assert_true(report.message[0] != 0);
}

static void check_misuse(kst_context *context, const kst_buffer *stream)
{
    struct opencl *opencl = opencl_of(context);
    cl_mem object = make_object(opencl->context, kinds[1].object, 40, 30);
    assert_non_null(object); /* all devices with images have this format */
    kst_image image = describe(object, &kinds[1], 40, 30), made = image;
    expect_refused(context, stream, image, KST_FORMAT_BGRA, KST_SAMPLE_INTEGER, KST_ERROR_IMAGE_FORMAT);
    expect_refused(context, stream, image, KST_FORMAT_RGBA, KST_SAMPLE_FLOAT16, KST_ERROR_IMAGE_SAMPLE);
    expect_refused(cpu_context, stream, image, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER, KST_ERROR_IMAGE_MEMORY);
    made.plane[0].data = NULL;
    assert_int_equal(kst_image_allocate(context, &made), KST_ERROR_IMAGE_MEMORY);
    cl_mem wide = make_object(opencl->context, kinds[1].object, 41, 30);
    image.plane[0].data = wide;
    expect_refused(context, stream, image, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER, KST_ERROR_IMAGE_SIZE);
    cl_mem buffer = opencl->driver.buffer_create(opencl->context, CL_MEM_READ_WRITE, 4800, NULL, NULL);
    image.plane[0].data = buffer;
    expect_refused(context, stream, image, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER, KST_ERROR_IMAGE_MEMORY);
    cl_context other = opencl->driver.context_create(NULL, 1, &opencl->device, NULL, NULL, NULL);
    cl_mem foreign = make_object(other, kinds[1].object, 40, 30);
    image.plane[0].data = foreign;
    expect_refused(context, stream, image, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER, KST_ERROR_IMAGE_MEMORY);
    image.plane[0].data = object;
    image.memory = KST_MEMORY_OPENCL; /* an image where a buffer is wanted */
    image.plane[0].pitch = 160;
    expect_refused(context, stream, image, KST_FORMAT_RGBA, KST_SAMPLE_INTEGER, KST_ERROR_IMAGE_MEMORY);
    opencl->driver.buffer_release(foreign);
    opencl->driver.context_release(other);
    opencl->driver.buffer_release(buffer);
    opencl->driver.buffer_release(wide);
    opencl->driver.buffer_release(object);
}

static void test_misuse(void **state)
{
    (void)state;
    kst_encode_options encoding;
    kst_encode_options_init(&encoding);
    kst_buffer stream = encode_noise(40, 30, &encoding);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        if (is_opencl(gpu_context[g]))
            check_misuse(gpu_context[g], &stream);
    kst_buffer_release(cpu_context, &stream);
}

static int start(void **state)
{
    start_contexts(state);
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *function = library ? dlsym(library, "clCreateImage") : NULL;
    memcpy(&create_image, &function, sizeof function);
    if (create_image)
        return 0;
    puts("no OpenCL");
    exit(77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects), cmocka_unit_test(test_strips), cmocka_unit_test(test_misuse)};
    return cmocka_run_group_tests(tests, start, stop_contexts);
}
