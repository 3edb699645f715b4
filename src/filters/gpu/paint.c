/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that make pictures look as if painted. */
#include "filters/cpu/oil.h"
#include "filters/gpu/plans.h"

/* The values of a record, as kernels/oil.h names them. */
enum { OIL_RADIUS = 3, OIL_RATIO };
_Static_assert((int)FILTER_OIL_MOST == (int)FILTER_OIL_RADIUS, "the kernel's memory holds any border");

kst_status kst_filter_gpu_oil(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_luminance(step);
    record.value[OIL_RADIUS] = step->value[0].number;
    record.value[OIL_RATIO] = step->value[1].number;
    return kst_filter_gpu_add(step, FILTER_OIL, &record);
}
