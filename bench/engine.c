/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes and decodes with Kostka and with libjpeg-turbo, each by its own calls. */
#include "engine.h"

#include <stdlib.h>
#include <time.h>

#include <turbojpeg.h>

struct engine {
    enum engine_kind kind;
    kst_context *context;
    kst_buffer buffer;
    tjhandle decompressor;
    tjhandle
        compressor[2]; /* sequential, progressive: a handle keeps the Huffman tables of its last progressive file */
    unsigned char *turbo_data; /* kept from one encoding to the next, as TurboJPEG recommends */
    unsigned long turbo_length;
};

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool work_decodes(enum work work)
{
    return work == WORK_DECODE || work == WORK_PROGRESSIVE_DECODE;
}

bool work_is_progressive(enum work work)
{
    return work == WORK_PROGRESSIVE_DECODE || work == WORK_PROGRESSIVE_ENCODE;
}

const char *work_name(enum work work)
{
    static const char *const names[] = {"decode", "decode progressive", "encode", "encode progressive"};
    return work < WORK_COUNT ? names[work] : "?";
}

struct engine *engine_create(enum engine_kind kind, uint32_t threads)
{
    struct engine *engine = calloc(1, sizeof *engine);
    kst_context_options options;

    if (engine == NULL)
        return NULL;
    engine->kind = kind;
    if (kind == ENGINE_KOSTKA) {
        kst_context_options_init(&options);
        options.threads = threads;
        if (!kst_context_create(&options, &engine->context))
            return engine;
    } else if (kind == ENGINE_TURBO) {
        engine->decompressor = tjInitDecompress();
        engine->compressor[0] = tjInitCompress();
        engine->compressor[1] = tjInitCompress();
        if (engine->decompressor != NULL && engine->compressor[0] != NULL && engine->compressor[1] != NULL)
            return engine;
    } else {
        return engine;
    }
    engine_destroy(engine);
    return NULL;
}

void engine_destroy(struct engine *engine)
{
    if (engine == NULL)
        return;
    if (engine->context != NULL)
        kst_buffer_release(engine->context, &engine->buffer);
    kst_context_destroy(&engine->context);
    if (engine->decompressor != NULL)
        tjDestroy(engine->decompressor);
    for (int i = 0; i < 2; i++)
        if (engine->compressor[i] != NULL)
            tjDestroy(engine->compressor[i]);
    tjFree(engine->turbo_data);
    free(engine);
}

bool engine_decode(struct engine *engine, const struct stream *stream, const struct picture *into)
{
    kst_decode_options options;
    kst_image image;

    if (engine->kind == ENGINE_NONE)
        return true;
    if (engine->kind == ENGINE_TURBO)
        /* Without flags TurboJPEG uses the accurate DCT and fancy upsampling, as Kostka does. */
        return tjDecompress2(engine->decompressor, stream->data, (unsigned long)stream->length, into->pixels,
                   (int)into->width, 0, (int)into->height, TJPF_RGB, 0) == 0;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RGB;
    return !kst_image_wrap(&image, KST_FORMAT_RGB, into->width, into->height, into->pixels, 0) &&
           !kst_decode(engine->context, stream->data, stream->length, &options, &image, NULL);
}

static bool encode_turbo(struct engine *engine, const struct picture *from, bool progressive, struct stream *scaled)
{
    /* Without this flag TurboJPEG uses the fast DCT below quality 96. */
    int flags = TJFLAG_ACCURATEDCT | (progressive ? TJFLAG_PROGRESSIVE : 0);

    if (tjCompress2(engine->compressor[progressive], from->pixels, (int)from->width, 0, (int)from->height, TJPF_RGB,
            &engine->turbo_data, &engine->turbo_length, from->subsampled ? TJSAMP_420 : TJSAMP_444, from->quality,
            flags) != 0)
        return false;
    *scaled = (struct stream){engine->turbo_data, engine->turbo_length};
    return true;
}

static bool encode_kostka(struct engine *engine, const struct picture *from, bool progressive, struct stream *scaled)
{
    kst_encode_options options;
    kst_image image;

    kst_buffer_release(engine->context, &engine->buffer);
    kst_encode_options_init(&options);
    options.quality = from->quality;
    options.subsampling = from->subsampled ? KST_SUBSAMPLING_420 : KST_SUBSAMPLING_444;
    options.coding = progressive ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
    if (kst_image_wrap(&image, KST_FORMAT_RGB, from->width, from->height, from->pixels, 0) ||
        kst_encode(engine->context, &image, &options, &engine->buffer, NULL))
        return false;
    *scaled = (struct stream){engine->buffer.data, engine->buffer.length};
    return true;
}

bool engine_encode(struct engine *engine, const struct picture *from, bool progressive, struct stream *scaled)
{
    *scaled = (struct stream){NULL, 0};
    if (engine->kind == ENGINE_NONE)
        return true;
    return (engine->kind == ENGINE_TURBO ? encode_turbo : encode_kostka)(engine, from, progressive, scaled);
}
