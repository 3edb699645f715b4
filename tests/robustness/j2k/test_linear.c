/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the most work of each kind that a JPEG 2000 stream of some length can ask for, at two lengths: with the
 * default limits it takes no more than a picture of as many samples would, and a second and 64 MB for each megabyte of
 * the stream; and four times the length takes about four times as much at most. Processor time is measured, which other
 * programs on the machine lengthen by a factor, hence the margins. With KOSTKA_SHOW set, what each takes is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/counting_allocator.h"
#include "support/j2k/hostile.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum {
    MARGIN = SANITIZED ? 40 : 4, /* times the seconds that there may be */
    SAMPLE_NANOSECONDS = 100,    /* of a sample that is noise, coded without loss */
    SAMPLE_BYTES = 8,            /* of its image and of what its decoding takes */
    BYTE_NANOSECONDS = 1000,     /* a second for each megabyte of a stream */
    BYTE_BYTES = 64,             /* and 64 MB */
    ANY_BYTES = 8 << 20,         /* whatever the stream */
    LIST_NANOSECONDS = 100,      /* of listing its elements */
    LIST_BYTES = 16,
    SHORTER = SANITIZED ? 4 : 1, /* streams are this many times shorter, of which a sanitizer makes as much work */
    TIMES = 4,                   /* the second stream is this many times as long */
    LEAST = 1 << 20              /* a shorter stream may take as much as one of this length */
};

static void put_comments(struct bytes *b, size_t length)
{
    static const uint8_t zeros[60000];
    while (length > 0) {
        size_t part = length < sizeof zeros ? length : sizeof zeros;
        put_segment(b, 0x64, zeros, part);
        length -= part;
    }
}

static void put_end(struct bytes *b)
{
    put_marker(b, 0xD9);
}

/* Tile-parts without anything in them. */
static void put_parts(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {.width = 64, .height = 64, .components = 1, .block = 4, .layers = 1};
    hostile_put_header(b, &p);
    for (uint32_t i = 0; i < length / 14; i++)
        hostile_start_part(b, 0, 14, (uint8_t)(i % 255), 0);
    put_end(b);
}

/* Tile-parts in an order that is not that of the tiles, with empty marker segments in their headers. */
static void put_scattered_parts(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 255, .height = 257, .tile_width = 1, .tile_height = 1, .components = 1, .block = 4, .layers = 1};
    hostile_put_header(b, &p);
    for (uint32_t i = 0; i < length / 23; i++) {
        put_marker(b, 0x90);
        hostile_put16(b, 10);
        hostile_put16(b, i * 40503U % 65535U);
        hostile_put32(b, 23);
        put(b, (const uint8_t[]){(uint8_t)(i / 65535), 0}, 2);
        put_segment(b, 0x58, NULL, 0);
        put_segment(b, 0x58, NULL, 0);
        put_marker(b, 0x93);
        put(b, "\x00", 1);
    }
    put_end(b);
}

/* SOP that claims as many lost packets as it can. */
static void put_jumps_in(struct bytes *b, const struct hostile_picture *p, size_t length)
{
    struct bytes body = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; body.length < length; i++) {
        put_segment(&body, 0x91, (const uint8_t[]){(uint8_t)(number >> 8), (uint8_t)number}, 2);
        put(&body, "\x00", 1);
        number = (number + (i % 2 ? 32760 : 1)) & 0xFFFF;
    }
    hostile_put_header(b, p);
    hostile_put_part(b, 0, body.data, body.length);
    put_end(b);
    bytes_free(&body);
}

static void put_jumps(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 2048, .height = 2048, .components = 1, .block = 4, .layers = 65535, .levels = 1, .sop = true};
    put_jumps_in(b, &p, length);
}

/* The same where a tile has many resolutions. */
static void put_jumps_of_many(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 64, .height = 64, .components = 3000, .block = 4, .layers = 65535, .levels = 32, .sop = true};
    put_jumps_in(b, &p, length);
}

