/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares functions of TurboJPEG 3 with those of version 2, which the original has, and checks what is theirs alone.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"
#include "turbojpeg/turbojpeg.h"

void tjFree(unsigned char *buffer);

enum { WIDTH = 101, HEIGHT = 67, PITCH = 4 * WIDTH + 12 };

/* Structures of the interface, as programs were compiled with them. */
_Static_assert(sizeof(tjscalingfactor) == 8 && sizeof(tjregion) == 16, "");
_Static_assert(sizeof(tjtransform) == 24 + 2 * sizeof(void *), "");
_Static_assert(TJPARAM_SAVEMARKERS == 25 && TJPF_CMYK == 11 && TJSAMP_441 == 6, "");

static const int sizes[TJPF_COUNT] = {3, 3, 4, 4, 4, 4, 1, 4, 4, 4, 4, 4};
static unsigned char pixels[PITCH * HEIGHT];
static unsigned char expected[16 * PITCH * HEIGHT], given[16 * PITCH * HEIGHT];

/* The original's functions, which calls of this library's would not reach. */
static struct {
    __typeof__(tjInitCompress) *tjInitCompress;
    __typeof__(tjInitDecompress) *tjInitDecompress;
    __typeof__(tjCompress2) *tjCompress2;
    __typeof__(tjDecompress2) *tjDecompress2;
    __typeof__(tjDestroy) *tjDestroy;
} original;

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found)
        abort();
    memcpy(function, &found, sizeof found);
}

static void open_original(void)
{
    void *library = dlopen(TURBOJPEG_ORIGINAL, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!library)
        abort();
    find(library, "tjInitCompress", &original.tjInitCompress);
    find(library, "tjInitDecompress", &original.tjInitDecompress);
    find(library, "tjCompress2", &original.tjCompress2);
    find(library, "tjDecompress2", &original.tjDecompress2);
    find(library, "tjDestroy", &original.tjDestroy);
}

static void paint(void)
{
    uint32_t random = 1;
    for (int i = 0; i < PITCH * HEIGHT; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (unsigned char)(i / 5 + i / PITCH * 3 + (i % 400 < 90 ? (int)(random >> 27) : 0));
    }
}

static void set(tjhandle handle, int parameter, int value)
{
    assert_int_equal(tj3Set(handle, parameter, value), 0);
}

struct jpeg {
    unsigned char *data;
    size_t length;
};

static struct jpeg compress_2(int format, int subsampling, int quality, int flags)
{
    struct jpeg jpeg = {NULL, 0};
    unsigned long length = 0;
    tjhandle handle = tjInitCompress();
    assert_int_equal(
        tjCompress2(handle, pixels, WIDTH, PITCH, HEIGHT, format, &jpeg.data, &length, subsampling, quality, flags), 0);
    jpeg.length = length;
    original.tjDestroy(handle);
    return jpeg;
}

static void expect_compressed(tjhandle handle, int format, const struct jpeg *wanted)
{
    struct jpeg jpeg = {NULL, 0};
    assert_int_equal(tj3Compress8(handle, pixels, WIDTH, PITCH, HEIGHT, format, &jpeg.data, &jpeg.length), 0);
    assert_int_equal(jpeg.length, wanted->length);
    assert_memory_equal(jpeg.data, wanted->data, wanted->length);
    tj3Free(jpeg.data);
}

static void compression(void **state)
{
    (void)state;
    tjhandle handle = tj3Init(TJINIT_COMPRESS);
    for (int i = 0; i < 60; i++) {
        const int format = i % TJPF_COUNT, fast = i / 3 % 2, progressive = i / 2 % 2, up = i % 5 == 0;
        const int subsampling = format == TJPF_GRAY ? TJSAMP_GRAY : i % 6, quality = 1 + i * 7 % 95;
        struct jpeg wanted = compress_2(format, subsampling, quality,
            (fast ? 0 : TJFLAG_ACCURATEDCT) | (progressive ? TJFLAG_PROGRESSIVE : 0) | (up ? TJFLAG_BOTTOMUP : 0));
        set(handle, TJPARAM_QUALITY, quality);
        set(handle, TJPARAM_SUBSAMP, subsampling);
        set(handle, TJPARAM_FASTDCT, fast);
        set(handle, TJPARAM_PROGRESSIVE, progressive);
        set(handle, TJPARAM_BOTTOMUP, up);
        expect_compressed(handle, format, &wanted);
        tjFree(wanted.data);
    }
    tj3Destroy(handle);
}

