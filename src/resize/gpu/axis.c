/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs the weights of axes for kernels, and keeps those of the axes used last. */
#include "resize/gpu/axis.h"

#include <string.h>

#include "core/brief.h"
#include "resize/kernels/work.h"

enum { QUAD = RESIZE_QUAD_WORDS };

/* The most axes that are kept although no job uses them, and the most words of these: 32 MiB. */
enum { MOST_AXES = 64 };
static const uint64_t MOST_WORDS = (uint64_t)1 << 23;

void kst_resize_gpu_axes_begin(struct resize_gpu_axes *axes)
{
    *axes = (struct resize_gpu_axes){.newest = NULL};
    kst_brief_mutex_init(&axes->lock);
}

static void release(struct memory *memory, struct resize_gpu_axis *axis)
{
    kst_memory_release(memory, axis->words);
    kst_memory_release(memory, axis);
}

void kst_resize_gpu_axes_end(struct resize_gpu_axes *axes, struct memory *memory)
{
    while (axes->newest) {
        struct resize_gpu_axis *axis = axes->newest;
        axes->newest = axis->older;
        release(memory, axis);
    }
    if (axes->kept.length > 0)
        axes->gpu->backend->release(axes->gpu, &axes->kept);
    pthread_mutex_destroy(&axes->lock);
}

static bool is_same(const struct resize_gpu_axis_key *a, const struct resize_gpu_axis_key *b)
{
    return a->axis.size == b->axis.size && a->axis.count == b->axis.count && a->axis.begin == b->axis.begin &&
           a->axis.end == b->axis.end && a->filter == b->filter && a->wide == b->wide && a->down == b->down;
}

/*
 * Return whether quads of weights are aligned to quads of samples: horizontally, kernels load four neighbouring samples
 * of a byte at once, and a window need not begin at a multiple of four.
 */
static bool begins_at_fours(const struct resize_gpu_axis_key *key)
{
    return !key->wide && !key->down;
}

/* Return how many samples of its first quad lie before the window. */
static uint32_t lead_of(const struct resize_gpu_axis_key *key, uint32_t first)
{
    return begins_at_fours(key) ? first % QUAD : 0;
}

/* Return the number of quads of weights of output sample `index`. */
static uint32_t quads_of(const struct resize_gpu_axis *axis, const struct resize_weights *weights, uint32_t index)
{
    const struct resize_window *window = &weights->window[index];
    uint32_t lead = lead_of(&axis->key, window->first - axis->span.first);
    return (uint32_t)(((uint64_t)lead + window->length + QUAD - 1) / QUAD);
}

/*
 * Store a quad of weights for samples that are bytes: one word with the lowest bytes of the weights, one with their
 * second bytes, and one with their third bytes.
 */
static void store_parts(const int32_t weight[QUAD], uint32_t *quad)
{
    enum { EVEN = 0x00FF00FF }; /* bytes 0 and 2 of a word */
    uint32_t w[QUAD];
    memcpy(w, weight, sizeof w);
    uint32_t even_01 = (w[0] & EVEN) | (w[1] & EVEN) << 8, even_23 = (w[2] & EVEN) | (w[3] & EVEN) << 8;
    uint32_t byte_1_of_01 = (w[0] >> 8 & 0xFF) | (w[1] & 0xFF00), byte_1_of_23 = (w[2] >> 8 & 0xFF) | (w[3] & 0xFF00);
    quad[0] = (even_01 & 0xFFFF) | even_23 << 16;
    quad[1] = byte_1_of_01 | byte_1_of_23 << 16;
    quad[2] = even_01 >> 16 | (even_23 & 0xFFFF0000);
    quad[3] = 0;
}

/*
 * Load quad `index` of a sample's weights, whose first weight stands at place `lead` of the first quad. Weights outside
 * the window are 0.
 */
static void load_quad(const int32_t *from, uint32_t most, uint32_t lead, uint32_t index, int32_t weight[QUAD])
{
    uint32_t at = QUAD * index;
    if (at >= lead && at - lead + QUAD <= most) {
        memcpy(weight, from + (at - lead), QUAD * sizeof *weight);
        return;
    }
    for (uint32_t k = 0; k < QUAD; k++)
        weight[k] = at + k >= lead && at + k - lead < most ? from[at + k - lead] : 0;
}

