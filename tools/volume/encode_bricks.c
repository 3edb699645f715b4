/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes the bricks of a band together, and writes each to a file of its own or to a shard. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress/progress.h"
#include "system/folder.h"
#include "volume/devices.h"
#include "volume/encoding.h"

/* Describes a brick of a band. */
struct brick {
    uint32_t at[AXES]; /* its number in the store */
    bool empty;        /* it need not be there */
    bool foreign;      /* another process makes it */
    bool kept;         /* it is there already, as are the others of its shard, or is foreign */
    kst_volume volume;
    kst_volume_options options;
    struct progress_unit step;
    kst_progress progress; /* with the step */
    kst_image image;       /* a slice that is coded as a picture; its options follow */
    kst_encode_options encode;
    const kst_flow_item *item; /* the work of coding it; null: it is not coded */
};

/* Holds the bricks of a band, and the work on those that are to be coded. */
struct band {
    struct brick *bricks;
    size_t count;
    kst_flow_item *items;
    size_t coded;
};

/* Return whether all samples of a brick are the fill value, 0, so that the brick need not be stored. */
static bool is_empty(const struct encoding *encoding, const kst_volume *brick)
{
    const size_t row = brick->width * encoding_bytes(encoding);
    for (uint32_t z = 0; z < brick->depth; z++)
        for (uint32_t y = 0; y < brick->height; y++) {
            const uint8_t *at = (const uint8_t *)brick->data + z * brick->slice_pitch + y * brick->pitch;
            if (*at != 0 || memcmp(at, at + 1, row - 1) != 0)
                return false;
        }
    return true;
}

/* Choose how slices are coded as pictures. */
static kst_j2k_options options_of_pictures(const struct encoding *encoding)
{
    kst_j2k_options j2k = encoding->settings->j2k.options;
    j2k.codestream = true;
    if (j2k.levels == KST_LEVELS_AUTO) { /* the default is for volumes, but this is a picture */
        kst_j2k_options usual;
        kst_j2k_options_init(&usual);
        j2k.levels = usual.levels;
    }
    return j2k;
}

/* Describe a brick, which is one slice, as a picture. */
static void describe_picture(const kst_j2k_options *j2k, struct brick *brick)
{
    const kst_volume *volume = &brick->volume;
    kst_encode_options_init(&brick->encode);
    brick->encode.codec = KST_CODEC_JPEG2000;
    brick->encode.jpeg2000 = j2k;
    kst_image_init(&brick->image);
    brick->image.format = KST_FORMAT_RAW;
    brick->image.width = volume->width;
    brick->image.height = volume->height;
    brick->image.plane_count = 1;
    brick->image.plane[0] = (kst_plane){.data = volume->data,
        .pitch = (ptrdiff_t)volume->pitch,
        .width = volume->width,
        .height = volume->height,
        .depth = volume->bits,
        .is_signed = volume->is_signed};
}

/* Return which share of a brick's samples belong to the volume, and are not repeated edges. */
static double share_of(const struct encoding *encoding, const uint32_t at[AXES])
{
    double share = 1;
    for (size_t i = 0; i < AXES; i++) {
        const uint32_t side = encoding->store.brick[i], left = encoding->store.shape[i] - at[i] * side;
        share *= left < side ? (double)left / side : 1;
    }
    return share;
}

/* Scale a target size so that it applies to the volume's own samples. */
static void aim_at_share(kst_j2k_options *options, double share)
{
    if (options->layer_value != NULL)
        return;
    if (options->target == KST_J2K_RATE)
        options->value *= share;
    else if (options->target == KST_J2K_RATIO)
        options->value /= share;
}

/* Write the file of a brick, and make its folders. */
static bool put_brick(
    const struct encoding *encoding, const uint32_t at[AXES], const kst_buffer *coded, struct problem *problem)
{
    struct output output;
    char *path = brick_path(&encoding->store, at);
    bool good = path != NULL ? output_open(&output, path, problem) : problem_set(problem, "out of memory");
    if (good) {
        good = output_write(&output, coded->data, coded->length, problem) && output_commit(&output, problem);
        if (!good)
            output_discard(&output);
    }
    free(path);
    return good;
}

/* Remove a file that an interrupted attempt may have left, and that is not written this time. */
static bool remove_file(const struct encoding *encoding, const uint32_t at[AXES], struct problem *problem)
{
    char *path = brick_path(&encoding->store, at);
    const bool good = path != NULL && (unlink(path) == 0 || errno == ENOENT);
    if (!good)
        problem_set_kind(problem, PROBLEM_WRITE, "%s: %s", path != NULL ? path : "memory", strerror(errno));
    free(path);
    return good;
}

static bool make_folder(const struct encoding *encoding, const uint32_t at[AXES], struct problem *problem)
{
    char *path = brick_path(&encoding->store, at);
    bool good = path != NULL || problem_set(problem, "out of memory");
    if (good) {
        *strrchr(path, '/') = '\0';
        good = folder_make(path, problem);
    }
    free(path);
    return good;
}

