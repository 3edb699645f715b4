/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the sizes, the offsets and the values that TURBOJPEG_HEADER gives. The test compares this project's
 * declarations with those of libjpeg-turbo.
 */
#include <stddef.h>
#include <stdio.h>

#include TURBOJPEG_HEADER

#define SIZE(type) printf("%s %zu\n", #type, sizeof(type))
#define OFFSET(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member))
#define VALUE(name) printf("%s %d\n", #name, (int)(name))

int main(void)
{
    SIZE(tjhandle);
    SIZE(tjscalingfactor);
    SIZE(tjregion);
    SIZE(tjtransform);
    OFFSET(tjscalingfactor, num);
    OFFSET(tjscalingfactor, denom);
    OFFSET(tjregion, x);
    OFFSET(tjregion, y);
    OFFSET(tjregion, w);
    OFFSET(tjregion, h);
    OFFSET(tjtransform, r);
    OFFSET(tjtransform, op);
    OFFSET(tjtransform, options);
    OFFSET(tjtransform, data);
    OFFSET(tjtransform, customFilter);
    VALUE(TJSAMP_444);
    VALUE(TJSAMP_422);
    VALUE(TJSAMP_420);
    VALUE(TJSAMP_GRAY);
    VALUE(TJSAMP_440);
    VALUE(TJSAMP_411);
    VALUE(TJPF_RGB);
    VALUE(TJPF_BGR);
    VALUE(TJPF_RGBX);
    VALUE(TJPF_BGRX);
    VALUE(TJPF_XBGR);
    VALUE(TJPF_XRGB);
    VALUE(TJPF_GRAY);
    VALUE(TJPF_RGBA);
    VALUE(TJPF_BGRA);
    VALUE(TJPF_ABGR);
    VALUE(TJPF_ARGB);
    VALUE(TJPF_CMYK);
    VALUE(TJCS_RGB);
    VALUE(TJCS_YCbCr);
    VALUE(TJCS_GRAY);
    VALUE(TJCS_CMYK);
    VALUE(TJCS_YCCK);
    VALUE(TJFLAG_BOTTOMUP);
    VALUE(TJFLAG_FASTUPSAMPLE);
    VALUE(TJFLAG_NOREALLOC);
    VALUE(TJFLAG_FASTDCT);
    VALUE(TJFLAG_ACCURATEDCT);
    VALUE(TJFLAG_STOPONWARNING);
    VALUE(TJFLAG_PROGRESSIVE);
    VALUE(TJFLAG_LIMITSCANS);
    VALUE(TJXOP_NONE);
    VALUE(TJXOP_HFLIP);
    VALUE(TJXOP_VFLIP);
    VALUE(TJXOP_TRANSPOSE);
    VALUE(TJXOP_TRANSVERSE);
    VALUE(TJXOP_ROT90);
    VALUE(TJXOP_ROT180);
    VALUE(TJXOP_ROT270);
    VALUE(TJXOPT_CROP);
    VALUE(TJXOPT_GRAY);
    VALUE(TJXOPT_PROGRESSIVE);
    VALUE(TJXOPT_COPYNONE);
    VALUE(TJERR_WARNING);
    VALUE(TJERR_FATAL);
    return 0;
}