/* What only version 3 can say is found again by the header. */
static void parameters(void **state)
{
    (void)state;
    unsigned char profile[200], *found = NULL, *jpeg = NULL;
    size_t length = 0, found_length = 0;
    tjhandle handle = tj3InitVersion(TJINIT_TRANSFORM, 3002000);
    memset(profile, 7, sizeof profile);
    set(handle, TJPARAM_QUALITY, 80);
    set(handle, TJPARAM_SUBSAMP, TJSAMP_441);
    set(handle, TJPARAM_RESTARTBLOCKS, 5);
    set(handle, TJPARAM_XDENSITY, 300);
    set(handle, TJPARAM_YDENSITY, 150);
    set(handle, TJPARAM_DENSITYUNITS, 1);
    set(handle, TJPARAM_OPTIMIZE, 1);
    assert_int_equal(tj3SetICCProfile(handle, profile, sizeof profile), 0);
    assert_int_equal(tj3Compress8(handle, pixels, WIDTH, PITCH, HEIGHT, TJPF_RGB, &jpeg, &length), 0);
    tj3Destroy(handle);
    handle = tj3Init(TJINIT_DECOMPRESS);
    assert_int_equal(tj3Get(handle, TJPARAM_JPEGWIDTH), -1);
    assert_int_equal(tj3DecompressHeader(handle, jpeg, length), 0);
    assert_int_equal(tj3Get(handle, TJPARAM_JPEGWIDTH), WIDTH);
    assert_int_equal(tj3Get(handle, TJPARAM_JPEGHEIGHT), HEIGHT);
    assert_int_equal(tj3Get(handle, TJPARAM_COLORSPACE), TJCS_YCbCr);
    assert_int_equal(tj3Get(handle, TJPARAM_RESTARTBLOCKS), 5);
    assert_int_equal(tj3Get(handle, TJPARAM_XDENSITY), 300);
    assert_int_equal(tj3Get(handle, TJPARAM_YDENSITY), 150);
    assert_int_equal(tj3Get(handle, TJPARAM_DENSITYUNITS), 1);
    assert_int_equal(tj3GetICCProfile(handle, NULL, &found_length), 0);
    assert_int_equal(found_length, sizeof profile);
    assert_int_equal(tj3GetICCProfile(handle, &found, &found_length), 0);
    assert_memory_equal(found, profile, sizeof profile);
    tj3Free(found);
    tj3Free(jpeg);
    tj3Destroy(handle);
}

static void decompression(void **state)
{
    (void)state;
    int count;
    const tjscalingfactor *factors = tj3GetScalingFactors(&count);
    struct jpeg jpeg = compress_2(TJPF_RGB, TJSAMP_420, 85, 0);
    tjhandle handle = tj3Init(TJINIT_DECOMPRESS), old = original.tjInitDecompress();
    assert_int_equal(count, 16);
    for (int i = 0; i < 64; i++) {
        const tjscalingfactor factor = factors[i % count];
        const int width = (WIDTH * factor.num + factor.denom - 1) / factor.denom, format = i % 11;
        const int height = (HEIGHT * factor.num + factor.denom - 1) / factor.denom, pitch = width * sizes[format] + i;
        const int fast = i % 3 == 0, plain = i % 5 == 0, up = i % 7 == 0;
        memset(expected, 0, sizeof expected);
        memset(given, 0, sizeof given);
        assert_int_equal(
            tjDecompress2(old, jpeg.data, jpeg.length, expected, width, pitch, height, format,
                (fast ? TJFLAG_FASTDCT : 0) | (plain ? TJFLAG_FASTUPSAMPLE : 0) | (up ? TJFLAG_BOTTOMUP : 0)),
            0);
        set(handle, TJPARAM_FASTDCT, fast);
        set(handle, TJPARAM_FASTUPSAMPLE, plain);
        set(handle, TJPARAM_BOTTOMUP, up);
        assert_int_equal(tj3SetScalingFactor(handle, factor), 0);
        assert_int_equal(tj3Decompress8(handle, jpeg.data, jpeg.length, given, pitch, format), 0);
        assert_memory_equal(given, expected, sizeof given);
    }
    tj3Destroy(handle);
    original.tjDestroy(old);
    tjFree(jpeg.data);
}

