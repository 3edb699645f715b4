/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channels of JPEG 2000 that are not components as they are – through palettes, sYCC, smaller components, in another
 * order, with alpha – in every format: made by every device, and just what the CPU makes of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contexts.h"
#include "support.h"

enum {
    COMPONENTS = 5,
    PLANES = 4 /* in an image itself */,
    FILE_MAX = 1 << 20,
    SRGB = 16,
    GREY = 17,
    SYCC = 18,
    CMYK = 12
};

/* A file: its components, and what its boxes say of them. */
struct recipe {
    const char *name;
    uint32_t width, height, x, y;           /* the picture */
    uint32_t tile, tile_x, tile_y;          /* 0: one tile */
    uint32_t components, depth;             /* unsigned */
    uint8_t dx[COMPONENTS], dy[COMPONENTS]; /* 0 stands for 1 */
    uint8_t space;                          /* 0: a bare codestream */
    uint32_t entries, columns, bits;        /* of a palette; of its columns */
    const char *mapping;                    /* of each channel component and column, or '-' for none */
    const char *order;                      /* what channels are: of each colour 1 to 4 or 0, alpha; null: in turn */
    bool lossy;
};

static const struct recipe recipes[] = {
    {.name = "palette to RGB",
        .width = 45,
        .height = 31,
        .components = 1,
        .depth = 8,
        .space = SRGB,
        .entries = 200,
        .columns = 3,
        .bits = 8,
        .mapping = "000102"},
    {.name = "one bit to 16, in tiles",
        .width = 70,
        .height = 20,
        .x = 3,
        .y = 5,
        .tile = 17,
        .tile_x = 1,
        .tile_y = 2,
        .components = 1,
        .depth = 1,
        .space = SRGB,
        .entries = 2,
        .columns = 3,
        .bits = 16,
        .mapping = "000102"},
    {.name = "four bits to grey",
        .width = 33,
        .height = 17,
        .components = 1,
        .depth = 4,
        .space = GREY,
        .entries = 11,
        .columns = 1,
        .bits = 4,
        .mapping = "00"},
    {.name = "palette to RGBA",
        .width = 40,
        .height = 30,
        .components = 1,
        .depth = 8,
        .space = SRGB,
        .entries = 256,
        .columns = 4,
        .bits = 8,
        .mapping = "00010203",
        .order = "1230"},
    {.name = "palette to CMYK, 12 bits",
        .width = 31,
        .height = 33,
        .components = 1,
        .depth = 12,
        .space = CMYK,
        .entries = 1024,
        .columns = 4,
        .bits = 12,
        .mapping = "00010203"},
    {.name = "palette of one entry",
        .width = 9,
        .height = 9,
        .components = 1,
        .depth = 16,
        .space = SRGB,
        .entries = 1,
        .columns = 3,
        .bits = 1,
        .mapping = "000102"},
    {.name = "palette beside direct ones",
        .width = 52,
        .height = 37,
        .x = 5,
        .y = 1,
        .components = 3,
        .depth = 8,
        .dx = {1, 3, 1},
        .dy = {1, 2, 1},
        .space = SRGB,
        .entries = 77,
        .columns = 2,
        .bits = 8,
        .mapping = "0-11102-",
        .order = "3120"},
    {.name = "sYCC 4:4:4", .width = 51, .height = 29, .components = 3, .depth = 8, .space = SYCC},
    {.name = "sYCC 4:2:2, 16 bits",
        .width = 37,
        .height = 40,
        .x = 1,
        .components = 3,
        .depth = 16,
        .dx = {1, 2, 2},
        .space = SYCC},
    {.name = "sYCC 4:2:0 in tiles",
        .width = 61,
        .height = 43,
        .x = 3,
        .y = 5,
        .tile = 16,
        .tile_x = 2,
        .tile_y = 3,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 2, 2},
        .space = SYCC},
    {.name = "sYCC 4:2:0, lossy",
        .width = 64,
        .height = 64,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 2, 2},
        .space = SYCC,
        .lossy = true},
    {.name = "sYCC of 12 bits with alpha",
        .width = 35,
        .height = 35,
        .x = 2,
        .y = 7,
        .components = 4,
        .depth = 12,
        .dx = {1, 1, 1, 2},
        .dy = {1, 2, 2, 3},
        .space = SYCC,
        .order = "1230"},
    {.name = "sYCC of one bit", .width = 20, .height = 20, .components = 3, .depth = 1, .space = SYCC},
    {.name = "sYCC of one pixel",
        .width = 1,
        .height = 1,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 2, 2},
        .space = SYCC},
    {.name = "bare, smaller chroma",
        .width = 44,
        .height = 31,
        .x = 1,
        .y = 1,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 2, 2}},
    {.name = "RGB, smaller ones",
        .width = 65,
        .height = 33,
        .x = 5,
        .y = 1,
        .tile = 23,
        .components = 3,
        .depth = 8,
        .dx = {1, 4, 3},
        .dy = {1, 1, 5},
        .space = SRGB},
    {.name = "CMYK and alpha, smaller ones",
        .width = 41,
        .height = 26,
        .components = 5,
        .depth = 8,
        .dx = {1, 2, 1, 2, 2},
        .dy = {1, 1, 2, 2, 2},
        .space = CMYK,
        .order = "12340"},
    {.name = "grey and smaller alpha",
        .width = 39,
        .height = 21,
        .x = 3,
        .y = 3,
        .components = 2,
        .depth = 8,
        .dx = {1, 2},
        .dy = {1, 2},
        .space = GREY,
        .order = "10"},
    {.name = "BGR", .width = 50, .height = 30, .components = 3, .depth = 8, .space = SRGB, .order = "321"},
    {.name = "RGB", .width = 50, .height = 30, .components = 3, .depth = 8, .space = SRGB, .order = "123"},
    /* These are what the simulator does. */
    {.name = "small palette",
        .width = 13,
        .height = 6,
        .x = 5,
        .y = 1,
        .components = 3,
        .depth = 8,
        .dx = {1, 3, 1},
        .dy = {1, 2, 1},
        .space = SRGB,
        .entries = 77,
        .columns = 2,
        .bits = 8,
        .mapping = "0-11102-",
        .order = "3120"},
    {.name = "small sYCC",
        .width = 9,
        .height = 7,
        .x = 3,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 2, 2},
        .space = SYCC},
};

