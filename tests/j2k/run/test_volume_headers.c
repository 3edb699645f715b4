/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of multiple component transforms that contradict themselves, or ask for too much, and what the errors say. */
#include <stdlib.h>
#include <string.h>

#include "support/j2k/multi_model.h"
#include "support/j2k/volumes.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 9, HEIGHT = 6, COUNT = 3, TILE = 5, ARRAYS = 2 /* bit of COD */ };

static struct made headers, own;

/*
 * Append marker segments that are given as text: the name of a marker begins a segment, and its contents are digits in
 * base 16; blanks do not count.
 */
static const struct {
    char name[4];
    uint8_t marker;
} markers[] = {{"MCT", 0x74}, {"MCC", 0x75}, {"MCO", 0x77}, {"CBD", 0x78}, {"ATK", 0x79}};

/* Return the marker whose name is here; 0: none. */
static uint8_t marker_at(const char *text)
{
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (strncmp(text, markers[i].name, 3) == 0)
            return markers[i].marker;
    return 0;
}

static void put_text(struct made *made, const char *text)
{
    uint8_t contents[512];
    while (*text) {
        const uint8_t marker = marker_at(text);
        size_t length = 0;
        assert_int_not_equal(marker, 0);
        for (text += 3; *text && !marker_at(text); text += *text == ' ' ? 1 : 2) {
            const char digits[] = {text[0], text[1], '\0'};
            if (*text != ' ')
                contents[length++] = (uint8_t)strtoul(digits, NULL, 16);
        }
        made_segment(made, marker, contents, length);
    }
}

#define DEPTHS "CBD 8003 93 "
#define ONLY "MCO 01 01 "
/* A stage with one collection over all three components, of kind `kind` and with the Tmcc `array`. */
#define STAGE(kind, array) "MCC 0000 01 0000 0001 " kind " 0003 000102 0003 000102 " array " "
#define SAME STAGE("01", "000000")
#define MATRIX "MCT 0000 0101 0000 0001 0000 0000 0000 0001 0000 0000 0000 0001 "
#define OFFSETS "MCT 0000 0201 0000 0001 0002 0003 "
/* Steps whose divisors are the given ones. */
#define STEPS(a, b, c, d) "MCT 0000 0101 0000 00010001 " a " 0001 " b " 0001 " c " 0001 0001 00010001 " d " "
#define RULE(a, b) "MCT 0000 0001 0000 0001 " a " 0001 0001 " b " "

struct hostile {
    const char *main, *tile;
    kst_status status;
    const char *says;
};

