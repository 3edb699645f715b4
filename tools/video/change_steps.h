/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps in which frames are changed. */
#ifndef KOSTKA_TOOL_VIDEO_CHANGE_STEPS_H
#define KOSTKA_TOOL_VIDEO_CHANGE_STEPS_H

#include <kostka/kostka_filter.h>

#include "video/video.h"

enum { STEPS_MOST = 4 /* resizing, conversion to RGB, filters, conversion to planes */ };

struct change_work;

/* Describes a step. */
struct change_step {
    void (*run)(struct change_work *work); /* makes work->to from work->from */
    struct video_shape shape;              /* behind it */
};

struct video_change {
    struct video_shape read; /* the shape in front of all steps */
    uint8_t matrix;          /* of planes */
    enum video_range range;
    struct change_step step[STEPS_MOST];
    uint32_t steps;
    kst_resize_options resize[2]; /* of the first plane, or of RGB, and of the others */
    kst_context *context;         /* with which the chain of filters was opened */
    kst_filter *filter;           /* null: none */
    kst_flow_stage filtering;     /* what runs the chain */
    kst_flow_stage stage;         /* all steps together */
};

/* Holds arrays of one member for each image of a call. */
struct change_work {
    const struct video_change *change;
    kst_context *context;
    kst_flow_image *images;
    size_t count;
    uint32_t index;         /* of the step */
    const kst_image **from; /* what the step reads */
    kst_image **to;         /* what it writes */
    kst_image *made;        /* what all steps but the last one make */
    kst_image *before;      /* the results as they were */
};

/* The steps. */
void change_size(struct change_work *work);
void change_to_rgb(struct change_work *work);
void change_by_filters(struct change_work *work);
void change_to_planes(struct change_work *work);

/* Describe one plane, or all of an image whose pixels are RGB. */
void change_view(const kst_image *whole, uint32_t index, kst_image *part);

/* Describe an image as filters take it: one plane alone is grey. */
void change_view_pixels(const kst_image *whole, kst_image *pixels);

/* The functions of the stage, whose user is the change: describe the frames behind all steps, and take the steps. */
kst_status change_describe(void *user, const kst_image *from, kst_image *to);
kst_status change_run(void *user, kst_context *context, kst_flow_image *images, size_t count);

#endif
