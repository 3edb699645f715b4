/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes XMP, comments and IPTC as texts of PNG. */
#include "files/png/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/deflate/library.h"
#include "files/metadata/photoshop.h"

static char xmp_key[] = "XML:com.adobe.xmp", comment_key[] = "Comment"; /* not const, because libpng takes char * */

static const char profile_key[] = "Raw profile type "; /* then the profile's name */
static const char digits[] = "0123456789abcdef";

enum { MARKER_XMP = 0xE1, MARKER_COMMENT = 0xFE, IPTC_MARKER = 0x1C, LINE = 36 /* bytes of a profile in a line */ };

/* Holds the parts of a text chunk (ISO/IEC 15948, 11.3.4). */
struct text {
    const char *key;
    const uint8_t *data;
    size_t length;
    bool compressed;
};

/* Skip a string with its zero byte. Returns false if there is no zero byte. */
static bool pass_string(const uint8_t **at, size_t *left)
{
    const uint8_t *end = memchr(*at, 0, *left);

    if (end == NULL)
        return false;
    *left -= (size_t)(end + 1 - *at);
    *at = end + 1;
    return true;
}

static bool find_text(const png_byte type[4], const uint8_t *data, size_t length, struct text *text)
{
    bool international = memcmp(type, "iTXt", 4) == 0, compressed = memcmp(type, "zTXt", 4) == 0;
    const uint8_t *at = data;
    size_t left = length, header = international ? 2 : compressed ? 1 : 0;

    if ((!international && !compressed && memcmp(type, "tEXt", 4) != 0) || !pass_string(&at, &left) || left < header)
        return false;
    *text = (struct text){.key = (const char *)data, .compressed = compressed || (international && at[0] != 0)};
    if (text->compressed && at[header - 1] != 0) /* the compression method: only 0 is defined */
        return false;
    at += header;
    left -= header;
    for (int i = 0; i < 2 && international; i++) /* language, translated keyword */
        if (!pass_string(&at, &left))
            return false;
    text->data = at;
    text->length = left;
    return true;
}

/* Return whether a key says that the text holds Photoshop's blocks or bare IPTC. */
static bool is_iptc(const char *key)
{
    size_t start = sizeof profile_key - 1;

    return strncmp(key, profile_key, start) == 0 &&
           (strcmp(key + start, "iptc") == 0 || strcmp(key + start, "8bim") == 0);
}

/* Skip a line. Returns false if there is no line feed. */
static bool pass_line(const uint8_t **at, size_t *left)
{
    const uint8_t *end = memchr(*at, '\n', *left);

    if (end == NULL)
        return false;
    *left -= (size_t)(end + 1 - *at);
    *at = end + 1;
    return true;
}

/*
 * Decode a raw profile: an empty line, its name, the number of bytes, and then two hexadecimal digits for each byte,
 * with line feeds between them. Returns the number of bytes before anything that is not a digit. `to` has room for half
 * of `length`.
 */
static size_t decode_profile(const uint8_t *text, size_t length, uint8_t *to)
{
    unsigned value = 0;
    size_t count = 0;

    for (int i = 0; i < 3; i++)
        if (!pass_line(&text, &length))
            return 0;
    for (; length > 0; text++, length--) {
        const char *digit = *text != '\0' ? strchr(digits, *text | 0x20) : NULL;
        if (digit == NULL && *text != '\n')
            break;
        if (digit == NULL)
            continue;
        value = value << 4 | (unsigned)(digit - digits);
        if (count++ % 2 != 0)
            to[count / 2 - 1] = (uint8_t)value;
    }
    return count / 2;
}

static bool keep_iptc(struct picture *picture, const uint8_t *text, size_t length)
{
    uint8_t *blocks = malloc(length / 2 + 1);

    if (blocks == NULL)
        return false;
    size_t count = decode_profile(text, length, blocks);
    bool good = true;
    if (count >= 4 && memcmp(blocks, "8BIM", 4) == 0)
        good = photoshop_keep(picture, blocks, count);
    else if (count > 0 && blocks[0] == IPTC_MARKER)
        good = photoshop_keep_iptc(picture, blocks, count);
    free(blocks);
    return good;
}

static bool keep_as(struct picture *picture, const char *key, const void *data, size_t length)
{
    bool xmp = strcmp(key, xmp_key) == 0;

    if (is_iptc(key))
        return keep_iptc(picture, data, length);
    return picture_keep(
        picture, xmp ? KST_METADATA_XMP : KST_METADATA_COMMENT, xmp ? MARKER_XMP : MARKER_COMMENT, data, length);
}

/* Keep a compressed text. One that is damaged or too long is ignored. */
static bool keep_compressed(struct picture *picture, const struct text *text)
{
    size_t room = text->length * PNG_TEXT_RATIO + PNG_TEXT_LEAST, length = 0;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    uint8_t *data = malloc(room);
    bool good = decompressor != NULL && data != NULL;

    if (good &&
        libdeflate_zlib_decompress(decompressor, text->data, text->length, data, room, &length) == LIBDEFLATE_SUCCESS)
        good = keep_as(picture, text->key, data, length);
    free(data);
    libdeflate_free_decompressor(decompressor);
    return good;
}

bool png_text_keep(struct picture *picture, const png_byte type[4], const uint8_t *data, size_t length)
{
    struct text text;

    if (!find_text(type, data, length, &text))
        return true;
    bool xmp = strcmp(text.key, xmp_key) == 0;
    if ((!xmp && !is_iptc(text.key) && strcmp(text.key, comment_key) != 0) ||
        (xmp && picture_kept(picture, KST_METADATA_XMP) != NULL))
        return true;
    return text.compressed ? keep_compressed(picture, &text) : keep_as(picture, text.key, text.data, text.length);
}

/* Add one text, which libpng copies. The text ends at its first zero byte; XMP contains none. */
static void set(png_structp png, png_infop info, char *key, const kst_metadata *metadata)
{
    size_t length = strnlen((const char *)metadata->data, metadata->length);
    png_charp copy = png_malloc(png, length + 1);
    png_text text = {.compression = PNG_ITXT_COMPRESSION_NONE, .key = key, .text = copy, .itxt_length = length};

    memcpy(copy, metadata->data, length);
    copy[length] = '\0';
    png_set_text(png, info, &text, 1);
    png_free(png, copy);
}

void png_text_set(png_structp png, png_infop info, const struct picture *picture)
{
    for (size_t i = 0; i < picture->extra_count; i++) {
        if (picture->extra[i].kind == KST_METADATA_XMP)
            set(png, info, xmp_key, &picture->extra[i]);
        else if (picture->extra[i].kind == KST_METADATA_COMMENT)
            set(png, info, comment_key, &picture->extra[i]);
    }
}

void png_text_set_profile(png_structp png, png_infop info, const char *name, const uint8_t *data, size_t length)
{
    char key[80];
    size_t room = 64 + strlen(name) + 2 * length + length / LINE;
    png_charp made = png_malloc(png, room);
    size_t used = (size_t)snprintf(made, room, "\n%s\n%8zu", name, length);
    png_text text = {.compression = PNG_TEXT_COMPRESSION_zTXt, .key = key, .text = made};

    snprintf(key, sizeof key, "%s%s", profile_key, name);
    for (size_t i = 0; i < length; i++) {
        if (i % LINE == 0)
            made[used++] = '\n';
        made[used++] = digits[data[i] >> 4];
        made[used++] = digits[data[i] & 15];
    }
    made[used++] = '\n';
    made[used] = '\0';
    text.text_length = used;
    png_set_text(png, info, &text, 1);
    png_free(png, made);
}
