/* SPDX-License-Identifier: BSD-2-Clause */
/* Large buffers that are released stay with the context for the next operation. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <kostka/kostka.h>

#include "support/test.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

/* Images of 48 MiB, which malloc() always returns to the system when they are freed. */
enum { SIDE = 4096 };

static kst_context *context_with(uint64_t keep, kst_allocator allocator, uint64_t memory)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    options.keep = keep;
    options.allocator = allocator;
    options.limits.memory = memory;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    return context;
}

static void *make(kst_context *context, uint32_t width, uint32_t height, kst_image *image)
{
    kst_image_init(image);
    image->format = KST_FORMAT_RGB;
    image->width = width;
    image->height = height;
    assert_int_equal(kst_image_allocate(context, image), KST_OK);
    memset(image->plane[0].data, 0xA5, (size_t)image->plane[0].pitch * height);
    return image->plane[0].data;
}

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Page faults of making an image and writing all of it, once the context has released one of the same size. */
static long faults_of_second(kst_context *context)
{
    kst_image image;
    make(context, SIDE, SIDE, &image);
    kst_image_release(context, &image);
    long before = faults();
    make(context, SIDE, SIDE, &image);
    long taken = faults() - before;
    kst_image_release(context, &image);
    return taken;
}

static void test_used_again(void **state)
{
    (void)state;
    kst_context *context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 0);
    kst_image image, smaller;
    void *first = make(context, SIDE, SIDE, &image);
    kst_image_release(context, &image);
    /* A little smaller fits into it, much smaller does not. */
    assert_ptr_equal(make(context, SIDE, SIDE - 100, &image), first);
    assert_ptr_not_equal(make(context, SIDE, SIDE / 4, &smaller), first);
    kst_image_release(context, &smaller);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

static void test_no_page_faults(void **state)
{
    (void)state;
    kst_context *context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 0);
    assert_true(faults_of_second(context) < 100);
    kst_context_destroy(&context);
}

/* Decoding makes images as kst_image_allocate() does, and what it holds while it works comes from there as well. */
static void test_decoding(void **state)
{
    (void)state;
    kst_context *context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 0);
    kst_image source, decoded;
    kst_buffer stream = {0};
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.coding = KST_CODING_PROGRESSIVE;
    make(context, SIDE, SIDE, &source);
    assert_int_equal(kst_encode(context, &source, &options, &stream, NULL), KST_OK);
    kst_image_release(context, &source);
    kst_context_trim(context);
    long taken[3];
    for (int i = 0; i < 3; i++) {
        long before = faults();
        kst_image_init(&decoded);
        assert_int_equal(kst_decode(context, stream.data, stream.length, NULL, &decoded, NULL), KST_OK);
        taken[i] = faults() - before;
        kst_image_release(context, &decoded);
    }
    assert_true(taken[2] < taken[0] / 4);
    kst_buffer_release(context, &stream);
    kst_context_destroy(&context);
}

static void test_trimmed(void **state)
{
    (void)state;
    kst_context *context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 0);
    kst_image image;
    make(context, SIDE, SIDE, &image);
    kst_image_release(context, &image);
    kst_context_trim(context);
    kst_context_trim(NULL);
    long before = faults();
    make(context, SIDE, SIDE, &image);
    assert_true(faults() > before);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

static void test_bound(void **state)
{
    (void)state;
    /* Two images of 48 MiB do not fit: the first goes when the second is released. */
    kst_context *context = context_with(64 << 20, (kst_allocator){NULL, NULL, NULL}, 0);
    kst_image a, b;
    make(context, SIDE, SIDE, &a);
    void *second = make(context, SIDE, SIDE, &b);
    kst_image_release(context, &a);
    kst_image_release(context, &b);
    assert_ptr_equal(make(context, SIDE, SIDE, &a), second);
    long before = faults();
    make(context, SIDE, SIDE, &b);
    assert_true(faults() > before);
    kst_image_release(context, &a);
    kst_image_release(context, &b);
    kst_context_destroy(&context);
}

static uint64_t allocated;

static void *counting_allocate(void *user, size_t length)
{
    (void)user;
    allocated++;
    return malloc(length);
}

static void counting_release(void *user, void *memory)
{
    (void)user;
    allocated--;
    free(memory);
}

static void test_callers_allocator_gets_all_back(void **state)
{
    (void)state;
    kst_context *context = context_with(0, (kst_allocator){counting_allocate, counting_release, NULL}, 0);
    uint64_t before = allocated;
    kst_image image;
    make(context, SIDE, SIDE, &image);
    assert_true(allocated > before);
    kst_image_release(context, &image);
    assert_int_equal(allocated, before);
    kst_context_destroy(&context);
    assert_int_equal(allocated, 0);
}

static void test_limit_counts_reused_memory(void **state)
{
    (void)state;
    /* Released memory does not let an operation have more than its limit. */
    kst_context *context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 64 << 20);
    kst_image image;
    make(context, SIDE, SIDE, &image);
    kst_image_release(context, &image);
    kst_image_init(&image);
    image.format = KST_FORMAT_RGB;
    image.width = image.height = 2 * SIDE;
    assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_LIMIT_MEMORY);
    kst_context_destroy(&context);
}

static void test_idle_memory_is_poisoned(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    kst_context *context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 0);
    kst_image image;
    uint8_t *data = make(context, SIDE, SIDE, &image);
    kst_image_release(context, &image);
    assert_true(__asan_address_is_poisoned(data));
    assert_true(__asan_address_is_poisoned(data + 3 * SIDE * SIDE - 1));
    assert_ptr_equal(make(context, SIDE, SIDE - 100, &image), data);
    assert_false(__asan_address_is_poisoned(data));
    assert_true(__asan_address_is_poisoned(data + 3 * SIDE * (SIDE - 100)));
    kst_image_release(context, &image);
    kst_context_destroy(&context);
#else
    skip("no AddressSanitizer");
#endif
}

static void test_none_kept(void **state)
{
    (void)state;
    kst_context *context = context_with(KST_KEEP_NONE, (kst_allocator){NULL, NULL, NULL}, 0);
    /* Freed at once, so that every image has fresh pages. */
    long fresh = faults_of_second(context);
    kst_context_destroy(&context);
    context = context_with(0, (kst_allocator){NULL, NULL, NULL}, 0);
    assert_true(faults_of_second(context) < fresh);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_kept),
        cmocka_unit_test(test_used_again),
        cmocka_unit_test(test_no_page_faults),
        cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_trimmed),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_callers_allocator_gets_all_back),
        cmocka_unit_test(test_limit_counts_reused_memory),
        cmocka_unit_test(test_idle_memory_is_poisoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
