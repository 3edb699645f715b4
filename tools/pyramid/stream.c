/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the bytes of tiles, and makes complete streams of them. */
#include <stdlib.h>
#include <string.h>

#include "pyramid/pyramid.h"
#include "pyramid/segments.h"

/* The most bytes of a tile: GROWTH_MAX times its samples, and LENGTH_SPARE bytes. libtiff reads no more, either. */
enum { GROWTH_MAX = 10, LENGTH_SPARE = 4096 };

enum { COLOUR_SYCC = 18 /* T.800 Table I.10 */ };

bool pyramid_bytes(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, uint64_t *at, uint64_t *length)
{
    if (!ifd_element(&pyramid->bytes, &image->offsets, index, at) ||
        !ifd_element(&pyramid->bytes, &image->lengths, index, length))
        return false;
    if (pyramid->bytes.ndpi)
        *at = ifd_latest(*at, image->at);
    return true;
}

void pyramid_tile(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, struct pyramid_tile *tile)
{
    const uint32_t column = (uint32_t)(index % image->across), row = (uint32_t)(index / image->across);
    uint64_t at = 0, length = 0;

    *tile = (struct pyramid_tile){.x = column * image->tile_width, .y = row * image->tile_height};
    const uint32_t right = image->width - tile->x, below = image->height - tile->y;
    tile->width = right < image->tile_width ? right : image->tile_width;
    tile->height = below < image->tile_height ? below : image->tile_height;
    const bool known = image->strip.data != NULL ? pyramid_interval(pyramid, image, index, &at, &length)
                                                 : pyramid_bytes(pyramid, image, index, &at, &length);
    tile->at = at;
    tile->missing = known && length == 0;
    if (!known || length == 0 || at > pyramid->bytes.length || length > pyramid->bytes.length - at)
        return;
    const uint64_t most = (uint64_t)image->tile_width * image->tile_height * image->samples * (image->bits > 8 ? 2 : 1);
    if (length / GROWTH_MAX > most && length - most * GROWTH_MAX > LENGTH_SPARE)
        length = most * GROWTH_MAX + LENGTH_SPARE;
    tile->data = pyramid->bytes.data + at;
    tile->length = (size_t)length;
}

static uint32_t long_word(const uint8_t *data)
{
    return (uint32_t)pyramid_word(data) << 16 | pyramid_word(data + 2);
}

/* Check that a stream's picture has the size that the directory states for the tile. The last strip may be lower. */
static bool check_size(const struct pyramid_image *image, const struct pyramid_tile *tile, uint32_t width,
    uint32_t height, uint32_t components, struct problem *problem)
{
    const bool fits =
        width == image->tile_width && (height == image->tile_height || (!image->tiled && height >= tile->height));

    if (fits && components == image->samples)
        return true;
    return problem_set(problem, "it holds %ux%u pixels of %u components, not %ux%u of %u", (unsigned)width,
        (unsigned)height, (unsigned)components, (unsigned)image->tile_width, (unsigned)image->tile_height,
        (unsigned)image->samples);
}

struct joined {
    uint8_t *to;
    size_t length;
};

static void add(struct joined *joined, const uint8_t *data, size_t length)
{
    if (length > 0)
        memcpy(joined->to + joined->length, data, length);
    joined->length += length;
}

/*
 * Copy marker segments up to SOS, except the JFIF and Adobe segments, which state colours: the directory states them.
 * Returns the offset in `data` behind the copied part; 0 if the segments are damaged or have no frame header. *frame
 * receives the offset of the frame header in the copy.
 */
static size_t copy_headers(struct joined *joined, const uint8_t *data, size_t length, size_t *frame)
{
    struct pyramid_segment segment;

    *frame = 0;
    for (size_t at = 2; pyramid_segment(data, length, at, &segment); at = segment.at + segment.length) {
        if (segment.marker == M_SOS)
            return *frame != 0 ? segment.at : 0;
        if (pyramid_is_frame(&segment))
            *frame = joined->length;
        if (segment.marker != M_APP0 && segment.marker != M_APP14)
            add(joined, data + segment.at, segment.length);
    }
    return 0;
}

/* Begin a JPEG stream: SOI, and the colours in an Adobe marker segment. */
static void begin_jpeg(struct joined *joined, const struct pyramid_image *image)
{
    uint8_t colours[] = {0xFF, M_SOI, 0xFF, M_APP14, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};

    colours[17] = image->photometric == PHOTOMETRIC_OF_YCBCR;
    add(joined, colours, image->samples == 3 ? sizeof colours : 2);
}

enum { BEGINNING = 18 /* the most bytes that begin_jpeg() writes */ };

static bool has_soi(const uint8_t *data, size_t length)
{
    return length >= 4 && pyramid_word(data) == (0xFF00 | M_SOI);
}

/* Join the tables, without their SOI and EOI, and the tile's own segments and scans. */
static bool make_jpeg(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem)
{
    const uint8_t *data = tile->data, *tables = image->tables.value;
    size_t more = image->tables.count > 0 ? image->tables.length : 0, frame;

    if (!has_soi(data, tile->length))
        return problem_set(problem, "it is no JPEG stream");
    if (more > 0 && (!has_soi(tables, more) || pyramid_word(tables + more - 2) != (0xFF00 | M_EOI)))
        return problem_set(problem, "JPEGTables are damaged");
    stream->made = malloc(BEGINNING + more + tile->length);
    if (stream->made == NULL)
        return problem_set(problem, "out of memory");
    struct joined joined = {.to = stream->made};
    begin_jpeg(&joined, image);
    if (more > 4)
        add(&joined, tables + 2, more - 4);
    const size_t end = copy_headers(&joined, data, tile->length, &frame);
    if (end == 0)
        return problem_set(problem, "its JPEG headers are damaged");
    add(&joined, data + end, tile->length - end);
    stream->data = stream->made;
    stream->length = joined.length;
    const uint8_t *size = stream->data + frame + 5;
    return check_size(image, tile, pyramid_word(size + 2), pyramid_word(size), size[4], problem);
}

