/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads tables of colours, files of the type .cube: a line TITLE "…", one of LUT_1D_SIZE N and LUT_3D_SIZE N,
 * optionally DOMAIN_MIN and DOMAIN_MAX with three numbers or LUT_1D_INPUT_RANGE and LUT_3D_INPUT_RANGE with two, then
 * three numbers in each line, red fastest. Numbers are converted to integers independently of the system's locale and
 * rounding mode.
 */
#include "filters/cpu/cube.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS_MAX = 18, BILLION = 1000000000, MILLION = 1000000, RANGE_MAX = 100, SHOWN = 24 };
enum { FAR = 1 << 27 /* exponents beyond any number of digits that a file may have */ };
static const size_t FILE_MAX = (size_t)1 << 27;

/* Holds the state of reading a file line by line. */
struct cube_reading {
    struct filter_cube *cube;
    struct memory *memory;
    const char *at, *end; /* the unread rest of the line */
    const char *rest, *last;
    uint32_t line;
    size_t count; /* numbers that the table has so far */
    kst_status status;
    char *reason;
};

static bool fail(struct cube_reading *reading, const char *what)
{
    char shown[SHOWN + 1];
    size_t length = (size_t)(reading->end - reading->at), i = 0;
    for (; i < length && i < SHOWN; i++) /* no control characters of a stranger's file */
        shown[i] = (char)(reading->at[i] >= ' ' && reading->at[i] <= '~' ? reading->at[i] : '?');
    shown[i] = '\0';
    snprintf(reading->reason, FILTER_REASON, "line %u of the table: %s: '%s'", reading->line, what, shown);
    reading->status = KST_ERROR_READ;
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_space(struct cube_reading *reading)
{
    while (reading->at < reading->end && is_space(*reading->at))
        reading->at++;
}

/* Go to the next line that is neither empty nor a comment. */
static bool next_line(struct cube_reading *reading)
{
    while (reading->rest < reading->last) {
        const char *stop = memchr(reading->rest, '\n', (size_t)(reading->last - reading->rest));
        reading->at = reading->rest;
        reading->end = stop ? stop : reading->last;
        reading->rest = stop ? stop + 1 : reading->last;
        reading->line++;
        skip_space(reading);
        if (reading->at < reading->end && *reading->at != '#')
            return true;
    }
    return false;
}

static bool take(struct cube_reading *reading, char c)
{
    if (reading->at == reading->end || *reading->at != c)
        return false;
    reading->at++;
    return true;
}

static bool is_digit(const struct cube_reading *reading)
{
    return reading->at < reading->end && *reading->at >= '0' && *reading->at <= '9';
}

/* Holds the digits of a number, and the power of ten that they are multiplied by. */
struct cube_decimal {
    uint64_t digits;
    int count, exponent;
    bool any;
};

static void take_digits(struct cube_reading *reading, struct cube_decimal *number, int behind)
{
    for (; is_digit(reading); reading->at++) {
        bool fits = number->count < DIGITS_MAX;
        number->any = true;
        if (fits)
            number->digits = number->digits * 10 + (uint64_t)(*reading->at - '0');
        number->count += number->digits > 0;
        if (number->exponent > -FAR && number->exponent < FAR)
            number->exponent += fits ? -behind : 1 - behind;
    }
}

/* Read the exponent behind an e. Exponents beyond FAR all have the same effect. */
static bool take_exponent(struct cube_reading *reading, struct cube_decimal *number)
{
    int exponent = 0;
    bool negative = take(reading, '-');
    if (!negative)
        take(reading, '+');
    if (!is_digit(reading))
        return false;
    for (; is_digit(reading); reading->at++)
        exponent = exponent < FAR ? exponent * 10 + (*reading->at - '0') : exponent;
    number->exponent += negative ? -exponent : exponent;
    return true;
}

/* Return a number in thousand-millionths, rounded towards 0, or `most` if it is larger. */
static int64_t in_billionths(const struct cube_decimal *number, int64_t most)
{
    uint64_t made = number->digits;
    int exponent = number->exponent + 9;
    for (; exponent > 0 && made > 0 && made <= (uint64_t)most; exponent--)
        made *= 10;
    for (; exponent < 0 && made > 0; exponent++)
        made /= 10;
    return made < (uint64_t)most ? (int64_t)made : most;
}

/* Read a number in thousand-millionths, of magnitudes up to 100. */
static bool read_number(struct cube_reading *reading, int64_t *value)
{
    struct cube_decimal number = {0, 0, 0, false};
    skip_space(reading);
    const char *begin = reading->at;
    bool negative = take(reading, '-');
    if (!negative)
        take(reading, '+');
    take_digits(reading, &number, 0);
    if (take(reading, '.'))
        take_digits(reading, &number, 1);
    bool fine = number.any;
    if (fine && (take(reading, 'e') || take(reading, 'E')))
        fine = take_exponent(reading, &number);
    fine = fine && (reading->at == reading->end || is_space(*reading->at));
    *value = in_billionths(&number, (int64_t)RANGE_MAX * BILLION);
    *value = negative ? -*value : *value;
    if (fine)
        return true;
    reading->at = begin;
    return fail(reading, "no number");
}

static bool read_numbers(struct cube_reading *reading, int64_t *value, int count)
{
    for (int i = 0; i < count; i++)
        if (!read_number(reading, &value[i]))
            return false;
    skip_space(reading);
    return reading->at == reading->end || fail(reading, "more than is expected there");
}

/* Take a word and the space behind it, if the line begins with it. */
static bool take_word(struct cube_reading *reading, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reading->end - reading->at) < length || memcmp(reading->at, word, length) != 0 ||
        (reading->at + length < reading->end && !is_space(reading->at[length])))
        return false;
    reading->at += length;
    return true;
}

