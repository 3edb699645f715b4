/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/executor.h"

#include "device/profile.h"
#include "j2k/kernels/encode_work.h"
#include "jpeg/kernels/encode_work.h"
#include "jpeg/kernels/work.h"

extern const struct gpu_kernels kst_kernels_jpeg_decode, kst_kernels_jpeg_encode, kst_kernels_j2k_decode,
    kst_kernels_j2k_encode;

struct kernel {
    const char *name;
    uint32_t group;
};

static const struct kernel kernels[JPEG_KERNELS] = {
    [JPEG_MAP_PARTS] = {"map_parts", WORK_MAP_GROUP},
    [JPEG_MAP_GROUPS] = {"map_groups", WORK_PARTS},
    [JPEG_FOLLOW_PICTURES] = {"follow_pictures", WORK_PARTS},
    [JPEG_PLACE_PARTS] = {"place_parts", WORK_PARTS},
    [JPEG_WRITE_BLOCKS] = {"write_blocks", WORK_WRITE_PARTS},
    [JPEG_WRITE_DC] = {"write_dc", WORK_WRITE_PARTS},
    [JPEG_TRANSFORM_BLOCKS] = {"transform_blocks", WORK_TRANSFORM_GROUP},
    [JPEG_CONVERT_TILES] = {"convert_tiles", WORK_CONVERT_GROUP},
    [JPEG_CONVERT_PIXELS] = {"convert_pixels", WORK_CONVERT_GROUP},
    [JPEG_TURN_PIXELS] = {"turn_pixels", WORK_CONVERT_GROUP},
};

static const struct kernel encode_kernels[ENCODE_KERNELS] = {
    [ENCODE_COUNT_SYMBOLS] = {"count_symbols", ENCODE_BLOCKS},
    [ENCODE_TILES] = {"encode_tiles", ENCODE_BLOCKS},
    [ENCODE_PLACE_BITS] = {"place_bits", ENCODE_PLACE_GROUP},
    [ENCODE_MEASURE_TILES] = {"measure_tiles", ENCODE_STREAM_GROUP},
    [ENCODE_PLACE_BYTES] = {"place_bytes", ENCODE_PLACE_GROUP},
    [ENCODE_WRITE_STREAMS] = {"write_streams", ENCODE_STREAM_GROUP},
};

static const struct kernel j2k_kernels[J2K_KERNELS] = {
    [J2K_KERNEL_GATHER] = {"gather_segments", J2K_GATHER_GROUP},
    [J2K_KERNEL_WAVES] = {"decode_waves", J2K_WAVE_GROUP},
    [J2K_KERNEL_BLOCKS] = {"decode_blocks", J2K_DECODE_GROUP},
    [J2K_KERNEL_STORE] = {"store_blocks", J2K_STORE_GROUP},
    [J2K_KERNEL_PUT_GIVEN] = {"put_given", J2K_GIVEN_GROUP},
    [J2K_KERNEL_SYNTHESISE_53] = {"synthesise_53", J2K_LEVEL_GROUP},
    [J2K_KERNEL_SYNTHESISE_53_NARROW] = {"synthesise_53_narrow", J2K_LEVEL_GROUP},
    [J2K_KERNEL_SYNTHESISE_97] = {"synthesise_97", J2K_LEVEL_GROUP},
    [J2K_KERNEL_PUT_OUT] = {"put_out", J2K_OUTPUT_GROUP},
    [J2K_KERNEL_FINISH_53] = {"finish_53", J2K_LEVEL_GROUP},
    [J2K_KERNEL_FINISH_53_NARROW] = {"finish_53_narrow", J2K_LEVEL_GROUP},
    [J2K_KERNEL_FINISH_97] = {"finish_97", J2K_LEVEL_GROUP},
    [J2K_KERNEL_CONVERT] = {"convert_channels", J2K_OUTPUT_GROUP},
};

