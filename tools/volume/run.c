/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the actions of 'kostka volume'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/json.h"
#include "print/plain.h"
#include "progress/progress.h"
#include "volume/store.h"

static int fail(const char *name, const struct problem *problem)
{
    complain(strcmp(name, "-") == 0 ? "standard input" : name, "%s", problem->text);
    return EXIT_FAILED;
}

static int fail_output(const char *name, const struct problem *problem)
{
    complain(strcmp(name, "-") == 0 ? "standard output" : name, "%s", problem->text);
    return EXIT_FAILED;
}

static int fail_report(const char *name, kst_status status, const kst_report *report)
{
    struct problem problem;
    coded_report_problem(report, status, &problem);
    return fail(name, &problem);
}

/* Read a codestream. If a pipe, a device or a large file holds none, only its first bytes are read. */
static bool read_coded(
    const struct volume_settings *settings, const char *name, struct source *source, struct problem *problem)
{
    const struct file_settings files = {.max_memory = common_max_memory(&settings->common)};
    return source_read_picture(source, name, &files, problem);
}

/* Begin to show the progress of work on a volume. */
static kst_progress begin_progress(struct progress_whole *whole)
{
    progress_begin(1);
    progress_file_begin(0);
    *whole = progress_both();
    return (kst_progress){.size = sizeof(kst_progress), .told = progress_whole_done, .user = whole};
}

static void end_progress(void)
{
    progress_file_end();
    progress_end();
}

static int put_coded(const char *name, const kst_buffer *coded)
{
    struct problem problem = {.text = ""};
    struct output output;
    if (!output_open(&output, name, &problem))
        return fail_output(name, &problem);
    if (output_write(&output, coded->data, coded->length, &problem) && output_commit(&output, &problem))
        return EXIT_FINE;
    output_discard(&output);
    return fail_output(name, &problem);
}

int volume_encode(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct progress_whole whole;
    struct volume_file file;
    kst_volume_options options;
    kst_buffer coded = {.data = NULL};
    kst_report report;

    const int named = volume_check_coded(names[1], &settings->j2k.options);
    if (named != EXIT_FINE)
        return named;
    if (store_is_named(names[1]))
        return store_encode(settings, names);
    if (settings->brick[0] > 0 || settings->shards[0] > 0 || settings->by_slices || settings->resume ||
        settings->shard.count > 0) {
        problem_set(
            &problem, "--brick, --shards, --shard, --layout and --resume are for stores, whose names end in .zarr");
        return fail(names[1], &problem);
    }
    if (!volume_read(names[0], settings, &file, &problem))
        return fail(names[0], &problem);
    if (file.volume.sample == KST_SAMPLE_FLOAT32 || settings->error > 0) {
        volume_release(&file);
        problem_set(&problem,
            "samples of single precision are coded in stores, whose names end in .zarr, and --error is for these");
        return fail(names[0], &problem);
    }
    if (volume_is_nifti(names[0]) && settings->raw.width == 0)
        complain(
            names[0], "warning: samples are coded; the spacing, orientation and scaling in its header are not kept");
    kst_volume_options_init(&options);
    options.jpeg2000 = settings->j2k.options;
    options.z_levels = settings->z_levels;
    kst_report_init(&report);
    const kst_progress progress = begin_progress(&whole);
    options.progress = &progress;
    const kst_status status = kst_encode_volume(settings->context, &file.volume, &options, &coded, &report);
    end_progress();
    volume_release(&file);
    if (status)
        return fail_report(names[0], status, &report);
    jpeg_report_details(names[0], &report, settings->common.verbose);
    const int code = put_coded(names[1], &coded);
    kst_buffer_release(settings->context, &coded);
    return code;
}

/* Read a codestream and decode what the settings ask for. Returns an exit code. */
static int decode(struct volume_settings *settings, const char *name, kst_volume *volume)
{
    struct problem problem = {.text = ""};
    struct progress_whole whole;
    struct source source;
    kst_report report;

    if (!read_coded(settings, name, &source, &problem))
        return fail(name, &problem);
    kst_volume_init(volume);
    kst_report_init(&report);
    const kst_progress progress = begin_progress(&whole);
    settings->decode.progress = &progress;
    const kst_status status =
        kst_decode_volume(settings->context, source.data, source.length, &settings->decode, volume, &report);
    end_progress();
    source_release(&source);
    if (status)
        return fail_report(name, status, &report);
    jpeg_report_warnings(name, &report);
    jpeg_report_details(name, &report, settings->common.verbose);
    return EXIT_FINE;
}

