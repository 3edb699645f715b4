/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that misuse gives its own error before any work, and that the caller's OpenGL state is unchanged. */
#include <stdlib.h>
#include <string.h>

#include "support/gl/surfaces.h"
#include "support/test.h"

enum { TEXTURE_CUBE = 0x8513 };

static kst_buffer stream;

static int start(void **state)
{
    int result = start_surfaces(state);
    stream = make_jpeg(40, 30, false, NULL);
    return result;
}

static int stop(void **state)
{
    kst_buffer_release(device_context[0], &stream);
    return stop_surfaces(state);
}

static void expect_decode(kst_gl *gl, const kst_gl_surface *surface, kst_status wanted)
{
    kst_report report;
    kst_gl_way way = KST_GL_WAY_MAPPED;
    kst_report_init(&report);
    kst_status status = kst_gl_decode(gl, stream.data, stream.length, NULL, surface, &way, &report);
    if (status != wanted)
        fail_msg("%s, not %s: %s", kst_status_name(status), kst_status_name(wanted), report.message);
    assert_int_equal(report.status, wanted);
    assert_int_equal(way != KST_GL_WAY_NONE, !wanted);
    assert_int_equal(report.message[0] == 0, !wanted);
}

static void expect_encode(kst_gl *gl, const kst_gl_surface *surface, kst_status wanted)
{
    static uint8_t room[1 << 16];
    kst_report report;
    kst_buffer file = {.data = room, .capacity = sizeof room};
    kst_report_init(&report);
    kst_status status = kst_gl_encode(gl, surface, NULL, &file, NULL, &report);
    if (status != wanted)
        fail_msg("%s, not %s: %s", kst_status_name(status), kst_status_name(wanted), report.message);
}

static kst_gl_surface describe(kst_gl_kind kind, unsigned name)
{
    kst_gl_surface surface;
    kst_gl_surface_init(&surface);
    surface.kind = kind;
    surface.name = name;
    return surface;
}

static void check_textures(kst_gl *gl, const struct world *w)
{
    static const struct texture_format rg = {"RG8", 0x822B, 0x8227, KST_FORMAT_GREY, true};
    unsigned cube = 0, empty = 0, two = 0;
    kst_gl_surface surface = describe(KST_GL_TEXTURE, 0);
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    surface.name = 4711;
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    expect_encode(gl, &surface, KST_ERROR_GL_OBJECT);
    w->more.textures_make(1, &cube);
    w->gl.bind_texture(TEXTURE_CUBE, cube);
    w->gl.bind_texture(TEXTURE_CUBE, 0);
    surface.name = cube;
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    w->more.textures_make(1, &empty);
    w->gl.bind_texture(GL_TEXTURE_2D, empty);
    w->gl.bind_texture(GL_TEXTURE_2D, 0);
    surface.name = empty;
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    w->more.textures_make(1, &two);
    w->gl.bind_texture(GL_TEXTURE_2D, two);
    w->more.texture_image(GL_TEXTURE_2D, 0, rg.internal, 40, 30, 0, rg.format, GL_UNSIGNED_BYTE, NULL);
    w->gl.bind_texture(GL_TEXTURE_2D, 0);
    surface.name = two;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_FORMAT);
    expect_encode(gl, &surface, KST_ERROR_IMAGE_FORMAT);
    surface.name = make_texture(w, &texture_format[2], 41, 30, NULL);
    expect_decode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    uint8_t *after = read_texture(w, surface.name, &texture_format[2], 41, 30);
    assert_int_equal(after[0], 0xA5);
    free(after);
    delete_texture(w, surface.name);
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    delete_texture(w, cube);
    delete_texture(w, empty);
    delete_texture(w, two);
}