/* Every row of a region is what the whole picture has there. A damaged stream is decompressed by the original. */
static void cropping(void **state)
{
    (void)state;
    struct jpeg jpeg = compress_2(TJPF_RGB, TJSAMP_420, 85, 0);
    tjhandle handle = tj3Init(TJINIT_DECOMPRESS);
    const tjregion region = {16, 5, 40, 30}, odd = {7, 0, 8, 8}, large = {16, 0, WIDTH, 8};
    for (int damaged = 0; damaged < 2; damaged++) {
        const size_t length = damaged ? jpeg.length * 2 / 3 : jpeg.length;
        assert_int_equal(tj3SetCroppingRegion(handle, (tjregion){0, 0, 0, 0}), 0);
        assert_int_equal(tj3Decompress8(handle, jpeg.data, length, expected, 0, TJPF_RGB), -damaged);
        assert_int_equal(tj3SetCroppingRegion(handle, odd), -1);
        assert_int_equal(tj3SetCroppingRegion(handle, large), -1);
        assert_int_equal(tj3SetCroppingRegion(handle, region), 0);
        assert_int_equal(tj3Decompress8(handle, jpeg.data, length, given, 0, TJPF_RGB), -damaged);
        if (damaged)
            assert_int_equal(tj3GetErrorCode(handle), TJERR_WARNING);
        for (int y = 0; y < region.h; y++)
            assert_memory_equal(
                given + y * region.w * 3, expected + ((y + region.y) * WIDTH + region.x) * 3, (size_t)region.w * 3);
    }
    tj3Destroy(handle);
    tjFree(jpeg.data);
}

static void expect_error(tjhandle handle, int result, const char *text)
{
    assert_int_equal(result, -1);
    if (!strstr(tj3GetErrorStr(handle), text))
        fail_msg("'%s' does not say '%s'", tj3GetErrorStr(handle), text);
    assert_int_equal(tj3GetErrorCode(handle), TJERR_FATAL);
}

enum { DEEP_MOST = 4095, DEEP_ERROR = 24 };

static short deep[4 * WIDTH * HEIGHT], deep_given[PITCH * HEIGHT];

/* The positions of red, green, blue and alpha among the samples of a pixel, for each format of colours; −1: none. */
static const signed char places[TJPF_COUNT][4] = {[TJPF_RGB] = {0, 1, 2, -1},
    [TJPF_BGR] = {2, 1, 0, -1},
    [TJPF_RGBX] = {0, 1, 2, 3},
    [TJPF_BGRX] = {2, 1, 0, 3},
    [TJPF_XBGR] = {3, 2, 1, 0},
    [TJPF_XRGB] = {1, 2, 3, 0},
    [TJPF_RGBA] = {0, 1, 2, 3},
    [TJPF_BGRA] = {2, 1, 0, 3},
    [TJPF_ABGR] = {3, 2, 1, 0},
    [TJPF_ARGB] = {1, 2, 3, 0}};

static bool is_colour(int format)
{
    return format != TJPF_GRAY && format != TJPF_CMYK;
}

