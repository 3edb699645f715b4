/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads BMP files: DIB headers of all versions, 1 to 32 bits, palettes, bit masks with alpha, RLE of 4 and 8 bits.
 * Pictures are read as a whole from the mapped file, so that only their pixels are allocated; or row by row, with a
 * group of rows in memory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/bmp/file.h"
#include "files/bytes.h"

enum {
    FILE_HEADER = BMP_FILE_HEADER,
    CORE = 12,       /* lengths of DIB headers: of OS/2, */
    INFO = BMP_INFO, /* of Windows, */
    MASKS = 52,      /* with masks of red, green and blue, */
    ALPHA = 56,      /* of alpha, too, */
    PROFILE = BMP_PROFILE,
    OS2_SHORT = 16,
    OS2 = 64,
    RGB = 0, /* compressions */
    RLE8 = 1,
    RLE4 = 2,
    FIELDS = 3,
    ALPHA_FIELDS = 6,
    GROUP = 1 << 16 /* bytes of rows that are read at a time, or one row */
};

/* Describes a channel of a pixel of 16 or 32 bits. */
struct field {
    uint32_t mask;
    unsigned shift, bits; /* 0 bits: there is no such channel */
};

struct bmp {
    const struct source *source;
    const uint8_t *data; /* at least the headers and the palette, which fit in the source's first bytes */
    uint64_t length;     /* length of the file */
    uint32_t header;     /* length of the header */
    uint32_t width, height;
    bool top_down;
    unsigned bits;
    uint32_t compression;
    uint64_t pixels;  /* offset of the pixels */
    uint32_t colours; /* of the palette, up to 256 */
    uint8_t palette[256][3];
    struct field field[4]; /* red, green, blue, alpha */
    kst_format format;
    uint32_t depth;
    struct problem *problem;
};

static uint32_t get(const struct bmp *bmp, uint64_t at, int bytes)
{
    return little_endian(bmp->data + at, (unsigned)bytes);
}

static bool is_known_header(uint32_t length)
{
    return length == CORE || length == OS2_SHORT || length == INFO || length == MASKS || length == ALPHA ||
           length == OS2 || length == 108 || length == PROFILE;
}

static bool is_palette(const struct bmp *bmp)
{
    return bmp->bits <= 8;
}

static bool is_rle(const struct bmp *bmp)
{
    return bmp->compression == RLE8 || bmp->compression == RLE4;
}

/* Return whether the compression allows this number of bits. */
static bool is_possible(const struct bmp *bmp)
{
    switch (bmp->compression) {
    case RGB:
        return bmp->bits == 1 || bmp->bits == 2 || bmp->bits == 4 || bmp->bits == 8 || bmp->bits == 16 ||
               bmp->bits == 24 || bmp->bits == 32;
    case RLE8:
        return bmp->bits == 8;
    case RLE4:
        return bmp->bits == 4;
    case FIELDS:
    case ALPHA_FIELDS:
        return (bmp->bits == 16 || bmp->bits == 32) && bmp->header != OS2;
    default:
        return false;
    }
}

static bool get_size(struct bmp *bmp)
{
    bool core = bmp->header == CORE;
    int32_t height = core ? (int32_t)get(bmp, 20, 2) : (int32_t)get(bmp, 22, 4);

    bmp->width = core ? get(bmp, 18, 2) : get(bmp, 18, 4);
    bmp->bits = get(bmp, core ? 24 : 28, 2);
    bmp->compression = bmp->header >= INFO ? get(bmp, 30, 4) : RGB;
    bmp->top_down = height < 0;
    bmp->height = height < 0 ? 0u - (uint32_t)height : (uint32_t)height;
    if (bmp->width == 0 || bmp->width > INT32_MAX || bmp->height == 0)
        return problem_set(bmp->problem, "BMP: the picture has no size");
    if (!is_possible(bmp))
        return problem_set(
            bmp->problem, "BMP: %u bits with compression %u cannot be read", bmp->bits, (unsigned)bmp->compression);
    return !(bmp->top_down && is_rle(bmp)) || problem_set(bmp->problem, "BMP: run lengths from the top down");
}

