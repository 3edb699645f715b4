/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a volume as a Zarr store: a band of bricks at a time, of which memory holds the samples. The metadata are
 * written last, so that a store that is not whole is none.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress/progress.h"
#include "system/folder.h"
#include "volume/store.h"

enum { BRICK_SIDE = 64, BRICK_MOST = 1 << 14, ROUNDED = 8, LEVELS_MOST = 9 };

/* The work of encoding: rows of bricks, `band` samples of them with edges repeated up to whole bricks. */
struct encoding {
    struct volume_settings *settings;
    const struct volume_file *file;
    struct store store;
    uint8_t *band;
    uint8_t *rows;        /* what was read, without edges */
    uint32_t sides[AXES]; /* of the band */
    uint8_t bits;         /* of the samples that are coded */
    uint32_t levels;      /* that all bricks so far can leave out */
};

static size_t bytes_of(const struct encoding *encoding)
{
    return encoding->store.bits / 8;
}

static uint32_t ceil_divide(uint32_t a, uint32_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}

/* Choose a brick's side. A volume that is shorter has shorter bricks, which still can be halved some times. */
static uint32_t choose_side(uint32_t wanted, uint32_t usual, uint32_t side)
{
    const uint32_t rounded = side <= 2 ? side : ceil_divide(side, ROUNDED) * ROUNDED;
    const uint32_t chosen = wanted > 0 ? wanted : usual;
    return wanted == 0 && rounded < chosen ? rounded : chosen;
}

/* Check that readers take shards of this size. */
static bool check_shards(const struct store *store, struct problem *problem)
{
    uint64_t bricks = 1;
    for (size_t i = 0; i < AXES; i++) {
        if ((bricks *= store->shard[i]) > STORE_SHARD_MAX)
            return problem_set(problem, "--shards: a shard has at most %d bricks", STORE_SHARD_MAX);
        if ((uint64_t)store->brick[i] * store->shard[i] > VOLUME_SIDE_MAX || store->shape[i] > VOLUME_SIDE_MAX)
            return problem_set(
                problem, "a store and a shard of it have at most %d samples along an axis", VOLUME_SIDE_MAX);
    }
    return true;
}

static bool choose_bricks(struct encoding *encoding, struct problem *problem)
{
    const struct volume_settings *settings = encoding->settings;
    struct store *store = &encoding->store;
    for (size_t i = 0; i < AXES; i++) {
        const uint32_t slice = i == 0 ? 1 : store->shape[i];
        store->brick[i] = settings->by_slices ? (settings->brick[i] > 0 ? settings->brick[i] : slice)
                                              : choose_side(settings->brick[i], BRICK_SIDE, store->shape[i]);
        store->shard[i] = settings->shards[i] > 0 ? settings->shards[i] : 1;
        if (!settings->by_slices && store->brick[i] > BRICK_MOST)
            return problem_set(problem, "--brick is at most %d", BRICK_MOST);
    }
    store->sharded = settings->shards[0] > 0;
    if (settings->by_slices && store->brick[0] != 1)
        return problem_set(problem, "--layout 2d has bricks of one slice: --brick 1xYxX");
    return check_shards(store, problem);
}

/* Describe the store, as far as it is known before anything is encoded. */
static bool plan(struct encoding *encoding, const char *name, struct problem *problem)
{
    const kst_volume *volume = &encoding->file->volume;
    const uint32_t shape[AXES] = {volume->depth, volume->height, volume->width};
    struct store *store = &encoding->store;
    memcpy(store->shape, shape, sizeof shape);
    store->bits = volume->bits > 16 ? 32 : volume->bits > 8 ? 16 : 8;
    store->is_signed = volume->is_signed;
    store->is_float = volume->sample == KST_SAMPLE_FLOAT32;
    encoding->bits = volume->bits;
    store->coder = encoding->settings->by_slices ? BRICK_IMAGE : BRICK_VOLUME;
    store->ht = (encoding->settings->j2k.options.style & KST_J2K_HT) != 0;
    store->plain_keys = encoding->settings->by_slices;
    store->separator = '/';
    store->index_checked = true;
    store->grid = encoding->file->grid;
    store->max_memory = common_max_memory(&encoding->settings->common);
    store->folder = folder_join(name, "0");
    return store->folder != NULL ? choose_bricks(encoding, problem) : problem_set(problem, "out of memory");
}