/* Slopes in a format. */
static void paint_deep(int format)
{
    const int size = sizes[format];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < (is_colour(format) ? 3 : size); c++) {
            const int x = i % WIDTH, y = i / WIDTH, value = (x * (30 - 9 * c) + y * (7 + 11 * c)) % (DEEP_MOST + 1);
            deep[size * i + (is_colour(format) ? places[format][c] : c)] = (short)value;
        }
}

static struct jpeg compress_deep(int format, int subsampling, bool progressive, bool up)
{
    struct jpeg jpeg = {NULL, 0};
    tjhandle handle = tj3Init(TJINIT_COMPRESS);
    set(handle, TJPARAM_QUALITY, 100);
    set(handle, TJPARAM_SUBSAMP, subsampling);
    set(handle, TJPARAM_PROGRESSIVE, progressive);
    set(handle, TJPARAM_BOTTOMUP, up);
    set(handle, TJPARAM_FASTDCT, 1);
    paint_deep(format);
    assert_int_equal(tj3Compress12(handle, deep, WIDTH, 0, HEIGHT, format, &jpeg.data, &jpeg.length), 0);
    tj3Destroy(handle);
    return jpeg;
}

/* Samples of 12 bits come back in every format, however they lie in memory. */
static void twelve_bits(void **state)
{
    (void)state;
    tjhandle handle = tj3Init(TJINIT_DECOMPRESS);
    for (int format = 0; format < TJPF_COUNT; format++) {
        const int size = sizes[format], pitch = format % 2 ? 0 : 4 * WIDTH + 12, step = pitch ? pitch : size * WIDTH;
        const bool up = format % 3 == 0;
        struct jpeg jpeg = compress_deep(format, format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444, format % 4 == 1, up);
        assert_int_equal(tj3DecompressHeader(handle, jpeg.data, jpeg.length), 0);
        assert_int_equal(tj3Get(handle, TJPARAM_PRECISION), 12);
        assert_int_equal(tj3Get(handle, TJPARAM_JPEGWIDTH), WIDTH);
        assert_int_equal(tj3Get(handle, TJPARAM_SUBSAMP), format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444);
        set(handle, TJPARAM_BOTTOMUP, up);
        assert_int_equal(tj3Decompress12(handle, jpeg.data, jpeg.length, deep_given, pitch, format), 0);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            for (int c = 0; c < size; c++) {
                const int given_sample = deep_given[i / WIDTH * step + i % WIDTH * size + c];
                const bool alpha = is_colour(format) && places[format][3] == c;
                assert_in_range(given_sample, 0, DEEP_MOST);
                assert_in_range(abs(given_sample - (alpha ? DEEP_MOST : deep[size * i + c])), 0, DEEP_ERROR);
            }
        tj3Free(jpeg.data);
    }
    tj3Destroy(handle);
}

/* At half of the size all samples are written, and none behind them. */
static void decompress_half(tjhandle handle, const struct jpeg *jpeg)
{
    enum { SAMPLES = (WIDTH + 1) / 2 * ((HEIGHT + 1) / 2) * 3 };
    memset(deep_given, 0xFF, sizeof deep_given);
    assert_int_equal(tj3SetScalingFactor(handle, (tjscalingfactor){1, 2}), 0);
    assert_int_equal(tj3Decompress12(handle, jpeg->data, jpeg->length, deep_given, 0, TJPF_RGB), 0);
    assert_int_equal(tj3SetScalingFactor(handle, (tjscalingfactor){1, 1}), 0);
    for (int i = 0; i < SAMPLES; i++)
        assert_in_range(deep_given[i], 0, DEEP_MOST);
    assert_int_equal(deep_given[SAMPLES], -1);
}