static kst_volume brick_of(const struct encoding *encoding, const uint32_t place[AXES])
{
    const uint32_t *brick = encoding->store.brick;
    const size_t bytes = encoding_bytes(encoding);
    kst_volume volume = encoding->file->volume;
    volume.bits = encoding->bits;
    volume.sample = KST_SAMPLE_INTEGER;
    volume.pitch = encoding->sides[2] * bytes;
    volume.slice_pitch = volume.pitch * encoding->sides[1];
    volume.depth = brick[0];
    volume.height = brick[1];
    volume.width = brick[2];
    volume.data = encoding->band + place[0] * brick[0] * volume.slice_pitch + place[1] * brick[1] * volume.pitch +
                  place[2] * brick[2] * bytes;
    return volume;
}

/* Describe a brick, whose indices in the band are `place`. */
static void describe(const struct encoding *encoding, const uint32_t place[AXES], struct brick *brick)
{
    const struct volume_settings *settings = encoding->settings;
    brick->volume = brick_of(encoding, place);
    brick->empty = is_empty(encoding, &brick->volume);
    kst_volume_options_init(&brick->options);
    brick->options.jpeg2000 = settings->j2k.options;
    brick->options.z_levels = settings->z_levels;
    brick->progress = (kst_progress){.size = sizeof brick->progress, .told = progress_unit_done, .user = &brick->step};
    brick->options.progress = &brick->progress;
    aim_at_share(&brick->options.jpeg2000, share_of(encoding, brick->at));
}

bool encoding_count_levels(struct encoding *encoding, const void *data, size_t length, struct problem *problem)
{
    kst_volume_info info = {.size = sizeof info};
    kst_report report;
    kst_report_init(&report);
    const kst_status status =
        kst_describe_volume(encoding->settings->context, data, length, NULL, NULL, &info, &report);
    if (status)
        return coded_report_problem(&report, status, problem);
    const uint32_t levels = info.levels < info.z_levels ? info.levels : info.z_levels;
    encoding->levels = levels < encoding->levels ? levels : encoding->levels;
    return true;
}

static bool is_to_code(const struct brick *brick)
{
    return !brick->empty && !brick->kept;
}

/* Describe the work on those bricks of a band that are to be coded. `j2k` stays as long as the work. */
static void list_work(const struct encoding *encoding, const kst_j2k_options *j2k, struct band *band)
{
    band->coded = 0;
    for (size_t i = 0; i < band->count; i++) {
        struct brick *brick = &band->bricks[i];
        kst_flow_item *item = &band->items[band->coded];
        if (!is_to_code(brick))
            continue;
        *item = (kst_flow_item){.size = sizeof *item, .work = KST_FLOW_ENCODE_VOLUME, .volume = brick->volume};
        item->encode_volume = &brick->options;
        if (encoding->settings->by_slices) {
            describe_picture(j2k, brick);
            *item = (kst_flow_item){
                .size = sizeof *item, .work = KST_FLOW_ENCODE, .picture = &brick->image, .encode = &brick->encode};
        }
        brick->item = item;
        band->coded++;
    }
}

/* Encode the bricks of a band that are to be coded, on all devices. */
static bool encode_bricks(struct encoding *encoding, struct band *band, struct problem *problem)
{
    const kst_j2k_options j2k = options_of_pictures(encoding);
    bool good = true;
    list_work(encoding, &j2k, band);
    volume_code(encoding->settings, band->items, band->coded);
    for (size_t i = 0; i < band->coded && good; i++) {
        const kst_flow_item *item = &band->items[i];
        good = !item->report.status || coded_report_problem(&item->report, item->report.status, problem);
        if (good && !encoding->settings->by_slices)
            good = encoding_count_levels(encoding, item->output.data, item->output.length, problem);
    }
    return good;
}

static bool write_brick(
    const struct encoding *encoding, const struct brick *brick, struct shard_writer **shard, struct problem *problem)
{
    const bool sharded = encoding->store.sharded;
    if (brick->empty)
        return sharded || remove_file(encoding, brick->at, problem);
    bool good = true;
    if (!sharded || *shard == NULL)
        good = make_folder(encoding, brick->at, problem);
    if (good && sharded && *shard == NULL)
        good = (*shard = shard_begin(&encoding->store, brick->at, problem)) != NULL;
    if (!good)
        return false;
    return sharded ? shard_add(*shard, brick->at, &brick->item->output, problem)
                   : put_brick(encoding, brick->at, &brick->item->output, problem);
}

