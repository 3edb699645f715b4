/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks directories of TIFF: copies them to the wide ones of BigTIFF and back, and reads damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/tiff/ifd.h"
#include "support/random.h"

enum { ROOM = 1 << 16, TAG_MAKE = 0x010F, TAG_TIME = 0x829A, TAG_INDEX = 1 };

static const uint8_t numbers[24] = {
    0, 0, 0, 1, 0, 0, 0x1F, 0x40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static struct ifd_entry pointer(const struct ifd_made *made, unsigned tag, uint64_t place, uint8_t room[4])
{
    ifd_put(made, room, 4, place);
    return (struct ifd_entry){.tag = (uint16_t)tag, .type = IFD_LONG, .count = 1, .value = room, .length = 4};
}

/* A text, and Exif with a fraction and, in a directory below, a short text. Returns where the first directory is. */
static uint64_t make(struct ifd_made *made)
{
    uint8_t room[2][4];
    const struct ifd_entry index = {TAG_INDEX, IFD_ASCII, 4, (const uint8_t *)"R98", 4};
    uint64_t place = ifd_make(made, &index, 1);
    const struct ifd_entry exif[] = {
        {TAG_TIME, IFD_RATIONAL, 3, numbers, 24}, pointer(made, TAG_INTEROP, place, room[0])};

    place = ifd_make(made, exif, 2);
    const struct ifd_entry first[] = {
        {TAG_MAKE, IFD_ASCII, 7, (const uint8_t *)"a make", 7}, pointer(made, TAG_EXIF, place, room[1])};
    return ifd_make(made, first, 2);
}

/* Look for what make() has made. */
static void check(const struct ifd_made *made, uint64_t place)
{
    const struct ifd_bytes bytes = {made->data, made->length, made->big_endian, made->wide, false};
    struct ifd ifd;
    struct ifd_entry entry;

    assert_false(made->failed);
    assert_false(made->damaged);
    assert_true(ifd_at(&bytes, place, &ifd));
    assert_int_equal(ifd.count, 2);
    assert_int_equal(ifd.next, 0);
    assert_true(ifd_find(&bytes, &ifd, TAG_MAKE, &entry));
    assert_int_equal(entry.count, 7);
    assert_memory_equal(entry.value, "a make", 7);
    assert_true(ifd_find(&bytes, &ifd, TAG_EXIF, &entry));
    assert_true(ifd_at(&bytes, ifd_number(&bytes, &entry), &ifd));
    assert_true(ifd_find(&bytes, &ifd, TAG_TIME, &entry));
    assert_int_equal(entry.length, sizeof numbers);
    assert_memory_equal(entry.value, numbers, sizeof numbers);
    assert_true(ifd_find(&bytes, &ifd, TAG_INTEROP, &entry));
    assert_true(ifd_at(&bytes, ifd_number(&bytes, &entry), &ifd));
    assert_true(ifd_find(&bytes, &ifd, TAG_INDEX, &entry));
    assert_int_equal(entry.length, 4);
    assert_memory_equal(entry.value, "R98", 4);
    assert_false(ifd_find(&bytes, &ifd, TAG_MAKE, &entry));
    assert_int_equal(entry.count, 0);
}

static void test_copies(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct ifd_made made = {.limit = ROOM, .big_endian = n % 2, .wide = n / 2};
        struct ifd_made other = {.limit = ROOM, .big_endian = made.big_endian, .wide = !made.wide};
        ifd_append(&made, "header..", 8);
        uint64_t place = make(&made);
        check(&made, place);
        const struct ifd_bytes from = {made.data, made.length, made.big_endian, made.wide, false};
        ifd_append(&other, "a header of", 11);
        check(&other, ifd_copy(&other, &from, place, NULL, NULL));
        free(made.data);
        free(other.data);
    }
}

/* Offsets are those of the file that the bytes are going to be in. */
static void test_base(void **state)
{
    struct ifd_made made = {.limit = ROOM, .base = 1000};
    (void)state;

    assert_int_equal(ifd_append(&made, "odd", 3), 1000);
    assert_int_equal(ifd_append(&made, "even", 4), 1004);
    assert_int_equal(made.length, 8);
    free(made.data);
}

/* A value that thousands of entries share does not become thousands of values. */
static void test_limit(void **state)
{
    enum { COUNT = 4000 };
    static uint8_t data[2 + COUNT * 12 + 4 + 8];
    const struct ifd_bytes from = {data, sizeof data, true, false, false};
    struct ifd_made made = {.limit = 4 * sizeof data, .big_endian = true};
    const struct ifd_made put = {.big_endian = true};
    (void)state;

    ifd_put(&put, data + 8, 2, COUNT - 1);
    for (size_t i = 0; i < COUNT - 1; i++) {
        uint8_t *entry = data + 10 + 12 * i;
        ifd_put(&put, entry, 2, i);
        ifd_put(&put, entry + 2, 2, IFD_UNDEFINED);
        ifd_put(&put, entry + 4, 4, sizeof data / 2);
        ifd_put(&put, entry + 8, 4, 0);
    }
    ifd_copy(&made, &from, 8, NULL, NULL);
    assert_true(made.failed);
    assert_true(made.room <= 8 * sizeof data);
    free(made.data);
}

/* A directory that points to itself is copied a few times, and said to be damaged. */
static void test_loop(void **state)
{
    struct ifd_made made = {.limit = ROOM};
    uint8_t room[4];
    (void)state;

    ifd_append(&made, "header..", 8);
    const struct ifd_entry entry = pointer(&made, TAG_EXIF, 8, room);
    uint64_t place = ifd_make(&made, &entry, 1);
    struct ifd_made copy = {.limit = ROOM};
    const struct ifd_bytes from = {made.data, made.length, false, false, false};
    ifd_copy(&copy, &from, place, NULL, NULL);
    assert_true(copy.damaged);
    assert_true(copy.length < 100);
    free(made.data);
    free(copy.data);
}

/* Nothing is read beside the bytes, which end where their memory ends. */
static void test_damage(void **state)
{
    uint32_t random = 1;
    (void)state;

    for (int n = 0; n < 20000; n++) {
        struct ifd_made made = {.limit = ROOM, .big_endian = n % 2, .wide = n % 4 / 2};
        ifd_append(&made, "header..", 8);
        uint64_t place = make(&made);
        size_t length = made.length - (n % 3 == 0 ? random_below(&random, (uint32_t)made.length) : 0);
        uint8_t *data = malloc(length);
        assert_non_null(data);
        memcpy(data, made.data, length);
        for (uint32_t i = random_below(&random, 6); i > 0; i--)
            data[random_below(&random, (uint32_t)length)] = (uint8_t)random_next(&random);
        const struct ifd_bytes from = {data, length, made.big_endian, made.wide, false};
        struct ifd_made copy = {.limit = 4 * length + 64, .big_endian = made.big_endian, .wide = n % 8 / 4};
        ifd_copy(&copy, &from, place, NULL, NULL);
        assert_true(copy.length <= copy.limit);
        free(copy.data);
        free(data);
        free(made.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
