/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures resizing in a device's memory, after comparing the result with the CPU's. Prints a row of a table in
 * Markdown for each case: the median of the device's time for the passes and of the whole call, and what each kernel
 * takes.
 *
 *     kostka-resize [-d DEVICE] [-k RUNS]
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_device.h>
#include <kostka/kostka_profile.h>

#include "call.h"
#include "print/statistics.h"
#include "system/channels.h"

enum { MOST_IMAGES = 256 };

struct resize_case {
    const char *name;
    kst_format format;
    uint32_t depth, count, width, height, to_width, to_height;
    kst_resize_filter filter;
    bool crops; /* each picture has a box and a mirror flag of its own; planes of float16 */
};

static const struct resize_case cases[] = {
    {"4K to 1080p, Lanczos, RGB", KST_FORMAT_RGB, 8, 1, 3840, 2160, 1920, 1080, KST_RESIZE_LANCZOS, false},
    {"4K to 1080p, bicubic, RGB", KST_FORMAT_RGB, 8, 1, 3840, 2160, 1920, 1080, KST_RESIZE_BICUBIC, false},
    {"4K to 1080p, bilinear, RGB", KST_FORMAT_RGB, 8, 1, 3840, 2160, 1920, 1080, KST_RESIZE_BILINEAR, false},
    {"4K to 1080p, Lanczos, RGBA", KST_FORMAT_RGBA, 8, 1, 3840, 2160, 1920, 1080, KST_RESIZE_LANCZOS, false},
    {"4K to 1080p, Lanczos, RGB of 16 bits", KST_FORMAT_RGB, 16, 1, 3840, 2160, 1920, 1080, KST_RESIZE_LANCZOS, false},
    {"4K to 224×224, Lanczos, RGB", KST_FORMAT_RGB, 8, 1, 3840, 2160, 224, 224, KST_RESIZE_LANCZOS, false},
    {"4K to 224×224, bilinear, RGB", KST_FORMAT_RGB, 8, 1, 3840, 2160, 224, 224, KST_RESIZE_BILINEAR, false},
    {"1080p to 4K, Lanczos, RGB", KST_FORMAT_RGB, 8, 1, 1920, 1080, 3840, 2160, KST_RESIZE_LANCZOS, false},
    {"256 of 500×375 to 224×224, bilinear, RGB", KST_FORMAT_RGB, 8, 256, 500, 375, 224, 224, KST_RESIZE_BILINEAR,
        false},
    {"256 of 500×375 to 224×224, bicubic, RGB", KST_FORMAT_RGB, 8, 256, 500, 375, 224, 224, KST_RESIZE_BICUBIC, false},
    {"256 crops of 500×375 to 224×224 float16 planes, bilinear", KST_FORMAT_RGB, 8, 256, 500, 375, 224, 224,
        KST_RESIZE_BILINEAR, true},
};

/* Describes a case on the device, and the CPU's pictures for it. */
struct bench {
    const struct resize_case *of;
    kst_context *cpu, *gpu;
    kst_memory memory;
    kst_image host, from[MOST_IMAGES], to[MOST_IMAGES];
    kst_resize_options options[MOST_IMAGES];
    kst_resize_item item[MOST_IMAGES];
};

static uint32_t next_random(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void describe(const struct resize_case *c, kst_image *image)
{
    kst_image_init(image);
    image->format = c->format;
    image->width = c->width;
    image->height = c->height;
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.width = c->width, .height = c->height, .depth = (uint8_t)c->depth};
}

/* Fill an image with slopes and noise. */
static void fill(const kst_image *image)
{
    uint8_t *bytes = image->plane[0].data;
    size_t length = (size_t)image->plane[0].pitch * image->height;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(i / 50 + next_random() % 32);
}

static void set_options(const struct resize_case *c, kst_resize_options *options)
{
    kst_resize_options_init(options);
    options->width = c->to_width;
    options->height = c->to_height;
    options->filter = c->filter;
    if (!c->crops)
        return;
    uint32_t width = c->width / 4 + next_random() % (c->width * 3 / 4), left = next_random() % (c->width - width + 1);
    uint32_t height = c->height / 4 + next_random() % (c->height * 3 / 4);
    uint32_t top = next_random() % (c->height - height + 1);
    options->box = (kst_resize_box){left, top, left + width, top + height};
    options->mirror = next_random() % 2;
    options->format = KST_FORMAT_PLANAR;
    options->sample = KST_SAMPLE_FLOAT16;
    for (int i = 0; i < 3; i++) {
        options->mean[i] = 120.0F;
        options->scale[i] = 1 / 58.0F;
    }
}

static void open_case(struct bench *b)
{
    describe(b->of, &b->host);
    bench_check(kst_image_allocate(b->cpu, &b->host), "host memory");
    fill(&b->host);
    for (uint32_t i = 0; i < b->of->count; i++) {
        describe(b->of, &b->from[i]);
        b->from[i].memory = b->memory;
        bench_check(kst_image_allocate(b->gpu, &b->from[i]), "device memory");
        bench_check(kst_image_copy(b->gpu, &b->host, &b->from[i]), "upload");
        kst_image_init(&b->to[i]);
        b->to[i].memory = b->memory;
        set_options(b->of, &b->options[i]);
        b->item[i] = (kst_resize_item){.from = &b->from[i], .options = &b->options[i], .to = &b->to[i]};
    }
}

