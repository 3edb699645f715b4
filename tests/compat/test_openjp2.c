/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenJPEG's interface before Kostka: pictures that are encoded through it come back as a whole, by areas and tile by
 * tile, from streams that can seek and from those that cannot; damaged ones end in a result or a message.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openjpeg.h>

#include "support/test.h"

enum { WIDTH = 203, HEIGHT = 151, X0 = 5, Y0 = 3, TILE = 64, ROOM = 1 << 20, AREAS = 6 };

/* Bytes of a file in memory, and what was called. */
struct file {
    uint8_t bytes[ROOM];
    size_t length, at, read;
    int freed;
};

static struct file file;

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T length, void *user)
{
    struct file *f = user;
    size_t left = f->length - f->at, count = length < left ? length : left;
    if (count == 0)
        return (OPJ_SIZE_T)-1;
    if (count > 777)
        count = 777; /* a short answer is no end */
    memcpy(to, f->bytes + f->at, count);
    f->at += count;
    f->read += count;
    return count;
}

static OPJ_SIZE_T write_bytes(void *from, OPJ_SIZE_T length, void *user)
{
    struct file *f = user;
    assert_true(length <= ROOM - f->at);
    memcpy(f->bytes + f->at, from, length);
    f->at += length;
    f->length = f->at;
    return length;
}

static OPJ_BOOL seek_to(OPJ_OFF_T offset, void *user)
{
    struct file *f = user;
    f->at = (size_t)offset;
    return (size_t)offset <= f->length;
}

static void free_file(void *user)
{
    ((struct file *)user)->freed++;
}

/* A stream of the file: one that can seek and has a length, or one that can only be read. */
static opj_stream_t *open_file(bool whole)
{
    opj_stream_t *stream = opj_stream_default_create(OPJ_STREAM_READ);
    file.at = file.read = 0;
    opj_stream_set_user_data(stream, &file, free_file);
    opj_stream_set_read_function(stream, read_bytes);
    if (whole) {
        opj_stream_set_user_data_length(stream, file.length);
        opj_stream_set_seek_function(stream, seek_to);
    }
    return stream;
}

static int errors, warnings;

static void count_message(const char *text, void *user)
{
    assert_true(strlen(text) > 1 && text[strlen(text) - 1] == '\n');
    ++*(int *)user;
}

static OPJ_INT32 sample(OPJ_UINT32 component, OPJ_UINT32 x, OPJ_UINT32 y)
{
    return (OPJ_INT32)((x * 5 + y * 3 + component * 40 + (x ^ y) % 7) % 256);
}

static opj_image_t *make_image(void)
{
    opj_image_cmptparm_t parameters[3];
    memset(parameters, 0, sizeof parameters);
    for (int i = 0; i < 3; i++)
        parameters[i] =
            (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = WIDTH, .h = HEIGHT, .x0 = X0, .y0 = Y0, .prec = 8};
    opj_image_t *image = opj_image_create(3, parameters, OPJ_CLRSPC_SRGB);
    assert_non_null(image);
    image->x0 = X0;
    image->y0 = Y0;
    image->x1 = X0 + WIDTH;
    image->y1 = Y0 + HEIGHT;
    for (OPJ_UINT32 c = 0; c < 3; c++)
        for (OPJ_UINT32 i = 0; i < WIDTH * HEIGHT; i++)
            image->comps[c].data[i] = sample(c, X0 + i % WIDTH, Y0 + i / WIDTH);
    return image;
}

static void set_handlers(opj_codec_t *codec)
{
    errors = warnings = 0;
    assert_true(opj_set_error_handler(codec, count_message, &errors));
    assert_true(opj_set_warning_handler(codec, count_message, &warnings));
}

/* Write the tiles of an image that has no samples yet. */
static void write_tiles(opj_codec_t *codec, opj_stream_t *stream)
{
    static OPJ_BYTE data[3 * TILE * TILE];
    OPJ_UINT32 columns = (X0 + WIDTH + TILE - 1) / TILE, rows = (Y0 + HEIGHT + TILE - 1) / TILE;
    for (OPJ_UINT32 t = 0; t < columns * rows; t++) {
        OPJ_UINT32 size = 0, left = t % columns * TILE, top = t / columns * TILE;
        for (OPJ_UINT32 c = 0; c < 3; c++)
            for (OPJ_UINT32 y = top; y < top + TILE; y++)
                for (OPJ_UINT32 x = left; x < left + TILE; x++)
                    if (x >= X0 && y >= Y0 && x < X0 + WIDTH && y < Y0 + HEIGHT)
                        data[size++] = (OPJ_BYTE)sample(c, x, y);
        assert_false(opj_write_tile(codec, t, data, size - 1, stream));
        assert_true(opj_write_tile(codec, t, data, size, stream));
    }
}

