/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests metadata in segments: their kinds, ICC profiles in parts, and Exif with hostile offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "core/report.h"
#include "image/exif.h"
#include "jpeg/syntax/metadata.h"

/* A stream of segments, kept in a block of exactly its size so that sanitizers see every byte read past its end. */
struct stream {
    uint8_t *data;
    size_t length;
    struct jpeg_marker_segment segment[600];
    size_t count;
};

static void add(struct stream *s, uint8_t marker, const void *contents, uint32_t length)
{
    uint8_t *grown = realloc(s->data, s->length + length + 1);
    assert_non_null(grown);
    s->data = grown;
    if (length)
        memcpy(s->data + s->length, contents, length);
    s->segment[s->count++] = (struct jpeg_marker_segment){.offset = s->length, .length = length, .marker = marker};
    s->length += length;
    grown = realloc(s->data, s->length ? s->length : 1);
    assert_non_null(grown);
    s->data = grown;
}

static void add_icc(struct stream *s, uint8_t number, uint8_t chunks, const char *text)
{
    uint8_t contents[64] = "ICC_PROFILE";
    size_t length = strlen(text);
    contents[12] = number;
    contents[13] = chunks;
    memcpy(contents + 14, text, length);
    add(s, 0xE2, contents, (uint32_t)(14 + length));
}

static struct memory memory;
static struct metadata_list metadata;
static kst_report report;

static kst_status assemble(const struct stream *s, uint64_t limit, bool strict)
{
    const kst_limits limits = {.metadata = limit};
    const struct operation op = {.memory = &memory, .limits = &limits, .report = &report};
    kst_memory_init(&memory, NULL, UINT64_MAX);
    kst_report_init(&report);
    return kst_jpeg_metadata_assemble(&op, s->data, s->segment, s->count, strict, &metadata);
}

static void done(struct stream *s)
{
    kst_metadata_list_release(&memory, &metadata);
    assert_int_equal(atomic_load(&memory.used), 0);
    free(s->data);
}

static void check_item(size_t index, kst_metadata_kind kind, uint8_t marker, const char *text)
{
    assert_true(index < metadata.count);
    const kst_metadata *item = &metadata.item[index];
    assert_int_equal(item->kind, kind);
    assert_int_equal(item->marker, marker);
    assert_int_equal(item->length, strlen(text));
    assert_memory_equal(item->data, text, item->length);
}

