/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uses libjpeg, TurboJPEG and OpenJPEG, forks, and uses them in the child, while another thread of the parent goes on:
 * test_compat_fork JPEG alone|threads. The child gets the same pixels and files, and releases what its parent has
 * begun. A child that does not come to its end is killed by an alarm.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jpeglib.h>
#include <turbojpeg.h>

#include "support/compat/memory_stream.h"

enum { CHANNELS = 3, SECONDS_MOST = 120, CHILDREN = 6, CODED_SIDE = 400 };

static struct bytes jpeg, j2k;
static atomic_bool ends;

static void check(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "%s failed\n", what);
    _exit(1);
}

static uint64_t sum_of(const uint8_t *data, size_t length)
{
    uint64_t sum = length;
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + data[i];
    return sum;
}

/* Begin to decode, and read half of the lines. Returns their sum. */
static uint64_t begin_jpeg(j_decompress_ptr cinfo, uint8_t *line)
{
    uint64_t sum = 0;
    jpeg_create_decompress(cinfo);
    jpeg_mem_src(cinfo, jpeg.data, jpeg.length);
    jpeg_read_header(cinfo, TRUE);
    jpeg_start_decompress(cinfo);
    while (cinfo->output_scanline < cinfo->output_height / 2) {
        jpeg_read_scanlines(cinfo, &line, 1);
        sum = sum * 7 + sum_of(line, CHANNELS * (size_t)cinfo->output_width);
    }
    return sum;
}

static uint64_t end_jpeg(j_decompress_ptr cinfo, uint8_t *line, uint64_t sum)
{
    while (cinfo->output_scanline < cinfo->output_height) {
        jpeg_read_scanlines(cinfo, &line, 1);
        sum = sum * 7 + sum_of(line, CHANNELS * (size_t)cinfo->output_width);
    }
    jpeg_finish_decompress(cinfo);
    jpeg_destroy_decompress(cinfo);
    return sum;
}

/* A picture that is encoded with codes made for it. */
struct coding {
    struct jpeg_compress_struct cinfo;
    struct jpeg_error_mgr errors;
    unsigned char *file;
    unsigned long length;
};

static void write_lines(j_compress_ptr cinfo, JDIMENSION end)
{
    uint8_t line[CHANNELS * CODED_SIDE], *row = line;
    while (cinfo->next_scanline < end) {
        for (size_t i = 0; i < sizeof line; i++)
            line[i] = (uint8_t)(i * 3 + cinfo->next_scanline * 5);
        jpeg_write_scanlines(cinfo, &row, 1);
    }
}

/* Begin to encode, and write half of the lines. */
static void begin_coding(struct coding *c)
{
    *c = (struct coding){.length = 0};
    c->cinfo.err = jpeg_std_error(&c->errors);
    jpeg_create_compress(&c->cinfo);
    jpeg_mem_dest(&c->cinfo, &c->file, &c->length);
    c->cinfo.image_width = c->cinfo.image_height = CODED_SIDE;
    c->cinfo.input_components = CHANNELS;
    c->cinfo.in_color_space = JCS_RGB;
    jpeg_set_defaults(&c->cinfo);
    c->cinfo.optimize_coding = TRUE;
    jpeg_start_compress(&c->cinfo, TRUE);
    write_lines(&c->cinfo, CODED_SIDE / 2);
}

/* Encode the other half. Returns the sum of the file. */
static uint64_t end_coding(struct coding *c)
{
    write_lines(&c->cinfo, CODED_SIDE);
    jpeg_finish_compress(&c->cinfo);
    jpeg_destroy_compress(&c->cinfo);
    uint64_t sum = sum_of(c->file, c->length);
    free(c->file);
    return sum;
}

static uint64_t use_libjpeg(void)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct cinfo = {.err = jpeg_std_error(&errors)};
    uint8_t line[CHANNELS * 2048];
    return end_jpeg(&cinfo, line, begin_jpeg(&cinfo, line));
}

static uint64_t use_turbojpeg(void)
{
    int width, height, sampling;
    tjhandle handle = tjInitDecompress();
    check(!tjDecompressHeader2(handle, jpeg.data, jpeg.length, &width, &height, &sampling), "tjDecompressHeader2");
    size_t length = CHANNELS * (size_t)width * (size_t)height;
    uint8_t *pixels = malloc(length);
    check(!tjDecompress2(handle, jpeg.data, jpeg.length, pixels, 0, 0, 0, TJPF_RGB, 0), "tjDecompress2");
    tjDestroy(handle);
    handle = tjInitCompress();
    unsigned char *coded = NULL;
    unsigned long coded_length = 0;
    check(!tjCompress2(handle, pixels, width, 0, height, TJPF_RGB, &coded, &coded_length, TJSAMP_420, 90, 0),
        "tjCompress2");
    uint64_t sum = sum_of(pixels, length) + sum_of(coded, coded_length);
    tjFree(coded);
    tjDestroy(handle);
    free(pixels);
    return sum;
}

static void print_error(const char *text, void *user)
{
    (void)user;
    fputs(text, stderr);
}

