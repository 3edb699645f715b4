/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests output sinks, to memory that grows, to memory that is given, and to a writer. */
#include "core/sink.h"

#include <string.h>

#include "support/test.h"

static void test_growing(void **state)
{
    (void)state;
    struct memory memory;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    struct sink sink;
    kst_sink_init(&sink, &memory);
    for (unsigned i = 0; i < 30000; i++) {
        kst_sink_u8(&sink, (uint8_t)i);
        kst_sink_u16(&sink, (uint16_t)i);
        kst_sink_bytes(&sink, "ab", i % 3);
    }
    assert_int_equal(sink.status, KST_OK);
    assert_int_equal(sink.length, 30000 * 4);
    const uint8_t *p = sink.data;
    for (unsigned i = 0; i < 30000; i++) {
        assert_int_equal(p[0], i & 255);
        assert_int_equal(p[1] << 8 | p[2], i);
        p += 3;
        for (unsigned k = 0; k < i % 3; k++)
            assert_int_equal(*p++, 'a' + k);
    }
    kst_sink_release(&sink);
    assert_int_equal(memory.used, 0);
}

static void test_reserve(void **state)
{
    (void)state;
    struct memory memory;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    struct sink sink;
    kst_sink_init(&sink, &memory);
    uint8_t *to = kst_sink_reserve(&sink, 100000);
    assert_non_null(to);
    to[0] = 1;
    to[99999] = 2;
    assert_int_equal(sink.length, 0);
    sink.length = 3;
    assert_ptr_equal(kst_sink_reserve(&sink, 1), sink.data + 3);
    assert_int_equal(sink.data[0], 1);
    assert_null(kst_sink_reserve(&sink, SIZE_MAX - 1));
    assert_int_equal(sink.status, KST_ERROR_LIMIT_MEMORY);
    kst_sink_release(&sink);
    assert_int_equal(memory.used, 0);
}

static void test_fixed(void **state)
{
    (void)state;
    uint8_t bytes[6] = {0, 0, 0, 0, 0, 99};
    struct sink sink;
    kst_sink_init_fixed(&sink, bytes, 5);
    kst_sink_u16(&sink, 0x0102);
    kst_sink_bytes(&sink, "xyz", 3);
    assert_int_equal(sink.status, KST_OK);
    kst_sink_bytes(&sink, "", 0);
    assert_int_equal(sink.status, KST_OK);
    kst_sink_u8(&sink, 1);
    assert_int_equal(sink.status, KST_ERROR_BUFFER_FULL);
    assert_memory_equal(bytes, "\1\2xyz", 5);
    assert_int_equal(bytes[5], 99);
    kst_sink_release(&sink);
    assert_null(sink.data);
}

static void test_errors_stick(void **state)
{
    (void)state;
    uint8_t bytes[4];
    struct sink sink;
    kst_sink_init_fixed(&sink, bytes, 4);
    kst_sink_bytes(&sink, "12345", 5);
    assert_int_equal(sink.status, KST_ERROR_BUFFER_FULL);
    kst_sink_u8(&sink, 1);
    assert_int_equal(sink.length, 0);
    assert_null(kst_sink_reserve(&sink, 0));

    struct memory memory;
    kst_memory_init(&memory, NULL, 6000);
    kst_sink_init(&sink, &memory);
    kst_sink_bytes(&sink, "12345", 5);
    assert_null(kst_sink_reserve(&sink, 8000));
    assert_int_equal(sink.status, KST_ERROR_LIMIT_MEMORY);
    assert_int_equal(sink.length, 5);
    kst_sink_release(&sink);
    assert_int_equal(memory.used, 0);
}

struct taken {
    uint8_t data[3 * SINK_PIECE];
    uint64_t end;
    size_t most;
};

static bool take(void *user, uint64_t offset, const void *data, size_t length)
{
    struct taken *taken = user;
    if (offset + length > taken->most)
        return false;
    memcpy(taken->data + offset, data, length);
    taken->end = offset + length > taken->end ? offset + length : taken->end;
    return true;
}

/* Bytes go to the writer when they are enough, and may be changed before and after. */
static void test_writer(void **state)
{
    static struct taken taken;
    (void)state;
    struct memory memory;
    struct sink sink;
    const kst_writer writer = {.size = sizeof writer, .write = take, .user = &taken};
    kst_memory_init(&memory, NULL, UINT64_MAX);
    kst_sink_init_writer(&sink, &memory, &writer);
    taken.most = sizeof taken.data;
    for (uint32_t i = 0; i < SINK_PIECE / 2; i++) {
        kst_sink_u32(&sink, i);
        kst_sink_settle(&sink);
    }
    assert_int_equal(taken.end, 2 * SINK_PIECE);
    kst_sink_bytes(&sink, "1234", 4);
    kst_sink_settle(&sink);
    assert_int_equal(taken.end, 2 * SINK_PIECE);
    assert_int_equal(kst_sink_position(&sink), 2 * SINK_PIECE + 4);
    kst_sink_patch(&sink, 0, "ab", 2);
    kst_sink_patch(&sink, 2 * SINK_PIECE - 2, "cdefg", 5);
    kst_sink_patch(&sink, 2 * SINK_PIECE + 3, "h", 1);
    kst_sink_flush(&sink);
    assert_memory_equal(taken.data, "ab\0\0\0\0\0\1", 8);
    assert_memory_equal(taken.data + 2 * SINK_PIECE - 2, "cdefgh", 6);
    kst_sink_rewind(&sink, 1);
    kst_sink_bytes(&sink, "xyz", 3);
    kst_sink_rewind(&sink, 3);
    kst_sink_flush(&sink);
    assert_memory_equal(taken.data, "axy\0\0\0\0\1", 8);
    assert_int_equal(kst_sink_position(&sink), 3);
    assert_int_equal(sink.status, KST_OK);
    taken.most = 4;
    kst_sink_bytes(&sink, "xyz", 3);
    kst_sink_flush(&sink);
    assert_int_equal(sink.status, KST_ERROR_WRITE);
    assert_null(kst_sink_reserve(&sink, 1));
    kst_sink_release(&sink);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_errors_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
