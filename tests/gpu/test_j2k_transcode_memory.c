/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch of small streams that describe many code-blocks takes a few times the limit of memory, however long it is. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/test.h"

/* Return a stream of a grey picture, of which no code-block has a pass. */
static kst_buffer empty_stream(void)
{
    enum { SIDE = 512 };
    static uint8_t grey[SIDE * SIDE];
    kst_image image;
    kst_j2k_options options;
    memset(grey, 128, sizeof grey);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, SIDE, SIDE, grey, 0), KST_OK);
    kst_j2k_options_init(&options);
    options.target = KST_J2K_LOSSLESS;
    options.block_width = options.block_height = 4;
    options.codestream = true;
    return j2k_coded(cpu_context, &image, &options);
}

/* An allocator that counts. The length of a block is kept in front of it. */
static atomic_uint_fast64_t used, most_used;

enum { IN_FRONT = 64 };

static void *take_counted(void *user, size_t length)
{
    (void)user;
    size_t *block = malloc(length + IN_FRONT);
    if (!block)
        return NULL;
    *block = length;
    uint_fast64_t now = atomic_fetch_add(&used, length) + length, most = atomic_load(&most_used);
    while (now > most && !atomic_compare_exchange_weak(&most_used, &most, now))
        continue;
    return (uint8_t *)(void *)block + IN_FRONT;
}

static void give_counted(void *user, void *memory)
{
    (void)user;
    size_t *block = (size_t *)(void *)((uint8_t *)memory - IN_FRONT);
    atomic_fetch_sub(&used, *block);
    free(block);
}

static kst_context *counting_context(const char *device, uint64_t limit)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = device;
    options.threads = 3;
    options.limits.memory = limit;
    options.allocator = (kst_allocator){.allocate = take_counted, .release = give_counted};
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    return context;
}

/* Return the most bytes that a context takes beyond what it has, while it transcodes so many copies of a stream. */
static uint64_t most_of(kst_context *context, const kst_buffer *stream, kst_transcode_item *item, size_t count)
{
    kst_transcode_options there;
    kst_transcode_options_init(&there);
    there.jpeg2000.ht = KST_CHOICE_YES;
    for (size_t i = 0; i < count; i++)
        item[i] = (kst_transcode_item){.data = stream->data, .length = stream->length, .options = &there};
    const uint64_t before = atomic_load(&used);
    atomic_store(&most_used, before);
    assert_int_equal(kst_transcode_batch(context, item, count), KST_OK);
    const uint64_t most = atomic_load(&most_used) - before;
    for (size_t i = 0; i < count; i++) {
        assert_true(item[i].output.length == item[0].output.length &&
                    memcmp(item[i].output.data, item[0].output.data, item[0].output.length) == 0);
        if (i > 0)
            kst_buffer_release(context, &item[i].output);
    }
    kst_buffer_release(context, &item[0].output);
    return most;
}

static void test_memory_of_batch(void **state)
{
    (void)state;
    enum { COPIES = 96, SHARE = 16 };
    static kst_transcode_item item[COPIES];
    if (simulated())
        return;
    kst_buffer stream = empty_stream();
    kst_context *one = counting_context("cpu", 0);
    const uint64_t alone = most_of(one, &stream, item, 1);
    kst_context_destroy(&one);
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_device_info info = {.size = sizeof info};
        kst_context_device(gpu_context[d], &info);
        kst_context *many = counting_context(info.name, 2 * alone);
        const uint64_t most = most_of(many, &stream, item, COPIES);
        kst_context_destroy(&many);
        if (most > SHARE * alone)
            fail_msg("%llu bytes at a time, but %llu for one", (unsigned long long)most, (unsigned long long)alone);
    }
    kst_buffer_release(cpu_context, &stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_batch),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
