/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes many streams to images of another size: reads the headers to find out which pixels each box needs, decodes
 * these to one block of memory, and resizes from there.
 */
#include "resize/run/decode.h"

#include "core/report.h"
#include "device/runtime.h"
#include "resize/run/batch.h"
#include "run/decoding.h"
#include "run/image.h"

enum {
    ALIGNMENT = 16,
    FOURS = 4, /* pixels that a device writes at once */
    MOST_AT_ONCE = 1024,
    HEADER_MOST = 1 << 18 /* bytes; a stream whose headers take more memory is closed, and opened again for decoding */
};

/* The most bytes of pictures that are decoded together; a single larger picture is allowed. */
static const uint64_t MOST_BYTES = (uint64_t)1 << 30;

/* Describes a stream that is decoded and resized. */
struct resize_stream {
    kst_decode_item *item;
    const kst_resize_options *resize;
    kst_decode_options options;
    kst_image image;           /* the decoded picture, or the part of it that is needed */
    struct resize_whole whole; /* the picture of which `image` is a part */
    uint64_t bytes;            /* bytes of its planes, one after the other; 0: it has no place in the block */
};

/* Holds streams that are decoded and resized together. */
struct resize_streams {
    struct kst_context *context;
    struct resize_stream *stream;
    struct kst_decoder *decoder; /* decoders, which stay open between reading the headers and decoding */
    kst_decode_item *decoding;
    kst_resize_item *resizing;
    struct resize_whole *whole;
    uint32_t count;
    kst_memory memory; /* in which pictures are decoded */
    struct entered_stream *entered;
};

/* Extend a span to multiples of four pixels, within the picture. */
static struct resize_span widen(struct resize_span span, uint32_t size)
{
    uint32_t first = span.first / FOURS * FOURS, count = span.first - first + span.count;
    count = size - first < FOURS || count > (size - first) / FOURS * FOURS ? size - first
                                                                           : (count + FOURS - 1) / FOURS * FOURS;
    return (struct resize_span){first, count};
}

/* Restrict the decoding to the pixels that the box needs. */
static void cut(struct resize_stream *stream)
{
    struct resize_geometry geometry;
    uint32_t width = stream->image.width, height = stream->image.height;
    if (kst_resize_geometry(stream->resize, width, height, &geometry))
        return; /* resizing says what is wrong */
    struct resize_span x = widen(kst_resize_needed(&geometry.x, stream->resize->filter), width);
    struct resize_span y = kst_resize_needed(&geometry.y, stream->resize->filter);
    if (x.count == width && y.count == height)
        return;
    stream->options.region = (kst_region){x.first, y.first, x.count, y.count};
    stream->whole = (struct resize_whole){width, height, x.first, y.first};
    stream->image.width = x.count;
    stream->image.height = y.count;
    for (uint32_t i = 0; i < stream->image.plane_count; i++) {
        stream->image.plane[i].width = x.count;
        stream->image.plane[i].height = y.count;
    }
}

/* Return whether a part of the picture may be decoded, and planes have the picture's size. */
static bool may_be_cut(const struct resize_stream *stream, const kst_info *info)
{
    const kst_decode_options *options = &stream->options;
    bool turned = options->orient && info->orientation > 1;
    return !turned && options->region.width == 0 && options->region.height == 0 &&
           stream->image.format != KST_FORMAT_RAW && stream->image.plane_count <= KST_IMAGE_PLANES_MAX;
}

