/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses the rows of a PNG in bands. Each band becomes a deflate stream of its own, and the streams are joined
 * (deflate/join.h) to one zlib stream. The division into bands does not depend on the number of threads, so neither
 * does the file. The calling thread fills bands and writes finished ones in order; if no band is free, it compresses
 * one itself.
 */
#include "files/png/bands.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "files/deflate/join.h"
#include "files/deflate/library.h"
#include "files/png/filter.h"

enum {
    BAND_BYTES = 1 << 19,   /* bytes of filtered rows in a band, unless a single row is longer */
    SAMPLE_BYTES = 1 << 15, /* bytes of a band by which its compression method is chosen */
    SAMPLE_COLUMNS = 1 << 9,
    SAMPLE_LEVEL = 1,
    DEFAULT_LEVEL = 4,
    LEVELS = 10,
    HELPERS_MAX = 63
};

enum band_state { BAND_FREE = 0, BAND_WAITING, BAND_TAKEN, BAND_DONE };

/* Holds rows and, later, the same rows compressed, in the same memory. */
struct band {
    uint8_t *memory;
    uint32_t rows;
    bool is_last;
    enum band_state state;
    size_t length; /* compressed */
    uint32_t adler;
    bool good;
};

/* Holds a thread's compressors and its buffer of filtered rows. */
struct kit {
    struct libdeflate_compressor *compressor[LEVELS]; /* made when they are needed */
    uint8_t *filtered;
};

struct png_bands {
    struct png_bands_shape shape;
    struct output *output;
    size_t stride;      /* bytes from one row of a band to the next */
    uint32_t band_rows; /* rows of each band but the last */
    size_t room;        /* bytes of a band's memory */
    struct band *band;  /* bands, used as a ring */
    size_t count;
    size_t filling, writing; /* bands by number: being filled, and oldest that is not written */
    uint8_t *above;          /* the last row of the band before the one that is being filled */
    uint32_t filled;         /* rows so far of the band that is being filled */
    uint32_t done;           /* rows in all bands before it */
    uint32_t adler;
    struct kit own;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t taking; /* the next band that a thread takes to compress it */
    bool ending;
    pthread_t helper[HELPERS_MAX];
    size_t helpers;
};

/* Return row `y` of a band. A band begins with the row above its first one, and a margin precedes each row. */
static uint8_t *row_at(const struct png_bands *bands, const struct band *band, uint32_t y)
{
    return band->memory + (size_t)y * bands->stride + PNG_FILTER_MARGIN;
}

static bool kit_make(struct kit *kit, const struct png_bands *bands)
{
    kit->filtered = malloc((bands->shape.row_bytes + 1) * bands->band_rows);
    return kit->filtered != NULL;
}

static void kit_free(struct kit *kit)
{
    for (int i = 0; i < LEVELS; i++)
        libdeflate_free_compressor(kit->compressor[i]);
    free(kit->filtered);
}

/* Compress data. Returns the compressed length; 0 if out of memory, or if `room` is too small. */
static size_t deflate(struct kit *kit, int level, const uint8_t *data, size_t length, uint8_t *to, size_t room)
{
    struct libdeflate_compressor **compressor = &kit->compressor[level];

    if (*compressor == NULL)
        *compressor = libdeflate_alloc_compressor(level);
    return *compressor == NULL ? 0 : libdeflate_deflate_compress(*compressor, data, length, to, room);
}

/* Describes the sample of a band by which its method is chosen: some bytes of some rows. */
struct window {
    uint32_t y, rows;
    size_t x, length;
};

static void filter_window(
    const struct png_bands *bands, const struct band *band, const struct window *window, bool adaptive, uint8_t *to)
{
    size_t length = window->length, pixel = bands->shape.pixel_bytes;

    for (uint32_t y = window->y; y < window->y + window->rows; y++, to += length + 1) {
        const uint8_t *row = row_at(bands, band, y + 1) + window->x, *above = row_at(bands, band, y) + window->x;
        enum png_filter filter = adaptive ? png_filter_choose(row, above, length, pixel) : PNG_FILTER_OF_NONE;
        png_filter_row(filter, row, above, length, pixel, to);
    }
}