static const struct hostile cases[] = {
    /* what is described twice or not at all */
    {DEPTHS DEPTHS SAME ONLY, NULL, KST_ERROR_J2K_MARKER, "CBD: a second one"},
    {SAME ONLY, NULL, KST_ERROR_J2K_MULTI, "there is no CBD"},
    {DEPTHS SAME ONLY ONLY, NULL, KST_ERROR_J2K_MARKER, "MCO: a second one"},
    {DEPTHS SAME SAME ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: a second one"},
    {DEPTHS MATRIX MATRIX STAGE("01", "000001") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCT: a second one"},
    {DEPTHS ONLY, NULL, KST_ERROR_J2K_MULTI, "MCO: a stage that no MCC describes"},
    {DEPTHS MATRIX STAGE("01", "000002") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: an array that does not exist"},
    {DEPTHS MATRIX STAGE("00", "000001") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: an array that does not exist"},
    {DEPTHS STAGE("03", "010901 00000000") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: an offset array that does not"},
    /* numbers that do not agree */
    {"CBD 0003 9393 " SAME ONLY, NULL, KST_ERROR_J2K_LENGTH, "CBD: depths of another number"},
    {"CBD 8004 93 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI, "MCO: CBD has another number of components"},
    {"CBD FFFF 93 " SAME ONLY, NULL, KST_ERROR_J2K_COMPONENTS, "CBD: their number"},
    {DEPTHS SAME "MCO 02 01 ", NULL, KST_ERROR_J2K_LENGTH, "MCO: another number of stages"},
    {DEPTHS "MCT 0000 0101 0000 0001 " STAGE("01", "000001") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: an array of another"},
    {DEPTHS "MCT 0000 0101 0000 00 " STAGE("01", "000001") ONLY, NULL, KST_ERROR_J2K_LENGTH, "MCT: a number of bytes"},
    {DEPTHS MATRIX STAGE("01", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: an array of another size"},
    {DEPTHS RULE("0001", "0001") STAGE("00", "000001") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: an array of another size"},
    {DEPTHS "MCT 0000 0201 0000 0001 0002 " STAGE("01", "000100") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: an offset array"},
    {DEPTHS "MCC 0000 01 0000 0002 01 0003 000102 0003 000102 000000 " ONLY, NULL, KST_ERROR_J2K_LENGTH,
        "MCC: a collection is cut off"},
    {DEPTHS "MCC 0000 01 0000 0001 01 0003 000102 0002 0001 000000 " ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: other numbers of inputs and outputs"},
    {DEPTHS "MCC 0000 01 0000 0001 03 0003 000102 0002 0001 010001 00000000 " ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a wavelet with other numbers"},
    {DEPTHS "MCC 0000 01 0000 0001 01 0003 000102 0003 000102 000000 00 " ONLY, NULL, KST_ERROR_J2K_LENGTH,
        "MCC: bytes behind the last collection"},
    /* components */
    {DEPTHS "MCC 0000 01 0000 0001 01 0003 000103 0003 000102 000000 " ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a component that does not exist"},
    {DEPTHS "MCC 0000 01 0000 0001 01 8003 00000001FFFF 0003 000102 000000 " ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a component beyond the most"},
    {DEPTHS "MCC 0000 01 0000 0001 01 0003 000102 0003 000101 000000 " ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a component that is made twice"},
    {DEPTHS "MCC 0000 01 0000 0001 01 0003 000102 0003 000103 000000 " ONLY, NULL, KST_ERROR_J2K_EXTENSION,
        "MCC: components that no collection makes"},
    /* the second stage takes what the first one no longer has */
    {DEPTHS
        "MCC 0000 01 0000 0001 01 0002 0001 0002 0001 000000 MCC 0000 02 0000 0001 01 0003 000102 0003 000102 000000 "
        "MCO 02 0102 ",
        NULL, KST_ERROR_J2K_MULTI, "MCC: a component that does not exist"},
    /* a stage that takes what it makes, which is no longer there the second time */
    {DEPTHS "MCC 0000 01 0000 0001 01 0002 0102 0002 0001 000000 MCO 02 0101 ", NULL, KST_ERROR_J2K_MULTI,
        "MCO: a component that does not exist"},
    /* values */
    {DEPTHS "MCT 0000 0A01 0000 7FC00000 00000000 00000000 " STAGE("01", "000100") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a value that is no number"},
    {DEPTHS "MCT 0000 0A01 0000 3F000000 00000000 00000000 " STAGE("01", "000100") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "an offset that is too large, or no whole number"},
    {DEPTHS "MCT 0000 0A01 0000 4F800000 00000000 00000000 " STAGE("01", "000100") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "an offset that is too large, or no whole number"},
    {DEPTHS STEPS("0003", "0001", "0001", "0001") STAGE("01", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a divisor that is no power of two"},
    {DEPTHS STEPS("0001", "0000", "0001", "0001") STAGE("01", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a divisor that is no power of two"},
    {DEPTHS STEPS("0001", "0001", "FFFE", "0001") STAGE("01", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a divisor that is no power of two"},
    {DEPTHS STEPS("0001", "0001", "0001", "0006") STAGE("01", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCC: a divisor that is no power of two"},
    {DEPTHS RULE("0005", "0001") STAGE("00", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: a divisor"},
    {DEPTHS RULE("0001", "0007") STAGE("00", "010001") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: a divisor"},
    {DEPTHS "MCT 0000 0801 0000 3F800000 3F800000 3F000000 3F800000 3F800000 " STAGE("00", "010001") ONLY, NULL,
        KST_ERROR_J2K_MULTI, "MCC: a reversible array with other numbers than integers"},
    /* a reversible transform of what an irreversible one made */
    {DEPTHS MATRIX
        "MCC 0000 01 0000 0001 01 0003 000102 0003 000102 000001 MCC 0000 02 0000 0001 03 0003 000102 0003 000102 "
        "010001 00000000 MCO 02 0102 ",
        NULL, KST_ERROR_J2K_EXTENSION, "a reversible transform of components that are not coded reversibly"},
    /* kinds and bits */
    {DEPTHS STAGE("02", "000000") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: an unknown kind of transform"},
    {DEPTHS STAGE("01", "020000") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: unknown bits of Tmcc"},
    {DEPTHS "MCT 0000 0301 0000 0001 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI, "MCT: an unknown kind"},
    {DEPTHS "MCT 0000 0100 0000 0001 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI, "MCT: an unknown kind, or the index 0"},
    {DEPTHS STAGE("03", "010002 00000000") ONLY, NULL, KST_ERROR_J2K_EXTENSION, "MCC: a wavelet of ATK"},
    {DEPTHS STAGE("03", "410001 00000000") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: more than 32 levels, or an ADS"},
    {DEPTHS STAGE("03", "010001 FFFFFFFE") ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: positions along z beyond 32 bits"},
    {DEPTHS "ATK 0000 " SAME ONLY, NULL, KST_ERROR_J2K_EXTENSION, "ATK"},
    /* series */
    {DEPTHS "MCT 0000 0201 0001 0001 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a series that lacks its last segments"},
    {DEPTHS "MCT 0000 0201 0002 0001 MCT 0002 0201 0002 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a segment of a series"},
    {DEPTHS "MCT 0000 0201 0001 0001 MCT 0001 0601 0002 0003 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a segment of a series"},
    {DEPTHS "MCT 0001 0201 0001 MCT 0000 0201 0001 0001 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a segment of a series"},
    {DEPTHS "MCT 0000 0201 0000 0001 MCT 0001 0201 0001 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a segment of a series"},
    {DEPTHS "MCT 0000 0201 0002 0001 MCT 0001 0201 0002 MCT 0001 0201 0003 " SAME ONLY, NULL, KST_ERROR_J2K_MULTI,
        "MCT: a segment of a series"},
    {DEPTHS "MCC 0000 01 0001 0001 01 0003 00 " ONLY, NULL, KST_ERROR_J2K_MULTI, "MCC: a series that lacks"},
    {DEPTHS "MCC 0000 01 0001 0001 01 0003 00 MCC 0001 01 0102 0003 0001 " ONLY, NULL, KST_ERROR_J2K_LENGTH,
        "MCC: a list is cut off"},
    {DEPTHS "MCT 00 " SAME ONLY, NULL, KST_ERROR_J2K_LENGTH, "MCT: it is too short"},
    {DEPTHS "MCT 0000 0201 00 " SAME ONLY, NULL, KST_ERROR_J2K_LENGTH, "MCT: it is too short"},
    {DEPTHS "MCC 0000 " ONLY, NULL, KST_ERROR_J2K_LENGTH, "MCC: it is too short"},
    /* headers of a tile */
    {DEPTHS SAME ONLY, DEPTHS, KST_ERROR_J2K_MARKER, "CBD: outside the main header"},
    {DEPTHS SAME ONLY, "ATK 0000 ", KST_ERROR_J2K_EXTENSION, "ATK: in the header of a tile-part"},
    {DEPTHS SAME ONLY, ONLY ONLY, KST_ERROR_J2K_MARKER, "MCO: a second one"},
    {DEPTHS SAME ONLY, SAME SAME, KST_ERROR_J2K_MULTI, "MCC: a second one"},
    {DEPTHS SAME ONLY, "MCO 01 02 ", KST_ERROR_J2K_MULTI, "MCO: a stage that no MCC describes"},
    {DEPTHS MATRIX STAGE("01", "000001") ONLY, "MCT 0000 0101 0000 0001 ", KST_ERROR_J2K_MULTI,
        "MCC: an array of another"},
    {DEPTHS SAME ONLY, "MCC 0000 01 0000 0001 01 0002 0001 0002 0001 000000 ", KST_ERROR_J2K_MULTI,
        "MCO: CBD has another number"},
    {DEPTHS SAME ONLY, "MCC 0000 02 0000 0001 01 0004 00010203 0003 000102 000000 MCO 01 02 ", KST_ERROR_J2K_MULTI,
        "MCC: other numbers of inputs and outputs"},
    {DEPTHS SAME ONLY, "MCT 0000 0201 0001 0001 ", KST_ERROR_J2K_MULTI, "MCT: a series that lacks its last segments"},
    {"CBD 8002 93 MCC 0000 01 0000 0001 01 0002 0001 0002 0001 000000 " ONLY, "MCO 00 ", KST_ERROR_J2K_MULTI,
        "MCO: CBD has another number"},
    {"CBD 8002 93 ", NULL, KST_ERROR_J2K_MULTI, "components that no stage transforms"},
};

static void expect_error(const kst_buffer *coded, const struct hostile *hostile, size_t number)
{
    kst_report report;
    kst_volume back;
    headers.length = own.length = 0;
    put_text(&headers, hostile->main);
    put_text(&own, hostile->tile ? hostile->tile : "");
    kst_buffer wrapped = model_wrap(coded, &headers, ARRAYS, 1, hostile->tile ? &own : NULL);
    kst_report_init(&report);
    kst_volume_init(&back);
    const kst_status status = kst_decode_volume(context, wrapped.data, wrapped.length, NULL, &back, &report);
    if (status != hostile->status || !strstr(report.message, hostile->says))
        fail_msg("case %zu: %d, %s", number, (int)status, report.message);
    assert_true(report.offset < wrapped.length);
    assert_null(back.data);
    free(wrapped.data);
}

static kst_buffer code(uint32_t depth, uint32_t tile, bool parts)
{
    kst_volume v = volume_make(WIDTH, HEIGHT, depth, 9, true);
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.levels = 1;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = tile;
    options.jpeg2000.division = parts ? KST_J2K_DIVIDE_RESOLUTION : 0;
    kst_buffer coded = volume_encode(context, &v, &options);
    kst_volume_release(context, &v);
    return coded;
}

static void test_hostile(void **state)
{
    (void)state;
    kst_buffer coded = code(COUNT, TILE, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(&coded, &cases[i], i);
    kst_buffer_release(context, &coded);
}

/* A transform belongs into the header of a tile's first tile-part, not into a later one. */
static void test_later_parts(void **state)
{
    (void)state;
    static const struct hostile later = {
        DEPTHS SAME ONLY, ONLY, KST_ERROR_J2K_MARKER, "not in a tile's first tile-part"};
    kst_buffer coded = code(COUNT, TILE, true);
    expect_error(&coded, &later, 0);
    kst_buffer_release(context, &coded);
}

/* Write a matrix of zeros for `SIDE` components, and a stage that multiplies by it. */
enum { SIDE = 64 };
static void put_square(struct made *made)
{
    static struct made data;
    put_text(made, "CBD 8040 93 ");
    data.length = 0;
    made_number(&data, 0x01010000, 6);
    made_zeros(&data, sizeof(uint16_t) * SIDE * SIDE);
    made_segment(made, 0x74, data.data, data.length);
    data.length = 0;
    made_number(&data, 1, 3);
    made_number(&data, 1, 4);
    made_number(&data, MODEL_DECORRELATION, 1);
    for (uint32_t list = 0; list < 2; list++) {
        made_number(&data, SIDE, 2);
        for (uint32_t i = 0; i < SIDE; i++)
            made_number(&data, i, 1);
    }
    made_number(&data, 1, 3);
    made_segment(made, 0x75, data.data, data.length);
}

static kst_status decode(kst_context *in, const kst_buffer *coded)
{
    kst_volume back;
    kst_volume_init(&back);
    const kst_status status = kst_decode_volume(in, coded->data, coded->length, NULL, &back, NULL);
    kst_volume_release(in, &back);
    return status;
}

/*
 * A few bytes must not ask for any amount of work: 64 components of 64 x 64 samples take 2^24 operations for each
 * stage, a tile of 32 x 32 takes 2^22, and the limit is a little more than 2^26.
 */
static void test_work(void **state)
{
    (void)state;
    static const uint8_t order[255] = {[0 ... 254] = 1};
    const kst_limits strict = {.work = 1};
    kst_context *in = context_create("cpu", 1, &strict);
    kst_volume v = volume_make(SIDE, SIDE, SIDE, 8, true);
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = SIDE / 2;
    kst_buffer coded = volume_encode(context, &v, &options);
    for (uint32_t i = 0; i < 2; i++) { /* all tiles */
        headers.length = 0;
        put_square(&headers);
        model_put_order(&headers, order, i ? 255 : 3);
        kst_buffer wrapped = model_wrap(&coded, &headers, ARRAYS, 0, NULL);
        assert_int_equal(decode(in, &wrapped), i ? KST_ERROR_LIMIT_WORK : KST_OK);
        free(wrapped.data);
    }
    headers.length = own.length = 0;
    put_square(&headers);
    model_put_order(&own, order, 12);
    kst_buffer one = model_wrap(&coded, &headers, ARRAYS, 1, &own), two = model_wrap(&one, &headers, ARRAYS, 2, &own);
    assert_int_equal(decode(in, &one), KST_OK);
    assert_int_equal(decode(in, &two), KST_ERROR_LIMIT_WORK);
    free(one.data);
    free(two.data);
    kst_context_destroy(&in);
    kst_buffer_release(context, &coded);
    kst_volume_release(context, &v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_later_parts), cmocka_unit_test(test_work)};
    return run_with_context(2, tests, NULL, NULL);
}
