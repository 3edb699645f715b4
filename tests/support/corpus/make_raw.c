/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a picture for the encoders that make the corpus: make_raw OUT WIDTH HEIGHT DEPTH u|s DXxDY… writes a plane for
 * each component, whose separations are DX and DY: slopes, edges and some noise, the same on each run. Samples of more
 * than 8 bits take two bytes, the upper one first.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

enum { ARGUMENTS = 6, FIRST_COMPONENT = ARGUMENTS };

/* Return a sample of 12 bits without noise: a slope, crossed by other slopes and flat areas. */
static uint32_t shade(uint32_t x, uint32_t y, uint32_t component)
{
    uint32_t slope = (x * (3 + component) + y * (5 - component % 3)) * 2;
    switch ((x / 40 + y / 24 + component) % 5) {
    case 0:
        return 900 + component * 500;
    case 1:
        return 4095 - slope % 2048;
    default:
        return slope % 4096;
    }
}

static uint32_t sample(uint32_t x, uint32_t y, uint32_t component, uint32_t depth, uint32_t *random)
{
    uint32_t noise = random_below(random, 128), value = shade(x, y, component) + noise;
    value = value > 4095 ? 4095 : value;
    return depth > 12 ? value << (depth - 12) : value >> (12 - depth);
}

/* Write a sample. Signed ones are unsigned ones less half of their range. */
static void put(FILE *file, uint32_t value, uint32_t depth, bool is_signed)
{
    if (is_signed)
        value -= 1U << (depth - 1);
    if (depth > 8)
        putc((int)(value >> 8 & 255), file);
    putc((int)(value & 255), file);
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    uint32_t random = 1;
    if (argc <= FIRST_COMPONENT)
        return 2;
    uint32_t width = number(argv[2]), height = number(argv[3]), depth = number(argv[4]);
    bool is_signed = strcmp(argv[5], "s") == 0;
    FILE *file = fopen(argv[1], "wb");
    if (!file || depth < 1 || depth > 16)
        return 1;
    for (int c = FIRST_COMPONENT; c < argc; c++) {
        char *rest;
        uint32_t dx = (uint32_t)strtoul(argv[c], &rest, 10), dy = number(*rest ? rest + 1 : "");
        if (dx == 0 || dy == 0)
            return 2;
        for (uint32_t y = 0; y < height; y += dy)
            for (uint32_t x = 0; x < width; x += dx)
                put(file, sample(x, y, (uint32_t)(c - FIRST_COMPONENT), depth, &random), depth, is_signed);
    }
    return fclose(file) == 0 ? 0 : 1;
}