/* Set a channel's field from its mask. Returns false if the mask's bits are not contiguous. */
static bool set_field(struct field *field, uint32_t mask)
{
    *field = (struct field){.mask = mask};
    if (mask == 0)
        return true;
    field->shift = (unsigned)__builtin_ctz(mask);
    mask >>= field->shift;
    field->bits = 32 - (unsigned)__builtin_clz(mask);
    return (mask & (mask + 1)) == 0;
}

/*
 * Read the masks, which later versions of the header contain and which follow the first version. `end` receives the
 * offset behind them.
 */
static bool get_fields(struct bmp *bmp, uint64_t *end)
{
    static const uint32_t usual[2][4] = {{0x7C00, 0x3E0, 0x1F, 0}, {0xFF0000, 0xFF00, 0xFF, 0}};
    bool stated = bmp->compression == FIELDS || bmp->compression == ALPHA_FIELDS;
    bool behind = stated && bmp->header < MASKS;
    bool alpha = bmp->header >= ALPHA || bmp->compression == ALPHA_FIELDS;
    bool good = true;

    if (behind)
        *end += bmp->compression == ALPHA_FIELDS ? 16 : 12;
    if (*end > bmp->length)
        return problem_set(bmp->problem, "BMP: the file ends in its header");
    for (unsigned i = 0; i < 4; i++) {
        uint32_t mask = !stated ? usual[bmp->bits == 32][i] : i < 3 || alpha ? get(bmp, 54 + 4 * i, 4) : 0;
        good = good && set_field(&bmp->field[i], bmp->bits == 16 ? mask & 0xFFFF : mask);
        bmp->depth = bmp->field[i].bits > 8 ? 16 : bmp->depth;
    }
    return good || problem_set(bmp->problem, "BMP: the bits of a mask are not next to each other");
}

/*
 * Read the palette: blue, green, red and, except with the oldest header, an unused byte. The picture is grey if all
 * colours are.
 */
static bool get_palette(struct bmp *bmp, uint64_t at)
{
    uint64_t entry = bmp->header == CORE ? 3 : 4, most = 1u << bmp->bits;
    uint64_t used = bmp->header >= INFO ? get(bmp, 46, 4) : 0;
    bool grey = true;

    bmp->colours = (uint32_t)(used == 0 || used > most ? most : used);
    if (at > bmp->length || bmp->colours > (bmp->length - at) / entry)
        return problem_set(bmp->problem, "BMP: the file ends in its palette");
    for (uint32_t i = 0; i < bmp->colours; i++) {
        for (unsigned c = 0; c < 3; c++)
            bmp->palette[i][c] = bmp->data[at + i * entry + 2 - c];
        grey = grey && bmp->palette[i][0] == bmp->palette[i][1] && bmp->palette[i][1] == bmp->palette[i][2];
    }
    bmp->format = grey ? KST_FORMAT_GREY : KST_FORMAT_RGB;
    return true;
}

static bool open_bmp(struct bmp *bmp, const struct source *source, struct problem *problem)
{
    *bmp = (struct bmp){
        .source = source, .data = source->data, .length = source_size(source), .depth = 8, .problem = problem};
    if (bmp->length < FILE_HEADER + CORE || bmp->length < FILE_HEADER + (uint64_t)get(bmp, FILE_HEADER, 4))
        return problem_set(problem, "BMP: the file ends in its header");
    bmp->header = get(bmp, FILE_HEADER, 4);
    bmp->pixels = get(bmp, 10, 4);
    if (!is_known_header(bmp->header))
        return problem_set(problem, "BMP: a header of %u bytes is not known", (unsigned)bmp->header);
    uint64_t end = FILE_HEADER + (uint64_t)bmp->header;
    if (!get_size(bmp) || ((bmp->bits == 16 || bmp->bits == 32) && !get_fields(bmp, &end)))
        return false;
    if (is_palette(bmp))
        return get_palette(bmp, end);
    bmp->format = bmp->field[3].bits > 0 ? KST_FORMAT_RGBA : KST_FORMAT_RGB;
    return true;
}

static uint8_t *row_of(const struct bmp *bmp, const struct picture *picture, uint32_t row)
{
    return picture_row(picture, 0, bmp->top_down ? row : bmp->height - 1 - row);
}

