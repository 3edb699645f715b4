/* SPDX-License-Identifier: BSD-2-Clause */
/* Records when each copy, fill and kernel begins and ends on a device. */
#include "device/profile.h"

#include <pthread.h>
#include <time.h>

/*
 * Fills keep the device busy at the start, so that it is the device that is timed and not the host. DELAY_LENGTH is
 * their length in bytes, DELAY_LONGEST the largest number of them.
 */
enum { DELAY_LENGTH = 64 << 20, DELAY_LONGEST = 64 };
static const double DELAY_SECONDS = 0.5e-3;

struct step {
    kst_step_kind kind;
    struct gpu_kernel kernel;
    uint32_t groups;
    uint64_t bytes;
    struct gpu_event before, after;
};

struct gpu_profile {
    struct gpu_backend backend; /* the table of functions that the device uses meanwhile */
    const struct gpu_backend *driver;
    pthread_mutex_t lock;
    struct step *step;
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
static void delay(struct gpu_profile *profile, struct gpu_queue *queue)
{
    const struct gpu_backend *driver = profile->driver;
    for (uint32_t i = 0; i < profile->fills; i++)
        driver->fill(&profile->delay, &profile->filled, 0, DELAY_LENGTH, i);
    driver->record(&profile->delay, &profile->delayed);
    driver->wait(queue, &profile->delayed);
}

static bool grow(struct gpu_profile *profile, struct gpu *gpu)
{
    uint32_t capacity = profile->capacity ? 2 * profile->capacity : 64;
    struct step *grown =
        kst_memory_grow(gpu->memory, profile->step, profile->count * sizeof *grown, capacity * sizeof *grown, NULL);
    if (!grown)
        return false;
    profile->step = grown;
    profile->capacity = capacity;
    return true;
}

/* Note a step that is about to be queued. False if there is no memory or no event for it. */
static bool start(struct gpu_queue *queue, const struct step *wanted, uint32_t *index)
{
    struct gpu *gpu = queue->gpu;
    struct gpu_profile *profile = gpu->profile;
    struct step step = *wanted;
    struct gpu_error ignored = {.status = KST_OK};
    bool made = profile->driver->event_create(gpu, &step.before, &ignored) &&
                profile->driver->event_create(gpu, &step.after, &ignored);
    pthread_mutex_lock(&profile->lock);
    made = made && (profile->count < profile->capacity || grow(profile, gpu));
    profile->incomplete = profile->incomplete || !made;
    if (made && profile->count == 0)
        delay(profile, queue);
    if (made) {
        profile->driver->record(queue, &step.before);
        *index = profile->count++;
        profile->step[*index] = step;
    }
    pthread_mutex_unlock(&profile->lock);
    if (!made) {
        profile->driver->event_destroy(gpu, &step.before);
        profile->driver->event_destroy(gpu, &step.after);
    }
    return made;
}

static void end(struct gpu_queue *queue, bool started, uint32_t index)
{
    struct gpu_profile *profile = queue->gpu->profile;
    if (!started)
        return;
    pthread_mutex_lock(&profile->lock);
    profile->driver->record(queue, &profile->step[index].after);
    pthread_mutex_unlock(&profile->lock);
}

static kst_step_kind kind_of_copy(const struct gpu_buffer *to, const struct gpu_buffer *from)
{
    return from->host ? KST_STEP_UPLOAD : to->host ? KST_STEP_DOWNLOAD : KST_STEP_COPY;
}

static void profile_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    const struct step step = {.kind = kind_of_copy(to, from), .bytes = length};
    uint32_t index = 0;
    bool started = length > 0 && start(queue, &step, &index);
    queue->gpu->profile->driver->copy(queue, to, to_offset, from, from_offset, length);
    end(queue, started, index);
}

static void profile_copy_rows(
    struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows)
{
    const struct step step = {.kind = kind_of_copy(to.buffer, from.buffer), .bytes = (uint64_t)length * rows};
    uint32_t index = 0;
    bool started = step.bytes > 0 && start(queue, &step, &index);
    queue->gpu->profile->driver->copy_rows(queue, to, from, length, rows);
    end(queue, started, index);
}

static void profile_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value)
{
    const struct step step = {.kind = KST_STEP_FILL, .bytes = length};
    uint32_t index = 0;
    bool started = length > 0 && start(queue, &step, &index);
    queue->gpu->profile->driver->fill(queue, buffer, offset, length, value);
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

static void profile_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    const struct step step = {
        .kind = KST_STEP_KERNEL, .kernel = *kernel, .groups = groups, .bytes = bytes_of(arguments, count)};
    uint32_t index = 0;
    bool started = groups > 0 && start(queue, &step, &index);
    queue->gpu->profile->driver->launch(queue, kernel, groups, arguments, count);
    end(queue, started, index);
}