/* Choose pitches. Returns the bytes of all planes. */
static uint64_t lay_out(kst_image *image)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < image->plane_count && image->plane_count <= KST_IMAGE_PLANES_MAX; i++) {
        kst_plane *plane = &image->plane[i];
        uint64_t row = (uint64_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
        row = (row + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        plane->pitch = (ptrdiff_t)row;
        bytes += row * plane->height;
    }
    return bytes;
}

/* Read a stream's headers. Decoding uses the decoder again, and reports what is wrong with the stream. */
static void look(void *arg, uint32_t index)
{
    struct resize_streams *streams = arg;
    struct resize_stream *stream = &streams->stream[index];
    struct kst_decoder *decoder = &streams->decoder[index];
    kst_image stored;
    kst_decode_options_init(&stream->options);
    if (stream->item->options)
        stream->options = *stream->item->options;
    kst_image_init(&stream->image);
    kst_decoder_start(decoder, streams->context);
    if (!kst_decoder_open_for(decoder, stream->item->data, stream->item->length, OPEN_TO_DECODE) &&
        !kst_decoder_plan(decoder, &stream->options, &stored, &stream->image)) {
        if (may_be_cut(stream, &decoder->info))
            cut(stream);
        stream->bytes = lay_out(&stream->image);
    }
    /* A picture that the block cannot hold gets buffers of its own. */
    if (stream->bytes == 0 || stream->bytes > MOST_BYTES) {
        kst_image_init(&stream->image);
        stream->bytes = 0;
    }
    if (streams->context->limits.memory - kst_memory_left(&decoder->memory) > HEADER_MOST)
        kst_decoder_close(decoder);
}

/* Return the end of the streams from `first` on that are decoded together. */
static uint32_t end_of_part(const struct resize_streams *streams, uint32_t first, uint64_t *bytes)
{
    uint32_t end = first;
    *bytes = 0;
    while (end < streams->count && (end == first || *bytes + streams->stream[end].bytes <= MOST_BYTES))
        *bytes += streams->stream[end++].bytes;
    return end;
}

/* Allocate one block for the pictures of a part. */
static kst_status make_block(
    struct resize_streams *streams, struct memory *memory, uint64_t bytes, kst_image *block, char message[128])
{
    kst_image_init(block);
    block->format = KST_FORMAT_GREY;
    block->memory = streams->memory;
    block->plane_count = 1;
    if (bytes == 0)
        return KST_OK;
    if (bytes > INT32_MAX)
        return KST_ERROR_LIMIT_MEMORY;
    block->width = (uint32_t)bytes;
    block->height = 1;
    block->plane[0] = (kst_plane){.width = block->width, .height = 1, .depth = 8};
    return kst_image_make_in(streams->context, memory, block, message);
}

/* Place a picture in the block, from byte `at` on. */
static void place(struct resize_stream *stream, const kst_image *block, uint64_t at)
{
    const kst_plane *whole = &block->plane[0];
    bool has_offsets = kst_memory_has_offsets(block->memory);
    kst_image *image = &stream->image;
    image->memory = block->memory;
    for (uint32_t i = 0; i < image->plane_count && stream->bytes > 0; i++) {
        kst_plane *plane = &image->plane[i];
        plane->data = has_offsets ? whole->data : (uint8_t *)whole->data + at;
        plane->offset = has_offsets ? whole->offset + (size_t)at : 0;
        at += (uint64_t)plane->pitch * plane->height;
    }
}

static void decode(struct resize_streams *streams, uint32_t first, uint32_t end, const kst_image *block)
{
    uint64_t at = 0;
    for (uint32_t i = first; i < end; i++) {
        struct resize_stream *stream = &streams->stream[i];
        place(stream, block, at);
        at += stream->bytes;
        streams->decoding[i] = (kst_decode_item){.data = stream->item->data,
            .length = stream->item->length,
            .options = &stream->options,
            .image = &stream->image};
    }
    kst_decoding_run_opened(streams->context, &streams->decoding[first], &streams->decoder[first], end - first);
    for (uint32_t i = first; i < end; i++)
        streams->stream[i].item->report = streams->decoding[i].report;
}

/*
 * Resize the decoded pictures. Streams with an error are left out, so that a stream and its item may have different
 * indices.
 */
static void resize(struct resize_streams *streams, uint32_t first, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct resize_stream *stream = &streams->stream[i];
        if (stream->item->report.status)
            continue;
        streams->whole[count] = stream->whole;
        streams->resizing[count++] =
            (kst_resize_item){.from = &stream->image, .options = stream->resize, .to = stream->item->image};
    }
    kst_resize_all(streams->context, streams->resizing, streams->whole, count, streams->entered);
    count = 0;
    for (uint32_t i = first; i < end; i++)
        if (!streams->stream[i].item->report.status)
            kst_report_resizing(&streams->stream[i].item->report, &streams->resizing[count++].report);
}

