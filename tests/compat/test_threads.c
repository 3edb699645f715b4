/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several threads at a time decode and encode through libjpeg, TurboJPEG and OpenJPEG, each with objects of its own,
 * for ThreadSanitizer to watch: test_compat_threads JPEG. All must get the same. With a second argument they share a
 * row of pixels as they must not, so that a race is to be found.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <turbojpeg.h>

#include "support/compat/memory_stream.h"

enum { THREADS = 3, ROUNDS = 2, CHANNELS = 3 };

struct picture {
    uint8_t *pixels;
    unsigned width, height;
};

static struct bytes jpeg;
static uint8_t *shared_row;

static void check(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

static uint64_t sum_of(const uint8_t *data, size_t length)
{
    uint64_t sum = length;
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + data[i];
    return sum;
}

static struct picture decode_jpeg(void)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct cinfo = {.err = jpeg_std_error(&errors)};
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, jpeg.data, jpeg.length);
    jpeg_read_header(&cinfo, TRUE);
    jpeg_start_decompress(&cinfo);
    struct picture p = {.width = cinfo.output_width, .height = cinfo.output_height};
    size_t pitch = CHANNELS * (size_t)p.width;
    p.pixels = malloc(pitch * p.height);
    check(p.pixels && cinfo.output_components == CHANNELS, "the picture");
    while (cinfo.output_scanline < p.height) {
        JSAMPROW own = p.pixels + pitch * cinfo.output_scanline, row = shared_row ? shared_row : own;
        jpeg_read_scanlines(&cinfo, &row, 1);
    }
    jpeg_finish_decompress(&cinfo);
    jpeg_destroy_decompress(&cinfo);
    return p;
}

static uint64_t encode_jpeg(const struct picture *p)
{
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct cinfo = {.err = jpeg_std_error(&errors)};
    unsigned char *coded = NULL;
    unsigned long length = 0;
    jpeg_create_compress(&cinfo);
    jpeg_mem_dest(&cinfo, &coded, &length);
    cinfo.image_width = p->width;
    cinfo.image_height = p->height;
    cinfo.input_components = CHANNELS;
    cinfo.in_color_space = JCS_RGB;
    jpeg_set_defaults(&cinfo);
    jpeg_start_compress(&cinfo, TRUE);
    while (cinfo.next_scanline < p->height) {
        JSAMPROW row = p->pixels + CHANNELS * (size_t)p->width * cinfo.next_scanline;
        jpeg_write_scanlines(&cinfo, &row, 1);
    }
    jpeg_finish_compress(&cinfo);
    jpeg_destroy_compress(&cinfo);
    uint64_t sum = sum_of(coded, length);
    free(coded);
    return sum;
}

static uint64_t use_turbojpeg(const struct picture *p)
{
    size_t length = CHANNELS * (size_t)p->width * p->height;
    uint8_t *pixels = malloc(length);
    tjhandle handle = tjInitDecompress();
    check(pixels && handle, "tjInitDecompress");
    int failed = tjDecompress2(handle, jpeg.data, jpeg.length, pixels, (int)p->width, 0, (int)p->height, TJPF_RGB, 0);
    check(!failed && memcmp(pixels, p->pixels, length) == 0, "tjDecompress2");
    tjDestroy(handle);
    handle = tjInitCompress();
    unsigned char *coded = NULL;
    unsigned long coded_length = 0;
    failed = tjCompress2(
        handle, pixels, (int)p->width, 0, (int)p->height, TJPF_RGB, &coded, &coded_length, TJSAMP_420, 90, 0);
    check(!failed, "tjCompress2");
    uint64_t sum = sum_of(coded, coded_length);
    tjFree(coded);
    tjDestroy(handle);
    free(pixels);
    return sum;
}

static void encode_jpeg2000(const struct picture *p, struct bytes *file)
{
    opj_image_cmptparm_t one = {.dx = 1, .dy = 1, .w = p->width, .h = p->height, .prec = 8};
    opj_image_cmptparm_t parts[CHANNELS] = {one, one, one};
    opj_image_t *image = opj_image_create(CHANNELS, parts, OPJ_CLRSPC_SRGB);
    image->x1 = p->width;
    image->y1 = p->height;
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        for (int c = 0; c < CHANNELS; c++)
            image->comps[c].data[i] = p->pixels[CHANNELS * i + (size_t)c];
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    parameters.tcp_mct = 1;
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_JP2);
    opj_stream_t *stream = memory_stream_open(file, OPJ_FALSE);
    check(opj_setup_encoder(codec, &parameters, image) && opj_codec_set_threads(codec, 2) &&
              opj_start_compress(codec, image, stream) && opj_encode(codec, stream) && opj_end_compress(codec, stream),
        "encoding JPEG 2000");
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

/* Decode what encode_jpeg2000() has made, which must give the same pixels. */
static void decode_jpeg2000(const struct picture *p, struct bytes *file)
{
    opj_dparameters_t parameters;
    opj_image_t *image = NULL;
    opj_set_default_decoder_parameters(&parameters);
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_JP2);
    opj_stream_t *stream = memory_stream_open(file, OPJ_TRUE);
    check(opj_setup_decoder(codec, &parameters) && opj_codec_set_threads(codec, 2) &&
              opj_read_header(stream, codec, &image) && opj_decode(codec, stream, image) &&
              opj_end_decompress(codec, stream),
        "decoding JPEG 2000");
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        for (int c = 0; c < CHANNELS; c++)
            check(image->comps[c].data[i] == p->pixels[CHANNELS * i + (size_t)c], "comparing JPEG 2000");
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

static void *work(void *sum)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct picture p = decode_jpeg();
        if (!shared_row) {
            struct bytes file = {.room = 2 * CHANNELS * (size_t)p.width * p.height + 65536};
            file.data = malloc(file.room);
            check(file.data, "memory");
            encode_jpeg2000(&p, &file);
            decode_jpeg2000(&p, &file);
            *(uint64_t *)sum += encode_jpeg(&p) + use_turbojpeg(&p) + sum_of(file.data, file.length);
            free(file.data);
        }
        free(p.pixels);
    }
    return NULL;
}

static struct bytes read_file(const char *path)
{
    struct bytes b = {.room = 1 << 24};
    FILE *file = fopen(path, "rb");
    b.data = malloc(b.room);
    check(file && b.data, path);
    b.length = fread(b.data, 1, b.room, file);
    fclose(file);
    return b;
}

int main(int argc, char **argv)
{
    static uint64_t sums[THREADS];
    pthread_t threads[THREADS];
    check(argc == 2 || argc == 3, "usage: JPEG [race]");
    jpeg = read_file(argv[1]);
    shared_row = argc == 3 ? malloc(1 << 20) : NULL;
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, work, &sums[i]) == 0, "a thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < THREADS; i++)
        check(sums[i] == sums[0], "comparing threads");
    free(shared_row);
    free(jpeg.data);
    return 0;
}
