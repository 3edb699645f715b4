/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of GStreamer, driven buffer by buffer: frames, order, times, negotiation, damage, fields, flushes. */
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>

#ifdef KOSTKA_TEST_GL
#include <gst/gl/gl.h>
#endif

#include "elements.h"
#include "gl.h"
#include "support/test.h"

enum { WIDTH = 96, HEIGHT = 64 };

/* Make a frame with a texture that depends on its number. */
static GstBuffer *make_frame(const char *format, gint width, gint height, guint number)
{
    GstVideoInfo info;

    gst_video_info_set_format(&info, gst_video_format_from_string(format), (guint)width, (guint)height);
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
    guint8 *bytes = g_malloc(info.size);
    for (gsize i = 0; i < info.size; i++)
        bytes[i] = (guint8)(i * i / 97 + i / 3 + number * 31) & 0x7F;
    for (gsize i = 1; i < info.size && strstr(format, "10LE") != NULL; i += 2)
        bytes[i] &= 3;
    gst_buffer_fill(buffer, 0, bytes, info.size);
    g_free(bytes);
    GST_BUFFER_PTS(buffer) = number * 40 * GST_MSECOND;
    GST_BUFFER_DURATION(buffer) = 40 * GST_MSECOND;
    return buffer;
}

static GstHarness *start(const char *launch, const char *caps)
{
    GstHarness *harness = gst_harness_new_parse(launch);

    gst_harness_set_src_caps_str(harness, caps);
    return harness;
}

static char *raw_caps(const char *format, gint width, gint height)
{
    return g_strdup_printf(
        "video/x-raw,format=%s,width=%d,height=%d,framerate=25/1,interlace-mode=progressive", format, width, height);
}

/* Code a frame with an element. */
static GstBuffer *code(const char *launch, const char *format, gint width, gint height, guint number)
{
    char *caps = raw_caps(format, width, height);
    GstHarness *harness = start(launch, caps);
    GstBuffer *coded = gst_harness_push_and_pull(harness, make_frame(format, width, height, number));

    assert_non_null(coded);
    gst_harness_teardown(harness);
    g_free(caps);
    return coded;
}

static GstBuffer *jpeg(const char *format, guint number)
{
    return code("kostkajpegenc quality=92", format, WIDTH, HEIGHT, number);
}

static void assert_same_bytes(GstBuffer *a, GstBuffer *b)
{
    GstMapInfo left, right;

    assert_true(gst_buffer_map(a, &left, GST_MAP_READ) && gst_buffer_map(b, &right, GST_MAP_READ));
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
    gst_buffer_unmap(a, &left);
    gst_buffer_unmap(b, &right);
}

/* The output's caps have a field of this value. */
static void assert_caps(GstHarness *harness, const char *field, const char *value)
{
    GstCaps *caps = gst_pad_get_current_caps(harness->sinkpad);
    gchar *text = gst_caps_to_string(caps), *wanted = g_strdup_printf("%s=(%s", field, value);

    if (strstr(text, wanted) == NULL)
        fail_msg("no %s in %s", wanted, text);
    g_free(wanted);
    g_free(text);
    gst_caps_unref(caps);
}

static guint errors(GstHarness *harness, GstMessageType type, const char *text)
{
    GstBus *bus = gst_element_get_bus(harness->element);
    GstMessage *message;
    guint count = 0;

    while ((message = gst_bus_pop_filtered(bus, type)) != NULL) {
        GError *error = NULL;
        gchar *debug = NULL;
        if (type == GST_MESSAGE_ERROR)
            gst_message_parse_error(message, &error, &debug);
        else
            gst_message_parse_warning(message, &error, &debug);
        if (strstr(debug, text) == NULL)
            fail_msg("no '%s' in %s", text, debug);
        g_clear_error(&error);
        g_free(debug);
        gst_message_unref(message);
        count++;
    }
    gst_object_unref(bus);
    return count;
}

/* Give a harness a bus, as a pipeline has one. */
static void attach_bus(GstHarness *harness)
{
    GstBus *bus = gst_bus_new();

    gst_element_set_bus(harness->element, bus);
    gst_object_unref(bus);
}

static gboolean lacks(const char *element)
{
    GstElementFactory *factory = gst_element_factory_find(element);

    if (factory != NULL)
        gst_object_unref(factory);
    return factory == NULL;
}

