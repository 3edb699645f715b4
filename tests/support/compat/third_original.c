/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for an original of version 3: the functions whose arguments or results matter. */
#include "support/compat/third_original.h"

#include <string.h>

#include "turbojpeg/turbojpeg.h"

#pragma GCC visibility push(default)

struct third_calls third_calls;

tjhandle tj3Init(int kind)
{
    (void)kind;
    return &third_calls;
}

tjscalingfactor *tjGetScalingFactors(int *count)
{
    static tjscalingfactor whole = {1, 1};
    *count = 1;
    return &whole;
}

int tj3Get(tjhandle handle, int parameter)
{
    (void)handle;
    return third_calls.value[parameter];
}

int tj3Set(tjhandle handle, int parameter, int value)
{
    (void)handle;
    third_calls.value[parameter] = value;
    return 0;
}

int tj3DecompressHeader(tjhandle handle, const unsigned char *jpeg, size_t length)
{
    (void)handle, (void)jpeg, (void)length;
    return 0;
}

int tj3Compress8(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length)
{
    (void)handle, (void)pixels, (void)width, (void)pitch, (void)height, (void)format, (void)length;
    third_calls.last = "tj3Compress8";
    third_calls.buffer = *jpeg;
    return 0;
}

int tj3Transform(tjhandle handle, const unsigned char *jpeg, size_t length, int count, unsigned char **results,
    size_t *lengths, const tjtransform *transforms)
{
    (void)handle, (void)length, (void)count, (void)lengths, (void)transforms;
    third_calls.last = "tj3Transform";
    memcpy(third_calls.start, jpeg, sizeof third_calls.start);
    third_calls.buffer = results[0];
    return 0;
}

#pragma GCC visibility pop
