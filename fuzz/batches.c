/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes many damaged files by the batch functions of a device, and compares with the CPU: status, warnings and their
 * offsets, every pixel; and every byte of pictures encoded in batches.
 *
 *     batches DEVICE COUNT [SEED]
 *
 * exits with 77 if there is no such device.
 */
#include <kostka/kostka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"

enum { PICTURES = 16, BATCH = 256, SIDE = 170, HEADERS = 620 };

struct files {
    kst_context *cpu, *device;
    kst_buffer picture[PICTURES]; /* of which the files are made */
    kst_decode_options options[BATCH];
    uint8_t *data[BATCH];
    size_t length[BATCH];
    kst_image wanted[BATCH], image[BATCH];
    kst_decode_item on_cpu[BATCH], on_device[BATCH];
    unsigned long decoded, damaged, refused, encoded;
    unsigned long there; /* number of pictures that the device decoded */
};

static uint32_t state;

static uint32_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static kst_context *make_context(const char *device)
{
    kst_context_options options;
    kst_context *context;

    kst_context_options_init(&options);
    options.device = device;
    options.limits.pixels = 1 << 20;
    options.limits.memory = (uint64_t)1 << 30;
    kst_status status = kst_context_create(&options, &context);
    if (!status)
        return context;
    fprintf(stderr, "%s: %s\n", device, kst_status_text(status));
    exit(status == KST_ERROR_DEVICE_MISSING ? 77 : 1);
}

static void *need(void *memory)
{
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Fill an image with a random mixture of slope and noise. */
static void draw(kst_image *image, kst_format format)
{
    uint32_t width = 1 + next_random() % SIDE, height = 1 + next_random() % SIDE,
             channels = kst_format_channels(format);
    uint32_t detail = 1 + next_random() % 200;
    uint8_t *pixels = need(malloc((size_t)width * height * channels));

    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width * channels; x++)
            pixels[(size_t)y * width * channels + x] = (uint8_t)(x + y * 2 + next_random() % detail);
    kst_image_wrap(image, format, width, height, pixels, 0);
}

/* The scripts have sequential scans of three components, and of four. */
static const kst_scan scripts[2][3][4] = {
    {{{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}},
        {{1, {0}, 0, 63, 0, 0}, {2, {1, 2}, 0, 63, 0, 0}}, {{1, {1}, 0, 63, 0, 0}, {2, {0, 2}, 0, 63, 0, 0}}},
    {{{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}, {1, {3}, 0, 63, 0, 0}},
        {{1, {2}, 0, 63, 0, 0}, {3, {0, 1, 3}, 0, 63, 0, 0}}, {{2, {0, 3}, 0, 63, 0, 0}, {2, {1, 2}, 0, 63, 0, 0}}}};

static void choose_scans(kst_encode_options *options, kst_format format)
{
    const kst_scan *script = scripts[format == KST_FORMAT_CMYK][next_random() % 3];

    if (options->coding == KST_CODING_PROGRESSIVE || format == KST_FORMAT_GREY || next_random() % 3 != 0)
        return;
    options->script = script;
    while (options->script_length < 4 && script[options->script_length].component_count > 0)
        options->script_length++;
}

static void choose(kst_encode_options *options, uint32_t turn, kst_format format)
{
    kst_encode_options_init(options);
    options->quality = (int)(5 + next_random() % 96);
    options->subsampling = (kst_subsampling)(next_random() % 6);
    options->coding = turn == 0 ? KST_CODING_PROGRESSIVE : (kst_coding)(next_random() % 2);
    options->restart.unit = (kst_restart_unit)(next_random() % 3);
    options->restart.interval = 1 + next_random() % 20;
    choose_scans(options, format);
}

static kst_format choose_format(void)
{
    uint32_t number = next_random() % 8;
    return number == 0 ? KST_FORMAT_GREY : number == 1 ? KST_FORMAT_CMYK : KST_FORMAT_RGB;
}

static bool same_stream(const kst_encode_item *wanted, const kst_encode_item *found)
{
    return wanted->report.status == found->report.status && wanted->output.length == found->output.length &&
           (wanted->output.length == 0 || memcmp(wanted->output.data, found->output.data, wanted->output.length) == 0);
}

static void tell_encoding(const kst_encode_item *wanted, const kst_encode_item *found)
{
    const kst_encode_options *options = wanted->options;
    size_t at = 0;

    while (at < wanted->output.length && at < found->output.length && wanted->output.data[at] == found->output.data[at])
        at++;
    fprintf(stderr,
        "%u × %u, format %d, quality %d, subsampling %d, coding %d, restart %d × %u: '%s', %zu bytes, not '%s', %zu; "
        "differs at %zu\n",
        (unsigned)wanted->image->width, (unsigned)wanted->image->height, (int)wanted->image->format, options->quality,
        (int)options->subsampling, (int)options->coding, (int)options->restart.unit,
        (unsigned)options->restart.interval, kst_status_text(found->report.status), found->output.length,
        kst_status_text(wanted->report.status), wanted->output.length, at);
}

