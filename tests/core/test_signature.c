/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the signatures of other formats. */
#include <kostka/kostka.h>

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { FILE_LENGTH = 512 };

/* The first bytes of a file, behind `at` others. */
static const char *text_of(size_t at, const char *bytes, size_t length)
{
    uint8_t file[FILE_LENGTH] = {0};
    memcpy(file + at, bytes, length);
    return kst_signature_text(file, sizeof file);
}

static void test_known(void **state)
{
    static const struct {
        size_t at, length;
        const char *bytes, *text;
    } cases[] = {{0, 8, "\x89PNG\r\n\x1A\n", "a PNG file"}, {0, 6, "GIF89a", "a GIF file"},
        {8, 8, "WEBPVP8X", "a WebP file"}, {8, 8, "WEBPVP8L", "a WebP file"},
        {0, 16, "RIFF....WEBPXXXX", "a WebP file"}, {0, 12, "RIFF....AVI ", "an AVI file"},
        {0, 12, "RIFF....WAVE", "a RIFF file"}, {4, 8, "ftypheic", "a HEIC file"}, {4, 8, "ftypavif", "an AVIF file"},
        {4, 8, "ftypisom", "an MP4 file"}, {0, 4, "II*\0", "a TIFF file"}, {0, 4, "MM\0*", "a TIFF file"},
        {0, 2, "BM", "a BMP file"}, {0, 5, "%PDF-", "a PDF file"}, {0, 2, "\xFF\x0A", "a JPEG XL file"},
        {0, 12, "\0\0\0\x0CJXL \r\n\x87\n", "a JPEG XL file"}, {257, 5, "ustar", "a tar archive"},
        {0, 4, "PK\3\4", "a zip archive"}, {0, 2, "\x1F\x8B", "a gzip file"}, {128, 4, "DICM", "a DICOM file"},
        {0, 3, "P6\n", "a PNM file"}, {0, 6, "  <svg", "an SVG file"}, {0, 15, "<!DOCTYPE HTML>", "an HTML page"},
        {0, 5, "<?xml", "an XML file"}, {0, 3, "\xFF\xD8\xFF", "a JPEG file"},
        {0, 4, "\xFF\x4F\xFF\x51", "a JPEG 2000 codestream"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = text_of(cases[i].at, cases[i].bytes, cases[i].length);
        assert_non_null(text);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    assert_null(kst_signature_text(NULL, 10));
    assert_null(kst_signature_text("", 0));
    assert_null(text_of(0, "P8 ", 3));
    assert_null(text_of(0, "BMW 520, 1983, as new", 21));
    assert_null(text_of(0, "PK", 2));
    assert_null(text_of(0, "<p>", 3));
}

/* Every length up to that of the signature, in a block of memory of its own, so that no byte behind it is read. */
static void test_short(void **state)
{
    static const char *const starts[] = {
        "\x89PNG\r\n\x1A\n", "<!doctype html", "\xEF\xBB\xBF  <svg", "P5 ", "RIFF....WEBP", "BM"};
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (size_t length = 0; length < strlen(starts[i]); length++) {
            uint8_t *copy = malloc(length + (length == 0));
            assert_non_null(copy);
            memcpy(copy, starts[i], length);
            assert_null(kst_signature_text(copy, length));
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
