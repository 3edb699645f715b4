/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that coefficients are turned and cut as their pixels are, and which restart intervals result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "core/report.h"
#include "jpeg/plan/restart.h"
#include "jpeg/plan/transform.h"

static struct memory memory;
static struct pool *pool;
static kst_report report;

struct picture {
    struct jpeg_frame frame;
    struct jpeg_coefficients coefficients;
};

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* `factors`: h and v of each component, as decimal digits. */
static struct picture make(uint32_t width, uint32_t height, const char *factors)
{
    struct picture p = {.frame = {.width = width, .height = height}};
    p.frame.component_count = (uint8_t)(strlen(factors) / 2);
    p.frame.colour = p.frame.component_count == 3   ? KST_COLOUR_YCBCR
                     : p.frame.component_count == 1 ? KST_COLOUR_GREY
                                                    : KST_COLOUR_CMYK;
    for (uint32_t i = 0; i < p.frame.component_count; i++) {
        struct jpeg_component *c = &p.frame.component[i];
        c->id = (uint8_t)(10 + i);
        c->h = (uint8_t)(factors[2 * i] - '0');
        c->v = (uint8_t)(factors[2 * i + 1] - '0');
        c->tq = i > 0;
        for (uint32_t k = 0; k < 64; k++)
            c->quant[k] = (uint16_t)(1 + k + 100 * c->tq);
    }
    kst_jpeg_frame_geometry(&p.frame);
    assert_int_equal(kst_jpeg_coefficients_create(&memory, &p.frame, &p.coefficients), KST_OK);
    for (uint32_t i = 0; i < p.frame.component_count; i++) {
        const struct jpeg_component *c = &p.frame.component[i];
        for (size_t k = 0; k < (size_t)c->padded_w * c->padded_h * 64; k++)
            p.coefficients.blocks[i][k] = (int16_t)((int)rnd(2001) - 1000);
    }
    return p;
}

static void drop(struct picture *p)
{
    kst_jpeg_coefficients_release(&memory, &p->coefficients);
}

static struct picture turn(const struct picture *p, const struct jpeg_transform_request *request)
{
    struct picture result = {.frame = {.width = 0}};
    struct jpeg_transform transform;
    kst_report_init(&report);
    assert_int_equal(kst_jpeg_transform_plan(&p->frame, request, &transform, &report), KST_OK);
    result.frame = transform.frame;
    assert_int_equal(kst_jpeg_coefficients_create(&memory, &result.frame, &result.coefficients), KST_OK);
    kst_jpeg_transform_run(&transform, &p->coefficients, &result.coefficients, pool);
    return result;
}

/* The blocks that hold samples. */
static void assert_same(const struct picture *a, const struct picture *b)
{
    assert_memory_equal(&a->frame, &b->frame, sizeof a->frame);
    for (uint32_t i = 0; i < a->frame.component_count; i++)
        for (uint32_t y = 0; y < a->frame.component[i].blocks_h; y++)
            for (uint32_t x = 0; x < a->frame.component[i].blocks_w; x++)
                assert_memory_equal(
                    kst_jpeg_block(&a->coefficients, i, x, y), kst_jpeg_block(&b->coefficients, i, x, y), 128);
}

/* A.3.3's formula for one sample of a component, without quantisation. */
static double sample(const struct picture *p, uint32_t component, uint32_t x, uint32_t y)
{
    const int16_t *block = kst_jpeg_block(&p->coefficients, component, x / 8, y / 8);
    const double step = acos(-1) / 16, half = sqrt(0.5);
    double sum = 0;
    for (uint32_t v = 0; v < 8; v++)
        for (uint32_t u = 0; u < 8; u++)
            sum += (u ? 1 : half) * (v ? 1 : half) * block[v * 8 + u] * cos((2 * (x % 8) + 1) * u * step) *
                   cos((2 * (y % 8) + 1) * v * step);
    return sum / 4;
}

/* Return where the sample at (x, y) of the turned picture comes from in a picture of w × h. */
static void origin(kst_transform transform, uint32_t w, uint32_t h, uint32_t *x, uint32_t *y)
{
    const uint32_t to_x = *x, to_y = *y;
    switch (transform) {
    case KST_TRANSFORM_NONE:
        break;
    case KST_TRANSFORM_FLIP_H:
        *x = w - 1 - to_x;
        break;
    case KST_TRANSFORM_FLIP_V:
        *y = h - 1 - to_y;
        break;
    case KST_TRANSFORM_ROTATE_180:
        *x = w - 1 - to_x;
        *y = h - 1 - to_y;
        break;
    case KST_TRANSFORM_TRANSPOSE:
        *x = to_y;
        *y = to_x;
        break;
    case KST_TRANSFORM_ROTATE_90: /* the top row becomes the right column */
        *x = to_y;
        *y = h - 1 - to_x;
        break;
    case KST_TRANSFORM_ROTATE_270:
        *x = w - 1 - to_y;
        *y = to_x;
        break;
    case KST_TRANSFORM_TRANSVERSE:
        *x = w - 1 - to_y;
        *y = h - 1 - to_x;
        break;
    }
}