/* Begin to encode an image to a new stream. */
static opj_codec_t *start(OPJ_CODEC_FORMAT format, bool tiled, opj_image_t *image, opj_stream_t **to)
{
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.tile_size_on = tiled;
    parameters.cp_tdx = parameters.cp_tdy = TILE;
    parameters.tcp_mct = 1;
    parameters.numresolution = 4;
    opj_codec_t *codec = opj_create_compress(format);
    set_handlers(codec);
    opj_stream_t *stream = *to = opj_stream_default_create(OPJ_STREAM_WRITE);
    file.at = file.length = 0;
    file.freed = 0;
    opj_stream_set_user_data(stream, &file, free_file);
    opj_stream_set_write_function(stream, write_bytes);
    assert_false(opj_start_compress(codec, image, stream));
    assert_true(opj_setup_encoder(codec, &parameters, image));
    assert_true(opj_start_compress(codec, image, stream));
    return codec;
}

static void encode(OPJ_CODEC_FORMAT format, bool tiled, bool by_tiles)
{
    opj_image_t *image = make_image();
    opj_stream_t *stream;
    opj_codec_t *codec = start(format, tiled, image, &stream);
    if (by_tiles)
        write_tiles(codec, stream);
    else
        assert_true(opj_encode(codec, stream));
    assert_true(opj_end_compress(codec, stream));
    opj_stream_destroy(stream);
    assert_int_equal(file.freed, 1);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
}

static opj_codec_t *open_codec(OPJ_CODEC_FORMAT format, opj_stream_t *stream, opj_image_t **image)
{
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    opj_codec_t *codec = opj_create_decompress(format);
    set_handlers(codec);
    assert_true(opj_setup_decoder(codec, &parameters));
    *image = NULL;
    if (!opj_read_header(stream, codec, image))
        assert_null(*image);
    return codec;
}

static void check(const opj_image_t *image, OPJ_UINT32 x0, OPJ_UINT32 y0, OPJ_UINT32 x1, OPJ_UINT32 y1)
{
    assert_int_equal(image->numcomps, 3);
    for (OPJ_UINT32 c = 0; c < 3; c++) {
        const opj_image_comp_t *comp = &image->comps[c];
        assert_true(comp->x0 == x0 && comp->y0 == y0 && comp->w == x1 - x0 && comp->h == y1 - y0 && comp->data);
        for (OPJ_UINT32 i = 0; i < comp->w * comp->h; i++)
            assert_int_equal(comp->data[i], sample(c, x0 + i % comp->w, y0 + i / comp->w));
    }
}

static void check_areas(bool whole)
{
    static const OPJ_INT32 areas[AREAS][4] = {
        {0, 0, 0, 0}, {5, 3, 6, 4}, {60, 60, 70, 70}, {63, 64, 65, 128}, {100, 3, 208, 154}, {0, 0, 300, 20}};
    opj_image_t *image;
    opj_stream_t *stream = open_file(whole);
    opj_codec_t *codec = open_codec(OPJ_CODEC_JP2, stream, &image);
    assert_non_null(image);
    assert_false(opj_set_decode_area(codec, image, -1, 0, 5, 5));
    assert_false(opj_set_decode_area(codec, image, 0, 0, 4, 5));
    assert_int_equal(errors, 2);
    for (int i = 0; i < AREAS; i++) {
        const OPJ_INT32 *a = areas[i];
        assert_true(opj_set_decode_area(codec, image, a[0], a[1], a[2], a[3]));
        assert_true(opj_decode(codec, stream, image));
        if (i == 0)
            check(image, X0, Y0, X0 + WIDTH, Y0 + HEIGHT);
        else
            check(image, a[0] < X0 ? X0 : (OPJ_UINT32)a[0], a[1] < Y0 ? Y0 : (OPJ_UINT32)a[1],
                a[2] > X0 + WIDTH ? X0 + WIDTH : (OPJ_UINT32)a[2], (OPJ_UINT32)a[3]);
    }
    assert_true(opj_end_decompress(codec, stream) && image->color_space == OPJ_CLRSPC_SRGB && errors == 2);
    assert_int_equal(warnings, 3); /* three sides of the last area lie outside of the picture */
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
}

