/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the public functions that record what a GPU does and measure its copies. */
#include "device/timing.h"

#include "run/device.h"

static kst_status log_failure(kst_context *context, kst_status status, const struct gpu_error *error)
{
    if (status == KST_ERROR_DEVICE_FAILED)
        kst_context_log(context, KST_LOG_ERROR, "%s", error->text);
    return status;
}

kst_status kst_profile_begin(kst_context *context)
{
    struct gpu_error error = {.status = KST_OK};
    if (!context)
        return KST_ERROR_ARGUMENT;
    if (!kst_context_gpu(context))
        return KST_ERROR_STATE;
    return log_failure(context, kst_gpu_timing_begin(kst_context_gpu(context)->gpu, &error), &error);
}

kst_status kst_profile_end(kst_context *context, void (*tell)(void *user, const kst_step *step), void *user)
{
    if (!context)
        return KST_ERROR_ARGUMENT;
    return kst_context_gpu(context) ? kst_gpu_timing_end(kst_context_gpu(context)->gpu, tell, user) : KST_ERROR_STATE;
}

kst_status kst_measure_copies(kst_context *context, size_t length, uint32_t count, kst_copy_times *times)
{
    struct gpu_error error;
    if (!context || !times || times->size != sizeof *times || length < 4 || length % 4 != 0 || count == 0)
        return KST_ERROR_ARGUMENT;
    if (!kst_context_gpu(context))
        return KST_ERROR_STATE;
    return log_failure(
        context, kst_gpu_measure_copies(kst_context_gpu(context)->gpu, length, count, times, &error), &error);
}