/* Allocate a band: a row of shards along x. */
static bool allocate(struct encoding *encoding, struct problem *problem)
{
    const struct store *store = &encoding->store;
    uint64_t length = bytes_of(encoding);
    bool fits = true;
    for (size_t i = 0; i < AXES; i++) {
        const uint32_t bricks = ceil_divide(store->shape[i], store->brick[i]);
        encoding->sides[i] = store->brick[i] * (i == 2 || bricks < store->shard[i] ? bricks : store->shard[i]);
        fits = fits && !__builtin_mul_overflow(length, (uint64_t)encoding->sides[i], &length);
    }
    if (!fits || length > store->max_memory / 2)
        return problem_set_kind(problem, PROBLEM_LIMIT, "a row of bricks takes more than half of the limit of memory");
    encoding->band = malloc((size_t)length);
    encoding->rows = malloc((size_t)length);
    return (encoding->band != NULL && encoding->rows != NULL) || problem_set(problem, "out of memory");
}

/* Say where a sample is that cannot be coded: number `wrong` of a box whose rows are whole. */
static bool refuse_sample(
    const struct encoding *encoding, const kst_box *box, size_t wrong, const char *why, struct problem *problem)
{
    const size_t width = encoding->store.shape[2], row = wrong / width;
    return problem_set(problem, "the sample at z %zu, y %zu, x %zu %s", box->z + row / box->height,
        box->y + row % box->height, wrong % width, why);
}

/* Read rows, of which single precision becomes integers. */
static bool read_rows(const struct encoding *encoding, const kst_box *box, struct problem *problem)
{
    const size_t count = (size_t)box->width * box->height * box->depth;
    size_t wrong;
    if (!volume_read_rows(encoding->file, encoding->settings, box, encoding->rows, problem))
        return false;
    return !encoding->store.is_float ||
           floats_quantise(&encoding->store, encoding->rows, count, encoding->settings->error, &wrong) ||
           refuse_sample(encoding, box, wrong, "cannot be kept within --error in single precision", problem);
}

/* Read all samples of single precision to learn their range. */
static bool find_range(struct encoding *encoding, struct float_range *range, struct problem *problem)
{
    const uint32_t *shape = encoding->store.shape, *sides = encoding->sides;
    kst_box box = {.width = shape[2]};
    size_t wrong;
    for (box.z = 0; box.z < shape[0]; box.z += box.depth)
        for (box.depth = shape[0] - box.z < sides[0] ? shape[0] - box.z : sides[0], box.y = 0; box.y < shape[1];
             box.y += box.height) {
            box.height = shape[1] - box.y < sides[1] ? shape[1] - box.y : sides[1];
            if (!volume_read_rows(encoding->file, encoding->settings, &box, encoding->rows, problem))
                return false;
            if (!floats_look(range, encoding->rows, (size_t)box.width * box.height * box.depth, &wrong))
                return refuse_sample(encoding, &box, wrong, "is not finite", problem);
        }
    return true;
}

/* A ratio of single precision counts from 32 bits for each sample. */
static bool choose_target(struct encoding *encoding, struct problem *problem)
{
    struct volume_settings *settings = encoding->settings;
    kst_j2k_options *options = &settings->j2k.options;
    const bool lossless = options->target == KST_J2K_LOSSLESS;
    if (lossless == (settings->error <= 0))
        return problem_set(problem, "samples of single precision need one of --error, --ratio, --rate and --psnr");
    if (settings->by_slices)
        return problem_set(problem, "--layout 2d has no samples of single precision");
    if ((options->target == KST_J2K_RATIO || options->target == KST_J2K_PSNR) && options->layer_value != NULL)
        return problem_set(problem, "--ratio and --psnr of single precision are one number");
    if (options->target == KST_J2K_RATIO) {
        options->target = KST_J2K_RATE;
        options->value = 32 / options->value;
    }
    return true;
}

