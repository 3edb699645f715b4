/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes multiple component transforms (T.801) for slices that are coded without one: stages of any collections, whose
 * arrays nearly always have the size that these need.
 */
#include <kostka/kostka_volume.h>

#include "made.h"

enum { COUNT = 6, WIDTH = 13, HEIGHT = 9, TILE = 8 };
enum { SOT = 0x90, COD = 0x52, TLM = 0x55, SOT_LENGTH = 12, TRANSFORMS = 8 /* in COD */ };
enum { MCT = 0xFF74, MCC = 0xFF75, MCO = 0xFF77, CBD = 0xFF78 };
enum { DEPENDENCY = 0, DECORRELATION = 1, OFFSETS = 2, WAVELET = 3, MOST = 9 /* components */, STAGES = 3 };
enum { WIDE = 0x8000 };

/* Counts the arrays that were made, whose indices go on from stage to stage. */
struct multi {
    struct made *to;
    uint32_t arrays;
};

/* Write a number as an element of type 0 (int16), 1 (int32) or 2 (float32: a small power of two). */
static void put_element(struct made *to, uint32_t type, int32_t value)
{
    if (type == 0)
        made_put16(to, (uint32_t)value);
    else if (type == 1)
        made_put32(to, (uint32_t)value);
    else
        made_put32(to,
            value == 0 ? 0 : (value < 0 ? UINT32_C(0xBE800000) : UINT32_C(0x3E800000)) + ((uint32_t)(value & 3) << 23));
}

/* Return whether element i of a reversible array divides; see T.801 J.2. */
static bool divides(uint32_t kind, uint32_t n, uint32_t i)
{
    if (kind == DECORRELATION)
        return i % n == (i / n < n ? n - 1 - i / n : n - 1);
    for (uint32_t row = 1, at = 0; row < n; row++) {
        at += row + 1;
        if (i + 1 == at)
            return true;
    }
    return false;
}

/* Write an array in one or two segments. Returns its index. */
static uint32_t put_array(struct multi *multi, uint32_t kind, uint32_t n, uint32_t count, bool reversible)
{
    struct made *to = multi->to;
    const uint32_t index = ++multi->arrays, type = made_choose(to, reversible ? 2 : 3),
                   name = type << 10 | kind << 8 | index;
    const uint32_t parts = made_rarely(to, 3) ? 2 : 1, cut = made_choose(to, count + 1);
    uint32_t i = 0;
    for (uint32_t part = 0; part < parts; part++) {
        const size_t at = made_open(to, MCT);
        made_put16(to, made_rarely(to, 60) ? made_choose(to, 4) : part);
        made_put16(to, name);
        if (part == 0)
            made_put16(to, parts - 1);
        for (; i < (parts == 2 && part == 0 ? cut : count); i++)
            put_element(to, type,
                reversible && divides(kind, n, i) && !made_rarely(to, 100) ? 1 << made_choose(to, 8)
                                                                           : (int32_t)made_choose(to, 41) - 20);
        made_close(to, at);
    }
    return index;
}

static void put_list(struct made *to, const uint32_t *list, uint32_t count)
{
    const bool wide = made_rarely(to, 5);
    made_put16(to, count | (wide ? WIDE : 0));
    for (uint32_t i = 0; i < count; i++)
        if (wide)
            made_put16(to, list[i]);
        else
            made_put8(to, list[i]);
}

/* Write a collection to the stage, and its arrays in front of the stage. */
static void put_collection(
    struct multi *multi, struct made *stage, const uint32_t *in, uint32_t n, const uint32_t *out, uint32_t made)
{
    static const uint8_t kinds[] = {DEPENDENCY, DECORRELATION, WAVELET};
    struct made *to = multi->to;
    const uint32_t kind = n == made ? kinds[made_choose(to, 3)] : DECORRELATION;
    const bool reversible = n == made && made_choose(to, 2);
    const uint32_t odd = made_rarely(to, 80);
    const uint32_t count = kind == DEPENDENCY ? n * (n - 1) / 2 + (reversible ? n - 1 : 0) : (made + reversible) * n;
    uint32_t array = 0, offsets = 0;
    if (kind != WAVELET && count > 0 && (n != made || !made_rarely(to, 4)))
        array = put_array(multi, kind, n, count + odd, reversible);
    if (made_choose(to, 2))
        offsets = put_array(multi, OFFSETS, made, made + made_rarely(to, 80), true);
    made_put8(stage, kind);
    put_list(stage, in, n);
    put_list(stage, out, made);
    made_put8(stage, kind == WAVELET ? made_choose(to, made_rarely(to, 20) ? 40 : 5) : reversible);
    made_put8(stage, offsets);
    made_put8(stage, kind == WAVELET ? reversible : array);
    if (kind == WAVELET)
        made_put32(stage, made_rarely(to, 9) ? made_random(to, UINT32_MAX) : made_choose(to, 4));
}