/* Decode a buffer with two elements to the same frame. */
static void assert_same_frames(const char *ours, const char *theirs, const char *caps, GstBuffer *coded)
{
    GstHarness *one = start(ours, caps), *two = start(theirs, caps);
    GstBuffer *a = gst_harness_push_and_pull(one, gst_buffer_ref(coded));
    GstBuffer *b = gst_harness_push_and_pull(two, coded);

    assert_same_bytes(a, b);
    gst_buffer_unref(a);
    gst_buffer_unref(b);
    gst_harness_teardown(one);
    gst_harness_teardown(two);
}

static void test_jpeg_peers(void **state)
{
    static const char *const formats[] = {"I420", "Y42B", "Y444", "Y41B", "GRAY8"};

    (void)state;
    if (lacks("jpegdec"))
        skip("there is no jpegdec (gstreamer1.0-plugins-good)");
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
        GstBuffer *ours = jpeg(formats[i], i);
        GstBuffer *theirs = code("jpegenc quality=92 idct-method=islow", formats[i], WIDTH, HEIGHT, i);
        assert_same_bytes(ours, theirs);
        gst_buffer_unref(theirs);
        if (i == 0 || i == 4) /* jpegdec reduces other samplings to 4:2:0 */
            assert_same_frames("kostkajpegdec", "jpegdec idct-method=islow", "image/jpeg,width=96,height=64", ours);
        else
            gst_buffer_unref(ours);
    }
}

static void test_j2k_peers(void **state)
{
    static const char *const formats[] = {"I420", "Y42B", "Y444", "Y41B", "GRAY8", "GRAY16_LE", "I420_10LE"};
    static const char caps[] = "image/jp2,width=96,height=64";

    (void)state;
    if (lacks("openjpegdec"))
        skip("there is no openjpegdec (gstreamer1.0-plugins-bad)");
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
        GstBuffer *frame = make_frame(formats[i], WIDTH, HEIGHT, i);
        GstHarness *decoder = start("kostkaj2kdec", caps);
        GstBuffer *decoded = gst_harness_push_and_pull(
            decoder, code("openjpegenc ! capsfilter caps=image/jp2", formats[i], WIDTH, HEIGHT, i));
        assert_same_bytes(frame, decoded);
        assert_caps(decoder, "format", "string)");
        gst_buffer_unref(decoded);
        gst_harness_teardown(decoder);
        decoder = start("openjpegdec", "image/x-j2c,width=96,height=64,sampling=YCbCr-4:2:0");
        if (i == 0) {
            decoded = gst_harness_push_and_pull(
                decoder, code("kostkaj2kenc ! capsfilter caps=image/x-j2c", formats[i], WIDTH, HEIGHT, i));
            assert_same_bytes(frame, decoded);
            gst_buffer_unref(decoded);
        }
        gst_buffer_unref(frame);
        gst_harness_teardown(decoder);
    }
}

/* Frames of every format that is coded without loss come back, as codestreams, boxes and files, also of HTJ2K. */
static void test_j2k_lossless(void **state)
{
    static const char *const formats[] = {"I420", "YV12", "GRAY16_LE", "I422_10LE", "RGB", "RGBA", "GBR_10LE"};
    static const char *const kinds[] = {"image/x-jpc", "image/x-j2c", "image/jp2"};

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(formats) * G_N_ELEMENTS(kinds); i++) {
        const char *format = formats[i / 3];
        char *caps = raw_caps(format, 33, 18);
        char *launch = g_strdup_printf("kostkaj2kenc ht=%s ! %s ! kostkaj2kdec ! capsfilter caps=video/x-raw,format=%s",
            i % 2 == 0 ? "true" : "false", kinds[i % 3], format);
        GstHarness *harness = start(launch, caps);
        GstBuffer *frame = make_frame(format, 33, 18, i), *back;
        GstVideoFrame a, b;
        GstVideoInfo info;
        gst_video_info_set_format(&info, gst_video_format_from_string(format), 33, 18);
        back = gst_harness_push_and_pull(harness, gst_buffer_ref(frame));
        assert_non_null(back);
        assert_true(gst_video_frame_map(&a, &info, frame, GST_MAP_READ));
        assert_true(gst_video_frame_map(&b, &info, back, GST_MAP_READ));
        for (guint c = 0; c < GST_VIDEO_FRAME_N_PLANES(&a); c++)
            for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&a, c); y++)
                assert_memory_equal(
                    (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&a, c) + (gsize)y * (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(&a, c),
                    (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&b, c) + (gsize)y * (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(&b, c),
                    (gsize)GST_VIDEO_FRAME_COMP_WIDTH(&a, c) * (gsize)GST_VIDEO_FRAME_COMP_PSTRIDE(&a, c));
        gst_video_frame_unmap(&a);
        gst_video_frame_unmap(&b);
        gst_buffer_unref(frame);
        gst_buffer_unref(back);
        gst_harness_teardown(harness);
        g_free(launch);
        g_free(caps);
    }
}