/* Encode new pictures, on both devices. */
static bool encode_pictures(struct files *files)
{
    kst_image image[PICTURES];
    kst_encode_options options[PICTURES];
    kst_encode_item wanted[PICTURES], found[PICTURES];
    bool same = true;

    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_format format = choose_format();
        draw(&image[i], format);
        choose(&options[i], i, format);
        wanted[i] = found[i] = (kst_encode_item){.image = &image[i], .options = &options[i]};
        kst_buffer_release(files->cpu, &files->picture[i]);
    }
    kst_encode_batch(files->cpu, wanted, PICTURES);
    kst_encode_batch(files->device, found, PICTURES);
    for (uint32_t i = 0; i < PICTURES; i++) {
        if (same && !same_stream(&wanted[i], &found[i])) {
            tell_encoding(&wanted[i], &found[i]);
            same = false;
        }
        files->encoded += wanted[i].report.status ? 0 : 1;
        files->picture[i] = wanted[i].output;
        kst_buffer_release(files->device, &found[i].output);
        free(image[i].plane[0].data);
    }
    return same;
}

/*
 * Change bytes, remove some, and set some to 0xFF, which starts a marker. In one file of eight the headers are damaged,
 * too.
 */
static void damage(uint8_t *data, size_t *length)
{
    uint32_t changes = next_random() % 5;
    size_t least = next_random() % 8 == 0 ? 2 : *length > HEADERS + 80 ? HEADERS : *length / 2;

    for (uint32_t i = 0; i < changes; i++) {
        size_t at = least + next_random() % (*length - least);
        damage_at(data, length, at, next_random);
    }
    if (next_random() % 4 == 0)
        *length = least + next_random() % (*length - least);
}

static void make_file(struct files *files, uint32_t index)
{
    const kst_buffer *picture = &files->picture[next_random() % PICTURES];
    kst_decode_options *options = &files->options[index];
    uint8_t *data = need(malloc(picture->length + 1));
    size_t length = picture->length;

    memcpy(data, picture->data, length);
    damage(data, &length);
    files->data[index] = need(realloc(data, length)); /* so that reading past the end is detected */
    files->length[index] = length;
    kst_decode_options_init(options);
    options->format = next_random() % 4 == 0 ? KST_FORMAT_RAW : KST_FORMAT_AUTO;
    options->strict = next_random() % 16 == 0;
    kst_image_init(&files->wanted[index]);
    kst_image_init(&files->image[index]);
    files->on_cpu[index] = (kst_decode_item){
        .data = files->data[index], .length = length, .options = options, .image = &files->wanted[index]};
    files->on_device[index] = files->on_cpu[index];
    files->on_device[index].image = &files->image[index];
}

static bool same_pixels(const kst_image *a, const kst_image *b)
{
    kst_comparison comparison = {.size = sizeof comparison};
    return !kst_compare(a, b, &comparison) && comparison.identical;
}

static bool same_outcome(const kst_decode_item *wanted, const kst_decode_item *found)
{
    const kst_report *a = &wanted->report, *b = &found->report;

    return a->status == b->status && a->warnings == b->warnings && a->first_warning == b->first_warning &&
           a->first_warning_offset == b->first_warning_offset && strcmp(a->message, b->message) == 0 &&
           (a->status || same_pixels(wanted->image, found->image));
}

static void keep(const struct files *files, uint32_t index)
{
    const kst_report *a = &files->on_cpu[index].report, *b = &files->on_device[index].report;
    FILE *file = fopen("different.jpg", "wb");

    fprintf(stderr, "'%s' with %llu warnings, not '%s' with %llu; the file is different.jpg, as %s%s\n", b->message,
        (unsigned long long)b->warnings, a->message, (unsigned long long)a->warnings,
        files->options[index].format == KST_FORMAT_RAW ? "raw" : "auto",
        files->options[index].strict ? ", strict" : "");
    if (file != NULL) {
        fwrite(files->data[index], 1, files->length[index], file);
        fclose(file);
    }
}

static bool decode_files(struct files *files, uint32_t count)
{
    bool same = true;

    for (uint32_t i = 0; i < count; i++)
        make_file(files, i);
    kst_decode_batch(files->cpu, files->on_cpu, count);
    kst_decode_batch(files->device, files->on_device, count);
    for (uint32_t i = 0; i < count; i++) {
        if (same && !same_outcome(&files->on_cpu[i], &files->on_device[i])) {
            keep(files, i);
            same = false;
        }
        files->decoded++;
        files->damaged += files->on_cpu[i].report.warnings > 0;
        files->refused += files->on_cpu[i].report.status ? 1 : 0;
        files->there += files->on_device[i].report.stage_device[KST_STAGE_UPLOAD] != KST_DEVICE_NONE;
        kst_image_release(files->cpu, &files->wanted[i]);
        kst_image_release(files->device, &files->image[i]);
        free(files->data[i]);
    }
    return same;
}

int main(int argc, char **argv)
{
    static struct files files;
    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    bool same = true;

    if (count == 0) {
        fputs("Usage: batches DEVICE COUNT [SEED]\n", stderr);
        return 2;
    }
    state = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) | 1 : 0x2545F491;
    files.cpu = make_context("cpu");
    files.device = make_context(argv[1]);
    while (files.decoded < count && same) {
        unsigned long rest = count - files.decoded;
        same = encode_pictures(&files) && decode_files(&files, rest < BATCH ? (uint32_t)rest : BATCH);
    }
    printf("%s on %s: %lu files, %lu with damage, %lu refused, %lu decoded there; %lu pictures encoded\n",
        same ? "the same" : "NOT THE SAME", argv[1], files.decoded, files.damaged, files.refused, files.there,
        files.encoded);
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_buffer_release(files.cpu, &files.picture[i]);
    kst_context_destroy(&files.device);
    kst_context_destroy(&files.cpu);
    return same ? 0 : 1;
}