static const char *const samplings[] = {
    "11", "23", "111111", "221111", "211111", "121111", "411111", "222211", "11221122", "132213"};
enum { SAMPLINGS = sizeof samplings / sizeof samplings[0] };

/* Pictures of whole MCUs turn sample by sample, as a picture of samples would. */
static void test_samples(void **state)
{
    (void)state;
    for (size_t s = 0; s < SAMPLINGS; s++)
        for (int t = 0; t < 8; t++) {
            struct picture p = make(8 * 12 * 2, 8 * 12, samplings[s]);
            struct jpeg_transform_request request = {.transform = (kst_transform)t, .edge = KST_EDGE_PERFECT};
            struct picture q = turn(&p, &request);
            for (int n = 0; n < 200; n++) {
                uint32_t i = rnd(p.frame.component_count);
                uint32_t x = rnd(q.frame.component[i].width), y = rnd(q.frame.component[i].height);
                double is = sample(&q, i, x, y);
                origin(request.transform, p.frame.component[i].width, p.frame.component[i].height, &x, &y);
                assert_true(fabs(is - sample(&p, i, x, y)) < 1e-6);
            }
            drop(&p);
            drop(&q);
        }
}

/* A quantiser belongs to its coefficient, so it moves with it. */
static void test_tables(void **state)
{
    (void)state;
    struct picture p = make(32, 16, "211111");
    struct picture q = turn(&p, &(struct jpeg_transform_request){.transform = KST_TRANSFORM_ROTATE_90});
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(q.frame.component[i].h, p.frame.component[i].v);
        assert_int_equal(q.frame.component[i].v, p.frame.component[i].h);
        assert_int_equal(q.frame.component[i].id, p.frame.component[i].id);
        for (uint32_t y = 0; y < 8; y++)
            for (uint32_t x = 0; x < 8; x++)
                assert_int_equal(q.frame.component[i].quant[y * 8 + x], p.frame.component[i].quant[x * 8 + y]);
    }
    drop(&p);
    drop(&q);
}

/* Sequences that come to nothing, also on pictures with partial MCUs. */
static void test_identities(void **state)
{
    static const kst_transform sequence[][4] = {
        {KST_TRANSFORM_ROTATE_90, KST_TRANSFORM_ROTATE_90, KST_TRANSFORM_ROTATE_90, KST_TRANSFORM_ROTATE_90},
        {KST_TRANSFORM_ROTATE_270, KST_TRANSFORM_ROTATE_180, KST_TRANSFORM_ROTATE_270, KST_TRANSFORM_NONE},
        {KST_TRANSFORM_FLIP_H, KST_TRANSFORM_FLIP_H, KST_TRANSFORM_FLIP_V, KST_TRANSFORM_FLIP_V},
        {KST_TRANSFORM_TRANSPOSE, KST_TRANSFORM_TRANSPOSE, KST_TRANSFORM_TRANSVERSE, KST_TRANSFORM_TRANSVERSE},
        {KST_TRANSFORM_FLIP_H, KST_TRANSFORM_FLIP_V, KST_TRANSFORM_ROTATE_180, KST_TRANSFORM_NONE},
        {KST_TRANSFORM_TRANSPOSE, KST_TRANSFORM_FLIP_H, KST_TRANSFORM_ROTATE_270, KST_TRANSFORM_NONE},
        {KST_TRANSFORM_TRANSVERSE, KST_TRANSFORM_FLIP_H, KST_TRANSFORM_ROTATE_90, KST_TRANSFORM_NONE},
    };
    (void)state;
    for (size_t s = 0; s < SAMPLINGS; s++)
        for (size_t n = 0; n < sizeof sequence / sizeof sequence[0]; n++)
            for (int whole = 0; whole < 2; whole++) {
                uint32_t width = whole ? 192 : 1 + rnd(150), height = whole ? 96 : 1 + rnd(150);
                struct picture p = make(width, height, samplings[s]);
                struct picture first = turn(&p, &(struct jpeg_transform_request){.transform = KST_TRANSFORM_NONE});
                struct picture q = first;
                for (int i = 0; i < 4; i++) {
                    struct picture r = turn(&q, &(struct jpeg_transform_request){.transform = sequence[n][i]});
                    if (i > 0)
                        drop(&q);
                    q = r;
                }
                assert_same(&first, &q);
                drop(&p);
                drop(&first);
                drop(&q);
            }
}