/* Frames come in order with their times, also behind a flush, and EOS follows the last one. */
static void test_order(void **state)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1");

    (void)state;
    for (guint i = 0; i < 6; i++) {
        assert_int_equal(gst_harness_push(harness, jpeg("I420", i)), GST_FLOW_OK);
        if (i == 2) {
            assert_true(gst_harness_push_event(harness, gst_event_new_flush_start()));
            assert_true(gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE)));
            GstSegment segment;
            gst_segment_init(&segment, GST_FORMAT_TIME);
            assert_true(gst_harness_push_event(harness, gst_event_new_segment(&segment)));
        }
    }
    assert_true(gst_harness_push_event(harness, gst_event_new_eos()));
    assert_int_equal(gst_harness_buffers_received(harness), 6);
    for (guint i = 0; i < 6; i++) {
        GstBuffer *frame = gst_harness_try_pull(harness);
        if (frame == NULL) /* the flush has emptied what had not been pulled */
            break;
        assert_int_equal(GST_BUFFER_PTS(frame) % (40 * GST_MSECOND), 0);
        gst_buffer_unref(frame);
    }
    gboolean ended = FALSE;
    GstEvent *event;
    while ((event = gst_harness_try_pull_event(harness)) != NULL) {
        ended |= GST_EVENT_TYPE(event) == GST_EVENT_EOS;
        gst_event_unref(event);
    }
    assert_true(ended);
    assert_int_equal(gst_harness_query_latency(harness), 0);
    gst_harness_teardown(harness);
}

/* Other sizes and samplings within a stream change the output's caps. */
static void test_renegotiation(void **state)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1");

    (void)state;
    gst_buffer_unref(gst_harness_push_and_pull(harness, jpeg("I420", 0)));
    assert_caps(harness, "width", "int)96");
    gst_buffer_unref(gst_harness_push_and_pull(harness, code("kostkajpegenc", "I420", 40, 24, 1)));
    assert_caps(harness, "width", "int)40");
    GstBuffer *frame = gst_harness_push_and_pull(harness, code("kostkajpegenc", "Y444", 40, 24, 2));
    assert_caps(harness, "format", "string)Y444");
    assert_int_equal(gst_buffer_get_size(frame), 40 * 24 * 3);
    gst_buffer_unref(frame);
    gst_harness_set_sink_caps_str(harness, "video/x-raw,format=BGRx");
    frame = gst_harness_push_and_pull(harness, code("kostkajpegenc", "Y444", 40, 24, 3));
    assert_caps(harness, "format", "string)BGRx");
    assert_int_equal(gst_buffer_get_size(frame), 40 * 24 * 4);
    gst_buffer_unref(frame);
    gst_harness_teardown(harness);
    harness = start("kostkajpegenc", "video/x-raw,format=GRAY8,width=40,height=24,framerate=25/1");
    gst_buffer_unref(gst_harness_push_and_pull(harness, make_frame("GRAY8", 40, 24, 0)));
    gst_harness_set_src_caps_str(harness, "video/x-raw,format=RGB,width=96,height=64,framerate=25/1");
    gst_buffer_unref(gst_harness_push_and_pull(harness, make_frame("RGB", WIDTH, HEIGHT, 1)));
    assert_caps(harness, "width", "int)96");
    gst_harness_teardown(harness);
}

