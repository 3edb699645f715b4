/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the properties of frames by which a decoder chooses the format of its output. */
#ifndef KOSTKA_GST_SHAPE_H
#define KOSTKA_GST_SHAPE_H

#include "decoder.h"

/* Holds the properties for which the output's format was chosen. */
typedef struct Shape {
    guint width, height, planes;
    guint depth, plane_width, plane_height; /* depth of the first plane, size of the second one */
    gboolean rgb, alpha, fields, bottom, limited;
} Shape;

static inline Shape shape_of(const kst_image *image, const KostkaCoded *coded, gboolean rgb, gboolean alpha)
{
    const kst_plane *chroma = &image->plane[image->plane_count > 1];

    return (Shape){image->width, image->height, image->plane_count, image->plane[0].depth, chroma->width,
        chroma->height, rgb, alpha, coded->second != NULL, coded->bottom, coded->limited};
}

/* Return whether the choice for one shape holds for the other, too. */
static inline gboolean shape_equal(const Shape *a, const Shape *b)
{
    return a->width == b->width && a->height == b->height && a->planes == b->planes && a->depth == b->depth &&
           a->plane_width == b->plane_width && a->plane_height == b->plane_height && a->rgb == b->rgb &&
           a->alpha == b->alpha && a->fields == b->fields && a->bottom == b->bottom && a->limited == b->limited;
}

#endif
