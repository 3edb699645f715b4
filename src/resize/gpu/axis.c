/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs the weights of axes for kernels, and keeps those that were used last. */
#include "resize/gpu/axis.h"

#include <string.h>

#include "resize/kernels/work.h"

enum { QUAD = RESIZE_QUAD_WORDS };

/* Axes that are kept although nobody uses them, and their words: 32 MiB. */
enum { MOST_AXES = 64 };
static const uint64_t MOST_WORDS = (uint64_t)1 << 23;

void kst_resize_gpu_axes_begin(struct resize_gpu_axes *axes)
{
    pthread_mutex_init(&axes->lock, NULL);
}

static void release(struct memory *memory, struct resize_gpu_axis *axis)
{
    kst_memory_release(memory, axis->words);
    kst_memory_release(memory, axis);
}

void kst_resize_gpu_axes_end(struct resize_gpu_axes *axes, struct memory *memory)
{
    while (axes->first) {
        struct resize_gpu_axis *axis = axes->first;
        axes->first = axis->next;
        release(memory, axis);
    }
    pthread_mutex_destroy(&axes->lock);
}

static bool is_same(const struct resize_gpu_axis_key *a, const struct resize_gpu_axis_key *b)
{
    return a->axis.size == b->axis.size && a->axis.count == b->axis.count && a->axis.begin == b->axis.begin &&
           a->axis.end == b->axis.end && a->filter == b->filter && a->wide == b->wide && a->down == b->down;
}

/* Across, kernels load bytes by fours of neighbouring samples, at which windows need not begin. */
static bool begins_at_fours(const struct resize_gpu_axis_key *key)
{
    return !key->wide && !key->down;
}

/* Return by how many samples a window begins behind its first quad. */
static uint32_t lead_of(const struct resize_gpu_axis_key *key, uint32_t first)
{
    return begins_at_fours(key) ? first % QUAD : 0;
}

/* Return the number of quads of a sample's weights. */
static uint32_t quads_of(const struct resize_gpu_axis *axis, const struct resize_weights *weights, uint32_t index)
{
    const struct resize_window *window = &weights->window[index];
    uint32_t lead = lead_of(&axis->key, window->first - axis->span.first);
    return (uint32_t)(((uint64_t)lead + window->length + QUAD - 1) / QUAD);
}

/* Store a quad of weights for samples that are bytes: a word for each byte of the weights. */
static void store_parts(const int32_t weight[QUAD], uint32_t *quad)
{
    for (uint32_t byte = 0; byte < 3; byte++) {
        quad[byte] = 0;
        for (uint32_t i = 0; i < QUAD; i++)
            quad[byte] |= ((uint32_t)weight[i] >> (8 * byte) & 0xFF) << (8 * i);
    }
    quad[3] = 0;
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
        int32_t weight[QUAD] = {0};
        for (uint32_t k = 0; k < QUAD; k++)
            if (QUAD * i + k >= lead && QUAD * i + k - lead < length)
                weight[k] = from[QUAD * i + k - lead];
        if (axis->key.wide)
            memcpy(quad_at(axis, index, i), weight, sizeof weight);
        else
            store_parts(weight, quad_at(axis, index, i));
    }
}

/* Find the most quads that a group of columns needs. */
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

/* Returns null with a status on failure. */
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

/*
 * Move an axis that is among the first of the list to its beginning. Returns null if there is none. The caller holds
 * the lock.
 */
static struct resize_gpu_axis *find(struct resize_gpu_axes *axes, const struct resize_gpu_axis_key *key)
{
    struct resize_gpu_axis **link = &axes->first, *found;
    uint32_t place = 0;
    while ((found = *link) && place++ < MOST_AXES && !is_same(&found->key, key))
        link = &found->next;
    if (!found || place > MOST_AXES)
        return NULL;
    *link = found->next;
    found->next = axes->first;
    axes->first = found;
    found->uses++;
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
    made->next = axes->first;
    axes->first = *axis = made;
    pthread_mutex_unlock(&axes->lock);
    return KST_OK;
}

void kst_resize_gpu_axis_give(struct resize_gpu_axes *axes, struct resize_gpu_axis *axis)
{
    if (!axis)
        return;
    pthread_mutex_lock(&axes->lock);
    axis->uses--;
    pthread_mutex_unlock(&axes->lock);
}

void kst_resize_gpu_axes_trim(struct resize_gpu_axes *axes, struct memory *memory)
{
    uint64_t words = 0;
    uint32_t count = 0;
    struct resize_gpu_axis **link = &axes->first, *axis;
    pthread_mutex_lock(&axes->lock);
    while ((axis = *link) != NULL) {
        words += axis->length;
        if (axis->uses > 0 || (++count <= MOST_AXES && words <= MOST_WORDS)) {
            link = &axis->next;
            continue;
        }
        words -= axis->length;
        *link = axis->next;
        release(memory, axis);
    }
    pthread_mutex_unlock(&axes->lock);
}
