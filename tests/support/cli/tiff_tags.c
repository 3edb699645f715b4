/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what libtiff reads of a TIFF file's metadata: tiff_tags FILE prints some tags of its first directory, and of
 * those of Exif and GPS, a line each.
 */
#include <stdbool.h>
#include <stdio.h>

#include <tiffio.h>

/* Print a tag that holds text. For other tags TIFFGetField() takes other arguments, as libtiff's table of tags says. */
static void print_text(TIFF *tiff, const char *name, uint32_t tag)
{
    const char *text;

    if (TIFFGetField(tiff, tag, &text) != 0)
        printf("%s: %s\n", name, text);
}

static void print_first(TIFF *tiff)
{
    uint16_t orientation, rating;
    uint32_t length;
    const void *bytes;

    print_text(tiff, "make", TIFFTAG_MAKE);
    print_text(tiff, "description", TIFFTAG_IMAGEDESCRIPTION);
    if (TIFFGetField(tiff, TIFFTAG_ORIENTATION, &orientation) != 0)
        printf("orientation: %u\n", (unsigned)orientation);
    if (TIFFGetField(tiff, 0x4746, &length, &bytes) != 0) { /* a tag that libtiff does not know */
        rating = *(const uint16_t *)bytes;
        printf("rating: %u\n", (unsigned)rating);
    }
    if (TIFFGetField(tiff, 0x9C9B, &length, &bytes) != 0)
        printf("title: %u bytes\n", (unsigned)length);
    if (TIFFGetField(tiff, TIFFTAG_PHOTOSHOP, &length, &bytes) != 0)
        printf("photoshop: %u bytes\n", (unsigned)length);
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &length, &bytes) != 0)
        printf("icc: %u bytes\n", (unsigned)length);
    if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &length, &bytes) != 0)
        printf("xmp: %u bytes\n", (unsigned)length);
}

static void print_exif(TIFF *tiff)
{
    uint32_t width;
    float time;

    if (TIFFGetField(tiff, EXIFTAG_EXPOSURETIME, &time) != 0)
        printf("exposure: %g\n", (double)time);
    if (TIFFGetField(tiff, EXIFTAG_PIXELXDIMENSION, &width) != 0)
        printf("width: %u\n", (unsigned)width);
}

static void print_gps(TIFF *tiff)
{
    const double *latitude;

    print_text(tiff, "hemisphere", GPSTAG_LATITUDEREF);
    if (TIFFGetField(tiff, GPSTAG_LATITUDE, &latitude) != 0)
        printf("latitude: %g %g %g\n", latitude[0], latitude[1], latitude[2]);
}

int main(int argc, char **argv)
{
    TIFF *tiff = argc == 2 ? TIFFOpen(argv[1], "r") : NULL;
    toff_t exif = 0, gps = 0;

    if (tiff == NULL)
        return 2;
    printf("order: %s\n", TIFFIsBigEndian(tiff) != 0 ? "big" : "little");
    print_first(tiff);
    bool has_exif = TIFFGetField(tiff, TIFFTAG_EXIFIFD, &exif) != 0;
    bool has_gps = TIFFGetField(tiff, TIFFTAG_GPSIFD, &gps) != 0;
    if (has_exif && TIFFReadEXIFDirectory(tiff, exif) != 0)
        print_exif(tiff);
    if (has_gps && TIFFReadGPSDirectory(tiff, gps) != 0)
        print_gps(tiff);
    TIFFClose(tiff);
    return 0;
}