static void test_areas(void **state)
{
    (void)state;
    for (int tiled = 0; tiled < 2; tiled++) {
        encode(OPJ_CODEC_JP2, tiled, tiled);
        check_areas(true);
        check_areas(false);
    }
}

/* One tile is read without the others' tile-parts. */
static void test_tiles(void **state)
{
    opj_image_t *image;
    (void)state;
    encode(OPJ_CODEC_J2K, true, false);
    opj_stream_t *stream = open_file(true);
    opj_codec_t *codec = open_codec(OPJ_CODEC_J2K, stream, &image);
    assert_true(opj_get_decoded_tile(codec, stream, image, 5));
    check(image, 64, 64, 128, 128);
    opj_codestream_index_t *index = opj_get_cstr_index(codec);
    assert_true(index && index->tile_index[0].nb_tps > 0 && index->tile_index[5].nb_tps > 0);
    assert_int_equal(index->tile_index[0].tp_index[0].end_header, 0);
    assert_true(index->tile_index[5].tp_index[0].end_header > index->tile_index[5].tp_index[0].start_pos);
    opj_destroy_cstr_index(&index);
    assert_true(opj_get_decoded_tile(codec, stream, image, 0));
    check(image, X0, Y0, 64, 64);
    assert_true(file.read < file.length);
    assert_false(opj_get_decoded_tile(codec, stream, image, 12));
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
}

static void check_packed(const OPJ_BYTE *data, const OPJ_INT32 area[4])
{
    for (OPJ_UINT32 c = 0; c < 3; c++)
        for (OPJ_INT32 y = area[1]; y < area[3]; y++)
            for (OPJ_INT32 x = area[0]; x < area[2]; x++)
                assert_int_equal(*data++, sample(c, (OPJ_UINT32)x, (OPJ_UINT32)y));
}

static void test_packed_tiles(void **state)
{
    static OPJ_BYTE data[3 * TILE * TILE];
    opj_image_t *image;
    OPJ_UINT32 tile, size, components, count = 0;
    OPJ_INT32 area[4];
    OPJ_BOOL goes_on;
    (void)state;
    encode(OPJ_CODEC_J2K, true, true);
    opj_stream_t *stream = open_file(false);
    opj_codec_t *codec = open_codec(OPJ_CODEC_J2K, stream, &image);
    /* After an area that is refused there are as many tiles as before. */
    assert_false(opj_set_decode_area(codec, image, 150, 3, 20, 100));
    assert_false(opj_set_decode_area(codec, image, 20, 140, 100, 10));
    for (;;) {
        assert_true(opj_read_tile_header(
            codec, stream, &tile, &size, &area[0], &area[1], &area[2], &area[3], &components, &goes_on));
        if (!goes_on)
            break;
        assert_true(tile == count++ && components == 3 && size <= sizeof data);
        assert_int_equal(size, 3 * (area[2] - area[0]) * (area[3] - area[1]));
        assert_false(opj_decode_tile_data(codec, tile, data, size - 1, stream));
        assert_true(opj_decode_tile_data(codec, tile, data, size, stream));
        check_packed(data, area);
    }
    assert_int_equal(count, 12);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
}

/* Decode what may be damaged. An error has a message, and a success an image with samples. */
static bool decode_anything(bool whole, bool strict)
{
    opj_image_t *image;
    opj_stream_t *stream = open_file(whole);
    opj_codec_t *codec = open_codec(OPJ_CODEC_JP2, stream, &image);
    assert_true(opj_decoder_set_strict_mode(codec, strict));
    bool fine = image && opj_decode(codec, stream, image);
    assert_true(fine || errors > 0);
    for (OPJ_UINT32 c = 0; fine && c < image->numcomps; c++)
        assert_non_null(image->comps[c].data);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return fine;
}

static void test_damage(void **state)
{
    (void)state;
    encode(OPJ_CODEC_JP2, true, false);
    size_t length = file.length;
    for (size_t i = 0; i < 40; i++) {
        file.length = length * i / 40;
        assert_false(decode_anything(i % 2, true));
        decode_anything(i % 2, false);
    }
    file.length = length - 5000;
    assert_true(decode_anything(true, false) && warnings > 0);
    file.length = length;
    uint32_t random = 7;
    for (int i = 0; i < 300; i++) {
        random = random * 1664525 + 1013904223;
        size_t at = i < 200 ? (random >> 8) % 240 : (random >> 8) % length;
        uint8_t kept = file.bytes[at];
        file.bytes[at] = (uint8_t)random;
        decode_anything(i % 2, i % 3);
        file.bytes[at] = kept;
    }
    assert_true(decode_anything(true, true));
}

