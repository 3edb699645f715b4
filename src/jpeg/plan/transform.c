/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans transforms of a picture and moves its blocks accordingly. */
#include "jpeg/plan/transform.h"

#include <string.h>

#include "core/report.h"

/* Holds each transform as a transposition followed by mirrorings of the columns and the rows. */
struct transform_moves {
    bool transposed, mirror_x, mirror_y;
};

static const struct transform_moves moves_of[] = {
    [KST_TRANSFORM_NONE] = {false, false, false},
    [KST_TRANSFORM_FLIP_H] = {false, true, false},
    [KST_TRANSFORM_ROTATE_180] = {false, true, true},
    [KST_TRANSFORM_FLIP_V] = {false, false, true},
    [KST_TRANSFORM_TRANSPOSE] = {true, false, false},
    [KST_TRANSFORM_ROTATE_90] = {true, true, false},
    [KST_TRANSFORM_TRANSVERSE] = {true, true, true},
    [KST_TRANSFORM_ROTATE_270] = {true, false, true},
};

void kst_jpeg_transform_mirrors(kst_transform transform, bool *columns, bool *rows)
{
    *columns = moves_of[transform].mirror_x;
    *rows = moves_of[transform].mirror_y;
}

static void transpose_quantisers(const uint16_t in[64], uint16_t out[64])
{
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            out[y * 8 + x] = in[x * 8 + y];
}

/*
 * Reduce the frame to its luminance. The component must be of full size, so that its blocks cover the picture. As in
 * libjpeg, it gets the id that JFIF recommends.
 */
static bool keep_luminance(struct jpeg_frame *frame)
{
    struct jpeg_component *c = &frame->component[0];
    bool luminance = (frame->colour == KST_COLOUR_YCBCR && frame->component_count == 3) ||
                     (frame->colour == KST_COLOUR_GREY && frame->component_count == 1);
    if (!luminance || c->h != frame->hmax || c->v != frame->vmax)
        return false;
    frame->component_count = 1;
    frame->colour = KST_COLOUR_GREY;
    c->id = 1;
    return true;
}

/* Swap everything that has a direction, except what kst_jpeg_frame_geometry() computes. */
static void transpose_frame(struct jpeg_frame *frame)
{
    uint32_t width = frame->width;
    frame->width = frame->height;
    frame->height = width;
    for (uint32_t i = 0; i < frame->component_count; i++) {
        struct jpeg_component *c = &frame->component[i];
        uint16_t quant[64];
        uint8_t h = c->h;
        c->h = c->v;
        c->v = h;
        memcpy(quant, c->quant, sizeof quant);
        transpose_quantisers(quant, c->quant);
    }
}

/*
 * Give destinations of their own to components whose quantisation tables differ although the stream defined both for
 * one destination.
 */
static void separate_tables(struct jpeg_frame *frame)
{
    for (uint32_t i = 1; i < frame->component_count; i++) {
        struct jpeg_component *c = &frame->component[i];
        uint32_t used = 0;
        bool clash = false;
        for (uint32_t j = 0; j < frame->component_count; j++) {
            const struct jpeg_component *other = &frame->component[j];
            if (j != i)
                used |= 1U << other->tq;
            if (j < i && other->tq == c->tq && memcmp(other->quant, c->quant, sizeof c->quant) != 0)
                clash = true;
        }
        for (uint8_t tq = 0; tq < JPEG_TABLES && clash; tq++)
            if (!(used & 1U << tq)) {
                c->tq = tq;
                clash = false;
            }
    }
}

/* Describes one side of the picture while the cut is planned; lengths in pixels. */
struct side {
    uint32_t full; /* size before the cut */
    uint32_t mcu;
    uint32_t size;   /* size of the result */
    uint32_t offset; /* offset of the cut in MCUs */
    uint32_t mirror; /* mirror_w or mirror_h of struct jpeg_transform */
};

static bool cut(struct side *side, uint32_t from, uint32_t size)
{
    if (size == 0 || from >= side->full || size > side->full - from)
        return false;
    side->offset = from / side->mcu;
    side->size = size + from % side->mcu;
    return true;
}

static void mirror(struct side *side, bool trim)
{
    uint32_t whole = side->size / side->mcu;
    side->mirror = side->full / side->mcu;
    if (trim && whole > 0 && side->offset + whole == side->mirror)
        side->size = whole * side->mcu;
}

