/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes JPEG files with libjpeg where there is no corpus, the same on each run: make_jpegs FOLDER. FOLDER/valid gets
 * files of many sizes, samplings, colours, codings and of odd but valid structure; FOLDER/damaged gets damaged copies
 * of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/jpeg/streams.h"
#include "support/random.h"
#include "support/test.h"

enum { VALID_MAX = 64, DAMAGED = 110, PATH = 4096, MARKER = 0xFF, SOF0 = 0xC0, SOF2 = 0xC2, DHT = 0xC4, SOS = 0xDA };

static const char *folder;
static struct stream valid[VALID_MAX];
static uint32_t valid_count;

static void write_file(const char *room, const char *name, const struct stream *stream)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, room);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s.jpg", folder, room, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(stream->data, 1, stream->length, file), stream->length);
    assert_int_equal(fclose(file), 0);
}

/* Write a valid stream, and keep it to make damaged ones of it. */
static void keep(const char *name, struct stream stream)
{
    assert_true(valid_count < VALID_MAX);
    valid[valid_count++] = stream;
    write_file("valid", name, &stream);
}

static void make(const char *name, struct recipe recipe)
{
    if (recipe.colour == KST_COLOUR_UNKNOWN)
        recipe.colour = KST_COLOUR_YCBCR;
    keep(name, make_stream(&recipe));
}

static void make_sizes(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char name[40];
        snprintf(name, sizeof name, "size_%u", (unsigned)sizes[i]);
        make(name, (struct recipe){.width = sizes[i], .height = sizes[i], .h = {2, 1, 1, 1}, .v = {2, 1, 1, 1}});
    }
}

static void make_samplings(void)
{
    static const uint8_t factors[][6] = {{1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1}, {1, 2, 1, 1, 1, 1}, {4, 1, 1, 1, 1, 1},
        {1, 4, 1, 1, 1, 1}, {3, 1, 1, 1, 1, 1}, {2, 2, 2, 1, 1, 2}, {2, 2, 1, 2, 2, 1}, {1, 1, 2, 2, 1, 1},
        {4, 2, 1, 1, 1, 1}};
    for (size_t i = 0; i < COUNT(factors); i++) {
        const uint8_t *f = factors[i];
        char name[40];
        snprintf(name, sizeof name, "sampling_%u%u_%u%u_%u%u", f[0], f[1], f[2], f[3], f[4], f[5]);
        make(name, (struct recipe){.width = 75,
                       .height = 53,
                       .h = {f[0], f[2], f[4], 1},
                       .v = {f[1], f[3], f[5], 1},
                       .coding = i % 3 == 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE});
    }
}

static void make_colours(void)
{
    static const struct {
        const char *name;
        kst_colour colour;
        uint8_t factor;
    } colours[] = {{"grey", KST_COLOUR_GREY, 1}, {"grey_22", KST_COLOUR_GREY, 2}, {"rgb", KST_COLOUR_RGB, 1},
        {"cmyk", KST_COLOUR_CMYK, 1}, {"ycck", KST_COLOUR_YCCK, 1}};
    for (size_t i = 0; i < COUNT(colours); i++) {
        char name[40];
        struct recipe recipe = {
            .width = 90, .height = 70, .colour = colours[i].colour, .h = {colours[i].factor}, .v = {colours[i].factor}};
        make(colours[i].name, recipe);
        recipe.coding = KST_CODING_PROGRESSIVE;
        snprintf(name, sizeof name, "%s_progressive", colours[i].name);
        make(name, recipe);
    }
}

