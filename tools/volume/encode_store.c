/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a volume as a Zarr store, one band of bricks at a time, whose samples are in memory. The metadata are written
 * last, so that an incomplete store is not taken for a store.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress/progress.h"
#include "system/folder.h"
#include "volume/encoding.h"

enum { BRICK_SIDE = 64, BRICK_MOST = 1 << 14, ROUNDED = 8, LEVELS_MOST = 9 };

/*
 * Choose the side of bricks. A shorter volume has shorter bricks, rounded so that they can still be halved a few times.
 */
static uint32_t choose_side(uint32_t wanted, uint32_t usual, uint32_t side)
{
    const uint32_t rounded = side <= 2 ? side : volume_ceil_divide(side, ROUNDED) * ROUNDED;
    const uint32_t chosen = wanted > 0 ? wanted : usual;
    return wanted == 0 && rounded < chosen ? rounded : chosen;
}

/* Check that readers accept shards of this size. */
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

/* Fill in the store's description as far as it is known before anything is encoded. */
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
    store->known = calloc(1, sizeof *store->known);
    return store->folder != NULL && store->known != NULL ? choose_bricks(encoding, problem)
                                                         : problem_set(problem, "out of memory");
}

/* Allocate a band: a row of shards along x, or several, beside each other along y. */
static bool allocate(struct encoding *encoding, struct problem *problem)
{
    const struct store *store = &encoding->store;
    uint64_t length = encoding_bytes(encoding), rows = 1;
    bool fits = true;
    for (size_t i = 0; i < AXES; i++) {
        const uint32_t bricks = bricks_along(encoding, i);
        encoding->bricks[i] = i == 2 || bricks < store->shard[i] ? bricks : store->shard[i];
        encoding->sides[i] = store->brick[i] * encoding->bricks[i];
        fits = fits && !__builtin_mul_overflow(length, (uint64_t)encoding->sides[i], &length);
    }
    if (!fits || length > store->max_memory / 2)
        return problem_set_kind(problem, PROBLEM_LIMIT, "a row of bricks takes more than half of the limit of memory");
    const uint32_t most = volume_ceil_divide(bricks_along(encoding, 1), encoding->bricks[1]);
    const uint64_t most_bytes = store_band_bytes(store, encoding->settings, 0);
    while (rows < most && (rows + 1) * length <= most_bytes)
        rows++;
    encoding->bricks[1] *= (uint32_t)rows;
    encoding->sides[1] *= (uint32_t)rows;
    encoding->band = malloc((size_t)(length * rows));
    encoding->rows = malloc((size_t)(length * rows));
    return (encoding->band != NULL && encoding->rows != NULL) || problem_set(problem, "out of memory");
}

/* Set the problem for a sample that cannot be encoded. `wrong` is its index in a box of whole rows. */
static bool refuse_sample(
    const struct encoding *encoding, const kst_box *box, size_t wrong, const char *why, struct problem *problem)
{
    const size_t width = encoding->store.shape[2], row = wrong / width;
    return problem_set(problem, "the sample at z %zu, y %zu, x %zu %s", box->z + row / box->height,
        box->y + row % box->height, wrong % width, why);
}

/* Read rows, and convert samples of single precision to integers. */
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
static bool find_range(
    struct encoding *encoding, struct float_range *range, struct progress_unit *unit, struct problem *problem)
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
            const double slices = box.z + (double)box.depth * (box.y + box.height) / shape[1];
            progress_unit_done(unit, slices / shape[0]);
        }
    return true;
}

/* Check the target for samples of single precision. A ratio is relative to 32 bits per sample. */
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

/* Adapt a PSNR for samples of single precision, which is relative to the range of the samples, not of the integers. */
static void aim_at_range(struct encoding *encoding, const struct float_range *range)
{
    kst_j2k_options *options = &encoding->settings->j2k.options;
    const double span = (range->high - range->low) * encoding->store.scale;
    if (options->target == KST_J2K_PSNR && options->layer_value == NULL && span > 0)
        options->value += 20 * log10((ldexp(1, encoding->bits) - 1) / span);
}

/* Choose how samples of single precision are converted to integers. */
static bool plan_floats(struct encoding *encoding, struct problem *problem)
{
    struct float_range range = {INFINITY, -INFINITY};
    struct progress_unit unit = {0};
    if (!encoding->store.is_float)
        return encoding->settings->error <= 0 || problem_set(problem, "--error is for samples of single precision");
    if (!choose_target(encoding, problem))
        return false;
    progress_begin(1);
    const bool found = find_range(encoding, &range, &unit, problem);
    progress_end();
    if (!found || !floats_plan(&encoding->store, &range, encoding->settings->error, &encoding->bits, problem))
        return false;
    aim_at_range(encoding, &range);
    return true;
}