/* Blocks of so many passes, each of one segment with these bytes, or with TERMALL of one for each pass. */
static void put_blocks(struct bytes *body, uint32_t side, uint32_t passes, uint32_t length, bool each)
{
    struct hostile_bits bits = {.bytes = body, .room = 8};
    hostile_put_bits(&bits, 1, 1);
    for (uint32_t y = 0; y < side; y++) {
        for (uint32_t x = 0; x < side; x++) {
            uint32_t nodes = hostile_new_nodes(x, y, side), log = 0;
            while (passes >> (log + 1))
                log++;
            hostile_put_bits(&bits, (1U << nodes) - 1, nodes);
            hostile_put_bits(&bits, (1U << nodes) - 1, nodes);
            if (passes >= 37) {
                hostile_put_bits(&bits, 0x1FF, 9);
                hostile_put_bits(&bits, passes - 37, 7);
            } else {
                hostile_put_bits(&bits, 0, 1); /* 1 */
            }
            hostile_put_bits(&bits, 0, 1);
            for (uint32_t i = 0; i < (each ? passes : 1); i++)
                hostile_put_bits(&bits, length, each ? 3 : 3 + log);
        }
    }
    hostile_end_bits(&bits);
    for (uint32_t i = 0; i < side * side * length; i++)
        put(body, (const uint8_t[]){(uint8_t)(i * 2654435761U >> 25)}, 1);
}

static void put_picture(struct bytes *b, const struct hostile_picture *p, const struct bytes *body)
{
    hostile_put_header(b, p);
    hostile_put_part(b, 0, body->data, body->length);
    put_end(b);
}

static uint32_t root(size_t number)
{
    uint32_t side = 1;
    while ((size_t)(side + 1) * (side + 1) <= number)
        side++;
    return side;
}

