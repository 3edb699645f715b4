/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns and cuts another picture of a file like the first one where moving its MCUs cannot do that without loss: it is
 * decoded, its samples are turned and cut, and encoded again with its own tables and sampling.
 */
#include <string.h>

#include "core/report.h"
#include "jpeg/run/transcode_others.h"

struct picture_recoding {
    struct jpeg_transcoding *t;
    const struct jpeg_turned *turned;
    kst_image from, to;
    kst_encode_options options;
    uint16_t table[4][64];
    uint8_t hmax, vmax; /* the greatest sampling factors of the result */
};

/*
 * Find map[i], the number of the sample of the source from which sample i along a side of a component comes; the side
 * has `length` samples, and `count` in the source. The centres of samples are mapped through the first picture's
 * pixels, in units of which such a pixel has 2 × factor × own_full.
 */
static void map_side(
    const struct jpeg_turned_side *side, uint32_t factor, uint32_t most, uint32_t length, uint32_t count, uint32_t *map)
{
    const uint64_t unit = 2ULL * factor * side->own_full, mirror = side->mirror * unit;
    const uint64_t spacing = 2ULL * most * side->full;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t at = (2ULL * i + 1) * most * side->full + side->offset * unit;
        if (at < mirror)
            at = mirror - at;
        uint64_t index = at / spacing;
        map[i] = (uint32_t)(index < count ? index : count - 1);
    }
}

static void move_samples(
    const kst_plane *from, const kst_plane *to, bool transposed, const uint32_t *map_x, const uint32_t *map_y)
{
    const uint8_t *source = from->data;
    for (uint32_t y = 0; y < to->height; y++) {
        uint8_t *row = (uint8_t *)to->data + (ptrdiff_t)y * to->pitch;
        for (uint32_t x = 0; x < to->width; x++) {
            uint32_t from_x = transposed ? map_y[y] : map_x[x], from_y = transposed ? map_x[x] : map_y[y];
            row[x] = source[(ptrdiff_t)from_y * from->pitch + from_x];
        }
    }
}

static kst_status turn_plane(struct picture_recoding *r, uint32_t index)
{
    const kst_plane *from = &r->from.plane[index], *to = &r->to.plane[index];
    const bool transposed = r->turned->transposed;
    kst_status status = KST_OK;
    uint32_t *map = kst_memory_array(r->t->op.memory, (size_t)to->width + to->height, sizeof *map, &status);
    if (!map)
        return kst_report_error(r->t->op.report, status, KST_NO_OFFSET, NULL);
    map_side(&r->turned->x, r->options.h[index], r->hmax, to->width, transposed ? from->height : from->width, map);
    map_side(&r->turned->y, r->options.v[index], r->vmax, to->height, transposed ? from->width : from->height,
        map + to->width);
    move_samples(from, to, transposed, map, map + to->width);
    kst_memory_release(r->t->op.memory, map);
    return KST_OK;
}

static uint32_t share(uint32_t size, uint32_t factor, uint32_t most)
{
    return (size * factor + most - 1) / most;
}