static bool read_size(struct cube_reading *reading, bool is_solid)
{
    struct filter_cube *cube = reading->cube;
    int64_t size, most = is_solid ? FILTER_CUBE_SIDE : FILTER_CUBE_POINTS;
    if (cube->value)
        return fail(reading, "a second table; one of one colour or of three is taken");
    skip_space(reading);
    const char *begin = reading->at;
    struct cube_decimal number = {0, 0, 0, false};
    take_digits(reading, &number, 0);
    skip_space(reading);
    size = number.count < DIGITS_MAX ? (int64_t)number.digits : 0;
    if (reading->at < reading->end || size < 2 || size > most) {
        reading->at = begin;
        return fail(reading, is_solid ? "a size is 2 to 129" : "a size is 2 to 65536");
    }
    cube->is_solid = is_solid;
    cube->size = (uint32_t)size;
    cube->value = kst_memory_array(
        reading->memory, kst_filter_cube_points(cube) * FILTER_CUBE_COLOURS, sizeof *cube->value, &reading->status);
    return cube->value != NULL;
}

/*
 * Check the ends of a domain. Numbers beyond 100 were clamped to it, which is not allowed here: samples would be looked
 * up at other places.
 */
static bool check_ends(struct cube_reading *reading, const int64_t *value, int count)
{
    for (int i = 0; i < count; i++)
        if (value[i] <= -(int64_t)RANGE_MAX * BILLION || value[i] >= (int64_t)RANGE_MAX * BILLION)
            return fail(reading, "a domain lies between -100 and 100");
    return true;
}

/* Read one end of the domain for each colour, or with `both` the two ends for all colours. */
static bool read_domain(struct cube_reading *reading, int64_t *ends, bool both)
{
    struct filter_cube *cube = reading->cube;
    int64_t value[FILTER_CUBE_COLOURS];
    const char *begin = reading->at;
    const int count = both ? 2 : FILTER_CUBE_COLOURS;
    if (!read_numbers(reading, value, count))
        return false;
    reading->at = begin; /* for the message */
    if (!check_ends(reading, value, count))
        return false;
    for (int i = 0; i < FILTER_CUBE_COLOURS; i++) {
        if (both) {
            cube->least[i] = value[0] / (BILLION / MILLION);
            cube->greatest[i] = value[1] / (BILLION / MILLION);
        } else {
            ends[i] = value[i] / (BILLION / MILLION);
        }
    }
    return true;
}

static bool read_point(struct cube_reading *reading)
{
    struct filter_cube *cube = reading->cube;
    int64_t value[FILTER_CUBE_COLOURS];
    if (!cube->value)
        return fail(reading, "neither a known word, nor LUT_1D_SIZE or LUT_3D_SIZE before it");
    if (reading->count == kst_filter_cube_points(cube) * FILTER_CUBE_COLOURS)
        return fail(reading, "more lines than the table has");
    if (!read_numbers(reading, value, FILTER_CUBE_COLOURS))
        return false;
    for (int i = 0; i < FILTER_CUBE_COLOURS; i++) {
        int64_t held = value[i] < 0 ? 0 : value[i] > BILLION ? BILLION : value[i];
        cube->value[reading->count++] = (uint16_t)((held * UINT16_MAX + BILLION / 2) / BILLION);
    }
    return true;
}