enum { RECIPES = sizeof recipes / sizeof recipes[0], SMALL = 2 };

static kst_buffer files[RECIPES];
static uint32_t random_state = 5;

static uint32_t below(uint32_t bound)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % bound;
}

static bool simulated(void)
{
    return getenv("KOSTKA_TEST_SIMULATED") != NULL;
}

static uint32_t divide(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static uint32_t or_one(uint32_t separation)
{
    return separation ? separation : 1;
}

/* Slopes and noise over all values. */
static void paint(const struct recipe *recipe, uint32_t c, kst_plane *plane)
{
    uint32_t dx = or_one(recipe->dx[c]), dy = or_one(recipe->dy[c]), most = (1U << recipe->depth) - 1;
    uint32_t bytes = recipe->depth > 8 ? 2 : 1;
    *plane = (kst_plane){.width = divide(recipe->x + recipe->width, dx) - divide(recipe->x, dx),
        .height = divide(recipe->y + recipe->height, dy) - divide(recipe->y, dy),
        .depth = (uint8_t)recipe->depth};
    plane->pitch = (ptrdiff_t)plane->width * (ptrdiff_t)bytes;
    plane->data = malloc((size_t)plane->pitch * plane->height);
    assert_non_null(plane->data);
    for (uint32_t i = 0; i < plane->width * plane->height; i++) {
        uint32_t value = i % 5 == 0 ? below(most + 1) : (i * (most / 64 + 1) + c * most / 3) & most;
        if (bytes == 2)
            ((uint16_t *)plane->data)[i] = (uint16_t)value;
        else
            ((uint8_t *)plane->data)[i] = (uint8_t)value;
    }
}

static kst_buffer encode(const struct recipe *recipe)
{
    kst_image image;
    kst_plane more[COMPONENTS];
    kst_encode_options options;
    kst_j2k_options j2k;
    kst_report report;
    kst_buffer buffer = {0};
    kst_image_init(&image);
    kst_report_init(&report);
    image.format = KST_FORMAT_RAW;
    image.width = recipe->width;
    image.height = recipe->height;
    image.plane_count = recipe->components;
    image.more = recipe->components > PLANES ? more : NULL;
    for (uint32_t c = 0; c < recipe->components; c++)
        paint(recipe, c, c < PLANES ? &image.plane[c] : &more[c - PLANES]);
    kst_encode_options_init(&options);
    kst_j2k_options_init(&j2k);
    j2k.image_x = recipe->x;
    j2k.image_y = recipe->y;
    j2k.tile_width = j2k.tile_height = recipe->tile;
    j2k.tile_x = recipe->tile_x;
    j2k.tile_y = recipe->tile_y;
    j2k.levels = 2;
    j2k.codestream = true;
    j2k.target = recipe->lossy ? KST_J2K_RATIO : KST_J2K_LOSSLESS;
    j2k.value = 4;
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    if (kst_encode(cpu_context, &image, &options, &buffer, &report))
        fail_msg("%s: %s", recipe->name, report.message);
    for (uint32_t c = 0; c < recipe->components; c++)
        free(kst_image_plane(&image, c)->data);
    return buffer;
}

/* A file that grows; a box's length is put when it ends. */
static uint8_t *at;

static void number(uint32_t value, uint32_t bytes)
{
    while (bytes-- > 0)
        *at++ = (uint8_t)(value >> (8 * bytes));
}

static uint8_t *begin_box(const char *type)
{
    uint8_t *box = at;
    memcpy(at + 4, type, 4);
    at += 8;
    return box;
}

static void end_box(uint8_t *box)
{
    uint8_t *end = at;
    at = box;
    number((uint32_t)(end - box), 4);
    at = end;
}

static void write_palette(const struct recipe *recipe)
{
    uint8_t *box = begin_box("pclr");
    number(recipe->entries, 2);
    number(recipe->columns, 1);
    for (uint32_t i = 0; i < recipe->columns; i++)
        number(recipe->bits - 1, 1);
    for (uint32_t i = 0; i < recipe->entries * recipe->columns; i++)
        number(below(1U << recipe->bits), recipe->bits > 8 ? 2 : 1);
    end_box(box);
    box = begin_box("cmap");
    for (const char *m = recipe->mapping; *m; m += 2) {
        number((uint32_t)(m[0] - '0'), 2);
        number(m[1] != '-', 1);
        number(m[1] == '-' ? 0 : (uint32_t)(m[1] - '0'), 1);
    }
    end_box(box);
}

static void write_order(const char *order)
{
    uint8_t *box = begin_box("cdef");
    number((uint32_t)strlen(order), 2);
    for (uint32_t i = 0; order[i]; i++) {
        number(i, 2);
        number(order[i] == '0', 2);
        number((uint32_t)(order[i] - '0'), 2);
    }
    end_box(box);
}

static void write_header(const struct recipe *recipe)
{
    uint8_t *header = begin_box("jp2h"), *box = begin_box("ihdr");
    number(recipe->height, 4);
    number(recipe->width, 4);
    number(recipe->components, 2);
    number(recipe->depth - 1, 1);
    number(7, 1);
    number(0, 2);
    end_box(box);
    box = begin_box("colr");
    number(0x010000, 3);
    number(recipe->space, 4);
    end_box(box);
    if (recipe->entries)
        write_palette(recipe);
    if (recipe->order)
        write_order(recipe->order);
    end_box(header);
}

static kst_buffer make_file(const struct recipe *recipe)
{
    kst_buffer codestream = encode(recipe), file = {.data = malloc(FILE_MAX)};
    assert_non_null(file.data);
    assert_true(codestream.length < FILE_MAX / 2);
    at = file.data;
    if (recipe->space) {
        uint8_t *box = begin_box("jP  ");
        number(0x0D0A870A, 4);
        end_box(box);
        box = begin_box("ftyp");
        memcpy(at, "jp2 \0\0\0\0jp2 ", 12);
        at += 12;
        end_box(box);
        write_header(recipe);
        number((uint32_t)codestream.length + 8, 4);
        memcpy(at, "jp2c", 4);
        at += 4;
    }
    memcpy(at, codestream.data, codestream.length);
    file.length = (size_t)(at - file.data) + codestream.length;
    kst_buffer_release(cpu_context, &codestream);
    return file;
}

static kst_status decode(kst_context *context, const kst_buffer *file, const kst_decode_options *options,
    kst_memory memory, kst_image *image, kst_report *report)
{
    kst_image_init(image);
    kst_report_init(report);
    image->memory = memory;
    return kst_decode(context, file->data, file->length, options, image, report);
}

static void expect_same_report(const char *what, const kst_report *wanted, const kst_report *found)
{
    if (wanted->status != found->status || wanted->warnings != found->warnings ||
        wanted->first_warning_offset != found->first_warning_offset)
        fail_msg("%s: status %d, %u warnings, not %d, %u", what, (int)found->status, (unsigned)found->warnings,
            (int)wanted->status, (unsigned)wanted->warnings);
}

static void expect_on_device(const char *what, const kst_context *context, const kst_report *report)
{
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    if (report->stage_device[KST_STAGE_ENTROPY] != info.kind || report->stage_device[KST_STAGE_PIXELS] != info.kind ||
        strcmp(report->device, info.name) != 0)
        fail_msg("%s: not by %s", what, info.name);
}

/* On every GPU, into kinds of memory by turns. */
static void compare(const char *name, const kst_buffer *file, const kst_decode_options *options)
{
    static uint32_t turn;
    kst_image wanted, image;
    kst_report wanted_report, report;
    decode(cpu_context, file, options, KST_MEMORY_HOST, &wanted, &wanted_report);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[i])};
        kst_memory memory = memories[(turn + i) % 3];
        char what[160];
        snprintf(what, sizeof what, "%s, format %d, reduced %u, region %u × %u + %u + %u, memory %d", name,
            (int)options->format, (unsigned)options->reduce, (unsigned)options->region.width,
            (unsigned)options->region.height, (unsigned)options->region.x, (unsigned)options->region.y, (int)memory);
        kst_status status = decode(gpu_context[i], file, options, memory, &image, &report);
        expect_same_report(what, &wanted_report, &report);
        if (status)
            continue;
        expect_on_device(what, gpu_context[i], &report);
        expect_same_image(what, gpu_context[i], &wanted, &image);
        kst_image_release(gpu_context[i], &image);
    }
    turn++;
    if (wanted_report.status == KST_OK)
        kst_image_release(cpu_context, &wanted);
}

