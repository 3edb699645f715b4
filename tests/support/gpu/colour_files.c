/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes JP2 files with palettes, channel definitions, sYCC and smaller components. */
#include "support/gpu/colour_files.h"

#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/test.h"

enum { FILE_MAX = 1 << 21, SRGB = 16, GREY = 17, SYCC = 18, CMYK = 12 };

const struct recipe recipes[RECIPES] = {
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
    {.name = "grey behind others, 13 bits",
        .width = 17,
        .height = 26,
        .components = 3,
        .depth = 13,
        .space = GREY,
        .order = "231"},
    {.name = "grey behind many others",
        .width = 19,
        .height = 11,
        .components = 4,
        .depth = 8,
        .space = GREY,
        .order = "2341"},
    /* The recipes from here on are small enough for the simulator. */
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

const struct recipe large_recipes[LARGE_RECIPES] = {
    {.name = "strips of sYCC",
        .width = 310,
        .height = 1800,
        .orientation = 3,
        .x = 3,
        .y = 1,
        .components = 3,
        .depth = 8,
        .dx = {1, 2, 2},
        .dy = {1, 3, 3},
        .space = SYCC},
    {.name = "strips of a palette",
        .width = 901,
        .height = 850,
        .orientation = 8,
        .tile = 101,
        .components = 1,
        .depth = 8,
        .space = SRGB,
        .entries = 100,
        .columns = 3,
        .bits = 8,
        .mapping = "000102"},
    {.name = "strips of RGB",
        .width = 480,
        .height = 490,
        .orientation = 6,
        .components = 3,
        .depth = 8,
        .space = SRGB},
};

uint32_t below(uint32_t bound)
{
    static uint32_t state = 5;
    return random_below(&state, bound);
}

static uint32_t or_one(uint32_t separation)
{
    return separation ? separation : 1;
}

/* Fill a plane with slopes and noise over the whole range of its samples. */
static void paint(const struct recipe *recipe, uint32_t c, kst_plane *plane)
{
    uint32_t dx = or_one(recipe->dx[c]), dy = or_one(recipe->dy[c]), most = (1U << recipe->depth) - 1;
    uint32_t bytes = recipe->depth > 8 ? 2 : 1;
    *plane = (kst_plane){.width = divide_up(recipe->x + recipe->width, dx) - divide_up(recipe->x, dx),
        .height = divide_up(recipe->y + recipe->height, dy) - divide_up(recipe->y, dy),
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
    kst_encode_options options = j2k_coding(&j2k);
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
    if (kst_encode(cpu_context, &image, &options, &buffer, &report))
        fail_msg("%s: %s", recipe->name, report.message);
    for (uint32_t c = 0; c < recipe->components; c++)
        free(kst_image_plane(&image, c)->data);
    return buffer;
}

/* Points to the place of the file's next byte. A box's length is written when the box ends. */
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

/* Write Exif with the picture's orientation. */
static void write_exif(uint32_t orientation)
{
    uint8_t *box = begin_box("uuid");
    memcpy(at, "JpgTiffExif->JP2", 16);
    memcpy(at + 16, "MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\0\0\0\0\0\0\0", 26);
    at[16 + 19] = (uint8_t)orientation;
    at += 16 + 26;
    end_box(box);
}

kst_buffer make_file(const struct recipe *recipe)
{
    static uint32_t count;
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
        write_exif(recipe->orientation ? recipe->orientation : 2 + count++ % 7);
        number((uint32_t)codestream.length + 8, 4);
        memcpy(at, "jp2c", 4);
        at += 4;
    }
    memcpy(at, codestream.data, codestream.length);
    file.length = (size_t)(at - file.data) + codestream.length;
    kst_buffer_release(cpu_context, &codestream);
    return file;
}
