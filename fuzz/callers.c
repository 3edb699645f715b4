/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls the library from several threads on one context while allocations fail, progress functions cancel, or files
 * cannot be written. Every call must end with the status that says so, nothing may leak, and later calls must not be
 * affected.
 */
#include <kostka/kostka_writer.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { WIDTH = 70, HEIGHT = 50, KINDS = 12, THREADS = 3 };

/* Holds the counts of a context, and the allocation that fails. */
struct caller {
    kst_context *context;
    atomic_long allocations, live;
    long no_memory_at; /* the first of `no_memory_for` allocations that fail; 0: none fails */
    long no_memory_for;
};

/* Describes one operation, and where it is made to fail. */
struct run {
    struct caller *caller;
    uint32_t kind;
    bool to_writer;
    long told, cancel_at, written, write_fails_at;
    kst_status status;
    uint64_t sum; /* a checksum of all results */
};

static void *allocate(void *user, size_t length)
{
    struct caller *caller = user;
    long number = atomic_fetch_add(&caller->allocations, 1) + 1, from = caller->no_memory_at;
    if (from > 0 && number >= from && number < from + caller->no_memory_for)
        return NULL;
    void *memory = malloc(length);
    if (memory)
        atomic_fetch_add(&caller->live, 1);
    return memory;
}

static void release(void *user, void *memory)
{
    struct caller *caller = user;
    atomic_fetch_sub(&caller->live, 1);
    free(memory);
}

static bool tell(void *user, double done)
{
    struct run *run = user;
    fuzz_check(done >= 0 && done <= 1, "progress is from 0 to 1");
    return ++run->told != run->cancel_at;
}

static uint64_t add(uint64_t sum, const void *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ ((const uint8_t *)data)[i]) * UINT64_C(1099511628211);
    return sum;
}

static bool take(void *user, uint64_t offset, const void *data, size_t length)
{
    struct run *run = user;
    fuzz_check(run->written != run->write_fails_at || run->write_fails_at == 0, "nothing is written after a failure");
    run->sum += add(offset + 1, data, length);
    return ++run->written != run->write_fails_at;
}

static const uint8_t *picture(void)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    for (uint32_t i = 0; i < sizeof pixels && pixels[1] == 0; i++)
        pixels[sizeof pixels - 1 - i] = (uint8_t)(i * 7 + (i >> 6) * 13 + (i * i >> 7) % 31 + 1);
    return pixels;
}

/* Encode. Kinds 0–2 are the codings of JPEG; 3–5 are JPEG 2000: lossless, with rates, and in tiles. */
static kst_status encode(struct run *run, kst_context *context, uint32_t kind, kst_buffer *output)
{
    static const double rates[2] = {0.5, 2};
    kst_progress progress = {sizeof progress, tell, run};
    kst_encode_options options;
    kst_j2k_options j2k;
    kst_image image;
    kst_encode_options_init(&options);
    kst_j2k_options_init(&j2k);
    options.progress = &progress;
    options.coding = (kst_coding)(kind % 3);
    options.codec = kind < 3 ? KST_CODEC_JPEG : KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    j2k.levels = 3;
    if (kind == 4) {
        j2k.layers = 2;
        j2k.layer_value = rates;
        j2k.target = KST_J2K_RATE;
    }
    j2k.tile_width = j2k.tile_height = kind == 5 ? 40 : 0;
    kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, (void *)(uintptr_t)picture(), 0);
    if (output)
        return kst_encode(context, &image, &options, output, NULL);
    kst_writer writer = {.size = sizeof writer, .write = take, .user = run, .in_order = kind % 2};
    return kst_encode_to(context, &image, NULL, &options, &writer, NULL, NULL);
}

/* Return a stream to decode or transcode: baseline, progressive, or JPEG 2000 in layers. */
static const kst_buffer *stream(uint32_t index)
{
    static kst_buffer streams[3];
    static const uint32_t kinds[3] = {0, 2, 4};
    struct run run = {.kind = 0};
    for (uint32_t i = 0; i < 3 && !streams[i].data; i++)
        fuzz_check(!encode(&run, fuzz_plain(), kinds[i], &streams[i]), "a picture can be encoded");
    return &streams[index];
}

static kst_status decode(struct run *run, const kst_buffer *from)
{
    kst_progress progress = {sizeof progress, tell, run};
    kst_decode_options options;
    kst_image image;
    kst_image_init(&image);
    kst_decode_options_init(&options);
    options.progress = &progress;
    kst_status status = kst_decode(run->caller->context, from->data, from->length, &options, &image, NULL);
    if (!status)
        for (uint32_t y = 0; y < image.height; y++)
            run->sum += add(y + 1, (uint8_t *)image.plane[0].data + y * image.plane[0].pitch, 3 * (size_t)image.width);
    else
        fuzz_check(image.plane[0].data == NULL, "a failure leaves no image");
    kst_image_release(run->caller->context, &image);
    return status;
}

