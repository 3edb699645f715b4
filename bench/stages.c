/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times every stage of JPEG's sample arithmetic on every tier of this processor, and its ratio to plain C. Data lie in
 * the first-level cache, as they do in the codec. With --json one object a line; other arguments select stages by
 * prefix.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/plan/frame.h"

enum { BLOCKS = 64, WIDTH = 2048, REPEATS = 9 };

struct data {
    _Alignas(64) int16_t dense[BLOCKS][64];  /* coefficients anywhere */
    _Alignas(64) int16_t corner[BLOCKS][64]; /* only among the first ten in zig-zag order */
    _Alignas(64) int16_t out[BLOCKS][64];
    _Alignas(64) uint16_t quant[64];
    struct jpeg_quantizer quantizer;
    _Alignas(64) uint8_t plane[4][2 * WIDTH + 2 * JPEG_ROW_PADDING];
    _Alignas(64) uint8_t pixels[4 * WIDTH + JPEG_ROW_PADDING];
    uint8_t samples[8][8 * BLOCKS + JPEG_ROW_PADDING];
    uint64_t masks;
};

/* Describes a stage, which passes once over the data: `units` blocks, samples or pixels. */
struct stage {
    const char *name;
    const char *unit;
    uint32_t units;
    void (*run)(const struct jpeg_dsp *dsp, struct data *data);
};

static void idct(const struct jpeg_dsp *dsp, struct data *d, int r, int16_t (*blocks)[64], uint32_t last)
{
    for (int i = 0; i < BLOCKS; i++)
        dsp->idct[8 >> r](blocks[i], d->quant, last, &d->samples[0][8 * i], sizeof d->samples[0]);
}

static void run_idct_full(const struct jpeg_dsp *dsp, struct data *d)
{
    idct(dsp, d, 0, d->dense, 63);
}

static void run_idct_corner(const struct jpeg_dsp *dsp, struct data *d)
{
    idct(dsp, d, 0, d->corner, 9);
}

static void run_idct_dc(const struct jpeg_dsp *dsp, struct data *d)
{
    idct(dsp, d, 0, d->corner, 0);
}

static void run_idct_4x4(const struct jpeg_dsp *dsp, struct data *d)
{
    idct(dsp, d, 1, d->dense, 63);
}

static void run_idct_2x2(const struct jpeg_dsp *dsp, struct data *d)
{
    idct(dsp, d, 2, d->dense, 63);
}

static void run_idct_1x1(const struct jpeg_dsp *dsp, struct data *d)
{
    idct(dsp, d, 3, d->dense, 63);
}

static void run_fdct(const struct jpeg_dsp *dsp, struct data *d)
{
    for (int i = 0; i < BLOCKS; i++)
        dsp->fdct(&d->samples[0][8 * i], sizeof d->samples[0], &d->quantizer, d->out[i]);
}

static void run_zigzag(const struct jpeg_dsp *dsp, struct data *d)
{
    for (int i = 0; i < BLOCKS; i++)
        d->masks += dsp->zigzag(d->dense[i], d->out[i]);
}

static void run_upsample_h2v1(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->upsample_h2v1(d->plane[0], d->plane[3], WIDTH);
}

static void run_upsample_h2v2(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->upsample_h2v2(d->plane[0], d->plane[1], d->plane[3], WIDTH);
}

static void run_upsample_h1v2(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->upsample_h1v2(d->plane[0], d->plane[1], d->plane[3], WIDTH, true);
}

static void run_downsample_h2v1(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->downsample_h2v1(d->plane[0], d->plane[3], WIDTH);
}

static void run_downsample_h2v2(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->downsample_h2v2(d->plane[0], d->plane[1], d->plane[3], WIDTH);
}

static void run_ycc_to_rgb(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->ycc_to_rgb[JPEG_LAYOUT_RGB](d->plane[0], d->plane[1], d->plane[2], d->pixels, WIDTH, 255);
}

static void run_ycc_to_rgba(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->ycc_to_rgb[JPEG_LAYOUT_RGBA](d->plane[0], d->plane[1], d->plane[2], d->pixels, WIDTH, 255);
}

static void run_grey_to_rgb(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->grey_to_rgb[JPEG_LAYOUT_RGB](d->plane[0], d->pixels, WIDTH, 255);
}

static void run_rgb_to_ycc(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->rgb_to_ycc[JPEG_LAYOUT_RGB](d->pixels, d->plane[0], d->plane[1], d->plane[2], WIDTH);
}

static void run_rgba_to_ycc(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->rgb_to_ycc[JPEG_LAYOUT_RGBA](d->pixels, d->plane[0], d->plane[1], d->plane[2], WIDTH);
}

static void run_rgb_to_grey(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->rgb_to_grey[JPEG_LAYOUT_RGB](d->pixels, d->plane[0], WIDTH);
}

static void run_rgb_split(const struct jpeg_dsp *dsp, struct data *d)
{
    dsp->rgb_split[JPEG_LAYOUT_RGB](d->pixels, d->plane[0], d->plane[1], d->plane[2], WIDTH);
}