/* Open a store for reading. Returns an exit code. */
static int open_store(struct volume_settings *settings, const char *name, struct store *store, kst_volume *whole)
{
    struct problem problem = {.text = ""};
    if (store_open(store, name, common_max_memory(&settings->common), &problem) &&
        store_describe(store, settings, whole, &problem))
        return EXIT_FINE;
    store_release(store);
    return fail(name, &problem);
}

/* Check a box of a volume. An empty box becomes the whole volume. */
static bool choose_box(kst_box *box, const kst_volume *whole, struct problem *problem)
{
    if (box->width == 0)
        *box = (kst_box){.width = whole->width, .height = whole->height, .depth = whole->depth};
    if (box->x < whole->width && box->width <= whole->width - box->x && box->y < whole->height &&
        box->height <= whole->height - box->y && box->z < whole->depth && box->depth <= whole->depth - box->z)
        return true;
    return problem_set(problem, "--box is not within the %ux%ux%u samples of the volume", (unsigned)whole->depth,
        (unsigned)whole->height, (unsigned)whole->width);
}

static int decode_store(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct store store;
    kst_volume whole;
    int code = open_store(settings, names[0], &store, &whole);
    if (code != EXIT_FINE)
        return code;
    kst_box box = settings->decode.region;
    if (!choose_box(&box, &whole, &problem) || !volume_write_store(names[1], &store, &box, settings, &problem))
        code = fail(names[0], &problem);
    store_release(&store);
    return code;
}

int volume_decode(struct volume_settings *settings, char **names)
{
    static const struct volume_grid grid = {.spacing = {1, 1, 1}};
    struct problem problem = {.text = ""};
    kst_volume volume;
    int code = volume_check_samples(names[1]);
    if (code != EXIT_FINE)
        return code;
    if (store_is_named(names[0]))
        return decode_store(settings, names);
    code = decode(settings, names[0], &volume);
    if (code != EXIT_FINE)
        return code;
    const bool fine = volume_write(names[1], &volume, &grid, settings, &problem);
    kst_volume_release(settings->context, &volume);
    return fine ? EXIT_FINE : fail_output(names[1], &problem);
}

static int print_info(const char *name, const kst_volume_info *info, bool json)
{
    if (json)
        return json_print(
            json_pack("{s:o, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I}", "file", json_text(name),
                "depth", (json_int_t)info->depth, "height", (json_int_t)info->height, "width", (json_int_t)info->width,
                "bits", (json_int_t)info->bits, "signed", info->is_signed, "wavelet", info->has_wavelet, "reversible",
                info->reversible, "ht", (info->block_style & KST_J2K_HT) != 0, "levels", (json_int_t)info->levels,
                "z_levels", (json_int_t)info->z_levels, "layers", (json_int_t)info->layers, "tiles",
                (json_int_t)info->tiles),
            EXIT_FINE);
    plain_puts(stdout, name);
    printf(": %ux%ux%u samples (z, y, x) of %u bits%s, %s%s, %u levels, ", (unsigned)info->depth,
        (unsigned)info->height, (unsigned)info->width, info->bits, info->is_signed ? " with signs" : "",
        info->reversible ? "5/3" : "9/7", info->block_style & KST_J2K_HT ? ", HTJ2K" : "", (unsigned)info->levels);
    if (info->has_wavelet)
        printf("%u along z", (unsigned)info->z_levels);
    else
        printf("slices coded each by itself");
    printf(", %u layer%s, %u tile%s\n", (unsigned)info->layers, info->layers > 1 ? "s" : "", (unsigned)info->tiles,
        info->tiles > 1 ? "s" : "");
    return finish_output(EXIT_FINE);
}

static const char *coder_name(const struct store *store)
{
    if (store->coder == BRICK_VOLUME)
        return "kostka";
    return store->coder == BRICK_BYTES ? packing_name(store->packing)
           : store->ht                 ? "imagecodecs_htj2k"
                                       : "imagecodecs_jpeg2k";
}

