/* SPDX-License-Identifier: BSD-2-Clause */
/* A look at each byte finds the marker, and the longest run of fill bytes, that one thread and many find. */
#include <stdlib.h>
#include <string.h>

#include "jpeg/syntax/parser.h"
#include "support/random.h"
#include "support/test.h"

enum { LENGTH = 3 << 20, MOST_FILL = 16 };

/* Byte by byte. */
static size_t find_plainly(const uint8_t *data, size_t length, size_t from, uint32_t *fill)
{
    uint32_t run = 0;
    for (size_t at = from; at < length; at++) {
        if (data[at] != 0xFF && data[at] != 0 && run > 0)
            return at - 1;
        if (data[at] != 0xFF && run > *fill)
            *fill = run;
        run = data[at] == 0xFF ? run + 1 : 0;
    }
    return length;
}

static void check(struct pool *threads, const uint8_t *data, size_t length, size_t from)
{
    uint32_t plain_fill = 0, wanted_fill = 0, fill = 0;
    size_t wanted = kst_jpeg_find_marker(data, length, from, &wanted_fill);
    assert_int_equal(wanted, find_plainly(data, length, from, &plain_fill));
    assert_int_equal(wanted_fill, plain_fill);
    assert_int_equal(kst_jpeg_find_last_marker(threads, NULL, data, length, from, &fill), wanted);
    if (wanted_fill <= MOST_FILL)
        assert_int_equal(fill, wanted_fill);
    else
        assert_true(fill > MOST_FILL);
    uint32_t far_fill = 0;
    assert_int_equal(kst_jpeg_find_far_marker(threads, NULL, data, length, from, &far_fill), wanted);
    if (wanted_fill <= MOST_FILL)
        assert_int_equal(far_fill, wanted_fill);
    else
        assert_true(far_fill > MOST_FILL);
}

/* Stuffed data with a marker at its end; runs of fill bytes over the borders of chunks, and markers there. */
static void test_threads(void **state)
{
    const kst_allocator standard = {0};
    struct memory memory;
    struct pool *threads;
    uint8_t *data = malloc(LENGTH);
    (void)state;
    assert_non_null(data);
    kst_memory_init(&memory, &standard, UINT64_MAX);
    assert_int_equal(kst_pool_create(&memory, 3, &threads), KST_OK);
    for (uint32_t round = 0; round < 60; round++) {
        size_t length = LENGTH - next_random() % 5000, from = next_random() % 700;
        size_t count = (length - from) >> 18, step = (length - from) / count + 1;
        for (size_t i = 0; i < length; i++)
            data[i] = i > 0 && data[i - 1] == 0xFF ? 0 : (uint8_t)(i * i >> 7 | 1);
        if (round % 4 != 3)
            memcpy(data + length - 2, "\xFF\xD9", 2);
        if (round % 4 > 0) { /* a run that ends at most a byte behind a border, or further on */
            size_t run = 1 + next_random() % (round % 8 == 1 ? 200 : 20);
            size_t at = from + (1 + next_random() % (count - 1)) * step - run + next_random() % (run + 2);
            memset(data + at, 0xFF, run);
            data[at + run] = round % 5 == 4 ? 0xD0 : 0;
            at = from + ((1 + next_random() % 45) << 16) - run + next_random() % (run + 2);
            memset(data + at, 0xFF, run);
            data[at + run] = round % 6 == 5 ? 0xD0 : 0;
        }
        check(threads, data, length, from);
        check(threads, data, round, from < round ? from : round);
    }
    kst_pool_destroy(&threads);
    free(data);
}

struct heard {
    const uint8_t *next;
    size_t calls;
};

static void hear(void *user, const void *data, size_t length)
{
    struct heard *heard = user;
    assert_ptr_equal(data, heard->next);
    assert_true(length >= 4 << 20 && length < 8 << 20);
    heard->next += length;
    heard->calls++;
}

/* The caller hears of all long data while they are searched, and of none that are short. */
static void test_searched(void **state)
{
    enum { LONG = 21 << 20 };
    const kst_allocator standard = {0};
    struct memory memory;
    struct pool *threads;
    uint8_t *data = calloc(1, LONG);
    (void)state;
    assert_non_null(data);
    memcpy(data + LONG - 2, "\xFF\xD9", 2);
    kst_memory_init(&memory, &standard, UINT64_MAX);
    assert_int_equal(kst_pool_create(&memory, 3, &threads), KST_OK);
    for (int many = 0; many < 2; many++)
        for (int far = 0; far < 2; far++) {
            struct pool *pool = many ? threads : NULL;
            struct heard heard = {.next = data + 5};
            const kst_searched searched = {hear, &heard};
            size_t (*find)(struct pool *, const kst_searched *, const uint8_t *, size_t, size_t, uint32_t *) =
                far ? kst_jpeg_find_far_marker : kst_jpeg_find_last_marker;
            uint32_t fill = 0;
            assert_int_equal(find(pool, &searched, data, LONG, 5, &fill), LONG - 2);
            assert_true(heard.calls > 3 && heard.next > data + LONG - (4 << 20));
            const size_t calls = heard.calls;
            assert_int_equal(find(pool, &searched, data, 4 << 20, 5, &fill), 4 << 20);
            assert_int_equal(heard.calls, calls);
        }
    kst_pool_destroy(&threads);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_searched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