/* Copy a row, and repeat its last sample up to the end of the band. */
static void widen_row(const struct encoding *encoding, const uint8_t *from, uint8_t *to)
{
    const size_t bytes = encoding_bytes(encoding), width = encoding->store.shape[2];
    memcpy(to, from, width * bytes);
    for (size_t x = width; x < encoding->sides[2]; x++)
        memcpy(to + x * bytes, to + (width - 1) * bytes, bytes);
}

/* Read the samples of a band, and repeat the last row and slice up to its end. */
bool band_read(struct encoding *encoding, const uint32_t from[2], struct problem *problem)
{
    const uint32_t *shape = encoding->store.shape, *sides = encoding->sides;
    const uint32_t z = from[0] * encoding->store.brick[0], y = from[1] * encoding->store.brick[1];
    const uint32_t depth = shape[0] - z < sides[0] ? shape[0] - z : sides[0];
    const uint32_t height = shape[1] - y < sides[1] ? shape[1] - y : sides[1];
    const size_t row = shape[2] * encoding_bytes(encoding), wide = sides[2] * encoding_bytes(encoding);
    const kst_box box = {.z = z, .y = y, .depth = depth, .height = height, .width = shape[2]};
    if (!read_rows(encoding, &box, problem))
        return false;
    for (uint32_t k = 0; k < sides[0]; k++) {
        uint8_t *slice = encoding->band + (size_t)k * sides[1] * wide;
        const uint8_t *samples = encoding->rows + (size_t)(k < depth ? k : depth - 1) * height * row;
        for (uint32_t i = 0; i < sides[1]; i++)
            widen_row(encoding, samples + (i < height ? i : height - 1) * row, slice + i * wide);
    }
    return true;
}

static bool encode_bands(struct encoding *encoding, struct problem *problem)
{
    const uint32_t *bricks = encoding->bricks;
    uint32_t from[2];
    bool good = true;
    for (from[0] = 0; good && from[0] < bricks_along(encoding, 0); from[0] += bricks[0])
        for (from[1] = 0; good && from[1] < bricks_along(encoding, 1); from[1] += bricks[1])
            good = band_encode(encoding, from, problem);
    return good;
}

/* Return the number of arrays: one for the whole volume, and one for each level that can be left out of every brick. */
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

/* Make a symbolic link in the folder of a level to the bricks of level 0. */
static bool link_bricks(const char *folder, struct problem *problem)
{
    char *link = folder_join(folder, "c");
    /* Another process that finishes the store at the same time makes the same link. */
    const bool good =
        link != NULL && (unlink(link) == 0 || errno == ENOENT) && (symlink("../0/c", link) == 0 || errno == EEXIST);
    if (!good)
        problem_set_kind(
            problem, PROBLEM_WRITE, "cannot make the link %s: %s", link != NULL ? link : "", strerror(errno));
    free(link);
    return good;
}

/* Write the metadata of a level. Its bricks are those of level 0, decoded at a reduced size. */
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
static bool begin_store(struct encoding *encoding, const char *name, const char *input, struct problem *problem)
{
    struct stat state;
    char *group = folder_join(name, "zarr.json");
    const bool fresh = group != NULL && lstat(group, &state) != 0;
    free(group);
    if (!fresh)
        return problem_set_kind(problem, PROBLEM_WRITE, "there is a Zarr group already; remove it first");
    return resume_begin(encoding, name, input, problem) && share_begin(encoding, name, problem) &&
           folder_make(encoding->store.folder, problem);
}

/* Write the metadata, unless other processes have yet to make bricks. */
static bool end_store(struct encoding *encoding, const char *name, struct problem *problem)
{
    bool last;
    if (!share_end(encoding, name, &last, problem))
        return false;
    return !last ||
           (write_metadata(encoding, name, problem) && share_forget(name, problem) && resume_end(name, problem));
}

static bool encode_file(struct encoding *encoding, const char *name, const char *input, struct problem *problem)
{
    bool good = json_library_load(problem) && plan(encoding, name, problem) && allocate(encoding, problem) &&
                plan_floats(encoding, problem) && begin_store(encoding, name, input, problem);
    if (good) {
        progress_begin(share_bricks(encoding));
        good = encode_bands(encoding, problem);
        progress_end();
    }
    good = good && end_store(encoding, name, problem);
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
    const bool good = encode_file(&encoding, names[1], names[0], &problem);
    if (!good)
        complain(names[1], "%s", problem.text);
    volume_release(&file);
    return good ? EXIT_FINE : EXIT_FAILED;
}
