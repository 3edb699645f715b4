/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps by which kernels resize some images: those of each plane, and the intermediate memory. */
#ifndef KOSTKA_RESIZE_GPU_STEPS_H
#define KOSTKA_RESIZE_GPU_STEPS_H

#include "device/image.h"
#include "device/runtime.h"
#include "image/normalise.h"
#include "resize/gpu/axis.h"
#include "resize/gpu/modules.h"
#include "resize/kernels/work.h"

/* Names the phases of a plane, in the order in which their steps run. */
enum resize_gpu_phase { RESIZE_PREPARE, RESIZE_FIRST_ACROSS, RESIZE_ALL_DOWN, RESIZE_LAST_ACROSS, RESIZE_FINISH };

/* Describes an image to resize. */
struct resize_gpu_item {
    /* The caller sets these members. */
    const kst_image *from, *to; /* checked; in device memory, or the device copies from and to it */
    const kst_resize_options *options;
    const struct resize_geometry *geometry; /* of the whole image, of which `from` may be a part */
    uint32_t left, top;                     /* where in the whole image `from` begins */
    const struct normal *normal;            /* how floating-point samples are made; null: integers stay integers */
    kst_status status;
    /* The planner sets these members. */
    struct resize_passes passes;
    struct resize_gpu_axis *across, *down;
    struct resize_span columns, rows; /* columns and rows of the whole image that are needed */
    struct gpu_image from_at, to_at;
    bool to_in_place;                               /* kernels write to the caller's memory */
    struct gpu_rows upload[KST_IMAGE_PLANES_MAX];   /* where planes of `from` are uploaded to; null buffer: nowhere */
    struct gpu_rows download[KST_IMAGE_PLANES_MAX]; /* where planes of `to` are downloaded from; null buffer: nowhere */
};

/* Describes a step of a plane. */
struct resize_gpu_step {
    enum resize_gpu_phase phase;
    enum resize_gpu_kernel kernel;
    struct gpu_rows from, to;
    const struct gpu_buffer *plane_buffer[RESIZE_CHANNELS]; /* RESIZE_PIXELS: where each channel is written */
    uint64_t plane_at[RESIZE_CHANNELS];
    const struct resize_gpu_axis *axis; /* null: the step has no weights */
    uint32_t groups;
    uint32_t number;              /* place in the order in which steps were added */
    struct resize_work_step work; /* all but places and weights */
};

/* Holds the steps of some images, which run one after the other, and the intermediate memory that they need. */
struct resize_gpu_steps {
    struct resize_gpu_step *step; /* there is room for RESIZE_STEPS_MAX steps of each image */
    uint32_t count;
    const struct gpu_buffer *room; /* intermediate memory, which need not be allocated yet */
    uint64_t room_length;
};

enum { RESIZE_STEPS_MAX = 4 * KST_IMAGE_PLANES_MAX };

/*
 * Plan an image: import it, and take its axes, whose computation counts against the limit of `work`. Returns the item's
 * status. Thread-safe for different items.
 */
kst_status kst_resize_gpu_plan(struct gpu_runtime *runtime, struct resize_gpu_axes *axes, struct memory *work,
    struct resize_gpu_item *item, struct gpu_error *error);

/* Add the steps of a planned image. KST_ERROR_LIMIT_PIXELS if it takes more work-groups than a launch may have. */
kst_status kst_resize_gpu_add(struct resize_gpu_steps *steps, struct resize_gpu_item *item);

#endif