static void put_colour(const struct bmp *bmp, uint8_t *to, uint32_t x, unsigned index)
{
    if (bmp->format == KST_FORMAT_GREY)
        to[x] = bmp->palette[index][0];
    else
        memcpy(to + (size_t)3 * x, bmp->palette[index], 3);
}

static void read_indices(const struct bmp *bmp, const uint8_t *from, uint8_t *to)
{
    unsigned bits = bmp->bits, each = 8 / bits;

    for (uint32_t x = 0; x < bmp->width; x++)
        put_colour(bmp, to, x, from[x / each] >> (8 - bits - x % each * bits) & ((1u << bits) - 1));
}

/* Read pixels of whole bytes, in which blue comes first. */
static void read_bytes(const struct bmp *bmp, const uint8_t *from, uint8_t *to)
{
    for (size_t x = 0; x < bmp->width; x++)
        for (size_t c = 0; c < 3; c++)
            to[3 * x + c] = from[3 * x + 2 - c];
}

/*
 * Return a channel of a pixel, scaled: a sample v of maximum m becomes v × M ÷ m, rounded, as everywhere (picture.h).
 */
static uint32_t scaled(const struct field *field, uint32_t pixel, uint32_t to_max)
{
    uint64_t max = field->bits == 32 ? UINT32_MAX : (1u << field->bits) - 1;

    return max == 0 ? 0 : (uint32_t)(((uint64_t)((pixel & field->mask) >> field->shift) * to_max + max / 2) / max);
}

static void read_fields(const struct bmp *bmp, const uint8_t *from, uint8_t *to)
{
    uint32_t channels = bmp->format == KST_FORMAT_RGBA ? 4 : 3, max = (1u << bmp->depth) - 1;

    for (size_t x = 0; x < bmp->width; x++, from += bmp->bits / 8) {
        uint32_t pixel = (uint32_t)from[0] | (uint32_t)from[1] << 8;
        if (bmp->bits == 32)
            pixel |= (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
        for (uint32_t c = 0; c < channels; c++) {
            uint16_t sample = (uint16_t)scaled(&bmp->field[c], pixel, max);
            if (bmp->depth == 8)
                to[x * channels + c] = (uint8_t)sample;
            else
                memcpy(to + 2 * (x * channels + c), &sample, sizeof sample);
        }
    }
}

/* Return the number of bytes from one row to the next. */
static uint64_t stride_of(const struct bmp *bmp)
{
    return ((uint64_t)bmp->bits * bmp->width + 31) / 32 * 4;
}

/* Return whether the file contains row y. Some files omit the padding of the last row. */
static bool has_row(const struct bmp *bmp, uint32_t y)
{
    uint64_t at = bmp->pixels + y * stride_of(bmp);

    return at <= bmp->length && bmp->length - at >= ((uint64_t)bmp->bits * bmp->width + 7) / 8;
}

static void read_row(const struct bmp *bmp, const uint8_t *from, uint8_t *to)
{
    if (is_palette(bmp))
        read_indices(bmp, from, to);
    else if (bmp->bits == 24)
        read_bytes(bmp, from, to);
    else
        read_fields(bmp, from, to);
}

static bool read_rows(const struct bmp *bmp, const struct picture *picture)
{
    for (uint32_t y = 0; y < bmp->height; y++) {
        if (!has_row(bmp, y))
            return problem_set(
                bmp->problem, "BMP: the file ends before row %u of %u", (unsigned)y, (unsigned)bmp->height);
        read_row(bmp, bmp->data + bmp->pixels + y * stride_of(bmp), row_of(bmp, picture, y));
    }
    return true;
}

/* Holds the state of reading run lengths. */
struct runs {
    uint64_t at;
    uint32_t x, y;
};

static void put_run(const struct bmp *bmp, const struct picture *picture, struct runs *runs, unsigned index)
{
    if (runs->x < bmp->width && runs->y < bmp->height)
        put_colour(bmp, row_of(bmp, picture, runs->y), runs->x++, index);
}

/* Read `count` literal pixels, which are padded to a whole word. */
static bool read_absolute(const struct bmp *bmp, const struct picture *picture, struct runs *runs, unsigned count)
{
    unsigned bytes = bmp->bits == 8 ? count : (count + 1) / 2, padded = (bytes + 1) / 2 * 2;

    if (bmp->length - runs->at < bytes)
        return false;
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = bmp->data[runs->at + (bmp->bits == 8 ? i : i / 2)];
        put_run(bmp, picture, runs, bmp->bits == 8 ? byte : i % 2 == 0 ? byte >> 4 : byte & 15);
    }
    runs->at += bmp->length - runs->at < padded ? bytes : padded;
    return true;
}

