/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a volume: transforms its slices along z, and codes what that makes as components of one codestream, whose
 * headers describe the transform (T.801).
 */
#include <math.h>

#include "core/report.h"
#include "image/volume.h"
#include "j2k/cpu/z.h"
#include "j2k/gpu/slices.h"
#include "j2k/plan/norms.h"
#include "j2k/run/encode.h"
#include "run/decoding.h"

enum {
    SLICES_MAX = 16000, /* lists of more would not fit in a marker segment */
    BITS_MAX = 28,
    LOSSLESS_LEVELS = 2, /* along z */
    LOSSY_LEVELS = 3,
    LEVELS_LEAST = 2, /* across, unless they are asked for */
    LEVELS_MOST = 5,
    LOWEST_SIDE = 32, /* samples that the lowest band has at most then, unless that takes more levels */
    ARRAY = 1
};

/* Holds the state of one encoding of a volume. */
struct j2k_volume_encoding {
    kst_context *context;
    const kst_volume *volume;
    const kst_volume_options *options;
    kst_j2k_options jpeg2000;
    double *layer_value; /* values of layers for the whole volume */
    struct j2k_multi_collection wavelet;
    struct j2k_z_layout layout;
    struct j2k_z_planes planes;
    struct gpu_runtime *gpu;      /* null: the CPU encodes */
    struct gpu_buffer components; /* the planes on it, if it transforms the slices */
    kst_plane *plane;
    struct j2k_volume_coding coding;
    struct memory memory; /* of the transformed slices */
    kst_report *report;
    kst_buffer *output;
};