static bool read_line(struct cube_reading *reading)
{
    struct filter_cube *cube = reading->cube;
    if (take_word(reading, "TITLE"))
        return true;
    if (take_word(reading, "LUT_1D_SIZE"))
        return read_size(reading, false);
    if (take_word(reading, "LUT_3D_SIZE"))
        return read_size(reading, true);
    if (take_word(reading, "DOMAIN_MIN"))
        return read_domain(reading, cube->least, false);
    if (take_word(reading, "DOMAIN_MAX"))
        return read_domain(reading, cube->greatest, false);
    if (take_word(reading, "LUT_1D_INPUT_RANGE") || take_word(reading, "LUT_3D_INPUT_RANGE"))
        return read_domain(reading, NULL, true);
    return read_point(reading);
}

static bool check(struct cube_reading *reading)
{
    const struct filter_cube *cube = reading->cube;
    reading->at = reading->end = reading->last;
    if (!cube->value)
        return fail(reading, "it ends without LUT_1D_SIZE or LUT_3D_SIZE");
    if (reading->count < kst_filter_cube_points(cube) * FILTER_CUBE_COLOURS)
        return fail(reading, "it ends before the last point of the table");
    for (int i = 0; i < FILTER_CUBE_COLOURS; i++)
        if (cube->least[i] >= cube->greatest[i])
            return fail(reading, "the end of its domain is not above the beginning");
    return true;
}

static kst_status parse(struct cube_reading *reading)
{
    bool fine = true;
    while (fine && next_line(reading))
        fine = read_line(reading);
    return fine && check(reading) ? KST_OK : reading->status;
}

static kst_status fail_reading(char reason[FILTER_REASON], const char *path, const char *why)
{
    snprintf(reason, FILTER_REASON, "%.80s: %s", path, why);
    return KST_ERROR_READ;
}

static kst_status read_all(
    struct memory *memory, int descriptor, const char *path, char **data, size_t *length, char reason[FILTER_REASON])
{
    kst_status status = KST_OK;
    struct stat state;
    ssize_t got = 0;
    *length = 0;
    if (descriptor < 0 || fstat(descriptor, &state) != 0)
        return fail_reading(reason, path, strerror(errno));
    if (!S_ISREG(state.st_mode))
        return fail_reading(reason, path, "no plain file");
    if ((uint64_t)state.st_size > FILE_MAX)
        return fail_reading(reason, path, "longer than 128 MiB, which no table is");
    *data = kst_memory_array(memory, (size_t)state.st_size + 1, 1, &status);
    while (*data && *length < (size_t)state.st_size) {
        got = read(descriptor, *data + *length, (size_t)state.st_size - *length);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        *length += got > 0 ? (size_t)got : 0;
    }
    return got < 0 ? fail_reading(reason, path, strerror(errno)) : status;
}

kst_status kst_filter_cube_read(
    struct memory *memory, const char *path, struct filter_cube *cube, char reason[FILTER_REASON])
{
    char *data = NULL;
    size_t length = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *cube = (struct filter_cube){.greatest = {MILLION, MILLION, MILLION}};
    kst_status status = read_all(memory, descriptor, path, &data, &length, reason);
    if (descriptor >= 0)
        close(descriptor);
    if (!status) {
        struct cube_reading reading = {
            .cube = cube, .memory = memory, .rest = data, .last = data + length, .reason = reason};
        status = parse(&reading);
    }
    kst_memory_release(memory, data);
    return status;
}

void kst_filter_cube_drop(struct memory *memory, struct filter_cube *cube)
{
    kst_memory_release(memory, cube->value);
}

uint32_t kst_filter_cube_place(const struct filter_cube *cube, uint32_t colour, uint32_t sample, uint32_t greatest)
{
    const int64_t steps = (int64_t)cube->size - 1;
    int64_t range = (cube->greatest[colour] - cube->least[colour]) * greatest;
    int64_t above = (int64_t)sample * MILLION - cube->least[colour] * greatest;
    if (above <= 0)
        return 0;
    if (above >= range)
        return (uint32_t)(steps << 16);
    return (uint32_t)((above * steps / range << 16) + ((above * steps % range << 16) + range / 2) / range);
}

uint32_t kst_filter_cube_curve(const struct filter_cube *cube, uint32_t colour, uint32_t sample, uint32_t greatest)
{
    uint32_t place = kst_filter_cube_place(cube, colour, sample, greatest), part = place & 65535;
    const uint16_t *point = cube->value + (size_t)(place >> 16) * FILTER_CUBE_COLOURS + colour;
    uint32_t next = part > 0 ? point[FILTER_CUBE_COLOURS] : 0;
    return kst_filter_cube_sample((point[0] * (65536 - part) + next * part + 32768) >> 16, greatest);
}