/* The elements behind decide by what they take; if nothing fits, the error says what to do. */
static void test_no_format(void **state)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1");

    (void)state;
    attach_bus(harness);
    gst_harness_set_sink_caps_str(harness, "video/x-raw,format=I420");
    assert_int_equal(gst_harness_push(harness, jpeg("Y42B", 0)), GST_FLOW_NOT_NEGOTIATED);
    assert_int_equal(errors(harness, GST_MESSAGE_ERROR, "Put videoconvert behind"), 1);
    gst_harness_teardown(harness);
}

static GstBuffer *cut(GstBuffer *coded, gsize length)
{
    GstBuffer *part = gst_buffer_copy_region(coded, GST_BUFFER_COPY_ALL, 0, length);

    gst_buffer_unref(coded);
    return part;
}

/* A frame without a picture is left out, one that ends early is marked, and max-errors ends the stream. */
static void test_damage(void **state)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1");

    (void)state;
    attach_bus(harness);
    assert_int_equal(gst_harness_push(harness, cut(jpeg("I420", 0), 100)), GST_FLOW_OK);
    assert_null(gst_harness_try_pull(harness));
    GstBuffer *whole = jpeg("I420", 1);
    gsize length = gst_buffer_get_size(whole);
    GstBuffer *frame = gst_harness_push_and_pull(harness, cut(whole, length * 2 / 3));
    assert_true(GST_BUFFER_FLAG_IS_SET(frame, GST_BUFFER_FLAG_CORRUPTED));
    gst_buffer_unref(frame);
    frame = gst_harness_push_and_pull(harness, jpeg("I420", 2));
    assert_false(GST_BUFFER_FLAG_IS_SET(frame, GST_BUFFER_FLAG_CORRUPTED));
    assert_int_equal(GST_BUFFER_PTS(frame), 80 * GST_MSECOND);
    gst_buffer_unref(frame);
    gst_harness_teardown(harness);
    harness = start("kostkajpegdec max-errors=0", "image/jpeg,framerate=25/1");
    attach_bus(harness);
    assert_int_equal(gst_harness_push(harness, cut(jpeg("I420", 3), 100)), GST_FLOW_ERROR);
    assert_int_equal(errors(harness, GST_MESSAGE_ERROR, "max-errors=-1 goes on"), 1);
    gst_harness_teardown(harness);
}

/* Take out all segments with one of two markers. */
static GstBuffer *without(GstBuffer *coded, guint8 marker)
{
    GstMapInfo map;
    GByteArray *left = g_byte_array_new();
    gsize at = 2;

    assert_true(gst_buffer_map(coded, &map, GST_MAP_READ));
    g_byte_array_append(left, map.data, 2);
    while (map.data[at + 1] != 0xDA) {
        gsize size = 2 + ((gsize)map.data[at + 2] << 8 | map.data[at + 3]);
        if (map.data[at + 1] != marker)
            g_byte_array_append(left, map.data + at, (guint)size);
        at += size;
    }
    g_byte_array_append(left, map.data + at, (guint)(map.size - at));
    gst_buffer_unmap(coded, &map);
    gst_buffer_unref(coded);
    GBytes *bytes = g_byte_array_free_to_bytes(left);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes(bytes);
    g_bytes_unref(bytes);
    return buffer;
}

static GstBuffer *decode(GstBuffer *coded)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1");
    GstBuffer *frame = gst_harness_push_and_pull(harness, coded);

    assert_non_null(frame);
    gst_harness_teardown(harness);
    return frame;
}

static void test_without_tables(void **state)
{
    GstBuffer *bare = decode(without(jpeg("Y42B", 0), 0xC4)), *full = decode(jpeg("Y42B", 0));

    (void)state;
    assert_same_bytes(bare, full);
    gst_buffer_unref(bare);
    gst_buffer_unref(full);
}

