/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the functions of TurboJPEG up to 2.1, those that are passed on unchanged and those that are replaced, and what
 * later versions add (version3.h). The including file defines PASS(name) and TAKE(name).
 */
PASS(TJBUFSIZE)
PASS(TJBUFSIZEYUV)
PASS(tjAlloc)
PASS(tjBufSize)
PASS(tjBufSizeYUV)
PASS(tjBufSizeYUV2)
PASS(tjCompress)
TAKE(tjCompress2)
PASS(tjCompressFromYUV)
PASS(tjCompressFromYUVPlanes)
PASS(tjDecodeYUV)
PASS(tjDecodeYUVPlanes)
PASS(tjDecompress)
TAKE(tjDecompress2)
PASS(tjDecompressHeader)
PASS(tjDecompressHeader2)
PASS(tjDecompressHeader3)
PASS(tjDecompressToYUV)
PASS(tjDecompressToYUV2)
PASS(tjDecompressToYUVPlanes)
TAKE(tjDestroy)
PASS(tjEncodeYUV)
PASS(tjEncodeYUV2)
PASS(tjEncodeYUV3)
PASS(tjEncodeYUVPlanes)
PASS(tjFree)
PASS(tjGetErrorCode)
PASS(tjGetErrorStr)
PASS(tjGetErrorStr2)
PASS(tjGetScalingFactors)
PASS(tjInitCompress)
PASS(tjInitDecompress)
PASS(tjInitTransform)
PASS(tjLoadImage)
PASS(tjPlaneHeight)
PASS(tjPlaneSizeYUV)
PASS(tjPlaneWidth)
PASS(tjSaveImage)
PASS(tjTransform)
#ifndef JAVA
#define JAVA(name) PASS(name)
#endif
#ifndef PASS3
#define PASS3(name) JAVA(name)
#define TAKE3(name)
#endif
#include "java.h"
#include "version3.h"
#undef JAVA
#undef PASS3
#undef TAKE3