static kst_status transcode(struct run *run, const kst_buffer *from, bool to_writer)
{
    kst_transcode_options options;
    kst_buffer output = {.data = NULL};
    kst_writer writer = {.size = sizeof writer, .write = take, .user = run};
    kst_transcode_options_init(&options);
    if (from == stream(2)) {
        options.jpeg2000.packet_lengths = KST_CHOICE_YES;
    } else {
        options.coding = KST_CODING_PROGRESSIVE;
        options.transform = KST_TRANSFORM_ROTATE_90;
    }
    if (to_writer)
        return kst_transcode_to(run->caller->context, from->data, from->length, &options, &writer, NULL, NULL);
    kst_status status = kst_transcode(run->caller->context, from->data, from->length, &options, &output, NULL);
    run->sum += add(1, output.data, output.length);
    kst_buffer_release(run->caller->context, &output);
    return status;
}

static void *carry_out(void *arg)
{
    struct run *run = arg;
    kst_buffer output = {.data = NULL};
    run->sum = 0;
    run->told = run->written = 0;
    if (run->kind < 3) {
        run->status = decode(run, stream(run->kind));
    } else if (run->kind < 6) {
        run->status = transcode(run, stream(run->kind - 3), run->to_writer);
    } else if (run->to_writer) {
        run->status = encode(run, run->caller->context, run->kind - 6, NULL);
    } else {
        run->status = encode(run, run->caller->context, run->kind - 6, &output);
        run->sum = add(1, output.data, output.length);
        fuzz_check(!run->status || !output.data, "a failure leaves no buffer");
        kst_buffer_release(run->caller->context, &output);
    }
    return NULL;
}

static void check_status(const struct run *run)
{
    kst_status status = run->status;
    bool no_memory = run->caller->no_memory_at > 0, cancelled = run->cancel_at > 0 && run->told >= run->cancel_at;
    bool unwritten = run->write_fails_at > 0 && run->written >= run->write_fails_at;
    fuzz_check(!status || (status == KST_ERROR_MEMORY && no_memory) || (status == KST_ERROR_CANCELLED && cancelled) ||
                   (status == KST_ERROR_WRITE && unwritten),
        "the status says what happened");
    fuzz_check(status || !unwritten, "what was not written is an error");
}

/* Repeat the operation without failures, in one thread. */
static void check_afterwards(struct run run)
{
    struct caller reference = {.context = fuzz_plain()};
    struct run wanted = run;
    run.caller->no_memory_at = 0;
    run.cancel_at = wanted.cancel_at = 0;
    run.write_fails_at = wanted.write_fails_at = 0;
    wanted.caller = &reference;
    carry_out(&run);
    carry_out(&wanted);
    fuzz_check(!run.status && !wanted.status, "it can be done afterwards");
    fuzz_check(run.written > 0 || run.sum == wanted.sum, "the same afterwards");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    struct caller caller = {.context = NULL};
    struct run runs[THREADS];
    pthread_t threads[THREADS];
    kst_context_options options;
    uint32_t count = fuzz_take(&input, 4) == 3 ? THREADS : 1;
    stream(0);
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1 + fuzz_take(&input, 3);
    options.allocator = (kst_allocator){allocate, release, &caller};
    fuzz_check(!kst_context_create(&options, &caller.context), "a context can be made");
    atomic_store(&caller.allocations, 0);
    uint32_t failure = fuzz_take(&input, 4), at = 1 + fuzz_take(&input, 256) * (1 + fuzz_take(&input, 8));
    caller.no_memory_at = failure == 0 ? at : 0;
    caller.no_memory_for = fuzz_take(&input, 2) ? 1 : 1L << 40;
    for (uint32_t i = 0; i < count; i++)
        runs[i] = (struct run){.caller = &caller,
            .kind = fuzz_take(&input, KINDS),
            .to_writer = failure == 2 || fuzz_take(&input, 2),
            .cancel_at = failure == 1 ? at : 0,
            .write_fails_at = failure == 2 ? at : 0};
    for (uint32_t i = 1; i < count; i++)
        fuzz_check(pthread_create(&threads[i], NULL, carry_out, &runs[i]) == 0, "a thread can be made");
    carry_out(&runs[0]);
    for (uint32_t i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < count; i++)
        check_status(&runs[i]);
    check_afterwards(runs[0]);
    kst_context_destroy(&caller.context);
    fuzz_check(atomic_load(&caller.live) == 0, "all memory is released");
    return 0;
}