static void choose_region(const struct recipe *recipe, kst_decode_options *options)
{
    uint32_t width =
        divide(recipe->x + recipe->width, 1U << options->reduce) - divide(recipe->x, 1U << options->reduce);
    uint32_t height =
        divide(recipe->y + recipe->height, 1U << options->reduce) - divide(recipe->y, 1U << options->reduce);
    options->region.x = below(width);
    options->region.y = below(height);
    options->region.width = 1 + below(width - options->region.x);
    options->region.height = 1 + below(height - options->region.y);
}

static bool is_due(uint32_t index)
{
    return !simulated() || index >= RECIPES - SMALL;
}

/* Whole ones in every format; those that a picture cannot be had in are refused. */
static void test_formats(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.alpha = 77;
        for (kst_format format = KST_FORMAT_AUTO; format <= KST_FORMAT_RAW && is_due(i); format++) {
            options.format = format;
            if (format == KST_FORMAT_RAW && recipes[i].components > PLANES) /* not for device memory */
                continue;
            if (!simulated() || format == KST_FORMAT_BGRA)
                compare(recipes[i].name, &files[i], &options);
        }
    }
}

static void test_parts(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_AUTO, KST_FORMAT_PLANAR, KST_FORMAT_BGRA, KST_FORMAT_RGB};
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++)
        for (uint32_t k = 0; k < (simulated() ? 1 : 8) && is_due(i); k++) {
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.format = formats[k % 4];
            options.reduce = k % 3;
            if (k != 2)
                choose_region(&recipes[i], &options);
            compare(recipes[i].name, &files[i], &options);
        }
}