/* A region and a smaller size of 12 bits; and streams that are others than the function takes. */
static void twelve_bits_in_part(void **state)
{
    (void)state;
    const tjregion region = {16, 5, 40, 30};
    tjhandle handle = tj3Init(TJINIT_DECOMPRESS);
    struct jpeg jpeg = compress_deep(TJPF_RGB, TJSAMP_420, false, false),
                plain = compress_2(TJPF_RGB, TJSAMP_420, 85, 0);
    assert_int_equal(tj3Decompress12(handle, jpeg.data, jpeg.length, deep, 0, TJPF_RGB), 0);
    assert_int_equal(tj3Get(handle, TJPARAM_SUBSAMP), TJSAMP_420);
    assert_int_equal(tj3Get(handle, TJPARAM_COLORSPACE), TJCS_YCbCr);
    assert_int_equal(tj3SetCroppingRegion(handle, region), 0);
    assert_int_equal(tj3Decompress12(handle, jpeg.data, jpeg.length, deep_given, 0, TJPF_RGB), 0);
    for (int y = 0; y < region.h; y++)
        assert_memory_equal(deep_given + 3 * region.w * y, deep + 3 * ((region.y + y) * WIDTH + region.x),
            3 * (size_t)region.w * sizeof *deep);
    assert_int_equal(tj3SetCroppingRegion(handle, (tjregion){0, 0, 0, 0}), 0);
    decompress_half(handle, &jpeg);
    tjhandle coder = tj3Init(TJINIT_COMPRESS);
    expect_error(coder, tj3Decompress12(coder, jpeg.data, jpeg.length, deep, 0, TJPF_RGB), "not been initialized");
    tj3Destroy(coder);
    expect_error(handle, tj3Decompress8(handle, jpeg.data, jpeg.length, given, 0, TJPF_RGB), "precision");
    expect_error(handle, tj3Decompress12(handle, jpeg.data, jpeg.length / 2, deep, 0, TJPF_RGB), "damaged");
    expect_error(handle, tj3Decompress12(handle, jpeg.data, jpeg.length, deep, 0, TJPF_CMYK), "colours");
    expect_error(handle, tj3Decompress12(handle, plain.data, plain.length, deep, 0, TJPF_RGB), "12 bits");
    assert_int_equal(tj3Decompress8(handle, plain.data, plain.length, given, 0, TJPF_RGB), 0);
    assert_int_equal(tj3Get(handle, TJPARAM_PRECISION), 8);
    tj3Free(jpeg.data);
    tjFree(plain.data);
    tj3Destroy(handle);
}

static void errors(void **state)
{
    (void)state;
    static const unsigned char junk[] = {1, 2, 3, 4, 5, 6, 7};
    unsigned char *jpeg = NULL, small[64], *fixed = small;
    size_t length = 0, room = sizeof small;
    tjhandle coder = tj3Init(TJINIT_COMPRESS), decoder = tj3Init(TJINIT_DECOMPRESS);
    assert_null(tj3Init(3));
    assert_non_null(strstr(tj3GetErrorStr(NULL), "Invalid argument"));
    assert_int_equal(tj3Set(NULL, 0, 0), -1);
    expect_error(coder, tj3Set(coder, TJPARAM_QUALITY, 101), "out of range");
    expect_error(coder, tj3Set(coder, TJPARAM_COUNT, 0), "Invalid parameter");
    expect_error(coder, tj3Set(coder, TJPARAM_JPEGWIDTH, 1), "read-only");
    expect_error(coder, tj3Set(coder, TJPARAM_FASTUPSAMPLE, 1), "not applicable");
    expect_error(coder, tj3Compress8(coder, pixels, 8, 0, 8, 0, &jpeg, &length), "TJPARAM_QUALITY");
    set(coder, TJPARAM_QUALITY, 90);
    expect_error(coder, tj3Compress8(coder, pixels, 8, 0, 8, 0, &jpeg, &length), "TJPARAM_SUBSAMP");
    set(coder, TJPARAM_SUBSAMP, TJSAMP_420);
    expect_error(coder, tj3Compress8(coder, pixels, 0, 0, 8, 0, &jpeg, &length), "Invalid argument");
    expect_error(coder, tj3Compress12(coder, NULL, 8, 0, 8, 0, &jpeg, &length), "Invalid argument");
    expect_error(coder, tj3Compress16(coder, NULL, 8, 0, 8, 0, &jpeg, &length), "no such samples");
    set(coder, TJPARAM_ARITHMETIC, 1);
    expect_error(coder, tj3Compress8(coder, pixels, 8, 0, 8, 0, &jpeg, &length), "arithmetic");
    set(coder, TJPARAM_ARITHMETIC, 0);
    set(coder, TJPARAM_NOREALLOC, 1);
    expect_error(coder, tj3Compress8(coder, pixels, 8, 0, 8, 0, &fixed, &room), "too small");
    expect_error(decoder, tj3DecompressHeader(decoder, junk, sizeof junk), "");
    expect_error(decoder, tj3Decompress8(decoder, junk, sizeof junk, given, 0, 0), "");
    expect_error(decoder, tj3Decompress8(decoder, junk, 2, given, 0, TJPF_COUNT), "Invalid argument");
    expect_error(decoder, tj3SetScalingFactor(decoder, (tjscalingfactor){3, 7}), "scaling");
    /* After all that, a good stream decompresses. */
    struct jpeg good = compress_2(TJPF_RGB, TJSAMP_422, 90, 0);
    assert_int_equal(tj3Decompress8(decoder, good.data, good.length, given, 0, TJPF_RGB), 0);
    set(decoder, TJPARAM_SCANLIMIT, INT32_MAX);
    set(decoder, TJPARAM_MAXPIXELS, INT32_MAX);
    assert_int_equal(tj3Decompress8(decoder, good.data, good.length, given, 0, TJPF_RGB), 0);
    set(decoder, TJPARAM_MAXPIXELS, 100);
    expect_error(decoder, tj3Decompress8(decoder, good.data, good.length, given, 0, TJPF_RGB), "too large");
    tjFree(good.data);
    tj3Destroy(coder);
    tj3Destroy(decoder);
}

