/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses pixels. An unusual call of version 2 is left to the original. */
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "instance.h"
#include "original.h"
#include "third.h"

enum { LEAST_PIXELS = 4096 }; /* for smaller pictures the original is faster */

/*
 * Make the original forget its last error, and the buffer of the last picture, at whose address another buffer may be
 * by now: let it compress one pixel to a buffer of this file's. Returns false if the handle does not compress.
 */
static bool settle(tjhandle handle)
{
    static const unsigned char pixel[1];
    static _Thread_local unsigned char buffer[4096]; /* at an address that the program cannot have */
    unsigned char *jpeg = buffer;
    unsigned long length = sizeof buffer;
    return turbojpeg_original.tjCompress2(
               handle, pixel, 1, 0, 1, TJPF_GRAY, &jpeg, &length, TJSAMP_GRAY, 50, TJFLAG_NOREALLOC) == 0;
}

/*
 * Return a file in the caller's buffer if it has room, otherwise in a new one. A buffer that was allocated for the last
 * picture is freed then; any other is the caller's to free. Returns false if there is no memory, or if the buffer must
 * not be replaced (`fixed`).
 */
static bool deliver(struct turbojpeg_instance *instance, const kst_buffer *coded, unsigned char **jpeg, size_t *length,
    size_t room, bool fixed)
{
    if (!*jpeg || coded->length > room) {
        unsigned char *made = fixed ? NULL : malloc(coded->length);
        if (!made)
            return false;
        if (*jpeg && *jpeg == instance->made)
            free(*jpeg);
        *jpeg = instance->made = made;
    }
    memcpy(*jpeg, coded->data, coded->length);
    *length = coded->length;
    return true;
}

/*
 * Return a file, and release it. A buffer that is too small, and that the original may have allocated, is left to the
 * original, which keeps a pointer to the last buffer that it has allocated: then this returns false.
 */
static bool hand_over(struct turbojpeg_instance *instance, kst_buffer *coded, unsigned char **jpeg, size_t *length,
    size_t room, bool fixed)
{
    const bool foreign = *jpeg && *jpeg != instance->made && coded->length > room;
    const bool good = !foreign && deliver(instance, coded, jpeg, length, room, fixed);
    turbojpeg_coded_release(coded);
    return good;
}

static bool has_environment(void)
{
    return getenv("TJ_OPTIMIZE") || getenv("TJ_ARITHMETIC") || getenv("TJ_RESTART") || getenv("TJ_PROGRESSIVE");
}

static bool take(tjhandle handle, const struct turbojpeg_source *source, unsigned char **jpeg, unsigned long *length,
    int subsampling, int quality, int flags)
{
    enum { EXACT_QUALITY = 96 }; /* from this quality on the transform is always exact */
    const bool fixed = (flags & TJFLAG_NOREALLOC) != 0;
    kst_encode_options options;
    kst_buffer coded = {0};
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || !settle(handle))
        return false;
    kst_encode_options_init(&options);
    options.quality = quality > 0 ? quality : 1;
    options.coding = flags & TJFLAG_PROGRESSIVE ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
    options.dct = quality >= EXACT_QUALITY || (flags & TJFLAG_ACCURATEDCT) ? KST_DCT_ACCURATE : KST_DCT_FAST;
    turbojpeg_set_colour(&options, source->format, subsampling, -1);
    if (turbojpeg_encode(source, &options, &coded, NULL))
        return false;
    const size_t room = fixed ? tj3JPEGBufSize(source->width, source->height, subsampling) : *length;
    size_t made;
    const bool good = hand_over(instance, &coded, jpeg, &made, room, fixed);
    if (good)
        *length = made;
    return good;
}

int tjCompress2(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, unsigned long *length, int subsampling, int quality, int flags)
{
    enum { OLD_FLAGS = TJFLAG_FORCEMMX | TJFLAG_FORCESSE | TJFLAG_FORCESSE2 };
    const struct turbojpeg_source source = {pixels, width, pitch, height, format, (flags & TJFLAG_BOTTOMUP) != 0, 8};
    const bool valid = handle && pixels && width > 0 && pitch >= 0 && height > 0 && format >= 0 &&
                       format < TJPF_COUNT && jpeg && length && subsampling >= 0 && subsampling < TJSAMP_441 &&
                       quality >= 0 && quality <= 100;
    if (valid && (int64_t)width * height >= LEAST_PIXELS && !(flags & OLD_FLAGS) && !has_environment() &&
        take(handle, &source, jpeg, length, subsampling, quality, flags))
        return 0;
    if (valid && !(flags & TJFLAG_NOREALLOC))
        turbojpeg_withdraw(turbojpeg_look(handle), jpeg, length, tj3JPEGBufSize(width, height, subsampling));
    return turbojpeg_original.tjCompress2(
        handle, pixels, width, pitch, height, format, jpeg, length, subsampling, quality, flags);
}