static uint32_t *quad_at(const struct resize_gpu_axis *axis, uint32_t index, uint32_t quad)
{
    size_t at = axis->key.down ? (size_t)index * axis->quads + quad : (size_t)quad * axis->key.axis.count + index;
    return axis->words + axis->weights + at * QUAD;
}

static void pack_sample(struct resize_gpu_axis *axis, const struct resize_weights *weights, uint32_t index)
{
    const int32_t *from = kst_resize_weights_of(weights, index);
    uint32_t first = weights->window[index].first - axis->span.first, length = weights->window[index].length;
    uint32_t lead = lead_of(&axis->key, first), quads = quads_of(axis, weights, index);
    axis->words[2 * (size_t)index] = begins_at_fours(&axis->key) ? first / QUAD : first;
    axis->words[2 * (size_t)index + 1] = begins_at_fours(&axis->key) ? quads : length;
    for (uint32_t i = 0; i < axis->quads; i++) {
        int32_t weight[QUAD];
        load_quad(from, weights->most, lead, i, weight);
        if (axis->key.wide)
            memcpy(quad_at(axis, index, i), weight, sizeof weight);
        else
            store_parts(weight, quad_at(axis, index, i));
    }
}

/* Return the most quads of samples that the columns of one work-group need. */
static uint32_t reach_of(const struct resize_gpu_axis *axis)
{
    uint32_t most = 1, count = axis->key.axis.count;
    for (uint32_t i = 0; i < count; i += RESIZE_ACROSS_COLUMNS) {
        uint32_t last = count - i < RESIZE_ACROSS_COLUMNS ? count - 1 : i + RESIZE_ACROSS_COLUMNS - 1;
        const uint32_t *window = axis->words + 2 * (size_t)last;
        uint32_t reach = window[0] + window[1] - axis->words[2 * (size_t)i];
        most = reach > most ? reach : most;
    }
    return most;
}

static kst_status pack(struct memory *memory, const struct resize_weights *weights, struct resize_gpu_axis *axis)
{
    kst_status status = KST_OK;
    axis->span = kst_resize_needed(&axis->key.axis, axis->key.filter);
    for (uint32_t i = 0; i < weights->count; i++) {
        uint32_t quads = quads_of(axis, weights, i);
        axis->quads = quads > axis->quads ? quads : axis->quads;
    }
    uint64_t windows = ((uint64_t)weights->count * 2 + QUAD - 1) / QUAD * QUAD;
    uint64_t length = windows + (uint64_t)weights->count * axis->quads * QUAD;
    if (length > UINT32_MAX)
        return KST_ERROR_LIMIT_MEMORY;
    axis->weights = (uint32_t)windows;
    axis->length = (uint32_t)length;
    axis->words = kst_memory_array(memory, axis->length, sizeof *axis->words, &status);
    if (!axis->words)
        return status;
    memset(axis->words, 0, (size_t)windows * sizeof *axis->words);
    for (uint32_t i = 0; i < weights->count; i++)
        pack_sample(axis, weights, i);
    axis->reach = begins_at_fours(&axis->key) ? reach_of(axis) : 0;
    return KST_OK;
}

/* Make an axis. Returns null and sets the status on failure. */
static struct resize_gpu_axis *make(
    struct memory *memory, struct memory *work, const struct resize_gpu_axis_key *key, kst_status *status)
{
    struct resize_weights weights = {.count = 0};
    struct resize_gpu_axis *made = kst_memory_zeroed(memory, 1, sizeof *made, status);
    if (!made)
        return NULL;
    made->key = *key;
    made->uses = 1;
    *status =
        kst_resize_weights_make(work, &key->axis, key->filter, key->wide ? RESIZE_BITS_WIDE : RESIZE_BITS, &weights);
    if (!*status)
        *status = pack(memory, &weights, made);
    kst_resize_weights_drop(work, &weights);
    if (!*status)
        return made;
    release(memory, made);
    return NULL;
}

