/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises files of other formats by their first bytes. */
#include "core/signature.h"

#include <kostka/kostka_info.h>

#include <stdbool.h>
#include <string.h>

struct signature {
    uint16_t at;
    uint8_t length;
    char bytes[15];
    const char *name;
};

#define SIGNATURE(AT, BYTES, NAME)                                                                                     \
    {                                                                                                                  \
        AT, sizeof BYTES - 1, BYTES, NAME                                                                              \
    }

/* The first entry that fits counts, so longer signatures come before those that they begin with. */
static const struct signature signatures[] = {
    SIGNATURE(0, "\x89PNG\r\n\x1A\n", "a PNG file"),
    SIGNATURE(0, "GIF87a", "a GIF file"),
    SIGNATURE(0, "GIF89a", "a GIF file"),
    SIGNATURE(8, "WEBPVP8", "a WebP file"),
    SIGNATURE(8, "AVI LIST", "an AVI file"),
    SIGNATURE(4, "ftypavif", "an AVIF file"),
    SIGNATURE(4, "ftypavis", "an AVIF file"),
    SIGNATURE(4, "ftypheic", "a HEIC file"),
    SIGNATURE(4, "ftypheix", "a HEIC file"),
    SIGNATURE(4, "ftyphevc", "a HEIC file"),
    SIGNATURE(4, "ftyphevx", "a HEIC file"),
    SIGNATURE(4, "ftypheim", "a HEIC file"),
    SIGNATURE(4, "ftypheis", "a HEIC file"),
    SIGNATURE(4, "ftypmif1", "a HEIF file"),
    SIGNATURE(4, "ftypmsf1", "a HEIF file"),
    SIGNATURE(4, "ftypcrx ", "a Canon CR3 file"),
    SIGNATURE(4, "ftypqt  ", "a QuickTime file"),
    SIGNATURE(4, "ftyp", "an MP4 file"),
    SIGNATURE(0, "\0\0\0\x0CJXL \r\n\x87\n", "a JPEG XL file"),
    SIGNATURE(0, "\xFF\x0A", "a JPEG XL file"),
    SIGNATURE(0, "\0\0\0\x0CjP  \r\n\x87\n", "a JPEG 2000 file"),
    SIGNATURE(0, "\xFF\x4F\xFF\x51", "a JPEG 2000 codestream"),
    SIGNATURE(0, "\xFF\xD8\xFF", "a JPEG file"),
    SIGNATURE(0, "II*\0", "a TIFF file"),
    SIGNATURE(0, "MM\0*", "a TIFF file"),
    SIGNATURE(0, "II+\0", "a BigTIFF file"),
    SIGNATURE(0, "MM\0+", "a BigTIFF file"),
    SIGNATURE(0, "II\xBC\x01", "a JPEG XR file"),
    SIGNATURE(0, "FUJIFILMCCD-RAW", "a Fujifilm RAF file"),
    SIGNATURE(0, "8BPS", "a Photoshop file"),
    SIGNATURE(0, "v/1\x01", "an OpenEXR file"),
    SIGNATURE(0, "#?RADIANCE", "a Radiance HDR file"),
    SIGNATURE(0, "#?RGBE", "a Radiance HDR file"),
    SIGNATURE(0, "farbfeld", "a farbfeld file"),
    SIGNATURE(0, "qoif", "a QOI file"),
    SIGNATURE(0, "FLIF", "a FLIF file"),
    SIGNATURE(0, "BPG\xFB", "a BPG file"),
    SIGNATURE(0, "DDS ", "a DDS file"),
    SIGNATURE(0, "gimp xcf ", "a GIMP file"),
    SIGNATURE(0, "AT&TFORM", "a DjVu file"),
    SIGNATURE(0, "PG ML", "a PGX file"),
    SIGNATURE(0, "PG LM", "a PGX file"),
    SIGNATURE(128, "DICM", "a DICOM file"),
    SIGNATURE(0, "SIMPLE  =", "a FITS file"),
    SIGNATURE(0, "%PDF-", "a PDF file"),
    SIGNATURE(0, "%!PS", "a PostScript file"),
    SIGNATURE(257, "ustar", "a tar archive"),
    SIGNATURE(0, "PK\x03\x04", "a zip archive"),
    SIGNATURE(0, "PK\x05\x06", "a zip archive"),
    SIGNATURE(0, "\x1F\x8B", "a gzip file"),
    SIGNATURE(0, "BZh", "a bzip2 file"),
    SIGNATURE(0,
        "\xFD"
        "7zXZ\0",
        "an xz file"),
    SIGNATURE(0, "\x28\xB5\x2F\xFD", "a Zstandard file"),
    SIGNATURE(0, "7z\xBC\xAF\x27\x1C", "a 7z archive"),
    SIGNATURE(0, "Rar!\x1A\x07", "a RAR archive"),
    SIGNATURE(0, "\x1A\x45\xDF\xA3", "a Matroska or WebM file"),
    SIGNATURE(0, "OggS", "an Ogg file"),
    SIGNATURE(0,
        "\x7F"
        "ELF",
        "a program"),
    SIGNATURE(0, "version https:", "a Git LFS pointer"),
};