/* Return a stream that says that it is a line of two fields, in place of its JFIF header. */
static GstBuffer *field(guint number, guint8 polarity)
{
    const guint8 avi1[] = {0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 'A', 'V', 'I', '1', polarity, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    GstBuffer *coded = without(jpeg("Y42B", number), 0xE0);
    GstBuffer *rest = gst_buffer_copy_region(coded, GST_BUFFER_COPY_ALL, 2, (gsize)-1);

    gst_buffer_unref(coded);
    return gst_buffer_append(gst_buffer_new_memdup(avi1, sizeof avi1), rest);
}

/* Two fields make one frame of twice the height: the rows of each are every other one. */
static void test_fields(void **state)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1,width=96,height=128");
    GstBuffer *even = decode(jpeg("Y42B", 1)), *odd = decode(jpeg("Y42B", 0));

    (void)state;
    for (guint8 polarity = 1; polarity <= 2; polarity++) {
        GstBuffer *both = gst_buffer_append(field(polarity - 1u, polarity),
            gst_buffer_append(gst_buffer_new_memdup("\0\0", 2), field(2u - polarity, 3 - polarity)));
        GstBuffer *frame = gst_harness_push_and_pull(harness, both);
        GstMapInfo map, a, b;
        assert_true(gst_buffer_map(frame, &map, GST_MAP_READ) && gst_buffer_map(odd, &a, GST_MAP_READ) &&
                    gst_buffer_map(even, &b, GST_MAP_READ));
        assert_int_equal(map.size, 2 * a.size);
        for (gsize y = 0; y < HEIGHT; y++) {
            assert_memory_equal(map.data + 2 * y * WIDTH, a.data + y * WIDTH, WIDTH);
            assert_memory_equal(map.data + (2 * y + 1) * WIDTH, b.data + y * WIDTH, WIDTH);
        }
        assert_true(GST_BUFFER_FLAG_IS_SET(frame, GST_VIDEO_BUFFER_FLAG_INTERLACED));
        assert_int_equal(GST_BUFFER_FLAG_IS_SET(frame, GST_VIDEO_BUFFER_FLAG_TFF), polarity == 1);
        gst_buffer_unmap(frame, &map);
        gst_buffer_unmap(odd, &a);
        gst_buffer_unmap(even, &b);
        gst_buffer_unref(frame);
    }
    assert_caps(harness, "interlace-mode", "string)interleaved");
    gst_buffer_unref(even);
    gst_buffer_unref(odd);
    gst_harness_teardown(harness);
}

/* Pictures in a stream of bytes are found wherever buffers begin, with bytes between them. */
static void test_bytes(void **state)
{
    GstHarness *harness = gst_harness_new("kostkajpegdec");
    GstSegment segment;
    GstBuffer *all = gst_buffer_new_memdup("x\0y", 3);

    (void)state;
    for (guint i = 0; i < 4; i++)
        all = gst_buffer_append(all, jpeg("I420", i));
    gst_harness_push_event(harness, gst_event_new_stream_start("bytes"));
    gst_harness_push_event(harness, gst_event_new_caps(gst_caps_new_empty_simple("image/jpeg")));
    gst_segment_init(&segment, GST_FORMAT_BYTES);
    gst_harness_push_event(harness, gst_event_new_segment(&segment));
    for (gsize at = 0, size = gst_buffer_get_size(all); at < size; at += 777)
        gst_harness_push(
            harness, gst_buffer_copy_region(all, GST_BUFFER_COPY_MEMORY, at, size - at < 777 ? size - at : 777));
    gst_harness_push_event(harness, gst_event_new_eos());
    assert_int_equal(gst_harness_buffers_received(harness), 4);
    for (guint i = 0; i < 4; i++) {
        GstBuffer *frame = gst_harness_pull(harness), *wanted = decode(jpeg("I420", i));
        assert_same_bytes(frame, wanted);
        gst_buffer_unref(frame);
        gst_buffer_unref(wanted);
    }
    gst_buffer_unref(all);
    gst_harness_teardown(harness);
}

/* Frames that come too late are not decoded. */
static void test_quality_of_service(void **state)
{
    GstHarness *harness = start("kostkajpegdec", "image/jpeg,framerate=25/1");

    (void)state;
    gst_buffer_unref(gst_harness_push_and_pull(harness, jpeg("I420", 0)));
    gst_harness_push_upstream_event(
        harness, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, (GstClockTimeDiff)(200 * GST_MSECOND), 0));
    assert_int_equal(gst_harness_push(harness, jpeg("I420", 1)), GST_FLOW_OK);
    assert_null(gst_harness_try_pull(harness));
    gst_buffer_unref(gst_harness_push_and_pull(harness, jpeg("I420", 25)));
    gst_harness_teardown(harness);
}

