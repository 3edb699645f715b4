/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets and returns the parameters of version 3. */
#include <stdlib.h>
#include <string.h>

#include "instance.h"
#include "own.h"
#include "third.h"

enum { FOR_COMPRESSION = 1, FOR_DECOMPRESSION = 2, FOR_BOTH = 3, READ_ONLY = 0 };

/* Lists the range of each parameter, and the kinds of instances that may set it. */
static const struct range {
    int least, most, kinds;
} ranges[TJPARAM_COUNT] = {
    [TJPARAM_STOPONWARNING] = {0, 1, FOR_BOTH},
    [TJPARAM_BOTTOMUP] = {0, 1, FOR_BOTH},
    [TJPARAM_NOREALLOC] = {0, 1, FOR_COMPRESSION},
    [TJPARAM_QUALITY] = {1, 100, FOR_COMPRESSION},
    [TJPARAM_SUBSAMP] = {0, TJSAMP_COUNT - 1, FOR_BOTH},
    [TJPARAM_JPEGWIDTH] = {0, 0, READ_ONLY},
    [TJPARAM_JPEGHEIGHT] = {0, 0, READ_ONLY},
    [TJPARAM_PRECISION] = {2, 16, FOR_BOTH},
    [TJPARAM_COLORSPACE] = {0, TJCS_COUNT - 1, FOR_COMPRESSION},
    [TJPARAM_FASTUPSAMPLE] = {0, 1, FOR_DECOMPRESSION},
    [TJPARAM_FASTDCT] = {0, 1, FOR_BOTH},
    [TJPARAM_OPTIMIZE] = {0, 1, FOR_COMPRESSION},
    [TJPARAM_PROGRESSIVE] = {0, 1, FOR_COMPRESSION},
    [TJPARAM_SCANLIMIT] = {0, INT32_MAX, FOR_DECOMPRESSION},
    [TJPARAM_ARITHMETIC] = {0, 1, FOR_COMPRESSION},
    [TJPARAM_LOSSLESS] = {0, 1, FOR_COMPRESSION},
    [TJPARAM_LOSSLESSPSV] = {1, 7, FOR_COMPRESSION},
    [TJPARAM_LOSSLESSPT] = {0, 15, FOR_COMPRESSION},
    [TJPARAM_RESTARTBLOCKS] = {0, 65535, FOR_COMPRESSION},
    [TJPARAM_RESTARTROWS] = {0, 65535, FOR_COMPRESSION},
    [TJPARAM_XDENSITY] = {1, 65535, FOR_COMPRESSION},
    [TJPARAM_YDENSITY] = {1, 65535, FOR_COMPRESSION},
    [TJPARAM_DENSITYUNITS] = {0, 2, FOR_COMPRESSION},
    [TJPARAM_MAXMEMORY] = {0, 0, FOR_BOTH},         /* the decoder has limits of its own */
    [TJPARAM_MAXPIXELS] = {0, INT32_MAX, FOR_BOTH}, /* also of pictures that are loaded to be compressed */
    [TJPARAM_SAVEMARKERS] = {0, 4, FOR_DECOMPRESSION},
};

/* Return what an instance can do. An instance of a handle that version 2 made can do everything. */
static int kinds_of(const struct turbojpeg_instance *instance)
{
    return instance->kind == TJINIT_COMPRESS     ? FOR_COMPRESSION
           : instance->kind == TJINIT_DECOMPRESS ? FOR_DECOMPRESSION
                                                 : FOR_BOTH;
}

int OWN(tj3Set)(tjhandle handle, int parameter, int value)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (parameter < 0 || parameter >= TJPARAM_COUNT)
        return turbojpeg_fail(instance, "tj3Set", "Invalid parameter");
    const struct range *range = &ranges[parameter];
    if ((range->kinds & kinds_of(instance)) == 0)
        return turbojpeg_fail(instance, "tj3Set",
            range->kinds ? "The parameter is not applicable to this instance" : "The parameter is read-only");
    if (value < range->least || value > range->most)
        return turbojpeg_fail(instance, "tj3Set", "Parameter value out of range");
    instance->value[parameter] = value;
    if (parameter == TJPARAM_RESTARTBLOCKS && value)
        instance->value[TJPARAM_RESTARTROWS] = 0;
    if (parameter == TJPARAM_RESTARTROWS && value)
        instance->value[TJPARAM_RESTARTBLOCKS] = 0;
    return 0;
}

int OWN(tj3Get)(tjhandle handle, int parameter)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    return instance && parameter >= 0 && parameter < TJPARAM_COUNT ? instance->value[parameter] : -1;
}

static int set_scale(struct turbojpeg_instance *instance, tjscalingfactor factor)
{
    int count;
    if (!(kinds_of(instance) & FOR_DECOMPRESSION))
        return turbojpeg_fail(instance, "tj3SetScalingFactor", "Instance has not been initialized for decompression");
    const tjscalingfactor *known = tjGetScalingFactors(&count);
    for (int i = 0; i < count; i++) {
        if (known[i].num == factor.num && known[i].denom == factor.denom) {
            instance->scale = factor;
            return 0;
        }
    }
    return turbojpeg_fail(instance, "tj3SetScalingFactor", "Unsupported scaling factor");
}

int tj3SetScalingFactor(tjhandle handle, tjscalingfactor factor)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!turbojpeg_third.tj3SetScalingFactor)
        return set_scale(instance, factor);
    int result = turbojpeg_third.tj3SetScalingFactor(handle, factor);
    if (!result)
        instance->scale = factor;
    return result;
}

tjscalingfactor *OWN(tj3GetScalingFactors)(int *count)
{
    return tjGetScalingFactors(count);
}

/* Keep a copy of the profile to write. */
static int set_profile(struct turbojpeg_instance *instance, const unsigned char *profile, size_t length)
{
    unsigned char *copy = NULL;
    if (!(kinds_of(instance) & FOR_COMPRESSION))
        return turbojpeg_fail(instance, "tj3SetICCProfile", "Instance has not been initialized for compression");
    if (profile && length > 0) {
        copy = malloc(length);
        if (!copy)
            return turbojpeg_fail(instance, "tj3SetICCProfile", "Memory allocation failure");
        memcpy(copy, profile, length);
    }
    free(instance->profile);
    instance->profile = copy;
    instance->profile_length = copy ? length : 0;
    return 0;
}

int tj3SetICCProfile(tjhandle handle, unsigned char *profile, size_t length)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || (turbojpeg_third.tj3SetICCProfile && turbojpeg_third.tj3SetICCProfile(handle, profile, length)))
        return -1;
    return set_profile(instance, profile, length);
}

/* The returned profile belongs to the caller, and cannot be requested again. */
int OWN(tj3GetICCProfile)(tjhandle handle, unsigned char **profile, size_t *length)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!(kinds_of(instance) & FOR_DECOMPRESSION))
        return turbojpeg_fail(instance, "tj3GetICCProfile", "Instance has not been initialized for decompression");
    if (!length)
        return turbojpeg_fail(instance, "tj3GetICCProfile", "Invalid argument");
    *length = instance->found_length;
    if (profile) {
        *profile = instance->found;
        instance->found = NULL;
        instance->found_length = 0;
    }
    return 0;
}
