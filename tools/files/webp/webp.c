/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads WebP files through libwebp: to RGB of 8 bits, or to RGBA if the file has alpha, with ICC profile, Exif and XMP.
 * The first frame of an animation is read, on a canvas that is transparent around the frame.
 */
#include <pthread.h>
#include <string.h>

#include "files/webp/file.h"
#include "files/webp/library.h"

static struct {
    WEBP_FUNCTIONS(LIBRARY_POINTER)
} loaded;

static const char *const names[] = {WEBP_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof loaded == sizeof names, "a pointer for each name");

/* Holds the state of reading a picture. */
struct webp {
    struct webp_frame frame;
    WebPBitstreamFeatures features; /* the frame's features */
    kst_format format;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure; /* why loading the library failed */

static void load(void)
{
    static const char *const files[] = {KOSTKA_WEBP_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &loaded, &failure);
}

/* Load libwebp. This must succeed before any of its functions is called. Thread-safe. */
static bool load_once(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "WebP cannot be read: %s", failure.text);
}

static bool check(
    VP8StatusCode status, const struct source *source, const struct webp_frame *frame, struct problem *problem)
{
    switch (status) {
    case VP8_STATUS_OK:
        return true;
    case VP8_STATUS_OUT_OF_MEMORY:
        return problem_set(problem, "out of memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return problem_set(problem, "WebP: it uses what libwebp does not read");
    default:
        return webp_explain(
            source, frame, status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_NOT_ENOUGH_DATA, problem);
    }
}

static bool get_features(const struct source *source, struct webp *webp, struct problem *problem)
{
    const struct webp_frame *frame = &webp->frame;

    return check(loaded.WebPGetFeaturesInternal_(frame->data, frame->length, &webp->features, WEBP_DECODER_ABI_VERSION),
        source, frame, problem);
}

static bool open_frame(const struct source *source, struct webp *webp, struct problem *problem)
{
    struct webp_frame *frame = &webp->frame;

    if (!webp_first_frame(source, frame, problem) || !get_features(source, webp, problem))
        return false;
    if ((uint32_t)webp->features.width != frame->width || (uint32_t)webp->features.height != frame->height)
        return problem_set(problem, "WebP: the first frame is %d x %d and not %u x %u, as its header says",
            webp->features.width, webp->features.height, (unsigned)frame->width, (unsigned)frame->height);
    return true;
}

static bool open_webp(const struct source *source, struct webp *webp, struct problem *problem)
{
    struct webp_frame *frame = &webp->frame;

    *webp = (struct webp){.frame = {.data = source->data, .length = source->length}};
    if (memcmp(source->data, "RIFF", 4) != 0)
        return problem_set(problem, "WebP: the file begins with %.4s, and not with RIFF", (const char *)source->data);
    if (!load_once(problem) || !get_features(source, webp, problem))
        return false;
    frame->canvas_width = frame->width = (uint32_t)webp->features.width;
    frame->canvas_height = frame->height = (uint32_t)webp->features.height;
    if (webp->features.has_animation != 0 && !open_frame(source, webp, problem))
        return false;
    bool covers = frame->width == frame->canvas_width && frame->height == frame->canvas_height;
    webp->format = webp->features.has_alpha != 0 || !covers ? KST_FORMAT_RGBA : KST_FORMAT_RGB;
    return true;
}

/* Decode the frame. libwebp writes its pixels straight into the picture, whose other pixels stay 0. */
static bool decode(const struct source *source, const struct webp *webp, const struct file_settings *settings,
    const struct picture *picture, struct problem *problem)
{
    const struct webp_frame *frame = &webp->frame;
    const size_t channels = kst_format_channels(webp->format), stride = channels * frame->canvas_width;
    WebPDecoderConfig config;

    if (loaded.WebPInitDecoderConfigInternal_(&config, WEBP_DECODER_ABI_VERSION) == 0)
        return problem_set(problem, "%s is of another version than its header was", KOSTKA_WEBP_LIBRARY);
    config.options.use_threads = settings->threads > 1;
    config.output.colorspace = webp->format == KST_FORMAT_RGBA ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){.rgba = picture_row(picture, 0, frame->y) + channels * frame->x,
        .stride = (int)stride,
        .size = stride * (frame->canvas_height - frame->y) - channels * frame->x};
    return check(loaded.WebPDecode_(frame->data, frame->length, &config), source, frame, problem);
}

/*
 * Return the number of bytes that a pixel takes while it is read: in addition to the picture, libwebp allocates four
 * bytes for each pixel that is coded without loss, as alpha usually is.
 */
static uint64_t pixel_bytes(const struct webp *webp)
{
    enum { LOSSLESS = 2 /* among the formats of WebPBitstreamFeatures */ };
    bool lossless = webp->features.format == LOSSLESS || webp->features.has_alpha != 0;

    return kst_format_channels(webp->format) + (lossless ? sizeof(uint32_t) : 0);
}

bool webp_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct webp webp;

    if (!open_webp(source, &webp, problem))
        return false;
    const uint32_t width = webp.frame.canvas_width, height = webp.frame.canvas_height;
    if (!picture_permitted(settings, width, height, pixel_bytes(&webp), problem) ||
        !picture_allocate(picture, webp.format, width, height, 8, settings->max_pixels, problem) ||
        !decode(source, &webp, settings, picture, problem))
        return false;
    if (webp.frame.animated)
        complain(source->name, "note: it is an animation, of which the first picture is read");
    return webp_keep_metadata(source, picture, problem);
}

bool webp_describe(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct webp webp;
    (void)settings;

    if (!open_webp(source, &webp, problem))
        return false;
    picture->image.format = webp.format;
    picture->image.width = webp.frame.canvas_width;
    picture->image.height = webp.frame.canvas_height;
    picture->image.plane[0].depth = 8;
    return true;
}