static void test_misuse(void **state)
{
    opj_image_t *image;
    (void)state;
    assert_null(opj_create_decompress(OPJ_CODEC_JPP));
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    encode(OPJ_CODEC_J2K, false, false);
    opj_stream_t *stream = open_file(true);
    assert_false(opj_read_header(stream, codec, &image));
    opj_destroy_codec(codec);
    codec = open_codec(OPJ_CODEC_J2K, stream, &image);
    assert_false(opj_set_decoded_resolution_factor(codec, 4));
    assert_true(opj_set_decoded_resolution_factor(codec, 1));
    assert_true(opj_decode(codec, stream, image) && image->comps[0].w == (X0 + WIDTH + 1) / 2 - (X0 + 1) / 2);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    assert_false(opj_decode(NULL, NULL, NULL));
    opj_destroy_codec(NULL);
    opj_image_destroy(NULL);
    opj_stream_destroy(NULL);
}

static jmp_buf left;

static OPJ_SIZE_T leave(void *from, OPJ_SIZE_T length, void *user)
{
    (void)from, (void)length, (void)user;
    longjmp(left, 1);
}

/* A function of the caller's that writes need not return; what was made is released with the codec, which can go on. */
static void test_leaving(void **state)
{
    opj_image_t *image = make_image();
    opj_stream_t *stream;
    opj_codec_t *codec = start(OPJ_CODEC_JP2, false, image, &stream);
    (void)state;
    assert_true(opj_encode(codec, stream));
    for (volatile int times = 0; times < 2; times++) {
        opj_stream_set_write_function(stream, leave);
        if (setjmp(left) == 0) {
            opj_end_compress(codec, stream);
            fail_msg("the call has returned");
        }
    }
    opj_stream_destroy(stream);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
}

/* Return the number of threads while a codec decodes which the program has told to use a number of them; -1: it has
 * not. */
static int count_threads(int asked)
{
    opj_image_t *image = NULL;
    opj_stream_t *stream = open_file(true);
    opj_dparameters_t parameters;
    int count = 0;
    opj_set_default_decoder_parameters(&parameters);
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_JP2);
    assert_true(opj_setup_decoder(codec, &parameters) && (asked < 0 || opj_codec_set_threads(codec, asked)));
    assert_true(opj_read_header(stream, codec, &image) && opj_decode(codec, stream, image));
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return count;
}

/* The program's number of threads counts first; its 0 overrides OpenJPEG's environment variable, but not Kostka's. */
static void test_thread_numbers(void **state)
{
    (void)state;
    encode(OPJ_CODEC_JP2, false, false);
    int alone = count_threads(-1);
    assert_int_equal(count_threads(0), alone);
    assert_int_equal(count_threads(2), alone + 1);
    setenv("OPJ_NUM_THREADS", "2", 1);
    assert_int_equal(count_threads(-1), alone + 1);
    assert_int_equal(count_threads(0), alone);
    unsetenv("OPJ_NUM_THREADS");
    setenv("KOSTKA_THREADS", "2", 1);
    assert_int_equal(count_threads(-1), alone + 1);
    assert_int_equal(count_threads(0), alone + 1);
    assert_int_equal(count_threads(1), alone);
    unsetenv("KOSTKA_THREADS");
}

/* The encoder refuses more resolutions than a tile can be halved for, as OpenJPEG does and Pillow relies on. */
static void test_resolutions(void **state)
{
    (void)state;
    for (int tiled = 0; tiled < 2; tiled++)
        for (int count = 1; count <= 12; count++) {
            opj_cparameters_t parameters;
            opj_image_t *image = make_image();
            opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
            OPJ_UINT32 width = tiled ? TILE : image->x1, height = tiled ? TILE : image->y1;
            OPJ_UINT32 least = width < height ? width : height;
            set_handlers(codec);
            opj_set_default_encoder_parameters(&parameters);
            parameters.tile_size_on = tiled;
            parameters.cp_tdx = parameters.cp_tdy = TILE;
            parameters.numresolution = count;
            assert_int_equal(opj_setup_encoder(codec, &parameters, image), least >> (count - 1) > 0);
            opj_image_destroy(image);
            opj_destroy_codec(codec);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_packed_tiles),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_thread_numbers),
        cmocka_unit_test(test_resolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