static void scan_limit(void **state)
{
    (void)state;
    struct jpeg jpeg = compress_2(TJPF_RGB, TJSAMP_444, 75, TJFLAG_PROGRESSIVE);
    tjhandle handle = tj3Init(TJINIT_DECOMPRESS);
    set(handle, TJPARAM_SCANLIMIT, 9);
    expect_error(handle, tj3Decompress8(handle, jpeg.data, jpeg.length, given, 0, TJPF_RGB), "scans");
    set(handle, TJPARAM_SCANLIMIT, 10);
    assert_int_equal(tj3Decompress8(handle, jpeg.data, jpeg.length, given, 0, TJPF_RGB), 0);
    assert_int_equal(tj3Get(handle, TJPARAM_PROGRESSIVE), 1);
    tj3Destroy(handle);
    tjFree(jpeg.data);
}

/* A compressor bounds the pictures that are loaded for it, and loads them with 8 bits only. */
static void load_limit(void **state)
{
    (void)state;
    char name[] = "/tmp/kostka-XXXXXX.ppm";
    int width, height, format = TJPF_RGB;
    const int file = mkstemps(name, 4);
    assert_true(file >= 0);
    close(file);
    tjhandle coder = tj3Init(TJINIT_COMPRESS);
    assert_int_equal(tj3SaveImage8(coder, name, pixels, 8, 0, 8, TJPF_RGB), 0);
    set(coder, TJPARAM_MAXPIXELS, 63);
    assert_null(tj3LoadImage8(coder, name, &width, 1, &height, &format));
    assert_non_null(strstr(tj3GetErrorStr(coder), "too large"));
    set(coder, TJPARAM_MAXPIXELS, 64);
    unsigned char *loaded = tj3LoadImage8(coder, name, &width, 1, &height, &format);
    assert_non_null(loaded);
    assert_memory_equal(loaded, pixels, 8 * 8 * 3);
    tj3Free(loaded);
    set(coder, TJPARAM_PRECISION, 7);
    assert_null(tj3LoadImage8(coder, name, &width, 1, &height, &format));
    assert_non_null(strstr(tj3GetErrorStr(coder), "fewer than 8 bits"));
    tj3Destroy(coder);
    unlink(name);
}

