/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a flow's lanes: a context for each device that the options name. */
#include <string.h>

#include "core/context.h"
#include "core/device.h"
#include "flow/flow.h"

static void log_line(const struct kst_flow *flow, const char *name)
{
    if (flow->options.log.write && flow->options.log.level >= KST_LOG_INFO)
        flow->options.log.write(flow->options.log.user, KST_LOG_INFO, name);
}

/* Add a lane for a device, which is opened later together with the others. */
static kst_status add_lane(struct kst_flow *flow, const char *name, size_t length)
{
    if (flow->lanes == FLOW_LANES)
        return KST_ERROR_OPTIONS;
    struct flow_lane *lane = &flow->lane[flow->lanes];
    if (length == 0 || length >= sizeof lane->device.name)
        return KST_ERROR_DEVICE_NAME;
    lane->flow = flow;
    memcpy(lane->device.name, name, length);
    flow->lanes++;
    return KST_OK;
}

/*
 * Add a lane for each GPU of CUDA, or of OpenCL if CUDA has none; a processor that OpenCL drives gets no lane.
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
            status = add_lane(flow, info.name, strlen(info.name));
    return status;
}

/* Add the lanes that one name stands for. */
static kst_status add_named(struct kst_flow *flow, const char *name, size_t length)
{
    bool all = length == 3 && memcmp(name, "all", length) == 0;
    bool automatic = length == 4 && memcmp(name, "auto", length) == 0;
    kst_status status = KST_OK;
    if (!all && !automatic)
        return add_lane(flow, name, length);
    if (flow->lanes > 0)
        return KST_ERROR_DEVICE_NAME;
    status = add_gpus(flow);
    if (!status && (all || flow->lanes == 0))
        status = add_lane(flow, "cpu", 3);
    return status;
}

static kst_status add_list(struct kst_flow *flow, const char *names)
{
    for (;;) {
        size_t length = strcspn(names, ",");
        kst_status status = add_named(flow, names, length);
        if (status || !names[length])
            return status;
        names += length + 1;
    }
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

/* Open the device of a lane; a task of a pool. */
static void open_lane(void *arg, uint32_t index)
{
    struct kst_flow *flow = arg;
    struct flow_lane *lane = &flow->lane[index];
    lane->status = make_context(flow, lane->device.name, flow->options.threads, &lane->context);
    if (lane->status)
        return;
    lane->device.size = sizeof lane->device;
    kst_context_device(lane->context, &lane->device);
    if (lane->device.kind == KST_DEVICE_CPU)
        lane->status = make_context(flow, "cpu", 1, &lane->alone);
}

static void close_lane(void *arg, uint32_t index)
{
    struct kst_flow *flow = arg;
    struct flow_lane *lane = &flow->lane[index];
    kst_context_destroy(&lane->alone);
    kst_context_destroy(&lane->context);
}

/* Call task(flow, i) for all lanes at once: drivers take a tenth of a second and more to open or to close a device. */
static void for_all_lanes(struct kst_flow *flow, void (*task)(void *arg, uint32_t index))
{
    struct pool *pool = NULL;
    kst_pool_create(&flow->memory, flow->lanes, &pool);
    kst_pool_run(pool, flow->lanes, task, flow);
    kst_pool_destroy(&pool);
}

static kst_status first_error(const struct kst_flow *flow)
{
    for (uint32_t i = 0; i < flow->lanes; i++)
        if (flow->lane[i].status)
            return flow->lane[i].status;
    return KST_OK;
}

static bool is_twice(const struct kst_flow *flow)
{
    for (uint32_t i = 0; i < flow->lanes; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(flow->lane[i].device.name, flow->lane[k].device.name) == 0)
                return true;
    return false;
}

/*
 * Open the devices of all lanes. Contexts share the threads of the first one's pool: there are no more for more
 * devices. The CPU's contexts of one thread have none.
 */
static kst_status open_lanes(struct kst_flow *flow)
{
    for_all_lanes(flow, open_lane);
    kst_status status = first_error(flow);
    if (status)
        return status;
    if (is_twice(flow))
        return KST_ERROR_DEVICE_NAME;
    for (uint32_t i = 0; i < flow->lanes; i++) {
        log_line(flow, flow->lane[i].device.name);
        if (i > 0)
            kst_pool_share(flow->lane[i].context->pool, flow->lane[0].context->pool);
    }
    return KST_OK;
}

/* Return whether the flow transcodes, and all of that is the CPU's work: no code-blocks become those of the other
 * coder. */
static bool needs_no_gpu(const struct kst_flow *flow)
{
    const kst_transcode_options *transcode = flow->options.transcode;
    return flow->options.work == KST_FLOW_TRANSCODE &&
           (!transcode || transcode->size != sizeof *transcode || transcode->jpeg2000.ht == KST_CHOICE_KEEP);
}

kst_status kst_flow_open_devices(struct kst_flow *flow)
{
    const char *names = flow->options.devices;
    if (!names && !needs_no_gpu(flow))
        names = kst_environment("KOSTKA_DEVICE");
    if (!names)
        names = "auto";
    if (needs_no_gpu(flow)) {
        if (strcmp(names, "cpu") != 0 && strcmp(names, "auto") != 0)
            return KST_ERROR_OPTIONS;
        names = "cpu";
    }
    kst_status status = add_list(flow, names);
    return status ? status : open_lanes(flow);
}

void kst_flow_close_devices(struct kst_flow *flow)
{
    for_all_lanes(flow, close_lane);
    flow->lanes = 0;
}