static void fail(kst_decode_item *item, kst_status status, const char *message)
{
    kst_report_init(&item->report);
    kst_report_error(&item->report, status, KST_NO_OFFSET, message[0] ? "%s" : NULL, message);
}

static void run_part(struct resize_streams *streams, uint32_t first, uint32_t end, uint64_t bytes)
{
    struct memory memory;
    kst_image block;
    char message[128] = "";
    kst_memory_init_beside(&memory, &streams->context->memory, streams->context->limits.memory);
    kst_status status = make_block(streams, &memory, bytes, &block, message);
    for (uint32_t i = first; i < end && status; i++)
        fail(streams->stream[i].item, status, message);
    if (status)
        return;
    decode(streams, first, end, &block);
    resize(streams, first, end);
    for (uint32_t i = first; i < end; i++)
        if (streams->stream[i].bytes == 0)
            kst_image_release(streams->context, &streams->stream[i].image);
    if (block.plane[0].data)
        kst_image_drop_in(streams->context, &memory, &block);
}

/*
 * Return the kind of memory to decode pictures to: that of the context's GPU, if one is open or a result lies in its
 * memory.
 */
static kst_memory choose_memory(struct kst_context *context, const kst_decode_item *items, uint32_t count)
{
    const struct gpu_runtime *gpu = kst_context_gpu_if_open(context);
    for (uint32_t i = 0; i < count && !gpu; i++)
        if (items[i].image && kst_memory_is_device(items[i].image->memory))
            gpu = kst_context_gpu(context);
    return gpu ? gpu->gpu->backend->memory : KST_MEMORY_HOST;
}

static void run_some(struct resize_streams *streams, kst_decode_item *items, const kst_resize_options *options)
{
    uint64_t bytes;
    for (uint32_t i = 0; i < streams->count; i++) {
        streams->stream[i].item = &items[i];
        streams->stream[i].resize = &options[i];
    }
    streams->memory = choose_memory(streams->context, items, streams->count);
    kst_pool_run(streams->context->pool, streams->count, look, streams);
    for (uint32_t first = 0, end; first < streams->count; first = end) {
        end = end_of_part(streams, first, &bytes);
        run_part(streams, first, end, bytes);
    }
    for (uint32_t i = 0; i < streams->count; i++)
        kst_decoder_close(&streams->decoder[i]);
}

static bool make_arrays(struct resize_streams *streams)
{
    struct memory *memory = &streams->context->memory;
    streams->stream = kst_memory_zeroed(memory, streams->count, sizeof *streams->stream, NULL);
    streams->decoder = kst_memory_array(memory, streams->count, sizeof *streams->decoder, NULL);
    streams->decoding = kst_memory_zeroed(memory, streams->count, sizeof *streams->decoding, NULL);
    streams->resizing = kst_memory_zeroed(memory, streams->count, sizeof *streams->resizing, NULL);
    streams->whole = kst_memory_zeroed(memory, streams->count, sizeof *streams->whole, NULL);
    return streams->stream && streams->decoder && streams->decoding && streams->resizing && streams->whole;
}

static void release_arrays(struct resize_streams *streams)
{
    struct memory *memory = &streams->context->memory;
    kst_memory_release(memory, streams->stream);
    kst_memory_release(memory, streams->decoder);
    kst_memory_release(memory, streams->decoding);
    kst_memory_release(memory, streams->resizing);
    kst_memory_release(memory, streams->whole);
}

kst_status kst_resize_decoded(struct kst_context *context, kst_decode_item *items, const kst_resize_options *options,
    size_t count, struct entered_stream *entered)
{
    for (size_t done = 0; done < count;) {
        struct resize_streams streams = {.context = context, .entered = entered};
        streams.count = count - done < MOST_AT_ONCE ? (uint32_t)(count - done) : MOST_AT_ONCE;
        bool made = make_arrays(&streams);
        if (made)
            run_some(&streams, items + done, options + done);
        for (uint32_t i = 0; i < streams.count && !made; i++)
            fail(&items[done + i], KST_ERROR_MEMORY, "");
        release_arrays(&streams);
        done += streams.count;
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}