static const struct stage stages[] = {
    {"idct", "block", BLOCKS, run_idct_full},
    {"idct corner", "block", BLOCKS, run_idct_corner},
    {"idct dc", "block", BLOCKS, run_idct_dc},
    {"idct 4x4", "block", BLOCKS, run_idct_4x4},
    {"idct 2x2", "block", BLOCKS, run_idct_2x2},
    {"idct 1x1", "block", BLOCKS, run_idct_1x1},
    {"upsample h2v2", "sample", 2 * WIDTH, run_upsample_h2v2},
    {"upsample h2v1", "sample", 2 * WIDTH, run_upsample_h2v1},
    {"upsample h1v2", "sample", WIDTH, run_upsample_h1v2},
    {"ycc to rgb", "pixel", WIDTH, run_ycc_to_rgb},
    {"ycc to rgba", "pixel", WIDTH, run_ycc_to_rgba},
    {"grey to rgb", "pixel", WIDTH, run_grey_to_rgb},
    {"rgb to ycc", "pixel", WIDTH, run_rgb_to_ycc},
    {"rgba to ycc", "pixel", WIDTH, run_rgba_to_ycc},
    {"rgb to grey", "pixel", WIDTH, run_rgb_to_grey},
    {"rgb split", "pixel", WIDTH, run_rgb_split},
    {"downsample h2v2", "sample", WIDTH, run_downsample_h2v2},
    {"downsample h2v1", "sample", WIDTH, run_downsample_h2v1},
    {"fdct", "block", BLOCKS, run_fdct},
    {"zigzag", "block", BLOCKS, run_zigzag},
};

static struct data *make_data(void)
{
    struct data *d = aligned_alloc(64, (sizeof *d + 63) / 64 * 64);
    if (d == NULL)
        exit(1);
    memset(d, 0, sizeof *d);
    uint32_t state = 1;
#define NEXT() (state = state * 1664525U + 1013904223U, state >> 16)
    for (int i = 0; i < BLOCKS; i++) {
        for (int k = 0; k < 64; k++)
            if (NEXT() % 3 == 0)
                d->dense[i][kst_jpeg_natural[k]] = (int16_t)((int)(NEXT() % 21) - 10);
        for (int k = 0; k < 10; k++)
            d->corner[i][kst_jpeg_natural[k]] = (int16_t)((int)(NEXT() % 21) - 10);
    }
    for (int i = 0; i < 64; i++)
        d->quant[i] = (uint16_t)(1 + NEXT() % 30);
    kst_jpeg_cpu_quantizer_init(&d->quantizer, d->quant);
    for (size_t i = 0; i < sizeof d->plane; i++)
        (&d->plane[0][0])[i] = (uint8_t)NEXT();
    for (size_t i = 0; i < sizeof d->pixels; i++)
        d->pixels[i] = (uint8_t)NEXT();
    for (size_t i = 0; i < sizeof d->samples; i++)
        (&d->samples[0][0])[i] = (uint8_t)NEXT();
#undef NEXT
    return d;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Return nanoseconds for each unit: the best of several runs of a few milliseconds, because other work on the machine
 * can only add to the time.
 */
static double measure(const struct stage *stage, const struct jpeg_dsp *dsp, struct data *data)
{
    uint32_t passes = 1;
    double best = 1e9;
    for (int i = 0; i < REPEATS;) {
        const double start = now();
        for (uint32_t p = 0; p < passes; p++)
            stage->run(dsp, data);
        const double seconds = now() - start;
        if (seconds < 2e-3) {
            passes *= 2;
            continue;
        }
        const double ns = 1e9 * seconds / ((double)passes * stage->units);
        best = ns < best ? ns : best;
        i++;
    }
    return best;
}

static bool selected(const char *name, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            continue;
        any = true;
        if (strncmp(name, argv[i], strlen(argv[i])) == 0)
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    bool json = false;
    for (int i = 1; i < argc; i++)
        json |= strcmp(argv[i], "--json") == 0;
    struct data *data = make_data();
    if (!json)
        printf("%-16s %-8s %10s %10s %8s\n", "stage", "tier", "ns", "", "against c");
    for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
        if (!selected(stages[s].name, argc, argv))
            continue;
        double plain = 0;
        for (int t = CPU_C; t <= CPU_NEON; t++) {
            const char *name = kst_cpu_tier_name((enum cpu_tier)t);
            enum cpu_tier tier;
            if (kst_cpu_tier_by_name(name, &tier))
                continue;
            struct jpeg_dsp dsp;
            kst_jpeg_cpu_dsp_init(&dsp, tier);
            const double ns = measure(&stages[s], &dsp, data);
            if (t == CPU_C)
                plain = ns;
            if (json)
                printf("{\"stage\": \"%s\", \"tier\": \"%s\", \"unit\": \"%s\", \"ns\": %.4f}\n", stages[s].name, name,
                    stages[s].unit, ns);
            else
                printf("%-16s %-8s %10.3f /%-9s %7.2fx\n", stages[s].name, name, ns, stages[s].unit, plain / ns);
        }
    }
    free(data);
    return 0;
}