/* Samples that are visited by far more passes than their depth has. */
static void put_visits(struct bytes *b, size_t length)
{
    uint32_t side = root(length / 14);
    const struct hostile_picture p = {
        .width = 64 * side, .height = 64 * side, .components = 1, .block = 4, .layers = 1, .exponent = 28};
    struct bytes body = {0};
    put_blocks(&body, side, 85, 10, false);
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/* The most passes that there may be, with bytes for each. */
static void put_allowed_visits(struct bytes *b, size_t length)
{
    uint32_t side = root(length / 900);
    const struct hostile_picture p = {
        .width = 64 * side, .height = 64 * side, .components = 1, .block = 4, .layers = 1, .exponent = 28};
    struct bytes body = {0};
    put_blocks(&body, side, 85, 700, false);
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/* A segment for each pass, all of them empty. */
static void put_segments(struct bytes *b, size_t length)
{
    uint32_t side = root(length / 35);
    const struct hostile_picture p = {
        .width = 4 * side, .height = 4 * side, .components = 1, .layers = 1, .exponent = 28, .style = 4};
    struct bytes body = {0};
    put_blocks(&body, side, 85, 0, true);
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/* Blocks without bytes, as many as the header has room for. */
static void put_small_blocks(struct bytes *b, size_t length)
{
    uint32_t side = root(length);
    const struct hostile_picture p = {
        .width = 4 * side, .height = 4 * side, .components = 1, .layers = 1, .exponent = 8};
    struct bytes body = {0};
    put_blocks(&body, side, 1, 0, false);
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/* Blocks in many layers, all but the first of which are empty. */
static void put_layers(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {.width = 1000, .height = 1000, .components = 1, .layers = 65535, .exponent = 8};
    struct bytes body = {0};
    put_blocks(&body, 250, 1, 0, false);
    put_zeros(&body, 65534);
    hostile_put_header(b, &p);
    put_comments(b, length);
    hostile_put_part(b, 0, body.data, body.length);
    put_end(b);
    bytes_free(&body);
}

/* The most layers that there may be, with something in each. */
static void put_full_layers(struct bytes *b, size_t length)
{
    uint32_t layers = (uint32_t)(length / 200);
    const struct hostile_picture p = {
        .width = 256, .height = 256, .components = 1, .layers = (uint16_t)layers, .exponent = 28};
    struct bytes body = {0};
    put_blocks(&body, 64, 1, 0, false);
    for (uint32_t l = 1; l < layers; l++) { /* one more pass of the last block, as long as it may have one */
        struct hostile_bits bits = {.bytes = &body, .room = 8};
        hostile_put_bits(&bits, 1, 1);
        for (uint32_t i = 1; i < 64 * 64; i++)
            hostile_put_bits(&bits, 0, 1);
        hostile_put_bits(&bits, l < 80, 1);
        hostile_put_bits(&bits, 0, l < 80 ? 5 : 0);
        hostile_end_bits(&bits);
    }
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/* Rows of blocks that two nodes of a tag tree exclude from layer after layer, at a byte each. */
static void put_rows(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {.width = 8, .height = 32768, .components = 16, .layers = 65535, .exponent = 8};
    struct bytes body = {0};
    for (uint32_t c = 0; c < 16; c++)
        put(&body, "\xC0", 1);
    while (body.length < length)
        put(&body, "\x80", 1);
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/*
 * One column of blocks is included, so that no row is passed over. A sanitizer gets a smaller picture, since the blocks
 * of the large one take more than half a gigabyte.
 */
enum { LEVELS = SANITIZED ? 11 : 13, ROWS = 1 << (LEVELS - 1), COLUMNS = ROWS };

static void put_narrow_rows(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 4 * COLUMNS, .height = 4 * ROWS, .components = 1, .layers = 65535, .exponent = 8};
    struct bytes body = {0};
    struct hostile_bits first = {.bytes = &body, .room = 8};
    hostile_put_bits(&first, 1, 1);
    for (uint32_t y = 0; y < ROWS; y++) {
        uint32_t nodes = hostile_new_nodes(0, y, ROWS);
        hostile_put_bits(&first, (1U << nodes) - 1, nodes); /* included */
        hostile_put_bits(&first, (1U << nodes) - 1, nodes);
        hostile_put_bits(&first, 0, 5); /* one pass without bytes */
        for (uint32_t level = 0; level < LEVELS - 1; level++)
            if (y % (1U << level) == 0)
                hostile_put_bits(&first, 0, 1); /* the node beside it is not */
    }
    hostile_end_bits(&first);
    while (body.length < length) {
        struct hostile_bits bits = {.bytes = &body, .room = 8};
        hostile_put_bits(&bits, 1, 1);
        for (uint32_t y = 0; y < ROWS; y++) {
            hostile_put_bits(&bits, 0, 1);
            for (uint32_t level = 0; level < LEVELS - 1; level++)
                if (y % (1U << level) == 0)
                    hostile_put_bits(&bits, 0, 1);
        }
        hostile_end_bits(&bits);
    }
    put_picture(b, &p, &body);
    bytes_free(&body);
}

/* Make progressions that begin again, and whose packets have all been read. */
static void put_turns(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 400, .height = 400, .components = 1, .levels = 1, .precinct = 1, .layers = 65535};
    struct bytes body = {0}, changes = {0};
    for (uint32_t i = 0; i < 1024; i++)
        put(&changes, (const uint8_t[]){0, 0, 0xFF, 0xFF, 2, 0, 2}, 7);
    put_zeros(&body, length);
    hostile_put_header(b, &p);
    put_segment(b, 0x5F, changes.data, changes.length);
    hostile_put_part(b, 0, body.data, body.length);
    put_end(b);
    bytes_free(&body);
    bytes_free(&changes);
}

/* Tiles of 33 resolutions of a sample. */
static void put_resolutions(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 255, .height = 257, .tile_width = 1, .tile_height = 1, .components = 1, .levels = 32, .layers = 1};
    hostile_put_header(b, &p);
    for (uint32_t t = 0; t < length / 16; t++)
        hostile_put_part(b, t % 65535, "\x80\x00", 2);
    put_end(b);
}

/* Headers of tiles that change the parameters of all components, and are wrong. */
static void put_wrong_headers(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 255, .height = 257, .tile_width = 1, .tile_height = 1, .components = 2000, .layers = 1};
    hostile_put_header(b, &p);
    for (uint32_t t = 0; t < length / 26; t++) {
        put_marker(b, 0x90);
        hostile_put16(b, 10);
        hostile_put16(b, t % 65535);
        hostile_put32(b, 26);
        put(b, (const uint8_t[]){0, 0}, 2);
        put_segment(b, 0x5C, (const uint8_t[]){0, 8}, 2);
        put_segment(b, 0x5C, (const uint8_t[]){0, 8}, 2);
        put_marker(b, 0x93);
    }
    put_end(b);
}

/* Precincts of a sample. */
static void put_precincts(struct bytes *b, size_t length)
{
    const struct hostile_picture p = {
        .width = 512, .height = 512, .components = 1, .levels = 5, .precinct = 1, .layers = 1};
    hostile_put_header(b, &p);
    put_comments(b, length);
    hostile_put_part(b, 0, "\0\0\0\0", 4);
    put_end(b);
}

static const struct kind {
    const char *name;
    void (*put)(struct bytes *b, size_t length);
    size_t length;    /* of the shorter stream */
    uint64_t samples; /* of the picture of the longer one; 0: none worth mentioning */
} kinds[] = {
    {"tile-parts", put_parts, 1 << 19, 0},
    {"tile-parts out of order", put_scattered_parts, 1 << 19, 0},
    {"lost packets", put_jumps, 1 << 19, 1 << 22},
    {"lost packets, components", put_jumps_of_many, 1 << 17, 3000 << 12},
    {"passes", put_visits, 1 << 18, 75 << 22},
    {"passes with bytes", put_allowed_visits, 1 << 17, 1 << 22},
    {"segments", put_segments, 1 << 18, 1 << 20},
    {"blocks", put_small_blocks, 1 << 18, 1 << 24},
    {"layers", put_layers, 1 << 18, 1 << 20},
    {"layers with passes", put_full_layers, 1 << 18, 1 << 16},
    {"rows", put_rows, 1 << 14, 1 << 22},
    {"narrow rows", put_narrow_rows, 1 << 18, 1ULL << 2 * (LEVELS + 1)},
    {"turns", put_turns, 1 << 18, 1 << 18},
    {"resolutions", put_resolutions, 1 << 18, 1 << 16},
    {"wrong headers", put_wrong_headers, 1 << 18, 2000 << 16},
    {"precincts", put_precincts, 1 << 18, 1 << 18},
};

/* All elements, as `kostka info` lists them. */
static struct hostile_use list(const struct bytes *b)
{
    struct counter counter = {0, 0};
    kst_context_options options;
    kst_context *context;
    kst_decoder *decoder;
    kst_element element = {.size = sizeof element};
    struct hostile_use use;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    options.allocator = (kst_allocator){counting_allocate, counting_release, &counter};
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    double start = hostile_seconds();
    use.status = kst_decoder_open(decoder, b->data, b->length);
    uint64_t last = 0;
    while (kst_decoder_next_element(decoder, &element))
        last = element.offset;
    use.seconds = hostile_seconds() - start;
    use.most = counter.most;
    if (!use.status)
        assert_int_equal(last, b->length - 2); /* EOC */
    kst_decoder_destroy(&decoder);
    kst_context_destroy(&context);
    return use;
}

enum { VERBS = 3 };

static struct hostile_use measure(uint32_t verb, const struct bytes *b)
{
    return verb == 0 ? list(b) : hostile_measure(verb == 1 ? HOSTILE_DECODE : HOSTILE_TRANSCODE, b);
}

static void check(const struct kind *kind, uint32_t verb, const struct bytes *b, const struct hostile_use *use)
{
    static const char *const verbs[VERBS] = {"list", "decode", "transcode"};
    double length = (double)(b->length > LEAST ? b->length : LEAST), samples = verb == 0 ? 0 : (double)kind->samples;
    double seconds = 1e-9 * (length * (verb == 0 ? LIST_NANOSECONDS : BYTE_NANOSECONDS) + samples * SAMPLE_NANOSECONDS);
    double bytes = length * (verb == 0 ? LIST_BYTES : BYTE_BYTES) + samples * SAMPLE_BYTES + ANY_BYTES;
    if (getenv("KOSTKA_SHOW"))
        print_message("%-26s %9zu bytes  %-9s %-22s %7.3f of %7.3f s %5zu of %5.0f MB\n", kind->name, b->length,
            verbs[verb], kst_status_name(use->status), use->seconds, seconds, use->most >> 20, bytes / (1 << 20));
    if (use->seconds > seconds * MARGIN || (double)use->most > bytes)
        fail_msg("%s, %zu bytes, %s: %.2f seconds, %zu MB", kind->name, b->length, verbs[verb], use->seconds,
            use->most >> 20);
}

static bool too_steep(const struct hostile_use *less, const struct hostile_use *more)
{
    return less->status == more->status && more->seconds > 2 * TIMES * less->seconds + 0.25;
}

/* Work that other programs made longer is measured again, twice at most. */
static void check_growth(const struct kind *kind, uint32_t verb, const struct bytes *small, const struct bytes *large)
{
    struct hostile_use less = measure(verb, small), more = measure(verb, large);
    for (uint32_t again = 0; again < 2 && too_steep(&less, &more); again++)
        more = measure(verb, large);
    check(kind, verb, small, &less);
    check(kind, verb, large, &more);
    if (too_steep(&less, &more))
        fail_msg("%s: %.3f seconds of %zu bytes, %.3f of %zu", kind->name, less.seconds, small->length, more.seconds,
            large->length);
}

static void bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *kind = &kinds[i];
        struct bytes small = {0}, large = {0};
        size_t length = kind->length / SHORTER;
        kind->put(&small, length);
        kind->put(&large, length * TIMES);
        for (uint32_t verb = 0; verb < VERBS; verb++)
            check_growth(kind, verb, &small, &large);
        bytes_free(&small);
        bytes_free(&large);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
