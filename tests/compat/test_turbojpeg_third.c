/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what libturbojpeg.so.0 takes over from an original of version 3, and what it leaves to it, with a stand-in
 * that only remembers calls. KOSTKA_LIBTURBOJPEG names it.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "support/compat/third_original.h"
#include "support/test.h"
#include "turbojpeg/turbojpeg.h"

enum { SIDE = 96, SMALL = 32 };

static unsigned char pixels[SIDE * SIDE * 3], given[SIDE * SIDE * 3];
static struct third_calls *calls;

static void paint(void)
{
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof pixels; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (unsigned char)(i / 300 + (random >> 28));
    }
}

/* Return a handle whose parameters are those of a new one, with a quality and a sampling. */
static tjhandle start(void)
{
    memset(calls, 0, sizeof *calls);
    tjhandle handle = tj3Init(TJINIT_TRANSFORM);
    tj3Set(handle, TJPARAM_QUALITY, 90);
    tj3Set(handle, TJPARAM_SUBSAMP, TJSAMP_444);
    tj3Set(handle, TJPARAM_COLORSPACE, -1);
    tj3Set(handle, TJPARAM_PRECISION, 8);
    tj3Set(handle, TJPARAM_XDENSITY, 1);
    tj3Set(handle, TJPARAM_YDENSITY, 1);
    return handle;
}

/* Set what the stand-in would have read from a header. */
static void describe(tjhandle handle)
{
    tj3Set(handle, TJPARAM_JPEGWIDTH, SIDE);
    tj3Set(handle, TJPARAM_JPEGHEIGHT, SIDE);
    tj3Set(handle, TJPARAM_COLORSPACE, TJCS_YCbCr);
}

static int compress(tjhandle handle, int side, unsigned char **jpeg, size_t *length)
{
    calls->last = NULL;
    return tj3Compress8(handle, pixels, side, 0, side, TJPF_RGB, jpeg, length);
}

static void expect_left(const char *function)
{
    assert_non_null(calls->last);
    assert_string_equal(calls->last, function);
}

/* Functions that version 2 could not serve reach the original. */
static void passed_on(void **state)
{
    (void)state;
    int width, height, format;
    tjhandle handle = start();
    tj3LoadImage16(handle, "no.ppm", &width, 1, &height, &format);
    expect_left("tj3LoadImage16");
    tj3EncodeYUV8(handle, pixels, SIDE, 0, SIDE, TJPF_RGB, given, 1);
    expect_left("tj3EncodeYUV8");
    tj3GetErrorCode(handle);
    expect_left("tj3GetErrorCode");
    tj3Destroy(handle);
    expect_left("tjDestroy");
}

static void compression(void **state)
{
    (void)state;
    static const int left[] = {TJPARAM_LOSSLESS, TJPARAM_ARITHMETIC, TJPARAM_MAXMEMORY};
    unsigned char *jpeg = NULL;
    size_t length = 0;
    tjhandle handle = start();
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    assert_null(calls->last);
    assert_true(length > 500 && jpeg[0] == 0xFF && jpeg[1] == 0xD8);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        tj3Set(handle, left[i], 1);
        compress(handle, SIDE, &jpeg, &length);
        expect_left("tj3Compress8");
        tj3Set(handle, left[i], 0);
    }
    compress(handle, SMALL, &jpeg, &length);
    expect_left("tj3Compress8");
    tj3Free(jpeg);
    tj3Destroy(handle);
}

/* The original never receives a buffer that it may take for its own, unless it must not replace it. */
static void buffers(void **state)
{
    (void)state;
    const tjtransform transform = {.op = TJXOP_HFLIP};
    unsigned char *jpeg = NULL, own[64];
    size_t length = 0;
    tjhandle handle = start();
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    assert_int_equal(compress(handle, SMALL, &jpeg, &length), 0);
    expect_left("tj3Compress8");
    assert_null(calls->buffer);
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    tj3Transform(handle, pixels, 100, 1, &jpeg, &length, &transform);
    expect_left("tj3Transform");
    assert_null(calls->buffer);
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    tj3Transform(handle, jpeg, length, 1, &jpeg, &length, &transform); /* in place: the source is there until the end */
    assert_null(calls->buffer);
    assert_true(calls->start[0] == 0xFF && calls->start[1] == 0xD8);
    jpeg = own;
    length = sizeof own;
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    expect_left("tj3Compress8"); /* too small, and perhaps the original's */
    assert_ptr_equal(calls->buffer, own);
    tj3Set(handle, TJPARAM_NOREALLOC, 1);
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    assert_ptr_equal(calls->buffer, own);
    tj3Destroy(handle);
}

static void decompression(void **state)
{
    (void)state;
    unsigned char *jpeg = NULL;
    size_t length = 0;
    int most = 0;
    tjhandle handle = start();
    assert_int_equal(compress(handle, SIDE, &jpeg, &length), 0);
    describe(handle);
    assert_int_equal(tj3Decompress8(handle, jpeg, length, given, 0, TJPF_RGB), 0);
    assert_null(calls->last);
    for (size_t i = 0; i < sizeof given; i++)
        most = abs(given[i] - pixels[i]) > most ? abs(given[i] - pixels[i]) : most;
    assert_true(most < 40);
    tj3Decompress8(handle, jpeg, length - 300, given, 0, TJPF_RGB);
    expect_left("tj3Decompress8");
    tj3SetCroppingRegion(handle, (tjregion){8, 8, 16, 16});
    expect_left("tj3SetCroppingRegion");
    tj3Decompress8(handle, jpeg, length, given, 0, TJPF_RGB);
    expect_left("tj3Decompress8");
    tj3SetCroppingRegion(handle, (tjregion){0, 0, 0, 0});
    calls->last = NULL;
    assert_int_equal(tj3Decompress8(handle, jpeg, length, given, 0, TJPF_RGB), 0);
    assert_null(calls->last);
    tj3Set(handle, TJPARAM_MAXPIXELS, SIDE);
    tj3Decompress8(handle, jpeg, length, given, 0, TJPF_RGB);
    expect_left("tj3Decompress8");
    tj3Free(jpeg);
    tj3Destroy(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passed_on),
        cmocka_unit_test(compression),
        cmocka_unit_test(buffers),
        cmocka_unit_test(decompression),
    };
    void *library = dlopen(getenv("KOSTKA_LIBTURBOJPEG"), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    calls = library ? dlsym(library, "third_calls") : NULL;
    if (!calls)
        return 1;
    paint();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