static void test_tiles(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECIPES && !simulated(); i++)
        for (uint32_t k = 0; k < 3 && recipes[i].tile; k++) {
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.tile = k;
            options.reduce = k % 2;
            compare(recipes[i].name, &files[i], &options);
        }
}

/* The same damage is told, whatever channels the format takes. */
static void test_damaged(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++)
        for (uint32_t k = 0; k < 3 && !simulated(); k++) {
            kst_buffer copy = {.data = malloc(files[i].length), .length = files[i].length};
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.format = k == 1 ? KST_FORMAT_RGB : KST_FORMAT_AUTO;
            assert_non_null(copy.data);
            memcpy(copy.data, files[i].data, copy.length);
            memset(copy.data + copy.length - copy.length / (k + 2) / 2, 0xFF, 3);
            compare(recipes[i].name, &copy, &options);
            free(copy.data);
        }
}

/* Pictures that are converted and those that are not, in one batch. */
static void test_batch(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < gpu_contexts && !simulated(); k++) {
        kst_decode_item items[2 * RECIPES];
        kst_image images[2 * RECIPES];
        memset(items, 0, sizeof items);
        for (uint32_t i = 0; i < 2 * RECIPES; i++) {
            const kst_buffer *file = &files[i * 5 % RECIPES];
            kst_image_init(&images[i]);
            images[i].memory = i % 3 == 0 ? device_memory(gpu_context[k]) : KST_MEMORY_HOST;
            items[i] = (kst_decode_item){.data = file->data, .length = file->length, .image = &images[i]};
        }
        kst_decode_batch(gpu_context[k], items, 2 * RECIPES);
        for (uint32_t i = 0; i < 2 * RECIPES; i++) {
            const char *name = recipes[i * 5 % RECIPES].name;
            kst_image wanted;
            kst_report report;
            assert_int_equal(decode(cpu_context, &files[i * 5 % RECIPES], NULL, KST_MEMORY_HOST, &wanted, &report), 0);
            expect_same_report(name, &report, &items[i].report);
            expect_on_device(name, gpu_context[k], &items[i].report);
            expect_same_image(name, gpu_context[k], &wanted, &images[i]);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(gpu_context[k], &images[i]);
        }
    }
}

