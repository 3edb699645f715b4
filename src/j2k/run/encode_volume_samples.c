/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes integers in host memory from a volume in device memory, or from floating-point samples: round((x - add) /
 * scale), as j2k/kernels/analyse_columns.h does on a device.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"
#include "j2k/run/encode_volume.h"
#include "run/volume_memory.h"

struct numbers {
    const kst_volume *from, *to;
    float add, inverse, scale, error;
    atomic_uint_fast64_t infinite, too_far; /* index in the volume of the first such sample */
};

static kst_status fail(const struct j2k_volume_encoding *v, kst_status status)
{
    return kst_report_error(&v->asked->report, status, KST_NO_OFFSET, NULL);
}

kst_status kst_j2k_run_encode_volume_judge(struct j2k_volume_encoding *v, uint64_t infinite, uint64_t too_far)
{
    const uint64_t first = infinite != J2K_NO_SAMPLE ? infinite : too_far, row = first / v->integers.width;
    if (first == J2K_NO_SAMPLE)
        return KST_OK;
    return kst_report_error(&v->asked->report, KST_ERROR_IMAGE_SAMPLE, KST_NO_OFFSET, "at z %llu, y %llu, x %llu: %s",
        (unsigned long long)(row / v->integers.height), (unsigned long long)(row % v->integers.height),
        (unsigned long long)(first % v->integers.width),
        infinite != J2K_NO_SAMPLE ? "not a finite number" : "its integer is too far from it");
}

static void note(atomic_uint_fast64_t *first, uint64_t number)
{
    uint_fast64_t known = atomic_load(first);
    while (number < known && !atomic_compare_exchange_weak(first, &known, number))
        ;
}

/* Return the integer for a floating-point sample, clamped to the range of the volume. */
static int32_t integer_of(struct numbers *n, float x, uint64_t number)
{
    const float most = 536870912.0F;
    const int32_t half = (int32_t)1 << (n->to->bits - 1), low = n->to->is_signed ? -half : 0;
    const int32_t high = n->to->is_signed ? half - 1 : (int32_t)(((uint32_t)half << 1) - 1);
    if (!isfinite(x)) {
        note(&n->infinite, number);
        return 0;
    }
    float whole = rintf((x - n->add) * n->inverse);
    whole = whole < -most ? -most : whole > most ? most : whole;
    int32_t value = (int32_t)whole;
    value = value < low ? low : value > high ? high : value;
    const float back = (float)value * n->scale + n->add;
    if (n->error > 0 && !(fabsf(x - back) <= n->error))
        note(&n->too_far, number);
    return value;
}

static void put(uint8_t *to, uint32_t bytes, int32_t value)
{
    const uint32_t word = (uint32_t)value;
    const uint16_t half = (uint16_t)word;
    if (bytes == 1)
        *to = (uint8_t)word;
    else if (bytes == 2)
        memcpy(to, &half, sizeof half);
    else
        memcpy(to, &word, sizeof word);
}

static void convert_slice(void *argument, uint32_t z)
{
    struct numbers *n = argument;
    const kst_volume *from = n->from, *to = n->to;
    const uint32_t bytes = kst_volume_sample_bytes(to);
    uint64_t number = (uint64_t)z * from->height * from->width;
    for (uint32_t y = 0; y < from->height; y++) {
        const uint8_t *row = (const uint8_t *)from->data + z * from->slice_pitch + y * from->pitch;
        uint8_t *at = (uint8_t *)to->data + z * to->slice_pitch + y * to->pitch;
        for (uint32_t x = 0; x < from->width; x++, number++, at += bytes) {
            float value;
            memcpy(&value, row + x * sizeof value, sizeof value);
            put(at, bytes, integer_of(n, value, number));
        }
    }
}

/* Convert floating-point samples in host memory to integers. */
static kst_status convert(struct j2k_volume_encoding *v, const kst_volume *from)
{
    const kst_volume_options *o = &v->asked->options;
    kst_volume to = *from;
    to.sample = KST_SAMPLE_INTEGER;
    to.memory = KST_MEMORY_HOST;
    to.pitch = to.slice_pitch = 0;
    struct numbers n = {
        .from = from, .to = &to, .add = o->offset, .inverse = 1 / o->scale, .scale = o->scale, .error = o->error};
    kst_status status = kst_volume_make(&v->memory, &to);
    if (status)
        return fail(v, status);
    atomic_init(&n.infinite, J2K_NO_SAMPLE);
    atomic_init(&n.too_far, J2K_NO_SAMPLE);
    kst_pool_run(v->asked->context->pool, from->depth, convert_slice, &n);
    v->integers = to;
    return kst_j2k_run_encode_volume_judge(v, atomic_load(&n.infinite), atomic_load(&n.too_far));
}

/* Download the volume. */
static kst_status download(struct j2k_volume_encoding *v, kst_volume *host)
{
    *host = v->asked->volume;
    host->memory = KST_MEMORY_HOST;
    host->pitch = host->slice_pitch = host->offset = 0;
    kst_status status = kst_volume_make(&v->memory, host);
    if (status)
        return fail(v, status);
    return kst_volume_transfer(v->asked->gpu, &v->asked->volume, &v->asked->image, host, false, &v->asked->report);
}

kst_status kst_j2k_run_encode_volume_integers(struct j2k_volume_encoding *v)
{
    const bool numbers = v->asked->volume.sample != KST_SAMPLE_INTEGER;
    const bool there = kst_memory_is_device(v->asked->volume.memory);
    kst_volume host = v->asked->volume;
    if (v->integers.owned || (!there && !numbers))
        return KST_OK;
    host.owned = NULL;
    kst_status status = there ? download(v, &host) : KST_OK;
    if (!numbers) {
        v->integers = host;
        return status;
    }
    if (!status)
        status = convert(v, &host);
    kst_memory_release(&v->memory, host.owned);
    return status;
}
