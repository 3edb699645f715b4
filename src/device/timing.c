/* SPDX-License-Identifier: BSD-2-Clause */
/* Records when each copy, fill and kernel begins and ends on a device. */
#include "device/timing.h"

#include <pthread.h>
#include <time.h>

/*
 * Fills keep the device busy at the start, so that the device is timed and not the host. DELAY_LENGTH is their length
 * in bytes, DELAY_LONGEST the largest number of them.
 */
enum { DELAY_LENGTH = 64 << 20, DELAY_LONGEST = 64 };
static const double DELAY_SECONDS = 0.5e-3;

struct timing_step {
    kst_step_kind kind;
    struct gpu_kernel kernel;
    uint32_t groups;
    uint64_t bytes;
    struct gpu_event before, after;
};

struct gpu_timing {
    struct gpu_backend backend; /* the table of functions that the device uses while it is recorded */
    const struct gpu_backend *driver;
    pthread_mutex_t lock;
    struct timing_step *step;
    uint32_t count, capacity;
    bool incomplete;
    struct gpu_buffer filled;
    struct gpu_queue delay;
    struct gpu_event delayed;
    uint32_t fills;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Make the queue wait while the device is busy with fills; the work that follows is queued in that time. */
static void delay(struct gpu_timing *timing, struct gpu_queue *queue)
{
    const struct gpu_backend *driver = timing->driver;
    for (uint32_t i = 0; i < timing->fills; i++)
        driver->fill(&timing->delay, &timing->filled, 0, DELAY_LENGTH, i);
    driver->record(&timing->delay, &timing->delayed);
    driver->wait(queue, &timing->delayed);
}

static bool grow(struct gpu_timing *timing, struct gpu *gpu)
{
    uint32_t capacity = timing->capacity ? 2 * timing->capacity : 64;
    struct timing_step *grown =
        kst_memory_grow(gpu->memory, timing->step, timing->count * sizeof *grown, capacity * sizeof *grown, NULL);
    if (!grown)
        return false;
    timing->step = grown;
    timing->capacity = capacity;
    return true;
}

/* Note a step that is about to be queued. Returns false if there is no memory or no event for it. */
static bool start(struct gpu_queue *queue, const struct timing_step *wanted, uint32_t *index)
{
    struct gpu *gpu = queue->gpu;
    struct gpu_timing *timing = gpu->timing;
    struct timing_step step = *wanted;
    struct gpu_error ignored = {.status = KST_OK};
    bool made = timing->driver->event_create(gpu, &step.before, &ignored) &&
                timing->driver->event_create(gpu, &step.after, &ignored);
    pthread_mutex_lock(&timing->lock);
    made = made && (timing->count < timing->capacity || grow(timing, gpu));
    timing->incomplete = timing->incomplete || !made;
    if (made && timing->count == 0 && timing->fills > 0)
        delay(timing, queue);
    if (made) {
        timing->driver->record(queue, &step.before);
        *index = timing->count++;
        timing->step[*index] = step;
    }
    pthread_mutex_unlock(&timing->lock);
    if (!made) {
        timing->driver->event_destroy(gpu, &step.before);
        timing->driver->event_destroy(gpu, &step.after);
    }
    return made;
}

static void end(struct gpu_queue *queue, bool started, uint32_t index)
{
    struct gpu_timing *timing = queue->gpu->timing;
    if (!started)
        return;
    pthread_mutex_lock(&timing->lock);
    timing->driver->record(queue, &timing->step[index].after);
    pthread_mutex_unlock(&timing->lock);
}

static kst_step_kind kind_of_copy(const struct gpu_buffer *to, const struct gpu_buffer *from)
{
    return from->host ? KST_STEP_UPLOAD : to->host ? KST_STEP_DOWNLOAD : KST_STEP_COPY;
}

static void timed_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    const struct timing_step step = {.kind = kind_of_copy(to, from), .bytes = length};
    uint32_t index = 0;
    bool started = length > 0 && start(queue, &step, &index);
    queue->gpu->timing->driver->copy(queue, to, to_offset, from, from_offset, length);
    end(queue, started, index);
}

static void timed_copy_rows(
    struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows)
{
    const struct timing_step step = {.kind = kind_of_copy(to.buffer, from.buffer), .bytes = (uint64_t)length * rows};
    uint32_t index = 0;
    bool started = step.bytes > 0 && start(queue, &step, &index);
    queue->gpu->timing->driver->copy_rows(queue, to, from, length, rows);
    end(queue, started, index);
}

static void timed_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value)
{
    const struct timing_step step = {.kind = KST_STEP_FILL, .bytes = length};
    uint32_t index = 0;
    bool started = length > 0 && start(queue, &step, &index);
    queue->gpu->timing->driver->fill(queue, buffer, offset, length, value);
    end(queue, started, index);
}

static uint64_t bytes_of(const struct gpu_argument *arguments, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].buffer)
            bytes += arguments[i].bytes          ? arguments[i].bytes
                     : arguments[i].buffer->used ? arguments[i].buffer->used
                                                 : arguments[i].buffer->length;
    return bytes;
}