/* Says how a band is compressed. */
struct method {
    bool adaptive; /* choose a filter for each row */
    int level;
};

/*
 * Choose how to compress a band, by a sample from its middle. Photographs usually compress better when filtered;
 * drawings often do not, and are filtered only if that gains a sixteenth. Levels above the default gain little for
 * photographs: a twentieth for smooth ones, at half as much time again. Data that become much smaller have long
 * matches, for which a longer search pays, especially in drawings.
 */
static struct method choose_method(const struct png_bands *bands, const struct band *band, struct kit *kit)
{
    size_t row = bands->shape.row_bytes, length = row < SAMPLE_COLUMNS ? row : SAMPLE_COLUMNS;
    size_t rows = SAMPLE_BYTES / (length + 1), left = row - length, size[2];
    uint8_t filtered[SAMPLE_BYTES], packed[2 * SAMPLE_BYTES];
    struct method method = {.level = bands->shape.level};

    if (method.level == 0)
        return method;
    rows = rows < band->rows ? rows : band->rows;
    const struct window window = {.y = (band->rows - (uint32_t)rows) / 2,
        .rows = (uint32_t)rows,
        .x = left / 2 / bands->shape.pixel_bytes * bands->shape.pixel_bytes,
        .length = length};
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        filter_window(bands, band, &window, adaptive, filtered);
        size[adaptive] = deflate(kit, SAMPLE_LEVEL, filtered, rows * (length + 1), packed, sizeof packed);
    }
    method.adaptive = size[1] <= size[0] + size[0] / 16;
    if (method.level < 0) {
        size_t ratio = rows * length / (size[method.adaptive] + 1);
        method.level = DEFAULT_LEVEL;
        if (ratio >= 20)
            method.level += 3;
        else if (ratio >= (method.adaptive ? 12 : 5))
            method.level += 2;
    }
    return method;
}

static void compress(const struct png_bands *bands, struct band *band, struct kit *kit)
{
    const struct window whole = {.rows = band->rows, .length = bands->shape.row_bytes};
    size_t length = (bands->shape.row_bytes + 1) * band->rows;
    struct method method = choose_method(bands, band, kit);

    filter_window(bands, band, &whole, method.adaptive, kit->filtered);
    band->adler = libdeflate_adler32(1, kit->filtered, length);
    band->length = deflate(kit, method.level, kit->filtered, length, band->memory, bands->room - DEFLATE_JOIN_BYTES);
    band->good = band->length > 0 && (band->is_last || deflate_open_end(band->memory, &band->length));
}

/* Compress the next waiting band. The caller holds the lock, before and after. Returns false if no band waits. */
static bool compress_next(struct png_bands *bands, struct kit *kit)
{
    struct band *band = &bands->band[bands->taking % bands->count];

    if (bands->taking == bands->filling || band->state != BAND_WAITING)
        return false;
    bands->taking++;
    band->state = BAND_TAKEN;
    pthread_mutex_unlock(&bands->lock);
    compress(bands, band, kit);
    pthread_mutex_lock(&bands->lock);
    band->state = BAND_DONE;
    pthread_cond_broadcast(&bands->changed);
    return true;
}

static void *help(void *argument)
{
    struct png_bands *bands = argument;
    struct kit kit = {.filtered = NULL};

    if (kit_make(&kit, bands)) { /* if that fails, the other threads do this thread's work */
        pthread_mutex_lock(&bands->lock);
        while (!bands->ending)
            if (!compress_next(bands, &kit))
                pthread_cond_wait(&bands->changed, &bands->lock);
        pthread_mutex_unlock(&bands->lock);
    }
    kit_free(&kit);
    return NULL;
}

static void put_number(uint8_t to[4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (24 - 8 * i));
}