/* Read the escape that follows a zero. Sets `done` at the end of the picture. */
static bool read_escape(
    const struct bmp *bmp, const struct picture *picture, struct runs *runs, unsigned code, bool *done)
{
    switch (code) {
    case 0:
        runs->x = 0;
        runs->y++;
        return true;
    case 1:
        *done = true;
        return true;
    case 2:
        if (bmp->length - runs->at < 2)
            return false;
        runs->x += bmp->data[runs->at];
        runs->y += bmp->data[runs->at + 1];
        runs->at += 2;
        return true;
    default:
        return read_absolute(bmp, picture, runs, code);
    }
}

/* Read run lengths. Pixels that no run covers get the palette's first colour. */
static bool read_runs(const struct bmp *bmp, const struct picture *picture)
{
    struct runs runs = {.at = bmp->pixels};
    bool done = false;

    for (uint32_t y = 0; y < bmp->height; y++)
        for (uint32_t x = 0; x < bmp->width; x++)
            put_colour(bmp, row_of(bmp, picture, y), x, 0);
    while (!done && runs.y < bmp->height) {
        if (runs.at > bmp->length || bmp->length - runs.at < 2)
            return problem_set(
                bmp->problem, "BMP: the file ends in row %u of %u", (unsigned)runs.y, (unsigned)bmp->height);
        unsigned count = bmp->data[runs.at], value = bmp->data[runs.at + 1];
        runs.at += 2;
        for (unsigned i = 0; i < count; i++)
            put_run(bmp, picture, &runs, bmp->bits == 8 ? value : i % 2 == 0 ? value >> 4 : value & 15);
        if (count == 0 && !read_escape(bmp, picture, &runs, value, &done))
            return problem_set(
                bmp->problem, "BMP: the file ends in row %u of %u", (unsigned)runs.y, (unsigned)bmp->height);
    }
    return true;
}

/* Keep the density and the ICC profile, whose offset counts from the DIB header. */
static bool keep_extras(const struct bmp *bmp, struct picture *picture)
{
    double x = bmp->header >= INFO ? get(bmp, 38, 4) * BMP_INCH : 0,
           y = bmp->header >= INFO ? get(bmp, 42, 4) * BMP_INCH : 0;

    if (x >= 1 && y >= 1 && x < UINT16_MAX && y < UINT16_MAX) {
        picture->density_unit = KST_DENSITY_INCH;
        picture->density_x = (uint16_t)lround(x);
        picture->density_y = (uint16_t)lround(y);
    }
    if (bmp->header != PROFILE || get(bmp, 70, 4) != BMP_EMBEDDED)
        return true;
    uint64_t at = FILE_HEADER + (uint64_t)get(bmp, 126, 4), length = get(bmp, 130, 4);
    if (length == 0 || at > bmp->length || length > bmp->length - at)
        return true; /* a profile beyond the file's end is ignored */
    picture->icc = (struct blob){malloc((size_t)length), (size_t)length};
    if (picture->icc.data == NULL)
        return problem_set(bmp->problem, "out of memory");
    return source_at(bmp->source, at, (size_t)length, picture->icc.data, bmp->problem);
}

static bool bmp_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct bmp bmp;

    if (!open_bmp(&bmp, source, problem) ||
        !picture_permitted(settings, bmp.width, bmp.height, kst_format_channels(bmp.format) * bmp.depth / 8, problem))
        return false;
    if (!is_rle(&bmp) && bmp.height > bmp.length) /* a row has at least one byte */
        return problem_set(
            problem, "BMP: the file ends before row %llu of %u", (unsigned long long)bmp.length, (unsigned)bmp.height);
    return picture_allocate(picture, bmp.format, bmp.width, bmp.height, bmp.depth, settings->max_pixels, problem) &&
           (is_rle(&bmp) ? read_runs : read_rows)(&bmp, picture) && keep_extras(&bmp, picture);
}

