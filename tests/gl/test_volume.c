/* SPDX-License-Identifier: BSD-2-Clause */
/* Volumes in textures of three dimensions: the samples are those of the CPU, and what lies around them stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gl/surfaces.h"
#include "support/random.h"
#include "support/test.h"

enum { WIDTH = 17, HEIGHT = 9, DEPTH = 5, WIDE = 22, HIGH = 12, DEEP = 8, AT_X = 3, AT_Y = 2, AT_Z = 1 };
enum { ALL = WIDE * HIGH * DEEP, RGBA_INTEGER = 0x8D99 };

/* Describes textures, and volumes for them. */
static const struct cube_case {
    const char *name;
    int internal;
    unsigned transfer, type;
    uint8_t bits, bytes;
    bool is_signed, is_float;
    bool es; /* OpenGL ES has it, and can read it back */
} cases[] = {
    {"R8", GL_R8, GL_RED, GL_UNSIGNED_BYTE, 8, 1, false, false, true},
    {"R8UI", GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 7, 1, false, false, true},
    {"R8_SNORM", GL_R8_SNORM, GL_RED, GL_BYTE, 8, 1, true, false, false},
    {"R8I", GL_R8I, GL_RED_INTEGER, GL_BYTE, 8, 1, true, false, true},
    {"R16", GL_R16, GL_RED, GL_UNSIGNED_SHORT, 16, 2, false, false, false},
    {"R16UI", GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT, 12, 2, false, false, true},
    {"R16_SNORM", GL_R16_SNORM, GL_RED, GL_SHORT, 16, 2, true, false, false},
    {"R16I", GL_R16I, GL_RED_INTEGER, GL_SHORT, 13, 2, true, false, true},
    {"R32UI", GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 20, 4, false, false, true},
    {"R32I", GL_R32I, GL_RED_INTEGER, GL_INT, 20, 4, true, false, true},
    {"R32F", GL_R32F, GL_RED, GL_FLOAT, 8, 4, false, true, false},
    {"R16F", GL_R16F, GL_RED, GL_FLOAT, 8, 4, false, true, false},
};

static void store(uint8_t *at, uint32_t bytes, int64_t value)
{
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)((uint64_t)value >> 8 * i);
}

/* Encode noise on a slope on the CPU. `samples` receives them as `bytes` bytes each. The least negative value is not
 * used, since textures of GL_R8_SNORM and GL_R16_SNORM have none. */