/* Write the bricks of a shard, which are the next ones, or the one that is a file. */
static bool write_shard(const struct encoding *encoding, struct brick *bricks, size_t count, struct problem *problem)
{
    struct shard_writer *shard = NULL;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        good = bricks[i].kept || write_brick(encoding, &bricks[i], &shard, problem);
        if (!bricks[i].foreign)
            progress_unit_end(&bricks[i].step);
    }
    if (shard != NULL)
        good = shard_end(shard, good, problem);
    else if (encoding->store.sharded && good && !bricks->kept)
        good = remove_file(encoding, bricks->at, problem);
    return good;
}

/* Return the end, along an axis, of a shard that begins at brick `from`. */
static uint32_t shard_end_of(const struct encoding *encoding, size_t axis, uint32_t from)
{
    const uint32_t bricks = bricks_along(encoding, axis), end = from + encoding->store.shard[axis];
    return end < bricks ? end : bricks;
}

/* Return how many bricks a shard has. */
static size_t bricks_of_shard(const struct encoding *encoding, const uint32_t first[AXES])
{
    size_t bricks = 1;
    for (size_t i = 0; i < AXES; i++)
        bricks *= shard_end_of(encoding, i, first[i]) - first[i];
    return bricks;
}

size_t share_bricks(const struct encoding *encoding)
{
    const uint32_t *shard = encoding->store.shard;
    uint32_t first[AXES];
    size_t bricks = 0;
    for (first[0] = 0; first[0] < bricks_along(encoding, 0); first[0] += shard[0])
        for (first[1] = 0; first[1] < bricks_along(encoding, 1); first[1] += shard[1])
            for (first[2] = 0; first[2] < bricks_along(encoding, 2); first[2] += shard[2])
                bricks += share_has(encoding, first) ? bricks_of_shard(encoding, first) : 0;
    return bricks;
}

/* Number the bricks of a shard, and see whether they are there. */
static void look_for_shard(struct encoding *encoding, const uint32_t first[AXES], struct brick *bricks)
{
    const uint32_t end[AXES] = {
        shard_end_of(encoding, 0, first[0]), shard_end_of(encoding, 1, first[1]), shard_end_of(encoding, 2, first[2])};
    const bool foreign = !share_has(encoding, first), kept = foreign || resume_keeps(encoding, first, end);
    size_t count = 0;
    uint32_t at[AXES];
    for (at[0] = first[0]; at[0] < end[0]; at[0]++)
        for (at[1] = first[1]; at[1] < end[1]; at[1]++)
            for (at[2] = first[2]; at[2] < end[2]; at[2]++) {
                bricks[count] = (struct brick){.foreign = foreign, .kept = kept};
                memcpy(bricks[count++].at, at, sizeof at);
            }
}

/* Write the shards of a band, or look which are there, one shard behind the other. */
static bool go_over(struct encoding *encoding, const uint32_t from[2], bool writes, struct brick *bricks, size_t *count,
    struct problem *problem)
{
    const uint32_t *shard = encoding->store.shard;
    uint32_t first[AXES] = {from[0], from[1], 0};
    bool good = true;
    *count = 0;
    for (; first[1] < from[1] + encoding->bricks[1] && first[1] < bricks_along(encoding, 1); first[1] += shard[1])
        for (first[2] = 0; good && first[2] < bricks_along(encoding, 2); first[2] += shard[2]) {
            const size_t some = bricks_of_shard(encoding, first);
            if (writes)
                good = write_shard(encoding, bricks + *count, some, problem);
            else
                look_for_shard(encoding, first, bricks + *count);
            *count += some;
        }
    return good;
}

/* Read the samples of a band, unless all of its bricks are there, and describe those that are to be coded. */
static bool describe_band(
    struct encoding *encoding, const uint32_t from[2], struct brick *bricks, size_t count, struct problem *problem)
{
    size_t kept = 0;
    while (kept < count && bricks[kept].kept)
        kept++;
    if (kept == count)
        return true;
    if (!band_read(encoding, from, problem))
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *at = bricks[i].at, place[AXES] = {at[0] - from[0], at[1] - from[1], at[2]};
        if (!bricks[i].kept)
            describe(encoding, place, &bricks[i]);
    }
    return true;
}

bool band_encode(struct encoding *encoding, const uint32_t from[2], struct problem *problem)
{
    size_t most = 1, count;
    for (size_t i = 0; i < AXES; i++)
        most *= encoding->bricks[i];
    struct band band = {.bricks = calloc(most, sizeof *band.bricks), .items = calloc(most, sizeof *band.items)};
    bool good = true;
    if (band.bricks == NULL || band.items == NULL) {
        good = problem_set(problem, "out of memory");
    } else {
        go_over(encoding, from, false, band.bricks, &band.count, problem);
        good = describe_band(encoding, from, band.bricks, band.count, problem) &&
               encode_bricks(encoding, &band, problem) && go_over(encoding, from, true, band.bricks, &count, problem);
    }
    for (size_t i = 0; i < band.coded; i++)
        volume_item_release(&band.items[i]);
    free(band.items);
    free(band.bricks);
    return good;
}
