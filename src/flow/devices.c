/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a flow's lanes: a context for each device that the options name. */
#include <string.h>

#include "core/context.h"
#include "core/device.h"
#include "flow/flow.h"

enum { NAME = 16 };

static void log_line(const struct kst_flow *flow, const char *name)
{
    if (flow->options.log.write && flow->options.log.level >= KST_LOG_INFO)
        flow->options.log.write(flow->options.log.user, KST_LOG_INFO, name);
}

static kst_status make_context(const struct kst_flow *flow, const char *device, uint32_t threads, kst_context **context)
{
    kst_context_options options;
    kst_context_options_init(&options);
    options.device = device;
    options.threads = threads;
    options.allocator = flow->options.allocator;
    options.log = flow->options.log;
    options.limits = flow->options.limits;
    return kst_context_create(&options, context);
}

/*
 * Make a lane for a device. All contexts share the threads of the first context's pool, so that more devices need no
 * more threads. The CPU's second context, of one thread, has no pool threads.
 */
static kst_status add_lane(struct kst_flow *flow, const char *name)
{
    struct flow_lane *lane = &flow->lane[flow->lanes];
    kst_device_info info = {.size = sizeof info};
    if (flow->lanes == FLOW_LANES)
        return KST_ERROR_OPTIONS;
    lane->flow = flow;
    kst_status status = make_context(flow, name, flow->options.threads, &lane->context);
    if (status)
        return status;
    if (flow->lanes++ > 0)
        kst_pool_share(lane->context->pool, flow->lane[0].context->pool);
    kst_context_device(lane->context, &info);
    lane->kind = info.kind;
    log_line(flow, info.name);
    return info.kind == KST_DEVICE_CPU ? make_context(flow, "cpu", 1, &lane->alone) : KST_OK;
}

/*
 * Make a lane for each GPU of CUDA, or of OpenCL if CUDA has none; a processor that OpenCL drives gets no lane.
 * OpenCL's drivers are loaded only if CUDA has no GPU, because loading them takes about 40 ms.
 */
static kst_status add_gpus(struct kst_flow *flow)
{
    kst_device_info info = {.size = sizeof info};
    uint32_t most = kst_device_count_of(KST_DEVICE_CUDA);
    kst_status status = KST_OK;
    if (most == 0)
        most = kst_device_count_of(KST_DEVICE_OPENCL);
    for (uint32_t i = 1; !status && i <= most && !kst_device_get(i, &info); i++)
        if (info.gpu)
            status = add_lane(flow, info.name);
    return status;
}

/* Make the lanes that one name stands for. "all" and "auto" are allowed only as the first name. */
static kst_status add_named(struct kst_flow *flow, const char *name)
{
    bool all = strcmp(name, "all") == 0, automatic = strcmp(name, "auto") == 0;
    kst_status status = KST_OK;
    if (!all && !automatic)
        return add_lane(flow, name);
    if (flow->lanes > 0)
        return KST_ERROR_DEVICE_NAME;
    status = add_gpus(flow);
    if (!status && (all || flow->lanes == 0))
        status = add_lane(flow, "cpu");
    return status;
}

static bool is_twice(const struct kst_flow *flow)
{
    kst_device_info a = {.size = sizeof a}, b = {.size = sizeof b};
    for (uint32_t i = 0; i < flow->lanes; i++)
        for (uint32_t k = 0; k < i; k++) {
            kst_context_device(flow->lane[i].context, &a);
            kst_context_device(flow->lane[k].context, &b);
            if (strcmp(a.name, b.name) == 0)
                return true;
        }
    return false;
}

/* Return whether the flow transcodes, and the CPU does all of the work, because no code-blocks are converted to the
 * other block coder. */
static bool needs_no_gpu(const struct kst_flow *flow)
{
    const kst_transcode_options *transcode = flow->options.transcode;
    return flow->options.work == KST_FLOW_TRANSCODE &&
           (!transcode || transcode->size != sizeof *transcode || transcode->jpeg2000.ht == KST_CHOICE_KEEP);
}

kst_status kst_flow_open_devices(struct kst_flow *flow)
{
    const char *names = flow->options.devices;
    char name[NAME];
    kst_status status = KST_OK;
    if (needs_no_gpu(flow))
        return !names || strcmp(names, "cpu") == 0 || strcmp(names, "auto") == 0 ? add_lane(flow, "cpu")
                                                                                 : KST_ERROR_OPTIONS;
    if (!names)
        names = kst_environment("KOSTKA_DEVICE");
    if (!names)
        names = "auto";
    for (size_t length = 0; !status; names += length + 1) {
        length = strcspn(names, ",");
        if (length == 0 || length >= sizeof name)
            return KST_ERROR_DEVICE_NAME;
        memcpy(name, names, length);
        name[length] = 0;
        status = add_named(flow, name);
        if (!names[length])
            break;
    }
    return !status && is_twice(flow) ? KST_ERROR_DEVICE_NAME : status;
}

void kst_flow_close_devices(struct kst_flow *flow)
{
    while (flow->lanes > 0) {
        struct flow_lane *lane = &flow->lane[--flow->lanes];
        kst_context_destroy(&lane->alone);
        kst_context_destroy(&lane->context);
    }
}