/* Properties decide: quality, one frame alone, the bits of a frame, a device that is not there. */
static void test_properties(void **state)
{
    GstBuffer *coarse = code("kostkajpegenc quality=0", "I420", WIDTH, HEIGHT, 0), *fine = jpeg("I420", 0);

    (void)state;
    assert_true(gst_buffer_get_size(coarse) * 2 < gst_buffer_get_size(fine));
    gst_buffer_unref(coarse);
    gst_buffer_unref(fine);
    fine = code("kostkaj2kenc rate=2.5 num-layers=3 progression-order=rpcl tile-width=64 tile-height=64", "I420", WIDTH,
        HEIGHT, 0);
    assert_true(gst_buffer_get_size(fine) <= WIDTH * HEIGHT * 5 / 16);
    gst_buffer_unref(fine);
    GstHarness *harness =
        start("kostkajpegenc snapshot=true", "video/x-raw,format=I420,width=96,height=64,framerate=25/1");
    assert_int_equal(gst_harness_push(harness, make_frame("I420", WIDTH, HEIGHT, 0)), GST_FLOW_EOS);
    assert_int_equal(gst_harness_buffers_received(harness), 1);
    gst_harness_teardown(harness);
    GstElement *element = gst_element_factory_make("kostkajpegdec", NULL);
    g_object_set(element, "device", "cuda:77", "max-threads", 1, NULL);
    assert_int_equal(gst_element_set_state(element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_object_unref(element);
}

#ifdef KOSTKA_TEST_GL
typedef struct {
    KostkaGl gl;
    GstElement *element;
    GstGLDisplay *display; /* that is given */
    gint asks;             /* threads go on */
} Questions;

/* Give an element a display, and ask it for one, as the application and other elements do from their threads. */
static gpointer ask(gpointer data)
{
    Questions *questions = data;
    GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    guint answers = 0;
    gint goes_on;

    gst_context_set_gl_display(context, questions->display);
    do { /* the last question comes when nothing stops the element any more, and has an answer */
        GstQuery *query = gst_query_new_context(GST_GL_DISPLAY_CONTEXT_TYPE);
        goes_on = g_atomic_int_get(&questions->asks);
        kostka_gl_set_context(&questions->gl, questions->element, context);
        answers += kostka_gl_query(&questions->gl, questions->element, query) ? 1 : 0;
        gst_query_unref(query);
    } while (goes_on);
    gst_context_unref(context);
    return GUINT_TO_POINTER(answers);
}

/* An element stops again and again meanwhile: it answers or not, and no reference is lost or dropped twice. */
static void test_display_questions(void **state)
{
    Questions questions = {.element = gst_element_factory_make("kostkajpegdec", NULL), .asks = 1};
    GThread *threads[2];
    guint answers = 0;

    (void)state;
    questions.display = gst_gl_display_new();
    kostka_gl_init(&questions.gl);
    for (guint i = 0; i < 2; i++)
        threads[i] = g_thread_new("asks", ask, &questions);
    for (gint64 end = g_get_monotonic_time() + G_USEC_PER_SEC; g_get_monotonic_time() < end;)
        kostka_gl_stop(&questions.gl);
    g_atomic_int_set(&questions.asks, 0);
    for (guint i = 0; i < 2; i++)
        answers += GPOINTER_TO_UINT(g_thread_join(threads[i]));
    assert_true(answers > 0);
    kostka_gl_clear(&questions.gl);
    assert_int_equal(GST_OBJECT_REFCOUNT_VALUE(questions.display), 1);
    gst_object_unref(questions.display);
    gst_object_unref(questions.element);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jpeg_peers), cmocka_unit_test(test_j2k_peers),
        cmocka_unit_test(test_j2k_lossless), cmocka_unit_test(test_order), cmocka_unit_test(test_renegotiation),
        cmocka_unit_test(test_no_format), cmocka_unit_test(test_damage), cmocka_unit_test(test_without_tables),
        cmocka_unit_test(test_fields), cmocka_unit_test(test_bytes), cmocka_unit_test(test_quality_of_service),
#ifdef KOSTKA_TEST_GL
        cmocka_unit_test(test_display_questions),
#endif
        cmocka_unit_test(test_properties)};

    gst_init(&argc, &argv);
    gst_plugin_register_static(GST_VERSION_MAJOR, GST_VERSION_MINOR, "kostka", "the elements under test",
        kostka_register_elements, KST_VERSION_STRING, "BSD", "kostka", "kostka", "kostka");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gst_deinit();
    return failed;
}
