/* SPDX-License-Identifier: BSD-2-Clause */
/* Volumes with transforms of any stages (T.801), also in tiles, have the CPU's bytes on every device. */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_volume.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/multi_model.h"
#include "support/j2k/volumes.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 21, HEIGHT = 14, TILE = 16, DEPTH = 20, BOTH_BITS = 6, CASES = 24, STAGES = 3, MOST = 6, WIDE = 70 };
enum { TURNED = 6 /* wavelets whose components are in reverse order */ };

static struct made headers, own;

static kst_buffer encode(uint32_t depth, bool lossy)
{
    kst_volume v = volume_make(WIDTH, HEIGHT, depth, simulated() ? 5 : 9, true);
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.levels = 1;
    options.jpeg2000.block_width = options.jpeg2000.block_height = 16;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = TILE;
    options.jpeg2000.target = lossy ? KST_J2K_RATE : KST_J2K_LOSSLESS;
    options.jpeg2000.value = 5;
    kst_buffer coded = volume_encode(cpu_context, &v, &options);
    kst_volume_release(cpu_context, &v);
    return coded;
}

/* Decode on a GPU, which must carry out the stages itself, and compare. */
static void check_on(
    kst_context *gpu, const kst_buffer *coded, const kst_volume_decode_options *options, const kst_volume *wanted)
{
    kst_volume found;
    kst_report report;
    kst_report_init(&report);
    kst_volume_init(&found);
    if (kst_decode_volume(gpu, coded->data, coded->length, options, &found, &report))
        fail_msg("%s", report.message);
    assert_true(report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
    volume_expect_same(&found, wanted);
    kst_volume_release(gpu, &found);
}

/* Decode as a picture, to the device's memory as far as images there have planes, and copy that to the host. */
static kst_image decode_picture(kst_context *in, const kst_buffer *coded, uint32_t made, kst_report *report)
{
    kst_decode_options options;
    kst_image image, host;
    kst_device_info info = {.size = sizeof info};
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    kst_image_init(&image);
    kst_context_device(in, &info);
    if (info.kind != KST_DEVICE_CPU && made <= 4)
        image.memory = info.kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : KST_MEMORY_OPENCL;
    if (kst_decode(in, coded->data, coded->length, &options, &image, report))
        fail_msg("%s", report->message);
    if (image.memory == KST_MEMORY_HOST)
        return image;
    host = image;
    host.memory = KST_MEMORY_HOST;
    host.owned = NULL;
    for (uint32_t p = 0; p < host.plane_count; p++)
        host.plane[p].data = NULL;
    assert_int_equal(kst_image_allocate(in, &host), KST_OK);
    assert_int_equal(kst_image_copy(in, &image, &host), KST_OK);
    kst_image_release(in, &image);
    return host;
}

/* The components are planes of a picture, too, which a GPU decodes to the same samples. */
static void check_picture(const kst_buffer *coded, uint32_t made)
{
    kst_report report;
    kst_report_init(&report);
    kst_image wanted = decode_picture(cpu_context, coded, made, &report);
    assert_int_equal(wanted.plane_count, made);
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_image found = decode_picture(gpu_context[d], coded, made, &report);
        assert_true(report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
        assert_int_equal(found.plane_count, made);
        for (uint32_t p = 0; p < made; p++) {
            const kst_plane *a = kst_image_plane(&found, p), *b = kst_image_plane(&wanted, p);
            const size_t row = (size_t)a->width * (a->depth > 16 ? 4 : a->depth > 8 ? 2 : 1);
            assert_int_equal(a->depth, b->depth);
            for (uint32_t y = 0; y < a->height; y++)
                assert_memory_equal((const uint8_t *)a->data + (ptrdiff_t)y * a->pitch,
                    (const uint8_t *)b->data + (ptrdiff_t)y * b->pitch, row);
        }
        kst_image_release(gpu_context[d], &found);
    }
    kst_image_release(cpu_context, &wanted);
}

static void check_all(const kst_buffer *coded, uint32_t made)
{
    if (!simulated())
        check_picture(coded, made);
    kst_volume_decode_options options;
    kst_volume_decode_options_init(&options);
    for (uint32_t box = 0; box < (simulated() ? 1 : 2); box++) {
        if (box)
            options.region =
                (kst_box){.x = 3, .y = 2, .z = made / 2, .width = 15, .height = 9, .depth = made - made / 2};
        kst_volume wanted = volume_decode(cpu_context, coded, &options);
        for (uint32_t d = 0; d < gpu_contexts; d++)
            check_on(gpu_context[d], coded, &options, &wanted);
        kst_volume_release(cpu_context, &wanted);
    }
}

/* Add stages, the last of which makes `made` components. */
static void add_stages(struct model *model, uint32_t coded, uint32_t made, bool real, uint32_t *random)
{
    bool is_real[MODEL_COMPONENTS];
    const uint32_t stages = 1 + random_below(random, STAGES);
    uint32_t count = coded;
    *model = (struct model){.stages = 0};
    memset(is_real, real, sizeof is_real);
    for (uint32_t s = 0; s < stages; s++) {
        const uint32_t next = s + 1 < stages ? 1 + random_below(random, MOST) : made;
        model_add_stage(model, count, next, is_real, random);
        count = next;
    }
}

/* Write the main header's segments. Components have the same depth, or with `mixed` each its own, and perhaps signs. */
static void put_headers(const struct model *model, uint32_t made, bool mixed, uint32_t *random)
{
    uint8_t entry[MODEL_COMPONENTS];
    for (uint32_t c = 0; c < made; c++)
        entry[c] = mixed ? (uint8_t)(random_below(random, DEPTH) | (random_below(random, 2) ? 0x80 : 0))
                         : (uint8_t)(0x80 | (DEPTH - 1));
    model_put_each_depth(&headers, made, entry);
    model_put_stages(&headers, model);
}

/* Any stages in the main header, and others for a tile, or none. */
static void any(void **state)
{
    (void)state;
    static struct model model, other;
    uint32_t random = 12;
    for (uint32_t i = 0; i < CASES && (!simulated() || i < 1); i++) {
        const bool lossy = i % 3 == 2;
        const uint32_t coded = 1 + random_below(&random, MOST), made = 1 + random_below(&random, MOST);
        kst_buffer stream = encode(coded, lossy);
        add_stages(&model, coded, made, lossy, &random);
        headers.length = own.length = 0;
        put_headers(&model, made, i % 2 == 0, &random);
        add_stages(&other, coded, made, lossy, &random);
        uint8_t order[MODEL_STAGES];
        for (uint32_t a = 0; a < other.arrays; a++)
            model_put_array(&own, &other.array[a]);
        for (uint32_t s = 0; s < other.stages; s++) {
            order[s] = other.stage[s].index;
            model_put_stage(&own, &other.stage[s]);
        }
        model_put_order(&own, order, i % 4 || made != coded ? other.stages : 0);
        kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 1, i % 2 ? &own : NULL);
        check_all(&wrapped, made);
        free(wrapped.data);
        kst_buffer_release(cpu_context, &stream);
    }
}