/* Write a stage that takes `before` components. Returns how many it makes. */
static uint32_t put_stage(struct multi *multi, uint32_t index, uint32_t before, uint32_t made)
{
    struct made *to = multi->to, stage = made_apart(to);
    uint32_t order[MOST], in[MOST], collections = 0;
    for (uint32_t i = 0; i < made; i++) {
        const uint32_t place = made_random(to, i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    for (uint32_t done = 0, n; done < made; done += n, collections++) {
        n = 1 + made_choose(to, made - done);
        const uint32_t taken = made_rarely(to, 3) ? 1 + made_choose(to, MOST) : n;
        for (uint32_t i = 0; i < taken; i++)
            in[i] = made_rarely(to, 300) ? 255 : made_random(to, before);
        put_collection(multi, &stage, in, taken, order + done, n);
    }
    const size_t at = made_open(to, MCC);
    made_put16(to, 0);
    made_put8(to, index);
    made_put16(to, 0);
    made_put16(to, collections);
    made_put_all(to, stage.data, stage.length); /* it takes no choices of its own */
    made_end(&stage);
    made_close(to, at);
    return made;
}

/*
 * Make the marker segments of a transform of `coded` components: of the main header, or of a tile, which has only some
 * of them.
 */
static void put_multi(struct made *made, uint32_t coded, bool main)
{
    struct multi multi = {made, main ? 0 : made_choose(made, 5)};
    const uint32_t stages = made_choose(made, STAGES + 1), first = 1 + made_choose(made, 3);
    uint32_t count = coded;
    for (uint32_t i = 0; i < stages; i++)
        count = put_stage(&multi, first + i, count, i + 1 < stages && main ? 1 + made_choose(made, MOST) : coded);
    if (main || made_choose(made, 2)) {
        const size_t at = made_open(made, MCO);
        made_put8(made, stages);
        for (uint32_t i = 0; i < stages; i++)
            made_put8(made, first + (made_rarely(made, 9) ? made_choose(made, stages) : i));
        made_close(made, at);
    }
    if (!main)
        return;
    const size_t at = made_open(made, CBD);
    const uint32_t declared = made_rarely(made, 50) ? MOST : coded;
    const bool each = made_rarely(made, 3);
    made_put16(made, each ? declared : WIDE | declared);
    for (uint32_t i = 0; i < (each ? declared : 1); i++)
        made_put8(made, made_choose(made, 31) | (made_choose(made, 2) ? 0x80 : 0));
    made_close(made, at);
}

kst_buffer made_slices(bool lossy)
{
    kst_buffer base = {0};
    static uint8_t samples[WIDTH * HEIGHT * COUNT];
    for (size_t i = 0; i < sizeof samples; i++)
        samples[i] = (uint8_t)(i * 7 % 90 + i / 50);
    kst_volume volume;
    kst_volume_options options;
    kst_volume_init(&volume);
    volume.data = samples;
    volume.width = WIDTH;
    volume.height = HEIGHT;
    volume.depth = COUNT;
    volume.bits = 8;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.levels = 1;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = TILE;
    options.jpeg2000.target = lossy ? KST_J2K_RATE : KST_J2K_LOSSLESS;
    options.jpeg2000.value = 4;
    fuzz_check(!kst_encode_volume(fuzz_plain(), &volume, &options, &base, NULL), "a volume can be encoded");
    return base;
}

/* Copy the main header without its transform, and return how long it was. */
static size_t put_main(struct made *made, const kst_buffer *from)
{
    size_t at = 2;
    made_put_all(made, from->data, at);
    while (from->data[at + 1] != SOT) {
        const uint8_t *segment = from->data + at;
        const size_t length = 2 + ((size_t)segment[2] << 8 | segment[3]);
        if (segment[1] != TLM && (segment[1] < (MCT & 0xFF) || segment[1] > (CBD & 0xFF)))
            made_put_all(made, segment, length);
        if (segment[1] == COD)
            made->data[made->length - length + TRANSFORMS] =
                (uint8_t)(made_rarely(made, 20) ? made_choose(made, 8) : 6);
        at += length;
    }
    put_multi(made, COUNT, true);
    return at;
}

/* Copy the tile-parts, some of which get transforms of their own. */
static void put_parts(struct made *made, const kst_buffer *from, size_t at)
{
    while (from->data[at + 1] == SOT) {
        const uint8_t *part = from->data + at;
        const uint32_t length = (uint32_t)part[6] << 24 | (uint32_t)part[7] << 16 | (uint32_t)part[8] << 8 | part[9];
        const size_t begin = made->length;
        made_put_all(made, part, SOT_LENGTH);
        if (made_rarely(made, 3))
            put_multi(made, COUNT, false);
        made_put_all(made, part + SOT_LENGTH, length - SOT_LENGTH);
        const uint32_t made_length = (uint32_t)(made->length - begin);
        for (uint32_t i = 0; i < 4; i++)
            made->data[begin + 6 + i] = (uint8_t)(made_length >> (24 - 8 * i));
        at += length;
    }
    made_put_all(made, from->data + at, from->length - at);
}

void made_volume(struct made *made, const kst_buffer *slices)
{
    const size_t parts = put_main(made, slices);
    put_parts(made, slices, parts);
}