static void check_surfaces(kst_gl *gl, const struct world *w)
{
    kst_decode_options options;
    kst_gl_surface surface = describe(KST_GL_TEXTURE, make_texture(w, &texture_format[2], 40, 30, NULL)),
                   wrong = surface;
    wrong.size = 3;
    expect_decode(gl, &wrong, KST_ERROR_OPTIONS);
    wrong = surface;
    wrong.kind = (kst_gl_kind)9;
    expect_decode(gl, &wrong, KST_ERROR_ARGUMENT);
    wrong.kind = KST_GL_FRAMEBUFFER;
    expect_decode(gl, &wrong, KST_ERROR_ARGUMENT);
    wrong = surface;
    wrong.pitch = 160;
    expect_decode(gl, &wrong, KST_ERROR_OPTIONS);
    wrong = surface;
    wrong.width = 39;
    expect_decode(gl, &wrong, KST_ERROR_IMAGE_SIZE);
    expect_encode(gl, &wrong, KST_ERROR_IMAGE_SIZE);
    wrong = surface;
    wrong.mipmaps = true;
    expect_encode(gl, &wrong, KST_ERROR_OPTIONS);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_GREY;
    assert_int_equal(
        kst_gl_decode(gl, stream.data, stream.length, &options, &surface, NULL, NULL), KST_ERROR_IMAGE_FORMAT);
    options.size = 1;
    assert_int_equal(kst_gl_decode(gl, stream.data, stream.length, &options, &surface, NULL, NULL), KST_ERROR_OPTIONS);
    assert_int_equal(kst_gl_decode(gl, "no", 2, NULL, &surface, NULL, NULL), KST_ERROR_JPEG_SOI);
    assert_int_equal(kst_gl_decode(gl, NULL, 2, NULL, &surface, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_gl_decode(NULL, stream.data, 2, NULL, &surface, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_gl_decode(gl, stream.data, 2, NULL, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_gl_encode(gl, &surface, NULL, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    expect_decode(gl, &surface, KST_OK);
    delete_texture(w, surface.name);
}

static void check_buffers(kst_gl *gl, const struct world *w)
{
    kst_gl_surface surface = describe(KST_GL_BUFFER, 4711);
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    surface.name = make_buffer(w, 40 * 30 * 3, NULL);
    expect_decode(gl, &surface, KST_OK);
    surface.offset = 1;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_BUFFER);
    surface.offset = SIZE_MAX;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_BUFFER);
    surface.offset = 0;
    surface.pitch = 119;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_PITCH);
    surface.pitch = SIZE_MAX;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_PITCH);
    surface.pitch = 121;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_BUFFER);
    surface.pitch = 0;
    expect_encode(gl, &surface, KST_ERROR_IMAGE_FORMAT);
    surface.format = KST_FORMAT_RGB;
    expect_encode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    surface.width = surface.height = UINT32_MAX;
    expect_encode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    surface.width = surface.height = 0;
    surface.format = KST_FORMAT_RGBA;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_BUFFER);
    surface.format = KST_FORMAT_PLANAR;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_FORMAT);
    surface.format = KST_FORMAT_AUTO;
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, surface.name);
    assert_non_null(w->gl.map(GL_PIXEL_UNPACK_BUFFER, 0, 8, GL_MAP_READ_BIT));
    expect_decode(gl, &surface, KST_ERROR_GL_OBJECT);
    w->gl.unmap(GL_PIXEL_UNPACK_BUFFER);
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
    delete_buffer(w, surface.name);
}

static void check_framebuffers(kst_gl *gl, const struct world *w)
{
    unsigned texture = make_texture(w, &texture_format[2], 40, 30, NULL), empty = 0;
    kst_gl_surface surface = describe(KST_GL_FRAMEBUFFER, 0);
    expect_encode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    surface.width = 40;
    surface.height = 30;
    expect_encode(gl, &surface, KST_ERROR_GL_OBJECT); /* without a window */
    surface.name = 4711;
    expect_encode(gl, &surface, KST_ERROR_GL_OBJECT);
    w->gl.framebuffers_make(1, &empty);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, empty);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
    surface.name = empty;
    expect_encode(gl, &surface, KST_ERROR_GL_OBJECT);
    surface.name = make_framebuffer(w, texture);
    expect_encode(gl, &surface, KST_OK);
    surface.y = 1;
    expect_encode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    surface.y = UINT32_MAX;
    expect_encode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    surface.y = 0;
    surface.format = KST_FORMAT_BGR;
    expect_encode(gl, &surface, KST_ERROR_IMAGE_FORMAT);
    delete_framebuffer(w, surface.name);
    delete_framebuffer(w, empty);
    delete_texture(w, texture);
}

static void test_objects(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < worlds; i++)
        for (uint32_t c = 0; c < device_contexts; c++) {
            kst_gl *gl = bind_context(device_context[c], &world[i], KST_GL_SHARING_AUTO);
            check_textures(gl, &world[i]);
            check_surfaces(gl, &world[i]);
            check_buffers(gl, &world[i]);
            check_framebuffers(gl, &world[i]);
            expect_no_gl_error(&world[i]);
            kst_gl_destroy(&gl);
        }
}

static kst_gl_function load_nothing(void *user, const char *name)
{
    (void)user;
    (void)name;
    return NULL;
}