/* Add a stage with a wavelet over n components: 5/3 if i is odd; turned round if i is less than TURNED. */
static void add_wavelet(struct model *model, uint32_t n, uint32_t i)
{
    struct model_collection *c = &model->stage->collection[0];
    *model = (struct model){.stages = 1};
    model->stage->index = 1;
    model->stage->count = 1;
    *c = (struct model_collection){
        .kind = MODEL_WAVELET, .levels = (uint8_t)(i + 1), .origin = i * 5, .taken = n, .made = n};
    c->reversible = i % 2;
    for (uint32_t k = 0; k < n; k++) {
        c->in[k] = i < TURNED ? n - 1 - k : k;
        c->out[k] = k;
    }
}

/*
 * Wavelets of many components, of 5/3 over coefficients that are coded reversibly, and of 9/7 over these and others;
 * with components in their order, as a volume's are, and turned round.
 */
static void wavelets(void **state)
{
    (void)state;
    static struct model model;
    for (uint32_t i = 0; i < 12 && (!simulated() || i < 1); i++) {
        const uint32_t n = i == 5 || i == 10 ? WIDE : 1 + i * 3;
        add_wavelet(&model, n, i);
        kst_buffer stream = encode(n, i % 2 == 0 && i != 4);
        headers.length = 0;
        model_put(&headers, &model, n, DEPTH);
        kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 0, NULL);
        check_all(&wrapped, n);
        free(wrapped.data);
        kst_buffer_release(cpu_context, &stream);
    }
}

/* Volumes with stages, with one wavelet, and without either, which are decoded in one call. */
static void together(void **state)
{
    (void)state;
    enum { VOLUMES = 6, COUNT = 4 };
    static struct model model;
    uint32_t random = 31;
    kst_buffer coded[VOLUMES], stream[VOLUMES];
    kst_volume wanted[VOLUMES];
    for (uint32_t i = 0; i < VOLUMES; i++) {
        stream[i] = encode(COUNT, false);
        headers.length = 0;
        model = (struct model){.stages = 0};
        if (i % 3 == 0)
            add_stages(&model, COUNT, COUNT, false, &random);
        else if (i % 3 == 1)
            add_wavelet(&model, COUNT, TURNED + i);
        model_put(&headers, &model, COUNT, DEPTH);
        coded[i] = model_wrap(&stream[i], &headers, i % 3 == 2 ? 0 : BOTH_BITS, 0, NULL);
        wanted[i] = volume_decode(cpu_context, &coded[i], NULL);
    }
    for (uint32_t d = 0; d < gpu_contexts && !simulated(); d++) {
        kst_volume_item item[VOLUMES];
        kst_volume found[VOLUMES];
        for (uint32_t i = 0; i < VOLUMES; i++) {
            kst_volume_init(&found[i]);
            item[i] = (kst_volume_item){
                .data = coded[i].data, .length = coded[i].length, .options = NULL, .volume = &found[i]};
        }
        assert_int_equal(kst_decode_volumes(gpu_context[d], item, VOLUMES), KST_OK);
        for (uint32_t i = 0; i < VOLUMES; i++) {
            assert_true(item[i].report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
            volume_expect_same(&found[i], &wanted[i]);
            kst_volume_release(gpu_context[d], &found[i]);
        }
    }
    for (uint32_t i = 0; i < VOLUMES; i++) {
        free(coded[i].data);
        kst_buffer_release(cpu_context, &stream[i]);
        kst_volume_release(cpu_context, &wanted[i]);
    }
}

/* Volumes of tests are made in the shared context, which is the CPU's here. */
static int start(void **state)
{
    const int failed = start_contexts(state);
    context = cpu_context;
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any), cmocka_unit_test(wavelets), cmocka_unit_test(together)};
    return cmocka_run_group_tests(tests, start, stop_contexts);
}
