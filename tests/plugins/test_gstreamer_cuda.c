/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames in memory of CUDA, with GStreamer's own library for it and a driver that does nothing but count: decoders
 * write where they lie and encoders read there, so that no frame crosses to the host; others are downloaded or
 * uploaded.
 */
#define GST_USE_UNSTABLE_API
#include <gst/check/gstharness.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudautils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "support/test.h"

enum { WIDTH = 640, HEIGHT = 480, FRAME = WIDTH * HEIGHT * 3 / 2 };

static const char there[] = "video/x-raw(memory:CUDAMemory),format=I420,width=640,height=480,framerate=25/1,"
                            "interlace-mode=progressive";
static const char here[] = "video/x-raw,format=I420,width=640,height=480,framerate=25/1,interlace-mode=progressive";

/* Return how many bytes the driver's functions whose names begin so have moved. */
static unsigned long long moved(const char *name)
{
    FILE *file = fopen(g_getenv("IDLE_CUDA_COUNTS"), "r");
    char line[128];
    unsigned long long sum = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) /* the name, the number of calls, the bytes */
        if (strncmp(line, name, strlen(name)) == 0)
            sum += strtoull(strrchr(line, ' '), NULL, 10);
    fclose(file);
    return sum;
}

/* Pass a buffer through an element, which answers at once. */
static GstBuffer *pass(GstHarness *harness, GstBuffer *buffer)
{
    assert_int_equal(gst_harness_push(harness, buffer), GST_FLOW_OK);
    return gst_harness_try_pull(harness);
}

/* Make a stream on the CPU. */
static GstBuffer *make_stream(const char *launch)
{
    GstHarness *harness = gst_harness_new_parse(launch);
    GstBuffer *frame = gst_buffer_new_allocate(NULL, FRAME, NULL);

    gst_buffer_memset(frame, 0, 100, FRAME);
    gst_harness_set_src_caps_str(harness, here);
    GstBuffer *coded = pass(harness, frame);
    assert_non_null(coded);
    gst_harness_teardown(harness);
    return coded;
}

static GstHarness *start(const char *launch, const char *from, const char *to)
{
    GstHarness *harness = gst_harness_new_parse(launch);

    if (to != NULL)
        gst_harness_set_sink_caps_str(harness, to);
    gst_harness_set_src_caps_str(harness, from);
    return harness;
}

static gboolean is_there(GstBuffer *buffer)
{
    return gst_buffer_n_memory(buffer) == 1 && gst_is_cuda_memory(gst_buffer_peek_memory(buffer, 0));
}

/* Decode a stream to a frame in memory of CUDA, and encode that again: no pixels are moved. */
static void check_codec(const char *name, const char *caps)
{
    char *encoder = g_strdup_printf("kostka%senc device=cpu", name);
    GstBuffer *coded = make_stream(encoder);
    g_free(encoder);
    char *decoder = g_strdup_printf("kostka%sdec device=cuda:0", name);
    GstHarness *harness = start(decoder, caps, there);
    g_free(decoder);
    unsigned long long rows = moved("cuMemcpy2D"), down = moved("cuMemcpyDtoH");
    GstBuffer *frame = pass(harness, coded);
    assert_non_null(frame);
    assert_true(is_there(frame));
    assert_true(moved("cuMemcpyDtoH") - down < FRAME / 4);
    encoder = g_strdup_printf("kostka%senc device=cuda:0", name);
    GstHarness *back = start(encoder, there, NULL);
    g_free(encoder);
    unsigned long long up = moved("cuMemcpyHtoD");
    coded = pass(back, gst_buffer_ref(frame));
    assert_non_null(coded);
    assert_true(moved("cuMemcpyHtoD") - up < FRAME / 4);
    gst_buffer_unref(coded);
    gst_harness_teardown(back);
    assert_int_equal(moved("cuMemcpy2D"), rows); /* GStreamer's copies between the host and the device */
    /* The frame outlives the elements, and with it the context. */
    gst_harness_teardown(harness);
    gst_buffer_unref(frame);
}

static void test_jpeg(void **state)
{
    (void)state;
    check_codec("jpeg", "image/jpeg,width=640,height=480,framerate=25/1");
}

static void test_j2k(void **state)
{
    (void)state;
    check_codec("j2k", "image/x-jpc,width=640,height=480,framerate=25/1,num-components=3,sampling=\"YCbCr-4:2:0\","
                       "colorspace=sYUV");
}

