/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the values of options. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "options/options.h"

/* Read digits only: strtoull() would also accept signs and white space. */
static bool digits(const char **text, uint64_t high, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    unsigned long long value = strtoull(*text, &end, 10);
    if (errno != 0 || value > high)
        return false;
    *text = end;
    *number = value;
    return true;
}

bool value_number(
    const char *verb, const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number)
{
    const char *text = value;

    if (digits(&text, high, number) && *text == '\0' && *number >= low)
        return true;
    complain_usage(verb, "%s takes a number from %llu to %llu, not '%s'", option, (unsigned long long)low,
        (unsigned long long)high, value);
    return false;
}

bool value_count(const char *verb, const char *option, const char *value, uint32_t low, uint32_t high, uint32_t *number)
{
    uint64_t wide;

    if (!value_number(verb, option, value, low, high, &wide))
        return false;
    *number = (uint32_t)wide;
    return true;
}

bool value_reduce(const char *verb, const char *value, uint32_t *reduce)
{
    return value_count(verb, "--reduce", value, 0, 32, reduce);
}

bool value_dct(const char *verb, const char *option, const char *value, kst_dct *dct)
{
    static const struct {
        const char *name;
        kst_dct dct;
    } names[] = {
        {"int", KST_DCT_ACCURATE}, {"islow", KST_DCT_ACCURATE}, {"fast", KST_DCT_FAST}, {"ifast", KST_DCT_FAST}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, value) == 0) {
            *dct = names[i].dct;
            return true;
        }
    }
    complain_usage(verb, "%s is int or fast, not '%s': there is no floating-point transform", option, value);
    return false;
}

bool value_layers(const char *verb, const char *value, uint32_t *layers)
{
    return value_count(verb, "--layers", value, 1, 65535, layers);
}

bool value_bytes(const char *verb, const char *option, const char *value, uint64_t *number)
{
    static const char letters[] = "KMGT";
    const char *text = value, *letter;
    unsigned shift = 0;

    if (digits(&text, UINT64_MAX, number)) {
        if (*text != '\0' && (letter = strchr(letters, toupper((unsigned char)*text))) != NULL) {
            shift = 10 * (unsigned)(letter - letters + 1);
            text++;
        }
        if (*text == '\0' && *number > 0 && *number <= UINT64_MAX >> shift) {
            *number <<= shift;
            return true;
        }
    }
    complain_usage(verb, "%s takes a number, perhaps with K, M or G behind it, not '%s'", option, value);
    return false;
}

bool value_list(const char *verb, const char *option, const char *value, uint32_t most, uint32_t *list, uint32_t *count)
{
    const char *text = value;
    uint64_t first, last, next = 0;

    for (*count = 0;;) {
        if (!digits(&text, most - 1, &first))
            break;
        last = first;
        if (*text == '-' && (text++, !digits(&text, most - 1, &last)))
            break;
        if (first < next || last < first)
            break;
        for (next = first; next <= last; next++)
            list[(*count)++] = (uint32_t)next;
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            break;
    }
    complain_usage(verb, "%s takes ascending numbers below %u and ranges of them, such as 0,3,5-7, not '%s'", option,
        (unsigned)most, value);
    return false;
}

bool value_positive(const char *verb, const char *option, const char *value, double *number)
{
    char *end;

    errno = 0;
    *number = strtod(value, &end);
    if (end != value && *end == '\0' && errno == 0 && *number > 0 && *number < HUGE_VAL)
        return true;
    complain_usage(verb, "%s takes a positive number, not '%s'", option, value);
    return false;
}

bool value_progression(const char *verb, const char *value, kst_progression *progression)
{
    static const char *const names[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};

    for (int i = 0; i < 5; i++) {
        if (strcasecmp(value, names[i]) == 0) {
            *progression = (kst_progression)i;
            return true;
        }
    }
    complain_usage(verb, "--progression is one of LRCP, RLCP, RPCL, PCRL and CPRL, not '%s'", value);
    return false;
}

bool value_division(const char *verb, const char *value, uint32_t *division)
{
    static const char *const names[] = {"resolution", "layer", "component"};
    const char *text = value;

    for (*division = 0;; text++) {
        size_t length = strcspn(text, ","), i = 0;
        while (i < 3 && (strlen(names[i]) != length || strncmp(text, names[i], length) != 0))
            i++;
        if (i == 3)
            break;
        *division |= 1U << i;
        text += length;
        if (*text == '\0')
            return true;
    }
    complain_usage(verb, "--tile-parts takes resolution, layer and component with commas in between, not '%s'", value);
    return false;
}

bool value_headers(const char *verb, const char *value, kst_j2k_headers *headers)
{
    static const char *const names[] = {"no", "ppt", "ppm"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            *headers = (kst_j2k_headers)i;
            return true;
        }
    }
    complain_usage(verb, "--packed is ppm (packet headers in the main header), ppt (in those of tile-parts) or no");
    return false;
}

/* Read numbers that these characters separate. At least `least` numbers are needed; the others stay 0. */
static bool separated(const char *text, const char separators[3], size_t least, uint64_t number[4])
{
    if (!digits(&text, UINT32_MAX, &number[0]))
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (i + 1 == least && *text == '\0')
            return true;
        if (tolower((unsigned char)*text) != separators[i])
            return false;
        text++;
        if (!digits(&text, UINT32_MAX, &number[i + 1]))
            return false;
    }
    return *text == '\0';
}

bool value_region(const char *verb, const char *option, const char *value, kst_region *region)
{
    uint64_t size[4] = {0, 0, 0, 0}, corner[4] = {0, 0, 0, 0};

    if (separated(value, "x++", 2, size)) /* WxH alone means the top left corner */
        *region = (kst_region){
            .width = (uint32_t)size[0], .height = (uint32_t)size[1], .x = (uint32_t)size[2], .y = (uint32_t)size[3]};
    else if (separated(value, ",,,", 4, corner) || separated(value, ",,x", 4, corner))
        *region = (kst_region){.x = (uint32_t)corner[0],
            .y = (uint32_t)corner[1],
            .width = (uint32_t)corner[2],
            .height = (uint32_t)corner[3]};
    else
        *region = (kst_region){.width = 0};
    if (region->width > 0 && region->height > 0)
        return true;
    complain_usage(verb,
        "%s takes WIDTHxHEIGHT+X+Y or X,Y,WIDTH,HEIGHT in pixels, such as 640x480+100+50 or 100,50,640,480, not '%s'",
        option, value);
    return false;
}

bool value_restart(const char *verb, const char *value, kst_restart *restart)
{
    const char *text = value;
    uint64_t number;

    if (strcmp(value, "auto") == 0) {
        *restart = (kst_restart){KST_RESTART_AUTO, 0};
        return true;
    }
    if (strcmp(value, "keep") == 0 && strcmp(verb, "transcode") == 0) {
        *restart = (kst_restart){KST_RESTART_KEEP, 0};
        return true;
    }
    if (strcmp(value, "none") == 0) {
        *restart = (kst_restart){KST_RESTART_NONE, 0};
        return true;
    }
    if (digits(&text, 65535, &number)) {
        bool rows = *text == 'r';
        text += rows;
        if (*text == '\0') {
            *restart = (kst_restart){rows ? KST_RESTART_ROWS : KST_RESTART_MCUS, (uint32_t)number};
            if (number == 0)
                restart->unit = KST_RESTART_NONE;
            return true;
        }
    }
    complain_usage(verb, "--restart takes a number of MCUs (8), of MCU rows (1r), %s, not '%s'",
        strcmp(verb, "transcode") == 0 ? "auto, keep or none" : "auto or none", value);
    return false;
}