static int print_store(const char *name, const struct store *store, bool json)
{
    const uint32_t *shape = store->shape, *brick = store->brick, *shard = store->shard;
    if (json)
        return json_print(
            json_pack("{s:o, s:I, s:I, s:I, s:I, s:b, s:b, s:s, s:[I, I, I], s:[I, I, I]}", "file", json_text(name),
                "depth", (json_int_t)shape[0], "height", (json_int_t)shape[1], "width", (json_int_t)shape[2], "bits",
                (json_int_t)store->bits, "signed", store->is_signed, "float", store->is_float, "codec",
                coder_name(store), "brick", (json_int_t)brick[0], (json_int_t)brick[1], (json_int_t)brick[2],
                "bricks_of_shard", (json_int_t)shard[0], (json_int_t)shard[1], (json_int_t)shard[2]),
            EXIT_FINE);
    plain_puts(stdout, name);
    printf(": %ux%ux%u samples (z, y, x) of %u bits%s, codec %s, bricks of %ux%ux%u", (unsigned)shape[0],
        (unsigned)shape[1], (unsigned)shape[2], store->bits,
        store->is_float    ? " of single precision"
        : store->is_signed ? " with signs"
                           : "",
        coder_name(store), (unsigned)brick[0], (unsigned)brick[1], (unsigned)brick[2]);
    if (store->sharded)
        printf(", shards of %ux%ux%u bricks", (unsigned)shard[0], (unsigned)shard[1], (unsigned)shard[2]);
    printf("\n");
    return finish_output(EXIT_FINE);
}

static int info_store(struct volume_settings *settings, const char *name)
{
    struct store store;
    kst_volume whole;
    int code = open_store(settings, name, &store, &whole);
    if (code != EXIT_FINE)
        return code;
    code = print_store(name, &store, settings->json);
    store_release(&store);
    return code;
}

int volume_info(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    if (store_is_named(names[0]))
        return info_store(settings, names[0]);
    struct source source;
    kst_volume_info info = {.size = sizeof info};
    kst_report report;

    if (!read_coded(settings, names[0], &source, &problem))
        return fail(names[0], &problem);
    kst_report_init(&report);
    const kst_status status =
        kst_describe_volume(settings->context, source.data, source.length, NULL, NULL, &info, &report);
    source_release(&source);
    return status ? fail_report(names[0], status, &report) : print_info(names[0], &info, settings->json);
}

/* Set the box to the chosen slice of the reduced volume. */
static bool choose_slice(struct volume_settings *settings, const kst_volume *whole, struct problem *problem)
{
    kst_box *box = &settings->decode.region;
    const uint32_t sides = settings->axis == 'x' ? whole->width : settings->axis == 'y' ? whole->height : whole->depth;
    *box = (kst_box){.width = whole->width, .height = whole->height, .depth = whole->depth};
    if (settings->index >= sides)
        return problem_set(problem, "--index: there are %u slices along %c", (unsigned)sides, settings->axis);
    if (settings->axis == 'x') {
        box->x = settings->index;
        box->width = 1;
    } else if (settings->axis == 'y') {
        box->y = settings->index;
        box->height = 1;
    } else {
        box->z = settings->index;
        box->depth = 1;
    }
    return true;
}

/*
 * Make a grey picture of a volume of one slice: z is the vertical axis, except for a slice along z. Signed samples are
 * shifted.
 */
static bool make_picture(
    const struct volume_settings *settings, const kst_volume *slice, struct picture *picture, struct problem *problem)
{
    const uint32_t width = settings->axis == 'x' ? slice->height : slice->width;
    const uint32_t height = settings->axis == 'z' ? slice->height : slice->depth;
    const size_t bytes = volume_sample_bytes(slice);
    if (slice->bits > 16)
        return problem_set(problem, "pictures have at most 16 bits, and the volume %u", slice->bits);
    const uint32_t half = slice->is_signed ? UINT32_C(1) << (slice->bits - 1) : 0,
                   mask = (UINT32_C(1) << slice->bits) - 1;
    if (!picture_allocate(
            picture, KST_FORMAT_GREY, width, height, slice->bits, common_max_pixels(&settings->common), problem))
        return false;
    for (uint32_t y = 0; y < height; y++) {
        const uint32_t row = settings->axis == 'z' ? y : 0, z = settings->axis == 'z' ? 0 : y;
        const uint8_t *from = (const uint8_t *)slice->data + z * slice->slice_pitch + row * slice->pitch;
        const size_t step = settings->axis == 'x' ? slice->pitch : bytes;
        uint8_t *to = picture_row(picture, 0, y);
        for (uint32_t x = 0; x < width; x++, from += step, to += bytes) {
            uint16_t value = *from;
            if (bytes == 2)
                memcpy(&value, from, sizeof value);
            value = (uint16_t)((value + half) & mask);
            if (bytes == 2)
                memcpy(to, &value, sizeof value);
            else
                *to = (uint8_t)value;
        }
    }
    return true;
}