static void make_codings(void)
{
    static const kst_scan apart[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    static const kst_scan dc[] = {{3, {0, 1, 2}, 0, 0, 0, 0}};
    static const kst_scan some[] = {{3, {0, 1, 2}, 0, 0, 0, 1}, {1, {0}, 1, 5, 0, 2}, {1, {2}, 1, 63, 0, 1}};
    struct recipe recipe = {.width = 110, .height = 61, .h = {2, 1, 1, 1}, .v = {2, 1, 1, 1}};
    static const kst_restart restarts[] = {{KST_RESTART_MCUS, 1}, {KST_RESTART_MCUS, 3}, {KST_RESTART_ROWS, 1}};
    for (uint32_t i = 0; i < 2 * COUNT(restarts); i++) {
        char name[40];
        recipe.restart = restarts[i / 2];
        recipe.coding = i % 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        snprintf(name, sizeof name, "restarts_%u", (unsigned)i);
        make(name, recipe);
    }
    recipe.restart = (kst_restart){KST_RESTART_NONE, 0};
    recipe.coding = KST_CODING_BASELINE;
    recipe.quality = 1;
    make("quality_1", recipe);
    recipe.quality = 100;
    make("quality_100", recipe);
    recipe.script = apart, recipe.script_length = COUNT(apart);
    make("apart", recipe);
    recipe.coding = KST_CODING_PROGRESSIVE;
    recipe.script = dc, recipe.script_length = COUNT(dc);
    make("dc_alone", recipe);
    recipe.script = some, recipe.script_length = COUNT(some);
    make("not_all_scans", recipe);
    recipe = (struct recipe){.width = 800, .height = 280, .h = {2, 1, 1, 1}, .v = {1, 1, 1, 1}};
    make("large", recipe);
    recipe.coding = KST_CODING_PROGRESSIVE;
    make("large_progressive", recipe);
}

/* Return the offset of a marker, searching from the first segment on; 0 if it is missing. */
static size_t find_marker(const struct stream *stream, uint8_t marker)
{
    for (size_t at = 2; at + 3 < stream->length && stream->data[at + 1] != SOS;
         at += 2 + ((size_t)stream->data[at + 2] << 8 | stream->data[at + 3]))
        if (stream->data[at + 1] == marker)
            return at;
    return 0;
}

/* Return a copy of the stream in which `more` bytes of `byte` replace the `count` bytes at `at`. */
static struct stream changed(const struct stream *stream, size_t at, size_t count, size_t more, uint8_t byte)
{
    struct stream made = {malloc(stream->length + more), stream->length - count + more};
    assert_non_null(made.data);
    memcpy(made.data, stream->data, at);
    memset(made.data + at, byte, more);
    memcpy(made.data + at + more, stream->data + at + count, stream->length - at - count);
    return made;
}

/*
 * Make streams with fill bytes in front of a marker (B.1.1.2), with bytes behind the picture, and, as Motion JPEG may
 * have it, without Huffman tables.
 */
static void make_odd(void)
{
    const struct recipe recipe = {.width = 64, .height = 48, .colour = KST_COLOUR_YCBCR, .coding = KST_CODING_BASELINE};
    struct stream plain = make_stream(&recipe), bare = changed(&plain, 0, 0, 0, 0);
    keep("plain", plain);
    keep("fill_bytes", changed(&plain, find_marker(&plain, SOF0), 0, 5, MARKER));
    struct stream surplus = changed(&plain, plain.length, 0, 300, 0x5A);
    write_file("damaged", "surplus", &surplus);
    free(surplus.data);
    for (size_t at; (at = find_marker(&bare, DHT)) > 0;) {
        struct stream without = changed(&bare, at, 2 + ((size_t)bare.data[at + 2] << 8 | bare.data[at + 3]), 0, 0);
        free(bare.data);
        bare = without;
    }
    keep("no_tables", bare);
}

/* Damage a stream in one of several ways, some of which change the kind, precision and size in its frame header. */
static void damage(struct stream *stream, uint32_t *random)
{
    size_t frame = find_marker(stream, SOF0), at = random_below(random, (uint32_t)stream->length);
    if (frame == 0)
        frame = find_marker(stream, SOF2);
    if (frame == 0 || frame + 20 > stream->length)
        frame = 2;
    struct stream made;
    switch (random_below(random, 9)) {
    case 0:
        made = changed(stream, at, stream->length - at, 0, 0);
        break;
    case 1:
        made = changed(stream, at, (stream->length - at) / 3, 0, 0);
        break;
    case 2:
        made = changed(stream, at, 0, 1 + random_below(random, 40), MARKER);
        break;
    case 3: /* insert a marker, any one */
        made = changed(stream, at, 0, 1, MARKER);
        if (at + 1 < made.length)
            made.data[at + 1] = (uint8_t)(SOF0 + random_below(random, 64));
        break;
    case 4: /* change a byte of the frame header, or just behind it */
        made = changed(stream, 0, 0, 0, 0);
        made.data[frame + 1 + random_below(random, 18)] = (uint8_t)random_below(random, 256);
        break;
    case 5:
        made = changed(stream, 0, 0, 0, 0);
        made.data[2 + random_below(random, (uint32_t)stream->length / 3)] = (uint8_t)random_below(random, 256);
        break;
    default:
        made = changed(stream, 0, 0, 0, 0);
        made.data[at] = (uint8_t)random_below(random, 256);
    }
    free(stream->data);
    *stream = made;
}

static void make_damaged(void)
{
    uint32_t random = 11;
    for (uint32_t i = 0; i < DAMAGED; i++) {
        char name[40];
        struct stream stream = changed(&valid[i % valid_count], 0, 0, 0, 0);
        for (uint32_t changes = 1 + random_below(&random, 3); changes > 0 && stream.length > 60; changes--)
            damage(&stream, &random);
        snprintf(name, sizeof name, "damaged_%u", (unsigned)i);
        write_file("damaged", name, &stream);
        free(stream.data);
    }
    const struct stream none = {(uint8_t *)"", 0};
    write_file("damaged", "empty", &none);
}

static void make_all(void **state)
{
    (void)state;
    make_sizes();
    make_samplings();
    make_colours();
    make_codings();
    make_odd();
    make_damaged();
    for (uint32_t i = 0; i < valid_count; i++)
        free(valid[i].data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(make_all)};
    if (argc < 2)
        return 2;
    folder = argv[1];
    mkdir(folder, 0777);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