static void set_options(const struct turbojpeg_instance *instance, const struct turbojpeg_source *source,
    const kst_metadata *profile, kst_encode_options *options)
{
    const int *value = instance->value;
    kst_encode_options_init(options);
    options->metadata = profile;
    options->metadata_count = instance->profile ? 1 : 0;
    options->quality = value[TJPARAM_QUALITY];
    options->dct = value[TJPARAM_FASTDCT] && source->depth == 8 ? KST_DCT_FAST : KST_DCT_ACCURATE;
    options->coding = value[TJPARAM_PROGRESSIVE] ? KST_CODING_PROGRESSIVE
                      : value[TJPARAM_OPTIMIZE]  ? KST_CODING_OPTIMIZED
                                                 : KST_CODING_BASELINE;
    if (value[TJPARAM_RESTARTROWS])
        options->restart = (kst_restart){KST_RESTART_ROWS, (uint32_t)value[TJPARAM_RESTARTROWS]};
    else if (value[TJPARAM_RESTARTBLOCKS])
        options->restart = (kst_restart){KST_RESTART_MCUS, (uint32_t)value[TJPARAM_RESTARTBLOCKS]};
    options->density_unit = (kst_density_unit)value[TJPARAM_DENSITYUNITS];
    options->density_x = (uint16_t)value[TJPARAM_XDENSITY];
    options->density_y = (uint16_t)value[TJPARAM_YDENSITY];
    turbojpeg_set_colour(options, source->format, value[TJPARAM_SUBSAMP], value[TJPARAM_COLORSPACE]);
}

/* Return why a picture cannot be compressed, or null. */
static const char *find_fault(const struct turbojpeg_instance *instance, const struct turbojpeg_source *source,
    const void *jpeg, const void *length)
{
    const int *value = instance->value;
    if (instance->kind == TJINIT_DECOMPRESS)
        return "Instance has not been initialized for compression";
    if (value[TJPARAM_LOSSLESS] || value[TJPARAM_ARITHMETIC])
        return "Lossless and arithmetic coding are not supported by this library";
    if (value[TJPARAM_QUALITY] < 1)
        return "TJPARAM_QUALITY must be specified";
    if (value[TJPARAM_SUBSAMP] < 0)
        return "TJPARAM_SUBSAMP must be specified";
    if (!source->pixels || source->width <= 0 || source->pitch < 0 || source->height <= 0 || source->format < 0 ||
        source->format >= TJPF_COUNT || !jpeg || !length)
        return "Invalid argument";
    return NULL;
}

/* Compress a picture where the original is of version 3. Returns false if that is left to the original. */
static bool take_third(tjhandle handle, struct turbojpeg_source *source, unsigned char **jpeg, size_t *length)
{
    struct turbojpeg_instance *instance = turbojpeg_load(handle);
    if (!instance || find_fault(instance, source, jpeg, length) || instance->value[TJPARAM_MAXMEMORY] ||
        (int64_t)source->width * source->height < LEAST_PIXELS)
        return false;
    source->bottom_up = instance->value[TJPARAM_BOTTOMUP];
    const kst_metadata profile = {
        .kind = KST_METADATA_ICC, .data = instance->profile, .length = instance->profile_length};
    kst_encode_options options;
    kst_buffer coded = {0};
    set_options(instance, source, &profile, &options);
    return !turbojpeg_encode(source, &options, &coded, NULL) &&
           hand_over(instance, &coded, jpeg, length, *length, instance->value[TJPARAM_NOREALLOC]);
}

static int compress(
    tjhandle handle, const char *name, struct turbojpeg_source *source, unsigned char **jpeg, size_t *length)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    const char *fault = find_fault(instance, source, jpeg, length);
    if (fault)
        return turbojpeg_fail(instance, name, fault);
    source->bottom_up = instance->value[TJPARAM_BOTTOMUP];
    const bool fixed = instance->value[TJPARAM_NOREALLOC];
    const kst_metadata profile = {
        .kind = KST_METADATA_ICC, .data = instance->profile, .length = instance->profile_length};
    kst_encode_options options;
    kst_report report = {.size = sizeof report};
    kst_buffer coded = {0};
    set_options(instance, source, &profile, &options);
    if (!settle(instance->handle))
        return turbojpeg_fail(instance, name, "Instance has not been initialized for compression");
    if (turbojpeg_encode(source, &options, &coded, &report))
        return turbojpeg_fail(instance, name,
            report.message[0] ? report.message : "What KOSTKA_DEVICE or KOSTKA_THREADS asks for is not there");
    const bool good = deliver(instance, &coded, jpeg, length, *length, fixed);
    turbojpeg_coded_release(&coded);
    return good ? 0
                : turbojpeg_fail(instance, name,
                      fixed ? "Buffer passed to JPEG library is too small" : "Memory allocation failure");
}

int tj3Compress8(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length)
{
    struct turbojpeg_source source = {pixels, width, pitch, height, format, false, 8};
    if (!turbojpeg_third.tj3Compress8)
        return compress(handle, "tj3Compress8", &source, jpeg, length);
    if (take_third(handle, &source, jpeg, length))
        return 0;
    turbojpeg_exchange(handle, jpeg, length);
    return turbojpeg_third.tj3Compress8(handle, pixels, width, pitch, height, format, jpeg, length);
}

int tj3Compress12(tjhandle handle, const short *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length)
{
    struct turbojpeg_source source = {pixels, width, pitch, height, format, false, 12};
    if (!turbojpeg_third.tj3Compress12)
        return compress(handle, "tj3Compress12", &source, jpeg, length);
    if (take_third(handle, &source, jpeg, length))
        return 0;
    turbojpeg_exchange(handle, jpeg, length);
    return turbojpeg_third.tj3Compress12(handle, pixels, width, pitch, height, format, jpeg, length);
}