static int write_slice(const struct volume_settings *settings, const kst_volume *slice, const char *name)
{
    const struct file_format *format = strcmp(name, "-") == 0 ? &file_pnm : file_format_by_path(name);
    struct file_settings files = {.context = settings->context, .compression = -1, .target = format};
    struct problem problem = {.text = ""};
    struct picture picture;
    kst_encode_options encode;

    kst_encode_options_init(&encode);
    files.encode = &encode;
    files.max_pixels = common_max_pixels(&settings->common);
    files.max_memory = common_max_memory(&settings->common);
    kst_decode_options_init(&files.decode);
    if (format == NULL || format->write == NULL) {
        problem_set(&problem, "its name says no format that is written");
        return fail_output(name, &problem);
    }
    picture_init(&picture);
    bool fine =
        make_picture(settings, slice, &picture, &problem) && picture_write(&picture, name, format, &files, &problem);
    picture_release(&picture);
    return fine ? EXIT_FINE : fail_output(name, &problem);
}

/* Convert a slice of single precision to 16 bits, which span the range of its samples. */
static void show_floats(kst_volume *slice)
{
    floats_show(slice->data, (size_t)slice->width * slice->height * slice->depth);
    slice->bits = 16;
    slice->is_signed = false;
    slice->sample = KST_SAMPLE_INTEGER;
    slice->pitch /= 2;
    slice->slice_pitch /= 2;
}

/* Read one slice of a store into memory that the caller frees. */
static bool read_slice(struct volume_settings *settings, const struct store *store, const kst_volume *whole,
    kst_volume *slice, struct problem *problem)
{
    const size_t bytes = volume_sample_bytes(whole);
    if (!choose_slice(settings, whole, problem))
        return false;
    const kst_box *box = &settings->decode.region;
    const uint64_t length = (uint64_t)box->width * box->height * box->depth * bytes;
    *slice = *whole;
    slice->width = box->width;
    slice->height = box->height;
    slice->depth = box->depth;
    slice->pitch = box->width * bytes;
    slice->slice_pitch = slice->pitch * box->height;
    slice->data = length <= store->max_memory ? malloc((size_t)length) : NULL;
    if (slice->data == NULL) {
        problem_set_kind(problem, PROBLEM_LIMIT, "a slice exceeds the limit of memory");
        return false;
    }
    progress_begin(store_bricks(store, settings, box));
    const bool good = store_read(store, settings, box, slice, true, problem);
    progress_end();
    if (good && store->is_float)
        show_floats(slice);
    return good;
}

static int slice_store(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct store store;
    kst_volume whole, slice = {.data = NULL};
    int code = open_store(settings, names[0], &store, &whole);
    if (code != EXIT_FINE)
        return code;
    code = read_slice(settings, &store, &whole, &slice, &problem) ? write_slice(settings, &slice, names[1])
                                                                  : fail(names[0], &problem);
    free(slice.data);
    store_release(&store);
    return code;
}

int volume_slice(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    if (store_is_named(names[0]))
        return slice_store(settings, names);
    struct source source;
    kst_volume whole, slice;
    kst_report report;

    if (!read_coded(settings, names[0], &source, &problem))
        return fail(names[0], &problem);
    kst_volume_init(&whole);
    kst_report_init(&report);
    const kst_status status =
        kst_describe_volume(settings->context, source.data, source.length, &settings->decode, &whole, NULL, &report);
    source_release(&source);
    if (status)
        return fail_report(names[0], status, &report);
    if (!choose_slice(settings, &whole, &problem))
        return fail(names[0], &problem);
    int code = decode(settings, names[0], &slice);
    if (code != EXIT_FINE)
        return code;
    code = write_slice(settings, &slice, names[1]);
    kst_volume_release(settings->context, &slice);
    return code;
}