static void test_kinds(void **state)
{
    struct stream s = {.count = 0};
    (void)state;
    add(&s, 0xE0, "JFIF\0\1\2\0\0\1\0\1\0", 14);
    add(&s, 0xE1, "Exif\0\0MM", 8);
    add(&s, 0xE1, "http://ns.adobe.com/xap/1.0/\0<x/>", 33);
    add(&s, 0xE1, "http://ns.adobe.com/xap/1.0/", 28);
    add(&s, 0xFE, "hello", 5);
    add(&s, 0xEE, "Adobe\0\144\0\0\0\0\1", 12);
    add(&s, 0xEC, "Ducky", 5);
    add_icc(&s, 1, 1, "profile");
    add(&s, 0xE1, "Exif", 4);
    add(&s, 0xE0, "JFXX", 4);
    add(&s, 0xFE, NULL, 0);
    assert_int_equal(assemble(&s, UINT64_MAX, true), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(metadata.count, 9);
    check_item(0, KST_METADATA_EXIF, 0xE1, "MM");
    check_item(1, KST_METADATA_XMP, 0xE1, "<x/>");
    check_item(2, KST_METADATA_APP, 0xE1, "http://ns.adobe.com/xap/1.0/");
    check_item(3, KST_METADATA_COMMENT, 0xFE, "hello");
    check_item(4, KST_METADATA_APP, 0xEC, "Ducky");
    check_item(5, KST_METADATA_ICC, 0xE2, "profile");
    check_item(6, KST_METADATA_APP, 0xE1, "Exif");
    check_item(7, KST_METADATA_APP, 0xE0, "JFXX");
    check_item(8, KST_METADATA_COMMENT, 0xFE, "");
    assert_int_equal(metadata.item[3].offset, s.segment[4].offset);
    assert_int_equal(metadata.orientation, 1);
    done(&s);
}

static void test_headers(void **state)
{
    struct stream s = {.count = 0};
    struct jpeg_jfif jfif;
    uint8_t transform = 9;
    (void)state;
    add(&s, 0xE0, "JFIF\0\1\2\2\1\2\3\4\0\0", 14);
    add(&s, 0xE0, "JFIF\0\1\2\2\1\2\3\4\0", 13);
    add(&s, 0xEE, "Adobe\0\144\0\0\0\0\2", 12);
    add(&s, 0xEE, "Adobe\0\144\0\0\0\0", 11);
    assert_true(kst_jpeg_segment_jfif(s.data, &s.segment[0], &jfif));
    assert_int_equal(jfif.major, 1);
    assert_int_equal(jfif.minor, 2);
    assert_int_equal(jfif.unit, 2);
    assert_int_equal(jfif.x, 0x102);
    assert_int_equal(jfif.y, 0x304);
    assert_false(kst_jpeg_segment_jfif(s.data, &s.segment[1], &jfif));
    assert_false(kst_jpeg_segment_jfif(s.data, &s.segment[2], &jfif));
    assert_true(kst_jpeg_segment_adobe(s.data, &s.segment[2], &transform));
    assert_int_equal(transform, 2);
    assert_false(kst_jpeg_segment_adobe(s.data, &s.segment[3], &transform));
    free(s.data);
}

static void test_icc_any_order(void **state)
{
    struct stream s = {.count = 0};
    (void)state;
    add_icc(&s, 3, 3, "cc");
    add(&s, 0xFE, "between", 7);
    add_icc(&s, 1, 3, "aaaa");
    add_icc(&s, 2, 3, "");
    assert_int_equal(assemble(&s, UINT64_MAX, true), KST_OK);
    assert_int_equal(metadata.count, 2);
    check_item(0, KST_METADATA_ICC, 0xE2, "aaaacc");
    assert_int_equal(metadata.item[0].offset, s.segment[0].offset);
    check_item(1, KST_METADATA_COMMENT, 0xFE, "between");
    done(&s);
}

static void test_icc_255_chunks(void **state)
{
    struct stream s = {.count = 0};
    char all[256] = "";
    (void)state;
    for (int i = 255; i >= 1; i--)
        add_icc(&s, (uint8_t)i, 255, (char[]){(char)('a' + i % 26), 0});
    for (int i = 1; i <= 255; i++)
        all[i - 1] = (char)('a' + i % 26);
    assert_int_equal(assemble(&s, UINT64_MAX, true), KST_OK);
    assert_int_equal(metadata.count, 1);
    check_item(0, KST_METADATA_ICC, 0xE2, all);
    done(&s);
}

static void check_bad_icc(struct stream *s, size_t culprit)
{
    assert_int_equal(assemble(s, UINT64_MAX, false), KST_OK);
    assert_int_equal(report.warnings, 1);
    assert_int_equal(report.first_warning, KST_WARNING_JPEG_ICC);
    assert_int_equal(report.first_warning_offset, s->segment[culprit].offset);
    assert_int_equal(metadata.count, s->count);
    for (size_t i = 0; i < metadata.count; i++) {
        assert_int_equal(metadata.item[i].kind, KST_METADATA_APP);
        assert_int_equal(metadata.item[i].length, s->segment[i].length);
    }
    kst_metadata_list_release(&memory, &metadata);
    assert_int_equal(assemble(s, UINT64_MAX, true), KST_WARNING_JPEG_ICC);
    assert_null(metadata.item);
    done(s);
}

static void test_icc_inconsistent(void **state)
{
    const struct {
        uint8_t number[3], chunks[3];
        size_t culprit;
    } cases[] = {
        {{0, 0, 0}, {0, 0, 0}, 0},   /* chunk 0 of 0 */
        {{1, 2, 2}, {3, 3, 3}, 2},   /* one twice, one missing */
        {{1, 2, 3}, {3, 3, 4}, 2},   /* they disagree on how many */
        {{1, 2, 3}, {5, 5, 5}, 0},   /* two missing */
        {{1, 2, 200}, {3, 3, 3}, 2}, /* number above how many */
        {{255, 254, 255}, {255, 255, 255}, 2},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct stream s = {.count = 0};
        for (int i = 0; i < 3; i++)
            add_icc(&s, cases[c].number[i], cases[c].chunks[i], "x");
        check_bad_icc(&s, cases[c].culprit);
    }
    struct stream empty = {.count = 0};
    add_icc(&empty, 1, 1, "");
    check_bad_icc(&empty, 0);
}

static void test_icc_too_short(void **state)
{
    struct stream s = {.count = 0};
    (void)state;
    add(&s, 0xE2, "ICC_PROFILE\0\1", 13);
    assert_int_equal(assemble(&s, UINT64_MAX, true), KST_OK);
    assert_int_equal(metadata.count, 1);
    assert_int_equal(metadata.item[0].kind, KST_METADATA_APP);
    done(&s);
}

static void test_limit(void **state)
{
    struct stream s = {.count = 0};
    (void)state;
    add(&s, 0xFE, "12345", 5);
    add(&s, 0xFE, "678", 3);
    assert_int_equal(assemble(&s, 8, true), KST_OK);
    kst_metadata_list_release(&memory, &metadata);
    assert_int_equal(assemble(&s, 7, true), KST_ERROR_LIMIT_METADATA);
    assert_int_equal(report.offset, 5);
    done(&s);
}

static int allocations_left;

static void *failing_allocate(void *user, size_t length)
{
    (void)user;
    return allocations_left-- > 0 ? malloc(length) : NULL;
}

static void failing_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static void test_allocation_failure(void **state)
{
    struct stream s = {.count = 0};
    const kst_limits limits = {.metadata = 1000};
    const struct operation op = {.memory = &memory, .limits = &limits, .report = &report};
    const kst_allocator failing = {failing_allocate, failing_release, NULL};
    (void)state;
    add_icc(&s, 1, 2, "a");
    add_icc(&s, 2, 2, "b");
    for (int n = 0;; n++) {
        allocations_left = n;
        kst_memory_init(&memory, &failing, UINT64_MAX);
        kst_report_init(&report);
        kst_status status = kst_jpeg_metadata_assemble(&op, s.data, s.segment, s.count, false, &metadata);
        if (!status) {
            assert_true(n >= 2);
            break;
        }
        assert_int_equal(status, KST_ERROR_MEMORY);
        assert_int_equal(atomic_load(&memory.used), 0);
    }
    done(&s);
}

/* TIFF structures are written field by field in either byte order. */
struct tiff {
    uint8_t data[512];
    size_t length;
    bool big_endian;
};

static void put(struct tiff *t, size_t size, uint32_t value)
{
    for (size_t i = 0; i < size; i++)
        t->data[t->length++] = (uint8_t)(value >> 8 * (t->big_endian ? size - 1 - i : i));
}

static void start(struct tiff *t, bool big_endian, uint32_t ifd, uint32_t entries)
{
    *t = (struct tiff){.big_endian = big_endian};
    memset(t->data, big_endian ? 'M' : 'I', 2);
    t->length = 2;
    put(t, 2, 42);
    put(t, 4, ifd);
    while (t->length < ifd && ifd < 64)
        put(t, 1, 0);
    put(t, 2, entries);
}

static void entry(struct tiff *t, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    put(t, 2, tag);
    put(t, 2, type);
    put(t, 4, count);
    if (type == 3) {
        put(t, 2, value);
        put(t, 2, 0);
    } else {
        put(t, 4, value);
    }
}

/* From a block of exactly the length, so that sanitizers see every byte read past its end. */
static int orientation(const struct tiff *t, size_t length)
{
    uint8_t *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, t->data, length);
    int value = kst_exif_orientation(copy, length);
    free(copy);
    return value;
}

