/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes areas and tiles with Kostka, to components of 32 bits or to the packed samples of a tile. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"

enum { PLANES = 4, FREE_SAMPLES = 1 << 27, DEFAULT_WORK = 1 << 16 };

/*
 * Describes one decoding: the components that have samples in the area, in ascending order, and where the samples go.
 */
struct work {
    struct openjp2_codec *codec;
    kst_decode_options options;
    uint32_t *component; /* numbers of components */
    kst_plane *plane;    /* one for each of these components */
    uint32_t count;
};

static void release(struct work *work)
{
    free(work->component);
    free(work->plane);
}

static bool begin(struct work *work, struct openjp2_codec *codec)
{
    *work = (struct work){.codec = codec};
    kst_decode_options_init(&work->options);
    work->options.format = KST_FORMAT_RAW;
    work->options.reduce = codec->reduce;
    work->options.layers = codec->layers;
    work->component = calloc(codec->headers.count, sizeof *work->component);
    work->plane = calloc(codec->headers.count, sizeof *work->plane);
    if (work->component && work->plane)
        return true;
    release(work);
    openjp2_fail(codec, "there is no memory for the components' planes");
    return false;
}

/* Return the number of samples of the whole picture. */
static uint64_t samples_of(const struct openjp2_headers *h)
{
    uint64_t samples = 0, width = h->x1 - h->x0, height = h->y1 - h->y0;
    for (uint32_t i = 0; i < h->count; i++)
        samples += (width / h->component[i].dx + 1) * (height / h->component[i].dy + 1);
    return samples;
}

/*
 * Return the limit on work for each byte. If tile-parts are left out, those that are there may use as much work as the
 * whole stream might, so that a part of a large picture is not refused because of the picture's size.
 */
static uint32_t work_of(const struct openjp2_codec *codec, const struct openjp2_stream *stream)
{
    uint64_t samples = samples_of(&codec->headers), length = codec->source.length;
    uint64_t whole = stream->length > length ? stream->length : length;
    if (samples <= FREE_SAMPLES + DEFAULT_WORK * length || samples > FREE_SAMPLES + DEFAULT_WORK * whole)
        return DEFAULT_WORK;
    uint64_t needed = (samples - FREE_SAMPLES) / length + 1;
    return needed < UINT32_MAX ? (uint32_t)needed : UINT32_MAX;
}

/* Open the decoder for the codestream as it is now. */
static bool open_source(struct openjp2_codec *codec, const struct openjp2_stream *stream)
{
    struct openjp2_source *source = &codec->source;
    if (!openjp2_context(codec, work_of(codec, stream)))
        return false;
    if (codec->decoder && !source->changed)
        return true;
    size_t length;
    if (!openjp2_source_finish(source, &length))
        return openjp2_fail(codec, "there is no memory for the codestream");
    kst_status status = codec->decoder ? KST_OK : kst_decoder_create(codec->context, &codec->decoder);
    if (!status)
        status = kst_decoder_open(codec->decoder, source->data, length);
    if (status)
        openjp2_fail(
            codec, "%s", codec->decoder ? kst_decoder_report(codec->decoder)->message : kst_status_text(status));
    if (status)
        kst_decoder_destroy(&codec->decoder);
    source->changed = status != 0;
    return !status;
}

/* Report a stream that ends early, so that no more of the area will follow. In strict mode this is an error. */
static bool check_source(const struct openjp2_codec *codec)
{
    if (codec->source.cut) {
        if (!codec->lenient)
            return openjp2_fail(codec, "the stream ends inside a tile-part, or has none where there should be one");
        openjp2_warn(codec, "the stream ends inside a tile-part, or has none where there should be one");
    } else if (codec->source.no_end)
        openjp2_warn(codec, "the codestream ends without EOC");
    return true;
}

/* Warn of damage that the decoder has found. In strict mode missing data are an error. */
static bool check_report(const struct openjp2_codec *codec)
{
    const kst_report *report = kst_decoder_report(codec->decoder);
    kst_status first = report->first_warning;
    if (report->warnings == 0)
        return true;
    bool is_cut = first == KST_WARNING_J2K_TRUNCATED || first == KST_WARNING_J2K_PACKET_END;
    if (is_cut && !codec->lenient)
        return openjp2_fail(codec, "%s", report->message);
    openjp2_warn(codec, "%s (%llu warnings)", report->message, (unsigned long long)report->warnings);
    return true;
}

static void add_plane(struct work *work, uint32_t component, void *data, ptrdiff_t pitch)
{
    const struct openjp2_component *c = &work->codec->headers.component[component];
    work->component[work->count] = component;
    work->plane[work->count++] = (kst_plane){.data = data,
        .pitch = pitch,
        .depth = (uint8_t)c->depth,
        .is_signed = c->is_signed,
        .sample = (uint8_t)work->options.sample};
}

/* Set the sizes of the planes as the decoder describes them, and decode. */
static bool run(struct work *work)
{
    struct openjp2_codec *codec = work->codec;
    kst_image image;
    work->options.components = work->component;
    work->options.component_count = work->count;
    kst_status status = kst_decoder_describe(codec->decoder, &work->options, &image);
    for (uint32_t i = 0; i < work->count && !status; i++) {
        const kst_plane *described = kst_image_plane(&image, i);
        work->plane[i].width = described->width;
        work->plane[i].height = described->height;
        if (i < PLANES)
            image.plane[i] = work->plane[i];
    }
    image.more = work->count > PLANES ? work->plane + PLANES : NULL;
    if (!status)
        status = kst_decoder_decode(codec->decoder, &work->options, &image);
    return status ? openjp2_fail(codec, "%s", kst_decoder_report(codec->decoder)->message) : check_report(codec);
}