unsigned long tjBufSize(int width, int height, int subsampling);
unsigned long tjBufSizeYUV2(int width, int align, int height, int subsampling);
int tjPlaneWidth(int plane, int width, int subsampling);
int tjPlaneHeight(int plane, int height, int subsampling);
unsigned long tjPlaneSizeYUV(int plane, int width, int stride, int height, int subsampling);

static void buffer_sizes(void **state)
{
    (void)state;
    for (int subsampling = 0; subsampling < TJSAMP_441; subsampling++) {
        for (int width = 1; width < 40; width += 3) {
            assert_int_equal(tj3JPEGBufSize(width, 33, subsampling), tjBufSize(width, 33, subsampling));
            assert_int_equal(tj3YUVBufSize(width, 4, 33, subsampling), tjBufSizeYUV2(width, 4, 33, subsampling));
            for (int plane = 0; plane < (subsampling == TJSAMP_GRAY ? 1 : 3); plane++) {
                assert_int_equal(tj3YUVPlaneWidth(plane, width, subsampling), tjPlaneWidth(plane, width, subsampling));
                assert_int_equal(
                    tj3YUVPlaneHeight(plane, width, subsampling), tjPlaneHeight(plane, width, subsampling));
                assert_int_equal(tj3YUVPlaneSize(plane, width, 64, 33, subsampling),
                    tjPlaneSizeYUV(plane, width, 64, 33, subsampling));
            }
        }
    }
    assert_int_equal(tj3JPEGBufSize(0, 1, 0), 0);
    assert_int_equal(tj3YUVBufSize(1, 3, 1, 0), 0);
}

/* Planes, there and back, and a transform. */
static void planes_and_transforms(void **state)
{
    (void)state;
    struct jpeg jpeg = compress_2(TJPF_RGB, TJSAMP_420, 85, 0), again = {NULL, 0}, turned = {NULL, 0};
    const tjtransform transform = {.op = TJXOP_ROT90, .options = 2};
    tjhandle handle = tj3Init(TJINIT_TRANSFORM);
    set(handle, TJPARAM_QUALITY, 85);
    assert_int_equal(tj3DecompressToYUV8(handle, jpeg.data, jpeg.length, given, 4), 0);
    assert_int_equal(tj3Get(handle, TJPARAM_SUBSAMP), TJSAMP_420);
    assert_int_equal(tj3CompressFromYUV8(handle, given, WIDTH, 4, HEIGHT, &again.data, &again.length), 0);
    assert_int_equal(tj3DecodeYUV8(handle, given, 4, expected, WIDTH, 0, HEIGHT, TJPF_RGB), 0);
    assert_int_equal(tj3EncodeYUV8(handle, expected, WIDTH, 0, HEIGHT, TJPF_RGB, given, 4), 0);
    assert_int_equal(tj3Transform(handle, jpeg.data, jpeg.length, 1, &turned.data, &turned.length, &transform), 0);
    assert_true(tj3TransformBufSize(handle, &transform) >= turned.length);
    assert_int_equal(tj3DecompressHeader(handle, turned.data, turned.length), 0);
    assert_int_equal(tj3Get(handle, TJPARAM_JPEGHEIGHT), WIDTH);
    set(handle, TJPARAM_RESTARTROWS, 1);
    expect_error(handle, tj3CompressFromYUV8(handle, given, WIDTH, 4, HEIGHT, &again.data, &again.length), "restart");
    tjFree(jpeg.data);
    tj3Free(again.data);
    tj3Free(turned.data);
    tj3Destroy(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compression),
        cmocka_unit_test(parameters),
        cmocka_unit_test(decompression),
        cmocka_unit_test(cropping),
        cmocka_unit_test(twelve_bits),
        cmocka_unit_test(twelve_bits_in_part),
        cmocka_unit_test(errors),
        cmocka_unit_test(scan_limit),
        cmocka_unit_test(load_limit),
        cmocka_unit_test(buffer_sizes),
        cmocka_unit_test(planes_and_transforms),
    };
    open_original();
    paint();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