static void timed_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    const struct timing_step step = {
        .kind = KST_STEP_KERNEL, .kernel = *kernel, .groups = groups, .bytes = bytes_of(arguments, count)};
    uint32_t index = 0;
    bool started = groups > 0 && start(queue, &step, &index);
    queue->gpu->timing->driver->launch(queue, kernel, groups, arguments, count);
    end(queue, started, index);
}

/* Find out how many fills take as long as the wanted delay. */
static void measure_delay(struct gpu_timing *timing)
{
    const struct gpu_backend *driver = timing->driver;
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        double from = now();
        driver->fill(&timing->delay, &timing->filled, 0, DELAY_LENGTH, 1);
        driver->finish(&timing->delay);
        seconds = now() - from;
    }
    timing->fills = 1 + (uint32_t)(seconds > 0 ? DELAY_SECONDS / seconds : 0);
    if (timing->fills > DELAY_LONGEST)
        timing->fills = DELAY_LONGEST;
}

static bool make_delay(struct gpu_timing *timing, struct gpu *gpu, struct gpu_error *error)
{
    const struct gpu_backend *driver = timing->driver;
    if (!driver->allocate(gpu, GPU_DEVICE, DELAY_LENGTH, &timing->filled, error) ||
        !driver->queue_create(gpu, false, &timing->delay, error) || !driver->event_create(gpu, &timing->delayed, error))
        return false;
    measure_delay(timing);
    *error = timing->delay.error;
    return !error->status;
}

static void release(struct gpu *gpu, struct gpu_timing *timing)
{
    const struct gpu_backend *driver = timing->driver;
    for (uint32_t i = 0; i < timing->count; i++) {
        driver->event_destroy(gpu, &timing->step[i].before);
        driver->event_destroy(gpu, &timing->step[i].after);
    }
    if (timing->delay.handle)
        driver->finish(&timing->delay);
    driver->event_destroy(gpu, &timing->delayed);
    if (timing->delay.gpu)
        driver->queue_destroy(&timing->delay);
    driver->release(gpu, &timing->filled);
    pthread_mutex_destroy(&timing->lock);
    kst_memory_release(gpu->memory, timing->step);
    kst_memory_release(gpu->memory, timing);
}

kst_status kst_gpu_timing_begin(struct gpu *gpu, struct gpu_error *error)
{
    if (gpu->timing)
        return KST_ERROR_STATE;
    struct gpu_timing *timing = kst_memory_zeroed(gpu->memory, 1, sizeof *timing, &error->status);
    if (!timing)
        return error->status;
    timing->driver = gpu->backend;
    timing->backend = *gpu->backend;
    timing->backend.copy = timed_copy;
    timing->backend.copy_rows = timed_copy_rows;
    timing->backend.fill = timed_fill;
    timing->backend.launch = timed_launch;
    pthread_mutex_init(&timing->lock, NULL);
    if (!make_delay(timing, gpu, error)) {
        release(gpu, timing);
        return error->status;
    }
    gpu->timing = timing;
    gpu->backend = &timing->backend;
    return KST_OK;
}

void kst_gpu_timing_at_once(struct gpu *gpu)
{
    gpu->timing->fills = 0;
}

static void tell_step(struct gpu *gpu, const struct gpu_timing *timing, const struct timing_step *step,
    void (*tell)(void *user, const kst_step *step), void *user)
{
    static const char *const names[] = {"kernel", "upload", "download", "copy", "fill"};
    const struct gpu_backend *driver = timing->driver;
    kst_step told = {.size = sizeof told,
        .kind = step->kind,
        .name = step->kind == KST_STEP_KERNEL ? step->kernel.name : names[step->kind],
        .start = driver->elapsed(gpu, &timing->step[0].before, &step->before),
        .seconds = driver->elapsed(gpu, &step->before, &step->after),
        .bytes = step->bytes,
        .groups = step->groups,
        .group_size = step->kernel.group,
        .kernel = {-1, -1, -1, -1, -1}};
    if (step->kind == KST_STEP_KERNEL)
        driver->inspect(gpu, &step->kernel, &told.kernel);
    tell(user, &told);
}

static struct gpu_timing *stop(struct gpu *gpu)
{
    struct gpu_timing *timing = gpu->timing;
    gpu->backend = timing->driver;
    gpu->timing = NULL;
    return timing;
}

kst_status kst_gpu_timing_end(struct gpu *gpu, void (*tell)(void *user, const kst_step *step), void *user)
{
    if (!gpu->timing)
        return KST_ERROR_STATE;
    struct gpu_timing *timing = stop(gpu);
    kst_status status = timing->incomplete ? KST_ERROR_MEMORY : KST_OK;
    for (uint32_t i = 0; tell && !status && i < timing->count; i++)
        tell_step(gpu, timing, &timing->step[i], tell, user);
    release(gpu, timing);
    return status;
}

void kst_gpu_timing_drop(struct gpu *gpu)
{
    if (gpu->timing)
        release(gpu, stop(gpu));
}