static kst_status fail(const struct j2k_volume_encoding *v, kst_status status, const char *detail)
{
    return kst_report_error(v->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static kst_status check(const struct j2k_volume_encoding *v)
{
    const kst_j2k_options *o = &v->jpeg2000;
    if (v->volume->depth > SLICES_MAX)
        return fail(v, KST_ERROR_IMAGE_SIZE, "more than 16,000 slices");
    if (v->volume->bits > BITS_MAX)
        return fail(v, KST_ERROR_IMAGE_DEPTH, "more than 28 bits");
    if (o->size != sizeof *o)
        return fail(v, KST_ERROR_OPTIONS, "not set up by kst_j2k_options_init()");
    if (v->options->z_levels != KST_Z_LEVELS_AUTO && v->options->z_levels > J2K_LEVELS)
        return fail(v, KST_ERROR_OPTIONS, "levels along z");
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
    uint32_t width = v->volume->width, height = v->volume->height, levels = LEVELS_LEAST;
    width = o->tile_width > 0 && o->tile_width < width ? o->tile_width : width;
    height = o->tile_height > 0 && o->tile_height < height ? o->tile_height : height;
    const uint32_t side = width > height ? width : height;
    while (levels < LEVELS_MOST && (side - 1) >> levels >= LOWEST_SIDE)
        levels++;
    return o->levels == KST_LEVELS_AUTO ? levels : o->levels;
}

/* Choose the number of levels along z: fewer for few slices, so that the lowest band has at least two. */
static uint32_t choose_levels(const struct j2k_volume_encoding *v)
{
    uint32_t levels = v->wavelet.reversible ? LOSSLESS_LEVELS : LOSSY_LEVELS;
    if (v->options->z_levels != KST_Z_LEVELS_AUTO)
        return v->options->z_levels;
    while (levels > 0 && v->volume->depth < (UINT32_C(2) << levels))
        levels--;
    return levels;
}

/* A rate counts bits for each sample; JPEG 2000's counts bits for each pixel, whose samples are those of all slices. */
static kst_status scale_rates(struct j2k_volume_encoding *v)
{
    kst_j2k_options *o = &v->jpeg2000;
    kst_status status = KST_OK;
    if (o->target != KST_J2K_RATE)
        return KST_OK;
    o->value *= v->volume->depth;
    if (!o->layer_value)
        return KST_OK;
    v->layer_value = kst_memory_array(&v->memory, o->layers, sizeof *v->layer_value, &status);
    if (!v->layer_value)
        return fail(v, status, NULL);
    for (uint32_t i = 0; i < o->layers; i++)
        v->layer_value[i] = o->layer_value[i] * v->volume->depth;
    o->layer_value = v->layer_value;
    return KST_OK;
}

/* Transform the slices to the planes on the CPU. `bits` become those of the largest coefficient. */
static kst_status transform_on_cpu(struct j2k_volume_encoding *v, uint32_t *bits)
{
    const kst_volume *volume = v->volume;
    const struct operation op = kst_context_operation(v->context, &v->memory, v->report, NULL);
    const struct j2k_z_slices slices = {.data = volume->data,
        .pitch = volume->pitch,
        .step = volume->slice_pitch,
        .bytes = (uint8_t)kst_volume_sample_bytes(volume),
        .depth = volume->bits,
        .is_signed = volume->is_signed};
    const struct j2k_z_work work = {
        .wavelet = &v->wavelet, .layout = &v->layout, .planes = &v->planes, .slices = &slices};
    return kst_j2k_cpu_z_analyse(&op, &work, bits);
}

static kst_status bring(const struct j2k_volume_coding *coding)
{
    uint32_t bits;
    return transform_on_cpu(coding->user, &bits);
}

/*
 * Transform the slices on the device, if the encoder is likely to take it, too. Returns false if it is not, or has no
 * memory; a device that fails says so again when it encodes.
 */
static bool transform_on_gpu(struct j2k_volume_encoding *v, uint32_t *bits)
{
    const struct j2k_gpu_slices slices = {v->volume, &v->wavelet, &v->layout};
    struct gpu_error error;
    uint32_t most = 0;
    if (!v->gpu || (v->jpeg2000.style & KST_J2K_HT && v->jpeg2000.passes > 1) ||
        !kst_j2k_gpu_slices_fit(v->gpu, &slices, v->context->limits.memory) ||
        !kst_j2k_gpu_slices_analyse(v->gpu, &slices, &v->components, &most, &error))
        return false;
    for (*bits = 1; *bits < 32 && most >> (*bits - 1) > 0;)
        (*bits)++;
    return true;
}

static kst_status transform(struct j2k_volume_encoding *v)
{
    const kst_volume *volume = v->volume;
    kst_status status = KST_OK;
    uint32_t bits = 1;
    v->planes = (struct j2k_z_planes){.width = volume->width, .height = volume->height};
    kst_j2k_cpu_z_place(&v->planes);
    v->planes.data = kst_memory_array(&v->memory, volume->depth, v->planes.step, &status);
    if (!v->planes.data)
        return fail(v, status, NULL);
    kst_j2k_z_layout(&v->wavelet, &v->layout);
    const double start = kst_seconds();
    const bool there = transform_on_gpu(v, &bits);
    if (!there)
        status = transform_on_cpu(v, &bits);
    kst_report_stage(v->report, KST_STAGE_PIXELS, there ? v->gpu->gpu->info.kind : KST_DEVICE_CPU, start);
    v->coding = (struct j2k_volume_coding){.volume = volume,
        .levels = v->wavelet.levels,
        .reversible = v->wavelet.reversible,
        .bits = (uint8_t)(bits < 31 ? bits : 31),
        .components = there ? &v->components : NULL,
        .bring = bring,
        .user = v};
    return status;
}

/* Describe the transformed slices as a picture. */
static kst_status describe_image(struct j2k_volume_encoding *v, kst_image *image)
{
    enum { PLANE_BITS = 31 /* so that a sample takes 4 bytes */ };
    const uint32_t depth = v->volume->depth;
    kst_status status = KST_OK;
    v->plane = kst_memory_zeroed(&v->memory, depth, sizeof *v->plane, &status);
    if (!v->plane)
        return fail(v, status, NULL);
    for (uint32_t i = 0; i < depth; i++)
        v->plane[i] = (kst_plane){.data = v->planes.data + i * v->planes.step,
            .pitch = (ptrdiff_t)v->planes.pitch,
            .width = v->volume->width,
            .height = v->volume->height,
            .depth = PLANE_BITS,
            .is_signed = true};
    kst_image_init(image);
    image->format = KST_FORMAT_RAW;
    image->width = v->volume->width;
    image->height = v->volume->height;
    image->plane_count = depth;
    for (uint32_t i = 0; i < depth && i < J2K_ENCODED_COLOURS; i++)
        image->plane[i] = v->plane[i];
    image->more = depth > J2K_ENCODED_COLOURS ? v->plane + J2K_ENCODED_COLOURS : NULL;
    return KST_OK;
}

/* Choose the GPU, to which the slices are uploaded, if the context has one and the volume is worth it. */
static void choose_gpu(struct j2k_volume_encoding *v)
{
    const kst_volume *volume = v->volume;
    const struct codec *codec = kst_codec_named(KST_CODEC_JPEG2000);
    const double samples = (double)volume->width * volume->height * volume->depth;
    v->gpu = kst_context_gpu_for(v->context, samples * codec->encode_seconds, codec->encode_least);
}

/* Encode the transformed slices, with what memory they leave. */
static kst_status encode(struct j2k_volume_encoding *v)
{
    struct encoding e;
    kst_encode_options options;
    kst_image image;
    kst_status status = describe_image(v, &image);
    if (status)
        return status;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &v->jpeg2000;
    options.progress = v->options->progress;
    status = kst_encoding_begin(&e, v->context, &image, NULL, &options, v->output);
    if (!status) {
        e.volume = &v->coding;
        e.gpu = v->gpu;
        e.source = GPU_SOURCE_STAGED;
        e.memory.limit = kst_memory_left(&v->memory);
        status = kst_encoding_run(&e);
    }
    const double before = v->report->stage_seconds[KST_STAGE_PIXELS];
    *v->report = e.report;
    v->report->stage_seconds[KST_STAGE_PIXELS] += before;
    return status;
}

kst_status kst_j2k_run_encode_volume(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report)
{
    struct j2k_volume_encoding v = {.context = context,
        .volume = volume,
        .options = options,
        .jpeg2000 = options->jpeg2000,
        .report = report,
        .output = output};
    kst_status status = check(&v);
    if (status)
        return status;
    kst_memory_init_beside(&v.memory, &context->memory, context->limits.memory);
    v.wavelet = (struct j2k_multi_collection){.kind = J2K_MULTI_WAVELET,
        .reversible = v.jpeg2000.target == KST_J2K_LOSSLESS || v.jpeg2000.reversible,
        .count = volume->depth};
    v.wavelet.levels = (uint8_t)choose_levels(&v);
    v.jpeg2000.levels = choose_levels_across(&v);
    status = scale_rates(&v);
    choose_gpu(&v);
    if (!status)
        status = transform(&v);
    if (!status)
        status = encode(&v);
    if (v.gpu)
        kst_gpu_pool_give(&v.gpu->pool, &v.components);
    kst_memory_release(&v.memory, v.planes.data);
    kst_memory_release(&v.memory, v.plane);
    kst_memory_release(&v.memory, v.layer_value);
    return status;
}

/* Allocate the lists of a description with one wavelet over all components. */
static kst_status allocate_multi(struct j2k_encoder *encoder, struct j2k_multi *multi)
{
    struct memory *memory = &encoder->e->memory;
    const uint32_t count = encoder->component_count;
    kst_status status = KST_OK;
    multi->sample = kst_memory_zeroed(memory, count, sizeof *multi->sample, &status);
    multi->array = kst_memory_zeroed(memory, 1, sizeof *multi->array, &status);
    multi->collection = kst_memory_zeroed(memory, 1, sizeof *multi->collection, &status);
    multi->stage = kst_memory_zeroed(memory, 1, sizeof *multi->stage, &status);
    multi->index = kst_memory_zeroed(memory, count, sizeof *multi->index, &status);
    if (!status) {
        multi->array_count = 1;
        multi->array->value = kst_memory_zeroed(memory, count, sizeof *multi->array->value, &status);
    }
    return status ? kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

kst_status kst_j2k_run_encode_describe_volume(struct j2k_encoder *encoder)
{
    const struct j2k_volume_coding *coding = encoder->e->volume;
    const kst_volume *volume = coding->volume;
    struct j2k_multi *multi = &encoder->coded.headers.multi;
    const uint32_t count = encoder->component_count;
    kst_status status = allocate_multi(encoder, multi);
    if (status)
        return status;
    multi->allowed = true;
    multi->sample_count = multi->index_count = count;
    multi->collection_count = multi->stage_count = 1;
    multi->stage->collection_count = 1;
    multi->array->kind = 2;
    multi->array->index = ARRAY;
    multi->array->count = count;
    for (uint32_t i = 0; i < count; i++) {
        multi->index[i] = i;
        multi->sample[i] = (struct j2k_multi_sample){.depth = volume->bits, .is_signed = volume->is_signed};
        multi->array->value[i] = volume->is_signed ? 0 : ldexp(1, volume->bits - 1);
    }
    *multi->collection = (struct j2k_multi_collection){.kind = J2K_MULTI_WAVELET,
        .reversible = coding->reversible,
        .levels = (uint8_t)coding->levels,
        .count = count,
        .array = -1};
    encoder->coded.headers.main.multi = J2K_MULTI_BY_WAVELETS;
    return KST_OK;
}

void kst_j2k_run_encode_weigh_volume(struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    const struct j2k_multi *multi = &encoder->coded.headers.multi;
    uint32_t known = UINT32_MAX;
    double norm = 1;
    for (uint32_t b = 0; b < plan->band_count; b++) {
        const uint32_t component = plan->band[b].tile_component % plan->component_count;
        if (component != known)
            norm = kst_j2k_z_norm(multi, component);
        known = component;
        encoder->weight[b] *= norm * norm;
    }
}

/* Add the squares of the differences of two rows. */
static double squares(const kst_volume *volume, const uint8_t *a, const uint8_t *b)
{
    const uint32_t bytes = kst_volume_sample_bytes(volume);
    double sum = 0;
    for (uint32_t x = 0; x < volume->width; x++) {
        int64_t left, right;
        if (bytes == 1) {
            left = volume->is_signed ? (int64_t)(int8_t)a[x] : (int64_t)a[x];
            right = volume->is_signed ? (int64_t)(int8_t)b[x] : (int64_t)b[x];
        } else if (bytes == 2) {
            const uint16_t l = ((const uint16_t *)(const void *)a)[x], r = ((const uint16_t *)(const void *)b)[x];
            left = volume->is_signed ? (int64_t)(int16_t)l : (int64_t)l;
            right = volume->is_signed ? (int64_t)(int16_t)r : (int64_t)r;
        } else {
            left = ((const int32_t *)(const void *)a)[x];
            right = ((const int32_t *)(const void *)b)[x];
        }
        sum += (double)((left - right) * (left - right));
    }
    return sum;
}

kst_status kst_j2k_run_encode_measure_volume(
    struct j2k_encoder *encoder, kst_decoder *decoder, uint32_t layers, double *error)
{
    const kst_volume *volume = encoder->e->volume->volume;
    kst_volume_decode_options options = {.size = sizeof options, .layers = layers};
    kst_volume decoded = *volume;
    decoded.pitch = decoded.slice_pitch = 0;
    kst_status status = kst_volume_make(&decoder->memory, &decoded);
    if (!status)
        status = decoder->codec->decode_volume(decoder, &options, &decoded, NULL);
    *error = 0;
    for (uint32_t z = 0; z < volume->depth && !status; z++)
        for (uint32_t y = 0; y < volume->height; y++)
            *error += squares(volume, (const uint8_t *)volume->data + z * volume->slice_pitch + y * volume->pitch,
                (const uint8_t *)decoded.data + z * decoded.slice_pitch + y * decoded.pitch);
    kst_memory_release(&decoder->memory, decoded.owned);
    return status ? kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}