/* Make the result's planes: those of the source, or only the luminance. */
static kst_status make_planes(struct picture_recoding *r, uint32_t count)
{
    kst_image_init(&r->to);
    r->to.format = KST_FORMAT_RAW;
    r->to.colour = count < r->from.plane_count ? KST_COLOUR_GREY : r->t->stream.plan.frame.colour;
    r->to.width = r->turned->x.own_size;
    r->to.height = r->turned->y.own_size;
    r->to.plane_count = count;
    for (uint32_t i = 0; i < count; i++)
        r->to.plane[i] = (kst_plane){.width = share(r->to.width, r->options.h[i], r->hmax),
            .height = share(r->to.height, r->options.v[i], r->vmax),
            .depth = 8};
    kst_status status = kst_image_allocate(r->t->context, &r->to);
    return status ? kst_report_error(r->t->op.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

/* Choose a component's table. Components that had equal tables share one again. */
static void plan_table(struct picture_recoding *r, uint32_t index)
{
    const uint16_t *quant = r->t->stream.plan.frame.component[index].quant;
    uint16_t *table = r->table[index];
    for (uint32_t i = 0; i < 64; i++) {
        table[i] = quant[r->turned->transposed ? i % 8 * 8 + i / 8 : i];
        r->options.wide_quantisers |= table[i] > 255;
    }
    uint8_t same = 0;
    while (memcmp(r->table[same], table, sizeof r->table[same]) != 0)
        same++;
    r->options.quant_index[index] = same;
    r->options.quant_table[same] = r->table[same];
}

static void plan_components(struct picture_recoding *r, uint32_t count)
{
    const bool transposed = r->turned->transposed;
    r->hmax = r->vmax = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct jpeg_component *c = &r->t->stream.plan.frame.component[i];
        r->options.h[i] = count == 1 ? 1 : transposed ? c->v : c->h;
        r->options.v[i] = count == 1 ? 1 : transposed ? c->h : c->v;
        r->hmax = r->options.h[i] > r->hmax ? r->options.h[i] : r->hmax;
        r->vmax = r->options.v[i] > r->vmax ? r->options.v[i] : r->vmax;
        plan_table(r, i);
    }
}

static void plan_encoding(struct picture_recoding *r)
{
    const kst_transcode_options *o = r->t->options;
    const struct jpeg_jfif *jfif = &r->t->stream.headers.jfif;
    kst_encode_options_init(&r->options);
    memset(r->options.quant_index, 0, sizeof r->options.quant_index);
    r->options.coding = o->coding;
    if (o->restart.unit != KST_RESTART_KEEP)
        r->options.restart = o->restart;
    r->options.metadata = r->t->encoding.metadata;
    r->options.metadata_count = r->t->encoding.metadata_count;
    if (r->t->stream.headers.has_jfif && jfif->x > 0 && jfif->y > 0) {
        r->options.density_unit = jfif->unit <= KST_DENSITY_CM ? (kst_density_unit)jfif->unit : KST_DENSITY_RATIO;
        r->options.density_x = jfif->x;
        r->options.density_y = jfif->y;
    }
}

static kst_status encode(struct picture_recoding *r, struct sink *sink)
{
    kst_buffer buffer = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_encode(r->t->context, &r->to, &r->options, &buffer, &report);
    if (!status) {
        kst_sink_bytes(sink, buffer.data, buffer.length);
        status = sink->status;
    }
    kst_buffer_release(r->t->context, &buffer);
    return status ? kst_report_error(r->t->op.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

static kst_status decode(struct picture_recoding *r)
{
    const struct jpeg_plan *plan = &r->t->stream.plan;
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.strict = r->t->options->strict;
    kst_report_init(r->t->op.report);
    kst_image_init(&r->from);
    return kst_decode(r->t->context, plan->data, plan->length, &options, &r->from, r->t->op.report);
}

kst_status kst_jpeg_run_transcoding_recode(
    struct jpeg_transcoding *t, const struct jpeg_turned *turned, struct sink *sink)
{
    struct picture_recoding r = {.t = t, .turned = turned};
    const uint32_t count = t->options->grey ? 1 : t->stream.plan.frame.component_count;
    kst_jpeg_encoding_colour(&t->encoding, count == 1 ? KST_COLOUR_GREY : t->stream.plan.frame.colour);
    kst_status status = decode(&r);
    if (!status)
        status = kst_jpeg_run_transcoding_metadata(t, turned->x.own_size, turned->y.own_size);
    plan_encoding(&r);
    plan_components(&r, count);
    if (!status)
        status = make_planes(&r, count);
    for (uint32_t i = 0; i < count && !status; i++)
        status = turn_plane(&r, i);
    kst_image_release(t->context, &r.from);
    if (!status)
        status = encode(&r, sink);
    kst_image_release(t->context, &r.to);
    return status;
}