bool png_write_parts(struct output *output, const char type[4], const struct png_part parts[3], struct problem *problem)
{
    uint8_t head[8], tail[4];
    size_t length = 0;

    memcpy(head + 4, type, 4);
    uint32_t crc = libdeflate_crc32(0, type, 4);
    for (int i = 0; i < 3; i++) {
        length += parts[i].length;
        crc = libdeflate_crc32(crc, parts[i].data, parts[i].length);
    }
    put_number(head, (uint32_t)length);
    put_number(tail, crc);
    bool good = length <= INT32_MAX ? output_write(output, head, sizeof head, problem)
                                    : problem_set(problem, "PNG: a chunk of more than 2³¹ − 1 bytes");
    for (int i = 0; i < 3 && good; i++)
        good = output_write(output, parts[i].data, parts[i].length, problem);
    return good && output_write(output, tail, sizeof tail, problem);
}

/*
 * Return the Adler-32 checksum of two consecutive pieces from those of each; the second has this length (RFC 1950,
 * 8.2).
 */
static uint32_t join_adler(uint32_t first, uint32_t second, uint64_t length)
{
    const uint32_t base = 65521;
    uint64_t rest = length % base, a = first & 0xFFFF, b = first >> 16;
    uint64_t sum = (a + (second & 0xFFFF) + base - 1) % base;
    uint64_t sums = (b + (second >> 16) + rest * (a + base - 1)) % base;

    return (uint32_t)(sums << 16 | sum);
}

/* Make CMF and FLG (RFC 1950, 2.2), for a window of 32 KiB and the level. */
static void make_zlib_head(uint8_t head[2], int level)
{
    unsigned kind = level < 0 ? 2 : level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3, word = 0x7800 | kind << 6;

    word += 31 - word % 31;
    head[0] = (uint8_t)(word >> 8);
    head[1] = (uint8_t)word;
}

static bool write_band(struct png_bands *bands, const struct band *band, struct problem *problem)
{
    uint8_t head[2], tail[4];
    bool is_first = bands->writing == 0;

    if (!band->good)
        return problem_set(problem, "PNG: out of memory, or no deflate stream was made");
    bands->adler = join_adler(bands->adler, band->adler, (uint64_t)(bands->shape.row_bytes + 1) * band->rows);
    make_zlib_head(head, bands->shape.level);
    put_number(tail, bands->adler);
    const struct png_part parts[3] = {
        {head, is_first ? sizeof head : 0}, {band->memory, band->length}, {tail, band->is_last ? sizeof tail : 0}};
    return png_write_parts(bands->output, "IDAT", parts, problem);
}

/* Write the oldest band. Until it is finished, compress other bands. */
static bool write_oldest(struct png_bands *bands, struct problem *problem)
{
    struct band *band = &bands->band[bands->writing % bands->count];

    pthread_mutex_lock(&bands->lock);
    while (band->state != BAND_DONE)
        if (!compress_next(bands, &bands->own))
            pthread_cond_wait(&bands->changed, &bands->lock);
    pthread_mutex_unlock(&bands->lock);
    bool good = write_band(bands, band, problem);
    band->state = BAND_FREE; /* no thread takes it before it is filled */
    bands->writing++;
    return good;
}

/* Submit a band to the threads. A thread is started with each of the first bands. */
static void submit(struct png_bands *bands, struct band *band)
{
    pthread_mutex_lock(&bands->lock);
    band->state = BAND_WAITING;
    bands->filling++;
    pthread_cond_broadcast(&bands->changed);
    pthread_mutex_unlock(&bands->lock);
    if (bands->helpers + 1 < bands->shape.threads && !band->is_last && bands->helpers < HELPERS_MAX &&
        pthread_create(&bands->helper[bands->helpers], NULL, help, bands) == 0)
        bands->helpers++;
}