static const struct kernel j2k_encode_kernels[J2K_ENCODE_KERNELS] = {
    [J2K_ENCODE_TAKE_IN] = {"take_in", J2K_OUTPUT_GROUP},
    [J2K_ENCODE_ANALYSE_53] = {"analyse_53", J2K_LEVEL_GROUP},
    [J2K_ENCODE_ANALYSE_97] = {"analyse_97", J2K_LEVEL_GROUP},
    [J2K_ENCODE_MEASURE] = {"measure_blocks", J2K_MODEL_GROUP},
    [J2K_ENCODE_MODEL] = {"model_blocks", J2K_MODEL_GROUP},
    [J2K_ENCODE_ORDER] = {"order_blocks", J2K_ORDER_GROUP},
    [J2K_ENCODE_CODE] = {"code_blocks", J2K_CODE_GROUP},
    [J2K_ENCODE_COLLECT] = {"collect_blocks", J2K_COLLECT_GROUP},
};

static bool build_one(struct gpu *gpu, const struct gpu_kernels *module, const struct kernel *list, int count,
    struct gpu_program *program, struct gpu_kernel *kernel, struct gpu_error *error)
{
    if (!gpu->backend->build(gpu, module, program, error))
        return false;
    for (int i = 0; i < count; i++)
        if (!gpu->backend->find(gpu, program, list[i].name, list[i].group, &kernel[i], error))
            return false;
    return true;
}

static void release_one(struct gpu *gpu, int count, struct gpu_program *program, struct gpu_kernel *kernel)
{
    for (int i = 0; i < count; i++)
        gpu->backend->forget(gpu, &kernel[i]);
    gpu->backend->discard(gpu, program);
}

static bool build(struct gpu_executor *executor, struct gpu_error *error)
{
    return build_one(
        executor->gpu, &kst_kernels_jpeg_decode, kernels, JPEG_KERNELS, &executor->program, executor->kernel, error);
}

/* What is not built with the executor; once, whoever asks for it first. */
static bool build_late(struct gpu_executor *executor, const struct gpu_kernels *module, const struct kernel *list,
    int count, struct gpu_program *program, struct gpu_kernel *kernel, bool *built, struct gpu_error *error)
{
    pthread_mutex_lock(&executor->encoder_lock);
    if (!*built) {
        *built = build_one(executor->gpu, module, list, count, program, kernel, error);
        if (!*built)
            release_one(executor->gpu, count, program, kernel);
    }
    bool done = *built;
    pthread_mutex_unlock(&executor->encoder_lock);
    return done;
}

bool kst_gpu_executor_encodes(struct gpu_executor *executor, struct gpu_error *error)
{
    return build_late(executor, &kst_kernels_jpeg_encode, encode_kernels, ENCODE_KERNELS, &executor->encoder,
        executor->encode, &executor->encodes, error);
}

bool kst_gpu_executor_decodes_j2k(struct gpu_executor *executor, struct gpu_error *error)
{
    return build_late(executor, &kst_kernels_j2k_decode, j2k_kernels, J2K_KERNELS, &executor->j2k_decoder,
        executor->j2k, &executor->decodes_j2k, error);
}

bool kst_gpu_executor_encodes_j2k(struct gpu_executor *executor, struct gpu_error *error)
{
    return build_late(executor, &kst_kernels_j2k_encode, j2k_encode_kernels, J2K_ENCODE_KERNELS, &executor->j2k_encoder,
        executor->j2k_encode, &executor->encodes_j2k, error);
}

static void release_programs(struct gpu_executor *executor)
{
    release_one(executor->gpu, JPEG_KERNELS, &executor->program, executor->kernel);
    release_one(executor->gpu, ENCODE_KERNELS, &executor->encoder, executor->encode);
    release_one(executor->gpu, J2K_KERNELS, &executor->j2k_decoder, executor->j2k);
    release_one(executor->gpu, J2K_ENCODE_KERNELS, &executor->j2k_encoder, executor->j2k_encode);
}

/* On a device that is open; closed where that fails. */
static kst_status create(
    struct memory *memory, struct gpu *gpu, struct gpu_executor **executor, struct gpu_error *error)
{
    struct gpu_executor *made = kst_memory_zeroed(memory, 1, sizeof *made, &error->status);
    if (!made) {
        kst_gpu_close(&gpu);
        return error->status;
    }
    made->gpu = gpu;
    kst_gpu_pool_create(&made->pool, gpu);
    kst_gpu_tables_begin(&made->tables);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->encoder_lock, NULL);
    *executor = made;
    if (!build(made, error))
        kst_gpu_executor_destroy(executor);
    return error->status;
}