static kst_status plan_sides(const struct jpeg_transform_request *request, const struct transform_moves *moves,
    struct jpeg_transform *transform, kst_report *report)
{
    struct jpeg_frame *frame = &transform->frame;
    const kst_region *crop = &request->crop;
    bool trim = request->edge == KST_EDGE_TRIM;
    struct side x = {.full = frame->width, .mcu = 8U * frame->hmax, .size = frame->width};
    struct side y = {.full = frame->height, .mcu = 8U * frame->vmax, .size = frame->height};
    if (request->edge == KST_EDGE_PERFECT &&
        ((moves->mirror_x && x.full % x.mcu != 0) || (moves->mirror_y && y.full % y.mcu != 0)))
        return kst_report_error(report, KST_ERROR_JPEG_NOT_PERFECT, KST_NO_OFFSET, "%u×%u pixels, MCUs of %u×%u",
            frame->width, frame->height, x.mcu, y.mcu);
    if ((crop->x | crop->y | crop->width | crop->height) != 0 &&
        (!cut(&x, crop->x, crop->width) || !cut(&y, crop->y, crop->height)))
        return kst_report_error(report, KST_ERROR_REGION, KST_NO_OFFSET, "%u×%u+%u+%u of %u×%u pixels", crop->width,
            crop->height, crop->x, crop->y, frame->width, frame->height);
    if (moves->mirror_x)
        mirror(&x, trim);
    if (moves->mirror_y)
        mirror(&y, trim);
    frame->width = x.size;
    frame->height = y.size;
    transform->mirror_w = x.mirror;
    transform->mirror_h = y.mirror;
    transform->offset_x = x.offset;
    transform->offset_y = y.offset;
    return KST_OK;
}

kst_status kst_jpeg_transform_plan(const struct jpeg_frame *source, const struct jpeg_transform_request *request,
    struct jpeg_transform *transform, kst_report *report)
{
    if ((unsigned)request->transform > KST_TRANSFORM_ROTATE_270 || (unsigned)request->edge > KST_EDGE_PERFECT)
        return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "transform %d, edge %d",
            (int)request->transform, (int)request->edge);
    const struct transform_moves *moves = &moves_of[request->transform];
    *transform = (struct jpeg_transform){.frame = *source, .transposed = moves->transposed};
    struct jpeg_frame *frame = &transform->frame;
    if (request->grey && !keep_luminance(frame))
        return kst_report_error(report, KST_ERROR_JPEG_COLOUR, KST_NO_OFFSET, "no luminance of full size to keep");
    /*
     * With one component the sampling factors have no effect (A.2.2); as in libjpeg, they are set to what every decoder
     * expects.
     */
    if (frame->component_count == 1)
        frame->component[0].h = frame->component[0].v = 1;
    if (moves->transposed)
        transpose_frame(frame);
    separate_tables(frame);
    kst_jpeg_frame_geometry(frame);
    kst_status status = plan_sides(request, moves, transform, report);
    if (!status)
        kst_jpeg_frame_geometry(frame);
    return status;
}

bool kst_jpeg_transform_is_identity(const struct jpeg_transform *t)
{
    return !t->transposed && (t->mirror_w | t->mirror_h | t->offset_x | t->offset_y) == 0;
}

/*
 * Holds a mask for each coefficient of a block: all bits are set if mirroring negates it, which concerns the odd
 * columns or the odd rows of coefficients.
 */
struct signs {
    _Alignas(64) uint16_t negate[64];
};

static void make_signs(struct signs *signs, bool mirror_x, bool mirror_y)
{
    for (uint32_t k = 0; k < 64; k++)
        signs->negate[k] = (mirror_x && (k & 1)) != (mirror_y && (k & 8)) ? 0xFFFF : 0;
}

/* Negate a value if all bits of `negate` are set. −32768 has no opposite and stays. */
static inline int16_t with_sign(int16_t value, uint16_t negate)
{
    return (int16_t)(uint16_t)(((uint16_t)value ^ negate) - negate);
}

