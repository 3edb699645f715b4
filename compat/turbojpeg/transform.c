/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes transforms of version 3 on to those of version 2. */
#include <stdlib.h>
#include <string.h>

#include "header.h"
#include "instance.h"
#include "own.h"
#include "picture.h"
#include "third.h"

static const char name[] = "tj3Transform";

static int check(struct turbojpeg_instance *instance, int count, const tjtransform *transforms)
{
    const int *value = instance->value, keep = value[TJPARAM_SAVEMARKERS];
    bool odd = value[TJPARAM_ARITHMETIC] || value[TJPARAM_OPTIMIZE] || value[TJPARAM_RESTARTBLOCKS] ||
               value[TJPARAM_RESTARTROWS] || instance->profile;
    for (int i = 0; i < count; i++)
        odd = odd || (transforms[i].options & (TJXOPT_ARITHMETIC | TJXOPT_OPTIMIZE));
    if (odd)
        return turbojpeg_fail(instance, name,
            "Optimized or arithmetic coding, restart markers and profiles are not supported for transforms");
    if (keep != 0 && keep != 2)
        return turbojpeg_fail(instance, name, "Markers are kept all (TJPARAM_SAVEMARKERS 2) or not at all (0)");
    return 0;
}

/* Transform with functions of version 2. */
static int transform(struct turbojpeg_instance *instance, const unsigned char *jpeg, size_t length, int count,
    unsigned char **results, size_t *lengths, const tjtransform *transforms)
{
    if (!jpeg || length == 0 || count < 1 || !results || !lengths || !transforms)
        return turbojpeg_fail(instance, name, "Invalid argument");
    /* The parameters say how to write, so those of the header must not replace them. */
    const int progressive = instance->value[TJPARAM_PROGRESSIVE];
    const int blocks = instance->value[TJPARAM_RESTARTBLOCKS], rows = instance->value[TJPARAM_RESTARTROWS];
    if (check(instance, count, transforms) || turbojpeg_read_header(instance, name, jpeg, length))
        return -1;
    instance->value[TJPARAM_PROGRESSIVE] = progressive;
    instance->value[TJPARAM_RESTARTBLOCKS] = blocks;
    instance->value[TJPARAM_RESTARTROWS] = rows;
    tjtransform *copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return turbojpeg_fail(instance, name, "Memory allocation failure");
    memcpy(copies, transforms, (size_t)count * sizeof *copies);
    for (int i = 0; i < count && instance->value[TJPARAM_SAVEMARKERS] == 0; i++)
        copies[i].options |= TJXOPT_COPYNONE;
    int result = turbojpeg_result(instance,
        tjTransform(instance->handle, jpeg, length, count, results, lengths, copies, turbojpeg_flags(instance)));
    free(copies);
    return result;
}

/*
 * Let the original receive no buffer that Kostka has allocated (see turbojpeg_exchange). If a result takes the place of
 * the source, and that is such a buffer, it is still needed: then it is returned, to be freed after the transform.
 */
static unsigned char *exchange(
    struct turbojpeg_instance *instance, const unsigned char *jpeg, int count, unsigned char **results, size_t *lengths)
{
    unsigned char *source = NULL;
    for (int i = 0; i < count && results && lengths; i++) {
        const bool in_place = results[i] && results[i] == jpeg && jpeg == instance->made;
        if (!in_place) {
            turbojpeg_exchange(instance->handle, &results[i], &lengths[i]);
        } else if (!tj3Get(instance->handle, TJPARAM_NOREALLOC)) {
            source = instance->made;
            results[i] = instance->made = NULL;
            lengths[i] = 0;
        }
    }
    return source;
}

int tj3Transform(tjhandle handle, const unsigned char *jpeg, size_t length, int count, unsigned char **results,
    size_t *lengths, const tjtransform *transforms)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    unsigned char *source = exchange(instance, jpeg, count, results, lengths);
    const int result = turbojpeg_third.tj3Transform
                           ? turbojpeg_third.tj3Transform(handle, jpeg, length, count, results, lengths, transforms)
                           : transform(instance, jpeg, length, count, results, lengths, transforms);
    free(source);
    return result;
}

static bool swaps(int op)
{
    return op == TJXOP_TRANSPOSE || op == TJXOP_TRANSVERSE || op == TJXOP_ROT90 || op == TJXOP_ROT270;
}

static int swapped_sampling(int subsampling)
{
    static const int other[TJSAMP_COUNT] = {[TJSAMP_444] = TJSAMP_444,
        [TJSAMP_422] = TJSAMP_440,
        [TJSAMP_420] = TJSAMP_420,
        [TJSAMP_GRAY] = TJSAMP_GRAY,
        [TJSAMP_440] = TJSAMP_422,
        [TJSAMP_411] = TJSAMP_441,
        [TJSAMP_441] = TJSAMP_411};
    return subsampling >= 0 && subsampling < TJSAMP_COUNT ? other[subsampling] : TJSAMP_444;
}

size_t OWN(tj3TransformBufSize)(tjhandle handle, const tjtransform *transform)
{
    static const char function[] = "tj3TransformBufSize";
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return 0;
    int width = instance->value[TJPARAM_JPEGWIDTH], height = instance->value[TJPARAM_JPEGHEIGHT];
    int subsampling = instance->value[TJPARAM_SUBSAMP];
    if (!transform || width < 0 || height < 0) {
        turbojpeg_fail(instance, function, transform ? "JPEG header has not yet been read" : "Invalid argument");
        return 0;
    }
    if (swaps(transform->op)) {
        const int old = width;
        width = height;
        height = old;
        subsampling = swapped_sampling(subsampling);
    }
    if (transform->options & TJXOPT_GRAY)
        subsampling = TJSAMP_GRAY;
    if (transform->options & TJXOPT_CROP) {
        width = transform->r.w ? transform->r.w : width - transform->r.x;
        height = transform->r.h ? transform->r.h : height - transform->r.y;
    }
    size_t length = tj3JPEGBufSize(width, height, subsampling);
    if (length == 0) {
        turbojpeg_fail(instance, function, "Invalid argument");
        return 0;
    }
    return length + (instance->profile ? instance->profile_length : instance->found_length);
}