static void describe(const struct bmp *bmp, kst_image *image)
{
    image->format = bmp->format;
    image->width = bmp->width;
    image->height = bmp->height;
    image->plane[0].depth = (uint8_t)bmp->depth;
}

static bool bmp_describe(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct bmp bmp;
    (void)settings;

    if (!open_bmp(&bmp, source, problem))
        return false;
    describe(&bmp, &picture->image);
    return true;
}

/* Holds the state of reading a file row by row. */
struct reading {
    struct bmp bmp;
    struct problem problem;
    uint32_t y;      /* the next row of the picture */
    uint32_t group;  /* number of rows that are loaded at a time */
    uint32_t first;  /* the first loaded row, as an index of rows in the file */
    uint32_t loaded; /* number of loaded rows */
    uint8_t *bytes;
};

/* Load the group of rows of the file that begins, in the picture's order, with the next row. */
static bool load(struct reading *reading, uint32_t row, struct problem *problem)
{
    const struct bmp *bmp = &reading->bmp;
    uint32_t left = bmp->height - reading->y, rows = left < reading->group ? left : reading->group;
    uint32_t first = bmp->top_down ? row : row - (rows - 1);
    uint64_t stride = stride_of(bmp), at = bmp->pixels + first * stride, length = rows * stride;

    length = length < bmp->length - at ? length : bmp->length - at; /* the end of the last row may be missing */
    reading->first = first;
    reading->loaded = rows;
    return source_at(bmp->source, at, (size_t)length, reading->bytes, problem);
}

static bool tell_row(uint32_t row, uint32_t height, struct problem *problem)
{
    const struct problem what = *problem;

    return problem_set(problem, "BMP: row %u of %u: %s", (unsigned)row, (unsigned)height, what.text);
}

static bool next_row(void *file, uint8_t *to, struct problem *problem)
{
    struct reading *reading = file;
    const struct bmp *bmp = &reading->bmp;
    uint32_t row = bmp->top_down ? reading->y : bmp->height - 1 - reading->y;

    if (row - reading->first >= reading->loaded && !load(reading, row, problem))
        return tell_row(row, bmp->height, problem);
    read_row(bmp, reading->bytes + (row - reading->first) * stride_of(bmp), to);
    reading->y++;
    return true;
}

static bool end_reading(void *file, bool good, struct problem *problem)
{
    struct reading *reading = file;
    (void)problem;

    free(reading->bytes);
    free(reading);
    return good;
}

/*
 * Return whether rows can be read one by one. Run lengths do not allow that, because they may skip pixels of later
 * rows.
 */
static bool can_read_rows(const struct bmp *bmp, const struct file_settings *settings)
{
    struct problem told_later;

    return !is_rle(bmp) && has_row(bmp, bmp->height - 1) && memory_permitted(settings, stride_of(bmp), &told_later);
}

static void *begin_reading(const struct source *source, const struct file_settings *settings, struct picture *whole)
{
    struct reading *reading = calloc(1, sizeof *reading);
    struct bmp *bmp = reading != NULL ? &reading->bmp : NULL;

    if (reading == NULL)
        return NULL;
    if (open_bmp(bmp, source, &reading->problem) && can_read_rows(bmp, settings) && keep_extras(bmp, whole)) {
        uint64_t stride = stride_of(bmp);
        reading->group = stride < GROUP ? (uint32_t)(GROUP / stride) : 1;
        reading->bytes = malloc((size_t)(reading->group * stride));
        describe(bmp, &whole->image);
    }
    if (reading->bytes != NULL)
        return reading;
    free(reading);
    return NULL;
}

static const struct row_reader bmp_reading = {begin_reading, next_row, end_reading, false};

/* Detect BMP. Two letters are not enough, so the length of the header must be a known one, too. */
static bool bmp_detect(const uint8_t *data, size_t length)
{
    return length >= FILE_HEADER + CORE && data[0] == 'B' && data[1] == 'M' && data[15] == 0 && data[16] == 0 &&
           data[17] == 0 && is_known_header(data[14]);
}

const struct file_format file_bmp = {
    "bmp", {"bmp", "dib"}, KST_FORMAT_AUTO, bmp_detect, bmp_read, bmp_write, bmp_describe, &bmp_reading};