static void make_j2k(void)
{
    enum { SIDE = 200 };
    opj_image_cmptparm_t one = {.dx = 1, .dy = 1, .w = SIDE, .h = SIDE, .prec = 8};
    opj_image_t *image = opj_image_create(1, &one, OPJ_CLRSPC_GRAY);
    opj_cparameters_t parameters;
    image->x1 = image->y1 = SIDE;
    for (int i = 0; i < SIDE * SIDE; i++)
        image->comps[0].data[i] = (i / SIDE + i % SIDE * 3) % 256;
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    j2k.room = 1 << 20;
    j2k.data = malloc(j2k.room);
    j2k.length = 0;
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_set_error_handler(codec, print_error, NULL);
    opj_stream_t *stream = memory_stream_open(&j2k, OPJ_FALSE);
    check(opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, stream) &&
              opj_encode(codec, stream) && opj_end_compress(codec, stream),
        "encoding JPEG 2000");
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

/* What decodes JPEG 2000, and what is to be released behind it. */
struct decoding {
    struct bytes file;
    opj_codec_t *codec;
    opj_stream_t *stream;
    opj_image_t *image;
};

static void begin_j2k(struct decoding *d)
{
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    *d = (struct decoding){.file = j2k, .codec = opj_create_decompress(OPJ_CODEC_J2K)};
    opj_set_error_handler(d->codec, print_error, NULL);
    d->stream = memory_stream_open(&d->file, OPJ_TRUE);
    check(
        opj_setup_decoder(d->codec, &parameters) && opj_read_header(d->stream, d->codec, &d->image), "opj_read_header");
}

static uint64_t decode_j2k(struct decoding *d)
{
    check(opj_decode(d->codec, d->stream, d->image), "opj_decode");
    const opj_image_comp_t *c = &d->image->comps[0];
    return sum_of((const uint8_t *)c->data, c->w * (size_t)c->h * sizeof *c->data);
}

static void end_j2k(struct decoding *d)
{
    opj_stream_destroy(d->stream);
    opj_destroy_codec(d->codec);
    opj_image_destroy(d->image);
}

static uint64_t use_openjpeg(void)
{
    struct decoding d;
    begin_j2k(&d);
    uint64_t sum = decode_j2k(&d);
    end_j2k(&d);
    return sum;
}

static uint64_t use_all(void)
{
    return use_libjpeg() + 3 * use_turbojpeg() + 7 * use_openjpeg();
}

static void *be_busy(void *sum)
{
    while (!atomic_load(&ends))
        check(use_all() == *(const uint64_t *)sum, "a thread of the parent");
    return NULL;
}

/* Returns whether a child came to a good end. */
static bool has_ended(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A child of its own uses everything. */
static void fork_once(uint64_t sum, bool again)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MOST);
        check(use_all() == sum, "a child");
        if (again)
            fork_once(sum, false);
        _exit(0);
    }
    check(has_ended(child), "a child process");
}

/* A child releases what its parent has begun, or goes on with it, as the parent does. */
static void fork_between(bool goes_on)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct cinfo = {.err = jpeg_std_error(&errors)};
    struct decoding d;
    struct coding c;
    uint8_t line[CHANNELS * 2048];
    const uint64_t whole = use_libjpeg(), half = begin_jpeg(&cinfo, line);
    begin_coding(&c);
    const uint64_t coded = end_coding(&c);
    begin_coding(&c);
    begin_j2k(&d);
    const uint64_t samples = decode_j2k(&d);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MOST);
        if (goes_on)
            check(end_jpeg(&cinfo, line, half) == whole && end_coding(&c) == coded && decode_j2k(&d) == samples,
                "going on in a child");
        else {
            jpeg_destroy_decompress(&cinfo);
            jpeg_destroy_compress(&c.cinfo);
        }
        end_j2k(&d);
        _exit(0);
    }
    check(has_ended(child), goes_on ? "a child that goes on" : "a child that releases");
    check(end_jpeg(&cinfo, line, half) == whole && end_coding(&c) == coded && decode_j2k(&d) == samples,
        "going on in the parent");
    end_j2k(&d);
}

static void read_jpeg(const char *path)
{
    FILE *file = fopen(path, "rb");
    jpeg.room = 1 << 22;
    jpeg.data = malloc(jpeg.room);
    check(file && jpeg.data, path);
    jpeg.length = fread(jpeg.data, 1, jpeg.room, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check(argc == 3, "usage: JPEG alone|threads");
    read_jpeg(argv[1]);
    make_j2k();
    uint64_t sum = use_all();
    const bool busy = strcmp(argv[2], "threads") == 0;
    if (busy)
        check(pthread_create(&thread, NULL, be_busy, &sum) == 0, "a thread");
    for (int i = 0; i < (busy ? CHILDREN : 1); i++) {
        fork_between(false);
        fork_between(true);
        fork_once(sum, i == 0);
    }
    atomic_store(&ends, true);
    if (busy)
        pthread_join(thread, NULL);
    free(jpeg.data);
    free(j2k.data);
    return 0;
}