/* A cut out of a turned picture is the turned picture's blocks. */
static void test_crop(void **state)
{
    (void)state;
    for (size_t s = 0; s < SAMPLINGS; s++)
        for (int t = 0; t < 8; t++) {
            struct picture p = make(100 + rnd(60), 100 + rnd(60), samplings[s]);
            struct jpeg_transform_request request = {.transform = (kst_transform)t};
            struct picture whole = turn(&p, &request);
            const uint32_t mcu_w = 8U * whole.frame.hmax, mcu_h = 8U * whole.frame.vmax;
            request.crop.x = rnd(whole.frame.width);
            request.crop.y = rnd(whole.frame.height);
            request.crop.width = 1 + rnd(whole.frame.width - request.crop.x);
            request.crop.height = 1 + rnd(whole.frame.height - request.crop.y);
            struct picture part = turn(&p, &request);
            assert_int_equal(part.frame.width, request.crop.width + request.crop.x % mcu_w);
            assert_int_equal(part.frame.height, request.crop.height + request.crop.y % mcu_h);
            for (uint32_t i = 0; i < part.frame.component_count; i++) {
                const struct jpeg_component *c = &part.frame.component[i];
                for (uint32_t y = 0; y < c->blocks_h; y++)
                    for (uint32_t x = 0; x < c->blocks_w; x++)
                        assert_memory_equal(kst_jpeg_block(&part.coefficients, i, x, y),
                            kst_jpeg_block(&whole.coefficients, i, x + request.crop.x / mcu_w * c->h,
                                y + request.crop.y / mcu_h * c->v),
                            128);
            }
            drop(&p);
            drop(&whole);
            drop(&part);
        }
}

static kst_status plan(const struct picture *p, const struct jpeg_transform_request *request, struct jpeg_transform *t)
{
    kst_report_init(&report);
    return kst_jpeg_transform_plan(&p->frame, request, t, &report);
}

static void test_refusals(void **state)
{
    struct jpeg_transform t;
    struct picture p = make(33, 32, "221111"), cmyk = make(32, 32, "11111111"), small = make(32, 32, "112211");
    static const kst_region wrong[] = {{33, 0, 1, 1}, {0, 32, 1, 1}, {0, 0, 34, 1}, {1, 0, 33, 1}, {0, 1, 1, 32},
        {0, 0, 0, 1}, {0, 0, 1, 0}, {1, 0, 0, 0}, {UINT32_MAX, 0, 2, 1}, {1, 1, UINT32_MAX, 1}, {1, 1, 1, UINT32_MAX}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(plan(&p, &(struct jpeg_transform_request){.crop = wrong[i]}, &t), KST_ERROR_REGION);
    assert_int_equal(plan(&p, &(struct jpeg_transform_request){.crop = {32, 31, 1, 1}}, &t), KST_OK);
    assert_int_equal(plan(&cmyk, &(struct jpeg_transform_request){.grey = true}, &t), KST_ERROR_JPEG_COLOUR);
    assert_int_equal(plan(&small, &(struct jpeg_transform_request){.grey = true}, &t), KST_ERROR_JPEG_COLOUR);
    assert_int_equal(plan(&p, &(struct jpeg_transform_request){.transform = (kst_transform)8}, &t), KST_ERROR_OPTIONS);
    assert_int_equal(plan(&p, &(struct jpeg_transform_request){.edge = (kst_edge)3}, &t), KST_ERROR_OPTIONS);
    /* 33 columns leave a partial MCU on the right, which only turns that mirror left and right cannot keep. */
    static const kst_status perfect[8] = {KST_OK, KST_ERROR_JPEG_NOT_PERFECT, KST_ERROR_JPEG_NOT_PERFECT, KST_OK,
        KST_OK, KST_OK, KST_ERROR_JPEG_NOT_PERFECT, KST_ERROR_JPEG_NOT_PERFECT};
    for (int i = 0; i < 8; i++)
        assert_int_equal(
            plan(&p, &(struct jpeg_transform_request){.transform = (kst_transform)i, .edge = KST_EDGE_PERFECT}, &t),
            perfect[i]);
    drop(&p);
    drop(&cmyk);
    drop(&small);
}

static void test_grey(void **state)
{
    (void)state;
    struct picture p = make(40, 24, "221111");
    struct picture q = turn(&p, &(struct jpeg_transform_request){.grey = true, .transform = KST_TRANSFORM_FLIP_H});
    assert_int_equal(q.frame.component_count, 1);
    assert_int_equal(q.frame.colour, KST_COLOUR_GREY);
    assert_int_equal(q.frame.component[0].id, 1);
    assert_int_equal(q.frame.component[0].h, 1);
    assert_int_equal(q.frame.component[0].v, 1);
    assert_int_equal(q.frame.mcus_w, 5);
    for (uint32_t x = 0; x < 40; x++)
        assert_true(fabs(sample(&q, 0, x, 5) - sample(&p, 0, 39 - x, 5)) < 1e-6);
    drop(&p);
    drop(&q);
}

/* Components that lost their common destination's first table to a second definition get one each. */
static void test_table_destinations(void **state)
{
    struct jpeg_transform t;
    struct picture p = make(8, 8, "11111111");
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        p.frame.component[i].tq = 2;
        p.frame.component[i].quant[5] = (uint16_t)(i == 3 ? 200 : 200 + i);
    }
    memcpy(p.frame.component[0].quant, p.frame.component[3].quant, sizeof p.frame.component[0].quant);
    for (uint32_t i = 1; i < 3; i++) {
        memcpy(p.frame.component[i].quant, p.frame.component[3].quant, sizeof p.frame.component[0].quant);
        p.frame.component[i].quant[5] = (uint16_t)(200 + i);
    }
    assert_int_equal(plan(&p, &(struct jpeg_transform_request){.grey = false}, &t), KST_OK);
    const struct jpeg_component *c = t.frame.component;
    assert_int_equal(c[0].tq, 2);
    assert_int_equal(c[3].tq, 2);
    assert_int_not_equal(c[1].tq, 2);
    assert_int_not_equal(c[2].tq, 2);
    assert_int_not_equal(c[1].tq, c[2].tq);
    assert_true(c[1].tq < 4 && c[2].tq < 4);
    drop(&p);
}

