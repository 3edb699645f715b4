/* SPDX-License-Identifier: BSD-2-Clause */
/* kst_metadata_update(): Exif of either byte order, XMP, and damage in both. */
#include <kostka/kostka.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/test.h"

enum {
    ORIENTATION_AT = 18,
    WIDTH_AT = 48,
    HEIGHT_AT = 60,
    LINK_AT = 34,
    THUMBNAIL_AT = 98,
    THUMBNAIL = 12,
    ROOM = 256
};

struct structure {
    uint8_t data[ROOM];
    size_t length;
    bool big_endian;
};

static void put(struct structure *s, size_t bytes, uint32_t value)
{
    for (size_t i = 0; i < bytes; i++)
        s->data[s->length++] = (uint8_t)(value >> 8 * (s->big_endian ? bytes - 1 - i : i));
}

static uint32_t get(const struct structure *s, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)s->data[at + i] << 8 * (s->big_endian ? bytes - 1 - i : i);
    return value;
}

static void put_entry(struct structure *s, uint32_t tag, uint32_t type, uint32_t value)
{
    put(s, 2, tag);
    put(s, 2, type);
    put(s, 4, 1);
    put(s, type == 3 ? 2 : 4, value);
    if (type == 3)
        put(s, 2, 0);
}

/* IFD0 with an orientation and the Exif IFD with a size, IFD1 with a thumbnail, and `tail` bytes behind that. */
static struct structure make(bool big_endian, size_t tail)
{
    struct structure s = {.big_endian = big_endian, .length = 2};
    memcpy(s.data, big_endian ? "MM" : "II", 2);
    put(&s, 2, 42);
    put(&s, 4, 8);
    put(&s, 2, 2);
    put_entry(&s, 0x0112, 3, 6);
    put_entry(&s, 0x8769, 4, 38);
    put(&s, 4, 68);
    put(&s, 2, 2);
    put_entry(&s, 0xA002, 4, 90);
    put_entry(&s, 0xA003, 4, 70);
    put(&s, 4, 0);
    put(&s, 2, 2);
    put_entry(&s, 0x0201, 4, THUMBNAIL_AT);
    put_entry(&s, 0x0202, 4, THUMBNAIL);
    put(&s, 4, 0);
    assert_int_equal(s.length, THUMBNAIL_AT);
    memset(s.data + s.length, 'T', THUMBNAIL);
    memset(s.data + s.length + THUMBNAIL, 'E', tail);
    s.length += THUMBNAIL + tail;
    return s;
}

static void test_exif(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct structure s = make(n % 2, n / 2 ? 5U : 0U);
        const struct structure before = s;
        kst_metadata_change change = {.size = sizeof change};
        assert_int_equal(kst_metadata_update(KST_METADATA_EXIF, s.data, s.length, &change), s.length);
        assert_memory_equal(s.data, before.data, s.length);
        change.width = 70;
        change.height = 91;
        change.orientation = 1;
        assert_int_equal(kst_metadata_update(KST_METADATA_EXIF, s.data, s.length, &change), s.length);
        assert_int_equal(get(&s, ORIENTATION_AT, 2), 1);
        assert_int_equal(get(&s, WIDTH_AT, 4), 70);
        assert_int_equal(get(&s, HEIGHT_AT, 4), 91);
        assert_int_equal(get(&s, LINK_AT, 4), 68);
        change.drop_thumbnail = true;
        size_t length = kst_metadata_update(KST_METADATA_EXIF, s.data, s.length, &change);
        assert_int_equal(length, n / 2 ? s.length : THUMBNAIL_AT);
        assert_int_equal(get(&s, LINK_AT, 4), 0);
        for (size_t i = 0; i < THUMBNAIL; i++)
            assert_int_equal(s.data[THUMBNAIL_AT + i], 0);
        for (size_t i = THUMBNAIL_AT + THUMBNAIL; i < s.length; i++)
            assert_int_equal(s.data[i], 'E');
    }
}

static void test_xmp(void **state)
{
    static const char packet[] =
        "<x xmlns:t='http://ns.adobe.com/tiff/1.0/' xmlns:C='http://ns.google.com/photos/1.0/container/' "
        "u:Orientation='6' t:Orientation = \"6\"><t:Orientation>8</t:Orientation><C:Directory><a/></C:Directory>!</x>";
    static const char wanted[] =
        "<x xmlns:t='http://ns.adobe.com/tiff/1.0/' xmlns:C='http://ns.google.com/photos/1.0/container/' "
        "u:Orientation='6' t:Orientation = \"1\"><t:Orientation>1</t:Orientation>!</x>";
    char text[sizeof packet];
    const kst_metadata_change change = {.size = sizeof change, .orientation = 1, .drop_others = true};
    (void)state;
    memcpy(text, packet, sizeof packet);
    assert_int_equal(kst_metadata_update(KST_METADATA_XMP, text, strlen(packet), &change), strlen(wanted));
    assert_memory_equal(text, wanted, strlen(wanted));
    memcpy(text, packet, sizeof packet);
    assert_int_equal(kst_metadata_update(KST_METADATA_COMMENT, text, strlen(packet), &change), strlen(packet));
    assert_memory_equal(text, packet, sizeof packet);
}

/* Memory of just the length, so that a sanitizer sees what goes beyond. */
static void test_damage(void **state)
{
    static const char packet[] =
        "<?x ?><!-- --><x xmlns:t='http://ns.adobe.com/tiff/1.0/' xmlns:C='http://ns.google.com/photos/1.0/container/' "
        "t:Orientation='6'><t:Orientation>8</t:Orientation><C:Directory><a/></C:Directory></x>";
    uint32_t random = 3;
    (void)state;
    for (int n = 0; n < 20000; n++) {
        const struct structure s = make(n % 2, (size_t)(n % 5));
        const void *from = n % 3 ? (const void *)s.data : packet;
        const size_t full = n % 3 ? s.length : strlen(packet),
                     length = n % 7 ? full : random_below(&random, (uint32_t)full);
        const kst_metadata_change change = {.size = sizeof change,
            .width = 7,
            .height = 8,
            .orientation = 1,
            .drop_thumbnail = true,
            .drop_others = true};
        uint8_t *data = malloc(length ? length : 1);
        assert_non_null(data);
        memcpy(data, from, length);
        for (int i = 0; i < n % 4 && length > 0; i++)
            data[random_below(&random, (uint32_t)length)] = (uint8_t)random_next(&random);
        const kst_metadata_kind kind = n % 3 ? KST_METADATA_EXIF : KST_METADATA_XMP;
        assert_true(kst_metadata_update(kind, data, length, &change) <= length);
        free(data);
    }
}

static void test_misuse(void **state)
{
    struct structure s = make(true, 0), before = s;
    kst_metadata_change change = {.size = sizeof change - 1, .orientation = 1};
    (void)state;
    assert_int_equal(kst_metadata_update(KST_METADATA_EXIF, NULL, 0, &change), 0);
    assert_int_equal(kst_metadata_update(KST_METADATA_EXIF, s.data, s.length, NULL), s.length);
    assert_int_equal(kst_metadata_update(KST_METADATA_EXIF, s.data, s.length, &change), s.length);
    change.size = sizeof change;
    change.orientation = 9;
    assert_int_equal(kst_metadata_update(KST_METADATA_EXIF, s.data, s.length, &change), s.length);
    assert_memory_equal(s.data, before.data, s.length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exif), cmocka_unit_test(test_xmp),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_misuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