static void put_word(uint8_t *to, uint32_t number)
{
    to[0] = (uint8_t)(number >> 8);
    to[1] = (uint8_t)number;
}

/* Join the headers of a level's stream, with the size of a tile, and one of its restart intervals. */
static bool make_interval(const struct pyramid_image *image, const struct pyramid_tile *tile,
    struct pyramid_stream *stream, struct problem *problem)
{
    static const uint8_t end[] = {0xFF, M_EOI};
    const struct pyramid_strip *strip = &image->strip;
    size_t frame;

    stream->made = malloc(BEGINNING + strip->header + tile->length + sizeof end);
    if (stream->made == NULL)
        return problem_set(problem, "out of memory");
    struct joined joined = {.to = stream->made};
    begin_jpeg(&joined, image);
    const size_t scan = copy_headers(&joined, strip->data, strip->header, &frame);
    if (scan == 0)
        return problem_set(problem, "its JPEG headers are damaged");
    add(&joined, strip->data + scan, strip->header - scan);
    add(&joined, tile->data, tile->length);
    add(&joined, end, sizeof end);
    put_word(stream->made + frame + 5, image->tile_height);
    put_word(stream->made + frame + 7, image->tile_width);
    stream->data = stream->made;
    stream->length = joined.length;
    return true;
}

static void put_number(uint8_t *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void put_box(uint8_t *to, uint32_t length, const char *type)
{
    put_number(to, length);
    memcpy(to + 4, type, 4);
}

/* Put a codestream into a JP2 file (T.800 Annex I), which states that its colours are sYCC. */
static bool wrap(struct pyramid_stream *stream, uint32_t width, uint32_t height, struct problem *problem)
{
    enum { FILE_TYPE = 12, HEADER = 32, SIZE = 40, COLOUR = 62, CODESTREAM = 77, HEADERS = 85 };

    if (stream->length > UINT32_MAX - 8)
        return problem_set(problem, "it is too long");
    uint8_t *to = calloc(1, HEADERS + stream->length);
    if (to == NULL)
        return problem_set(problem, "out of memory");
    put_box(to, 12, "jP  ");
    memcpy(to + 8, "\r\n\x87\n", 4);
    put_box(to + FILE_TYPE, 20, "ftyp");
    memcpy(to + FILE_TYPE + 8, "jp2 \0\0\0\0jp2 ", 12);
    put_box(to + HEADER, CODESTREAM - HEADER, "jp2h");
    put_box(to + SIZE, 22, "ihdr");
    put_number(to + SIZE + 8, height);
    put_number(to + SIZE + 12, width);
    to[SIZE + 17] = 3;                /* components */
    to[SIZE + 18] = stream->data[42]; /* the depth, as in Ssiz */
    to[SIZE + 19] = 7;                /* the only type of compression */
    put_box(to + COLOUR, 15, "colr");
    to[COLOUR + 8] = 1; /* an enumerated colour space follows */
    put_number(to + COLOUR + 11, COLOUR_SYCC);
    put_box(to + CODESTREAM, (uint32_t)(stream->length + 8), "jp2c");
    memcpy(to + HEADERS, stream->data, stream->length);
    stream->made = to;
    stream->data = to;
    stream->length += HEADERS;
    return true;
}

bool pyramid_j2k_ycbcr(const struct pyramid_image *image)
{
    return image->samples == 3 &&
           (image->compression == COMPRESSED_J2K_YCBCR ||
               (image->compression != COMPRESSED_J2K_RGB && image->photometric == PHOTOMETRIC_OF_YCBCR));
}

static bool make_j2k(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem)
{
    static const uint8_t file[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '}, codestream[] = {0xFF, 0x4F, 0xFF, 0x51};
    const uint8_t *data = tile->data;

    stream->data = data;
    stream->length = tile->length;
    if (tile->length >= sizeof file && memcmp(data, file, sizeof file) == 0)
        return true; /* a JP2 file states its colours itself, and its size is checked when it is decoded */
    if (tile->length < 43 || memcmp(data, codestream, sizeof codestream) != 0)
        return problem_set(problem, "it is no JPEG 2000 codestream");
    /* Xsiz, Ysiz, XOsiz and YOsiz (T.800 A.5.1) */
    const uint32_t right = long_word(data + 8), bottom = long_word(data + 12);
    const uint32_t left = long_word(data + 16), top = long_word(data + 20);
    if (right <= left || bottom <= top)
        return problem_set(problem, "its codestream has no size");
    return check_size(image, tile, right - left, bottom - top, pyramid_word(data + 40), problem) &&
           (!pyramid_j2k_ycbcr(image) || wrap(stream, right - left, bottom - top, problem));
}

bool pyramid_stream(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem)
{
    *stream = (struct pyramid_stream){.made = NULL};
    if (tile->data == NULL)
        return problem_set(problem, "its bytes are not in the file");
    bool (*make)(const struct pyramid_image *, const struct pyramid_tile *, struct pyramid_stream *, struct problem *) =
        pyramid_is_j2k(image)       ? make_j2k
        : image->strip.data != NULL ? make_interval
                                    : make_jpeg;
    if (make(image, tile, stream, problem))
        return true;
    free(stream->made);
    stream->made = NULL;
    return false;
}