static void test_orientation(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct tiff t;
        for (uint32_t value = 0; value <= 9; value++) {
            start(&t, order, 8, 2);
            entry(&t, 0x010F, 2, 4, 0);
            entry(&t, 0x0112, 3, 1, value);
            assert_int_equal(orientation(&t, t.length), value >= 1 && value <= 8 ? (int)value : 1);
        }
        start(&t, order, 20, 1);
        entry(&t, 0x0112, 4, 1, 6);
        assert_int_equal(orientation(&t, t.length), 6);
        /* Cut anywhere, it ends in the default. */
        for (size_t length = 0; length < t.length; length++)
            assert_int_equal(orientation(&t, length), 1);
        /* More entries than there is data for: those that are whole count. */
        start(&t, order, 8, 65535);
        entry(&t, 0x0112, 3, 1, 8);
        put(&t, 4, 0);
        assert_int_equal(orientation(&t, t.length), 8);
        /* A count or type that is not one number. */
        start(&t, order, 8, 1);
        entry(&t, 0x0112, 3, 2, 8);
        assert_int_equal(orientation(&t, t.length), 1);
        start(&t, order, 8, 1);
        entry(&t, 0x0112, 5, 1, 8);
        assert_int_equal(orientation(&t, t.length), 1);
    }
}

