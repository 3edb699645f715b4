/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes the bricks of a band together, and writes each to a file of its own or to a shard. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress/progress.h"
#include "system/folder.h"
#include "volume/encoding.h"

/* Describes a brick of a band. */
struct brick {
    uint32_t at[AXES]; /* its number in the store */
    bool empty;        /* it need not be there */
    bool kept;         /* it is there already, as are the others of its shard */
    kst_volume volume;
    kst_volume_options options;
    struct progress_unit step;
    kst_progress progress; /* with the step */
    kst_buffer coded;
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

static bool encode_image(
    const struct encoding *encoding, const kst_volume *brick, kst_buffer *coded, struct problem *problem)
{
    kst_encode_options options;
    kst_image image;
    kst_report report;
    kst_encode_options_init(&options);
    kst_image_init(&image);
    kst_report_init(&report);
    kst_j2k_options j2k = encoding->settings->j2k.options;
    j2k.codestream = true;
    if (j2k.levels == KST_LEVELS_AUTO) { /* the default is for volumes, but this is a picture */
        kst_j2k_options usual;
        kst_j2k_options_init(&usual);
        j2k.levels = usual.levels;
    }
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    image.format = KST_FORMAT_RAW;
    image.width = brick->width;
    image.height = brick->height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.data = brick->data,
        .pitch = (ptrdiff_t)brick->pitch,
        .width = brick->width,
        .height = brick->height,
        .depth = brick->bits,
        .is_signed = brick->is_signed};
    const kst_status status = kst_encode(encoding->settings->context, &image, &options, coded, &report);
    return !status || coded_report_problem(&report, status, problem);
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

/* Encode bricks as volumes, in one call. */
static bool encode_volumes(struct encoding *encoding, struct brick *bricks, size_t count, struct problem *problem)
{
    kst_volume_encode_item *items = count > 0 ? calloc(count, sizeof *items) : NULL;
    if (items == NULL)
        return count == 0 || problem_set(problem, "out of memory");
    bool good = true;
    size_t some = 0;
    for (size_t i = 0; i < count; i++)
        if (is_to_code(&bricks[i]))
            items[some++] = (kst_volume_encode_item){.volume = &bricks[i].volume, .options = &bricks[i].options};
    kst_encode_volumes(encoding->settings->context, items, some);
    for (size_t i = 0, k = 0; i < count; i++) {
        if (!is_to_code(&bricks[i]))
            continue;
        const kst_report *report = &items[k].report;
        bricks[i].coded = items[k++].output;
        good = good && (!report->status || coded_report_problem(report, report->status, problem)) &&
               encoding_count_levels(encoding, bricks[i].coded.data, bricks[i].coded.length, problem);
    }
    free(items);
    return good;
}

static bool encode_slices(const struct encoding *encoding, struct brick *bricks, size_t count, struct problem *problem)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        good = !is_to_code(&bricks[i]) || encode_image(encoding, &bricks[i].volume, &bricks[i].coded, problem);
        progress_unit_done(&bricks[i].step, 1);
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
    return sharded ? shard_add(*shard, brick->at, &brick->coded, problem)
                   : put_brick(encoding, brick->at, &brick->coded, problem);
}

/* Write the bricks of a shard, which are the next ones, or the one that is a file. */
static bool write_shard(const struct encoding *encoding, struct brick *bricks, size_t count, struct problem *problem)
{
    struct shard_writer *shard = NULL;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        good = bricks[i].kept || write_brick(encoding, &bricks[i], &shard, problem);
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

/* Number the bricks of a shard, and see whether they are there. */
static void look_for_shard(struct encoding *encoding, const uint32_t first[AXES], struct brick *bricks)
{
    const uint32_t end[AXES] = {
        shard_end_of(encoding, 0, first[0]), shard_end_of(encoding, 1, first[1]), shard_end_of(encoding, 2, first[2])};
    const bool kept = resume_keeps(encoding, first, end);
    size_t count = 0;
    uint32_t at[AXES];
    for (at[0] = first[0]; at[0] < end[0]; at[0]++)
        for (at[1] = first[1]; at[1] < end[1]; at[1]++)
            for (at[2] = first[2]; at[2] < end[2]; at[2]++) {
                bricks[count] = (struct brick){.kept = kept};
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
            size_t some = 1;
            for (size_t i = 0; i < AXES; i++)
                some *= shard_end_of(encoding, i, first[i]) - first[i];
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
    struct brick *bricks = calloc(most, sizeof *bricks);
    if (bricks == NULL)
        return problem_set(problem, "out of memory");
    go_over(encoding, from, false, bricks, &count, problem);
    const size_t all = count;
    bool good = describe_band(encoding, from, bricks, all, problem);
    if (good)
        good = encoding->settings->by_slices ? encode_slices(encoding, bricks, all, problem)
                                             : encode_volumes(encoding, bricks, all, problem);
    good = good && go_over(encoding, from, true, bricks, &count, problem);
    for (size_t i = 0; i < all; i++)
        kst_buffer_release(encoding->settings->context, &bricks[i].coded);
    free(bricks);
    return good;
}