static void move_block(
    const int16_t *restrict in, int16_t *restrict out, bool transposed, bool mirrored, const struct signs *signs)
{
    if (!transposed && !mirrored) {
        memcpy(out, in, 64 * sizeof *out);
        return;
    }
    if (!transposed) {
        for (uint32_t k = 0; k < 64; k++)
            out[k] = with_sign(in[k], signs->negate[k]);
        return;
    }
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            out[y * 8 + x] = with_sign(in[x * 8 + y], signs->negate[y * 8 + x]);
}

struct transform_run {
    const struct jpeg_transform *transform;
    const struct jpeg_coefficients *source, *result;
    /* For each component: the first column and row of the picture's blocks in `source`, the first row in `result`. */
    uint32_t from_x[JPEG_COMPONENTS], from_y[JPEG_COMPONENTS], to_y[JPEG_COMPONENTS];
};

/* Return the block of component i at column x and row y of the whole source, of which run->source may hold a part. */
static const int16_t *source_block(const struct transform_run *run, uint32_t i, uint32_t x, uint32_t y)
{
    return kst_jpeg_block(run->source, i, x - run->from_x[i], y - run->from_y[i]);
}

/* Make row y of the blocks of component i of the result. */
static void move_row(const struct transform_run *run, uint32_t i, uint32_t y)
{
    const struct jpeg_transform *t = run->transform;
    const struct jpeg_component *c = &t->frame.component[i];
    const uint32_t mirror_w = t->mirror_w * c->h, mirror_h = t->mirror_h * c->v;
    uint32_t from_y = y + t->offset_y * c->v;
    const bool mirror_y = from_y < mirror_h;
    if (mirror_y)
        from_y = mirror_h - 1 - from_y;
    struct signs signs[2];
    make_signs(&signs[false], false, mirror_y);
    make_signs(&signs[true], true, mirror_y);
    for (uint32_t x = 0; x < c->blocks_w; x++) {
        uint32_t from_x = x + t->offset_x * c->h;
        const bool mirror_x = from_x < mirror_w;
        if (mirror_x)
            from_x = mirror_w - 1 - from_x;
        const int16_t *in = t->transposed ? source_block(run, i, from_y, from_x) : source_block(run, i, from_x, from_y);
        move_block(in, kst_jpeg_block(run->result, i, x, y - run->to_y[i]), t->transposed, mirror_x || mirror_y,
            &signs[mirror_x]);
    }
}

/* Make the blocks of component i in an MCU row. */
static void move_mcu_row(const struct transform_run *run, uint32_t i, uint32_t mcu_y)
{
    const struct jpeg_component *c = &run->transform->frame.component[i];
    const uint32_t end = (mcu_y + 1) * c->v;
    for (uint32_t y = mcu_y * c->v; y < end && y < c->blocks_h; y++)
        move_row(run, i, y);
}

static void run_mcu_row(void *arg, uint32_t mcu_y)
{
    const struct transform_run *run = arg;
    for (uint32_t i = 0; i < run->transform->frame.component_count; i++)
        move_mcu_row(run, i, mcu_y);
}

void kst_jpeg_transform_run(const struct jpeg_transform *transform, const struct jpeg_coefficients *source,
    const struct jpeg_coefficients *result, struct pool *pool)
{
    struct transform_run run = {.transform = transform, .source = source, .result = result};
    kst_pool_run(pool, transform->frame.mcus_h, run_mcu_row, &run);
}

uint32_t kst_jpeg_transform_origin(const struct jpeg_transform *t, const struct jpeg_frame *source, uint32_t row)
{
    const uint32_t v = t->frame.component[0].v, mirrored = t->mirror_h * v;
    uint32_t y = (row + t->offset_y) * v;
    if (y < mirrored)
        y = mirrored - 1 - y;
    return y / (t->transposed ? source->component[0].h : source->component[0].v);
}

void kst_jpeg_transform_row(const struct jpeg_transform *transform, const struct jpeg_frame *source,
    const struct jpeg_strip *strip, uint32_t row, uint32_t components, const struct jpeg_coefficients *result)
{
    struct transform_run run = {.transform = transform, .source = &strip->coefficients, .result = result};
    for (uint32_t i = 0; i < transform->frame.component_count; i++) {
        run.from_x[i] = strip->first_x * source->component[i].h;
        run.from_y[i] = strip->first_y * source->component[i].v;
        run.to_y[i] = row * transform->frame.component[i].v;
        if (components >> i & 1)
            move_mcu_row(&run, i, row);
    }
}