static kst_buffer make_stream(const struct cube_case *c, uint32_t bytes, uint8_t *samples)
{
    kst_volume volume;
    kst_volume_options options;
    kst_buffer stream = {.data = NULL};
    uint32_t state = c->bits;
    const int64_t range = INT64_C(1) << c->bits;
    for (uint32_t i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        store(samples + i * bytes, bytes,
            (i * 3 + random_below(&state, 50)) % (range - 1) - (c->is_signed ? range / 2 - 1 : 0));
    kst_volume_init(&volume);
    volume.width = WIDTH;
    volume.height = HEIGHT;
    volume.depth = DEPTH;
    volume.bits = c->bits;
    volume.is_signed = c->is_signed;
    volume.data = samples;
    kst_volume_options_init(&options);
    options.jpeg2000.levels = 1;
    assert_int_equal(kst_encode_volume(device_context[0], &volume, &options, &stream, NULL), KST_OK);
    return stream;
}

static unsigned make_cube(const struct world *w, const struct cube_case *c, int sides, const void *samples)
{
    unsigned name = 0;
    w->more.textures_make(1, &name);
    w->gl.bind_texture(GL_TEXTURE_3D, name);
    w->gl.store(GL_UNPACK_ALIGNMENT, 1);
    w->more.texture_image_3d(GL_TEXTURE_3D, 0, c->internal, sides ? sides : WIDE, sides ? sides : HIGH,
        sides ? sides : DEEP, 0, c->transfer, c->type, samples);
    w->gl.store(GL_UNPACK_ALIGNMENT, 4);
    w->gl.bind_texture(GL_TEXTURE_3D, 0);
    expect_no_gl_error(w);
    return name;
}

/* Read a slice in OpenGL ES, which reads four channels of a framebuffer: of bytes, or of integers of 32 bits. */
static void read_slice(const struct world *w, const struct cube_case *c, uint8_t *to)
{
    static uint32_t found[WIDE * HIGH * 4];
    const bool integer = c->transfer == GL_RED_INTEGER;
    w->gl.read(0, 0, WIDE, HIGH, integer ? RGBA_INTEGER : GL_RGBA,
        !integer       ? GL_UNSIGNED_BYTE
        : c->is_signed ? GL_INT
                       : GL_UNSIGNED_INT,
        found);
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        store(to + i * c->bytes, c->bytes, integer ? (int64_t)found[4 * i] : ((const uint8_t *)found)[4 * i]);
}

/* Read all samples of a texture. */
static void read_cube(const struct world *w, const struct cube_case *c, unsigned name, uint8_t *to)
{
    unsigned framebuffer = 0;
    if (!w->gl.es) {
        w->gl.bind_texture(GL_TEXTURE_3D, name);
        w->gl.store(GL_PACK_ALIGNMENT, 1);
        w->gl.texture_read(GL_TEXTURE_3D, 0, c->transfer, c->type, to);
        w->gl.store(GL_PACK_ALIGNMENT, 4);
        w->gl.bind_texture(GL_TEXTURE_3D, 0);
        return;
    }
    w->gl.framebuffers_make(1, &framebuffer);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    for (int z = 0; z < DEEP; z++) {
        w->more.framebuffer_layer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, 0, z);
        assert_int_equal(w->gl.framebuffer_check(GL_READ_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
        read_slice(w, c, to + (size_t)z * WIDE * HIGH * c->bytes);
    }
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
    w->gl.framebuffers_delete(1, &framebuffer);
}

/* Put samples into their box of what a texture holds. Numbers are (sample × 0.25) + 3. */
static void put_box(const struct cube_case *c, const uint8_t *samples, uint8_t *all)
{
    for (uint32_t i = 0; i < WIDTH * HEIGHT * DEPTH; i++) {
        const uint32_t x = i % WIDTH + AT_X, y = i / WIDTH % HEIGHT + AT_Y, z = i / WIDTH / HEIGHT + AT_Z;
        uint8_t *to = all + ((z * HIGH + y) * WIDE + x) * c->bytes;
        const float number = (float)samples[i] * 0.25F + 3;
        if (c->is_float)
            memcpy(to, &number, sizeof number);
        else
            memcpy(to, samples + i * c->bytes, c->bytes);
    }
}

static kst_gl_texture_3d target_of(unsigned name)
{
    kst_gl_texture_3d target;
    kst_gl_texture_3d_init(&target);
    target.name = name;
    target.x = AT_X;
    target.y = AT_Y;
    target.z = AT_Z;
    return target;
}

static void check_case(kst_context *context, const struct world *w, kst_gl *gl, const struct cube_case *c)
{
    static uint8_t wanted[ALL * 4], found[ALL * 4], samples[WIDTH * HEIGHT * DEPTH * 4];
    kst_volume_decode_options options;
    kst_gl_way way;
    kst_report report;
    memset(wanted, c->is_float ? 0 : 0xA5, sizeof wanted);
    kst_buffer stream = make_stream(c, c->is_float ? 1 : c->bytes, samples);
    kst_gl_texture_3d target = target_of(make_cube(w, c, 0, wanted));
    put_box(c, samples, wanted);
    kst_volume_decode_options_init(&options);
    options.scale = 0.25F;
    options.offset = 3;
    kst_report_init(&report);
    if (kst_gl_decode_volume(gl, stream.data, stream.length, &options, &target, &way, &report))
        fail_msg("%s, %s: %s", c->name, w->name, report.message);
    expect_no_gl_error(w);
    assert_true(way == KST_GL_WAY_SHARED
                    ? can_share(context, w)
                    : way == KST_GL_WAY_MAPPED || (way == KST_GL_WAY_COPIED && context != device_context[0]));
    read_cube(w, c, target.name, found);
    expect_no_gl_error(w);
    for (uint32_t i = 0; i < ALL * c->bytes; i++)
        if (wanted[i] != found[i])
            fail_msg("%s, %s: byte %u is %u, not %u", c->name, w->name, i, found[i], wanted[i]);
    delete_texture(w, target.name);
    kst_buffer_release(device_context[0], &stream);
}

static void test_formats(void **state)
{
    (void)state;
    for (uint32_t w = 0; w < worlds; w++)
        for (uint32_t d = 0; d < device_contexts; d++) {
            kst_gl *gl = bind_context(device_context[d], &world[w], KST_GL_SHARING_AUTO);
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                if (!world[w].gl.es || cases[i].es)
                    check_case(device_context[d], &world[w], gl, &cases[i]);
            kst_gl_destroy(&gl);
        }
}

/* A part of a reduced volume; and levels of a volume of one value, which they all have. */
static void test_parts(void **state)
{
    enum { SIDE = 16 };
    static uint8_t level[4], samples[SIDE * SIDE * SIDE];
    kst_volume volume;
    kst_buffer stream = {.data = NULL};
    kst_volume_decode_options options;
    (void)state;
    memset(samples, 77, sizeof samples);
    kst_volume_init(&volume);
    volume.width = volume.height = volume.depth = SIDE;
    volume.bits = 8;
    volume.data = samples;
    assert_int_equal(kst_encode_volume(device_context[0], &volume, NULL, &stream, NULL), KST_OK);
    for (uint32_t i = 0; i < worlds; i++) {
        const struct world *w = &world[i];
        kst_gl *gl = bind_context(device_context[0], w, KST_GL_SHARING_OFF);
        kst_gl_texture_3d target;
        int width = 0;
        kst_volume_decode_options_init(&options);
        options.reduce = options.reduce_z = 1;
        options.region = (kst_box){.x = 1, .y = 2, .z = 3, .width = 4, .height = 4, .depth = 4};
        kst_gl_texture_3d_init(&target);
        target.name = make_cube(w, &cases[0], 4, NULL);
        target.mipmaps = true;
        assert_int_equal(kst_gl_decode_volume(gl, stream.data, stream.length, &options, &target, NULL, NULL), KST_OK);
        w->gl.bind_texture(GL_TEXTURE_3D, target.name);
        w->gl.get_level(GL_TEXTURE_3D, 2, GL_TEXTURE_WIDTH, &width);
        assert_int_equal(width, 1);
        if (!w->gl.es) {
            w->gl.texture_read(GL_TEXTURE_3D, 2, GL_RED, GL_UNSIGNED_BYTE, level);
            assert_int_equal(level[0], 77);
        }
        w->gl.bind_texture(GL_TEXTURE_3D, 0);
        expect_no_gl_error(w);
        delete_texture(w, target.name);
        kst_gl_destroy(&gl);
    }
    kst_buffer_release(device_context[0], &stream);
}

static void refused(kst_gl *gl, const kst_buffer *stream, const kst_volume_decode_options *options,
    const kst_gl_texture_3d *target, kst_status wanted)
{
    kst_gl_way way = KST_GL_WAY_SHARED;
    kst_report report;
    kst_report_init(&report);
    const kst_status status = kst_gl_decode_volume(gl, stream->data, stream->length, options, target, &way, &report);
    if (status != wanted)
        fail_msg("%s, not %s: %s", kst_status_text(status), kst_status_text(wanted), report.message);
    assert_int_equal(report.status, wanted);
    assert_int_equal(way, KST_GL_WAY_NONE);
    expect_no_gl_error(&world[0]);
}

/* Textures and volumes that do not fit each other are refused, and the texture stays as it was. */
static void test_refusals(void **state)
{
    static uint8_t before[ALL], after[ALL], samples[WIDTH * HEIGHT * DEPTH * 4];
    const struct world *w = &world[0];
    kst_gl *gl = bind_context(device_context[0], w, KST_GL_SHARING_OFF);
    kst_volume_decode_options options;
    (void)state;
    memset(before, 0x5A, sizeof before);
    kst_buffer stream = make_stream(&cases[0], 1, samples), deep = make_stream(&cases[5], 2, samples),
               with_signs = make_stream(&cases[3], 1, samples);
    const kst_gl_texture_3d target = target_of(make_cube(w, &cases[0], 0, before));
    kst_gl_texture_3d wrong = target;
    refused(gl, &deep, NULL, &target, KST_ERROR_IMAGE_DEPTH);
    refused(gl, &with_signs, NULL, &target, KST_ERROR_IMAGE_DEPTH);
    const kst_buffer cut = {.data = stream.data, .length = 40}, none = {.data = NULL};
    assert_int_not_equal(kst_gl_decode_volume(gl, cut.data, cut.length, NULL, &target, NULL, NULL), KST_OK);
    refused(gl, &none, NULL, &target, KST_ERROR_ARGUMENT);
    for (int axis = 0; axis < 3; axis++) { /* one sample too far, and far beyond all numbers */
        uint32_t *const at[] = {&wrong.x, &wrong.y, &wrong.z};
        const uint32_t first[] = {WIDE - WIDTH + 1, HIGH - HEIGHT + 1, DEEP - DEPTH + 1};
        wrong = target;
        *at[axis] = first[axis];
        refused(gl, &stream, NULL, &wrong, KST_ERROR_IMAGE_SIZE);
        *at[axis] = UINT32_MAX;
        refused(gl, &stream, NULL, &wrong, KST_ERROR_IMAGE_SIZE);
    }
    wrong = target;
    wrong.size = 3;
    refused(gl, &stream, NULL, &wrong, KST_ERROR_OPTIONS);
    kst_volume_decode_options_init(&options);
    options.sample = KST_SAMPLE_FLOAT32;
    refused(gl, &stream, &options, &target, KST_ERROR_IMAGE_SAMPLE);
    options.size = 3;
    refused(gl, &stream, &options, &target, KST_ERROR_OPTIONS);
    assert_int_equal(
        kst_gl_decode_volume(NULL, stream.data, stream.length, NULL, &target, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_gl_decode_volume(gl, stream.data, stream.length, NULL, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    w->gl.bind_texture(GL_TEXTURE_3D, 0);
    read_cube(w, &cases[0], target.name, after);
    assert_memory_equal(after, before, sizeof after);
    delete_texture(w, target.name);
    kst_buffer_release(device_context[0], &stream);
    kst_buffer_release(device_context[0], &deep);
    kst_buffer_release(device_context[0], &with_signs);
    kst_gl_destroy(&gl);
}

/* Textures that are none, or of another kind, are refused by name; the caller's state stays as it was. */
static void test_textures(void **state)
{
    static const struct cube_case rgba = {"RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 8, 4, false, false, false};
    static uint8_t samples[WIDTH * HEIGHT * DEPTH * 4];
    const struct world *w = &world[0];
    kst_gl *gl = bind_context(device_context[0], w, KST_GL_SHARING_OFF);
    kst_buffer stream = make_stream(&cases[0], 1, samples);
    int found[3] = {0};
    (void)state;
    kst_gl_texture_3d target = target_of(0);
    refused(gl, &stream, NULL, &target, KST_ERROR_GL_OBJECT);
    target.name = 12345;
    refused(gl, &stream, NULL, &target, KST_ERROR_GL_OBJECT);
    target.name = make_texture(w, &texture_format[0], 8, 8, NULL);
    refused(gl, &stream, NULL, &target, KST_ERROR_GL_OBJECT);
    delete_texture(w, target.name);
    w->more.textures_make(1, &target.name);
    w->gl.bind_texture(GL_TEXTURE_3D, target.name); /* it becomes one of three dimensions, without storage */
    refused(gl, &stream, NULL, &target, KST_ERROR_GL_OBJECT);
    delete_texture(w, target.name);
    target.name = make_cube(w, &rgba, 0, NULL);
    refused(gl, &stream, NULL, &target, KST_ERROR_IMAGE_FORMAT);
    delete_texture(w, target.name);
    target.name = make_cube(w, &cases[1], 0, NULL);
    target.mipmaps = true;
    refused(gl, &stream, NULL, &target, KST_ERROR_IMAGE_FORMAT);
    target.mipmaps = false;
    const unsigned other = make_cube(w, &cases[0], 0, NULL);
    w->gl.bind_texture(GL_TEXTURE_3D, other);
    w->gl.store(GL_UNPACK_IMAGE_HEIGHT, 100);
    w->gl.store(GL_UNPACK_SKIP_IMAGES, 1);
    assert_int_equal(kst_gl_decode_volume(gl, stream.data, stream.length, NULL, &target, NULL, NULL), KST_OK);
    w->gl.get(GL_TEXTURE_BINDING_3D, &found[0]);
    w->gl.get(GL_UNPACK_IMAGE_HEIGHT, &found[1]);
    w->gl.get(GL_UNPACK_SKIP_IMAGES, &found[2]);
    assert_int_equal(found[0], (int)other);
    assert_int_equal(found[1], 100);
    assert_int_equal(found[2], 1);
    w->gl.store(GL_UNPACK_IMAGE_HEIGHT, 0);
    w->gl.store(GL_UNPACK_SKIP_IMAGES, 0);
    w->gl.bind_texture(GL_TEXTURE_3D, 0);
    delete_texture(w, other);
    delete_texture(w, target.name);
    kst_buffer_release(device_context[0], &stream);
    kst_gl_destroy(&gl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_textures)};
    return cmocka_run_group_tests(tests, start_surfaces, stop_surfaces);
}