static void test_create(void **state)
{
    (void)state;
    kst_gl_options options;
    kst_report report;
    kst_gl *gl = (kst_gl *)&options;
    kst_gl_options_init(&options);
    kst_report_init(&report);
    enter_world(&world[0]);
    assert_int_equal(kst_gl_create(device_context[0], &options, &gl, &report), KST_ERROR_ARGUMENT);
    assert_null(gl);
    options.load = load_nothing;
    assert_int_equal(kst_gl_create(device_context[0], &options, &gl, &report), KST_ERROR_GL_CONTEXT);
    options.load = load_gl;
    assert_int_equal(kst_gl_create(NULL, &options, &gl, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_gl_create(device_context[0], NULL, &gl, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_gl_create(device_context[0], &options, NULL, NULL), KST_ERROR_ARGUMENT);
    options.sharing = KST_GL_SHARING_REQUIRED;
    assert_int_equal(kst_gl_create(device_context[0], &options, &gl, &report), KST_ERROR_GL_DEVICE);
    options.sharing = (kst_gl_sharing)3;
    assert_int_equal(kst_gl_create(device_context[0], &options, &gl, &report), KST_ERROR_OPTIONS);
    options.sharing = KST_GL_SHARING_AUTO;
    options.size = 1;
    assert_int_equal(kst_gl_create(device_context[0], &options, &gl, &report), KST_ERROR_OPTIONS);
    kst_gl_options_init(&options);
    options.load = load_gl;
    enter_world(NULL);
    assert_int_equal(kst_gl_create(device_context[0], &options, &gl, &report), KST_ERROR_GL_CONTEXT);
    kst_gl_destroy(&gl);
    kst_gl_destroy(NULL);
    kst_gl_options_init(NULL);
    kst_gl_surface_init(NULL);
}

/* None, another, and one that is gone. */
static void test_contexts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < worlds; i++)
        for (uint32_t c = 0; c < device_contexts; c++) {
            const struct world *w = &world[i];
            void *other = add_context(w);
            kst_gl *gl = bind_context(device_context[c], w, KST_GL_SHARING_AUTO);
            kst_gl_surface surface = describe(KST_GL_TEXTURE, make_texture(w, &texture_format[2], 40, 30, NULL));
            expect_decode(gl, &surface, KST_OK);
            use_context(w, other);
            expect_decode(gl, &surface, KST_ERROR_GL_CONTEXT);
            expect_encode(gl, &surface, KST_ERROR_GL_CONTEXT);
            use_context(w, NULL);
            expect_decode(gl, &surface, KST_ERROR_GL_CONTEXT);
            enter_world(w);
            expect_decode(gl, &surface, KST_OK);
            kst_gl_destroy(&gl);
            delete_texture(w, surface.name);
            struct world gone = *w;
            gone.context = other;
            gl = bind_context(device_context[c], &gone, KST_GL_SHARING_AUTO);
            surface.name = make_texture(w, &texture_format[2], 40, 30, NULL);
            expect_decode(gl, &surface, KST_OK);
            use_context(w, NULL);
            end_context(w, other);
            expect_decode(gl, &surface, KST_ERROR_GL_CONTEXT);
            kst_gl_destroy(&gl);
        }
}

static bool is_lost;

static unsigned tell_reset(void)
{
    enum { GUILTY_CONTEXT_RESET = 0x8253 };
    return is_lost ? GUILTY_CONTEXT_RESET : GL_NO_ERROR;
}

/* Imitate what a driver says about a context that it has lost. */
static kst_gl_function load_losing(void *user, const char *name)
{
    return strcmp(name, "glGetGraphicsResetStatus") == 0 ? (kst_gl_function)tell_reset : load_gl(user, name);
}

static void test_lost(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < worlds; i++) {
        const struct world *w = &world[i];
        const kst_gl_options options = {.size = sizeof options, .load = load_losing};
        kst_gl *gl;
        enter_world(w);
        assert_int_equal(kst_gl_create(device_context[0], &options, &gl, NULL), KST_OK);
        kst_gl_surface surface = describe(KST_GL_TEXTURE, make_texture(w, &texture_format[2], 40, 30, NULL));
        bool tells = w->gl.major * 10 + w->gl.minor >= (w->gl.es ? 32 : 45); /* others have no word for it */
        is_lost = true;
        expect_decode(gl, &surface, tells ? KST_ERROR_GL_CONTEXT : KST_OK);
        expect_encode(gl, &surface, tells ? KST_ERROR_GL_CONTEXT : KST_OK);
        is_lost = false;
        expect_decode(gl, &surface, KST_OK);
        kst_gl_destroy(&gl);
        delete_texture(w, surface.name);
    }
}

