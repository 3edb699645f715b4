/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists how the samples of a component are enlarged to the size of the picture. */
#ifndef KOSTKA_JPEG_TABLES_UPSAMPLING_H
#define KOSTKA_JPEG_TABLES_UPSAMPLING_H

enum jpeg_upsampling {
    JPEG_UPSAMPLE_NONE,
    JPEG_UPSAMPLE_H2V1, /* the triangle filter */
    JPEG_UPSAMPLE_H1V2,
    JPEG_UPSAMPLE_H2V2,
    JPEG_REPLICATE /* for any other ratio, whole or not: repeats the sample at or before the place */
};

#endif