static const struct recipe large[] = {
    {.name = "strips of sYCC",
        .width = 310,
        .height = 999,
        .x = 3,
        .y = 1,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 3, 3},
        .space = SYCC},
    {.name = "strips of a palette",
        .width = 550,
        .height = 901,
        .tile = 101,
        .components = 1,
        .depth = 8,
        .space = SRGB,
        .entries = 100,
        .columns = 3,
        .bits = 8,
        .mapping = "000102"},
};

/* Pictures beyond the limit of memory. */
static void test_strips(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 && !simulated(); i++) {
        kst_buffer file = make_file(&large[i]);
        for (uint32_t k = 0; k < gpu_contexts; k++) {
            kst_device_info info = {.size = sizeof info};
            kst_context_options options;
            kst_context *context;
            kst_decode_options decoding;
            kst_image wanted, image;
            kst_report wanted_report, report;
            assert_int_equal(kst_context_device(gpu_context[k], &info), KST_OK);
            kst_context_options_init(&options);
            options.device = info.name;
            options.threads = 2;
            options.limits.memory = 5 << 20;
            assert_int_equal(kst_context_create(&options, &context), KST_OK);
            kst_decode_options_init(&decoding);
            decoding.region = (kst_region){5, 7, 301, 890};
            assert_int_equal(decode(cpu_context, &file, &decoding, KST_MEMORY_HOST, &wanted, &wanted_report), KST_OK);
            assert_int_equal(decode(context, &file, &decoding, device_memory(context), &image, &report), KST_OK);
            expect_on_device(large[i].name, context, &report);
            expect_same_image(large[i].name, context, &wanted, &image);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(context, &image);
            kst_context_destroy(&context);
        }
        free(file.data);
    }
}

static int start(void **state)
{
    int status = start_contexts(state);
    for (uint32_t i = 0; i < RECIPES; i++)
        files[i] = make_file(&recipes[i]);
    return status;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < RECIPES; i++)
        free(files[i].data);
    return stop_contexts(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_strips),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
