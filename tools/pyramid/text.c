/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the size of a pixel and the magnification in a directory's text and numbers. */
#include <string.h>

#include "pyramid/pyramid.h"

enum { TEXT_MAX = 1 << 16, NUMBER_LENGTH = 32, UNIT_CENTIMETRE = 3, UNIT_INCH = 2 };

/* Return where a word begins in the first part of a text, which need not end with a zero; null if it does not occur. */
static const char *find(const struct ifd_entry *entry, const char *word)
{
    const size_t length = entry->length < TEXT_MAX ? entry->length : TEXT_MAX;

    return entry->count > 0 ? memmem(entry->value, length, word, strlen(word)) : NULL;
}

bool pyramid_text_has(const struct ifd_entry *entry, const char *word)
{
    return find(entry, word) != NULL;
}

/* Read the number behind a word, of digits and a point, independently of the locale; 0 if there is none. */
static double number_behind(const struct ifd_entry *entry, const char *word)
{
    const char *at = find(entry, word), *end = (const char *)entry->value + entry->length;
    double value = 0, place = 0;

    if (at == NULL)
        return 0;
    at += strlen(word);
    while (at < end && (*at == ' ' || *at == '=' || *at == '"'))
        at++;
    for (int i = 0; i < NUMBER_LENGTH && at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && place == 0));
         i++, at++) {
        if (*at == '.') {
            place = 1;
            continue;
        }
        place /= 10;
        if (place > 0)
            value += place * (*at - '0');
        else
            value = value * 10 + (*at - '0');
    }
    return value;
}

/* Return how many microns a unit of OME has. The default unit is the micron. */
static double ome_unit(const struct ifd_entry *text, const char *axis)
{
    static const struct {
        const char *name;
        double microns;
    } units[] = {{"nm\"", 1e-3}, {"mm\"", 1e3}, {"cm\"", 1e4}};
    char word[64] = "PhysicalSize";

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        word[strlen("PhysicalSize")] = '\0';
        strcat(strcat(strcat(word, axis), "Unit=\""), units[i].name);
        if (find(text, word) != NULL)
            return units[i].microns;
    }
    return 1;
}

/* Return the microns of a pixel from a resolution in pixels per unit of `microns`; 0 if there is no resolution. */
static double from_resolution(const struct ifd_bytes *bytes, const struct ifd *ifd, unsigned tag, double microns)
{
    struct ifd_entry entry;
    uint64_t above, below;

    if (!ifd_find(bytes, ifd, tag, &entry) || entry.type != IFD_RATIONAL || entry.count < 1)
        return 0;
    const struct ifd_entry halves = {.type = IFD_LONG, .count = 2, .value = entry.value, .length = 8};
    if (!ifd_element(bytes, &halves, 0, &above) || !ifd_element(bytes, &halves, 1, &below) || above == 0 || below == 0)
        return 0;
    return microns * (double)below / (double)above;
}

void pyramid_read_scale(struct pyramid *pyramid, const struct ifd *ifd)
{
    const struct ifd_entry *text = &pyramid->description;
    struct ifd_entry entry;

    if (strcmp(pyramid->kind, "aperio") == 0) {
        pyramid->microns_x = pyramid->microns_y = number_behind(text, "MPP");
        pyramid->magnification = number_behind(text, "AppMag");
        return;
    }
    if (strcmp(pyramid->kind, "ome") == 0) {
        pyramid->microns_x = number_behind(text, "PhysicalSizeX=") * ome_unit(text, "X");
        pyramid->microns_y = number_behind(text, "PhysicalSizeY=") * ome_unit(text, "Y");
        pyramid->magnification = number_behind(text, "NominalMagnification=");
        return;
    }
    pyramid->magnification = pyramid->image[0].lens;
    const uint64_t unit =
        ifd_find(&pyramid->bytes, ifd, TAG_RESOLUTION_UNIT, &entry) ? ifd_number(&pyramid->bytes, &entry) : UNIT_INCH;
    /* Resolutions in inches are ignored: programs that know no resolution write 72 or 96 pixels per inch. */
    if (unit == UNIT_CENTIMETRE) {
        pyramid->microns_x = from_resolution(&pyramid->bytes, ifd, TAG_X_RESOLUTION, 1e4);
        pyramid->microns_y = from_resolution(&pyramid->bytes, ifd, TAG_Y_RESOLUTION, 1e4);
    }
}