static void close_case(struct bench *b)
{
    kst_image_release(b->cpu, &b->host);
    for (uint32_t i = 0; i < b->of->count; i++) {
        kst_image_release(b->gpu, &b->from[i]);
        kst_image_release(b->gpu, &b->to[i]);
    }
}

static bool is_same(const kst_image *a, const kst_image *b)
{
    uint32_t channels = kst_format_channels(a->format);
    bool same = true;
    for (uint32_t i = 0; i < a->plane_count; i++) {
        const kst_plane *one = &a->plane[i], *other = &b->plane[i];
        size_t bytes = one->sample == KST_SAMPLE_FLOAT16 || one->depth > 8 ? 2 : 1;
        size_t row = one->width * (channels > 0 ? channels : 1) * bytes;
        for (uint32_t y = 0; y < a->height; y++)
            same = same &&
                   memcmp((uint8_t *)one->data + y * one->pitch, (uint8_t *)other->data + y * other->pitch, row) == 0;
    }
    return same;
}

/* Compare the first eight images, and the last, with those of the CPU. */
static bool compare(struct bench *b)
{
    bool same = true;
    for (uint32_t i = 0; i < b->of->count; i += i < 7 || i == b->of->count - 1 ? 1 : b->of->count - 1 - i) {
        kst_image wanted, found;
        kst_image_init(&wanted);
        bench_check(kst_resize(b->cpu, &b->host, &b->options[i], &wanted), "the CPU");
        found = wanted;
        found.owned = NULL;
        bench_check(kst_image_allocate(b->cpu, &found), "host memory");
        bench_check(kst_image_copy(b->gpu, &b->to[i], &found), "download");
        same = same && is_same(&wanted, &found);
        kst_image_release(b->cpu, &wanted);
        kst_image_release(b->cpu, &found);
    }
    return same;
}

/* Holds the time of each kernel, over all of its launches. */
struct kernel_times {
    struct {
        const char *name;
        double seconds;
        int launches, registers;
    } kernel[16];
    int count;
};

static void add_step(void *user, const kst_step *step)
{
    struct kernel_times *times = user;
    int i = 0;
    if (step->kind != KST_STEP_KERNEL)
        return;
    while (i < times->count && strcmp(times->kernel[i].name, step->name) != 0)
        i++;
    if (i == 16)
        return;
    times->count += i == times->count;
    times->kernel[i].name = step->name;
    times->kernel[i].seconds += step->seconds;
    times->kernel[i].launches++;
    times->kernel[i].registers = step->kernel.registers;
}

static void print_kernels(struct bench *b)
{
    struct kernel_times times = {.count = 0};
    if (kst_profile_begin(b->gpu))
        return;
    bench_check(kst_resize_batch(b->gpu, b->item, b->of->count), "resize");
    bench_check(kst_profile_end(b->gpu, add_step, &times), "profile");
    for (int i = 0; i < times.count; i++)
        printf("%s%s %.4f (%d ×, %d registers)", i > 0 ? ", " : " ", times.kernel[i].name,
            times.kernel[i].seconds * 1e3, times.kernel[i].launches, times.kernel[i].registers);
}

static bool run_case(struct bench *b, uint32_t runs)
{
    double *device = calloc(runs, sizeof *device), *whole = calloc(runs, sizeof *whole);
    open_case(b);
    bench_check(kst_resize_batch(b->gpu, b->item, b->of->count), "resize");
    bool same = compare(b);
    for (uint32_t i = 0; i < runs && device && whole; i++) {
        double start = bench_now();
        bench_check(kst_resize_batch(b->gpu, b->item, b->of->count), "resize");
        whole[i] = bench_now() - start;
        device[i] = b->item[0].report.stage_seconds[KST_STAGE_RESIZE] * b->of->count;
    }
    printf("| %s | %s | %.4f | %.4f |", b->of->name, same ? "equal" : "DIFFERENT",
        statistics_median(device, runs) * 1e3, statistics_median(whole, runs) * 1e3);
    print_kernels(b);
    puts(" |");
    close_case(b);
    free(device);
    free(whole);
    return same;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const char *device = "cuda";
    uint32_t runs = 21;
    bool same = true;
    ask_for_channels();
    for (int option; (option = getopt(argc, argv, "d:k:")) != -1;) {
        if (option == 'd')
            device = optarg;
        else if (option == 'k')
            runs = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return 2;
    }
    kst_device_info info = {.size = sizeof info};
    bench = (struct bench){.cpu = bench_context("cpu"), .gpu = bench_context(device)};
    bench_check(kst_context_device(bench.gpu, &info), device);
    bench.memory = info.kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : KST_MEMORY_OPENCL;
    puts("| resized | as the CPU | passes, ms | call, ms | kernels, ms, in the profile |\n|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench.of = &cases[i];
        same = run_case(&bench, runs > 0 ? runs : 1) && same;
    }
    kst_context_destroy(&bench.gpu);
    kst_context_destroy(&bench.cpu);
    return same ? 0 : 1;
}
