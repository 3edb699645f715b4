/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a volume: transforms its slices along z, and codes the results as components of one codestream, whose headers
 * describe the transform (T.801).
 */
#include "j2k/run/encode_volume.h"

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"

enum {
    SLICES_MAX = 16000, /* more slices than this would not fit into the lists of a marker segment */
    BITS_MAX = 28,
    LOSSLESS_LEVELS = 2, /* default levels along z */
    LOSSY_LEVELS = 3,
    LEVELS_LEAST = 2, /* least and most levels across that are chosen by default */
    LEVELS_MOST = 5,
    LOWEST_SIDE = 32 /* most samples along a side of the lowest band, unless that takes more levels */
};

static kst_status fail(const struct j2k_volume_encoding *v, kst_status status, const char *detail)
{
    return kst_report_error(&v->asked->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static kst_status check(const struct j2k_volume_encoding *v)
{
    const kst_j2k_options *o = &v->jpeg2000;
    const kst_volume_options *options = &v->asked->options;
    if (v->integers.depth > SLICES_MAX)
        return fail(v, KST_ERROR_IMAGE_SIZE, "more than 16,000 slices");
    if (v->integers.bits > BITS_MAX)
        return fail(v, KST_ERROR_IMAGE_DEPTH, "more than 28 bits");
    if (o->size != sizeof *o)
        return fail(v, KST_ERROR_OPTIONS, "not set up by kst_j2k_options_init()");
    if (options->z_levels != KST_Z_LEVELS_AUTO && options->z_levels > J2K_LEVELS)
        return fail(v, KST_ERROR_OPTIONS, "levels along z");
    if (options->error > 0 && o->target != KST_J2K_LOSSLESS)
        return fail(v, KST_ERROR_OPTIONS, "an error of samples goes with integers that are coded without loss");
    if (o->profile || o->component_count > 0 || o->interest.width > 0 || o->weights || o->target == KST_J2K_QUALITY ||
        !o->codestream)
        return fail(v, KST_ERROR_OPTIONS,
            "volumes have no profile, components of their own, region of interest, weights, quality or boxes");
    return KST_OK;
}

/* Choose the number of levels across slices, or across their tiles. */
static uint32_t choose_levels_across(const struct j2k_volume_encoding *v)
{
    const kst_j2k_options *o = &v->jpeg2000;
    uint32_t width = v->integers.width, height = v->integers.height, levels = LEVELS_LEAST;
    width = o->tile_width > 0 && o->tile_width < width ? o->tile_width : width;
    height = o->tile_height > 0 && o->tile_height < height ? o->tile_height : height;
    const uint32_t side = width > height ? width : height;
    while (levels < LEVELS_MOST && (side - 1) >> levels >= LOWEST_SIDE)
        levels++;
    return o->levels == KST_LEVELS_AUTO ? levels : o->levels;
}

/* Choose the number of levels along z: so few that the lowest band has at least two slices. */
static uint32_t choose_levels(const struct j2k_volume_encoding *v)
{
    uint32_t levels = v->wavelet.reversible ? LOSSLESS_LEVELS : LOSSY_LEVELS;
    if (v->asked->options.z_levels != KST_Z_LEVELS_AUTO)
        return v->asked->options.z_levels;
    while (levels > 0 && v->integers.depth < (UINT32_C(2) << levels))
        levels--;
    return levels;
}

/*
 * Scale rates: a volume's rate counts bits for each sample, that of JPEG 2000 counts bits for each pixel, whose samples
 * are those of all slices.
 */
static kst_status scale_rates(struct j2k_volume_encoding *v)
{
    kst_j2k_options *o = &v->jpeg2000;
    kst_status status = KST_OK;
    if (o->target != KST_J2K_RATE)
        return KST_OK;
    o->value *= v->integers.depth;
    if (!o->layer_value)
        return KST_OK;
    v->layer_value = kst_memory_array(&v->memory, o->layers, sizeof *v->layer_value, &status);
    if (!v->layer_value)
        return fail(v, status, NULL);
    for (uint32_t i = 0; i < o->layers; i++)
        v->layer_value[i] = o->layer_value[i] * v->integers.depth;
    o->layer_value = v->layer_value;
    return KST_OK;
}

/* Transform the slices to the planes on the CPU. *bits receives the number of bits of the largest coefficient. */
static kst_status transform(struct j2k_volume_encoding *v, uint32_t *bits)
{
    const struct operation op = kst_context_operation(v->asked->context, &v->memory, &v->asked->report, NULL);
    kst_status status = kst_j2k_run_encode_volume_integers(v);
    if (status)
        return status;
    const struct j2k_z_slices slices = {.data = v->integers.data,
        .pitch = v->integers.pitch,
        .step = v->integers.slice_pitch,
        .bytes = (uint8_t)kst_volume_sample_bytes(&v->integers),
        .depth = v->integers.bits,
        .is_signed = v->integers.is_signed};
    const struct j2k_z_work work = {
        .wavelet = &v->wavelet, .layout = &v->layout, .planes = &v->planes, .slices = &slices};
    return kst_j2k_cpu_z_analyse(&op, &work, bits);
}

static kst_status bring(const struct j2k_volume_coding *coding)
{
    uint32_t bits;
    return transform(coding->user, &bits);
}

/* Describe the transformed slices as a picture. */
static kst_status describe_image(struct j2k_volume_encoding *v, kst_image *image)
{
    enum { PLANE_BITS = 31 /* so that a sample takes 4 bytes */ };
    const uint32_t depth = v->integers.depth;
    kst_status status = KST_OK;
    v->plane = kst_memory_zeroed(&v->memory, depth, sizeof *v->plane, &status);
    if (!v->plane)
        return fail(v, status, NULL);
    for (uint32_t i = 0; i < depth; i++)
        v->plane[i] = (kst_plane){.data = v->planes.data + i * v->planes.step,
            .pitch = (ptrdiff_t)v->planes.pitch,
            .width = v->integers.width,
            .height = v->integers.height,
            .depth = PLANE_BITS,
            .is_signed = true};
    kst_image_init(image);
    image->format = KST_FORMAT_RAW;
    image->width = v->integers.width;
    image->height = v->integers.height;
    image->plane_count = depth;
    for (uint32_t i = 0; i < depth && i < J2K_ENCODED_COLOURS; i++)
        image->plane[i] = v->plane[i];
    image->more = depth > J2K_ENCODED_COLOURS ? v->plane + J2K_ENCODED_COLOURS : NULL;
    return KST_OK;
}

kst_status kst_j2k_run_encode_volume_begin(struct j2k_volume_encoding *v, struct volume_encoding *asked)
{
    *v = (struct j2k_volume_encoding){.asked = asked, .integers = asked->volume, .jpeg2000 = asked->options.jpeg2000};
    v->integers.sample = KST_SAMPLE_INTEGER;
    v->integers.owned = NULL;
    kst_memory_init_beside(&v->memory, &asked->context->memory, asked->context->limits.memory);
    kst_status status = check(v);
    if (status)
        return status;
    v->wavelet = (struct j2k_multi_collection){.kind = J2K_MULTI_WAVELET,
        .reversible = v->jpeg2000.target == KST_J2K_LOSSLESS || v->jpeg2000.reversible,
        .count = v->integers.depth};
    v->wavelet.levels = (uint8_t)choose_levels(v);
    v->jpeg2000.levels = choose_levels_across(v);
    kst_j2k_z_layout(&v->wavelet, &v->layout);
    v->planes = (struct j2k_z_planes){.width = v->integers.width, .height = v->integers.height};
    kst_j2k_cpu_z_place(&v->planes);
    v->planes.data = kst_memory_array(&v->memory, v->integers.depth, v->planes.step, &status);
    if (!v->planes.data)
        return fail(v, status, NULL);
    /* Errors are measured on the host. */
    status = scale_rates(v);
    return status || v->jpeg2000.target != KST_J2K_PSNR ? status : kst_j2k_run_encode_volume_integers(v);
}

void kst_j2k_run_encode_volume_end(struct j2k_volume_encoding *v)
{
    kst_memory_release(&v->memory, v->planes.data);
    kst_memory_release(&v->memory, v->plane);
    kst_memory_release(&v->memory, v->layer_value);
    kst_memory_release(&v->memory, v->integers.owned);
}

kst_status kst_j2k_run_encode_volume_start(
    struct j2k_volume_encoding *v, const struct gpu_buffer *components, size_t at, uint32_t bits)
{
    kst_encode_options options;
    kst_image image;
    v->coding = (struct j2k_volume_coding){.volume = &v->integers,
        .levels = v->wavelet.levels,
        .reversible = v->wavelet.reversible,
        .bits = (uint8_t)(bits < 31 ? bits : 31),
        .components = components,
        .at = at,
        .bring = bring,
        .user = v};
    kst_status status = describe_image(v, &image);
    if (status)
        return status;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &v->jpeg2000;
    options.progress = v->asked->options.progress;
    status = kst_encoding_begin(&v->e, v->asked->context, &image, NULL, &options, v->asked->output);
    v->begun = !status;
    if (status) {
        v->asked->report = v->e.report;
        return status;
    }
    v->e.volume = &v->coding;
    v->e.gpu = v->asked->gpu;
    v->e.source = GPU_SOURCE_STAGED;
    v->e.memory.limit = kst_memory_left(&v->memory);
    if (v->asked->gpu && v->asked->output->data) /* otherwise the memory of the coded bytes is handed over */
        kst_memory_slab_begin(&v->e.memory);
    return KST_OK;
}

void kst_j2k_run_encode_volume_stop(struct j2k_volume_encoding *v, kst_status status)
{
    const kst_report before = v->asked->report;
    if (!v->begun)
        return;
    kst_encoding_end(&v->e, status);
    kst_memory_slab_end(&v->e.memory);
    v->begun = false;
    v->asked->report = v->e.report;
    v->asked->report.stage_seconds[KST_STAGE_PIXELS] += before.stage_seconds[KST_STAGE_PIXELS];
}

kst_status kst_j2k_run_encode_volume_by_itself(struct j2k_volume_encoding *v)
{
    const double start = kst_seconds();
    uint32_t bits = 1;
    kst_status status = transform(v, &bits);
    kst_report_stage(&v->asked->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    if (!status) /* errors are in the report */
        kst_j2k_run_encode_volume_start(v, NULL, 0, bits);
    if (v->begun)
        kst_j2k_run_encode_volume_stop(v, kst_j2k_run_encode(&v->e));
    return v->asked->report.status;
}