/* A PSNR of single precision counts from the range of the samples, not from that of the integers. */
static void aim_at_range(struct encoding *encoding, const struct float_range *range)
{
    kst_j2k_options *options = &encoding->settings->j2k.options;
    const double span = (range->high - range->low) * encoding->store.scale;
    if (options->target == KST_J2K_PSNR && options->layer_value == NULL && span > 0)
        options->value += 20 * log10((ldexp(1, encoding->bits) - 1) / span);
}

/* Choose how single precision becomes integers. */
static bool plan_floats(struct encoding *encoding, struct problem *problem)
{
    struct float_range range = {INFINITY, -INFINITY};
    if (!encoding->store.is_float)
        return encoding->settings->error <= 0 || problem_set(problem, "--error is for samples of single precision");
    if (!choose_target(encoding, problem) || !find_range(encoding, &range, problem) ||
        !floats_plan(&encoding->store, &range, encoding->settings->error, &encoding->bits, problem))
        return false;
    aim_at_range(encoding, &range);
    return true;
}

/* Copy a row, and repeat its last sample. */
static void widen_row(const struct encoding *encoding, const uint8_t *from, uint8_t *to)
{
    const size_t bytes = bytes_of(encoding), width = encoding->store.shape[2];
    memcpy(to, from, width * bytes);
    for (size_t x = width; x < encoding->sides[2]; x++)
        memcpy(to + x * bytes, to + (width - 1) * bytes, bytes);
}

/* Read the samples of a band, and repeat the last row and slice up to its end. */
static bool read_band(struct encoding *encoding, uint32_t z, uint32_t y, struct problem *problem)
{
    const uint32_t *shape = encoding->store.shape, *sides = encoding->sides;
    const uint32_t depth = shape[0] - z < sides[0] ? shape[0] - z : sides[0];
    const uint32_t height = shape[1] - y < sides[1] ? shape[1] - y : sides[1];
    const size_t row = shape[2] * bytes_of(encoding), wide = sides[2] * bytes_of(encoding);
    const kst_box box = {.z = z, .y = y, .depth = depth, .height = height, .width = shape[2]};
    if (!read_rows(encoding, &box, problem))
        return false;
    for (uint32_t k = 0; k < sides[0]; k++) {
        uint8_t *slice = encoding->band + (size_t)k * sides[1] * wide;
        const uint8_t *from = encoding->rows + (size_t)(k < depth ? k : depth - 1) * height * row;
        for (uint32_t i = 0; i < sides[1]; i++)
            widen_row(encoding, from + (i < height ? i : height - 1) * row, slice + i * wide);
    }
    return true;
}