static bool fits(const struct signature *signature, const uint8_t *data, size_t length)
{
    return length >= (size_t)signature->at + signature->length &&
           memcmp(data + signature->at, signature->bytes, signature->length) == 0;
}

/* Name a RIFF file by the form type behind its length, whatever its first chunk is. */
static const char *find_riff(const uint8_t *data, size_t length)
{
    if (length < 12 || memcmp(data, "RIFF", 4) != 0)
        return NULL;
    if (memcmp(data + 8, "WEBP", 4) == 0)
        return "a WebP file";
    return memcmp(data + 8, "AVI ", 4) == 0 ? "an AVI file" : "a RIFF file";
}

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* A PNM file begins with "P1" to "P7" and white space. */
static bool is_pnm(const uint8_t *data, size_t length)
{
    return length >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7' && is_space(data[2]);
}

/* A BMP file begins with "BM", the size of the file, and four reserved bytes that are 0. */
static bool is_bmp(const uint8_t *data, size_t length)
{
    return length >= 26 && data[0] == 'B' && data[1] == 'M' && memcmp(data + 6, "\0\0\0\0", 4) == 0;
}

/*
 * Return whether the data begin with `word`, which has no capital letters; the case of the data's letters does not
 * matter.
 */
static bool has_word(const uint8_t *data, size_t length, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++) {
        uint8_t byte = i < length ? data[i] : 0;
        if (byte >= 'A' && byte <= 'Z')
            byte = (uint8_t)(byte + ('a' - 'A'));
        if (byte != (uint8_t)word[i])
            return false;
    }
    return true;
}

/* Recognise markup, which may stand behind a byte order mark and white space. */
static const char *find_markup(const uint8_t *data, size_t length)
{
    enum { SPACE_MAX = 256 };
    size_t at = length >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    while (at < length && at < SPACE_MAX && is_space(data[at]))
        at++;
    if (has_word(data + at, length - at, "<svg"))
        return "an SVG file";
    if (has_word(data + at, length - at, "<!doctype html") || has_word(data + at, length - at, "<html"))
        return "an HTML page";
    return has_word(data + at, length - at, "<?xml") ? "an XML file" : NULL;
}

const char *kst_signature_find(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (fits(&signatures[i], data, length))
            return signatures[i].name;
    if (is_pnm(data, length))
        return "a PNM file";
    if (is_bmp(data, length))
        return "a BMP file";
    const char *riff = find_riff(data, length);
    return riff != NULL ? riff : find_markup(data, length);
}

const char *kst_signature_text(const void *data, size_t length)
{
    return data != NULL ? kst_signature_find(data, length) : NULL;
}