/* A frame in another context, such as GStreamer makes of its own, is downloaded for the encoder. */
static void test_other_context(void **state)
{
    GstVideoInfo info;
    (void)state;
    gst_cuda_memory_init_once();
    GstCudaContext *other = gst_cuda_context_new(0);
    assert_non_null(other);
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT);
    GstBufferPool *pool = gst_cuda_buffer_pool_new(other);
    GstStructure *config = gst_buffer_pool_get_config(pool);
    GstCaps *caps = gst_caps_from_string(there);
    gst_buffer_pool_config_set_params(config, caps, (guint)info.size, 0, 0);
    assert_true(gst_buffer_pool_set_config(pool, config));
    assert_true(gst_buffer_pool_set_active(pool, TRUE));
    GstBuffer *frame;
    assert_int_equal(gst_buffer_pool_acquire_buffer(pool, &frame, NULL), GST_FLOW_OK);
    GstHarness *harness = start("kostkajpegenc device=cuda:0", there, NULL);
    unsigned long long up = moved("cuMemcpyHtoD");
    GstBuffer *coded = pass(harness, frame);
    assert_non_null(coded);
    assert_true(moved("cuMemcpyHtoD") - up >= FRAME);
    gst_buffer_unref(coded);
    gst_harness_teardown(harness);
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
    gst_caps_unref(caps);
    gst_object_unref(other);
}

/* What the next element lists first is what it gets; on the CPU that is always the system's memory. */
static void test_choice(void **state)
{
    static const struct {
        const char *launch, *accepted;
        gboolean there;
    } cases[] = {
        {"kostkajpegdec device=cuda:0", "video/x-raw(memory:CUDAMemory);video/x-raw", TRUE},
        {"kostkajpegdec device=cuda:0", "video/x-raw;video/x-raw(memory:CUDAMemory)", FALSE},
        {"kostkajpegdec device=cuda:0", "video/x-raw", FALSE},
        {"kostkajpegdec device=cpu", "video/x-raw(memory:CUDAMemory);video/x-raw", FALSE},
        {"kostkajpegdec device=auto", "video/x-raw(memory:CUDAMemory)", TRUE},
    };
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GstHarness *harness =
            start(cases[i].launch, "image/jpeg,width=640,height=480,framerate=25/1", cases[i].accepted);
        GstBuffer *frame = pass(harness, make_stream("kostkajpegenc device=cpu"));
        assert_non_null(frame);
        assert_int_equal(is_there(frame), cases[i].there);
        gst_buffer_unref(frame);
        gst_harness_teardown(harness);
    }
}

/* Make a frame of a format in memory of CUDA, as a pool does. */
static void check_format(GstCudaContext *context, GstVideoFormat format)
{
    GstVideoInfo info;
    GstBuffer *frame = NULL;

    gst_video_info_set_format(&info, format, WIDTH, HEIGHT);
    GstCaps *caps = gst_video_info_to_caps(&info);
    gst_caps_set_features_simple(caps, gst_caps_features_from_string(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY));
    GstBufferPool *pool = gst_cuda_buffer_pool_new(context);
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps, (guint)info.size, 0, 0);
    if (!gst_buffer_pool_set_config(pool, config) || !gst_buffer_pool_set_active(pool, TRUE) ||
        gst_buffer_pool_acquire_buffer(pool, &frame, NULL) != GST_FLOW_OK)
        fail_msg("no memory of CUDA has frames of %s", gst_video_format_to_string(format));
    gst_buffer_unref(frame);
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
    gst_caps_unref(caps);
}

/* GStreamer's memory has all formats that the caps say. */
static void test_formats(void **state)
{
    GstElement *element = gst_element_factory_make("kostkaj2kdec", NULL);
    GstPad *pad = gst_element_get_static_pad(element, "src");
    GstCaps *caps = gst_pad_get_pad_template_caps(pad);
    guint formats = 0;
    (void)state;
    gst_cuda_memory_init_once();
    GstCudaContext *context = gst_cuda_context_new(0);
    for (guint i = 0; i < gst_caps_get_size(caps); i++) {
        const GValue *list = gst_structure_get_value(gst_caps_get_structure(caps, i), "format");
        if (!gst_caps_features_contains(gst_caps_get_features(caps, i), GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY))
            continue;
        for (guint k = 0; k < gst_value_list_get_size(list); k++, formats++)
            check_format(context, gst_video_format_from_string(g_value_get_string(gst_value_list_get_value(list, k))));
    }
    assert_int_equal(formats, 14);
    gst_object_unref(context);
    gst_caps_unref(caps);
    gst_object_unref(pad);
    gst_object_unref(element);
}

/* A neighbour that asks for a context gets the one that wraps the primary context. */
static void test_query(void **state)
{
    GstHarness *harness = start("kostkajpegdec device=cuda:0", "image/jpeg,width=640,height=480,framerate=25/1", there);
    GstQuery *query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
    GstContext *context = NULL;
    (void)state;
    assert_true(gst_pad_peer_query(harness->sinkpad, query));
    gst_query_parse_context(query, &context);
    assert_non_null(context);
    gst_query_unref(query);
    gst_harness_teardown(harness);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jpeg),
        cmocka_unit_test(test_j2k),
        cmocka_unit_test(test_other_context),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_query),
    };
    gst_init(&argc, &argv);
    gst_plugin_register_static(GST_VERSION_MAJOR, GST_VERSION_MINOR, "kostkatest", "the elements",
        kostka_register_elements, "0", "BSD", "kostka", "kostka", "kostka");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gst_deinit();
    return failed;
}