static bool begin_band(struct png_bands *bands, struct problem *problem)
{
    struct band *band = &bands->band[bands->filling % bands->count];
    uint32_t left = bands->shape.rows - bands->done;

    if (bands->filling - bands->writing == bands->count && !write_oldest(bands, problem))
        return false;
    if (band->memory == NULL && (band->memory = malloc(bands->room)) == NULL)
        return problem_set(problem, "out of memory");
    band->rows = left < bands->band_rows ? left : bands->band_rows;
    band->is_last = band->rows == left;
    for (uint32_t y = 0; y <= band->rows; y++)
        memset(row_at(bands, band, y) - PNG_FILTER_MARGIN, 0, PNG_FILTER_MARGIN);
    memcpy(row_at(bands, band, 0), bands->above, bands->shape.row_bytes);
    return true;
}

/* End the band that is being filled: it has all its rows. */
static void end_band(struct png_bands *bands)
{
    struct band *band = &bands->band[bands->filling % bands->count];

    memcpy(bands->above, row_at(bands, band, band->rows), bands->shape.row_bytes);
    bands->done += band->rows;
    bands->filled = 0;
    submit(bands, band);
}

uint8_t *png_bands_next(struct png_bands *bands, struct problem *problem)
{
    struct band *band = &bands->band[bands->filling % bands->count];

    if (bands->filled > 0 && bands->filled == band->rows) {
        end_band(bands);
        band = &bands->band[bands->filling % bands->count];
    }
    if (bands->filled == 0 && !begin_band(bands, problem))
        return NULL;
    return row_at(bands, band, ++bands->filled);
}

bool png_bands_finish(struct png_bands *bands, struct problem *problem)
{
    end_band(bands);
    while (bands->writing < bands->filling)
        if (!write_oldest(bands, problem))
            return false;
    return true;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool make_room(struct png_bands *bands)
{
    const struct png_bands_shape *shape = &bands->shape;
    size_t rows = larger(BAND_BYTES / (shape->row_bytes + 1), 1);

    bands->band_rows = rows < shape->rows ? (uint32_t)rows : shape->rows;
    bands->stride = shape->row_bytes + PNG_FILTER_MARGIN;
    bands->count = shape->threads == 1 ? 1 : (shape->threads < HELPERS_MAX ? shape->threads : HELPERS_MAX) + 1;
    bands->band = calloc(bands->count, sizeof *bands->band);
    bands->above = calloc(1, shape->row_bytes);
    if (bands->band == NULL || bands->above == NULL || !kit_make(&bands->own, bands))
        return false;
    size_t most = libdeflate_deflate_compress_bound(NULL, (shape->row_bytes + 1) * bands->band_rows);
    bands->room = larger(bands->stride * (bands->band_rows + 1), most + DEFLATE_JOIN_BYTES);
    return true;
}

struct png_bands *png_bands_create(const struct png_bands_shape *shape, struct output *output, struct problem *problem)
{
    struct png_bands *bands = calloc(1, sizeof *bands);

    if (bands == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    *bands = (struct png_bands){.shape = *shape, .output = output, .adler = 1};
    pthread_mutex_init(&bands->lock, NULL);
    pthread_cond_init(&bands->changed, NULL);
    if (make_room(bands))
        return bands;
    problem_set(problem, "out of memory");
    png_bands_destroy(bands);
    return NULL;
}

void png_bands_destroy(struct png_bands *bands)
{
    if (bands == NULL)
        return;
    pthread_mutex_lock(&bands->lock);
    bands->ending = true;
    pthread_cond_broadcast(&bands->changed);
    pthread_mutex_unlock(&bands->lock);
    for (size_t i = 0; i < bands->helpers; i++)
        pthread_join(bands->helper[i], NULL);
    for (size_t i = 0; bands->band != NULL && i < bands->count; i++)
        free(bands->band[i].memory);
    free(bands->band);
    free(bands->above);
    kit_free(&bands->own);
    pthread_cond_destroy(&bands->changed);
    pthread_mutex_destroy(&bands->lock);
    free(bands);
}