static uint64_t stir(uint64_t sum, const void *value, size_t length)
{
    uint64_t bits = 0;
    memcpy(&bits, value, length);
    sum = (sum ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 32;
}

/* Return the list that a key belongs to. */
static struct resize_gpu_axis **list_of(struct resize_gpu_axes *axes, const struct resize_gpu_axis_key *key)
{
    uint64_t sum = stir(2 * key->filter + key->wide, &key->axis.size, sizeof key->axis.size);
    sum = stir(sum + key->down, &key->axis.count, sizeof key->axis.count);
    sum = stir(stir(sum, &key->axis.begin, sizeof key->axis.begin), &key->axis.end, sizeof key->axis.end);
    return &axes->list[sum % RESIZE_AXIS_LISTS];
}

/* Add an axis as the newest. The caller of this function and of those down to find() holds the lock. */
static void enter(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis)
{
    axis->newer = NULL;
    axis->older = axes->newest;
    *(axes->newest ? &axes->newest->newer : &axes->oldest) = axis;
    axes->newest = axis;
}

static void leave(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis)
{
    *(axis->newer ? &axis->newer->older : &axes->newest) = axis->older;
    *(axis->older ? &axis->older->newer : &axes->oldest) = axis->newer;
}

static void forget(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis)
{
    struct resize_gpu_axis **link = list_of(axes, &axis->key);
    while (*link != axis)
        link = &(*link)->alike;
    *link = axis->alike;
    leave(axes, axis);
}

static void add_unused(struct resize_gpu_axes *axes, const struct resize_gpu_axis *axis)
{
    axes->unused++;
    axes->unused_words += axis->length;
}

static void drop_unused(struct resize_gpu_axes *axes, const struct resize_gpu_axis *axis)
{
    axes->unused--;
    axes->unused_words -= axis->length;
}

/* Find an axis and make it the newest; null if there is none. */
static struct resize_gpu_axis *find(struct resize_gpu_axes *axes, const struct resize_gpu_axis_key *key)
{
    struct resize_gpu_axis *found = *list_of(axes, key);
    while (found && !is_same(&found->key, key))
        found = found->alike;
    if (!found)
        return NULL;
    if (found->uses++ == 0)
        drop_unused(axes, found);
    leave(axes, found);
    enter(axes, found);
    return found;
}

kst_status kst_resize_gpu_axis_take(struct resize_gpu_axes *axes, struct memory *memory, struct memory *work,
    const struct resize_gpu_axis_key *key, struct resize_gpu_axis **axis)
{
    pthread_mutex_lock(&axes->lock);
    *axis = find(axes, key);
    pthread_mutex_unlock(&axes->lock);
    if (*axis)
        return KST_OK;
    kst_status status = KST_OK;
    struct resize_gpu_axis *made = make(memory, work, key, &status);
    if (!made)
        return status;
    pthread_mutex_lock(&axes->lock);
    struct resize_gpu_axis **list = list_of(axes, key);
    made->serial = ++axes->serial;
    made->alike = *list;
    *list = *axis = made;
    enter(axes, made);
    pthread_mutex_unlock(&axes->lock);
    return KST_OK;
}

void kst_resize_gpu_axis_give(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis)
{
    if (!axis)
        return;
    pthread_mutex_lock(&axes->lock);
    if (--axis->uses == 0)
        add_unused(axes, axis);
    pthread_mutex_unlock(&axes->lock);
}

/* Remove the oldest unused axes until there are no longer too many, and return a list of them. */
static struct resize_gpu_axis *take_surplus(struct resize_gpu_axes *axes)
{
    struct resize_gpu_axis *surplus = NULL, *newer;
    for (struct resize_gpu_axis *axis = axes->oldest; axis; axis = newer) {
        newer = axis->newer;
        if (axes->unused <= MOST_AXES && axes->unused_words <= MOST_WORDS)
            break;
        if (axis->uses > 0)
            continue;
        forget(axes, axis);
        drop_unused(axes, axis);
        axis->alike = surplus;
        surplus = axis;
    }
    return surplus;
}

void kst_resize_gpu_axes_trim(struct resize_gpu_axes *axes, struct memory *memory)
{
    pthread_mutex_lock(&axes->lock);
    struct resize_gpu_axis *surplus = take_surplus(axes);
    pthread_mutex_unlock(&axes->lock);
    while (surplus) {
        struct resize_gpu_axis *axis = surplus;
        surplus = axis->alike;
        release(memory, axis);
    }
}