/* Return whether a brick has no sample but the fill value, 0: then it need not be there. */
static bool is_empty(const struct encoding *encoding, const kst_volume *brick)
{
    const size_t row = brick->width * bytes_of(encoding);
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
    if (j2k.levels == KST_LEVELS_AUTO) { /* of volumes; this is a picture */
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

/* Return the share of a brick's samples that are the volume's, not repeated edges. */
static double share_of(const struct encoding *encoding, const uint32_t at[AXES])
{
    double share = 1;
    for (size_t i = 0; i < AXES; i++) {
        const uint32_t side = encoding->store.brick[i], left = encoding->store.shape[i] - at[i] * side;
        share *= left < side ? (double)left / side : 1;
    }
    return share;
}

/* Let a size that is aimed at be that of the volume's own samples. */
static void aim_at_share(kst_j2k_options *options, double share)
{
    if (options->layer_value != NULL)
        return;
    if (options->target == KST_J2K_RATE)
        options->value *= share;
    else if (options->target == KST_J2K_RATIO)
        options->value /= share;
}

/* Encode a brick as a volume, and see how many levels a reader can leave out of it. */
static bool encode_volume(
    struct encoding *encoding, const kst_volume *brick, double share, kst_buffer *coded, struct problem *problem)
{
    kst_volume_info info = {.size = sizeof info};
    kst_volume_options options;
    kst_report report;
    kst_volume_options_init(&options);
    kst_report_init(&report);
    options.jpeg2000 = encoding->settings->j2k.options;
    options.z_levels = encoding->settings->z_levels;
    aim_at_share(&options.jpeg2000, share);
    kst_context *context = encoding->settings->context;
    kst_status status = kst_encode_volume(context, brick, &options, coded, &report);
    if (!status)
        status = kst_describe_volume(context, coded->data, coded->length, NULL, NULL, &info, &report);
    if (status)
        return coded_report_problem(&report, status, problem);
    const uint32_t levels = info.levels < info.z_levels ? info.levels : info.z_levels;
    encoding->levels = levels < encoding->levels ? levels : encoding->levels;
    return true;
}

/* Make the folders of a file and write the file. */
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

/* Remove what an attempt that was broken off may have left where now nothing is to be. */
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
    const size_t bytes = bytes_of(encoding);
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

/* Encode the brick `at`, whose place in the band is `place`, to a file of its own or to a shard. */
static bool encode_brick(struct encoding *encoding, const uint32_t at[AXES], const uint32_t place[AXES],
    struct shard_writer **shard, struct problem *problem)
{
    const kst_volume brick = brick_of(encoding, place);
    kst_buffer coded = {.data = NULL};
    if (is_empty(encoding, &brick))
        return encoding->store.sharded || remove_file(encoding, at, problem);
    bool good = encoding->settings->by_slices
                    ? encode_image(encoding, &brick, &coded, problem)
                    : encode_volume(encoding, &brick, share_of(encoding, at), &coded, problem);
    if (good && (!encoding->store.sharded || *shard == NULL))
        good = make_folder(encoding, at, problem);
    if (good && encoding->store.sharded && *shard == NULL)
        good = (*shard = shard_begin(&encoding->store, at, problem)) != NULL;
    if (good)
        good =
            encoding->store.sharded ? shard_add(*shard, at, &coded, problem) : put_brick(encoding, at, &coded, problem);
    kst_buffer_release(encoding->settings->context, &coded);
    return good;
}

static uint32_t bricks_of(const struct encoding *encoding, size_t axis)
{
    return ceil_divide(encoding->store.shape[axis], encoding->store.brick[axis]);
}

/* Return where a shard that begins at brick `from` ends along an axis. */
static uint32_t shard_end_of(const struct encoding *encoding, size_t axis, uint32_t from)
{
    const uint32_t bricks = bricks_of(encoding, axis), end = from + encoding->store.shard[axis];
    return end < bricks ? end : bricks;
}

/* Encode the bricks of a shard, or the one that is a file. */
static bool encode_shard(struct encoding *encoding, const uint32_t from[AXES], struct problem *problem)
{
    struct shard_writer *shard = NULL;
    uint32_t at[AXES];
    bool good = true;
    for (at[0] = from[0]; good && at[0] < shard_end_of(encoding, 0, from[0]); at[0]++)
        for (at[1] = from[1]; good && at[1] < shard_end_of(encoding, 1, from[1]); at[1]++)
            for (at[2] = from[2]; good && at[2] < shard_end_of(encoding, 2, from[2]); at[2]++) {
                const uint32_t place[AXES] = {at[0] - from[0], at[1] - from[1], at[2]};
                good = encode_brick(encoding, at, place, &shard, problem);
                progress_step();
            }
    if (shard != NULL)
        good = shard_end(shard, good, problem);
    else if (encoding->store.sharded && good)
        good = remove_file(encoding, from, problem);
    return good;
}

static bool encode_bricks(struct encoding *encoding, struct problem *problem)
{
    const uint32_t *shard = encoding->store.shard, *brick = encoding->store.brick;
    uint32_t from[AXES];
    bool good = true;
    for (from[0] = 0; good && from[0] < bricks_of(encoding, 0); from[0] += shard[0])
        for (from[1] = 0; good && from[1] < bricks_of(encoding, 1); from[1] += shard[1]) {
            good = read_band(encoding, from[0] * brick[0], from[1] * brick[1], problem);
            for (from[2] = 0; good && from[2] < bricks_of(encoding, 2); from[2] += shard[2])
                good = encode_shard(encoding, from, problem);
        }
    return good;
}

/* Return how many arrays there are: the whole, and one for each level that every brick can leave out. */
static uint32_t count_levels(const struct encoding *encoding)
{
    uint32_t levels = encoding->levels < LEVELS_MOST ? encoding->levels : LEVELS_MOST;
    if (encoding->settings->by_slices)
        return 1;
    for (size_t i = 0; i < AXES; i++)
        while (encoding->store.brick[i] % (1u << levels) != 0)
            levels--;
    while (levels > 0 && encoding->store.shape[0] >> levels == 0)
        levels--;
    return levels + 1;
}

/* Let a folder of a level have the bricks of level 0, by a symbolic link. */
static bool link_bricks(const char *folder, struct problem *problem)
{
    char *link = folder_join(folder, "c");
    const bool good = link != NULL && (unlink(link) == 0 || errno == ENOENT) && symlink("../0/c", link) == 0;
    if (!good)
        problem_set_kind(
            problem, PROBLEM_WRITE, "cannot make the link %s: %s", link != NULL ? link : "", strerror(errno));
    free(link);
    return good;
}

/* Write the metadata of a level, whose bricks are those of level 0, decoded to less. */
static bool write_level(const struct encoding *encoding, const char *name, uint32_t level, struct problem *problem)
{
    const char number[] = {(char)('0' + level), '\0'};
    struct store reduced = encoding->store;
    char *folder = folder_join(name, number);
    for (size_t i = 0; i < AXES; i++) {
        reduced.shape[i] = (reduced.shape[i] + (1u << level) - 1) >> level;
        reduced.brick[i] >>= level;
    }
    reduced.reduce = reduced.reduce_z = level;
    const bool good = (folder != NULL || problem_set(problem, "out of memory")) && folder_make(folder, problem) &&
                      (level == 0 || link_bricks(folder, problem)) && metadata_write_array(&reduced, folder, problem);
    free(folder);
    return good;
}

static bool write_metadata(const struct encoding *encoding, const char *name, struct problem *problem)
{
    const uint32_t levels = count_levels(encoding);
    for (uint32_t i = 0; i < levels; i++)
        if (!write_level(encoding, name, i, problem))
            return false;
    return metadata_write_group(&encoding->store, name, levels, problem);
}

/* Make the folder of a store that is not there yet, or that was not finished. */
static bool begin_store(const struct encoding *encoding, const char *name, struct problem *problem)
{
    struct stat state;
    char *group = folder_join(name, "zarr.json");
    const bool fresh = group != NULL && lstat(group, &state) != 0;
    free(group);
    if (!fresh)
        return problem_set_kind(problem, PROBLEM_WRITE, "there is a Zarr group already; remove it first");
    return folder_make(encoding->store.folder, problem);
}

static bool encode_file(struct encoding *encoding, const char *name, struct problem *problem)
{
    bool good = json_library_load(problem) && plan(encoding, name, problem) && allocate(encoding, problem) &&
                plan_floats(encoding, problem) && begin_store(encoding, name, problem);
    if (good) {
        progress_begin((size_t)bricks_of(encoding, 0) * bricks_of(encoding, 1) * bricks_of(encoding, 2));
        good = encode_bricks(encoding, problem);
        progress_end();
    }
    good = good && write_metadata(encoding, name, problem);
    free(encoding->band);
    free(encoding->rows);
    store_release(&encoding->store);
    return good;
}

int store_encode(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct volume_file file;
    struct encoding encoding = {.settings = settings, .file = &file, .levels = LEVELS_MOST};
    if (!volume_open(names[0], settings, &file, &problem)) {
        complain(names[0], "%s", problem.text);
        return EXIT_FAILED;
    }
    if (volume_is_nifti(names[0]) && settings->raw.width == 0)
        complain(names[0], "warning: samples and spacing are kept; the orientation and scaling in its header are not");
    const bool good = encode_file(&encoding, names[1], &problem);
    if (!good)
        complain(names[1], "%s", problem.text);
    volume_release(&file);
    return good ? EXIT_FINE : EXIT_FAILED;
}