/*
 * Set the region that an area of the reference grid covers in the reduced picture, or choose a tile. Returns false if
 * the region is empty.
 */
static bool choose_region(struct work *work, const opj_image_t *image, uint32_t tile)
{
    const struct openjp2_codec *codec = work->codec;
    const struct openjp2_headers *h = &codec->headers;
    uint32_t r = codec->reduce, left = openjp2_ceil_shift(h->x0, r), top = openjp2_ceil_shift(h->y0, r);
    work->options.tile = tile;
    if (tile != KST_ALL_TILES)
        return true;
    uint32_t x0 = openjp2_ceil_shift(image->x0, r), y0 = openjp2_ceil_shift(image->y0, r);
    uint32_t x1 = openjp2_ceil_shift(image->x1, r), y1 = openjp2_ceil_shift(image->y1, r);
    if (image->x0 < h->x0 || image->y0 < h->y0 || image->x1 > h->x1 || image->y1 > h->y1 || x0 >= x1 || y0 >= y1)
        return false;
    work->options.region = (kst_region){.x = x0 - left, .y = y0 - top, .width = x1 - x0, .height = y1 - y0};
    return true;
}

/* Return whether a component is to be decoded. */
static bool is_selected(const struct openjp2_codec *codec, uint32_t component)
{
    for (uint32_t i = 0; codec->selected && i < codec->selected_count; i++)
        if (codec->selected[i] == component)
            return true;
    return codec->selected == NULL;
}

/*
 * Allocate memory for the selected components, which belongs to the image. Components without samples get one sample.
 */
static bool allocate(struct work *work, opj_image_t *image)
{
    const struct openjp2_codec *codec = work->codec;
    for (uint32_t i = 0; i < codec->headers.count; i++) {
        opj_image_comp_t *c = &image->comps[i];
        opj_image_data_free(c->data);
        c->data = NULL;
        if (!is_selected(codec, i))
            continue;
        size_t samples = (size_t)c->w * c->h;
        c->data = opj_image_data_alloc((samples > 0 ? samples : 1) * sizeof *c->data);
        if (!c->data)
            return openjp2_fail(codec, "there is no memory for %u x %u samples", c->w, c->h);
        if (samples > 0)
            add_plane(work, i, c->data, (ptrdiff_t)((size_t)c->w * sizeof *c->data));
    }
    return true;
}

/* Drop all components but the selected ones, and put these in the caller's order. */
static bool select_components(const struct openjp2_codec *codec, opj_image_t *image)
{
    uint32_t count = codec->selected_count;
    if (!codec->selected)
        return true;
    opj_image_comp_t *comps = calloc(count, sizeof *comps);
    if (!comps)
        return openjp2_fail(codec, "there is no memory for %u components", count);
    for (uint32_t i = 0; i < count; i++)
        comps[i] = image->comps[codec->selected[i]];
    free(image->comps);
    image->comps = comps;
    image->numcomps = count;
    return true;
}

/* Set the number of decoded resolutions as OpenJPEG counts them: the index of the last one. */
static void describe_decoded(const struct openjp2_codec *codec, opj_image_t *image)
{
    for (uint32_t i = 0; i < codec->headers.count; i++)
        image->comps[i].resno_decoded = codec->headers.component[i].coding.numresolutions - 1 - codec->reduce;
}

bool openjp2_decode_image(struct openjp2_codec *codec, struct openjp2_stream *stream, opj_image_t *image, uint32_t tile)
{
    struct work work;
    if (!openjp2_source_gather(codec, stream, tile) || !check_source(codec) || !open_source(codec, stream) ||
        !begin(&work, codec))
        return false;
    work.options.sample = KST_SAMPLE_INT32;
    bool fine = choose_region(&work, image, tile) || openjp2_fail(codec, "the area has no samples");
    fine = fine && openjp2_place_components(codec, image) && allocate(&work, image) && (work.count == 0 || run(&work));
    release(&work);
    if (!fine)
        return false;
    describe_decoded(codec, image);
    return select_components(codec, image);
}

static uint32_t bytes_of(const struct openjp2_component *component)
{
    return component->depth > 16 ? 4 : component->depth > 8 ? 2 : 1;
}

uint64_t openjp2_packed_size(const struct openjp2_codec *codec, uint32_t component, uint32_t tile, uint32_t *width)
{
    const struct openjp2_component *c = &codec->headers.component[component];
    uint32_t x0, y0, x1, y1, r = codec->reduce;
    openjp2_tile_area(&codec->headers, tile, &x0, &y0, &x1, &y1);
    *width = openjp2_ceil_shift(openjp2_ceil_div(x1, c->dx), r) - openjp2_ceil_shift(openjp2_ceil_div(x0, c->dx), r);
    uint64_t height =
        openjp2_ceil_shift(openjp2_ceil_div(y1, c->dy), r) - openjp2_ceil_shift(openjp2_ceil_div(y0, c->dy), r);
    return *width * height * bytes_of(c);
}

bool openjp2_decode_packed(struct openjp2_codec *codec, struct openjp2_stream *stream, uint32_t tile, uint8_t *to)
{
    struct work work;
    if (!openjp2_source_gather(codec, stream, tile) || !check_source(codec) || !open_source(codec, stream) ||
        !begin(&work, codec))
        return false;
    work.options.tile = tile;
    for (uint32_t i = 0; i < codec->headers.count; i++) {
        uint32_t width;
        uint64_t size = openjp2_packed_size(codec, i, tile, &width);
        if (size > 0)
            add_plane(&work, i, to, (ptrdiff_t)((size_t)width * bytes_of(&codec->headers.component[i])));
        to += size;
    }
    bool fine = work.count == 0 || run(&work);
    release(&work);
    return fine;
}