/* Find out how many fills take as long as the delay shall be. */
static void measure_delay(struct gpu_profile *profile)
{
    const struct gpu_backend *driver = profile->driver;
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        double from = now();
        driver->fill(&profile->delay, &profile->filled, 0, DELAY_LENGTH, 1);
        driver->finish(&profile->delay);
        seconds = now() - from;
    }
    profile->fills = 1 + (uint32_t)(seconds > 0 ? DELAY_SECONDS / seconds : 0);
    if (profile->fills > DELAY_LONGEST)
        profile->fills = DELAY_LONGEST;
}

static bool make_delay(struct gpu_profile *profile, struct gpu *gpu, struct gpu_error *error)
{
    const struct gpu_backend *driver = profile->driver;
    if (!driver->allocate(gpu, GPU_DEVICE, DELAY_LENGTH, &profile->filled, error) ||
        !driver->queue_create(gpu, false, &profile->delay, error) ||
        !driver->event_create(gpu, &profile->delayed, error))
        return false;
    measure_delay(profile);
    *error = profile->delay.error;
    return error->status == KST_OK;
}

static void release(struct gpu *gpu, struct gpu_profile *profile)
{
    const struct gpu_backend *driver = profile->driver;
    for (uint32_t i = 0; i < profile->count; i++) {
        driver->event_destroy(gpu, &profile->step[i].before);
        driver->event_destroy(gpu, &profile->step[i].after);
    }
    if (profile->delay.handle)
        driver->finish(&profile->delay);
    driver->event_destroy(gpu, &profile->delayed);
    if (profile->delay.gpu)
        driver->queue_destroy(&profile->delay);
    driver->release(gpu, &profile->filled);
    pthread_mutex_destroy(&profile->lock);
    kst_memory_release(gpu->memory, profile->step);
    kst_memory_release(gpu->memory, profile);
}

kst_status kst_gpu_profile_begin(struct gpu *gpu, struct gpu_error *error)
{
    if (gpu->profile)
        return KST_ERROR_STATE;
    struct gpu_profile *profile = kst_memory_zeroed(gpu->memory, 1, sizeof *profile, &error->status);
    if (!profile)
        return error->status;
    profile->driver = gpu->backend;
    profile->backend = *gpu->backend;
    profile->backend.copy = profile_copy;
    profile->backend.copy_rows = profile_copy_rows;
    profile->backend.fill = profile_fill;
    profile->backend.launch = profile_launch;
    pthread_mutex_init(&profile->lock, NULL);
    if (!make_delay(profile, gpu, error)) {
        release(gpu, profile);
        return error->status;
    }
    gpu->profile = profile;
    gpu->backend = &profile->backend;
    return KST_OK;
}

static void tell_step(struct gpu *gpu, const struct gpu_profile *profile, const struct step *step,
    void (*tell)(void *user, const kst_step *step), void *user)
{
    static const char *const names[] = {"kernel", "upload", "download", "copy", "fill"};
    const struct gpu_backend *driver = profile->driver;
    kst_step told = {.size = sizeof told,
        .kind = step->kind,
        .name = step->kind == KST_STEP_KERNEL ? step->kernel.name : names[step->kind],
        .start = driver->elapsed(gpu, &profile->step[0].before, &step->before),
        .seconds = driver->elapsed(gpu, &step->before, &step->after),
        .bytes = step->bytes,
        .groups = step->groups,
        .group_size = step->kernel.group,
        .kernel = {-1, -1, -1, -1, -1}};
    if (step->kind == KST_STEP_KERNEL)
        driver->inspect(gpu, &step->kernel, &told.kernel);
    tell(user, &told);
}

static struct gpu_profile *stop(struct gpu *gpu)
{
    struct gpu_profile *profile = gpu->profile;
    gpu->backend = profile->driver;
    gpu->profile = NULL;
    return profile;
}

kst_status kst_gpu_profile_end(struct gpu *gpu, void (*tell)(void *user, const kst_step *step), void *user)
{
    if (!gpu->profile)
        return KST_ERROR_STATE;
    struct gpu_profile *profile = stop(gpu);
    kst_status status = profile->incomplete ? KST_ERROR_MEMORY : KST_OK;
    for (uint32_t i = 0; tell && !status && i < profile->count; i++)
        tell_step(gpu, profile, &profile->step[i], tell, user);
    release(gpu, profile);
    return status;
}

void kst_gpu_profile_drop(struct gpu *gpu)
{
    if (gpu->profile)
        release(gpu, stop(gpu));
}