/* OpenGL takes no floating-point samples. */
static void test_samples(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < worlds; i++) {
        kst_decode_options options;
        kst_report report;
        kst_gl *gl = bind_context(device_context[0], &world[i], KST_GL_SHARING_AUTO);
        kst_gl_surface surface = describe(KST_GL_TEXTURE, make_texture(&world[i], &texture_format[2], 40, 30, NULL));
        kst_decode_options_init(&options);
        kst_report_init(&report);
        options.sample = KST_SAMPLE_FLOAT32;
        assert_int_equal(
            kst_gl_decode(gl, stream.data, stream.length, &options, &surface, NULL, &report), KST_ERROR_IMAGE_SAMPLE);
        kst_gl_destroy(&gl);
        delete_texture(&world[i], surface.name);
    }
}

/* An error of the caller's is reported, once. */
static void test_errors(void **state)
{
    (void)state;
    kst_report report;
    kst_report_init(&report);
    for (uint32_t i = 0; i < worlds; i++) {
        const struct world *w = &world[i];
        kst_gl *gl = bind_context(device_context[0], w, KST_GL_SHARING_AUTO);
        kst_gl_surface surface = describe(KST_GL_TEXTURE, make_texture(w, &texture_format[2], 40, 30, NULL));
        w->gl.bind_texture(1, 1);
        assert_int_equal(
            kst_gl_decode(gl, stream.data, stream.length, NULL, &surface, NULL, &report), KST_ERROR_GL_FAILED);
        assert_non_null(strstr(report.message, "INVALID_ENUM"));
        expect_decode(gl, &surface, KST_OK);
        delete_texture(w, surface.name);
        kst_gl_destroy(&gl);
    }
}

static const unsigned looked_at[] = {GL_TEXTURE_BINDING_2D, GL_PIXEL_PACK_BUFFER_BINDING,
    GL_PIXEL_UNPACK_BUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING, GL_UNPACK_ROW_LENGTH,
    GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS,
    GL_PACK_SKIP_PIXELS, GL_PACK_ALIGNMENT};

enum { LOOKED_AT = sizeof looked_at / sizeof looked_at[0] };

static void check_state(kst_context *c, const struct world *w)
{
    int before[LOOKED_AT], after[LOOKED_AT];
    kst_gl *gl = bind_context(c, w, KST_GL_SHARING_AUTO);
    unsigned texture = make_texture(w, &texture_format[1], 7, 7, NULL), buffer = make_buffer(w, 100, NULL);
    unsigned framebuffer = make_framebuffer(w, texture);
    kst_gl_surface surface = describe(KST_GL_TEXTURE, make_texture(w, &texture_format[2], 40, 30, NULL));
    w->gl.bind_texture(GL_TEXTURE_2D, texture);
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    w->gl.bind_buffer(GL_PIXEL_PACK_BUFFER, buffer);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    for (int i = 5; i < LOOKED_AT; i++)
        w->gl.store(
            looked_at[i], looked_at[i] == GL_UNPACK_ALIGNMENT || looked_at[i] == GL_PACK_ALIGNMENT ? 2 : 50 + i);
    for (int i = 0; i < LOOKED_AT; i++)
        w->gl.get(looked_at[i], &before[i]);
    expect_decode(gl, &surface, KST_OK);
    expect_encode(gl, &surface, KST_OK);
    surface.width = 3;
    expect_decode(gl, &surface, KST_ERROR_IMAGE_SIZE);
    for (int i = 0; i < LOOKED_AT; i++) {
        w->gl.get(looked_at[i], &after[i]);
        assert_int_equal(after[i], before[i]);
    }
    for (int i = 5; i < LOOKED_AT; i++)
        w->gl.store(looked_at[i], looked_at[i] == GL_UNPACK_ALIGNMENT || looked_at[i] == GL_PACK_ALIGNMENT ? 4 : 0);
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
    w->gl.bind_buffer(GL_PIXEL_PACK_BUFFER, 0);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
    delete_framebuffer(w, framebuffer);
    delete_buffer(w, buffer);
    delete_texture(w, texture);
    delete_texture(w, surface.name);
    kst_gl_destroy(&gl);
    expect_no_gl_error(w);
}

static void test_state(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < worlds; i++)
        for (uint32_t c = 0; c < device_contexts; c++)
            check_state(device_context[c], &world[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_objects), cmocka_unit_test(test_create),
        cmocka_unit_test(test_contexts), cmocka_unit_test(test_lost), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_state)};
    return cmocka_run_group_tests(tests, start, stop);
}