/* −32768 has no opposite; it stays. */
static void test_extremes(void **state)
{
    (void)state;
    struct picture p = make(8, 8, "11");
    for (int k = 0; k < 64; k++)
        p.coefficients.blocks[0][k] = INT16_MIN;
    struct picture q = turn(&p, &(struct jpeg_transform_request){.transform = KST_TRANSFORM_ROTATE_90});
    assert_memory_equal(p.coefficients.blocks[0], q.coefficients.blocks[0], 128);
    drop(&p);
    drop(&q);
}

static uint32_t automatic(uint32_t width, uint32_t height, const char *factors)
{
    struct picture p = make(width, height, factors);
    kst_restart r = kst_jpeg_restart_choose(&p.frame, (kst_restart){.unit = KST_RESTART_AUTO}, false);
    assert_int_equal(r.unit, KST_RESTART_MCUS);
    assert_true(r.interval >= 1 && r.interval <= 65535);
    drop(&p);
    return r.interval;
}

static void test_restart_choice(void **state)
{
    (void)state;
    assert_int_equal(automatic(1, 1, "11"), 1);
    assert_int_equal(automatic(640, 480, "221111"), 8);
    assert_int_equal(automatic(640, 480, "111111"), 40); /* two a row rather than two and a half */
    assert_int_equal(automatic(640, 480, "22"), 40);
    assert_int_equal(automatic(4096, 2160, "221111"), 64);
    assert_int_equal(automatic(80, 2000, "221111"), 5);
    struct picture p = make(640, 480, "221111");
    kst_restart r = kst_jpeg_restart_choose(&p.frame, (kst_restart){.unit = KST_RESTART_AUTO}, true);
    assert_int_equal(r.unit, KST_RESTART_ROWS);
    assert_int_equal(r.interval, 3); /* 22,260 pixels in rows of 10,240 */
    r = kst_jpeg_restart_choose(&p.frame, (kst_restart){.unit = KST_RESTART_MCUS, .interval = 7}, false);
    assert_int_equal(r.unit, KST_RESTART_MCUS);
    assert_int_equal(r.interval, 7);
    drop(&p);
}

static void test_restart_keep(void **state)
{
    (void)state;
    struct picture p = make(640, 480, "221111"), q = make(640, 480, "11"), r = make(640, 480, "431111");
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 0, 3, 10, &p.frame), 10);
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 0, 3, 10, &q.frame), 40);
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 0, 1, 10, &p.frame), 0); /* ten blocks: two and a half MCUs */
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 0, 1, 12, &p.frame), 3);
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 1, 1, 12, &p.frame), 12);
    assert_int_equal(kst_jpeg_restart_keep(&q.frame, 0, 1, 65535, &q.frame), 65535);
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 0, 3, 65535, &q.frame), 0);
    assert_int_equal(kst_jpeg_restart_keep(&r.frame, 0, 1, 24, &r.frame), 2);
    assert_int_equal(kst_jpeg_restart_keep(&p.frame, 0, 3, 0, &p.frame), 0);
    drop(&p);
    drop(&q);
    drop(&r);
}

static int set_up(void **state)
{
    (void)state;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    return kst_pool_create(&memory, 2, &pool) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    kst_pool_destroy(&pool);
    return atomic_load(&memory.used) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_crop),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_grey),
        cmocka_unit_test(test_table_destinations),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_restart_choice),
        cmocka_unit_test(test_restart_keep),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