kst_status kst_gpu_executor_create(
    struct memory *memory, const char *name, struct gpu_executor **executor, struct gpu_error *error)
{
    struct gpu *gpu;
    kst_status status = kst_gpu_open(memory, name, &gpu, error);
    return status ? status : create(memory, gpu, executor, error);
}

kst_status kst_gpu_executor_create_opencl(
    struct memory *memory, void *context, void *device, struct gpu_executor **executor, struct gpu_error *error)
{
    struct gpu *gpu;
    kst_status status = kst_gpu_open_opencl(memory, context, device, &gpu, error);
    return status ? status : create(memory, gpu, executor, error);
}

static void release_lane(struct gpu_executor *executor, struct gpu_lane *lane)
{
    struct gpu *gpu = executor->gpu;
    for (int i = 0; i < LANE_EVENTS; i++)
        gpu->backend->event_destroy(gpu, &lane->event[i]);
    gpu->backend->queue_destroy(&lane->queue);
    gpu->backend->queue_destroy(&lane->urgent);
    kst_memory_release(gpu->memory, lane);
}

void kst_gpu_executor_destroy(struct gpu_executor **executor)
{
    struct gpu_executor *old = *executor;
    if (!old)
        return;
    struct gpu *gpu = old->gpu;
    kst_gpu_profile_drop(gpu);
    while (old->idle) {
        struct gpu_lane *lane = old->idle;
        old->idle = lane->next;
        release_lane(old, lane);
    }
    while (old->pinned_count > 0)
        kst_gpu_pool_give(&old->pool, &old->pinned[--old->pinned_count]);
    kst_memory_release(gpu->memory, old->pinned);
    kst_gpu_pool_destroy(&old->pool);
    kst_gpu_tables_end(&old->tables, gpu->memory);
    release_programs(old);
    pthread_mutex_destroy(&old->encoder_lock);
    pthread_mutex_destroy(&old->lock);
    kst_memory_release(gpu->memory, old);
    kst_gpu_close(&gpu);
    *executor = NULL;
}

static struct gpu_lane *make_lane(struct gpu_executor *executor, struct gpu_error *error)
{
    struct gpu *gpu = executor->gpu;
    struct gpu_lane *lane = kst_memory_zeroed(gpu->memory, 1, sizeof *lane, &error->status);
    if (!lane)
        return NULL;
    lane->urgent.gpu = gpu; /* where it is not made, it is destroyed all the same */
    bool made = gpu->backend->queue_create(gpu, false, &lane->queue, error) &&
                (!gpu->backend->urges || gpu->backend->queue_create(gpu, true, &lane->urgent, error));
    for (int i = 0; made && i < LANE_EVENTS; i++)
        made = gpu->backend->event_create(gpu, &lane->event[i], error);
    if (made)
        return lane;
    release_lane(executor, lane);
    return NULL;
}

struct gpu_lane *kst_gpu_lane_take(struct gpu_executor *executor, struct gpu_error *error)
{
    pthread_mutex_lock(&executor->lock);
    struct gpu_lane *lane = executor->idle;
    if (lane)
        executor->idle = lane->next;
    pthread_mutex_unlock(&executor->lock);
    return lane ? lane : make_lane(executor, error);
}

/* Its events have passed, and whoever takes it next records them anew without the lock: nobody waits for them. */
static void forget_events(struct gpu_executor *executor, const struct gpu_lane *lane)
{
    pthread_mutex_lock(&executor->lock);
    for (int i = 0; i < LANE_EVENTS; i++) {
        if (executor->transformed == &lane->event[i])
            executor->transformed = NULL;
        if (executor->modelled == &lane->event[i])
            executor->modelled = NULL;
    }
    pthread_mutex_unlock(&executor->lock);
}

void kst_gpu_lane_give(struct gpu_executor *executor, struct gpu_lane *lane)
{
    if (!lane)
        return;
    forget_events(executor, lane);
    if (lane->queue.error.status != KST_OK || lane->urgent.error.status != KST_OK) {
        release_lane(executor, lane);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    lane->next = executor->idle;
    executor->idle = lane;
    pthread_mutex_unlock(&executor->lock);
}