static void test_hostile_offsets(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        static const uint32_t offsets[] = {0, 1, 6, 20, 21, 22, 23, 24, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            struct tiff t;
            start(&t, order, 8, 1);
            entry(&t, 0x8769, 4, 1, offsets[i]);
            t.length -= 14 + 4;
            put(&t, 4, offsets[i]);
            t.length += 14;
            uint8_t *copy = malloc(t.length);
            assert_non_null(copy);
            memcpy(copy, t.data, t.length);
            assert_in_range(kst_exif_orientation(copy, t.length), 1, 8);
            kst_exif_set_size(copy, t.length, 1, 2);
            free(copy);
            /* The same hostile offset to the Exif IFD. */
            start(&t, order, 8, 1);
            entry(&t, 0x8769, 4, 1, offsets[i]);
            copy = malloc(t.length);
            assert_non_null(copy);
            memcpy(copy, t.data, t.length);
            kst_exif_set_size(copy, t.length, 1, 2);
            free(copy);
        }
    }
}

static void test_set_size(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct tiff t, wanted;
        for (int after = 0; after < 2; after++) {
            struct tiff *to = after ? &wanted : &t;
            start(to, order, 8, 2);
            entry(to, 0x0112, 3, 1, 6);
            entry(to, 0x8769, 4, 1, 34);
            put(to, 2, 3);
            entry(to, 0xA001, 3, 1, 1);
            entry(to, 0xA002, after ? 4 : 3, 1, after ? 54321 : 100);
            entry(to, 0xA003, 4, after ? 1 : 7, after ? 12 : 200);
        }
        assert_int_equal(t.length, wanted.length);
        kst_exif_set_size(t.data, t.length, 54321, 12);
        assert_memory_equal(t.data, wanted.data, wanted.length);
        for (size_t length = 0; length < t.length; length++) {
            uint8_t *copy = malloc(length ? length : 1);
            assert_non_null(copy);
            memcpy(copy, t.data, length);
            kst_exif_set_size(copy, length, 1, 2);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_icc_any_order),
        cmocka_unit_test(test_icc_255_chunks),
        cmocka_unit_test(test_icc_inconsistent),
        cmocka_unit_test(test_icc_too_short),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_allocation_failure),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_hostile_offsets),
        cmocka_unit_test(test_set_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
