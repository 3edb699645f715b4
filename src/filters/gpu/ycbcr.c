/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and queues the kernels that convert between RGB and Y, Cb and Cr. */
#include "filters/gpu/ycbcr.h"

#include "filters/gpu/plans.h"
#include "filters/gpu/set.h"

enum { PLANES = 3, RGB = PLANES };
enum { JOIN, WEIGH /* orders of the launches, the same for all pictures, so that these run together */ };
_Static_assert((int)FILTER_YCBCR_TOGETHER *FILTER_YCBCR_IMAGES <= (int)FILTER_GPU_SET_IMAGES, "a set holds them all");

static struct filter_gpu_step step_between(struct filter_gpu_set *set, uint32_t from, uint32_t to, uint32_t order)
{
    struct filter_gpu_step step =
        kst_filter_gpu_set_step(set, kst_filter_gpu_set_image(set, from), kst_filter_gpu_set_image(set, to));
    step.order = order;
    return step;
}

/* Plan the conversion to RGB: the planes are interleaved first, and then become colours where they lie. */
static kst_status plan_join(struct filter_gpu_set *set, uint32_t first, const struct filter_matrix *matrix)
{
    kst_status status = KST_OK;
    for (uint32_t c = 0; c < PLANES && !status; c++) {
        struct filter_gpu_step step = step_between(set, first + c, first + RGB, JOIN);
        struct filter_record record = kst_filter_gpu_record(&step);
        record.value[1] = (int32_t)c;
        status = kst_filter_gpu_add(&step, FILTER_CHANNEL, &record);
    }
    if (status)
        return status;
    struct filter_gpu_step step = step_between(set, first + RGB, first + RGB, WEIGH);
    struct filter_record record = kst_filter_gpu_record(&step);
    status = kst_filter_gpu_matrix_table(&step, matrix, &record.value[0]);
    return status ? status : kst_filter_gpu_add(&step, FILTER_MATRIX, &record);
}

static kst_status plan_part(struct filter_gpu_set *set, uint32_t first, const struct filter_matrix *matrix)
{
    kst_status status = KST_OK;
    for (uint32_t c = 0; c < PLANES && !status; c++) {
        struct filter_gpu_step step = step_between(set, first + RGB, first + c, WEIGH);
        struct filter_record record = kst_filter_gpu_record(&step);
        record.value[1] = (int32_t)c;
        status = kst_filter_gpu_matrix_table(&step, matrix, &record.value[0]);
        if (!status)
            status = kst_filter_gpu_add(&step, FILTER_MATRIX_PLANE, &record);
    }
    return status;
}

kst_status kst_filter_gpu_ycbcr(struct gpu_runtime *runtime, const struct operation *operation,
    struct filter_gpu_ycbcr *const *picture, uint32_t count, double *seconds, struct gpu_error *error)
{
    const kst_image *image[FILTER_YCBCR_TOGETHER * FILTER_YCBCR_IMAGES];
    struct filter_gpu_set set;
    for (uint32_t i = 0; i < count * FILTER_YCBCR_IMAGES; i++)
        image[i] = &picture[i / FILTER_YCBCR_IMAGES]->image[i % FILTER_YCBCR_IMAGES];
    kst_status status = kst_filter_gpu_set_begin(&set, runtime, operation, image, count * FILTER_YCBCR_IMAGES, error);
    if (!status)
        status = kst_filter_gpu_set_take(&set, 0, 0);
    for (uint32_t i = 0; i < count && !status; i++)
        status = picture[i]->to_rgb ? plan_join(&set, i * FILTER_YCBCR_IMAGES, &picture[i]->matrix)
                                    : plan_part(&set, i * FILTER_YCBCR_IMAGES, &picture[i]->matrix);
    if (!status)
        status = kst_filter_gpu_set_run(&set, seconds);
    kst_filter_gpu_set_end(&set);
    return status;
}
